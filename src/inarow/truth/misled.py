"""Why an agent chose a move that gives away a win or a draw: what it could not see, by exact scores."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from enum import StrEnum

from inarow.agents import Agent, Decision
from inarow.agents.mcts import Mcts
from inarow.agents.ntuple import NTuple
from inarow.agents.qlearning import QLearning
from inarow.agents.searching import Searcher
from inarow.formatting import counted
from inarow.rules import Position, format_move
from inarow.solver import Verdict
from inarow.solver.analysis import moves_to_end, plies_to_end

Scores = Mapping[int, int]
"""The exact score of every legal move, for the side to move."""


class Cause(StrEnum):
    """What misled an agent."""

    HORIZON = "horizon"
    PLAYOUTS = "playouts"
    UNSEEN = "unseen"
    ESTIMATE = "estimate"
    OTHER = "other"


@dataclass(frozen=True)
class Misled:
    """A cause, and one sentence that says what it rests on."""

    cause: Cause
    text: str


def gives_away(move: int, scores: Scores) -> bool:
    """Whether a move turns a win into less, or a draw into a loss."""
    return Verdict.of(scores[move]) < Verdict.of(max(scores.values()))


def misled(
    one: Agent, position: Position, decision: Decision, scores: Scores, replies: Callable[[int], Scores | None]
) -> Misled | None:
    """Why the agent's move gives something away; None if it does not.

    ``replies`` gives the exact scores of the replies to a move, for the side that replies, or None if they are not
    known; it is asked only if they matter.
    """
    if not gives_away(decision.move, scores):
        return None
    case = _Case(position, decision, scores)
    if isinstance(one, Searcher):
        return _search(case)
    if isinstance(one, Mcts):
        return _tree(case, replies)
    if isinstance(one, QLearning):
        return _table(case)
    if isinstance(one, NTuple):
        return Misled(
            Cause.ESTIMATE,
            f"It looks one move ahead and estimates the rest: {case.compared()}. {case.truth()}",
        )
    return Misled(Cause.OTHER, case.truth())


class _Case:
    """A move that gives something away."""

    def __init__(self, position: Position, decision: Decision, scores: Scores) -> None:
        self.position, self.decision, self.scores = position, decision, scores
        self.move = decision.move
        self.name = format_move(self.move)
        self.best = max(scores, key=lambda move: scores[move])

    def truth(self) -> str:
        """What the move does, and what would have been better."""
        better = f"{format_move(self.best)} {_does(self.position, self.scores[self.best])}"
        return f"{self.name} {_does(self.position, self.scores[self.move])}, {better}."

    def beyond(self, plies: int) -> str:
        """What it would have had to see, if that takes more plies than these: the win that it missed or, where there
        is none, how its move loses. Else empty."""
        winning = self.scores[self.best] > 0
        move = self.best if winning else self.move
        needed = plies_to_end(self.position, self.scores[move])
        result = "win" if winning else "loss"
        return f"the {result} by {format_move(move)} takes {needed} plies" if needed > plies else ""

    def compared(self) -> str:
        """What the agent gives its move and the best one, as far as it says."""
        values = self.decision.values
        said = [f"{format_move(m)} is worth {values[m]:+.2f} to it" for m in (self.move, self.best) if m in values]
        return " and ".join(said) or "it gives no values"


def _does(position: Position, score: int) -> str:
    if score == 0:
        return "draws"
    return f"{'wins' if score > 0 else 'loses'} in {counted(moves_to_end(position, score), 'move', 'moves')}"


def _search(case: _Case) -> Misled:
    """A search is misled by its horizon only if what it missed lies beyond it."""
    depth = case.decision.depth
    if depth is None:
        return Misled(Cause.OTHER, case.truth())
    seen = case.beyond(depth)
    if seen:
        return Misled(Cause.HORIZON, f"It searched {counted(depth, 'ply', 'plies')}; {seen}. {case.truth()}")
    return Misled(Cause.OTHER, f"Its {counted(depth, 'ply', 'plies')} reach far enough to see it. {case.truth()}")


def _tree(case: _Case, replies: Callable[[int], Scores | None]) -> Misled:
    """A tree is misled by its playouts if it prefers a reply that does not refute its move; one that expects the
    refutation misjudges what follows."""
    details = case.decision.details
    count = int(details.get("simulations", 0)) + int(details.get("simulations_kept", 0))
    simulated = f"after {count:,} simulations {case.compared()}"
    answers = replies(case.move)
    expected = case.decision.line[1] if len(case.decision.line) > 1 else None
    if answers and expected is not None:
        wanted = Verdict.of(-case.scores[case.move])
        good = [move for move, score in answers.items() if Verdict.of(score) == wanted]
        which = " or ".join(map(format_move, good))
        reply = format_move(expected)
        if expected in good:
            return Misled(
                Cause.ESTIMATE,
                f"It expects the refutation {reply} but misjudges what follows: {simulated}. {case.truth()}",
            )
        return Misled(
            Cause.PLAYOUTS,
            f"It expects {reply}; {case.name} is refuted by {which}, which it simulated less: {simulated}.",
        )
    depth = int(details.get("tree_depth", 0))
    seen = case.beyond(depth)
    if seen:
        return Misled(
            Cause.PLAYOUTS,
            f"Its tree is {counted(depth, 'ply', 'plies')} deep, below it play is random; {seen}: {simulated}.",
        )
    return Misled(Cause.OTHER, f"Nothing is proven yet: {simulated}. {case.truth()}")


def _table(case: _Case) -> Misled:
    if case.decision.details.get("guided"):
        return Misled(Cause.OTHER, f"Its guide chose before the table could. {case.truth()}")
    if not case.decision.details.get("known", True):
        return Misled(Cause.UNSEEN, f"Its table has no row for this position. {case.truth()}")
    return Misled(Cause.ESTIMATE, f"Its table knows this position: {case.compared()}. {case.truth()}")
