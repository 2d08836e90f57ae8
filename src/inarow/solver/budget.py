"""The budget of an analysis: one limit for all its questions."""

from __future__ import annotations

from inarow.limits import Limit
from inarow.stopping import Clock, Stop


class Budget:
    """A limit that several questions share, and what they have used of it."""

    def __init__(self, limit: Limit, stop: Stop | None, clock: Clock) -> None:
        self.limit = limit
        self.stop = stop
        self.nodes = 0
        self._clock = clock
        self._begun = clock.now()

    @property
    def seconds(self) -> float:
        """Seconds used."""
        return self._clock.now() - self._begun

    def left(self) -> tuple[int | None, float | None]:
        """Nodes and seconds that are left; None without a limit."""
        nodes, seconds = self.limit.nodes, self.limit.seconds
        return (
            None if nodes is None else max(0, nodes - self.nodes),
            None if seconds is None else max(1e-6, seconds - self.seconds),
        )
