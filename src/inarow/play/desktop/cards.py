"""The cards of the window: help, saving and opening matches, and the settings of agents."""

from __future__ import annotations

import math
import time
from collections.abc import Callable, Sequence
from functools import partial
from pathlib import Path

import pygame

from inarow.agents import Agent, agent
from inarow.agents.parameters import Choice, Kind, Number, Switch, split_arguments
from inarow.agents.registry import agent_classes
from inarow.errors import InarowError
from inarow.play.desktop.paint import AWAY, Pen, text_width, wrapped
from inarow.play.desktop.widgets import Button, Field, List, ListRow, PanelCard, Slider, Stepper, Widget
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
        wide = max(text_width(key, self.unit) for key, _ in KEYS) + self.unit
        for number, (key, meaning) in enumerate(KEYS):
            top = y + 1.25 * self.unit * number
            pen.write(key, (left, top), self.unit, pen.theme.accent)
            pen.write(meaning, (left + wide, top), self.unit, pen.theme.text, width=self.body.width - wide)


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
        self._page, self._rows = 0, 1
        self.list = List("agents", self._choose, [ListRow(name) for name in agents])
        name, _, rest = spec.partition(":")
        known = name.strip() in agents
        self._name = name.strip() if known else next(iter(agents))
        self._values = self._parse(rest) if known else {}
        self._select()

    def _parse(self, rest: str) -> dict[str, str]:
        """Return the parameters of a spec, or none if it is invalid."""
        if self._name == "file":
            return {"path": rest.strip()}
        try:
            return split_arguments(self._name, rest) if rest.strip() else {}
        except InarowError:
            return {}

    @property
    def spec(self) -> str:
        """The spec as it stands, without defaults."""
        if self._name == "file":
            return f"file:{self._values.get('path', '')}"
        defaults = {kind.name: kind.format(kind.default) for kind in self.parameters}
        changed = {key: text for key, text in self._values.items() if text.strip() and text != defaults.get(key)}
        given = ",".join(f"{key}={_quoted(text)}" for key, text in changed.items())
        return f"{self._name}:{given}" if given else self._name

    def error(self) -> str:
        """Return what is wrong with the spec; an empty string if nothing is."""
        try:
            agent(self.spec)
        except InarowError as error:
            return str(error)
        return ""

    def _use(self) -> None:
        if not self.error():
            self._done(agent(self.spec).spec)

    def _choose(self, index: int) -> None:
        self._name, self._values, self._page = list(self.agents)[index], {}, 0
        self._select()
        self.place_body()

    def _select(self) -> None:
        self.list.selected = list(self.agents).index(self._name)
        self.parameters = tuple(self.agents[self._name].playing_parameters())

    def shown(self) -> tuple[Kind, ...]:
        """Return the settings on this page."""
        return self.parameters[self._page * self._rows : (self._page + 1) * self._rows]

    def _turn(self) -> None:
        self._page = (self._page + 1) % -(-len(self.parameters) // self._rows)
        self.place_body()

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
        self._rows = max(1, int((body.height - 5.2 * unit) // (1.75 * unit)))
        self.group.widgets.clear()
        self.group.add(self.list)
        label = round(self._right.width * 0.27)
        for number, kind in enumerate(self.shown()):
            text = self._values.get(kind.name, kind.format(kind.default))
            widget = editor(kind, text, partial(self._set, kind.name), self._use)
            top = body.top + round((2.5 + 1.75 * number) * unit)
            widget.rect = pygame.Rect(left + label, top, self._right.width - label, round(1.45 * unit))
            self.group.add(widget)
        more = Button("more", "More …", self._turn)
        more.visible = len(self.parameters) > self._rows
        more.rect = pygame.Rect(body.right - 6 * unit, self.rect.top + unit, 6 * unit, round(1.6 * unit))
        self.group.add(more, *self.buttons)

    def draw_body(self, pen: Pen) -> None:
        self._mouse, theme = pen.mouse, pen.theme
        unit, right, error = self.unit, self._right, self.error()
        lines = wrapped(self.agents[self._name].summary, unit, right.width)[:2]
        pen.write_lines(lines, right.topleft, unit, theme.faint, right.width)
        for kind in self.shown():
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
        for kind in self.shown():
            widget = self.group[f"parameter {kind.name}"]
            row = pygame.Rect(self._right.left, widget.rect.top, self._right.width, widget.rect.height)
            if widget.focused or row.collidepoint(self._mouse):
                return f"{kind.name}: {kind.help}."
        return "Point at a setting to see what it does." if self.shown() else "It has no settings."


def _quoted(value: str) -> str:
    """Quote a value that would otherwise end at a comma or a quote."""
    bare = "(" in value or not any(character in value for character in ', "=')
    return value if bare else f'"{value}"'


_DECADES = 4  # that a slider covers around a number without a narrow range
_DEEPEST = 16  # plies on a slider for a depth; more is typed
_NARROW = 12  # a range up to which whole numbers are on a slider one by one


def editor(kind: Kind, text: str, changed: Callable[[str], None], entered: Callable[[], None]) -> Widget:
    """Return the widget that edits a parameter: a slider for a number, a stepper for a choice, else a field."""
    name = f"parameter {kind.name}"
    options = _options(kind)
    if not options:
        return Field(name, text, kind.wanted, changed, entered)
    if text not in options:
        options.insert(_rank(kind, options, text), text)
    make = Slider if isinstance(kind, Number) else Stepper
    return make(name, options, options.index(text), lambda at: changed(options[at]))


def _options(kind: Kind) -> list[str]:
    """Return the values to choose from, or none if the value is typed."""
    if isinstance(kind, Switch):
        return ["off", "on"]
    if isinstance(kind, Choice):
        return list(kind.options)
    if isinstance(kind, Number):
        return _ticks(kind)
    from inarow.agents.evaluators import EvaluatorKind  # with what agents have loaded by now

    return list(kind.names) if isinstance(kind, EvaluatorKind) else []


def _rank(kind: Kind, options: list[str], text: str) -> int:
    """Return the index at which a value that was typed elsewhere belongs."""
    if not isinstance(kind, Number):
        return 0
    try:
        value = kind.read(text)
    except ValueError:
        return 0
    return max((at + 1 for at, one in enumerate(options) if (kind.read(one) or -math.inf) < value), default=0)


def _ticks(kind: Number) -> list[str]:
    """Return the values of a slider: twentieths from 0 to 1, plies and narrow ranges one by one, else 1, 2, 5, 10 …"""
    words = [] if kind.none is None else [kind.none]
    low, high, default = kind.low, kind.high, kind.default
    if low == 0 and high == 1:
        values: list[float] = [step / 20 for step in range(21)]
    elif _takes(kind, "full"):
        return [*words, *map(str, range(1, _DEEPEST + 1)), "full"]
    elif kind.whole and low is not None and high is not None and high - low <= _NARROW:
        values = list(range(int(low), int(high) + 1))
    else:
        middle = math.log10(default) if default else 1.0 if not kind.whole else 4.0
        start, end = math.floor(middle - _DECADES / 2), math.ceil(middle + _DECADES / 2)
        values = [step * 10.0**power for power in range(start, end + 1) for step in [1, 2, 5]]
        values = [0.0] * (low == 0) + [value for value in values if value >= (1 if kind.whole else 0.001)]
    if default is not None:
        values = sorted({*values, default})
    rounded = [int(value) if kind.whole else float(value) for value in values]
    return [*words, *(kind.format(value) for value in rounded if kind.fits(value))]


def _takes(kind: Kind, text: str) -> bool:
    try:
        kind.read(text)
    except ValueError:
        return False
    return True
