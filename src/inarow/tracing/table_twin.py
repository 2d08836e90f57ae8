"""A plain twin of the table of positions (see `kernels.alphabeta.transposition`)."""

from __future__ import annotations

from typing import NamedTuple

from inarow import bits
from inarow.kernels.alphabeta.transposition import EXACT, LOWER, NO_HINT, UPPER
from inarow.kernels.common import search_layout
from inarow.randomness import MIX_A, mix, plus, times


class Key(NamedTuple):
    """A position as the table stores it, and the symmetry that leads to it."""

    mover: int
    waiter: int
    image: int


class Entry(NamedTuple):
    """What is stored of a position."""

    mover: int
    waiter: int
    draft: int
    bound: int
    value: int
    hint: int


class TableTwin:
    """Entries by place, for one decision."""

    def __init__(self, size: int) -> None:
        self._size = size
        self._entries: dict[int, Entry] = {}

    def _place(self, key: Key) -> int:
        return mix(plus(times(key.mover, MIX_A), key.waiter)) & (self._size - 1)

    def recall(self, key: Key) -> Entry | None:
        """What is stored of a position, at whatever draft."""
        entry = self._entries.get(self._place(key))
        return entry if entry is not None and entry[:2] == key[:2] else None

    def store(self, key: Key, draft: int, value: int, window: tuple[int, int], hint: int) -> None:
        """Keep the value of a position, found with this window."""
        bound = UPPER if value <= window[0] else LOWER if value >= window[1] else EXACT
        self._entries[self._place(key)] = Entry(key.mover, key.waiter, draft, bound, value, hint)


def answers(entry: Entry, draft: int, alpha: int, beta: int) -> bool:
    """Whether an entry is all that a search with this window needs."""
    if entry.draft != draft:
        return False
    exact = entry.bound == EXACT
    return exact or (entry.bound == LOWER and entry.value >= beta) or (entry.bound == UPPER and entry.value <= alpha)


def canonical(setup: list[int], mover: int, waiter: int) -> Key:
    """The stones of the symmetric image that stands for all; without symmetry the stones as they are."""
    best = Key(mover, waiter, 0)
    if setup[search_layout.SYMMETRY] == 0:
        return best
    for image in range(1, setup[search_layout.SYMMETRIES]):
        other = Key(_image_of(setup, image, mover), _image_of(setup, image, waiter), image)
        if other[:2] < best[:2]:
            best = other
    return best


def hint_of(setup: list[int], image: int, cell: int) -> int:
    """The bit index of a cell in the stored image of its position; NO_HINT for no cell."""
    return NO_HINT if cell == 0 else bits.lowest(_image_of(setup, image, cell))


def _image_of(setup: list[int], image: int, cells: int) -> int:
    at = search_layout.IMAGES + image * bits.MAX_BITS
    found = 0
    while cells:
        found |= setup[at + bits.lowest(cells)]
        cells &= cells - 1
    return found
