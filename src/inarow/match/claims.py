"""The one rule by which a series of matches shows that one agent is better than the other.

Every place that says so (the match command, tables of results, sentences of a report) prints a `Claim` made here. A
rule is declared before the matches are played; the usual one is for a number of matches that was fixed beforehand.
How far an agent leads a pool of several is another question, answered by ratings over all their matches; there a rule
says only whether the matches are enough.
"""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum
from statistics import NormalDist
from typing import Any

from inarow.formatting import share
from inarow.match.series import Series, Side
from inarow.stats import Interval


class Finding(StrEnum):
    """What a series shows, in the words that tables and JSON use."""

    NOT_PLAYED = "not played"
    TOO_FEW = "too few matches"
    REPEATED = "too few distinct matches"
    NO_DIFFERENCE = "no difference shown"
    BETTER = "better"


@dataclass(frozen=True)
class Rule:
    """When a difference is claimed. A sequential rule overrides `interval`; a family-wise one raises ``confidence``."""

    confidence: float = 0.95
    """Of the score's interval, which must not cover 50 %."""
    matches: int = 10
    """Fewer are too few."""
    distinct: float = 0.5
    """The least share of distinct matches: repeating one adds nothing, and makes intervals too narrow."""

    def interval(self, side: Side) -> Interval | None:
        """The score of one side, with the interval that this rule looks at."""
        return side.score(NormalDist().inv_cdf((1 + self.confidence) / 2))

    def finding(self, score: Interval | None, matches: int, distinct: int) -> Finding:
        """What a score shows against 50 %."""
        if score is None:
            return Finding.NOT_PLAYED
        if matches < self.matches:
            return Finding.TOO_FEW
        if distinct < self.distinct * matches:
            return Finding.REPEATED
        return Finding.NO_DIFFERENCE if score.covers(0.5) else Finding.BETTER

    def to_json(self) -> dict[str, float]:
        """For JSON."""
        return {"confidence": self.confidence, "min_matches": self.matches, "min_distinct_share": self.distinct}


USUAL = Rule()
"""A number of matches that was fixed beforehand, at 95 %."""


@dataclass(frozen=True)
class Claim:
    """What a series shows about its two agents under a rule."""

    finding: Finding
    better: str
    """The agent with the higher score; it is claimed to be better only if that is the finding."""
    worse: str
    score: Interval | None
    """Of the agent with the higher score."""
    matches: int
    distinct: int
    rule: Rule

    @property
    def winner(self) -> str | None:
        """Who is claimed to be better; None if no one is."""
        return self.better if self.finding is Finding.BETTER else None

    @property
    def verdict(self) -> str:
        """A few words, for a table."""
        return f"{self.better} is better" if self.finding is Finding.BETTER else self.finding.value

    @property
    def sentence(self) -> str:
        """The claim as a sentence."""
        a, b = self.better, self.worse
        if self.finding is Finding.NOT_PLAYED:
            return f"No match between {a} and {b} was finished, so nothing can be said about them."
        if self.finding is Finding.TOO_FEW:
            played = "1 match is" if self.matches == 1 else f"{self.matches:,} matches are"
            return f"{played} too few to tell {a} from {b}."
        if self.finding is Finding.REPEATED:
            return (
                f"No claim is made about {a} and {b}: only {self.distinct:,} of their {self.matches:,} matches are "
                "distinct, so intervals are too narrow."
            )
        if self.finding is Finding.NO_DIFFERENCE:
            return f"No difference is shown between {a} and {b}: {a} scores {share(self.score)}."
        return f"{a} is better than {b}: it scores {share(self.score)} against it."

    def to_json(self) -> dict[str, Any]:
        """For JSON."""
        return {
            "finding": self.finding.value,
            "better": self.winner,
            "sentence": self.sentence,
            "rule": self.rule.to_json(),
        }


def claim(series: Series, rule: Rule = USUAL) -> Claim:
    """What a series shows about its two agents. An agent is never better than itself."""
    a, b = series.sides
    score = rule.interval(a)
    finding = rule.finding(score, series.matches, series.distinct)
    if finding is Finding.BETTER and a.spec == b.spec:
        finding = Finding.NO_DIFFERENCE
    if score is not None and score.estimate < 0.5 and finding is Finding.BETTER:
        a, b, score = b, a, rule.interval(b)
    return Claim(finding, a.spec, b.spec, score, series.matches, series.distinct, rule)
