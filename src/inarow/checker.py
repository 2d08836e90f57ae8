"""Check a certificate: a strategy for one side, given in full, that proves how a game ends at least.

This file uses nothing but Python's standard library, so that it can be read and believed on its own: ``python
checker.py FILE``, or ``inarow verify FILE``.

A certificate is JSON: the game's columns, rows, k and gravity, the moves that lead to its position (from 0), and its
claims. A claim names a player (0 or 1), a result (``win``, or ``draw`` for at least a draw), and a strategy. The
strategy is a string that is read while all play is walked through: in positions of its player (each, and its mirror
image, once) the player completes a line if it can; else it blocks if there is one cell where the other side would
complete one; else the next character of the string is its move. Moves of the other side are all tried, in ascending
order, unless the next character closes the position (a ``.`` is skipped: it says that what follows closes a later
one):

``!`` closes a position on a board with gravity in which the other side, A, is to move. The player B follows up: it
answers right above A's stone. Count the free cells of each column from the top: 1, 2, 3 … B gets the odd ones, A the
even ones. A column with an odd number of free cells begins with a *contested* cell. If there is an even number of
such columns, B pairs them and answers one contested cell with the other. A can't win if its stones, the even and the
contested cells hold no line; B wins if its stones and the odd cells that are not contested do. If their number is
odd, B needs one of these columns with an even cell where it completes a line at once: the others are paired, A has to
play below that cell in the end, and B wins if A's stones, its cells in the other columns, and the odd ones below that
cell hold no line.

``(abcd…)`` closes a position on a board without gravity in which A is to move: ab, cd … are disjoint pairs of free
cells, one in each line without a stone of B. B answers a stone in a pair with the other cell, so A gets no line.
"""

from __future__ import annotations

import json
import sys
from pathlib import Path
from typing import Any

MOVES = "0123456789abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ-"


class Wrong(Exception):
    """The certificate does not prove what it claims, or can't be read."""


class Checker:
    """Walks through the strategy of one player; ``answers`` then has its move in every position."""

    def __init__(self, columns: int, rows: int, k: int, gravity: bool, player: int, result: str, strategy: str) -> None:
        if not (1 <= columns <= 63 and 1 <= rows <= 63 and columns * rows <= 63 and 1 <= k <= 63):
            raise Wrong("the board is out of range")
        if player not in (0, 1) or result not in ("win", "draw"):
            raise Wrong("a claim must be of player 0 or 1 and of a win or a draw")
        self.columns, self.rows, self.gravity, self.player, self.win = columns, rows, gravity, player, result == "win"
        self.strategy, self.at = strategy, 0
        self.answers: dict[tuple[int, int], int] = {}
        self.closed: dict[tuple[int, int], dict[int, int]] = {}
        # Cell (row from the top, column) is bit row * columns + column, which is also its move without gravity.
        self.full = (1 << columns * rows) - 1
        whole = [sum(1 << row * columns + column for row in range(rows)) for column in range(columns)]
        self.masks = whole if gravity else [1 << cell for cell in range(columns * rows)]  # the cells of each move
        self.lines: list[int] = []
        for row in range(rows):
            for column in range(columns):
                for down, right in ((0, 1), (1, 0), (1, 1), (1, -1)):
                    if row + down * (k - 1) < rows and 0 <= column + right * (k - 1) < columns:
                        cells = [(row + i * down) * columns + column + i * right for i in range(k)]
                        self.lines.append(sum(1 << cell for cell in cells))
        self.claimed = sum(1 << row * columns + c for row in range(0, rows, 2) for c in range(columns))

    def has_line(self, stones: int) -> bool:
        """Return True if these stones hold a line."""
        return any(stones & line == line for line in self.lines)

    def cell(self, move: int, occupied: int) -> int:
        """Return the cell that a move fills, as a bit; 0 if it is not legal."""
        free = self.masks[move] & ~occupied if move < len(self.masks) else 0
        return 1 << free.bit_length() - 1 if free else 0

    def moves(self, occupied: int) -> dict[int, int]:
        """Return the legal moves with their cells."""
        found = ((move, mask & ~occupied) for move, mask in enumerate(self.masks))
        return {move: 1 << free.bit_length() - 1 for move, free in found if free}

    def mirrored(self, stones: int) -> int:
        """Return the image of these stones, left to right."""
        rows = (stones >> self.columns * row & (1 << self.columns) - 1 for row in range(self.rows))
        return sum(int(f"{row:0{self.columns}b}"[::-1], 2) << self.columns * i for i, row in enumerate(rows))

    def next(self) -> str:
        """Return the next character of the strategy; empty at its end."""
        self.at += 1
        return self.strategy[self.at - 1 : self.at]

    def decide(self, own: int, opp: int) -> int:
        """Return the next move of the strategy."""
        token = self.next()
        return MOVES.find(token) if token else -1

    def close(self, own: int, opp: int) -> dict[int, int] | None:
        """Return what closes the position, if the next character does: pairs of cells to answer one with the other."""
        token = self.strategy[self.at : self.at + 1]
        if token == "!":
            self.at += 1
            return self.follow_up(own, opp)
        if token == "(":
            self.at += 1
            pairs: dict[int, int] = {}
            while (first := self.next()) not in (")", ""):
                pairs[1 << max(0, MOVES.find(first))] = 1 << max(0, MOVES.find(self.next() or first))
            return self.checked_pairs(own, opp, pairs)
        self.at += token == "."
        return None

    def forced(self, own: int, opp: int) -> int | None:
        """Return the move that completes a line, or else blocks the only cell where the other side would complete
        one."""
        moves = self.moves(own | opp)
        wins = [move for move, cell in moves.items() if self.has_line(own | cell)]
        blocks = [move for move, cell in moves.items() if self.has_line(opp | cell)]
        return wins[0] if wins else blocks[0] if len(blocks) == 1 else None

    def act(self, own: int, opp: int) -> None:
        """A position of the strategy's player, in which nobody has a line."""
        if (own, opp) in self.answers or (self.mirrored(own), self.mirrored(opp)) in self.answers:
            return
        move = self.forced(own, opp)
        if move is None:
            move = self.decide(own, opp)
        cell = self.cell(move, own | opp) if move >= 0 else 0
        if not cell:
            raise Wrong(f"the strategy has no legal move at character {self.at}")
        self.answers[own, opp] = move
        own |= cell
        if self.has_line(own):
            return
        if own | opp == self.full:
            self.drawn()
            return
        self.answer(own, opp)

    def answer(self, own: int, opp: int) -> None:
        """A position of the other side."""
        pairs = self.close(own, opp)
        if pairs is not None:
            self.closed[own, opp] = pairs
            return
        for cell in self.moves(own | opp).values():
            if self.has_line(opp | cell):
                raise Wrong(f"the other side completes a line at character {self.at}")
            if own | opp | cell == self.full:
                self.drawn()
            else:
                self.act(own, opp | cell)

    def drawn(self) -> None:
        """A full board: raises if a win was claimed."""
        if self.win:
            raise Wrong(f"a full board is no win at character {self.at}")

    def follow_up(self, own: int, opp: int) -> dict[int, int]:
        """Pairs of contested cells; raises unless following up proves the claim."""
        free = self.full & ~(own | opp)
        odd = [column for column in self.masks if (column & free).bit_count() % 2]
        contested = sum(1 << (column & free).bit_length() - 1 for column in odd)
        threats = [0] if len(odd) % 2 == 0 else odd
        for column in threats if self.gravity else ():
            others = [1 << (other & free).bit_length() - 1 for other in odd if other != column]
            reach = opp | free & ~self.claimed & ~column | contested & ~column
            if column:
                cells = [1 << bit for bit in range(self.full.bit_length()) if column & free & ~self.claimed & 1 << bit]
                wins = [cell for cell in cells if self.has_line(own | cell)]
                below = column & free & ~((wins[-1] << 1) - 1) if wins else 0  # further down are higher bits
                if wins and not self.has_line(reach | below & self.claimed):
                    return dict(zip(others[::2], others[1::2], strict=True))
            elif not self.has_line(reach) and (not self.win or self.has_line(own | free & self.claimed & ~contested)):
                return dict(zip(others[::2], others[1::2], strict=True))
        raise Wrong(f"following up proves nothing at character {self.at}")

    def checked_pairs(self, own: int, opp: int, pairs: dict[int, int]) -> dict[int, int]:
        """These pairs of cells; raises unless they prove a draw."""
        cells = [*pairs, *pairs.values()]
        sound = not self.gravity and not self.win and len(set(cells)) == len(cells)
        masks = [first | second for first, second in pairs.items()]
        met = all(line & own or any(line & mask == mask for mask in masks) for line in self.lines)
        if not sound or any(cell & (own | opp) for cell in cells) or not met:
            raise Wrong(f"the pairs at character {self.at} prove nothing")
        return pairs


def check(text: str) -> tuple[dict[str, Any], list[Checker]]:
    """Check a certificate's text; returns its content and the checkers of its claims. Raises `Wrong`."""
    try:
        content = json.loads(text)
        columns, rows, k = (int(content[name]) for name in ("columns", "rows", "k"))
        claims = [(one["player"], one["result"], str(one["strategy"])) for one in content["claims"]]
        found = [Checker(columns, rows, k, bool(content["gravity"]), *claim) for claim in claims]
        moves = [int(move) for move in content["moves"]]
    except (ValueError, KeyError, TypeError) as error:
        raise Wrong(f"it is not a certificate: {error!r:.100}") from None
    for checker in found:
        stones = [0, 0]
        for number, move in enumerate(moves):
            cell = checker.cell(move, stones[0] | stones[1]) if 0 <= move < 63 else 0
            stones[number % 2] |= cell
            if not cell or checker.has_line(stones[number % 2]) or stones[0] | stones[1] == checker.full:
                raise Wrong("its moves are not legal, or end the game")
        own, opp = stones[checker.player], stones[1 - checker.player]
        (checker.act if len(moves) % 2 == checker.player else checker.answer)(own, opp)
        if checker.at != len(checker.strategy):
            raise Wrong(f"its strategy goes on after character {checker.at}")
    if not found:
        raise Wrong("it claims nothing")
    return content, found


if __name__ == "__main__":
    for path in sys.argv[1:]:
        for one in check(Path(path).read_text(encoding="utf-8"))[1]:
            sys.stdout.write(f"{path}: player {one.player + 1} {'wins' if one.win else 'at least draws'}\n")
