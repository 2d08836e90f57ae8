"""The menu: who plays, at what, how fast, how often; what was left unfinished, and what was saved."""

from __future__ import annotations

from dataclasses import replace
from functools import partial

import pygame

from inarow.agents import agent_class, agent_names
from inarow.drawing.palette import THEMES
from inarow.errors import InarowError
from inarow.play.desktop import shapes
from inarow.play.desktop.choices import DELAYS, MATCHES, OTHER, SIZES, STARTS, Choices
from inarow.play.desktop.files import OpenCard
from inarow.play.desktop.lettering import wrapped, write
from inarow.play.desktop.menu_layout import MenuLayout
from inarow.play.desktop.opponents import OpponentLine, SeatMark, opponents
from inarow.play.desktop.overlay import Overlay
from inarow.play.desktop.picker import Picker
from inarow.play.desktop.screen import AppContext, Screen
from inarow.play.desktop.settings import Entry, catalogue
from inarow.play.desktop.widgets import Button, Field, Group, Stepper
from inarow.play.lineups import HUMAN, Lineup, lineups
from inarow.play.tasks import BackgroundTask
from inarow.rules import CONNECT4, TICTACTOE, Player, game
from inarow.stopping import Stop


def _exists(offered: Lineup, seat: str) -> bool:
    """Whether there is somebody behind a choice."""
    level = offered.level(seat)
    return level is None or any(spec.partition(":")[0] in agent_names() for spec in level.specs)


def _has_settings(name: str) -> bool:
    """Whether an agent of this name has something to set. Imports its module, which may take a while."""
    return name == "file" or (name in agent_names() and bool(agent_class(name).playing_parameters()))


def _settings_task(name: str, stop: Stop) -> bool:
    return _has_settings(name)


class Menu(Screen):
    """The first screen."""

    def __init__(self, app: AppContext) -> None:
        self._app = app
        self._message = ""
        self._overlay: Overlay | None = None
        self._size = (1, 1)
        self._settable: dict[str, bool] = {"": False}  # by the agent's name; nobody for a person
        self._asked: dict[str, BackgroundTask[bool]] = {}
        self._build()

    @property
    def active(self) -> Group:
        """The widgets that can be used now: those of the card while one is open."""
        return self.group if self._overlay is None else self._overlay.group

    # What is there.

    def _build(self) -> None:
        app = self._app
        offered = app.choices.offered
        self.group = Group()
        self.place = MenuLayout(self.group, offered)
        titles = [f"Players: {one.title}" for one in lineups()]
        self.group.add(Stepper("lineup", titles, lineups().index(offered), self._set_lineup))
        self.group["lineup"].visible = len(titles) > 1
        self.group.add(Button("resume", "Resume", app.resume, strong=True, enabled=app.can_resume))
        self.group.add(Button("open", "Open …", self._open))
        self.group.add(Button("quit", "Quit", app.quit))
        for mode in offered.modes:
            action, chosen = partial(self._set_mode, mode.seats), partial(self._has_mode, mode.seats)
            able = all(_exists(offered, seat) for seat in mode.seats)
            self.group.add(Button(f"mode {mode.label}", mode.label, action, chosen, enabled=able))
        for one in opponents(offered):
            able = _exists(offered, one.seat)
            for player in Player:
                action = partial(self._set_seat, int(player), one.seat)
                chosen = partial(self._has_seat, int(player), one.seat)
                name = f"seat {int(player)} {one.seat}"
                self.group.add(SeatMark(name, "", action, chosen, player=player, enabled=able))
            action = partial(self._set_seat, 1, one.seat)
            line = OpponentLine(f"row {one.seat}", one.seat, action, about=one.about, strength=one.strength)
            line.enabled = able
            self.group.add(line)
        for index in (0, 1):
            spec = Field(f"spec {index}", "", "an agent, such as mcts:seconds=1 or file:mine.py")
            spec.changed = partial(self._set_spec, index)
            self.group.add(spec)
            self.group.add(Button(f"pick {index}", "Settings …", partial(self._pick, index)))
        self._add_steppers()
        for named in (CONNECT4, TICTACTOE):
            action = partial(self._play, named.name)
            self.group.add(Button(f"play {named}", f"Play {named.title}", action, strong=True))
        board = Field("board", app.choices.board, "5x4x4")
        board.changed = lambda text: self._change(replace(app.choices, board=text))
        board.entered = lambda: self._play(app.choices.board)
        self.group.add(board)
        self.group.add(Button("play board", "Play board", lambda: self._play(app.choices.board)))
        self._show_specs()

    def _add_steppers(self) -> None:
        choices = self._app.choices
        here = (choices.width, choices.height)
        self._sizes = list(SIZES) if here in SIZES else [here, *SIZES]
        rows: list[tuple[str, list[str], int]] = [
            ("starts", list(STARTS), STARTS.index(choices.starts)),
            ("delay", [f"{delay:g} s" if delay else "none" for delay in DELAYS], DELAYS.index(choices.delay)),
            ("matches", [str(number) for number in MATCHES], MATCHES.index(choices.matches)),
            ("size", [f"{width} × {height}" for width, height in self._sizes], self._sizes.index(here)),
            ("theme", list(THEMES), list(THEMES).index(choices.theme)),
        ]
        for name, values, index in rows:
            self.group.add(Stepper(name, values, index, partial(self._stepped, name)))

    def layout(self, size: tuple[int, int]) -> None:
        self._size = size
        self.place.fit(size)
        if self._overlay is not None:
            self._overlay.layout(size)

    # What happens.

    def handle(self, event: pygame.Event) -> None:
        app = self._app
        if self._overlay is not None:
            self._overlay.handle(event)
        elif not self.group.handle(event) and event.type == pygame.KEYDOWN:
            if event.key == pygame.K_ESCAPE and app.can_resume:
                app.resume()
            elif event.key in (pygame.K_ESCAPE, pygame.K_q):
                app.quit()
            elif event.key == pygame.K_f:
                app.full_screen()
            elif event.key == pygame.K_o:
                self._open()
            elif event.key == pygame.K_RETURN:
                self._play("connect4")

    def update(self, now: float) -> None:
        for name, task in self._asked.items():
            if task.done and isinstance(task.result, bool):
                self._settable[name] = task.result
        for index in (0, 1):
            name = self._app.choices.spec(index).partition(":")[0].strip()
            if name not in self._settable and name not in self._asked:
                self._asked[name] = BackgroundTask(partial(_settings_task, name))
            self.group[f"pick {index}"].enabled = self._settable.get(name, True)

    def show_error(self, message: str) -> None:
        self._message = message

    def _change(self, choices: Choices) -> None:
        self._message = ""
        self._app.set_choices(choices)

    def _show_specs(self) -> None:
        """Let the two fields say who plays."""
        choices = self._app.choices
        for index in (0, 1):
            field = self.group[f"spec {index}"]
            assert isinstance(field, Field)
            field.text = choices.spec(index) or HUMAN.lower()

    def _set_lineup(self, index: int) -> None:
        self._change(self._app.choices.with_lineup(lineups()[index]))
        self._build()
        self.layout(self._size)
        self.group.set_focus(self.group["lineup"])

    def _set_mode(self, seats: tuple[str, str]) -> None:
        self._change(replace(self._app.choices, seats=seats))
        self._show_specs()

    def _has_mode(self, seats: tuple[str, str]) -> bool:
        return self._app.choices.seats == seats

    def _set_seat(self, index: int, seat: str) -> None:
        self._change(self._app.choices.with_seat(index, seat))
        self._show_specs()
        if seat == OTHER:
            self._pick(index)

    def _has_seat(self, index: int, seat: str) -> bool:
        return self._app.choices.seats[index] == seat

    def _set_spec(self, index: int, spec: str) -> None:
        self._change(self._app.choices.with_seat(index, OTHER).with_spec(index, spec))

    def _open(self) -> None:
        self._lay(OpenCard(self._leave_card, self._app.open))

    def _pick(self, index: int) -> None:
        self._app.ask("looking for agents", catalogue, partial(self._open_picker, index))

    def _open_picker(self, index: int, entries: list[Entry]) -> None:
        self._lay(Picker(entries, self._app.choices.spec(index), partial(self._picked, index)))

    def _picked(self, index: int, spec: str | None) -> None:
        self._leave_card()
        if spec is not None:
            self._set_spec(index, spec)
            self._show_specs()

    def _lay(self, overlay: Overlay) -> None:
        self._overlay = overlay
        overlay.layout(self._size)

    def _leave_card(self) -> None:
        self._overlay = None

    def _stepped(self, name: str, index: int) -> None:
        choices = self._app.choices
        if name == "starts":
            self._change(replace(choices, starts=STARTS[index]))
        elif name == "delay":
            self._change(replace(choices, delay=DELAYS[index]))
        elif name == "matches":
            self._change(replace(choices, matches=MATCHES[index]))
        elif name == "theme":
            self._change(replace(choices, theme=list(THEMES)[index]))
        else:
            self._app.resize(*self._sizes[index])

    def _play(self, name: str) -> None:
        self._message = ""
        try:
            board = game(name)
        except InarowError as error:
            self.show_error(str(error))
        else:
            self._app.play(board)

    # How it looks.

    def draw(self, surface: pygame.Surface, mouse: tuple[int, int], now: float) -> None:
        theme, place = self._app.theme, self.place
        surface.fill(theme.back)
        shapes.blit(surface, shapes.icon(place.logo.width), place.logo.topleft)
        beside = (place.logo.right + place.unit * 0.6, place.logo.centery)
        write(surface, "inarow", beside, round(place.unit * 2), theme.text, "midleft")
        card = place.card
        shapes.blit(surface, shapes.panel(card.width, card.height, theme.panel, place.unit // 2), card.topleft)
        height = round(place.unit * 0.9)
        choices = self._app.choices
        mode = choices.offered.mode(choices.seats)
        about = f"{mode.label}: {mode.about}" if mode else f"Players: {choices.offered.about}"
        write(surface, f"{about}.", place.mode_text, height, theme.faint, "midleft", card.width)
        for text, (spot, anchor) in place.words.items():
            write(surface, text, spot, height, theme.faint, anchor)
        away = (-1, -1) if self._overlay is not None else mouse
        self.group.draw(surface, theme, away)
        for number, line in enumerate(wrapped(self._message, height, card.width)[:2] if self._message else ()):
            spot = (place.message[0], place.message[1] + number * height)
            write(surface, line, spot, height, theme.bad, "midtop", card.width)
        if self._overlay is not None:
            self._overlay.draw(surface, theme, mouse)
