"""inarow export: an agent as one file that plays in Kaggle's ConnectX, without inarow."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from inarow.cli.common import ForceOption, SeedOption, new_file


def register(app: typer.Typer) -> None:
    """Add the command."""
    app.command(epilog="Example: inarow export alphabeta:depth=6 --out submission.py")(export)


def export(
    spec: Annotated[str, typer.Argument(metavar="AGENT", help="alphabeta, minimax or ntuple, with parameters.")],
    out: Annotated[Path, typer.Option("--out", help="The file to write.")],
    game_name: Annotated[str, typer.Option("--game", help="A board on which stones fall.")] = "connect4",
    seed: SeedOption = 0,
    force: ForceOption = False,
) -> None:
    """Write an agent as one self-contained submission file for Kaggle's ConnectX.

    It decides as the agent does, in plain Python; a search stops in time, at the depth it has reached.
    """
    from inarow.adapters.kaggle import export_agent
    from inarow.agents import agent
    from inarow.rules import game

    board = game(game_name)
    text = export_agent(agent(spec), board, seed=seed)
    new_file(out, force).write_text(text, encoding="utf-8")
    typer.echo(f"{out}: {agent(spec).spec} for {board.title}, {len(text.encode()) / 1000:,.0f} kB")
    typer.echo(f"Try it:  inarow match {board.name} file:{out} random")
