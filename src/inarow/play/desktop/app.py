"""The window and its event loop; slow work runs in the background."""

from __future__ import annotations

import math
import secrets
import subprocess
import threading
from collections.abc import Callable
from dataclasses import replace
from typing import Any

import pygame

from inarow.agents import Agent
from inarow.agents.base import rehearse
from inarow.drawing.board import THEMES, Theme
from inarow.errors import InarowError
from inarow.match import MatchRecord
from inarow.play import saved
from inarow.play.desktop import paint
from inarow.play.desktop.game import GameScreen
from inarow.play.desktop.menu import Choices, Menu, remember, titles
from inarow.play.desktop.paint import AWAY, Pen
from inarow.play.desktop.widgets import Screen
from inarow.play.insight import Insight, Judge, MoveBounds
from inarow.play.session import BackgroundTask, Session
from inarow.play.setup import Setup
from inarow.rules import Game, Position
from inarow.stopping import SYSTEM_CLOCK, Clock, Stop

FRAMES = 60  # a second, while something moves
_IDLE = 1000  # milliseconds between updates when nothing moves
_WAKE = pygame.event.custom_type()
_SMALLEST = (480, 400)
NAME = "inarow – k in a row"


class Warming:
    """Compiles kernels in a child process, so that the window stays responsive.

    Agents that need kernels wait for it in the background; the others can be played meanwhile.
    """

    def __init__(self) -> None:
        self.progress = 0.0
        """The share of the kernels that are compiled."""
        self._child: subprocess.Popen[bytes] | None = None
        self._stopped = False
        self._lock = threading.Lock()
        self._done = threading.Event()
        # On a thread, because even finding out whether there is something to compile imports a lot.
        threading.Thread(target=self._run, name="inarow-warming", daemon=True).start()

    @property
    def done(self) -> bool:
        """True if everything is compiled, or compiling was stopped."""
        return self._done.is_set()

    def wait(self, seconds: float | None = None) -> bool:
        """Wait until `done`, or for some seconds; return `done`."""
        return self._done.wait(seconds)

    def stop(self) -> None:
        """End the child process."""
        with self._lock:
            self._stopped = True
            child = self._child
        if child is not None and child.poll() is None:
            child.kill()
            child.wait()
        self._done.set()

    def _run(self) -> None:
        from inarow.kernels.warm import start_warming

        try:
            with self._lock:
                if not self._stopped:
                    self._child = start_warming(subprocess.PIPE)
            if self._child is not None:
                with self._child:
                    for line in self._child.stdout or ():
                        if line.endswith(b"\n"):  # a killed process may leave half a line
                            done, modules = map(int, line.split())
                            self.progress = done / modules
        finally:
            self._done.set()

    def judge(self, find: Callable[[Game], Judge | None], game: Game) -> Judge | None:
        """Return the judge of a game; while kernels are compiled it queues its answers."""
        if self.done:
            return find(game)
        found: list[Judge | None] = []

        def judge(position: Position, stop: Stop) -> MoveBounds | None:
            while not self.wait(0.05):
                if stop.is_set():
                    return None
            if not found:
                found.append(find(game))
            return None if found[0] is None else found[0](position, stop)

        return judge


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
        """The last session started."""
        self._clock = clock
        self._find_judge = find_judge
        self._adviser = adviser
        self._seed = seed
        self._warming = warming
        self._asked: tuple[BackgroundTask[Any], str, Callable[[Any], None]] | None = None
        self._shortcut = ""
        """The letter of a key that moved the focus: it must not be typed into the field that has the focus now."""
        self._full = False
        self._mouse = AWAY
        self._held: list[pygame.Event] = []  # keys for the screen that is being prepared
        self._kept: GameScreen | None = None  # with an unfinished match, while the menu is shown
        self.window = pygame.Window(NAME, (choices.width, choices.height), resizable=True, allow_high_dpi=True)
        self.window.minimum_size = _SMALLEST
        self.window.set_icon(paint.icon(64))
        self.screen: Screen = Menu(self)
        self._size = (0, 0)

    # Called by screens.

    @property
    def theme(self) -> Theme:
        """The colours."""
        return THEMES[self.choices.theme]

    @property
    def compiling(self) -> str:
        """The progress of compiling; an empty string if nothing is compiled."""
        if self._warming is None or self._warming.done:
            return ""
        return f"compiling for this machine, once: {100 * self._warming.progress:.0f} %"

    def ask(self, label: str, work: Callable[[], Any], then: Callable[[Any], None]) -> None:
        """Do work in the background, show a label meanwhile, and pass the result on."""
        self._asked = (BackgroundTask(lambda stop: work(), wake=wake), label, then)

    def play(self, game: Game) -> None:
        """Start a series of this game with the choices of the menu."""
        choices = self.choices
        seed = secrets.randbits(31) if self._seed is None else self._seed
        self.begin(lambda: choices.setup(game, seed), choices.names())
        remember(choices)

    @property
    def can_resume(self) -> bool:
        """True if there is an unfinished match, of this run or of the last."""
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
        """Resume a saved match, or show a finished one."""
        self.begin(lambda: saved.setup_of(record), titles(record.first, record.second), record)

    def begin(
        self, make: Callable[[], Setup], names: tuple[str, str], record: MatchRecord | None = None, fresh: bool = True
    ) -> None:
        """Start a series as soon as its agents and their kernels are ready; the first match may continue a record.

        If it is ``fresh``, an unfinished match is first moved to the saved ones.
        """

        def prepare() -> tuple[Setup, Judge | None]:
            setup, warming = make(), self._warming
            agents = [participant for participant in setup.participants if isinstance(participant, Agent)]
            if warming is not None and any(agent.needs_kernels for agent in agents):
                warming.wait()
            for agent in agents:
                rehearse(agent, setup.game)
            return setup, self._find_judge(setup.game) if warming is None else warming.judge(
                self._find_judge, setup.game
            )

        def start(ready: tuple[Setup, Judge | None]) -> None:
            setup, judge = ready
            self.session = Session(setup, adviser=self._adviser, record=record, clock=self._clock, wake=wake)
            screen = GameScreen(self, self.session, None if judge is None else Insight(judge, wake=wake), names)
            aside = saved.put_unfinished_aside() if fresh else ""
            screen.message = f"your unfinished match was saved as {aside}" if aside else ""
            if self._kept is not None:
                self._kept.close(0.0)
                self._kept = None
            self._show(screen)

        self.ask("setting up the board", prepare, start)

    def resize(self, width: int, height: int) -> None:
        """Change the size of the window."""
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
        """Switch between full screen and window."""
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
        """Return True if the next frame will differ even without input."""
        return self._asked is not None or self.screen.moving(self._clock.now())

    def frame(self, events: list[pygame.Event]) -> None:
        """Handle events, follow the time, and draw."""
        for event in events:
            self._handle(event)
        self._collect()
        now = self._clock.now()
        self.screen.update(now)
        surface = self.window.get_surface()
        if surface.get_size() != self._size:
            self._size = surface.get_size()
            self.screen.layout(self._size)
        pen = Pen(surface, self.theme, self._mouse, now)
        self.screen.draw(pen)
        if self._asked is not None:
            self._draw_waiting(pen, f"{self.compiling or self._asked[1]} …")
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
        elif event.type == pygame.TEXTINPUT and event.text == self._shortcut:
            self._shortcut = ""
        else:
            if hasattr(event, "pos"):
                event.pos = self._mouse = self._scaled(event.pos)
            elif event.type == pygame.WINDOWLEAVE:
                self._mouse = AWAY
            focus = self.screen.active.focus
            self.screen.handle(event)
            if event.type == pygame.KEYDOWN:
                self._shortcut = "" if self.screen.active.focus is focus else event.unicode

    def _scaled(self, place: tuple[int, int]) -> tuple[int, int]:
        """Convert window coordinates to pixels, which are smaller on a high-density screen."""
        share = self.window.get_surface().get_width() / max(1, self.window.size[0])
        return round(place[0] * share), round(place[1] * share)

    def _collect(self) -> None:
        if self._asked is None or not self._asked[0].done:
            return
        result, then = self._asked[0].result, self._asked[2]
        self._asked = None
        if isinstance(result, InarowError):
            self.screen.message = str(result)
        elif isinstance(result, Exception):
            self.screen.message = f"{type(result).__name__}: {result}"
        else:
            then(result)
        held, self._held = self._held, []
        for event in held:
            self.screen.handle(event)

    def _draw_waiting(self, pen: Pen, label: str) -> None:
        theme, (width, height) = pen.theme, pen.surface.get_size()
        unit = max(16, min(width // 28, height // 20))
        card = pygame.Rect(0, 0, min(width, unit * 22), unit * 4)
        card.center = (width // 2, height // 2)
        pen.box(card, theme.panel, unit // 2, theme.accent, 2)
        pen.spinner((card.left + unit * 2, card.centery), unit * 0.7)
        place = (card.left + unit * 3.5, card.centery)
        pen.write(label, place, unit, theme.text, "midleft", card.width - unit * 4.5)

    def close(self) -> None:
        """End everything: sessions, threads, the child process that compiles, the window."""
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
