"""The command ``league``: check, play and grade a folder of submissions."""

from __future__ import annotations

import contextlib
import threading
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from inarow.cli.common import (
    AllowSolverOption,
    ClusterOption,
    JsonOption,
    RequireSandboxOption,
    TrustOption,
    WorkersOption,
    note,
    print_json,
    print_table,
    say,
    say_what_is_open,
)
from inarow.cli.common import progress as progress_bar
from inarow.cli.pages import command
from inarow.errors import HostFailure

if TYPE_CHECKING:
    from inarow.teaching.league.entrants import Entrant
    from inarow.teaching.league.settings import LeagueSettings
    from inarow.teaching.league.standings import EntrantResult


LINE_SECONDS = 20.0
"""Interval between progress lines in a pipe."""


@command("inarow league hand-ins --out autumn")
def league(
    folder: Annotated[
        Path | None, typer.Argument(metavar="FOLDER", help="Folder of submissions: one file or subfolder per entrant.")
    ] = None,
    out: Annotated[
        Path | None,
        typer.Option(
            metavar="FOLDER", help="Folder for the site, the marks and the store.", show_default="FOLDER-league"
        ),
    ] = None,
    config: Annotated[
        Path | None,
        typer.Option(help="Settings file: boards, limits, ladder, grades.", show_default="league.toml next to FOLDER"),
    ] = None,
    roster: Annotated[
        Path | None,
        typer.Option(help="CSV with students and teams.", show_default="roster.csv next to FOLDER"),
    ] = None,
    preview: Annotated[
        Path | None, typer.Option(metavar="FILE", help="Check and grade one submission, as the league would.")
    ] = None,
    regrade: Annotated[
        str,
        typer.Option(
            metavar="NAME", help="Play one entrant's matches again and explain every point.", show_default=False
        ),
    ] = "",
    forget: Annotated[
        str, typer.Option(metavar="NAME", help="Delete all data of a withdrawn entrant.", show_default=False)
    ] = "",
    serve: Annotated[
        str,
        typer.Option(
            metavar="[HOST:]PORT", help="Serve the live table while the league runs; 0.0.0.0:8000 for the network."
        ),
    ] = "",
    workers: WorkersOption = None,
    cluster: ClusterOption = None,
    trust: TrustOption = False,
    require_sandbox: RequireSandboxOption = False,
    allow_solver: AllowSolverOption = False,
    as_json: JsonOption = False,
) -> None:
    """Check, play and grade a folder of submissions; write a site.

    Each agent plays against reference players and is graded by its points. After submissions are added, changed or
    withdrawn, run the command again: only new matches are played. Settings are read from next to the folder, never
    from inside it.
    """
    from inarow.agents.external import Policy, using
    from inarow.teaching.league import running
    from inarow.teaching.league.entrants import ROSTER, SETTINGS, LeagueError, read_entrants, read_one
    from inarow.teaching.league.settings import LeagueSettings, read_settings
    from inarow.teaching.league.writing import PAGE, SITE, league_json, parse_address, serving, write_why

    given = folder if preview is None else preview.absolute().parent
    if given is None or (folder is not None and preview is not None):
        raise LeagueError("give the folder with what was handed in, or --preview FILE with a hand-in of your own")
    config = config or _next_to(given, SETTINGS, "--config", among=preview is None)
    with using(Policy(trust, require_sandbox, allow_solver)):
        settings = read_settings(config) if config is not None else LeagueSettings()
    solver = allow_solver or "solver" in settings.packages
    policy = Policy(trust, require_sandbox, solver, settings.packages)
    say_what_is_open(policy)
    if preview is not None:
        with _watched() as watch:
            _print_one(running.preview(read_one(preview, policy), settings, workers, watch), as_json)
        return
    roster = roster or _next_to(given, ROSTER, "--roster")
    target = out or given.resolve().with_name(f"{given.resolve().name}-league")
    own = filter(None, (target, config, roster, settings.starter))
    entrants = read_entrants(given, roster, policy, besides=own)
    note(f"settings: {config or 'the defaults'}; roster: {roster or 'none'}")
    if roster is not None and (others := [one.name for one in entrants if not one.students]):
        note(f"not on the roster, so in no export: {', '.join(others)}")
    if forget:
        running.forget(forget, entrants, target)
        note(f"all data of {forget} is deleted; the site and the marks are written anew")
    if regrade:
        one = _named(entrants, regrade)
        with _watched() as watch:
            standing = running.regrade(one, settings, target, workers, watch)
        page = write_why(standing, given / one.file, target)
        _print_one(standing, as_json)
        note(f"every point explained: {page}")
        return
    try:
        with contextlib.ExitStack() as stack:
            url = ""
            if serve:
                address = parse_address(serve)
                url = stack.enter_context(serving(target / SITE, address))
                note(f"for a projector: {url}{PAGE}")
            with _watched() as watch:
                table = running.run_league(
                    entrants,
                    settings,
                    target,
                    workers=workers,
                    cluster=cluster,
                    watch=watch,
                    note=note,
                    tell=note,
                    url=url,
                )
            if as_json:
                print_json(league_json(table, settings, target))
            else:
                _print(table, settings, target)
            if serve:
                note(f"finished; {url} is served until Ctrl-C")
                with contextlib.suppress(KeyboardInterrupt):
                    threading.Event().wait()
    except KeyboardInterrupt:
        note(f"interrupted; {target} keeps what is finished, run the same command to continue")
        raise typer.Exit(130) from None
    except HostFailure as error:
        raise HostFailure(f"{error}; {target} keeps what is finished, run the same command to continue") from None


def _named(entrants: list[Entrant], name: str) -> Entrant:
    """Return the entrant with this name, or with a student of this name."""
    from inarow.errors import unknown
    from inarow.teaching.league.entrants import LeagueError

    for one in entrants:
        if name.casefold() in {one.name.casefold(), *(student.name.casefold() for student in one.students)}:
            return one
    raise LeagueError(unknown("entrant", name, [one.name for one in entrants]))


def _print_one(one: EntrantResult, as_json: bool) -> None:
    """Print the result of one submission."""
    from inarow.formatting import sentence
    from inarow.teaching.league.pages import mark_text, points_text
    from inarow.teaching.league.writing import results_json

    results = results_json(one)
    if as_json:
        print_json({"name": one.entrant.name, "sha256": one.entrant.digest, "grade": one.grade, **results})
        return
    rows = [
        (test["name"], points_text(test["score"]), points_text(test["max_score"]), test["output"])
        for test in results["tests"]
    ]
    print_table(one.entrant.name, ["part", "points", "of", "why"], rows, numbers=False)
    say(sentence(results["output"]))
    say(f"{mark_text(one)} of {points_text(one.settings.most_points)} points.")


def _next_to(folder: Path, name: str, option: str, *, among: bool = True) -> Path | None:
    """Return the file of this name next to the folder, or None. Raises LeagueError if it is among the submissions.

    With ``among=False`` the folder does not hold submissions, and the file is looked for inside it.
    """
    from inarow.teaching.league.entrants import LeagueError

    if not among:
        return folder / name if (folder / name).exists() else None
    if (folder / name).exists():
        raise LeagueError(
            f"{folder / name} is among the hand-ins, where any entrant could have put it; move it next to the folder, "
            f"or name the file to use with {option}"
        )
    path = folder.resolve().parent / name
    return path if path.exists() else None


@contextlib.contextmanager
def _watched() -> Iterator[Callable[[str, int, int], None]]:
    """Show the current step with a progress bar, or with lines in a pipe."""
    with progress_bar() as bar:
        if bar.disable:
            lines = _Lines()
            yield lines.watch
            lines.show()
            return
        task = bar.add_task("", total=None)
        yield lambda what, done, total: bar.update(task, description=what, completed=done, total=total)


class _Lines:
    """Progress in a pipe: a line at the start and end of each step, and every LINE_SECONDS."""

    def __init__(self) -> None:
        self.step = self.line = self.shown = ""
        self.at = 0.0

    def watch(self, what: str, done: int, total: int) -> None:
        """Print the progress of a step, if enough time has passed."""
        begins = what != self.step
        if begins:
            self.show()
        self.step, self.line = what, f"{done:,} of {total:,} {what}" if total else ""
        if begins or time.monotonic() - self.at >= LINE_SECONDS:
            self.show()

    def show(self) -> None:
        """Print the current line unless it was printed before."""
        if self.line and self.line != self.shown:
            note(self.line)
        self.shown, self.at = self.line, time.monotonic()


def _print(table: list[EntrantResult], settings: LeagueSettings, target: Path) -> None:
    from inarow.formatting import counted, sentence, share
    from inarow.teaching.league.pages import points_text
    from inarow.teaching.league.writing import MARKS, SIMILAR, SITE

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
    similar = (target / SIMILAR).read_text(encoding="utf-8").splitlines()[1:]
    if similar:
        typer.echo(f"{counted(len(similar), 'remark', 'remarks')} on similar hand-ins: {target / SIMILAR}")
    typer.echo(f"The site: {target / SITE / 'index.html'}\nThe marks: {target / MARKS}")
