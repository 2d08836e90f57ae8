"""A teacher's expected moves and values, verified by the exact solver: correct? unique?

The file is CSV with the columns ``game``, ``moves`` (from the empty board), and ``best`` or ``value`` or both. ``best``
holds one move or several with spaces between them, counted from 1; ``value`` is win, draw or loss for the side to move.
"""

from __future__ import annotations

import csv
import io
from collections.abc import Sequence
from dataclasses import asdict, dataclass
from functools import cache
from pathlib import Path
from typing import Any

from inarow.errors import InarowError, printable
from inarow.limits import Limit
from inarow.paths import read_text
from inarow.rules import Game, format_move
from inarow.rules import game as board_of
from inarow.rules.notation import parse_position
from inarow.solver import Oracle, Unsolved, Verdict

COLUMNS = ("game", "moves", "best", "value")
VALUES = {verdict.name.lower(): verdict for verdict in Verdict}
NODES = 200_000_000
"""For one position; what is not solved by then is reported as unverified."""


class ExpectedError(InarowError):
    """A file of expected moves that can't be read."""


@dataclass(frozen=True)
class LineFinding:
    """What is to be said about one line of the file."""

    line: int
    position: str
    finding: str
    """``right``, ``wrong``, ``not unique`` or ``unverified``."""
    text: str

    def to_json(self) -> dict[str, Any]:
        """Return it as JSON has it."""
        return asdict(self)


@cache
def _oracle(board: Game) -> Oracle:
    return Oracle(board)


def check_expected(path: Path) -> list[LineFinding]:
    """Verify every line of a file. Raises `ExpectedError` that names the line that can't be read."""
    reader = csv.DictReader(io.StringIO(read_text(path, ExpectedError)), strict=True, skipinitialspace=True)
    found = []
    try:
        head = [name.strip().lower() for name in reader.fieldnames or ()]
        missing = [name for name in COLUMNS[:2] if name not in head]
        if missing or not {*COLUMNS[2:]} & {*head}:
            raise ExpectedError(
                f"{path} has the columns {', '.join(head) or 'nothing'}; game, moves, and best or value were expected"
            )
        reader.fieldnames = head
        for row in reader:
            cells = {name: (row.get(name) or "").strip() for name in COLUMNS}
            try:
                found.append(_check(reader.line_num, **cells))
            except InarowError as error:
                raise ExpectedError(f"{path}, line {reader.line_num}: {error}") from None
    except csv.Error as error:
        raise ExpectedError(f"{path}, line {max(1, reader.line_num)}: {error}") from None
    if not found:
        raise ExpectedError(f"{path} has no line with an expected move or value")
    return found


def _check(line: int, game: str, moves: str, best: str, value: str) -> LineFinding:
    board = board_of(game)
    position = parse_position(board, moves)
    where = f"{board.name} {moves or 'empty board'}"
    if position.outcome() is not None:
        raise ExpectedError(f"the game is over after {moves}")
    if not best and not value:
        raise ExpectedError("no move and no value is given; fill in best or value")
    if value and value.lower() not in VALUES:
        raise ExpectedError(f"value {printable(value)!r}: win, draw or loss was expected")
    claimed = [_move(word, position.legal_moves()) for word in best.split()]
    try:
        scores = _oracle(board).scores(position, Limit(nodes=NODES))
    except Unsolved:
        return LineFinding(line, where, "unverified", f"it was not solved within {NODES:,} nodes")
    exact = Verdict.of(max(scores.values()))
    if value and VALUES[value.lower()] is not exact:
        return LineFinding(line, where, "wrong", f"the value is {exact.name.lower()}, not {value.lower()}")
    equal = [move for move, score in scores.items() if Verdict.of(score) is exact]
    bad = [move for move in claimed if move not in equal]
    if bad:
        return LineFinding(
            line, where, "wrong", f"{_shown(bad)} does not keep the {_kept(exact)}; best: {_shown(equal)}"
        )
    others = [move for move in equal if move not in claimed]
    if claimed and others:
        said = f"{_shown(others)} {'keeps' if len(others) == 1 else 'keep'} the {_kept(exact)} as well"
        fastest = [move for move in equal if scores[move] == max(scores.values())]
        if exact is not Verdict.DRAW and fastest == claimed:
            said += f"; {_shown(claimed)} is unique only as the {'fastest win' if exact > 0 else 'longest defence'}"
        return LineFinding(line, where, "not unique", said)
    return LineFinding(line, where, "right", f"{exact.name.lower()}, best: {_shown(equal)}")


def _kept(value: Verdict) -> str:
    return "loss (every move loses)" if value is Verdict.LOSS else value.name.lower()


def _shown(moves: Sequence[int]) -> str:
    return ", ".join(map(format_move, moves))


def _move(word: str, legal: Sequence[int]) -> int:
    move = int(word) - 1 if word.isascii() and word.isdigit() and len(word) < 5 else -1
    if move not in legal:
        raise ExpectedError(f"best move {printable(word)!r} is not legal there; legal: {_shown(legal)}")
    return move
