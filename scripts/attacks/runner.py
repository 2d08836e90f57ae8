"""Runs commands to attack, and counts what they did wrong."""

from __future__ import annotations

import contextlib
import json
import os
import random
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from inarow.errors import InarowError
from support.arena_doubles import processes_in_session

ROOT = Path(__file__).resolve().parents[2]
CODES = (0, 1, 2, 130)
HANG = 300.0
"""Seconds after which a command counts as hanging; a busy machine makes 10 s of processor time last minutes."""


@dataclass
class Tally:
    """What one kind of attack found."""

    name: str
    tried: int = 0
    tracebacks: int = 0
    hangs: int = 0
    leaked: int = 0
    codes: int = 0
    """Exit codes other than those documented, or exceptions other than `InarowError`."""
    wrong: int = 0
    """Results that differ from those of a run that was not attacked."""
    notes: list[str] = field(default_factory=list)

    @property
    def found(self) -> int:
        """All faults together."""
        return self.tracebacks + self.hangs + self.leaked + self.codes + self.wrong

    def row(self) -> str:
        """A line of the table."""
        numbers = (self.tried, self.tracebacks, self.hangs, self.leaked, self.codes, self.wrong)
        return f"| {self.name} | " + " | ".join(f"{number:,}" for number in numbers) + " |"


class Attack:
    """Commands and files to attack, in a folder of its own."""

    def __init__(self, folder: Path, seed: int, until: float) -> None:
        self.folder = folder
        self.chance = random.Random(seed)
        self.until = until
        self.code = 0
        """The exit code of the last command."""
        self.environment = {**os.environ, "PYTHONPATH": str(ROOT / "src"), "COLUMNS": "80", "NO_COLOR": "1"}

    def times(self, count: int) -> Iterator[int]:
        """Up to that many numbers, until the time is over."""
        for number in range(count):
            if time.monotonic() > self.until:
                return
            yield number

    def start(self, *arguments: str, stdout: int | None = None, closed: str = "") -> subprocess.Popen[bytes]:
        """Start a command as the leader of a session of its own, with streams ``closed`` as a shell does: ``>&-``."""
        shell = ["sh", "-c", f'exec "$@" {closed}', "sh"] if closed else []
        return subprocess.Popen(
            [*shell, sys.executable, "-m", "inarow", *arguments],
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE if stdout is None else stdout,
            stderr=subprocess.PIPE,
            start_new_session=True,
            cwd=self.folder,
            env=self.environment,
        )

    def finish(self, tally: Tally, running: subprocess.Popen[bytes], killed: bool = False) -> str:
        """Wait for a command and count what it did wrong; returns all that it printed."""
        tally.tried += 1
        try:
            out, errors = running.communicate(timeout=HANG)
        except subprocess.TimeoutExpired:
            tally.hangs += 1
            tally.notes.append(f"hangs: {running.args!r:.200}")
            os.killpg(running.pid, signal.SIGKILL)
            out, errors = running.communicate()
            killed = True
        text = (out or b"").decode(errors="replace") + errors.decode(errors="replace")
        if "Traceback (most recent call last)" in text:
            tally.tracebacks += 1
            tally.notes.append(f"traceback: {running.args!r:.200}: {text[-300:]}")
        if not killed and running.returncode not in CODES:
            tally.codes += 1
            tally.notes.append(f"exit code {running.returncode}: {running.args!r:.200}")
        self.code = running.returncode
        left = self._left(running.pid)
        if left:
            tally.leaked += len(left)
            tally.notes.append(f"{len(left)} processes left: {running.args!r:.200}")
            for process in left:
                with contextlib.suppress(ProcessLookupError):
                    os.kill(process, signal.SIGKILL)
        return text

    @staticmethod
    def _left(leader: int) -> list[int]:
        until = time.monotonic() + 20
        while (left := processes_in_session(leader)) and time.monotonic() < until:
            time.sleep(0.05)
        return left

    def run(self, tally: Tally, *arguments: str, closed: str = "", code: int | None = None) -> str:
        """Run a command to its end, which must have this exit code if one is given."""
        text = self.finish(tally, self.start(*arguments, closed=closed))
        self.expect(tally, code, arguments)
        return text

    def expect(self, tally: Tally, code: int | None, arguments: Sequence[str]) -> None:
        """Count an exit code of the last command that is not the one to be expected."""
        if code is not None and self.code != code:
            tally.codes += 1
            tally.notes.append(f"exit code {self.code}, not {code}: {arguments!r:.200}")

    def parse(self, tally: Tally, read: Callable[[], object]) -> None:
        """Read something in this process: an `InarowError` is the only exception it may raise."""
        tally.tried += 1
        try:
            read()
        except InarowError as error:
            str(error)
        except Exception as error:
            tally.codes += 1
            tally.notes.append(f"{type(error).__name__}: {error!s:.200}")


def results(attack: Attack, tally: Tally, store: Path) -> object:
    """The tables of a store without what depends on the clock."""
    text = attack.run(tally, "results", str(store), "--json")
    if attack.code != 0:
        return text
    data = json.loads(text[text.index("{") :])
    for one in data["tournaments"]:
        one.pop("timing", None)
    data.pop("timing", None)
    return data
