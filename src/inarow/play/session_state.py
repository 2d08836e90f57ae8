"""What a session shows: the match on the board, who sits where, and the matches that are finished."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from inarow.match import MatchRecord
from inarow.play.events import Ended
from inarow.play.saved import Played, make_record
from inarow.play.setup import Participant, SeriesScore, Setup
from inarow.rules import FIRST, SECOND, Player, Position


class Finished(NamedTuple):
    """A finished match: the participant (0 or 1) who won, or None, and its record."""

    winner: int | None
    record: MatchRecord


class SessionState:
    """A series of matches between two participants, as interfaces read it; `Session` changes it."""

    def __init__(self, setup: Setup) -> None:
        self.setup = setup
        self._finished: list[Finished] = []
        self.first = 0
        """Which participant (0 or 1) is the first player of this match."""
        self.ending: Ended | None = None
        """How this match ended, once it has."""
        self.positions: list[Position] = []
        """The positions of this match after the opening: one more than `played`."""
        self._played: list[Played] = []

    @property
    def position(self) -> Position:
        """The position on the board."""
        return self.positions[-1]

    @property
    def played(self) -> Sequence[Played]:
        """The moves of this match after the opening."""
        return tuple(self._played)

    @property
    def moves(self) -> tuple[int, ...]:
        """All moves of this match, the opening's included."""
        return (*self.setup.opening, *(one.move for one in self._played))

    @property
    def number(self) -> int:
        """The number of this match in the series, from 1."""
        return len(self._finished) + (self.ending is None)

    @property
    def tally(self) -> SeriesScore:
        """The score of the series."""
        return SeriesScore(*(sum(one.winner == who for one in self._finished) for who in (0, 1, None)))

    @property
    def series_over(self) -> bool:
        """Whether all matches of the series are finished."""
        return self.ending is not None and len(self._finished) >= self.setup.matches

    @property
    def seats(self) -> tuple[Participant, Participant]:
        """Who sits where in this match: the first player, the second."""
        return self.participant(FIRST), self.participant(SECOND)

    @property
    def names(self) -> tuple[str, str]:
        """The names of the first and the second player of this match."""
        names = self.setup.names
        return names[self.index(FIRST)], names[self.index(SECOND)]

    def index(self, player: Player) -> int:
        """Which participant (0 or 1) has this seat in this match."""
        return self.first if player is FIRST else 1 - self.first

    def participant(self, player: Player) -> Participant:
        """Who has this seat in this match."""
        return self.setup.participants[self.index(player)]

    def records(self) -> list[MatchRecord]:
        """The finished matches, and the one on the board if it has moves."""
        records = [one.record for one in self._finished]
        if self.ending is None and self._played:
            records.append(make_record(self.setup, self.seats, self._played, None, ""))
        return records
