"""Descriptions of the five reports (``about.toml`` in the package of each), and the command ``reproduce``."""

from __future__ import annotations

import tomllib
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import groupby
from operator import itemgetter
from pathlib import Path
from typing import Annotated

import typer

from inarow.cli.common import ClusterOption, WorkersOption

NAMES = ("r1", "r2", "r3", "r4", "r5")


@dataclass(frozen=True)
class Feature:
    """A feature of a report's program, and the commands that reproduce it."""

    what: str
    commands: Sequence[str]
    see: str = ""
    """A page of the docs with details, such as ``play.md``."""


@dataclass(frozen=True)
class PublishedFigure:
    """A published figure and its counterpart in the study."""

    number: str
    what: str
    keys: Sequence[str]
    """Keys of the study's figures that reproduce it."""
    published: str
    """The published values shown in the figure."""


@dataclass(frozen=True)
class Report:
    """Metadata of a report, read by `inarow reproduce`, the docs and the tests."""

    name: str
    title: str
    games: str
    algorithms: str
    about: str
    features: Sequence[tuple[str, Sequence[Feature]]]
    """Features grouped by heading: play, players, training, experiments."""
    figures: Sequence[PublishedFigure]
    differs: Sequence[str] = ()
    """What is different here, deliberately."""

    def commands(self) -> list[str]:
        """Return every command, in order."""
        return [command for _, features in self.features for one in features for command in one.commands]


def report(name: str) -> Report:
    """Return a report by its name, such as ``r1``."""
    found = tomllib.loads((Path(__file__).parent / name / "about.toml").read_text(encoding="utf-8"))
    features = [(one.pop("heading"), Feature(**one)) for one in found.pop("feature")]
    grouped = groupby(features, key=itemgetter(0))
    return Report(
        name=name,
        features=[(heading, [feature for _, feature in group]) for heading, group in grouped],
        figures=[PublishedFigure(**one) for one in found.pop("figure", [])],
        **found,
    )


def all_reports() -> list[Report]:
    """Return the five reports in order."""
    return [report(name) for name in NAMES]


def register(app: typer.Typer) -> None:
    """Add the command."""
    app.command(rich_help_panel="Study", epilog="Example: inarow reproduce r1 --run --out r1-quick")(reproduce)


def reproduce(
    name: Annotated[
        str | None, typer.Argument(metavar="[REPORT]", help="r1 … r5.", show_default="list the five")
    ] = None,
    out: Annotated[
        Path | None,
        typer.Option(
            "--out", "-o", metavar="FOLDER", help="With --run, the folder for the study.", show_default="REPORT"
        ),
    ] = None,
    run: Annotated[
        bool, typer.Option("--run", help="Run the report's study and write its page, tables and figures.")
    ] = False,
    scale: Annotated[str, typer.Option(metavar="quick|full", help="With --run, as in inarow study.")] = "quick",
    workers: WorkersOption = None,
    cluster: ClusterOption = None,
) -> None:
    """Show or run the reproduction of one of five reports; without a name, list them.

    Prints every published row with its verdict, and the command for each feature of the report.
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
            raise InarowError(f"--out is for --run: inarow reproduce {name} --run --out {out}")
        _show(name.lower())
        return
    chosen, folder = study(name.lower()), out or Path(name.lower())
    print_report(run_watched(chosen, folder, Plan(scale), workers=workers, cluster=cluster))


def _list() -> None:
    from inarow.cli.common import print_table, say
    from inarow.reproductions.assessment import RowStatus, assessed, counted

    reports = all_reports()
    rows = [(one.name, one.games, one.title) for one in reports]
    print_table("Five reports", ["name", "games", "about"], rows, numbers=False)
    counts = [(one.name, counted(assessed(one.name))) for one in reports]
    shown = [(name, *(found[verdict] for verdict in RowStatus)) for name, found in counts]
    print_table("Published rows by verdict", ["name", *map(str, RowStatus)], shown)
    say("Show one with its commands: inarow reproduce r1")


def _show(name: str) -> None:
    from inarow.cli.common import console, print_table, say
    from inarow.reproductions.assessment import MEANING, NOTE, assessed, judged_rows, summary_sentence

    one, screen, judgements = report(name), console(), assessed(name)
    judged = judged_rows({name: judgements})
    say(f"{one.name.upper()}: {one.title}.")
    say(f"Games: {one.games}. Algorithms: {one.algorithms}.")
    say(one.about)
    say(summary_sentence(one.name.upper(), judgements))
    screen.print()
    heads = ["row", judged.columns[2].name, "verdict", "shipped runs of the printed program; notes"]
    texts = [(row, value, verdict, f"{runs}; {notes}") for _, row, value, runs, _, verdict, notes in judged.texts()]
    print_table(judged.title, heads, [(*cells, text.removeprefix("–; ")) for *cells, text in texts], numbers=False)
    for verdict in dict.fromkeys(row.verdict for row in judgements):
        say(f"{str(verdict).capitalize()}: {MEANING[verdict]}")
    say(NOTE)
    for heading, features in one.features:
        say(f"\n{heading}")
        for feature in features:
            screen.print(f"  {feature.what}:", soft_wrap=not screen.is_terminal)
            for command in feature.commands:
                screen.print(f"    {command}", soft_wrap=True)
    if one.differs:
        say("\nDifferent here")
    for difference in one.differs:
        say(f"  {difference}")
    if one.figures:
        screen.print()
        rows = [(figure.number, figure.what, ", ".join(figure.keys), figure.published) for figure in one.figures]
        print_table(
            "Figures of the report and of the study",
            ["figure", "what", "in the study", "published values"],
            rows,
            numbers=False,
        )
