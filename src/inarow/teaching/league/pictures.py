"""Boards on the site: a mistake as a picture, and the three pictures of a board that a replay is put together from.

A replay shows the empty board; each stone is a cut-out of a picture in which every cell holds one. So there is one
drawing of a board, that of `drawing.svg`.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from inarow.drawing import board as geometry
from inarow.drawing.svg import MARGIN, Label, draw_svg
from inarow.match import Pair
from inarow.rules import Game, Position, format_move, format_moves
from inarow.solver import Verdict
from inarow.teaching.league.judging import Mistake

CELL = 40
"""The side of a cell in pixels."""
_WORDS = {Verdict.WIN: "a win", Verdict.DRAW: "a draw", Verdict.LOSS: "a loss"}


@dataclass(frozen=True)
class _Filled:
    """A board with one player's stone in every cell, or none."""

    game: Game
    player: int | None

    def grid(self) -> Sequence[Sequence[int | None]]:
        return [[self.player] * self.game.columns for _ in range(self.game.rows)]

    def winning_cells(self) -> Sequence[int]:
        return ()

    def describe(self) -> str:
        return f"A board of {self.game.title}"


def replay_pictures(game: Game) -> dict[str, str]:
    """The pictures that replays on this board need, by file name."""
    kinds = {"empty": None, "first": 0, "second": 1}
    return {f"{game.name}-{name}.svg": draw_svg(_Filled(game, player), cell=CELL) for name, player in kinds.items()}


def replay_geometry(game: Game) -> dict[str, Any]:
    """Where the cells are in those pictures, in pixels."""
    edge = MARGIN + (geometry.FRAME if game.gravity else 0.0)
    return {"columns": game.columns, "cell": CELL, "edge": round(edge * CELL, 3)}


def cells_of(game: Game, moves: Sequence[int]) -> list[int]:
    """The cell that each move of a match fills, row by row from the top left."""
    if not game.gravity:
        return list(moves)
    heights = [0] * game.columns
    cells = []
    for column in moves:
        heights[column] += 1
        cells.append((game.rows - heights[column]) * game.columns + column)
    return cells


def mistake_picture(opponent: str, pair: Pair, mistake: Mistake) -> dict[str, str]:
    """The position of a mistake with the better moves marked, and what happened in words."""
    record = pair.matches()[mistake.swapped][0]
    moves = record.all_moves[: len(record.opening) + mistake.at]
    position = Position.start(record.game, moves)
    labels = {mistake.move: Label("✗", "bad"), **{move: Label("✓", "good") for move in mistake.best}}
    picture = draw_svg(position, last=moves[-1] if moves else None, labels=labels, marked=mistake.best, cell=30)
    better = " or ".join(format_move(move) for move in mistake.best)
    before, after = (_WORDS[Verdict.of(score)] for score in (mistake.best_score, mistake.score))
    played = format_moves(record.game, moves) or "no move"
    return {
        "picture": picture,
        "text": f"Played {format_move(mistake.move)}; {better} was better: {before} became {after}.",
        "where": f"as {'XO'[position.to_move]} against {opponent}, after {played}",
    }
