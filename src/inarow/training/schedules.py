"""Schedules: how a learning rate or an exploration rate changes during training."""

from __future__ import annotations

import dataclasses
import re
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from inarow.agents.parameters import Kind
from inarow.kernels.qlearning import learning

_PATTERN = re.compile(r"\s*(\w+)\s*\(([^()]*)\)\s*")
_CODES = {"constant": learning.CONSTANT, "decay": learning.DECAY, "linear": learning.LINEAR, "visits": learning.VISITS}
WRITTEN = (
    "a number, decay(start,factor,floor) per episode or decay(start,factor,floor,moves) per move, "
    "linear(start,end) over the training or linear(start,end,episodes), or visits(floor): 1, 1/2, 1/3, …"
)


@dataclass(frozen=True)
class Schedule:
    """A rate in [0, 1]: constant; times ``factor`` per episode or move down to ``end``; in a line from ``start`` to
    ``end`` over ``length`` episodes (0: the whole training); or one over the number of visits, at least ``end``."""

    kind: str
    start: float
    factor: float = 1.0
    end: float = 0.0
    length: int = 0
    by_move: bool = False

    def __post_init__(self) -> None:
        if (
            self.kind not in _CODES
            or not all(0 <= number <= 1 for number in (self.start, self.factor, self.end))
            or self.length < 0
        ):
            raise ValueError("a rate must be between 0 and 1")

    @property
    def spans_training(self) -> bool:
        """Whether it depends on the length of the training."""
        return self.kind == "linear" and not self.length

    def array(self, episodes: int) -> NDArray[np.float64]:
        """What kernels read; ``episodes`` is the length of the whole training."""
        middle = (self.length or max(episodes, 1)) if self.kind == "linear" else self.factor
        return np.array([_CODES[self.kind], self.start, middle, self.end, self.by_move], np.float64)

    def __str__(self) -> str:
        if self.kind == "decay":
            return f"decay({self.start:.12g},{self.factor:.12g},{self.end:.12g}{',moves' if self.by_move else ''})"
        if self.kind == "linear":
            return f"linear({self.start:.12g},{self.end:.12g}{f',{self.length}' if self.length else ''})"
        if self.kind == "visits":
            return f"visits({self.end:.12g})"
        return f"{self.start:.12g}"


RateLike = Schedule | float | str
"""What a trainer takes as a rate."""


def schedule(text: str) -> Schedule:
    """The schedule of a text; raises ValueError if it is none."""
    match = _PATTERN.fullmatch(text)
    if match is None:
        return Schedule("constant", float(text))
    name, parts = match[1], [part.strip() for part in match[2].split(",")]
    if name == "decay" and (len(parts) == 3 or parts[3:] == ["moves"]):
        start, factor, end = map(float, parts[:3])
        return Schedule("decay", start, factor, end, by_move=len(parts) == 4)
    if name == "linear" and len(parts) in (2, 3):
        return Schedule("linear", float(parts[0]), end=float(parts[1]), length=int(parts[2]) if parts[2:] else 0)
    if name == "visits" and len(parts) == 1:
        return Schedule("visits", 1.0, end=float(parts[0]) if parts[0] else 0.0)
    raise ValueError(text)


def as_schedule(rate: RateLike) -> Schedule:
    """Return the schedule of a rate: a number, a text, or a schedule."""
    return rate if isinstance(rate, Schedule) else schedule(str(rate))


@dataclass(frozen=True)
class ScheduleKind(Kind):
    """A parameter that is a schedule."""

    @property
    def wanted(self) -> str:
        return f"a rate from 0 to 1: {WRITTEN}"

    def read(self, text: str) -> Any:
        return schedule(text)

    def fits(self, value: Any) -> bool:
        return isinstance(value, Schedule)

    def format(self, value: Any) -> str:
        return str(value)


def rate(default: str, help: str) -> Any:
    """A field for a rate with a schedule."""
    return dataclasses.field(default=schedule(default), metadata={"kind": (ScheduleKind, {"help": help})})
