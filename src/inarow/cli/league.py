"""inarow league: a folder of agents handed in, checked, played, graded, and a site to post."""

from __future__ import annotations

import contextlib
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from inarow.cli.common import JsonOption, note, print_json, print_table, say
from inarow.cli.common import progress as progress_bar
from inarow.cli.external import AllowSolverOption, RequireSandboxOption, TrustOption, say_what_is_open
from inarow.cli.running import ClusterOption, WorkersOption

if TYPE_CHECKING:
    from inarow.league.settings import Settings
    from inarow.league.standings import Standing


def register(app: typer.Typer) -> None:
    """Add the command."""
    app.command(epilog="Example: inarow league hand-ins --out autumn")(league)


def league(
    folder: Annotated[Path, typer.Argument(metavar="FOLDER", help="The folder with a file or subfolder per entrant.")],
    out: Annotated[
        Path | None,
        typer.Option(
            metavar="FOLDER", help="The folder for the site, the marks and the store.", show_default="FOLDER-league"
        ),
    ] = None,
    config: Annotated[
        Path | None, typer.Option(help="Settings: boards, limits, ladder, grades.", show_default="FOLDER/league.toml")
    ] = None,
    roster: Annotated[
        Path | None, typer.Option(help="CSV with the columns file, name, group.", show_default="FOLDER/roster.csv")
    ] = None,
    workers: WorkersOption = None,
    cluster: ClusterOption = None,
    trust: TrustOption = False,
    require_sandbox: RequireSandboxOption = False,
    allow_solver: AllowSolverOption = False,
    as_json: JsonOption = False,
) -> None:
    """Check, play and grade the agents of a folder; write a site.

    Each plays against reference players and is graded by the points it gets. After files are added, changed or
    withdrawn, run it again: only new matches are played.
    """
    from inarow.agents.external.policy import Policy, using
    from inarow.league.entrants import ROSTER, SETTINGS, read_entrants
    from inarow.league.running import run_league
    from inarow.league.settings import Settings, read_settings
    from inarow.league.writing import league_json

    policy = Policy(trust, require_sandbox, allow_solver)
    config = config or _there(folder / SETTINGS)
    roster = roster or _there(folder / ROSTER)
    target = out or folder.resolve().with_name(f"{folder.resolve().name}-league")
    with using(policy):
        settings = read_settings(config) if config is not None else Settings()
    entrants = read_entrants(folder, roster, policy, besides=(target, *filter(None, (settings.starter,))))
    say_what_is_open(policy)
    try:
        with _watched() as watch:
            table = run_league(entrants, settings, target, workers=workers, cluster=cluster, watch=watch, note=note)
    except KeyboardInterrupt:
        note(f"interrupted; {target} keeps what is finished, run the same command to continue")
        raise typer.Exit(130) from None
    if as_json:
        print_json(league_json(table, settings, target))
    else:
        _print(table, settings, target)


def _there(path: Path) -> Path | None:
    return path if path.exists() else None


@contextlib.contextmanager
def _watched() -> Iterator[Callable[[str, int, int], None]]:
    """A progress bar for the step under way, on a terminal."""
    with progress_bar() as bar:
        task = bar.add_task("", total=None)

        def watch(what: str, done: int, total: int) -> None:
            bar.update(task, description=what, completed=done, total=total)

        yield watch


def _print(table: list[Standing], settings: Settings, target: Path) -> None:
    from inarow.formatting import counted, sentence, share
    from inarow.league.pages import points_text
    from inarow.league.writing import ALIKE, MARKS, SITE

    wide = len(str(max(one.rank for one in table)))
    rows = [
        (
            f"{one.rank:<{wide}}  {one.entrant.name}",
            points_text(one.points, one.mark.error),
            one.grade,
            one.near,
            share(one.ladder_score),
            share(one.accuracy.nontrivial_kept_rate),
        )
        for one in table
    ]
    print_table(
        settings.title, [f"{'#':<{wide}}  name", "points", "grade", "near", "score (95 %)", "accuracy (95 %)"], rows
    )
    for one in table:
        if one.problem:
            say(sentence(f"{one.entrant.name}: {one.problem}"))
    alike = (target / ALIKE).read_text(encoding="utf-8").splitlines()[1:]
    if alike:
        typer.echo(f"{counted(len(alike), 'pair', 'pairs')} of hand-ins that are alike: {target / ALIKE}")
    typer.echo(f"The site: {target / SITE / 'index.html'}\nThe marks: {target / MARKS}")
