"""The ``inarow`` command and its subcommands.

A command's module is imported when the command is used, and imports what it needs when it runs.
"""

from __future__ import annotations

import importlib
import sys
from typing import Annotated, Any

import typer

from inarow import __version__
from inarow.cli.leaving import flush_output, one_line_errors, open_streams, settle_encoding, watch_interrupts
from inarow.cli.pages import CommandApp, PagedGroup, first_sentence, heading, paragraph, two_columns
from inarow.errors import unknown
from inarow.formatting import capitalised, sentence
from inarow.plugins import COMMANDS, PluginError, load_object, plugins

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
    **dict.fromkeys(("check", "check-tests", "assignment", "tree"), "teach"),
    **dict.fromkeys(("show", "perft", "games"), "rules"),
    **dict.fromkeys(("export", "dataset"), "convert"),
    **dict.fromkeys(("sweep", "report"), "study"),
    **dict.fromkeys(("book", "table"), "books"),
    **dict.fromkeys(("bench", "doctor", "cluster"), "system"),
    **dict.fromkeys(("serve", "site"), "play"),
    "verify": "solve",
    "trace": "decide",
    "annotate": "grade",
    "sprt": "tournament",
    "model": "train",
    "help": "pages",
}
"""The modules of commands that are not in a module of their own name."""

PLUGINS = "Installed packages"
"""The heading of plugin commands without a group."""

START_HERE = (
    ("inarow play", "Play Connect 4 against a beginner."),
    ("inarow solve connect4 425", "Which move saves this position?"),
    ("inarow match connect4 mcts rules", "Play ten matches between two agents."),
)
"""First commands for a new user."""


class _Commands(PagedGroup):
    """The command group: exits with one line, 2 for invalid input and 130 after Ctrl-C."""

    def middle(self, ctx: Any) -> list[str]:
        names = {group: list(commands) for group, commands in GROUPS.items()}
        summaries, broken = {}, []
        for name in (*_OURS, *(name for name in plugins(COMMANDS) if name not in _OURS)):
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
        return list(_OURS)

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


if __name__ == "__main__":
    run()
