"""Solved positions as lines of a text file, ``key score checksum``: what a damaged line says is never believed."""

from __future__ import annotations

import zlib
from collections.abc import Iterator

from inarow.rules import Game


def score_line(game: Game, key: int, score: int) -> str:
    """The line of a score, with its end."""
    return f"{key} {score} {_checksum(game, key, score):08x}\n"


def parse_score_lines(game: Game, text: str) -> Iterator[tuple[int, int] | None]:
    """For each line its key and score; None if it is damaged, cut short, or of another game."""
    for line in text.splitlines(keepends=True):
        parts = line.split(" ")
        numbers = len(parts) == 3 and len(line) < 50 and parts[0].isdigit() and parts[1].removeprefix("-").isdigit()
        if numbers and line == score_line(game, int(parts[0]), int(parts[1])):
            yield int(parts[0]), int(parts[1])
        else:
            yield None


def _checksum(game: Game, key: int, score: int) -> int:
    return zlib.crc32(f"{game.name} {key} {score}".encode())
