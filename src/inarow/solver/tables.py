"""Complete tables: the exact score of every position of a small board, in one file.

The positions of each ply are listed starting from the empty board, then scored backwards from the last ply by
`kernels.solver.retrograde`; no search is involved, so a table also checks the solver. One of two mirror images is
kept. The file is one line of JSON (the manifest), then for each ply three arrays: where each bucket of keys starts,
the low bits of the keys in ascending order, and the scores.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Mapping
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from inarow.errors import InarowError
from inarow.kernels.rules import plies_to_end
from inarow.kernels.solver.retrograde import OFFSET, decode, encode, expand, score_ply
from inarow.machine import SHARE, machine_mb
from inarow.randomness import Stream
from inarow.rules import Game, Position
from inarow.solver.files import FileKind

CHUNK = 1 << 20
"""Number of positions expanded at a time."""
BYTES = 14
"""Bytes per position while a table is built: its key, its score, and its share of the next ply."""

Progress = Callable[[str, int, int], None]


class TableError(InarowError):
    """The board is too large for a complete table, or the file is damaged or not a table."""


FILE = FileKind("table", TableError, {"lengths": list, "statistics": list}, version=1)


@dataclass(frozen=True)
class PlyStatistics:
    """All positions of one ply, mirror images included. Wins, draws and losses are for the side to move."""

    ply: int
    positions: int
    wins: int
    draws: int
    losses: int
    won: int
    """Finished games with a line."""
    full: int
    """Finished games that are drawn."""
    only_moves: int
    """Positions where exactly one of several moves keeps the win or draw."""
    longest_win: int | None
    """Maximum plies to a win under best play by both sides."""


@dataclass(frozen=True)
class Ply:
    """The positions of one ply that are kept, sorted by key."""

    starts: NDArray[np.int64]
    low: NDArray[Any]
    scores: NDArray[np.int8]

    def index(self, key: int, shift: int) -> int | None:
        """Return the index of a key, or None if the ply lacks it."""
        bucket, part = key >> shift, key & ((1 << shift) - 1)
        first, last = int(self.starts[bucket]), int(self.starts[bucket + 1])
        at = first + int(np.searchsorted(self.low[first:last], part))
        return at if at < last and int(self.low[at]) == part else None

    def keys(self, shift: int) -> NDArray[np.int64]:
        """Return all keys in ascending order."""
        buckets = np.repeat(np.arange(len(self.starts) - 1), np.diff(self.starts))
        return (buckets << shift) | self.low.astype(np.int64)


class CompleteTable:
    """The exact score of every position of a game, finished ones included."""

    name = "table"

    def __init__(self, board: Game, plies: list[Ply], statistics: list[PlyStatistics]) -> None:
        self.game = board
        self.plies = plies
        self.statistics = statistics
        self._board = board.layout
        self._shift = _shift(board)

    @property
    def positions(self) -> int:
        """Number of positions of the game, mirror images included."""
        return sum(one.positions for one in self.statistics)

    def get(self, position: Position) -> int | None:
        """Return the score of a position for the side to move; None if it is not reachable."""
        own, opp = _sides(position)
        ply = position.ply
        if ply >= len(self.plies):
            return None
        at = self.plies[ply].index(encode(own, opp, self._board), self._shift)
        return None if at is None else int(self.plies[ply].scores[at])

    def put(self, position: Position, score: int) -> None:
        """Do nothing: the table is complete."""

    def scores(self, position: Position) -> Mapping[int, int]:
        """Return the score of every legal move, for the side that makes it."""
        found = {move: self.get(child) for move, child in position.children()}
        return {move: -score for move, score in found.items() if score is not None}

    def sample(self, count: int, stream: Stream) -> Iterator[Position]:
        """Yield positions that are not over, drawn uniformly with replacement from those that are kept."""
        ends = np.cumsum([len(ply.low) for ply in self.plies])
        for _ in range(count):
            at = stream.below(int(ends[-1]))
            ply = int(np.searchsorted(ends, at, side="right"))
            one = self.plies[ply]
            index = at - (int(ends[ply - 1]) if ply else 0)
            bucket = int(np.searchsorted(one.starts, index, side="right")) - 1
            position = self._position(ply, bucket << self._shift | int(one.low[index]))
            if position.outcome() is None:
                yield position

    def open_positions(self, ply: int) -> Iterator[Position]:
        """Yield the positions of a ply that are not over, one of each mirror pair."""
        for key in self.plies[ply].keys(self._shift).tolist():
            position = self._position(ply, key)
            if position.outcome() is None:
                yield position

    def _position(self, ply: int, key: int) -> Position:
        own, opp = decode(key, self._board)
        return Position(self.game, *((opp, own) if ply % 2 else (own, opp)))


def _key_bits(board: Game) -> int:
    return board.columns * board.stride * (1 if board.gravity else 2)


def _shift(board: Game) -> int:
    return 16 if _key_bits(board) <= 38 else 32


def _sides(position: Position) -> tuple[int, int]:
    return (position.second, position.first) if position.to_move else (position.first, position.second)


def most_positions(board: Game) -> int:
    """Return an upper bound on the number of positions: all ways to place alternating stones, lines ignored."""
    ways = [1] + [0] * board.cells
    height, groups = (board.rows, board.columns) if board.gravity else (1, board.cells)
    for _ in range(groups):
        ways = [sum(ways[n - h] for h in range(min(height, n) + 1)) for n in range(board.cells + 1)]
    return sum(count * math.comb(n, n // 2) for n, count in enumerate(ways))


def check_size(board: Game, memory_mb: float | None = None) -> None:
    """Raise `TableError` if a table needs keys of more than 62 bits, or too much memory."""
    bits = _key_bits(board)
    if bits > 62:
        raise TableError(f"{board} is too large for a complete table: its keys have {bits} bits, and the maximum is 62")
    available = machine_mb()
    allowed = memory_mb if memory_mb is not None else math.inf if available is None else SHARE * available
    needed = most_positions(board) / 2 * BYTES / (1 << 20)
    if needed > allowed:
        raise TableError(
            f"{board} may have {most_positions(board):,} positions, which need up to {needed:,.0f} MB of memory, but "
            f"only {allowed:,.0f} MB may be used; choose a smaller board or give --memory-mb"
        )


def build_table(board: Game, *, progress: Progress | None = None, memory_mb: float | None = None) -> CompleteTable:
    """List and score every position of a game. ``progress`` is called with a phase, the ply and the number of plies."""
    check_size(board, memory_mb)
    layers = [np.zeros(1, np.int64)]
    while len(layers[-1]):
        if progress is not None:
            progress("listing", len(layers) - 1, board.cells)
        layers.append(_next_keys(layers[-1], board))
    layers.pop()
    plies: list[Ply] = []
    statistics: list[PlyStatistics] = []
    later = _ply(np.zeros(0, np.int64), np.zeros(0, np.int8), board)
    while layers:
        keys, ply = layers.pop(), len(layers)
        if progress is not None:
            progress("scoring", board.cells - ply, board.cells)
        scores, counts = np.zeros(len(keys), np.int8), np.zeros(2 * OFFSET + 3, np.int64)
        after = later.starts, later.low, later.scores
        only = score_ply(keys, scores, *after, _shift(board), counts, board.layout)
        later = _ply(keys, scores, board)
        plies.append(later)
        statistics.append(_statistics(board, ply, counts, only))
    return CompleteTable(board, plies[::-1], statistics[::-1])


def _next_keys(keys: NDArray[np.int64], board: Game) -> NDArray[np.int64]:
    parts = []
    for start in range(0, len(keys), CHUNK):
        part = keys[start : start + CHUNK]
        children = np.zeros(len(part) * board.moves, np.int64)
        parts.append(_distinct(children[: expand(part, children, board.layout)]))
    return parts[0] if len(parts) == 1 else _distinct(np.concatenate(parts))


def _distinct(keys: NDArray[np.int64]) -> NDArray[np.int64]:
    keys.sort()
    new = np.ones(len(keys), np.bool_)
    new[1:] = keys[1:] != keys[:-1]
    return keys[new]


def _ply(keys: NDArray[np.int64], scores: NDArray[np.int8], board: Game) -> Ply:
    shift = _shift(board)
    buckets = np.arange((1 << max(0, _key_bits(board) - shift)) + 1, dtype=np.int64)
    starts = np.searchsorted(keys, buckets << shift).astype(np.int64)
    return Ply(starts, (keys & ((1 << shift) - 1)).astype(np.uint16 if shift == 16 else np.uint32), scores)


def _statistics(board: Game, ply: int, counts: NDArray[np.int64], only_moves: int) -> PlyStatistics:
    won, full = int(counts[-2]), int(counts[-1])
    scores = counts[:-2]
    wins = np.flatnonzero(scores[OFFSET + 1 :]) + 1
    longest = plies_to_end(board.layout, ply, int(wins[0])) if len(wins) else None
    return PlyStatistics(
        ply,
        positions=int(counts.sum()),
        wins=int(scores[OFFSET + 1 :].sum()),
        draws=int(scores[OFFSET]),
        losses=int(scores[:OFFSET].sum()),
        won=won,
        full=full,
        only_moves=only_moves,
        longest_win=longest,
    )


def write_table(table: CompleteTable, path: Path) -> int:
    """Write a table to a file and return its size in bytes."""
    arrays = [array for ply in table.plies for array in (ply.starts, ply.low, ply.scores)]
    body = [np.ascontiguousarray(array, dtype=array.dtype.newbyteorder("<")).data for array in arrays]
    lengths, statistics = [len(ply.low) for ply in table.plies], [asdict(one) for one in table.statistics]
    return FILE.write(path, table.game, {"lengths": lengths, "statistics": statistics}, body)


def read_table(path: Path, wanted: Game | None = None) -> CompleteTable:
    """Return the table in a file. Raises `TableError` if it is damaged, not a table, or not of the game ``wanted``."""
    manifest, board, body = FILE.read(path, wanted)
    lengths, names = manifest["lengths"], set(PlyStatistics.__dataclass_fields__)
    try:
        statistics = [PlyStatistics(**one) for one in manifest["statistics"] if set(one) == names]
        starts, width = (1 << max(0, _key_bits(board) - _shift(board))) + 1, _shift(board) // 8
        size = sum(8 * starts + (width + 1) * n for n in lengths)
    except TypeError:
        size = -1
    if size != len(body) or len(statistics) != len(lengths) or min(lengths) < 0:
        raise FILE.damaged(path, "its size does not match its manifest")
    at = 0

    def array(dtype: str, count: int) -> NDArray[Any]:
        nonlocal at
        found = np.frombuffer(body, dtype, count, at)
        at += found.nbytes
        return found

    plies = [Ply(array("<i8", starts), array(f"<u{width}", n), array("i1", n)) for n in lengths]
    return CompleteTable(board, plies, statistics)
