"""R4's players for Tic Tac Toe and Connect 4: a default opponent, minimax and a Q-learner.

The searching side always maximises, but wins count for X, and leaves are evaluated for the side to move there.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from inarow.agents.parameters import choice
from inarow.bits import has_line, popcount
from inarow.kernels.lang.jit import kernel
from inarow.randomness import Stream
from inarow.reproductions.learning import (
    Key,
    Pair,
    QAgent,
    QTrainer,
    ReportChoice,
    ReportQLearner,
    ReportQTable,
    ReportSettings,
    errors_field,
)
from inarow.reproductions.players import (
    FULL,
    Ints,
    ReportSearch,
    ReportSearcher,
    RuleAgent,
    depth_field,
    fixed_field,
    from_centre,
    new_search,
    search_moves,
    urgent_moves,
    warm_search,
    window_points,
    worth_table,
)
from inarow.rules import CONNECT4, TICTACTOE, Game, Outcome, Player, Position
from inarow.rules.game import lines_of
from inarow.training.opponents import schedule

WINS = {TICTACTOE: 10, CONNECT4: 1000}
TENTHS = 10
"""Points are tenths, so that 0.7 × the opponent's evaluation is an integer."""
OWN, OPPONENT = 10, -7
_PLAIN = worth_table({4: 100, 3: 5, 2: 2}, {3: -4})
WINDOWS = OWN * _PLAIN + OPPONENT * _PLAIN.reshape(5, 5).T.reshape(-1)
CENTRE_COLUMN, CENTRE = 0b111111 << 3 * 7, 3


def evaluate(search: ReportSearch, own: int, other: int) -> int:
    """Return own evaluation − 0.7 × the opponent's, in tenths."""
    points = window_points(search, own, other)
    points += CENTRE * (OWN * popcount(own & CENTRE_COLUMN) + OPPONENT * popcount(other & CENTRE_COLUMN))
    return points


def leaf(search: ReportSearch, own: int, other: int, depth: int, searches: bool) -> tuple[bool, int]:
    """Return whether a position is a leaf, and its value for the searching side.

    A win counts for X, and less per ply after the root's move. ``search.variant``: other leaves are evaluated for
    the searching side, not for the side to move.
    """
    if has_line(other if searches else own, search.k, search.stride):
        points = search.win - TENTHS * (search.depth - 1 - depth)
        helps_searcher = search.fixed or search.first
        return True, points if helps_searcher != searches else -points
    if own | other == search.board:
        return True, 0
    if depth == 0:
        return True, evaluate(search, own, other) if searches or search.variant else evaluate(search, other, own)
    return False, 0


@kernel
def search_root(search: ReportSearch, own: int, other: int, maximises: bool, cells: Ints, values: Ints) -> int:
    """Search the root moves; see `search_moves`."""
    return search_moves(search, leaf, own, other, maximises, cells, values)


@dataclass(frozen=True)
class R4Minimax(ReportSearcher):
    """Minimax, optionally with alpha–beta pruning. The root is not counted."""

    name = "r4-minimax"
    summary = "R4's minimax; with pruning it is Minimax-AB, which the report does not print"
    unit = TENTHS
    depths = {TICTACTOE: FULL, CONNECT4: 4}  # noqa: RUF012
    run = staticmethod(search_root)
    depth: int | None = depth_field("to the end in Tic Tac Toe, 4 in Connect 4", low=0)
    window: str = choice("full", ("full", "carried"), "window of root moves: full, or from the best value so far")
    ordering: str = choice("left", ("left", "centre"), "move order: columns from the centre or from the left")
    leaf_side: str = choice("to-move", ("to-move", "searcher"), "the side that a leaf is evaluated for")
    fixed: bool = fixed_field(
        "a win counts for X, whichever side searches; leaves are evaluated for the side to move there; depth d "
        "searches d + 1 plies"
    )

    def plies(self, game: Game) -> int:
        depth = super().plies(game)
        return depth if self.fixed or depth == FULL else depth + 1

    def carries(self, game: Game) -> bool:
        return self.pruning and self.window == "carried"

    def breaks_ties(self, game: Game) -> bool:
        return game == CONNECT4 and not self.carries(game)

    def setup(self, game: Game) -> ReportSearch:
        for_searcher = self.fixed or self.leaf_side == "searcher"
        search = new_search(game, WINDOWS, fixed=self.fixed, variant=for_searcher, win=TENTHS * WINS[game])
        if self.ordering == "centre":
            search.masks = from_centre(game)
        return search

    def value(self, points: int, game: Game) -> float:
        is_won = abs(points) >= TENTHS * (WINS[game] - game.cells)
        return points / abs(points) if points and is_won else super().value(points, game)


@dataclass(frozen=True)
class R4Default(RuleAgent):
    """Plays a random winning move, else a random block, else a random move."""

    name = "r4-default"
    summary = "R4's default opponent: win, block, else any move"

    def choose(self, position: Position, stream: Stream) -> int:
        urgent, _ = urgent_moves(position)
        return stream.choice(urgent or position.legal_moves())


def warm() -> None:
    """Load or compile the kernel of this module."""
    warm_search(search_root)


ERRORS = {"terminal": "every move but the last is learnt as if it ended the game with 0"}
SETTINGS = {
    TICTACTOE: ReportSettings(
        schedule("0.1"), schedule("decay(1,0.995,0.01)"), 0.9, win=1, draw=0.5, loss=-1, noise=0.01
    ),
    CONNECT4: ReportSettings(schedule("0.1"), schedule("decay(1,0.99,0.1)"), 0.9, win=1, draw=0.5, loss=-1, noise=0.1),
}
"""In play it keeps its final exploration rate."""


class R4Table(ReportQTable):
    """The whole board is the key; in Connect 4 each side's discs per column and its open threes."""

    kind = "r4-qlearning"

    def key(self, position: Position) -> Key:
        if self.game == TICTACTOE:
            return super().key(position)
        return self._features(position.first, position.second), self._features(position.second, position.first)

    def is_key(self, keys: NDArray[np.int64]) -> bool:
        return self.game == CONNECT4 or super().is_key(keys)

    def _features(self, own: int, other: int) -> int:
        """Encode one side's open threes and discs per column as one number."""
        found = sum(not line & other and (line & own).bit_count() == self.game.k - 1 for line in lines_of(self.game))
        for mask in self.game.move_masks:
            found = found << 3 | (own & mask).bit_count()
        return found


@dataclass(frozen=True)
class R4QLearning(QAgent):
    """Explores uniformly; ties are broken at random."""

    name = "r4-qlearning"
    summary = "R4's Q-learner"
    table = R4Table
    settings = SETTINGS

    def choose(self, table: ReportQTable, position: Position, stream: Stream, epsilon: float) -> ReportChoice:
        if epsilon and stream.uniform() < epsilon:
            return ReportChoice(stream.choice(position.legal_moves()))
        return ReportChoice(table.any_best(position, stream))


class R4Learner(ReportQLearner):
    """The last move is learnt from the result; due to an error, earlier ones are not bootstrapped."""

    kind = "r4-qlearning"

    def begin(self) -> None:
        self.pairs: list[Pair] = []

    def played(self, position: Position, move: int, rule: str) -> None:
        self.pairs.append((self.table.key(position), move))

    def over(self, outcome: Outcome, player: Player) -> None:
        target = self.result(outcome, player)
        for key, move in reversed(self.pairs):
            self.learn((key, move), target)
            bootstrapped = self.settings.gamma * max(self.table.rows[key].values())
            target = 0.0 if "terminal" in self.errors else bootstrapped


@dataclass(frozen=True)
class R4Trainer(QTrainer):
    """R4's Q-learning; its errors can be fixed."""

    name = "r4-qlearning"
    summary = "R4's Q-learning"
    agent = R4QLearning
    learns = R4Learner
    own_seat = "first"
    fixed: tuple[str, ...] = errors_field(ERRORS)

    def defaults(self, game: Game) -> tuple[Sequence[str], int]:
        return ("random",), 10_000 if game == TICTACTOE else 5_000
