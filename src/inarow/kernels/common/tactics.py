"""What two plies of looking ahead decide for certain: a win at hand, a forced block, two threats at once."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from inarow.bits import playable, winning_cells
from inarow.kernels.lang.jit import kernel

QUIET, WON, LOST, DRAWN = 0, 1, 2, 3


def settle(
    mine: int,
    other: int,
    mine_wins: int,
    other_wins: int,
    k: int,
    stride: int,
    board: int,
    bottom: int,
    gravity: bool,
    forced: NDArray[np.int64],
) -> tuple[int, int]:
    """Follow forced blocks until nothing is forced; the status there for the side to move, and the number of blocks.

    ``mine`` are the stones of the side to move, ``mine_wins`` its winning cells. The blocks are written as bits
    to ``forced``.
    WON: the side to move there wins with its next stone; LOST: the other side does after any move of it.
    """
    count = 0
    while True:
        occupied = mine | other
        if occupied == board:
            return DRAWN, count
        free = playable(occupied, bottom, board, gravity)
        if mine_wins & free:
            return WON, count
        threats = other_wins & free
        if threats == 0:
            safe = free & ~(other_wins >> 1) if gravity else free
            return (QUIET if safe else LOST), count
        if threats & (threats - 1):
            return LOST, count
        forced[count] = threats
        count += 1
        mine, other = other, mine | threats
        mine_wins, other_wins = other_wins, winning_cells(other, k, stride, board)


@kernel
def settled(
    mine: int, other: int, k: int, stride: int, board: int, bottom: int, gravity: bool, forced: NDArray[np.int64]
) -> tuple[int, int]:
    """The same for Python to call."""
    mine_wins = winning_cells(mine, k, stride, board)
    other_wins = winning_cells(other, k, stride, board)
    return settle(mine, other, mine_wins, other_wins, k, stride, board, bottom, gravity, forced)


def warm() -> None:
    """Compile what is here."""
    settled(0, 0, 3, 4, 0b111011101110111 & 0x7777, 0x1111, True, np.zeros(64, np.int64))
