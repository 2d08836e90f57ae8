"""bitbully, an independent solver of Connect 4, asked about our positions."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import bitbully.bitbully_core as bitbully
from bitbully_databases import BitBullyDatabases

from inarow.rules import Position


def rival_solver(*, book: bool) -> Any:
    """The solver; its one exact book holds every position of up to 12 plies."""
    if not book:
        return bitbully.BitBullyCore()
    return bitbully.BitBullyCore(Path(BitBullyDatabases.get_database_path("12-ply-dist")))


def rival_score(position: Position, solver: Any) -> int:
    """Its score for the side to move."""
    stones = [[0] * 6 for _ in range(7)]
    for row, line in enumerate(position.grid()):
        for column, stone in enumerate(line):
            stones[column][5 - row] = 0 if stone is None else 1 + stone
    board = bitbully.BoardCore()
    assert board.setBoard(stones)
    return int(solver.mtdf(board, 0))
