"""A plain alpha–beta for Connect 4 on a numpy board, written the way a course report does: the yardstick of search.py.

Same decision as ``alphabeta:ordering=none``: the published weights, leaves for the player who searches.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

ROWS, COLUMNS = 6, 7
WIN = 1_000_000
Board = NDArray[np.int8]


def free_columns(board: Board) -> list[int]:
    """Columns with room, from the left."""
    return [column for column in range(COLUMNS) if board[0, column] == 0]


def drop(board: Board, column: int, player: int) -> int:
    """Put a stone on the board; returns its row."""
    row = int(np.flatnonzero(board[:, column] == 0)[-1])
    board[row, column] = player
    return row


def windows(board: Board) -> list[list[int]]:
    """What stands in every window of four."""
    found = []
    for row in range(ROWS):
        cells = [int(i) for i in board[row, :]]
        found += [cells[c : c + 4] for c in range(COLUMNS - 3)]
    for column in range(COLUMNS):
        cells = [int(i) for i in board[:, column]]
        found += [cells[r : r + 4] for r in range(ROWS - 3)]
    for row in range(ROWS - 3):
        for column in range(COLUMNS - 3):
            found.append([int(board[row + i, column + i]) for i in range(4)])
            found.append([int(board[row + 3 - i, column + i]) for i in range(4)])
    return found


def has_won(board: Board, player: int) -> bool:
    """Whether the player has four in a row."""
    return [player] * 4 in windows(board)


def evaluate(board: Board, player: int) -> int:
    """Centre column 3 each, windows 100 / 5 / 2, the opponent's three −4."""
    score = 3 * int(np.count_nonzero(board[:, COLUMNS // 2] == player))
    for window in windows(board):
        own, empty = window.count(player), window.count(0)
        if own == 4:
            score += 100
        elif own == 3 and empty == 1:
            score += 5
        elif own == 2 and empty == 2:
            score += 2
        if window.count(-player) == 3 and empty == 1:
            score -= 4
    return score


def search(
    board: Board, depth: int, alpha: float, beta: float, to_move: int, searcher: int
) -> tuple[int | None, float]:
    """The best column and its value for the searcher."""
    if has_won(board, searcher):
        return None, WIN
    if has_won(board, -searcher):
        return None, -WIN
    columns = free_columns(board)
    if not columns:
        return None, 0
    if depth == 0:
        return None, evaluate(board, searcher)
    best_column, best = columns[0], -np.inf if to_move == searcher else np.inf
    for column in columns:
        after = board.copy()
        drop(after, column, to_move)
        value = search(after, depth - 1, alpha, beta, -to_move, searcher)[1]
        if to_move == searcher and value > best:
            best_column, best = column, value
            alpha = max(alpha, best)
        elif to_move != searcher and value < best:
            best_column, best = column, value
            beta = min(beta, best)
        if alpha >= beta:
            break
    return best_column, best


def decide(moves: list[int], depth: int) -> tuple[int | None, float]:
    """The column to play after some moves, and its value."""
    board = np.zeros((ROWS, COLUMNS), dtype=np.int8)
    player = 1
    for column in moves:
        drop(board, column, player)
        player = -player
    return search(board, depth, -np.inf, np.inf, player, player)
