"""inarow show: the position that a list of moves leads to."""

from __future__ import annotations

from typing import Annotated

import typer

from inarow.cli.common import GameArgument, JsonOption, console, print_json


def register(app: typer.Typer) -> None:
    """Add the command."""
    app.command(epilog="Example: inarow show connect4 4453")(show)


def show(
    game_name: GameArgument,
    moves: Annotated[
        str,
        typer.Argument(metavar="[MOVES]", help="Moves, counted from 1: 4453; on wider boards with commas: 12,3,7."),
    ] = "",
    drawing: Annotated[
        str | None,
        typer.Option(
            "--drawing",
            metavar="DRAWING",
            help="A drawing instead of moves: rows of X, O and dots, from the top, with / between.",
        ),
    ] = None,
    as_json: JsonOption = False,
) -> None:
    """Draw a position; say whose turn it is, or how it ended."""
    from inarow.drawing.text import draw
    from inarow.errors import InarowError
    from inarow.rules import format_move, format_moves, game, parse_moves
    from inarow.rules.notation import parse_drawing
    from inarow.rules.position import Position, draw_row

    board = game(game_name)
    if drawing is not None and moves:
        raise InarowError("give moves or --drawing, not both")
    line = parse_moves(board, moves)
    position = Position.start(board, line) if drawing is None else parse_drawing(board, drawing)
    outcome = position.outcome()
    if as_json:
        print_json(
            {
                "game": board.name,
                "moves": format_moves(board, line) if drawing is None else None,
                "ply": position.ply,
                "to_move": None if outcome else position.to_move.name.lower(),
                "legal": list(position.legal_moves()),
                "result": None
                if outcome is None
                else (outcome.winner.name.lower() if outcome.winner is not None else "draw"),
                "winning_cells": list(position.winning_cells()),
                "rows": [draw_row(row) for row in position.grid()],
                "key": str(position.key()),
                "canonical_key": str(position.canonical_key()),
            }
        )
        return
    screen = console()
    screen.print(draw(position, last=line[-1] if line else None, screen=screen.width))
    if outcome is not None:
        screen.print(f"{position.result_text()} after {position.ply} moves".capitalize() + ".")
        return
    legal = ", ".join(format_move(move) for move in position.legal_moves())
    screen.print(f"{position.to_move.name.capitalize()} player ({'XO'[position.to_move]}) to move. Legal: {legal}.")
