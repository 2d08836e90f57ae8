"""R2's players for Tic Tac Toe and Connect 4: a baseline, minimax and a Q-learner.

O always maximises and X minimises, whoever moves first.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache
from typing import Any, Self

import numpy as np
from numpy.typing import NDArray

from inarow.agents.parameters import choice, number, switch
from inarow.bits import has_line, playable, popcount
from inarow.kernels.lang.jit import kernel
from inarow.models.files import ModelFile
from inarow.randomness import Stream
from inarow.reproductions.learning import (
    DRAWN_SEAT,
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
    new_search,
    points_of,
    search_moves,
    urgent_moves,
    warm_search,
    worth_table,
)
from inarow.rules import CONNECT4, FIRST, TICTACTOE, Game, Outcome, Player, Position
from inarow.rules.game import FALLING, HORIZONTAL, VERTICAL, lines_along
from inarow.training.opponents import schedule

FIXED_WIN = 1_000_000
RUNS = worth_table({4: 100, 3: 10, 2: 1})
"""Points by own discs in four cells that begin with an own disc and contain no opposing one."""
FALLING_LEFT = (1, -1)


@cache
def runs_of(game: Game) -> tuple[list[int], Ints]:
    """Return the windows to the right, down and along both falling diagonals, and the first cell of each."""
    directions = (HORIZONTAL, VERTICAL, FALLING, FALLING_LEFT)
    windows = [window for direction in directions for window in lines_along(game, *direction)]
    # Cells are numbered from the top left, so a window's first cell is the uppermost, or the leftmost of a row.
    return windows, np.array([next(bit for bit in game.cell_bits if bit & one) for one in windows])


def evaluate(search: ReportSearch, own: int, other: int) -> int:
    """Evaluate a position for the side whose discs are ``own``: its runs minus the opponent's."""
    points = 0
    for i in range(len(search.starts)):
        window = search.windows[i]
        if own & search.starts[i] != 0:
            points += search.worth[5 * popcount(own & window) + popcount(other & window)]
        elif other & search.starts[i] != 0:
            points -= search.worth[5 * popcount(other & window) + popcount(own & window)]
    return points


def won(search: ReportSearch, occupied: int) -> int:
    """Return the points of a win: number of legal moves + 1 or, if fixed, more than any evaluation."""
    if search.fixed:
        return FIXED_WIN - popcount(occupied)
    return popcount(playable(occupied, search.bottom, search.board, search.gravity)) + 1


def leaf(search: ReportSearch, o: int, x: int, depth: int, o_moves: bool) -> tuple[bool, int]:
    """Return whether a position is a leaf, and its value for O, the maximiser. When time is up, all are leaves."""
    if has_line(x if o_moves else o, search.k, search.stride):
        return True, -won(search, o | x) if o_moves else won(search, o | x)
    if depth != 0 and o | x != search.board and not search.stopped:
        return False, 0
    if search.k == 3:
        return True, 0
    return True, evaluate(search, o, x) if o_moves or search.fixed else evaluate(search, x, o)


@kernel
def search_root(search: ReportSearch, own: int, other: int, maximises: bool, cells: Ints, values: Ints) -> int:
    """Search the root moves; see `search_moves`."""
    return search_moves(search, leaf, own, other, maximises, cells, values)


@dataclass(frozen=True)
class R2Minimax(ReportSearcher):
    """Minimax, optionally with alpha–beta pruning. The root counts as a node."""

    name = "r2-minimax"
    summary = "R2's minimax"
    counts_root = (TICTACTOE, CONNECT4)
    depths = {TICTACTOE: FULL, CONNECT4: 4}  # noqa: RUF012
    run = staticmethod(search_root)
    depth: int | None = depth_field("to the end in Tic Tac Toe, 4 in Connect 4 as in the code")
    letter: str = choice("seat", ("seat", "x", "o"), "its letter, X or O; seat: X moves first")
    seconds: float | None = number(
        None, "seconds per search, which then evaluates its current position; report: 1,800", low=0.001, high=86400,
        none="unlimited",
    )  # fmt: skip
    fixed: bool = fixed_field(
        "a Connect 4 win counts open columns + 1, less than an open three; leaves are evaluated for the side to move "
        "there while O always maximises, so that one letter plays for the other"
    )

    def setup(self, game: Game) -> ReportSearch:
        windows, starts = runs_of(game)
        fixed = self.fixed and game == CONNECT4
        return new_search(game, RUNS, windows, starts=starts, finishes=True, fixed=fixed)

    def maximises(self, position: Position) -> bool:
        return self.letter == "o" or (self.letter == "seat" and position.to_move is not FIRST)

    def value(self, points: int, game: Game) -> float:
        return points / abs(points) if abs(points) > FIXED_WIN // 2 else super().value(points, game)


@dataclass(frozen=True)
class R2Baseline(RuleAgent):
    """Plays the first winning move, else the first block, else a random move."""

    name = "r2-baseline"
    summary = "R2's baseline: win, block, else any move"

    def choose(self, position: Position, stream: Stream) -> int:
        urgent, _ = urgent_moves(position)
        return urgent[0] if urgent else stream.choice(position.legal_moves())


def warm() -> None:
    """Load or compile the kernel of this module."""
    warm_search(search_root)


ERRORS = {
    "column-0": "in Connect 4 column 0 is taken for no move and never learnt",
    "skips": "in Connect 4 a win or a block skips the update of the previous move",
    "outright": "in Connect 4 a win or a block sets its value to 100 or 80",
    "no-end": "in Connect 4 the end of a game is not learnt, and the last move is updated in the next game",
    "reward": "in Connect 4 the opponent's open threes and twos add to the reward",
}
_EXPLORING = "decay(0.7,{},0.1,moves)"
SETTINGS = {
    TICTACTOE: ReportSettings(schedule("0.3"), schedule(_EXPLORING.format(0.999)), 0.9, 10, 0, -10, noise=0.1),
    CONNECT4: ReportSettings(schedule("0.3"), schedule(_EXPLORING.format(0.9999)), 0.9, 20, 0, -20, noise=0.1),
}
"""Connect 4's program has no final reward: ±20 is ours, used only if no-end is fixed."""
CENTRE = 0.7
"""The probability that an exploring move is the centre, if it is free."""
REWARD = worth_table({4: 1000, 3: 20, 2: 5}, {3: 50, 2: 3})
FIXED_REWARD = worth_table({4: 1000, 3: 20, 2: 5}, {3: -50, 2: -3})
CENTRE_COLUMN, CENTRE_DISC, DIVISOR = 0b111111 << 3 * 7, 10, 50


class R2Table(ReportQTable):
    """The whole board is the key; the program adds its letter, which follows from the number of discs."""

    kind = "r2-qlearning"

    def __init__(self, game: Game, fixed: Sequence[str] = ()) -> None:
        super().__init__(game, fixed)
        self.visits: dict[Key, int] = {}
        """The learner's turns in each position, the program's ``state_visits``."""

    def facts(self) -> dict[str, int]:
        return super().facts() | ({"state_visits": sum(self.visits.values())} if self.visits else {})

    def arrays(self, slim: bool = False) -> dict[str, NDArray[Any]]:
        arrays = super().arrays(slim)
        return arrays if slim else arrays | {"state_visits": self.by_row(self.visits)}

    @classmethod
    def read(cls, file: ModelFile, game: Game) -> Self:
        table = super().read(file, game)
        if file.has("state_visits"):
            counts = file.array("state_visits", np.int64, (len(table),))
            table.visits = dict(zip(table.rows, counts.tolist(), strict=True))
        return table


@dataclass(frozen=True)
class R2QLearning(QAgent):
    """In Connect 4 wins and blocks take precedence; among equal moves it plays the first."""

    name = "r2-qlearning"
    summary = "R2's Q-learner"
    table = R2Table
    settings = SETTINGS
    guided: bool = switch(True, "off: wins and blocks are never played in Connect 4, as in the listing's indentation")

    def choose(self, table: ReportQTable, position: Position, stream: Stream, epsilon: float) -> ReportChoice:
        moves = position.legal_moves()
        if self.guided and position.game == CONNECT4:
            for rule, player in (("win", position.to_move), ("block", position.to_move.other)):
                urgent = position.winning_moves(player)
                if urgent:
                    return ReportChoice(urgent[0], rule)
        if epsilon and stream.uniform() < epsilon:
            centre = position.game.moves // 2
            if stream.uniform() < CENTRE and centre in moves:
                return ReportChoice(centre)
            return ReportChoice(stream.choice(moves))
        row = table.row(position)
        return ReportChoice(max(moves, key=lambda move: row.get(move, 0.0)))


class R2Learner(ReportQLearner):
    """Keeps the state–action pair of its last turn."""

    kind = "r2-qlearning"
    table: R2Table

    def __init__(self, trainer: QTrainer, game: Game, seed: int, episodes: int) -> None:
        super().__init__(trainer, game, seed, episodes)
        self.windows = new_search(game, REWARD if "reward" in self.errors else FIXED_REWARD)
        if game == TICTACTOE:
            self.errors = frozenset()

    def begin(self) -> None:
        if "no-end" not in self.errors:
            self.last = None

    def played(self, position: Position, move: int, rule: str) -> None:
        key = self.table.key(position)
        self.table.visits[key] = self.table.visits.get(key, 0) + 1
        row = self.table.rows.setdefault(key, {})
        for legal in position.legal_moves():
            row.setdefault(legal, 0.0)
        if rule and "outright" in self.errors:
            row[move] = {"win": 100.0, "block": 80.0}[rule]
        if not (rule and "skips" in self.errors):
            reward = self.reward(position)
            self.gained += reward
            self._update(self.last, reward + self.settings.gamma * max(row.values()))
        self.last = key, move

    def reward(self, position: Position) -> float:
        """Return the reward of the previous turn: an evaluation of the current board."""
        if self.game == TICTACTOE:
            return 0.0
        centre = CENTRE_DISC * (position.own & CENTRE_COLUMN).bit_count()
        return float(points_of(self.windows, position.own, position.opp) + centre) / DIVISOR

    def over(self, outcome: Outcome, player: Player) -> None:
        if "no-end" not in self.errors:
            self._update(self.last, self.result(outcome, player))
            self.last = None

    def _update(self, pair: Pair | None, target: float) -> None:
        """Learn from the pair of the previous turn."""
        if pair is not None and not (pair[1] == 0 and "column-0" in self.errors):
            self.learn(pair, target)


@dataclass(frozen=True)
class R2Trainer(QTrainer):
    """R2's Q-learning; its errors can be fixed."""

    name = "r2-qlearning"
    summary = "R2's Q-learning"
    agent = R2QLearning
    learns = R2Learner
    own_seat = DRAWN_SEAT
    guided: bool = switch(True, "off: wins and blocks are never played in Connect 4, as in the listing's indentation")
    fixed: tuple[str, ...] = errors_field(ERRORS)

    @property
    def player(self) -> R2QLearning:
        return R2QLearning(guided=self.guided)

    def defaults(self, game: Game) -> tuple[Sequence[str], int]:
        return ("r2-baseline",), 1_110
