"""The cards that save a match under a name, and open one of those that were saved."""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from pathlib import Path

import pygame

from inarow.drawing.palette import Theme
from inarow.errors import InarowError
from inarow.match import MatchRecord
from inarow.play.desktop.lettering import wrapped, write
from inarow.play.desktop.lists import Row, Rows
from inarow.play.desktop.overlay import Overlay, text_size
from inarow.play.desktop.widgets import Button, Field
from inarow.play.saved import free_name, load_record, matches_folder, named, save_records, saved_matches


class _FileCard(Overlay):
    """A field for a name or a path, and two buttons; errors are shown below."""

    title = ""
    word = ""
    lines = 0.0  # of a list, if there is one

    def __init__(self, name: str, close: Callable[[], None]) -> None:
        super().__init__(close)
        self.error = ""
        self._field = Field("name", name, "a name, or a path", entered=self._do)
        self.group.add(self._field)
        self.group.add(Button("cancel", "Cancel", close))
        self.group.add(Button("use", self.word, self._do, strong=True))
        self.group.set_focus(self._field)

    def _do(self) -> None:
        try:
            self._use(self._field.text)
        except InarowError as error:
            self.error = str(error)

    def _use(self, text: str) -> None:
        raise NotImplementedError

    def layout(self, size: tuple[int, int]) -> None:
        self._unit = unit = text_size(size)
        width = min(size[0] - unit, unit * 30)
        rows = min(self.lines, size[1] / unit - 13)
        self._card = pygame.Rect(0, 0, width, round(unit * (12 + rows)))
        self._card.center = (size[0] // 2, size[1] // 2)
        left, room = self._card.left + round(1.5 * unit), width - 3 * unit
        self._list = pygame.Rect(left, self._card.top + round(unit * 3), room, round(unit * rows))
        self.group["name"].rect = pygame.Rect(left, self._list.bottom + unit // 2, room, unit * 2)
        wide = (room - unit) // 2
        for number, name in enumerate(("cancel", "use")):
            place = (left + number * (wide + unit), self._card.bottom - unit * 3)
            self.group[name].rect = pygame.Rect(*place, wide, unit * 2)

    def _draw_text(self, surface: pygame.Surface, theme: Theme) -> None:
        unit, card = self._unit, self._card
        room = card.width - 3 * unit
        place = (card.left + unit * 1.5, card.top + unit)
        write(surface, self.title, place, round(unit * 1.5), theme.text, width=room)
        text, colour = (self.error, theme.bad) if self.error else (f"in {matches_folder()}", theme.faint)
        for number, line in enumerate(wrapped(text, unit, room)[:3]):
            below = self.group["name"].rect.bottom + unit * (0.4 + 1.1 * number)
            write(surface, line, (card.left + unit * 1.5, below), unit, colour, width=room)


class SaveCard(_FileCard):
    """Saves the matches of a session."""

    title = "Save the match"
    word = "Save"

    def __init__(self, records: Sequence[MatchRecord], close: Callable[[], None], saved: Callable[[str], None]) -> None:
        if not records:
            raise InarowError("no move has been made yet; there is nothing to save")
        super().__init__(free_name(records[-1].game), close)
        self._records = records
        self._saved = saved

    def _use(self, text: str) -> None:
        path = named(text)
        save_records(self._records, path)
        self._leave()
        self._saved(str(path.name))


class OpenCard(_FileCard):
    """Opens a saved match, to continue or to review it: one of the list, or any file by its path."""

    title = "Open a match"
    word = "Open"
    lines = 12.0

    def __init__(self, close: Callable[[], None], opened: Callable[[MatchRecord], None]) -> None:
        super().__init__("", close)
        self._opened = opened
        self._files = saved_matches()
        self.rows = Rows("files", picked=lambda index: self._choose(self._files[index]), hover=True)
        self.rows.fill([Row(one.name, _date(one)) for one in self._files])

    def _choose(self, path: Path) -> None:
        self._field.text = str(path)
        self._do()

    def _use(self, text: str) -> None:
        record = load_record(named(text))
        self._leave()
        self._opened(record)

    def handle(self, event: pygame.Event) -> None:
        if event.type == pygame.MOUSEWHEEL:
            self.rows.scroll(-event.y)
        elif event.type == pygame.MOUSEBUTTONDOWN and event.button == 1 and self.rows.rect.collidepoint(event.pos):
            self.rows.click(event.pos)
        else:
            super().handle(event)

    def layout(self, size: tuple[int, int]) -> None:
        super().layout(size)
        self.rows.place(self._list, self._unit)

    def draw(self, surface: pygame.Surface, theme: Theme, mouse: tuple[int, int]) -> None:
        super().draw(surface, theme, mouse)
        self.rows.draw(surface, theme, mouse)
        if not self._files:
            write(surface, "No match has been saved yet.", self._list.topleft, self._unit, theme.faint)


def _date(path: Path) -> str:
    try:
        return time.strftime("%Y-%m-%d %H:%M", time.localtime(path.stat().st_mtime))
    except OSError:
        return ""
