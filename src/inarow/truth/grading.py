"""An agent graded by the exact truth: in how many positions it keeps the verdict, whether any line of play beats it,
and what it scores against perfect play."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from inarow.agents import Agent
from inarow.match import play_match
from inarow.randomness import Stream, derive
from inarow.rules import CONNECT4, FIRST, SECOND, Game, Player, Position
from inarow.solver import Oracle, Verdict
from inarow.stats import Interval, bounded_mean, wilson
from inarow.truth import truth_set
from inarow.truth.openings import WonOpenings

ENUMERABLE = 20_000
"""Games of at most so many positions are graded in all of them."""

Decide = Callable[[Position], int]


class Truth:
    """The verdict of every move of a position, each position solved once."""

    def __init__(self, game: Game) -> None:
        self.oracle = Oracle(game)
        self._known: dict[int, dict[int, Verdict]] = {}
        if game == CONNECT4:
            for one in truth_set():
                self._known[one.position.key()] = {move: Verdict.of(score) for move, score in one.scores.items()}

    def verdicts(self, position: Position) -> Mapping[int, Verdict]:
        """Win, draw or loss for the side that makes the move."""
        key = position.key()
        if key not in self._known:
            moves = self.oracle.move_bounds(position, weak=True)
            self._known[key] = {move: bounds.verdict for move, bounds in moves.items()}
        return self._known[key]

    def keeps(self, position: Position, move: int) -> bool:
        """Whether a move keeps the verdict of its position."""
        verdicts = self.verdicts(position)
        return verdicts[move] == max(verdicts.values())

    def is_trivial(self, position: Position) -> bool:
        """Whether all moves have the same verdict."""
        return len(set(self.verdicts(position).values())) == 1


def all_positions(game: Game, most: int = ENUMERABLE) -> list[Position] | None:
    """All positions of a game that are not over; None if there are more than ``most``."""
    found = {Position.start(game)}
    level = [Position.start(game)]
    while level:
        after = {child for position in level for child in map(position.play, position.legal_moves())}
        level = [position for position in after if position.outcome() is None]
        found.update(level)
        if len(found) > most:
            return None
    return sorted(found, key=lambda position: (position.ply, position.key()))


def random_positions(game: Game, truth: Truth, count: int, seed: int, first: int = 0) -> list[Position]:
    """Random positions from ply ``first`` on, spread over the plies, in which moves differ in verdict.

    Those of Connect 4 are drawn from the truth set.
    """
    stream = Stream(derive(seed, "positions"))
    if game == CONNECT4:
        drawn = [one.position for one in truth_set() if not one.trivial and one.position.ply >= first]
        stream.shuffle(drawn)
        return sorted(drawn[:count], key=lambda position: (position.ply, position.key()))
    found: dict[int, Position] = {}
    plies = range(first, game.cells - 1)
    for number in range(count * 20):
        position = Position.start(game)
        for _ in range(plies[number % len(plies)]):
            if position.outcome() is not None:
                break
            position = position.play(stream.choice(position.legal_moves()))
        if position.outcome() is None and position.key() not in found and not truth.is_trivial(position):
            found[position.key()] = position
        if len(found) == count:
            break
    return sorted(found.values(), key=lambda position: (position.ply, position.key()))


def count_lines(game: Game, seat: Player, decide: Decide) -> dict[str, int]:
    """How every line of play ends, whatever the opponent does: wins, draws, losses."""
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


@dataclass
class Grade:
    """What was found of an agent in a game."""

    game: Game
    agent: Agent
    whole: bool = False
    """Whether all positions of the game were asked, not a sample."""
    by_ply: dict[int, tuple[int, int]] = field(default_factory=dict)
    """Positions in which the verdict was kept, and all that were asked, by ply."""
    lines: dict[str, dict[str, int]] = field(default_factory=dict)
    against: dict[str, list[float]] = field(default_factory=dict)
    """Points per match against perfect play, by seat and kind of resistance."""

    def accuracy(self) -> Interval | None:
        """The share of positions in which the move kept the verdict."""
        return wilson(sum(kept for kept, _ in self.by_ply.values()), sum(asked for _, asked in self.by_ply.values()))

    def success(self, name: str) -> Interval | None:
        """Points per match, with an interval."""
        return bounded_mean(self.against[name])

    def to_json(self) -> dict[str, Any]:
        """The grade for JSON."""

        def shown(interval: Interval | None) -> dict[str, float] | None:
            return interval and {"estimate": interval.estimate, "low": interval.low, "high": interval.high}

        return {
            "game": self.game.name,
            "agent": self.agent.spec,
            "positions": "all" if self.whole else "random, moves differ in verdict",
            "accuracy": shown(self.accuracy()),
            "by_ply": {str(ply): {"kept": kept, "asked": asked} for ply, (kept, asked) in self.by_ply.items()},
            "lines": self.lines,
            "against_perfect": {name: shown(self.success(name)) for name in self.against},
        }


def decider(agent: Agent, game: Game, seed: int) -> Decide:
    """What an agent decides in a position, each time with a fresh mind and a seed of the position's own."""

    def decide(position: Position) -> int:
        mind = agent.mind(game, position.to_move, derive(seed, position.key()))
        try:
            return mind.decide(position).move
        finally:
            mind.close()

    return decide


def accuracy_by_ply(decide: Decide, positions: Iterable[Position], truth: Truth) -> dict[int, tuple[int, int]]:
    """In how many positions of each ply the decided move keeps the verdict, and how many there were."""
    found: dict[int, tuple[int, int]] = {}
    for position in positions:
        kept, asked = found.get(position.ply, (0, 0))
        found[position.ply] = kept + truth.keeps(position, decide(position)), asked + 1
    return found


def grade_positions(
    agent: Agent, game: Game, *, count: int, seed: int, first: int = 0, truth: Truth | None = None
) -> Grade:
    """Grade by positions: all of them, and all lines of play, in a small game; else a random sample."""
    agent.check(game)
    truth = truth or Truth(game)
    decide = decider(agent, game, seed)
    positions = all_positions(game)
    grade = Grade(game, agent, whole=positions is not None)
    if positions is None:
        positions = random_positions(game, truth, count, seed, first)
    else:
        for seat in (FIRST, SECOND):
            grade.lines[f"as {seat.name.lower()}"] = count_lines(game, seat, decide)
    grade.by_ply = accuracy_by_ply(decide, positions, truth)
    return grade


def grade_matches(
    grade: Grade, opponents: Mapping[str, Agent], games: int, seed: int, openings: Sequence[WonOpenings] = ()
) -> None:
    """Add matches against perfect players to a grade: ``games`` from the start in each seat, and about as many from the
    openings of each kind, each of them at least once."""
    starts = [WonOpenings(seat, 0, ((),)) for seat in (FIRST, SECOND)] if games else []
    for name, opponent in opponents.items():
        for kind in (*starts, *openings):
            title = kind.title if kind.plies else f"as {kind.seat.name.lower()}"
            scores = []
            for line in kind.lines:
                for number in range(max(1, games // len(kind.lines))):
                    pair = (grade.agent, opponent) if kind.seat is FIRST else (opponent, grade.agent)
                    again = derive(seed, name, kind.seat.name, *line, number)
                    record = play_match(grade.game, *pair, opening=line, seed=again)
                    if record.outcome is not None:
                        scores.append(record.outcome.score(kind.seat))
            grade.against[f"{title} against {name}"] = scores
