"""inarow trace: every step of a search, as JSON lines."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Annotated

import typer

from inarow.cli.common import ForceOption, GameArgument, SeedOption, new_file, note, say
from inarow.cli.external import one_agent
from inarow.limits import MOST_EVENTS, USUAL_EVENTS


def register(app: typer.Typer) -> None:
    """Add the command."""
    app.command(epilog="Example: inarow trace tictactoe 159 alphabeta:depth=3 --out steps.jsonl")(trace)


def trace(
    game_name: GameArgument,
    words: Annotated[
        list[str],
        typer.Argument(
            metavar="[MOVES] AGENT",
            help="Moves counted from 1, none for the empty board; then minimax, alphabeta or mcts, with parameters.",
        ),
    ],
    limit: Annotated[
        int, typer.Option("--limit", min=1, max=MOST_EVENTS, help="Most events to record.")
    ] = USUAL_EVENTS,
    out: Annotated[Path | None, typer.Option("--out", help="A file to write instead of standard output.")] = None,
    seed: SeedOption = 0,
    force: ForceOption = False,
) -> None:
    """Write the steps of a search as JSON lines.

    The first line describes the search. Every other line is an event: a node entered with its window, a leaf, a cut-off
    with the reason, a value returned; of MCTS a selection, an expansion, a roll-out, a back-up.
    """
    from inarow.agents import agent
    from inarow.atomic import text_writer
    from inarow.errors import InarowError
    from inarow.rules import game
    from inarow.rules.notation import parse_position
    from inarow.tracing import trace as record
    from inarow.tracing.words import json_lines

    if len(words) > 2:
        raise InarowError(f"{len(words)} arguments follow the game ({' '.join(words)}); give [MOVES] AGENT")
    position = parse_position(game(game_name), words[0] if len(words) == 2 else "")
    path = None if out is None else new_file(out, force)
    found = record(position, agent(one_agent(words[-1])), events=limit, seed=seed)
    if path is None:
        for line in json_lines(found):
            sys.stdout.write(f"{line}\n")
    else:
        with text_writer(path) as file:
            file.writelines(f"{line}\n" for line in json_lines(found))
        say(f"{path}: {len(found):,} events of {found.agent}, {found.nodes:,} nodes.")
    if found.truncated:
        note(f"truncated after {found.truncated}: the search goes on, and is not shown; --limit sets how many events")
