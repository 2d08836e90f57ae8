"""A series: pairs of matches of the same two agents on the same opening, seats swapped, and what they show."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field

from inarow.agents import NO_LIMIT, Agent, Limit
from inarow.match.openings import draw_openings
from inarow.match.playing import play_match
from inarow.match.record import Record
from inarow.randomness import derive
from inarow.rules import FIRST, SECOND, Game, Player
from inarow.stats import Interval, bounded_mean, wilson


@dataclass(frozen=True, slots=True)
class Pair:
    """Two matches on one opening: ``straight`` with the first agent as first player, ``swapped`` the other way.

    ``swapped`` is None when only one was played.
    """

    index: int
    straight: Record
    swapped: Record | None

    def matches(self) -> list[tuple[Record, Player]]:
        """Each record with the seat that the first agent had."""
        return [(self.straight, FIRST)] + ([(self.swapped, SECOND)] if self.swapped is not None else [])


def play_pair(
    game: Game,
    a: Agent,
    b: Agent,
    *,
    index: int = 0,
    opening: Sequence[int] = (),
    seed: int = 0,
    limit: Limit = NO_LIMIT,
    swap: bool = True,
) -> Pair:
    """Play one pair; the seed of each match is derived from the series' seed and the pair's index."""
    straight = play_match(game, a, b, opening=opening, seed=derive(seed, "pair", index, 0), limit=limit)
    if not swap:
        return Pair(index, straight, None)
    swapped = play_match(game, b, a, opening=opening, seed=derive(seed, "pair", index, 1), limit=limit)
    return Pair(index, straight, swapped)


def play_series(
    game: Game,
    a: Agent,
    b: Agent,
    *,
    games: int,
    seed: int = 0,
    opening: Sequence[int] = (),
    random_plies: int = 0,
    limit: Limit = NO_LIMIT,
    swap: bool = True,
) -> Iterator[Pair]:
    """Pairs one after the other, ``games`` matches in all (without ``swap`` each pair is one match).

    Each pair starts from ``opening``, or from a random opening of ``random_plies`` plies drawn from the seed.
    """
    pairs = (games + 1) // 2 if swap else games
    openings = draw_openings(game, random_plies, pairs, seed) if random_plies else [tuple(opening)] * pairs
    for index, start in enumerate(openings):
        both = swap and 2 * index + 1 < games
        yield play_pair(game, a, b, index=index, opening=start, seed=seed, limit=limit, swap=both)


@dataclass
class Tally:
    """Wins, draws and losses of one agent."""

    wins: int = 0
    draws: int = 0
    losses: int = 0

    @property
    def games(self) -> int:
        """Matches with a result."""
        return self.wins + self.draws + self.losses

    def win_rate(self) -> Interval | None:
        """The share of wins, with Wilson's interval."""
        return wilson(self.wins, self.games)

    def add(self, record: Record, seat: Player) -> None:
        """Count one match of the agent in this seat; an interrupted one has no result."""
        if record.outcome is None:
            return
        if record.outcome.winner is None:
            self.draws += 1
        elif record.outcome.winner is seat:
            self.wins += 1
        else:
            self.losses += 1


@dataclass
class Effort:
    """What an agent's decisions cost."""

    moves: int = 0
    nodes: int = 0
    seconds: float = 0.0
    least: float | None = None
    most: float | None = None

    def add(self, record: Record, seat: Player) -> None:
        """Count the decisions of the agent in this seat."""
        start = (len(record.opening) + seat) % 2
        times = record.seconds[start::2]
        if not times:
            return
        self.moves += len(times)
        self.nodes += sum(record.nodes[start::2])
        self.seconds += sum(times)
        self.least = min(times) if self.least is None else min(self.least, *times)
        self.most = max(times) if self.most is None else max(self.most, *times)

    def nodes_per_move(self) -> float:
        """Mean nodes of a decision."""
        return self.nodes / self.moves if self.moves else 0.0

    def seconds_per_move(self) -> float:
        """Mean seconds of a decision."""
        return self.seconds / self.moves if self.moves else 0.0


@dataclass
class Side:
    """What one agent of a series did."""

    spec: str
    as_first: Tally = field(default_factory=Tally)
    as_second: Tally = field(default_factory=Tally)
    effort: Effort = field(default_factory=Effort)
    pair_scores: list[float] = field(default_factory=list)
    terminations: dict[str, int] = field(default_factory=dict)
    """How its lost matches ended, by cause."""

    @property
    def together(self) -> Tally:
        """Both seats."""
        a, b = self.as_first, self.as_second
        return Tally(a.wins + b.wins, a.draws + b.draws, a.losses + b.losses)

    def score(self) -> Interval | None:
        """Points per match (a draw is ½), with an interval over pairs."""
        return bounded_mean(self.pair_scores)

    def add(self, record: Record, seat: Player) -> None:
        """Count one match of this agent in this seat."""
        (self.as_second if seat else self.as_first).add(record, seat)
        self.effort.add(record, seat)
        if record.outcome is not None and record.outcome.winner is seat.other:
            cause = record.termination.value
            self.terminations[cause] = self.terminations.get(cause, 0) + 1


class Series:
    """What the pairs played so far show about two agents."""

    def __init__(self, game: Game, a: Agent, b: Agent) -> None:
        self.game = game
        self.sides = (Side(a.spec), Side(b.spec))
        self.matches = 0
        self.plies = 0
        self.seconds = 0.0
        self.interrupted = 0
        self.terminations: dict[str, int] = {}
        self.faults: list[str] = []
        self._playings: set[tuple[Player, tuple[int, ...]]] = set()

    @property
    def distinct(self) -> int:
        """How many of the playings differ: in who sat where or in the moves."""
        return len(self._playings)

    def add(self, pair: Pair) -> None:
        """Count one pair."""
        scores: list[list[float]] = [[], []]
        for record, seat in pair.matches():
            self.matches += 1
            self.plies += len(record.all_moves)
            self.seconds += sum(record.seconds)
            self._playings.add((seat, record.all_moves))
            cause = record.termination.value
            self.terminations[cause] = self.terminations.get(cause, 0) + 1
            self.interrupted += record.outcome is None
            if record.termination.is_fault and len(self.faults) < 20:
                loser = record.second if record.result == "first" else record.first
                self.faults.append(f"{loser}: {cause} ({record.fault})")
            for side, place, points in zip(self.sides, (seat, seat.other), scores, strict=True):
                side.add(record, place)
                if record.outcome is not None:
                    points.append(record.outcome.score(place))
        for side, points in zip(self.sides, scores, strict=True):
            if points:
                side.pair_scores.append(sum(points) / len(points))
