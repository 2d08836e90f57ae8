"""Where things are in the menu: rows of one height from the top down, which fill a window of any size and shape."""

from __future__ import annotations

import pygame

from inarow.play.desktop.opponents import opponents
from inarow.play.desktop.widgets import Group
from inarow.play.lineups import Lineup
from inarow.rules import CONNECT4, TICTACTOE

_STEPPERS = {
    "starts": "Who starts",
    "delay": "Delay of agents",
    "matches": "Matches in a row",
    "size": "Window",
    "theme": "Colours",
}
_LIST = 5.25  # where the list of opponents begins, in rows
_PITCH = 1.06  # from one opponent to the next
_BELOW = 8.0  # the height of what is below the list
_LEAST = 8  # opponents for which there is room in any case
_WIDEST = 1.35  # the width of everything at most, in its heights
_NARROWEST = 25.0  # the width of everything at least, in rows


class MenuLayout:
    """Places the widgets of a menu, and says where words go. ``unit`` is the height of the text."""

    def __init__(self, group: Group, offered: Lineup) -> None:
        self._group = group
        self._modes = [mode.label for mode in offered.modes]
        self._opponents = opponents(offered)
        self._rest = _LIST + _PITCH * max(_LEAST, len(self._opponents)) + 0.15  # where the list ends
        self._row = self._left = self._top = self._width = 1.0
        self.unit = 16
        self.card = self.logo = pygame.Rect(0, 0, 1, 1)
        self.mode_text = self.message = (0, 0)
        self.words: dict[str, tuple[tuple[int, int], str]] = {}

    def fit(self, size: tuple[int, int]) -> None:
        """Find a place for everything in a window of this size."""
        rows = self._rest + _BELOW
        self._row = row = min(size[1] / rows, size[0] / _NARROWEST)
        self._width = min(size[0] - row, row * rows * _WIDEST)
        self._left, self._top = (size[0] - self._width) / 2, (size[1] - row * rows) / 2
        self.unit = round(row * 0.7)
        self.words = {}
        self.logo = pygame.Rect(*self._spot(0, 0.2), round(row * 1.6), round(row * 1.6))
        self._put("lineup", 0.27, 0.4, 0.25, 1.2)
        for number, name in enumerate(("resume", "open", "quit")):
            self._put(name, 0.55 + number * 0.155, 0.4, 0.14, 1.2)
        share = 1.01 / max(5, len(self._modes))
        for number, mode in enumerate(self._modes):
            self._put(f"mode {mode}", number * share, 2.2, share - 0.01, 1.15)
        self.mode_text = self._spot(0, 3.85)
        self.card = pygame.Rect(*self._spot(0, 4.4), round(self._width), round(row * (self._rest - 4.4)))
        self._put_opponents(row / self._width)
        self._put_rest()

    def _put(self, name: str, x: float, y: float, wide: float, high: float = 1.0) -> None:
        """A widget's place: across in shares of the width, down in rows."""
        place = (*self._spot(x, y), round(wide * self._width), round(high * self._row))
        self._group[name].rect = pygame.Rect(*place)

    def _spot(self, x: float, y: float) -> tuple[int, int]:
        return round(self._left + x * self._width), round(self._top + y * self._row)

    def _put_opponents(self, row: float) -> None:
        """The list: a mark for each seat, then the words; ``row`` is the height of a row in widths."""
        for number, name in enumerate(("One", "Two")):
            self.words[name] = self._spot(row * (1 + 1.6 * number), 4.85), "center"
        for number, one in enumerate(self._opponents):
            y = _LIST + number * _PITCH
            for index in (0, 1):
                self._put(f"seat {index} {one.seat}", row * (0.4 + 1.6 * index), y, row * 1.2)
            self._put(f"row {one.seat}", row * 3.5, y, 1 - row * 3.9)

    def _put_rest(self) -> None:
        for index, label in enumerate(("Player one", "Player two")):
            x = index * 0.51
            self.words[label] = self._spot(x, self._rest + 0.6), "midleft"
            self._put(f"spec {index}", x, self._rest + 1, 0.34, 1.2)
            self._put(f"pick {index}", x + 0.35, self._rest + 1, 0.14, 1.2)
        for number, (name, label) in enumerate(_STEPPERS.items()):
            self.words[label] = self._spot(number * 0.2025, self._rest + 2.75), "midleft"
            self._put(name, number * 0.2025, self._rest + 3.15, 0.19, 1.2)
        self._put(f"play {CONNECT4}", 0, self._rest + 4.8, 0.31, 1.7)
        self._put(f"play {TICTACTOE}", 0.325, self._rest + 4.8, 0.31, 1.7)
        self.words["Columns × rows × k"] = self._spot(0.66, self._rest + 4.85), "midleft"
        self._put("board", 0.66, self._rest + 5.25, 0.17, 1.25)
        self._put("play board", 0.84, self._rest + 5.25, 0.16, 1.25)
        self.message = self._spot(0.5, self._rest + 6.6)
