"""R3's players for Tic Tac Toe and Connect 4: Easy, Medium, minimax (*Hard*) and a Q-learner."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache

import numpy as np

from inarow.agents.parameters import choice
from inarow.bits import has_line
from inarow.kernels.lang.jit import kernel
from inarow.randomness import Stream
from inarow.reproductions.learning import (
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
from inarow.rules import CONNECT4, FIRST, TICTACTOE, Game, Outcome, Player, Position
from inarow.rules.game import FALLING, HORIZONTAL, VERTICAL, lines_along
from inarow.training.opponents import schedule

OPEN = worth_table({1: 1, 2: 2, 3: 3, 4: 300}, {1: -1, 2: -2, 3: -3, 4: -400})
"""Points of a window with discs of one side only: their number, more for a four."""
OVER = 100
"""Connect 4's program takes more points than this, for either side, for a finished game."""
FIXED_WIN = 1000


def leaf(search: ReportSearch, own: int, other: int, depth: int, searches: bool) -> tuple[bool, int]:
    """Return whether a position is a leaf, and its value for the searching side."""
    is_full = own | other == search.board
    if search.gravity and not search.fixed:
        points = window_points(search, own, other)
        if depth == 0 or is_full or abs(points) > OVER:
            return True, 0 if is_full else points
    else:
        if has_line(other if searches else own, search.k, search.stride):
            return True, -search.win if searches else search.win
        if depth == 0 or is_full:
            return True, 0 if is_full or search.k == 3 else window_points(search, own, other)
    return False, 0


def printed_order(game: Game) -> Ints:
    """Return `ReportSearch.masks` in the printed order: top landing cells first; in Tic Tac Toe column by column."""
    if game == CONNECT4:
        return np.array(game.cell_bits)
    return np.array([game.move_masks[3 * row + column] for column in range(3) for row in range(3)])


@kernel
def search_root(search: ReportSearch, own: int, other: int, maximises: bool, cells: Ints, values: Ints) -> int:
    """Search the root moves; see `search_moves`."""
    return search_moves(search, leaf, own, other, maximises, cells, values)


@dataclass(frozen=True)
class R3Minimax(ReportSearcher):
    """Minimax with alpha–beta pruning; ties go to the first move. In Connect 4 the root counts as a node."""

    name = "r3-minimax"
    summary = "R3's minimax, its level Hard"
    counts_root = (CONNECT4,)
    depths = {TICTACTOE: FULL, CONNECT4: 5}  # noqa: RUF012
    run = staticmethod(search_root)
    depth: int | None = depth_field("to the end in Tic Tac Toe, 5 in Connect 4")
    ordering: str = choice(
        "printed", ("printed", "left", "centre"),
        "move order: as printed, column by column (Tic Tac Toe) or tallest column first (Connect 4); from "
        "the left; or from the centre",
    )  # fmt: skip
    fixed: bool = fixed_field("a full Connect 4 board counts 0 even if its last disc wins")

    def setup(self, game: Game) -> ReportSearch:
        search = new_search(game, OPEN, fixed=self.fixed, win=1 if game == TICTACTOE else FIXED_WIN)
        if self.ordering != "left":
            search.masks = printed_order(game) if self.ordering == "printed" else from_centre(game)
        return search

    def value(self, points: int, game: Game) -> float:
        won = points if game == TICTACTOE else points / FIXED_WIN if self.fixed else 0
        return float(won) if abs(won) == 1 else super().value(points, game)


@dataclass(frozen=True)
class R3Easy(RuleAgent):
    """Plays a random legal move."""

    name = "r3-easy"
    summary = "R3's level Easy: any move"


@dataclass(frozen=True)
class R3Medium(RuleAgent):
    """Completes the first own line found, else blocks the first of the opponent's, else moves at random."""

    name = "r3-medium"
    summary = "R3's level Medium: win, block, else any move"

    def choose(self, position: Position, stream: Stream) -> int:
        urgent, player = urgent_moves(position)
        if len(urgent) < 2:
            return stream.choice(urgent or position.legal_moves())
        cells = {position.stone(move): move for move in urgent}
        own = (position.first, position.second)[player]
        return next(cells[line & ~own] for line in lines_in_order(position.game) if line & ~own in cells)


@cache
def lines_in_order(game: Game) -> tuple[int, ...]:
    """Return the lines in Medium's order: rows from the top, columns from the left, then both diagonals of each
    square from the top left, the falling one first."""
    columns = sorted(lines_along(game, *VERTICAL), key=lambda line: line.bit_length() // game.stride)
    found = [*lines_along(game, *HORIZONTAL), *columns]
    falling, rising = lines_along(game, *FALLING), lines_along(game, 1, -1)
    for pair in zip(falling, rising, strict=True):
        found += pair
    return tuple(found)


def warm() -> None:
    """Load or compile the kernel of this module."""
    warm_search(search_root)


ERRORS = {"tenths": "exploration is rounded down to tenths"}
SETTINGS = {
    TICTACTOE: ReportSettings(schedule("0.2"), schedule("0.2"), 0.9, win=1, draw=0, loss=-1),
    CONNECT4: ReportSettings(schedule("0.2"), schedule("linear(0.6,0)"), 0.9, win=1, draw=0, loss=-1),
}


class R3Table(ReportQTable):
    """The whole board is the key."""

    kind = "r3-qlearning"


@dataclass(frozen=True)
class R3QLearning(QAgent):
    """Plays the best tried move (ties: the first tried), or a random one in an unknown position; may explore."""

    name = "r3-qlearning"
    summary = "R3's Q-learner, its other level Hard"
    table = R3Table
    settings = SETTINGS

    def choose(self, table: ReportQTable, position: Position, stream: Stream, epsilon: float) -> ReportChoice:
        moves = position.legal_moves()
        row = table.row(position)
        if epsilon and stream.uniform() < epsilon:
            return ReportChoice(stream.choice(moves))
        return ReportChoice(max(row, key=row.__getitem__) if row else stream.choice(moves))


class R3Learner(ReportQLearner):
    """The target of the last move is 0.9 × the result; of earlier moves, 0.9 × the best value of the next row."""

    kind = "r3-qlearning"
    opens_at_random = True
    self_play = True

    @property
    def epsilon(self) -> float:
        return int(10 * super().epsilon + 1e-9) / 10 if "tenths" in self.errors else super().epsilon

    def begin(self) -> None:
        self.pairs: dict[Player, list[Pair]] = {player: [] for player in Player}

    def played(self, position: Position, move: int, rule: str) -> None:
        self.pairs[position.to_move].append((self.table.key(position), move))

    def over(self, outcome: Outcome, player: Player) -> None:
        later = self.result(outcome, player)
        for key, move in reversed(self.pairs[player]):
            self.learn((key, move), self.settings.gamma * later)
            later = max(self.table.rows[key].values())

    def alone(self) -> Outcome:
        position = Position.start(self.game)
        position = position.play(self.stream.choice(position.legal_moves()))
        while (outcome := position.outcome()) is None:
            position = self.turn(position)
        for player in Player:
            self.over(outcome, player)
        self.count(outcome, FIRST, position)
        return outcome


@dataclass(frozen=True)
class R3Trainer(QTrainer):
    """R3's Q-learning; its errors can be fixed."""

    name = "r3-qlearning"
    summary = "R3's Q-learning"
    agent = R3QLearning
    learns = R3Learner
    fixed: tuple[str, ...] = errors_field(ERRORS)

    def defaults(self, game: Game) -> tuple[Sequence[str], int]:
        return (("r3-medium",), 20_000) if game == TICTACTOE else (("r3-easy", "r3-medium", "self"), 100_000)
