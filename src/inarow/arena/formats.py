"""Formats of a tournament: who meets whom, round by round, by what was played before. Nothing here plays.

A format is a pure function of the results so far. So a tournament that was killed resumes with the same rounds.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from itertools import combinations
from typing import NamedTuple

from inarow.errors import InarowError, unknown

FORMATS = {
    "round-robin": "every agent against every other",
    "gauntlet": "the first agent against each of the others",
    "swiss": "rounds in which those with about equal points meet, nobody twice; swiss:5 plays five",
    "groups": "everybody within a group, then a play-off of the best two of each; groups:4 makes four",
}
"""The ways to pair agents."""
ADVANCE = 2
"""How many of each group reach the play-off."""


class FormatError(InarowError):
    """A format that can't be played."""


class Meet(NamedTuple):
    """Two players that meet, by their places in the list of players; ``again`` counts earlier meets of the two."""

    a: int
    b: int
    again: int = 0


Scores = Callable[[Meet], tuple[float, float] | None]
"""The points per match of both players of a meet; None while it is not finished."""


@dataclass(frozen=True)
class Round:
    """Meets that can be played at the same time; who has none has a bye."""

    name: str
    meets: tuple[Meet, ...]
    byes: tuple[int, ...] = ()

    def finished(self, scores: Scores) -> bool:
        """Return True if all of it was played."""
        return all(scores(meet) is not None for meet in self.meets)


@dataclass
class Place:
    """A player in the final table, or in the one so far."""

    player: int
    points: float = 0.0
    opponents: float = 0.0
    """The points of those it has met (Buchholz), which decides between equal points."""
    met: list[int] = field(default_factory=list)
    reached: str = ""
    """How far it came in a play-off."""


class Format(ABC):
    """A way to pair players."""

    fixed = False
    """Whether all meets are known beforehand."""

    @abstractmethod
    def rounds(self, players: int, scores: Scores) -> list[Round]:
        """Return the rounds that are known: those that were played, and the one to be played now, if there is one."""

    def fitted(self, players: int) -> Format:
        """Return this format with no more rounds or groups than this number of players allows."""
        return self

    def table(self, players: int, scores: Scores) -> list[Place]:
        """Return the players, the best first, by what was played."""
        return _table(range(players), self.rounds(players, scores), scores)

    def finished(self, players: int, scores: Scores) -> bool:
        """Return True if all rounds were played."""
        return all(one.finished(scores) for one in self.rounds(players, scores))


@dataclass(frozen=True)
class RoundRobin(Format):
    """Every player against every other."""

    fixed = True

    def rounds(self, players: int, scores: Scores) -> list[Round]:
        return [Round("round robin", tuple(Meet(a, b) for a, b in combinations(range(players), 2)))]


@dataclass(frozen=True)
class Gauntlet(Format):
    """The first player against each of the others."""

    fixed = True

    def rounds(self, players: int, scores: Scores) -> list[Round]:
        return [Round("gauntlet", tuple(Meet(0, b) for b in range(1, players)))]


@dataclass(frozen=True)
class Swiss(Format):
    """Rounds in which neighbours in the table meet, nobody twice (the Monrad system); a bye counts as a win."""

    count: int | None = None
    """Rounds; None for as many as single out a winner by wins alone."""

    def fitted(self, players: int) -> Swiss:
        return self if self.count is None else Swiss(max(1, min(self.count, (players + 1) // 2)))

    def _count(self, players: int) -> int:
        usual = max(1, (players - 1).bit_length())
        most = (players + 1) // 2  # with more it may be that nobody is left to meet
        if self.count is not None and self.count > most:
            raise FormatError(f"a Swiss tournament of {players} has at most {most} rounds, {self.count} were asked for")
        return min(usual, most) if self.count is None else self.count

    def rounds(self, players: int, scores: Scores) -> list[Round]:
        made: list[Round] = []
        for number in range(self._count(players)):
            if made and not made[-1].finished(scores):
                break
            made.append(_swiss_round(f"round {number + 1}", players, made, scores))
        return made


def _swiss_round(name: str, players: int, before: Sequence[Round], scores: Scores) -> Round:
    order = [place.player for place in _table(range(players), before, scores)]
    byes: tuple[int, ...] = ()
    if players % 2:
        had = {player for one in before for player in one.byes}
        lowest = next(player for player in reversed(order) if player not in had)
        order.remove(lowest)
        byes = (lowest,)
    met = {frozenset(meet[:2]) for one in before for meet in one.meets}
    pairs = _without_repeats(order, met)
    assert pairs is not None, "there are few enough rounds"
    return Round(name, tuple(Meet(min(pair), max(pair)) for pair in pairs), byes)


def _without_repeats(order: Sequence[int], met: set[frozenset[int]]) -> list[tuple[int, int]] | None:
    """Pair neighbours that have not met, each first with the nearest; None if the others can't be paired then."""
    if not order:
        return []
    first, *others = order
    for other in others:
        if frozenset((first, other)) not in met:
            rest = _without_repeats([one for one in others if one != other], met)
            if rest is not None:
                return [(first, other), *rest]
    return None


@dataclass(frozen=True)
class Groups(Format):
    """Groups in which everybody meets, then a play-off; a tie there goes to the agent that did better in the groups."""

    count: int = 2

    def fitted(self, players: int) -> Groups:
        return Groups(max(1, min(self.count, players // 2)))

    def groups(self, players: int) -> list[list[int]]:
        """Deal the players into groups, in snake order, so that the first ones are spread."""
        if self.count < 1 or players < 2 * self.count:
            raise FormatError(f"{players} players do not fill {self.count} groups of two or more")
        dealt: list[list[int]] = [[] for _ in range(self.count)]
        for player in range(players):
            lap, at = divmod(player, self.count)
            dealt[at if lap % 2 == 0 else self.count - 1 - at].append(player)
        return dealt

    def rounds(self, players: int, scores: Scores) -> list[Round]:
        groups = self.groups(players)
        met = tuple(Meet(a, b) for group in groups for a, b in combinations(group, 2))
        made = [Round("groups", met)]
        left = self._seeds(groups, made[0], scores) if made[0].finished(scores) else []
        while len(left) > 1:
            made.append(_play_off(left, made))
            if not made[-1].finished(scores):
                break
            left = _winners(left, made[-1], scores)
        return made

    def _seeds(self, groups: Sequence[Sequence[int]], played: Round, scores: Scores) -> list[int]:
        """Return those who advance: the winners of the groups by their order, then the seconds."""
        tables = [_table(group, [played], scores) for group in groups]
        return [table[rank].player for rank in range(ADVANCE) for table in tables]

    def table(self, players: int, scores: Scores) -> list[Place]:
        rounds = self.rounds(players, scores)
        places = _table(range(players), rounds[:1], scores)
        reached = {player: number for number, one in enumerate(rounds[1:], start=1) for player in _players(one)}
        if rounds[-1].name == "final" and rounds[-1].finished(scores):
            finalists = [place.player for place in places if reached.get(place.player) == len(rounds) - 1]
            reached[_winners(self._by_seed(finalists, players, scores), rounds[-1], scores)[0]] = len(rounds)
        for place in places:
            number = reached.get(place.player, 0)
            place.reached = "won" if number == len(rounds) else rounds[number].name
        return sorted(places, key=lambda place: -reached.get(place.player, 0))

    def _by_seed(self, some: Sequence[int], players: int, scores: Scores) -> list[int]:
        groups = self.groups(players)
        seeds = self._seeds(groups, self.rounds(players, scores)[0], scores)
        return sorted(some, key=seeds.index)


def _players(one: Round) -> set[int]:
    return {player for meet in one.meets for player in meet[:2]} | set(one.byes)


def _play_off(left: Sequence[int], before: Sequence[Round]) -> Round:
    """Pair the best with the last, and so on; the best have byes until the number of players is a power of two."""
    names = {2: "final", 4: "semi-finals", 8: "quarter-finals"}
    size = 1 << (len(left) - 1).bit_length()
    byes = size - len(left)
    playing = left[byes:]
    earlier = [frozenset(meet[:2]) for one in before for meet in one.meets]
    meets: list[Meet] = []
    for a, b in zip(playing, reversed(playing), strict=True):
        if len(meets) < len(playing) // 2:
            meets.append(Meet(min(a, b), max(a, b), earlier.count(frozenset((a, b)))))
    return Round(names.get(size, f"last {size}"), tuple(meets), tuple(left[:byes]))


def _winners(left: Sequence[int], played: Round, scores: Scores) -> list[int]:
    """Return those who advance, in the order of their seeds."""
    out = set()
    for meet in played.meets:
        a, b = scores(meet) or (0.0, 0.0)
        worse = max(meet.a, meet.b, key=left.index)
        out.add(worse if a == b else (meet.b if a > b else meet.a))
    return [player for player in left if player not in out]


def _table(players: Sequence[int] | range, rounds: Sequence[Round], scores: Scores) -> list[Place]:
    """Rank players by points, then by the points of those they met, then in the given order."""
    places = {player: Place(player) for player in players}
    for one in rounds:
        for player in one.byes:
            places[player].points += 1.0
        for meet in one.meets:
            found = scores(meet)
            if found is None or meet.a not in places:
                continue
            for player, other, points in ((meet.a, meet.b, found[0]), (meet.b, meet.a, found[1])):
                places[player].points += points
                places[player].met.append(other)
    for place in places.values():
        place.opponents = sum(places[other].points for other in place.met)
    return sorted(
        places.values(), key=lambda place: (-round(place.points, 9), -round(place.opponents, 9), place.player)
    )


def parse_format(text: str) -> Format:
    """Parse a format: ``round-robin``, ``gauntlet``, ``swiss``, ``swiss:5``, ``groups:4``."""
    name, colon, number = text.partition(":")
    if name not in FORMATS:
        raise FormatError(unknown("format", name, FORMATS))
    if colon and (
        name in ("round-robin", "gauntlet") or not number.isascii() or not number.isdigit() or int(number) < 1
    ):
        wanted = f"{name}:5 or {name}" if name in ("swiss", "groups") else name
        raise FormatError(f"the format {text} is not known; write {wanted}")
    count = int(number) if colon else None
    if name == "swiss":
        return Swiss(count)
    if name == "groups":
        return Groups(count or 2)
    return RoundRobin() if name == "round-robin" else Gauntlet()
