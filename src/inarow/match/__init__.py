"""Matches between two agents: openings, playing, records, series, and claims about their results."""

from inarow.match.claims import Claim, Finding, HolmRule, Rule, SequentialRule, claim
from inarow.match.openings import OpeningError, Openings, draw_openings, parse_openings
from inarow.match.playing import play_match
from inarow.match.record import MatchRecord, RecordError, Termination
from inarow.match.series import Pair, Series, play_pair, play_series

__all__ = [
    "Claim",
    "Finding",
    "HolmRule",
    "MatchRecord",
    "OpeningError",
    "Openings",
    "Pair",
    "RecordError",
    "Rule",
    "SequentialRule",
    "Series",
    "Termination",
    "claim",
    "draw_openings",
    "parse_openings",
    "play_match",
    "play_pair",
    "play_series",
]
