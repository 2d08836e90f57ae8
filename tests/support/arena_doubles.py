"""Agents that misbehave on purpose, and short ways to play a tournament in a test."""

from __future__ import annotations

import os
import signal
import threading
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from inarow.agents import Agent, Decision, Limit, Mind, agent
from inarow.agents.parameters import file, string
from inarow.arena import Results, Running, Store, Tournament, load, open_executor, results_json
from inarow.arena.executor import InProcess, Job, Task, WorkerDied
from inarow.match import parse_openings
from inarow.rules import CONNECT4, Game, Player, Position
from inarow.stopping import Clock, Stop


class _LateClock(Clock):
    """Ten seconds pass each time one looks."""

    time = 0.0

    def now(self) -> float:
        self.time += 10.0
        return self.time


def _raises(position: Position) -> Any:
    raise RuntimeError("no idea")


class OddError(Exception):
    """Can be pickled, but not made again."""

    def __init__(self, one: str, two: str) -> None:
        super().__init__(f"{one} and {two}")


def _raises_oddly(position: Position) -> Any:
    raise OddError("one", "two")


def _exits(position: Position) -> Any:
    raise SystemExit(3)


DEEDS: dict[str, Callable[[Position], Any]] = {
    "raises": _raises,
    "raises oddly": _raises_oddly,
    "exits": _exits,
    "illegal": lambda position: Decision(99),
    "none": lambda position: None,
    "no move": lambda position: Decision(None),  # type: ignore[arg-type]
    "nonsense": lambda position: "the middle one",
    "bad nodes": lambda position: Decision(position.legal_moves()[0], nodes="many"),  # type: ignore[arg-type]
    "slow": lambda position: Decision(position.legal_moves()[0]),
    "lowest": lambda position: Decision(position.legal_moves()[0]),
    "kills itself": lambda position: os.kill(os.getpid(), signal.SIGKILL),
}


@dataclass(frozen=True)
class Doing(Agent):
    """Does one of the deeds above."""

    name = "doing"
    summary = "misbehaves"
    deed: str = string("lowest", "which deed")

    def mind(self, game: Game, player: Player, seed: int) -> Mind:
        return _DoingMind(self.deed)


class _DoingMind(Mind):
    def __init__(self, deed: str) -> None:
        self.deed = deed
        if deed == "slow":
            self.clock = _LateClock()

    def think(self, position: Position, limit: Limit, stop: Stop | None) -> Decision:
        return DEEDS[self.deed](position)  # type: ignore[no-any-return]

    def close(self) -> None:
        if self.deed == "raises":
            raise RuntimeError("can't even end")


@dataclass(frozen=True)
class Reading(Agent):
    """Plays as the agent whose spec is in a file."""

    name = "reading"
    summary = "reads who it is"
    path: str = file("", "the file")

    def mind(self, game: Game, player: Player, seed: int) -> Mind:
        return agent(Path(self.path).read_text(encoding="utf-8")).mind(game, player, seed)


@dataclass(frozen=True)
class KillsWorkerOnce(Agent):
    """Kills the process that it plays in, the first time; a file remembers that it has."""

    name = "killer"
    summary = "kills its worker once"
    marker: str = string("", "the file")

    def mind(self, game: Game, player: Player, seed: int) -> Mind:
        if seed % 7 == 0 and not Path(self.marker).exists():
            Path(self.marker).touch()
            os.kill(os.getpid(), signal.SIGKILL)
        return agent("random").mind(game, player, seed)


def tournament(*agents: Agent | str, pairs: int = 10, openings: str = "random:2", **more: Any) -> Tournament:
    """A tournament on Connect 4."""
    players = tuple(agent(one) if isinstance(one, str) else one for one in agents)
    return Tournament(CONNECT4, players, parse_openings(CONNECT4, openings), pairs, **more)


def played(wanted: Tournament, workers: int = 1, store: Store | None = None, strict: bool = False) -> Results:
    """Play it, in memory unless a store is given."""
    with store or Store.in_memory() as kept, open_executor(workers) as executor:
        run = kept.begin(wanted)
        Running(wanted, kept, run, executor, strict=strict).play()
        return load(kept, run)


def without_clock(results: Results) -> dict[str, Any]:
    """The results without what depends on the clock."""
    data = results_json(results)
    del data["timing"]
    return data


def processes_in_session(leader: int) -> list[int]:
    """The processes of the session that this one leads (Linux)."""
    found = []
    for entry in Path("/proc").iterdir():
        if entry.name.isdigit():
            try:
                fields = (entry / "stat").read_text(encoding="utf-8").rpartition(")")[2].split()
            except OSError:
                continue
            if int(fields[3]) == leader and fields[0] != "Z":
                found.append(int(entry.name))
    return found


def agent_threads() -> int:
    """Return the number of threads, without those that every timed decision of this process shares."""
    return sum(not thread.name.startswith("inarow-") for thread in threading.enumerate())


def server_processes(server: int) -> list[int]:
    """The processes of a server: the last is what external agents are forked from, those before it run it (Linux)."""
    found = [server]
    while Path(f"/proc/{found[-1]}/comm").read_text(encoding="ascii").strip() in ("sh", "bwrap"):
        (child,) = Path(f"/proc/{found[-1]}/task/{found[-1]}/children").read_text(encoding="ascii").split()
        found.append(int(child))
    return found


class Mortal(InProcess):
    """Workers that die with jobs of one function."""

    def __init__(self, function: str) -> None:
        self.function = function
        self.deaths = 0

    def submit(self, job: Job[Any], listener: Any = None) -> Task[Any]:
        if job.function.__name__ != self.function:
            return super().submit(job, listener)
        self.deaths += 1
        died = Task(job)
        died.set_exception(WorkerDied())
        return died
