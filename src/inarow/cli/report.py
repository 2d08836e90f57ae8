"""inarow report: write the report of a study or of any store."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from inarow.cli.common import PdfOption, PngOption, note


def register(app: typer.Typer) -> None:
    """Add the command."""
    app.command(epilog="Example: inarow report league.db")(report)


def report(
    source: Annotated[
        Path,
        typer.Argument(
            metavar="STORE", help="A store that `tournament`, `sprt` or `league` wrote, or a study's folder."
        ),
    ],
    out: Annotated[
        Path | None,
        typer.Option(metavar="FOLDER", help="The folder for the report of a store.", show_default="STORE-report"),
    ] = None,
    pdf: PdfOption = False,
    png: PngOption = False,
    force: Annotated[bool, typer.Option("--force", help="Write into a folder that has other files in it.")] = False,
) -> None:
    """Write a report from stored results. The same store gives the same bytes.

    The page has standings with intervals, who beats whom, costs, figures and methods. Nothing is played.
    """
    from inarow.errors import InarowError
    from inarow.paths import is_folder
    from inarow.report.writing import Formats
    from inarow.studies import write_report
    from inarow.studies.store_report import write_store_report

    if is_folder(source):
        if out is not None:
            raise InarowError("the report of a study goes into its folder; leave --out out, or give its study.db")
        page = write_report(source, None, Formats(pdf, png), note)
    else:
        page = write_store_report(source, out, Formats(pdf, png), note, force=force)
    typer.echo(f"The report: {page}")
