"""Node efficiency of entrants whose files let it be counted from outside: the assignment's kit, and CS50's."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from typing import Any

from inarow.agents.file import MOVE_SECONDS
from inarow.arena import Executor, Job, Store
from inarow.arena.executor import Stored, not_stored
from inarow.randomness import derive
from inarow.rules import Game
from inarow.teaching.assignment.efficiency import Efficiency, measure
from inarow.teaching.assignment.exercise import AssignmentError, Solved
from inarow.teaching.assignment.making import draw_exercise
from inarow.teaching.assignment.session import Student
from inarow.teaching.league.entrants import Entrant
from inarow.teaching.league.hand_in import HandIn

POSITIONS = 12
Efficiencies = Mapping[str, Mapping[str, Efficiency]]
"""By entrant and board; only of those whose nodes can be counted."""


@dataclass(frozen=True)
class CountTask:
    """A file whose nodes are to be counted on a board."""

    agent: HandIn
    game: Game
    seed: int
    positions: tuple[Solved, ...]
    seconds: float

    def config(self) -> dict[str, Any]:
        """What decides the result."""
        return {
            "kind": "league nodes",
            "agent": self.agent.identity,
            "game": self.game.name,
            "seed": self.seed,
            "positions": POSITIONS,
            "seconds": self.seconds,
        }

    def job(self) -> Job[Stored]:
        """Return the job of counting them."""
        return Job(do_count, (self,), f"counts the nodes of {self.agent.spec}", self.config())


@cache
def _positions(game: Game, seed: int) -> tuple[Solved, ...]:
    """Solved positions of a board; none of one that is too large, or so small that a search does not matter."""
    try:
        return draw_exercise(game, seed, boards=2, searches=POSITIONS).search
    except AssignmentError:
        return ()


def do_count(task: CountTask) -> Stored:
    """Count the nodes of a file, in a worker."""
    student = Student(task.agent.snapshot, task.agent.policy, task.seconds)
    found = measure(student, task.positions, task.seed)
    return {"found": None if found is None else found.to_json()}, {}


def count_nodes(
    entrants: Sequence[Entrant],
    boards: Sequence[Game],
    seconds: float | None,
    seed: int,
    store: Store,
    executor: Executor,
    on_begin: Callable[[int], None],
    on_done: Callable[[], None],
) -> Efficiencies:
    """Of every entrant on every small board; what is stored is not done again."""
    allowed = MOVE_SECONDS if seconds is None else seconds
    tasks: dict[tuple[str, str], CountTask] = {}
    for board in boards:
        own = derive(seed, "nodes", board.name)
        positions = _positions(board, own)
        for one in entrants:
            if one.agent is not None and positions:
                tasks[one.name, board.name] = CountTask(one.agent, board, own, positions, 5 * allowed)

    missing = not_stored([task.job() for task in tasks.values()], store)
    on_begin(len(missing))
    for _ in executor.store(missing, store):
        on_done()
    found: dict[str, dict[str, Efficiency]] = {}
    for (name, board_name), task in tasks.items():
        kept = (store.measured(task.config()) or {}).get("found")
        if kept is not None:
            found.setdefault(name, {})[board_name] = Efficiency(**kept)
    return found
