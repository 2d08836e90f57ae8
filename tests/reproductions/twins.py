"""The searching programs of the five reports, once more: on lists, slow and obvious. Shares no code with inarow."""

from __future__ import annotations

from dataclasses import dataclass, field
from functools import cache
from typing import NamedTuple

Board = list[list[str]]
"""Rows from the top; X, O, or a dot for an empty cell."""
OTHER = {"X": "O", "O": "X"}
RIGHT, DOWN, FALLING, RISING = (0, 1), (1, 0), (1, 1), (-1, 1)


class Found(NamedTuple):
    """What a program decides: the move, all moves as good as known, the value for who searches, its own count."""

    move: int
    best: list[int]
    value: float
    nodes: int


def board_after(columns: int, rows: int, falls: bool, moves: list[int]) -> tuple[Board, str]:
    """The board after moves from the empty one, and who is to move."""
    board = [["."] * columns for _ in range(rows)]
    side = "X"
    for move in moves:
        row, column = landing(board, falls, move)
        board[row][column] = side
        side = OTHER[side]
    return board, side


def landing(board: Board, falls: bool, move: int) -> tuple[int, int]:
    """The cell that a move fills."""
    if not falls:
        return divmod(move, len(board[0]))
    return max(row for row in range(len(board)) if board[row][move] == "."), move


@cache
def places(rows: int, columns: int, directions: tuple[tuple[int, int], ...]) -> list[list[int]]:
    """The cells of every window of as many as win, row by row from the top left, beginning at its first cell."""
    k = 3 if rows == 3 else 4
    found = []
    for row in range(rows):
        for column in range(columns):
            for down, right in directions:
                cells = [(row + i * down, column + i * right) for i in range(k)]
                if all(0 <= r < rows and 0 <= c < columns for r, c in cells):
                    found.append([r * columns + c for r, c in cells])
    return found


def windows(board: Board, *directions: tuple[int, int]) -> list[str]:
    """What stands in every window, beginning at its first cell."""
    cells = [cell for row in board for cell in row]
    within = places(len(board), len(board[0]), directions or (RIGHT, DOWN, FALLING, RISING))
    return ["".join([cells[at] for at in window]) for window in within]


def has_won(board: Board, side: str) -> bool:
    return side * (3 if len(board) == 3 else 4) in windows(board)


def is_full(board: Board) -> bool:
    return not any("." in row for row in board)


@dataclass
class Program:
    """A search that a subclass completes; values are for the side that maximises."""

    searcher: str
    depth: int
    prunes: bool
    letter: str
    """Which letter the program takes who searches for; only R2 asks for it."""
    falls: bool = True
    counts_root: bool = False
    carries: bool = True
    count: int = 0
    values: dict[int, float] = field(default_factory=dict)

    def decide(self, board: Board) -> Found:
        high = self.maximises(self.searcher)
        self.count = 1 if self.counts_root else 0
        best: int | None = None
        alpha, beta = -1e18, 1e18
        for move in self.moves(board):
            value = self.after(board, self.searcher, move, self.depth - 1, 1, alpha, beta)
            self.values[move] = value
            if best is None or (value > self.values[best] if high else value < self.values[best]):
                best = move
            if self.carries and self.prunes:
                alpha, beta = (max(alpha, value), beta) if high else (alpha, min(beta, value))
        assert best is not None
        value = self.values[best]
        equal = [move for move in sorted(self.values) if self.values[move] == value]
        return Found(best, equal, value if high else -value, self.count)

    def after(self, board: Board, side: str, move: int, left: int, ply: int, alpha: float, beta: float) -> float:
        row, column = landing(board, self.falls, move)
        board[row][column] = side
        value = self.value(board, OTHER[side], left, ply, alpha, beta)
        board[row][column] = "."
        return value

    def value(self, board: Board, side: str, left: int, ply: int, alpha: float, beta: float) -> float:
        self.count += 1
        final = self.final(board, side, left, ply)
        if final is not None:
            return final
        high = self.maximises(side)
        best = -1e18 if high else 1e18
        for move in self.moves(board):
            value = self.after(board, side, move, left - 1, ply + 1, alpha, beta)
            if high:
                best = max(best, value)
                alpha = max(alpha, best)
            else:
                best = min(best, value)
                beta = min(beta, best)
            if self.prunes and beta <= alpha:
                break
        return best

    def moves(self, board: Board) -> list[int]:
        if self.falls:
            return [column for column, cell in enumerate(board[0]) if cell == "."]
        return [row * 3 + column for row in range(3) for column in range(3) if board[row][column] == "."]

    def maximises(self, side: str) -> bool:
        return side == self.searcher

    def final(self, board: Board, side: str, left: int, ply: int) -> float | None:
        """The value if the search stops here, with ``side`` to move, so many plies from its limit and the root."""
        raise NotImplementedError

    def scored(self, board: Board, win: float, loss: float) -> float | None:
        """By who has won, for the searcher."""
        if has_won(board, self.searcher):
            return win
        if has_won(board, OTHER[self.searcher]):
            return -loss
        return 0 if is_full(board) else None


def published_windows(board: Board, own: str) -> float:
    """Four 100, three 5, two 2, the opponent's three −4."""
    total = 0
    for text in windows(board):
        mine, empty, theirs = text.count(own), text.count("."), text.count(OTHER[own])
        total += {(4, 0): 100, (3, 1): 5, (2, 2): 2}.get((mine, empty), 0) - 4 * (theirs == 3 and empty == 1)
    return total


def centre_stones(board: Board, own: str) -> list[int]:
    """The rows of own stones in the middle column."""
    return [row for row in range(6) if board[row][3] == own]


class R1TicTacToe(Program):
    def final(self, board: Board, side: str, left: int, ply: int) -> float | None:
        over = self.scored(board, 100, 100)
        if over is not None or left > 0:
            return over
        worth = {"X": 0, "O": 0}
        for text in windows(board):
            for own in "XO":
                if OTHER[own] not in text:
                    worth[own] += {2: 10, 1: 1}.get(text.count(own), 0)
        return worth[self.searcher] - worth[OTHER[self.searcher]]


class R1Connect4(Program):
    def final(self, board: Board, side: str, left: int, ply: int) -> float | None:
        over = self.scored(board, 1e6, 1e6)
        if over is not None or left > 0:
            return over
        own = self.searcher
        total = published_windows(board, own) + sum(3 * (6 - row) for row in centre_stones(board, own))
        total += 2 * sum(text == "." + 3 * own for text in windows(board, DOWN))
        winning = 0
        for column in self.moves(board):
            row, _ = landing(board, True, column)
            board[row][column] = own
            winning += has_won(board, own)
            board[row][column] = "."
        return total + (50 if winning > 1 else 0)


class R2TicTacToe(Program):
    def final(self, board: Board, side: str, left: int, ply: int) -> float | None:
        free = sum(row.count(".") for row in board)
        return self.scored(board, free + 1, free + 1)


class R2Connect4(Program):
    def maximises(self, side: str) -> bool:
        return (self.letter == "O") == (side == self.searcher)

    def final(self, board: Board, side: str, left: int, ply: int) -> float | None:
        if has_won(board, OTHER[side]):
            points = len(self.moves(board)) + 1
            return points if self.maximises(OTHER[side]) else -points
        if left > 0 and not is_full(board):
            return None
        total = 0
        for text in windows(board, RIGHT, DOWN, FALLING, (1, -1)):
            own = text[0]
            if own != "." and OTHER[own] not in text:
                points = {4: 100, 3: 10, 2: 1}.get(text.count(own), 0)
                total += points if own == side else -points
        return total


class R3TicTacToe(Program):
    def moves(self, board: Board) -> list[int]:
        return [row * 3 + column for column in range(3) for row in range(3) if board[row][column] == "."]

    def final(self, board: Board, side: str, left: int, ply: int) -> float | None:
        return self.scored(board, 1, 1)


class R3Connect4(Program):
    def moves(self, board: Board) -> list[int]:
        return sorted(super().moves(board), key=lambda column: (landing(board, True, column)[0], column))

    def final(self, board: Board, side: str, left: int, ply: int) -> float | None:
        if is_full(board):
            return 0
        total = 0
        for text in windows(board):
            mine, theirs = text.count(self.searcher), text.count(OTHER[self.searcher])
            if mine == 4 or theirs == 4:
                total += 300 if mine else -400
            elif not mine or not theirs:
                total += mine - theirs
        return total if left == 0 or abs(total) > 100 else None


class R4TicTacToe(Program):
    def final(self, board: Board, side: str, left: int, ply: int) -> float | None:
        if has_won(board, "X") or has_won(board, "O"):
            size = 10 - (ply - 1)
            return size if has_won(board, "X") else -size
        return 0 if is_full(board) else None


class R4Connect4(Program):
    def final(self, board: Board, side: str, left: int, ply: int) -> float | None:
        if has_won(board, "X") or has_won(board, "O"):
            size = 1000 - (ply - 1)
            return size if has_won(board, "X") else -size
        if is_full(board):
            return 0
        if left >= 0:  # a limit of d looks d + 1 plies ahead
            return None
        own, other = (published_windows(board, s) + 3 * len(centre_stones(board, s)) for s in (side, OTHER[side]))
        return own - 0.7 * other


class R5Connect4(Program):
    def final(self, board: Board, side: str, left: int, ply: int) -> float | None:
        over = self.scored(board, 1e14, 1e13)
        if over is not None or left > 0:
            return over
        return published_windows(board, self.searcher) + 3 * len(centre_stones(board, self.searcher))


class R5Match(Program):
    def maximises(self, side: str) -> bool:
        return side == "X"

    def final(self, board: Board, side: str, left: int, ply: int) -> float | None:
        if left > 0 and not has_won(board, OTHER[side]) and not is_full(board):
            return None
        return sum((text == 3 * side + ".") - (text == 3 * OTHER[side] + ".") for text in windows(board, RIGHT))


PROGRAMS = {
    ("tictactoe", "r1"): R1TicTacToe,
    ("tictactoe", "r2"): R2TicTacToe,
    ("tictactoe", "r3"): R3TicTacToe,
    ("tictactoe", "r4"): R4TicTacToe,
    ("connect4", "r1"): R1Connect4,
    ("connect4", "r2"): R2Connect4,
    ("connect4", "r3"): R3Connect4,
    ("connect4", "r4"): R4Connect4,
    ("connect4", "r5"): R5Connect4,
    ("connect4", "r5-match"): R5Match,
}


def program(game: str, report: str, depth: int, prunes: bool, searcher: str, letter: str) -> Program:
    """The program of a report for one decision."""
    return PROGRAMS[game, report](
        searcher=searcher,
        depth=depth,
        prunes=prunes,
        letter=letter,
        falls=game == "connect4",
        counts_root=report in ("r2", "r5", "r5-match") or (game, report) == ("connect4", "r3"),
        carries=report != "r4",
    )
