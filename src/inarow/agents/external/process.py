"""An external agent's process as a match sees it: questions with deadlines, and bounds on what it does meanwhile."""

from __future__ import annotations

import time
from abc import ABC, abstractmethod
from collections.abc import Callable
from pathlib import Path
from typing import Any, NamedTuple

from inarow.agents.base import Fault
from inarow.agents.external import wire
from inarow.errors import printable

GRACE = 0.1
"""Seconds by which a decision may overrun its time."""
OUTPUT_BYTES = 16 << 20
"""The most that an agent may print during one question."""
TICK = 0.05
"""Seconds after which a process that thinks is looked at again."""
_KEPT = 4000  # bytes of an agent's output that are kept to be shown


class Reply(NamedTuple):
    """What a process answered, and the processor time that it was charged for."""

    message: dict[str, Any]
    seconds: float


Serve = Callable[[dict[str, Any]], dict[str, Any]]
"""Answers what a process asks before it has answered; raises ValueError if that is no question."""


class Process(ABC):
    """A process that answers for an external agent. It must be closed, whatever happens."""

    folder: Path
    """Where its files are."""

    def __init__(self) -> None:
        self.reader = wire.Reader()
        self.said = b""
        self.printed = 0
        self.number = 0
        self.charged = 0.0
        """Processor time up to the last answer; what is used between questions is charged to the next."""
        self.open = True

    def ask(self, message: dict[str, Any], seconds: float, patience: float, serve: Serve | None = None) -> Reply:
        """The answer to a question within ``seconds`` of processor time; ``patience`` is a backstop by the clock.

        What the process asks meanwhile is answered by ``serve``.
        Raises `Fault`, with the process ended, if there is none, and `Disturbance` if that was not the agent's doing.
        """
        self.number += 1
        self.printed = 0
        begun = time.monotonic()
        try:
            self._send(wire.packed({**message, "number": self.number}), patience)
            answer = self.reader.feed(b"")
            while answer is None:
                left = begun + patience - time.monotonic()
                if left + min(self._waited() if left <= 0 else 0, 9 * patience) <= 0:
                    raise self._failed("stalled", f"no answer within {patience:.3g} s")
                data = self._receive(min(max(left, 0.01), TICK))
                if data is not None:
                    answer = self.reader.feed(data)
                if answer is not None and serve is not None and "number" not in answer:
                    self._send(wire.packed(serve(answer)), patience)
                    answer = self.reader.feed(b"")
                if answer is None:
                    self._watch(seconds)
        except ValueError as error:
            raise self._failed("forbidden", f"its process sent {error}") from None
        except TimeoutError:
            raise self._failed("stalled", f"no answer within {patience:.3g} s") from None
        except OSError:
            raise self._ended() from None
        if answer.pop("number", None) != self.number:
            raise self._failed("forbidden", "its process sent an answer to a question that was not asked")
        self._watch(seconds)
        used, self.charged = self._used(answer) - self.charged, self._used(answer)
        if used > seconds + GRACE:
            raise self._late(used, seconds)
        self._rest()
        return Reply(answer, max(used, 0.0))

    def printed_text(self) -> str:
        """The end of what the agent has printed, to be put after a message."""
        text = printable(self.said.decode(errors="replace"), 0)
        return f"; it printed: …{text[-300:]}" if len(text) > 300 else f"; it printed: {text}" if text else ""

    def _late(self, used: float, seconds: float) -> Fault:
        return self._failed("out of time", f"{used:.3f} s of processor time for a decision, {seconds:g} s allowed")

    def _failed(self, cause: str, message: str) -> Fault:
        """End the process; the fault that it ends with."""
        self.close()
        return Fault(cause, message + self.printed_text())

    def _keep(self, data: bytes) -> None:
        """Take in what the agent has printed."""
        self.said = (self.said + data)[-_KEPT:]
        self.printed += len(data)

    def _watch(self, seconds: float) -> None:
        """Raise `Fault` if the process has done what it may not."""
        if self.printed > OUTPUT_BYTES:
            raise self._failed("forbidden", f"it printed more than {OUTPUT_BYTES >> 20} MB")

    @abstractmethod
    def _send(self, data: bytes, seconds: float) -> None: ...

    @abstractmethod
    def _receive(self, seconds: float) -> bytes | None:
        """What has arrived; None if nothing has in that time. Raises `OSError` at the end of the connection."""

    @abstractmethod
    def _used(self, answer: dict[str, Any]) -> float:
        """Processor time of the process so far."""

    def _rest(self) -> None:
        """Stop the process until the next question, where the system can."""

    def _waited(self) -> float:
        """Seconds since the question for which the process was ready but had no processor, where that is known."""
        return 0.0

    @abstractmethod
    def _ended(self) -> Exception:
        """What a connection that has ended means: a `Fault` or a `Disturbance`."""

    @abstractmethod
    def close(self) -> None:
        """End the process and its children."""


def exit_words(status: int) -> str:
    """How a process ended."""
    if status < 0:
        return f"its process was ended by signal {-status}"
    return f"its process ended with exit code {status}"
