"""Hints: the exact best move if it is found in time, else the move of a search."""

from __future__ import annotations

from dataclasses import dataclass

from inarow.agents import Agent, Decision, Mind
from inarow.agents.parameters import number
from inarow.agents.perfect import Perfect
from inarow.rules import Game, Player, Position, format_moves


@dataclass(frozen=True)
class Adviser(Agent):
    """The perfect player, with a search for what it can't prove in time."""

    name = "adviser"
    summary = "the exact best move if it is found in time, else the move of a search"
    patience: float = number(2.0, "maximum seconds for a hint", low=0.001, high=3600)

    def mind(self, game: Game, player: Player, seed: int) -> Mind:
        return Perfect(seconds=self.patience).start(game, player, seed)


def reason_of(position: Position, hint: Decision) -> str:
    """Why a hint is given, in a few words, such as ``4 blocks and draws``."""
    from inarow.truth.explain import reason

    score = hint.by_move.get("score", {}).get(hint.move) if hint.details.get("solved") else None
    return reason(position, hint.move, None if score is None else int(score))


def hint_text(position: Position, hint: Decision) -> str:
    """Return the sentence that every interface shows for a hint: the move, the reason, and the expected line."""
    line = hint.line or (hint.move,)
    more = f" Expected then: {format_moves(position.game, line[1:6])}." if len(line) > 1 else ""
    return f"Hint: {reason_of(position, hint)}.{more}"
