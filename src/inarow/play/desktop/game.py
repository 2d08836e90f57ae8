"""The game screen: a session with its board, panel, keys, buttons, evaluation and review."""

from __future__ import annotations

import io
from collections.abc import Callable, Sequence
from dataclasses import replace
from functools import partial
from typing import TYPE_CHECKING, NamedTuple

import pygame

from inarow.agents import Decision
from inarow.drawing.board import Colour, Theme, mixed
from inarow.errors import InarowError
from inarow.formatting import capitalised, counted
from inarow.kernels.rules import moves_to_end
from inarow.match import Termination
from inarow.play import saved
from inarow.play.desktop import paint
from inarow.play.desktop.board import BoardView, Marks, Note
from inarow.play.desktop.cards import FileCard, HelpCard
from inarow.play.desktop.menu import YOU
from inarow.play.desktop.paint import Pen, wrapped
from inarow.play.desktop.widgets import ENTER, Button, List, ListRow, Question, Screen
from inarow.play.insight import PATIENCE, Blunder, Insight, MoveBounds, blunders, whole
from inarow.play.session import AgentFailed, Ended, Event, Hinted, Moved, Session, Started, TakenBack
from inarow.play.setup import step_cursor
from inarow.rules import Player, Position, format_move

if TYPE_CHECKING:
    from inarow.play.desktop.app import App


class Command(NamedTuple):
    """A command of a key or a button."""

    action: Callable[[], None]
    label: str
    """Label of the button at the bottom of the panel, or an empty string."""
    keys: tuple[int, ...] = ()


_DIGITS = {getattr(pygame, f"K_{prefix}{digit}"): digit - 1 for digit in range(1, 10) for prefix in ("", "KP")}
_ARROWS = {pygame.K_LEFT: (-1, 0), pygame.K_RIGHT: (1, 0), pygame.K_UP: (0, -1), pygame.K_DOWN: (0, 1)}
_SHOWN_SECONDS = 0.05  # a quicker decision is shown without its time


def thought(decision: Decision | None) -> str:
    """Summarise an agent's decision: its estimate in [−1, 1], depth, effort, and time."""
    if decision is None:
        return ""
    parts = [] if decision.value is None else [f"expects {decision.value:+.2f}".replace("-", "−")]
    if decision.depth is not None and decision.depth > 1:
        parts.append(counted(decision.depth, "ply", "plies"))
    if decision.effort:
        parts.append(decision.effort)
    if decision.seconds >= _SHOWN_SECONDS:
        parts.append(f"{decision.seconds:.1f} s")
    return ", ".join(parts)


class GameScreen(Screen):
    """Draws a session and passes input on to it."""

    def __init__(self, app: App, session: Session, insight: Insight | None, names: tuple[str, str]) -> None:
        super().__init__()
        self._app = app
        self.session = session
        self.insight = insight
        self.review = Review(session, insight)
        self._participant_names = names
        self.title = f"{session.setup.game.title}: {names[0]} against {names[1]}"
        self.board = BoardView(session.setup.game)
        self.trouble = ""
        self._cursor: int | None = None
        self._hint: int | None = None
        self._last: int | None = None
        self._paused_before = False
        self._shown: pygame.Surface | None = None
        self._now = 0.0
        commands = {
            "undo": Command(session.undo, "Undo", (pygame.K_u,)),
            "hint": Command(self._ask_hint, "Hint", (pygame.K_h,)),
            "truth": Command(self._toggle_truth, "Evaluation", (pygame.K_e,)),
            "clear": Command(self._restart, "Restart", (pygame.K_r,)),
            "save": Command(self._save, "Save", (pygame.K_s,)),
            "help": Command(self._help, "Help", (pygame.K_F1,)),
            "menu": Command(app.menu, "Menu", (pygame.K_m, pygame.K_ESCAPE)),
            "quit": Command(self._quit, "Quit", (pygame.K_q,)),
            "again": Command(self._new_match, ""),
            "review": Command(self._toggle_review, "", (pygame.K_v,)),
        }
        others = {pygame.K_y: session.redo, pygame.K_i: self._picture, pygame.K_f: app.full_screen}
        self._keys = {key: one.action for one in commands.values() for key in one.keys} | others
        self._keys[pygame.K_SPACE] = self._pause
        buttons = {name: Button(name, one.label, partial(self._run, one.action)) for name, one in commands.items()}
        self._bottom = [button for button in buttons.values() if button.label]
        self._again, self._review = buttons["again"], buttons["review"]
        self._again.strong = self._review.strong = True
        buttons["truth"].chosen = lambda: self.shows_truth
        buttons["truth"].enabled = self._review.enabled = insight is not None
        self.rows = List("list", self._look_at)
        self.group.add(*buttons.values(), self.rows)

    # State.

    @property
    def shows_truth(self) -> bool:
        """True if the evaluation is switched on and available."""
        return self.insight is not None and self._app.choices.evaluation

    @property
    def names(self) -> tuple[str, str]:
        """The names of the first and the second player of this match."""
        first = self.session.first
        return self._participant_names[first], self._participant_names[1 - first]

    @property
    def unfinished(self) -> bool:
        """True if a match with moves, or a series that has begun, is not over."""
        session = self.session
        return bool(session.played) if session.ending is None else not session.series_over

    @property
    def shown(self) -> Position:
        """The position on the screen: the session's, or the one before the mistake under review."""
        mistake = self.review.mistake
        return mistake.position if mistake is not None else self.session.position

    def truth(self) -> MoveBounds | None:
        """The known bounds of the position shown, if the evaluation is on."""
        wanted = self.shows_truth or self.review.on
        return self.insight.known(self.shown) if self.insight is not None and wanted else None

    # Input.

    def use(self, event: pygame.Event) -> None:
        if event.type == pygame.MOUSEMOTION:
            self._cursor = None
        if self.group.handle(event):
            return
        if event.type == pygame.MOUSEBUTTONDOWN and event.button == 1:
            move = self.board.move_at(event.pos)
            if move is not None:
                self._run(partial(self._play, move))
        elif event.type == pygame.KEYDOWN:
            self._key(event)

    def _key(self, event: pygame.Event) -> None:
        key = event.key
        if getattr(event, "unicode", "") == "?":
            self._run(self._help)
        elif key in self._keys:
            self._run(self._keys[key])
        elif key in _DIGITS:
            self._run(partial(self._play, _DIGITS[key]))
        elif key in _ARROWS and self.session.ending is not None:
            self._run(partial(self._step, sum(_ARROWS[key])))
        elif key in _ARROWS:
            self._cursor = step_cursor(self.session.setup.game, self._cursor, *_ARROWS[key])
        elif key in ENTER and self._cursor is not None:
            self._run(partial(self._play, self._cursor))

    def _run(self, action: Callable[[], None]) -> None:
        """Run an action, or show why it is refused."""
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
        self._app.choices = replace(self._app.choices, evaluation=not self._app.choices.evaluation)

    def _quit(self) -> None:
        if not self.unfinished:
            self._app.quit()
            return
        text = "The match is kept: Resume in the menu continues it, even after a restart."
        title = "Quit in the middle of a match?"
        self.open_card(Question(title, text, "Quit (Q)", self._app.quit, self.close_card, pygame.K_q))

    def _restart(self) -> None:
        if self.session.ending is not None or not self.session.played:
            self._new_match()
            return
        text = "The match on the board is abandoned and does not count."
        restart = partial(self._run, self._new_match)
        self.open_card(Question("Start again?", text, "Restart (R)", restart, self.close_card, pygame.K_r))

    def _help(self) -> None:
        self.open_card(HelpCard(self.close_card))

    def _save(self) -> None:
        if not self.session.records():
            raise InarowError("no move has been made yet; there is nothing to save")
        name = saved.free_name(self.session.setup.game)
        self.open_card(FileCard("Save the match", "Save", self._save_as, self.close_card, name))

    def _save_as(self, text: str) -> None:
        path = saved.named(text)
        saved.save_records(self.session.records(), path)
        self.message = f"saved as {path.name}"

    def _picture(self) -> None:
        """Save what the window shows."""
        if self._shown is None:
            raise InarowError("nothing has been drawn yet")
        data = io.BytesIO()
        pygame.image.save(self._shown, data, "picture.png")
        path = saved.save_picture(self.session.setup.game, data.getvalue())
        self.message = f"picture saved as {path}"

    # After the match.

    def _new_match(self) -> None:
        self.review.end()
        self.session.new_match()

    def _toggle_review(self) -> None:
        if self.review.on:
            self.review.end()
            return
        if self.insight is None:
            raise InarowError("there is no exact evaluation of this board, so mistakes can't be found")
        if self.session.ending is None:
            raise InarowError("mistakes are reviewed after the match")
        self.review.begin()

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
        session, review = self.session, self.review
        events = session.update()
        for event in events:
            self._follow(event)
        if events:
            saved.keep_unfinished(session)
        if self.insight is not None:
            self.insight.update()
            self.insight.want(review.wanted() if review.on else [session.position] if self.shows_truth else [])
            review.update()
        self.group["undo"].enabled = session.can_undo
        self.group["hint"].enabled = session.awaits_person and session.adviser is not None
        self._again.visible = self._review.visible = session.ending is not None
        self._again.label = "Play again" if session.series_over else "Next match"
        self._review.label = "End review" if review.on else "Review"
        self.rows.enabled = review.on
        self.rows.fill(review.rows(self.names) if review.on else self._move_rows(), end=not review.on)
        if self.rows.selected != review.index:
            self.rows.select(review.index)

    def _move_rows(self) -> list[ListRow]:
        setup = self.session.setup
        kind = "column" if setup.game.gravity else "cell"
        return [
            ListRow(f"{ply + 1}. {kind} {format_move(one.move)}", thought(one.decision), Player(ply % 2), below=True)
            for ply, one in enumerate(self.session.played, len(setup.opening))
        ]

    def _follow(self, event: Event) -> None:
        if isinstance(event, Moved):
            self._last, self._hint = event.cell, None
            self.board.drop(event.cell, self._now)
            self.message = event.decision.note if event.decision is not None else ""
        elif isinstance(event, Started | TakenBack):
            self._last = self._hint = None
            self.review.end()
            self.board.settle()
            self.trouble = ""
        elif isinstance(event, Hinted):
            from inarow.truth.explain import hint_text  # loads the solver

            self._hint = event.decision.move
            self.message = hint_text(self.session.position, event.decision)
        elif isinstance(event, AgentFailed):
            who = "the adviser" if event.player is None else self.names[event.player]
            self.trouble = f"{who} failed: {event.message}"
        elif isinstance(event, Ended):
            self._cursor = None

    def moving(self, now: float) -> bool:
        return self.session.thinking is not None or self.session.hinting or self.board.moving(now)

    def due(self) -> float | None:
        return self.session.due

    def suspend(self) -> None:
        """Pause the session while the menu is shown."""
        self.review.end()
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

    # Layout: the panel is next to the board in a wide window, else below it.

    def place(self) -> None:
        width, height = self.size
        margin = max(6, min(self.size) // 50)
        self._beside = width >= height * 1.1
        if self._beside:
            side = max(200, min(round(width * 0.3), round(height * 0.56)))
            self._panel = pygame.Rect(width - side - margin, margin, side, height - 2 * margin)
            area = pygame.Rect(margin, margin, self._panel.left - 2 * margin, height - 2 * margin)
        else:
            tall = max(200, round(height * 0.36))
            self._panel = pygame.Rect(margin, height - tall - margin, width - 2 * margin, tall)
            area = pygame.Rect(margin, margin, width - 2 * margin, self._panel.top - 2 * margin)
        bar_width = max(10, area.width // 32)  # of the evaluation bar
        self.board.layout(area.inflate(-3 * bar_width, 0))
        left = self.board.rect.left - max(4, self.board.cell // 7) - bar_width // 2 - bar_width
        self.bar = pygame.Rect(left, self.board.rect.top, bar_width, self.board.rect.height)
        lines = round(self._panel.height / (24 if self._beside else 15))
        self._unit = max(14, min(lines, round(self._panel.width / 12)))
        self._place_buttons()

    def _place_buttons(self) -> None:
        """Place the buttons at the bottom of the panel: two in a row next to the board, more below it."""
        unit, panel = self._unit, self._panel
        across = 2 if self._beside else 8 if panel.width >= 700 else 4
        height = round(unit * (1.55 if self._beside else 1.7))
        gap, pad, rows = max(4, height // 7), round(unit * 0.6), -(-len(self._bottom) // across)
        width = (panel.width - 2 * pad - (across - 1) * gap) // across
        self._buttons_top = panel.bottom - pad - rows * height - (rows - 1) * gap
        for number, button in enumerate(self._bottom):
            row, column = divmod(number, across)
            place = (panel.left + pad + column * (width + gap), self._buttons_top + row * (height + gap))
            button.rect = pygame.Rect(*place, width, height)

    # Drawing.

    def paint(self, pen: Pen) -> None:
        self._shown = pen.surface
        self.board.draw(pen, self.shown, self.marks(pen.mouse, pen.now))
        self._draw_panel(pen)
        if self.shows_truth or self.review.on:
            self._draw_bar(pen)

    def marks(self, mouse: tuple[int, int], now: float) -> Marks:
        """Return what to draw on the board besides the stones; labels wait until a stone has landed."""
        truth, mistake = self.truth(), self.review.mistake
        labels = notes(self.shown, truth, self._app.theme) if truth and not self.board.moving(now) else {}
        if mistake is not None:
            return Marks(hint=mistake.best, wrong=mistake.move, notes=labels)
        over = self._cursor if self._cursor is not None else self.board.move_at(mouse)
        preview = over if self.session.awaits_person and over in self.session.position.legal_moves() else None
        return Marks(preview, self._last, () if self._hint is None else (self._hint,), labels)

    def _draw_panel(self, pen: Pen) -> None:
        """Draw title, players and status, and place the list below them."""
        theme, session, unit, panel = pen.theme, self.session, self._unit, self._panel
        pen.box(panel, theme.panel, unit // 2)
        pad = round(unit * 0.8)
        left, top, room = panel.left + pad, panel.top + pad, panel.width - 2 * pad
        if not self._beside:  # players to the left, status to the right
            room = round(room / 2 - pad / 2)
        pen.write(session.setup.game.title, (left, top), unit * 1.5, theme.text, width=room * 0.66)
        if session.setup.matches > 1:
            number = f"{session.number} of {max(session.setup.matches, session.number)}"
            pen.write(number, (left + room, top + unit * 0.3), unit, theme.faint, "topright")
        y = top + unit * 1.6
        if session.setup.mode:
            pen.write(session.setup.mode, (left, y), unit, theme.faint, width=room)
            y += unit * 1.1
        for player in Player:
            self._draw_seat(pen, player, pygame.Rect(left, y, room, unit * 1.6))
            y += unit * 1.8
        if session.tally.draws:
            drawn = f"drawn: {session.tally.draws}"
            pen.write(drawn, (left + room, y), unit * 0.85, theme.faint, "topright")
            y += unit * 0.3
        y += unit * 0.3
        if not self._beside:
            left, y = left + room + pad, float(top)
        bottom = self._buttons_top - unit * 0.4
        ends = 2 * unit if self._again.visible else 0
        for text, colour in self.status_lines(theme):
            height = round(unit * (1.15 if colour == theme.text else 0.9))
            for line in wrapped(text, height, room)[:4]:
                if y + height > bottom - ends:
                    break
                pen.write(line, (left, y), height, colour, width=room)
                y += height * 0.95
            y += unit * 0.2
        gap, top = max(4, unit // 3), round(y + unit * 0.1)
        width = (room - gap) // 2
        self._again.rect = pygame.Rect(left, top, width, 2 * unit)
        self._review.rect = pygame.Rect(left + width + gap, top, width, 2 * unit)
        y = top + ends + unit * 0.3
        self.rows.place(pygame.Rect(left, round(y), room, max(0, round(bottom - y))), round(unit * 0.88))

    def _draw_seat(self, pen: Pen, player: Player, box: pygame.Rect) -> None:
        """Draw a player: stone, name and matches won, highlighted when it is to move."""
        theme, session, unit, spinning = pen.theme, self.session, self._unit, self.session.thinking is player
        if session.ending is None and session.position.to_move is player:
            place = box.inflate(box.height // 2, 0)
            pen.box(place, mixed(theme.panel, theme.accent, 0.2), place.height // 3)
        stone = paint.disc(round(box.height * 0.7), theme.stone(player), player)
        pen.put(stone, (box.left + box.height * 0.42, box.centery))
        won = str(session.tally[session.index(player)])
        pen.write(won, (box.right - 2, box.centery), unit * 1.15, theme.text, "midright")
        room = box.width - box.height * (2.2 if spinning else 1.6)
        pen.write(self.names[player], (box.left + box.height, box.centery), unit, theme.text, "midleft", room)
        if spinning:
            pen.spinner((box.right - box.height, box.centery), box.height * 0.26)

    def status_lines(self, theme: Theme) -> list[tuple[str, Colour]]:
        """Return the messages of the panel, each with its colour."""
        lines = [(self.status(), theme.text)]
        if self.trouble:
            lines.append((self.trouble, theme.bad))
        if self.message:
            lines.append((capitalised(self.message), theme.faint))
        if self.review.on and self.session.ending is not None:
            lines.append((self.review.summary(), theme.faint))
        elif self.shows_truth and self.session.ending is None:
            lines.append((self.evaluation(), theme.faint))
        return lines

    def status(self) -> str:
        """Return whose turn it is, or how the match ended."""
        session, names = self.session, self.names
        if session.ending is not None:
            winner, how = session.ending.outcome.winner, session.ending.termination
            if winner is None:
                return "A draw"
            return verb(names[winner], "win") + ("" if how is Termination.LINE else f" ({how.value})")
        name = names[session.position.to_move]
        if session.thinking is not None:
            return "paused" if session.paused else f"{name} is thinking"
        return "Your turn" if name == YOU else f"{name}: your turn"

    def evaluation(self) -> str:
        """Describe the evaluation of the position, or why it is missing."""
        assert self.insight is not None
        truth = self.truth()
        if truth:
            return capitalised(standing(self.shown, truth, self.names))
        if self.insight.failed(self.shown):
            return "No evaluation of this position"
        compiling = self._app.compiling
        return f"The evaluation follows ({compiling})" if compiling else "Evaluating …"

    def _draw_bar(self, pen: Pen) -> None:
        """Draw the evaluation bar: the first player's colour fills it from below."""
        theme, bar, known = pen.theme, self.bar, share_of_first(self.shown, self.truth())
        first, second = theme.first, theme.second
        if known is None:
            first, second = mixed(first, theme.back, 0.6), mixed(second, theme.back, 0.6)
        filled = round(bar.height * (0.5 if known is None else known))
        pen.box(bar, second, bar.width // 2)
        with pen.clipped(pygame.Rect(bar.left, bar.bottom - filled, bar.width, filled)):
            pen.box(bar, first, bar.width // 2)
        pygame.draw.line(pen.surface, theme.back, (bar.left, bar.centery), (bar.right - 1, bar.centery), 2)


_NAMED = 4  # maximum number of better moves to name


def verb(name: str, plural: str) -> str:
    """Return a name with its verb, given in the form that goes with You: "You win", "Medium wins"."""
    return f"{name} {plural}" if name == YOU else f"{name} {plural}s"


def notes(position: Position, truth: MoveBounds, theme: Theme) -> dict[int, Note]:
    """Return a label for each move: the winner's stone and the number of moves, = for a draw, ? if not proven.

    There are no labels at all if nothing is proven of any move.
    """
    if not any(bounds.decided for bounds in truth.values()):
        return {}
    own = position.to_move
    found = {}
    for move, (low, high) in truth.items():
        if low > 0 or high < 0:
            text = str(moves_to_end(position.game.layout, position.ply, low)) if low == high else ""
            found[move] = Note(text, theme.good if low > 0 else theme.bad, own if low > 0 else own.other)
        else:
            found[move] = Note("=" if low == high else "?", theme.even)
    return found


def standing(position: Position, truth: MoveBounds, names: Sequence[str]) -> str:
    """Describe who wins with best play, or the proven bounds."""
    low, high = whole(truth)
    own, opponent = names[position.to_move], names[position.to_move.other]
    if low > 0 or high < 0:
        count = moves_to_end(position.game.layout, position.ply, low) if low == high else 0
        number = f" in {counted(count, 'move', 'moves')}" if count else ""
        return f"{verb(own if low > 0 else opponent, 'win')}{number} with best play"
    if low == high:
        return "a draw with best play"
    safe = own if low == 0 else opponent if high == 0 else ""
    known = f": {'you' if safe == YOU else safe} can at least draw" if safe else ""
    return f"not solved within {PATIENCE:g} seconds{known}"


def share_of_first(position: Position, truth: MoveBounds | None) -> float | None:
    """Return the first player's share of the bar, from 0 to 1; None while it is not known."""
    outcome = position.outcome()
    if outcome is not None:
        return 0.5 if outcome.winner is None else float(outcome.winner is Player.FIRST)
    if not truth:
        return None
    low, high = whole(truth)
    if low != high and not (low > 0 or high < 0):
        return None
    score = low if low > 0 or low == high else high
    score = score if position.to_move is Player.FIRST else -score
    most = max(1, position.game.cells // 2)
    return 0.5 if score == 0 else 0.5 + (0.3 + 0.2 * min(1, abs(score) / most)) * (1 if score > 0 else -1)


class Review:
    """Steps through the mistakes of the match on the board."""

    def __init__(self, session: Session, insight: Insight | None) -> None:
        self._session = session
        self._insight = insight
        self._found: tuple[tuple[object, ...], list[Blunder]] = ((), [])
        self.on = False
        self._ply: int | None = None
        self._untouched = False
        self._paused = False

    @property
    def mistakes(self) -> list[Blunder]:
        """The mistakes known so far, if the match is over."""
        session, insight = self._session, self._insight
        if session.ending is None or insight is None:
            return []
        key = (insight.count, session.number, session.moves)
        if self._found[0] != key:
            moves = [one.move for one in session.played]
            self._found = key, blunders(session.setup.game, session.setup.opening, moves, insight.known)
        return self._found[1]

    @property
    def index(self) -> int | None:
        """The index of the mistake that is shown."""
        return next((at for at, one in enumerate(self.mistakes) if one.index == self._ply), None) if self.on else None

    @property
    def mistake(self) -> Blunder | None:
        """The mistake that is shown."""
        index = self.index
        return None if index is None else self.mistakes[index]

    def begin(self) -> None:
        """Open the list; the next match of a series waits."""
        self._paused = self._session.paused
        self._session.pause()
        self.on, self._ply, self._untouched = True, None, True

    def end(self) -> None:
        """Close the list."""
        if self.on:
            self.on, self._ply = False, None
            self._session.pause(self._paused)

    def update(self) -> None:
        """Show the first mistake once all are known, unless another one was chosen."""
        assert self._insight is not None
        if self.on and self._untouched and not self._insight.busy:
            self.look_at(0 if self.mistakes else None)

    def look_at(self, index: int | None) -> None:
        """Show one mistake, or the end of the match."""
        self._ply = None if index is None else self.mistakes[index].index
        self._untouched = False

    def step(self, by: int) -> None:
        """Go to the next or the previous mistake; beyond them is the end of the match."""
        count = len(self.mistakes)
        at = (count if by < 0 else -1) if self.index is None else self.index
        self.look_at(at + by if 0 <= at + by < count else None)

    def wanted(self) -> list[Position]:
        """Return the positions of the match that need to be judged, last first."""
        return self._session.positions[::-1]

    def rows(self, names: tuple[str, str]) -> list[ListRow]:
        """Return the mistakes as rows of a list."""
        return [ListRow(_described(one, names), player=one.position.to_move) for one in self.mistakes]

    def summary(self) -> str:
        """Return how many mistakes there are, as far as is known."""
        insight, count = self._insight, len(self.mistakes)
        assert insight is not None
        if insight.busy:
            return f"{count or 'no'} mistake{'' if count == 1 else 's'} so far …"
        if count:
            return f"{counted(count, 'mistake', 'mistakes')}: click one, or use the arrow keys"
        unsolved = sum(not _solved(insight, one) for one in self.wanted())
        if unsolved:
            return f"no mistake proven; {counted(unsolved, 'position is', 'positions are')} unsolved"
        return "no mistakes"


def _solved(insight: Insight, position: Position) -> bool:
    truth = insight.known(position)
    return position.outcome() is not None or (truth is not None and all(low == high for low, high in truth.values()))


def _described(mistake: Blunder, names: tuple[str, str]) -> str:
    """Describe a mistake: who gave up what, and which moves were better."""
    who, lost = names[mistake.position.to_move], "win" if mistake.before > 0 else "draw"
    words = [format_move(move) for move in mistake.best[:_NAMED]]
    more = len(mistake.best) > _NAMED
    better = f"{', '.join(words)} …" if more else " or ".join(filter(None, (", ".join(words[:-1]), words[-1])))
    return f"{mistake.position.ply + 1}. {who} gave up a {lost}: better {better}"
