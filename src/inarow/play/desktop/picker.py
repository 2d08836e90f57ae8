"""The list of all agents with their parameters, laid over the menu."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import partial

import pygame

from inarow.agents import agent
from inarow.agents.grammar import split_arguments
from inarow.agents.parameters import Choice, Kind, Switch
from inarow.agents.registry import agent_classes
from inarow.drawing.palette import Theme
from inarow.errors import InarowError
from inarow.play.desktop import shapes
from inarow.play.desktop.lettering import wrapped
from inarow.play.desktop.screen import Plane
from inarow.play.desktop.widgets import Button, Field, Group, Stepper, Widget

_ROWS = 9  # parameters that are shown at a time


@dataclass(frozen=True)
class Entry:
    """An agent as the registry knows it."""

    name: str
    summary: str
    parameters: tuple[Kind, ...]

    @property
    def shown(self) -> tuple[Kind, ...]:
        """The parameters that can be set here."""
        return tuple(kind for kind in self.parameters if not kind.hidden)


def catalogue() -> list[Entry]:
    """All agents. Imports their modules, which takes a while the first time."""
    return [Entry(kind.name, kind.summary, tuple(kind.parameters())) for kind in agent_classes()]


class Picker:
    """Puts a spec together; calls ``done`` with it, or with None."""

    def __init__(self, entries: list[Entry], spec: str, done: Callable[[str | None], None]) -> None:
        self._entries = {entry.name: entry for entry in entries}
        self._done = done
        self._plane = Plane(1000, 760)
        self._size = (1, 1)
        self._page = 0
        self.group = Group()
        self._places: dict[str, tuple[float, float, float, float]] = {}
        name, _, rest = spec.partition(":")
        self._name = name.strip() if name.strip() in self._entries else entries[0].name
        self._values: dict[str, str] = {}
        try:
            self._values = split_arguments(self._name, rest) if rest.strip() and self._name == name.strip() else {}
        except InarowError:
            self._values = {}
        self._build()

    @property
    def spec(self) -> str:
        """The spec as it stands, canonical if it is right."""
        kinds = {kind.name: kind for kind in self._entries[self._name].parameters}
        has_preset = self._values.get("preset", "none") != "none"  # which a default may change
        given = [
            f"{key}={_quoted(value)}"
            for key, value in self._values.items()
            if key in kinds and value.strip() and (has_preset or value != kinds[key].format(kinds[key].default))
        ]
        return f"{self._name}:{','.join(given)}" if given else self._name

    def error(self) -> str:
        """What is wrong with the spec; empty if nothing is."""
        try:
            agent(self.spec)
        except InarowError as error:
            return str(error)
        return ""

    def _build(self) -> None:
        self.group = Group()
        self._places = {}
        step = min(40.0, 550 / len(self._entries))
        for number, name in enumerate(self._entries):
            button = Button(f"agent {name}", name, partial(self._choose, name), partial(self._is_chosen, name))
            self._add(button, 60, 124 + number * step, 170, step - 6)
        kinds = self._entries[self._name].shown
        for number, kind in enumerate(kinds[self._page * _ROWS : (self._page + 1) * _ROWS]):
            self._add(self._editor(kind), 420, 160 + number * 54, 240, 34)
        if len(kinds) > _ROWS:
            self._add(Button("more", "More …", self._turn), 840, 124, 100, 34)
        self._add(Button("cancel", "Cancel", partial(self._done, None)), 690, 684, 120, 42)
        self._add(Button("use", "Use it", self._use, strong=True), 820, 684, 120, 42)

    def _editor(self, kind: Kind) -> Widget:
        text = self._values.get(kind.name, kind.format(kind.default))
        options = ["off", "on"] if isinstance(kind, Switch) else list(kind.options) if isinstance(kind, Choice) else []
        if options:
            index = options.index(text) if text in options else 0
            return Stepper(f"parameter {kind.name}", options, index, lambda at: self._set(kind.name, options[at]))
        return Field(f"parameter {kind.name}", text, kind.wanted, partial(self._set, kind.name), self._use)

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
        pages = -(-len(self._entries[self._name].shown) // _ROWS)
        self._page = (self._page + 1) % pages
        self._rebuild()

    def _rebuild(self) -> None:
        self._build()
        self.layout(self._size)

    def _use(self) -> None:
        if not self.error():
            self._done(agent(self.spec).spec)

    def layout(self, size: tuple[int, int]) -> None:
        """Find a place for everything."""
        self._size = size
        self._plane.fit(size)
        for name, place in self._places.items():
            self.group[name].rect = self._plane.rect(*place)

    def handle(self, event: pygame.Event) -> None:
        """Obey an event."""
        if not self.group.handle(event) and event.type == pygame.KEYDOWN and event.key == pygame.K_ESCAPE:
            self._done(None)

    def draw(self, surface: pygame.Surface, theme: Theme, mouse: tuple[int, int]) -> None:
        """Draw the list over whatever is there."""
        plane = self._plane
        veil = pygame.Surface(surface.get_size(), pygame.SRCALPHA)
        veil.fill((*theme.back, 242))
        surface.blit(veil, (0, 0))
        card = plane.rect(40, 40, 920, 700)
        panel = shapes.panel(card.width, card.height, theme.panel, plane.length(16), theme.line)
        shapes.blit(surface, panel, card.topleft)
        entry = self._entries[self._name]
        plane.write(surface, "Pick an agent", 60, 84, 40, theme.text, "midleft")
        plane.write(surface, entry.summary, 260, 141, 26, theme.faint, "midleft", 560)
        kinds = entry.shown[self._page * _ROWS : (self._page + 1) * _ROWS]
        for number, kind in enumerate(kinds):
            y = 177 + number * 54
            plane.write(surface, kind.name, 260, y, 26, theme.text, "midleft", 150)
            lines = wrapped(kind.help, plane.length(20), plane.length(268))[:3]
            for row, line in enumerate(lines):
                plane.write(surface, line, 672, y + (row - (len(lines) - 1) / 2) * 16, 20, theme.faint, "midleft", 270)
        if not kinds:
            plane.write(surface, "It has no parameters.", 260, 190, 26, theme.faint, "midleft")
        self.group.draw(surface, theme, mouse)
        error = self.error()
        plane.write(surface, error or self.spec, 60, 705, 26, theme.bad if error else theme.text, "midleft", 600)


def _quoted(value: str) -> str:
    """The value as the grammar takes it: quoted if a comma or a quote would end it."""
    bare = "(" in value or not any(character in value for character in ', "=')
    return value if bare else f'"{value}"'
