"""Grade an agent against exact values: accuracy of its moves, results of all lines of play against it, score against
perfect play, and score from won openings."""

from __future__ import annotations

import contextlib
import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import repeat
from typing import Any

from inarow.agents import Agent, AgentError, Decision, Mind
from inarow.errors import InarowError, check_instance, unknown
from inarow.formatting import counted, share
from inarow.limits import NO_LIMIT, Limit
from inarow.match import play_match
from inarow.match.openings import OpeningError, check_plies
from inarow.match.playing import failure, host_problem, play_decision, undisturbed
from inarow.match.series import fault_text, match_seed
from inarow.randomness import derive
from inarow.rules import CONNECT4, FIRST, SECOND, Game, Player, Position, format_moves
from inarow.solver import Oracle, Unsolved, Verdict
from inarow.solver.book import shipped_book
from inarow.stats import Interval, bounded_mean
from inarow.truth.accuracy import Accuracy, ValueAccuracy, count_by
from inarow.truth.positions import (
    Map,
    SolvedPositions,
    all_positions,
    quick_ply,
    random_positions,
    table_positions,
    value_positions,
)

Decide = Callable[[Position], int]


@dataclass(repr=False)
class Grade:
    """The grade of an agent in a game."""

    game: Game
    agent: Agent
    whole: bool = False
    """True if all positions of the game were graded, not a sample."""
    asked: int = 0
    """The requested number of positions."""
    by_ply: dict[int, Accuracy] = field(default_factory=dict)
    values_by_ply: dict[int, ValueAccuracy] = field(default_factory=dict)
    """The accuracy of values on a balanced sample, by the middle ply of each band; empty without values."""
    lines: dict[str, dict[str, int]] = field(default_factory=dict)
    """The results of all lines of play, by seat."""
    against: dict[str, list[float]] = field(default_factory=dict)
    """Points per match against perfect play, by seat and kind of resistance."""

    @property
    def total(self) -> Accuracy:
        """The accuracy over all plies."""
        return sum(self.by_ply.values(), Accuracy())

    @property
    def accuracy(self) -> float:
        """The share of graded positions whose move kept the exact value; NaN if none were graded."""
        rate = self.total.kept_rate
        return math.nan if rate is None else rate.estimate

    @property
    def values(self) -> ValueAccuracy:
        """The accuracy of values over all plies."""
        return sum(self.values_by_ply.values(), ValueAccuracy())

    @property
    def kind(self) -> str:
        """The graded positions in words: all, or only those with a choice, where moves differ in verdict."""
        return "all positions" if self.whole else "positions with a choice"

    @property
    def shortage(self) -> str:
        """A sentence with the reason if fewer positions were graded than requested, else empty."""
        found = self.total.moves + self.total.unsolved
        if self.whole or found >= self.asked:
            return ""
        why = "the truth set has no more" if self.game == CONNECT4 else "random play led to no more"
        return f"{self.asked:,} positions were requested and {found:,} are graded: {why} with a choice."

    def __repr__(self) -> str:
        total = self.total
        kept, best = share(total.kept_rate), share(total.perfect_rate)
        count = counted(total.moves, "position", "positions") + ("" if self.whole else " with a choice")
        choice = f" ({share(total.nontrivial_kept_rate)} of those with a choice)" if self.whole else ""
        return (
            f"<Grade {self.agent.spec} on {self.game}: {count}, verdict kept in {kept}{choice}, best score in {best}>"
        )

    def _repr_html_(self) -> str:
        """Return the HTML for notebooks: results by ply and in total."""
        from inarow.drawing.svg import table

        parts = [*self.by_ply.items(), ("all", self.total)]
        rows = [(ply, f"{a.moves:,}", share(a.kept_rate), share(a.perfect_rate)) for ply, a in parts]
        head = ("ply", "positions", "verdict kept (95 %)", "best score (95 %)")
        lines = [f"{self.agent.spec} at {self.game.title}, {self.kind}"]
        if self.whole:
            total = self.total
            lines.append(f"verdict kept in {share(total.nontrivial_kept_rate)} of {total.nontrivial:,} with a choice")
        return table(head, rows, *lines, *filter(None, [self.shortage]))

    def points(self, name: str) -> Interval | None:
        """Return points per match of one entry of ``against``, with an interval."""
        check_instance("name", name, str, "a string")
        if name not in self.against:
            raise InarowError(unknown("entry of against", name, self.against))
        return bounded_mean(self.against[name])

    def to_json(self) -> dict[str, Any]:
        """Return the grade for JSON."""
        total = self.total
        return {
            "game": self.game.name,
            "agent": self.agent.spec,
            "positions": "all" if self.whole else "with a choice",
            "asked": None if self.whole else self.asked,
            "accuracy": _interval_json(total.kept_rate),
            "accuracy_with_choice": _interval_json(total.nontrivial_kept_rate),
            "perfect": _interval_json(total.perfect_rate),
            "by_ply": {str(ply): accuracy.to_json() for ply, accuracy in self.by_ply.items()},
            "values": self.values.to_json(),
            "values_by_ply": {str(ply): values.to_json() for ply, values in self.values_by_ply.items()},
            "lines": self.lines,
            "against_perfect": {name: _interval_json(self.points(name)) for name in self.against},
        }


def _interval_json(interval: Interval | None) -> dict[str, float] | None:
    return interval and {"estimate": interval.estimate, "low": interval.low, "high": interval.high}


def grade_positions(
    agent: Agent,
    game: Game,
    *,
    count: int,
    seed: int,
    first_ply: int | None = None,
    solved: SolvedPositions | None = None,
    strict: bool = True,
    each: Map = map,
) -> Grade:
    """Grade by positions: in a small game all of them and every line of play, else ``count`` random ones.

    Positions of a complete table (``solved.table``) are drawn uniformly, or all taken if ``count`` is 0. Without
    ``first_ply``, positions that are solved quickly are used; in Connect 4 all of the truth set. ``each`` is the `map`
    that calls the agent; if it fails, its own exception is raised with ``strict``, else an `AgentError`.
    """
    agent.check(game)
    solved = solved or SolvedPositions(game)
    positions = all_positions(game) if solved.table is None else None
    grade = Grade(game, agent, whole=positions is not None, asked=count)
    if first_ply is None:
        first_ply = 0 if game == CONNECT4 else quick_ply(game)
    if solved.table is not None:
        positions = table_positions(solved.table, count, seed)
        grade.asked = count or len(positions)
    elif positions is None:
        positions = random_positions(solved, count, seed, first_ply)
    moves = dict(zip(positions, each(_move_of, repeat(agent), positions, repeat(seed), repeat(strict)), strict=True))
    if grade.whole:
        for seat in (FIRST, SECOND):
            grade.lines[f"as {seat.name.lower()}"] = count_lines(game, seat, moves.__getitem__)
    grade.by_ply = count_by((position.ply, solved.grade(position, move)) for position, move in moves.items())
    sample = value_positions(solved, count, seed, first_ply)
    asked = [position for band in sample.values() for position in band]
    if asked and _value_of(agent, asked[0], seed, strict) is not None:
        values = dict(zip(asked, each(_value_of, repeat(agent), asked, repeat(seed), repeat(strict)), strict=True))
        grade.values_by_ply = grade_values(values.__getitem__, solved, sample)
    return grade


def _move_of(agent: Agent, position: Position, seed: int, strict: bool) -> int:
    return decision_of(agent, position, seed, strict).move


def _value_of(agent: Agent, position: Position, seed: int, strict: bool) -> float | None:
    return decision_of(agent, position, seed, strict).value


def grade_values(
    value_of: Callable[[Position], float | None], solved: SolvedPositions, sample: Mapping[int, Sequence[Position]]
) -> dict[int, ValueAccuracy]:
    """Compare the values of decisions with the exact outcomes of a sample of positions, by band of plies.

    Empty for an agent that returns no value in the first position.
    """
    found: dict[int, ValueAccuracy] = {}
    for middle, positions in sample.items():
        for position in positions:
            value = value_of(position)
            if value is None and not found:
                return {}
            outcome = Verdict.of(max((solved.scores(position) or {}).values()))
            found.setdefault(middle, ValueAccuracy()).add(value, outcome)
    return found


def decision_of(agent: Agent, position: Position, seed: int, strict: bool = True) -> Decision:
    """Return an agent's decision in a position, with a new mind and a seed derived from the position.

    If it fails, its own exception is raised, `IllegalMove` for an illegal move; without ``strict`` an `AgentError`.
    Raises `HostFailure` if the machine fails.
    """
    try:
        return undisturbed(f"{agent.spec} in a position", lambda last: _decided(agent, position, seed))
    except (Exception, SystemExit) as error:
        if host_problem(error) is not None:
            raise
        if strict:
            error.add_note(f"raised by {agent.spec} in {position!r}")
            raise
        cause, words = failure(error)
        moves = format_moves(position.game, position.history() or ())
        where = f"after the moves {moves}" if moves else "on the empty board"
        raise AgentError(f"{agent.spec} can't be graded: {cause.value} {where}: {words}") from error


def _decided(agent: Agent, position: Position, seed: int) -> Decision:
    mind: Mind | None = None
    try:
        mind = agent.mind(position.game, position.to_move, derive(seed, position.key()))
        decision = mind.decide(position)
        play_decision(position, decision)
    finally:
        if mind is not None:
            with contextlib.suppress(Exception):  # it has decided; ignore later errors
                mind.close()
    return decision


def decider(agent: Agent, seed: int, strict: bool = True) -> Decide:
    """Return a function that gives an agent's moves, as `decision_of` does."""
    return lambda position: decision_of(agent, position, seed, strict).move


def count_lines(game: Game, seat: Player, decide: Decide) -> dict[str, int]:
    """Count the wins, draws and losses over all replies of the opponent."""
    known: dict[int, tuple[int, int, int]] = {}

    def count(position: Position) -> tuple[int, int, int]:
        outcome = position.outcome()
        if outcome is not None:
            return int(outcome.winner is seat), int(outcome.winner is None), int(outcome.winner is seat.other)
        key = position.key()
        if key not in known:
            moves = (decide(position),) if position.to_move is seat else position.legal_moves()
            parts = [count(position.play(move)) for move in moves]
            known[key] = (sum(p[0] for p in parts), sum(p[1] for p in parts), sum(p[2] for p in parts))
        return known[key]

    return dict(zip(("wins", "draws", "losses"), count(Position.start(game)), strict=True))


def grade_matches(
    grade: Grade,
    opponents: Mapping[str, Agent],
    matches: int,
    seed: int,
    openings: Sequence[WonOpenings] = (),
    strict: bool = True,
    each: Map = map,
) -> None:
    """Add matches against perfect players to a grade: ``matches`` from the start in each seat, and about as many from
    the openings of each kind, each opening at least once."""
    starts = [WonOpenings(seat, 0, ((),)) for seat in (FIRST, SECOND)] if matches else []
    for name, opponent in opponents.items():
        for kind in (*starts, *openings):
            title = kind.title if kind.plies else f"as {kind.seat.name.lower()}"
            pair = (grade.agent, opponent) if kind.seat is FIRST else (opponent, grade.agent)
            lines = [line for line in kind.lines for _ in range(max(1, matches // len(kind.lines)))]
            seeds = [match_seed(seed, grade.game, index, kind.seat is SECOND) for index in range(len(lines))]
            given = repeat(grade.game), repeat(pair), lines, seeds, repeat(kind.seat), repeat(strict)
            grade.against[f"{title} against {name}"] = list(each(_points, *given))


def _points(
    game: Game, pair: tuple[Agent, Agent], opening: Sequence[int], seed: int, seat: Player, strict: bool
) -> float:
    """Play a match and return the points of the agent in a seat. Raises `AgentError` if it ends by a fault."""
    record = play_match(game, *pair, opening=opening, seed=seed, strict=strict)
    if record.termination.is_fault or record.outcome is None:
        raise AgentError(f"a match against {pair[seat.other].spec} was lost by a fault: {fault_text(record)}")
    return record.outcome.score(seat)


MAX_OPENINGS = 100_000
"""Maximum plies of an opening; longer ones take days to solve."""


@dataclass(frozen=True)
class WonOpenings:
    """All openings of ``plies`` plies that the side to move wins; ``unsolved`` were not solved within the limit."""

    seat: Player
    plies: int
    lines: tuple[tuple[int, ...], ...]
    unsolved: int = 0

    @property
    def title(self) -> str:
        """A phrase: the seat, the number of openings, and their plies."""
        skipped = f", {self.unsolved} unsolved skipped" if self.unsolved else ""
        plies = counted(self.plies, "ply", "plies")
        return f"as {self.seat.name.lower()} from {len(self.lines)} won openings of {plies}{skipped}"


def won_openings(game: Game, plies: int, limit: Limit = NO_LIMIT, oracle: Oracle | None = None) -> WonOpenings:
    """Return the distinct openings of this many plies that the side to move wins; ``limit`` applies to each."""
    check_plies(game, plies)
    oracle = oracle or Oracle(game)
    lines: dict[Position, tuple[int, ...]] = {Position.start(game): ()}
    for _ in range(plies):
        longer: dict[Position, tuple[int, ...]] = {}
        for position, line in lines.items():
            for move in position.legal_moves():
                child = position.play(move)
                if child.outcome() is None:
                    longer.setdefault(child, (*line, move))
        lines = longer
        if len(lines) > MAX_OPENINGS:
            raise OpeningError(f"{game} has more than {MAX_OPENINGS:,} openings of {plies} plies; give fewer plies")
    verdicts: dict[int, Verdict | None] = {}
    won, unsolved = [], 0
    for position, line in lines.items():
        least = min(image.key() for image in position.symmetries())
        if least not in verdicts:
            try:
                verdicts[least] = oracle.verdict(position, limit)
            except Unsolved:
                verdicts[least] = None
        unsolved += verdicts[least] is None
        if verdicts[least] is Verdict.WIN:
            won.append(line)
    return WonOpenings((FIRST, SECOND)[plies % 2], plies, tuple(won), unsolved)


def opening_warning(game: Game) -> str:
    """Return a warning if openings take long to solve (a large board without a book), else an empty string."""
    if shipped_book(game) is not None or game.cells <= 30:
        return ""
    return f"there is no opening book for {game}: solving each opening, and each match from it, takes minutes"
