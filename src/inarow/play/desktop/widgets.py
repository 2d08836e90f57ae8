"""The parts of a window: widgets, groups of them, and the screens and cards that hold a group."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace

import pygame

from inarow.drawing.board import Colour, mixed
from inarow.play.desktop import paint
from inarow.play.desktop.paint import AWAY, Pen, text_width, wrapped
from inarow.rules import Player

ENTER = (pygame.K_RETURN, pygame.K_KP_ENTER)


@dataclass
class Widget:
    """A control on a screen."""

    name: str
    rect: pygame.Rect = field(default_factory=lambda: pygame.Rect(0, 0, 0, 0), kw_only=True)
    enabled: bool = field(default=True, kw_only=True)
    focused: bool = field(default=False, kw_only=True)
    visible: bool = field(default=True, kw_only=True)

    def draw(self, pen: Pen) -> None:
        """Draw it."""

    def click(self, place: tuple[int, int]) -> None:
        """Handle a click at a place."""

    def key(self, event: pygame.Event) -> bool:
        """Handle a key while it has the focus; return whether it was used."""
        if event.key in (*ENTER, pygame.K_SPACE):
            self.click(self.rect.center)
            return True
        return False

    @property
    def usable(self) -> bool:
        """True if it is visible and enabled."""
        return self.enabled and self.visible

    def lit(self, pen: Pen) -> bool:
        """Return True if it is enabled and the pointer is over it."""
        return self.enabled and self.rect.collidepoint(pen.mouse)

    def frame(self, pen: Pen, colour: Colour) -> None:
        """Draw its background, with a border if it has the focus."""
        radius = min(self.rect.height // 3, max(4, self.rect.height // 4))
        pen.box(self.rect, colour, radius, pen.theme.accent if self.focused else None, 2)


@dataclass
class Button(Widget):
    """Runs an action when it is clicked; ``chosen`` highlights the selected one of several."""

    label: str = ""
    action: Callable[[], None] = lambda: None
    chosen: Callable[[], bool] = lambda: False
    strong: bool = False

    def draw(self, pen: Pen) -> None:
        theme, rect = pen.theme, self.rect
        filled = self.strong or self.chosen()
        colour, text = (theme.accent, theme.on_accent) if filled else (theme.raised, theme.text)
        if self.lit(pen):
            colour = mixed(colour, theme.text, 0.12)
        if not self.enabled:
            colour, text = mixed(theme.raised, theme.panel, 0.7), mixed(theme.faint, theme.panel, 0.5)
        self.frame(pen, colour)
        pen.write(self.label, rect.center, rect.height * 0.57, text, "center", rect.width - rect.height // 2)

    def click(self, place: tuple[int, int]) -> None:
        if self.enabled:
            self.action()


@dataclass
class Stepper(Widget):
    """One of a list of values: a click on its left or right half, or an arrow key, steps through them."""

    values: Sequence[str] = ()
    index: int = 0
    changed: Callable[[int], None] = lambda index: None

    def draw(self, pen: Pen) -> None:
        theme, rect = pen.theme, self.rect
        self.frame(pen, theme.raised)
        room = rect.width - 2 * rect.height
        pen.write(self.values[self.index], rect.center, rect.height * 0.58, theme.text, "center", room)
        for step in (-1, 1):
            lit = self.lit(pen) and (pen.mouse[0] > rect.centerx) == (step > 0)
            possible = 0 <= self.index + step < len(self.values)
            colour = (theme.text if lit else theme.faint) if possible else theme.line
            x = rect.centerx + step * (rect.width / 2 - rect.height * 0.5)
            pen.put(paint.arrow(max(6, round(rect.height * 0.36)), colour, step), (x, rect.centery))

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
class Field(Widget):
    """A text field."""

    text: str = ""
    hint: str = ""
    changed: Callable[[str], None] = lambda text: None
    entered: Callable[[], None] = lambda: None

    def draw(self, pen: Pen) -> None:
        theme, rect, focused = pen.theme, self.rect, self.focused
        edge = theme.accent if focused else theme.line
        pen.box(rect, theme.back, max(4, rect.height // 4), edge, 2 if focused else 1)
        height, inner = round(rect.height * 0.58), rect.inflate(-rect.height // 2, -4)
        shown, colour = (self.text, theme.text) if self.text or focused else (self.hint, theme.faint)
        width = text_width(shown, height)
        left = min(inner.left, inner.right - width - 3) if focused else inner.left
        with pen.clipped(inner):
            pen.write(shown, (left, inner.centery), height, colour, "midleft")
            if focused:
                cursor = (left + width + 1, inner.centery - height // 3, 2, height * 2 // 3)
                pen.surface.fill(theme.accent, cursor)

    def key(self, event: pygame.Event) -> bool:
        if event.key == pygame.K_BACKSPACE:
            self._set("" if event.mod & pygame.KMOD_CTRL else self.text[:-1])
        elif event.key in ENTER:
            self.entered()
        else:
            return False
        return True

    def type(self, text: str) -> None:
        """Append what was typed."""
        self._set((self.text + text)[:200])

    def _set(self, text: str) -> None:
        self.text = text
        self.changed(text)


@dataclass(frozen=True)
class ListRow:
    """An entry of a list: an optional stone, a label, and a note after or below it."""

    text: str
    note: str = ""
    player: Player | None = None
    below: bool = False


@dataclass
class List(Widget):
    """Shows as many rows as fit. The wheel scrolls; a click, or arrow keys and Enter, pick one if it is enabled."""

    picked: Callable[[int], None] = lambda index: None
    rows: Sequence[ListRow] = ()
    selected: int | None = None
    unit: int = 16
    """The text height in pixels."""
    _top: int = 0
    _places: list[tuple[pygame.Rect, int]] = field(default_factory=list)

    def fill(self, rows: Sequence[ListRow], end: bool = False) -> None:
        """Show these rows, from their end if they are new and ``end`` is set."""
        if list(rows) != list(self.rows):
            self.rows = tuple(rows)
            self._top = self._last_top() if end else min(self._top, self._last_top())

    def select(self, index: int | None) -> None:
        """Mark a row, and scroll to it."""
        self.selected = index
        if index is not None:
            self._top = min(self._top, index)
            while self._top < index and sum(map(self._height, self.rows[self._top : index + 1])) > self.rect.height:
                self._top += 1

    def scroll(self, step: int) -> None:
        """Move by some rows."""
        self._top = max(0, min(self._top + step, self._last_top()))

    def place(self, rect: pygame.Rect, unit: int) -> None:
        """Set its rectangle and text height; a list scrolled to its end stays there."""
        at_end = self._top >= self._last_top()
        if rect != self.rect or unit != self.unit:
            self.rect, self.unit = rect, unit
            self._top = self._last_top() if at_end and self._top else min(self._top, self._last_top())

    @property
    def shown(self) -> list[int]:
        """The indices of the rows that were drawn last."""
        return [index for _, index in self._places]

    def click(self, place: tuple[int, int]) -> None:
        for rect, index in self._places:
            if rect.collidepoint(place):
                self.picked(index)
                return

    def key(self, event: pygame.Event) -> bool:
        steps = {pygame.K_UP: -1, pygame.K_DOWN: 1}
        if event.key in steps and self.rows:
            at = -1 if self.selected is None else self.selected
            self.select(max(0, min(at + steps[event.key], len(self.rows) - 1)))
        elif event.key in ENTER and self.selected is not None:
            self.picked(self.selected)
        else:
            return False
        return True

    def _indent(self, row: ListRow) -> int:
        return round(self.unit * 1.35) if row.player is not None else 0

    def _lines(self, row: ListRow) -> tuple[str, ...]:
        room = max(1, self.rect.width - self._indent(row))
        return (row.text,) if row.note else wrapped(row.text, self.unit, room)[:3]

    def _height(self, row: ListRow) -> int:
        return round(self.unit * (0.4 + len(self._lines(row)) + (0.9 if row.note and row.below else 0)))

    def _last_top(self) -> int:
        """Return the first row that is shown when the list is scrolled to its end."""
        top, room = len(self.rows), self.rect.height
        while top > 0 and room >= (height := self._height(self.rows[top - 1])):
            top, room = top - 1, room - height
        return min(top, max(0, len(self.rows) - 1))

    def draw(self, pen: Pen) -> None:
        self._places, y = [], self.rect.top
        with pen.clipped(self.rect.inflate(self.unit, 0)):
            for index in range(self._top, len(self.rows)):
                height = self._height(self.rows[index])
                if y + height > self.rect.bottom and index > self._top:
                    break
                place = pygame.Rect(self.rect.left, y, self.rect.width, height).clip(self.rect)
                self._places.append((place, index))
                self._draw_row(pen, index, place)
                y += height
        if self._places and len(self._places) < len(self.rows):
            self._draw_bar(pen)

    def _draw_row(self, pen: Pen, index: int, place: pygame.Rect) -> None:
        row, unit, theme = self.rows[index], self.unit, pen.theme
        if index == self.selected:
            pen.box(place.inflate(unit // 2, 0), mixed(theme.panel, theme.accent, 0.3), unit // 3)
        elif self.enabled and place.collidepoint(pen.mouse):
            pen.box(place.inflate(unit // 2, 0), theme.raised, unit // 3)
        left = place.left + self._indent(row)
        if row.player is not None:
            stone = paint.disc(round(unit * 0.9), theme.stone(row.player), row.player)
            pen.put(stone, (place.left + unit * 0.5, place.top + unit * 0.7))
        for number, line in enumerate(self._lines(row)):
            spot = (left, place.top + unit * (0.7 + number))
            pen.write(line, spot, unit, theme.text, "midleft", place.right - left - unit // 2)
        if row.note:
            left += 0 if row.below else text_width(row.text, unit) + unit // 2
            spot = (left, place.top + unit * (1.6 if row.below else 0.7))
            pen.write(row.note, spot, unit * 0.88, theme.faint, "midleft", place.right - left)

    def _draw_bar(self, pen: Pen) -> None:
        """Draw a thin scroll bar at the right."""
        wide, rect = max(3, self.unit // 5), self.rect
        share, start = len(self._places) / len(self.rows), self._top / len(self.rows)
        height = max(self.unit, round(rect.height * share))
        top = rect.top + round((rect.height - height) * start / max(1e-9, 1 - share))
        left = rect.right + self.unit // 4 - wide
        pen.box(pygame.Rect(left, min(top, rect.bottom - height), wide, height), pen.theme.line, wide // 2)


class WidgetGroup:
    """The widgets of a screen or card: finds the one under the pointer and keeps the focus."""

    def __init__(self) -> None:
        self.widgets: dict[str, Widget] = {}

    def add(self, *widgets: Widget) -> None:
        """Add widgets, in the order of the Tab key."""
        self.widgets |= {widget.name: widget for widget in widgets}

    def __getitem__(self, name: str) -> Widget:
        return self.widgets[name]

    @property
    def focus(self) -> Widget | None:
        """The widget that gets the keys."""
        return next((one for one in self.widgets.values() if one.focused), None)

    def set_focus(self, widget: Widget | None) -> None:
        """Move the focus, or remove it."""
        for one in self.widgets.values():
            one.focused = one is widget

    def handle(self, event: pygame.Event) -> bool:
        """Dispatch an event to its widget; return whether it was used."""
        focus, able = self.focus, [one for one in self.widgets.values() if one.usable]
        if event.type == pygame.MOUSEBUTTONDOWN and event.button == 1:
            clicked = next((one for one in reversed(able) if one.rect.collidepoint(event.pos)), None)
            self.set_focus(clicked if isinstance(clicked, Field) else None)
            if clicked is not None:
                clicked.click(event.pos)
            return clicked is not None
        if event.type == pygame.MOUSEWHEEL:
            for widget in self.widgets.values():
                if isinstance(widget, List):
                    widget.scroll(-event.y)
            return True
        if event.type == pygame.TEXTINPUT and isinstance(focus, Field):
            focus.type(event.text)
            return True
        if event.type != pygame.KEYDOWN:
            return False
        if focus is not None and focus.key(event):
            return True
        if event.key == pygame.K_TAB and able:
            step = -1 if event.mod & pygame.KMOD_SHIFT else 1
            at = able.index(focus) + step if focus in able else min(step, 0)
            self.set_focus(able[at % len(able)])
            return True
        return isinstance(focus, Field) and event.key != pygame.K_ESCAPE

    def draw(self, pen: Pen) -> None:
        """Draw the visible widgets."""
        for widget in self.widgets.values():
            if widget.visible:
                widget.draw(pen)


class PanelCard:
    """A card over a screen with a title, a body and a row of buttons; it gets all events while it is open."""

    width = 26.0
    """The width of the card, in line heights."""
    button_width = 20.0
    """The maximum width of a button, in line heights."""

    def __init__(self, title: str, leave: Callable[[], None], *buttons: Button, text: str = "") -> None:
        self.title, self.text, self.leave = title, text, leave
        self.group = WidgetGroup()
        self.unit = 16
        self.rect = self.body = pygame.Rect(0, 0, 1, 1)
        self.buttons = buttons

    def layout(self, size: tuple[int, int]) -> None:
        """Place everything in a window of this size."""
        self.unit = unit = max(13, min(size[0] // 40, size[1] // 28))
        width, foot = min(size[0] - unit, round(unit * self.width)), 3.7 if self.buttons else 1.2
        self.lines = wrapped(self.text, unit, width - 3 * unit) if self.text else ()
        height = min(size[1] - unit, round(unit * (2.9 + self.body_lines() + 1.1 * len(self.lines) + foot)))
        self.rect = pygame.Rect((size[0] - width) // 2, (size[1] - height) // 2, width, height)
        self.body = self.rect.inflate(-3 * unit, 0)
        self.body.top, self.body.height = self.rect.top + round(2.9 * unit), height - round((2.9 + foot) * unit)
        wide = min(round(unit * self.button_width), (self.body.width - unit) // 2)
        for number, button in enumerate(reversed(self.buttons)):
            left = self.body.right - wide - number * (wide + unit)
            button.rect = pygame.Rect(left, self.rect.bottom - round(3.1 * unit), wide, 2 * unit)
        self.group.add(*self.buttons)
        self.place_body()

    def body_lines(self) -> float:
        """Return the height of the body in line heights, without the text below it."""
        return 0.0

    def place_body(self) -> None:
        """Place the widgets of the body."""

    def handle(self, event: pygame.Event) -> None:
        """Handle an event; Escape closes the card."""
        if not self.group.handle(event) and event.type == pygame.KEYDOWN and event.key == pygame.K_ESCAPE:
            self.leave()

    def draw(self, pen: Pen) -> None:
        """Dim the screen, and draw the card."""
        veil = pygame.Surface(pen.surface.get_size(), pygame.SRCALPHA)
        veil.fill((*pen.theme.back, 215))
        pen.surface.blit(veil, (0, 0))
        unit, body = self.unit, self.body
        pen.box(self.rect, pen.theme.panel, unit // 2, pen.theme.line, max(1, unit // 12))
        pen.write(self.title, (body.left, self.rect.top + unit), unit * 1.5, pen.theme.text, width=body.width)
        top = body.bottom - 1.1 * unit * len(self.lines)
        pen.write_lines(self.lines, (body.left, top), unit, pen.theme.faint, body.width)
        self.draw_body(pen)
        self.group.draw(pen)

    def draw_body(self, pen: Pen) -> None:
        """Draw everything except the widgets."""


class Question(PanelCard):
    """A yes/no question: its key answers yes, Enter and Escape answer no."""

    def __init__(
        self, title: str, text: str, yes: str, action: Callable[[], None], leave: Callable[[], None], key: int
    ) -> None:
        no = Button("no", "Keep playing", leave, strong=True)
        super().__init__(title, leave, no, Button("yes", yes, self._answer), text=text)
        self._action, self._key = action, key

    def _answer(self) -> None:
        self.leave()
        self._action()

    def handle(self, event: pygame.Event) -> None:
        key = event.key if event.type == pygame.KEYDOWN else None
        if key == self._key:
            self._answer()
        elif key in ENTER and self.group.focus is None:
            self.leave()
        else:
            super().handle(event)


class Screen:
    """The content of the window: a group of widgets, and a card over it while one is open."""

    title = ""
    """Follows the program's name in the title of the window."""

    def __init__(self) -> None:
        self.group = WidgetGroup()
        self.card: PanelCard | None = None
        self.size = (1, 1)
        self.message = ""
        """The status message of the last action."""

    @property
    def active(self) -> WidgetGroup:
        """The active widgets."""
        return self.group if self.card is None else self.card.group

    def open_card(self, card: PanelCard) -> None:
        """Show a card."""
        self.card = card
        card.layout(self.size)

    def close_card(self) -> None:
        """Close the card."""
        self.card = None

    def layout(self, size: tuple[int, int]) -> None:
        """Place everything in a window of this size."""
        self.size = size
        self.place()
        if self.card is not None:
            self.card.layout(size)

    def handle(self, event: pygame.Event) -> None:
        """Handle an event, by the card if one is open."""
        if self.card is not None:
            self.card.handle(event)
        else:
            self.use(event)

    def draw(self, pen: Pen) -> None:
        """Draw everything."""
        pen.surface.fill(pen.theme.back)
        behind = pen if self.card is None else replace(pen, mouse=AWAY)
        self.paint(behind)
        self.group.draw(behind)
        if self.card is not None:
            self.card.draw(pen)

    def place(self) -> None:
        """Place the widgets in a window of `size`."""

    def use(self, event: pygame.Event) -> None:
        """Handle an event while no card is open."""

    def paint(self, pen: Pen) -> None:
        """Draw everything except the widgets."""

    def update(self, now: float) -> None:
        """Update everything that changes with time."""

    def moving(self, now: float) -> bool:
        """Return True if something moves without input, so that every frame must be drawn."""
        return False

    def due(self) -> float | None:
        """Return the seconds until the next timer; None if no timer is running."""
        return None

    def close(self, seconds: float) -> None:
        """End what is running, and wait for it for at most ``seconds``."""
