"""Kernels are compiled in a child process, so that the window stays alive; agents wait for it in the background."""

from __future__ import annotations

import subprocess
import threading


class Warming:
    """Starts the child when it is made, on a thread of its own: even to ask whether it is needed imports a lot."""

    def __init__(self) -> None:
        self._child: subprocess.Popen[bytes] | None = None
        self._stopped = False
        self._lock = threading.Lock()
        self._done = threading.Event()
        threading.Thread(target=self._run, name="inarow-warming", daemon=True).start()

    @property
    def done(self) -> bool:
        """Whether all is compiled."""
        return self._done.is_set()

    def wait(self) -> None:
        """Wait until all is compiled, or it was stopped."""
        self._done.wait()

    def stop(self) -> None:
        """End the child."""
        with self._lock:
            self._stopped = True
            child = self._child
        if child is not None and child.poll() is None:
            child.kill()
            child.wait()
        self._done.set()

    def _run(self) -> None:
        from inarow.kernels.compiler.warm import start_warming

        with self._lock:
            if not self._stopped:
                self._child = start_warming()
        if self._child is not None:
            self._child.wait()
        self._done.set()
