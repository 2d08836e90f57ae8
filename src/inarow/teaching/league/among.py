"""Matches among entrants, round by round, in one of the arena's formats."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from typing import Any

from inarow.arena.formats import Format, Meet, Round, parse_format
from inarow.randomness import derive
from inarow.teaching.league.entrants import Entrant
from inarow.teaching.league.meetings import Meeting, Meetings, pair_points


@dataclass
class Among:
    """The rounds among entrants as far as they are known. The draw depends on the seed and on what was handed in.

    Identical hand-ins do not play each other: they are equal.
    """

    meetings: Meetings
    order: list[Entrant]
    format: Format
    met: dict[Meet, list[Meeting]] = field(default_factory=dict)
    """On each board."""
    known: dict[Meet, tuple[float, float]] = field(default_factory=dict)
    """The points of finished ones."""

    @classmethod
    def of(cls, meetings: Meetings, entrants: Sequence[Entrant]) -> Among:
        """A draw of these entrants."""
        order = sorted(entrants, key=lambda one: (derive(meetings.seed, "draw", one.digest), one.name))
        return cls(meetings, order, parse_format(meetings.settings.format).fitted(len(order)))

    @property
    def every(self) -> list[Meeting]:
        """All meetings so far."""
        return [meeting for found in self.met.values() for meeting in found]

    def scores(self, meet: Meet) -> tuple[float, float] | None:
        """The points per match of both, over all boards; None while a match is missing."""
        if self._same(meet):
            return 0.5, 0.5
        if meet in self.known:
            return self.known[meet]
        found = self.met.get(meet, [])
        pairs = [pair for meeting in found for pair in meeting.pairs(self.meetings.store)]
        if not found or len(pairs) < sum(meeting.tournament.pairs for meeting in found):
            return None
        first = [pair_points(pair) for pair in pairs]
        mine, theirs = (sum(points[side] for points in first) / len(first) for side in (0, 1))
        self.known[meet] = (mine, theirs) if found[0].entrant is self.order[meet.a] else (theirs, mine)
        return self.known[meet]

    @property
    def rounds(self) -> list[Round]:
        """Those that are known."""
        return self.format.rounds(len(self.order), self.scores) if len(self.order) > 1 else []

    def play(self) -> Iterator[list[Meeting]]:
        """Round after round: the meetings to be played before the next is asked for."""
        if not self.meetings.settings.among:
            return
        while True:
            new = [meet for one in self.rounds for meet in one.meets if meet not in self.met]
            if not new:
                return
            for again in sorted({meet.again for meet in new}):
                self._begin([meet for meet in new if meet.again == again], again)
            yield [meeting for meet in new for meeting in self.met[meet]]

    def _same(self, meet: Meet) -> bool:
        return self.order[meet.a].digest == self.order[meet.b].digest

    def _begin(self, meets: Sequence[Meet], again: int) -> None:
        """Find or make the place of new meetings in the store; which is the first player depends on their content."""
        differing = [meet for meet in meets if not self._same(meet)]
        both = [sorted((self.order[meet.a], self.order[meet.b]), key=lambda one: one.digest) for meet in differing]
        found = iter(self.meetings.among([(a, b) for a, b in both], again))
        self.met |= {meet: [] for meet in meets}
        for meet in differing:
            self.met[meet] = [next(found) for _ in self.meetings.settings.boards]

    def places(self) -> dict[str, int]:
        """By name: the place in the table of the format; none if places follow from scores alone."""
        if self.format.fixed or not self.met:
            return {}
        table = self.format.table(len(self.order), self.scores)
        return {self.order[place.player].name: rank for rank, place in enumerate(table, start=1)}

    def to_json(self) -> list[dict[str, Any]]:
        """The rounds with names and points, for the page and for JSON; none in a round robin."""
        if self.format.fixed or not self.met:
            return []
        name = [one.public for one in self.order]
        return [
            {
                "name": one.name,
                "meets": [{"a": name[meet.a], "b": name[meet.b], "points": self.scores(meet)} for meet in one.meets],
                "byes": [name[player] for player in one.byes],
            }
            for one in self.rounds
        ]
