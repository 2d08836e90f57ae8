"""Placing: the rating of one agent by its matches against players whose ratings are known and stay as they are.

The model is the one for pools. The error has two parts: that of the agent's own matches, clustered by pair, and that of
the players' ratings.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from inarow.stats.intervals import Z95, Interval
from inarow.stats.ratings import ELO, HeadToHead, Model, Points

Z95_ONE_SIDED = 1.6448536269514722


class Placed(NamedTuple):
    """The rating of an agent in Elo, on the scale of the players it met."""

    elo: float
    error: float
    """The standard error."""

    @property
    def interval(self) -> Interval:
        """The rating with its 95 % interval."""
        return Interval(self.elo, self.elo - Z95 * self.error, self.elo + Z95 * self.error)

    @property
    def at_least(self) -> float:
        """The lower end of the one-sided 95 % interval."""
        return self.elo - Z95_ONE_SIDED * self.error

    @property
    def at_most(self) -> float:
        """The upper end of the one-sided 95 % interval."""
        return self.elo + Z95_ONE_SIDED * self.error


class Scale(NamedTuple):
    """The ratings of the players that an agent is measured by."""

    elo: Sequence[float]
    covariance: NDArray[np.float64]
    """Of the Elos."""


def place(scale: Scale, met: Mapping[int, Mapping[Points, int]]) -> Placed:
    """The rating of an agent that met these players, by index: how often each row of its points was seen.

    One virtual drawn pair is spread over its opponents.
    """
    players = len(scale.elo)
    meetings = [HeadToHead(players, other, dict(pairs)) for other, pairs in sorted(met.items())]
    model = Model(players + 1, meetings, 1 / len(meetings))
    strengths = np.array(scale.elo, dtype=np.float64) / ELO
    middle = float(np.mean(strengths[list(met)]))
    at = model.climb(np.array([*strengths, middle]), np.array([players]))
    row = model.information(at)[players]
    own = model.scatter(at)[players, players] / row[players] ** 2 * model.correction
    follows = -row[:players] / row[players]  # how the agent's strength follows those of its opponents
    variance = float(own) * ELO**2 + float(follows @ scale.covariance @ follows)
    return Placed(float(at[players]) * ELO, math.sqrt(variance))


def chi_square_limit(freedom: int) -> float:
    """What a sum of squares with this many degrees of freedom exceeds in 5 % of cases, after Wilson and Hilferty."""
    spread = 2 / (9 * freedom)
    return freedom * (1 - spread + Z95_ONE_SIDED * math.sqrt(spread)) ** 3
