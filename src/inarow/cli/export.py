"""inarow export: an agent as one file that plays in Kaggle's ConnectX, without inarow."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from inarow.cli.common import ForceOption, SeedOption, new_file, optional_game, say
from inarow.cli.external import one_agent


def register(app: typer.Typer) -> None:
    """Add the command."""
    app.command(epilog="Example: inarow export connect4 alphabeta:depth=6 --out submission.py")(export)


def export(
    words: Annotated[
        list[str],
        typer.Argument(
            metavar="[GAME] AGENT",
            help="A game with gravity, connect4 if none is given; alphabeta, minimax or ntuple, with parameters.",
        ),
    ],
    out: Annotated[Path, typer.Option("--out", help="The file to write.")],
    seed: SeedOption = 0,
    force: ForceOption = False,
) -> None:
    """Write an agent as one file for Kaggle's ConnectX.

    The file needs nothing else. It decides like the agent, in plain Python; a search stops when its time is up, at
    the depth it has reached.
    """
    from inarow.adapters.kaggle import export_agent
    from inarow.agents import agent
    from inarow.atomic import write_text
    from inarow.rules import game

    game_name, spec = optional_game(words, "AGENT")
    board = game(game_name)
    exported = agent(one_agent(spec))
    text = export_agent(exported, board, seed=seed)
    write_text(new_file(out, force), text)
    say(f"{out}: {exported.spec} for {board.title}, {len(text.encode()) / 1000:,.0f} kB.")
    say(f"Try it:  inarow match {board.name} file:{out} random")
