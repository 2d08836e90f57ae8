"""Move ordering: the better the first moves, the more is cut off."""

from __future__ import annotations

from inarow.kernels.alphabeta.state import RankedMove, SearchState
from inarow.kernels.alphabeta.transposition import NO_MOVE, image_bit
from inarow.kernels.common.board import lowest, popcount, winning_cells
from inarow.kernels.common.setup import CENTRE, HISTORY, NONE, THREATS, SearchSetup
from inarow.kernels.lang.records import Array

TT_MOVE = 1 << 50
WIN = 1 << 48
BLOCK = 1 << 46
UNSAFE = 1 << 44


def order_moves(
    setup: SearchSetup,
    search: SearchState,
    below: int,
    own: int,
    opp: int,
    legal: int,
    wins: int,
    tt_move: int,
    image: int,
    seat: int,
) -> int:
    """Write the legal cells to the list of this ply below the root, the most promising first; returns how many.

    ``tt_move`` is the best move by the transposition table, in its image of the position.
    """
    moves = search.moves[below]
    ordering = setup.ordering
    unranked = ordering == NONE or (ordering == CENTRE and tt_move == NO_MOVE)
    threats = 0
    if ordering == THREATS:
        threats = winning_cells(opp, setup.k, setup.stride, setup.board)
    count = 0
    for i in range(setup.moves):
        cell = legal & setup.order[i]
        if cell == 0:
            continue
        if unranked:
            moves[count].cell = cell
            count += 1
            continue
        score = 0
        if ordering == THREATS:
            score = _promise(setup, own, opp, cell, wins, threats)
        elif ordering == HISTORY:
            score = search.history[seat, lowest(cell)]
        if tt_move != NO_MOVE and image_bit(setup, image, cell) == 1 << tt_move:
            score += TT_MOVE
        _insert(moves, count, cell, score)
        count += 1
    return count


def _insert(moves: Array[RankedMove], count: int, cell: int, score: int) -> None:
    """Insert a move behind those whose scores are at least as high."""
    at = count
    while at > 0 and moves[at - 1].score < score:
        moves[at].score = moves[at - 1].score
        moves[at].cell = moves[at - 1].cell
        at -= 1
    moves[at].score = score
    moves[at].cell = cell


def _promise(setup: SearchSetup, own: int, opp: int, cell: int, wins: int, threats: int) -> int:
    """Wins first, then blocks, then the most winning cells; last, moves that let the opponent win on the cell above."""
    if cell & wins != 0:
        return WIN
    after = own | cell
    free = setup.board & ~(after | opp)
    score = popcount(winning_cells(after, setup.k, setup.stride, setup.board) & free)
    if cell & threats != 0:
        score += BLOCK
    if setup.gravity and (cell << 1) & threats != 0:
        score -= UNSAFE
    return score


def update_history(setup: SearchSetup, search: SearchState, cell: int, depth: int, seat: int) -> None:
    """Count a move that cut off a search ``depth`` plies above the horizon, so that it is tried earlier elsewhere."""
    if setup.ordering == HISTORY:
        search.history[seat, lowest(cell)] += depth * depth
