"""Hints: the exact best move if it is found in time, else the move of a search."""

from __future__ import annotations

from dataclasses import dataclass

from inarow.agents import Agent, Decision, Limit, Mind, agent
from inarow.agents.parameters import number
from inarow.rules import Game, Player, Position
from inarow.stopping import Stop

_SEARCH = "alphabeta:seconds=1"


@dataclass(frozen=True)
class Adviser(Agent):
    """Asks the perfect player first, and a search if that takes too long."""

    name = "adviser"
    summary = "the exact best move if it is found in time, else the move of a search"
    patience: float = number(2.0, "seconds to look for the exact best move", low=0.001, high=3600)

    def mind(self, game: Game, player: Player, seed: int) -> Mind:
        exact = agent("perfect").start(game, player, seed)
        return AdviserMind(exact, agent(_SEARCH).start(game, player, seed), Limit(seconds=self.patience))


class AdviserMind(Mind):
    """A perfect mind and a searching one."""

    def __init__(self, exact: Mind, search: Mind, patience: Limit) -> None:
        self.exact = exact
        self.search = search
        self.patience = patience

    def think(self, position: Position, limit: Limit, stop: Stop | None) -> Decision:
        decision = self.exact.decide(position, self.patience.tightened(limit), stop)
        if decision.details["solved"] or (stop is not None and stop.is_set()):
            return decision
        return self.search.decide(position, limit, stop)

    def close(self) -> None:
        self.exact.close()
        self.search.close()


def reason_of(position: Position, hint: Decision) -> str:
    """Why a hint is given, in a few words, such as ``4 blocks and draws``."""
    from inarow.truth.explain import reason

    score = hint.by_move.get("score", {}).get(hint.move) if hint.details.get("solved") else None
    return reason(position, hint.move, None if score is None else int(score))
