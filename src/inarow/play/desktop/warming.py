"""Kernels are compiled in a child process, so that the window stays alive.

Agents that need them wait for it in the background; others, and so Easy and Medium, can be played at once.
"""

from __future__ import annotations

import subprocess
import threading
from collections.abc import Callable

from inarow.play.insight import Judge, MoveBounds
from inarow.rules import Game, Position
from inarow.stopping import Stop


class Warming:
    """Starts the child when it is made, on a thread of its own: even to ask whether it is needed imports a lot."""

    def __init__(self) -> None:
        self._child: subprocess.Popen[bytes] | None = None
        self._stopped = False
        self._lock = threading.Lock()
        self._done = threading.Event()
        self.progress = 0.0
        """The share of the kernels that are compiled."""
        threading.Thread(target=self._run, name="inarow-warming", daemon=True).start()

    @property
    def done(self) -> bool:
        """Whether all is compiled."""
        return self._done.is_set()

    def wait(self, seconds: float | None = None) -> bool:
        """Wait until all is compiled, or it was stopped; whether that is so."""
        return self._done.wait(seconds)

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
        from inarow.kernels.warm import start_warming

        with self._lock:
            if not self._stopped:
                self._child = start_warming(subprocess.PIPE)
        try:
            if self._child is not None:
                with self._child:
                    for line in self._child.stdout or ():
                        if line.endswith(b"\n"):  # one that is killed may leave half a line
                            done, modules = map(int, line.split())
                            self.progress = done / modules
        finally:
            self._done.set()


def judge_later(warming: Warming, find: Callable[[Game], Judge | None], game: Game) -> Judge:
    """The judge of a game that is played while kernels are compiled: it answers once they are."""
    found: list[Judge | None] = []

    def judge(position: Position, stop: Stop) -> MoveBounds | None:
        while not warming.wait(0.05):
            if stop.is_set():
                return None
        if not found:
            found.append(find(game))
        return None if found[0] is None else found[0](position, stop)

    return judge
