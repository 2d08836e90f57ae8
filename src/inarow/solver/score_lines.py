"""Solved positions as lines of a text file, ``key score checksum``: what a damaged line says is never believed.

The checksum covers the game, and whether the lines hold scores or verdicts: neither is taken for the other.
"""

from __future__ import annotations

import zlib
from collections.abc import Iterator

from inarow.rules import Game


def score_line(game: Game, key: int, score: int, *, verdict: bool = False) -> str:
    """The line of a score, or of a verdict, with its end."""
    return f"{key} {score} {_checksum(game, key, score, verdict):08x}\n"


def parse_score_lines(game: Game, text: str, *, verdicts: bool = False) -> Iterator[tuple[int, int] | None]:
    """For each line its key and score, or verdict; None if it is damaged, cut short, or of another game or kind."""
    for line in text.splitlines(keepends=True):
        parts = line.split(" ")
        numbers = len(parts) == 3 and len(line) < 50 and parts[0].isdigit() and parts[1].removeprefix("-").isdigit()
        if numbers and line == score_line(game, int(parts[0]), int(parts[1]), verdict=verdicts):
            yield int(parts[0]), int(parts[1])
        else:
            yield None


def _checksum(game: Game, key: int, score: int, verdict: bool) -> int:
    return zlib.crc32(f"{game.name} {key} {score}{' verdict' if verdict else ''}".encode())
