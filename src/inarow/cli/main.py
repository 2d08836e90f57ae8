"""The command ``inarow``: its subcommands, and how errors are reported.

Commands import what they need when they run, so that ``inarow --help`` is quick.
"""

from __future__ import annotations

import os
import signal
import sys
from typing import Annotated, Any

import typer
from typer.core import TyperGroup

from inarow import __version__
from inarow.cli import (
    agents,
    annotate,
    book,
    check,
    cluster,
    convert,
    dataset,
    decide,
    doctor,
    export,
    games,
    grade,
    match,
    model,
    perft,
    play,
    report,
    results,
    serve,
    show,
    solve,
    sprt,
    study,
    tournament,
    train,
)
from inarow.errors import InarowError


class _Commands(TyperGroup):
    """Exits with 2 for a mistake in the input and 130 after Ctrl-C, with one line and no traceback."""

    def invoke(self, ctx: Any) -> Any:
        try:
            return super().invoke(ctx)
        except InarowError as error:
            _leave(f"inarow: {error}", 2)
        except KeyboardInterrupt:
            signal.signal(signal.SIGINT, signal.SIG_IGN)  # a second Ctrl-C must not interrupt the exit
            _leave("inarow: interrupted", 130)
        except BrokenPipeError:
            # The reader of our output has gone; keep Python from complaining when it flushes at the end.
            os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
            sys.exit(0)


def _leave(message: str, code: int) -> None:
    sys.stdout.flush()
    sys.stderr.write(message + "\n")
    sys.exit(code)


app = typer.Typer(
    name="inarow",
    cls=_Commands,
    help="A lab for adversarial game AI on games of k in a row: play, compare, and measure against perfect play.",
    no_args_is_help=True,
    add_completion=False,
    pretty_exceptions_enable=False,
    context_settings={"help_option_names": ["-h", "--help"]},
)


def _version(wanted: bool) -> None:
    if wanted:
        typer.echo(f"inarow {__version__}")
        raise typer.Exit


@app.callback()
def _main(
    version: Annotated[
        bool, typer.Option("--version", callback=_version, is_eager=True, help="Print the version and exit.")
    ] = False,
) -> None:
    from inarow.stopping import stop_on_interrupt

    stop_on_interrupt()


for command in (
    games,
    agents,
    show,
    perft,
    decide,
    solve,
    annotate,
    book,
    play,
    serve,
    match,
    train,
    model,
    grade,
    tournament,
    sprt,
    results,
    study,
    report,
    check,
    cluster,
    convert,
    dataset,
    export,
    doctor,
):
    command.register(app)


def run() -> None:
    """The entry point of the command."""
    app()


if __name__ == "__main__":
    run()
