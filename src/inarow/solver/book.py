"""Opening books: exact values of all early positions, one of each mirror pair, in a small file with a checksum.

A book holds exact scores or, for more plies, verdicts: win, draw or loss. It has the positions that are not over and
that the side to move does not win with its next stone; a book of verdicts also has, one ply later, a reply to each of
its last positions that keeps the verdict (none for lost positions). A position is looked up by the smaller of its key
and its mirror image's key. The file is one line of JSON (the manifest) and a compressed body: the keys in
ascending order as differences, then one byte per score.
"""

from __future__ import annotations

import array
import lzma
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property, lru_cache
from importlib import resources
from pathlib import Path

import numpy as np

from inarow.bits import BitLayout
from inarow.errors import InarowError
from inarow.kernels.solver import analyse
from inarow.rules import Game, Position
from inarow.solver.files import FileKind

SCORES, VERDICTS = "scores", "verdicts"
"""Kinds of books."""
MAX_POSITIONS = 16_000_000
"""Maximum number of positions in a book; a larger file is rejected before it is unpacked."""
_MEMORY = 256 << 20
"""Bytes of working memory for unpacking."""


class BookError(InarowError):
    """The file is damaged, or not a book of this game."""


FILE = FileKind("book", BookError, {"plies": int, "positions": int}, version=1)


def folded_key(position: Position) -> int:
    """Return the smaller of the keys of a position with gravity and of its mirror image."""
    return analyse.folded_key(position.game.layout, position.own, position.opp)


def stones_of_key(layout: BitLayout, key: int) -> int:
    """Return the number of stones of a position, or of its mirror image, with this key."""
    columns = (key >> layout.stride * column & (1 << layout.stride) - 1 for column in range(layout.columns))
    return sum((column + 1).bit_length() - 1 for column in columns)


@dataclass(frozen=True)
class Book:
    """The scores, or verdicts, of all positions of a game up to ``plies`` plies."""

    game: Game
    plies: int
    keys: Sequence[int]
    """64-bit integers in ascending order."""
    values: bytes
    """The score of each key, or its verdict (−1, 0 or 1), plus 128."""
    verdicts: bool = False

    @cached_property
    def record(self) -> analyse.BookTable:
        """Return the book as kernels read it; a book of verdicts has positions of one more ply."""
        keys, values = np.array(self.keys, np.int64), np.frombuffer(self.values, np.uint8).copy()
        return analyse.new_book(keys, values, 0, self.plies + self.verdicts)

    def get(self, position: Position) -> int | None:
        """Return the score or verdict of a position, or None if the book lacks it."""
        at = analyse.find(self.record, self.game.layout, position.own, position.opp)
        return self.values[at] - 128 if at >= 0 else None


def make_book(board: Game, plies: int, scores: Mapping[int, int], verdicts: bool = False) -> Book:
    """Make a book from scores or verdicts by folded key."""
    keys = array.array("q", sorted(scores))
    return Book(board, plies, keys, bytes(scores[key] + 128 for key in keys), verdicts)


def write_book(book: Book, path: Path) -> None:
    """Write the file, and read it back to verify it."""
    keys = np.array(book.keys, dtype=np.int64)
    steps = np.diff(keys, prepend=0).astype("<i8").view(np.uint8).reshape(-1, 8).T.tobytes()
    holds = VERDICTS if book.verdicts else SCORES
    entries = {"plies": book.plies, "holds": holds, "positions": len(book.keys)}
    FILE.write(path, book.game, entries, [lzma.compress(steps + book.values, preset=9 | lzma.PRESET_EXTREME)])
    if read_book(path) != book:
        raise BookError(f"{path} differs from the written data when read back; the disk may be faulty")


def read_book(path: Path, wanted: Game | None = None) -> Book:
    """Read a book. Raises `BookError` if the file is damaged, not a book, or not of the game ``wanted``."""
    manifest, board, body = FILE.read(path, wanted, 9 * MAX_POSITIONS)
    plies, count, holds = manifest["plies"], manifest["positions"], manifest.get("holds", SCORES)
    if holds not in (SCORES, VERDICTS):
        raise BookError(f"the manifest of the book {path} holds {holds!r:.40}, not {SCORES} or {VERDICTS}")
    for name, number, most in (("plies", plies, board.cells), ("positions", count, MAX_POSITIONS)):
        if not 0 <= number <= most:
            raise BookError(f"the manifest of the book {path} has {name} {number!r:.40}, not 0 to {most:,}")
    raw = _unpacked(path, body, 9 * count)
    steps = np.frombuffer(raw[: 8 * count], dtype=np.uint8).reshape(8, -1).T.copy().view("<i8").ravel()
    keys, values = np.cumsum(steps, dtype=np.int64), np.frombuffer(raw[8 * count :], dtype=np.uint8)
    if (steps[1:] <= 0).any() or (keys < 0).any() or (keys[1:] <= keys[:-1]).any():
        raise FILE.damaged(path, "its keys are not in ascending order")
    if (np.abs(values.astype(np.int64) - 128) > (1 if holds == VERDICTS else (board.cells + 1) // 2)).any():
        raise FILE.damaged(path, f"it has scores that {board} can't have")
    return Book(board, plies, array.array("q", keys.tobytes()), values.tobytes(), verdicts=holds == VERDICTS)


def _unpacked(path: Path, body: bytes, size: int) -> bytes:
    """Unpack a body, which must have exactly this size; never allocates more."""
    try:
        unpacking = lzma.LZMADecompressor(lzma.FORMAT_XZ, memlimit=_MEMORY)
        raw = unpacking.decompress(body, max_length=size + 1)
    except (lzma.LZMAError, EOFError) as error:
        raise BookError(f"the book {path} can't be unpacked: {error}") from None
    if len(raw) != size or not unpacking.eof or unpacking.unused_data:
        raise FILE.damaged(path, "it does not hold the positions that its manifest says")
    return raw


def shipped_book(board: Game, holds: str = SCORES) -> Path | None:
    """Return the file of the shipped book of scores or verdicts of this game, or None."""
    ending = "book" if holds == SCORES else VERDICTS
    path = Path(str(resources.files("inarow"))) / "data" / "books" / f"{board.name}.{ending}"
    return path if path.exists() else None


@lru_cache(maxsize=4)
def open_book(path: Path, board: Game) -> Book:
    """Read the book of this game in a file, once per process."""
    return read_book(path, board)
