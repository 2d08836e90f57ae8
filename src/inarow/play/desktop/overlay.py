"""What is laid over a screen: a card with a question, or with keys and explanations."""

from __future__ import annotations

from collections.abc import Callable, Sequence

import pygame

from inarow.drawing.palette import Theme
from inarow.play.desktop import shapes
from inarow.play.desktop.keys import ENTER
from inarow.play.desktop.lettering import text_width, wrapped, write
from inarow.play.desktop.widgets import Button, Group


def text_size(size: tuple[int, int]) -> int:
    """The height of the text on a card in a window of this size."""
    return max(13, min(size[0] // 40, size[1] // 28))


class Overlay:
    """A card in the middle of the window; while it is open it gets all events."""

    def __init__(self, leave: Callable[[], None]) -> None:
        self.group = Group()
        self._leave = leave
        self._card = pygame.Rect(0, 0, 1, 1)
        self._unit = 16

    def layout(self, size: tuple[int, int]) -> None:
        """Find a place for everything in a window of this size."""

    def handle(self, event: pygame.Event) -> None:
        """Obey an event; Escape leaves."""
        if not self.group.handle(event) and event.type == pygame.KEYDOWN and event.key == pygame.K_ESCAPE:
            self._leave()

    def draw(self, surface: pygame.Surface, theme: Theme, mouse: tuple[int, int]) -> None:
        """Draw the veil, the card and the widgets."""
        draw_card(surface, theme, self._card, self._unit)
        self._draw_text(surface, theme)
        self.group.draw(surface, theme, mouse)

    def _draw_text(self, surface: pygame.Surface, theme: Theme) -> None:
        """Draw what is on the card besides widgets."""


def draw_card(surface: pygame.Surface, theme: Theme, card: pygame.Rect, unit: int) -> None:
    """A card, with all that is behind it veiled."""
    veil = pygame.Surface(surface.get_size(), pygame.SRCALPHA)
    veil.fill((*theme.back, 215))
    surface.blit(veil, (0, 0))
    box = shapes.panel(card.width, card.height, theme.panel, unit // 2, theme.line, max(1, unit // 12))
    shapes.blit(surface, box, card.topleft)


class Question(Overlay):
    """A question with two answers: a key of its own says yes, Enter and Escape no."""

    def __init__(
        self, text: str, details: str, yes: tuple[str, Callable[[], None]], no: str, close: Callable[[], None], key: int
    ) -> None:
        super().__init__(close)
        self._text = text
        self._details = details
        self._key = key
        self._answer = yes[1]
        self.group.add(Button("no", no, close, strong=True))
        self.group.add(Button("yes", yes[0], self._yes))

    def _yes(self) -> None:
        self._leave()
        self._answer()

    def handle(self, event: pygame.Event) -> None:
        key = event.key if event.type == pygame.KEYDOWN else None
        if key == self._key:
            self._yes()
        elif key in ENTER and self.group.focus is None:
            self._leave()
        else:
            super().handle(event)

    def layout(self, size: tuple[int, int]) -> None:
        self._unit = unit = text_size(size)
        width = min(size[0] - unit, unit * 26)
        self._lines = wrapped(self._details, unit, width - 3 * unit)
        self._card = pygame.Rect(0, 0, width, round(unit * (6.6 + 1.1 * len(self._lines))))
        self._card.center = (size[0] // 2, size[1] // 2)
        wide = (width - 4 * unit) // 2
        top = self._card.bottom - round(unit * 3.2)
        for number, name in enumerate(("no", "yes")):
            left = self._card.left + round(1.5 * unit) + number * (wide + unit)
            self.group[name].rect = pygame.Rect(left, top, wide, unit * 2)

    def _draw_text(self, surface: pygame.Surface, theme: Theme) -> None:
        unit, card = self._unit, self._card
        left, room = card.left + unit * 1.5, card.width - 3 * unit
        write(surface, self._text, (left, card.top + unit), round(unit * 1.5), theme.text, width=room)
        for number, line in enumerate(self._lines):
            write(surface, line, (left, card.top + unit * (2.9 + 1.1 * number)), unit, theme.faint, width=room)


def quit_question(leave: Callable[[], None], close: Callable[[], None]) -> Question:
    """Asked before the window is closed in the middle of a match."""
    details = "It is kept: Resume in the menu continues it, also next time."
    yes = ("Quit (Q)", leave)
    return Question("Quit in the middle of a match?", details, yes, "Keep playing", close, pygame.K_q)


def restart_question(restart: Callable[[], None], close: Callable[[], None]) -> Question:
    """Asked before a match is abandoned."""
    details = "The match on the board is abandoned and does not count."
    return Question("Start again?", details, ("Restart (R)", restart), "Keep playing", close, pygame.K_r)


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
    ("Q", "quit; asks in mid-match"),
)
LABELS = (
    "Evaluation, from the exact solver: the disc over a column is the player who wins with best play after that move, "
    "the number how many of their own moves that takes; = is a draw, ? is not proven within two seconds. Green is good "
    "and red is bad for the player to move. The bar fills with the colour of the player who is ahead."
)


def draw_help(surface: pygame.Surface, theme: Theme) -> None:
    """The keys, and what the evaluation's labels mean, over everything."""
    width, height = surface.get_size()
    unit = max(12, min(width // 36, height // 27))
    keys = max(text_width(key, unit) for key, _ in KEYS)
    inner = min(width - 3 * unit, keys + 19 * unit)
    lines = wrapped(LABELS, unit, inner)
    card = pygame.Rect(0, 0, inner + 2 * unit, round(unit * (len(KEYS) * 1.25 + len(lines) * 1.1 + 4)))
    card.center = (width // 2, height // 2)
    draw_card(surface, theme, card, unit)
    left, top = card.left + unit, card.top + unit * 0.8
    write(surface, "Help", (left, top), round(unit * 1.4), theme.text)
    top += unit * 1.9
    _draw_pairs(surface, theme, KEYS, (left, top), unit, keys)
    top += unit * (len(KEYS) * 1.25 + 0.5)
    for number, line in enumerate(lines):
        write(surface, line, (left, top + number * unit * 1.1), unit, theme.faint, width=inner)


def _draw_pairs(
    surface: pygame.Surface,
    theme: Theme,
    pairs: Sequence[tuple[str, str]],
    place: tuple[float, float],
    unit: int,
    wide: int,
) -> None:
    for number, (key, meaning) in enumerate(pairs):
        y = place[1] + unit * number * 1.25
        write(surface, key, (place[0], y), unit, theme.accent)
        write(surface, meaning, (place[0] + wide + unit, y), unit, theme.text)
