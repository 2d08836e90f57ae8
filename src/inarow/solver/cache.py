"""Solved positions in the user's cache folder, so that the same early position is not solved twice.

One file per game, with lines ``key score``, for positions of up to 16 plies. Only a cache opened with ``write`` appends
to it. A full cache takes no more.
"""

from __future__ import annotations

from pathlib import Path

from inarow.paths import cache_folder
from inarow.rules import Game, Position

PLIES = 16
MOST = 200_000
"""Most positions in one file, about 4 MB."""


class Cache:
    """Cached scores of one game; lines that can't be read are ignored."""

    name = "cache"

    def __init__(self, game: Game, path: Path | None = None, *, write: bool = False) -> None:
        self.path = path if path is not None else cache_folder("solved") / f"{game.name}.txt"
        self.write = write
        self._known: dict[int, int] = {}
        most = (game.cells + 1) // 2
        if self.path.exists():
            for line in self.path.read_text(encoding="ascii", errors="replace").split("\n")[:-1]:
                key, _, score = line.partition(" ")
                if key.isdigit() and score.lstrip("-").isdigit() and abs(int(score)) <= most:
                    self._known[int(key)] = int(score)

    def __len__(self) -> int:
        return len(self._known)

    def get(self, position: Position) -> int | None:
        """The score of a position, if it is cached."""
        return self._known.get(position.canonical_key()) if position.ply <= PLIES else None

    def put(self, position: Position, score: int) -> None:
        """Keep a score, in the file too if opened with ``write``."""
        if position.ply > PLIES or len(self._known) >= MOST:
            return
        key = position.canonical_key()
        if key in self._known:
            return
        self._known[key] = score
        if self.write:
            with self.path.open("a", encoding="ascii") as file:
                file.write(f"{key} {score}\n")
