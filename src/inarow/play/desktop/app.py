"""The window and its loop: events in, frames out; what takes long is done in the background."""

from __future__ import annotations

import math
import secrets
from collections.abc import Callable
from dataclasses import replace
from typing import Any

import pygame

from inarow.agents import Agent
from inarow.agents.rehearsal import rehearse
from inarow.drawing.palette import THEMES, Theme
from inarow.errors import InarowError
from inarow.match import MatchRecord
from inarow.play import saved
from inarow.play.desktop import shapes
from inarow.play.desktop.choices import Choices, remember, titles
from inarow.play.desktop.game import GameScreen
from inarow.play.desktop.lettering import write
from inarow.play.desktop.menu import Menu
from inarow.play.desktop.screen import Screen
from inarow.play.desktop.warming import Warming, judge_later
from inarow.play.insight import Insight, Judge
from inarow.play.session import Session
from inarow.play.setup import Setup
from inarow.play.tasks import BackgroundTask
from inarow.rules import Game
from inarow.stopping import SYSTEM_CLOCK, Clock

FRAMES = 60  # a second, while something moves
_IDLE = 1000  # milliseconds between updates when nothing moves
_WAKE = pygame.event.custom_type()
LEAST_SIZE = (480, 400)
NAME = "inarow – k in a row"


class App:
    """One window. `run` shows it until it is closed; tests call `frame` themselves."""

    def __init__(
        self,
        choices: Choices,
        *,
        clock: Clock = SYSTEM_CLOCK,
        warming: Warming | None = None,
        find_judge: Callable[[Game], Judge | None] = lambda game: None,
        adviser: Agent | None = None,
        seed: int | None = None,
    ) -> None:
        self.choices = choices
        self.running = True
        self.session: Session | None = None
        """The last one that was begun."""
        self._clock = clock
        self._find_judge = find_judge
        self._adviser = adviser
        self._seed = seed
        self._warming = warming
        self._asked: tuple[BackgroundTask[Any], str, Callable[[Any], None]] | None = None
        self._shortcut = ""
        """The letter of the last key, if that moved the focus: it must not be typed into the field that has it now."""
        self._full = False
        self._mouse = (-1, -1)
        self._held: list[pygame.Event] = []  # keys for the screen that is being prepared
        self._kept: GameScreen | None = None  # with an unfinished match, while the menu is shown
        self.window = pygame.Window(NAME, (choices.width, choices.height), resizable=True, allow_high_dpi=True)
        self.window.minimum_size = LEAST_SIZE
        self.window.set_icon(shapes.icon(64))
        self.screen: Screen = Menu(self)
        self._size = (0, 0)

    # What screens ask for.

    @property
    def theme(self) -> Theme:
        """The colours."""
        return THEMES[self.choices.theme]

    @property
    def compiling(self) -> str:
        """What is compiled, and how far it is; empty if nothing is."""
        if self._warming is None or self._warming.done:
            return ""
        return f"compiling for this machine, once: {100 * self._warming.progress:.0f} %"

    def set_choices(self, choices: Choices) -> None:
        """Use and remember what was chosen."""
        self.choices = choices

    def ask(self, label: str, work: Callable[[], Any], then: Callable[[Any], None]) -> None:
        """Do work in the background, show that it is being done, and pass its result on."""
        self._asked = (BackgroundTask(lambda stop: work(), wake=wake), label, then)

    def play(self, game: Game) -> None:
        """Start a series of this game, as it was chosen in the menu."""
        choices = self.choices
        seed = secrets.randbits(31) if self._seed is None else self._seed
        self.begin(lambda: choices.setup(game, seed), choices.names())
        remember(choices)

    @property
    def can_resume(self) -> bool:
        """Whether there is an unfinished match: of this run or of the last."""
        return self._kept is not None or saved.unfinished_match() is not None

    def resume(self) -> None:
        """Resume the unfinished match."""
        record = saved.unfinished_match()
        if self._kept is not None:
            kept, self._kept = self._kept, None
            kept.resume()
            self._show(kept)
        elif record is not None:
            self.begin(lambda: saved.setup_of(record), titles(record.first, record.second), record, fresh=False)

    def open(self, record: MatchRecord) -> None:
        """Resume a saved match, or look at it."""
        self.begin(lambda: saved.setup_of(record), titles(record.first, record.second), record)

    def begin(
        self, make: Callable[[], Setup], names: tuple[str, str], record: MatchRecord | None = None, fresh: bool = True
    ) -> None:
        """Start a series as soon as its agents and their kernels are ready; the first match may continue a record.

        If it is ``fresh``, an unfinished match is put aside first: it can be opened again.
        """

        def prepare() -> tuple[Setup, Judge | None]:
            setup = make()
            agents = [participant for participant in setup.participants if isinstance(participant, Agent)]
            if self._warming is not None and any(agent.needs_kernels for agent in agents):
                self._warming.wait()
            for agent in agents:
                rehearse(agent, setup.game)
            if self._warming is None or self._warming.done:
                return setup, self._find_judge(setup.game)
            return setup, judge_later(self._warming, self._find_judge, setup.game)

        def start(ready: tuple[Setup, Judge | None]) -> None:
            setup, judge = ready
            self.session = Session(setup, adviser=self._adviser, record=record, clock=self._clock, wake=wake)
            insight = None if judge is None else Insight(judge, wake=wake)
            screen = GameScreen(self, self.session, insight, names)
            aside = saved.put_unfinished_aside() if fresh else ""
            screen.message = f"your unfinished match was saved as {aside}" if aside else ""
            if self._kept is not None:
                self._kept.close(0.0)
                self._kept = None
            self._show(screen)

        self.ask("setting up the board", prepare, start)

    def resize(self, width: int, height: int) -> None:
        """Give the window another size."""
        self.window.size = (width, height)

    def menu(self) -> None:
        """Go to the menu; an unfinished match is kept."""
        if isinstance(self.screen, GameScreen) and self.screen.unfinished:
            self.screen.suspend()
            self._kept = self.screen
        self._show(Menu(self))

    def quit(self) -> None:
        """Close the window after this frame."""
        self.running = False

    def full_screen(self) -> None:
        """Fill the screen, or go back to a window."""
        self._full = not self._full
        if self._full:
            self.window.set_fullscreen(desktop=True)
        else:
            self.window.set_windowed()
            self.window.size = (self.choices.width, self.choices.height)

    def _show(self, screen: Screen) -> None:
        if self.screen is not self._kept:
            self.screen.close(0.0)
        self.screen = screen
        self._size = (0, 0)
        self.window.title = f"inarow – {screen.title}" if screen.title else NAME

    # The loop.

    def run(self) -> None:
        """Show the window until it is closed."""
        pace = pygame.time.Clock()
        events: list[pygame.Event] = []
        try:
            while True:
                self.frame(events)
                if not self.running:
                    return
                if self.moving():
                    pace.tick(FRAMES)
                    events = pygame.event.get()
                else:
                    due = self.screen.due()
                    events = [pygame.event.wait(_IDLE if due is None else min(_IDLE, math.ceil(1000 * due)) + 1)]
                    events += pygame.event.get()
        finally:
            self.close()

    def moving(self) -> bool:
        """Whether the next frame differs from this one even if nothing is done."""
        return self._asked is not None or self.screen.moving(self._clock.now())

    def frame(self, events: list[pygame.Event]) -> None:
        """Obey the events, let time pass, and draw."""
        for event in events:
            self._handle(event)
        self._collect()
        now = self._clock.now()
        self.screen.update(now)
        surface = self.window.get_surface()
        if surface.get_size() != self._size:
            self._size = surface.get_size()
            self.screen.layout(self._size)
        self.screen.draw(surface, self._mouse, now)
        if self._asked is not None:
            self._draw_waiting(surface, now)
        self.window.flip()

    def _handle(self, event: pygame.Event) -> None:
        if event.type in (pygame.QUIT, pygame.WINDOWCLOSE):
            self.quit()
        elif event.type == pygame.WINDOWSIZECHANGED and not self._full:
            width, height = self.window.size
            self.choices = replace(self.choices, width=width, height=height)
        elif self._asked is not None and event.type in (pygame.KEYDOWN, pygame.MOUSEBUTTONDOWN):
            if event.type == pygame.KEYDOWN and event.key == pygame.K_ESCAPE:
                self._asked = None
                self._held.clear()
            elif event.type == pygame.KEYDOWN:
                self._held.append(event)
        else:
            if hasattr(event, "pos"):
                event.pos = self._mouse = self._scaled(event.pos)
            elif event.type == pygame.WINDOWLEAVE:
                self._mouse = (-1, -1)
            elif event.type == pygame.TEXTINPUT and event.text == self._shortcut:
                self._shortcut = ""
                return
            focus = self.screen.active.focus
            self.screen.handle(event)
            if event.type == pygame.KEYDOWN:
                self._shortcut = "" if self.screen.active.focus is focus else event.unicode

    def _scaled(self, place: tuple[int, int]) -> tuple[int, int]:
        """From the window's measure to pixels, which are smaller on a high-density screen."""
        width = max(1, self.window.size[0])
        share = self.window.get_surface().get_width() / width
        return round(place[0] * share), round(place[1] * share)

    def _collect(self) -> None:
        if self._asked is None or not self._asked[0].done:
            return
        result, then = self._asked[0].result, self._asked[2]
        self._asked = None
        if isinstance(result, Exception):
            self.screen.show_error(
                str(result) if isinstance(result, InarowError) else f"{type(result).__name__}: {result}"
            )
        else:
            then(result)
        held, self._held = self._held, []
        for event in held:
            self.screen.handle(event)

    def _draw_waiting(self, surface: pygame.Surface, now: float) -> None:
        assert self._asked is not None
        theme = self.theme
        width, height = surface.get_size()
        unit = max(16, min(width // 28, height // 20))
        label = self.compiling or self._asked[1]
        card = pygame.Rect(0, 0, min(width, unit * 22), unit * 4)
        card.center = (width // 2, height // 2)
        box = shapes.panel(card.width, card.height, theme.panel, unit // 2, theme.accent, 2)
        shapes.blit(surface, box, card.topleft)
        shapes.spinner(surface, (card.left + unit * 2, card.centery), unit * 0.7, theme.accent, now)
        place = (card.left + unit * 3.5, card.centery)
        write(surface, f"{label} …", place, unit, theme.text, "midleft", card.width - unit * 4.5)

    def close(self) -> None:
        """End everything: sessions, threads, the child that compiles, the window."""
        self.screen.close(0.5)
        if self._kept is not None:
            self._kept.close(0.5)
        if self._warming is not None:
            self._warming.stop()
        remember(self.choices)
        self.window.destroy()


def wake() -> None:
    """Wake the loop up; called from other threads."""
    if pygame.display.get_init():
        pygame.event.post(pygame.Event(_WAKE))
