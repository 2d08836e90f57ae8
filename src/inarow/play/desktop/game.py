"""The game screen: a session on the screen, with its keys, buttons, truth and review."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from functools import partial

import pygame

from inarow.errors import InarowError
from inarow.play.desktop import panel
from inarow.play.desktop.board import BoardView, Marks, Note
from inarow.play.desktop.screen import AppContext, Screen
from inarow.play.desktop.widgets import Button, Group
from inarow.play.events import AgentFailed, Ended, Event, Hinted, Moved, Started, TakenBack
from inarow.play.insight import Blunder, Insight, Scores, blunders, moves_to_end
from inarow.play.session import Session
from inarow.rules import Position, format_move

_DIGITS = {getattr(pygame, f"K_{digit}"): digit - 1 for digit in range(1, 10)}
_DIGITS |= {getattr(pygame, f"K_KP{digit}"): digit - 1 for digit in range(1, 10)}
_ARROWS = {pygame.K_LEFT: (-1, 0), pygame.K_RIGHT: (1, 0), pygame.K_UP: (0, -1), pygame.K_DOWN: (0, 1)}


class GameScreen(Screen):
    """Draws a session and passes input on to it."""

    def __init__(self, house: AppContext, session: Session, insight: Insight | None, names: tuple[str, str]) -> None:
        self._house = house
        self.session = session
        self.insight = insight
        self.sitter_names = names
        self.board = BoardView(session.setup.game)
        self.group = Group()
        self.message = ""
        self.trouble = ""
        self.help = False
        self.reviewed: int | None = None
        """Which blunder is looked at after the game."""
        self._cursor: int | None = None
        self._hint: int | None = None
        self._last: int | None = None
        self._now = 0.0
        buttons = [
            ("clear", "Clear", self._restart),
            ("undo", "Undo", self._undo),
            ("hint", "Hint", self._ask_hint),
            ("truth", "Evaluation", self._toggle_truth),
            ("menu", "Menu", house.menu),
            ("quit", "Quit", house.quit),
        ]
        for name, label, action in buttons:
            self.group.add(Button(name, label, partial(self._obey, action)))
        truth = self.group["truth"]
        assert isinstance(truth, Button)
        truth.chosen = lambda: self.shows_truth
        truth.enabled = insight is not None

    # What the panel reads.

    @property
    def shows_truth(self) -> bool:
        """Whether the evaluation is switched on, and there is one."""
        return self.insight is not None and self._house.choices.evaluation

    @property
    def names(self) -> tuple[str, str]:
        """Who sits in the first and in the second seat of this game."""
        first = self.session.first
        return self.sitter_names[first], self.sitter_names[1 - first]

    @property
    def blunders(self) -> list[Blunder]:
        """The blunders of the game that is over, as far as they are known."""
        session = self.session
        if session.ending is None or not self.shows_truth or self.insight is None:
            return []
        moves = [one.move for one in session.played]
        return blunders(session.setup.game, session.setup.opening, moves, self.insight.known)

    @property
    def shown(self) -> Position:
        """The position on the screen: the session's, or that before the blunder looked at."""
        blunder = self.blunder
        return blunder.position if blunder is not None else self.session.position

    @property
    def blunder(self) -> Blunder | None:
        """The blunder that is looked at."""
        found = self.blunders
        if self.reviewed is None or not found:
            return None
        return found[min(self.reviewed, len(found) - 1)]

    def scores(self) -> Scores | None:
        """The scores of the position shown, if they are wanted and known."""
        return self.insight.known(self.shown) if self.insight is not None and self.shows_truth else None

    # Input.

    def handle(self, event: pygame.Event) -> None:
        if self.help and event.type in (pygame.KEYDOWN, pygame.MOUSEBUTTONDOWN):
            self.help = False
            return
        if event.type == pygame.MOUSEMOTION:
            self._cursor = None
        if self.group.handle(event):
            return
        if event.type == pygame.MOUSEBUTTONDOWN and event.button == 1:
            move = self.board.move_at(event.pos)
            if move is not None:
                self._obey(partial(self._play, move))
        elif event.type == pygame.KEYDOWN:
            self._key(event)

    def _key(self, event: pygame.Event) -> None:
        house, key = self._house, event.key
        actions = {
            pygame.K_r: self._restart,
            pygame.K_u: self._undo,
            pygame.K_y: self.session.redo,
            pygame.K_h: self._ask_hint,
            pygame.K_e: self._toggle_truth,
            pygame.K_m: house.menu,
            pygame.K_f: house.full_screen,
            pygame.K_q: house.quit,
            pygame.K_ESCAPE: house.quit,
            pygame.K_SPACE: self._pause,
        }
        if getattr(event, "unicode", "") == "?" or key == pygame.K_F1:
            self.help = True
        elif key in actions:
            self._obey(actions[key])
        elif key in _DIGITS:
            self._obey(partial(self._play, _DIGITS[key]))
        elif key in _ARROWS and self.session.ending is not None:
            self._review(1 if key in (pygame.K_RIGHT, pygame.K_DOWN) else -1)
        elif key in _ARROWS:
            self._move_cursor(*_ARROWS[key])
        elif key in (pygame.K_RETURN, pygame.K_KP_ENTER) and self._cursor is not None:
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
        if self.reviewed is None:
            self.session.play(move)

    def _undo(self) -> None:
        self.session.undo()

    def _restart(self) -> None:
        self.session.new_game()

    def _pause(self) -> None:
        self.session.pause(not self.session.paused)
        self.message = "paused; space goes on" if self.session.paused else ""

    def _ask_hint(self) -> None:
        self.session.hint()
        self.message = "looking for a hint …"

    def _toggle_truth(self) -> None:
        if self.insight is None:
            raise InarowError("there is no exact evaluation of this board")
        choices = self._house.choices
        self._house.set_choices(replace(choices, evaluation=not choices.evaluation))
        self.reviewed = None

    def _review(self, step: int) -> None:
        count = len(self.blunders)
        if count:
            at = -1 if self.reviewed is None else min(self.reviewed, count - 1)
            at += step
            self.reviewed = at if 0 <= at < count else None
            self.board.settle()

    def _move_cursor(self, across: int, down: int) -> None:
        game = self.session.setup.game
        at = self._cursor if self._cursor is not None else (game.moves // 2 - across)
        if game.gravity:
            self._cursor = (at + across) % game.columns
        else:
            row, column = divmod(at, game.columns)
            self._cursor = (row + down) % game.rows * game.columns + (column + across) % game.columns

    # Time.

    def update(self, now: float) -> None:
        self._now = now
        for event in self.session.update():
            self._heard(event)
        if self.insight is not None:
            self.insight.update()
            self.insight.want(self._wanted() if self.shows_truth else [])
        self.group["undo"].enabled = self.session.can_undo
        self.group["hint"].enabled = self.session.awaits_person and self.session.adviser is not None

    def _wanted(self) -> list[Position]:
        """The positions whose truth is to be found out: this one; after the game all, from the end back."""
        session = self.session
        if session.ending is None:
            return [session.position]
        position = Position.start(session.setup.game, session.setup.opening)
        positions = [position]
        for one in session.played:
            position = position.play(one.move)
            positions.append(position)
        return positions[::-1]

    def _heard(self, event: Event) -> None:
        if isinstance(event, Moved):
            self._last, self._hint = event.cell, None
            self.board.drop(event.cell, self._now)
            self.message = ""
        elif isinstance(event, Started | TakenBack):
            self._last = self._hint = self.reviewed = None
            self.board.settle()
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
        return self.session.thinking is not None or self.session.hinting or self.board.moving(now)

    def due(self) -> float | None:
        return self.session.due

    # Drawing.

    def layout(self, size: tuple[int, int]) -> None:
        self._panel, area = panel.split(size)
        self.bar = panel.bar_place(area, self.board)
        panel.place_buttons(self._panel, self.group)

    def draw(self, surface: pygame.Surface, mouse: tuple[int, int], now: float) -> None:
        theme = self._house.theme
        surface.fill(theme.back)
        self.board.draw(surface, theme, self.shown, self._marks(mouse), now)
        panel.draw(surface, self._panel, self, theme, now)
        self.group.draw(surface, theme, mouse)
        if self.shows_truth:
            panel.draw_bar(surface, self.bar, self, theme)
        if self.help:
            panel.draw_help(surface, theme)

    def _marks(self, mouse: tuple[int, int]) -> Marks:
        blunder = self.blunder
        notes = self._notes()
        if blunder is not None:
            return Marks(hint=blunder.best, wrong=blunder.move, notes=notes)
        over = self._cursor if self._cursor is not None else self.board.move_at(mouse)
        preview = over if self.session.awaits_person and over in self.session.position.legal_moves() else None
        return Marks(preview, self._last, () if self._hint is None else (self._hint,), notes)

    def _notes(self) -> dict[int, Note]:
        """The true value of each move: W, L with the number of moves, or =."""
        scores, theme = self.scores(), self._house.theme
        notes = {}
        for move, score in (scores or {}).items():
            number = moves_to_end(self.shown, score) if score else 0
            text = f"W {number}" if score > 0 else f"L {number}" if score < 0 else "="
            notes[move] = Note(text, theme.good if score > 0 else theme.bad if score < 0 else theme.even)
        return notes

    def close(self, seconds: float) -> None:
        self.session.close(seconds)
        if self.insight is not None:
            self.insight.close(seconds)
