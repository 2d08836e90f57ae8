"""inarow report: write the report of a study or of any store."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from inarow.cli.common import PdfOption, PngOption, note, print_report, waiting


def register(app: typer.Typer) -> None:
    """Add the command."""
    app.command(epilog="Example: inarow report league.db")(report)


def report(
    sources: Annotated[
        list[Path],
        typer.Argument(
            metavar="STORE...", help="Stores that `tournament`, `sprt` or `league` wrote, or one study's folder."
        ),
    ],
    out: Annotated[
        Path | None,
        typer.Option(metavar="FOLDER", help="The folder for the report of stores.", show_default="STORE-report"),
    ] = None,
    title: Annotated[
        str, typer.Option(metavar="TITLE", help="The title of the report.", show_default="the names of the stores")
    ] = "",
    accuracy: Annotated[
        bool, typer.Option(help="Grade the moves that were played by the exact solver; slow for thousands of matches.")
    ] = True,
    pdf: PdfOption = False,
    png: PngOption = False,
    force: Annotated[bool, typer.Option("--force", help="Write into a folder that has other files in it.")] = False,
) -> None:
    """Write a report from stored results. The same stores give the same bytes.

    The page has standings with intervals, head-to-head scores, accuracy, costs, figures and methods. Nothing is played.
    """
    from inarow.errors import InarowError
    from inarow.paths import is_folder
    from inarow.report.writing import Formats
    from inarow.studies import write_report
    from inarow.studies.store_report import write_store_report

    if any(is_folder(source) for source in sources):
        if out is not None or title or len(sources) > 1:
            raise InarowError(
                "the report of a study goes into its folder, alone and under its own title; give its study.db instead "
                "to choose --out or --title"
            )
        page = write_report(sources[0], None, Formats(pdf, png), note)
    else:
        with waiting("grading moves …"):
            page = write_store_report(
                sources, out, Formats(pdf, png), note, force=force, title=title, accuracy=accuracy
            )
    print_report(page)
