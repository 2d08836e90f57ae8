"""Calls of every public method of `Game` and `Position`, right and wrong; the file also runs as an agent's."""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Iterator
from functools import partial
from typing import Any

from inarow.rules import FIRST, Position, game, parse_move, parse_moves
from inarow.rules.counting import count_plies
from inarow.rules.notation import parse_drawing

GIVEN: dict[str, list[tuple[Any, ...]]] = {
    "check_usual": [("a test",)],
    "from_grid": [(game("4x4x3"), [[None] * 4] * 3), (game("4x4x3"), [[FIRST] * 4] * 4)],
    "move_of_bit": [(0,), (7,)],
    "move_of_cell": [(0,), (8,)],
    "play": [(0,), (99,), (-1,), ("3",), (True,), (None,)],
    "start": [(game("connect4"), (3, 3)), (game("connect4"), (3, 9)), (game("tictactoe"), (4, 4))],
    "stone": [(2,)],
    "why_illegal": [(0,), (99,), (0.5,)],
    "winning_moves": [(), (FIRST,), (9,)],
}
"""The arguments of methods that take some."""
LINES = {
    "connect4": ["", "4455", "1212121", "111111"],
    "tictactoe": ["", "51937", "123", "123547698"],
    "4x4x3-cylinder-misere": ["", "12"],
}


def names(kind: type) -> list[str]:
    """The public names of a class, and those by which it is shown."""
    return [name for name in dir(kind) if not name.startswith("_")] + ["__str__", "__repr__", "__hash__"]


def calls() -> Iterator[tuple[str, Callable[[], Any]]]:
    """Yield each call with its description."""
    boards = {name: game(name) for name in LINES}
    four, three = boards["connect4"], boards["tictactoe"]
    positions = [
        (f"{name} {line}", Position.start(boards[name], parse_moves(boards[name], line)))
        for name, lines in LINES.items()
        for line in lines
    ]
    for where, value in (*boards.items(), *positions):
        for name in (*names(type(value)), *(["_repr_svg_"] if isinstance(value, Position) else [])):
            for given in GIVEN.get(name, [()]):
                yield f"{where}: {name}{given}", partial(called, value, name, given)
    for function, board, texts in (
        (parse_moves, four, ("", "9", "11111111", "12121212", "x", "4,4")),
        (parse_move, four, ("0", "8", "two")),
        (parse_drawing, three, ("X..", "XXX/OOO/...", "X?./.../...", "XX./.../...")),
    ):
        for text in texts:
            yield f"{function.__name__}({text!r})", partial(function, board, text)
    for text in ("nonsense", "0x3x3", "3x3x9", "99x99x4", "3x9x4-cylinder"):
        yield f"game({text!r})", partial(game, text)
    yield "count_plies", lambda: list(count_plies(four, 3))


def called(owner: Any, name: str, given: tuple[Any, ...]) -> Any:
    """The value of an attribute, or the result of a method."""
    value = getattr(owner, name)
    result = value(*given) if callable(value) else value
    return list(result) if isinstance(result, Iterator) else result


def told(call: Callable[[], Any]) -> str:
    """What a call returns or raises."""
    try:
        return repr(call())
    except Exception as error:
        return f"{type(error).__name__}: {error}"


def answer(number: int) -> str:
    """A hash of what a call returns or raises; longer text can't leave the agent's process."""
    return hashlib.sha1(told(list(calls())[number][1]).encode()).hexdigest()
