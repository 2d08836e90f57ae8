"""The card with all agents and the settings of one of them."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial

import pygame

from inarow.agents import agent
from inarow.agents.grammar import split_arguments
from inarow.agents.parameters import Kind
from inarow.drawing.palette import Theme
from inarow.errors import InarowError
from inarow.play.desktop.lettering import wrapped
from inarow.play.desktop.overlay import Overlay
from inarow.play.desktop.screen import Plane
from inarow.play.desktop.settings import Entry, editor
from inarow.play.desktop.widgets import Button, Group, Widget

_ROWS = 9  # settings that are shown at a time
_TOP, _STEP = 150, 40


class Picker(Overlay):
    """Puts a spec together; calls ``done`` with it, or with None."""

    def __init__(self, entries: list[Entry], spec: str, done: Callable[[str | None], None]) -> None:
        super().__init__(partial(done, None))
        self._entries = {entry.name: entry for entry in entries}
        self._done = done
        self._plane = Plane(800, 640)
        self._size = (1, 1)
        self._page = 0
        self._mouse = (-1, -1)
        self._places: dict[str, tuple[float, float, float, float]] = {}
        name, _, rest = spec.partition(":")
        self._name = name.strip() if name.strip() in self._entries else entries[0].name
        self._values = self._read(rest) if self._name == name.strip() else {}
        self._build()

    def _read(self, rest: str) -> dict[str, str]:
        """The parameters of a spec; of one that can't be read, none."""
        if self._name == "file":
            return {"path": rest.strip()}
        try:
            return split_arguments(self._name, rest) if rest.strip() else {}
        except InarowError:
            return {}

    @property
    def spec(self) -> str:
        """The spec as it stands, canonical if it is right."""
        if self._name == "file":
            return f"file:{self._values.get('path', '')}"
        defaults = {kind.name: kind.format(kind.default) for kind in self._entries[self._name].parameters}
        given = [
            f"{key}={_quoted(value)}"
            for key, value in self._values.items()
            if value.strip() and value != defaults.get(key)
        ]
        return f"{self._name}:{','.join(given)}" if given else self._name

    def error(self) -> str:
        """What is wrong with the spec; empty if nothing is."""
        try:
            agent(self.spec)
        except InarowError as error:
            return str(error)
        return ""

    def _shown(self) -> tuple[Kind, ...]:
        """The settings of this page."""
        return self._entries[self._name].parameters[self._page * _ROWS : (self._page + 1) * _ROWS]

    def _build(self) -> None:
        self.group = Group()
        self._places = {}
        step = min(40.0, 440 / len(self._entries))
        for number, name in enumerate(self._entries):
            button = Button(f"agent {name}", name, partial(self._choose, name), partial(self._is_chosen, name))
            self._add(button, 44, 96 + number * step, 140, step - 5)
        for number, kind in enumerate(self._shown()):
            text = self._values.get(kind.name, kind.format(kind.default))
            self._add(editor(kind, text, partial(self._set, kind.name), self._use), 370, _TOP + number * _STEP, 386, 32)
        if len(self._entries[self._name].parameters) > _ROWS:
            self._add(Button("more", "More …", self._turn), 656, 44, 100, 34)
        self._add(Button("cancel", "Cancel", partial(self._done, None)), 536, 568, 105, 40)
        self._add(Button("use", "Use it", self._use, strong=True), 651, 568, 105, 40)

    def _add(self, widget: Widget, x: float, y: float, width: float, height: float) -> None:
        self.group.add(widget)
        self._places[widget.name] = (x, y, width, height)

    def _set(self, key: str, value: str) -> None:
        self._values[key] = value

    def _choose(self, name: str) -> None:
        self._name, self._values, self._page = name, {}, 0
        self._rebuild()

    def _is_chosen(self, name: str) -> bool:
        return self._name == name

    def _turn(self) -> None:
        pages = -(-len(self._entries[self._name].parameters) // _ROWS)
        self._page = (self._page + 1) % pages
        self._rebuild()

    def _rebuild(self) -> None:
        self._build()
        self.layout(self._size)

    def _use(self) -> None:
        if not self.error():
            self._done(agent(self.spec).spec)

    def layout(self, size: tuple[int, int]) -> None:
        self._size = size
        self._plane.fit(size)
        self._unit = self._plane.length(24)
        self._card = self._plane.rect(16, 16, 768, 608)
        for name, place in self._places.items():
            self.group[name].rect = self._plane.rect(*place)

    def draw(self, surface: pygame.Surface, theme: Theme, mouse: tuple[int, int]) -> None:
        self._mouse = mouse
        super().draw(surface, theme, mouse)

    def _draw_text(self, surface: pygame.Surface, theme: Theme) -> None:
        plane, entry = self._plane, self._entries[self._name]
        plane.write(surface, "Another agent", 44, 62, 36, theme.text, "midleft")
        for number, line in enumerate(wrapped(entry.summary, plane.length(22), plane.length(540))[:2]):
            plane.write(surface, line, 210, 108 + number * 21, 22, theme.faint, "midleft", 546)
        for number, kind in enumerate(self._shown()):
            y = _TOP + number * _STEP + 16
            plane.write(surface, kind.name, 210, y, 25, theme.text, "midleft", 150)
        help_text = "It has no settings." if not entry.parameters else self._explained()
        for number, line in enumerate(wrapped(help_text, plane.length(20), plane.length(546))[:2]):
            plane.write(surface, line, 210, 525 + number * 20, 20, theme.faint, "midleft", 546)
        error = self.error()
        lines = wrapped(error or self.spec, plane.length(22), plane.length(470))[:2]
        for number, line in enumerate(lines):
            middle = 588 + (number - (len(lines) - 1) / 2) * 22
            plane.write(surface, line, 44, middle, 22, theme.bad if error else theme.text, "midleft", 480)

    def _explained(self) -> str:
        """The help of the setting under the pointer, or of the one with the focus."""
        for kind in self._shown():
            widget = self.group[f"parameter {kind.name}"]
            row = widget.rect.union(widget.rect.move(-self._plane.length(160), 0))
            if widget.focused or row.collidepoint(self._mouse):
                return f"{kind.name}: {kind.help}."
        return "Point at a setting to see what it does."


def _quoted(value: str) -> str:
    """The value as the grammar takes it: quoted if a comma or a quote would end it."""
    bare = "(" in value or not any(character in value for character in ', "=')
    return value if bare else f'"{value}"'
