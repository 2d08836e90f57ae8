"""What is graded: a board, hidden positions with their exact values, and the points. It is kept as one JSON file."""

from __future__ import annotations

import json
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any

from inarow.errors import InarowError
from inarow.rules import Game, Player, Position, game

VERSION = 1
MARKS = ("X", "O")


class AssignmentError(InarowError):
    """An assignment that can't be made or graded as asked."""


@dataclass(frozen=True)
class Points:
    """For each part; a teacher may change them. A part without points is not asked for."""

    legal_moves: float = 10.0
    end: float = 15.0
    minimax: float = 20.0
    alphabeta: float = 20.0
    cheaper: float = 15.0
    q_update: float = 0.0
    learner: float = 20.0

    @property
    def most(self) -> float:
        """For a perfect solution."""
        return float(sum(asdict(self).values()))

    @property
    def parts(self) -> set[str]:
        """The parts of the kit's files that are asked for."""
        asked = {"rules": self.legal_moves + self.end, "search": self.minimax, "update": self.q_update}
        found = {name for name, points in {**asked, "learner": self.learner}.items() if points}
        return found if "rules" in found else found | {"ready"}


KINDS = {
    "minimax": Points(10, 15, 25, 25, 25, 0, 0),
    "qlearning": Points(0, 0, 0, 0, 0, 40, 60),
    "complete": Points(),
}
"""The points of the exercises that are graded by a grader of their own."""
HEADINGS = {"minimax": "Minimax and alpha–beta", "qlearning": "Q-learning", "complete": "Search and learning"}


@dataclass(frozen=True)
class Solved:
    """A hidden position, solved: its value for X, and the best moves of the side to move."""

    position: Position
    value: int
    best: tuple[int, ...]


@dataclass(frozen=True)
class Exercise:
    """All that a grader must know."""

    game: Game
    seed: int
    rules: tuple[Position, ...]
    """Positions for the first part: decided ones, full boards, and others."""
    search: tuple[Solved, ...]
    points: Points = field(default_factory=Points)
    seconds: float = 10.0
    """Processor time for one call of a function."""
    training: int = 4000
    """Matches that the learner is asked to train for."""
    trials: int = 200
    """Matches against a random player, before training and after."""

    def to_json(self) -> dict[str, Any]:
        """For the file."""
        return {
            "version": VERSION,
            "game": self.game.name,
            "seed": self.seed,
            "points": asdict(self.points),
            "seconds": self.seconds,
            "training": self.training,
            "trials": self.trials,
            "rules": [[one.first, one.second] for one in self.rules],
            "search": [[one.position.first, one.position.second, one.value, list(one.best)] for one in self.search],
        }


def read_exercise(path: Path) -> Exercise:
    """The exercise of a file; raises `AssignmentError` if it is none."""
    try:
        data = json.loads(path.read_text(encoding="utf-8"))
        if data["version"] != VERSION:
            raise AssignmentError(f"{path} is of version {data['version']}, this grader reads {VERSION}; make it again")
        board = game(data["game"])
        return Exercise(
            board,
            int(data["seed"]),
            tuple(Position(board, first, second) for first, second in data["rules"]),
            tuple(
                Solved(Position(board, first, second), int(value), tuple(best))
                for first, second, value, best in data["search"]
            ),
            Points(**data["points"]),
            float(data["seconds"]),
            int(data["training"]),
            int(data["trials"]),
        )
    except OSError as error:
        raise AssignmentError(f"{path} can't be read: {error.strerror}") from None
    except (AttributeError, KeyError, TypeError, ValueError) as error:
        if isinstance(error, AssignmentError):
            raise
        raise AssignmentError(
            f"{path} is not an exercise of `inarow assignment`: {type(error).__name__} {error}"
        ) from None


def board_of(position: Position) -> list[list[str]]:
    """A position as students see it: rows from the top, each cell ``X``, ``O`` or ``.``."""
    return [["." if stone is None else MARKS[stone] for stone in row] for row in position.grid()]


def value_of(position: Position) -> int | None:
    """1 if X has won, −1 if O has won, 0 for a draw; None while the game goes on."""
    outcome = position.outcome()
    if outcome is None:
        return None
    return 0 if outcome.winner is None else (1 if outcome.winner is Player.FIRST else -1)


def line_kind(position: Position) -> str:
    """Return the direction of the line that wins a position, or what a position without a line is."""
    cells = [divmod(cell, position.game.columns) for cell in position.winning_cells()]
    if not cells:
        return "games that go on" if position.outcome() is None else "full boards"
    (row, column), (next_row, next_column) = cells[:2]
    if row == next_row:
        return "rows"
    return "columns" if column == next_column else f"{'falling' if column < next_column else 'rising'} diagonals"


def drawn(position: Position) -> str:
    """A position in a message."""
    return "\n".join("    " + " ".join(row) for row in board_of(position))
