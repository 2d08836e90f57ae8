"""The limit of one decision or of one question to the solver."""

from __future__ import annotations

from dataclasses import dataclass, fields, replace
from typing import Any

from inarow.errors import InarowError, check_instance, check_integer, check_number


class LimitError(InarowError):
    """The limit is not a number, not positive, or too large."""


MAX_LIMITS = {
    "depth": 1 << 30,
    "nodes": 1 << 60,
    "simulations": 10**9,
    "seconds": 30 * 86400,
    "match_seconds": 30 * 86400,
}
"""The largest limit of each kind: what kernels can count, and 30 days."""
SHORTEST = 0.0002
"""Minimum seconds left of a used-up limit, so that every move can be visited."""
MAX_MATCHES = 10_000_000
"""Maximum matches of a series, or pairs of a pairing."""
MAX_EPISODES = 10**10
MAX_WORKERS = 1024
USUAL_EVENTS = 100_000
"""Default maximum of a recorded search."""
MAX_EVENTS = 1_000_000


@dataclass(frozen=True, slots=True)
class Limit:
    """A budget for one decision or analysis; None sets no bound. ``depth`` is in plies.

    ``match_seconds`` is the limit of a whole match, which is drawn when it is reached.
    """

    depth: int | None = None
    nodes: int | None = None
    simulations: int | None = None
    seconds: float | None = None
    match_seconds: float | None = None

    def __post_init__(self) -> None:
        for name, most in MAX_LIMITS.items():
            value = getattr(self, name)
            if value is None:
                continue
            if name.endswith("seconds"):
                number = check_number(name, value, positive=True, high=most, error=LimitError)
            else:
                number = check_integer(name, value, 1, most, LimitError)
            if number is not value:
                object.__setattr__(self, name, number)

    @property
    def of_decision(self) -> Limit:
        """The limit of one decision, without `match_seconds`."""
        return self if self.match_seconds is None else replace(self, match_seconds=None)

    def tightened(self, other: Limit) -> Limit:
        """Return the smaller bound of each kind: a match can tighten an agent's limit, never widen it."""
        check_limit(other)
        if other == NO_LIMIT:
            return self
        pairs = {f.name: (getattr(self, f.name), getattr(other, f.name)) for f in fields(self)}
        return Limit(**{name: _smaller(*pair) for name, pair in pairs.items()})

    def part(self, share: float) -> Limit:
        """Return a limit with this share of the nodes (at least one) and seconds."""
        share = check_number("share", share, 0, 1, error=LimitError)
        return replace(
            self,
            nodes=None if self.nodes is None else max(1, int(share * self.nodes)),
            seconds=None if self.seconds is None else share * self.seconds,
        )

    def without(self, nodes: int, seconds: float) -> Limit:
        """Return the rest of the limit after this much was used: at least one node and 0.2 ms."""
        nodes = check_integer("nodes", nodes, 0, error=LimitError)
        seconds = check_number("seconds", seconds, error=LimitError)
        return replace(
            self,
            nodes=None if self.nodes is None else max(1, self.nodes - nodes),
            seconds=None if self.seconds is None else max(SHORTEST, self.seconds - seconds),
        )


def _smaller(a: float | None, b: float | None) -> Any:
    if a is None or b is None:
        return b if a is None else a
    return min(a, b)


def check_limit(limit: Any) -> None:
    """Raise `LimitError` unless this is a limit."""
    check_instance("limit", limit, Limit, "a Limit, such as Limit(seconds=1)", LimitError)


NO_LIMIT = Limit()
