"""Rating an agent: it plays pairs against players of the ladder that are near its current estimate.

The players of a round depend on the results of the rounds before and on the ladder's file, never on the clock: the same
seed gives the same rating, whatever the number of workers. Only a limit in minutes makes it depend on the clock.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from itertools import repeat

from inarow.agents import Agent
from inarow.arena import Executor
from inarow.arena.running import Chunk, play_chunk
from inarow.errors import HostFailure
from inarow.ladder.placement import Answers, Placement
from inarow.ladder.shipped import Ladder, LadderError, LadderPlayer
from inarow.limits import MOST_MATCHES
from inarow.match import MatchRecord, Pair, Series
from inarow.match.playing import is_bug
from inarow.randomness import derive
from inarow.rules import Position
from inarow.stats import expected_score
from inarow.truth.grading import decision_of
from inarow.truth.positions import SolvedPositions, quick_ply, random_positions

FIRST_PLAYERS = 5
"""Players of the first round, spread over the ladder."""
NEAREST = 3
"""Players on each side of the estimate that may be met in later rounds …"""
MET = 2
"""… and how many of them are met in each."""
OWN = 2.0
"""Milliseconds per move that an agent is taken to need when the cost of an opponent is weighed."""
HOPELESS = 400
"""Elo beyond the ladder's ends at which more matches tell nothing."""
LEAST_PAIRS = 100
"""Pairs before a rating is given up for that reason."""
MATCH_SHARE = 0.8
"""Of the minutes that are given, for matches; the rest is for positions."""
WIDEST, LONGEST = 5000, 30 * 24 * 60
"""The widest interval in Elo, and the most minutes, that can be asked for."""


@dataclass(frozen=True)
class Budget:
    """How much is spent on a rating."""

    within: float = 25.0
    """Stop when the interval is at most this wide to either side, in Elo."""
    pairs: int = 1000
    """At most."""
    minutes: float | None = None
    """At most; None: no limit by the clock."""
    positions: int = 200
    """In which the agent is asked for a move; 0: none."""

    def __post_init__(self) -> None:
        for name, least, most in (
            ("within", 1, WIDEST),
            ("pairs", 1, MOST_MATCHES),
            ("minutes", 0.0001, LONGEST),
            ("positions", 0, MOST_MATCHES),
        ):
            value = getattr(self, name)
            if value is not None and not least <= value <= most:
                raise LadderError(f"{name} = {value}; a number from {least} to {most:,} was expected")


class Rating:
    """The rating of an agent, under way. ``on_pair`` is called after every pair with the number of pairs."""

    def __init__(
        self,
        agent: Agent,
        ladder: Ladder,
        budget: Budget,
        seed: int,
        on_pair: Callable[[int], None] | None = None,
        *,
        strict: bool = False,
    ) -> None:
        agent.check(ladder.game)
        self.agent = agent
        self.ladder = ladder
        self.budget = budget
        self.seed = seed
        self.on_pair = on_pair
        self.strict = strict
        self.series: dict[int, Series] = {}
        self.answers = Answers()
        self.players = {at: one for at, one in ladder.present.items() if one.agent.spec != agent.spec}
        self._pairs: dict[int, list[Pair]] = {}
        self._begun = time.monotonic()

    @property
    def placement(self) -> Placement:
        """What is known so far; raises `LadderError` before the first pair."""
        if not self.series:
            raise LadderError("no pair was finished, so there is no rating; give it more time")
        ordered = {at: self.series[at] for at in sorted(self.series)}
        found = Placement(self.ladder, self.agent, ordered, self.budget.within, self.budget.minutes, self.answers)
        return replace(found, used_up=not self._near(found.elo.estimate))

    @property
    def records(self) -> list[MatchRecord]:
        """Of all matches, by opponent and pair."""
        pairs = [pair for _, met in sorted(self._pairs.items()) for pair in sorted(met, key=lambda pair: pair.index)]
        return [record for pair in pairs for record, _ in pair.matches()]

    def run(self, executor: Executor) -> Placement:
        """Play until the interval is narrow enough or what may be spent is spent, then ask for moves in positions."""
        executor.check([self.agent])
        while wanted := self._next_round():
            for job, pairs in executor.run(chunk.job(play_chunk) for chunk in self._chunks(wanted)):
                self._add(job.arguments[0], pairs)
                if self._late(MATCH_SHARE if self.budget.positions else 1.0):
                    break
        if self.budget.positions and self.series:
            self._ask(executor)
        return self.placement

    def _late(self, share: float = 1.0) -> bool:
        minutes = self.budget.minutes
        return minutes is not None and time.monotonic() - self._begun > 60 * minutes * share

    def played(self, at: int) -> int:
        """Pairs played against one of the players."""
        return self.series[at].sides[0].pairs.total() if at in self.series else 0

    def _next_round(self) -> dict[int, int]:
        """How many pairs to play against whom, by place; nothing if it is enough."""
        if not self.series:
            return dict.fromkeys(self.ladder.spread(FIRST_PLAYERS, self.players), 2)
        found = self.placement
        left = self.budget.pairs - found.pairs
        if found.reached or left <= 0 or self._late(MATCH_SHARE if self.budget.positions else 1.0):
            return {}
        ends = [one.elo.estimate for one in self.players.values()]
        if found.pairs >= LEAST_PAIRS and not ends[0] - HOPELESS < found.elo.estimate < ends[-1] + HOPELESS:
            return {}
        each = 5 if found.pairs < 100 else 10
        wanted = {}
        for at in self._near(found.elo.estimate):
            count = min(each, left, self._openings - self.played(at))
            if count > 0:
                wanted[at] = count
                left -= count
        return wanted

    @property
    def _openings(self) -> int:
        """Pairs against one player: each opening once."""
        return len(self.ladder.openings.lines)

    def _near(self, elo: float) -> list[int]:
        """Of the nearest players on each side, those that tell most for their time and have openings left.

        Farther ones are never met: they tell less than the model assumes, because agents differ in whom they beat.
        """
        weaker = [at for at, one in self.players.items() if one.elo.estimate <= elo][-NEAREST:]
        stronger = [at for at, one in self.players.items() if one.elo.estimate > elo][:NEAREST]
        chosen = []
        for side in (weaker, stronger):
            able = [at for at in side if self.played(at) < self._openings]
            chosen += sorted(able, key=lambda at: -self._worth(self.players[at], elo))[:MET]
        return chosen

    def _worth(self, player: LadderPlayer, elo: float) -> float:
        score = expected_score(elo - player.elo.estimate)
        return score * (1 - score) / (OWN + player.milliseconds)

    def _chunks(self, wanted: dict[int, int]) -> list[Chunk]:
        """Return one pair each, the players in turn."""
        made = []
        for number in range(max(wanted.values())):
            for at, count in wanted.items():
                if number < count:
                    player = self.players[at].agent
                    seed = derive(self.seed, "opponent", at)
                    index = self.played(at) + number
                    line = self.ladder.openings.draw(index + 1, seed)[index]
                    pair = ((index, line),)
                    made.append(Chunk(self.ladder.game, self.agent, player, at, pair, seed, raising=self.strict))
        return made

    def _add(self, chunk: Chunk, pairs: Sequence[Pair]) -> None:
        series = self.series.setdefault(chunk.pairing, Series(self.ladder.game, self.agent, chunk.b))
        for pair in pairs:
            series.add(pair)
            self._pairs.setdefault(chunk.pairing, []).append(pair)
        if self.on_pair is not None:
            self.on_pair(sum(map(self.played, self.series)))

    def _ask(self, executor: Executor) -> None:
        """Ask for moves in positions whose moves differ in verdict, and grade them."""
        game = self.ladder.game
        solved = SolvedPositions(game)
        first_ply = 0 if game.cells <= 9 or game.name == "connect4" else quick_ply(game)
        positions = random_positions(solved, self.budget.positions, self.seed, first_ply)
        given = repeat(self.agent), positions, repeat(self.seed), repeat(self.strict)
        found = executor.map(answer, *given, what=f"asks {self.agent.spec} for a move")
        kept = perfect = failed = 0
        for asked, (position, move) in enumerate(zip(positions, found, strict=True), start=1):
            graded = None if move is None else solved.grade(position, move)
            failed += graded is None
            kept += graded is not None and graded.keeps_verdict
            perfect += graded is not None and graded.perfect
            self.answers = Answers(asked, kept, perfect, failed)
            if self._late():
                break


def answer(agent: Agent, position: Position, seed: int, strict: bool) -> int | None:
    """Return an agent's move, in a worker; None if it fails, unless that is to be raised (see `play_match`)."""
    try:
        return decision_of(agent, position, seed).move
    except HostFailure:
        raise
    except (Exception, SystemExit) as error:
        if strict and is_bug(agent, error):
            raise
        return None
