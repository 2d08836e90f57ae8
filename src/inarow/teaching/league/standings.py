"""The stored results of a league's entrants: points, grades, and the pairs to play next.

After the first pairs of all series, and whenever all wanted pairs have been played and graded, `Marking` decides
whether more pairs are needed. These decisions are made again from the first pair each time, on stored results. So the
pairs that count depend on their results only, whatever the number of workers and however often the league was
interrupted.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

from inarow.arena import Job, Store
from inarow.arena.executor import Stored
from inarow.match import MatchRecord, Pair, Series
from inarow.rules import Player
from inarow.stats import Interval, bounded_mean
from inarow.teaching.checking import NOT_LOADED
from inarow.teaching.league.entrants import Entrant
from inarow.teaching.league.judging import Efficiency, Mistake, graded, truth_job
from inarow.teaching.league.meetings import Meeting, failed, in_order, pair_points
from inarow.teaching.league.settings import LeagueSettings, Mark, Points, PointScale, Rung
from inarow.truth import Accuracy


@dataclass(frozen=True)
class MeetingResult:
    """The pairs of a meeting that count, from the point of view of one of its two players."""

    meeting: Meeting
    pairs: Sequence[Pair]
    second: bool = False
    """True for the point of view of the meeting's second player."""
    scale: PointScale = field(default_factory=PointScale)
    """Against reference players: the points for scores."""
    points: Points = field(default_factory=Points)
    """The points earned."""

    @property
    def opponent(self) -> Entrant | Rung:
        """The other player."""
        return self.meeting.entrant if self.second else self.meeting.other

    @property
    def scores(self) -> list[float]:
        """Points per match of each pair."""
        return [pair_points(pair)[self.second] for pair in self.pairs]

    @property
    def score(self) -> Interval | None:
        """Points per match."""
        return bounded_mean(self.scores)

    @property
    def counts(self) -> str:
        """The matches as ``wins / draws / losses``."""
        series = Series(self.meeting.game, *self.meeting.agents)
        for pair in self.pairs:
            series.add(pair)
        return series.counts

    def matches(self) -> Iterator[tuple[Pair, MatchRecord, Player]]:
        """Yield each match with the player's seat."""
        for pair in self.pairs:
            for record, seat in pair.matches():
                yield pair, record, seat.other if self.second else seat


@dataclass
class EntrantResult:
    """The results of one entrant that count."""

    entrant: Entrant
    settings: LeagueSettings
    checks: Mapping[str, Mapping[str, Any]] = field(default_factory=dict)
    """The check of its file, by board."""
    efficiencies: Mapping[str, Efficiency] = field(default_factory=dict)
    """By small board, if the nodes of its file can be counted."""
    meetings: Sequence[Meeting] = ()
    """With reference players: a series for each of them and each board."""
    pairs: list[list[Pair]] = field(default_factory=list)
    """The pairs of each series that count."""
    accuracy: Accuracy = field(default_factory=Accuracy)
    mistakes: list[tuple[Meeting, Pair, Mistake]] = field(default_factory=list)
    """The worst first."""
    disqualified: str = ""
    to_play: list[tuple[Meeting, int]] = field(default_factory=list)
    """The number of pairs that each series should have before the next decision, if some are missing."""
    to_grade: list[Job[Stored]] = field(default_factory=list)
    among: list[MeetingResult] = field(default_factory=list)
    """The results against other entrants."""
    rank: int = 0
    place: int = 0
    """The place among entrants by the table of the format; 0 if the score decides."""

    def follow(self, store: Store) -> None:
        """Repeat the decisions on stored results, up to the first that needs more of them."""
        marking = self.settings.marking
        self.pairs = [[] for _ in self.meetings]
        stored = [in_order(meeting.pairs(store), marking.max_pairs) for meeting in self.meetings]
        if self._disqualify(stored):
            return
        while not self.to_play and not self.to_grade:
            before = [len(pairs) for pairs in self.pairs]
            wanted = marking.wanted(before, self._mark())
            if wanted == before:
                break
            self.pairs = [pairs[:count] for pairs, count in zip(stored, wanted, strict=True)]
            if [len(pairs) for pairs in self.pairs] != wanted:
                self.to_play = list(zip(self.meetings, wanted, strict=True))
                break
            for meeting, pairs, count in zip(self.meetings, self.pairs, before, strict=True):
                if pairs[count:]:
                    self._grade(meeting, pairs[count:], store)
        self.mistakes.sort(key=lambda found: (-found[2].drop, -found[2].regret, found[2].at))

    def _grade(self, meeting: Meeting, pairs: Sequence[Pair], store: Store) -> None:
        job = truth_job(meeting, pairs)
        found = graded(job, store)
        if found is None:
            self.to_grade.append(job)
            return
        by_index = {pair.index: pair for pair in pairs}
        self.accuracy += found[0]
        self.mistakes += [(meeting, by_index[one.pair], one) for one in found[1]]

    def _disqualify(self, stored: Sequence[Sequence[Pair]]) -> bool:
        """Count the failed matches of the first pairs, in order, up to a gap or the one that disqualifies."""
        first, most = self.settings.marking.pairs, self.settings.marking.most_faults(len(self.meetings))
        causes: Counter[str] = Counter()
        for at, pairs in enumerate(stored):
            for number, pair in enumerate(pairs[:first], start=1):
                causes.update(record.termination.value for record, seat in pair.matches() if failed(record, seat))
                if most is not None and causes.total() >= most:
                    self.pairs[: at + 1] = [*(list(one[:first]) for one in stored[:at]), list(pairs[:number])]
                    how = ", ".join(f"{cause} ({count})" for cause, count in sorted(causes.items()))
                    of = 2 * first * len(stored)
                    self.disqualified = f"disqualified after {causes.total()} failed matches of {of}: {how}"
                    return True
            if len(pairs) < first:
                break
        return False

    @property
    def most_faults(self) -> int | None:
        """The number of failed matches at which play stops; None after the first pairs of each series."""
        marking = self.settings.marking
        first = all(count <= marking.pairs for _, count in self.to_play)
        return marking.most_faults(len(self.meetings)) if first else None

    @property
    def scales(self) -> list[PointScale]:
        """The points for the scores of each series."""
        rungs = ((meeting.other, meeting.game) for meeting in self.meetings)
        return [rung.scale(board, len(self.settings.boards)) for rung, board in rungs if isinstance(rung, Rung)]

    def _mark(self) -> Mark:
        marking = self.settings.marking
        if self.disqualified:
            return marking.mark([Points(most=scale.points) for scale in self.scales])
        series = [
            scale.estimate([pair_points(pair)[0] for pair in pairs])
            for scale, pairs in zip(self.scales, self.pairs, strict=True)
        ]
        return marking.mark(series, self.accuracy.nontrivial_kept, self.accuracy.nontrivial, self.saved)

    @cached_property
    def mark(self) -> Mark:
        """The mark by the pairs that count; no points after a disqualification."""
        return self._mark()

    @cached_property
    def ladder(self) -> list[MeetingResult]:
        """The results against reference players."""
        parts = zip(self.meetings, self.pairs, self.scales, self.mark.ladder, strict=True)
        return [MeetingResult(meeting, pairs, False, scale, points) for meeting, pairs, scale, points in parts]

    @property
    def problem(self) -> str:
        """Why it has no results, or was disqualified; empty if neither."""
        return self.entrant.problem or self.disqualified or not_loaded(self.checks)

    @property
    def public_problem(self) -> str:
        """The problem as the site shows it: with a pseudonym, without the file's name."""
        file = self.entrant.file
        return self.problem.replace(file, "the submission") if self.entrant.alias and file else self.problem

    @property
    def public_group(self) -> str:
        """The group, unless it could reveal who is behind a pseudonym."""
        return "" if self.entrant.alias else self.entrant.group

    @property
    def seconds(self) -> Iterator[float]:
        """The time of each decision against reference players."""
        for _, record, seat in (match for result in self.ladder for match in result.matches()):
            yield from (time for at, time in enumerate(record.seconds) if record.mover(at) is seat)

    @property
    def saved(self) -> float | None:
        """The mean share of plain minimax's nodes that it saves, over all boards; None if they can't be counted."""
        rates = [one.saved for one in self.efficiencies.values()]
        return sum(rates) / len(rates) if rates else None

    @property
    def points(self) -> float:
        """The total."""
        return self.mark.points

    @property
    def grade(self) -> str:
        """The grade by the thresholds."""
        return self.settings.marking.grade(self.points)

    @property
    def near(self) -> str:
        """The other grades within one standard error."""
        return self.settings.marking.near(self.points, self.mark.error)

    @cached_property
    def ladder_score(self) -> Interval | None:
        """Points per match against all reference players."""
        return bounded_mean([score for result in self.ladder for score in result.scores])

    @cached_property
    def among_score(self) -> Interval | None:
        """Points per match against other entrants."""
        return bounded_mean([score for result in self.among for score in result.scores])

    @property
    def strength(self) -> tuple[bool, float, float, int, float]:
        """The key for ranking, less for a better entrant."""
        scores = [-1.0 if score is None else score.estimate for score in (self.ladder_score, self.among_score)]
        return bool(self.problem), -self.points, -scores[0], self.place, -scores[1]


def not_loaded(checks: Mapping[str, Mapping[str, Any]], board: str | None = None) -> str:
    """Return why a file can't be loaded for a board, or for any board; empty if it can."""
    reasons = [
        one["problems"][0]["text"] if one["stopped"] == NOT_LOADED else ""
        for name, one in checks.items()
        if board in (None, name)
    ]
    return reasons[0] if reasons and all(reasons) else ""


def ranked(results: Iterable[EntrantResult]) -> list[EntrantResult]:
    """Rank entrants, the best first; those with the same points and scores share a rank."""
    ordered = sorted(results, key=lambda one: (*one.strength, one.entrant.name.casefold()))
    for place, one in enumerate(ordered, start=1):
        before = ordered[place - 2] if place > 1 else None
        one.rank = before.rank if before is not None and before.strength == one.strength else place
    return ordered
