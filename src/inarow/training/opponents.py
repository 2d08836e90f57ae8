"""Stages of a training (opponents, episodes, seats and rates), and schedules of rates."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from inarow.agents import Agent, AgentError, agent
from inarow.agents.parameters import Kind, parameter
from inarow.errors import InarowError, check_integer
from inarow.kernels import qlearning
from inarow.limits import MAX_EPISODES
from inarow.rules import FIRST, SECOND, Game, Player


class TrainingError(InarowError):
    """The training can't be run with these settings."""


SEATS: dict[str, tuple[Player, ...]] = {"both": (FIRST, SECOND), "first": (FIRST,), "second": (SECOND,)}
"""The seats of a learner in training."""
_KEYS = ("opponent", "episodes", "epsilon", "alpha", "seat")
_KEY = re.compile(rf"\s*({'|'.join(_KEYS)})\s*=")

# Agents with a compiled twin inside the training kernel, by canonical spec.
_COMPILED = {
    "self": qlearning.SELF,
    "random": qlearning.RANDOM,
    "rules": qlearning.RULES_RANDOM,
    "rules:style=centre": qlearning.RULES_CENTRE,
    "rules:style=corners": qlearning.RULES_CORNERS,
}


@dataclass(frozen=True)
class Stage:
    """A part of a training: each episode is against one of these opponents, chosen uniformly at random.

    ``episodes`` is its length, by default an equal share of the remaining ones. With its own ``alpha`` or ``epsilon``
    both schedules restart. ``seat`` is ``first``, ``second`` or ``both``. None stands for the learner's setting.
    """

    opponents: tuple[str, ...] = ("self",)
    episodes: int | None = None
    alpha: Schedule | None = None
    epsilon: Schedule | None = None
    seat: str | None = None

    def __post_init__(self) -> None:
        if self.episodes is not None:
            check_integer("episodes", self.episodes, 1, MAX_EPISODES, TrainingError)
        if self.seat is not None and self.seat not in SEATS:
            raise TrainingError(f"the seat of a stage must be one of {', '.join(SEATS)}, got {self.seat!r}")

    @property
    def codes(self) -> list[int] | None:
        """The opponents as kernel codes; None if one of them does not run in the kernel."""
        codes = [_COMPILED.get(spec) for spec in self.opponents]
        return None if None in codes else [code for code in codes if code is not None]

    def agent(self, index: int) -> Agent | None:
        """Return the opponent at this index; None for the learner itself."""
        return None if self.opponents[index] == "self" else agent(self.opponents[index])

    def __str__(self) -> str:
        """Return the stage as parsed by `parse_stage`."""
        names = " | ".join(self.opponents)
        more = {"episodes": self.episodes, "epsilon": self.epsilon, "alpha": self.alpha, "seat": self.seat}
        given = [f"{name}={value}" for name, value in more.items() if value is not None]
        return ",".join([f"opponent={names}", *given]) if given else names


def parse_stage(text: str, game: Game) -> Stage:
    """Parse a stage: its opponents, or ``opponent=random,episodes=5000,epsilon=0.3`` with alpha and seat as well.

    An opponent is ``self`` or an agent, or several separated by ``|``. All are checked.
    """
    parts = _parts(text)
    given = dict(parts)
    if len(given) < len(parts):
        twice = next(name for name, _ in parts if [key for key, _ in parts].count(name) > 1)
        raise TrainingError(f"stage {text!r}: {twice} is given twice")
    length = given.get("episodes")
    try:
        return Stage(
            _opponents(given.get("opponent", "self"), game),
            None if length is None else _whole_number(length),
            _rate("alpha", given.get("alpha")),
            _rate("epsilon", given.get("epsilon")),
            given.get("seat"),
        )
    except TrainingError as error:
        raise TrainingError(f"stage {text!r}: {error}") from None


def parse_stages(texts: Sequence[str], game: Game) -> tuple[Stage, ...]:
    """Parse the stages of a training (see `parse_stage`)."""
    return tuple(parse_stage(text, game) for text in texts)


def _parts(text: str) -> list[tuple[str, str]]:
    """Split a stage at the commas before its own keys (not the keys of an opponent's spec); without any key the whole
    string is the opponent."""
    if not _KEY.match(text):
        return [("opponent", text)]
    found: list[tuple[str, str]] = []
    for part in text.split(","):
        if key := _KEY.match(part):
            found.append((key[1], part[key.end() :].strip()))
        else:
            found[-1] = (found[-1][0], f"{found[-1][1]},{part.strip()}")
    return found


def _opponents(text: str, game: Game) -> tuple[str, ...]:
    specs = []
    for part in text.split("|"):
        name = part.strip()
        if not name:
            raise AgentError(f"{text!r} is not an opponent; write self, an agent, or several separated by |")
        if name != "self":
            opponent = agent(name)
            opponent.check(game)
            name = opponent.spec
        specs.append(name)
    return tuple(specs)


def _whole_number(text: str) -> int:
    try:
        return int(text.replace("_", ""))
    except ValueError:
        raise TrainingError(f"episodes must be an integer, got {text!r}") from None


def _rate(name: str, text: str | None) -> Schedule | None:
    try:
        return None if text is None else schedule(text)
    except ValueError:
        raise TrainingError(f"{name} must be a rate from 0 to 1, got {text!r}: {WRITTEN}") from None


def stage_ends(stages: Sequence[Stage], episodes: int) -> tuple[int, ...]:
    """Return the end of each stage. Stages without a length share the remaining episodes equally."""
    open_stages = sum(stage.episodes is None for stage in stages)
    left = episodes - sum(stage.episodes or 0 for stage in stages)
    if left < open_stages or (left and not open_stages):
        raise TrainingError(
            f"the stages need {episodes - left:,} episodes, but the training has {episodes:,}; "
            f"{'omit one of the two numbers' if not open_stages else 'the other stages need at least one each'}"
        )
    ends, end, shared = [], 0, 0
    for stage in stages:
        if stage.episodes is None:
            shared += 1
            end += left * shared // open_stages - left * (shared - 1) // open_stages
        else:
            end += stage.episodes
        ends.append(end)
    return tuple(ends)


def total_episodes(stages: Sequence[Stage]) -> int | None:
    """Return the total number of episodes, or None if a stage has no length."""
    lengths = [stage.episodes for stage in stages]
    return None if not lengths or None in lengths else sum(length or 0 for length in lengths)


def training_opponents(stages: Sequence[Stage]) -> list[str]:
    """Return the distinct opponents; empty in self-play."""
    return list(dict.fromkeys(spec for stage in stages for spec in stage.opponents if spec != "self"))


_PATTERN = re.compile(r"\s*(\w+)\s*\(([^()]*)\)\s*")
_CODES = {
    "constant": qlearning.CONSTANT,
    "decay": qlearning.DECAY,
    "linear": qlearning.LINEAR,
    "visits": qlearning.VISITS,
}
WRITTEN = (
    "a number, decay(start,factor,floor) per episode or decay(start,factor,floor,moves) per move, "
    "linear(start,end) over the training or linear(start,end,episodes), or visits(floor): 1, 1/2, 1/3, …"
)


@dataclass(frozen=True)
class Schedule:
    """A rate in [0, 1]: constant; decaying by ``factor`` per episode or move down to ``end``; linear from ``start`` to
    ``end`` over ``length`` episodes (0: the whole training); or 1 / visits, at least ``end``."""

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
        """True if it depends on the length of the training."""
        return self.kind == "linear" and not self.length

    def array(self, episodes: int) -> NDArray[np.float64]:
        """Return what kernels read; ``episodes`` is the length of the whole training."""
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
"""A rate as trainers accept it."""


def schedule(text: str) -> Schedule:
    """Parse a schedule. Raises ValueError if it is invalid."""
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
    """Return the schedule of a rate: a number, a string or a schedule."""
    return rate if isinstance(rate, Schedule) else schedule(str(rate))


@dataclass(frozen=True)
class ScheduleKind(Kind):
    """A parameter that is a schedule; ``none`` is the word for None."""

    none: str | None = None

    @property
    def wanted(self) -> str:
        return (f"{self.none}, or " if self.none else "") + f"a rate from 0 to 1: {WRITTEN}"

    def read(self, text: str) -> Any:
        return None if text == self.none else schedule(text)

    def convert(self, value: Any) -> Any:
        if not isinstance(value, int | float | str) or isinstance(value, bool):
            return value
        try:
            return schedule(str(value))
        except ValueError:
            return value  # `check` rejects it

    def fits(self, value: Any) -> bool:
        return isinstance(value, Schedule) or (value is None and self.none is not None)

    def format(self, value: Any) -> str:
        return self.none if value is None and self.none else str(value)


def rate(default: str, help: str) -> Any:
    """Return a field for a rate with a schedule."""
    return parameter(ScheduleKind, schedule(default), help=help)
