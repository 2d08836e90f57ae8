"""Exact evaluations and mistakes, for an interface to show.

The solver is imported where it is used: loading it takes time, and a window opens before that.
"""

from __future__ import annotations

import csv
import functools
import threading
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from importlib.resources import files
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple, TypeAlias

from inarow.errors import InarowError
from inarow.limits import Limit
from inarow.paths import write_text
from inarow.play.session import BackgroundTask, Runner, join, start_thread
from inarow.rules import CONNECT4, Game, Position, format_moves, parse_moves
from inarow.stopping import SYSTEM_CLOCK, Stop

if TYPE_CHECKING:
    from inarow.solver import Bounds, Oracle


PATIENCE = 2.0
"""Seconds for one position; after that, what has been proven so far is shown."""

MoveBounds: TypeAlias = "Mapping[int, Bounds]"
"""The proven bounds of the score of each legal move, for the side to move."""

Judge: TypeAlias = "Callable[[Position, Stop], MoveBounds | None]"
"""Evaluates a position; returns None if it can't, or was stopped."""


@dataclass(frozen=True)
class Blunder:
    """A move that gave away a win or a draw."""

    index: int
    """The number of the move in the match, from 0."""
    position: Position
    """Before the move."""
    move: int
    before: int
    """The best score that is proven for any move, for the side that moved."""
    after: int
    """The best score that is possible after the move."""
    best: tuple[int, ...]
    """The moves that would have kept the verdict."""


def whole(truth: MoveBounds) -> tuple[int, int]:
    """Return the bounds of a position's score, given those of its moves."""
    return max(bounds.low for bounds in truth.values()), max(bounds.high for bounds in truth.values())


def blunders(
    game: Game, opening: Sequence[int], moves: Sequence[int], known: Callable[[Position], MoveBounds | None]
) -> list[Blunder]:
    """Return the moves of a match that provably gave away a win or a draw."""
    from inarow.truth import grade_move

    found = []
    position = Position.start(game, opening)
    for index, move in enumerate(moves):
        truth = known(position)
        if truth:  # upper bound of the move, lower bounds of the others; they are equal where all is solved
            scores = {other: bounds.high if other == move else bounds.low for other, bounds in truth.items()}
            graded = grade_move(position, move, scores)
            if graded.blunder:
                keep = tuple(other for other in scores if grade_move(position, other, scores).keeps_verdict)
                found.append(Blunder(index, position, move, graded.best, graded.score, keep))
        position = position.play(move)
    return found


def review_match(
    oracle: Oracle, moves: Sequence[int], seconds: float, first: int = 0, stop: Stop | None = None
) -> dict[str, Any]:
    """Grade the moves of a match from the ply ``first`` on, from the end back, within a time limit."""
    from inarow.solver import Unsolved
    from inarow.truth.accuracy import review

    end = SYSTEM_CLOCK.now() + seconds

    def scores_of(position: Position) -> dict[int, int] | None:
        left = end - SYSTEM_CLOCK.now()
        if left <= 0 or (stop is not None and stop.is_set()):
            return None
        try:
            return oracle.scores(position, Limit(seconds=left), stop=stop)
        except Unsolved:
            return None

    return review(oracle.game, moves, scores_of, first)


class Insight:
    """Judges positions in the background, one after the other, and keeps the results."""

    def __init__(self, judge: Judge, *, run: Runner = start_thread, wake: Callable[[], None] = lambda: None) -> None:
        self._judge = judge
        self._run = run
        self._wake = wake
        self._known: dict[Position, MoveBounds | None] = {}
        self._wanted: list[Position] = []
        self._asked: tuple[Position, BackgroundTask[MoveBounds | None]] | None = None
        self._tasks: list[BackgroundTask[MoveBounds | None]] = []
        """All tasks that may still run, for `close` to wait for."""

    def known(self, position: Position) -> MoveBounds | None:
        """Return the known bounds of a position, or None."""
        return self._known.get(position)

    def failed(self, position: Position) -> bool:
        """Return True if the judge was asked and had no answer."""
        return position in self._known and self._known[position] is None

    @property
    def count(self) -> int:
        """The number of judged positions."""
        return len(self._known)

    @property
    def busy(self) -> bool:
        """True if an answer is still to come."""
        return self._asked is not None

    def want(self, positions: Sequence[Position]) -> None:
        """Judge these positions, in this order, instead of those requested before."""
        self._wanted = [one for one in positions if one not in self._known and one.outcome() is None]
        if self._asked is not None and self._asked[0] not in self._wanted:
            self._asked[1].cancel()
            self._asked = None
        self._next()

    def update(self) -> bool:
        """Collect a new answer; return whether there is one."""
        if self._asked is None or not self._asked[1].done:
            return False
        position, result = self._asked[0], self._asked[1].result
        self._known[position] = None if isinstance(result, Exception) else result
        self._asked = None
        self._next()
        return True

    def close(self, seconds: float = 0.5) -> None:
        """Stop judging."""
        self.want([])
        join(self._tasks, seconds)

    def _next(self) -> None:
        self._wanted = [one for one in self._wanted if one not in self._known]
        if self._asked is None and self._wanted:
            position = self._wanted[0]
            task = BackgroundTask(lambda stop: self._judge(position, stop), run=self._run, wake=self._wake)
            self._asked = position, task
            self._tasks = [*(one for one in self._tasks if one.running), task]


def find_judge(game: Game, patience: float = PATIENCE) -> Judge:
    """Return the solver as a judge, with at most ``patience`` seconds per position."""
    from inarow.solver import Oracle

    oracle = Oracle(game)
    lock = threading.Lock()  # one position at a time; a stopped search ends soon

    def judge(position: Position, stop: Stop) -> MoveBounds | None:
        with lock:
            found = oracle.analyse(position, Limit(seconds=patience), stop=stop)
        return None if stop.is_set() else found.moves

    return judge


PUZZLES = Path(str(files("inarow"))) / "data" / "puzzles" / "connect4.csv"

LEVELS = {1: (2, 2), 2: (3, 3), 3: (4, 5), 4: (6, 8), 5: (9, 21)}
"""The minimum and maximum number of own moves until the win, for each level."""


class PuzzleError(InarowError):
    """The file of puzzles can't be read."""


class Puzzle(NamedTuple):
    """A position with one winning move."""

    moves: tuple[int, ...]
    answer: int
    length: int
    """Own moves until the win, against best defence."""

    @property
    def level(self) -> int:
        """Its difficulty, from 1 to 5."""
        return next(level for level, (least, most) in LEVELS.items() if least <= self.length <= most)

    @property
    def position(self) -> Position:
        """The position to solve."""
        return Position.start(CONNECT4, self.moves)


@functools.cache
def shipped_puzzles() -> tuple[Puzzle, ...]:
    """Return the puzzles that ship with inarow."""
    return tuple(read_puzzles(PUZZLES))


def read_puzzles(path: Path) -> list[Puzzle]:
    """Read a file of puzzles. Raises PuzzleError, with the line, if one is damaged."""
    puzzles = []
    with path.open(encoding="utf-8", newline="") as file:
        for number, row in enumerate(csv.DictReader(file), start=2):
            try:
                puzzle = Puzzle(parse_moves(CONNECT4, row["moves"]), int(row["answer"]) - 1, int(row["length"]))
                if puzzle.answer not in puzzle.position.legal_moves():
                    raise ValueError
            except (KeyError, TypeError, ValueError, InarowError):
                raise PuzzleError(f"{path}, line {number}: expected moves, a legal answer and a length") from None
            puzzles.append(puzzle)
    return puzzles


def write_puzzles(puzzles: Sequence[Puzzle], path: Path) -> None:
    """Write puzzles as CSV; moves count from 1 there, as people write them."""
    rows = [f"{format_moves(CONNECT4, one.moves)},{one.answer + 1},{one.length}" for one in puzzles]
    write_text(path, "\n".join(["moves,answer,length", *rows, ""]))
