"""R1's players for Tic Tac Toe and Connect 4: a semi-intelligent opponent, minimax and a Q-learner."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache

from inarow import bits
from inarow.bits import has_line, playable, popcount, runs, winning_cells
from inarow.kernels.lang.jit import kernel
from inarow.randomness import Stream
from inarow.reproductions.learning import (
    Key,
    QAgent,
    QTrainer,
    ReportChoice,
    ReportQLearner,
    ReportQTable,
    ReportSettings,
    errors_field,
)
from inarow.reproductions.players import (
    Ints,
    ReportSearch,
    ReportSearcher,
    RuleAgent,
    depth_field,
    fixed_field,
    new_search,
    search_moves,
    urgent_moves,
    warm_search,
    window_points,
    worth_table,
)
from inarow.rules import CONNECT4, FIRST, TICTACTOE, Game, Outcome, Player, Position
from inarow.rules.game import VERTICAL, lines_along, lines_of
from inarow.training.opponents import schedule

WINS = {TICTACTOE: 100, CONNECT4: 1_000_000}
LINES = worth_table({2: 10, 1: 1}, {2: -10, 1: -1})
"""Tic Tac Toe, at a depth limit: the listing lost both tens (see the README)."""
WINDOWS = worth_table({4: 100, 3: 5, 2: 2}, {3: -4})
CENTRE_COLUMN, ROWS = 3, 6
CENTRE, STACKED, DOUBLE = 3, 2, 50


def evaluate(search: ReportSearch, own: int, other: int) -> int:
    """Evaluate a position for the searching side."""
    points = window_points(search, own, other)
    if search.k == 3:
        return points
    for height in range(ROWS):
        if own & 1 << (CENTRE_COLUMN * search.stride + height) != 0:
            points += CENTRE * (ROWS - height if search.fixed else height + 1)
    empty = search.board & ~(own | other)
    points += STACKED * popcount(runs(own, 1, 3) & (empty >> 3))
    cells = playable(own | other, search.bottom, search.board, search.gravity)
    if popcount(winning_cells(own, search.k, search.stride, search.board) & cells) > 1:
        points += DOUBLE
    return points


def leaf(search: ReportSearch, own: int, other: int, depth: int, searches: bool) -> tuple[bool, int]:
    """Return whether a position is a leaf, and its value for the searching side."""
    if has_line(other if searches else own, search.k, search.stride):
        return True, -search.win if searches else search.win
    if own | other == search.board:
        return True, 0
    return (True, evaluate(search, own, other)) if depth == 0 else (False, 0)


@kernel
def search_root(search: ReportSearch, own: int, other: int, maximises: bool, cells: Ints, values: Ints) -> int:
    """Search the root moves; see `search_moves`."""
    return search_moves(search, leaf, own, other, maximises, cells, values)


@dataclass(frozen=True)
class R1Minimax(ReportSearcher):
    """Minimax, optionally with alpha–beta pruning. The root is not counted as a state."""

    name = "r1-minimax"
    summary = "R1's minimax"
    depths = {TICTACTOE: 9, CONNECT4: 4}  # noqa: RUF012
    run = staticmethod(search_root)
    depth: int | None = depth_field("9 in Tic Tac Toe, 4 in Connect 4")
    fixed: bool = fixed_field("in the centre column upper rows weigh more; the report says lower ones")

    def setup(self, game: Game) -> ReportSearch:
        return new_search(game, LINES if game == TICTACTOE else WINDOWS, fixed=self.fixed, win=WINS[game])

    def value(self, points: int, game: Game) -> float:
        return points / abs(points) if abs(points) == WINS[game] else super().value(points, game)


@dataclass(frozen=True)
class R1Default(RuleAgent):
    """The semi-intelligent opponent: lowest winning move, else lowest block, else near the centre."""

    name = "r1-default"
    summary = "R1's semi-intelligent opponent: win, block, else centre, corner, any (Connect 4: near the centre)"

    def choose(self, position: Position, stream: Stream) -> int:
        urgent, _ = urgent_moves(position)
        if urgent:
            return urgent[0]
        moves = position.legal_moves()
        if position.game == CONNECT4:
            return stream.weighted(moves, [2 * (7 - abs(column - 3)) for column in moves])
        centre, corners = [move for move in moves if move == 4], [move for move in moves if move in (0, 2, 6, 8)]
        return stream.choice(centre or corners or moves)


def warm() -> None:
    """Load or compile the kernel of this module."""
    warm_search(search_root)


ERRORS = {
    "eighth-symmetry": "in Tic Tac Toe one symmetry mirrors board and move at different diagonals",
    "column-0": "in Connect 4 the opponent's column 0 is read as no move and ends the episode",
    "same-sign": "in self-play the opponent's best reply counts for the player, not against it",
    "upper-rows": "in Connect 4 upper rows of the centre column weigh more",
    "threat-left": "in Connect 4 blocking is rewarded while the opponent still threatens",
}
SETTINGS = {
    TICTACTOE: ReportSettings(schedule("0.3"), schedule("decay(0.3,0.9999,0.01)"), 0.9, win=1, draw=0.2, loss=-1),
    CONNECT4: ReportSettings(schedule("0.2"), schedule("decay(0.3,0.9995,0.01)"), 0.95, win=1, draw=0, loss=-1),
}
MOVE = {TICTACTOE: -0.05, CONNECT4: -0.01}
"""The reward of a move that does not end the game."""
SHARE = 0.3
"""The weight of the heuristic in Connect 4; the rest is the table's."""
_WORTH = (0, 1, 3, 8, 0)
"""Points (tenths) of a window without opposing discs, by its number of own discs."""


class R1Table(ReportQTable):
    """The whole board is the key."""

    kind = "r1-qlearning"


@dataclass(frozen=True)
class R1QLearning(QAgent):
    """Explores first; in Connect 4 threats and double threats then take precedence over the table."""

    name = "r1-qlearning"
    summary = "R1's Q-learner"
    table = R1Table
    settings = SETTINGS

    def choose(self, table: ReportQTable, position: Position, stream: Stream, epsilon: float) -> ReportChoice:
        moves = position.legal_moves()
        if epsilon and stream.uniform() < epsilon:
            return ReportChoice(stream.choice(moves))
        if position.game == TICTACTOE:
            return ReportChoice(table.any_best(position, stream))
        forced = guided_move(position)
        if forced is not None:
            return ReportChoice(forced, "guide")
        row, advice = table.row(position), heuristic(position, table.fixed)
        worth = {move: (1 - SHARE) * row.get(move, 0.0) + SHARE * advice[move] for move in moves}
        return ReportChoice(max(moves, key=worth.__getitem__))


class R1Learner(ReportQLearner):
    """In self-play one table moves both sides and is updated after every move."""

    kind = "r1-qlearning"
    opens_at_random = True
    self_play = True

    def __init__(self, trainer: QTrainer, game: Game, seed: int, episodes: int) -> None:
        super().__init__(trainer, game, seed, episodes)
        self.turn_made: tuple[Position, int] | None = None
        self.images: dict[Key, list[Key]] = {}
        self.maps = game.cell_symmetries if game == TICTACTOE else game.cell_symmetries[:1]
        self.boards = list(range(len(self.maps)))
        """The symmetry of the board paired with each symmetry of the move."""
        if "eighth-symmetry" in self.errors and game == TICTACTOE:
            main = next(n for n, m in enumerate(self.maps) if m[0] == 0 and m[1] == 3)
            other = next(n for n, m in enumerate(self.maps) if m[2] == 2 and m[0] == 8)
            self.boards[other] = main

    def ends_episode(self, move: int) -> bool:
        return move == 0 and "column-0" in self.errors and self.game == CONNECT4

    def played(self, position: Position, move: int, rule: str) -> None:
        self.turn_made = position, move

    def answered(self, after: Position, ended: bool = False) -> None:
        self.gained += MOVE[self.game]
        self._update(MOVE[self.game] + self.settings.gamma * (0.0 if ended else self.table.best(after)))

    def over(self, outcome: Outcome, player: Player) -> None:
        self._update(self.result(outcome, player))

    def alone(self) -> Outcome:
        position = Position.start(self.game)
        while True:
            position = self.turn(position)
            outcome = position.outcome()
            if outcome is not None:
                self._update(self.result(outcome, position.to_move.other))
                self.count(outcome, FIRST, position)
                return outcome
            self.learn_alone(position)

    def learn_alone(self, after: Position) -> None:
        """Learn from a move in self-play; the opponent's best reply counts against it, unless the error is kept."""
        self.gained += MOVE[self.game]
        sign = 1 if "same-sign" in self.errors else -1
        self._update(MOVE[self.game] + sign * self.settings.gamma * self.table.best(after))

    def _update(self, target: float) -> None:
        """Learn from the last turn, in Tic Tac Toe as eight symmetric pairs."""
        assert self.turn_made is not None
        position, move = self.turn_made
        key = self.table.key(position)
        if len(self.maps) == 1:
            self.learn((key, move), target)
            return
        if key not in self.images:
            images = [self.table.key(image) for image in position.symmetries()]
            self.images[key] = [images[board] for board in self.boards]
        for image, cells in zip(self.images[key], self.maps, strict=True):
            self.learn((image, cells[move]), target)


@dataclass(frozen=True)
class R1Trainer(QTrainer):
    """R1's Q-learning; its errors can be fixed."""

    name = "r1-qlearning"
    summary = "R1's Q-learning"
    agent = R1QLearning
    learns = R1Learner
    fixed: tuple[str, ...] = errors_field(ERRORS)

    def defaults(self, game: Game) -> tuple[Sequence[str], int]:
        return ("r1-default",), 10_000 if game == TICTACTOE else 15_000


# Rules that guide the learner in Connect 4.


def guided_move(position: Position) -> int | None:
    """Return a move that completes a line, blocks one, or makes a double threat."""
    own, other = position.own, position.opp
    for stones in (own, other):
        move = _threat(position.game, stones, own | other)
        if move is not None:
            return move
    for move in position.legal_moves():
        stone = position.stone(move)
        if threats(position.game, own | stone, own | other | stone).bit_count() > 1:
            return move
    return None


def threats(game: Game, stones: int, occupied: int) -> int:
    """Return the playable cells where one side would complete a line."""
    found = bits.winning_cells(stones, game.k, game.stride, game.board)
    return found & bits.playable(occupied, game.bottom, game.board, game.gravity)


def _threat(game: Game, stones: int, occupied: int) -> int | None:
    """Return the move that completes the first line lacking one disc: rows from the top, columns, diagonals."""
    cells = threats(game, stones, occupied)
    if not cells:
        return None
    if cells.bit_count() > 1:
        lacking = (line & ~stones for line in lines_of(game))
        cells = next(missing for missing in lacking if missing & cells and missing.bit_count() == 1)
    return game.move_of_bit(cells.bit_length() - 1)


def heuristic(position: Position, fixed: Sequence[str] = ()) -> dict[int, float]:
    """Return the value of each move for the side to move."""
    game, own, other = position.game, position.own, position.opp
    through, centre = _lines_through(game), _centre_weights(game, "upper-rows" not in fixed)
    base = 4 * sum(weight for cell, weight in centre.items() if own & cell)
    base += sum(_WORTH[(line & own).bit_count()] for line in lines_of(game) if not line & other)
    vertical = lines_along(game, *VERTICAL)
    base += 5 * sum(not line & other and (line & own).bit_count() == game.k - 1 for line in vertical)
    found = {}
    for move in position.legal_moves():
        stone = position.stone(move)
        tenths = base + 4 * centre.get(stone, 0)
        for line, upright in through[stone]:
            if not line & other:
                count = (line & own).bit_count()
                tenths += _WORTH[count + 1] - _WORTH[count]
                tenths += 5 * upright * ((count + 1 == game.k - 1) - (count == game.k - 1))
        occupied = own | other | stone
        mine = threats(game, own | stone, occupied).bit_count()
        tenths += 20 * (mine > 0) + 30 * (mine > 1)
        left = bool(threats(game, other, occupied))
        tenths += 10 * (not left if "threat-left" in fixed else left)
        found[move] = tenths / 10
    return found


@lru_cache(maxsize=16)
def _lines_through(game: Game) -> dict[int, list[tuple[int, bool]]]:
    """Return the lines through each cell and whether each is vertical."""
    upright = set(lines_along(game, *VERTICAL))
    return {cell: [(line, line in upright) for line in lines_of(game) if line & cell] for cell in game.cell_bits}


@lru_cache(maxsize=16)
def _centre_weights(game: Game, upper: bool) -> dict[int, int]:
    """Return the weight of each cell of the middle column: higher for upper rows, or for lower ones."""
    cells = [game.cell_bits[row * game.columns + game.columns // 2] for row in range(game.rows)]
    return {cell: game.rows - row if upper else row + 1 for row, cell in enumerate(cells)}
