"""Ratings by Davidson's model: Bradley and Terry's with draws.

Agent i has a strength s(i). Of a match between i and j the odds of win : draw : loss are
exp(d/2) : v : exp(−d/2), where d = s(i) − s(j) and v, one for the whole pool, says how common draws are. Elo is
d · 400 / ln 10, so odds of win to loss of 10 : 1 are 400 Elo.

The prior is one virtual drawn pair for each pairing (a draw, half a win and half a loss): it keeps tables of wins
only or draws only finite. Errors are clustered by pair (the sandwich estimator), because the two matches of a pair
share their opening.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from inarow.stats.intervals import Z95, Interval

ELO = 400 / math.log(10)
"""Elo per unit of log odds."""

Points = tuple[float, ...]

# Counts of wins, draws and losses.
_WIN, _DRAW, _LOSS = np.eye(3)
_ROWS = {1.0: _WIN, 0.5: _DRAW, 0.0: _LOSS}


@dataclass(frozen=True)
class Meeting:
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
    draw: float
    """The model's v: between equals a draw is v / 2 times as likely as a decided match."""

    def rating(self, agent: int) -> Interval:
        """An agent's Elo against the mean of the pool."""
        return _interval(self.elo[agent], self.covariance[agent, agent])

    def difference(self, a: int, b: int) -> Interval:
        """How much stronger a is than b, in Elo."""
        c = self.covariance
        return _interval(self.elo[a] - self.elo[b], c[a, a] + c[b, b] - 2 * c[a, b])


def _interval(estimate: float, variance: float) -> Interval:
    spread = Z95 * math.sqrt(max(0.0, variance))
    return Interval(estimate, estimate - spread, estimate + spread)


class Chances(NamedTuple):
    """What a match of two agents may end with."""

    win: float
    draw: float
    loss: float

    @classmethod
    def of(cls, elo: float, draw: float) -> Chances:
        """Of an agent that is this many Elo stronger, where draws are as common as v says."""
        win, loss = math.exp(elo / ELO / 2), math.exp(-elo / ELO / 2)
        total = win + draw + loss
        return cls(win / total, draw / total, loss / total)

    @property
    def score(self) -> float:
        """Expected points."""
        return self.win + self.draw / 2

    @property
    def information(self) -> float:
        """How much one match tells about the difference in strength: Fisher's information, in log odds. It is the
        variance of the points, and how fast they rise with that difference."""
        return (self.win + self.loss) / 4 - ((self.win - self.loss) / 2) ** 2


def davidson(agents: int, meetings: Sequence[Meeting], prior: float = 1.0) -> Ratings:
    """The ratings of a pool; ``prior`` is how many virtual drawn pairs each meeting is given."""
    model = Model(agents, meetings, prior)
    at = model.climb()
    inverse = np.linalg.inv(model.held_information(at))
    scale = inverse @ model.scatter(at) @ inverse * model.correction
    elo = at[:agents] * ELO
    return Ratings(tuple(float(e) for e in elo), scale[:agents, :agents] * ELO**2, model.draw(at))


class Model:
    """The likelihood; its parameters are the strengths and, last, log v (absent where nothing was drawn)."""

    def __init__(self, agents: int, meetings: Sequence[Meeting], prior: float) -> None:
        self.agents = agents
        self.meetings = meetings
        self.a = np.array([m.a for m in meetings], dtype=np.int64)
        self.b = np.array([m.b for m in meetings], dtype=np.int64)
        self.prior = prior
        # Wins, draws and losses of each meeting's first agent.
        self.counts = np.tile(prior * (_WIN / 2 + _DRAW + _LOSS / 2), (len(meetings), 1))
        for index, meeting in enumerate(meetings):
            for points, count in meeting.pairs.items():
                self.counts[index] += count * sum(_ROWS[point] for point in points)
        self.has_draws = bool(self.counts[:, 1].sum() > 0)
        clusters = sum(sum(m.pairs.values()) for m in meetings) + (len(meetings) if prior else 0)
        self.correction = clusters / (clusters - 1) if clusters > 1 else 1.0

    def draw(self, at: NDArray[np.float64]) -> float:
        return math.exp(at[-1]) if self.has_draws else 0.0

    def chances(self, at: NDArray[np.float64]) -> NDArray[np.float64]:
        """Of win, draw and loss, a row for each meeting."""
        half = (at[self.a] - at[self.b]) / 2
        lines = np.stack([half, np.full_like(half, at[-1] if self.has_draws else -np.inf), -half], axis=1)
        odds = np.exp(lines - lines.max(axis=1, keepdims=True))
        return np.asarray(odds / odds.sum(axis=1, keepdims=True))

    def likelihood(self, at: NDArray[np.float64]) -> float:
        with np.errstate(divide="ignore"):
            logs = np.log(self.chances(at))
        return float(self.counts[self.counts > 0] @ logs[self.counts > 0])

    def _surprise(self, chances: NDArray[np.float64], counts: NDArray[np.float64]) -> NDArray[np.float64]:
        """What the counts have more than expected: of half (wins − losses), and of draws; a row for each meeting."""
        more = counts - counts.sum(axis=1, keepdims=True) * chances
        return np.stack([(more[:, 0] - more[:, 2]) / 2, more[:, 1]], axis=1)

    def _spread(self, rows: NDArray[np.float64]) -> NDArray[np.float64]:
        """Rows of (strength difference, log v) as rows of all parameters."""
        full = np.zeros((len(rows), self.agents + self.has_draws))
        each = np.arange(len(rows))
        np.add.at(full, (each, self.a), rows[:, 0])
        np.add.at(full, (each, self.b), -rows[:, 0])
        if self.has_draws:
            full[:, -1] = rows[:, 1]
        return full

    def gradient(self, at: NDArray[np.float64]) -> NDArray[np.float64]:
        return np.asarray(self._spread(self._surprise(self.chances(at), self.counts)).sum(axis=0))

    def information(self, at: NDArray[np.float64]) -> NDArray[np.float64]:
        """Minus the second derivatives."""
        total = np.zeros((self.agents + self.has_draws,) * 2)
        for (win, draw, loss), counts, a, b in zip(self.chances(at), self.counts, self.a, self.b, strict=True):
            n, lean = counts.sum(), (win - loss) / 2
            by_strength = n * ((win + loss) / 4 - lean**2)
            if a != b:
                total[[a, b], [a, b]] += by_strength
                total[[a, b], [b, a]] -= by_strength
            if self.has_draws:
                total[-1, -1] += n * draw * (1 - draw)
                if a != b:
                    total[[a, -1], [-1, a]] -= n * lean * draw
                    total[[b, -1], [-1, b]] += n * lean * draw
        return total

    def held_information(self, at: NDArray[np.float64]) -> NDArray[np.float64]:
        """The information, with the mean of the strengths, which nothing decides, held at 0."""
        total = self.information(at)
        total[: self.agents, : self.agents] += 1.0
        return total

    def scatter(self, at: NDArray[np.float64]) -> NDArray[np.float64]:
        """The sum over pairs of the outer products of their gradients.

        A virtual pair counts as a quarter of a pair won, half a pair drawn and a quarter of a pair lost: taken as
        one it would add nothing, and a table of equal pairs would have no error at all.
        """
        chances = self.chances(at)
        total = np.zeros((self.agents + self.has_draws,) * 2)
        rows: list[tuple[NDArray[np.float64], NDArray[np.float64]]] = []
        everywhere = np.ones(len(self.meetings))
        for virtual, share in ((_WIN, 0.25), (_DRAW, 0.5), (_LOSS, 0.25)):
            rows.append((np.tile(2 * virtual, (len(self.meetings), 1)), share * self.prior * everywhere))
        for key in sorted({points for meeting in self.meetings for points in meeting.pairs}):
            one = sum((_ROWS[point] for point in key), np.zeros(3))
            often = np.array([m.pairs.get(key, 0) for m in self.meetings], dtype=np.float64)
            rows.append((np.tile(one, (len(self.meetings), 1)), often))
        for counts, often in rows:
            gradients = self._spread(self._surprise(chances, counts))
            total += (gradients * often[:, None]).T @ gradients
        return total

    def climb(self) -> NDArray[np.float64]:
        """The most likely parameters."""
        everything = np.arange(self.agents + self.has_draws)
        at = self.climb_from(np.zeros(len(everything)), everything, self.held_information)
        at[: self.agents] -= at[: self.agents].mean() if self.agents else 0.0
        return at

    def climb_from(
        self,
        at: NDArray[np.float64],
        free: NDArray[np.int64],
        information: Callable[[NDArray[np.float64]], NDArray[np.float64]],
    ) -> NDArray[np.float64]:
        """The most likely values of the free parameters, the others as given, by Newton's method with halved steps (the
        likelihood is concave)."""
        best = self.likelihood(at)
        for _ in range(200):
            step = np.zeros(len(at))
            step[free] = np.linalg.solve(information(at)[np.ix_(free, free)], self.gradient(at)[free])
            while (value := self.likelihood(at + step)) < best and np.abs(step).max() > 1e-12:
                step /= 2
            at, best = at + step, max(value, best)
            if np.abs(step).max() < 1e-12:
                break
        return at
