"""Check a certificate: a complete strategy for one side that proves a lower bound on its result.

This file uses only Python's standard library, so that it can be audited on its own: ``python checker.py FILE``, or
``inarow verify FILE``.

A certificate is JSON: the game's columns, rows, k and gravity, the moves that lead to its position (from 0), and its
claims. A claim names a player (0 or 1), a result (``win``, or ``draw`` for at least a draw), and a strategy. The
strategy is a string that is read while all lines of play are traversed: in positions of its player (each, and its
mirror image, once) the player completes a line if it can; else it blocks if there is one cell where the other side
would complete one; else the next character of the string is its move. Moves of the other side are all tried, in
ascending order, unless the next character closes the position (a ``.`` is skipped; it means that the characters after
it close a later position):

A capital letter closes a position on a board with gravity where the other side, A, is to move. From there on the
player B follows up, which needs no more characters: it completes a line if it can, else blocks if it must, else plays
right above A's last stone. If that is above the board, or right below a cell where either side would complete a line, B
plays elsewhere: if possible not below such a cell of A, then not below one of its own, then in a column with an odd
number of free cells, then in the first column from that of the letter on (A is the first column, and the first column
comes after the last). The checker plays this against all moves of A, each position once.

``(abcd…)`` closes a position on a board without gravity where A is to move: ab, cd … are disjoint pairs of free
cells, one in each line without a stone of B. B answers a stone in a pair with the other cell, so A gets no line.
"""

from __future__ import annotations

import json
import sys
from pathlib import Path
from typing import Any

MOVES = "0123456789abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ-"


class InvalidCertificate(Exception):
    """The certificate does not prove its claims, or can't be read."""


class Checker:
    """Traverse the strategy of one player; ``answers`` then has its move in every position."""

    def __init__(self, columns: int, rows: int, k: int, gravity: bool, player: int, result: str, strategy: str) -> None:
        if not (1 <= columns <= 63 and 1 <= rows <= 63 and columns * rows <= 63 and 1 <= k <= 63):
            raise InvalidCertificate("the board is out of range")
        if player not in (0, 1) or result not in ("win", "draw"):
            raise InvalidCertificate("a claim needs a player, 0 or 1, and a result, win or draw")
        self.columns, self.rows, self.gravity, self.player, self.win = columns, rows, gravity, player, result == "win"
        self.strategy, self.at = strategy, 0
        self.answers: dict[tuple[int, int], int] = {}
        self.closed: dict[tuple[int, int], int | dict[int, int]] = {}
        self.followed: set[tuple[int, int, int]] = set()
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
        self.through = {1 << i: [line for line in self.lines if line >> i & 1] for i in range(columns * rows)}
        self.odd = sum(1 << row * columns + c for row in range(0, rows, 2) for c in range(columns))

    def completes(self, stones: int, cell: int) -> bool:
        """Return True if these stones and this cell form a line through it; False above the board (0)."""
        return any(line & ~stones == cell for line in self.through.get(cell, ()))

    def moves(self, occupied: int) -> dict[int, int]:
        """Return the legal moves with the cells that they fill, as bits."""
        found = ((move, mask & ~occupied) for move, mask in enumerate(self.masks))
        return {move: 1 << free.bit_length() - 1 for move, free in found if free}

    def mirrored(self, stones: int) -> int:
        """Return the stones reflected left to right."""
        rows = (stones >> self.columns * row & (1 << self.columns) - 1 for row in range(self.rows))
        return sum(int(f"{row:0{self.columns}b}"[::-1], 2) << self.columns * i for i, row in enumerate(rows))

    def next(self) -> str:
        """Return the next character of the strategy; empty at its end."""
        self.at += 1
        return self.strategy[self.at - 1 : self.at]

    def decide(self, own: int, opp: int) -> int:
        """Return the next move of the strategy."""
        return MOVES.find(self.next() or "none")

    def close(self, own: int, opp: int) -> int | dict[int, int] | None:
        """Return the rule that the next character begins, if any: a first column to choose from, or pairs of cells."""
        token = self.strategy[self.at : self.at + 1]
        follows = self.gravity and token.isupper()
        self.at += follows or token in ("(", ".")
        if follows:
            self.follow_up(own, opp, ord(token) - ord("A"))
            return ord(token) - ord("A")
        if token == "(":
            pairs: dict[int, int] = {}
            while (first := self.next()) not in (")", ""):
                pairs[1 << max(0, MOVES.find(first))] = 1 << max(0, MOVES.find(self.next() or first))
            return self.checked_pairs(own, opp, pairs)
        return None

    def forced(self, own: int, opp: int) -> int | None:
        """Return the move that completes a line, or else blocks the only cell where the other side would complete
        one."""
        moves = self.moves(own | opp)
        wins = [move for move, cell in moves.items() if self.completes(own, cell)]
        blocks = [move for move, cell in moves.items() if self.completes(opp, cell)]
        return wins[0] if wins else blocks[0] if len(blocks) == 1 else None

    def act(self, own: int, opp: int) -> None:
        """Visit a position of the strategy's player where neither side has a line."""
        if (own, opp) in self.answers or (self.mirrored(own), self.mirrored(opp)) in self.answers:
            return
        move = self.forced(own, opp)
        if move is None:
            move = self.decide(own, opp)
        cell = self.moves(own | opp).get(move)
        if cell is None:
            raise InvalidCertificate(f"the strategy has no legal move at character {self.at}")
        self.answers[own, opp] = move
        if self.completes(own, cell):
            return
        if own | opp | cell == self.full:
            self.drawn()
        else:
            self.answer(own | cell, opp)

    def answer(self, own: int, opp: int) -> None:
        """Visit a position of the other side."""
        rule = self.close(own, opp)
        if rule is not None:
            self.closed[own, opp] = rule
            return
        for cell in self.moves(own | opp).values():
            if self.completes(opp, cell):
                raise InvalidCertificate(f"the other side completes a line at character {self.at}")
            if own | opp | cell == self.full:
                self.drawn()
            else:
                self.act(own, opp | cell)

    def drawn(self) -> None:
        """Visit a full board. Raises `InvalidCertificate` if a win was claimed."""
        if self.win:
            raise InvalidCertificate(f"a full board is not a win, at character {self.at}")

    def follow_up(self, own: int, opp: int, column: int) -> None:
        """Raise `InvalidCertificate` unless following up achieves the claim against all moves of the other side."""
        if (own, opp, column) in self.followed:
            return
        for cell in self.moves(own | opp).values():
            if self.completes(opp, cell):
                raise InvalidCertificate(f"following up fails at character {self.at}")
            reply = self.reply(own, opp | cell, cell, column) if own | opp | cell != self.full else 0
            if own | opp | cell | reply == self.full and not self.completes(own, reply):
                self.drawn()
            elif not self.completes(own, reply):
                self.follow_up(own | reply, opp | cell, column)
        self.followed.add((own, opp, column))

    def reply(self, own: int, opp: int, last: int, column: int) -> int:
        """Return the cell where the player that follows up answers this stone."""
        moves, up, forced = self.moves(own | opp), self.columns, self.forced(own, opp)
        if forced is not None:
            return moves[forced]

        def bad(cell: int) -> tuple[bool, bool]:
            return self.completes(opp, cell >> up), self.completes(own, cell >> up)

        if last >> up and bad(last >> up) == (False, False):
            return last >> up
        order = {cell: (bad(cell), not cell & self.odd, (move - column) % up) for move, cell in moves.items()}
        return min(order, key=lambda cell: order[cell])

    def checked_pairs(self, own: int, opp: int, pairs: dict[int, int]) -> dict[int, int]:
        """Return these pairs of cells. Raises `InvalidCertificate` unless they prove a draw."""
        cells = [*pairs, *pairs.values()]
        sound = not self.gravity and not self.win and len(set(cells)) == len(cells)
        met = all(line & own or any(line & a and line & b for a, b in pairs.items()) for line in self.lines)
        if not sound or any(cell & (own | opp) for cell in cells) or not met:
            raise InvalidCertificate(f"the pairs at character {self.at} don't prove a draw")
        return pairs


def check(text: str) -> tuple[dict[str, Any], list[Checker]]:
    """Check a certificate; return its content and the checkers of its claims. Raises `InvalidCertificate`."""
    try:
        content = json.loads(text)
        columns, rows, k = (int(content[name]) for name in ("columns", "rows", "k"))
        claims = [(one["player"], one["result"], str(one["strategy"])) for one in content["claims"]]
        found = [Checker(columns, rows, k, bool(content["gravity"]), *claim) for claim in claims]
        moves = [int(move) for move in content["moves"]]
    except (ValueError, KeyError, TypeError) as error:
        raise InvalidCertificate(f"it is not a certificate ({error!s:.100})") from None
    for checker in found:
        stones = [0, 0]
        for number, move in enumerate(moves):
            cell = checker.moves(stones[0] | stones[1]).get(move, 0)
            if checker.completes(stones[number % 2], cell) or stones[0] | stones[1] | cell == checker.full or not cell:
                raise InvalidCertificate("its moves are not legal, or end the game")
            stones[number % 2] |= cell
        own, opp = stones[checker.player], stones[1 - checker.player]
        (checker.act if len(moves) % 2 == checker.player else checker.answer)(own, opp)
        if checker.at != len(checker.strategy):
            raise InvalidCertificate(f"its strategy continues after character {checker.at}")
    if not found:
        raise InvalidCertificate("it has no claims")
    return content, found


if __name__ == "__main__":
    for path in sys.argv[1:]:
        for one in check(Path(path).read_text(encoding="utf-8"))[1]:
            sys.stdout.write(f"{path}: player {one.player + 1} {'wins' if one.win else 'at least draws'}\n")
