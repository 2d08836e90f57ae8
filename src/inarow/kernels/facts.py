"""The facts behind explanations: why a position is won or drawn, what a move does, what misled an agent.

Plain functions like those of `kernels.rules`. They return codes, cells and counts; `data/sentences.json` has a sentence
for every code, in the same order. "In n moves" counts the moves of the side that wins.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from inarow.bits import BitLayout, each_index, lowest, popcount
from inarow.kernels.rules import (
    DRAWN,
    GOES_ON,
    after,
    cell_of,
    legal_moves,
    move_to,
    moves_to_end,
    open_cells,
    outcome,
    plies_to_end,
    stone_of,
    threats,
    winning_moves,
)
from inarow.kernels.solver.analyse import sign
from inarow.kernels.solver.solve import NO_BOUND, follow_up

# What one move ahead shows: ``urgent`` of `Why`.
NOTHING_URGENT, COMPLETES, CANNOT_BLOCK, MUST_BLOCK = range(4)

# Whether the deciding threat is on the board: ``threat`` of `Why`.
NO_THREAT, HAS, GETS = range(3)

# What decides: ``reason`` of `Why`.
(
    NO_REASON, FILLS_UP, HOLDS, WINS, TWO_THREATS, STACKED, LAST_COLUMN, LAST_COLUMN_LATER, ANSWERED, ANSWERED_LATER,
    FEW_OTHERS, MANY_OTHERS,
) = range(12)  # fmt: skip
"""In a draw: the board fills up, or besides, the other side can answer every move. In a win: nothing in particular, two
threats at once, winning cells one above the other. Zugzwang by parity: in the one column that is left over, or where
every move is answered, proven now or later in the line. Zugzwang without such a proof: the other moves, a few or many,
lose as well."""
FEW = 3


class Why(NamedTuple):
    """Why a position is won, lost or drawn. A set of moves has bit m for move m."""

    urgent: int
    moves: int
    """The moves that complete a line now: those of the side to move or, without any, of the other side."""
    threat: int
    reason: int
    winner: int
    """0 or 1; −1 if nobody wins or the winner is unknown."""
    cell: int
    """The cell, row by row from the top left, in which the winner completes its line; the lower of two."""
    made: int
    """The winner's moves until the threat is on the board."""
    proven: int
    """The winner's moves until parity proves that it wins."""
    move: int
    """The move that makes two threats at once."""
    others: int
    """The loser's other moves when it must play below the threat."""
    number: int
    """The winner's moves to its win; in a draw, the cells left."""


def stones_after(layout: BitLayout, own: int, opp: int, line: Sequence[int], count: int) -> tuple[int, int]:
    """Return ``own`` and ``opp`` of the side to move after the first moves of a line."""
    for i in range(count):
        own, opp = after(layout, own, opp, line[i])
    return own, opp


def why(layout: BitLayout, first: int, second: int, line: Sequence[int]) -> Why:
    """Explain a position by one line of perfect play from it."""
    mover = popcount(first | second) & 1
    own, opp = (second, first) if mover == 1 else (first, second)
    if outcome(layout, first, second) != GOES_ON or len(line) == 0:
        return Why(NOTHING_URGENT, 0, NO_THREAT, NO_REASON, -1, -1, 0, 0, -1, 0, 0)
    wins = winning_moves(layout, own, own | opp)
    if wins != 0:
        return Why(COMPLETES, wins, NO_THREAT, NO_REASON, mover, -1, 0, 0, -1, 0, 1)
    blocks = winning_moves(layout, opp, own | opp)
    if blocks & (blocks - 1) != 0:
        return Why(CANNOT_BLOCK, blocks, NO_THREAT, NO_REASON, 1 - mover, -1, 0, 0, -1, 0, 1)
    urgent = MUST_BLOCK if blocks != 0 else NOTHING_URGENT
    last_own, last_opp = stones_after(layout, own, opp, line, len(line))
    end = outcome(layout, last_own, last_opp)
    if end == GOES_ON:
        return Why(urgent, blocks, NO_THREAT, NO_REASON, -1, -1, 0, 0, -1, 0, 0)
    if end == DRAWN:
        reason = HOLDS if follow_up_of(layout, own, opp)[0] == 0 else FILLS_UP
        return Why(urgent, blocks, NO_THREAT, reason, -1, -1, 0, 0, -1, 0, popcount(layout.board & ~(own | opp)))
    return deciding(layout, own, opp, line, urgent, blocks)


def follow_up_of(layout: BitLayout, own: int, opp: int) -> tuple[int, int]:
    """Return what following up proves (see `kernels.solver.solve`); NO_BOUND without gravity, or if either side can
    complete a line with its next stone."""
    occupied = own | opp
    if not layout.gravity or winning_moves(layout, own, occupied) | winning_moves(layout, opp, occupied) != 0:
        return NO_BOUND, 0
    return follow_up(layout, own, occupied, open_cells(layout, occupied), threats(layout, opp, occupied))


def deciding(layout: BitLayout, own: int, opp: int, line: Sequence[int], urgent: int, blocks: int) -> Why:
    """Explain how the winner's last stone, which ends the line, became unstoppable."""
    length, number = len(line), (len(line) + 1) // 2
    winner = (popcount(own | opp) + length - 1) & 1
    loser, stones = stones_after(layout, own, opp, line, length - 2)  # the loser's last choice
    occupied = loser | stones
    all_threats = threats(layout, stones, occupied)
    open_threats = all_threats & open_cells(layout, occupied)
    if open_threats & (open_threats - 1) != 0:
        return Why(urgent, blocks, NO_THREAT, TWO_THREATS, winner, -1, 0, 0, line[length - 3], 0, number)
    if open_threats != 0:
        if not layout.gravity or (open_threats << 1) & all_threats == 0:
            return Why(urgent, blocks, NO_THREAT, WINS, winner, -1, 0, 0, -1, 0, number)
        cell, made = cell_of(layout, open_threats), made_in(layout, own, opp, line, open_threats * 3)
        return Why(urgent, blocks, NO_THREAT, STACKED, winner, cell, made, 0, -1, 0, number)
    last = stone_of(layout, occupied | stone_of(layout, occupied, line[length - 2]), line[length - 1])
    made = made_in(layout, own, opp, line, last)
    threat = HAS if made == 0 else GETS
    proven, left_over = proven_in(layout, own, opp, line, last)
    if proven >= 0:
        reason = LAST_COLUMN if left_over else ANSWERED
        if proven > 0:
            reason += 1
        return Why(urgent, blocks, threat, reason, winner, cell_of(layout, last), made, proven, -1, 0, number)
    others = legal_moves(layout, loser, stones) & ~(1 << move_to(layout, last))
    reason = FEW_OTHERS if popcount(others) <= FEW else MANY_OTHERS
    return Why(urgent, blocks, threat, reason, winner, cell_of(layout, last), made, 0, -1, others, number)


def made_in(layout: BitLayout, own: int, opp: int, line: Sequence[int], cells: int) -> int:
    """Return how many moves the winner makes in the line, which it ends, until these cells are its threats."""
    length = len(line)
    for i in range(length):
        stones = own if (length - i) & 1 == 1 else opp
        if cells & ~threats(layout, stones, own | opp) == 0:
            return (i + (length & 1)) // 2
        own, opp = after(layout, own, opp, line[i])
    return length


def proven_in(layout: BitLayout, own: int, opp: int, line: Sequence[int], last: int) -> tuple[int, bool]:
    """Return how many moves the winner makes in the line until parity proves that it wins in its last cell, −1 if it
    never does; and whether the column of that cell is the one that is left over."""
    length = len(line)
    for i in range(length - 1):
        if (length - i) & 1 == 0:
            bound, cells = follow_up_of(layout, own, opp)
            if bound < 0 and cells & last != 0:
                contested = open_cells(layout, own | opp) & layout.claimed
                return (i + (length & 1)) // 2, popcount(contested) & 1 == 1
        own, opp = after(layout, own, opp, line[i])
    return -1, False


# What a move does, by its score.
DRAWS, WINS_IN, LOSES_IN = range(3)

# What a hint says of its move.
LOOKS_BEST, HINT_DRAWS, HINT_WINS, HINT_LOSES, BLOCKS, BLOCKS_DRAWS, BLOCKS_WINS, BLOCKS_LOSES, WINS_NOW = range(9)


def result(score: int) -> int:
    """Return DRAWS, WINS_IN or LOSES_IN."""
    return DRAWS if score == 0 else WINS_IN if score > 0 else LOSES_IN


def hint(layout: BitLayout, own: int, opp: int, move: int, known: bool, score: int) -> tuple[int, int]:
    """Return what to say of a move, whose score may be known, and the winner's moves to its win."""
    if winning_moves(layout, own, own | opp) & (1 << move) != 0:
        return WINS_NOW, 1
    code = BLOCKS if winning_moves(layout, opp, own | opp) & (1 << move) != 0 else LOOKS_BEST
    if not known:
        return code, 0
    number = moves_to_end(layout, popcount(own | opp), score) if score != 0 else 0
    return code + 1 + result(score), number


# How an agent decides.
SEARCH, TREE, TABLE, NETWORK, ANOTHER = range(5)

# What misled it.
(
    NOT_MISLED, BEYOND_HORIZON, WITHIN_HORIZON, EXPECTS_ANOTHER, EXPECTS_REFUTATION, BELOW_TREE, NOT_PROVEN, GUIDED,
    NO_ROW, HAS_ROW, ONE_MOVE_AHEAD, NOT_KNOWN,
) = range(12)  # fmt: skip


class Misled(NamedTuple):
    """Why an agent's move gives away a win or a draw."""

    cause: int
    better: int
    """The first of the best moves."""
    decisive: int
    """The move that it should have seen through: the win that it missed, else its own move."""
    refutations: int
    """The set of replies that refute its move, if the replies' scores are known."""


def misled(
    layout: BitLayout,
    ply: int,
    moves: int,
    scores: Sequence[int],
    move: int,
    kind: int,
    depth: int,
    expected: int,
    replies: int,
    reply_scores: Sequence[int],
    known: bool,
    guided: bool,
) -> Misled:
    """Explain a move by the exact scores of a position's moves.

    ``depth`` is how many plies a search finished, or how deep a tree is; −1 if that is not known. A tree ``expected``
    this reply (−1: none); ``replies`` are the moves whose ``reply_scores`` are known. A table may have ``known`` the
    position, or been overruled by its guide.
    """
    better = lowest(moves)
    for other in each_index(moves):
        if scores[other] > scores[better]:
            better = other
    decisive = better if scores[better] > 0 else move
    plies = plies_to_end(layout, ply, scores[decisive])
    refutations = 0
    for reply in each_index(replies):
        if sign(reply_scores[reply]) == -sign(scores[move]):
            refutations |= 1 << reply
    cause = NOT_KNOWN
    if sign(scores[move]) == sign(scores[better]):
        cause = NOT_MISLED
    elif kind == SEARCH and depth >= 0:
        cause = BEYOND_HORIZON if plies > depth else WITHIN_HORIZON
    elif kind == TREE:
        if refutations != 0 and expected >= 0:
            cause = EXPECTS_REFUTATION if refutations & (1 << expected) != 0 else EXPECTS_ANOTHER
        else:
            cause = BELOW_TREE if plies > depth else NOT_PROVEN
    elif kind == TABLE:
        cause = GUIDED if guided else HAS_ROW if known else NO_ROW
    elif kind == NETWORK:
        cause = ONE_MOVE_AHEAD
    return Misled(cause, better, decisive, refutations)
