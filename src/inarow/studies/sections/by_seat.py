"""Matches by who sat where: a tally of one agent as first player against another as second."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from inarow.match.series import Effort, effort_of
from inarow.report.charts import Shares
from inarow.rules import FIRST, SECOND
from inarow.stats import Interval, wilson
from inarow.studies.framework.study_results import StudyResults


@dataclass
class Sitting:
    """What matches of one agent as first player against another as second showed."""

    first_wins: int = 0
    draws: int = 0
    second_wins: int = 0
    plies: int = 0
    effort: tuple[Effort, Effort] = field(default_factory=lambda: (Effort(), Effort()))
    """Of the first and the second player."""
    playings: set[tuple[int, ...]] = field(default_factory=set)

    @property
    def games(self) -> int:
        """Matches."""
        return self.first_wins + self.draws + self.second_wins

    @property
    def shares(self) -> Shares:
        """The counts for a chart."""
        return Shares(self.first_wins, self.draws, self.second_wins)

    def rate(self, seat: int) -> Interval | None:
        """The share of wins of the first (0) or second (1) player."""
        return wilson((self.first_wins, self.second_wins)[seat], self.games)

    def draw_rate(self) -> Interval | None:
        """The share of draws."""
        return wilson(self.draws, self.games)

    def counts(self, seat: int) -> str:
        """Wins, draws and losses of one seat."""
        wins, losses = (self.first_wins, self.second_wins)[:: -1 if seat else 1]
        return f"{wins} / {self.draws} / {losses}"


Seats = Mapping[tuple[str, str], Sitting]
"""Sittings by the labels of the first and the second player."""


def sittings(found: StudyResults, key: str) -> dict[tuple[str, str], Sitting]:
    """Every sitting of a tournament, by the labels of its first and its second player."""
    labels: Mapping[str, str] = found.labels(key)
    made: dict[tuple[str, str], Sitting] = {}
    for record in found.records(key):
        names = (labels.get(record.first, record.first), labels.get(record.second, record.second))
        sitting = made.setdefault(names, Sitting())
        if record.result == "first":
            sitting.first_wins += 1
        elif record.result == "second":
            sitting.second_wins += 1
        elif record.result == "draw":
            sitting.draws += 1
        sitting.plies += len(record.all_moves)
        sitting.playings.add(record.all_moves)
        for effort, seat in zip(sitting.effort, (FIRST, SECOND), strict=True):
            effort.add(effort_of(record, seat))
    return made


def as_first(seats: Seats, a: str, b: str) -> tuple[int, int, int] | None:
    """Wins, draws and losses of ``a`` as first player against ``b``."""
    sitting = seats.get((a, b))
    return None if sitting is None else (sitting.first_wins, sitting.draws, sitting.second_wins)


def effort_in(seats: Seats, name: str) -> Effort:
    """What all moves of a player cost, in all its matches."""
    whole = Effort()
    for names, sitting in seats.items():
        for effort, player in zip(sitting.effort, names, strict=True):
            if player == name:
                whole.add(effort)
    return whole
