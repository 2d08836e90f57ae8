"""What commands share: options, printing as tables or JSON, files that are not overwritten, progress bars."""

from __future__ import annotations

import contextlib
import json
import os
import shlex
import sys
from collections.abc import Callable, Iterable, Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from inarow.errors import InarowError, printable, visible
from inarow.formatting import sentence
from inarow.limits import MOST_MATCHES

if TYPE_CHECKING:
    from rich.console import Console, RenderableType
    from rich.progress import Progress

GameArgument = Annotated[
    str, typer.Argument(metavar="GAME", help="connect4, tictactoe, or a board such as 5x4x4 or 4x4x3-free.")
]
JsonOption = Annotated[bool, typer.Option("--json", help="Print one JSON object instead of tables.")]
SeedOption = Annotated[int, typer.Option("--seed", help="The same seed gives the same results.")]
ForceOption = Annotated[bool, typer.Option("--force", help="Overwrite an existing file.")]
PdfOption = Annotated[bool, typer.Option("--pdf", help="Also print the page to report.pdf, with an installed browser.")]
PngOption = Annotated[bool, typer.Option("--png", help="Also write the figures as PNG, at 300 dots per inch.")]
MatchesOption = Annotated[int, typer.Option("--matches", "-n", min=1, max=MOST_MATCHES, help="Number of matches.")]
SecondsOption = Annotated[
    float | None, typer.Option(help="Seconds per decision of an agent; exceeding it loses the match.")
]
MatchSecondsOption = Annotated[
    float | None, typer.Option("--match-seconds", help="Seconds per match; when they are over, it is drawn.")
]
NodesOption = Annotated[int | None, typer.Option(help="Nodes per decision of an agent, at most.")]
AdjudicateOption = Annotated[
    bool, typer.Option("--adjudicate", help="End a match once the solver proves how it ends with perfect play.")
]
SaveOption = Annotated[
    Path | None, typer.Option(help="Save the records: as JSON lines if the name ends with .jsonl, else as text.")
]

OpeningsOption = Annotated[
    str,
    typer.Option(
        "--openings",
        metavar="OPENINGS",
        help="none, random, random:PLIES, all:PLIES, moves:MOVES, balanced or file:PATH; random is 4 plies, fewer "
        "on small boards.",
    ),
]


def print_json(data: object) -> None:
    """One JSON object on standard output; whatever in it a terminal would obey, or can't show, is escaped."""
    text = json.dumps(data, indent=2, ensure_ascii=False)
    if not text.replace("\n", "").isprintable():
        text = "".join(c if c.isprintable() or c == "\n" else json.dumps(c)[1:-1] for c in text)
    sys.stdout.write(text + "\n")


def console(stderr: bool = False) -> Console:
    """A console for tables; in a pipe it is wide enough that nothing is cut."""
    from rich.console import Console

    class Screen(Console):
        def on_broken_pipe(self) -> None:
            raise BrokenPipeError  # so that all commands end in the same way; by itself Rich exits with 1

    made = Screen(stderr=stderr, highlight=False, markup=False, emoji=False)  # a name may look like either
    if not made.is_terminal:
        made.width = 160
    return made


def say(text: str, stderr: bool = False) -> None:
    """A sentence, wrapped at words on a screen; in a pipe it stays one line."""
    screen = console(stderr)
    screen.print(visible(text), soft_wrap=not screen.is_terminal)


def print_report(page: Path) -> None:
    """Print the headline of a report, where it is, and how to open it."""
    from inarow.report.writing import FINDINGS, PRINTED

    heading, *_ = page.with_name(FINDINGS).read_text(encoding="utf-8").splitlines()
    say(sentence(heading.removeprefix("# ")))
    typer.echo(f"The report: {page}")
    if (printed := page.with_name(PRINTED)).exists():
        typer.echo(f"For printing: {printed}")
    opener = {"darwin": "open", "win32": "start"}.get(sys.platform, "xdg-open")
    typer.echo(f"Open it in a browser: {opener} {shlex.quote(str(page))}")


def print_table(title: str, head: Sequence[str], rows: Iterable[Sequence[object]], numbers: bool = True) -> None:
    """A table on standard output, in parts if it is wider than the screen.

    All columns but the first are aligned right if they hold numbers; else the last one is prose.
    """
    from inarow.cli.layout import tables

    screen = console()
    shown = [[visible(str(cell)) for cell in row] for row in rows]
    screen.print(visible(title), style="bold")
    for table in tables([visible(name) for name in head], shown, screen.width, numbers=numbers):
        screen.print(table)


@contextlib.contextmanager
def progress(quiet: bool = False) -> Iterator[Progress]:
    """A progress bar with the remaining time on standard error; none in a pipe."""
    from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeRemainingColumn

    screen = console(stderr=True)
    with Progress(
        TextColumn("{task.description}", markup=False),
        BarColumn(),
        MofNCompleteColumn(),
        TimeRemainingColumn(),
        console=screen,
        transient=True,
        disable=quiet or not screen.is_terminal,
    ) as bar:
        yield bar


@contextlib.contextmanager
def waiting(words: RenderableType) -> Iterator[Callable[[], contextlib.AbstractContextManager[None]]]:
    """Show a spinner with these words on standard error if that is a terminal; what it gives removes it for a while."""
    screen = console(stderr=True)
    if not screen.is_terminal:
        yield contextlib.nullcontext
        return
    with screen.status(words) as status:

        @contextlib.contextmanager
        def pause() -> Iterator[None]:
            status.stop()
            yield
            sys.stdout.flush()
            status.start()

        yield pause


def note(text: str) -> None:
    """A sentence on standard error that says who speaks."""
    say(sentence(f"inarow: {text}"), stderr=True)


def new_file(path: Path, force: bool) -> Path:
    """The path, if a file may be written there; an existing one only with ``--force``."""
    try:
        there = path.exists()
    except OSError as error:
        raise InarowError(f"{printable(str(path))} can't be written: {error.strerror}") from None
    if path.is_dir():
        raise InarowError(f"{path} is a folder; give the name of a file")
    if there and not force:
        raise InarowError(f"{path} exists; give another name, or --force to overwrite it")
    if not path.absolute().parent.is_dir():
        raise InarowError(f"the folder {path.absolute().parent} does not exist; create it first")
    if not os.access(path if there else path.absolute().parent, os.W_OK):
        raise InarowError(f"{path} can't be written: permission denied; give another place")
    return path
