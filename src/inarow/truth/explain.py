"""Why a move is good and why a position is won, in words: the threat that decides, its row, who runs out of moves.

A position's reason is proven where the solver's parity bound applies (see `parity`); else it is read off one line of
perfect play: one reason among perhaps several, and no more than the line shows.
"""

from __future__ import annotations

from collections.abc import Sequence

from inarow import bits
from inarow.formatting import counted
from inarow.rules import FIRST, Player, Position, format_move
from inarow.solver.analysis import moves_to_end
from inarow.truth.parity import FollowUp, follow_up

_STONE = ("X", "O")


def explain(position: Position, line: Sequence[int]) -> str:
    """One or two sentences about a position and one line of perfect play from it; empty if there is nothing to say."""
    if position.outcome() is not None or not line:
        return ""
    now = _immediate(position)
    if now:
        return now
    positions = [position]
    for move in line:
        positions.append(positions[-1].play(move))
    outcome = positions[-1].outcome()
    if outcome is None:
        return ""
    if outcome.winner is None:
        return _drawn(position, len(line))
    return _deciding(positions, line, outcome.winner)


def _drawn(position: Position, left: int) -> str:
    proven = follow_up(position)
    if proven is not None and proven.score == 0:
        me, you = _STONE[position.to_move], _STONE[position.to_move.other]
        return f"{you} can follow up every move of {me}, mostly in the same column, and {me} gets no line that way."
    return f"With best play the board fills up: nobody gets a line in the remaining {counted(left, 'move', 'moves')}."


def _immediate(position: Position) -> str:
    """What one move ahead shows: a win, a block, or two threats that can't both be blocked."""
    mover = position.to_move
    me, you = _STONE[mover], _STONE[mover.other]
    wins = position.winning_moves()
    if wins:
        return f"{me} completes a line with {_listed(wins)}."
    threats = position.winning_moves(mover.other)
    if len(threats) > 1:
        return f"{you} threatens to complete a line with {_listed(threats)}; {me} can block only one of them."
    if threats:
        return f"{me} must block {format_move(threats[0])}, where {you} would complete a line."
    return ""


def _deciding(positions: Sequence[Position], line: Sequence[int], winner: Player) -> str:
    """How the winner's last stone became unstoppable."""
    before = positions[-2]  # the winner is to move and completes a line
    me, you = _STONE[winner], _STONE[winner.other]
    number = (len(line) + 1) // 2
    moves = "move" if number == 1 else "moves"
    # The loser moved at index -3; what did the winner threaten then?
    if len(positions) >= 3:
        choice = positions[-3]
        threats = choice.winning_moves(winner)
        if len(threats) > 1:
            made = _first_with_two_threats(positions, winner)
            by = f" with {format_move(line[made - 1])}" if made > 0 else ""
            return f"{me} makes two threats at once{by} and wins in {number} {moves}: {you} can block only one of them."
        if before.game.gravity and not threats:
            return _by_parity(positions, line, winner) or _squeezed(positions, line, winner, f"{number} {moves}")
    return f"{me} completes a line in {number} {moves}; {you} can only delay it."


def _first_with_two_threats(positions: Sequence[Position], winner: Player) -> int:
    """The index of the first position of the line in which the winner has two immediate threats."""
    for index, one in enumerate(positions[:-1]):
        if one.to_move is winner.other and len(one.winning_moves(winner)) > 1:
            return index
    return 0


def _by_parity(positions: Sequence[Position], line: Sequence[int], winner: Player) -> str:
    """The reason by parity, from the first position of the line where it is proven; empty if there is none."""
    for position in positions[:-1]:
        if position.to_move is winner or position.winning_moves(winner):
            continue
        proven = follow_up(position)
        if proven is not None and proven.score < 0 and proven.threat is not None:
            if positions[-2].stone(line[-1]) != position.game.cell_bits[proven.threat]:
                return ""  # the line ends elsewhere: this threat is not what decides it
            return _zugzwang(position, proven, _threat(positions, winner, proven.threat))
    return ""


def _threat(positions: Sequence[Position], winner: Player, cell: int) -> str:
    """Name the winner's threat in a cell, and the move of the line that makes it if it is not there yet."""
    game = positions[0].game
    row = game.rows - cell // game.columns  # from the bottom, as players count
    where = f"a threat in column {format_move(cell % game.columns)}, row {row} ({'odd' if row % 2 else 'even'})"
    made = next(one for one in positions if _threatens(one, winner, cell))
    me = _STONE[winner]
    return f"{me} has {where}" if made is positions[0] else f"With best play, {me} gets {where} by move {made.ply}"


def _threatens(position: Position, player: Player, cell: int) -> bool:
    """Return True if a stone of the player in this empty cell would complete a line."""
    game = position.game
    stones = position.first if player is FIRST else position.second
    return bool(bits.winning_cells(stones, game.k, game.stride, game.board) & game.cell_bits[cell])


def _zugzwang(position: Position, proven: FollowUp, threat: str) -> str:
    """Who must play below a threat in the end, and why."""
    winner = position.to_move.other
    me, you = _STONE[winner], _STONE[position.to_move]
    if proven.alone:
        return (
            f"{threat}. With an even number of cells left elsewhere, {me} can answer every move there, and {you}, in "
            f"zugzwang, must play below the threat."
        )
    return (
        f"{threat}. {me} has an answer to every move of {you} elsewhere; when the other columns are full, {you}, in "
        f"zugzwang, must play below the threat."
    )


def _squeezed(positions: Sequence[Position], line: Sequence[int], winner: Player, length: str) -> str:
    """Zugzwang: the loser had to play below the winner's threat."""
    me, you = _STONE[winner], _STONE[winner.other]
    game = positions[-1].game
    column = line[-1]
    cell = game.cell_bits.index(positions[-2].stone(column))
    if line[-2] != column:
        return f"{me} completes a line in column {format_move(column)} in {length}; {you} can only delay it."
    others = [move for move in positions[-3].legal_moves() if move != column]
    reason = (
        "every other column is full"
        if not others
        else f"every other move loses too ({_listed(others)})"
        if len(others) < 4
        else "every other move loses too"
    )
    return f"{_threat(positions, winner, cell)}. In {length} {you} must play below it, because {reason}."


def _listed(moves: Sequence[int]) -> str:
    words = [format_move(move) for move in moves]
    return words[0] if len(words) == 1 else f"{', '.join(words[:-1])} or {words[-1]}"


def reason(position: Position, move: int, score: int | None = None) -> str:
    """Why to play a move, in a few words: ``4 blocks``, ``4 wins in 9``. ``score`` is the move's, if it is known."""
    name = format_move(move)
    if move in position.winning_moves():
        return f"{name} wins now"
    if score is None:
        said = ""
    elif score == 0:
        said = "draws"
    else:
        said = f"{'wins' if score > 0 else 'loses'} in {moves_to_end(position, score)}"
    if move in position.winning_moves(position.to_move.other):
        return f"{name} blocks" + (f" and {said}" if said else "")
    if score is not None and score < 0:
        return f"{name} holds out longest, and {said}"
    return f"{name} {said}" if said else f"{name} looks best to a search"
