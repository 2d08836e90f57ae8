"""Solved positions in the user's cache folder, so that the same early position is not solved twice.

One file per game, with lines ``key score checksum``, for positions of up to 16 plies. Only a cache opened with
``write`` appends to it, until it is full.
"""

from __future__ import annotations

import contextlib
import zlib
from collections.abc import Iterator
from pathlib import Path

from inarow.paths import cache_folder, read_only_cache
from inarow.rules import Game, Position

PLIES = 16
MAX_POSITIONS = 200_000
"""Maximum number of positions in a file, about 6 MB."""
_MAX_BYTES = 50 * MAX_POSITIONS


class Cache:
    """Cached scores of one game. Damaged lines and unreadable files are ignored."""

    name = "cache"

    def __init__(self, game: Game, path: Path | None = None, *, write: bool = False) -> None:
        self.game = game
        name = f"{game.name}.txt"
        shared = read_only_cache("solved") if path is None else None
        self.path = path if path is not None else cache_folder("solved") / name
        self.write = write
        self._known: dict[int, int] = {}
        for source in (self.path, *([] if shared is None else [shared / name])):
            self._read(source)

    def _read(self, path: Path) -> None:
        with contextlib.suppress(OSError):
            if path.is_file():
                with path.open(encoding="ascii", errors="replace", newline="\n") as file:
                    self._known.update(one for one in parse_score_lines(self.game, file.read(_MAX_BYTES)) if one)

    def __len__(self) -> int:
        return len(self._known)

    def get(self, position: Position) -> int | None:
        """Return the score of a position if it is cached, else None."""
        return self._known.get(position.canonical_key()) if position.ply <= PLIES else None

    def put(self, position: Position, score: int) -> None:
        """Store a score, also in the file if opened with ``write``; stop writing if the file can't be written."""
        if position.ply > PLIES or len(self._known) >= MAX_POSITIONS:
            return
        key = position.canonical_key()
        if key in self._known:
            return
        self._known[key] = score
        if self.write:
            try:
                with self.path.open("a", encoding="ascii", newline="\n") as file:
                    file.write(score_line(self.game, key, score))
            except OSError:  # full disk: keep the scores in memory
                self.write = False


def score_line(game: Game, key: int, score: int, *, verdict: bool = False) -> str:
    """Return the line for a score or verdict, with its newline."""
    return f"{key} {score} {_checksum(game, key, score, verdict):08x}\n"


def parse_score_lines(game: Game, text: str, *, verdicts: bool = False) -> Iterator[tuple[int, int] | None]:
    """Yield each line's key and score or verdict; None for damaged or truncated lines and other games or kinds."""
    for line in text.splitlines(keepends=True):
        parts = line.split(" ")
        numbers = len(parts) == 3 and len(line) < 50 and parts[0].isdigit() and parts[1].removeprefix("-").isdigit()
        if numbers and line == score_line(game, int(parts[0]), int(parts[1]), verdict=verdicts):
            yield int(parts[0]), int(parts[1])
        else:
            yield None


def _checksum(game: Game, key: int, score: int, verdict: bool) -> int:
    return zlib.crc32(f"{game.name} {key} {score}{' verdict' if verdict else ''}".encode())
