"""Bitboard arithmetic as plain functions of integers, run by Python and compiled into kernels.

Layout: cell (column, height) is bit ``column * stride + height`` with ``stride = rows + 1``. Columns count
from the left, heights from the bottom; the spare bit on top of each column is never set, so that no line
crosses from one column to the next. A board uses at most 63 bits: every value fits a signed 64-bit integer.

``stones`` is a set of cells of one side, ``occupied`` those of both, ``board`` all cells, ``bottom`` the
lowest cell of each column.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import TYPE_CHECKING, NamedTuple, Protocol, TypeVar

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

MAX_BITS = 63
Cells = TypeVar("Cells", int, "NDArray[np.int64]")
F = TypeVar("F", bound=Callable[..., object])


class BitLayout(NamedTuple):
    """A game as numbers and sets of cells, for functions that Python and kernels share; `Game.layout` makes it."""

    k: int
    stride: int
    board: int
    bottom: int
    gravity: bool
    columns: int
    rows: int
    spare: int
    """The bit on top of each column."""
    claimed: int
    """The highest cell of each column and every second one below it."""
    width: int = 0
    """On a cylinder the bits of all columns, else 0."""
    misere: bool = False
    """True if completing a line loses."""


class Geometry(Protocol):
    """The attributes that lines depend on, shared by several records."""

    @property
    def k(self) -> int: ...
    @property
    def stride(self) -> int: ...
    @property
    def board(self) -> int: ...
    @property
    def width(self) -> int: ...


def out_of_line(function: F) -> F:
    """Mark a function that few boards need: kernels call it instead of inlining it."""
    function.__dict__["out_of_line"] = True
    return function


def board_mask(columns: int, rows: int) -> int:
    """Return all cells of the board, without the spare bits."""
    mask = 0
    for column in range(columns):
        mask |= ((1 << rows) - 1) << (column * (rows + 1))
    return mask


def bottom_mask(columns: int, rows: int) -> int:
    """Return the lowest cell of each column."""
    mask = 0
    for column in range(columns):
        mask |= 1 << (column * (rows + 1))
    return mask


def column_mask(column: int, stride: int) -> int:
    """Return all cells of one column."""
    return ((1 << (stride - 1)) - 1) << (column * stride)


def popcount(cells: int) -> int:
    """Return the number of cells in the set."""
    return int(cells).bit_count()


def lowest(cells: int) -> int:
    """Return the index of the lowest bit; the set must not be empty."""
    cells = int(cells)
    return (cells & -cells).bit_length() - 1


def each_bit(cells: int) -> Iterator[int]:
    """Yield every cell of a set, as a bit, from the lowest."""
    cells = int(cells)
    while cells != 0:
        cell = cells & -cells
        cells ^= cell
        yield cell


def each_index(cells: int) -> Iterator[int]:
    """Yield the index of every bit of a set, from the lowest."""
    cells = int(cells)
    while cells != 0:
        yield (cells & -cells).bit_length() - 1
        cells &= cells - 1


def playable(occupied: int, bottom: int, board: int, gravity: bool) -> int:
    """Return the playable cells: the landing cell of each column, or every empty cell."""
    if gravity:
        return (occupied + bottom) & board
    return board & ~occupied


def runs(stones: Cells, step: int, length: int) -> Cells:
    """Return the first cells of rows of ``length`` stones, ``step`` bits apart; also for an array of sets."""
    have = 1
    while have < length:
        more = have if 2 * have <= length else length - have
        shift = more * step
        stones = stones & (stones >> (shift if shift < MAX_BITS else MAX_BITS))  # processors shift modulo 64
        have += more
    return stones


def has_line(stones: int, k: int, stride: int) -> bool:
    """Return True if there are k stones in a row: vertical, diagonal or horizontal."""
    if k == 4 and stride < 31:  # the common case, unrolled: half the time in Python, and no loop in kernels
        up = stones & (stones >> 1)
        left = stones & (stones >> (stride - 1))
        flat = stones & (stones >> stride)
        right = stones & (stones >> (stride + 1))
        lines = up & (up >> 2) | left & (left >> 2 * (stride - 1))
        return (lines | flat & (flat >> 2 * stride) | right & (right >> 2 * (stride + 1))) != 0
    return has_any_line(stones, k, stride)


@out_of_line
def has_any_line(stones: int, k: int, stride: int) -> bool:
    """Like `has_line`, for any k."""
    return (
        runs(stones, 1, k) != 0
        or runs(stones, stride - 1, k) != 0
        or runs(stones, stride, k) != 0
        or runs(stones, stride + 1, k) != 0
    )


def gaps(stones: int, step: int, k: int, board: int) -> int:
    """Return the cells (taken or not) that complete k − 1 stones to k in a row along one direction."""
    if k == 4 and 3 * step <= MAX_BITS:  # the same as below, unrolled
        after, before = stones >> step, stones << step
        two_after, two_before = after & (after >> step), before & (before << step)
        return board & ((two_after & (before | (two_after >> step))) | (two_before & (after | (two_before << step))))
    found = 0
    before = board  # cells directly after j stones
    for j in range(k):
        both = before
        for i in range(1, k - j):
            both &= stones >> min(i * step, MAX_BITS)
        found |= both
        before &= stones << min((j + 1) * step, MAX_BITS)
    return found


def fours(stones: int, step: int) -> int:
    """Return the cells that complete three stones to four in a row along one direction; also some off the board."""
    before = (stones << step) & (stones << 2 * step)
    after = (stones >> step) & (stones >> 2 * step)
    return before & ((stones << 3 * step) | (stones >> step)) | after & ((stones >> 3 * step) | (stones << step))


def winning_cells(stones: int, k: int, stride: int, board: int) -> int:
    """Return the cells, taken or not, where one more stone of this side makes a line."""
    if k == 4 and stride < 20:  # the common case, unrolled; for larger k, shifts would exceed 63 bits
        return (
            fours(stones, 1) | fours(stones, stride - 1) | fours(stones, stride) | fours(stones, stride + 1)
        ) & board
    return any_winning_cells(stones, k, stride, board)


@out_of_line
def any_winning_cells(stones: int, k: int, stride: int, board: int) -> int:
    """Like `winning_cells`, for any k."""
    return (
        gaps(stones, 1, k, board)
        | gaps(stones, stride - 1, k, board)
        | gaps(stones, stride, k, board)
        | gaps(stones, stride + 1, k, board)
    )


def turned(stones: Cells, by: int, width: int) -> Cells:
    """Return the stones on a cylinder moved ``by`` bits down, from the first column into the last; also for arrays.

    Steps along a line keep the spare bits apart, as `runs` needs it.
    """
    by %= width
    return (stones >> by | stones << (width - by)) & ((1 << width) - 1)


@out_of_line
def turned_runs(stones: Cells, step: int, length: int, width: int) -> Cells:
    """Like `runs`, on a cylinder."""
    found = stones
    for i in range(1, length):
        found = found & turned(stones, i * step, width)
    return found


@out_of_line
def turned_gaps(stones: int, step: int, k: int, board: int, width: int) -> int:
    """Like `gaps`, on a cylinder."""
    found = 0
    for own in range(k):  # the place of the cell in its line
        others = board
        for i in range(k):
            if i != own:
                others &= turned(stones, (i - own) * step, width)
        found |= others
    return found


def line_on(board: Geometry, stones: int) -> bool:
    """Return True if there are k stones in a row, on a cylinder also across the edge."""
    k, stride, width = board.k, board.stride, board.width
    if width == 0:
        return has_line(stones, k, stride)
    found = turned_runs(stones, 1, k, width) | turned_runs(stones, stride - 1, k, width)
    return (found | turned_runs(stones, stride, k, width) | turned_runs(stones, stride + 1, k, width)) != 0


def wins_on(board: Geometry, stones: int) -> int:
    """Return the cells, taken or not, where one more stone makes a line, on a cylinder also across the edge."""
    k, stride, cells, width = board.k, board.stride, board.board, board.width
    if width == 0:
        return winning_cells(stones, k, stride, cells)
    found = turned_gaps(stones, 1, k, cells, width) | turned_gaps(stones, stride - 1, k, cells, width)
    return found | turned_gaps(stones, stride, k, cells, width) | turned_gaps(stones, stride + 1, k, cells, width)


def mirror(cells: int, columns: int, stride: int) -> int:
    """Return the set reflected left to right."""
    column = (1 << stride) - 1
    image = 0
    for c in range(columns):
        image |= ((cells >> (c * stride)) & column) << ((columns - 1 - c) * stride)
    return image
