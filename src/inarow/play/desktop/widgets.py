"""The parts of a screen that can be clicked or typed into. A widget has a name, a place, and draws itself."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field

import pygame

from inarow.drawing.palette import Theme, mixed
from inarow.play.desktop import shapes
from inarow.play.desktop.lettering import text_width, write


@dataclass
class Widget:
    """Something on a screen; ``name`` finds it again."""

    name: str
    rect: pygame.Rect = field(default_factory=lambda: pygame.Rect(0, 0, 0, 0), kw_only=True)
    enabled: bool = field(default=True, kw_only=True)
    focused: bool = field(default=False, kw_only=True)
    visible: bool = field(default=True, kw_only=True)
    takes_text = False

    def draw(self, surface: pygame.Surface, theme: Theme, mouse: tuple[int, int]) -> None:
        """Draw it; ``mouse`` is where the pointer is."""

    def click(self, place: tuple[int, int]) -> None:
        """It was clicked there."""

    def drag(self, place: tuple[int, int]) -> None:
        """The pointer moved there with the button held down."""

    def key(self, event: pygame.Event) -> bool:
        """A key was pressed while it had the focus; whether it took it."""
        if event.key in (pygame.K_RETURN, pygame.K_SPACE):
            self.click(self.rect.center)
            return True
        return False

    @property
    def usable(self) -> bool:
        """Whether it is there and can be used."""
        return self.enabled and self.visible

    def _hovered(self, mouse: tuple[int, int]) -> bool:
        return self.enabled and self.rect.collidepoint(mouse)


def _box(surface: pygame.Surface, rect: pygame.Rect, colour: tuple[int, int, int], theme: Theme, focus: bool) -> None:
    radius = min(rect.height // 3, max(4, rect.height // 4))
    edge = theme.accent if focus else None
    shapes.blit(surface, shapes.panel(rect.width, rect.height, colour, radius, edge, 2), rect.topleft)


@dataclass
class Button(Widget):
    """Does something when it is clicked; ``chosen`` marks the one of several that counts."""

    label: str = ""
    action: Callable[[], None] = lambda: None
    chosen: Callable[[], bool] = lambda: False
    strong: bool = False

    def draw(self, surface: pygame.Surface, theme: Theme, mouse: tuple[int, int]) -> None:
        filled = self.strong or self.chosen()
        colour = theme.accent if filled else theme.raised
        if self._hovered(mouse):
            colour = mixed(colour, theme.text, 0.12)
        text = theme.on_accent if filled else theme.text
        if not self.enabled:
            colour, text = mixed(theme.raised, theme.panel, 0.7), mixed(theme.faint, theme.panel, 0.5)
        _box(surface, self.rect, colour, theme, self.focused)
        height = round(self.rect.height * (0.56 if self.strong else 0.58))
        write(surface, self.label, self.rect.center, height, text, "center", self.rect.width - self.rect.height // 2)

    def click(self, place: tuple[int, int]) -> None:
        if self.enabled:
            self.action()


@dataclass
class Stepper(Widget):
    """One of a list of values, stepped through by clicking its left or right half, or with the arrow keys."""

    values: Sequence[str] = ()
    index: int = 0
    changed: Callable[[int], None] = lambda index: None

    def draw(self, surface: pygame.Surface, theme: Theme, mouse: tuple[int, int]) -> None:
        hovered = self._hovered(mouse)
        _box(surface, self.rect, theme.raised, theme, self.focused)
        height = round(self.rect.height * 0.58)
        room = self.rect.width - 2 * self.rect.height
        write(surface, self.values[self.index], self.rect.center, height, theme.text, "center", room)
        for step in (-1, 1):
            inside = hovered and (mouse[0] > self.rect.centerx) == (step > 0)
            possible = 0 <= self.index + step < len(self.values)
            colour = theme.text if inside and possible else theme.faint if possible else theme.line
            x = self.rect.centerx + step * (self.rect.width / 2 - self.rect.height * 0.5)
            arrow = shapes.arrow(max(6, round(self.rect.height * 0.36)), colour, step)
            shapes.blit_centre(surface, arrow, (x, self.rect.centery))

    def click(self, place: tuple[int, int]) -> None:
        self._step(1 if place[0] > self.rect.centerx else -1)

    def key(self, event: pygame.Event) -> bool:
        if event.key in (pygame.K_LEFT, pygame.K_RIGHT):
            self._step(1 if event.key == pygame.K_RIGHT else -1)
            return True
        return False

    def _step(self, step: int) -> None:
        index = min(max(self.index + step, 0), len(self.values) - 1)
        if index != self.index:
            self.index = index
            self.changed(index)


@dataclass
class Slider(Stepper):
    """One of a list of values along a line: clicked, dragged, or stepped with the arrow keys."""

    def draw(self, surface: pygame.Surface, theme: Theme, mouse: tuple[int, int]) -> None:
        height = self.rect.height
        left, right = self._ends()
        knob = left + round((right - left) * self.index / max(1, len(self.values) - 1))
        thick = max(3, height // 7)
        for end, colour in ((right, theme.line), (knob, theme.accent)):
            bar = shapes.panel(max(1, end - left), thick, colour, thick // 2)
            shapes.blit(surface, bar, (left, self.rect.centery - thick // 2))
        size = round(height * (0.62 if self.focused or self._hovered(mouse) else 0.5))
        shapes.blit_centre(
            surface, shapes.dot(size, theme.text if self.focused else theme.accent), (knob, self.rect.centery)
        )
        room = self.rect.right - right - height // 2
        place = (self.rect.right, self.rect.centery)
        write(surface, self.values[self.index], place, round(height * 0.56), theme.text, "midright", room)

    def _ends(self) -> tuple[int, int]:
        """Where the line begins and ends."""
        return self.rect.left + self.rect.height // 3, self.rect.left + round(self.rect.width * 0.68)

    def click(self, place: tuple[int, int]) -> None:
        left, right = self._ends()
        at = round((place[0] - left) / max(1, right - left) * (len(self.values) - 1))
        self._step(at - self.index)

    def drag(self, place: tuple[int, int]) -> None:
        self.click(place)


@dataclass
class Field(Widget):
    """A line of text to type into."""

    text: str = ""
    hint: str = ""
    changed: Callable[[str], None] = lambda text: None
    entered: Callable[[], None] = lambda: None
    takes_text = True

    def draw(self, surface: pygame.Surface, theme: Theme, mouse: tuple[int, int]) -> None:
        radius = max(4, self.rect.height // 4)
        edge = theme.accent if self.focused else theme.line
        box = shapes.panel(self.rect.width, self.rect.height, theme.back, radius, edge, 2 if self.focused else 1)
        shapes.blit(surface, box, self.rect.topleft)
        height = round(self.rect.height * 0.58)
        inner = self.rect.inflate(-self.rect.height // 2, -4)
        before = surface.get_clip()
        surface.set_clip(inner.clip(before))
        shown, colour = (self.text, theme.text) if self.text or self.focused else (self.hint, theme.faint)
        width = text_width(shown, height)
        left = min(inner.left, inner.right - width - 3) if self.focused else inner.left
        write(surface, shown, (left, inner.centery), height, colour, "midleft")
        if self.focused:
            top = inner.centery - height // 3
            pygame.draw.rect(surface, theme.accent, (left + width + 1, top, 2, height * 2 // 3))
        surface.set_clip(before)

    def key(self, event: pygame.Event) -> bool:
        if event.key == pygame.K_BACKSPACE:
            self._set("" if event.mod & pygame.KMOD_CTRL else self.text[:-1])
        elif event.key == pygame.K_RETURN:
            self.entered()
        else:
            return False
        return True

    def type(self, text: str) -> None:
        """Add what was typed."""
        self._set((self.text + text)[:200])

    def _set(self, text: str) -> None:
        self.text = text
        self.changed(text)


class Group:
    """The widgets of a screen: finds what is under the pointer and keeps the focus."""

    def __init__(self) -> None:
        self.widgets: dict[str, Widget] = {}
        self._held: Widget | None = None

    def add(self, widget: Widget) -> Widget:
        """Take a widget in, in the order of the Tab key."""
        self.widgets[widget.name] = widget
        return widget

    def __getitem__(self, name: str) -> Widget:
        return self.widgets[name]

    @property
    def focus(self) -> Widget | None:
        """The widget that gets the keys."""
        return next((one for one in self.widgets.values() if one.focused), None)

    def set_focus(self, widget: Widget | None) -> None:
        """Give the focus to one, or to none."""
        for one in self.widgets.values():
            one.focused = one is widget

    def handle(self, event: pygame.Event) -> bool:
        """Pass an event on to whom it concerns; whether somebody took it."""
        if event.type == pygame.MOUSEBUTTONDOWN and event.button == 1:
            under = [w for w in self.widgets.values() if w.usable and w.rect.collidepoint(event.pos)]
            self.set_focus(under[-1] if under and under[-1].takes_text else None)
            self._held = under[-1] if under else None
            if under:
                under[-1].click(event.pos)
            return bool(under)
        if event.type == pygame.MOUSEMOTION and event.buttons[0] and self._held is not None:
            self._held.drag(event.pos)
            return True
        focus = self.focus
        if event.type == pygame.TEXTINPUT and isinstance(focus, Field):
            focus.type(event.text)
            return True
        if event.type == pygame.KEYDOWN:
            if focus is not None and focus.key(event):
                return True
            if event.key == pygame.K_TAB:
                self._tab(-1 if event.mod & pygame.KMOD_SHIFT else 1)
                return True
            return isinstance(focus, Field) and event.key != pygame.K_ESCAPE
        return False

    def _tab(self, step: int) -> None:
        able = [one for one in self.widgets.values() if one.usable]
        if able:
            focus = self.focus
            at = able.index(focus) + step if focus in able else 0 if step > 0 else -1
            self.set_focus(able[at % len(able)])

    def draw(self, surface: pygame.Surface, theme: Theme, mouse: tuple[int, int]) -> None:
        """Draw them all."""
        for widget in self.widgets.values():
            if widget.visible:
                widget.draw(surface, theme, mouse)
