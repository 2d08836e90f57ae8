"""Draw pictures of the window off screen: menu, settings, match, end, evaluation, review, at four sizes.

python benchmarks/desktop_pictures.py [FOLDER [SHAPE]]    # by default docs/images, and only the pictures of the docs
"""

from __future__ import annotations

import os
import shutil
import sys
import tempfile
import time
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

os.environ.update({"SDL_VIDEODRIVER": "dummy", "PYGAME_HIDE_SUPPORT_PROMPT": "1", "INAROW_CONFIG": tempfile.mkdtemp()})

import PIL.Image
import pygame

from inarow.agents import agent
from inarow.agents.perfect import ADVISER
from inarow.play import PERSON, Participant, Setup
from inarow.play.desktop.app import App
from inarow.play.desktop.game import GameScreen
from inarow.play.desktop.menu import Choices, Menu
from inarow.play.insight import find_judge
from inarow.play.saved import named, save_records, unfinished_match
from inarow.play.setup import lineup
from inarow.randomness import Stream
from inarow.rules import CONNECT4, TICTACTOE, Game, parse_moves
from inarow.rules import game as parse_game
from inarow.stopping import Clock

DOCS = Path(__file__).parents[1] / "docs" / "images"
SHOWN_IN_DOCS = {
    "menu-wide": "desktop-menu",
    "r1-wide": "r1-menu",
    "evaluation-wide": "desktop-game",
    "review-wide": "desktop-review",
}
MIDDLE = "333627211113625442"
SHAPES = {
    "wide": (1000, 760, "dark"),
    "tall": (720, 960, "light"),
    "small": (480, 400, "dark"),
    "4k": (3840, 2160, "light"),
}


class Hands(Clock):
    """Uses an app; time passes only in `frame`."""

    def __init__(self, width: int, height: int, theme: str, evaluation: bool = False) -> None:
        self.time = 0.0
        pygame.display.init()
        pygame.font.init()
        choices = Choices(width=width, height=height, theme=theme, evaluation=evaluation)
        self.app = App(choices, clock=self, find_judge=find_judge, adviser=ADVISER, seed=1)
        self.frame()

    def now(self) -> float:
        return self.time

    def frame(self, *events: pygame.Event, seconds: float = 0.0) -> None:
        """Pass some seconds, and draw."""
        self.time += seconds
        self.app.frame(list(events))

    def until(self, done: Callable[[], bool]) -> None:
        """Draw until a condition holds, for at most two minutes."""
        for _ in range(4_000):
            if done():
                return
            time.sleep(0.01)
            self.frame(seconds=0.1)
        raise TimeoutError("the condition never held")

    def sit_down(self, game: Game, two: Participant, moves: str, names: tuple[str, str]) -> GameScreen:
        """Start a match with these moves."""
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
        self.hover_at(screen.board.centre(move))

    def press(self, key: int) -> None:
        """Press a key."""
        self.frame(pygame.Event(pygame.KEYDOWN, key=key, unicode="", mod=0))

    def hover_at(self, place: tuple[int, int]) -> None:
        """Point at a place."""
        self.frame(pygame.Event(pygame.MOUSEMOTION, pos=place, rel=(0, 0), buttons=(0, 0, 0)))


def sit_in_the_middle(hands: Hands) -> GameScreen:
    """Start a match of two people."""
    screen = hands.sit_down(CONNECT4, PERSON, "44455554221", ("Player one", "Player two"))
    hands.frame(seconds=9)
    return screen


def menu(hands: Hands) -> None:
    """Show the menu."""


def r1(hands: Hands) -> None:
    """Show the menu with the players of report R1."""
    hands.app.choices = hands.app.choices.with_lineup(lineup("r1"))
    hands.app.menu()


def game(hands: Hands) -> None:
    """Point at a column."""
    hands.hover(sit_in_the_middle(hands), 5)


def falling(hands: Hands) -> None:
    """Show a falling stone while an agent thinks."""
    hands.sit_down(CONNECT4, agent("alphabeta:depth=30"), "444555542", ("You", "Hard – minimax"))
    hands.frame(seconds=0.21)


def win(hands: Hands) -> None:
    """Show a win."""
    hands.sit_down(CONNECT4, PERSON, "4435261", ("Player one", "Player two"))
    hands.frame(seconds=9)


def cells(hands: Hands) -> None:
    """Show a board without gravity."""
    screen = hands.sit_down(TICTACTOE, PERSON, "5193", ("Player one", "Player two"))
    hands.frame(seconds=9)
    hands.hover(screen, 1)


def evaluation(hands: Hands) -> None:
    """Show the evaluation of every move, and the agent's figures."""
    screen = hands.sit_down(CONNECT4, agent("alphabeta:depth=8"), MIDDLE[:-1], ("You", "Hard – minimax"))
    hands.until(lambda: screen.session.awaits_person)
    hands.until(lambda: screen.truth() is not None)
    hands.frame(seconds=9)
    hands.frame(seconds=9)
    hands.hover(screen, 4)


def hint(hands: Hands) -> None:
    """Show a hint with its reason."""
    screen = hands.sit_down(CONNECT4, PERSON, MIDDLE, ("Player one", "Player two"))
    hands.press(pygame.K_h)
    hands.until(lambda: screen.message.startswith("Hint"))
    hands.frame(seconds=9)


def unsolved(hands: Hands) -> None:
    """Show a board that is not solved within two seconds."""
    screen = hands.sit_down(parse_game("8x6x4-free"), PERSON, "28", ("Player one", "Player two"))
    hands.until(lambda: screen.truth() is not None)
    hands.frame(seconds=9)


def finished(hands: Hands) -> GameScreen:
    """Play a match with some mistakes to its end."""
    screen = hands.sit_down(CONNECT4, agent("random"), MIDDLE[:-1], ("You", "Easy"))
    screen.session.set_delay(0.0)
    stream = Stream(4)
    while screen.session.ending is None:
        if screen.session.awaits_person:
            screen.session.play(stream.choice(screen.session.position.legal_moves()))
        hands.frame(seconds=1)
        time.sleep(0.005)
    hands.frame(seconds=9)
    return screen


def end(hands: Hands) -> None:
    """Show the end of a match."""
    finished(hands)


def review(hands: Hands) -> None:
    """Show the review of the mistakes."""
    screen = finished(hands)
    insight = screen.insight
    assert insight is not None
    hands.press(pygame.K_v)
    hands.until(lambda: not insight.busy)
    hands.frame()
    hands.press(pygame.K_RIGHT)


def question(hands: Hands) -> None:
    """Quit in the middle of a match."""
    sit_in_the_middle(hands)
    hands.press(pygame.K_q)


def help_card(hands: Hands) -> None:
    """Show the help."""
    sit_in_the_middle(hands)
    hands.press(pygame.K_F1)


def resumable(hands: Hands) -> None:
    """Show the menu with a match to resume."""
    sit_in_the_middle(hands)
    hands.press(pygame.K_m)


def settings(hands: Hands) -> None:
    """Show the settings of an agent."""
    hands.app.choices = replace(hands.app.choices, seats=("Human", "Hard – minimax"))
    menu = hands.app.screen
    assert isinstance(menu, Menu)
    hands.frame(pygame.Event(pygame.MOUSEBUTTONDOWN, pos=menu.group["pick 1"].rect.center, button=1))
    hands.until(lambda: menu.active is not menu.group)
    hands.hover_at(menu.active["parameter depth"].rect.center)


def saved(hands: Hands) -> None:
    """Show the list of saved matches."""
    resumable(hands)
    for number in (1, 2, 3):
        record = unfinished_match()
        assert record is not None
        save_records([record], named(f"lesson {number}.txt"))
    hands.press(pygame.K_o)


PICTURES = {
    "menu": menu,
    "r1": r1,
    "hint": hint,
    "resumable": resumable,
    "settings": settings,
    "saved": saved,
    "game": game,
    "falling": falling,
    "win": win,
    "cells": cells,
    "evaluation": evaluation,
    "unsolved": unsolved,
    "end": end,
    "review": review,
    "question": question,
    "help": help_card,
}


def main() -> None:
    """Draw all pictures into a folder, or those of the docs."""
    folder = Path(sys.argv[1]) if len(sys.argv) > 1 else None
    for shape, (width, height, theme) in SHAPES.items():
        if len(sys.argv) > 2 and shape != sys.argv[2]:
            continue
        for name, draw in PICTURES.items():
            full = f"{name}-{shape}"
            if folder is None and full not in SHOWN_IN_DOCS:
                continue
            hands = Hands(width, height, theme, evaluation=name in ("evaluation", "unsolved"))
            draw(hands)
            hands.frame()
            path = DOCS / f"{SHOWN_IN_DOCS[full]}.png" if folder is None else folder / f"{full}.png"
            pygame.image.save(hands.app.window.get_surface(), str(path))
            PIL.Image.open(path).convert("RGB").quantize(256).save(path, optimize=True)
            hands.app.close()
            shutil.rmtree(os.environ["INAROW_CONFIG"], ignore_errors=True)
            print(path)


if __name__ == "__main__":
    main()
