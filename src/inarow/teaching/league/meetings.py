"""Who meets whom. Each meeting is a tournament of its own in the store, found by what decides its results.

So a file that is new, changed or withdrawn concerns its own meetings only, and identical files share theirs. Seeds and
openings depend on the league's seed, the reference player and the index of a pair, never on the entrant.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from inarow.agents import Agent
from inarow.arena import Run, Store, Tournament
from inarow.match import MatchRecord, Pair
from inarow.randomness import derive
from inarow.rules import Game, Player
from inarow.teaching.league.entrants import Entrant
from inarow.teaching.league.settings import Rung, Settings


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
        """Both."""
        (both,) = self.tournament.pairings
        return both

    @property
    def number(self) -> int:
        """The id of its pairing in the store; identical hand-ins share it."""
        return next(iter(self.run.pairings))

    def pairs(self, store: Store) -> list[Pair]:
        """The finished pairs, in order."""
        return _paired(store.records(self.run))


def _paired(records: Iterable[tuple[int, int, MatchRecord]]) -> list[Pair]:
    found: dict[int, list[MatchRecord]] = {}
    for _, index, record in records:
        found.setdefault(index, []).append(record)
    return [Pair(index, *both) for index, both in sorted(found.items()) if len(both) == 2]


class Meetings:
    """The meetings of a league, and where they are stored."""

    def __init__(self, settings: Settings, seed: int, store: Store) -> None:
        self.settings = settings
        self.seed = seed
        self.store = store

    def with_ladder(self, entrants: Sequence[Entrant]) -> dict[str, list[Meeting]]:
        """Of each entrant that can play: the reference players on each board, in the order they are met."""
        met: dict[str, list[Meeting]] = {one.name: [] for one in entrants if one.agent is not None}
        for rung in self.settings.ladder:
            seed = derive(self.seed, "ladder", rung.agent.identity)
            wanted = [(one, rung, board) for one in entrants for board in self.settings.boards]
            for meeting in self._begin(wanted, self.settings.marking.max_pairs, "ladder", seed):
                met[meeting.entrant.name].append(meeting)
        return met

    def among(self, both: Sequence[tuple[Entrant, Entrant]], again: int = 0) -> list[Meeting]:
        """Each two of these on each board; ``again`` if they have met before."""
        wanted = [(a, b, board) for a, b in both for board in self.settings.boards]
        return self._begin(wanted, self.settings.among, "among entrants", derive(self.seed, "among", again))

    def _begin(
        self, wanted: Sequence[tuple[Entrant, Entrant | Rung, Game]], pairs: int, key: str, seed: int
    ) -> list[Meeting]:
        able = [
            (a, b, a.agent, b.agent, board) for a, b, board in wanted if a.agent is not None and b.agent is not None
        ]
        openings = {board: self.settings.openings_on(board) for board in self.settings.boards}
        tournaments = [
            Tournament(
                board,
                (mine, theirs),
                openings[board],
                pairs,
                with_self=mine.spec == theirs.spec,
                limit=self.settings.limit,
                seed=seed,
                key=key,
            )
            for _, _, mine, theirs, board in able
        ]
        runs = self.store.begin_all(tournaments)
        return [Meeting(a, b, t, run) for (a, b, *_), t, run in zip(able, tournaments, runs, strict=True)]


def failed(record: MatchRecord, seat: Player) -> bool:
    """Whether the one in this seat lost by a fault of its own."""
    return record.termination.is_fault and record.outcome is not None and record.outcome.winner is seat.other


def pair_points(pair: Pair) -> tuple[float, float]:
    """The points of both players per match. If both failed, in one match each, nobody scores."""
    matches = pair.matches()
    if any(failed(record, seat) for record, seat in matches) and any(
        failed(record, seat.other) for record, seat in matches
    ):
        return 0.0, 0.0
    mine = sum(record.outcome.score(seat) for record, seat in matches if record.outcome is not None)
    return mine / len(matches), 1 - mine / len(matches)


def in_order(pairs: Sequence[Pair], most: int) -> list[Pair]:
    """Return the first pairs of a meeting, without a gap: it must not matter which worker was faster."""
    return [pair for expected, pair in enumerate(pairs[:most]) if pair.index == expected]
