"""A series: pairs of matches of two agents, each pair on one opening with seats swapped, and sums over them."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from typing import Any

from inarow.agents import NO_LIMIT, Agent, Limit
from inarow.formatting import number, share
from inarow.limits import MOST_MATCHES, check_count
from inarow.match.openings import Openings, draw_openings
from inarow.match.playing import play_match
from inarow.match.record import Record, Termination
from inarow.randomness import derive
from inarow.rules import FIRST, SECOND, Game, Outcome, Player
from inarow.stats import Z95, Interval, bounded_mean, wilson


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
    matches: int,
    seed: int = 0,
    opening: Sequence[int] = (),
    random_plies: int = 0,
    openings: Openings | None = None,
    limit: Limit = NO_LIMIT,
    swap: bool = True,
) -> Iterator[Pair]:
    """Pairs one after the other, ``matches`` in all (without ``swap`` each pair is one match).

    Each pair starts from ``opening``, or from a random opening of ``random_plies`` plies drawn from the seed, or
    from one of ``openings``.
    """
    check_count("matches", matches, MOST_MATCHES)
    pairs = (matches + 1) // 2 if swap else matches
    if openings is not None:
        starts = openings.draw(pairs, seed)
    else:
        starts = draw_openings(game, random_plies, pairs, seed) if random_plies else [tuple(opening)] * pairs
    for index, start in enumerate(starts):
        both = swap and 2 * index + 1 < matches
        yield play_pair(game, a, b, index=index, opening=start, seed=seed, limit=limit, swap=both)


@dataclass
class Tally:
    """Wins, draws and losses of one agent."""

    wins: int = 0
    draws: int = 0
    losses: int = 0

    @property
    def matches(self) -> int:
        """Matches with a result."""
        return self.wins + self.draws + self.losses

    def win_rate(self) -> Interval | None:
        """The share of wins, with Wilson's interval: for matches in one seat, each on its own."""
        return wilson(self.wins, self.matches)

    def to_json(self) -> dict[str, Any]:
        """Counts and, with Wilson's intervals, rates."""
        rates = {"win_rate": self.wins, "draw_rate": self.draws, "loss_rate": self.losses}
        return {
            "wins": self.wins,
            "draws": self.draws,
            "losses": self.losses,
            **{name: _json(wilson(count, self.matches)) for name, count in rates.items()},
        }

    def add(self, points: float, count: int = 1) -> None:
        """Count matches that gave the agent 1, ½ or 0 points."""
        if points == 0.5:
            self.draws += count
        elif points:
            self.wins += count
        else:
            self.losses += count


@dataclass
class Effort:
    """What an agent's decisions cost."""

    moves: int = 0
    nodes: int = 0
    seconds: float = 0.0
    least: float | None = None
    most: float | None = None

    def add(self, other: Effort) -> None:
        """Count what other decisions cost."""
        self.moves += other.moves
        self.nodes += other.nodes
        self.seconds += other.seconds
        if other.least is not None and other.most is not None:
            self.least = other.least if self.least is None else min(self.least, other.least)
            self.most = other.most if self.most is None else max(self.most, other.most)

    def nodes_per_move(self) -> float:
        """Mean nodes of a decision."""
        return self.nodes / self.moves if self.moves else 0.0

    def seconds_per_move(self) -> float:
        """Mean seconds of a decision."""
        return self.seconds / self.moves if self.moves else 0.0


def effort_of(record: Record, seat: Player) -> Effort:
    """What the decisions of one seat cost in one match."""
    start = (len(record.opening) + seat) % 2
    times = record.seconds[start::2]
    if not times:
        return Effort()
    return Effort(len(times), sum(record.nodes[start::2]), sum(times), min(times), max(times))


@dataclass
class Side:
    """What one agent of a series did."""

    spec: str
    as_first: Tally = field(default_factory=Tally)
    as_second: Tally = field(default_factory=Tally)
    effort: Effort = field(default_factory=Effort)
    pairs: Counter[tuple[float, ...]] = field(default_factory=Counter)
    """How often each row of points was seen: its points, match by match of a pair."""
    terminations: Counter[str] = field(default_factory=Counter)
    """How its lost matches ended, by cause."""

    @property
    def together(self) -> Tally:
        """Both seats."""
        a, b = self.as_first, self.as_second
        return Tally(a.wins + b.wins, a.draws + b.draws, a.losses + b.losses)

    @property
    def pair_scores(self) -> Counter[float]:
        """How many pairs had each score per match."""
        return self._per_match(sum)

    def score(self, z: float = Z95) -> Interval | None:
        """Points per match (a draw is ½), with an interval over pairs, for 95 % unless another ``z`` is given."""
        return bounded_mean(self.pair_scores, z)

    def rate(self, points: float) -> Interval | None:
        """The share of matches that gave these points, with an interval over pairs."""
        return bounded_mean(self._per_match(lambda row: row.count(points)))

    def _per_match(self, measure: Callable[[tuple[float, ...]], float]) -> Counter[float]:
        counts: Counter[float] = Counter()
        for row, count in self.pairs.items():
            counts[measure(row) / len(row)] += count
        return counts

    def add(self, other: Side) -> None:
        """Count what the agent did in another series."""
        for mine, theirs in ((self.as_first, other.as_first), (self.as_second, other.as_second)):
            mine.wins += theirs.wins
            mine.draws += theirs.draws
            mine.losses += theirs.losses
        self.effort.add(other.effort)
        self.pairs.update(other.pairs)
        self.terminations.update(other.terminations)

    def to_json(self) -> dict[str, Any]:
        """Counts, rates and effort, without what depends on the clock; totals have intervals over pairs."""
        together = self.together
        return {
            "spec": self.spec,
            "wins": together.wins,
            "draws": together.draws,
            "losses": together.losses,
            "win_rate": _json(self.rate(1.0)),
            "draw_rate": _json(self.rate(0.5)),
            "loss_rate": _json(self.rate(0.0)),
            "score": _json(self.score()),
            "as_first": self.as_first.to_json(),
            "as_second": self.as_second.to_json(),
            "moves": self.effort.moves,
            "moves_per_match": round(self.effort.moves / together.matches, 3) if together.matches else None,
            "nodes": self.effort.nodes,
            "nodes_per_move": round(self.effort.nodes_per_move(), 3),
            "lost_by": dict(sorted(self.terminations.items())),
        }

    def timing_json(self) -> dict[str, Any]:
        """How long its decisions took, in seconds per move."""
        effort = self.effort
        return {
            "spec": self.spec,
            "seconds_per_move": effort.seconds_per_move(),
            "least": effort.least,
            "most": effort.most,
        }


class Series:
    """Sums over the pairs that two agents have played so far, added one pair at a time or counted."""

    def __init__(self, game: Game, a: Agent | str, b: Agent | str) -> None:
        self.game = game
        self.sides = (Side(a if isinstance(a, str) else a.spec), Side(b if isinstance(b, str) else b.spec))
        self.matches = 0
        self.distinct = 0
        """How many of the matches differ, in who sat where or in the moves."""
        self.plies = 0
        self.interrupted = 0
        self.terminations: Counter[str] = Counter()
        self.faults: list[str] = []
        self._seen: set[tuple[Player, tuple[int, ...]]] = set()

    @property
    def seconds(self) -> float:
        """All decisions together."""
        return sum(side.effort.seconds for side in self.sides)

    def add(self, pair: Pair) -> None:
        """Count one pair."""
        points = [r.outcome.score(seat) if r.outcome is not None else None for r, seat in pair.matches()]
        self.count_pairs(points)
        for record, seat in pair.matches():
            if (seat, record.all_moves) not in self._seen:
                self._seen.add((seat, record.all_moves))
                self.distinct += 1
            self.plies += len(record.all_moves)
            self.count_ending(record.termination, seat, record.outcome)
            for side, place in zip(self.sides, (seat, seat.other), strict=True):
                side.effort.add(effort_of(record, place))
            if record.termination.is_fault and len(self.faults) < FAULTS_SHOWN:
                self.faults.append(fault_text(record))

    def count_pairs(self, points: Sequence[float | None], count: int = 1) -> None:
        """Count pairs that gave the first agent these points, match by match; None for an interrupted one."""
        self.matches += count * len(points)
        known = tuple(p for p in points if p is not None)
        self.interrupted += count * (len(points) - len(known))
        if known:
            self.sides[0].pairs[known] += count
            self.sides[1].pairs[tuple(1 - p for p in known)] += count
        for index, p in enumerate(points):
            if p is not None:
                (self.sides[0].as_second if index else self.sides[0].as_first).add(p, count)
                (self.sides[1].as_first if index else self.sides[1].as_second).add(1 - p, count)

    def count_ending(self, cause: Termination, seat: Player, outcome: Outcome | None, count: int = 1) -> None:
        """Count matches that ended by this cause, with the first agent in this seat."""
        self.terminations[cause.value] += count
        if outcome is not None and outcome.winner is not None:
            self.sides[outcome.winner is seat].terminations[cause.value] += count

    def __repr__(self) -> str:
        a, b = self.sides
        points = f"{a.together.wins} / {a.together.draws} / {a.together.losses}"
        return f"<Series {self.game}: {a.spec} against {b.spec}, {self.matches} matches, {points}>"

    def _repr_html_(self) -> str:
        """How a notebook shows it: wins, draws, losses and the score of both agents."""
        from inarow.drawing.html import table
        from inarow.match.claims import claim

        rows = []
        for side in self.sides:
            counts, nodes = side.together, number(side.effort.nodes_per_move())
            rows.append((side.spec, counts.wins, counts.draws, counts.losses, share(side.score()), nodes))
        head = (self.game.title, "wins", "draws", "losses", "score (95 %)", "nodes per move")
        return table(head, rows, f"{self.matches:,} matches, {self.distinct:,} of them distinct", claim(self).sentence)


def _json(interval: Interval | None) -> dict[str, float] | None:
    return None if interval is None else interval.to_json()


FAULTS_SHOWN = 20
"""How many messages of faults a series keeps."""


def fault_text(record: Record) -> str:
    """Which agent failed, how, and the message."""
    loser = record.second if record.result == "first" else record.first
    return f"{loser}: {record.termination.value} ({record.fault})"
