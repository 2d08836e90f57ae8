"""How the learners of four reports choose their moves, as their programs do."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, NamedTuple

from inarow.agents.base import Decision, Mind
from inarow.agents.threat_guides import guided_move, heuristic
from inarow.limits import Limit
from inarow.models.report_table import ReportTable
from inarow.randomness import Stream
from inarow.rules import Position
from inarow.stopping import Stop

if TYPE_CHECKING:
    from inarow.agents.qlearning import QLearning

FAULTS: Mapping[str, str] = {
    "eighth-symmetry": "R1: one diagonal's board is paired with the other diagonal's move",
    "column-0": "column 0 is read as no move: R1's opponent ends an episode by it, R2's own is never learnt",
    "same-sign": "R1: in self-play what the other side can reach counts as if it were the mover's",
    "upper-rows": "R1: in the centre column upper rows weigh more",
    "threat-left": "R1: blocking is rewarded while the opponent still threatens",
    "skips": "R2: a win or a block leaves out the update of the move before it",
    "outright": "R2: a win or a block sets its value to 100 or 80",
    "no-end": "R2: the end of a game is not learnt, and its last move is updated in the next game",
    "tenths": "R3: exploration is rounded down to tenths",
    "terminal": "R4: every move but the last is learnt as if it had ended the game with 0",
}


class Choice(NamedTuple):
    """A move, and whether a rule forced it: a win or a block."""

    move: int
    rule: str = ""


def choose(table: ReportTable, settings: QLearning, position: Position, stream: Stream, epsilon: float) -> Choice:
    """The move that the report's program makes, exploring with chance ``epsilon``."""
    return _CHOOSE[table.report](table, settings, position, stream, epsilon)


def _r1(table: ReportTable, settings: QLearning, position: Position, stream: Stream, epsilon: float) -> Choice:
    """Explores before all else. With guides the lowest of equal columns; without, any of the equal moves."""
    moves = position.legal_moves()
    if epsilon and stream.uniform() < epsilon:
        return Choice(stream.choice(moves))
    if settings.guide == "none":
        return Choice(_best(table, position, stream))
    forced = guided_move(position)
    if forced is not None:
        return Choice(forced, "guide")
    row, advice = table.row(position), heuristic(position, table.faults)
    worth = {move: (1 - table.share) * row.get(move, 0.0) + table.share * advice[move] for move in moves}
    return Choice(max(moves, key=worth.__getitem__))


def _r2(table: ReportTable, settings: QLearning, position: Position, stream: Stream, epsilon: float) -> Choice:
    """Wins and blocks first, if so guided; explores mostly to the centre; of equal moves the first."""
    moves = position.legal_moves()
    if settings.guide == "rules":
        for rule, player in (("win", position.to_move), ("block", position.to_move.other)):
            urgent = position.winning_moves(player)
            if urgent:
                return Choice(urgent[0], rule)
    if epsilon and stream.uniform() < epsilon:
        centre = position.game.moves // 2
        if stream.uniform() < settings.centre and centre in moves:
            return Choice(centre)
        return Choice(stream.choice(moves))
    row = table.row(position)
    return Choice(max(moves, key=lambda move: row.get(move, 0.0)))


def _r3(table: ReportTable, settings: QLearning, position: Position, stream: Stream, epsilon: float) -> Choice:
    """The best tried move, the first tried of equals, or any in an unknown position; explores instead of it."""
    moves = position.legal_moves()
    row = table.row(position)
    if epsilon and stream.uniform() < epsilon:
        return Choice(stream.choice(moves))
    return Choice(max(row, key=row.__getitem__) if row else stream.choice(moves))


def _r4(table: ReportTable, settings: QLearning, position: Position, stream: Stream, epsilon: float) -> Choice:
    """Explores uniformly, and plays any of the equal moves."""
    if epsilon and stream.uniform() < epsilon:
        return Choice(stream.choice(position.legal_moves()))
    return Choice(_best(table, position, stream))


def _best(table: ReportTable, position: Position, stream: Stream) -> int:
    """One of the moves with the highest value; a move not tried has 0."""
    row, moves = table.row(position), position.legal_moves()
    values = [row.get(move, 0.0) for move in moves]
    most = max(values)
    return stream.choice([move for move, value in zip(moves, values, strict=True) if value == most])


_CHOOSE = {"r1": _r1, "r2": _r2, "r3": _r3, "r4": _r4}


class ReportMind(Mind):
    """A report's table at the board: it explores by ``noise``, and learns nothing."""

    def __init__(self, table: ReportTable, settings: QLearning, stream: Stream) -> None:
        self.table, self.settings, self.stream = table, settings, stream

    def think(self, position: Position, limit: Limit, stop: Stop | None) -> Decision:
        choice = choose(self.table, self.settings, position, self.stream, self.settings.noise)
        row = self.table.row(position)
        values = {move: row.get(move, 0.0) for move in position.legal_moves()}
        return Decision(
            choice.move,
            value=_bounded(values[choice.move]),
            values={move: _bounded(value) for move, value in values.items()},
            by_move={"q": values},
            depth=0,
            line=(choice.move,),
            details={"known": bool(row), "guided": bool(choice.rule)},
        )


def _bounded(value: float) -> float:
    return max(-1.0, min(1.0, value))
