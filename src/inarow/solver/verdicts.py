"""Show the exact verdict of every move below its column on a board, or as a list if the board is too wide."""

from __future__ import annotations

from collections.abc import Mapping

from rich.text import Text

from inarow.drawing.text import LETTERS, Caption, cell_width, draw
from inarow.formatting import capitalised, listed
from inarow.rules import Position, format_move
from inarow.solver.analysis import Bounds, describe

_STYLES = {"win": "green", "draw": "cyan", "loss": "red"}


def verdict(position: Position, bounds: Bounds, weak: bool = False) -> str:
    """Return a move's proven verdict, such as ``win in 4 moves`` or ``draw``; without the number if it is unknown."""
    if bounds.solved and not weak:
        return describe(position, bounds.low)
    return bounds.verdict.name.lower() if bounds.decided else "open"


def best_moves(moves: Mapping[int, Bounds]) -> tuple[int, ...]:
    """Return the moves proven to be best; empty if that is undecided."""
    most = max(moves.values())
    if not most.solved or any(one.high > most.low for one in moves.values()):
        return ()
    return tuple(move for move, one in moves.items() if one == most)


def draw_verdicts(
    position: Position,
    moves: Mapping[int, Bounds],
    *,
    width: int,
    last: int | None = None,
    weak: bool = False,
    marks: Mapping[int, str] | None = None,
    stones: str = LETTERS,
    spacing: int = 0,
    base: int = 1,
) -> Text:
    """Draw the board with the verdict of every move, at most ``width`` wide, and mark the best ones.

    ``marks`` replaces the marks of some moves; numbers count from ``base``.
    """
    marks = dict.fromkeys(best_moves(moves), "best") if marks is None else marks
    words = {move: verdict(position, one, weak) for move, one in moves.items()}
    captions = {}
    for move, text in words.items():
        kind, *length = text.split(" ")[:3]
        lines = [kind, " ".join(length), *marks.get(move, "").split()]
        while not lines[-1]:
            lines.pop()
        captions[move] = Caption(tuple(lines), f"{_STYLES.get(kind, '')}{' bold' if move in marks else ''}".strip())
    if cell_width(position.game, captions) * position.game.columns <= width:
        return draw(position, last, captions, stones=stones, spacing=spacing, screen=width, base=base)
    drawn = draw(position, last, stones=stones, screen=width, base=base)
    for text in dict.fromkeys(words.values()):
        same = [
            format_move(move, base) + (f" ({marks[move]})" if move in marks else "")
            for move in moves
            if words[move] == text
        ]
        drawn.append(f"{capitalised(text)}: {listed(same)}.\n")
    return drawn
