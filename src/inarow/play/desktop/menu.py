"""The menu: who plays, at what, how fast, how often."""

from __future__ import annotations

from dataclasses import replace
from functools import partial

import pygame

from inarow.agents import agent_names
from inarow.drawing.palette import THEMES
from inarow.errors import InarowError
from inarow.play.desktop import shapes
from inarow.play.desktop.choices import DELAYS, GAMES, MODES, OTHER, SEATS, SIZES, STARTS, Choices
from inarow.play.desktop.picker import Entry, Picker, catalogue
from inarow.play.desktop.screen import AppContext, Plane, Screen
from inarow.play.desktop.widgets import Button, Field, Group, Stepper, Widget
from inarow.play.levels import LEVELS
from inarow.rules import CONNECT4, TICTACTOE, game

_CARD_LEFT = (40, 510)
_CARD_WIDTH = 450


def _exists(seat: str) -> bool:
    """Whether there is somebody behind a choice."""
    specs = [spec for level in LEVELS if level.label == seat for spec in level.specs]
    return not specs or any(spec.partition(":")[0] in agent_names() for spec in specs)


class Menu(Screen):
    """The first screen."""

    def __init__(self, house: AppContext) -> None:
        self._house = house
        self._plane = Plane(1000, 760)
        self._message = ""
        self._picker: Picker | None = None
        self.group = Group()
        self._size = (1, 1)
        self._places: dict[str, tuple[float, float, float, float]] = {}
        self._build()

    @property
    def active(self) -> Group:
        """The widgets that can be used now: those of the picker while it is open."""
        return self._picker.group if self._picker is not None else self.group

    # What is there, and where.

    def _build(self) -> None:
        house = self._house
        self._add(Button("quit", "Quit", house.quit), 880, 34, 80, 36)
        for number, (mode, seats) in enumerate(MODES.items()):
            button = Button(f"mode {mode}", mode, partial(self._set_mode, seats), partial(self._has_mode, seats))
            button.enabled = all(map(_exists, seats))
            self._add(button, 124 + number * 169, 112, 160, 36)
        for index, card in enumerate(_CARD_LEFT):
            for number, seat in enumerate(SEATS):
                button = Button(f"seat {index} {seat}", seat)
                button.action = partial(self._set_seat, index, seat)
                button.chosen = partial(self._has_seat, index, seat)
                button.enabled = _exists(seat)
                self._add(button, card + 20 + number % 2 * 208, 204 + number // 2 * 46, 202, 38)
            spec = Field(f"spec {index}", house.choices.specs[index], "an agent, such as rules:style=centre")
            spec.changed = partial(self._set_spec, index)
            self._add(spec, card + 20, 440, 308, 38)
            self._add(Button(f"pick {index}", "Pick …", partial(self._pick, index)), card + 336, 440, 94, 38)
        self._add_steppers()
        for number, named in enumerate((CONNECT4, TICTACTOE)):
            button = Button(f"play {named}", f"Play {named.title}", partial(self._play, named.name), strong=True)
            self._add(button, 40 + number * 300, 626, 280, 64)
        board = Field("board", house.choices.board, "5x4x4")
        board.changed = lambda text: self._change(replace(house.choices, board=text))
        board.entered = lambda: self._play(house.choices.board)
        self._add(board, 650, 644, 170, 38)
        self._add(Button("play board", "Play board", lambda: self._play(house.choices.board)), 828, 644, 132, 38)

    def _add_steppers(self) -> None:
        choices = self._house.choices
        here = (choices.width, choices.height)
        self._sizes = list(SIZES) if here in SIZES else [here, *SIZES]
        rows: list[tuple[str, list[str], int]] = [
            ("starts", list(STARTS), STARTS.index(choices.starts)),
            ("delay", [f"{delay:g} s" if delay else "none" for delay in DELAYS], DELAYS.index(choices.delay)),
            ("games", [str(number) for number in GAMES], GAMES.index(choices.games)),
            ("size", [f"{width} × {height}" for width, height in self._sizes], self._sizes.index(here)),
            ("theme", list(THEMES), list(THEMES).index(choices.theme)),
        ]
        for number, (name, values, index) in enumerate(rows):
            self._add(Stepper(name, values, index, partial(self._stepped, name)), 40 + number * 187, 554, 172, 38)

    def _add(self, widget: Widget, x: float, y: float, width: float, height: float) -> None:
        self.group.add(widget)
        self._places[widget.name] = (x, y, width, height)

    def layout(self, size: tuple[int, int]) -> None:
        self._size = size
        self._plane.fit(size)
        for name, place in self._places.items():
            self.group[name].rect = self._plane.rect(*place)
        if self._picker is not None:
            self._picker.layout(size)

    # What happens.

    def handle(self, event: pygame.Event) -> None:
        if self._picker is not None:
            self._picker.handle(event)
        elif not self.group.handle(event) and event.type == pygame.KEYDOWN:
            if event.key in (pygame.K_ESCAPE, pygame.K_q):
                self._house.quit()
            elif event.key == pygame.K_f:
                self._house.full_screen()
            elif event.key == pygame.K_RETURN:
                self._play("connect4")

    def show_error(self, message: str) -> None:
        self._message = message

    def _change(self, choices: Choices) -> None:
        self._message = ""
        self._house.set_choices(choices)

    def _set_mode(self, seats: tuple[str, str]) -> None:
        self._change(replace(self._house.choices, seats=seats))

    def _has_mode(self, seats: tuple[str, str]) -> bool:
        return self._house.choices.seats == seats

    def _set_seat(self, index: int, seat: str) -> None:
        self._change(self._house.choices.with_seat(index, seat))

    def _has_seat(self, index: int, seat: str) -> bool:
        return self._house.choices.seats[index] == seat

    def _set_spec(self, index: int, spec: str) -> None:
        self._change(self._house.choices.with_seat(index, OTHER).with_spec(index, spec))

    def _pick(self, index: int) -> None:
        self._house.ask("looking for agents", catalogue, partial(self._open_picker, index))

    def _open_picker(self, index: int, entries: list[Entry]) -> None:
        self._picker = Picker(entries, self._house.choices.specs[index], partial(self._picked, index))
        self._picker.layout(self._size)

    def _picked(self, index: int, spec: str | None) -> None:
        self._picker = None
        if spec is not None:
            self._set_spec(index, spec)
            field = self.group[f"spec {index}"]
            assert isinstance(field, Field)
            field.text = spec

    def _stepped(self, name: str, index: int) -> None:
        choices = self._house.choices
        if name == "starts":
            self._change(replace(choices, starts=STARTS[index]))
        elif name == "delay":
            self._change(replace(choices, delay=DELAYS[index]))
        elif name == "games":
            self._change(replace(choices, games=GAMES[index]))
        elif name == "theme":
            self._change(replace(choices, theme=list(THEMES)[index]))
        else:
            self._house.resize(*self._sizes[index])

    def _play(self, name: str) -> None:
        self._message = ""
        try:
            board = game(name)
        except InarowError as error:
            self.show_error(str(error))
        else:
            self._house.play(board)

    # How it looks.

    def draw(self, surface: pygame.Surface, mouse: tuple[int, int], now: float) -> None:
        theme, plane = self._house.theme, self._plane
        surface.fill(theme.back)
        for player, x in ((0, 62), (1, 106)):
            shapes.blit_centre(surface, shapes.disc(plane.length(40), theme.stone(player), player), plane.place(x, 52))
        plane.write(surface, "inarow", 142, 52, 66, theme.text, "midleft")
        plane.write(surface, "k in a row, with people and machines", 312, 58, 26, theme.faint, "midleft")
        plane.write(surface, "Mode", 44, 130, 26, theme.faint, "midleft")
        for index, left in enumerate(_CARD_LEFT):
            card = plane.rect(left, 166, _CARD_WIDTH, 328)
            shapes.blit(surface, shapes.panel(card.width, card.height, theme.panel, plane.length(14)), card.topleft)
            plane.write(surface, f"Player {('one', 'two')[index]}", left + 22, 184, 26, theme.faint, "midleft")
        for number, label in enumerate(("Who starts", "Delay of agents", "Games in a row", "Window", "Colours")):
            plane.write(surface, label, 44 + number * 187, 536, 24, theme.faint, "midleft")
        plane.write(surface, "Columns × rows × k", 654, 626, 22, theme.faint, "midleft")
        away = (-1, -1) if self._picker is not None else mouse
        self.group.draw(surface, theme, away)
        if self._message:
            plane.write(surface, self._message, 500, 724, 26, theme.bad, "center", 920)
        if self._picker is not None:
            self._picker.draw(surface, theme, mouse)
