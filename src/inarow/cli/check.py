"""inarow check: try out an agent in a file before it plays."""

from __future__ import annotations

from typing import Annotated

import typer

from inarow.cli.common import GameArgument, JsonOption, print_json, print_table
from inarow.formatting import duration


def register(app: typer.Typer) -> None:
    """Add the command."""
    app.command(epilog="Example: inarow check my_agent.py connect4")(check)


def check(
    path: Annotated[str, typer.Argument(metavar="FILE", help="A Python file with an agent.")],
    game_name: GameArgument = "connect4",
    seconds: Annotated[float | None, typer.Option(help="Seconds per decision; exceeding it is a fault.")] = None,
    as_json: JsonOption = False,
) -> None:
    """Load an agent from a file, ask it for moves in many kinds of positions, and report what is wrong."""
    from inarow.agents import Limit
    from inarow.agents.file import File
    from inarow.match.checking import check_agent
    from inarow.rules import format_move, game

    board = game(game_name)
    agent = File(path.removeprefix("file:"))
    checks = list(check_agent(agent, board, Limit(seconds=seconds)))
    bad = [check for check in checks if check.fault]
    if as_json:
        rows = [{"position": c.kind, "moves": c.moves, "fault": c.fault, "answer": c.answer} for c in checks]
        print_json({"file": path, "sha256": agent.digest, "game": board.name, "checks": rows, "faults": len(bad)})
    else:
        table = [
            (
                c.kind,
                c.moves or "–",
                "–" if c.answer is None else format_move(c.answer),
                "–" if c.fault else duration(c.seconds),
                c.fault or "fine",
            )
            for c in checks
        ]
        print_table(
            f"{path} at {board.title}", ["position", "moves", "answer", "time", "verdict"], table, numbers=False
        )
        if bad:
            typer.echo(f"{len(bad)} of {len(checks)} positions ended in a fault; in a match each would be a loss.")
        else:
            slowest = max(c.seconds for c in checks)
            typer.echo(
                f"All {len(checks)} positions were answered with a legal move, the slowest in {duration(slowest)}."
            )
    if bad:
        raise typer.Exit(1)
