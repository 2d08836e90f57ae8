"""rules: win now; else block; else move by a style."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from inarow.agents.base import Agent, Decision, Mind
from inarow.agents.parameters import AgentError, choice
from inarow.limits import Limit
from inarow.randomness import Stream
from inarow.rules import Game, Player, Position
from inarow.stopping import Stop


@dataclass(frozen=True)
class Rules(Agent):
    """Takes a win, else blocks one; else plays by style."""

    name = "rules"
    needs_kernels = False
    summary = "win now, else block, else by style"
    style: str = choice(
        "random",
        ("random", "centre", "corners"),
        "when there is nothing to win or block: any move; columns near the centre more often; or centre, corners, any",
    )

    def check(self, game: Game) -> None:
        if self.style == "corners" and game.gravity:
            raise AgentError(
                f"agent rules: style=corners is for boards without gravity, and in {game} stones fall; "
                "use style=random or style=centre"
            )

    def mind(self, game: Game, player: Player, seed: int) -> Mind:
        return RulesMind(self.style, Stream(seed))


class RulesMind(Mind):
    """The rules and a random stream."""

    def __init__(self, style: str, stream: Stream) -> None:
        self.style = style
        self.stream = stream

    def think(self, position: Position, limit: Limit, stop: Stop | None) -> Decision:
        urgent = position.winning_moves() or position.winning_moves(position.to_move.other)
        if urgent:
            return Decision(self.stream.choice(urgent))
        moves = position.legal_moves()
        if self.style == "centre":
            weights = [centre_weight(position.game, move) for move in moves]
            return Decision(self.stream.weighted(moves, weights))
        if self.style == "corners":
            moves = _centre(position.game, moves) or _corners(position.game, moves) or moves
        return Decision(self.stream.choice(moves))


def centre_weight(game: Game, move: int) -> int:
    """Twice (columns − distance of the move's column from the centre): 8, 10, 12, 14, 12, 10, 8 in Connect 4."""
    return 2 * game.columns - abs(2 * (move % game.columns) - (game.columns - 1))


def _centre(game: Game, moves: Sequence[int]) -> tuple[int, ...]:
    middle = divmod(game.cells, 2)
    is_odd = game.columns % 2 and game.rows % 2
    return tuple(move for move in moves if is_odd and move == middle[0])


def _corners(game: Game, moves: Sequence[int]) -> tuple[int, ...]:
    corners = {0, game.columns - 1, game.cells - game.columns, game.cells - 1}
    return tuple(move for move in moves if move in corners)
