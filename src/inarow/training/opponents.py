"""Stages of a training: against whom, for how long, from which seat, and at which rates."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass

from inarow.agents import Agent, AgentError, agent
from inarow.errors import InarowError
from inarow.kernels.qlearning import learning
from inarow.limits import MOST_EPISODES, check_count
from inarow.rules import FIRST, SECOND, Game, Player
from inarow.training.schedules import WRITTEN, Schedule, schedule


class TrainingError(InarowError):
    """A training that can't be run as asked."""


SEATS: dict[str, tuple[Player, ...]] = {"both": (FIRST, SECOND), "first": (FIRST,), "second": (SECOND,)}
"""Where a learner can sit in training."""
_KEYS = ("opponent", "episodes", "epsilon", "alpha", "seat")
_KEY = re.compile(rf"\s*({'|'.join(_KEYS)})\s*=")

# Agents with a compiled twin inside the training kernel, by canonical spec.
_COMPILED = {
    "self": learning.SELF,
    "random": learning.RANDOM,
    "rules": learning.RULES_RANDOM,
    "rules:style=centre": learning.RULES_CENTRE,
    "rules:style=corners": learning.RULES_CORNERS,
}


@dataclass(frozen=True)
class Stage:
    """A part of a training: each episode is against one of these opponents, chosen uniformly at random.

    ``episodes`` is its length; without one it takes an equal share of those that are left. With its own ``alpha`` or
    ``epsilon`` both schedules start anew. ``seat`` is ``first``, ``second`` or ``both``. What is None is the learner's.
    """

    opponents: tuple[str, ...] = ("self",)
    episodes: int | None = None
    alpha: Schedule | None = None
    epsilon: Schedule | None = None
    seat: str | None = None

    def __post_init__(self) -> None:
        if self.episodes is not None:
            check_count("episodes", self.episodes, MOST_EPISODES)
            if self.episodes < 1:
                raise TrainingError(f"a stage needs at least 1 episode, got {self.episodes}")
        if self.seat is not None and self.seat not in SEATS:
            raise TrainingError(f"seat {self.seat!r} of a stage is not one of {', '.join(SEATS)}")

    @property
    def codes(self) -> list[int] | None:
        """The opponents as the kernel knows them; None if one of them plays outside it."""
        codes = [_COMPILED.get(spec) for spec in self.opponents]
        return None if None in codes else [code for code in codes if code is not None]

    def agent(self, index: int) -> Agent | None:
        """The opponent of this index; None for the learner itself."""
        return None if self.opponents[index] == "self" else agent(self.opponents[index])

    def __str__(self) -> str:
        """Write it as `parse_stage` reads it."""
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
        raise TrainingError(f"stage {text!r} has {twice} twice; give it once")
    length = given.get("episodes")
    try:
        return Stage(
            _opponents(given.get("opponent", "self"), game),
            None if length is None else _whole(length),
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
    """Split a stage at the commas before its keys, which are not those of an opponent's spec; without any key the whole
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


def _whole(text: str) -> int:
    try:
        return int(text.replace("_", ""))
    except ValueError:
        raise TrainingError(f"episodes must be a whole number, got {text!r}") from None


def _rate(name: str, text: str | None) -> Schedule | None:
    try:
        return None if text is None else schedule(text)
    except ValueError:
        raise TrainingError(f"{name} must be a rate from 0 to 1, got {text!r}: {WRITTEN}") from None


def stage_ends(stages: Sequence[Stage], episodes: int) -> tuple[int, ...]:
    """Return where each stage ends. Stages without a length take equal parts of what the others leave."""
    open_stages = sum(stage.episodes is None for stage in stages)
    left = episodes - sum(stage.episodes or 0 for stage in stages)
    if left < open_stages or (left and not open_stages):
        raise TrainingError(
            f"the stages take {episodes - left:,} episodes of a training of {episodes:,}; "
            f"{'leave one of the two numbers out' if not open_stages else 'the others need at least one each'}"
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
    """Return how many episodes the stages take together, or None if one of them has no length."""
    lengths = [stage.episodes for stage in stages]
    return None if not lengths or None in lengths else sum(length or 0 for length in lengths)


def training_opponents(stages: Sequence[Stage]) -> list[str]:
    """Return the agents that the learner meets, each once; none in self-play."""
    return list(dict.fromkeys(spec for stage in stages for spec in stage.opponents if spec != "self"))
