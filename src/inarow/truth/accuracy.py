"""How good moves are by the exact scores of all moves, never by who won in the end; one move, and many counted."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any, NamedTuple, TypeVar

from inarow.errors import InarowError
from inarow.rules import Player, Position
from inarow.solver import Verdict
from inarow.solver.solved import is_trivial
from inarow.stats import Interval, wilson

Key = TypeVar("Key")


class GradedMove(NamedTuple):
    """One move against the truth. Scores are for the side that moved."""

    seat: Player
    ply: int
    """Stones on the board before the move."""
    move: int
    score: int
    """The score of the move."""
    best: int
    """The best score of all moves."""
    trivial: bool
    """Whether all moves have the same verdict, so that it could not be lost."""

    @property
    def perfect(self) -> bool:
        """Whether no move has a better score."""
        return self.score == self.best

    @property
    def keeps_verdict(self) -> bool:
        """Whether no move has a better verdict."""
        return Verdict.of(self.score) == Verdict.of(self.best)

    @property
    def blunder(self) -> bool:
        """Whether it gave away a win or a draw."""
        return not self.keeps_verdict

    @property
    def regret(self) -> int:
        """The score that was lost; 0 for a perfect move."""
        return self.best - self.score


def grade_move(position: Position, move: int, scores: Mapping[int, int]) -> GradedMove:
    """A move graded by the exact scores of all legal moves of the position."""
    if move not in scores:
        raise InarowError(f"move {move + 1} has no score; scored: {', '.join(str(m + 1) for m in sorted(scores))}")
    return GradedMove(
        position.to_move, position.ply, move, scores[move], max(scores.values()), trivial=is_trivial(scores)
    )


@dataclass
class Accuracy:
    """Graded moves, counted. Rates are None where there is nothing to divide by."""

    moves: int = 0
    """Moves graded; those of unsolved positions are not among them."""
    perfect: int = 0
    """Moves with the best score."""
    kept: int = 0
    """Moves that keep the verdict."""
    regret: int = 0
    """Score lost in all."""
    nontrivial: int = 0
    """Moves where the verdict could be lost …"""
    nontrivial_kept: int = 0
    """… and was kept."""
    unsolved: int = 0
    """Moves that could not be graded: the position was not solved within the limit."""
    blunders_by_ply: Counter[int] = field(default_factory=Counter)
    """Moves that gave away a win or a draw, by the stones on the board."""

    def add(self, graded: GradedMove | None) -> None:
        """Count one move; None is one that could not be graded."""
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
        """Both counted together."""
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
        """The share of moves that keep the verdict, where it could be lost."""
        return wilson(self.nontrivial_kept, self.nontrivial)

    @property
    def mean_regret(self) -> float | None:
        """The mean score lost per move."""
        return self.regret / self.moves if self.moves else None

    def to_json(self) -> dict[str, Any]:
        """The counts, as plain values."""
        plies = {str(ply): count for ply, count in sorted(self.blunders_by_ply.items())}
        return {**{name: getattr(self, name) for name in _COUNTS}, "blunders": self.blunders, "blunders_by_ply": plies}

    @classmethod
    def from_json(cls, data: Mapping[str, Any]) -> Accuracy:
        """What `to_json` gave."""
        plies = Counter({int(ply): count for ply, count in data["blunders_by_ply"].items()})
        return cls(**{name: data[name] for name in _COUNTS}, blunders_by_ply=plies)


_COUNTS = ("moves", "perfect", "kept", "regret", "nontrivial", "nontrivial_kept", "unsolved")


def count_by(graded: Iterable[tuple[Key, GradedMove | None]]) -> dict[Key, Accuracy]:
    """Graded moves counted by the key that comes with each, such as the agent or the ply."""
    found: dict[Key, Accuracy] = {}
    for key, move in graded:
        found.setdefault(key, Accuracy()).add(move)
    return found
