"""strategy: plays the strategy of a certificate (`inarow solve --certificate` writes one)."""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path

from inarow.agents.base import Agent, Decision, Mind
from inarow.agents.parameters import AgentError, file
from inarow.checker import Checker, InvalidCertificate, check
from inarow.errors import InarowError
from inarow.limits import Limit
from inarow.paths import read_text
from inarow.rules import Game, Player, Position
from inarow.stopping import Stop

OUTSIDE = "This position is not in the certificate: the first legal move is played."


@dataclass(frozen=True)
class Strategy(Agent):
    """Looks up every move in a certificate, which is verified before play."""

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
        except (InvalidCertificate, InarowError) as error:
            raise AgentError(f"agent strategy: {self.certificate} can't be used: {error}") from None
        board = Game(content["columns"], content["rows"], content["k"], content["gravity"])
        if board != game:
            raise AgentError(f"agent strategy: {self.certificate} is for {board}, not for {game}")
        return found

    def mind(self, game: Game, player: Player, seed: int) -> Mind:
        return StrategyMind(game, next((one for one in self._checkers(game) if one.player == player), None))


class StrategyMind(Mind):
    """The moves of one player by the certificate, and once a rule closes a position, by the rule."""

    def __init__(self, game: Game, checker: Checker | None) -> None:
        self.game = game
        self.checker = checker
        self.rule: int | dict[int, int] | None = None
        self.turned = False
        """True if the rule applies to the mirror image."""
        self.before = 0
        """All stones after its last move, as the checker's bits."""

    def think(self, position: Position, limit: Limit, stop: Stop | None) -> Decision:
        move = None if self.checker is None else self._answer(self.checker, position)
        if move is None:
            return Decision(position.legal_moves()[0], note=OUTSIDE)
        return Decision(move, value=1.0 if self.checker is not None and self.checker.win else 0.0)

    def _answer(self, checker: Checker, position: Position) -> int | None:
        own, opp = (_cells(self.game, stones) for stones in (position.own, position.opp))
        latest = (own | opp) & ~self.before
        if not self.before or latest.bit_count() != 1 or self.before & ~(own | opp):  # a new match
            stones = (1 << cell for cell in range(opp.bit_length()) if opp >> cell & 1)
            latest = next((stone for stone in stones if self._find_rule(checker, own, opp ^ stone)), 0)
        move = _known(checker, own, opp) if self.rule is None else self._by_rule(checker, self.rule, own, opp, latest)
        if move is None:
            return None
        own |= checker.moves(own | opp)[move]
        self.before = own | opp
        if self.rule is None:
            self._find_rule(checker, own, opp)
        return move

    def _find_rule(self, checker: Checker, own: int, opp: int) -> bool:
        """Set the rule that closes the position, or its mirror image; return True if there is one."""
        self.turned = (own, opp) not in checker.closed
        stones = (checker.mirrored(own), checker.mirrored(opp)) if self.turned else (own, opp)
        self.rule = checker.closed.get(stones)
        return self.rule is not None

    def _by_rule(self, checker: Checker, rule: int | dict[int, int], own: int, opp: int, latest: int) -> int:
        """Return the move of the rule: complete a line if possible, else follow up, play in the pair, or anywhere."""
        if self.turned:
            own, opp, latest = (checker.mirrored(stones) for stones in (own, opp, latest))
        by_cell = {cell: move for move, cell in checker.moves(own | opp).items()}
        if isinstance(rule, int):
            move = by_cell[checker.reply(own, opp, latest, rule)]
        else:
            pairs = {**rule, **{second: first for first, second in rule.items()}}
            wins = [move for cell, move in by_cell.items() if checker.completes(own, cell)]
            move = wins[0] if wins else by_cell.get(pairs.get(latest, 0), min(by_cell.values()))
        return _mirror_move(checker, move) if self.turned else move


_checked = lru_cache(maxsize=4)(check)
"""Verify a certificate, once per file."""


def _cells(game: Game, stones: int) -> int:
    """Convert stones to the checker's bits: row by row from the top left."""
    return sum(1 << cell for cell, bit in enumerate(game.cell_bits) if stones & bit)


def _known(checker: Checker, own: int, opp: int) -> int | None:
    """Return the strategy's answer in a position or in its mirror image."""
    move = checker.answers.get((own, opp))
    if move is None:
        image = checker.answers.get((checker.mirrored(own), checker.mirrored(opp)))
        move = None if image is None else _mirror_move(checker, image)
    return move


def _mirror_move(checker: Checker, move: int) -> int:
    """Return the mirror image of a move."""
    row, column = divmod(move, checker.columns)
    return row * checker.columns + checker.columns - 1 - column
