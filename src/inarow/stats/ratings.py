"""Elo ratings: Bradley and Terry's model on points.

Agent i has a strength s(i). Its expected score against j, a draw counting half a point, is 1 / (1 + exp(−d)), where
d = s(i) − s(j); Elo is d · 400 / ln 10, so 400 Elo are an expected score of 10 points in 11. The strengths are those
for which every agent's expected points are the points that it has won (the quasi-likelihood of a binomial rate), so the
relation holds for games with many draws, too.

The prior is one virtual drawn pair for each pairing (a point of two): it keeps tables of wins only finite. Errors are
clustered by pair (the sandwich estimator), because the two matches of a pair share their opening, and because points
with draws vary less than wins and losses.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from inarow.stats.intervals import Z95, Interval

ELO = 400 / math.log(10)
"""Elo per unit of log odds."""

NORMALISED = 2 * ELO
"""Normalised Elo per standard deviation of the points of a match."""

Points = tuple[float, ...]


def expected_score(elo: float) -> float:
    """Return the expected score per match of an agent that is this many Elo stronger."""
    return 1 / (1 + 10 ** (-elo / 400))


def elo_of(score: float) -> float:
    """Return how many Elo stronger an agent with this expected score is; infinite for 0 and 1."""
    if score in (0, 1):
        return math.inf if score else -math.inf
    return ELO * math.log(score / (1 - score))


def spread(pairs: Mapping[float, int]) -> float:
    """Return the standard deviation of the points of one match, by how many pairs had each score per match."""
    count = sum(pairs.values())
    if not count:
        return 0.0
    mean = sum(score * n for score, n in pairs.items()) / count
    return math.sqrt(2 * sum(n * (score - mean) ** 2 for score, n in pairs.items()) / count)


@dataclass(frozen=True)
class HeadToHead:
    """What two agents, by index, played: how often each row of points (1, ½ or 0 of ``a``, match by match) was seen.

    A row is one pair, ``(1.0, 0.5)``, or a match on its own, ``(1.0,)``.
    """

    a: int
    b: int
    pairs: Mapping[Points, int] = field(default_factory=dict)


@dataclass(frozen=True)
class Ratings:
    """Elo of each agent of a pool, whose mean is 0."""

    elo: tuple[float, ...]
    covariance: NDArray[np.float64]
    """Of the Elos, n × n."""

    def rating(self, agent: int) -> Interval:
        """Return an agent's Elo against the mean of the pool."""
        return _interval(self.elo[agent], self.covariance[agent, agent])

    def difference(self, a: int, b: int) -> Interval:
        """Return how much stronger a is than b, in Elo."""
        c = self.covariance
        return _interval(self.elo[a] - self.elo[b], c[a, a] + c[b, b] - 2 * c[a, b])


def _interval(estimate: float, variance: float) -> Interval:
    spread = Z95 * math.sqrt(max(0.0, variance))
    return Interval(estimate, estimate - spread, estimate + spread)


def bradley_terry(agents: int, meetings: Sequence[HeadToHead], prior: float = 1.0) -> Ratings:
    """Rate a pool; ``prior`` is how many virtual drawn pairs each meeting is given."""
    model = Model(agents, meetings, prior)
    at = model.climb(np.zeros(agents), np.arange(agents))
    at -= at.mean() if agents else 0.0
    inverse = np.linalg.inv(model.held_information(at))
    covariance = inverse @ model.scatter(at) @ inverse * model.correction
    return Ratings(tuple(float(s) * ELO for s in at), covariance * ELO**2)


class Model:
    """The quasi-likelihood of the meetings; its parameters are the strengths."""

    def __init__(self, agents: int, meetings: Sequence[HeadToHead], prior: float) -> None:
        self.agents = agents
        self.meetings = meetings
        self.a = np.array([m.a for m in meetings], dtype=np.int64)
        self.b = np.array([m.b for m in meetings], dtype=np.int64)
        self.prior = prior
        pairs = [[(sum(row), len(row), n) for row, n in m.pairs.items()] for m in meetings]
        self.points = np.array([prior + sum(points * n for points, _, n in rows) for rows in pairs])
        self.matches = np.array([2 * prior + sum(length * n for _, length, n in rows) for rows in pairs])
        clusters = sum(n for rows in pairs for _, _, n in rows) + (len(meetings) if prior else 0)
        self.correction = clusters / (clusters - 1) if clusters > 1 else 1.0

    def expected(self, at: NDArray[np.float64]) -> NDArray[np.float64]:
        """Return the expected score of each meeting's first agent, per match."""
        return np.asarray(1 / (1 + np.exp(at[self.b] - at[self.a])))

    def likelihood(self, at: NDArray[np.float64]) -> float:
        d = at[self.a] - at[self.b]
        lost = self.matches - self.points
        return float(-(self.points * np.logaddexp(0, -d) + lost * np.logaddexp(0, d)).sum())

    def _spread(self, surprise: NDArray[np.float64]) -> NDArray[np.float64]:
        """Turn a number for each meeting into its gradient, a row of all strengths."""
        rows = np.zeros((len(surprise), self.agents))
        each = np.arange(len(surprise))
        np.add.at(rows, (each, self.a), surprise)
        np.add.at(rows, (each, self.b), -surprise)
        return rows

    def gradient(self, at: NDArray[np.float64]) -> NDArray[np.float64]:
        return np.asarray(self._spread(self.points - self.matches * self.expected(at)).sum(axis=0))

    def information(self, at: NDArray[np.float64]) -> NDArray[np.float64]:
        """Return minus the second derivatives."""
        score = self.expected(at)
        weight = self.matches * score * (1 - score)
        rows = self._spread(np.ones(len(weight)))
        return np.asarray((rows * weight[:, None]).T @ rows)

    def held_information(self, at: NDArray[np.float64]) -> NDArray[np.float64]:
        """Return the information with the mean of the strengths, which nothing decides, held at 0."""
        return np.asarray(self.information(at) + 1.0)

    def scatter(self, at: NDArray[np.float64]) -> NDArray[np.float64]:
        """Sum the outer products of the gradients of pairs.

        A virtual pair counts as a quarter of a pair won, half a pair drawn and a quarter of a pair lost: taken as
        one it would add nothing, and a table of equal pairs would have no error at all.
        """
        score = self.expected(at)
        virtual = {2.0: 0.25, 1.0: 0.5, 0.0: 0.25}
        squares = self.prior * sum(share * (points - 2 * score) ** 2 for points, share in virtual.items())
        squares = squares + np.array(
            [
                sum(n * (sum(row) - len(row) * p) ** 2 for row, n in meeting.pairs.items())
                for meeting, p in zip(self.meetings, score, strict=True)
            ]
        )
        rows = self._spread(np.ones(len(score)))
        return np.asarray((rows * squares[:, None]).T @ rows)

    def climb(self, at: NDArray[np.float64], free: NDArray[np.int64]) -> NDArray[np.float64]:
        """The most likely values of the free strengths, the others as given, by Newton's method with halved steps (the
        likelihood is concave)."""
        best = self.likelihood(at)
        information = self.held_information if len(free) == self.agents else self.information
        for _ in range(200):
            step = np.zeros(len(at))
            step[free] = np.linalg.solve(information(at)[np.ix_(free, free)], self.gradient(at)[free])
            while (value := self.likelihood(at + step)) < best and np.abs(step).max() > 1e-12:
                step /= 2
            at, best = at + step, max(value, best)
            if np.abs(step).max() < 1e-12:
                break
        return at


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
    """Rate an agent that met these players, by index: how often each row of its points was seen.

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
    """Return what χ² with this many degrees of freedom exceeds in 5 % of cases, after Wilson and Hilferty."""
    spread = 2 / (9 * freedom)
    return freedom * (1 - spread + Z95_ONE_SIDED * math.sqrt(spread)) ** 3
