"""How good a learner is now: matches without exploration, and how often its move keeps the exact verdict."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from inarow.agents import Agent, AgentError, Mind, agent
from inarow.match import play_match
from inarow.match.series import Tally, match_seed
from inarow.rules import FIRST, SECOND, Game, Player, Position
from inarow.training.opponents import Stage, training_opponents
from inarow.truth import Accuracy
from inarow.truth.accuracy import ValueAccuracy
from inarow.truth.grading import grade_values
from inarow.truth.positions import SolvedPositions, all_positions, quick_ply, random_positions, value_positions

TruthMeasure = Callable[[Callable[[int], Mind]], Mapping[str, float]]
"""Figures by name of a learner that makes a mind from a seed."""

USUAL = ("random", "rules")
"""Opponents that evaluate a learner that met none in training."""
KEPT, BEST, SKILL = "keeps the verdict", "best score", "skill of the value"
"""Measures of truth: two shares, and the Brier skill score of the values."""
SAMPLE = 300
"""Positions that a learner's moves are measured on, in games too large for all."""
VALUE_SAMPLE = 90
"""Positions that its values are measured on."""


@dataclass(frozen=True)
class Held(Agent):
    """An agent around something in memory that makes minds, such as a learner between two episodes."""

    name = "held"
    summary = "what is being trained"
    make: Callable[[int], Mind] | None = None
    label: str = "held"
    game: Game | None = None
    """The only game that it can play; None: not checked."""

    @property
    def spec(self) -> str:
        return self.label

    def check(self, game: Game) -> None:
        if self.game is not None and game != self.game:
            raise AgentError(f"{self.label} was trained on {self.game} and can't play {game}")

    def mind(self, game: Game, player: Player, seed: int) -> Mind:
        assert self.make is not None
        return self.make(seed)


@dataclass(frozen=True)
class Evaluation:
    """Opponents and seats of an evaluation, the matches in each seat, and a measure of truth if there is one.

    Without ``opponents`` they are those of the training, in the learner's own seats; after self-play `USUAL` in both.
    """

    opponents: Sequence[str] | None = ()
    matches: int = 50
    truth: TruthMeasure | None = None
    seats: tuple[Player, ...] = (FIRST, SECOND)

    def settled(self, stages: Sequence[Stage], seats: tuple[Player, ...]) -> Evaluation:
        """Return the evaluation of a training with these stages, whose learner sits in these seats."""
        if self.opponents is not None:
            return self
        met = training_opponents(stages)
        return replace(self, opponents=met, seats=seats) if met else replace(self, opponents=USUAL)

    def measure(self, game: Game, make: Callable[[int], Mind], seed: int) -> dict[str, Any]:
        """Count wins, draws and losses by opponent and seat; add the measures of truth."""
        learner = Held(make)
        found: dict[str, Any] = {"matches": {}}
        for spec in self.opponents or ():
            opponent = agent(spec)
            by_seat = {}
            for seat in self.seats:
                tally = Tally()
                for number in range(self.matches):
                    pair = (learner, opponent) if seat is FIRST else (opponent, learner)
                    outcome = play_match(game, *pair, seed=match_seed(seed, game, number, seat is SECOND)).outcome
                    if outcome is not None:
                        tally.count(outcome.score(seat))
                by_seat[seat.name.lower()] = {"wins": tally.wins, "draws": tally.draws, "losses": tally.losses}
            found["matches"][opponent.spec] = by_seat
        if self.truth is not None:
            found["truth"] = dict(self.truth(make))
        return found


def truth_measure(game: Game, sample: int | None = None) -> TruthMeasure:
    """How a learner's moves and values compare with the truth: in all positions of a small game, else in a random
    sample of late ones, in which moves differ in verdict; or always in a sample of this size. Positions are solved at
    the first use. Without values nothing is said of them."""
    positions: list[Position] = []
    sampled: dict[int, list[Position]] = {}
    solved = SolvedPositions(game)

    def measure(make: Callable[[int], Mind]) -> Mapping[str, float]:
        if not positions:
            every = all_positions(game) if sample is None else None
            sampled.update(value_positions(solved, VALUE_SAMPLE, 1, quick_ply(game)))
            positions.extend(every or random_positions(solved, sample or SAMPLE, 1, quick_ply(game)))
        mind = make(1)
        moves = Accuracy()
        for position in positions:
            moves.add(solved.grade(position, mind.decide(position).move))
        found = {KEPT: moves.kept / max(1, moves.moves), BEST: moves.perfect / max(1, moves.moves)}
        values = grade_values(lambda position: mind.decide(position).value, solved, sampled)
        skill = sum(values.values(), ValueAccuracy()).skill
        return found if skill is None else {**found, SKILL: skill.estimate}

    return measure


def merit(found: Mapping[str, Any]) -> float:
    """A number to compare evaluations by: how often the verdict is kept if that was measured, else the mean score."""
    truth = found.get("truth", {})
    if KEPT in truth:
        return float(truth[KEPT])
    scores = [
        (seat["wins"] + seat["draws"] / 2) / max(1, sum(seat.values()))
        for by_seat in found["matches"].values()
        for seat in by_seat.values()
    ]
    return sum(scores) / len(scores) if scores else 0.0
