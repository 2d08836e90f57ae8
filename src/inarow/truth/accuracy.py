"""Accuracy of moves and values, measured against the exact scores of all moves.

Values are graded on a sample with equally many wins, draws and losses (`positions.value_positions`), by two measures
that reward only distinguishing the outcomes: for constant or random values the balanced accuracy is 1/3, and the skill
score is at most 0.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, NamedTuple, TypeVar

from inarow.errors import InarowError
from inarow.rules import Game, Player, Position
from inarow.solver import Verdict
from inarow.solver.analysis import describe
from inarow.solver.solved import is_trivial
from inarow.stats import Z95, Interval, wilson

Key = TypeVar("Key")


class GradedMove(NamedTuple):
    """A move compared with the exact scores, which are for the side that moved."""

    seat: Player
    ply: int
    """Stones on the board before the move."""
    move: int
    score: int
    """The score of the move."""
    best: int
    """The best score of all moves."""
    trivial: bool
    """True if all moves have the same exact value, so that no mistake was possible."""

    @property
    def perfect(self) -> bool:
        """True if no move has a better score."""
        return self.score == self.best

    @property
    def keeps_verdict(self) -> bool:
        """True if no move has a better exact value."""
        return Verdict.of(self.score) == Verdict.of(self.best)

    @property
    def blunder(self) -> bool:
        """True if the move gave away a win or a draw."""
        return not self.keeps_verdict

    @property
    def regret(self) -> int:
        """The score that was lost; 0 for a perfect move."""
        return self.best - self.score


def grade_move(position: Position, move: int, scores: Mapping[int, int]) -> GradedMove:
    """Grade a move by the exact scores of all legal moves."""
    if move not in scores:
        raise InarowError(f"move {move + 1} has no score; scored: {', '.join(str(m + 1) for m in sorted(scores))}")
    return GradedMove(
        position.to_move, position.ply, move, scores[move], max(scores.values()), trivial=is_trivial(scores)
    )


def review(
    game: Game, moves: Sequence[int], scores_of: Callable[[Position], Mapping[int, int] | None], first: int = 0
) -> dict[str, Any]:
    """Grade every move of a match from the ply ``first`` on, as pages show it; solves from the end back.

    ``scores_of`` returns the scores of all moves of a position, or None if it is not solved.
    """
    positions = [Position.start(game)]
    for move in moves:
        positions.append(positions[-1].play(move))
    rows = [
        _reviewed(positions[index], index, moves[index], scores_of(positions[index]))
        for index in reversed(range(first, len(moves)))
    ][::-1]
    kept = [[not row["mistake"] for row in rows if row["solved"] and row["player"] == player] for player in (0, 1)]
    return {
        "moves": rows,
        "accuracy": [sum(one) / len(one) if one else None for one in kept],
        "complete": all(row["solved"] for row in rows),
    }


def _reviewed(position: Position, index: int, move: int, scores: Mapping[int, int] | None) -> dict[str, Any]:
    row: dict[str, Any] = {"index": index, "player": int(position.to_move), "move": move, "solved": scores is not None}
    if scores is None:
        return row | {"score": None, "best_score": None, "best": [], "mistake": False, "words": ""}
    graded = grade_move(position, move, scores)
    verdicts = {other: Verdict.of(score) for other, score in scores.items()}
    values: Mapping[int, int] = verdicts if graded.blunder else scores
    explanation = f"{describe(position, graded.best)} became {describe(position, graded.score)}"
    return row | {
        "score": graded.score,
        "best_score": graded.best,
        "best": [other for other, value in values.items() if value == max(values.values())],
        "mistake": graded.blunder,
        "words": explanation if graded.blunder else "",
    }


@dataclass
class Accuracy:
    """Counts of graded moves. Rates are None if their denominator is 0."""

    moves: int = 0
    """Graded moves, without those in unsolved positions."""
    perfect: int = 0
    """Moves with the best score."""
    kept: int = 0
    """Moves that keep the verdict."""
    regret: int = 0
    """Total score lost."""
    nontrivial: int = 0
    """Moves in positions with a choice, where the verdict could be lost."""
    nontrivial_kept: int = 0
    """Moves in positions with a choice that kept the verdict."""
    unsolved: int = 0
    """Moves that could not be graded: the position was not solved within the limit."""
    blunders_by_ply: Counter[int] = field(default_factory=Counter)
    """Moves that gave away a win or a draw, by the stones on the board."""

    def add(self, graded: GradedMove | None) -> None:
        """Count one move; None for one that could not be graded."""
        if graded is None:
            self.unsolved += 1
            return
        self.moves += 1
        self.perfect += graded.perfect
        self.kept += graded.keeps_verdict
        self.regret += graded.regret
        self.nontrivial += not graded.trivial
        self.nontrivial_kept += graded.keeps_verdict and not graded.trivial
        if graded.blunder:
            self.blunders_by_ply[graded.ply] += 1

    def __add__(self, other: Accuracy) -> Accuracy:
        """Return the sum of both counts."""
        counts = {name: getattr(self, name) + getattr(other, name) for name in _COUNTS}
        return Accuracy(**counts, blunders_by_ply=self.blunders_by_ply + other.blunders_by_ply)

    @property
    def blunders(self) -> int:
        """Moves that gave away a win or a draw."""
        return self.moves - self.kept

    @property
    def perfect_rate(self) -> Interval | None:
        """The share of perfect moves."""
        return wilson(self.perfect, self.moves)

    @property
    def kept_rate(self) -> Interval | None:
        """The share of moves that keep the verdict."""
        return wilson(self.kept, self.moves)

    @property
    def nontrivial_kept_rate(self) -> Interval | None:
        """The share of moves that keep the verdict, in positions with a choice."""
        return wilson(self.nontrivial_kept, self.nontrivial)

    @property
    def mean_regret(self) -> float | None:
        """The mean score lost per move."""
        return self.regret / self.moves if self.moves else None

    def to_json(self) -> dict[str, Any]:
        """Return the counts for JSON."""
        plies = {str(ply): count for ply, count in sorted(self.blunders_by_ply.items())}
        return {**{name: getattr(self, name) for name in _COUNTS}, "blunders": self.blunders, "blunders_by_ply": plies}

    @classmethod
    def from_json(cls, data: Mapping[str, Any]) -> Accuracy:
        """Read the output of `to_json`."""
        plies = Counter({int(ply): count for ply, count in data["blunders_by_ply"].items()})
        return cls(**{name: data[name] for name in _COUNTS}, blunders_by_ply=plies)


_COUNTS = ("moves", "perfect", "kept", "regret", "nontrivial", "nontrivial_kept", "unsolved")


def count_by(graded: Iterable[tuple[Key, GradedMove | None]]) -> dict[Key, Accuracy]:
    """Count graded moves by key, such as agent or ply."""
    found: dict[Key, Accuracy] = {}
    for key, move in graded:
        found.setdefault(key, Accuracy()).add(move)
    return found


THIRD = 1 / 3
"""A value above 1/3 reads as a win, one below −1/3 as a loss, any other as a draw."""
OUTCOMES = (Verdict.WIN, Verdict.DRAW, Verdict.LOSS)
NAMES = {Verdict.WIN: "won", Verdict.DRAW: "drawn", Verdict.LOSS: "lost"}


def read_value(value: float) -> Verdict:
    """Return the outcome that a value predicts."""
    return Verdict.WIN if value > THIRD else Verdict.LOSS if value < -THIRD else Verdict.DRAW


@dataclass
class OutcomeCounts:
    """The values of positions with one exact outcome."""

    positions: int = 0
    right: int = 0
    """Positions whose value reads as this outcome."""
    error: float = 0.0
    """The sum of squared errors of the expected score (1 + value) / 2, where a draw counts ½."""
    square: float = 0.0
    """The sum of the squares of these squared errors, for the interval of their mean."""

    def add(self, value: float, outcome: Verdict) -> None:
        """Count one position."""
        error = ((value - outcome) / 2) ** 2
        self.positions += 1
        self.right += read_value(value) == outcome
        self.error += error
        self.square += error**2

    def __add__(self, other: OutcomeCounts) -> OutcomeCounts:
        return OutcomeCounts(*(a + b for a, b in zip(vars(self).values(), vars(other).values(), strict=True)))

    @property
    def mean_error(self) -> float:
        """The mean squared error."""
        return self.error / self.positions

    @property
    def variance_of_mean(self) -> float:
        """The estimated variance of the mean squared error."""
        return max(0.0, self.square / self.positions - self.mean_error**2) / self.positions


@dataclass
class ValueAccuracy:
    """The accuracy of values, by exact outcome. Decisions without a value are ignored."""

    by_outcome: dict[Verdict, OutcomeCounts] = field(default_factory=dict)

    def add(self, value: float | None, outcome: Verdict) -> None:
        """Count the value of a position whose outcome is known; both for the side to move."""
        if value is not None:
            self.by_outcome.setdefault(outcome, OutcomeCounts()).add(value, outcome)

    def __add__(self, other: ValueAccuracy) -> ValueAccuracy:
        """Return the sum of both counts."""
        both = [outcome for outcome in OUTCOMES if outcome in self.by_outcome or outcome in other.by_outcome]
        none = OutcomeCounts()
        return ValueAccuracy({o: self.by_outcome.get(o, none) + other.by_outcome.get(o, none) for o in both})

    @property
    def positions(self) -> int:
        """Positions with a value."""
        return sum(counts.positions for counts in self.by_outcome.values())

    def recall(self, outcome: Verdict) -> Interval | None:
        """Return the share of positions with this outcome that the value predicts."""
        counts = self.by_outcome.get(outcome)
        return None if counts is None else wilson(counts.right, counts.positions)

    @property
    def balanced_accuracy(self) -> Interval | None:
        """The mean of the three recalls, or None if an outcome is missing: 1/3 for any constant or random value."""
        recalls = [rate for outcome in OUTCOMES if (rate := self.recall(outcome)) is not None]
        if len(recalls) < len(OUTCOMES):
            return None
        mean = sum(rate.estimate for rate in recalls) / len(recalls)
        down = math.hypot(*(rate.estimate - rate.low for rate in recalls)) / len(recalls)
        up = math.hypot(*(rate.high - rate.estimate for rate in recalls)) / len(recalls)
        return Interval(mean, mean - down, mean + up)

    @property
    def skill(self) -> Interval | None:
        """The Brier skill score, or None if an outcome is missing.

        1 for exact values, 0 for the best constant (which predicts a draw everywhere), negative for worse. All outcomes
        have equal weight.
        """
        if set(self.by_outcome) != set(OUTCOMES):
            return None
        every, baseline = self.by_outcome.values(), 1 / 6  # the squared error of ½ against 1, ½ and 0
        skill = 1 - sum(counts.mean_error for counts in every) / len(every) / baseline
        half = Z95 * math.sqrt(sum(counts.variance_of_mean for counts in every)) / len(every) / baseline
        return Interval(skill, skill - half, min(1.0, skill + half))

    def to_json(self) -> dict[str, Any]:
        """Return the counts by outcome, and both measures."""
        accuracy, skill = self.balanced_accuracy, self.skill
        return {
            **{NAMES[outcome]: vars(counts).copy() for outcome, counts in self.by_outcome.items()},
            "balanced_accuracy": accuracy and accuracy.to_json(),
            "skill": skill and skill.to_json(),
        }

    @classmethod
    def from_json(cls, data: Mapping[str, Any]) -> ValueAccuracy:
        """Read the output of `to_json`."""
        return cls({outcome: OutcomeCounts(**data[NAMES[outcome]]) for outcome in OUTCOMES if NAMES[outcome] in data})
