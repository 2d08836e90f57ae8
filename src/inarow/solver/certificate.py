"""Write certificates: strategies that prove a verdict, in the format that `inarow.checker` reads and explains.

The writer traverses positions in the same order as the checker, and makes the decisions that the checker reads.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any

from inarow.checker import MOVES, Checker, InvalidCertificate
from inarow.errors import InarowError
from inarow.kernels.solver import certify
from inarow.kernels.solver.solve import Search
from inarow.rules import Game, Position, format_move, game
from inarow.solver.analysis import Verdict
from inarow.solver.book import VERDICTS, open_book, shipped_book, stones_of_key
from inarow.solver.engine import Engine
from inarow.solver.oracle import Oracle
from inarow.stopping import SYSTEM_CLOCK, Stop

MAX_ANSWERS = 500_000
"""Maximum number of answers in a strategy."""
TABLE_BITS = 22
"""Log2 of the number of entries (24 and 40 bytes) in the tables of the search for a small strategy."""
TT_MB = 256


class CertificateError(InarowError):
    """There is no certificate, or it is too large."""


class Interrupted(CertificateError):
    """The search for a certificate was stopped."""


class _Writer(Checker):
    """Write the strategy of one player."""

    def __init__(
        self, position: Position, player: int, result: str, stop: Stop, on_progress: Callable[[int], None]
    ) -> None:
        game = position.game
        super().__init__(game.columns, game.rows, game.k, game.gravity, player, result, "")
        self.game, self.stop, self.on_progress = game, stop, on_progress
        self.written: list[str] = []
        self.open = 0
        """Positions left open since the last character; the checker would apply the next character to them."""
        self.prepare()
        stones = [self._cells(position.first), self._cells(position.second)]
        own, opp = stones[player], stones[1 - player]
        (self.act if position.to_move == player else self.answer)(own, opp)

    def _cells(self, stones: int) -> int:
        return sum(1 << cell for cell, bit in enumerate(self.game.cell_bits) if stones & bit)

    def decide(self, own: int, opp: int) -> int:
        """Write the move that keeps the claim and is likely to lead to a small strategy."""
        if len(self.answers) > MAX_ANSWERS:
            raise CertificateError(f"the certificate would have more than {MAX_ANSWERS:,} answers")
        move = self._choose(own, opp)
        if self.stop.is_set():
            raise Interrupted("interrupted before the certificate was finished")
        self.written.append(MOVES[move])
        self.open = 0
        self.on_progress(len(self.answers))
        return move

    def close(self, own: int, opp: int) -> int | dict[int, int] | None:
        """Close the position if a rule can; dots keep other open positions from being closed by the same character."""
        rule = self._rule(own, opp)
        if rule is None:
            self.open += 1
        else:
            token = chr(ord("A") + rule) if isinstance(rule, int) else f"({''.join(_named(rule))})"
            self.written.append(self.open * "." + token)
            self.open = 0
        return rule

    def prepare(self) -> None:
        """Prepare the choice of moves."""
        raise NotImplementedError

    def _choose(self, own: int, opp: int) -> int:
        raise NotImplementedError

    def _rule(self, own: int, opp: int) -> int | dict[int, int] | None:
        raise NotImplementedError


class _GravityWriter(_Writer):
    """Search for a small strategy (see `kernels.solver.certify`)."""

    def prepare(self) -> None:
        """Pass the verdicts of the book to the search."""
        game = self.game
        search = Engine(game, TT_MB).searches[0]
        assert isinstance(search, Search)
        self._search, search.stop = search, self.stop.flag
        self._strategy = certify.new_strategy(self.win, min(game.columns, 26), min(TABLE_BITS, game.cells))
        path = shipped_book(game, VERDICTS)
        if path is not None:
            book, most = open_book(path, game), 127 if self.win else 128
            for key, value in zip(book.keys, book.values, strict=True):
                if stones_of_key(game.layout, key) % 2 != self.player:
                    certify.tell(self._strategy, key, value <= most)

    def _choose(self, own: int, opp: int) -> int:
        cell = certify.decide(self._strategy, self._search, _bits(self.game, own), _bits(self.game, opp))
        return (cell.bit_length() - 1) // self.game.layout.stride

    def _rule(self, own: int, opp: int) -> int | None:
        column = certify.closing(self._strategy, self._search, _bits(self.game, own), _bits(self.game, opp))
        return None if column < 0 else column


class _FreeWriter(_Writer):
    """Choose moves by their scores, and look for pairings."""

    def prepare(self) -> None:
        """Make the oracle."""
        self._oracle = Oracle(self.game)

    def _choose(self, own: int, opp: int) -> int:
        """Prefer moves that close the position, then the quickest win or the best score."""
        position = _position(self.game, self.player, own, opp)
        bounds = self._oracle.move_bounds(position, stop=self.stop)
        keeping = [move for move, bound in bounds.items() if bound.low >= (1 if self.win else 0)]

        def cost(move: int) -> tuple[bool, int]:
            return self._rule(own | self.moves(own | opp)[move], opp) is None, -bounds[move].low

        return min(keeping, key=cost, default=0)

    def _rule(self, own: int, opp: int) -> dict[int, int] | None:
        free = self.full & ~(own | opp)
        pairs = None if self.win else _pairs([line & free for line in self.lines if not line & own], 0, [200])
        try:
            return None if pairs is None else self.checked_pairs(own, opp, pairs)
        except InvalidCertificate:
            return None


def _bits(board: Game, cells: int) -> int:
    """Return the stones on a checker's cells."""
    return sum(bit for cell, bit in enumerate(board.cell_bits) if cells >> cell & 1)


def _position(board: Game, player: int, own: int, opp: int) -> Position:
    """Return the position in which a player has the cells ``own``."""
    stones = _bits(board, own), _bits(board, opp)
    return Position(board, stones[player], stones[1 - player])


def _named(pairs: Mapping[int, int]) -> Iterator[str]:
    """Yield the characters of pairs of cells."""
    for pair in pairs.items():
        for cell in pair:
            yield MOVES[cell.bit_length() - 1]


def _pairs(lines: list[int], used: int, left: list[int]) -> dict[int, int] | None:
    """Return disjoint pairs of cells, one in each line, or None if they are not found in a few steps."""
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


def certificate(
    position: Position,
    oracle: Oracle,
    stop: Stop | None = None,
    on_progress: Callable[[int], None] = lambda answers: None,
) -> str:
    """Return a certificate of a position's verdict: a win of one player, or a draw that both can hold.

    ``on_progress`` is called with the number of answers so far. Raises `Interrupted` once ``stop`` is set.
    """
    position.game.check_usual("the checker of certificates")
    verdict, mover = oracle.verdict(position, stop=stop), int(position.to_move)
    claims = [(mover if verdict == Verdict.WIN else 1 - mover, "win")]
    if verdict == Verdict.DRAW:
        claims = [(0, "draw"), (1, "draw")]
    moves = position.history()
    if moves is None:
        raise CertificateError("no order of moves leads to this position, so it has no certificate")
    writer = _GravityWriter if position.game.gravity else _FreeWriter
    stop = stop or Stop()
    proven = []
    with SYSTEM_CLOCK.alarm(None, stop):
        for player, result in claims:
            strategy = "".join(writer(position, player, result, stop, on_progress).written)
            proven.append({"player": player, "result": result, "strategy": strategy})
    content = {name: getattr(position.game, name) for name in ("columns", "rows", "k", "gravity")}
    return json.dumps({"format": "inarow certificate", **content, "moves": list(moves), "claims": proven}) + "\n"


def cards(content: Mapping[str, Any], checkers: Sequence[Checker]) -> list[tuple[str, str]]:
    """Return flash cards of a verified certificate: (position, answer) for each decision of its player, by ply."""
    board = game(f"{content['columns']}x{content['rows']}x{content['k']}{'' if content['gravity'] else '-free'}")
    found = []
    for checker in checkers:
        for (own, opp), move in checker.answers.items():
            if checker.forced(own, opp) is None:
                position = _position(board, checker.player, own, opp)
                found.append((position.ply, f"{position}\n{'XO'[checker.player]} to move", format_move(move)))
    return [(front, back) for _, front, back in sorted(found, key=lambda card: card[0])]
