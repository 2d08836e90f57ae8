"""A series: pairs of matches of two agents, each pair on one opening with seats swapped, and sums over them."""

from __future__ import annotations

from collections import Counter
from collections.abc import Hashable, Iterable, Iterator, Sequence
from dataclasses import dataclass

from inarow.agents import NO_LIMIT, Agent, Limit
from inarow.formatting import counted, number, share
from inarow.limits import MOST_MATCHES, check_count
from inarow.match.openings import Openings
from inarow.match.playing import play_match
from inarow.match.record import MatchRecord, Termination
from inarow.match.tally import Tally, effort_of
from inarow.randomness import derive
from inarow.rules import FIRST, SECOND, Game, Outcome, Player

ENOUGH = 5
"""Repeats with the same moves, and none with others, after which a pairing is taken to be deterministic."""


def used_up_text(count: str, more: str) -> str:
    """Say that further pairs would be repeats: ``count`` is how many are counted, ``more`` how to ask for others."""
    return (
        f"The openings are used up: {count} count, the others repeat earlier ones move by move. "
        f"Give more openings, such as {more}."
    )


def either(flags: Iterable[bool | int | None]) -> bool | None:
    """Return True if any flag is set, else None if any is unknown, else False."""
    seen = list(flags)
    return True if any(seen) else None if None in seen else False


class Repeats:
    """Tell which pairs of two agents are new observations, reading them in order.

    A pair in which no random number decided a move is a function of its opening: one observation, however often it is
    played. Whether inarow's own agents used random numbers is known. Where it is not (an agent from a file, a class of
    your own, a limit in seconds), it is inferred: as long as every repeated opening gave the same moves again, the
    repeats are not counted; once one of them differs, all later pairs count, even those that coincide.
    """

    def __init__(self) -> None:
        self._settled: set[Hashable] = set()
        self._moves: dict[Hashable, Hashable] = {}
        self._same = 0
        self._varied = False

    def is_settled(self, opening: Hashable) -> bool:
        """Return True if another pair from this opening would be a repeat."""
        return opening in self._settled or (self._same >= ENOUGH and not self._varied and opening in self._moves)

    @property
    def settled(self) -> int:
        """From how many openings another pair would be a repeat."""
        inferred = len(self._moves) if self._same >= ENOUGH and not self._varied else 0
        return len(self._settled) + inferred

    def is_new(self, opening: Hashable, stochastic: bool | None, moves: Hashable) -> bool:
        """Read the next pair, and return whether it is a new observation. ``moves`` are those of both matches."""
        if opening in self._settled:
            return False
        if stochastic is False:
            self._settled.add(opening)
            return True
        if stochastic or self._varied:
            return True
        if opening not in self._moves:
            self._moves[opening] = moves
            return True
        if self._moves[opening] == moves:
            self._same += 1
            return False
        self._varied = True
        return True


@dataclass(frozen=True, slots=True)
class Pair:
    """Two matches on one opening: ``straight`` with the first agent as first player, ``swapped`` the other way.

    ``swapped`` is None when only one was played.
    """

    index: int
    straight: MatchRecord
    swapped: MatchRecord | None

    def matches(self) -> list[tuple[MatchRecord, Player]]:
        """Each record with the seat that the first agent had."""
        return [(self.straight, FIRST)] + ([(self.swapped, SECOND)] if self.swapped is not None else [])

    @property
    def stochastic(self) -> bool | None:
        """Whether a random number decided a move of either match; None if unknown."""
        return either(record.stochastic for record, _ in self.matches())

    @property
    def moves(self) -> tuple[tuple[int, ...], ...]:
        """Of each match, the opening included."""
        return tuple(record.all_moves for record, _ in self.matches())


def match_seed(seed: int, game: Game, index: int, swapped: bool) -> int:
    """Derive the seed of a match from its series' seed, the board, the pair's index and its place in the pair.

    Agents never enter, so that a renamed agent or parameter plays the same matches, and agents that meet the same
    opponent at the same index meet the same random numbers. Each seat gets its own stream from this seed.
    """
    return derive(seed, game.name, "pair", index, int(swapped))


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
    strict: bool = False,
    adjudicate: bool = False,
) -> Pair:
    """Play one pair; ``seed`` is that of the series or tournament (see `match_seed`)."""

    def play(first: Agent, second: Agent, swapped: bool) -> MatchRecord:
        own_seed = match_seed(seed, game, index, swapped)
        return play_match(
            game, first, second, opening=opening, seed=own_seed, limit=limit, strict=strict, adjudicate=adjudicate
        )

    return Pair(index, play(a, b, False), play(b, a, True) if swap else None)


def play_series(
    game: Game,
    a: Agent,
    b: Agent,
    *,
    matches: int,
    seed: int = 0,
    openings: Openings | None = None,
    limit: Limit = NO_LIMIT,
    swap: bool = True,
    strict: bool = False,
    adjudicate: bool = False,
) -> Iterator[Pair]:
    """Yield pairs, ``matches`` matches in all (without ``swap`` each pair is one match).

    Each pair starts from one of ``openings``, drawn from the seed, or from the empty board. A pair that would only
    repeat an earlier one (see `Repeats`) is not played.
    """
    check_count("matches", matches, MOST_MATCHES)
    pairs = (matches + 1) // 2 if swap else matches
    starts = [()] * pairs if openings is None else openings.draw(pairs, seed)
    repeats = Repeats()
    for index, start in enumerate(starts):
        if repeats.is_settled(start):
            continue
        both = swap and 2 * index + 1 < matches
        pair = play_pair(
            game,
            a,
            b,
            index=index,
            opening=start,
            seed=seed,
            limit=limit,
            swap=both,
            strict=strict,
            adjudicate=adjudicate,
        )
        repeats.is_new(start, pair.stochastic, pair.moves)
        yield pair


class Series(Tally):
    """The results of a pairing, for its first agent; `opponent` has the second agent's, `sides` both.

    Pairs are added one at a time, or counted.
    """

    def __init__(self, game: Game, a: Agent | str, b: Agent | str) -> None:
        super().__init__(a if isinstance(a, str) else a.spec)
        self.game = game
        self.opponent = Tally(b if isinstance(b, str) else b.spec)
        self.repeats = Repeats()
        self.repeated = 0
        """Pairs that only repeated an earlier one; they are not counted."""
        self.distinct = 0
        """How many of the matches differ, in who sat where or in the moves."""
        self.plies = 0
        self.interrupted = 0
        self.terminations: Counter[str] = Counter()
        """How all matches ended, by cause."""
        self.faults: list[str] = []
        """What went wrong in the first matches that ended by a fault: which agent failed, and how."""
        self._seen: set[tuple[Player, tuple[int, ...]]] = set()

    @property
    def sides(self) -> tuple[Tally, Tally]:
        """The results of both agents."""
        return self, self.opponent

    @property
    def matches(self) -> int:
        """All that were played, interrupted ones included."""
        return super().matches + self.interrupted

    @property
    def failed(self) -> int:
        """How many matches ended by a fault."""
        return sum(count for cause, count in self.terminations.items() if Termination(cause).is_fault)

    def add(self, pair: Pair) -> None:
        """Count one pair, unless it only repeats an earlier one."""
        points = [r.outcome.score(seat) if r.outcome is not None else None for r, seat in pair.matches()]
        if not self.read(pair.straight.opening, pair.stochastic, pair.moves, points):
            return
        for record, seat in pair.matches():
            self._count_moves(record, seat)

    def add_match(self, record: MatchRecord, seat: Player) -> None:
        """Count a match on its own, with the first agent in this seat, even if it repeats an earlier one."""
        if record.outcome is None:
            self.interrupted += 1
        else:
            self.count(record.outcome.score(seat), seat=seat)
            self.opponent.count(record.outcome.score(seat.other), seat=seat.other)
        self._count_moves(record, seat)

    def _count_moves(self, record: MatchRecord, seat: Player) -> None:
        """Count how a match went, apart from its points."""
        if (seat, record.all_moves) not in self._seen:
            self._seen.add((seat, record.all_moves))
            self.distinct += 1
        self.plies += len(record.all_moves)
        self.count_ending(record.termination, seat, record.outcome)
        for side, place in zip(self.sides, (seat, seat.other), strict=True):
            effort = effort_of(record, place)
            side.count_effort(effort)
            side.seat(place).count_effort(effort)
        if record.termination.is_fault and len(self.faults) < FAULTS_SHOWN:
            self.faults.append(fault_text(record))

    def read(self, opening: Hashable, stochastic: bool | None, moves: Hashable, points: Sequence[float | None]) -> bool:
        """Count the points of one pair, unless it only repeats an earlier one. Returns whether it was counted."""
        if not self.repeats.is_new(opening, stochastic, moves):
            self.repeated += 1
            return False
        self.count_pairs(points, opening=opening)
        return True

    def count_pairs(self, points: Sequence[float | None], count: int = 1, opening: Hashable = None) -> None:
        """Count pairs that gave the first agent these points, match by match; None for an interrupted one.

        If the opening is given, they are counted as pairs of one cluster.
        """
        known = tuple(p for p in points if p is not None)
        self.interrupted += count * (len(points) - len(known))
        if known:
            self.pairs[known] += count
            self.opponent.pairs[tuple(1 - p for p in known)] += count
            if opening is not None:
                for side, gained in zip(self.sides, (sum(known), len(known) - sum(known)), strict=True):
                    side.count_opening(opening, count * len(known), count * gained)
        for p, seat in zip(points, (FIRST, SECOND), strict=False):
            if p is not None:
                self.count(p, count, seat)
                self.opponent.count(1 - p, count, seat.other)

    def count_ending(self, cause: Termination, seat: Player, outcome: Outcome | None, count: int = 1) -> None:
        """Count matches that ended by this cause, with the first agent in this seat."""
        self.terminations[cause.value] += count
        if outcome is not None and outcome.winner is not None:
            self.sides[outcome.winner is seat].lost_by[cause.value] += count

    def __repr__(self) -> str:
        played = counted(self.matches, "match", "matches")
        faults = f"; {': '.join(fault_lines(self.failed, self.faults[:1]))}" if self.failed else ""
        return f"<Series {self.game}: {self.spec} against {self.opponent.spec}, {played}, {self.counts}{faults}>"

    def _repr_html_(self) -> str:
        """How a notebook shows it: wins, draws, losses and the score of both agents."""
        from inarow.drawing.html import table
        from inarow.match.claims import claim

        rows = []
        for side in self.sides:
            nodes = number(side.nodes_per_move)
            rows.append((side.spec, side.wins, side.draws, side.losses, share(side.score), nodes))
        head = (self.game.title, "wins", "draws", "losses", "score (95 %)", "nodes per move")
        played = f"{counted(self.matches, 'match', 'matches')}, {self.distinct:,} of them distinct"
        return table(head, rows, played, claim(self).sentence, *fault_lines(self.failed, self.faults))


FAULTS_SHOWN = 20
"""How many messages of faults a series keeps."""


def fault_lines(failed: int, faults: Sequence[str]) -> list[str]:
    """Say how many matches ended by a fault, and each different fault once; nothing if there was none."""
    if not failed:
        return []
    return [f"{counted(failed, 'match', 'matches')} ended by a fault", *dict.fromkeys(faults)]


def fault_text(record: MatchRecord) -> str:
    """Which agent failed, how, and the message."""
    loser = record.second if record.result == "first" else record.first
    return f"{loser}: {record.termination.value} ({record.fault})"
