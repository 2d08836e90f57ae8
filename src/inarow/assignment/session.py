"""A student's file at work: calls of its functions in a process of its own, in the sandbox."""

from __future__ import annotations

import contextlib
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

from inarow.agents.base import Disturbance, Fault
from inarow.agents.external.client import ForkedProcess
from inarow.agents.external.policy import Policy
from inarow.agents.external.process import Process, Serve
from inarow.agents.external.spawned import SpawnedProcess
from inarow.agents.external.staging import Snapshot
from inarow.assignment import student_side
from inarow.assignment.exercise import AssignmentError
from inarow.assignment.served_game import ServedGame
from inarow.rules import Position

LOAD_SECONDS = 10.0
MEGABYTES = 1024
_REPEATS = 2


class Trouble(Exception):
    """A call without a usable answer; the message is for the student."""


class Stopped(Trouble):
    """A call after which the process is gone: it took too long, or ended itself."""


@dataclass(frozen=True)
class Student:
    """A file that was handed in, and how far it is trusted."""

    snapshot: Snapshot
    policy: Policy
    seconds: float
    """Processor time for a call."""

    @contextlib.contextmanager
    def at_work(self, seed: int) -> Iterator[Session]:
        """A fresh process with the file loaded; raises `Stopped` if it can't be."""
        process = self._loaded(seed)
        try:
            yield Session(process, self.seconds)
        finally:
            process.close()

    def _loaded(self, seed: int) -> Process:
        for _ in range(_REPEATS + 1):
            process: Process = (
                SpawnedProcess(self.snapshot)
                if self.policy.trust
                else ForkedProcess(self.snapshot, self.policy.allow_solver)
            )
            folder = process.folder
            about = {
                "load": str(folder / self.snapshot.entry),
                "folder": str(folder),
                "loader": student_side.LOADER,
                "seed": seed,
                "memory": MEGABYTES,
            }
            try:
                answer = process.ask(about, LOAD_SECONDS, 2 * LOAD_SECONDS).message
            except Fault as fault:
                raise Stopped(f"Your file could not be loaded: {_in_words(fault, LOAD_SECONDS)}") from None
            except Disturbance:
                continue
            if "ready" not in answer:
                process.close()
                raise Stopped(f"Your file could not be loaded: {answer.get('message')}{process.printed_text()}")
            return process
        raise AssignmentError("something else ends the processes of the grader; run it again")


class Session:
    """A loaded file."""

    def __init__(self, process: Process, seconds: float) -> None:
        self.process = process
        self.seconds = seconds

    def kind(self) -> str:
        """`student_side.CS50`, the name of the kit's search, or nothing."""
        return str(self._asked("the file", {"kind": True}, None)["answer"])

    def count_calls(self, name: str, given: Sequence[Any], counted: str) -> tuple[Any, int]:
        """What a function returns, and how often it called another one of the file, counted outside."""
        calls = 0

        def serve(question: dict[str, Any]) -> dict[str, Any]:
            nonlocal calls
            if question != {"counted": counted}:
                raise ValueError("a question that nobody asks")
            calls += 1
            return {}

        message = {"call": name, "given": list(given), "method": None, "count": counted}
        return self._asked(name, message, serve)["answer"], calls

    def call(
        self,
        name: str,
        given: Sequence[Any] = (),
        *,
        game: ServedGame | None = None,
        position: Position | None = None,
        method: str | None = None,
    ) -> Any:
        """What a function returns, or a method of a class; raises `Trouble` if it has no answer.

        With a game and a position the function is handed the game object and the state before its arguments.
        """
        shown = f"{name}.{method}" if method else name
        message: dict[str, Any] = {"call": name, "given": list(given), "method": method}
        if game is not None and position is not None:
            message["about"] = game.about(position)
        return self._asked(shown, message, game.serve if game is not None else None)["answer"]

    def _asked(self, shown: str, message: dict[str, Any], serve: Serve | None) -> dict[str, Any]:
        """The answer to a message; raises `Trouble` if there is none."""
        try:
            reply = self.process.ask(message, self.seconds, 6 * self.seconds + 10, serve).message
        except Fault as fault:
            raise Stopped(f"{shown} gave no answer: {_in_words(fault, self.seconds)}") from None
        except Disturbance as error:
            raise AssignmentError(f"something else ended a process of the grader ({error}); run it again") from None
        if "missing" in reply:
            raise Stopped(f"Your file has no {reply['missing']}.")
        if "fault" in reply:
            said = str(reply.get("message"))
            if said.startswith("NotImplementedError"):
                raise Stopped(f"{shown} is not written yet.")
            raise Trouble(f"{shown} failed: {said}")
        if "answer" not in reply:
            raise Trouble(f"{shown} returned {reply.get('odd')}.")
        return reply


def _in_words(fault: Fault, seconds: float) -> str:
    if fault.cause in ("out of time", "stalled"):
        return f"it took more than {seconds:g} s. Is there a loop or a recursion without end?"
    return f"{fault}"
