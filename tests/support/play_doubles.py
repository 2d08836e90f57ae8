"""What the tests of a session put in the place of threads, clocks and agents."""

from __future__ import annotations

import contextlib
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field

from inarow.agents import Agent, Decision, Limit, Mind
from inarow.agents.parameters import string
from inarow.rules import Game, Player, Position
from inarow.stopping import Clock, Stop


class ManualClock(Clock):
    """A clock that stands still until it is moved on."""

    def __init__(self) -> None:
        self.time = 0.0

    def now(self) -> float:
        return self.time

    @contextlib.contextmanager
    def alarm(self, seconds: float | None, stop: Stop) -> Iterator[None]:
        yield


class ManualRunner:
    """Keeps tasks until it is told to run one."""

    def __init__(self) -> None:
        self.tasks: list[Callable[[], None]] = []

    def __call__(self, task: Callable[[], None]) -> None:
        self.tasks.append(task)

    def run(self, index: int = 0) -> None:
        self.tasks.pop(index)()

    def run_all(self) -> None:
        while self.tasks:
            self.run()


@dataclass(frozen=True)
class Scripted(Agent):
    """Plays the lowest legal move (or the highest, fails, …) and says for which position."""

    name = "scripted"
    summary = "for tests"
    way: str = string("lowest", "lowest, highest, illegal, crash, or late: fails from the third ply on")

    def mind(self, game: Game, player: Player, seed: int) -> Mind:
        return ScriptedMind(self.way)


@dataclass(frozen=True)
class Needy(Scripted):
    """Can't be made without a value."""

    name = "broken"
    skill: float = field(kw_only=True)


@dataclass(frozen=True)
class Opaque(Scripted):
    """Has a field that no spec can hold."""

    name = "broken"
    network: object = None


class ScriptedMind(Mind):
    closed = 0

    def __init__(self, way: str) -> None:
        self.way = way

    def think(self, position: Position, limit: Limit, stop: Stop | None) -> Decision:
        cancelled = stop is not None and stop.is_set()
        about = {"asked": (position.first, position.second), "cancelled": cancelled}
        moves = position.legal_moves()
        if self.way == "crash" or (self.way == "late" and position.ply >= 2):
            raise RuntimeError("the mind has gone blank")
        if self.way == "illegal":
            return Decision(position.game.moves + 5, details=about)
        return Decision(moves[-1 if self.way == "highest" else 0], value=0.25, nodes=len(moves), details=about)

    def close(self) -> None:
        ScriptedMind.closed += 1
