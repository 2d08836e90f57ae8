"""rules: win now; else block; else move by a style (the reports' *Medium*, baseline and default opponents)."""

from __future__ import annotations

import functools
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from inarow.agents.base import Decision, Mind
from inarow.agents.parameters import AgentError, choice
from inarow.agents.presets import PresetAgent, Presets, preset_field
from inarow.limits import Limit
from inarow.randomness import Stream
from inarow.rules import Game, Player, Position
from inarow.rules.game import CONNECT4, TICTACTOE
from inarow.stopping import Stop

_PRESETS: Presets = {
    "r1": {
        TICTACTOE: {"style": "corners", "several": "lowest"},
        CONNECT4: {"style": "centre", "several": "lowest"},
    },
    "r2": {TICTACTOE: {"several": "lowest"}, CONNECT4: {"several": "lowest"}},
    "r3": {TICTACTOE: {"several": "lines"}, CONNECT4: {"several": "lines"}},
    "r4": {TICTACTOE: {}, CONNECT4: {}},
}
"""The default opponents of R1 and R4, R2's baseline and R3's Medium."""


@dataclass(frozen=True)
class Rules(PresetAgent):
    """Takes a win, else blocks one; else plays by style."""

    name = "rules"
    needs_kernels = False
    summary = "win now, else block, else by style"
    presets = _PRESETS
    preset: str = preset_field(_PRESETS)
    style: str = choice(
        "random",
        ("random", "centre", "corners"),
        "when there is nothing to win or block: any move; columns near the centre more often; or centre, corners, any",
    )

    several: str = choice(
        "random",
        ("random", "lowest", "lines"),
        "of several wins or blocks: any; the lowest; or of the first line found: rows from the top, columns, diagonals",
    )

    def check_settings(self, game: Game) -> None:
        if self.style == "corners" and game.gravity:
            raise AgentError(
                f"agent rules: style=corners is for boards without gravity, and in {game} stones fall; "
                "use style=random or style=centre"
            )

    def settled_mind(self, game: Game, player: Player, seed: int) -> Mind:
        return RulesMind(self.style, self.several, Stream(seed))


class RulesMind(Mind):
    """The rules and a random stream."""

    def __init__(self, style: str, several: str, stream: Stream) -> None:
        self.style = style
        self.several = several
        self.stream = stream

    def think(self, position: Position, limit: Limit, stop: Stop | None) -> Decision:
        player = position.to_move
        urgent = position.winning_moves()
        if not urgent:
            player = player.other
            urgent = position.winning_moves(player)
        if urgent:
            return Decision(self._one_of(urgent, position, player))
        moves = position.legal_moves()
        if self.style == "centre":
            weights = [centre_weight(position.game, move) for move in moves]
            return Decision(self.stream.weighted(moves, weights))
        if self.style == "corners":
            moves = _centre(position.game, moves) or _corners(position.game, moves) or moves
        return Decision(self.stream.choice(moves))

    def _one_of(self, urgent: Sequence[int], position: Position, player: Player) -> int:
        """One of the moves with which this player completes a line."""
        if self.several == "lowest":
            return urgent[0]
        if self.several == "lines" and len(urgent) > 1:
            cells = {position.stone(move): move for move in urgent}
            own = (position.first, position.second)[player]
            return next(cells[line & ~own] for line in lines_in_order(position.game) if line & ~own in cells)
        return self.stream.choice(urgent)


@functools.lru_cache(maxsize=64)
def lines_in_order(game: Game) -> tuple[int, ...]:
    """Every line of k cells: rows from the top, columns from the left, then both diagonals of each square from the top
    left, the falling one first."""
    down, across = range(game.rows - game.k + 1), range(game.columns - game.k + 1)
    steps = range(game.k)

    def line(cells: Iterable[tuple[int, int]]) -> int:
        return sum(game.cell_bits[row * game.columns + column] for row, column in cells)

    found = [line((row, column + i) for i in steps) for row in range(game.rows) for column in across]
    found += [line((row + i, column) for i in steps) for column in range(game.columns) for row in down]
    for row in down:
        for column in across:
            found.append(line((row + i, column + i) for i in steps))
            found.append(line((row + i, column + game.k - 1 - i) for i in steps))
    return tuple(found)


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
