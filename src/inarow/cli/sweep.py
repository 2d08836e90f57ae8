"""inarow sweep: vary parameters of an agent, and measure strength, accuracy and cost."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from inarow.cli.common import GameArgument, PdfOption, PngOption, SeedOption, print_report, print_table
from inarow.cli.running import ClusterOption, WorkersOption
from inarow.cli.study import run_watched
from inarow.limits import MOST_MATCHES


def register(app: typer.Typer) -> None:
    """Add the command."""
    app.command(epilog="Example: inarow sweep connect4 'alphabeta:depth={2..6}'")(sweep)


def sweep(
    game_name: GameArgument,
    spec: Annotated[
        str,
        typer.Argument(metavar="AGENT", help="An agent with values in braces: {2..8}, {2..8..2} or {1,10,100}."),
    ],
    against: Annotated[
        list[str] | None,
        typer.Option(metavar="AGENT", help="Opponent; may be repeated.", show_default="mcts:simulations=500"),
    ] = None,
    pairs: Annotated[int, typer.Option(min=1, max=MOST_MATCHES, help="Pairs of matches against each opponent.")] = 50,
    out: Annotated[
        Path | None,
        typer.Option(metavar="FOLDER", help="The folder for the report and the store.", show_default="sweep"),
    ] = None,
    seed: SeedOption = 0,
    workers: WorkersOption = None,
    cluster: ClusterOption = None,
    resume: Annotated[bool, typer.Option("--resume", help="Resume the sweep in the folder.")] = False,
    force: Annotated[bool, typer.Option("--force", help="Delete what is in the folder and start again.")] = False,
    pdf: PdfOption = False,
    png: PngOption = False,
) -> None:
    """Vary parameters of an agent: strength, accuracy, nodes, time.

    Several braces make a grid. The folder has the table, figures and a report.
    """
    from inarow.arena import Store
    from inarow.report.writing import Formats
    from inarow.studies import Plan, StudyResults
    from inarow.studies.framework.running import STORE
    from inarow.studies.sweep import AGAINST, Sweep

    study = Sweep(game_name, spec, against or AGAINST, pairs)
    folder = out or Path(study.name)
    page = run_watched(
        study, folder, Plan(seed=seed), workers=workers, cluster=cluster, resume=resume, force=force,
        formats=Formats(pdf, png),
    )  # fmt: skip
    with Store.read(folder / STORE, checked=False) as store:
        made = study.table(StudyResults(store))
    print_table(made.title, [column.name for column in made.columns], made.texts())
    for line in made.footnotes():
        typer.echo(line)
    print_report(page)
