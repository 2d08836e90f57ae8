"""The commands ``study``, ``sweep`` and ``report``: run studies and write reports."""

from __future__ import annotations

import contextlib
import time
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, Unpack

import typer

from inarow.cli.common import (
    ClusterOption,
    GameArgument,
    PdfOption,
    PngOption,
    SeedOption,
    WorkersOption,
    note,
    print_report,
    print_table,
    progress,
    say,
    takes,
    waiting,
)
from inarow.cli.pages import command
from inarow.errors import InarowError
from inarow.formatting import capitalised, sentence
from inarow.limits import MAX_MATCHES
from inarow.paths import is_folder
from inarow.plugins import PluginError

if TYPE_CHECKING:
    from inarow.studies import Plan, Study, StudyProgress
    from inarow.studies.compare.lineup import Counts
    from inarow.studies.running import StudyOptions


@dataclass(frozen=True)
class RunOptions:
    """Options of commands that run a study."""

    out: Annotated[
        Path | None,
        typer.Option(
            "--out",
            "-o",
            metavar="FOLDER",
            help="Folder for the report and the store.",
            show_default="the study's name",
        ),
    ] = None
    seed: SeedOption = 0
    workers: WorkersOption = None
    cluster: ClusterOption = None
    resume: Annotated[bool, typer.Option("--resume", help="Continue what was interrupted in the folder.")] = False
    force: Annotated[bool, typer.Option("--force", help="Delete the folder's content and start again.")] = False
    pdf: PdfOption = False
    png: PngOption = False

    def run(self, study: Study, folder: str, plan: Plan) -> Path:
        """Run a study, by default in a folder of this name, and return its page."""
        from inarow.report.page import Formats

        how: StudyOptions = {
            "workers": self.workers,
            "cluster": self.cluster,
            "resume": self.resume,
            "force": self.force,
            "formats": Formats(self.pdf, self.png),
        }
        return run_watched(study, self.out or Path(folder), plan, **how)


@command("inarow study compare --out my-comparison")
@takes(RunOptions)
def study(
    name: Annotated[
        str | None,
        typer.Argument(metavar="[NAME]", help="A study, or a file with one.", show_default="list the studies"),
    ] = None,
    scale: Annotated[
        str,
        typer.Option(metavar="quick|full", help="quick takes minutes; full plays as many matches as the reports did."),
    ] = "quick",
    full: Annotated[bool, typer.Option("--full", help="The same as --scale full.")] = False,
    agents: Annotated[
        list[str] | None,
        typer.Option("--agent", metavar="AGENT", help="Add an agent, such as mine.py (compare only); may be repeated."),
    ] = None,
    only: Annotated[
        str, typer.Option(metavar="NAMES", help="Include only these algorithms, such as minimax,mcts (compare only).")
    ] = "",
    also: Annotated[
        str, typer.Option(metavar="NAMES", help="Add n-tuple, guided, best or perfect, as they ship (compare only).")
    ] = "",
    calibrate: Annotated[
        bool, typer.Option("--calibrate", help="Measure here how many nodes take a time (compare only).")
    ] = False,
    seconds: Annotated[
        float | None, typer.Option(min=0.001, help="Time limit per board in seconds, 4 or 60 by default (atlas only).")
    ] = None,
    show_list: Annotated[bool, typer.Option("--list", hidden=True)] = False,
    *,
    options: RunOptions,
) -> None:
    """Run a study and write its report; without a name, list them.

    A study plays matches, trains agents and takes measurements; its report has tables and figures.
    """
    from inarow.studies import Plan
    from inarow.studies import study as named

    if name is None or show_list:
        _print_studies()
        return
    plan = Plan("full" if full else scale, options.seed)
    given: dict[str, Any] = {"agents": agents, "seconds": seconds, "only": _names(only), "also": _names(also)}
    if calibrate and name != "compare":
        raise InarowError(f"--calibrate measures counts for the study compare, not for {name}; remove it")
    if calibrate:
        given["counts"] = _calibrated(plan)
    chosen = named(name, **{key: value for key, value in given.items() if value})
    print_report(options.run(chosen, Path(name).stem, plan))


def _names(text: str) -> list[str]:
    return [name.strip() for name in text.split(",") if name.strip()]


def _calibrated(plan: Plan) -> Counts:
    """Measure the counts that stand for the study's times on this machine."""
    from inarow.studies.compare.lineup import BUDGETS
    from inarow.studies.compare.measuring import calibrate

    with waiting("measuring how many nodes and simulations take a time …"):
        return calibrate(BUDGETS[plan.scale], note)


def run_watched(chosen: Study, folder: Path, plan: Plan, **options: Unpack[StudyOptions]) -> Path:
    """Run a study with progress bars; returns the page. Ctrl-C exits with 130 and keeps what is finished."""
    from inarow.studies import run_study

    try:
        with _watched() as watch:
            options["watch"] = watch
            return run_study(chosen, folder, plan, **options)
    except KeyboardInterrupt:
        note(f"interrupted; {folder} keeps what is finished, continue with --resume")
        raise typer.Exit(130) from None


def _print_studies() -> None:
    from inarow.studies import study, study_names

    rows, broken = [], []
    for name in study_names():
        try:
            summary = study(name).summary
        except PluginError as error:
            broken.append(str(error))
            continue
        rows.append((name, sentence(capitalised(summary))))
    print_table("Studies", ["name", "what it does"], rows, numbers=False)
    say("Start one with its name: inarow study compare")
    for one in broken:
        say(sentence(f"inarow: {one}"), stderr=True)


SILENCE_SECONDS = 10
"""Seconds after which a study reports its progress where no bars are shown, as through a pipe."""


@contextlib.contextmanager
def _watched() -> Iterator[StudyProgress]:
    """Show progress bars of the study and of the current experiment; print a line for each finished one."""
    from rich.progress import TaskID

    from inarow.studies import StudyProgress

    class Bars(StudyProgress):
        def __init__(self) -> None:
            self.whole: TaskID | None = None
            self.weights: dict[str, int] = {}
            self.tasks: dict[str, TaskID] = {}
            self.work = 0
            self.said = time.monotonic()

        def note(self, text: str) -> None:
            note(text)

        def begin(self, weights: Sequence[tuple[str, int]]) -> None:
            self.weights = dict(weights)
            self.whole = bar.add_task("whole study", total=sum(self.weights.values()))

        def start(self, key: str) -> None:
            self.tasks[key] = bar.add_task(key, total=self.weights[key])

        def advance(self, key: str, work: int) -> None:
            bar.advance(self.tasks[key], work)
            assert self.whole is not None
            bar.advance(self.whole, work)
            self.work += work
            if not bar.console.is_terminal and time.monotonic() > self.said + SILENCE_SECONDS:
                self.say(f"{key} …")

        def done(self, key: str, verdict: str) -> None:
            bar.remove_task(self.tasks.pop(key))
            self.say(sentence(f"{key}: {verdict}"))

        def say(self, text: str) -> None:
            self.said = time.monotonic()
            share = f"{self.work / max(1, sum(self.weights.values())):>4.0%} "
            bar.console.print(("" if bar.console.is_terminal else share) + text, soft_wrap=not bar.console.is_terminal)

    with progress(count="{task.percentage:>3.0f} %") as bar:
        yield Bars()


@command("inarow sweep connect4 'alphabeta:depth={2..6}'")
@takes(RunOptions)
def sweep(
    game_name: GameArgument,
    spec: Annotated[
        str, typer.Argument(metavar="AGENT", help="An agent with values in braces: {2..8}, {2..8..2} or {1,10,100}.")
    ],
    against: Annotated[
        list[str] | None,
        typer.Option(metavar="AGENT", help="Opponent; may be repeated.", show_default="mcts:simulations=500"),
    ] = None,
    pairs: Annotated[int, typer.Option(min=1, max=MAX_MATCHES, help="Pairs of matches against each opponent.")] = 50,
    *,
    options: RunOptions,
) -> None:
    """Measure an agent's strength and cost as its parameters vary.

    Several braces make a grid of all combinations.
    """
    from inarow.arena import Store
    from inarow.studies import Plan, StudyResults
    from inarow.studies.running import STORE
    from inarow.studies.sweep import AGAINST, Sweep

    study = Sweep(game_name, spec, against or AGAINST, pairs)
    page = options.run(study, study.name, Plan(seed=options.seed))
    with Store.read(page.with_name(STORE), checked=False) as store:
        made = study.table(StudyResults(store))
    print_table(made.title, [column.name for column in made.columns], made.texts())
    for line in made.footnotes():
        say(line)
    print_report(page)


@command("inarow report league.db")
def report(
    sources: Annotated[
        list[Path],
        typer.Argument(
            metavar="STORE...", help="Stores written by `tournament`, `sprt` or `league`, or one study's folder."
        ),
    ],
    out: Annotated[
        Path | None,
        typer.Option("--out", "-o", metavar="FOLDER", help="Folder for the report.", show_default="STORE-report"),
    ] = None,
    title: Annotated[
        str, typer.Option(metavar="TITLE", help="The title of the report.", show_default="the names of the stores")
    ] = "",
    accuracy: Annotated[
        bool, typer.Option(help="Grade the moves played with the exact solver; slow for thousands of matches.")
    ] = True,
    workers: WorkersOption = None,
    cluster: ClusterOption = None,
    pdf: PdfOption = False,
    png: PngOption = False,
    force: Annotated[bool, typer.Option("--force", help="Write into a folder that holds other files.")] = False,
) -> None:
    """Write a report from stored results.

    The page has standings with intervals, head-to-head scores, accuracy, costs, figures and methods. The same stores
    give the same bytes.
    """
    from inarow.arena import open_executor
    from inarow.report.page import Formats
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
        with open_executor(workers, cluster) as executor, waiting("grading moves …"):
            page = write_store_report(
                sources, out, Formats(pdf, png), note,
                force=force, title=title, accuracy=accuracy, each=executor.map,
            )  # fmt: skip
    print_report(page)
