"""The rows of the menu's list of opponents: two marks for the seats, who it is, how it plays, how strong it is."""

from __future__ import annotations

from dataclasses import dataclass
from typing import NamedTuple

import pygame

from inarow.drawing.palette import Theme, mixed
from inarow.play.desktop import shapes
from inarow.play.desktop.choices import OTHER
from inarow.play.desktop.lettering import write
from inarow.play.desktop.widgets import Button
from inarow.play.lineups import HUMAN, Lineup
from inarow.rules import Player


class Opponent(NamedTuple):
    """What the list says about a choice for a seat."""

    seat: str
    about: str
    strength: str = ""


def opponents(offered: Lineup) -> tuple[Opponent, ...]:
    """Return the rows of the list: a person, the players of a lineup, any other agent."""
    return (
        Opponent(HUMAN, "a person at this window"),
        *(Opponent(level.label, level.about, level.strength) for level in offered.levels),
        Opponent(OTHER, "any agent with your own settings, or a Python file of yours"),
    )


@dataclass
class SeatMark(Button):
    """A hole for a player's stone: filled if the opponent of its row sits in that seat."""

    player: Player = Player.FIRST

    def draw(self, surface: pygame.Surface, theme: Theme, mouse: tuple[int, int]) -> None:
        size = round(min(self.rect.width, self.rect.height) * 0.78)
        if self.chosen():
            image = shapes.disc(size, theme.stone(self.player), self.player)
        else:
            lit = self._hovered(mouse) or self.focused
            colour = mixed(theme.panel, theme.stone(self.player), 0.7) if lit else theme.line
            image = shapes.ring(size, colour, max(1.5, size / 12))
        shapes.blit_centre(surface, image, self.rect.center)


@dataclass
class OpponentLine(Button):
    """The words of a row; a click takes this opponent as player two."""

    about: str = ""
    strength: str = ""

    def draw(self, surface: pygame.Surface, theme: Theme, mouse: tuple[int, int]) -> None:
        rect = self.rect
        if self._hovered(mouse) or self.focused:
            shapes.blit(surface, shapes.panel(rect.width, rect.height, theme.raised, rect.height // 4), rect.topleft)
        height = round(rect.height * 0.68)
        left = rect.left + rect.height // 3
        name_room, strength_room = round(rect.width * 0.23), round(rect.width * 0.15)
        colour = theme.text if self.enabled else theme.faint
        write(surface, self.label, (left, rect.centery), height, colour, "midleft", name_room)
        about_left = left + name_room + height // 3
        right = rect.right - rect.height // 3
        room = right - about_left - (strength_room + height // 2 if self.strength else 0)
        write(surface, self.about, (about_left, rect.centery), round(height * 0.92), theme.faint, "midleft", room)
        write(
            surface, self.strength, (right, rect.centery), round(height * 0.92), theme.text, "midright", strength_room
        )
