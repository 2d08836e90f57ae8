"""Solved positions kept in the user's cache, so that the same early position is not solved twice.

A file of lines ``key score``, for one game, of positions of up to 16 plies. One writer: the process that opened it to
write; others only read. Bounded: when it is full, it keeps what it has.
"""

from __future__ import annotations

from pathlib import Path

from inarow.paths import cache_folder
from inarow.rules import Game, Position

PLIES = 16
MOST = 200_000
"""Positions in one file at most, about 4 MB."""


class Cache:
    """The scores of one game that were found before; a line that can't be read is left out."""

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
        """The score of a position, if it is known."""
        return self._known.get(position.canonical_key()) if position.ply <= PLIES else None

    def put(self, position: Position, score: int) -> None:
        """Keep a score, on disk too if this is the writer."""
        if position.ply > PLIES or len(self._known) >= MOST:
            return
        key = position.canonical_key()
        if key in self._known:
            return
        self._known[key] = score
        if self.write:
            with self.path.open("a", encoding="ascii") as file:
                file.write(f"{key} {score}\n")
