"""The cards of the window: help, saving and opening matches, and the settings of agents."""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from functools import partial
from pathlib import Path

import pygame

from inarow.agents import Agent, agent
from inarow.agents.parameters import Choice, Kind, Switch, split_arguments
from inarow.agents.registry import agent_classes
from inarow.errors import InarowError
from inarow.play.desktop.paint import AWAY, Pen, text_width, wrapped
from inarow.play.desktop.widgets import Button, Field, List, ListRow, PanelCard, Stepper, Widget
from inarow.play.saved import matches_folder

# Help.

KEYS = (
    ("click, 1–9, arrows + Enter", "play"),
    ("U / Y", "undo / redo"),
    ("H", "hint"),
    ("E", "evaluation on / off"),
    ("R", "restart, or the next match"),
    ("V", "review the mistakes, after the match"),
    ("Space", "pause agents"),
    ("S", "save the match"),
    ("I", "save a picture of the window"),
    ("M, Esc", "menu; the match is kept"),
    ("F", "full screen"),
    ("Q", "quit; asks first during a match"),
)
LABELS = (
    "Evaluation, from the exact solver: the disc over a column shows the player who wins with best play after that "
    "move, and the number how many of their own moves that takes; = is a draw, ? is not proven within two seconds. "
    "Green is good and red is bad for the player to move. The bar fills with the colour of the player who is ahead."
)


class HelpCard(PanelCard):
    """The keys, and what the labels of the evaluation mean; any key or click closes it."""

    width = 36.0

    def __init__(self, leave: Callable[[], None]) -> None:
        super().__init__("Help", leave, text=LABELS)

    def handle(self, event: pygame.Event) -> None:
        if event.type in (pygame.KEYDOWN, pygame.MOUSEBUTTONDOWN):
            self.leave()

    def body_lines(self) -> float:
        return 1.25 * len(KEYS) + 0.4

    def draw_body(self, pen: Pen) -> None:
        left, y = self.body.topleft
        width = max(text_width(key, self.unit) for key, _ in KEYS) + self.unit
        for number, (key, meaning) in enumerate(KEYS):
            top = y + 1.25 * self.unit * number
            pen.write(key, (left, top), self.unit, pen.theme.accent)
            pen.write(meaning, (left + width, top), self.unit, pen.theme.text, width=self.body.width - width)


# Matches on disk.


class FileCard(PanelCard):
    """Saves or opens a file: a field for a name or a path, and a list of files if there is one to choose from.

    ``use`` gets the name; if it raises InarowError, the card stays open and shows the reason.
    """

    width = 30.0

    def __init__(
        self,
        title: str,
        word: str,
        use: Callable[[str], None],
        leave: Callable[[], None],
        name: str = "",
        files: Sequence[Path] | None = None,
    ) -> None:
        super().__init__(title, leave, Button("cancel", "Cancel", leave), Button("use", word, self._try, strong=True))
        self.error = ""
        self._use = use
        self._files = files
        self._field = Field("name", name, "a name, or a path", entered=self._try)
        self.list = List("files", self._choose, [ListRow(one.name, _date(one)) for one in files or ()])
        self.group.add(self._field, self.list)
        self.group.set_focus(self._field)

    def _choose(self, index: int) -> None:
        assert self._files is not None
        self._field.text = str(self._files[index])
        self._try()

    def _try(self) -> None:
        try:
            self._use(self._field.text)
        except InarowError as error:
            self.error = str(error)
        else:
            self.leave()

    def body_lines(self) -> float:
        return 5.6 if self._files is None else 18.0

    def place_body(self) -> None:
        body, unit = self.body, self.unit
        top = body.bottom - round(5.6 * unit)
        self._field.rect = pygame.Rect(body.left, top, body.width, 2 * unit)
        self.list.place(pygame.Rect(body.left, body.top, body.width, max(0, top - body.top - unit // 2)), unit)

    def draw_body(self, pen: Pen) -> None:
        unit, width, theme = self.unit, self.body.width, pen.theme
        text, colour = (self.error, theme.bad) if self.error else (f"in {matches_folder()}", theme.faint)
        place = (self.body.left, self._field.rect.bottom + 0.4 * unit)
        pen.write_lines(wrapped(text, unit, width)[:3], place, unit, colour, width)
        if self._files is not None and not self._files:
            pen.write("No match has been saved yet.", self.body.topleft, unit, theme.faint)


def _date(path: Path) -> str:
    try:
        return time.strftime("%Y-%m-%d %H:%M", time.localtime(path.stat().st_mtime))
    except OSError:
        return ""


# Agents and their settings.


def catalogue() -> dict[str, type[Agent]]:
    """Return all agents, and files, by name. Imports their modules, which takes a while the first time."""
    from inarow.agents.file import File

    kinds: list[type[Agent]] = [*agent_classes(), File]
    return {kind.name: kind for kind in kinds}


class Picker(PanelCard):
    """All agents, and the settings of one of them; calls ``done`` with a spec, or with None."""

    width = 46.0
    button_width = 7.5

    def __init__(self, agents: dict[str, type[Agent]], spec: str, done: Callable[[str | None], None]) -> None:
        cancel, use = Button("cancel", "Cancel", partial(done, None)), Button("use", "Use it", self._use, strong=True)
        super().__init__("Another agent", partial(done, None), cancel, use)
        self.agents = agents
        self._done = done
        self._mouse = AWAY
        self.list = List("agents", self._choose, [ListRow(name) for name in agents])
        name, _, rest = spec.partition(":")
        known = name.strip() in agents
        self._name = name.strip() if known else next(iter(agents))
        self._values = self._parse(rest) if known else {}
        self._select()

    def _parse(self, rest: str) -> dict[str, str]:
        """Return the parameters of a spec; an empty dictionary if it is invalid."""
        if self._name == "file":
            return {"path": rest.strip()}
        try:
            return split_arguments(self._name, rest) if rest.strip() else {}
        except InarowError:
            return {}

    @property
    def spec(self) -> str:
        """The current spec, without defaults."""
        if self._name == "file":
            return f"file:{self._values.get('path', '')}"
        defaults = {kind.name: kind.format(kind.default) for kind in self.parameters}
        changed = {key: text for key, text in self._values.items() if text.strip() and text != defaults.get(key)}
        arguments = ",".join(f"{key}={_quoted(text)}" for key, text in changed.items())
        return f"{self._name}:{arguments}" if arguments else self._name

    def error(self) -> str:
        """Return the error in the spec, or an empty string."""
        try:
            agent(self.spec)
        except InarowError as error:
            return str(error)
        return ""

    def _use(self) -> None:
        if not self.error():
            self._done(agent(self.spec).spec)

    def _choose(self, index: int) -> None:
        self._name, self._values = list(self.agents)[index], {}
        self._select()
        self.place_body()

    def _select(self) -> None:
        self.list.selected = list(self.agents).index(self._name)
        self.parameters = tuple(self.agents[self._name].playing_parameters())

    def _set(self, key: str, value: str) -> None:
        self._values[key] = value

    def body_lines(self) -> float:
        return 22.0

    def place_body(self) -> None:
        unit, body = self.unit, self.body
        side = round(body.width * 0.22)
        self.list.place(pygame.Rect(body.left, body.top, side, body.height), unit)
        self.list.select(self.list.selected)
        left = body.left + side + unit
        self._right = pygame.Rect(left, body.top, body.right - left, body.height)
        pitch = min(1.75 * unit, (body.height - 5.2 * unit) / max(1, len(self.parameters)))
        self.group.widgets.clear()
        self.group.add(self.list)
        label = round(self._right.width * 0.27)
        for number, kind in enumerate(self.parameters):
            text = self._values.get(kind.name, kind.format(kind.default))
            widget = editor(kind, text, partial(self._set, kind.name), self._use)
            top = body.top + round(2.5 * unit + pitch * number)
            widget.rect = pygame.Rect(left + label, top, self._right.width - label, round(0.83 * pitch))
            self.group.add(widget)
        self.group.add(*self.buttons)

    def draw_body(self, pen: Pen) -> None:
        self._mouse, theme = pen.mouse, pen.theme
        unit, right, error = self.unit, self._right, self.error()
        lines = wrapped(self.agents[self._name].summary, unit, right.width)[:2]
        pen.write_lines(lines, right.topleft, unit, theme.faint, right.width)
        for kind in self.parameters:
            y = self.group[f"parameter {kind.name}"].rect.centery
            pen.write(kind.name, (right.left, y), unit, theme.text, "midleft", right.width * 0.25)
        lines = wrapped(self.explained(), unit, right.width)[:2]
        pen.write_lines(lines, (right.left, right.bottom - 2.3 * unit), unit, theme.faint, right.width)
        cancel = self.buttons[0].rect
        room = cancel.left - self.body.left - unit
        lines = wrapped(error or self.spec, unit, room)[:3]
        place = (self.body.left, cancel.centery - len(lines) * unit * 0.55)
        pen.write_lines(lines, place, unit, theme.bad if error else theme.text, room)

    def explained(self) -> str:
        """Return the help of the setting under the pointer, or of the one with the focus."""
        for kind in self.parameters:
            widget = self.group[f"parameter {kind.name}"]
            row = pygame.Rect(self._right.left, widget.rect.top, self._right.width, widget.rect.height)
            if widget.focused or row.collidepoint(self._mouse):
                return f"{kind.name}: {kind.help}."
        return "Point at a setting to see what it does." if self.parameters else "This agent has no settings."


def _quoted(value: str) -> str:
    """Quote a value that would otherwise end at a comma or a quote."""
    bare = "(" in value or not any(character in value for character in ', "=')
    return value if bare else f'"{value}"'


def editor(kind: Kind, text: str, changed: Callable[[str], None], entered: Callable[[], None]) -> Widget:
    """Return the widget that edits a parameter: a stepper if there is a list of values, else a field."""
    from inarow.agents.evaluators import EvaluatorKind  # already loaded with the agents

    name = f"parameter {kind.name}"
    options: Sequence[str] = ()
    if isinstance(kind, Switch):
        options = ("off", "on")
    elif isinstance(kind, Choice):
        options = kind.options
    elif isinstance(kind, EvaluatorKind):
        options = kind.names
    if not options:
        return Field(name, text, kind.wanted, changed, entered)
    options = list(dict.fromkeys([*options, text]))
    return Stepper(name, options, options.index(text), lambda at: changed(options[at]))
