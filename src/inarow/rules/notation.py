"""Parse and format moves and positions. Moves count from 1 in notation and from 0 in Python.

A game of at most nine moves is written as digits, ``4453``; a larger one always with commas, ``12,3,7``.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Set
from typing import SupportsIndex

from inarow.errors import InarowError, shown
from inarow.formatting import say
from inarow.rules.game import Game
from inarow.rules.position import FIRST, SECOND, BadPosition, IllegalMove, Player, Position, as_move

Moves = str | Iterable[SupportsIndex]
"""Moves in notation, counted from 1 (``"4455"``), or as ints, counted from 0."""


class NotationError(InarowError):
    """The notation is not a list of legal moves."""


def format_move(move: int, base: int = 1) -> str:
    """Format one move; numbers count from ``base``."""
    return str(move + base)


def separator(game: Game) -> str:
    """Return the separator of moves: empty, or a comma where a move may have two digits."""
    return "" if game.moves <= 9 else ","


def format_moves(game: Game, moves: Iterable[int], base: int = 1) -> str:
    """Format a list of moves; numbers count from ``base``."""
    return separator(game).join([format_move(move, base) for move in moves])


def parse_move(game: Game, text: str, base: int = 1) -> int:
    """Parse one move, which need not be legal in any position; numbers count from ``base``."""
    number, high = text.strip(), game.moves - 1 + base
    if not (number.isascii() and number.isdigit()) or not base <= int(number[:9]) <= high:
        kind = "no_column" if game.gravity else "no_cell"
        raise NotationError(say("notation", kind, piece=number, game=game.name, low=base, high=high))
    return int(number) - base


def parse_moves(game: Game, text: str) -> tuple[int, ...]:
    """Parse moves, and check that they are legal in sequence from the empty board."""
    moves: list[int] = []
    position = Position.start(game)
    for at, part in _parts(game, text):
        why = ""
        try:
            move = parse_move(game, part)
            position = position.play(move)
        except NotationError as error:
            why = str(error)
        except IllegalMove:
            why = position.why_illegal(move, base=1) or ""
        if why:
            where: dict[str, str | int] = {"text": text.strip(), "at": at + 1, "piece": part, "number": len(moves) + 1}
            raise NotationError(say("notation", "at", **where, why=why))
        moves.append(move)
    return tuple(moves)


def read_moves(game: Game, moves: Moves) -> tuple[int, ...]:
    """Return moves as ints. Legality is checked only for moves in notation."""
    if isinstance(moves, str):
        return parse_moves(game, moves)
    try:
        if isinstance(moves, bytes | Mapping | Set):
            raise TypeError
        return tuple(map(as_move, moves))
    except TypeError:
        raise NotationError(
            f"expected moves as a string that counts from 1, such as '4455', or as ints that count from 0, such as "
            f"[3, 3, 4, 4]; got {shown(moves)}"
        ) from None


def read_position(game: Game, moves: Moves) -> Position:
    """Return the position after moves, or of a drawing."""
    if isinstance(moves, str) and DRAWN.intersection(moves):
        return parse_drawing(game, moves)
    return Position.start(game, read_moves(game, moves))


def parse_continuation(game: Game, opening: str, moves: str) -> tuple[tuple[int, ...], tuple[int, ...]]:
    """Return the moves of an opening and those that follow it, checked to be legal in sequence."""
    before = parse_moves(game, opening)
    parts = [text for text in (opening, moves) if text.strip()]
    return before, parse_moves(game, separator(game).join(parts))[len(before) :]


def parse_position(game: Game, text: str) -> Position:
    """Return the position after moves in notation."""
    return Position.start(game, parse_moves(game, text))


def _parts(game: Game, text: str) -> list[tuple[int, str]]:
    """Split notation into moves, each with the index of its first character."""
    if game.moves <= 9:
        return [(at, character) for at, character in enumerate(text) if not character.isspace()]
    if not text.strip():
        return []
    pieces = []
    at = 0
    for piece in text.split(","):
        pieces.append((at + len(piece) - len(piece.lstrip()), piece.strip()))
        at += len(piece) + 1
    return pieces


_STONES: dict[str, Player | None] = {".": None, "_": None, "-": None, "X": FIRST, "x": FIRST, "O": SECOND, "o": SECOND}

DRAWN = frozenset(_STONES)
"""The characters that occur in drawings but not in moves."""


def parse_drawing(game: Game, text: str) -> Position:
    """Parse a drawing: rows from the top, X for the first player, O for the second, a dot for an empty cell."""
    rows = [row.split() if " " in row.strip() else list(row.strip()) for row in text.replace("/", "\n").splitlines()]
    grid = []
    for number, row in enumerate((row for row in rows if row), start=1):
        for column, stone in enumerate(row, start=1):
            if stone not in _STONES:
                raise BadPosition(say("notation", "no_stone", row=number, column=column, stone=stone))
        grid.append([_STONES[stone] for stone in row])
    return Position.from_grid(game, grid)
