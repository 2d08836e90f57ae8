"""Made-up results: what a report must say about them is known."""

from __future__ import annotations

from inarow.arena import Results, Run
from inarow.match import Series
from inarow.rules import game

PAIRS = {"won": (1.0, 1.0), "split": (1.0, 0.0), "drawn": (0.5, 0.5), "lost": (0.0, 0.0)}


def series(a: str = "alpha", b: str = "beta", **pairs: int) -> Series:
    """A series in which this many pairs went each way for ``a``."""
    made = Series(game("tictactoe"), a, b)
    for way, count in pairs.items():
        made.count_pairs(PAIRS[way], count)
    made.distinct = made.matches
    return made


def results(*meetings: Series) -> Results:
    """A tournament that consists of these series."""
    specs = dict.fromkeys(side.spec for meeting in meetings for side in meeting.sides)
    config = {
        "game": "tictactoe",
        "agents": [{"spec": spec} for spec in specs],
        "format": "round-robin",
        "pairs": 1,
        "sprt": None,
    }
    pairings = {number: (m.spec, m.sides[1].spec) for number, m in enumerate(meetings, start=1)}
    made = Results(Run(1, "made up", config, pairings))
    made.series = dict(zip(pairings, meetings, strict=True))
    return made
