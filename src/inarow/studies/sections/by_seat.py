"""The matches of a tournament by seat: one agent as first player against another as second."""

from __future__ import annotations

from collections.abc import Mapping

from inarow.match import Series
from inarow.match.series import Tally
from inarow.rules import FIRST
from inarow.studies.framework.study_results import StudyResults

Seats = Mapping[tuple[str, str], Series]
"""Results of the first player, by the labels of the first and the second player."""


def results_by_seat(found: StudyResults, key: str) -> dict[tuple[str, str], Series]:
    """Return the results of a tournament by the labels of the first and the second player; repeats count, too."""
    labels: Mapping[str, str] = found.labels(key)
    made: dict[tuple[str, str], Series] = {}
    for record in found.records(key):
        names = (labels.get(record.first, record.first), labels.get(record.second, record.second))
        made.setdefault(names, Series(record.game, *names)).add_match(record, FIRST)
    return made


def as_first(seats: Seats, a: str, b: str) -> tuple[int, int, int] | None:
    """Return the wins, draws and losses of ``a`` as first player against ``b``."""
    series = seats.get((a, b))
    return None if series is None else (series.wins, series.draws, series.losses)


def effort_in(seats: Seats, name: str) -> Tally:
    """Return what all decisions of a player cost, in all its matches."""
    whole = Tally()
    for series in seats.values():
        for side in series.sides:
            if side.spec == name:
                whole.count_effort(side)
    return whole
