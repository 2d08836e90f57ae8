"""Positions in the notations of other projects, both ways."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass

from inarow.errors import InarowError, unknown
from inarow.paths import parse_json
from inarow.rules import FIRST, SECOND, Game, NotationError, Player, Position, format_moves, parse_moves
from inarow.rules.notation import parse_drawing
from inarow.rules.position import draw_row


@dataclass(frozen=True)
class NotatedPosition:
    """A position with the extra data of its format: the moves, the exact score, or the winner."""

    position: Position
    moves: tuple[int, ...] | None = None
    score: int | None = None
    """For the side to move."""
    verdict: int | None = None
    """1, 0 or −1 for the side to move."""

    @property
    def known_verdict(self) -> int | None:
        """The verdict, by the score if there is one."""
        return self.verdict if self.score is None else (self.score > 0) - (self.score < 0)

    def line(self) -> tuple[int, ...]:
        """Return the moves, or one order of moves that leads to the position."""
        if self.moves is not None:
            return self.moves
        moves = self.position.history()
        if moves is None:
            raise NotationError(f"no order of moves leads to {self.position!r}")
        return moves


@dataclass(frozen=True)
class Notation:
    """A format for one position on one line."""

    name: str
    summary: str
    parse: Callable[[Game, str], NotatedPosition]
    write: Callable[[NotatedPosition], str]


def _of_moves(game: Game, text: str) -> NotatedPosition:
    moves = parse_moves(game, text)
    return NotatedPosition(Position.start(game, moves), moves)


def _to_moves(entry: NotatedPosition) -> str:
    return format_moves(entry.position.game, entry.line())


def _of_pons(game: Game, text: str) -> NotatedPosition:
    moves, _, rest = text.strip().partition(" ")
    entry = _of_moves(game, moves)
    if not rest.strip():
        return entry
    try:
        score = int(rest)
    except ValueError:
        raise NotationError(f"{rest.strip()!r} is not a score; write moves, a space, and an integer") from None
    return NotatedPosition(entry.position, entry.moves, score)


def _to_pons(entry: NotatedPosition) -> str:
    return _to_moves(entry) + ("" if entry.score is None else f" {entry.score}")


def _of_zero(game: Game, text: str) -> NotatedPosition:
    digits = re.split(r"[,\s]+", text.strip()) if re.search(r"[,\s]", text.strip()) or game.moves > 10 else list(text)
    numbers = [part for part in digits if part.strip()]
    moves: list[int] = []
    position = Position.start(game)
    for at, part in enumerate(numbers, start=1):
        if not (part.isascii() and part.isdigit()) or str(int(part[:9])) != part or int(part) >= game.moves:
            raise NotationError(f"move {at}, {part!r}, is not a move of {game} from 0 to {game.moves - 1}")
        try:
            position = position.play(int(part))
        except InarowError as error:
            raise NotationError(f"move {at}, {part} counted from 0: {error}") from None
        moves.append(int(part))
    return NotatedPosition(position, tuple(moves))


def _to_zero(entry: NotatedPosition) -> str:
    return ("" if entry.position.game.moves <= 10 else ",").join(map(str, entry.line()))


_UCI_STONES: dict[str, Player | None] = {"b": None, "x": FIRST, "o": SECOND}
_UCI_CLASSES = {"win": 1, "draw": 0, "loss": -1}


def _of_uci(game: Game, text: str) -> NotatedPosition:
    parts = [part.strip() for part in text.strip().split(",")]
    result = parts.pop() if len(parts) == game.cells + 1 else None
    if len(parts) != game.cells:
        raise NotationError(
            f"{len(parts)} cells; a row of {game} has {game.cells}, column by column from the bottom left, "
            "and optionally win, loss or draw"
        )
    if result is not None and result not in _UCI_CLASSES:
        raise NotationError(f"{result!r} is not a result; write win, loss or draw, for the first player")
    grid: list[list[Player | None]] = [[None] * game.columns for _ in range(game.rows)]
    for at, part in enumerate(parts):
        if part not in _UCI_STONES:
            raise NotationError(f"cell {at + 1} is {part!r}, expected b, x or o")
        column, height = divmod(at, game.rows)
        grid[game.rows - 1 - height][column] = _UCI_STONES[part]
    position = Position.from_grid(game, grid)
    if result is None:
        return NotatedPosition(position)
    sign = 1 if position.to_move is FIRST else -1
    return NotatedPosition(position, verdict=sign * _UCI_CLASSES[result])


def _to_uci(entry: NotatedPosition) -> str:
    game, grid = entry.position.game, entry.position.grid()
    letters = {stone: letter for letter, stone in _UCI_STONES.items()}
    cells = [
        letters[grid[game.rows - 1 - height][column]] for column in range(game.columns) for height in range(game.rows)
    ]
    if (verdict := entry.known_verdict) is not None:
        words = {value: word for word, value in _UCI_CLASSES.items()}
        cells.append(words[verdict if entry.position.to_move is FIRST else -verdict])
    return ",".join(cells)


def _of_kaggle(game: Game, text: str) -> NotatedPosition:
    body = text.strip()
    if not body.startswith("["):
        body = "[" + ",".join(re.split(r"[,\s]+", body)) + "]"
    try:
        cells = parse_json(body)
    except json.JSONDecodeError as error:
        raise NotationError(f"not a list of numbers ({error.msg}); it may be cut short") from None
    except (ValueError, RecursionError):  # a number with thousands of digits, or deep nesting
        raise NotationError("not a list of numbers that can be read") from None
    return NotatedPosition(board_position(game, cells))


def board_position(game: Game, cells: Sequence[int]) -> Position:
    """Return the position of a ConnectX board: row by row from the top left, 0 empty, 1 and 2 the players."""
    if len(cells) != game.cells:
        raise NotationError(f"{len(cells)} cells; a board of {game} has {game.cells}, row by row from the top left")
    for at, cell in enumerate(cells):
        if isinstance(cell, bool) or cell not in (0, 1, 2):
            raise NotationError(f"cell {at + 1} is {cell!r}; 0 is empty, 1 the first player, 2 the second")
    stones = [None if cell == 0 else Player(cell - 1) for cell in cells]
    return Position.from_grid(game, [stones[at : at + game.columns] for at in range(0, game.cells, game.columns)])


def board_cells(position: Position) -> list[int]:
    """Return the ConnectX board of a position."""
    return [0 if stone is None else int(stone) + 1 for row in position.grid() for stone in row]


FORMATS = {
    each.name: each
    for each in (
        Notation("moves", "moves counted from 1, such as 4453", _of_moves, _to_moves),
        Notation(
            "pons", "Pascal Pons's test files: moves counted from 1, a space, the exact score", _of_pons, _to_pons
        ),
        Notation("zero", "moves counted from 0, such as 3342 or 3,3,4,2 (OpenSpiel, Kaggle)", _of_zero, _to_zero),
        Notation(
            "uci",
            "the UCI connect-4 data: b, x, o column by column from the bottom left, then win, loss or draw for x",
            _of_uci,
            _to_uci,
        ),
        Notation(
            "kaggle",
            "ConnectX boards: [0, 1, 2, …] row by row from the top left",
            _of_kaggle,
            lambda entry: json.dumps(board_cells(entry.position)),
        ),
        Notation(
            "drawing",
            "rows from the top with a slash between, X first, O second, a dot for empty",
            lambda game, text: NotatedPosition(parse_drawing(game, text)),
            lambda entry: "/".join(draw_row(row) for row in entry.position.grid()),
        ),
    )
}


def notation(name: str) -> Notation:
    """Return the format of this name. Raises NotationError if it is unknown."""
    if name not in FORMATS:
        raise NotationError(unknown("format", name, FORMATS))
    return FORMATS[name]


def convert(game: Game, text: str, source: str, target: str) -> str:
    """Convert one position from one format to another."""
    return notation(target).write(notation(source).parse(game, text))
