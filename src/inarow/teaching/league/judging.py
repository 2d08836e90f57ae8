"""What is found out about each entrant besides results: what is wrong with its file, and its moves by the exact truth.

Both are done by workers and kept in the store under a hash of all that decides them.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import asdict, dataclass
from functools import cache
from typing import Any, NamedTuple, Protocol, TypeVar

from inarow.agents.file import MOVE_SECONDS
from inarow.arena import Store
from inarow.arena.tasks import do_tasks
from inarow.arena.tournament import config_hash
from inarow.arena.truth import LIMIT, usual_ply
from inarow.arena.workers import Crew
from inarow.limits import Limit
from inarow.match import Pair
from inarow.rules import Game, Position
from inarow.solver import Oracle, Verdict
from inarow.teaching.checking import check_agent
from inarow.teaching.league.entrants import Entrant
from inarow.teaching.league.hand_in import HandIn
from inarow.teaching.league.meetings import Meeting
from inarow.truth import Accuracy, SolvedPositions

PATIENCE = 20.0
"""Seconds that the check of one file takes at most."""
MISTAKES = 6
"""The worst mistakes that are kept of each task."""


@dataclass(frozen=True)
class CheckTask:
    """A file to be checked on a board."""

    agent: HandIn
    game: Game
    limit: Limit

    def config(self) -> dict[str, Any]:
        """What decides the result."""
        limit = {name: value for name, value in asdict(self.limit).items() if value is not None}
        return {"kind": "league check", "agent": self.agent.identity, "game": self.game.name, "limit": limit}


def do_check(task: CheckTask) -> dict[str, Any]:
    """Check a file, in a worker."""
    allowed = MOVE_SECONDS if task.limit.seconds is None else task.limit.seconds
    return check_agent(task.agent, task.game, task.limit, patience=PATIENCE).to_json(allowed)


@dataclass(frozen=True)
class TruthTask:
    """Some pairs of a meeting whose moves are to be graded."""

    meeting: str
    """The hash of the meeting's configuration."""
    game: Game
    first: int
    """The index of the first pair."""
    last: int
    pairs: tuple[Pair, ...] = ()

    @classmethod
    def of(cls, meeting: Meeting, pairs: Sequence[Pair]) -> TruthTask:
        """For the first player of a meeting, in these pairs."""
        return cls(config_hash(meeting.run.config), meeting.game, pairs[0].index, pairs[-1].index, tuple(pairs))

    def config(self) -> dict[str, Any]:
        """What decides the result."""
        return {
            "kind": "league truth",
            "run": self.meeting,
            "pairs": [self.first, self.last],
            "nodes": LIMIT.nodes,
            "from_ply": usual_ply(self.game),
        }


class Mistake(NamedTuple):
    """A move that gave away a win or a draw. Scores are for the side that moved; moves count from 0."""

    drop: int
    """Verdicts lost: 2 from a win to a loss, else 1."""
    regret: int
    pair: int
    swapped: int
    at: int
    """The index of the move, after the opening."""
    move: int
    best: tuple[int, ...]
    score: int
    best_score: int


@cache
def _oracle(game: Game) -> Oracle:
    return Oracle(game)


def do_truth(task: TruthTask) -> dict[str, Any]:
    """Grade the moves of the first player, in a worker."""
    oracle = _oracle(task.game)
    oracle.forget()  # what was solved before must not decide what is solved within the limit
    solved = SolvedPositions(task.game, LIMIT, oracle=oracle)
    least = usual_ply(task.game)
    accuracy = Accuracy()
    mistakes: list[Mistake] = []
    for pair in task.pairs:
        for record, seat in pair.matches():
            position = Position.start(record.game, record.opening)
            for index, move in enumerate(record.moves):
                if position.to_move is seat and position.ply >= least:
                    graded = solved.grade(position, move)
                    accuracy.add(graded)
                    if graded is not None and graded.blunder:
                        scores = solved.scores(position) or {}
                        best = tuple(m for m, score in sorted(scores.items()) if score == graded.best)
                        drop = int(Verdict.of(graded.best)) - int(Verdict.of(graded.score))
                        place = (pair.index, int(seat), index)
                        mistakes.append(Mistake(drop, graded.regret, *place, move, best, graded.score, graded.best))
                position = position.play(move)
    mistakes.sort(key=lambda one: (-one.drop, -one.regret, one.pair, one.swapped, one.at))
    return {"accuracy": accuracy.to_json(), "mistakes": [one._asdict() for one in mistakes[:MISTAKES]]}


class Task(Protocol):
    """Something to be done once."""

    def config(self) -> dict[str, Any]:
        """What decides the result."""


AnyTask = TypeVar("AnyTask", bound=Task)


def not_stored(tasks: Iterable[AnyTask], store: Store) -> list[AnyTask]:
    """Return the tasks without a stored result; of several with the same configuration, one."""
    distinct = {config_hash(task.config()): task for task in tasks}
    return [task for task in distinct.values() if store.measured(task.config()) is None]


CheckTasks = dict[tuple[str, str], CheckTask]
"""By the name of an entrant and of a board."""


def check_tasks(entrants: Sequence[Entrant], boards: Sequence[Game], limit: Limit) -> CheckTasks:
    """Return the check of every file on every board."""
    return {
        (one.name, board.name): CheckTask(one.agent, board, limit)
        for one in entrants
        if one.agent is not None
        for board in boards
    }


def check_files(
    tasks: CheckTasks, store: Store, crew: Crew, on_done: Callable[[], None]
) -> dict[str, dict[str, dict[str, Any]]]:
    """Check files; returns what was found by entrant and board. What is stored is not done again."""
    missing = iter(not_stored(tasks.values(), store))
    dies = "a worker process dies whenever it checks {}; finished checks are kept"
    for task, answer in do_tasks(crew, do_check, lambda: next(missing, None), lambda one: dies.format(one.agent.spec)):
        timing = answer.pop("timing")
        store.keep_measured(task.config(), answer, timing)
        on_done()
    found: dict[str, dict[str, dict[str, Any]]] = {}
    for (name, board), task in tasks.items():
        found.setdefault(name, {})[board] = store.measured(task.config()) or {}
    return found


def grade_moves(tasks: Sequence[TruthTask], store: Store, crew: Crew, on_done: Callable[[], None]) -> None:
    """Have moves graded."""
    left = iter(not_stored(tasks, store))
    dies = "a worker process dies whenever it grades one meeting on {}; finished ones are kept"
    for task, answer in do_tasks(crew, do_truth, lambda: next(left, None), lambda one: dies.format(one.game)):
        store.keep_measured(task.config(), answer, {})
        on_done()


def graded(task: TruthTask, store: Store) -> tuple[Accuracy, list[Mistake]] | None:
    """What is stored about the moves of a meeting's first player in these pairs."""
    found = store.measured(task.config())
    if found is None:
        return None
    mistakes = [Mistake(**{**one, "best": tuple(one["best"])}) for one in found["mistakes"]]
    return Accuracy.from_json(found["accuracy"]), mistakes
