"""Help pages, and the command ``help``.

Pages are plain text, so that ``--help`` imports nothing heavy and no line is wider than the terminal.
"""

from __future__ import annotations

import shutil
import textwrap
from collections.abc import Callable, Iterable, Sequence
from typing import Annotated, Any, ClassVar

import typer
from typer.core import TyperCommand, TyperGroup

from inarow.errors import InarowError, unknown

WIDEST = 100
"""Maximum width of a help page."""
_LEFT = 26
"""Maximum width of the left column; longer names get their own line."""


def width() -> int:
    """Return the width of a help page on this terminal."""
    return min(WIDEST, shutil.get_terminal_size().columns)


def heading(text: str) -> str:
    """Return a heading, bold where the terminal supports it."""
    return typer.style(text, bold=True)


def paragraph(text: str, indent: str = "") -> str:
    """Wrap a paragraph at words."""
    filled = textwrap.fill(
        " ".join(text.split()),
        width(),
        initial_indent=indent,
        subsequent_indent=indent,
        break_long_words=False,
        break_on_hyphens=False,
    )
    return filled or indent.rstrip()


def two_columns(rows: Iterable[tuple[str, str]], left: int = 0) -> str:
    """Format names and meanings in two columns; ``left`` is the width of the first, 0 to fit the names."""
    listed = list(rows)
    left = left or min(_LEFT, max((len(name) for name, _ in listed), default=0))
    gap = " " * (left + 4)
    lines = []
    for name, meaning in listed:
        filled = paragraph(meaning, gap)
        if len(name) > left:
            lines.append(f"  {name}")
            lines += [filled] if filled else []
        else:
            lines.append(f"  {name:<{left}}{filled[left + 2 :]}".rstrip())
    return "\n".join(lines)


def metavar(parameter: Any) -> str:
    """Return the placeholder of a parameter's value: its own, N for a number, FILE for a path, else TEXT."""
    if parameter.metavar:
        return str(parameter.metavar)
    if parameter.param_type_name == "argument":
        return str(parameter.name).upper()
    described = getattr(parameter, "type_descriptor", None)
    kind = str(getattr(described, "annotation", "") or getattr(parameter.type, "name", "")).lower()
    return "FILE" if "path" in kind else "N" if "int" in kind or "float" in kind else "TEXT"


def default_text(parameter: Any) -> str:
    """Return the default as a user would write it, or an empty string."""
    shown, default = parameter.show_default, parameter.default
    if isinstance(shown, str):
        return shown
    if shown is False or default is None or callable(default) or default in ("", [], ()):
        return ""
    if isinstance(default, bool):
        names = parameter.opts if default else parameter.secondary_opts
        return names[0].lstrip("-") if parameter.secondary_opts else ""
    return f"{default:g}" if isinstance(default, float) else str(default)


def _meaning(parameter: Any) -> str:
    notes = []
    if parameter.param_type_name == "option" and parameter.required:
        notes.append("required")
    if default := default_text(parameter):
        notes.append(f"default: {default}")
    return f"{parameter.help or ''} [{'; '.join(notes)}]" if notes else str(parameter.help or "")


def _option_names(parameter: Any) -> str:
    short = [name for name in parameter.opts if not name.startswith("--")]
    long = [name for name in parameter.opts if name.startswith("--")]
    names = ", ".join([*short, *long])
    if parameter.secondary_opts:
        names += f" / {parameter.secondary_opts[0]}"
    return names if parameter.is_flag else f"{names} {metavar(parameter)}"


class _Page:
    """Shared by commands and groups: the usage line and the sections of a page."""

    extra_usage: ClassVar[Sequence[str]] = ()

    def collect_usage_pieces(self, ctx: Any) -> list[str]:
        """Return the arguments in order, required options, and [OPTIONS]."""
        parameters = [one for one in self.get_params(ctx) if not getattr(one, "hidden", False)]  # type: ignore[attr-defined]
        arguments = [metavar(one) for one in parameters if one.param_type_name == "argument"]
        needed = [
            f"{one.opts[0]} {metavar(one)}" for one in parameters if one.param_type_name == "option" and one.required
        ]
        return [*arguments, *self.extra_usage, *needed, "[OPTIONS]"]

    def format_help(self, ctx: Any, formatter: Any) -> None:
        """Write the whole page."""
        formatter.write("\n\n".join(self.sections(ctx)) + "\n")

    def sections(self, ctx: Any) -> list[str]:
        """Return the sections of the page; blank lines separate them."""
        parts = [f"{heading('Usage:')} {ctx.command_path} {' '.join(self.collect_usage_pieces(ctx))}"]
        parts += [paragraph(part) for part in (self.help or "").split("\n\n") if part.strip()]  # type: ignore[attr-defined]
        parts += self.middle(ctx)
        shown = [one for one in self.get_params(ctx) if not getattr(one, "hidden", False)]  # type: ignore[attr-defined]
        arguments = [(metavar(one), _meaning(one)) for one in shown if one.param_type_name == "argument"]
        options = [(_option_names(one), _meaning(one)) for one in shown if one.param_type_name == "option"]
        parts += [f"{heading('Arguments')}\n{two_columns(arguments)}"] if arguments else []
        parts += [f"{heading('Options')}\n{two_columns(options)}"] if options else []
        return [*parts, *([self.epilog] if self.epilog else [])]  # type: ignore[attr-defined]

    def middle(self, ctx: Any) -> list[str]:
        """Return the sections between the description and the options."""
        return []


class PagedCommand(_Page, TyperCommand):
    """A command with our help page."""


class PagedGroup(_Page, TyperGroup):
    """A group whose page lists its commands, each with its first sentence."""

    extra_usage = ("COMMAND",)

    def middle(self, ctx: Any) -> list[str]:
        commands = ((name, self.get_command(ctx, name)) for name in self.list_commands(ctx))
        rows = [(name, first_sentence(one.help or "")) for name, one in commands if one is not None and not one.hidden]
        return [f"{heading('Commands')}\n{two_columns(rows)}"]


def command(*examples: str) -> Callable[[Callable[..., None]], Callable[..., None]]:
    """Mark a function as a command, with examples for its help page."""
    lines = "\n  ".join(examples)
    epilog = f"Example: {lines}" if len(examples) == 1 else f"Examples:\n  {lines}"

    def mark(function: Callable[..., None]) -> Callable[..., None]:
        function.__dict__["epilog"] = epilog
        return function

    return mark


class CommandApp(typer.Typer):
    """A Typer whose commands have our help pages."""

    def __init__(self, cls: type[PagedGroup] = PagedGroup, *, add_completion: bool = False, **settings: Any) -> None:
        super().__init__(cls=cls, rich_markup_mode=None, add_completion=add_completion, **settings)

    def command(
        self, name: str | None = None, *, cls: type[TyperCommand] | None = PagedCommand, **settings: Any
    ) -> Callable[[Any], Any]:
        return super().command(name, cls=cls, **settings)


def first_sentence(text: str) -> str:
    """Return the text up to its first full stop."""
    whole = " ".join(text.split())
    sentence, stop, _ = whole.partition(". ")
    return sentence + "." if stop else whole


@command("inarow help match")
def help_(
    ctx: typer.Context,
    words: Annotated[
        list[str] | None, typer.Argument(metavar="[COMMAND]...", help="A command, such as match or model show.")
    ] = None,
) -> None:
    """Show the help of a command, or list all commands."""
    page: Any = ctx.find_root()
    for word in words or ():
        group = page.command
        command = group.get_command(page, word) if hasattr(group, "get_command") else None
        if command is None:
            names = group.list_commands(page) if hasattr(group, "list_commands") else []
            raise InarowError(unknown("command", word, names, "`inarow help` lists all commands."))
        page = command.make_context(word, [], parent=page, resilient_parsing=True)
    typer.echo(page.get_help())
