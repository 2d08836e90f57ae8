"""inarow help: the help page of a command."""

from __future__ import annotations

from typing import Annotated, Any

import typer

from inarow.errors import InarowError, unknown


def register(app: typer.Typer) -> None:
    """Add the command."""
    app.command(name="help", epilog="Example: inarow help match")(show_help)


def show_help(
    ctx: typer.Context,
    words: Annotated[
        list[str] | None, typer.Argument(metavar="[COMMAND]...", help="A command, such as match or model show.")
    ] = None,
) -> None:
    """Describe a command, or list all of them."""
    page: Any = ctx.find_root()
    for word in words or ():
        group = page.command
        command = group.get_command(page, word) if hasattr(group, "get_command") else None
        if command is None:
            names = group.list_commands(page) if hasattr(group, "list_commands") else []
            raise InarowError(unknown("command", word, names, "`inarow help` lists all commands."))
        page = command.make_context(word, [], parent=page, resilient_parsing=True)
    typer.echo(page.get_help())
