"""Why a position is won, in words: the threat that decides, its row, and who runs out of other moves.

It is read off one line of perfect play: one reason among perhaps several, and no more than the line shows.
"""

from __future__ import annotations

from collections.abc import Sequence

from inarow.rules import FIRST, Player, Position, format_move
from inarow.solver.analysis import moves_to_end

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
        return f"With best play the board fills up: nobody gets a line in the remaining {len(line)} moves."
    return _deciding(positions, line, outcome.winner)


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
            return _squeezed(positions, line, winner, f"{number} {moves}")
    return f"{me} completes a line in {number} {moves}; {you} can only delay it."


def _first_with_two_threats(positions: Sequence[Position], winner: Player) -> int:
    """The index of the first position of the line in which the winner has two immediate threats."""
    for index, one in enumerate(positions[:-1]):
        if one.to_move is winner.other and len(one.winning_moves(winner)) > 1:
            return index
    return 0


def _squeezed(positions: Sequence[Position], line: Sequence[int], winner: Player, length: str) -> str:
    """Zugzwang: the loser had to play below the winner's threat."""
    me, you = _STONE[winner], _STONE[winner.other]
    game = positions[-1].game
    column = line[-1]
    cell = game.cell_bits.index(positions[-2].stone(column))
    row = game.rows - cell // game.columns  # from the bottom, as players count
    parity = "odd" if row % 2 else "even"
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
    mine = (parity == "odd") == (winner is FIRST)
    helped = (
        f"Row {row} is {parity}, the rows in which {me} gets the last word when the columns fill up"
        if mine
        else f"Row {row} is {parity}"
    )
    return (
        f"{me} has a threat in column {format_move(column)}, row {row}. {helped}: in {length} {you} must play below "
        f"it, because {reason}."
    )


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
