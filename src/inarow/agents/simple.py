"""random: a uniformly random legal move; rules: win, else block, else play by a style."""

from __future__ import annotations

from dataclasses import dataclass

from inarow.agents.base import Agent, ChoosingMind, Mind
from inarow.agents.parameters import AgentError, choice
from inarow.formatting import say
from inarow.kernels.decisions import ANY, CORNERS, WEIGHTED, rules_move
from inarow.randomness import Stream
from inarow.rules import Game, Player, Position

STYLES = {"random": ANY, "centre": WEIGHTED, "corners": CORNERS}


@dataclass(frozen=True)
class Rules(Agent):
    """Takes a win, else blocks one; else plays by style."""

    name = "rules"
    needs_kernels = False
    summary = "win now, else block, else by style"
    style: str = choice(
        "random",
        tuple(STYLES),
        "without a win or block: any move; columns near the centre more often; or centre, corners, any",
    )

    def check(self, game: Game) -> None:
        super().check(game)
        if self.style == "corners" and game.gravity:
            raise AgentError(say("unfit", "corners", game=game.name))

    def mind(self, game: Game, player: Player, seed: int) -> Mind:
        return ChoosingMind(self._choose, seed)

    def _choose(self, position: Position, stream: Stream) -> int:
        layout, own, opp = position.game.layout, position.own, position.opp
        return stream.draw(lambda number: rules_move(layout, own, opp, STYLES[self.style], number))


@dataclass(frozen=True)
class Random(Agent):
    """Plays a uniformly random legal move."""

    name = "random"
    variants = True
    needs_kernels = False
    summary = "a uniformly random legal move"

    def mind(self, game: Game, player: Player, seed: int) -> Mind:
        return ChoosingMind(lambda position, stream: stream.choice(position.legal_moves()), seed)
