"""``inarow.watch``: a search or a match as an animation, for a notebook or a file."""

from __future__ import annotations

from typing import Any, overload

from inarow.agents import Agent
from inarow.api import Moves, position_and_agent
from inarow.drawing.animation import Animation, Frame, Text, board_shapes, checked_theme
from inarow.limits import USUAL_EVENTS
from inarow.match import MatchRecord
from inarow.rules import Game, Position, format_move
from inarow.stopping import stop_on_interrupt

CELL = 44
"""The side of a cell in the animation of a match, in pixels."""


@overload
def watch(record: MatchRecord, /, *, theme: str = ..., seconds: float = ...) -> Animation: ...
@overload
def watch(
    position: Position,
    agent: Agent | str,
    /,
    *,
    steps: range | None = ...,
    seed: int = ...,
    theme: str = ...,
    seconds: float = ...,
) -> Animation: ...
@overload
def watch(
    game: Game | str,
    moves: Moves | Position,
    agent: Agent | str,
    /,
    *,
    steps: range | None = ...,
    seed: int = ...,
    theme: str = ...,
    seconds: float = ...,
) -> Animation: ...
def watch(
    given: Any,
    moves: Any = None,
    by: Any = None,
    /,
    *,
    steps: range | None = None,
    seed: int = 0,
    theme: str = "light",
    seconds: float = 1.0,
) -> Animation:
    """Animate a search, ``watch("connect4", "4455", "alphabeta:depth=3")``, or a match, ``watch(record)``.

    Of a search ``steps`` are shown, counted from 0, by default the first 60. A frame stays for ``seconds``; the theme
    is ``light`` or ``dark``. The animation has `frame`, `svg`, `gif` and `save`, and a notebook shows it.
    """
    from inarow.tracing import trace
    from inarow.tracing.film import film

    stop_on_interrupt()
    if isinstance(given, MatchRecord):
        return _match(given, theme, seconds)
    where, searcher = position_and_agent("watch", given, moves, by)
    most = USUAL_EVENTS if steps is None else max(1, max(steps, default=0) + 1)
    return film(trace(where, searcher, events=most, seed=seed), steps, theme, seconds)


def _match(record: MatchRecord, theme: str, seconds: float) -> Animation:
    """Animate a match move by move."""
    colours = checked_theme(theme, seconds)
    game = record.game
    width, height = max(360, (game.columns + 1) * CELL), (game.rows + 1) * CELL + 50
    left = (width - game.columns * CELL) / 2
    at, frames, caption = Position.start(game), list[Frame](), "the start"
    last: int | None = None
    for index in range(len(record.all_moves) + 1):
        shapes = [Text(width / 2, 26, caption, 16, colours.text), *board_shapes(at, left, 44, CELL, colours, last)]
        frames.append(Frame(shapes, caption))
        if index == len(record.all_moves):
            break
        last = record.all_moves[index]
        caption = f"move {index + 1}: {'XO'[at.to_move]} {format_move(last)}"
        at = at.play(last)
        caption += f", {at.result_text()}" if at.outcome() is not None else ""
    return Animation(f"{record.first} against {record.second}", frames, width, height, colours.back, seconds)
