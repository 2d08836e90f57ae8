"""The meetings of a league. Each is a tournament in the store, found by everything that determines its results.

So a new, changed or withdrawn file affects its own meetings only, and identical files share theirs. Seeds and openings
depend on the league's seed, the reference player and the index of a pair, never on the entrant.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from typing import Any

from inarow.agents import Agent
from inarow.arena import Run, Store, Tournament
from inarow.arena.running import Chunk, PairQueue
from inarow.arena.store import StoredPair
from inarow.arena.tournament import Format, Pairing, Round, parse_format
from inarow.match import MatchRecord, Pair
from inarow.randomness import derive
from inarow.rules import Game, Player
from inarow.teaching.league.entrants import Entrant
from inarow.teaching.league.settings import LeagueSettings, Rung


@dataclass(frozen=True)
class Meeting:
    """Two players on one board; the first is an entrant."""

    entrant: Entrant
    other: Entrant | Rung
    tournament: Tournament
    run: Run

    @property
    def game(self) -> Game:
        """The board."""
        return self.tournament.game

    @property
    def agents(self) -> tuple[Agent, Agent]:
        """The agents of both players."""
        (both,) = self.tournament.pairings
        return both

    @property
    def number(self) -> int:
        """The id of its pairing in the store; identical submissions share it."""
        return next(iter(self.run.pairings))

    def pairs(self, store: Store) -> list[Pair]:
        """Return the finished pairs, in order."""
        found: dict[int, list[MatchRecord]] = {}
        for _, index, record in store.records(self.run):
            found.setdefault(index, []).append(record)
        return [Pair(index, *both) for index, both in sorted(found.items()) if len(both) == 2]


class Meetings:
    """The meetings of a league, and where they are stored."""

    def __init__(self, settings: LeagueSettings, seed: int, store: Store) -> None:
        self.settings = settings
        self.seed = seed
        self.store = store

    def with_ladder(self, entrants: Sequence[Entrant]) -> dict[str, list[Meeting]]:
        """Return the meetings of each entrant that can play with the reference players on each board, in order."""
        met: dict[str, list[Meeting]] = {one.name: [] for one in entrants if one.agent is not None}
        for rung in self.settings.ladder:
            seed = derive(self.seed, "ladder", rung.agent.identity)
            wanted = [(one, rung) for one in entrants]
            for meeting in self._begin(wanted, self.settings.marking.max_pairs, "ladder", seed):
                met[meeting.entrant.name].append(meeting)
        return met

    def among(self, players: Sequence[tuple[Entrant, Entrant]], again: int = 0) -> list[Meeting]:
        """Return the meetings of these players on each board; ``again`` counts their earlier meetings."""
        return self._begin(players, self.settings.among, "among entrants", derive(self.seed, "among", again))

    def _begin(
        self, players: Sequence[tuple[Entrant, Entrant | Rung]], pairs: int, key: str, seed: int
    ) -> list[Meeting]:
        boards = {board: self.settings.openings_on(board) for board in self.settings.boards}
        able = [
            (a, b, a.agent, b.agent, board)
            for a, b in players
            for board in boards
            if a.agent is not None and b.agent is not None
        ]
        tournaments = [
            Tournament(
                board,
                (mine, theirs),
                boards[board],
                pairs,
                with_self=mine.spec == theirs.spec,
                limit=self.settings.limit,
                seed=seed,
                key=key,
            )
            for _, _, mine, theirs, board in able
        ]
        runs = self.store.begin_all(tournaments)
        return [Meeting(a, b, found, run) for (a, b, *_), found, run in zip(able, tournaments, runs, strict=True)]


def failed(record: MatchRecord, seat: Player) -> bool:
    """Return True if the player in this seat lost by its own fault."""
    return record.termination.is_fault and record.outcome is not None and record.outcome.winner is seat.other


def pair_points(pair: Pair) -> tuple[float, float]:
    """Return the points of both players per match: none if both failed, in one match each."""
    matches = pair.matches()
    faults = [(failed(record, seat), failed(record, seat.other)) for record, seat in matches]
    if all(map(any, zip(*faults, strict=True))):
        return 0.0, 0.0
    points = sum(record.outcome.score(seat) for record, seat in matches if record.outcome is not None)
    return points / len(matches), 1 - points / len(matches)


def in_order(pairs: Sequence[Pair], most: int) -> list[Pair]:
    """Return the first pairs of a meeting, up to a gap, so that the result does not depend on the speed of workers."""
    return [pair for expected, pair in enumerate(pairs[:most]) if pair.index == expected]


class MeetingQueue(PairQueue):
    """Meetings to play in order, each up to a number of pairs, until the first player has failed too often."""

    def __init__(self, wanted: Sequence[tuple[Meeting, int]], store: Store, most_faults: int | None = None) -> None:
        super().__init__()
        meetings = [meeting for meeting, _ in wanted]
        self.meetings = {meeting.number: meeting for meeting in meetings}
        self.most_faults = most_faults
        self.order = [(meeting.number, pair) for meeting, count in wanted for pair in range(count)]
        self.lines = {meeting.number: meeting.tournament.lines() for meeting in meetings}
        self.faults: dict[tuple[int, int], int] = {}
        """The failed matches of the first player, by finished pair."""
        for meeting in meetings:
            self._count(store.results(meeting.run))
        self.left = deque(at for at in self.order if at not in self.faults)
        self.flight = 0
        """The number of pairs being played."""

    def _count(self, pairs: Iterable[StoredPair]) -> None:
        self.faults |= {(pair.pairing, pair.pair): pair.faults for pair in pairs}

    @property
    def over(self) -> bool:
        """True if no pair is left, or the first player has failed too often in the pairs before the first gap."""
        if not self.left or self.most_faults is None:
            return not self.left
        count = 0
        for at in self.order:
            if at not in self.faults:
                return False
            count += self.faults[at]
            if count >= self.most_faults:
                return True
        return False

    @property
    def waiting(self) -> int:
        """The maximum number of pairs."""
        return 0 if self.over else len(self.left)

    def take(self, most: int, ahead: bool) -> Chunk | None:
        """Take some pairs of the next meeting; only one while the first player may be failing slowly."""
        cautious = self.most_faults is not None and (not self.faults or any(self.faults.values()))
        if self.over or (cautious and self.flight):
            return None
        number = self.left[0][0]
        indices: list[int] = []
        while self.left and self.left[0][0] == number and len(indices) < most:
            indices.append(self.left.popleft()[1])
        self.flight += len(indices)
        meeting, lines = self.meetings[number], self.lines[number]
        tournament = meeting.tournament
        pairs = tuple((index, lines[index]) for index in indices)
        return Chunk(meeting.game, *tournament.pairings[0], number, pairs, tournament.seed, tournament.limit)

    def receive(self, rows: Sequence[StoredPair]) -> Sequence[StoredPair]:
        """Count the faults of finished pairs."""
        self.flight -= len(rows)
        self._count(rows)
        return rows


@dataclass
class Among:
    """The rounds among entrants known so far. The draw depends on the seed and on the submissions.

    Identical submissions do not play each other: the score is ½.
    """

    meetings: Meetings
    order: list[Entrant]
    format: Format
    met: dict[Pairing, list[Meeting]] = field(default_factory=dict)
    """A meeting on each board."""
    known: dict[Pairing, tuple[float, float]] = field(default_factory=dict)
    """The points of finished pairings."""

    @classmethod
    def of(cls, meetings: Meetings, entrants: Sequence[Entrant]) -> Among:
        """Draw the order of these entrants."""
        order = sorted(entrants, key=lambda one: (derive(meetings.seed, "draw", one.digest), one.name))
        return cls(meetings, order, parse_format(meetings.settings.format).fitted(len(order)))

    @property
    def every(self) -> list[Meeting]:
        """All meetings so far."""
        return [meeting for found in self.met.values() for meeting in found]

    def scores(self, meet: Pairing) -> tuple[float, float] | None:
        """Return the points per match of both, over all boards; None while a match is missing."""
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
        """The rounds known so far."""
        return self.format.rounds(len(self.order), self.scores) if len(self.order) > 1 else []

    def play(self) -> Iterator[list[Meeting]]:
        """Yield the meetings of each round; they must be played before the next round is requested."""
        if not self.meetings.settings.among:
            return
        while True:
            new = [meet for one in self.rounds for meet in one.pairings if meet not in self.met]
            if not new:
                return
            for again in sorted({meet.again for meet in new}):
                self._begin([meet for meet in new if meet.again == again], again)
            yield [meeting for meet in new for meeting in self.met[meet]]

    def _same(self, meet: Pairing) -> bool:
        return self.order[meet.a].digest == self.order[meet.b].digest

    def _begin(self, meets: Sequence[Pairing], again: int) -> None:
        """Add new meetings, with the players in an order that depends on the content of their files."""
        differing = [meet for meet in meets if not self._same(meet)]
        both = [sorted((self.order[meet.a], self.order[meet.b]), key=lambda one: one.digest) for meet in differing]
        found = iter(self.meetings.among([(a, b) for a, b in both], again))
        self.met |= {meet: [] for meet in meets}
        for meet in differing:
            self.met[meet] = [next(found) for _ in self.meetings.settings.boards]

    def places(self) -> dict[str, int]:
        """Return each entrant's place in the table of the format; empty if only scores count."""
        if self.format.fixed or not self.met:
            return {}
        table = self.format.table(len(self.order), self.scores)
        return {self.order[place.player].name: rank for rank, place in enumerate(table, start=1)}

    def to_json(self) -> list[dict[str, Any]]:
        """Return the rounds with names and points for the site; none in a round robin."""
        if self.format.fixed or not self.met:
            return []
        name = [one.public for one in self.order]
        return [
            {
                "name": one.name,
                "meets": [{"a": name[meet.a], "b": name[meet.b], "points": self.scores(meet)} for meet in one.pairings],
                "byes": [name[player] for player in one.byes],
            }
            for one in self.rounds
        ]
