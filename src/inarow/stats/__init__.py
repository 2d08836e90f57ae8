"""Intervals, confidence sequences, ratings and the sequential test: numbers in, numbers out."""

from inarow.stats.intervals import (
    Z95,
    Interval,
    bounded_mean,
    confidence_sequence,
    deviation,
    holm,
    weighted_mean,
    wilson,
)
from inarow.stats.ratings import NORMALISED, HeadToHead, Ratings, bradley_terry, elo_of, expected_score, spread
from inarow.stats.sprt import Sprt, SprtState

__all__ = [
    "NORMALISED",
    "Z95",
    "HeadToHead",
    "Interval",
    "Ratings",
    "Sprt",
    "SprtState",
    "bounded_mean",
    "bradley_terry",
    "confidence_sequence",
    "deviation",
    "elo_of",
    "expected_score",
    "holm",
    "spread",
    "weighted_mean",
    "wilson",
]
