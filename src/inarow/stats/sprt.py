"""The sequential probability ratio test on pairs: plays until one of two hypotheses about the Elo is accepted.

The hypotheses are that the first agent is ``elo0``, or ``elo1``, stronger on the logistic scale (an expected score of
1 / (1 + 10^(−elo / 400)) a match). Pairs have five scores, 0, ¼, ½, ¾ and 1 a match, with unknown chances: the
generalised test compares the most likely chances under either hypothesis (Van den Bergh's GSPRT).
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import NamedTuple, Protocol

from inarow.errors import InarowError
from inarow.stats.ratings import expected_score

SCORES = (0.0, 0.25, 0.5, 0.75, 1.0)
"""What a pair can score a match; pentanomial counts are in this order."""

LEAST_RISK = 1e-9

_UNSEEN = 1e-3  # pairs that a score never seen is taken to have had, so that no chance is 0


def pentanomial(scores: Mapping[float, int]) -> tuple[int, ...]:
    """Count how many pairs had each of the five scores."""
    return tuple(scores.get(score, 0) for score in SCORES)


class Scored(Protocol):
    """What pairs have scored, such as a `Series`."""

    @property
    def pair_scores(self) -> Mapping[float, int]:
        """How many pairs had each score per match."""


@dataclass(frozen=True)
class SprtState:
    """Where a test stands."""

    llr: float
    """The log of the likelihood ratio: above 0 it speaks for ``elo1``."""
    lower: float
    upper: float

    @property
    def accepted(self) -> str | None:
        """``elo0`` or ``elo1`` once one is accepted."""
        return "elo0" if self.llr <= self.lower else "elo1" if self.llr >= self.upper else None


class Expected(NamedTuple):
    """What a test takes and does, for one true strength."""

    elo: float
    draws: float
    accepts: float
    """How likely it accepts ``elo1``."""
    pairs: float
    """How many it takes on average."""

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
    """A test; ``alpha`` and ``beta`` are how often it may wrongly accept ``elo1`` and ``elo0``."""

    elo0: float = 0.0
    elo1: float = 20.0
    alpha: float = 0.05
    beta: float = 0.05

    def __post_init__(self) -> None:
        if not self.elo0 < self.elo1:
            raise InarowError(f"elo0 = {self.elo0:g} and elo1 = {self.elo1:g}: the second must be greater")
        if abs(self.elo0) > 2000 or abs(self.elo1) > 2000:
            raise InarowError(f"elo0 = {self.elo0:g} and elo1 = {self.elo1:g}: give differences from −2000 to 2000")
        if not (LEAST_RISK <= self.alpha < 0.5 and LEAST_RISK <= self.beta < 0.5):
            raise InarowError(
                f"alpha = {self.alpha:g} and beta = {self.beta:g}: give rates from {LEAST_RISK:g} on, below 0.5"
            )

    @property
    def bounds(self) -> tuple[float, float]:
        """The log likelihood ratios at which ``elo0`` and ``elo1`` are accepted."""
        return math.log(self.beta / (1 - self.alpha)), math.log((1 - self.beta) / self.alpha)

    def expected(self, elo: float, draws: float) -> Expected:
        """What the test takes and does if the first agent is this much stronger and ``draws`` is the share of draws (at
        most what the score allows).

        By Wald's approximation for a Brownian motion: the log likelihood ratio of a pair has the drift
        (s1 − s0) (2 s − s0 − s1) / (2 v) and the variance (s1 − s0)² / v, where v is the variance of a pair's score.
        """
        low, high = self.bounds
        s0, s1, s = (expected_score(one) for one in (self.elo0, self.elo1, elo))
        variance = (s * (1 - s) - min(draws, 1.9 * min(s, 1 - s)) / 4) / 2
        drift, spread = (s1 - s0) * (2 * s - s0 - s1) / (2 * variance), (s1 - s0) ** 2 / variance
        lean = 2 * drift / spread
        if abs(lean) < 1e-6:
            return Expected(elo, draws, -low / (high - low), -low * high / spread)
        accepts = math.expm1(-lean * low) / (math.exp(-lean * low) - math.exp(-lean * high))
        return Expected(elo, draws, accepts, (high * accepts + low * (1 - accepts)) / drift)

    @staticmethod
    def next_look(pairs: int) -> int:
        """Return after how many pairs in all the test is looked at next: after each."""
        return pairs + 1

    def is_enough(self, series: Scored) -> bool:
        """Return True if the test has accepted one of its hypotheses."""
        return self.state(pentanomial(series.pair_scores)).accepted is not None

    def state(self, counts: Sequence[int]) -> SprtState:
        """Return where the test stands after pairs with these pentanomial counts."""
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
    """Return the most likely chances whose mean score is ``mean``: p / (1 + t·(score − mean)), for the right t.

    The sum of p·(score − mean) / (1 + t·(score − mean)) falls in t; its root is found by Newton's method, kept
    within the bracket that leaves every chance positive.
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
