"""The table of a league: each entrant's results, points and grade by what is stored, and what is to be played next.

After the first pairs of all series, and whenever what was wanted has been played and graded, `Marking` decides whether
more pairs are needed. These looks are followed from the beginning each time, on what is stored. So the pairs that count
depend on their results only, whatever the number of workers and however often the league was interrupted.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

from inarow.arena import Job, Store
from inarow.arena.executor import Stored
from inarow.match import MatchRecord, Pair, Series
from inarow.rules import Player
from inarow.stats import Interval, bounded_mean
from inarow.teaching.league.entrants import Entrant
from inarow.teaching.league.judging import Efficiencies, Efficiency, Mistake, graded, truth_job
from inarow.teaching.league.meetings import Among, Meeting, failed, in_order, pair_points
from inarow.teaching.league.settings import LeagueSettings, Mark, Marking, Points, PointScale, Rung, RungScores
from inarow.truth import Accuracy


@dataclass
class LadderProgress:
    """The series of one hand-in, as far as they count."""

    settings: LeagueSettings
    meetings: Sequence[Meeting]
    """The series: each with a reference player on a board."""
    saved: float | None = None
    """The share of plain minimax's nodes that it saves, if they can be counted."""
    pairs: list[list[Pair]] = field(default_factory=list)
    """Of each series, those that count."""
    accuracy: Accuracy = field(default_factory=Accuracy)
    mistakes: list[tuple[Meeting, Pair, Mistake]] = field(default_factory=list)
    disqualified: str = ""
    to_play: list[tuple[Meeting, int]] = field(default_factory=list)
    """The pairs that each series should have before the next look, if some are missing."""
    to_grade: list[Job[Stored]] = field(default_factory=list)

    @property
    def marking(self) -> Marking:
        """The rule by which results become marks."""
        return self.settings.marking

    @property
    def most_faults(self) -> int | None:
        """How many failed matches end what is to be played; None after the first pairs of each series."""
        first = all(count <= self.marking.pairs for _, count in self.to_play)
        return self.marking.most_faults(len(self.meetings)) if first else None

    def tallies(self) -> list[RungScores]:
        """Return the pair scores of each series."""
        boards = len(self.settings.boards)
        found = []
        for meeting, pairs in zip(self.meetings, self.pairs, strict=True):
            assert isinstance(meeting.other, Rung)
            found.append(
                RungScores(meeting.other.scale(meeting.game, boards), [pair_points(pair)[0] for pair in pairs])
            )
        return found

    def mark(self) -> Mark:
        """Return the mark by the pairs that count."""
        return self.marking.mark(self.tallies(), self.accuracy.nontrivial_kept, self.accuracy.nontrivial, self.saved)


def follow(
    meetings: Sequence[Meeting], settings: LeagueSettings, store: Store, saved: float | None = None
) -> LadderProgress:
    """Follow the looks of an entrant on what is stored, up to the first that lacks something."""
    progress = LadderProgress(settings, meetings, saved, [[] for _ in meetings])
    marking = settings.marking
    stored = [in_order(meeting.pairs(store), marking.max_pairs) for meeting in meetings]
    if _disqualify(progress, stored):
        return progress
    while True:
        before = [len(pairs) for pairs in progress.pairs]
        wanted = marking.wanted(progress.tallies(), progress.mark())
        if wanted == before:
            break
        progress.pairs = [pairs[:count] for pairs, count in zip(stored, wanted, strict=True)]
        if any(len(pairs) < count for pairs, count in zip(progress.pairs, wanted, strict=True)):
            progress.to_play = list(zip(meetings, wanted, strict=True))
            break
        for meeting, pairs, count in zip(meetings, progress.pairs, before, strict=True):
            if pairs[count:]:
                _add_graded(progress, meeting, pairs[count:], store)
        if progress.to_grade:
            break
    progress.mistakes.sort(key=lambda found: (-found[2].drop, -found[2].regret, found[2].at))
    return progress


def _add_graded(progress: LadderProgress, meeting: Meeting, pairs: Sequence[Pair], store: Store) -> None:
    job = truth_job(meeting, pairs)
    found = graded(job, store)
    if found is None:
        progress.to_grade.append(job)
        return
    by_index = {pair.index: pair for pair in pairs}
    progress.accuracy += found[0]
    progress.mistakes += [(meeting, by_index[one.pair], one) for one in found[1]]


def _disqualify(progress: LadderProgress, stored: Sequence[Sequence[Pair]]) -> bool:
    """Count the failed matches of the first pairs, in order, up to a gap or the one that disqualifies."""
    most = progress.marking.most_faults(len(progress.meetings))
    first = progress.marking.pairs
    causes: Counter[str] = Counter()
    for at, pairs in enumerate(stored):
        for number, pair in enumerate(pairs[:first], start=1):
            causes.update(record.termination.value for record, seat in pair.matches() if failed(record, seat))
            if most is not None and causes.total() >= most:
                progress.pairs = [list(one[:first]) for one in stored[:at]] + [list(pairs[:number])]
                progress.pairs += [[] for _ in stored[at + 1 :]]
                how = ", ".join(f"{cause} ({count})" for cause, count in sorted(causes.items()))
                of = 2 * first * len(stored)
                progress.disqualified = f"disqualified after {causes.total()} failed matches of {of}: {how}"
                return True
        if len(pairs) < first:
            return False
    return False


Checks = Mapping[str, Mapping[str, Mapping[str, Any]]]
"""The check of every file, by entrant and board."""


@dataclass(frozen=True)
class MeetingResult:
    """The pairs of a meeting that count, as one of its two players sees them."""

    meeting: Meeting
    pairs: Sequence[Pair]
    second: bool = False
    """True if it is the meeting's second player who sees them."""
    scale: PointScale = field(default_factory=PointScale)
    """Against reference players: the points for scores, and those that were earned."""
    points: Points = field(default_factory=Points)

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
        """Yield each match with the seat of who sees it."""
        for pair in self.pairs:
            for record, seat in pair.matches():
                yield pair, record, seat.other if self.second else seat


@dataclass
class EntrantResult:
    """One entrant."""

    entrant: Entrant
    settings: LeagueSettings
    checks: Mapping[str, Mapping[str, Any]]
    efficiencies: Mapping[str, Efficiency]
    """On each small board, if the nodes of its file can be counted."""
    progress: LadderProgress
    among: list[MeetingResult] = field(default_factory=list)
    rank: int = 0
    place: int = 0
    """Among entrants by the table of the format; 0 if the score decides."""

    @property
    def problem(self) -> str:
        """Why it has no results, or was disqualified; empty if neither."""
        return self.entrant.problem or self.progress.disqualified or not_loaded(self.checks)

    @property
    def public_problem(self) -> str:
        """The problem as the site shows it: with a pseudonym, without the file's name."""
        file = self.entrant.file
        return self.problem.replace(file, "the hand-in") if self.entrant.alias and file else self.problem

    @property
    def public_group(self) -> str:
        """The group, unless it could tell who is behind a pseudonym."""
        return "" if self.entrant.alias else self.entrant.group

    @property
    def seconds(self) -> Iterator[float]:
        """The time of each decision against reference players."""
        for _, record, seat in (match for result in self.ladder for match in result.matches()):
            yield from (time for at, time in enumerate(record.seconds) if record.mover(at) is seat)

    @property
    def accuracy(self) -> Accuracy:
        """Its graded moves."""
        return self.progress.accuracy

    @property
    def saved(self) -> float | None:
        """The share of plain minimax's nodes that it saves, over all boards; None if they can't be counted."""
        return saved_nodes(self.efficiencies)

    @cached_property
    def mark(self) -> Mark:
        """Points by results; none if it was disqualified."""
        if self.progress.disqualified:
            return Mark(
                tuple(Points(most=tally.scale.points) for tally in self.progress.tallies()),
                Points(most=self.settings.marking.accuracy.points),
                Points(most=self.settings.marking.efficiency.points),
                0.0,
            )
        return self.progress.mark()

    @cached_property
    def ladder(self) -> list[MeetingResult]:
        """The results against reference players."""
        parts = zip(self.progress.meetings, self.progress.pairs, self.progress.tallies(), self.mark.ladder, strict=True)
        return [MeetingResult(meeting, pairs, False, tally.scale, points) for meeting, pairs, tally, points in parts]

    @property
    def points(self) -> float:
        """All points."""
        return self.mark.points

    @property
    def grade(self) -> str:
        """By the thresholds."""
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


def saved_nodes(efficiencies: Mapping[str, Efficiency]) -> float | None:
    """Return the mean share of plain minimax's nodes that was saved; None if nodes can't be counted."""
    rates = [one.saved for one in efficiencies.values()]
    return sum(rates) / len(rates) if rates else None


def not_loaded(checks: Mapping[str, Mapping[str, Any]], board: str | None = None) -> str:
    """Say why a file can't be loaded for a board, or for any at all; empty if it can."""
    said = [
        one["problems"][0]["text"] if one["matches"] and one["matches"][0]["termination"] == "cannot be loaded" else ""
        for name, one in checks.items()
        if board in (None, name)
    ]
    return said[0] if said and all(said) else ""


def standings(
    entrants: Sequence[Entrant],
    settings: LeagueSettings,
    checks: Checks,
    efficiencies: Efficiencies,
    ladder: Mapping[str, Sequence[Meeting]],
    among: Among | None,
    store: Store,
) -> list[EntrantResult]:
    """Rank all entrants, the best first; those with the same points and scores share a rank."""
    table: dict[str, EntrantResult] = {}
    for one in entrants:
        nodes = efficiencies.get(one.name, {})
        progress = follow(ladder.get(one.name, ()), settings, store, saved_nodes(nodes))
        table[one.name] = EntrantResult(one, settings, checks.get(one.name, {}), nodes, progress)
    for meeting in among.every if among is not None else ():
        pairs = meeting.pairs(store)
        for second, player in enumerate((meeting.entrant, meeting.other)):
            table[player.name].among.append(MeetingResult(meeting, pairs, bool(second)))
    for name, place in (among.places() if among is not None else {}).items():
        table[name].place = place
    ordered = sorted(table.values(), key=lambda one: (*_strength(one), one.entrant.name.casefold()))
    for place, standing in enumerate(ordered, start=1):
        before = ordered[place - 2] if place > 1 else None
        standing.rank = before.rank if before is not None and _strength(before) == _strength(standing) else place
    return ordered


def _strength(one: EntrantResult) -> tuple[bool, float, float, int, float]:
    scores = [-1.0 if score is None else score.estimate for score in (one.ladder_score, one.among_score)]
    return bool(one.problem), -one.points, -scores[0], one.place, -scores[1]
