"""A window that nobody sees, driven by the test: clicks, keys, frames; time stands still until it is moved."""

from __future__ import annotations

import os
import time
from collections.abc import Callable, Iterator

os.environ.setdefault("SDL_VIDEODRIVER", "dummy")
os.environ.setdefault("PYGAME_HIDE_SUPPORT_PROMPT", "1")

import pygame

from inarow.drawing.board import Colour
from inarow.play import Setup
from inarow.play.desktop.app import App, Warming
from inarow.play.desktop.game import GameScreen
from inarow.play.desktop.menu import Choices, Menu
from inarow.play.desktop.widgets import Widget
from inarow.play.insight import Judge, MoveBounds
from inarow.play.setup import HUMAN
from inarow.rules import Game, Player, Position
from inarow.solver import Bounds
from inarow.stopping import Stop
from support.play_doubles import ManualClock, Scripted

PEOPLE = (HUMAN, HUMAN)


class Window:
    """An app and hands to use it."""

    def __init__(
        self,
        choices: Choices | None = None,
        judge: Judge | None = None,
        warming: Warming | None = None,
    ) -> None:
        pygame.display.init()
        pygame.font.init()
        pygame.event.clear()
        self.clock = ManualClock()
        self.app = App(
            choices or Choices(),
            clock=self.clock,
            find_judge=lambda game: judge,
            adviser=Scripted("highest"),
            warming=warming,
            seed=1,
        )
        self.frame()

    @property
    def menu(self) -> Menu:
        assert isinstance(self.app.screen, Menu)
        return self.app.screen

    @property
    def game(self) -> GameScreen:
        assert isinstance(self.app.screen, GameScreen)
        return self.app.screen

    def frame(self, *events: pygame.Event, seconds: float = 0.0) -> None:
        """Pass a moment, and draw."""
        self.clock.time += seconds
        self.app.frame(list(events))

    def widget(self, name: str) -> Widget:
        return self.menu.active[name] if isinstance(self.app.screen, Menu) else self.game.active[name]

    def click(self, where: str | tuple[int, int], left: bool | None = None) -> None:
        """Click a widget (its left or right half if told), or a place."""
        if isinstance(where, str):
            rect = self.widget(where).rect
            where = rect.center if left is None else (rect.left + rect.width // 4 * (1 if left else 3), rect.centery)
        self.frame(pygame.Event(pygame.MOUSEBUTTONDOWN, pos=where, button=1))

    def hover(self, place: tuple[int, int]) -> None:
        self.frame(pygame.Event(pygame.MOUSEMOTION, pos=place, rel=(0, 0), buttons=(0, 0, 0)))

    def key(self, key: int, text: str = "", mod: int = 0) -> None:
        self.frame(pygame.Event(pygame.KEYDOWN, key=key, unicode=text, mod=mod))

    def wheel(self, turns: int) -> None:
        self.frame(pygame.Event(pygame.MOUSEWHEEL, x=0, y=turns))

    def type(self, text: str) -> None:
        self.frame(pygame.Event(pygame.TEXTINPUT, text=text))

    def until(self, done: Callable[[], bool], seconds: float = 0.0) -> None:
        """Draw frames until something is so; the clock moves on by so much a frame."""
        patience = time.monotonic() + 240
        while time.monotonic() < patience:
            if done():
                return
            self.frame(seconds=seconds)
            if seconds == 0.0 or self.app.moving():
                time.sleep(0.002)  # lets the threads that think get on
        raise AssertionError("it never came")

    def play(self, name: str) -> None:
        """Press a Play button and wait for the board."""
        self.click(f"play {name}")
        self.until(lambda: isinstance(self.app.screen, GameScreen))
        self.frame()

    def begin(self, setup: Setup, names: tuple[str, str] = ("One", "Two")) -> None:
        self.app.begin(lambda: setup, names)
        self.until(lambda: isinstance(self.app.screen, GameScreen))
        self.frame()

    def settle(self) -> None:
        """Let agents move until a person is to move or all is over, and stones come to rest."""
        session = self.game.session
        self.until(lambda: session.awaits_person or session.series_over, seconds=1.0)
        self.frame(seconds=5.0)

    def colour_at(self, place: tuple[float, float]) -> Colour:
        red, green, blue, _ = self.app.window.get_surface().get_at((round(place[0]), round(place[1])))
        return red, green, blue

    def stone_at(self, cell: int) -> Player | None:
        """Whose stone is seen in a cell, by its colour alone."""
        board, theme = self.game.board, self.app.theme
        x, y = board.centre(cell)
        offsets = [(0.26, 0.0)] if board.game.gravity else [(0.3, 0.0), (0.2, 0.2)]
        for across, down in offsets:
            colour = self.colour_at((x + across * board.cell, y + down * board.cell))
            for player in Player:
                if sum(abs(a - b) for a, b in zip(colour, theme.stone(player), strict=True)) < 24:
                    return player
        return None

    def seen(self) -> list[Player | None]:
        """All cells as they are seen."""
        return [self.stone_at(cell) for cell in range(self.game.session.setup.game.cells)]


def open_windows() -> Iterator[list[Window]]:
    """A list for windows, which are closed at the end."""
    opened: list[Window] = []
    yield opened
    for window in opened:
        window.app.close()


def people(windows: list[Window], name: str, size: tuple[int, int] = (1000, 760), theme: str = "dark") -> Window:
    """A window with two people at a match."""
    windows.append(Window(Choices(seats=PEOPLE, width=size[0], height=size[1], theme=theme), naive_judge))
    windows[-1].play(name)
    return windows[-1]


def naive_judge(position: Position, stop: Stop) -> MoveBounds | None:
    """Exact scores by plain search: for small boards."""
    scores = {move: -_score(position.play(move), {}) for move in position.legal_moves()}
    return {move: Bounds(score, score) for move, score in scores.items()}


def _score(position: Position, seen: dict[Position, int]) -> int:
    if position not in seen:
        outcome = position.outcome()
        if outcome is None:
            seen[position] = max(-_score(position.play(move), seen) for move in position.legal_moves())
        elif outcome.winner is None:
            seen[position] = 0
        else:  # the stones that the winner had in hand before its last move
            seen[position] = -(_share(position.game, outcome.winner) - _stones(position, outcome.winner) + 1)
    return seen[position]


def _share(game: Game, player: Player) -> int:
    return (game.cells + 1 - player) // 2


def _stones(position: Position, player: Player) -> int:
    return (position.first, position.second)[player].bit_count()
