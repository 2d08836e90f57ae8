"""How good an agent's values are: what it says a position is worth, against the exact verdict."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from inarow.solver import Verdict
from inarow.stats import Interval, wilson

LEAST_CHANCE = 0.001
"""Chances are kept this far from 0 and 1, so that one wrong certainty is not infinitely bad."""


@dataclass
class ValueAccuracy:
    """Values against verdicts, counted. Decisions without a value are left out."""

    positions: int = 0
    """Positions with a value."""
    decided: int = 0
    """Of these, the won and lost ones, …"""
    sign_right: int = 0
    """… and where the value has the verdict's sign."""
    entropy: float = 0.0
    """The sum of the cross-entropies, in nats."""

    def add(self, value: float | None, verdict: Verdict) -> None:
        """Count the value of a position whose verdict is known; both for the side to move."""
        if value is None:
            return
        self.positions += 1
        self.decided += verdict != 0
        self.sign_right += value * verdict > 0
        self.entropy += cross_entropy(value, verdict)

    def __add__(self, other: ValueAccuracy) -> ValueAccuracy:
        """Both counted together."""
        return ValueAccuracy(
            self.positions + other.positions,
            self.decided + other.decided,
            self.sign_right + other.sign_right,
            self.entropy + other.entropy,
        )

    @property
    def sign_rate(self) -> Interval | None:
        """The share of won and lost positions whose value has the right sign."""
        return wilson(self.sign_right, self.decided)

    @property
    def mean_entropy(self) -> float | None:
        """The mean cross-entropy in nats: 0 knows all, 0.693 (ln 2) says 0 of every position."""
        return self.entropy / self.positions if self.positions else None

    def to_json(self) -> dict[str, Any]:
        """The counts and the mean, as plain values."""
        return {
            "positions": self.positions,
            "decided": self.decided,
            "sign_right": self.sign_right,
            "cross_entropy": self.mean_entropy,
        }

    @classmethod
    def from_json(cls, counts: Mapping[str, Any]) -> ValueAccuracy:
        """What `to_json` wrote."""
        positions = int(counts["positions"])
        entropy = positions * float(counts["cross_entropy"] or 0.0)
        return cls(positions, int(counts["decided"]), int(counts["sign_right"]), entropy)


def cross_entropy(value: float, verdict: Verdict) -> float:
    """How surprising a verdict is to a value, in nats. A value v is taken for an expected score of (1 + v) ÷ 2, where a
    win counts 1 and a draw ½."""
    chance = min(1 - LEAST_CHANCE, max(LEAST_CHANCE, (1 + value) / 2))
    score = (1 + verdict) / 2
    return -(score * math.log(chance) + (1 - score) * math.log(1 - chance))
