"""Results by seat: wins, draws and losses of one agent as first player against another as second."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from inarow.match.tally import Tally, effort_of
from inarow.report.charts import Shares
from inarow.rules import FIRST, SECOND
from inarow.stats import Interval, wilson
from inarow.studies.framework.study_results import StudyResults


@dataclass
class SeatResults:
    """How matches of one agent as first player against another as second ended, and what they cost."""

    first_wins: int = 0
    draws: int = 0
    second_wins: int = 0
    plies: int = 0
    effort: tuple[Tally, Tally] = field(default_factory=lambda: (Tally(), Tally()))
    """Of the first and the second player."""
    lines: set[tuple[int, ...]] = field(default_factory=set)
    """The moves of each distinct match."""

    @property
    def matches(self) -> int:
        """All of them."""
        return self.first_wins + self.draws + self.second_wins

    @property
    def shares(self) -> Shares:
        """The counts for a chart."""
        return Shares(self.first_wins, self.draws, self.second_wins)

    def rate(self, seat: int) -> Interval | None:
        """The share of wins of the first (0) or second (1) player."""
        return wilson((self.first_wins, self.second_wins)[seat], self.matches)

    def draw_rate(self) -> Interval | None:
        """The share of draws."""
        return wilson(self.draws, self.matches)

    def counts(self, seat: int) -> str:
        """Wins, draws and losses of one seat."""
        wins, losses = (self.first_wins, self.second_wins)[:: -1 if seat else 1]
        return f"{wins} / {self.draws} / {losses}"


Seats = Mapping[tuple[str, str], SeatResults]
"""Results by the labels of the first and the second player."""


def results_by_seat(found: StudyResults, key: str) -> dict[tuple[str, str], SeatResults]:
    """The results of a tournament, by the labels of its first and its second player."""
    labels: Mapping[str, str] = found.labels(key)
    made: dict[tuple[str, str], SeatResults] = {}
    for record in found.records(key):
        names = (labels.get(record.first, record.first), labels.get(record.second, record.second))
        seated = made.setdefault(names, SeatResults())
        if record.result == "first":
            seated.first_wins += 1
        elif record.result == "second":
            seated.second_wins += 1
        elif record.result == "draw":
            seated.draws += 1
        seated.plies += len(record.all_moves)
        seated.lines.add(record.all_moves)
        for effort, seat in zip(seated.effort, (FIRST, SECOND), strict=True):
            effort.count_effort(effort_of(record, seat))
    return made


def as_first(seats: Seats, a: str, b: str) -> tuple[int, int, int] | None:
    """Wins, draws and losses of ``a`` as first player against ``b``."""
    seated = seats.get((a, b))
    return None if seated is None else (seated.first_wins, seated.draws, seated.second_wins)


def effort_in(seats: Seats, name: str) -> Tally:
    """What all moves of a player cost, in all its matches."""
    whole = Tally()
    for names, seated in seats.items():
        for effort, player in zip(seated.effort, names, strict=True):
            if player == name:
                whole.count_effort(effort)
    return whole
