"""This side of a guest: its process is asked for, asked questions with deadlines, and ended."""

from __future__ import annotations

import contextlib
import os
import selectors
import signal
import socket
import subprocess
import sys
import threading
import time
from pathlib import Path
from typing import Any

import inarow
from inarow.agents.base import Fault
from inarow.agents.external import wire

_KEPT = 4000  # bytes of a guest's output that are kept to be shown


class _Server:
    """The process from which this one's guests are forked."""

    def __init__(self) -> None:
        self.requests, theirs = socket.socketpair()
        environment = {
            "PATH": os.defpath,
            "LANG": "C.UTF-8",
            "PYTHONPATH": str(Path(inarow.__file__).parents[1]),
            "PYTHONHASHSEED": "0",
            "OPENBLAS_NUM_THREADS": "1",
            "OMP_NUM_THREADS": "1",
        }
        self.process = subprocess.Popen(
            [sys.executable, "-m", "inarow.agents.external.server"],
            stdin=theirs.fileno(),
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
            cwd="/",
            env=environment,
            start_new_session=True,
        )
        theirs.close()

    def start(self, connection: socket.socket, output: int) -> int:
        socket.send_fds(self.requests, [b"S"], [connection.fileno(), output])
        return self._answer()

    def end(self, guest: int) -> int:
        self.requests.sendall(b"E" + guest.to_bytes(8, "big"))
        return self._answer()

    def _answer(self) -> int:
        answer = b""
        while len(answer) < 8:
            more = self.requests.recv(8 - len(answer))
            if not more:
                raise ConnectionError("the process that guests are forked from has ended")
            answer += more
        return int.from_bytes(answer, "big", signed=True)

    def close(self) -> None:
        self.requests.close()
        self.process.kill()
        self.process.wait()


class _Servers:
    """The server of this process: begun when the first guest comes, and anew when it has died."""

    def __init__(self) -> None:
        self.lock = threading.Lock()
        self.server: _Server | None = None

    def start(self, connection: socket.socket, output: int) -> tuple[_Server, int]:
        """A new guest: the server that it comes from and its process id."""
        with self.lock:
            if self.server is not None:
                with contextlib.suppress(OSError):
                    return self.server, self.server.start(connection, output)
                self._drop()  # it was killed, perhaps by a guest
            self.server = _Server()
            return self.server, self.server.start(connection, output)

    def end(self, server: _Server, guest: int) -> int:
        """Kill a guest; its exit status."""
        with self.lock:
            if server is self.server:  # else it was replaced, and its guests ended with it
                try:
                    return server.end(guest)
                except OSError:
                    self._drop()
            with contextlib.suppress(OSError):
                os.killpg(guest, signal.SIGKILL)
            return -signal.SIGKILL

    def _drop(self) -> None:
        if self.server is not None:
            self.server.close()
        self.server = None

    def close(self) -> None:
        with self.lock:
            if self.server is not None:
                self.server.requests.close()  # it ends its guests, then itself
                self.server.process.wait()
                self.server = None


_servers = _Servers()


def close_server() -> None:
    """End the server and all guests of this process."""
    _servers.close()


class Guest:
    """A guest's process. Each question has a deadline; a guest that fails is killed with its children."""

    def __init__(self) -> None:
        self.connection, theirs = socket.socketpair()
        self.output, their_output = os.pipe()
        os.set_blocking(self.output, False)
        self.reader = wire.Reader()
        self.said = b""
        self.open = True
        try:
            self.server, self.process = _servers.start(theirs, their_output)
        except BaseException:
            self.connection.close()
            os.close(self.output)
            raise
        finally:
            theirs.close()
            os.close(their_output)

    def ask(self, message: dict[str, Any], seconds: float) -> dict[str, Any] | None:
        """The answer; None if none came in that time. Raises `Fault` if the process has ended."""
        until = time.monotonic() + seconds
        try:
            wire.send(self.connection, message)
            with selectors.DefaultSelector() as both:
                both.register(self.connection, selectors.EVENT_READ)
                both.register(self.output, selectors.EVENT_READ)
                while (left := until - time.monotonic()) > 0:
                    for key, _ in both.select(left):
                        if key.fd == self.output:
                            if not self._listen():
                                both.unregister(self.output)
                            continue
                        data = self.connection.recv(65536)
                        if not data:
                            raise ConnectionError
                        answer = self.reader.feed(data)
                        if answer is not None:
                            return answer
        except ValueError as error:
            raise Fault("exited", f"its process sent {error}{self.words()}") from None
        except OSError:
            raise Fault("exited", self._exit_words()) from None
        return None

    def _exit_words(self) -> str:
        alive = self._is_alive()
        status = self.close()
        if alive:
            how = "it closed the connection to its process"
        elif status < 0:
            how = f"its process was ended by signal {-status}"
        else:
            how = f"its process ended with exit code {status}"
        return how + self.words()

    def _is_alive(self) -> bool:
        """Whether the process still runs; one that has just closed its connection may be about to end."""
        for _ in range(20):
            try:
                text = Path(f"/proc/{self.process}/stat").read_text(encoding="utf-8", errors="replace")
            except OSError:
                return False
            if text.rpartition(")")[2].split()[0] == "Z":
                return False
            time.sleep(0.005)
        return True

    def _listen(self) -> bool:
        """Take in what the guest has printed; False at its end."""
        try:
            data = os.read(self.output, 1 << 20)
        except BlockingIOError:
            return True
        self.said = (self.said + data)[-_KEPT:]
        return bool(data)

    def words(self) -> str:
        """The end of what the guest has printed, to be put after a message."""
        if self.open:
            with contextlib.suppress(OSError):
                self._listen()
        text = " ".join(self.said.decode(errors="replace").split())
        return f"; it printed: …{text[-300:]}" if len(text) > 300 else f"; it printed: {text}" if text else ""

    def close(self) -> int:
        """End the process and its children; its exit status."""
        if not self.open:
            return 0
        self.open = False
        self.connection.close()
        status = _servers.end(self.server, self.process)
        with contextlib.suppress(OSError):
            self._listen()
        os.close(self.output)
        return status
