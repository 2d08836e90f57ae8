"""Finished pairs read in order: so a pairing ends at the same pair whatever the number of workers."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Protocol

from inarow.arena.rows import PairResult, PairRows
from inarow.arena.tournament import Tournament
from inarow.match import SequentialRule, Series
from inarow.match.openings import Line
from inarow.stats import Sprt
from inarow.stats.sprt import pentanomial


class Stopping(Protocol):
    """When a pairing ends before its pairs are used up."""

    def next_look(self, pairs: int) -> int:
        """After how many pairs in all it is looked at next."""

    def decided(self, series: Series) -> bool:
        """Whether these pairs are enough."""


class TestStopping:
    """By a sequential test, looked at after each pair."""

    def __init__(self, test: Sprt) -> None:
        self.test = test

    def next_look(self, pairs: int) -> int:
        """After the next pair."""
        return pairs + 1

    def decided(self, series: Series) -> bool:
        """Whether the test has accepted one of its hypotheses."""
        return self.test.state(pentanomial(series.pair_scores)).accepted is not None


class RuleStopping:
    """By a sequential rule: ends with its claim, at the precision that it asks for."""

    def __init__(self, rule: SequentialRule) -> None:
        self.rule = rule

    def next_look(self, pairs: int) -> int:
        """As the rule says."""
        return self.rule.next_look(pairs)

    def decided(self, series: Series) -> bool:
        """Whether one agent is claimed to be better, or both to be equal, precisely enough."""
        return self.rule.is_enough(series)


def stopping_of(tournament: Tournament) -> Stopping | None:
    """How the pairings of a tournament end early, if they do."""
    if tournament.sprt is not None:
        return TestStopping(tournament.sprt)
    return None if tournament.rule is None else RuleStopping(tournament.rule)


class Reading:
    """The finished pairs of one pairing, read in order. Those that would only repeat an earlier one are skipped."""

    def __init__(self, series: Series, lines: Sequence[Line], stopping: Stopping | None, repeat: bool) -> None:
        self.series = series
        self.lines = lines
        """The opening of each pair, by index."""
        self.stopping = stopping
        self.repeat = repeat
        """Whether pairs are played although they only repeat others."""
        self.next = 0
        """The index of the next pair to be read."""
        self.look = 0 if stopping is None else stopping.next_look(0)
        self.decided = False
        self._waiting: dict[int, tuple[PairResult, PairRows | None]] = {}

    @property
    def done(self) -> bool:
        """Whether no more pairs are needed."""
        return self.decided or self.next >= len(self.lines)

    @property
    def counted(self) -> int:
        """How many pairs have been counted."""
        return self.series.pairs.total()

    def skips(self, index: int) -> bool:
        """Return True if the pair of this index would only repeat another one."""
        return not self.repeat and self.series.repeats.is_settled(self.lines[index])

    def until_look(self, index: int) -> int:
        """How many pairs from this index on are needed before the next look; all, if there is none."""
        if self.stopping is None:
            return len(self.lines) - index
        return self.next + self.look - self.counted - index

    def _read(self, pair: PairResult) -> None:
        """Count the next pair."""
        new = self.series.read(self.lines[pair.pair], pair.stochastic, pair.lines, pair.points)
        self.next = pair.pair + 1
        while self.next < len(self.lines) and self.skips(self.next):
            self._waiting.pop(self.next, None)
            self.next += 1
        if new and self.stopping is not None and self.counted >= self.look:
            self.decided = self.stopping.decided(self.series)
            self.look = self.stopping.next_look(self.counted)

    def resume(self, pair: PairResult) -> None:
        """Take a pair that is stored already; it is read once all before it are there."""
        self._waiting[pair.pair] = pair, None
        self.release(())

    def release(self, rows: Iterable[PairRows]) -> list[PairRows]:
        """The new pairs that have now been read: each once all before it are there, until it is decided."""
        self._waiting.update({row.pair: (row.result, row) for row in rows if row.pair >= self.next})
        released: list[PairRows] = []
        while not self.done and self.next in self._waiting:
            result, row = self._waiting.pop(self.next)
            released += [row] if row is not None else []
            self._read(result)
        return released
