"""What every screen is, and a drawing plane whose measures don't depend on the window."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable
from typing import Any, Protocol

import pygame

from inarow.drawing.palette import Colour, Theme
from inarow.match import MatchRecord
from inarow.play.desktop.choices import Choices
from inarow.play.desktop.lettering import write
from inarow.play.desktop.widgets import Group
from inarow.rules import Game


class AppContext(Protocol):
    """What a screen may ask of the app."""

    choices: Choices

    @property
    def theme(self) -> Theme:
        """The colours."""

    @property
    def compiling(self) -> str:
        """What is compiled, and how far it is; empty if nothing is."""

    def set_choices(self, choices: Choices) -> None:
        """Use and remember what was chosen."""

    def ask(self, label: str, work: Callable[[], Any], then: Callable[[Any], None]) -> None:
        """Do work in the background, show that it is being done, and pass its result on."""

    def play(self, game: Game) -> None:
        """Start a series of this game."""

    @property
    def can_resume(self) -> bool:
        """Whether there is an unfinished match."""

    def resume(self) -> None:
        """Resume the unfinished match."""

    def open(self, record: MatchRecord) -> None:
        """Resume a saved match, or look at it."""

    def resize(self, width: int, height: int) -> None:
        """Give the window another size."""

    def menu(self) -> None:
        """Go to the menu; an unfinished match is kept."""

    def quit(self) -> None:
        """Close the window."""

    def full_screen(self) -> None:
        """Fill the screen, or go back to a window."""


class Screen(ABC):
    """A whole window's content."""

    title = ""
    """What the window's title says after the program's name."""

    @property
    @abstractmethod
    def active(self) -> Group:
        """The widgets that can be used now: those of the card while one is open."""

    def layout(self, size: tuple[int, int]) -> None:
        """Find a place for everything in a window of this size."""

    def handle(self, event: pygame.Event) -> None:
        """Obey an event."""

    def update(self, now: float) -> None:
        """Let time pass."""

    def draw(self, surface: pygame.Surface, mouse: tuple[int, int], now: float) -> None:
        """Draw everything."""

    def moving(self, now: float) -> bool:
        """Whether something moves on its own, so that every frame must be drawn."""
        return False

    def show_error(self, message: str) -> None:
        """Say that something could not be done."""

    def due(self) -> float | None:
        """Seconds until something happens by the clock alone; None if nothing will."""
        return None

    def close(self, seconds: float) -> None:
        """End what is under way, and wait for that for at most ``seconds``."""


class Plane:
    """A plane of fixed measures, scaled to fit into the window and centred in it."""

    def __init__(self, width: int, height: int) -> None:
        self._wanted = (width, height)
        self.scale = 1.0
        self._left = self._top = 0.0

    def fit(self, size: tuple[int, int]) -> None:
        """Scale to a window."""
        width, height = self._wanted
        self.scale = min(size[0] / width, size[1] / height)
        self._left = (size[0] - width * self.scale) / 2
        self._top = (size[1] - height * self.scale) / 2

    def rect(self, x: float, y: float, width: float, height: float) -> pygame.Rect:
        """A rectangle of the plane, in pixels."""
        left, top = self.place(x, y)
        return pygame.Rect(round(left), round(top), round(width * self.scale), round(height * self.scale))

    def place(self, x: float, y: float) -> tuple[float, float]:
        """A point of the plane, in pixels."""
        return self._left + x * self.scale, self._top + y * self.scale

    def length(self, value: float) -> int:
        """A length of the plane, in pixels."""
        return max(1, round(value * self.scale))

    def write(
        self,
        surface: pygame.Surface,
        text: str,
        x: float,
        y: float,
        height: float,
        colour: Colour,
        anchor: str = "topleft",
        width: float | None = None,
    ) -> None:
        """Write a line at a point of the plane."""
        room = None if width is None else self.length(width)
        write(surface, text, self.place(x, y), self.length(height), colour, anchor, room)
