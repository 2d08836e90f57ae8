"""What two plies of looking ahead decide for certain: a win at hand, a forced block, two threats at once."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from inarow.bits import playable, winning_cells
from inarow.kernels.lang.jit import kernel

QUIET, WON, LOST, DRAWN = 0, 1, 2, 3


def settle(
    own: int,
    opp: int,
    own_wins: int,
    opp_wins: int,
    k: int,
    stride: int,
    board: int,
    bottom: int,
    gravity: bool,
    forced: NDArray[np.int64],
) -> tuple[int, int]:
    """Follow forced blocks until nothing is forced; the status there for the side to move, and the number of blocks.

    ``own`` are the stones of the side to move, ``own_wins`` its winning cells. The blocks are written as bits
    to ``forced``.
    WON: the side to move there wins with its next stone; LOST: the other side does after any move of it.
    """
    count = 0
    while True:
        occupied = own | opp
        if occupied == board:
            return DRAWN, count
        free = playable(occupied, bottom, board, gravity)
        if own_wins & free:
            return WON, count
        threats = opp_wins & free
        if threats == 0:
            safe = free & ~(opp_wins >> 1) if gravity else free
            return (QUIET if safe else LOST), count
        if threats & (threats - 1):
            return LOST, count
        forced[count] = threats
        count += 1
        own, opp = opp, own | threats
        own_wins, opp_wins = opp_wins, winning_cells(opp, k, stride, board)


@kernel
def settled(
    own: int, opp: int, k: int, stride: int, board: int, bottom: int, gravity: bool, forced: NDArray[np.int64]
) -> tuple[int, int]:
    """The same for Python to call."""
    own_wins = winning_cells(own, k, stride, board)
    opp_wins = winning_cells(opp, k, stride, board)
    return settle(own, opp, own_wins, opp_wins, k, stride, board, bottom, gravity, forced)


def warm() -> None:
    """Compile what is here."""
    settled(0, 0, 3, 4, 0b111011101110111 & 0x7777, 0x1111, True, np.zeros(64, np.int64))
