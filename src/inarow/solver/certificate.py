"""Write certificates: strategies that prove a verdict, in the format that `inarow.checker` reads and explains.

The writer walks through play exactly as the checker does, and decides where the checker reads.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from typing import Any

from inarow.checker import MOVES, Checker, Wrong
from inarow.errors import InarowError
from inarow.rules import Position, format_move, game
from inarow.solver.analysis import Verdict
from inarow.solver.oracle import Oracle
from inarow.stopping import Stop

MOST = 500_000
"""Answers that a strategy may have."""


OPEN = 4
"""The characters that a reply counts for in an estimate if it is neither forced nor closed by one answer."""


class CertificateError(InarowError):
    """There is no certificate, or it is too large."""


class _Writer(Checker):
    """Walks through play and writes the strategy of one player."""

    def __init__(self, position: Position, player: int, result: str, oracle: Oracle, stop: Stop | None) -> None:
        game = position.game
        super().__init__(game.columns, game.rows, game.k, game.gravity, player, result, "")
        self.game, self.oracle, self.stop = game, oracle, stop
        self.written: list[str] = []
        self.tried: dict[tuple[int, int], dict[int, int] | None] = {}
        self.open = 0
        """Positions left open since the last character: the checker would take the next one as theirs."""
        stones = [self._cells(position.first), self._cells(position.second)]
        own, opp = stones[player], stones[1 - player]
        (self.act if position.to_move == player else self.answer)(own, opp)

    def _cells(self, stones: int) -> int:
        return sum(1 << cell for cell, bit in enumerate(self.game.cell_bits) if stones & bit)

    def _position(self, own: int, opp: int) -> Position:
        bits = [sum(bit for cell, bit in enumerate(self.game.cell_bits) if s >> cell & 1) for s in (own, opp)]
        return Position(self.game, *(bits if self.player == 0 else reversed(bits)))

    def decide(self, own: int, opp: int) -> int:
        """Prefer moves that close the position, then those with the fewest open replies if a win is claimed, then the
        quickest win or the best score."""
        if len(self.answers) > MOST:
            raise CertificateError(f"the certificate would have more than {MOST:,} answers")
        scores = self.oracle.scores(self._position(own, opp), stop=self.stop)
        keeping = [move for move, score in scores.items() if score >= (1 if self.win else 0)]

        def cost(move: int) -> tuple[bool, int, int]:
            mine = own | self.cell(move, own | opp)
            closed = self._closing(mine, opp) is not None
            return not closed, self._open_replies(mine, opp) if self.win and not closed else 0, -scores[move]

        move = min(keeping, key=cost)
        self.written.append(MOVES[move])
        self.open = 0
        return move

    def _open_replies(self, own: int, opp: int) -> int:
        """Estimate the characters that the replies in a position of the other side take."""
        total = 0
        for cell in self.moves(own | opp).values():
            theirs = opp | cell
            moves, move = self.moves(own | theirs), self.forced(own, theirs)
            if move is not None:
                mine = own | moves[move]
                if not self.has_line(mine) and self._closing(mine, theirs) is None:
                    total += self._open_replies(mine, theirs)
            elif any(self._closing(own | mine, theirs) is not None for mine in moves.values()):
                total += 1
            else:
                total += OPEN
        return total

    def close(self, own: int, opp: int) -> dict[int, int] | None:
        """Close the position if a rule can; dots keep the others that look at the same character from being closed."""
        found = self._closing(own, opp)
        if found is None:
            self.open += 1
        else:
            cells = "".join(MOVES[cell.bit_length() - 1] for pair in found.items() for cell in pair)
            self.written.append(self.open * "." + ("!" if self.gravity else f"({cells})"))
            self.open = 0
        return found

    def _closing(self, own: int, opp: int) -> dict[int, int] | None:
        try:
            if self.gravity:
                if (own, opp) not in self.tried:
                    self.tried[own, opp] = None
                    self.tried[own, opp] = self.follow_up(own, opp)
                return self.tried[own, opp]
            free = self.full & ~(own | opp)
            lines = [line & free for line in self.lines if not line & own]
            pairs = None if self.win else _pairs(lines, 0, [200])
            return None if pairs is None else self.checked_pairs(own, opp, pairs)
        except Wrong:
            return None


def _pairs(lines: list[int], used: int, left: list[int]) -> dict[int, int] | None:
    """Disjoint pairs of cells, one in each line; None if they are not found in a few steps."""
    if not lines:
        return {}
    hardest = min(lines, key=lambda line: (line & ~used).bit_count())
    cells = [1 << bit for bit in range(hardest.bit_length()) if hardest & ~used & 1 << bit]
    choices = [(first, second) for number, first in enumerate(cells) for second in cells[number + 1 :]]

    def rest(pair: tuple[int, int]) -> list[int]:
        return [line for line in lines if line & (pair[0] | pair[1]) != pair[0] | pair[1]]

    for pair in sorted(choices, key=lambda pair: len(rest(pair))):
        left[0] -= 1
        if left[0] < 0:
            return None
        found = _pairs(rest(pair), used | pair[0] | pair[1], left)
        if found is not None:
            return {pair[0]: pair[1], **found}
    return None


def certificate(position: Position, oracle: Oracle, stop: Stop | None = None) -> str:
    """Return a certificate of a position's verdict: a win of one player, or a draw that both can hold."""
    position.game.check_usual("the checker of certificates")
    verdict = oracle.verdict(position, stop=stop)
    mover = int(position.to_move)
    if verdict == Verdict.DRAW:
        claims = [(0, "draw"), (1, "draw")]
    else:
        claims = [(mover if verdict == Verdict.WIN else 1 - mover, "win")]
    moves = position.history()
    if moves is None:
        raise CertificateError("no order of moves leads to this position, so it has no certificate")
    strategies = [
        {
            "player": player,
            "result": result,
            "strategy": "".join(_Writer(position, player, result, oracle, stop).written),
        }
        for player, result in claims
    ]
    game = position.game
    content = {"columns": game.columns, "rows": game.rows, "k": game.k, "gravity": game.gravity}
    return json.dumps({"format": "inarow certificate", **content, "moves": list(moves), "claims": strategies}) + "\n"


def cards(content: Mapping[str, Any], checkers: Sequence[Checker]) -> list[tuple[str, str]]:
    """Return flash cards of a checked certificate: a position that its player has to know the answer to, and the
    answer; those with few stones first."""
    board = game(f"{content['columns']}x{content['rows']}x{content['k']}{'' if content['gravity'] else '-free'}")
    found = []
    for checker in checkers:
        for (own, opp), move in checker.answers.items():
            if checker.forced(own, opp) is None:
                stones = [sum(bit for cell, bit in enumerate(board.cell_bits) if s >> cell & 1) for s in (own, opp)]
                position = Position(board, *(stones if checker.player == 0 else reversed(stones)))
                found.append((position.ply, f"{position}\n{'XO'[checker.player]} to move", format_move(move)))
    return [(front, back) for _, front, back in sorted(found, key=lambda card: card[0])]
