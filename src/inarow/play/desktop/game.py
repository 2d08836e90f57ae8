"""The game screen: a session on the screen, with its keys, buttons, evaluation and review."""

from __future__ import annotations

import io
from collections.abc import Callable
from dataclasses import replace
from functools import partial

import pygame

from inarow.errors import InarowError
from inarow.play import saved
from inarow.play.desktop import labels, panel
from inarow.play.desktop.board import BoardView, Marks
from inarow.play.desktop.controls import Controls
from inarow.play.desktop.files import SaveCard
from inarow.play.desktop.keys import ARROWS, COMMANDS, DIGITS, ENTER, cursor_after
from inarow.play.desktop.lists import Rows
from inarow.play.desktop.overlay import Overlay, draw_help, quit_question, restart_question
from inarow.play.desktop.review import Review
from inarow.play.desktop.screen import AppContext, Screen
from inarow.play.desktop.thoughts import move_rows
from inarow.play.desktop.widgets import Group
from inarow.play.insight import Insight, MoveBounds
from inarow.play.session import AgentFailed, Ended, Event, Hinted, Moved, Session, Started, TakenBack
from inarow.rules import Position, format_move


class GameScreen(Screen):
    """Draws a session and passes input on to it."""

    def __init__(self, app: AppContext, session: Session, insight: Insight | None, names: tuple[str, str]) -> None:
        self._app = app
        self.session = session
        self.insight = insight
        self.review = Review(session, insight)
        self._participant_names = names
        self.title = f"{session.setup.game.title}: {names[0]} against {names[1]}"
        self.board = BoardView(session.setup.game)
        self.rows = Rows("list", picked=self._look_at)
        self.overlay: Overlay | None = None
        self.message = ""
        self.trouble = ""
        self.help = False
        self._fading = labels.Fading()
        self._cursor: int | None = None
        self._hint: int | None = None
        self._last: int | None = None
        self._paused_before = False
        self._size = (1, 1)
        self._shown: pygame.Surface | None = None
        self._now = 0.0
        self._actions: dict[str, Callable[[], None]] = {
            "undo": session.undo,
            "hint": self._ask_hint,
            "truth": self._toggle_truth,
            "clear": self._restart,
            "save": self._save,
            "picture": self._picture,
            "help": self._show_help,
            "menu": app.menu,
            "quit": self._quit,
            "again": self._new_match,
            "review": self._toggle_review,
        }
        obeyed = {name: partial(self._obey, action) for name, action in self._actions.items()}
        self.group = Controls(obeyed, self.review, lambda: self.shows_truth, insight is not None)

    # What the panel and the app read.

    @property
    def active(self) -> Group:
        """The widgets that can be used now: those of the card while one is open."""
        return self.group if self.overlay is None else self.overlay.group

    @property
    def compiling(self) -> str:
        """What is compiled before positions can be evaluated; empty if nothing is."""
        return self._app.compiling

    @property
    def shows_truth(self) -> bool:
        """Whether the evaluation is switched on, and there is one."""
        return self.insight is not None and self._app.choices.evaluation

    @property
    def names(self) -> tuple[str, str]:
        """Who sits in the first and in the second seat of this match."""
        first = self.session.first
        return self._participant_names[first], self._participant_names[1 - first]

    @property
    def unfinished(self) -> bool:
        """Whether something would be lost by leaving: a match with moves, or a series that has begun."""
        session = self.session
        return bool(session.played) if session.ending is None else not session.series_over

    @property
    def shown(self) -> Position:
        """The position on the screen: the session's, or that before the mistake looked at."""
        mistake = self.review.mistake
        return mistake.position if mistake is not None else self.session.position

    def truth(self) -> MoveBounds | None:
        """What is known of the position shown, if the evaluation is on."""
        wanted = self.shows_truth or self.review.on
        return self.insight.known(self.shown) if self.insight is not None and wanted else None

    # Input.

    def handle(self, event: pygame.Event) -> None:
        if self.overlay is not None:
            self.overlay.handle(event)
            return
        if self.help and event.type in (pygame.KEYDOWN, pygame.MOUSEBUTTONDOWN):
            self.help = False
            return
        if event.type == pygame.MOUSEMOTION:
            self._cursor = None
        if self.group.handle(event):
            return
        if event.type == pygame.MOUSEWHEEL:
            self.rows.scroll(-event.y)
        elif event.type == pygame.MOUSEBUTTONDOWN and event.button == 1:
            move = self.board.move_at(event.pos)
            if self.review.on and self.rows.rect.collidepoint(event.pos):
                self.rows.click(event.pos)
            elif move is not None:
                self._obey(partial(self._play, move))
        elif event.type == pygame.KEYDOWN:
            self._key(event)

    def _key(self, event: pygame.Event) -> None:
        key = event.key
        actions = {key: self._actions[name] for key, name in COMMANDS.items()} | {
            pygame.K_y: self.session.redo,
            pygame.K_f: self._app.full_screen,
            pygame.K_SPACE: self._pause,
        }
        if getattr(event, "unicode", "") == "?":
            self._show_help()
        elif key in actions:
            self._obey(actions[key])
        elif key in DIGITS:
            self._obey(partial(self._play, DIGITS[key]))
        elif key in ARROWS and self.session.ending is not None:
            self._obey(partial(self._step, sum(ARROWS[key])))
        elif key in ARROWS:
            self._cursor = cursor_after(self.session.setup.game, self._cursor, key)
        elif key in ENTER and self._cursor is not None:
            self._obey(partial(self._play, self._cursor))

    def _obey(self, action: Callable[[], None]) -> None:
        """Do it, or say why it can't be done."""
        self.message = self.trouble = ""
        self.group.set_focus(None)
        try:
            action()
        except InarowError as error:
            self.message = str(error)
        self.update(self._now)

    def _play(self, move: int) -> None:
        if not self.review.on:
            self.session.play(move)

    def _pause(self) -> None:
        self.session.pause(not self.session.paused)
        self.message = "paused; Space continues" if self.session.paused else ""

    def _ask_hint(self) -> None:
        self.session.hint()
        self.message = "looking for a hint …"

    def _toggle_truth(self) -> None:
        if self.insight is None:
            raise InarowError("there is no exact evaluation of this board")
        choices = self._app.choices
        self._app.set_choices(replace(choices, evaluation=not choices.evaluation))

    def _show_help(self) -> None:
        self.help = True

    # Nothing is lost without a question.

    def _open(self, overlay: Overlay | None) -> None:
        self.overlay = overlay
        if overlay is not None:
            overlay.layout(self._size)

    def _close_overlay(self) -> None:
        self._open(None)

    def _quit(self) -> None:
        if not self.unfinished:
            self._app.quit()
            return
        self._open(quit_question(self._app.quit, self._close_overlay))

    def _restart(self) -> None:
        if self.session.ending is not None or not self.session.played:
            self._new_match()
            return
        self._open(restart_question(partial(self._obey, self._new_match), self._close_overlay))

    def _save(self) -> None:
        self._open(SaveCard(self.session.records(), self._close_overlay, self._say_saved))

    def _picture(self) -> None:
        """Save what the window shows: the match as it stands, or as it ended."""
        if self._shown is None:
            raise InarowError("nothing has been drawn yet")
        data = io.BytesIO()
        pygame.image.save(self._shown, data, "picture.png")
        path = saved.save_picture(self.session.setup.game, data.getvalue())
        self.message = f"picture saved as {path}"

    def _say_saved(self, name: str) -> None:
        self.message = f"saved as {name}"

    # After the match.

    def _new_match(self) -> None:
        self._end_review()
        self.session.new_match()

    def _toggle_review(self) -> None:
        if self.review.on:
            self._end_review()
            return
        if self.insight is None:
            raise InarowError("there is no exact evaluation of this board, so mistakes can't be found")
        if self.session.ending is None:
            raise InarowError("mistakes are reviewed after the match")
        self.review.begin()

    def _end_review(self) -> None:
        if self.review.on:
            self.review.end()
            self.rows.select(None)
            self._fading.settle()

    def _step(self, by: int) -> None:
        if self.review.on:
            self.review.step(by)
        else:
            self._toggle_review()
        self.board.settle()

    def _look_at(self, index: int) -> None:
        self.review.look_at(index)
        self.board.settle()

    # Time.

    def update(self, now: float) -> None:
        self._now = now
        events = self.session.update()
        for event in events:
            self._heard(event)
        if events:
            saved.keep_unfinished(self.session)
        session, insight, review = self.session, self.insight, self.review
        if insight is not None:
            insight.update()
            wanted = review.wanted() if review.on else [session.position] if self.shows_truth else []
            insight.want(wanted)
            review.update()
        self.group.update(session)
        self.rows.hover = review.on
        self.rows.fill(review.rows(self.names) if review.on else move_rows(session), end=not review.on)
        if self.rows.selected != review.index:
            self.rows.select(review.index)

    def _heard(self, event: Event) -> None:
        if isinstance(event, Moved):
            self._last, self._hint = event.cell, None
            self._fading.leave(self._now)
            self.board.drop(event.cell, self._now)
            self.message = event.decision.note if event.decision is not None else ""
        elif isinstance(event, Started | TakenBack):
            self._last = self._hint = None
            self.review.end()
            self.board.settle()
            self._fading.settle()
            self.trouble = ""
        elif isinstance(event, Hinted):
            self._hint = event.decision.move
            kind = "column" if self.session.setup.game.gravity else "cell"
            self.message = f"hint: {kind} {format_move(event.decision.move)}"
        elif isinstance(event, AgentFailed):
            who = "the adviser" if event.player is None else self.names[event.player]
            self.trouble = f"{who} failed: {event.message}"
        elif isinstance(event, Ended):
            self._cursor = None

    def moving(self, now: float) -> bool:
        busy = self.session.thinking is not None or self.session.hinting
        return busy or self.board.moving(now) or (self.shows_truth and self._fading.moving(now))

    def due(self) -> float | None:
        return self.session.due

    def suspend(self) -> None:
        """Stop the clock of the session while the menu is shown."""
        self._end_review()
        self._paused_before = self.session.paused
        self.session.pause()
        if self.insight is not None:
            self.insight.want([])

    def resume(self) -> None:
        """Continue where `suspend` stopped."""
        self.session.pause(self._paused_before)

    def close(self, seconds: float) -> None:
        self.session.close(seconds)
        if self.insight is not None:
            self.insight.close(seconds)

    # Drawing.

    def layout(self, size: tuple[int, int]) -> None:
        self._size = size
        self._panel, area = panel.split(size)
        self.bar = panel.bar_place(area, self.board)
        self.buttons_top = panel.place_buttons(self._panel, self.group.bottom)
        if self.overlay is not None:
            self.overlay.layout(size)

    def draw(self, surface: pygame.Surface, mouse: tuple[int, int], now: float) -> None:
        theme, self._shown = self._app.theme, surface
        surface.fill(theme.back)
        behind = (-1, -1) if self.overlay is not None or self.help else mouse
        self.board.draw(surface, theme, self.shown, self._marks(behind, now), now)
        panel.draw(surface, self._panel, self, theme, now)
        self.rows.draw(surface, theme, behind)
        self.group.draw(surface, theme, behind)
        if self.shows_truth or self.review.on:
            panel.draw_bar(surface, self.bar, self, theme)
        if self.help:
            draw_help(surface, theme)
        if self.overlay is not None:
            self.overlay.draw(surface, theme, mouse)

    def _marks(self, mouse: tuple[int, int], now: float) -> Marks:
        truth, mistake = self.truth(), self.review.mistake
        notes = labels.notes(self.shown, truth, self._app.theme) if truth else {}
        if mistake is not None:
            return Marks(hint=mistake.best, wrong=mistake.move, notes=notes)
        shown, strength = self._fading.at(now, self.board.moving(now), notes)
        over = self._cursor if self._cursor is not None else self.board.move_at(mouse)
        preview = over if self.session.awaits_person and over in self.session.position.legal_moves() else None
        return Marks(preview, self._last, () if self._hint is None else (self._hint,), shown, strength)
