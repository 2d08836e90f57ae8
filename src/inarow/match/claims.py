"""Rules that decide whether a series of matches shows one agent to be better than the other.

Every place that claims a difference (the match command, tables of results, reports) prints a `Claim` made here. A rule
is declared before the matches are played: by default for a fixed number of matches, as a `SequentialRule` for matches
that are played until the result is clear. How far an agent leads a pool of several agents is a different question,
answered by ratings over all their matches; there a rule decides only whether enough matches were played.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from enum import StrEnum
from functools import cached_property
from itertools import count
from statistics import NormalDist
from typing import Any

from inarow.formatting import share
from inarow.match.series import Series, Tally
from inarow.stats import Interval, confidence_sequence, holm, sequential_p_value


class Finding(StrEnum):
    """The possible findings of a series, as in tables and JSON."""

    NOT_PLAYED = "not played"
    TOO_FEW = "too few matches"
    NO_DIFFERENCE = "no difference shown"
    EQUAL = "equal"
    BETTER = "better"


@dataclass(frozen=True)
class Rule:
    """A rule for claiming a difference. A sequential rule overrides `interval`; Holm's rule overrides `z`."""

    confidence: float = 0.95
    """Confidence level of the score's interval, which must exclude 50 %."""

    @property
    def z(self) -> float:
        """Standard errors to either side of a score."""
        return NormalDist().inv_cdf((1 + self.confidence) / 2)

    def interval(self, side: Tally) -> Interval | None:
        """Return the score of one side with this rule's interval."""
        return side.score_at(self.z)

    def could_show(self, side: Tally) -> bool:
        """Return True if these matches would show a difference had one side won all of them."""
        score = self.interval(side.all_won())
        return score is not None and not score.covers(0.5)

    @cached_property
    def least_pairs(self) -> int:
        """The smallest number of pairs, each on an opening of its own, that can show a difference."""
        return next(pairs for pairs in count(1) if self.could_show(Tally(pairs=Counter({(1.0, 1.0): pairs}))))

    def finding(self, side: Tally) -> Finding:
        """Return the finding for the score of one side compared with 50 %."""
        score = self.interval(side)
        if score is None:
            return Finding.NOT_PLAYED
        if not score.covers(0.5):
            return Finding.BETTER
        return Finding.NO_DIFFERENCE if self.could_show(side) else Finding.TOO_FEW

    @property
    def coverage(self) -> str:
        """Label of its intervals for a column heading: ``95 %``."""
        return share(self.confidence)

    @property
    def pointwise(self) -> str:
        """Label of intervals that this rule does not adjust, such as those of ratings."""
        return "95 %"

    def to_json(self) -> dict[str, float]:
        """Return it for JSON."""
        return {"confidence": self.confidence}


USUAL = Rule()
"""The default rule: a fixed number of matches, at 95 %."""


@dataclass(frozen=True)
class HolmRule(Rule):
    """Holm's rule, for several pairings with a fixed number of matches.

    If k of m pairings show a difference, each is tested at the level (1 − ``confidence``) / (m − k). So the probability
    that any pairing of equal agents is called decided is at most 1 − ``confidence``.
    """

    comparisons: int = 1
    """The number of pairings that share the error."""
    shown: int = 0
    """The number of pairings that show a difference."""

    @classmethod
    def over(cls, family: Iterable[Series]) -> Rule:
        """Return the rule for these series, the default one for a single series; self-play is ignored."""
        sides = [one.sides[0] for one in family if one.sides[0].spec != one.sides[1].spec]
        errors = [2 * NormalDist().cdf(-abs(side.deviation or 0.0)) for side in sides]
        shown = sum(error < 1 - cls.confidence for error in holm(errors))
        return cls(comparisons=len(sides), shown=shown) if len(sides) > 1 else USUAL

    @property
    def z(self) -> float:
        shared = (1 - self.confidence) / max(1, self.comparisons - self.shown)
        return NormalDist().inv_cdf(1 - shared / 2)

    @property
    def coverage(self) -> str:
        return super().coverage + (f", Holm over {self.comparisons} pairings" if self.comparisons > 1 else "")

    def to_json(self) -> dict[str, float]:
        return {**super().to_json(), "comparisons": self.comparisons, "shown": self.shown}


@dataclass(frozen=True)
class SequentialRule(Rule):
    """A rule for several pairings that are each played until one agent is shown to be better, both are shown to be
    about equal, or their pairs are used up.

    The interval is a confidence sequence, which covers the true score at all looks simultaneously; the error is divided
    among all comparisons (Bonferroni). So the probability that any of them is ever decided wrongly is at most
    1 − ``confidence``, whenever each of them stops.
    """

    comparisons: int = 1
    """The number of pairings that share the error."""
    margin: float = 0.05
    """Agents are called equal once their score is shown to be within this distance of 50 %."""
    precision: float | None = None
    """A decided pairing continues until the half-width of its interval is at most this; None ends it immediately."""

    def interval(self, side: Tally) -> Interval | None:
        return confidence_sequence(side.pair_scores, (1 - self.confidence) / self.comparisons)

    @property
    def coverage(self) -> str:
        return f"{super().coverage}, at any look" + (
            f", all {self.comparisons} together" if self.comparisons > 1 else ""
        )

    @property
    def pointwise(self) -> str:
        return "95 %, fixed-sample"

    def finding(self, side: Tally) -> Finding:
        finding, score = super().finding(side), self.interval(side)
        if finding is Finding.NO_DIFFERENCE and score is not None:
            near = score.low >= 0.5 - self.margin and score.high <= 0.5 + self.margin
            return Finding.EQUAL if near else finding
        return finding

    def is_enough(self, series: Series) -> bool:
        """Return True if a series is decided and its interval is narrow enough."""
        if not claim(series, self).decided:
            return False
        score = self.interval(series.sides[0])
        return self.precision is None or (score is not None and score.high - score.low <= 2 * self.precision)

    def error(self, side: Tally) -> float | None:
        """Bound the probability that any pairing of equal agents ever shows such a difference."""
        one = sequential_p_value(side.pair_scores, 0.5)
        return None if one is None else min(1.0, self.comparisons * one)

    @staticmethod
    def next_look(pairs: int) -> int:
        """Return the total number of pairs at the next look: every 5 pairs at first, later after 10 % more."""
        look = 0
        while look <= pairs:
            look += max(FIRST_LOOKS, look // 10)
        return look

    def to_json(self) -> dict[str, float]:
        precision = {} if self.precision is None else {"precision": self.precision}
        return {**super().to_json(), "comparisons": self.comparisons, "margin": self.margin, **precision}


FIRST_LOOKS = 5
"""Pairs between the first looks of a sequential rule."""


def rule_of(data: Mapping[str, float]) -> Rule:
    """Read a rule that `Rule.to_json` wrote."""
    confidence = data["confidence"]
    if "margin" in data:
        return SequentialRule(confidence, int(data["comparisons"]), data["margin"], data.get("precision"))
    if "shown" in data:
        return HolmRule(confidence, int(data["comparisons"]), int(data["shown"]))
    return Rule(confidence)


@dataclass(frozen=True)
class Claim:
    """The finding of a series about its two agents under a rule."""

    finding: Finding
    better: str
    """The agent with the higher score; better only if the finding says so."""
    worse: str
    score: Interval | None
    """The score of that agent."""
    matches: int
    rule: Rule

    @property
    def winner(self) -> str | None:
        """The agent claimed to be better, or None."""
        return self.better if self.finding is Finding.BETTER else None

    @property
    def verdict(self) -> str:
        """A short form, for a table."""
        if self.finding is Finding.EQUAL:
            return f"equal within {self._margin}"
        return f"{self.better} is better" if self.finding is Finding.BETTER else self.finding.value

    def verdict_for(self, spec: str) -> str:
        """Return a short form for a table row of this agent: ``better``, ``worse``, or as `verdict`."""
        return ("better" if spec == self.better else "worse") if self.winner else self.verdict

    @property
    def _margin(self) -> str:
        return share(self.rule.margin) if isinstance(self.rule, SequentialRule) else ""

    @property
    def decided(self) -> bool:
        """True if it is shown which agent is better, or that they are equal."""
        return self.finding in (Finding.BETTER, Finding.EQUAL)

    @property
    def sentence(self) -> str:
        """The claim as a sentence."""
        a, b = self.better, self.worse
        if self.finding is Finding.NOT_PLAYED:
            return f"No match between {a} and {b} was finished, so there is no result."
        if self.finding is Finding.TOO_FEW:
            played = "1 match is" if self.matches == 1 else f"{self.matches:,} matches are"
            return f"{played} too few to show any difference between {a} and {b}."
        if self.finding is Finding.NO_DIFFERENCE:
            return f"No difference is shown between {a} and {b}: {a} scores {share(self.score)}."
        if self.finding is Finding.EQUAL:
            return f"{a} and {b} are equal within {self._margin}: {a} scores {share(self.score)}."
        return f"{a} is better than {b}: it scores {share(self.score)} against it."

    def to_json(self) -> dict[str, Any]:
        """Return it for JSON."""
        return {
            "finding": self.finding.value,
            "better": self.winner,
            "sentence": self.sentence,
            "rule": self.rule.to_json(),
        }


def claim(series: Series, rule: Rule = USUAL) -> Claim:
    """Return the claim of a series about its two agents. An agent is never better than itself."""
    a, b = series.sides
    score, finding = rule.interval(a), rule.finding(a)
    if finding is Finding.BETTER and a.spec == b.spec:
        finding = Finding.NO_DIFFERENCE
    if score is not None and score.estimate < 0.5:
        a, b, score = b, a, rule.interval(b)
    return Claim(finding, a.spec, b.spec, score, series.matches, rule)
