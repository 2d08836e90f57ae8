"""A list of lines that can be scrolled and clicked: moves, mistakes, files."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field

import pygame

from inarow.drawing.palette import Theme, mixed
from inarow.play.desktop import shapes
from inarow.play.desktop.lettering import text_width, wrapped, write
from inarow.play.desktop.widgets import Widget
from inarow.rules import Player

_LINES = 3  # lines of a row at most


@dataclass(frozen=True)
class Row:
    """One entry: a stone if it is about a player, a text that is wrapped, and a note beside it or below."""

    text: str
    note: str = ""
    player: Player | None = None
    below: bool = False


@dataclass
class Rows(Widget):
    """Shows as many rows as fit; the wheel scrolls, a click picks one."""

    picked: Callable[[int], None] = lambda index: None
    selected: int | None = None
    unit: int = 16
    """The height of the text."""
    hover: bool = False
    """Whether a click on a row does something."""
    _rows: Sequence[Row] = ()
    _top: int = 0
    _places: list[tuple[pygame.Rect, int]] = field(default_factory=list)

    @property
    def rows(self) -> Sequence[Row]:
        """What is in the list."""
        return self._rows

    def fill(self, rows: Sequence[Row], end: bool = False) -> None:
        """Show these rows; from their end if told, and if they are new."""
        if list(rows) != list(self._rows):
            self._rows = tuple(rows)
            self._top = self._last_top() if end else min(self._top, self._last_top())

    def select(self, index: int | None) -> None:
        """Mark a row, and scroll to it."""
        self.selected = index
        if index is not None:
            self._top = min(self._top, index)
            while self._top < index and self._heights(self._top, index + 1) > self.rect.height:
                self._top += 1

    def scroll(self, step: int) -> None:
        """Move by some rows."""
        self._top = max(0, min(self._top + step, self._last_top()))

    @property
    def shown(self) -> list[int]:
        """The rows that were drawn last."""
        return [index for _, index in self._places]

    def place(self, rect: pygame.Rect, unit: int) -> None:
        """Give it a place; the scroll position is kept where it can be."""
        at_end = self._top >= self._last_top()
        if rect != self.rect or unit != self.unit:
            self.rect, self.unit = rect, unit
            self._top = self._last_top() if at_end and self._top else min(self._top, self._last_top())

    def click(self, place: tuple[int, int]) -> None:
        for rect, index in self._places:
            if rect.collidepoint(place):
                self.picked(index)
                return

    def key(self, event: pygame.Event) -> bool:
        return False

    # Measures.

    def _indent(self, row: Row) -> int:
        return round(self.unit * 1.35) if row.player is not None else 0

    def _lines(self, row: Row) -> tuple[str, ...]:
        room = self.rect.width - self._indent(row)
        return wrapped(row.text, self.unit, max(1, room))[:_LINES] if not row.note else (row.text,)

    def _height(self, row: Row) -> int:
        return round(self.unit * (0.4 + len(self._lines(row)) + (0.9 if row.note and row.below else 0)))

    def _heights(self, start: int, end: int) -> int:
        return sum(self._height(row) for row in self._rows[start:end])

    def _last_top(self) -> int:
        """The first row that is shown when the list is scrolled to its end."""
        top, room = len(self._rows), self.rect.height
        while top > 0 and room >= (height := self._height(self._rows[top - 1])):
            top, room = top - 1, room - height
        return min(top, max(0, len(self._rows) - 1))

    # Drawing.

    def draw(self, surface: pygame.Surface, theme: Theme, mouse: tuple[int, int]) -> None:
        self._places = []
        y = self.rect.top
        for index in range(self._top, len(self._rows)):
            height = self._height(self._rows[index])
            if y + height > self.rect.bottom and index > self._top:
                break
            place = pygame.Rect(self.rect.left, y, self.rect.width, height).clip(self.rect)
            self._places.append((place, index))
            before = surface.get_clip()
            surface.set_clip(self.rect.inflate(self.unit, 0).clip(before))
            self._draw_row(surface, theme, self._rows[index], place, index == self.selected, mouse)
            surface.set_clip(before)
            y += height
        if self._places and len(self._places) < len(self._rows):
            self._draw_bar(surface, theme)

    def _draw_row(
        self, surface: pygame.Surface, theme: Theme, row: Row, place: pygame.Rect, chosen: bool, mouse: tuple[int, int]
    ) -> None:
        unit = self.unit
        lit = self.hover and place.collidepoint(mouse)
        if chosen or lit:
            wide = place.inflate(unit // 2, 0)
            colour = mixed(theme.panel, theme.accent, 0.3) if chosen else theme.raised
            shapes.blit(surface, shapes.panel(wide.width, wide.height, colour, unit // 3), wide.topleft)
        indent = self._indent(row)
        if row.player is not None:
            stone = shapes.disc(round(unit * 0.9), theme.stone(row.player), row.player)
            shapes.blit_centre(surface, stone, (place.left + unit * 0.5, place.top + unit * 0.7))
        left, room = place.left + indent, place.width - indent - unit // 2
        for number, line in enumerate(self._lines(row)):
            write(surface, line, (left, place.top + unit * (0.7 + number)), unit, theme.text, "midleft", room)
        if row.note:
            left += 0 if row.below else text_width(row.text, unit) + unit // 2
            where = (left, place.top + unit * (1.6 if row.below else 0.7))
            write(surface, row.note, where, round(unit * 0.88), theme.faint, "midleft", place.right - left)

    def _draw_bar(self, surface: pygame.Surface, theme: Theme) -> None:
        """A thin bar at the right: which part of the list is seen."""
        wide = max(3, self.unit // 5)
        share, start = len(self._places) / len(self._rows), self._top / len(self._rows)
        height = max(self.unit, round(self.rect.height * share))
        top = self.rect.top + round((self.rect.height - height) * start / max(1e-9, 1 - share))
        bar = shapes.panel(wide, height, theme.line, wide // 2)
        shapes.blit(surface, bar, (self.rect.right + self.unit // 4 - wide, min(top, self.rect.bottom - height)))
