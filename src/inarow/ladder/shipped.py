"""The ladders that ship with inarow, one file a game; `scripts/ladder.py` makes them."""

from __future__ import annotations

import math
from collections.abc import Collection, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from functools import lru_cache
from importlib import resources
from typing import Any, NamedTuple

import numpy as np

from inarow.agents import Agent, agent
from inarow.errors import InarowError, unknown
from inarow.formatting import signed
from inarow.match import Openings, parse_openings
from inarow.models.loading import shipped
from inarow.paths import fingerprint, parse_json
from inarow.rules import Game
from inarow.stats import Interval, Scale

QUICK = 12.0
"""Milliseconds per move, at most, of players that are met although others would do."""
STAFF = 5
"""Players that meet the entrants of a league, if nobody is named."""


class LadderError(InarowError):
    """A ladder that is not there, or can't be used as asked."""


@dataclass(frozen=True)
class LadderPlayer:
    """A reference player and its rating."""

    agent: Agent
    elo: Interval
    """The interval is about the mean of the ladder, not about its zero."""
    pairs: int
    """The pairs that its rating is based on."""
    milliseconds: float
    """Per move, when it was rated."""
    model: str | None
    """The SHA-256 of its model, if it has one."""

    def elo_text(self) -> str:
        """Format the rating with its interval."""
        return elo_text(self.elo)

    def is_as_rated(self, game: Game) -> bool:
        """Return True if its model is the one that was rated."""
        return model_hash(self.agent, game) == self.model


@dataclass(frozen=True)
class Ladder:
    """The reference players of a game, the weakest first."""

    game: Game
    version: int
    anchor: str
    """The player whose rating is 0."""
    openings: Openings
    players: tuple[LadderPlayer, ...]
    scale: Scale
    """The ratings of the players, in their order."""

    @property
    def present(self) -> dict[int, LadderPlayer]:
        """The players that can be played against, by their place: those that still have the model that was rated."""
        return {place: one for place, one in enumerate(self.players) if one.is_as_rated(self.game)}

    @property
    def notes(self) -> list[str]:
        """Which players are left out, and why."""
        here = self.present
        return [
            f"{one.agent.spec} is left out of the ladder: its model is not the one that was rated (sha256 {one.model})"
            for place, one in enumerate(self.players)
            if place not in here
        ]

    def is_beatable(self, agent: Agent) -> bool:
        """Return True if one of the players is shown to be stronger than this one."""
        own = next(one.elo for one in self.players if one.agent.spec == agent.spec)
        return any(one.elo.low > own.high for one in self.players)

    def spread(self, count: int, among: Collection[int]) -> list[int]:
        """Choose players spread over the ladder, by place: the weakest and the strongest of these that are quick, and
        others evenly between them."""
        quick = [at for at in sorted(among) if self.players[at].milliseconds <= QUICK]
        count = min(count, len(quick))
        return sorted({quick[round(i * (len(quick) - 1) / max(1, count - 1))] for i in range(count)})


@lru_cache(maxsize=4)
def ladder(game: Game) -> Ladder:
    """Return the ladder of a game. Raises `LadderError` if none ships."""
    data = _read(game.name)
    if data is None:
        raise LadderError(f"no ladder ships for {game}; there are ladders for {' and '.join(_games())}")
    return read_ladder(game, data)


def read_ladder(game: Game, data: Mapping[str, Any]) -> Ladder:
    """Read the content of a ladder's file. Raises `LadderError` if it is not a ladder."""
    with _damage_named(game.name):
        players = tuple(
            LadderPlayer(
                agent(one["agent"]), _interval(one), int(one["pairs"]), _finite(one["milliseconds"]), one["model"]
            )
            for one in data["players"]
        )
        openings = parse_openings(game, data["openings"]["text"])
        declared = {name: value for name, value in data["openings"].items() if name != "text"}
        covariance = np.array([[_finite(value) for value in row] for row in data["covariance"]])
        if covariance.shape != (len(players), len(players)):
            raise ValueError(f"{len(players)} players, and a covariance of {covariance.shape}")
        scale = Scale([one.elo.estimate for one in players], covariance)
        found = Ladder(game, int(data["version"]), data["anchor"], openings, players, scale)
    if openings.to_json() != declared:
        raise LadderError(
            f"the openings of {game} are not those that its ladder was played with; make the ladder again"
        )
    return found


class Staff(NamedTuple):
    """A player that the entrants of a league meet."""

    agent: Agent
    beatable: bool
    """Whether a player of the ladder is shown to be stronger, in every game of the league."""


def staff(games: Sequence[Game], names: Sequence[str] = ()) -> list[Staff]:
    """Return reference players for a league on these games: by name, else some spread over the first ladder.

    All of them are on the ladder of every game.
    """
    ladders = [ladder(game) for game in games]
    common = set.intersection(*({one.agent.spec for one in each.present.values()} for each in ladders))
    for name in names:
        if agent(name).spec not in common:
            raise LadderError(unknown("player of the ladder", name, common))
    wanted = {agent(name).spec for name in names} or common
    here = {at: one for at, one in ladders[0].present.items() if one.agent.spec in wanted}
    places = here if names else ladders[0].spread(STAFF, here)
    return [Staff(here[at].agent, all(each.is_beatable(here[at].agent) for each in ladders)) for at in places]


@lru_cache(maxsize=4)
def known_ratings(game: Game) -> Mapping[str, Interval]:
    """Return the ratings that ship, by canonical spec: of the ladder's players and of the levels of `best`.

    Those of players whose model has changed since are left out; without a ladder there are none.
    """
    with _damage_named(game.name):
        data = [
            *(_read(game.name) or {"players": []})["players"],
            *(_read(f"{game.name}-levels") or {"players": []})["players"],
        ]
        rated = {agent(one["agent"]): one for one in data}
        return {one.spec: _interval(entry) for one, entry in rated.items() if model_hash(one, game) == entry["model"]}


def elo_text(elo: Interval) -> str:
    """Format a rating with its interval, in whole Elo."""
    return "{} ({} to {})".format(*(signed(value).removeprefix("+") for value in elo))


def _interval(entry: Mapping[str, Any]) -> Interval:
    return Interval(_finite(entry["elo"]), _finite(entry["low"]), _finite(entry["high"]))


def _finite(value: float) -> float:
    if not math.isfinite(value):
        raise ValueError(f"{value} is not a finite number")
    return float(value)


@contextmanager
def _damage_named(name: str) -> Iterator[None]:
    """Whatever can't be read in the file of this name becomes a `LadderError`."""
    try:
        yield
    except LadderError:
        raise
    except (InarowError, LookupError, TypeError, ValueError, AttributeError, OverflowError) as error:
        raise LadderError(
            f"the ladder {name}.json of this installation is damaged ({type(error).__name__}: {error!s:.100}); "
            "install inarow again"
        ) from None


def _folder() -> Any:
    return resources.files("inarow").joinpath("data/ladder")


def _games() -> list[str]:
    return sorted(path.name.removesuffix(".json") for path in _folder().iterdir() if "-" not in path.name)


def _read(name: str) -> dict[str, Any] | None:
    path = _folder().joinpath(f"{name}.json")
    if not path.is_file():
        return None
    with _damage_named(name):
        found: dict[str, Any] = parse_json(path.read_bytes())
        return found


_MODELS = {"qlearning": "qlearning", "ntuple": "ntuple", "best": "ntuple"}
"""The kind of model that an agent of this name plays by, if no other is given."""


def model_hash(agent: Agent, game: Game) -> str | None:
    """Return the SHA-256 of the shipped model that a player uses; None if it uses none."""
    kind = _MODELS.get(agent.name)
    path = None if kind is None else shipped(kind, game)
    return None if path is None else fingerprint(path)
