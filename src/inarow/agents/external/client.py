"""External agents on Linux: a server that forks their processes, and the monitoring of these processes."""

from __future__ import annotations

import atexit
import contextlib
import os
import selectors
import shutil
import signal
import socket
import subprocess
import sys
import tempfile
import threading
import time
from pathlib import Path
from typing import Any

import inarow
from inarow.agents.base import Disturbance
from inarow.agents.external import Policy, sandbox
from inarow.agents.external.process import SCRATCH_BYTES, SCRATCH_FILES, TICK, Process, Stopwatch
from inarow.agents.external.staging import Snapshot

SERVER_SECONDS = 15.0
"""Seconds for the server to answer before it is replaced."""
START_SECONDS = 120.0
"""Seconds for a new server's first answer: it may have to compile kernels."""
THREADS = 64


class _Server:
    """A process that forks external agents, and the folder of their files."""

    def __init__(self, policy: Policy, wrapped: bool) -> None:
        self.base = Path(tempfile.mkdtemp(prefix="inarow-external-")).resolve()
        alone = ["-S"] if sys.flags.no_site else []  # without installed packages, as this process
        command = [sys.executable, *alone, "-P", "-m", "inarow.agents.external.server", str(self.base)]
        wrapper = sandbox.bubblewrap_prefix(self.base) if wrapped else []
        with contextlib.ExitStack() as failed:
            failed.callback(shutil.rmtree, self.base, ignore_errors=True)
            self.requests, server_end = socket.socketpair()
            failed.callback(self.requests.close)
            self.requests.settimeout(START_SECONDS)
            with server_end:
                self.process = subprocess.Popen(
                    [*wrapper, *command, policy.to_json()],
                    stdin=server_end.fileno(),
                    stdout=subprocess.DEVNULL,
                    stderr=subprocess.DEVNULL,
                    cwd="/",
                    env=environment(keep_cache=policy.allow_solver),
                    start_new_session=True,
                )
            failed.pop_all()

    def start(self, connection: socket.socket, output: int) -> int:
        """Fork a process and return its id. Raises `Disturbance` if the system refuses."""
        socket.send_fds(self.requests, [b"S"], [connection.fileno(), output])
        process = self._answer()
        if process < 0:
            raise Disturbance(f"can't start a process for an external agent: {os.strerror(-process)}")
        return process

    def end(self, agent: int) -> int:
        self.requests.sendall(b"E" + agent.to_bytes(8, "big"))
        return self._answer()

    def _answer(self) -> int:
        answer = b""
        while len(answer) < 8:
            more = self.requests.recv(8 - len(answer))
            if not more:
                raise ConnectionError("the server of external agents has ended")
            answer += more
        self.requests.settimeout(SERVER_SECONDS)
        return int.from_bytes(answer, "big", signed=True)

    def close(self, kill: bool = False) -> None:
        """End the server, which kills its agents and removes their files; agents also die if it is killed."""
        self.requests.close()
        if not kill:
            with contextlib.suppress(subprocess.TimeoutExpired):
                self.process.wait(SERVER_SECONDS)
        if self.process.poll() is None:
            with contextlib.suppress(OSError):
                os.killpg(self.process.pid, signal.SIGKILL)  # its own process group: bubblewrap and its children
        self.process.wait()
        shutil.rmtree(self.base, ignore_errors=True)


def environment(keep_cache: bool = False) -> dict[str, str]:
    """Return the environment of an agent's process: almost none of the user's variables."""
    kept = ("SYSTEMROOT", "INAROW_CACHE", "HOME", "XDG_CACHE_HOME") if keep_cache else ("SYSTEMROOT",)
    return {
        "PATH": os.defpath,
        "LANG": "C.UTF-8",
        "PYTHONPATH": str(Path(inarow.__file__).resolve().parents[1]),
        "PYTHONHASHSEED": "0",
        "PYTHONDONTWRITEBYTECODE": "1",
        "MALLOC_ARENA_MAX": "2",  # else each thread reserves 64 MB of its allowance
        "OPENBLAS_NUM_THREADS": "1",
        "OMP_NUM_THREADS": "1",
        **{name: os.environ[name] for name in kept if name in os.environ},
    }


class _Servers:
    """The servers of this process: started with the first agent, and again when one has died."""

    def __init__(self) -> None:
        self.lock = threading.Lock()
        self.servers: dict[Policy, _Server] = {}

    def start(self, policy: Policy, connection: socket.socket, output: int) -> tuple[_Server, int]:
        """Fork a process; return its server and its id."""
        with self.lock:
            server = self.servers.get(policy)
            if server is not None:
                with contextlib.suppress(OSError):
                    return server, server.start(connection, output)
                self._drop(server)  # it was killed, or stopped
                server = None
            reason: OSError | None = None
            can_wrap = not policy.allow_solver and sandbox.bubblewrap() is not None  # solvers need the user's cache
            for wrapped in (True, False) if can_wrap else (False,):
                try:
                    server = self.servers[policy] = _Server(policy, wrapped)
                    return server, server.start(connection, output)
                except OSError as error:
                    if server is not None:
                        self._drop(server)
                    reason = error
            raise Disturbance(f"the server of external agents can't be started: {reason}")

    def end(self, server: _Server, agent: int) -> int | None:
        """Kill an agent's process; return its exit status, or None if its server has ended."""
        with self.lock:
            if server in self.servers.values():  # else it was replaced, and its agents ended with it
                try:
                    return server.end(agent)
                except OSError:
                    self._drop(server)
            return None

    def _drop(self, server: _Server) -> None:
        self.servers = {key: one for key, one in self.servers.items() if one is not server}
        server.close(kill=True)

    def close(self) -> None:
        with self.lock:
            for server in self.servers.values():
                server.close()
            self.servers = {}


servers = _Servers()


@atexit.register
def close_server() -> None:
    """End the servers and all external agents of this process."""
    servers.close()


class ForkedProcess(Process):
    """A process in the sandbox, forked from the server."""

    def __init__(self, snapshot: Snapshot, policy: Policy) -> None:
        super().__init__()
        with contextlib.ExitStack() as failed:
            self.connection, agent_end = socket.socketpair()
            failed.callback(self.connection.close)
            with agent_end:
                self.output, their_output = os.pipe()
                failed.callback(os.close, self.output)
                os.set_blocking(self.output, False)
                try:
                    self.server, self.pid = servers.start(policy, agent_end, their_output)
                finally:
                    os.close(their_output)
            failed.callback(servers.end, self.server, self.pid)
            self.selector = selectors.DefaultSelector()
            failed.callback(self.selector.close)
            self.selector.register(self.connection, selectors.EVENT_READ)
            self.selector.register(self.output, selectors.EVENT_READ)
            self.folder = snapshot.stage(self.server.base)
            self.scratch = Path(tempfile.mkdtemp(prefix="scratch-", dir=self.server.base))
            failed.pop_all()
        self.handle: int | None = None  # a pidfd, which stays valid if the process id is reused
        with contextlib.suppress(OSError, AttributeError):  # not on every system
            self.handle = os.pidfd_open(self.pid)
        self.resting = False
        self.clock = (~self.pid << 3) | 2  # the processor time of another process, see clock_getcpuclockid(3)
        self.looked = time.monotonic()

    def _suspend(self) -> None:
        """Suspend the process while other agents think: its threads would slow them down unobserved."""
        self.resting = self._signal(signal.SIGSTOP)

    def _signal(self, number: signal.Signals) -> bool:
        """Send the process a signal; return True if that was possible."""
        if self.handle is None:
            return False
        try:
            signal.pidfd_send_signal(self.handle, number)
        except OSError:  # it has ended
            return False
        return True

    def _send(self, data: bytes, seconds: float) -> None:
        if self.resting:
            self.resting = not self._signal(signal.SIGCONT)
        self.connection.settimeout(seconds)
        self.connection.sendall(data)
        self.connection.setblocking(False)

    def _receive(self, seconds: float) -> bytes | None:
        data = None
        for key, _ in self.selector.select(seconds):
            if key.fd == self.output:
                if not self._listen():
                    self.selector.unregister(self.output)
            else:
                try:
                    data = self.connection.recv(65536)
                except BlockingIOError:  # can only be out-of-band data
                    raise ValueError("out-of-band data") from None
                if not data:
                    raise ConnectionError
        return data

    def _watch(self, watch: Stopwatch, seconds: float) -> None:
        super()._watch(watch, seconds)
        if time.monotonic() > self.looked + TICK:  # the check takes longer than a quick decision
            self.looked = time.monotonic()
            self._look()

    def _look(self) -> None:
        """Raise `Fault` if the process has too many threads, or too much in its scratch folder."""
        files, size = self._scratch_use()
        if files > SCRATCH_FILES or size > SCRATCH_BYTES:
            most = f"{SCRATCH_BYTES >> 20} MB or {SCRATCH_FILES:,} files"
            raise self._failed("forbidden", f"it wrote more than {most} to its scratch folder")
        if int(self._status().get("Threads", "1")) > THREADS:
            raise self._failed("forbidden", f"it started more than {THREADS} threads")

    def _used(self, answer: dict[str, Any]) -> float:
        try:
            return time.clock_gettime(self.clock)
        except OSError:
            return self.charged

    def _is_stopped(self) -> bool:
        return self._status().get("State", "").startswith("T")

    def _status(self) -> dict[str, str]:
        """Return the kernel's status of the process; empty if it has ended."""
        try:
            text = Path(f"/proc/{self.pid}/status").read_text(encoding="utf-8", errors="replace")
        except OSError:
            return {}
        return {name: value.strip() for name, _, value in (line.partition(":") for line in text.splitlines())}

    def _is_alive(self) -> bool:
        for _ in range(20):
            if self._status().get("State", "Z").startswith(("Z", "X")):
                return False
            time.sleep(0.005)
        return True

    def _listen(self) -> bool:
        """Read the agent's output; return False at its end."""
        try:
            data = os.read(self.output, 1 << 20)
        except BlockingIOError:
            return True
        self._keep(data)
        return bool(data)

    def close(self) -> int | None:
        if not self.open:
            return None
        self.open = False
        self.selector.close()
        self.connection.close()
        status = servers.end(self.server, self.pid)
        shutil.rmtree(self.scratch, ignore_errors=True)
        with contextlib.suppress(OSError):
            self._listen()
        os.close(self.output)
        if self.handle is not None:
            os.close(self.handle)
        return status
