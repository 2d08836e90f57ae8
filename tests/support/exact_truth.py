"""The exact truth of Tic Tac Toe and smaller games by plain enumeration, with nothing of the product but its rules, and
what a way of deciding does in every line of play."""

from __future__ import annotations

from collections.abc import Callable
from functools import cache

from inarow.rules import Game, Player, Position


class Truth:
    """Verdicts (1, 0, −1 for the side to move) of all positions of a small game."""

    def __init__(self, game: Game) -> None:
        self.game = game
        self.verdicts: dict[tuple[int, int], int] = {}
        self._solve(Position.start(game))

    def _solve(self, position: Position) -> int:
        key = (position.first, position.second)
        if key not in self.verdicts:
            outcome = position.outcome()
            if outcome is None:
                found = max(-self._solve(position.play(move)) for move in position.legal_moves())
            else:
                found = 0 if outcome.winner is None else -1
            self.verdicts[key] = found
        return self.verdicts[key]

    def of(self, position: Position) -> int:
        return self.verdicts[position.first, position.second]

    def live(self) -> list[Position]:
        """All positions that are not over."""
        positions = (Position(self.game, *key) for key in self.verdicts)
        return [position for position in positions if position.outcome() is None]

    def keeps(self, position: Position, move: int) -> bool:
        """Whether a move keeps the verdict of the position."""
        return -self.of(position.play(move)) == self.of(position)


def enumerate_results(game: Game, seat: Player, moves_of: Callable[[Position], list[int]]) -> tuple[int, int, int]:
    """Wins, draws and losses over every line of play: all replies of the opponent, all moves that may be chosen."""

    @cache
    def count(first: int, second: int) -> tuple[int, int, int]:
        position = Position(game, first, second)
        outcome = position.outcome()
        if outcome is not None:
            return int(outcome.winner is seat), int(outcome.winner is None), int(outcome.winner is seat.other)
        moves = moves_of(position) if position.to_move is seat else list(position.legal_moves())
        children = [position.play(move) for move in moves]
        parts = [count(child.first, child.second) for child in children]
        return sum(p[0] for p in parts), sum(p[1] for p in parts), sum(p[2] for p in parts)

    return count(0, 0)


def expected(
    game: Game, seat: Player, move_of: Callable[[Position], list[int]], chances: Callable[[Position], dict[int, float]]
) -> tuple[float, float, float]:
    """The exact chances of a win, a draw and a loss for a way of deciding (any of its moves as likely) against an
    opponent who moves with these chances."""

    @cache
    def value(first: int, second: int) -> tuple[float, float, float]:
        position = Position(game, first, second)
        outcome = position.outcome()
        if outcome is not None:
            return float(outcome.winner is seat), float(outcome.winner is None), float(outcome.winner is seat.other)
        if position.to_move is seat:
            moves = move_of(position)
            weights = {move: 1 / len(moves) for move in moves}
        else:
            weights = chances(position)
        parts = []
        for move, weight in weights.items():
            child = position.play(move)
            parts.append([weight * part for part in value(child.first, child.second)])
        return sum(p[0] for p in parts), sum(p[1] for p in parts), sum(p[2] for p in parts)

    return value(0, 0)


def random_chances(position: Position) -> dict[int, float]:
    moves = position.legal_moves()
    return {move: 1 / len(moves) for move in moves}


def rules_chances(position: Position) -> dict[int, float]:
    """Win, else block, else any move."""
    moves = position.winning_moves() or position.winning_moves(position.to_move.other) or position.legal_moves()
    return {move: 1 / len(moves) for move in moves}
