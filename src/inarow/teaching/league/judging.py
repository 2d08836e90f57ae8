"""What is found out about each entrant besides results: what is wrong with its file, and its moves by the exact truth.

Both are done by workers and kept in the store under a hash of all that decides them.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import asdict, dataclass
from functools import cache
from typing import Any, NamedTuple

from inarow.agents.file import MOVE_SECONDS
from inarow.arena import Executor, Job, Store
from inarow.arena.executor import Stored
from inarow.arena.results import GRADING_LIMIT, usual_ply
from inarow.arena.tournament import config_hash
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

    def job(self) -> Job[Stored]:
        """Return the job of checking it."""
        return Job(do_check, (self,), f"checks {self.agent.spec}", self.config())


def do_check(task: CheckTask) -> Stored:
    """Check a file, in a worker."""
    allowed = MOVE_SECONDS if task.limit.seconds is None else task.limit.seconds
    found = check_agent(task.agent, task.game, task.limit, patience=PATIENCE).to_json(allowed)
    return found, found.pop("timing")


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
            "nodes": GRADING_LIMIT.nodes,
            "from_ply": usual_ply(self.game),
        }

    def job(self) -> Job[Stored]:
        """Return the job of grading them."""
        return Job(do_truth, (self,), f"grades one meeting on {self.game}", self.config())


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


def do_truth(task: TruthTask) -> Stored:
    """Grade the moves of the first player, in a worker."""
    oracle = _oracle(task.game)
    oracle.forget()  # what was solved before must not decide what is solved within the limit
    solved = SolvedPositions(task.game, GRADING_LIMIT, oracle=oracle)
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
    return {"accuracy": accuracy.to_json(), "mistakes": [one._asdict() for one in mistakes[:MISTAKES]]}, {}


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
    tasks: CheckTasks, store: Store, executor: Executor, on_done: Callable[[], None]
) -> dict[str, dict[str, dict[str, Any]]]:
    """Check files; return what was found by entrant and board. What is stored is not done again."""
    for _ in executor.store((task.job() for task in tasks.values()), store):
        on_done()
    found: dict[str, dict[str, dict[str, Any]]] = {}
    for (name, board), task in tasks.items():
        found.setdefault(name, {})[board] = store.measured(task.config()) or {}
    return found


def graded(task: TruthTask, store: Store) -> tuple[Accuracy, list[Mistake]] | None:
    """What is stored about the moves of a meeting's first player in these pairs."""
    found = store.measured(task.config())
    if found is None:
        return None
    mistakes = [Mistake(**{**one, "best": tuple(one["best"])}) for one in found["mistakes"]]
    return Accuracy.from_json(found["accuracy"]), mistakes
