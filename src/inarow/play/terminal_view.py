"""What a terminal shows: line after line in a pipe, redrawn in place on a screen."""

from __future__ import annotations

import os
from abc import ABC, abstractmethod
from collections.abc import Callable

from rich.console import Console
from rich.text import Text

from inarow.drawing.text import DISCS, LETTERS, STYLES


def stones_for(screen: Console) -> str:
    """Discs if the terminal can show them, else letters, as in a pipe."""
    able = screen.is_terminal and screen.encoding.lower().startswith("utf") and not screen.legacy_windows
    return DISCS if able and os.environ.get("TERM", "") not in ("dumb", "linux") else LETTERS


class View(ABC):
    """Where messages and boards go. Stones in a message get their colour."""

    def __init__(self, screen: Console) -> None:
        self.screen = screen
        self.stones = stones_for(screen)

    def say(self, text: str, style: str = "") -> None:
        """Show a message."""
        self._add(self._coloured(text, style))

    def _coloured(self, text: str, style: str) -> Text:
        shown = Text(text, style=style)
        for stone, colour in zip(self.stones, STYLES, strict=True):
            shown.highlight_words([f"({stone})"], colour)
        return shown

    @abstractmethod
    def _add(self, message: Text) -> None: ...

    @abstractmethod
    def board(self) -> None:
        """The position has changed: show it."""

    @abstractmethod
    def paint(self) -> None:
        """Bring the screen up to date, before waiting for anything."""

    @abstractmethod
    def turn(self) -> None:
        """Something new begins: messages so far are old."""


class Scrolling(View):
    """Prints everything once, in order: for pipes, and for terminals that can't do more."""

    def __init__(self, screen: Console, draw: Callable[[], Text]) -> None:
        super().__init__(screen)
        self._draw = draw

    def _add(self, message: Text) -> None:
        self.screen.print(message)

    def board(self) -> None:
        self.screen.print(self._draw())

    def paint(self) -> None:
        pass

    def turn(self) -> None:
        pass


class InPlace(View):
    """A title, the board and the latest messages, always in the same place of the screen."""

    def __init__(self, screen: Console, draw: Callable[[], Text], title: Callable[[], str]) -> None:
        super().__init__(screen)
        self._draw = draw
        self._title = title
        self._messages: list[Text] = []
        self._stale = True
        self._begun = False

    def _add(self, message: Text) -> None:
        self._messages.append(message)
        self._stale = True

    def board(self) -> None:
        self._stale = True

    def turn(self) -> None:
        self._messages.clear()
        self._stale = True

    def paint(self) -> None:
        if not self._stale:
            return
        if not self._begun:  # what was on the screen stays above, and can be scrolled back to
            self.screen.print("\n" * (self.screen.height - 2))
            self._begun = True
        self.screen.clear()
        self.screen.print(self._coloured(self._title(), "bold"))
        self.screen.print()
        self.screen.print(self._draw())
        for message in self._messages:
            self.screen.print(message)
        self._stale = False
