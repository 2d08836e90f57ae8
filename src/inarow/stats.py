"""Intervals (95 % unless ``z`` is given), confidence sequences, Elo ratings and the sequential probability ratio test.

**Ratings** use the Bradley–Terry model on points.

Agent i has a strength s(i). Its expected score against j, a draw counting half a point, is 1 / (1 + exp(−d)), where
d = s(i) − s(j); Elo is d · 400 / ln 10, so 400 Elo mean an expected score of 10/11. The fitted strengths make
every agent's expected points equal to its points (the quasi-likelihood of a binomial rate), so the relation also holds
for games with many draws.

The prior is one virtual drawn pair for each pairing (one point of two), which keeps ratings finite if one side won all.
Errors are clustered by pair (the sandwich estimator), because the two matches of a pair share their opening, and
because points with draws vary less than wins and losses.

**A confidence sequence** is an interval for the mean of scores in [0, 1] that stays valid at every sample size.

It uses betting (Waudby-Smith and Ramdas, Estimating means of bounded random variables by betting, JRSS-B 2024).
To test a mean m, a gambler stakes the share θ of its capital on each score x, whose factor is 1 + θ (x / m − 1); if m
is the true mean, the expected factor is 1. The capital is then a martingale, and by Ville's inequality it ever reaches
1 / α with a probability of at most α. Means for which the capital reaches 1 / α are excluded.

The capital is spread over several fixed shares θ, as in Cover's universal portfolio (Mathematical Finance 1991; Orabona
and Jun, Tight concentrations and confidence sequences from the regret of universal portfolio, 2021). So it depends on
how often each score was seen, not on their order.

**The sequential probability ratio test** on pairs plays until one of two hypotheses about the Elo is accepted.

The hypotheses are that the first agent is ``elo0``, or ``elo1``, stronger on the logistic scale (an expected score of
1 / (1 + 10^(−elo / 400)) per match). Pairs have five scores, 0, ¼, ½, ¾ and 1 per match, with unknown probabilities;
the generalised test compares the maximum-likelihood probabilities under either hypothesis (Van den Bergh's GSPRT).
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import lru_cache
from numbers import Real
from typing import NamedTuple, Protocol

import numpy as np
import numpy.typing as npt
from numpy.typing import NDArray

from inarow.errors import InarowError, check_instance, check_integer

Z95 = 1.959963984540054


class Interval(NamedTuple):
    """An estimate and its 95 % confidence interval."""

    estimate: float
    low: float
    high: float

    def covers(self, value: float) -> bool:
        """Return True if the interval contains this value."""
        check_instance("value", value, Real, "a number")
        return self.low <= value <= self.high

    def to_json(self, digits: int = 6) -> dict[str, float]:
        """Return it for JSON, rounded to hide the last bits of a sum."""
        digits = check_integer("digits", digits, 0, 15)
        return {name: round(value, digits) for name, value in self._asdict().items()}


def wilson(successes: int, trials: int, z: float = Z95) -> Interval | None:
    """Return Wilson's interval for a rate; None without trials."""
    if trials == 0:
        return None
    rate = successes / trials
    spread = z * math.sqrt(rate * (1 - rate) / trials + z * z / (4 * trials * trials))
    centre = rate + z * z / (2 * trials)
    scale = 1 + z * z / trials
    # The ends are exact at rates of 0 and 1, where rounding would put them slightly outside.
    low = 0.0 if successes == 0 else (centre - spread) / scale
    high = 1.0 if successes == trials else (centre + spread) / scale
    return Interval(rate, low, high)


Weighted = Mapping[tuple[float, float], int]
"""Counts by (weight, score). A pair has weight 1, a single match ½, and three pairs on one opening, as a cluster, 3."""


def bounded_mean(scores: Iterable[float] | Mapping[float, int], z: float = Z95) -> Interval | None:
    """Return an interval for the mean of scores in [0, 1], such as those of pairs; None without scores.

    The scores are given one by one, or as counts.
    """
    counts = scores if isinstance(scores, Mapping) else Counter(scores)
    return weighted_mean({(1.0, score): count for score, count in counts.items()}, z)


def weighted_mean(scores: Weighted, z: float = Z95, clusters: Weighted | None = None) -> Interval | None:
    """Return an interval for the weighted mean of scores in [0, 1]; None without scores.

    The interval contains the means that a self-normalised sum does not exclude; it stays accurate in the tails, which
    matter when several comparisons share one error. ``clusters`` are the same scores, grouped; if given, the wider of
    the intervals over scores and over clusters is returned.
    """
    total = math.fsum(weight * count for (weight, _), count in scores.items())
    if not total:
        return None
    estimate = math.fsum(weight * score * count for (weight, score), count in sorted(scores.items())) / total
    sums = _Sums.of(scores, clusters)
    mean, spread = sums.mean, sums.spread(z)
    return Interval(estimate, min(estimate, max(0.0, mean - spread)), max(estimate, min(1.0, mean + spread)))


def deviation(scores: Weighted, clusters: Weighted | None = None) -> float | None:
    """Return by how many standard errors the mean of the scores exceeds ½; None without scores.

    `weighted_mean` excludes ½ where this is beyond ± ``z``.
    """
    return _Sums.of(scores, clusters).deviation if any(scores.values()) else None


class _Sums(NamedTuple):
    """Sums over scores. Two scores of 0 and two of 1 are added so that equal scores don't give an error of 0, as in the
    Agresti–Coull interval of a rate."""

    mean: float
    total: float
    """The weights."""
    squares: float
    """The squared weights."""
    scatter: float
    """Weighted squared deviations from the mean, of scores or of clusters, whichever is larger."""

    @classmethod
    def of(cls, scores: Weighted, clusters: Weighted | None) -> _Sums:
        rows = [(weight, score, count) for (weight, score), count in sorted(scores.items())] + [(1, 0, 2), (1, 1, 2)]
        total = math.fsum(weight * count for weight, _, count in rows)
        mean = math.fsum(weight * score * count for weight, score, count in rows) / total
        squares = math.fsum(weight * weight * count for weight, _, count in rows)
        scatter = max(_scatter(scores, mean), _scatter(clusters or {}, mean))
        return cls(mean, total, squares, scatter + 2 * mean**2 + 2 * (1 - mean) ** 2)

    def spread(self, z: float) -> float:
        """Return half the width of the interval: the largest distance of a mean m from this one for which the sum of
        the deviations from m is at most z times the root of the sum of their squares."""
        left = self.total**2 - z**2 * self.squares
        return z * math.sqrt(self.scatter / left) if left > 0 else 1.0

    @property
    def deviation(self) -> float:
        off = self.mean - 0.5
        return off * self.total / math.sqrt(self.scatter + off**2 * self.squares)


def _scatter(scores: Weighted, mean: float) -> float:
    return math.fsum(count * (weight * (score - mean)) ** 2 for (weight, score), count in sorted(scores.items()))


def holm(p_values: Sequence[float]) -> list[float]:
    """Adjust the p-values of several tests by Holm's method: at 0.05, the family-wise error rate is at most 5 %."""
    order = sorted(range(len(p_values)), key=p_values.__getitem__)
    adjusted, most = [0.0] * len(p_values), 0.0
    for rank, index in enumerate(order):
        most = max(most, min(1.0, (len(p_values) - rank) * p_values[index]))
        adjusted[index] = most
    return adjusted


Floats = npt.NDArray[np.float64]

STAKES = 0.5 ** (np.arange(12) / 2)
"""The shares θ, from 1 (for equal scores) to 1/45 (for means close to the true one); the capital is split equally."""

_HALVINGS = 40


def log_capital(scores: Sequence[float], counts: npt.ArrayLike, mean: float) -> Floats:
    """Return the logarithm of the capital won against this mean by bets on higher scores.

    The last axis of ``counts`` has the number of times each score was seen; the other axes are separate experiments.
    The result decreases with ``mean``, which must be positive.
    """
    seen = np.asarray(counts, dtype=float)
    with np.errstate(divide="ignore", invalid="ignore"):
        factors = np.log(np.maximum(0.0, 1 + np.outer(np.asarray(scores) / mean - 1, STAKES)))
        won = np.where(seen[..., None] > 0, seen[..., None] * factors, 0.0).sum(axis=-2)  # 0 × −∞ counts as 0
    highest = won.max(axis=-1, keepdims=True)
    shift = np.where(np.isfinite(highest), highest, 0.0)
    with np.errstate(divide="ignore"):
        logs: Floats = np.log(np.exp(won - shift).mean(axis=-1)) + shift[..., 0]
    return logs


def confidence_sequence(counts: Mapping[float, int], alpha: float) -> Interval | None:
    """Return the mean of scores with an interval that covers the true mean at all looks with probability 1 − ``alpha``.

    None without scores.
    """
    seen = tuple((score, count) for score, count in sorted(counts.items()) if count)
    return _sequence(seen, alpha) if seen else None


@lru_cache(maxsize=1024)
def _sequence(scores: tuple[tuple[float, int], ...], alpha: float) -> Interval:
    """Return `confidence_sequence`, cached because a page shows the interval of a pairing in many places."""
    seen = dict(scores)
    estimate = math.fsum(score * count for score, count in seen.items()) / sum(seen.values())
    low = _excluded_below(seen, alpha / 2, estimate)
    high = 1 - _excluded_below({1 - score: count for score, count in seen.items()}, alpha / 2, 1 - estimate)
    return Interval(estimate, min(low, estimate), max(high, estimate))


def _excluded_below(seen: Mapping[float, int], alpha: float, estimate: float) -> float:
    """Return the smallest mean that the bets on higher scores don't exclude; it is below the estimate."""
    needed = -math.log(alpha)
    low, high = 0.0, estimate
    for _ in range(_HALVINGS):
        middle = (low + high) / 2
        if middle > 0 and log_capital(list(seen), list(seen.values()), middle) >= needed:
            low = middle
        else:
            high = middle
    return low


def sequential_p_value(counts: Mapping[float, int], mean: float) -> float | None:
    """Return an anytime-valid p-value: an upper bound on the probability of ever seeing such evidence against the mean.

    Both sides are tested. The interval of `confidence_sequence` excludes the mean where this is at most ``alpha``.
    """
    if not any(counts.values()):
        return None
    up = log_capital(list(counts), list(counts.values()), mean)
    down = log_capital([1 - score for score in counts], list(counts.values()), 1 - mean)
    return min(1.0, 2 * math.exp(-max(float(up), float(down))))


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
    """Return the standard deviation of the points of one match, given the number of pairs by score per match."""
    count = sum(pairs.values())
    if not count:
        return 0.0
    mean = sum(score * n for score, n in pairs.items()) / count
    return math.sqrt(2 * sum(n * (score - mean) ** 2 for score, n in pairs.items()) / count)


@dataclass(frozen=True)
class HeadToHead:
    """The matches of two agents (by index): the number of times that each row of points occurred.

    A row has the points of ``a`` in each match: ``(1.0, 0.5)`` for a pair, ``(1.0,)`` for a single match.
    """

    a: int
    b: int
    pairs: Mapping[Points, int] = field(default_factory=dict)


@dataclass(frozen=True)
class Ratings:
    """Elo of each agent of a pool, with mean 0."""

    elo: tuple[float, ...]
    covariance: NDArray[np.float64]
    """Covariance of the Elos, n × n."""

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
    """Return the Bradley–Terry ratings of a pool; ``prior`` is the number of virtual drawn pairs per pairing."""
    model = RatingModel(agents, meetings, prior)
    at = model.climb(np.zeros(agents), np.arange(agents))
    at -= at.mean() if agents else 0.0
    inverse = np.linalg.inv(model.held_information(at))
    covariance = inverse @ model.scatter(at) @ inverse * model.correction
    return Ratings(tuple(float(s) * ELO for s in at), covariance * ELO**2)


class RatingModel:
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
        """Map a number for each meeting to its gradient, a row over all strengths."""
        rows = np.zeros((len(surprise), self.agents))
        each = np.arange(len(surprise))
        np.add.at(rows, (each, self.a), surprise)
        np.add.at(rows, (each, self.b), -surprise)
        return rows

    def gradient(self, at: NDArray[np.float64]) -> NDArray[np.float64]:
        return np.asarray(self._spread(self.points - self.matches * self.expected(at)).sum(axis=0))

    def information(self, at: NDArray[np.float64]) -> NDArray[np.float64]:
        """Return the negative Hessian."""
        score = self.expected(at)
        weight = self.matches * score * (1 - score)
        rows = self._spread(np.ones(len(weight)))
        return np.asarray((rows * weight[:, None]).T @ rows)

    def held_information(self, at: NDArray[np.float64]) -> NDArray[np.float64]:
        """Return the information with the mean of the strengths, which is not identified, fixed at 0."""
        return np.asarray(self.information(at) + 1.0)

    def scatter(self, at: NDArray[np.float64]) -> NDArray[np.float64]:
        """Sum the outer products of the gradients of pairs.

        A virtual pair counts as a quarter of a pair won, half a pair drawn and a quarter of a pair lost: as a single
        drawn pair it would add nothing, and a table of equal pairs would have an error of 0.
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
        """Return the maximum-likelihood values of the free strengths, the others fixed, by Newton's method with step
        halving (the likelihood is concave)."""
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
    """The rating of an agent in Elo, on the scale of its opponents."""

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
    """The ratings of reference players."""

    elo: Sequence[float]
    covariance: NDArray[np.float64]
    """Covariance of the Elos."""


def place(scale: Scale, met: Mapping[int, Mapping[Points, int]]) -> Placed:
    """Rate an agent by its rows of points (see `HeadToHead`) against these players (by index).

    The prior is one virtual drawn pair, spread over its opponents.
    """
    players = len(scale.elo)
    meetings = [HeadToHead(players, other, dict(pairs)) for other, pairs in sorted(met.items())]
    model = RatingModel(players + 1, meetings, 1 / len(meetings))
    strengths = np.array(scale.elo, dtype=np.float64) / ELO
    middle = float(np.mean(strengths[list(met)]))
    at = model.climb(np.array([*strengths, middle]), np.array([players]))
    row = model.information(at)[players]
    own = model.scatter(at)[players, players] / row[players] ** 2 * model.correction
    follows = -row[:players] / row[players]  # derivative of the agent's strength by those of its opponents
    variance = float(own) * ELO**2 + float(follows @ scale.covariance @ follows)
    return Placed(float(at[players]) * ELO, math.sqrt(variance))


def chi_square_limit(freedom: int) -> float:
    """Return the 95 % quantile of χ² with this many degrees of freedom (Wilson–Hilferty approximation)."""
    spread = 2 / (9 * freedom)
    return freedom * (1 - spread + Z95_ONE_SIDED * math.sqrt(spread)) ** 3


SCORES = (0.0, 0.25, 0.5, 0.75, 1.0)
"""The possible scores of a pair per match, in the order of pentanomial counts."""

MIN_RISK = 1e-9

_UNSEEN = 1e-3  # pseudo-count of an unseen score, so that no probability is 0


def pentanomial(scores: Mapping[float, int]) -> tuple[int, ...]:
    """Count how many pairs had each of the five scores."""
    return tuple(scores.get(score, 0) for score in SCORES)


class Scored(Protocol):
    """Scores of pairs, such as a `Series`."""

    @property
    def pair_scores(self) -> Mapping[float, int]:
        """The number of pairs with each score per match."""


@dataclass(frozen=True)
class SprtState:
    """The state of a test."""

    llr: float
    """The log likelihood ratio; positive values favour ``elo1``."""
    lower: float
    upper: float

    @property
    def accepted(self) -> str | None:
        """``elo0`` or ``elo1`` once one is accepted."""
        return "elo0" if self.llr <= self.lower else "elo1" if self.llr >= self.upper else None


class Expected(NamedTuple):
    """The length and power of a test, for one true strength."""

    elo: float
    draws: float
    accepts: float
    """The probability of accepting ``elo1``."""
    pairs: float
    """The expected number."""

    def to_json(self) -> dict[str, float]:
        """Return it for JSON, with matches in place of pairs."""
        return {
            "elo": self.elo,
            "draws": self.draws,
            "accepts_elo1": round(self.accepts, 6),
            "matches": 2 * round(self.pairs),
        }


PLANNED_DRAWS = (0.0, 0.4, 0.8)
"""Shares of draws for which a plan is printed."""


@dataclass(frozen=True)
class Sprt:
    """A test; ``alpha`` and ``beta`` are the error rates of wrongly accepting ``elo1`` and ``elo0``."""

    elo0: float = 0.0
    elo1: float = 20.0
    alpha: float = 0.05
    beta: float = 0.05

    def __post_init__(self) -> None:
        if not self.elo0 < self.elo1:
            raise InarowError(f"elo1 must be greater than elo0, got elo0 = {self.elo0:g} and elo1 = {self.elo1:g}")
        if abs(self.elo0) > 2000 or abs(self.elo1) > 2000:
            raise InarowError(f"elo0 and elo1 must be from −2000 to 2000, got {self.elo0:g} and {self.elo1:g}")
        if not (MIN_RISK <= self.alpha < 0.5 and MIN_RISK <= self.beta < 0.5):
            raise InarowError(
                f"alpha and beta must be at least {MIN_RISK:g} and below 0.5, got {self.alpha:g} and {self.beta:g}"
            )

    @property
    def bounds(self) -> tuple[float, float]:
        """The log likelihood ratios at which ``elo0`` and ``elo1`` are accepted."""
        return math.log(self.beta / (1 - self.alpha)), math.log((1 - self.beta) / self.alpha)

    def expected(self, elo: float, draws: float) -> Expected:
        """Return the expected length and power of the test if the first agent is this much stronger, for a share of
        ``draws`` (capped by the score).

        By Wald's approximation for a Brownian motion: the log likelihood ratio of a pair has the drift
        (s1 − s0) (2 s − s0 − s1) / (2 v) and the variance (s1 − s0)² / v, where v is the variance of a pair's score.
        """
        low, high = self.bounds
        s0, s1, s = (expected_score(one) for one in (self.elo0, self.elo1, elo))
        variance = (s * (1 - s) - min(draws, 1.9 * min(s, 1 - s)) / 4) / 2
        drift, spread = (s1 - s0) * (2 * s - s0 - s1) / (2 * variance), (s1 - s0) ** 2 / variance
        ratio = 2 * drift / spread
        if abs(ratio) < 1e-6:
            return Expected(elo, draws, -low / (high - low), -low * high / spread)
        accepts = math.expm1(-ratio * low) / (math.exp(-ratio * low) - math.exp(-ratio * high))
        return Expected(elo, draws, accepts, (high * accepts + low * (1 - accepts)) / drift)

    @staticmethod
    def next_look(pairs: int) -> int:
        """Return the total number of pairs at the next look: the test is checked after each pair."""
        return pairs + 1

    def conclusion(self, accepted: str, a: str, b: str) -> str:
        """State what accepting ``elo1`` or ``elo0`` shows: that the difference is above ``elo0``, or below ``elo1``."""
        above = accepted == "elo1"
        bound = self.elo0 if above else self.elo1
        if not bound:
            return f"{a} is {'stronger' if above else 'weaker'} than {b}"
        more = "more" if above == (bound > 0) else "less"
        return f"{a} is {more} than {abs(bound):g} Elo {'stronger' if bound > 0 else 'weaker'} than {b}"

    def is_enough(self, series: Scored) -> bool:
        """Return True if the test has accepted one of its hypotheses."""
        return self.state(pentanomial(series.pair_scores)).accepted is not None

    def state(self, counts: Sequence[int]) -> SprtState:
        """Return the state of the test after pairs with these pentanomial counts."""
        lower, upper = self.bounds
        return SprtState(self.llr(counts), lower, upper)

    def llr(self, counts: Sequence[int]) -> float:
        """Return the log likelihood ratio of pentanomial counts (pairs that scored 0, ¼, ½, ¾, 1 a match)."""
        if not any(counts):
            return 0.0
        weights = [count or _UNSEEN for count in counts]
        total = math.fsum(weights)
        chances = [weight / total for weight in weights]
        under = [_constrained(chances, expected_score(elo)) for elo in (self.elo0, self.elo1)]
        return math.fsum(n * math.log(p1 / p0) for n, p0, p1 in zip(weights, *under, strict=True))


def _constrained(chances: Sequence[float], mean: float) -> list[float]:
    """Return the maximum-likelihood probabilities with this mean score: p / (1 + t·(score − mean)), for the right t.

    The sum of p·(score − mean) / (1 + t·(score − mean)) falls in t; its root is found by Newton's method, kept
    within the bracket where every probability is positive.
    """
    lean = [score - mean for score in SCORES]
    low, high = -1 / max(lean), -1 / min(lean)
    t = 0.0
    for _ in range(200):
        parts = [1 + t * x for x in lean]
        value = sum(p * x / part for p, x, part in zip(chances, lean, parts, strict=True))
        slope = sum(p * x * x / (part * part) for p, x, part in zip(chances, lean, parts, strict=True))
        low, high = (t, high) if value > 0 else (low, t)
        new = t + value / slope
        if not low < new < high:
            new = (low + high) / 2
        if abs(new - t) < 1e-13 * (1 + abs(t)):
            break
        t = new
    return [p / (1 + t * x) for p, x in zip(chances, lean, strict=True)]
