"""How few nodes a handed-in search needs on solved positions, counted outside of its process."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict, dataclass
from typing import Any

from inarow.rules import TICTACTOE
from inarow.teaching.assignment.exercise import Solved, board_of, drawn
from inarow.teaching.assignment.grading import Searched, searched, suspect
from inarow.teaching.assignment.served_game import least_plays, minimax_nodes
from inarow.teaching.assignment.session import Session, Stopped, Student, Trouble
from inarow.teaching.assignment.student_side import CS50

COUNTED = {
    "alphabeta": "moves played on the game object it was handed",
    "minimax": "moves played on the game object it was handed",
    CS50: "calls of its own function result",
}
"""What is counted as a node, by the kind of file."""


@dataclass(frozen=True)
class Efficiency:
    """What a search needed beside plain minimax on the same positions."""

    kind: str
    right: int
    total: int
    nodes: int
    plain: int
    """Nodes of plain minimax."""
    complaint: str = ""

    @property
    def saved(self) -> float:
        """The share of plain minimax's nodes that was not needed; 0 unless all answers are right."""
        if self.right < self.total or not self.plain:
            return 0.0
        return max(0.0, 1 - self.nodes / self.plain)

    def to_json(self) -> dict[str, Any]:
        """For a store."""
        return asdict(self)


def measure(student: Student, positions: Sequence[Solved], seed: int) -> Efficiency | None:
    """The nodes of a file on positions of one board; None if its kind can't be counted there."""
    try:
        with student.at_work() as session:
            kind = session.kind()
    except Trouble:
        return None
    if kind == CS50 and positions[0].position.game == TICTACTOE:
        return _found(kind, _cs50(student, positions))
    if kind in COUNTED and kind != CS50:
        return _found(kind, searched(student, positions, kind, seed))
    return None


def _found(kind: str, tally: Searched) -> Efficiency:
    return Efficiency(kind, tally.right, tally.total, tally.plays, tally.plain, tally.complaint)


def _cs50(student: Student, positions: Sequence[Solved]) -> Searched:
    tally = Searched(len(positions))
    try:
        with student.at_work() as session:
            for one in positions:
                tally.plain += minimax_nodes(one.position)
                _ask_cs50(session, one, tally)
    except Stopped as trouble:
        tally.wrong(trouble)
    return tally


def _ask_cs50(session: Session, one: Solved, tally: Searched) -> None:
    board = [[None if cell == "." else cell for cell in row] for row in board_of(one.position)]
    try:
        found, calls = session.count_calls("minimax", [board], "result")
    except Stopped:
        raise
    except Trouble as trouble:
        tally.wrong(trouble)
        return
    tally.plays += calls
    least = least_plays(one.position, one.value)
    match found:
        case [int() as row, int() as column] if row * 3 + column in one.best:
            if calls >= least:
                tally.right += 1
            else:
                tally.wrong(suspect("minimax", calls, "result", least), f"for this position:\n{drawn(one.position)}")
        case _:
            where = f"which is not a best move of this position:\n{drawn(one.position)}"
            tally.wrong(session.wrong("minimax", found, where))
