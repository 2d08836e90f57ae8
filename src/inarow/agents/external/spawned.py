"""External agents on any system: a new Python for each, with limits but without a sandbox, for files that you trust."""

from __future__ import annotations

import contextlib
import os
import queue
import shutil
import signal
import subprocess
import sys
import tempfile
import threading
from pathlib import Path
from typing import Any

from inarow.agents.base import Disturbance
from inarow.agents.external import Policy
from inarow.agents.external.client import ForkedProcess, environment
from inarow.agents.external.process import Process
from inarow.agents.external.staging import Snapshot

MARK = "INAROW_EXTERNAL"
"""The environment variable that marks the processes of an agent; its value is the agent's folder."""


class SpawnedProcess(Process):
    """A new process; threads read its answers and its output."""

    def __init__(self, snapshot: Snapshot) -> None:
        super().__init__()
        self.base = Path(tempfile.mkdtemp(prefix="inarow-external-")).resolve()
        self.scratch = self.base / "scratch"
        try:
            self.scratch.mkdir()
            self.folder = snapshot.stage(self.base)
            self.process = subprocess.Popen(
                [sys.executable, "-P", "-m", "inarow.agents.external.spawned"],
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                stderr=subprocess.PIPE,
                cwd=self.base,
                env={**environment(keep_cache=True), MARK: str(self.base)},
                start_new_session=True,
            )
        except BaseException:
            shutil.rmtree(self.base, ignore_errors=True)
            raise
        self.pid = self.process.pid
        self.answers: queue.SimpleQueue[bytes] = queue.SimpleQueue()
        self.threads = [threading.Thread(target=work, daemon=True) for work in (self._read_answers, self._read_output)]
        for thread in self.threads:
            thread.start()

    def _read_answers(self) -> None:
        assert self.process.stdout is not None
        while data := os.read(self.process.stdout.fileno(), 65536):
            self.answers.put(data)
        self.answers.put(b"")

    def _read_output(self) -> None:
        assert self.process.stderr is not None
        while data := os.read(self.process.stderr.fileno(), 65536):
            self._keep(data)

    def _send(self, data: bytes, seconds: float) -> None:
        assert self.process.stdin is not None
        self.process.stdin.write(data)
        self.process.stdin.flush()

    def _receive(self, seconds: float) -> bytes | None:
        try:
            data = self.answers.get(timeout=seconds)
        except queue.Empty:
            return None
        if not data:
            raise ConnectionError
        return data

    def _used(self, answer: dict[str, Any]) -> float:
        """Return the time reported by the process: there is no portable way to measure it from outside."""
        used = answer.get("processor", self.charged)
        return float(used) if isinstance(used, float | int) else self.charged

    def _is_alive(self) -> bool:
        with contextlib.suppress(subprocess.TimeoutExpired):
            self.process.wait(0.2)
        return self.process.poll() is None

    def close(self) -> int | None:
        if not self.open:
            return None
        self.open = False
        if hasattr(os, "killpg"):
            with contextlib.suppress(OSError):  # its own group: not waited for, or with children left
                os.killpg(self.process.pid, signal.SIGKILL)
        with contextlib.suppress(OSError):
            self.process.kill()
        self.process.wait()
        _end_marked(str(self.base))
        for thread in self.threads:
            thread.join(1)
        for stream in (self.process.stdin, self.process.stdout, self.process.stderr):
            with contextlib.suppress(OSError):
                if stream is not None:
                    stream.close()
        shutil.rmtree(self.base, ignore_errors=True)
        return self.process.returncode


def _end_marked(base: str) -> None:
    """Kill an agent's leftovers on Linux: processes that left its group still have its environment."""
    wanted = f"{MARK}={base}".encode()
    for _ in range(10):  # more may have started meanwhile
        left = []
        for entry in Path("/proc").glob("[0-9]*"):
            with contextlib.suppress(OSError):
                if wanted in (entry / "environ").read_bytes().split(b"\0"):
                    left.append(int(entry.name))
        for process in left:
            with contextlib.suppress(OSError):
                os.kill(process, signal.SIGKILL)
        if not left:
            return


def _main() -> None:
    """Run the agent in the new process; answers go to the original standard output, printed text to standard error."""
    from inarow.agents.external import host, sandbox

    answers = os.dup(1)
    os.dup2(2, 1)
    questions = os.dup(0)
    nothing = os.open(os.devnull, os.O_RDONLY)
    os.dup2(nothing, 0)

    def write(data: bytes) -> None:
        while data:
            data = data[os.write(answers, data) :]

    def enter(own: Path, scratch: Path, megabytes: int) -> None:
        sandbox.limit(megabytes)

    host.run(lambda size: os.read(questions, size), write, enter)


_CONFINE_SECONDS = 30.0


def launch(snapshot: Snapshot, policy: Policy, megabytes: int) -> Process:
    """Start a process under the policy, with the files of the snapshot in its folder.

    Raises `Disturbance` if the machine lacks disk space, memory or processes.
    """
    try:
        process = SpawnedProcess(snapshot) if policy.trust else ForkedProcess(snapshot, policy)
    except OSError as error:
        raise Disturbance(f"the process of an external agent can't be started: {error.strerror or error}") from None
    try:
        process.confine(policy, megabytes, _CONFINE_SECONDS)
    except BaseException:
        process.close()
        raise
    return process


if __name__ == "__main__":
    _main()
