"""Options, output and helpers that several commands share."""

from __future__ import annotations

import contextlib
import functools
import inspect
import json
import os
import re
import shlex
import sys
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, fields
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, get_type_hints

import typer

from inarow.agents import Agent, agent
from inarow.agents.external import Policy, using
from inarow.agents.parameters import AgentError
from inarow.agents.registry import expand_specs
from inarow.errors import InarowError, printable, visible
from inarow.formatting import sentence
from inarow.limits import MAX_MATCHES, MAX_WORKERS, Limit

if TYPE_CHECKING:
    from rich.console import Console, JustifyMethod, RenderableType
    from rich.progress import Progress
    from rich.table import Table


GameArgument = Annotated[
    str, typer.Argument(metavar="GAME", help="connect4, tictactoe, or a board such as 5x4x4 or 4x4x3-free.")
]
JsonOption = Annotated[bool, typer.Option("--json", help="Print JSON instead of tables.")]
SeedOption = Annotated[int, typer.Option("--seed", help="Random seed; the same seed gives the same results.")]
ForceOption = Annotated[bool, typer.Option("--force", help="Overwrite an existing file.")]
PdfOption = Annotated[bool, typer.Option("--pdf", help="Also write report.pdf, printed by an installed browser.")]
PngOption = Annotated[bool, typer.Option("--png", help="Also write the figures as PNG at 300 dpi.")]
MatchesOption = Annotated[int, typer.Option("--matches", "-n", min=1, max=MAX_MATCHES, help="Number of matches.")]
SecondsOption = Annotated[
    float | None, typer.Option(help="Time limit per move in seconds; an agent that exceeds it loses the match.")
]
MatchSecondsOption = Annotated[
    float | None,
    typer.Option("--match-seconds", help="Time limit per match in seconds; a match that exceeds it is a draw."),
]
NodesOption = Annotated[int | None, typer.Option(help="Maximum nodes per move.")]
AdjudicateOption = Annotated[
    bool, typer.Option("--adjudicate", help="End a match as soon as the solver proves its result.")
]
RecordsOption = Annotated[
    Path | None,
    typer.Option(
        "--out", "-o", help="Save the match records to a file: JSON lines (.jsonl) or plain text (any other name)."
    ),
]

OpeningsOption = Annotated[
    str,
    typer.Option(
        "--openings",
        metavar="OPENINGS",
        help="none, random, random:PLIES, all:PLIES, drawn:PLIES, moves:MOVES, balanced or file:PATH; random is 4 "
        "plies, fewer on small boards.",
    ),
]

WorkersOption = Annotated[
    int | None, typer.Option(min=1, max=MAX_WORKERS, help="Number of worker processes.", show_default="one per core")
]
ClusterOption = Annotated[
    str | None,
    typer.Option(metavar="ADDRESS", help="Use the workers of a Dask scheduler, such as tcp://127.0.0.1:8786."),
]


def print_json(data: object) -> None:
    """Write one JSON object to standard output, with control characters escaped."""
    text = json.dumps(data, indent=2, ensure_ascii=False)
    if not text.replace("\n", "").isprintable():
        text = "".join(c if c.isprintable() or c == "\n" else json.dumps(c)[1:-1] for c in text)
    sys.stdout.write(text + "\n")


def console(stderr: bool = False) -> Console:
    """Return a console for tables; in a pipe it is 160 columns wide."""
    from rich.console import Console

    class PipeConsole(Console):
        def on_broken_pipe(self) -> None:
            raise BrokenPipeError  # Rich would exit with 1; commands end with 0

    made = PipeConsole(stderr=stderr, highlight=False, markup=False, emoji=False)  # names may contain Rich markup
    if not made.is_terminal:
        made.width = 160
    return made


def say(text: str, stderr: bool = False) -> None:
    """Print a sentence, wrapped at words on a terminal and as one line in a pipe."""
    screen = console(stderr)
    screen.print(visible(text), soft_wrap=not screen.is_terminal)


def print_report(page: Path) -> None:
    """Print the headline of a report, or its first findings, its path, and how to open it."""
    from inarow.report.page import FINDINGS, PRINTED

    top, sections, _ = page.with_name(FINDINGS).read_text(encoding="utf-8").partition("\n## ")
    heading, *findings = filter(None, top.splitlines())
    say(sentence(heading.removeprefix("# ")))
    for line in findings if sections else ():
        say(line)
    typer.echo(f"Report: {page}")
    if (printed := page.with_name(PRINTED)).exists():
        typer.echo(f"PDF: {printed}")
    print_how_to_open(page)


def print_how_to_open(page: Path) -> None:
    """Print the command that opens a page in the browser."""
    opener = {"darwin": "open", "win32": "start"}.get(sys.platform, "xdg-open")
    typer.echo(f"To open it: {opener} {shlex.quote(str(page))}")


def print_table(title: str, head: Sequence[str], rows: Iterable[Sequence[object]], numbers: bool = True) -> None:
    """Print a table, in parts if it is wider than the screen.

    With ``numbers``, all columns but the first are aligned right; otherwise the last column is prose and is wrapped.
    """
    screen = console()
    shown = [[visible(str(cell)) for cell in row] for row in rows]
    screen.print(visible(title), style="bold")
    for table in tables([visible(name) for name in head], shown, screen.width, numbers=numbers):
        screen.print(table)


@contextlib.contextmanager
def progress(quiet: bool = False, count: str = "") -> Iterator[Progress]:
    """Show a progress bar with the remaining time on standard error, unless that is a pipe.

    ``count`` is the format of the work done, by default the completed steps of all.
    """
    from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeRemainingColumn

    screen = console(stderr=True)
    with Progress(
        TextColumn("{task.description}", markup=False),
        BarColumn(),
        TextColumn(count) if count else MofNCompleteColumn(),
        TimeRemainingColumn(),
        console=screen,
        transient=True,
        disable=quiet or not screen.is_terminal,
    ) as bar:
        yield bar


@contextlib.contextmanager
def waiting(words: RenderableType) -> Iterator[Callable[[], contextlib.AbstractContextManager[None]]]:
    """Show a spinner with a message on standard error if that is a terminal; yield a context that pauses it."""
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
    """Print a sentence to standard error, prefixed with the program's name."""
    say(sentence(f"inarow: {text}"), stderr=True)


def new_file(path: Path, force: bool) -> Path:
    """Return the path if a file can be written there; overwrite an existing one only with ``--force``."""
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


def takes(options: type) -> Callable[[Callable[..., None]], Callable[..., None]]:
    """Make the fields of a dataclass options of a command, those of its base classes last.

    The fields are annotated as Typer parameters and have defaults. The command receives an instance of the dataclass as
    its last parameter, ``options``.
    """
    keyword = inspect.Parameter.KEYWORD_ONLY
    hints = get_type_hints(options, include_extras=True)
    defaults = {field.name: field.default for field in fields(options)}
    names = dict.fromkeys(name for base in options.__mro__ for name in inspect.get_annotations(base))
    shared = [inspect.Parameter(name, keyword, default=defaults[name], annotation=hints[name]) for name in names]

    def decorate(command: Callable[..., None]) -> Callable[..., None]:
        hints = get_type_hints(command, include_extras=True)
        own = [
            parameter.replace(kind=keyword, annotation=hints[name])
            for name, parameter in inspect.signature(command).parameters.items()
            if name != "options"
        ]

        @functools.wraps(command)
        def run(**given: Any) -> None:
            values = {parameter.name: given.pop(parameter.name) for parameter in shared}
            command(**given, options=options(**values))

        run.__signature__ = inspect.Signature([*own, *shared])  # type: ignore[attr-defined]
        run.__annotations__ = {parameter.name: parameter.annotation for parameter in (*own, *shared)}
        return run

    return decorate


_GAP, _EDGES = 3, 2
"""Columns between two columns of a table, and at its edges."""
_PROSE = 30
"""Minimum width of a column of prose."""
_NAME = 28
"""Maximum width of names in a table that is too wide; they are wrapped after commas and spaces."""

Row = Sequence[str]


def tables(head: Row, rows: Sequence[Row], width: int, *, numbers: bool) -> Iterator[Table]:
    """Yield one table if it fits, else several that each repeat the first column."""
    widths = [max(map(_widest_line, cells)) for cells in zip(head, *rows, strict=True)]
    width -= _EDGES
    if not numbers:
        widths[-1] = min(widths[-1], _PROSE)  # the last column is prose, and is wrapped
    if sum(widths) + _GAP * (len(widths) - 1) > width:
        rows = [[_wrapped(row[0]), *row[1:]] for row in rows]
        widths[0] = max(_widest_line(cells[0]) for cells in (head, *rows))
    for columns in _shares(widths, width):
        yield _table(columns, head, rows, numbers)


def _shares(widths: Sequence[int], width: int) -> Iterator[list[int]]:
    """Yield the column numbers of each table; every table has column 0."""
    columns, used = [0], widths[0]
    for column in range(1, len(widths)):
        if used + _GAP + widths[column] > width and len(columns) > 1:
            yield columns
            columns, used = [0], widths[0]
        columns.append(column)
        used += _GAP + widths[column]
    yield columns


def _table(columns: Sequence[int], head: Row, rows: Sequence[Row], numbers: bool) -> Table:
    from rich.box import SIMPLE_HEAD
    from rich.table import Table
    from rich.text import Text

    made = Table(box=SIMPLE_HEAD, pad_edge=False)
    for column in columns:
        prose = not numbers and column == len(head) - 1
        side: JustifyMethod = "right" if numbers and column else "left"
        made.add_column(Text(head[column]), justify=side, no_wrap=not prose, overflow="fold")
    for row in rows:
        made.add_row(*(Text(row[column]) for column in columns))
    return made


def _wrapped(name: str) -> str:
    """Wrap a name after commas and spaces."""
    lines = [""]
    for part in re.findall(r"[^, ]*[, ]*", name):
        if lines[-1] and len(lines[-1]) + len(part.rstrip()) > _NAME:
            lines.append("  ")
        lines[-1] += part
    return "\n".join(line.rstrip() for line in lines)


def _widest_line(text: str) -> int:
    return max(map(len, text.split("\n")))


def optional_game(words: Sequence[str], what: str, default: str = "connect4") -> tuple[str, str]:
    """Return the game and the other argument of ``[GAME] WHAT``."""
    if len(words) > 2:
        raise InarowError(f"expected [GAME] {what}, got {len(words)} arguments: {' '.join(words)}")
    return (default, words[0]) if len(words) == 1 else (words[0], words[1])


def two_agents(command: str, given: Sequence[str]) -> tuple[str, str]:
    """Return the specs of the two agents; a folder or a pattern stands for its Python files."""
    specs = expand_specs(given)
    if len(specs) != 2:
        more = "; `inarow tournament` and `inarow league` play more" if len(specs) > 2 else ""
        raise InarowError(f"{command} takes two agents, got {len(specs)} ({' '.join(given)}){more}")
    return specs[0], specs[1]


TrustOption = Annotated[
    bool, typer.Option("--trust", help="Run agents in files without a sandbox, in ordinary processes.")
]
RequireSandboxOption = Annotated[
    bool, typer.Option("--require-sandbox", help="Refuse to run agents in files if the sandbox is incomplete.")
]
AllowSolverOption = Annotated[
    bool,
    typer.Option(
        "--allow-solver", help="Allow agents in files to import solvers and trained models, including inarow's."
    ),
]


@dataclass(frozen=True)
class SandboxOptions:
    """Sandbox options of commands that run agents in files."""

    trust: TrustOption = False
    require_sandbox: RequireSandboxOption = False
    allow_solver: AllowSolverOption = False

    @property
    def policy(self) -> Policy:
        """Return the policy for agents in files."""

        return Policy(self.trust, self.require_sandbox, self.allow_solver)

    def agents(self, *specs: str) -> tuple[Agent, ...]:
        """Make the agents of these specs, and warn about what the sandbox does not restrict."""

        with self.applied():
            made = tuple(agent(one_agent(spec)) for spec in specs)
        if any(one.foreign for one in made):
            say_what_is_open(self.policy)
        return made

    @contextmanager
    def applied(self) -> Iterator[None]:
        """Apply the policy to agents made within the block."""

        with using(self.policy):
            yield


def one_agent(spec: str) -> str:
    """Return the spec of a single agent. Raises AgentError for a folder or pattern that matches several."""
    first, *others = expand_specs([spec])
    if others:
        path = spec.strip().removeprefix("file:")
        whole = f", or file:{path} if the folder is one agent" if Path(path).is_dir() else ""
        raise AgentError(
            f"{path} matches {len(others) + 1} Python files, expected one agent; give one of them, such as "
            f"{first.removeprefix('file:')}{whole}. `inarow tournament` and `inarow league` play all of them."
        )
    return first


def say_what_is_open(policy: Policy) -> None:
    """Warn about what the sandbox does not restrict under this policy on this system."""
    from inarow.agents.external.sandbox import Offer, offered

    missing = Offer(0, False).missing if policy.trust else offered().missing
    for line in missing:
        typer.echo(f"inarow: WARNING: an agent in a file is not fully sandboxed: {line}", err=True)


@dataclass(frozen=True)
class MatchOptions(SandboxOptions):
    """Options of commands that play matches under limits."""

    openings: OpeningsOption = "random"
    seconds: SecondsOption = None
    match_seconds: MatchSecondsOption = None
    nodes: NodesOption = None
    adjudicate: AdjudicateOption = False
    seed: SeedOption = 0
    force: ForceOption = False
    as_json: JsonOption = False

    @property
    def limit(self) -> Limit:
        """Return the limit of each decision."""
        return Limit(seconds=self.seconds, nodes=self.nodes, match_seconds=self.match_seconds)
