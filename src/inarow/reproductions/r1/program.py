"""R1's players: a semi-intelligent opponent and minimax, for Tic Tac Toe and Connect 4.

Its Q-learner is in `learner`.
"""

from __future__ import annotations

from dataclasses import dataclass

from inarow.agents import Mind
from inarow.agents.base import ChoosingMind
from inarow.agents.parameters import switch
from inarow.bits import has_line, playable, popcount, runs, winning_cells
from inarow.kernels.lang.jit import kernel
from inarow.randomness import Stream
from inarow.reproductions.players import (
    INFINITE,
    PRUNING,
    Ints,
    ReportAgent,
    Search,
    Searcher,
    depth_field,
    fixed_field,
    new_search,
    urgent_moves,
    visit,
    window_points,
    worth_table,
)
from inarow.rules import CONNECT4, TICTACTOE, Game, Player, Position

WINS = {TICTACTOE: 100, CONNECT4: 1_000_000}
LINES = worth_table({2: 10, 1: 1}, {2: -10, 1: -1})
"""Tic Tac Toe, at a depth limit: the listing lost both tens (see the README)."""
WINDOWS = worth_table({4: 100, 3: 5, 2: 2}, {3: -4})
CENTRE_COLUMN, ROWS = 3, 6
CENTRE, STACKED, DOUBLE = 3, 2, 50


def evaluate(search: Search, own: int, other: int) -> int:
    """Return the points of a position for the side that searches."""
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


def minimax(search: Search, own: int, other: int, depth: int, searches: bool, alpha: int, beta: int) -> int:
    """Return the value of a position for the side that searches; ``searches``: it is to move."""
    if not visit(search):
        return 0
    if has_line(other if searches else own, search.k, search.stride):
        search.leaves += 1
        return -search.win if searches else search.win
    if depth == 0 or own | other == search.board:
        search.leaves += 1
        return 0 if own | other == search.board else evaluate(search, own, other)
    legal = playable(own | other, search.bottom, search.board, search.gravity)
    best = -INFINITE if searches else INFINITE
    for i in range(len(search.masks)):
        cell = legal & search.masks[i]
        if cell == 0:
            continue
        if searches:
            best = max(best, minimax(search, own | cell, other, depth - 1, False, alpha, beta))
            alpha = max(alpha, best)
        else:
            best = min(best, minimax(search, own, other | cell, depth - 1, True, alpha, beta))
            beta = min(beta, best)
        if search.stopped or (search.prune and beta <= alpha):
            break
    return best


@kernel
def search_root(search: Search, own: int, other: int, depth: int, cells: Ints, values: Ints) -> int:
    """Search the root moves, each with the best value before it as alpha; return how many were finished."""
    best = -INFINITE
    for i in range(len(cells)):
        alpha = best if search.prune else -INFINITE
        value = minimax(search, own | cells[i], other, depth - 1, False, alpha, INFINITE)
        if search.stopped:
            return i
        values[i] = value
        best = max(best, value)
    return len(cells)


@dataclass(frozen=True)
class R1Minimax(Searcher):
    """Minimax with and without alpha–beta pruning. The root is not counted as a state."""

    name = "r1-minimax"
    summary = "R1's minimax"
    depths = {TICTACTOE: 9, CONNECT4: 4}  # noqa: RUF012
    depth: int | None = depth_field("9 in Tic Tac Toe, 4 in Connect 4")
    pruning: bool = switch(True, PRUNING)
    fixed: bool = fixed_field("in the centre column upper rows weigh more, where the text says lower ones")

    def setup(self, game: Game) -> Search:
        search = new_search(game, LINES if game == TICTACTOE else WINDOWS)
        search.prune, search.fixed, search.win = self.pruning, self.fixed, WINS[game]
        return search

    def run(self, search: Search, position: Position, depth: int, cells: Ints, values: Ints) -> int:
        return search_root(search, position.own, position.opp, depth, cells, values)

    def value(self, points: int, game: Game) -> float:
        return points / abs(points) if abs(points) == WINS[game] else super().value(points, game)


@dataclass(frozen=True)
class R1Default(ReportAgent):
    """The semi-intelligent opponent: the lowest winning move, else the lowest block, else towards the centre."""

    name = "r1-default"
    needs_kernels = False
    summary = "R1's semi-intelligent opponent: win, block, else centre, corner, any; or columns near the centre"

    def mind(self, game: Game, player: Player, seed: int) -> Mind:
        return ChoosingMind(choose_default, seed)


def choose_default(position: Position, stream: Stream) -> int:
    """Return the move of the semi-intelligent opponent."""
    urgent, _ = urgent_moves(position)
    if urgent:
        return urgent[0]
    moves = position.legal_moves()
    if position.game == CONNECT4:
        return stream.weighted(moves, [2 * (7 - abs(column - 3)) for column in moves])
    centre, corners = [move for move in moves if move == 4], [move for move in moves if move in (0, 2, 6, 8)]
    return stream.choice(centre or corners or moves)


def warm() -> None:
    """Compile the kernel of this module, or load it."""
    none = LINES[:0]
    search_root(new_search(TICTACTOE, LINES), 0, 0, 1, none, none)
