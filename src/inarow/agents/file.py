"""file: an agent in a Python file or a folder, run in a sandboxed process."""

from __future__ import annotations

import contextlib
import os
from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path
from typing import Any

from inarow.agents.base import Agent, Decision, Disturbance, Fault, Mind
from inarow.agents.external import Policy, current
from inarow.agents.external.staging import Declared, Snapshot, declared, read
from inarow.agents.parameters import AgentError, read_arguments, string
from inarow.errors import Unsupported, printable
from inarow.limits import NO_LIMIT, Limit
from inarow.rules import FIRST, Game, Player, Position
from inarow.stopping import Stop

MOVE_SECONDS = 2.0
"""Default seconds per decision (as in Kaggle's ConnectX)."""
LOAD_SECONDS = 10.0
"""Seconds to load the file."""
FIRST_SECONDS = 10.0
"""Extra seconds for the first decision."""
MEGABYTES = 1024
"""Memory limit of an external agent in MB."""


class NotLoaded(AgentError):
    """A file can't be loaded, so that it has no agent; ``reason`` is what its process said."""

    def __init__(self, path: str, reason: str) -> None:
        super().__init__(path, reason)
        self.reason = reason

    def __str__(self) -> str:
        return f"the agent {self.args[0]} {self.reason}"


@dataclass(frozen=True)
class File(Agent):
    """A Python file with a function ``agent(observation, configuration)``, a subclass of `Agent`, or CS50's
    ``tictactoe.py``; or a folder with such a file."""

    name = "file"
    summary = "a Python file or folder, as in Kaggle's ConnectX, CS50, or with an inarow agent class, in a sandbox"
    foreign = True
    path: str = string("", "the file or folder")
    given: str = string("", "parameters that the file declares, as key=value")

    policy: Policy = field(init=False, compare=False, repr=False)
    """The permissions of its process."""
    snapshot: Snapshot = field(init=False, compare=False, repr=False)
    """Its files, which are sent to workers that may not have them."""
    values: Mapping[str, Any] = field(init=False, compare=False, repr=False)
    """The parameters that differ from the defaults of its file."""
    asked: str = field(default="", init=False, compare=False, repr=False)
    """The function or class of its file that chooses moves, and why; empty until it is loaded."""
    loaded: set[Game] = field(default_factory=set, init=False, compare=False, repr=False)
    """The games for which it was loaded successfully."""

    def __post_init__(self) -> None:
        super().__post_init__()
        if not self.path:
            raise AgentError("agent file: no path was given; write file:my_agent.py")
        kept = self.__dict__  # the dataclass is frozen
        kept["policy"], kept["snapshot"] = current(), read(Path(self.path))
        values = read_arguments(f"agent {self.path}", self.declared.parameters, self.given) if self.given else {}
        kinds = {kind.name: kind for kind in self.declared.parameters}
        kept["values"] = {name: value for name, value in values.items() if value != kinds[name].default}
        kept["given"] = ",".join(f"{name}={kinds[name].format(value)}" for name, value in self.values.items())
        refuse_unsafe(self.policy)

    @classmethod
    def of(cls, where: str) -> File:
        """Make the agent of ``PATH`` or ``PATH:key=value,…``."""
        path, colon, given = where.rpartition(":")
        if not colon or "=" not in given or os.path.exists(where):  # noqa: PTH110 (a Path raises if it is long)
            return cls(where)
        return cls(path, given)

    @cached_property
    def declared(self) -> Declared:
        """The declarations of its file."""
        return declared(dict(self.snapshot.files)[self.snapshot.entry])

    @property
    def label(self) -> str:
        name = self.declared.name or Path(self.path).stem
        return f"{name} ({self.given.replace(',', ', ')})" if self.given else name

    @property
    def description(self) -> str:
        return self.declared.summary or f"the agent in {Path(self.path).name}"

    def effective(self, game: Game) -> str:
        kinds = self.declared.parameters
        return ", ".join(f"{kind.name}={kind.format(self.values.get(kind.name, kind.default))}" for kind in kinds)

    @property
    def spec(self) -> str:
        return f"file:{self.path}:{self.given}" if self.given else f"file:{self.path}"

    @property
    def digest(self) -> str:
        """The file's SHA-256."""
        return self.snapshot.digest

    @cached_property
    def identity(self) -> str:
        return f"{self.spec}#{self.digest}"

    def check(self, game: Game) -> None:
        """Raise `NotLoaded` if a process as in a match can't load the file: before a match that is no defeat."""
        super().check(game)
        refuse_unsafe(self.policy)  # again, because a worker's system may offer less
        if game in self.loaded:
            return
        try:
            with contextlib.suppress(Disturbance):  # a failure of the machine, which a match survives
                self.mind(game, FIRST, 0).close()
                self.loaded.add(game)
        except Fault as fault:
            raise NotLoaded(self.path, f"{fault.cause}: {printable(str(fault))}") from None

    def mind(self, game: Game, player: Player, seed: int) -> Mind:
        return FileMind(self, game, player, seed)


def refuse_unsafe(policy: Policy) -> None:
    """Raise `Unsupported` if this system can't confine external agents as the policy requires."""
    from inarow.agents.external.sandbox import offered

    if policy.trust:
        if policy.require_sandbox:
            raise Unsupported("--trust and --require-sandbox are mutually exclusive")
        return
    offer = offered()
    if not offer.landlock and not offer.seccomp:
        raise Unsupported(
            "this system has no sandbox for external agents; --trust runs them without one, with all your rights"
        )
    if policy.require_sandbox and offer.missing:
        raise Unsupported(f"the sandbox is incomplete on this system, an external agent: {'; '.join(offer.missing)}")


class FileMind(Mind):
    """An external agent's process, in one seat of one match."""

    def __init__(self, agent: File, game: Game, player: Player, seed: int) -> None:
        from inarow.agents.external.spawned import launch

        self.allowance = FIRST_SECONDS
        self.used = 0.0
        self.process = process = launch(agent.snapshot, agent.policy, MEGABYTES)
        about = {
            "load": agent.snapshot.entry,
            "game": game.name,
            "player": int(player),
            "seed": seed,
            "parameters": dict(agent.values),
        }
        try:
            answer = process.ask(about, LOAD_SECONDS).message
            if "ready" not in answer:
                raise Fault("cannot be loaded", f"{answer.get('message')}{process.printed_text()}")
            agent.__dict__["asked"] = printable(str(answer.get("chosen", "")), 120)
        except Fault as fault:
            process.close()
            slow = fault.cause in ("stalled", "out of time")
            words = f"loading took more than {LOAD_SECONDS:g} s{process.printed_text()}" if slow else str(fault)
            raise Fault("cannot be loaded", words) from None
        except BaseException:
            process.close()
            raise

    def decide(self, position: Position, limit: Limit = NO_LIMIT, stop: Stop | None = None) -> Decision:
        """Return the move with the seconds charged, so that no agent loses because the machine was busy."""
        return super().decide(position, limit, stop)._replace(seconds=round(self.used, 7))

    def think(self, position: Position, limit: Limit, stop: Stop | None) -> Decision:
        seconds = MOVE_SECONDS if limit.seconds is None else limit.seconds
        question = {
            "first": position.first,
            "second": position.second,
            "seconds": seconds,
            "allowance": self.allowance,
        }
        answer, self.used, self.lost = self.process.ask(question, seconds + self.allowance)
        self.allowance = 0.0
        if "fault" in answer:
            cause = answer["fault"] if answer["fault"] in ("out of memory", "no decision") else "exception"
            self.process.close()  # the match is over; its output is complete once the process has ended
            raise Fault(cause, f"{answer.get('message')}{self.process.printed_text()}")
        move, nodes = answer.get("move"), answer.get("nodes")
        if not isinstance(move, int) or isinstance(move, bool):
            wanted = answer.get("wanted", f"an integer from 0 to {position.game.moves - 1}")
            raise Fault("illegal move", f"it returned {answer.get('nonsense')}, expected {wanted}")
        return Decision(move, value=answer.get("value"), nodes=0 if nodes is None else nodes)

    def close(self) -> None:
        self.process.close()
