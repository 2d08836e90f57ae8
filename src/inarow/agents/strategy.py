"""strategy: plays the strategy of a certificate (`inarow solve --certificate` writes one)."""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path

from inarow.agents.base import Agent, Decision, Mind
from inarow.agents.parameters import AgentError, file
from inarow.checker import Checker, Wrong, check
from inarow.errors import InarowError
from inarow.limits import Limit
from inarow.paths import read_text
from inarow.rules import Game, Player, Position
from inarow.stopping import Stop

OUTSIDE = "This position is not in the certificate: the first legal move is played."


@dataclass(frozen=True)
class Strategy(Agent):
    """Looks every move up in a certificate, which is checked before play."""

    name = "strategy"
    summary = "the proven strategy of a certificate"
    certificate: str = file("", "the file that `inarow solve --certificate` wrote")

    def check(self, game: Game) -> None:
        super().check(game)
        self._checkers(game)

    def _checkers(self, game: Game) -> list[Checker]:
        if not self.certificate:
            raise AgentError("agent strategy needs a certificate; write strategy:certificate=FILE")
        try:
            content, found = _checked(read_text(Path(self.certificate)))
        except (Wrong, InarowError) as error:
            raise AgentError(f"agent strategy: {self.certificate} can't be used: {error}") from None
        board = Game(content["columns"], content["rows"], content["k"], content["gravity"])
        if board != game:
            raise AgentError(f"agent strategy: {self.certificate} is for {board}, not for {game}")
        return found

    def mind(self, game: Game, player: Player, seed: int) -> Mind:
        return StrategyMind(game, next((one for one in self._checkers(game) if one.player == player), None))


class StrategyMind(Mind):
    """The answers of one player; once a rule has closed a position, the pairs of cells that it answers with."""

    def __init__(self, game: Game, checker: Checker | None) -> None:
        self.game = game
        self.checker = checker
        self.pairs: dict[int, int] | None = None
        self.before = 0
        """All stones after its last move, as the checker has them."""

    def think(self, position: Position, limit: Limit, stop: Stop | None) -> Decision:
        move = None if self.checker is None else self._answer(self.checker, position)
        if move is None:
            return Decision(position.legal_moves()[0], note=OUTSIDE)
        return Decision(move, value=1.0 if self.checker is not None and self.checker.win else 0.0)

    def _answer(self, checker: Checker, position: Position) -> int | None:
        own, opp = (_cells(self.game, stones) for stones in (position.own, position.opp))
        latest = (own | opp) & ~self.before
        if not self.before or latest.bit_count() != 1 or self.before & ~(own | opp):  # another match, or its start
            self.pairs = checker.closed.get((own, opp & ~latest)) if latest.bit_count() == 1 else None
        move = self._by_rule(checker, own, opp, latest) if self.pairs is not None else _known(checker, own, opp)
        if move is None:
            return None
        own |= checker.cell(move, own | opp)
        self.before = own | opp
        if self.pairs is None:
            self.pairs = _closed(checker, own, opp)
        return move

    def _by_rule(self, checker: Checker, own: int, opp: int, latest: int) -> int:
        """Complete a line if possible, else answer in the pair, else right above, or anywhere without gravity."""
        moves = checker.moves(own | opp)
        wins = [move for move, cell in moves.items() if checker.has_line(own | cell)]
        pairs = {**(self.pairs or {}), **{second: first for first, second in (self.pairs or {}).items()}}
        by_cell = {cell: move for move, cell in moves.items()}
        wanted = pairs.get(latest, latest >> checker.columns if checker.gravity else 0)
        return wins[0] if wins else by_cell.get(wanted, min(moves))


_checked = lru_cache(maxsize=4)(check)
"""Checked once for all matches."""


def _cells(game: Game, stones: int) -> int:
    """Stones as the checker has them: bits row by row from the top left."""
    return sum(1 << cell for cell, bit in enumerate(game.cell_bits) if stones & bit)


def _known(checker: Checker, own: int, opp: int) -> int | None:
    """Return the strategy's answer in a position or in its mirror image."""
    move = checker.answers.get((own, opp))
    if move is None:
        image = checker.answers.get((checker.mirrored(own), checker.mirrored(opp)))
        if image is not None:
            row, column = divmod(image, checker.columns)
            move = row * checker.columns + checker.columns - 1 - column
    return move


def _closed(checker: Checker, own: int, opp: int) -> dict[int, int] | None:
    """Return the pairs of a position that a rule closes, or of its mirror image."""
    pairs = checker.closed.get((own, opp))
    if pairs is None:
        image = checker.closed.get((checker.mirrored(own), checker.mirrored(opp)))
        if image is not None:
            pairs = {checker.mirrored(first): checker.mirrored(second) for first, second in image.items()}
    return pairs
