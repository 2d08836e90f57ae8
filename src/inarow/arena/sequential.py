"""Finished pairs read in order: so a sequential test or rule stops at the same pair whatever the number of workers."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Protocol

from inarow.arena.rows import PairRows
from inarow.arena.tournament import Tournament
from inarow.match import SequentialRule, Series, claim
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
        return self.test.state(pentanomial(series.sides[0].pair_scores)).accepted is not None


class RuleStopping:
    """By a sequential rule: ends with its claim."""

    def __init__(self, rule: SequentialRule) -> None:
        self.rule = rule

    def next_look(self, pairs: int) -> int:
        """As the rule says."""
        return self.rule.next_look(pairs)

    def decided(self, series: Series) -> bool:
        """Whether one agent is claimed to be better, or both to be equal."""
        return claim(series, self.rule).decided


def stopping_of(tournament: Tournament) -> Stopping | None:
    """How the pairings of a tournament end early, if they do."""
    if tournament.sprt is not None:
        return TestStopping(tournament.sprt)
    return None if tournament.rule is None else RuleStopping(tournament.rule)


class Reading:
    """The finished pairs of one pairing, each held back until all before it are there, and all up to the next look."""

    def __init__(self, series: Series, most: int, stopping: Stopping) -> None:
        self.series = series
        self.most = most
        self.stopping = stopping
        self.pairs = 0
        """How many have been read."""
        self.look = min(most, stopping.next_look(0))
        self.decided = False
        self._waiting: dict[int, PairRows] = {}
        self._lines: set[int] = set()

    @property
    def done(self) -> bool:
        """Whether no more pairs are needed."""
        return self.decided or self.pairs >= self.most

    def read(self, points: Sequence[float | None], lines: Iterable[int]) -> None:
        """Count the next pair: points of the first agent, and a number for each line of moves."""
        self.series.count_pairs(points)
        self._lines.update(lines)
        self.series.distinct = len(self._lines)
        self.pairs += 1
        if self.pairs == self.look:
            self.decided = self.stopping.decided(self.series)
            self.look = min(self.most, self.stopping.next_look(self.pairs))

    def release(self, rows: Iterable[PairRows]) -> list[PairRows]:
        """The pairs that have now been read: those that are complete up to a look, until it is decided."""
        self._waiting.update({row.pair: row for row in rows})
        released: list[PairRows] = []
        while not self.done and all(index in self._waiting for index in range(self.pairs, self.look)):
            for index in range(self.pairs, self.look):
                released.append(self._waiting.pop(index))
                self.read(released[-1].points, released[-1].lines)
        return released
