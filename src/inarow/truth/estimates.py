"""How good an agent's values are: what it says a position is worth, against the exact outcome.

Values are judged on a sample in which wins, draws and losses are equally frequent (`positions.value_positions`), and
by two measures that no predictor gains from without telling the outcomes apart: the balanced accuracy is 1/3 for
every constant and every random value, and the skill score is at most 0.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from inarow.solver import Verdict
from inarow.stats import Interval, wilson
from inarow.stats.intervals import Z95

THIRD = 1 / 3
"""A value above 1/3 reads as a win, one below −1/3 as a loss, any other as a draw."""
OUTCOMES = (Verdict.WIN, Verdict.DRAW, Verdict.LOSS)
NAMES = {Verdict.WIN: "won", Verdict.DRAW: "drawn", Verdict.LOSS: "lost"}


def read_value(value: float) -> Verdict:
    """Return the outcome that a value predicts."""
    return Verdict.WIN if value > THIRD else Verdict.LOSS if value < -THIRD else Verdict.DRAW


@dataclass
class OutcomeCounts:
    """The values of positions with one exact outcome."""

    positions: int = 0
    right: int = 0
    """Positions whose value reads as this outcome."""
    error: float = 0.0
    """The sum of squared errors of the expected score (1 + value) / 2, where a draw counts ½."""
    square: float = 0.0
    """The sum of the squares of these squared errors, for the interval of their mean."""

    def add(self, value: float, outcome: Verdict) -> None:
        """Count one position."""
        error = ((value - outcome) / 2) ** 2
        self.positions += 1
        self.right += read_value(value) == outcome
        self.error += error
        self.square += error**2

    def __add__(self, other: OutcomeCounts) -> OutcomeCounts:
        return OutcomeCounts(*(a + b for a, b in zip(vars(self).values(), vars(other).values(), strict=True)))

    @property
    def mean_error(self) -> float:
        """The mean squared error."""
        return self.error / self.positions

    @property
    def variance_of_mean(self) -> float:
        """The estimated variance of the mean squared error."""
        return max(0.0, self.square / self.positions - self.mean_error**2) / self.positions


@dataclass
class ValueAccuracy:
    """Values against exact outcomes, counted by outcome. Decisions without a value are left out."""

    by_outcome: dict[Verdict, OutcomeCounts] = field(default_factory=dict)

    def add(self, value: float | None, outcome: Verdict) -> None:
        """Count the value of a position whose outcome is known; both for the side to move."""
        if value is not None:
            self.by_outcome.setdefault(outcome, OutcomeCounts()).add(value, outcome)

    def __add__(self, other: ValueAccuracy) -> ValueAccuracy:
        """Both counted together."""
        both = [outcome for outcome in OUTCOMES if outcome in self.by_outcome or outcome in other.by_outcome]
        none = OutcomeCounts()
        return ValueAccuracy({o: self.by_outcome.get(o, none) + other.by_outcome.get(o, none) for o in both})

    @property
    def positions(self) -> int:
        """Positions with a value."""
        return sum(counts.positions for counts in self.by_outcome.values())

    def recall(self, outcome: Verdict) -> Interval | None:
        """The share of positions with this outcome whose value reads as it."""
        counts = self.by_outcome.get(outcome)
        return None if counts is None else wilson(counts.right, counts.positions)

    @property
    def balanced_accuracy(self) -> Interval | None:
        """The mean of the three recalls, or None if an outcome is missing: 1/3 for any constant or random value."""
        recalls = [rate for outcome in OUTCOMES if (rate := self.recall(outcome)) is not None]
        if len(recalls) < len(OUTCOMES):
            return None
        mean = sum(rate.estimate for rate in recalls) / len(recalls)
        down = math.hypot(*(rate.estimate - rate.low for rate in recalls)) / len(recalls)
        up = math.hypot(*(rate.high - rate.estimate for rate in recalls)) / len(recalls)
        return Interval(mean, mean - down, mean + up)

    @property
    def skill(self) -> Interval | None:
        """The Brier skill score, or None if an outcome is missing: 1 for exact values, 0 for the best constant, which
        says 0 of every position; negative for values that are worse than that. All outcomes weigh the same."""
        if set(self.by_outcome) != set(OUTCOMES):
            return None
        every, baseline = self.by_outcome.values(), 1 / 6  # the squared error of ½ against 1, ½ and 0
        skill = 1 - sum(counts.mean_error for counts in every) / len(every) / baseline
        half = Z95 * math.sqrt(sum(counts.variance_of_mean for counts in every)) / len(every) / baseline
        return Interval(skill, skill - half, min(1.0, skill + half))

    def to_json(self) -> dict[str, Any]:
        """The counts by outcome, and the two measures."""
        accuracy, skill = self.balanced_accuracy, self.skill
        return {
            **{NAMES[outcome]: vars(counts).copy() for outcome, counts in self.by_outcome.items()},
            "balanced_accuracy": accuracy and accuracy.to_json(),
            "skill": skill and skill.to_json(),
        }

    @classmethod
    def from_json(cls, data: Mapping[str, Any]) -> ValueAccuracy:
        """Read what `to_json` wrote."""
        return cls({outcome: OutcomeCounts(**data[NAMES[outcome]]) for outcome in OUTCOMES if NAMES[outcome] in data})
