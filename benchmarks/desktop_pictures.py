"""Pictures of the window, drawn off screen: menu, game, thinking, win, evaluation, blunders, at two sizes.

python benchmarks/desktop_pictures.py [FOLDER]      # docs/images if not given, then only those the docs show
"""

from __future__ import annotations

import os
import sys
import time
from collections.abc import Callable
from pathlib import Path

os.environ.update({"SDL_VIDEODRIVER": "dummy", "PYGAME_HIDE_SUPPORT_PROMPT": "1", "INAROW_CONFIG": os.devnull + "/x"})

import pygame

from inarow.agents import agent
from inarow.play import PERSON, Participant, Setup
from inarow.play.desktop.app import App
from inarow.play.desktop.choices import Choices
from inarow.play.desktop.game import GameScreen
from inarow.play.insight import find_judge
from inarow.randomness import Stream
from inarow.rules import CONNECT4, TICTACTOE, Game, parse_moves
from inarow.stopping import Clock

DOCS = Path(__file__).parents[1] / "docs" / "images"
SHOWN_IN_DOCS = {"menu-wide": "desktop-menu", "evaluation-wide": "desktop-game"}
MIDDLE = "333627211113625442"
SHAPES = {"wide": (1000, 760, "dark"), "tall": (720, 960, "light")}


class Hands(Clock):
    """Uses an app, with a clock of its own."""

    def __init__(self, width: int, height: int, theme: str, evaluation: bool = False) -> None:
        self.time = 0.0
        pygame.display.init()
        pygame.font.init()
        choices = Choices(width=width, height=height, theme=theme, evaluation=evaluation)
        self.app = App(choices, clock=self, find_judge=find_judge, seed=1)
        self.frame()

    def now(self) -> float:
        return self.time

    def frame(self, *events: pygame.Event, seconds: float = 0.0) -> None:
        """Pass a moment, and draw."""
        self.time += seconds
        self.app.frame(list(events))

    def until(self, done: Callable[[], bool]) -> None:
        """Draw until something is so, for two minutes at most."""
        for _ in range(12_000):
            if done():
                return
            time.sleep(0.01)
            self.frame()
        raise TimeoutError("it never came")

    def sit_down(self, game: Game, two: Participant, moves: str, names: tuple[str, str]) -> GameScreen:
        """A board with these moves on it, which were played by hand."""
        opening = parse_moves(game, moves)
        setup = Setup(game, (PERSON, two), opening=opening[:-1])
        self.app.begin(lambda: setup, names)
        self.until(lambda: isinstance(self.app.screen, GameScreen))
        screen = self.app.screen
        assert isinstance(screen, GameScreen)
        screen.session.play(opening[-1])
        self.frame(seconds=0.01)
        return screen

    def hover(self, screen: GameScreen, move: int) -> None:
        """Point at a column or a cell."""
        place = screen.board.centre(move)
        self.frame(pygame.Event(pygame.MOUSEMOTION, pos=place, rel=(0, 0), buttons=(0, 0, 0)))


def menu(hands: Hands) -> None:
    """The menu as it comes."""


def game(hands: Hands) -> None:
    """A person's turn, with a column pointed at."""
    screen = hands.sit_down(CONNECT4, PERSON, "44455554221", ("Player one", "Player two"))
    hands.frame(seconds=9)
    hands.hover(screen, 5)


def falling(hands: Hands) -> None:
    """A stone on its way while an agent thinks."""
    hands.sit_down(CONNECT4, agent("alphabeta:depth=30"), "444555542", ("Human", "Hard – minimax"))
    hands.frame(seconds=0.21)


def win(hands: Hands) -> None:
    """A line."""
    hands.sit_down(CONNECT4, PERSON, "4435261", ("Player one", "Player two"))
    hands.frame(seconds=9)


def cells(hands: Hands) -> None:
    """A board without gravity."""
    screen = hands.sit_down(TICTACTOE, PERSON, "5193", ("Player one", "Player two"))
    hands.frame(seconds=9)
    hands.hover(screen, 1)


def evaluation(hands: Hands) -> None:
    """The truth of every move."""
    screen = hands.sit_down(CONNECT4, PERSON, MIDDLE, ("Player one", "Player two"))
    hands.until(lambda: screen.scores() is not None)
    hands.frame(seconds=9)
    hands.hover(screen, 4)


def blunders(hands: Hands) -> None:
    """What was given away, after the game."""
    screen = hands.sit_down(CONNECT4, PERSON, MIDDLE, ("Player one", "Player two"))
    stream = Stream(4)
    while screen.session.ending is None:
        screen.session.play(stream.choice(screen.session.position.legal_moves()))
    hands.frame(seconds=9)
    insight = screen.insight
    assert insight is not None
    hands.until(lambda: not insight.busy)
    hands.frame(pygame.Event(pygame.KEYDOWN, key=pygame.K_RIGHT, unicode="", mod=0))
    hands.frame(pygame.Event(pygame.KEYDOWN, key=pygame.K_RIGHT, unicode="", mod=0))


PICTURES = {
    "menu": menu,
    "game": game,
    "falling": falling,
    "win": win,
    "cells": cells,
    "evaluation": evaluation,
    "blunders": blunders,
}


def main() -> None:
    """Draw them all into a folder, or those for the docs."""
    folder = Path(sys.argv[1]) if len(sys.argv) > 1 else None
    for shape, (width, height, theme) in SHAPES.items():
        for name, draw in PICTURES.items():
            full = f"{name}-{shape}"
            if folder is None and full not in SHOWN_IN_DOCS:
                continue
            hands = Hands(width, height, theme, evaluation=name in ("evaluation", "blunders"))
            draw(hands)
            hands.frame()
            path = DOCS / f"{SHOWN_IN_DOCS[full]}.png" if folder is None else folder / f"{full}.png"
            pygame.image.save(hands.app.window.get_surface(), str(path))
            hands.app.close()
            print(path)


if __name__ == "__main__":
    main()
