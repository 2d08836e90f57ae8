"""inarow reproduce: what each of the five reports is, its commands, and its study."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from inarow.reproductions.about import NAMES


def register(app: typer.Typer) -> None:
    """Add the command."""
    app.command(rich_help_panel="Study", epilog="Example: inarow reproduce r1 --run r1-quick")(reproduce)


def reproduce(
    name: Annotated[
        str | None, typer.Argument(metavar="[REPORT]", help="r1 … r5.", show_default="list the five")
    ] = None,
    out: Annotated[
        Path | None,
        typer.Argument(metavar="[OUT]", help="With --run, the folder for the study.", show_default="REPORT"),
    ] = None,
    run: Annotated[
        bool, typer.Option("--run", help="Run the report's study and write its page, tables and figures.")
    ] = False,
    scale: Annotated[str, typer.Option(metavar="quick|full", help="With --run, as in inarow study.")] = "quick",
) -> None:
    """Show or run the reproduction of one of five reports; without a name, list them.

    It prints what the report is, and the commands for each of its features.
    """
    from inarow.cli.common import print_report
    from inarow.cli.study import run_watched
    from inarow.errors import InarowError, unknown
    from inarow.studies import Plan, study

    if name is None:
        _list()
        return
    if name.lower() not in NAMES:
        raise InarowError(unknown("report", name, NAMES, "`inarow reproduce` lists them."))
    if not run:
        if out is not None:
            raise InarowError(f"a folder is for --run: inarow reproduce {name} {out} --run")
        _show(name.lower())
        return
    print_report(run_watched(study(name.lower()), out or Path(name.lower()), Plan(scale)))


def _list() -> None:
    from inarow.cli.common import print_table, say
    from inarow.reproductions.about import all_reports
    from inarow.reproductions.assessment import Verdict, counted
    from inarow.reproductions.overview import assessed

    reports = all_reports()
    rows = [(one.name, one.games, one.title) for one in reports]
    print_table("Five reports", ["name", "games", "about"], rows, numbers=False)
    counts = [(one.name, counted(assessed(one.name))) for one in reports]
    shown = [(name, *(found[verdict] for verdict in Verdict)) for name, found in counts]
    print_table("Published rows by verdict", ["name", *map(str, Verdict)], shown)
    say("Show one with its commands: inarow reproduce r1")


def _show(name: str) -> None:
    from inarow.cli.common import console, print_table, say
    from inarow.reproductions.about import report
    from inarow.reproductions.assessment import summary_sentence
    from inarow.reproductions.overview import assessed

    one, screen = report(name), console()
    say(f"{one.name.upper()}: {one.title}.")
    say(f"Games: {one.games}. Algorithms: {one.algorithms}.")
    say(one.about)
    say(summary_sentence(one.name.upper(), assessed(name)))
    for heading, features in one.features:
        say(f"\n{heading}")
        for feature in features:
            screen.print(f"  {feature.what}:", soft_wrap=not screen.is_terminal)
            for command in feature.commands:
                screen.print(f"    {command}", soft_wrap=True)
    if one.figures:
        screen.print()
        rows = [(figure.number, figure.what, ", ".join(figure.keys), figure.published) for figure in one.figures]
        print_table(
            "Figures of the report and of the study",
            ["figure", "what", "in the study", "published values"],
            rows,
            numbers=False,
        )
