"""inarow report: rewrite a study's report from its store."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer


def register(app: typer.Typer) -> None:
    """Add the command."""
    app.command(epilog="Example: inarow report my-comparison")(report)


def report(folder: Annotated[Path, typer.Argument(metavar="DIR", help="The folder of a study.")]) -> None:
    """Rewrite a study's report from its store. The same store gives the same bytes."""
    from inarow.studies import write_report

    typer.echo(f"The report: {write_report(folder)}")
