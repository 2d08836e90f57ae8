"""Once in a real window: the program as a user starts it, on an X screen, seen from outside."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import time
from pathlib import Path

import pytest

from support.virtual_screen import install, virtual_screen

KEPT = Path(__file__).parents[3] / "build" / "desktop-window.png"

# Plays in its own window: presses Play, then keys, says where things are, and closes the window when told.
DRIVER = """
import json, sys
from pathlib import Path
import pygame
from inarow.kernels import warm
from inarow.play import desktop
from inarow.play.desktop import app, menu
from inarow.play.desktop.game import GameScreen

told = Path(sys.argv[1])

class Driven(app.App):
    begun = said = False
    keys = [pygame.K_4, pygame.K_3, pygame.K_4, pygame.K_3, pygame.K_4, pygame.K_3, pygame.K_4]

    def frame(self, events):
        super().frame(events)
        if not isinstance(self.screen, GameScreen):
            if not self.begun:
                self.begun = True
                place = self.screen.group["play connect4"].rect.center
                pygame.event.post(pygame.Event(pygame.MOUSEBUTTONDOWN, pos=place, button=1))
        elif self.keys:
            pygame.event.post(pygame.Event(pygame.KEYDOWN, key=self.keys.pop(0), unicode="", mod=0))
        elif not self.said and not self.moving():
            self.said = True
            board, position = self.screen.board, self.screen.session.position
            centres = [board.centre(cell) for cell in position.winning_cells()]
            report = {"window": self.window.position, "cell": board.cell, "line": centres}
            report["colour"] = self.theme.first
            told.write_text(json.dumps(report))
        if (told.parent / "close").exists():
            pygame.event.post(pygame.Event(pygame.QUIT))

app.App = Driven
warm.start_warming = lambda: None  # two people need no kernels
menu.remember(menu.Choices(seats=(menu.HUMAN, menu.HUMAN)))
desktop.run(seed=1)
"""


def test_a_game_in_a_real_window(tmp_path: Path) -> None:
    if not install():
        message = "Xvfb is not installed (apt-get install xvfb), so the real window was not tried"
        if os.environ.get("CI"):
            pytest.fail(message)
        pytest.skip(message)
    told = tmp_path / "told.json"
    with virtual_screen(tmp_path) as screen:
        process = subprocess.Popen([sys.executable, "-c", DRIVER, str(told)], env=screen.environment())
        try:
            for _ in range(3000):
                if told.exists() and told.read_text():
                    break
                assert process.poll() is None, "the program ended by itself"
                time.sleep(0.05)
            report = json.loads(told.read_text())
            width, height, pixels = screen.pixels()
            keep(width, height, pixels)
            left, top = report["window"]
            for x, y in report["line"]:
                at = 3 * ((top + y) * width + left + x + round(report["cell"] * 0.26))
                assert list(pixels[at : at + 3]) == report["colour"]
            assert len(report["line"]) == 4
            (tmp_path / "close").touch()
            assert process.wait(timeout=60) == 0
        finally:
            process.kill()
            process.wait()


def keep(width: int, height: int, pixels: bytes) -> None:
    """Keep what was seen, for people to look at."""
    import pygame

    KEPT.parent.mkdir(exist_ok=True)
    pygame.image.save(pygame.image.frombytes(pixels, (width, height), "RGB"), str(KEPT))
