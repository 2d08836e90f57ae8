"""Intervals, confidence sequences, ratings and the sequential test: numbers in, numbers out."""

from inarow.stats.betting import confidence_sequence
from inarow.stats.intervals import Z95, Interval, bounded_mean, superiority, weighted_mean, wilson
from inarow.stats.ratings import Meeting, Ratings, bradley_terry, elo_of, expected_score
from inarow.stats.shares import holm, same_shares
from inarow.stats.sprt import Sprt, SprtState

__all__ = [
    "Z95",
    "Interval",
    "Meeting",
    "Ratings",
    "Sprt",
    "SprtState",
    "bounded_mean",
    "bradley_terry",
    "confidence_sequence",
    "elo_of",
    "expected_score",
    "holm",
    "same_shares",
    "superiority",
    "weighted_mean",
    "wilson",
]
