"""The table of a league: of each entrant its results, points and grade, by what is stored."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

from inarow.arena import Store
from inarow.assignment.efficiency import Efficiency
from inarow.league.among import Among
from inarow.league.entrants import Entrant
from inarow.league.judging import Mistake, graded
from inarow.league.meetings import Meeting, failed, pair_points, played_until
from inarow.league.node_counts import Efficiencies
from inarow.league.settings import Need, Rung, Settings
from inarow.match import Pair, Series, claim
from inarow.match.claims import Claim, Finding
from inarow.rules import Game
from inarow.stats import Interval, bounded_mean
from inarow.truth import Accuracy

_ENOUGH = (Finding.NO_DIFFERENCE, Finding.BETTER)
"""Findings of a series that is long and varied enough to show a difference."""
Checks = Mapping[str, Mapping[str, Mapping[str, Any]]]
"""The check of every file, by entrant and board."""


@dataclass(frozen=True)
class Known:
    """What was found out about files before they played."""

    checks: Checks
    efficiencies: Efficiencies


@dataclass(frozen=True)
class LadderResult:
    """One reference player on one board."""

    meeting: Meeting
    rung: Rung
    pairs: list[Pair]
    share: float
    """Of the reference player's points that this board stands for."""

    @property
    def complete(self) -> bool:
        """Whether all pairs were played."""
        return len(self.pairs) == self.meeting.tournament.pairs

    @cached_property
    def series(self) -> Series:
        """The sums."""
        series = Series(self.meeting.game, *self.meeting.agents)
        for pair in self.pairs:
            series.add(pair)
        return series

    @cached_property
    def claim(self) -> Claim:
        """What it shows."""
        return claim(self.series)

    @property
    def passed(self) -> bool:
        """Whether the reference player was beaten, or held where that is enough."""
        mine, theirs = (side.spec for side in self.series.sides)
        if self.rung.need is Need.HOLD:
            return self.complete and self.claim.winner != theirs and self.claim.finding in _ENOUGH
        return self.complete and self.claim.winner == mine

    @property
    def most(self) -> float:
        """The most points that can be earned."""
        return round(self.rung.points * self.share, 2)

    @property
    def points(self) -> float:
        """Points earned."""
        return self.most if self.passed else 0.0


@dataclass(frozen=True)
class AmongResult:
    """Another entrant on one board."""

    opponent: str
    game: Game
    pairs: list[Pair]
    """With this entrant as the first player of each pair, or as the second if ``second``."""
    second: bool

    @property
    def scores(self) -> list[float]:
        """Points per match of each pair."""
        return [pair_points(pair)[self.second] for pair in self.pairs]


@dataclass
class Standing:
    """One entrant."""

    entrant: Entrant
    settings: Settings
    checks: Mapping[str, Mapping[str, Any]]
    efficiencies: Mapping[str, Efficiency] = field(default_factory=dict)
    """On each small board, if the nodes of its file can be counted."""
    ladder: list[LadderResult] = field(default_factory=list)
    among: list[AmongResult] = field(default_factory=list)
    accuracy: Accuracy = field(default_factory=Accuracy)
    mistakes: list[tuple[Meeting, Pair, Mistake]] = field(default_factory=list)
    disqualified: str = ""
    rank: int = 0
    place: int = 0
    """Among entrants by the table of the format; 0 if the score decides."""

    @property
    def problem(self) -> str:
        """Why it has no results, or was disqualified; empty if neither."""
        return self.entrant.problem or self.disqualified or not_loaded(self.checks)

    @property
    def accuracy_points(self) -> float:
        """Points for keeping what positions are worth."""
        rate = self.accuracy.nontrivial_kept_rate
        return 0.0 if rate is None or self.disqualified else self.settings.accuracy.of(rate.estimate)

    @property
    def saved(self) -> float | None:
        """The share of plain minimax's nodes that it saves, over all boards; None if they can't be counted."""
        rates = [one.saved for one in self.efficiencies.values()]
        return sum(rates) / len(rates) if rates else None

    @property
    def efficiency_points(self) -> float:
        """Points for saving nodes."""
        return 0.0 if self.saved is None or self.disqualified else self.settings.efficiency.of(self.saved)

    @property
    def points(self) -> float:
        """All points; none if it was disqualified."""
        if self.disqualified:
            return 0.0
        earned = sum(result.points for result in self.ladder) + self.accuracy_points + self.efficiency_points
        return round(earned, 2)

    @property
    def grade(self) -> str:
        """By the thresholds."""
        return self.settings.grade(self.points)

    @cached_property
    def ladder_score(self) -> Interval | None:
        """Points per match against all reference players."""
        return bounded_mean([pair_points(pair)[0] for result in self.ladder for pair in result.pairs])

    @cached_property
    def among_score(self) -> Interval | None:
        """Points per match against other entrants."""
        return bounded_mean([score for result in self.among for score in result.scores])


def not_loaded(checks: Mapping[str, Mapping[str, Any]], board: str | None = None) -> str:
    """Why a file can't be loaded for a board, or for any at all; empty if it can."""
    said = [
        one["problems"][0]["text"] if one["matches"] and one["matches"][0]["termination"] == "cannot be loaded" else ""
        for name, one in checks.items()
        if board in (None, name)
    ]
    return said[0] if said and all(said) else ""


def standings(
    entrants: Sequence[Entrant],
    settings: Settings,
    known: Known,
    ladder: Mapping[str, Sequence[Meeting]],
    among: Among | None,
    store: Store,
) -> list[Standing]:
    """All entrants, the best first; those with the same points and scores share a rank."""
    table = {
        one.name: Standing(one, settings, known.checks.get(one.name, {}), known.efficiencies.get(one.name, {}))
        for one in entrants
    }
    for name, meetings in ladder.items():
        _add_ladder(table[name], meetings, store)
    for meeting in among.every if among is not None else ():
        pairs = meeting.pairs(store)
        names = meeting.entrant.name, meeting.other.name
        for second, name in enumerate(names):
            result = AmongResult(names[1 - second], meeting.game, pairs, bool(second))
            table[name].among.append(result)
    for name, place in (among.places() if among is not None else {}).items():
        table[name].place = place
    ordered = sorted(table.values(), key=lambda one: (*_strength(one), one.entrant.name.casefold()))
    for place, one in enumerate(ordered, start=1):
        before = ordered[place - 2] if place > 1 else None
        one.rank = before.rank if before is not None and _strength(before) == _strength(one) else place
    return ordered


def _strength(one: Standing) -> tuple[bool, float, float, int, float]:
    scores = [-1.0 if score is None else score.estimate for score in (one.ladder_score, one.among_score)]
    return bool(one.problem), -one.points, -scores[0], one.place, -scores[1]


def _add_ladder(standing: Standing, meetings: Sequence[Meeting], store: Store) -> None:
    """The results against reference players up to the fault that disqualifies."""
    settings = standing.settings
    causes: Counter[str] = Counter()
    for meeting in meetings:
        assert isinstance(meeting.other, Rung)
        pairs, out = played_until(meeting.pairs(store), causes.total(), settings.faults)
        standing.ladder.append(LadderResult(meeting, meeting.other, pairs, 1 / len(settings.boards)))
        for pair in pairs:
            causes.update(record.termination.value for record, seat in pair.matches() if failed(record, seat))
        found = None if out else graded(meeting, store)
        if found is not None:
            standing.accuracy += found[0]
            standing.mistakes += [(meeting, pairs[one.pair], one) for one in found[1] if one.pair < len(pairs)]
        if out:
            how = ", ".join(f"{cause} ({count})" for cause, count in sorted(causes.items()))
            standing.disqualified = f"disqualified after {causes.total()} failed matches: {how}"
            break
    standing.mistakes.sort(key=lambda found: (-found[2].drop, -found[2].regret, found[2].at))
