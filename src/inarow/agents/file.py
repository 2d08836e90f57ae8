"""file: an agent in a Python file, in a process of its own that can be killed."""

from __future__ import annotations

import contextlib
import hashlib
import os
import sys
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path

from inarow.agents.base import Agent, Decision, Fault, Mind
from inarow.agents.parameters import AgentError, text
from inarow.errors import Unsupported
from inarow.limits import Limit
from inarow.paths import cache_folder
from inarow.rules import Game, Player, Position
from inarow.stopping import Stop

MOVE_SECONDS = 2.0
"""For one decision, where the match sets no limit (as in Kaggle's ConnectX)."""
LOAD_SECONDS = 10.0
"""For loading the file."""
FIRST_SECONDS = 10.0
"""By which the first decision may be longer."""
MEGABYTES = 1024
"""Of memory that a guest may have."""


@dataclass(frozen=True)
class File(Agent):
    """A Python file with a function ``agent(observation, configuration)`` or with a class derived from `Agent`."""

    name = "file"
    summary = "a Python file, as in Kaggle's ConnectX or with an inarow agent class, in a process of its own"
    foreign = True
    path: str = text("", "the file")

    def __post_init__(self) -> None:
        super().__post_init__()
        if sys.platform == "win32":
            raise Unsupported("agents in files need a system that can fork: Linux, macOS or WSL")
        if not self.path:
            raise AgentError("agent file: no path was given; write file:my_agent.py")
        path = Path(self.path)
        if path.is_dir():
            raise AgentError(f"agent file: {self.path} is a folder; give a Python file")
        if not path.is_file():
            raise AgentError(f"agent file: {self.path} does not exist")

    @property
    def spec(self) -> str:
        return f"file:{self.path}"

    @cached_property
    def source(self) -> bytes:
        """What the file holds; it is sent along to workers, who may have no such file."""
        try:
            return Path(self.path).read_bytes()
        except OSError as error:
            raise AgentError(f"agent file: {self.path} can't be read: {error.strerror}") from None

    @cached_property
    def digest(self) -> str:
        """The file's SHA-256."""
        return hashlib.sha256(self.source).hexdigest()

    @cached_property
    def place(self) -> Path:
        """Where the file is on this machine: at its path or, sent along from another, in the cache."""
        path = Path(self.path).absolute()
        with contextlib.suppress(OSError):
            if path.read_bytes() == self.source:
                return path
        place = cache_folder("guests", self.digest[:16]) / path.name
        if not place.exists():
            partial = place.with_suffix(f".{os.getpid()}")
            partial.write_bytes(self.source)
            partial.replace(place)
        return place

    def __getstate__(self) -> dict[str, object]:
        return {"path": self.path, "source": self.source}

    def __setstate__(self, state: dict[str, object]) -> None:
        self.__dict__.update(state)

    @property
    def identity(self) -> str:
        return f"{self.spec}#{self.digest}"

    def mind(self, game: Game, player: Player, seed: int) -> Mind:
        return FileMind(self.place, game, player, seed)


class FileMind(Mind):
    """A guest's process, in one seat of one match."""

    def __init__(self, path: Path, game: Game, player: Player, seed: int) -> None:
        from inarow.agents.external.client import Guest

        self.allowance = FIRST_SECONDS
        self.guest = Guest()
        try:
            about = {"load": str(path), "game": game.name, "player": int(player), "seed": seed, "memory": MEGABYTES}
            answer = self.guest.ask(about, LOAD_SECONDS)
            if answer is None:
                raise Fault("cannot be loaded", f"loading took more than {LOAD_SECONDS:g} s{self.guest.words()}")
            if "ready" not in answer:
                raise Fault("cannot be loaded", f"{answer.get('message')}{self.guest.words()}")
        except Fault as fault:
            self.guest.close()
            raise Fault("cannot be loaded", str(fault)) from None
        except BaseException:
            self.guest.close()
            raise

    def think(self, position: Position, limit: Limit, stop: Stop | None) -> Decision:
        seconds = MOVE_SECONDS if limit.seconds is None else limit.seconds
        allowed = seconds + self.allowance
        question = {
            "first": position.first,
            "second": position.second,
            "seconds": seconds,
            "allowance": self.allowance,
        }
        begun = self.clock.now()
        answer = self.guest.ask(question, 2 * allowed + 1)
        if answer is None:
            raise Fault("stalled", f"no answer within {2 * allowed + 1:.3g} s{self.guest.words()}")
        if (took := self.clock.now() - begun) > allowed + 0.1:
            raise Fault("out of time", f"{took:.3f} s for a decision, {allowed:g} s allowed{self.guest.words()}")
        self.allowance = 0.0
        if "fault" in answer:
            cause = answer["fault"] if answer["fault"] in ("out of memory", "no decision") else "exception"
            raise Fault(cause, f"{answer.get('message')}{self.guest.words()}")
        if not isinstance(answer.get("move"), int):
            raise Fault("illegal move", f"it returned {answer.get('nonsense')}, a whole number was wanted")
        return Decision(answer["move"], value=answer.get("value"), nodes=answer.get("nodes") or 0)

    def close(self) -> None:
        self.guest.close()
