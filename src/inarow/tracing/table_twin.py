"""A plain twin of the table of positions (see `kernels.alphabeta`)."""

from __future__ import annotations

from typing import NamedTuple

from inarow import bits
from inarow.kernels.alphabeta import EXACT, LOWER, NO_MOVE, UPPER
from inarow.kernels.common.setup import SearchSetup
from inarow.randomness import MIX_A, mix, plus, times


class Key(NamedTuple):
    """A position as the table stores it, and the symmetry that leads to it."""

    own: int
    opp: int
    image: int


class Entry(NamedTuple):
    """What is stored of a position."""

    own: int
    opp: int
    depth: int
    bound: int
    value: int
    tt_move: int


class TableTwin:
    """Entries by place, for one decision."""

    def __init__(self, size: int) -> None:
        self._size = size
        self._entries: dict[int, Entry] = {}

    def _place(self, key: Key) -> int:
        return mix(plus(times(key.own, MIX_A), key.opp)) & (self._size - 1)

    def probe(self, key: Key) -> Entry | None:
        """Return what is stored of a position, at whatever depth."""
        entry = self._entries.get(self._place(key))
        return entry if entry is not None and entry[:2] == key[:2] else None

    def store(self, key: Key, depth: int, value: int, window: tuple[int, int], tt_move: int) -> None:
        """Store the value of a position, found with this window."""
        bound = UPPER if value <= window[0] else LOWER if value >= window[1] else EXACT
        self._entries[self._place(key)] = Entry(key.own, key.opp, depth, bound, value, tt_move)


def answers(entry: Entry, depth: int, alpha: int, beta: int) -> bool:
    """Whether an entry is all that a search with this window needs."""
    if entry.depth != depth:
        return False
    exact = entry.bound == EXACT
    return exact or (entry.bound == LOWER and entry.value >= beta) or (entry.bound == UPPER and entry.value <= alpha)


def canonical(setup: SearchSetup, own: int, opp: int) -> Key:
    """Return the stones of the symmetric image that stands for all; without symmetry the stones as they are."""
    best = Key(own, opp, 0)
    if not setup.use_symmetry:
        return best
    for image in range(1, setup.symmetries):
        other = Key(_image_of(setup, image, own), _image_of(setup, image, opp), image)
        if other[:2] < best[:2]:
            best = other
    return best


def tt_move_of(setup: SearchSetup, image: int, cell: int) -> int:
    """Return the bit index of a cell in the stored image of its position; NO_MOVE for no cell."""
    return NO_MOVE if cell == 0 else bits.lowest(_image_of(setup, image, cell))


def _image_of(setup: SearchSetup, image: int, cells: int) -> int:
    found, images = 0, setup.images[image]
    while cells:
        found |= int(images[bits.lowest(cells)])
        cells &= cells - 1
    return found
