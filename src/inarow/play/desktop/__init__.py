"""The desktop window. `run` checks for the library and a display, and shows the menu."""

from __future__ import annotations

import importlib.util
import os
import sys
from typing import TYPE_CHECKING

from inarow.errors import Unsupported

if TYPE_CHECKING:
    from inarow.match import MatchRecord
    from inarow.play.insight import Judge
    from inarow.play.setup import Lineup, Setup
    from inarow.rules import Game

_SCREENS = ("DISPLAY", "WAYLAND_DISPLAY", "SDL_VIDEODRIVER")
_UNSEEN = ("dummy", "offscreen", "evdev")  # drivers that SDL falls back to, which show nothing
INSTEAD = "or play in the terminal: inarow play"


def run(
    setup: Setup | None = None,
    record: MatchRecord | None = None,
    seed: int | None = None,
    offered: Lineup | None = None,
) -> list[MatchRecord]:
    """Show the menu, or a series, until the window is closed; return the records of the last series.

    ``offered`` is the lineup of the menu, if it is not the usual one. Raises `Unsupported` if no window can be opened.
    """
    if importlib.util.find_spec("pygame") is None:
        raise Unsupported(f'the window needs pygame-ce: pip install "inarow[desktop]"; {INSTEAD}')
    if sys.platform == "linux" and not any(os.environ.get(name) for name in _SCREENS):
        raise Unsupported(f"no window can be opened (there is no display); a screen is needed, {INSTEAD}")
    os.environ.setdefault("PYGAME_HIDE_SUPPORT_PROMPT", "1")
    os.environ.setdefault("SDL_VIDEO_X11_WMCLASS", "inarow")  # the name that a desktop groups windows by
    os.environ.setdefault("SDL_VIDEO_WAYLAND_WMCLASS", "inarow")
    import pygame

    if not getattr(pygame, "IS_CE", False):
        raise Unsupported(f"the window needs pygame-ce, but pygame is installed: replace it, {INSTEAD}")
    from inarow.agents.perfect import ADVISER
    from inarow.play.desktop.app import App, Warming
    from inarow.play.desktop.menu import remembered, titles
    from inarow.play.setup import USUAL

    warming = Warming()
    try:
        pygame.display.init()
        if pygame.display.get_driver() in _UNSEEN and not os.environ.get("SDL_VIDEODRIVER"):
            raise pygame.error("there is no display")
        pygame.font.init()
        choices = remembered()
        if offered is not None and offered is not USUAL and offered.name != choices.lineup:
            choices = choices.with_lineup(offered)
        app = App(choices, warming=warming, adviser=ADVISER, find_judge=_judge, seed=seed)
    except pygame.error as error:
        warming.stop()
        pygame.quit()
        raise Unsupported(f"no window can be opened ({error}); a screen is needed, {INSTEAD}") from None
    if setup is not None:
        one, two = setup.participants
        app.begin(lambda: setup, titles(one.spec, two.spec), record)
    try:
        app.run()
    finally:
        pygame.quit()
    return app.session.records() if app.session is not None else []


def _judge(game: Game) -> Judge:
    """Return the exact judge; its module, and the compiler with it, is imported when it is first used."""
    from inarow.play.insight import find_judge

    return find_judge(game)
