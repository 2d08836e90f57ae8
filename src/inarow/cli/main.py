"""The ``inarow`` command and its subcommands.

A command's module is imported when the command is used, and imports what it needs when it runs.
"""

from __future__ import annotations

import atexit
import codecs
import contextlib
import errno
import importlib
import io
import os
import signal
import sys
import threading
from collections.abc import Iterator, Mapping
from pathlib import Path
from types import FrameType
from typing import TYPE_CHECKING, Annotated, Any, NoReturn, TextIO

import typer

from inarow import __version__
from inarow.cli.pages import CommandApp, PagedGroup, first_sentence, heading, paragraph, two_columns
from inarow.errors import HostFailure, InarowError, unknown, visible
from inarow.formatting import capitalised, sentence
from inarow.plugins import COMMANDS, PluginError, load_object, plugins

if TYPE_CHECKING:
    from inarow.stopping import Stop


GROUPS = {
    "Play": ("play", "serve", "site"),
    "Ask": ("solve", "verify", "decide", "trace", "show", "annotate"),
    "Compare": ("match", "tournament", "sprt", "results", "grade", "rate"),
    "Teach": ("check", "check-tests", "league", "assignment", "tree"),
    "Learn": ("train", "model"),
    "Study": ("study", "sweep", "report"),
    "Tools": (
        *("agents", "games", "convert", "export", "dataset", "book", "table", "perft", "bench", "cluster"),
        "doctor",
        "help",
    ),
}
"""The commands under the headings of their groups."""
_OURS = tuple(name for names in GROUPS.values() for name in names)

_MODULES = {
    **dict.fromkeys(("check", "check-tests", "league", "assignment", "tree"), "teach"),
    **dict.fromkeys(("show", "perft", "games"), "agents"),
    **dict.fromkeys(("export", "dataset"), "convert"),
    **dict.fromkeys(("sweep", "report"), "study"),
    **dict.fromkeys(("bench", "doctor", "cluster"), "system"),
    **dict.fromkeys(("serve", "site"), "play"),
    **dict.fromkeys(("verify", "book", "table"), "solve"),
    "trace": "decide",
    **dict.fromkeys(("annotate", "rate"), "grade"),
    **dict.fromkeys(("match", "sprt"), "tournament"),
    "model": "train",
    "help": "pages",
}
"""The modules of commands that are not in a module of their own name."""

PLUGINS = "Installed packages"
"""The heading of plugin commands without a group."""

START_HERE = (
    ("inarow play", "Play Connect 4 against a beginner."),
    ("inarow solve connect4 425", "Which move saves this position?"),
    ("inarow match connect4 mcts rules", "Which of two agents is better?"),
)
"""First commands for a new user."""


class _Commands(PagedGroup):
    """The command group: exits with one line, 2 for invalid input and 130 after Ctrl-C."""

    def middle(self, ctx: Any) -> list[str]:
        names = {group: list(commands) for group, commands in GROUPS.items()}
        summaries, broken = {}, []
        for name in self.list_commands(ctx):
            try:
                command = self.get_command(ctx, name)
            except PluginError as error:
                broken.append(sentence(capitalised(str(error))))
                continue
            summaries[name] = first_sentence(command.help or "")
            if name not in _OURS:
                names.setdefault(getattr(command, "rich_help_panel", None) or PLUGINS, []).append(name)
        left = max(map(len, summaries))
        parts = [f"{heading('Start here')}\n{start_here()}"]
        for group, listed in names.items():
            parts.append(f"{heading(group)}\n{two_columns([(name, summaries[name]) for name in listed], left)}")
        return [*parts, *map(paragraph, broken)]

    def list_commands(self, ctx: Any) -> list[str]:
        return [*_OURS, *(name for name in plugins(COMMANDS) if name not in _OURS)]

    def get_command(self, ctx: Any, cmd_name: str) -> Any:
        """Import a command when it is first used; plugins can't replace built-in commands."""
        if cmd_name not in self.commands:
            alone = CommandApp()
            if cmd_name in _OURS:
                module = importlib.import_module(f"inarow.cli.{_MODULES.get(cmd_name, cmd_name)}")
                made = getattr(module, "help_" if cmd_name == "help" else cmd_name.replace("-", "_"))
                if isinstance(made, CommandApp):
                    alone.add_typer(made, name=cmd_name)
                else:
                    alone.command(cmd_name, epilog=made.epilog)(made)
            elif cmd_name in plugins(COMMANDS):
                load_object(COMMANDS, cmd_name)(alone)
            else:
                return None
            self.commands[cmd_name] = typer.main.get_group(alone).commands[cmd_name]
        return self.commands[cmd_name]

    def resolve_command(self, ctx: Any, args: list[str]) -> Any:
        if self.get_command(ctx, args[0]) is None:
            ctx.fail(unknown("command", args[0], self.list_commands(ctx), "`inarow --help` lists all commands."))
        return super().resolve_command(ctx, args)

    def invoke(self, ctx: Any) -> Any:
        with one_line_errors():
            return super().invoke(ctx)


def start_here() -> str:
    """Format the first commands to try, one per line."""
    return two_columns(START_HERE, max(len(command) for command, _ in START_HERE))


app = CommandApp(
    name="inarow",
    cls=_Commands,
    add_completion=True,
    help="A lab for adversarial game AI on k-in-a-row games: play, compare, and measure against perfect play.",
    epilog="`inarow help COMMAND` describes a command.",
    invoke_without_command=True,
    pretty_exceptions_enable=False,
    context_settings={"help_option_names": ["-h", "--help"]},
)


def _version(wanted: bool) -> None:
    if wanted:
        typer.echo(f"inarow {__version__}")
        raise typer.Exit


@app.callback()
def _main(
    ctx: typer.Context,
    version: Annotated[
        bool, typer.Option("--version", callback=_version, is_eager=True, help="Print the version and exit.")
    ] = False,
) -> None:
    if ctx.invoked_subcommand is None:
        _greet()
    elif ctx.invoked_subcommand != "help" and not {*ctx.help_option_names} & {*sys.argv}:  # help must be quick
        from inarow.stopping import stop_on_interrupt

        stop_on_interrupt()


def _greet() -> None:
    typer.echo(
        paragraph(f"inarow {__version__}: a lab for game AI on Tic Tac Toe, Connect 4 and other k-in-a-row games.")
    )
    typer.echo(f"\n{heading('Three things to try')}\n{start_here()}\n")
    typer.echo("`inarow --help` lists all commands.")


def run() -> None:
    """Run the command line."""
    open_streams()
    watch_interrupts()
    settle_encoding()
    try:
        with one_line_errors():
            app(prog_name="inarow")
    finally:
        flush_output()


INTERRUPTED = 130
FULL_DISK = {errno.ENOSPC, errno.EFBIG, errno.EIO, getattr(errno, "EDQUOT", errno.ENOSPC)}
SQLITE_FULL = 13
"""SQLite's code for a full disk."""


class Interrupts:
    """Signal handler for Ctrl-C: the first raises KeyboardInterrupt, the second ends the process immediately.

    That is safe: stores are written in transactions, files are replaced atomically, and workers exit with this process.
    """

    def __init__(self) -> None:
        self.pressed = False

    def __call__(self, number: int, frame: FrameType | None) -> None:
        if self.pressed:
            end_at_once()
        self.pressed = True
        raise KeyboardInterrupt


def end_at_once() -> NoReturn:
    """Exit immediately; show the terminal's cursor again if it was hidden."""
    with contextlib.suppress(OSError, ValueError):
        if sys.stderr.isatty():
            os.write(2, b"\x1b[?25h\n")
    os._exit(INTERRUPTED)


@contextlib.contextmanager
def interrupt_sets(stop: Stop) -> Iterator[None]:
    """Set ``stop`` on the first Ctrl-C, so that partial results can be kept; a second one raises as usual."""
    pressed = False  # not the flag: a kernel may raise that before Python handles the signal

    def press(number: int, frame: FrameType | None) -> None:
        nonlocal pressed
        if pressed:
            raise KeyboardInterrupt
        pressed = True
        stop.set()

    before = signal.signal(signal.SIGINT, press)
    try:
        yield
    finally:
        signal.signal(signal.SIGINT, before)


def watch_interrupts() -> None:
    """Install the Ctrl-C handler unless the host program has its own."""
    current = signal.getsignal(signal.SIGINT)
    ours = current is signal.default_int_handler or isinstance(current, Interrupts)
    if ours and threading.current_thread() is threading.main_thread():
        signal.signal(signal.SIGINT, Interrupts())
        # During interpreter shutdown Ctrl-C would kill the process by the signal, with another exit code.
        atexit.register(signal.signal, signal.SIGINT, signal.SIG_IGN)


@contextlib.contextmanager
def one_line_errors() -> Iterator[None]:
    """Turn exceptions into one line on standard error and an exit code."""
    try:
        yield
    except InarowError as error:
        leave(f"inarow: {error}", exit_code(error))
    except HostFailure as error:
        leave(f"inarow: {error}", 1)
    except KeyboardInterrupt:
        leave("inarow: interrupted", INTERRUPTED)
    except BrokenPipeError:
        drop_output()
        sys.exit(0)
    except OSError as error:
        what = "cannot write the output: " if error.filename is None else f"{error.filename}: "
        leave(f"inarow: {what if error.errno is not None else ''}{error.strerror or error}", 1)
    except MemoryError:
        leave("inarow: out of memory; use smaller tables, models or numbers", 1)


def exit_code(error: InarowError) -> int:
    """Return 2 for invalid input, 1 if the cause is a full disk."""
    cause: BaseException | None = error
    while cause is not None:
        if isinstance(cause, OSError) and cause.errno in FULL_DISK:
            return 1
        if getattr(cause, "sqlite_errorcode", None) == SQLITE_FULL:
            return 1
        cause = cause.__cause__ or cause.__context__
    return 2


def open_streams() -> None:
    """Reopen closed standard streams (``>&-``) on the null device, so that no other file gets their descriptors."""
    for name, mode in (("stdin", "r"), ("stdout", "w"), ("stderr", "w")):
        if getattr(sys, name) is None:
            setattr(sys, name, Path(os.devnull).open(mode, encoding="utf-8"))  # noqa: SIM115 - open until the end


def leave(message: str, code: int) -> NoReturn:
    """Flush standard output, print the message and exit."""
    with contextlib.suppress(OSError):
        sys.stdout.flush()
    text = visible(sentence(message))
    sys.stderr.write((paragraph(text) if sys.stderr.isatty() else text) + "\n")
    sys.exit(code)


def flush_output() -> None:
    """Flush standard output; if that fails, print an error and exit with 1."""
    try:
        sys.stdout.flush()
    except BrokenPipeError:
        drop_output()
    except OSError as error:
        drop_output()
        leave(f"inarow: cannot write the output: {error.strerror}", 1)


def drop_output() -> None:
    """Discard further output, so that a closed pipe causes no error at exit."""
    with contextlib.suppress(OSError, ValueError):
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())


_SIMILAR = {
    "−": "-",
    "–": "-",
    "—": "-",
    "…": "...",
    "·": ".",
    "×": "x",
    "±": "+/-",
    "µ": "u",
    "→": "->",
    "≤": "<=",
    "≥": ">=",
    "¼": "1/4",
    "½": "1/2",
    "¾": "3/4",
}
_HANDLER = "inarow-similar"


def similar(text: str) -> str:
    """Replace characters outside ASCII by similar ones or backslash escapes."""
    return "".join(_SIMILAR.get(one) or one.encode("ascii", "backslashreplace").decode() for one in text)


def _replace(error: UnicodeError) -> tuple[str, int]:
    if not isinstance(error, UnicodeEncodeError):
        raise error
    return similar(error.object[error.start : error.end]), error.end


def settle_encoding() -> None:
    """Make printing safe for any terminal encoding by replacing characters it lacks."""
    codecs.register_error(_HANDLER, _replace)
    for stream in (sys.stdout, sys.stderr):
        _settle(stream, os.environ, bool(sys.flags.utf8_mode))


def _settle(stream: TextIO, environment: Mapping[str, str], utf8_mode: bool) -> None:
    if not isinstance(stream, io.TextIOWrapper):
        return
    plain = stream.isatty() and is_plain_locale(environment, utf8_mode)
    stream.reconfigure(encoding="ascii" if plain else None, errors=_HANDLER)


def is_plain_locale(environment: Mapping[str, str], utf8_mode: bool) -> bool:
    """Return True if the user chose the C locale, for which Python uses UTF-8.

    Python then also sets ``LC_CTYPE`` to ``C.UTF-8``, so that value is ignored.
    """
    kind = environment.get("LC_CTYPE", "")
    asked = environment.get("LC_ALL") or ("" if kind == "C.UTF-8" else kind) or environment.get("LANG", "")
    return utf8_mode and asked in ("C", "POSIX")


if __name__ == "__main__":
    run()
