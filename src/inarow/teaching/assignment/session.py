"""A student's file at work: calls of its functions in a process of its own, in the sandbox."""

from __future__ import annotations

import builtins
import contextlib
import time
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

from inarow.agents.base import Disturbance, Fault
from inarow.agents.external import Policy
from inarow.agents.external.process import Process, Serve
from inarow.agents.external.spawned import launch
from inarow.agents.external.staging import Snapshot
from inarow.errors import HostFailure, printable
from inarow.rules import Position
from inarow.teaching.assignment import student_side
from inarow.teaching.assignment.exercise import ServedGame

LOAD_SECONDS = 10.0
MEGABYTES = 1024
CALLS = 6
"""How many times the seconds of one call all calls in one process may take together."""
PAUSE = 0.5
"""Seconds to wait, once and then twice, before a process that the machine refused is started again."""
_REPEATS = 2
_SEED = 0  # of the student's random numbers; public, so that nothing in the process leads to the grader's seed
_SHOWN = (True, False, None, "X", "O", ".")


class Trouble(Exception):
    """A call without a usable answer. The message is for the student, ``detail`` for staff only.

    What a student's code says after it has seen hidden boards may contain them, so only the detail quotes it.
    """

    def __init__(self, message: str, detail: str = "") -> None:
        super().__init__(message)
        self.detail = detail


class Stopped(Trouble):
    """A call after which the process is gone: it took too long, or ended itself."""


@dataclass(frozen=True)
class Submission:
    """A file that was handed in, and how far it is trusted."""

    snapshot: Snapshot
    policy: Policy
    seconds: float
    """Processor time for a call."""

    @contextlib.contextmanager
    def at_work(self) -> Iterator[StudentSession]:
        """Start a fresh process with the file loaded; raises `Stopped` if it can't be."""
        process = self._loaded()
        try:
            yield StudentSession(process, self.seconds, {name for name, _ in self.snapshot.files})
        finally:
            process.close()

    def _loaded(self) -> Process:
        about = {"load": self.snapshot.entry, "loader": student_side.LOADER, "seed": _SEED}
        reason = ""
        for attempt in range(_REPEATS + 1):
            time.sleep(PAUSE * attempt)
            try:
                process = launch(self.snapshot, self.policy, MEGABYTES)
                answer = process.ask(about, LOAD_SECONDS).message
            except Fault as fault:
                raise Stopped(f"Your file could not be loaded: {_in_words(fault, LOAD_SECONDS)}") from None
            except Disturbance as error:
                reason = str(error)
                continue
            if "ready" not in answer:
                process.close()
                raise Stopped(f"Your file could not be loaded: {answer.get('message')}{process.printed_text()}")
            return process
        raise HostFailure(f"the grader's machine failed ({reason}); run it again")


class StudentSession:
    """A loaded file."""

    def __init__(self, process: Process, seconds: float, files: set[str]) -> None:
        self.process = process
        self.seconds = seconds
        self.left = CALLS * seconds
        """Seconds left for all calls together."""
        self.files = files
        self.has_secrets = False
        """Whether the file was shown hidden boards: then nothing that it says may be shown to its author."""

    def kind(self) -> str:
        """Return `student_side.CS50`, the name of the kit's search, or an empty string."""
        return str(self._asked("the file", {"kind": True}, None)["answer"])

    def count_calls(self, name: str, given: Sequence[Any], counted: str) -> tuple[Any, int]:
        """Return what a function returns, and how often it called another one of the file, counted outside."""
        calls = 0

        def serve(question: dict[str, Any]) -> dict[str, Any]:
            nonlocal calls
            if question != {"counted": counted}:
                raise ValueError("a question that nobody asks")
            calls += 1
            return {}

        self.has_secrets = True
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
        seconds: float | None = None,
    ) -> Any:
        """Call a function, or a method of a class. Raises `Trouble` if it has no answer.

        With a game and a position the function is handed the game object and the state before its arguments; without
        them the arguments are hidden boards. ``seconds`` is for a call that may take longer than others.
        """
        self.has_secrets |= game is None
        shown = f"{name}.{method}" if method else name
        message: dict[str, Any] = {"call": name, "given": list(given), "method": method}
        if game is not None and position is not None:
            message["about"] = game.about(position)
        return self._asked(shown, message, game.serve if game is not None else None, seconds)["answer"]

    def _asked(
        self, shown: str, message: dict[str, Any], serve: Serve | None, seconds: float | None = None
    ) -> dict[str, Any]:
        """Return the answer to a message; raises `Trouble` if there is none."""
        allowed = self.seconds if seconds is None else seconds
        try:
            reply, used, _ = self.process.ask(message, allowed, serve)
            self.left -= used
        except Fault as fault:
            words = _in_words(fault, allowed)
            raise self._trouble(Stopped, f"{shown} gave no answer: ", words, _CAUSES.get(fault.cause, words)) from None
        except Disturbance as error:
            raise HostFailure(f"the grader's machine failed ({error}); run it again") from None
        if self.left < 0:
            self.process.close()
            raise Stopped(f"{shown} gave no answer: all calls together took more than {CALLS * self.seconds:g} s.")
        if "missing" in reply:
            raise Stopped(f"Your file has no {message['call']}.")
        if "fault" in reply:
            kind, file, line = reply.get("kind"), reply.get("file"), reply.get("line")
            if kind == "NotImplementedError":
                raise Stopped(f"{shown} is not written yet.")
            known = kind if _is_exception(kind) else "an exception"
            where = f" (line {line:d} of {file})" if isinstance(line, int) and file in self.files else ""
            raise self._trouble(Trouble, f"{shown} failed: ", str(reply.get("message")), f"{known}{where}.")
        if "answer" not in reply:
            raise self._trouble(Trouble, f"{shown} returned ", f"{reply.get('odd')}.", "a value of another type.")
        return reply

    def _trouble(self, kind: type[Trouble], head: str, said: str, bare: str) -> Trouble:
        """Make an error of what the file said, or, if it has secrets, of the bare facts with the rest as detail."""
        return kind(head + bare, printable(head + said, 0)) if self.has_secrets else kind(head + said)

    def wrong(self, name: str, value: Any, complaint: str) -> Trouble:
        """Make a complaint about a value that a function of the file returned."""
        if _is_plain(value) or not self.has_secrets:
            return Trouble(f"{name} returned {value!r}, {complaint}")
        detail = printable(f"{name} returned {value!r}", 0)
        return Trouble(f"{name} returned a {type(value).__name__} that is not shown, {complaint}", detail)


def _is_exception(name: Any) -> bool:
    found = getattr(builtins, name, None) if isinstance(name, str) else None
    return isinstance(found, type) and issubclass(found, BaseException)


def _is_plain(value: Any) -> bool:
    """Return True for values too small to carry hidden boards: marks, moves and short lists of moves."""
    if isinstance(value, list):
        return len(value) <= 12 and all(isinstance(one, int) and abs(one) < 20 for one in value)
    return any(value is one or value == one for one in _SHOWN) or (isinstance(value, int) and abs(value) < 100)


def _in_words(fault: Fault, seconds: float) -> str:
    if fault.cause in ("out of time", "stalled"):
        return f"it took more than {seconds:g} s. Is there a loop or a recursion without end?"
    return f"{fault}"


_CAUSES = {
    "forbidden": "it did something that is not allowed.",
    "exited": "its process ended.",
    "out of memory": "it needed too much memory.",
}
"""What a student is told of a fault whose own words may quote the file."""
