"""How good a move was, by the exact scores of all moves: never by who won in the end."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterable, Iterator, Mapping
from dataclasses import dataclass
from typing import NamedTuple

from inarow.errors import InarowError
from inarow.limits import NO_LIMIT, Limit
from inarow.match import Record
from inarow.rules import Player, Position
from inarow.solver import Oracle, Unsolved, Verdict


class Measure(NamedTuple):
    """One move against the truth. Scores are for the side that moved."""

    agent: str
    seat: Player
    ply: int
    """Stones on the board before the move."""
    move: int
    score: int
    """What the move left."""
    best: int
    """What could be had."""
    trivial: bool
    """Whether every move has the same verdict, so that none could be lost."""

    @property
    def perfect(self) -> bool:
        """Whether no move scores better."""
        return self.score == self.best

    @property
    def keeps_verdict(self) -> bool:
        """Whether the verdict is still the best that could be had."""
        return Verdict.of(self.score) == Verdict.of(self.best)

    @property
    def blunder(self) -> bool:
        """Whether a win or a draw was given away."""
        return not self.keeps_verdict

    @property
    def regret(self) -> int:
        """The score that was lost; 0 for a perfect move."""
        return self.best - self.score


def measure_move(position: Position, move: int, scores: Mapping[int, int], agent: str = "") -> Measure:
    """The measure of a move, by the exact scores of all legal moves of the position."""
    if move not in scores:
        raise InarowError(f"move {move + 1} has no score; scored: {', '.join(str(m + 1) for m in sorted(scores))}")
    verdicts = {Verdict.of(score) for score in scores.values()}
    return Measure(
        agent, position.to_move, position.ply, move, scores[move], max(scores.values()), trivial=len(verdicts) == 1
    )


def measure_record(record: Record, oracle: Oracle, *, from_ply: int = 0, limit: Limit = NO_LIMIT) -> Iterator[Measure]:
    """The measures of a playing's moves, the opening's excluded; those not solved within the limit are left out.

    Positions with fewer than ``from_ply`` stones are left out too: the earlier, the dearer.
    """
    position = Position.start(record.game, record.opening)
    agents = (record.first, record.second)
    for move in record.moves:
        if position.ply >= from_ply:
            try:
                scores = oracle.scores(position, limit)
            except Unsolved:
                pass
            else:
                yield measure_move(position, move, scores, agents[position.to_move])
        position = position.play(move)


@dataclass(frozen=True)
class Summary:
    """Many measures added up; rates are None where nothing was counted."""

    moves: int
    perfect: int
    kept: int
    """Moves that keep the verdict."""
    regret: int
    """Score lost in all."""
    nontrivial: int
    """Moves where a verdict could be lost …"""
    nontrivial_kept: int
    """… and was not."""

    @property
    def blunders(self) -> int:
        """Moves that gave away a win or a draw."""
        return self.moves - self.kept

    @property
    def perfect_rate(self) -> float | None:
        """The share of perfect moves."""
        return self.perfect / self.moves if self.moves else None

    @property
    def kept_rate(self) -> float | None:
        """The share of moves that keep the verdict."""
        return self.kept / self.moves if self.moves else None

    @property
    def mean_regret(self) -> float | None:
        """The score lost in a move, on average."""
        return self.regret / self.moves if self.moves else None


def summarise(
    measures: Iterable[Measure], by: Callable[[Measure], Hashable] = lambda measure: measure.agent
) -> dict[Hashable, Summary]:
    """Measures added up by agent, or by what ``by`` says: ``lambda m: (m.agent, m.seat)``, or ``(m.agent, m.ply)``."""
    groups: dict[Hashable, list[Measure]] = {}
    for measure in measures:
        groups.setdefault(by(measure), []).append(measure)
    return {
        key: Summary(
            moves=len(group),
            perfect=sum(m.perfect for m in group),
            kept=sum(m.keeps_verdict for m in group),
            regret=sum(m.regret for m in group),
            nontrivial=sum(not m.trivial for m in group),
            nontrivial_kept=sum(m.keeps_verdict for m in group if not m.trivial),
        )
        for key, group in groups.items()
    }
