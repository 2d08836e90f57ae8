"""A session in the terminal: shows what happens and asks a person for a move. Works in a pipe and without colour."""

from __future__ import annotations

import contextlib
import functools
import os
import sys
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path

from rich.console import Console
from rich.text import Text

from inarow.drawing.text import DISCS, LETTERS, STYLES, Caption, draw
from inarow.errors import InarowError
from inarow.formatting import capitalised, counted, listed, sentence
from inarow.limits import Limit
from inarow.match import Termination
from inarow.play.insight import review_match
from inarow.play.saved import keep_unfinished, put_unfinished_aside, save_records
from inarow.play.session import (
    AgentFailed,
    Ended,
    Event,
    Hinted,
    Moved,
    NotNow,
    SeriesEnded,
    Session,
    Started,
    TakenBack,
)
from inarow.play.setup import Person, step_cursor
from inarow.rules import Player, Position, format_move, parse_move
from inarow.solver import Oracle
from inarow.solver.analysis import describe
from inarow.solver.verdicts import best_moves, draw_verdicts, verdict

_POLL = 0.1  # seconds between looks at the clock, so that Ctrl-C is seen on every platform
_WIDE = 6  # characters for a cell with a verdict below it
_MOVE_SECONDS = 5.0  # for the verdicts of one position
_REVIEW_SECONDS = 30.0  # for all positions of a match

_WORDS = {
    "u": ("undo", "take your last move back"),
    "r": ("redo", "make it again"),
    "h": ("hint", "a good move, and why"),
    "t": ("truth", "the exact verdict of every move"),
    "m": ("mistakes", "moves that gave away a win or a draw"),
    "n": ("new", "new match; the score is kept"),
    "s": ("save", "save the matches: s FILE"),
    "q": ("quit", "leave; also Esc"),
    "?": ("help", "this help"),
}
"""The commands: a key or its word, and what it does."""
_MEANT = {
    **{word: key for key, (word, _) in _WORDS.items()},
    "back": "u",
    "review": "m",
    "exit": "q",
}


# The keyboard.

_ARROWS = {"left": (-1, 0), "right": (1, 0), "up": (0, -1), "down": (0, 1)}
_NAMED_KEYS = {"\n": "enter", "\r": "enter", "\x7f": "backspace", "\b": "backspace", "\x1b": "escape"}
_NAMED_KEYS |= {f"\x1b{mode}{code}": name for mode in "[O" for code, name in zip("DCAB", _ARROWS, strict=True)}
_PAUSE = 0.05  # seconds after which an escape character is the key itself, not the beginning of a sequence


def has_keyboard() -> bool:
    """Return True if single keys can be read from standard input."""
    try:
        import termios  # noqa: F401

        return sys.stdin.isatty()
    except (ImportError, ValueError):
        return False


@contextlib.contextmanager
def keyboard() -> Iterator[Callable[[], str]]:
    """Read standard input key by key: yield a function that returns a character or the name of a key.

    Names are left, right, up, down, enter, escape and backspace. The function raises EOFError at the end of input;
    Ctrl-C interrupts as usual.
    """
    import select
    import termios
    import tty

    source = sys.stdin.fileno()

    def read() -> str:
        data = os.read(source, 1)
        while data.startswith(b"\x1b") and len(data) < 3 and select.select([source], [], [], _PAUSE)[0]:
            data += os.read(source, 1)
        while data[:1] >= b"\xc0" and len(data) < 4 and select.select([source], [], [], 0)[0]:  # UTF-8
            data += os.read(source, 1)
        if data in (b"", b"\x04"):
            raise EOFError
        key = data.decode(errors="replace")
        return _NAMED_KEYS.get(key, key)

    before = termios.tcgetattr(source)
    try:
        tty.setcbreak(source)
        yield read
    finally:
        termios.tcsetattr(source, termios.TCSADRAIN, before)


# What is shown.


def stones_for(screen: Console) -> str:
    """Return discs if the terminal can show them, else letters, as in a pipe."""
    able = screen.is_terminal and screen.encoding.lower().startswith("utf") and not screen.legacy_windows
    return DISCS if able and os.environ.get("TERM", "") not in ("dumb", "linux") else LETTERS


class View:
    """Shows messages and boards: redrawn in place on a screen, one after the other in a pipe or on a simple terminal.

    Stones in a message get their colour.
    """

    def __init__(self, screen: Console, draw: Callable[[], Text], title: Callable[[], str]) -> None:
        self.screen = screen
        self.stones = stones_for(screen)
        self.in_place = screen.is_terminal and not screen.is_dumb_terminal
        self._draw = draw
        self._title = title
        self._messages: list[Text] = []
        self._stale = True
        self._begun = False

    def say(self, text: str, style: str = "") -> None:
        """Show a message."""
        message = self._coloured(text, style)
        if self.in_place:
            self._messages.append(message)
            self._stale = True
        else:
            self.screen.print(message)

    def board(self) -> None:
        """Show the position, which has changed."""
        if self.in_place:
            self._stale = True
        else:
            self.screen.print(self._draw())

    def turn(self) -> None:
        """Drop the messages shown so far."""
        self._messages.clear()
        self._stale = True

    def paint(self) -> None:
        """Bring the screen up to date before waiting for something."""
        if not self.in_place or not self._stale:
            return
        if not self._begun:  # what was on the screen stays above, and can be scrolled back to
            self.screen.print("\n" * (self.screen.height - 2))
            self._begun = True
        self.screen.clear()
        self.screen.print(self._coloured(self._title(), "bold"))
        self.screen.print()
        self.screen.print(self._draw())
        for message in self._messages:
            self.screen.print(message)
        self._stale = False

    def _coloured(self, text: str, style: str) -> Text:
        shown = Text(text, style=style)
        for stone, colour in zip(self.stones, STYLES, strict=True):
            shown.highlight_words([f"({stone})"], colour)
        return shown


class Leave(Exception):
    """The person quits, or the input has ended."""


class Terminal:
    """Shows one session until the person leaves.

    ``keys`` opens the keyboard, so that arrow keys choose a move; without it, lines are read with ``read``. If ``keep``
    is set, an unfinished match is kept on disk, as in the window.
    """

    def __init__(
        self,
        session: Session,
        screen: Console,
        read: Callable[[str], str] = input,
        *,
        keys: Callable[[], contextlib.AbstractContextManager[Callable[[], str]]] | None = None,
        keep: bool = False,
    ) -> None:
        self._session = session
        self._screen = screen
        self._read = read
        self._keep = keep
        self._cursor: int | None = None
        """The move that the arrow keys have chosen."""
        self._captioned: tuple[Position, Text] | None = None
        """The position of the last board with verdicts or a hint, and that board."""
        self._view = View(screen, self._board, self._title)
        self._keys = keys if self._view.in_place else None

    @functools.cached_property
    def _oracle(self) -> Oracle:
        return Oracle(self._session.setup.game)

    def run(self) -> None:
        """Play until the person leaves, the input ends, or a series between agents is over."""
        session = self._session
        if not session.setup.watched:
            self._view.say(f"{session.setup.game.title}. Type a {self._kind} number, or ? for help.")
        try:
            while True:
                events = session.update()
                for event in events:
                    self._show(event)
                if events and self._keep:
                    keep_unfinished(session)
                self._view.paint()
                if session.awaits_person and not session.hinting:
                    self._command(self._ask(f"{self._who(session.position.to_move)}, your move: "))
                elif session.series_over:
                    if session.setup.watched:
                        return
                    self._command(self._ask("n new match, m mistakes, u undo, q quit: "))
                else:
                    self._wait()
        except Leave:
            pass
        except KeyboardInterrupt:
            self._screen.print()
            raise
        finally:
            session.close()
            if self._keep and session.ending is None and session.played:
                self._screen.print("The match is kept; inarow play --resume continues it.")

    @property
    def _base(self) -> int:
        return self._session.setup.base

    @property
    def _kind(self) -> str:
        return "column" if self._session.setup.game.gravity else "cell"

    def _who(self, player: Player) -> str:
        names = self._session.setup.short_names
        return f"{names[self._session.index(player)]} ({self._view.stones[player]})"

    def _title(self) -> str:
        session = self._session
        score = f"; score {self._score()}" if sum(session.tally) and session.setup.matches > 1 else ""
        mode = f" ({session.setup.mode})" if session.setup.mode else ""
        return f"{session.setup.game.title}{mode}: {self._who(Player.FIRST)} against {self._who(Player.SECOND)}{score}"

    def _wait(self) -> None:
        """Wait, with a spinner if there is a screen."""
        session = self._session
        player = session.thinking
        who = "the adviser" if session.hinting else None if player is None else self._who(player)
        if who is None or not self._screen.is_terminal:
            session.wait(_POLL)
            return
        with self._screen.status(f"{who} is thinking …"):
            while not session.wait(_POLL):
                pass

    def _ask(self, prompt: str) -> str:
        try:
            return (self._read(prompt) if self._keys is None else self._ask_keys(prompt)).strip()
        except EOFError:
            self._screen.print()
            raise Leave from None

    def _ask_keys(self, prompt: str) -> str:
        """Read a line key by key. Arrows choose a move, Enter plays it, Escape clears the line, or else quits."""
        assert self._keys is not None
        session, typed = self._session, ""
        with self._keys() as read:
            while True:
                self._screen.file.write(f"\r\x1b[2K{prompt}{typed}")
                self._screen.file.flush()
                key = read()
                if key == "enter":
                    self._screen.print()
                    return typed or ("" if self._cursor is None else format_move(self._cursor, self._base))
                if key == "escape" and not typed and self._cursor is None:
                    self._screen.print()
                    return "quit"
                if key == "escape" or key in _ARROWS:
                    typed, cursor = "", None
                    if key in _ARROWS and session.awaits_person:
                        cursor = step_cursor(session.setup.game, self._cursor, *_ARROWS[key])
                    self._cursor = cursor
                    self._view.board()
                    self._view.paint()
                elif key == "backspace":
                    typed = typed[:-1]
                elif len(key) == 1 and key.isprintable():
                    typed += key

    # What was typed.

    def _command(self, line: str) -> None:
        """Run the command that was typed, or explain why it is refused."""
        session = self._session
        self._cursor = None
        self._view.turn()
        word, _, rest = line.partition(" ")
        key = _MEANT.get(word.lower(), word.lower())
        commands: dict[str, Callable[[], None]] = {
            "u": session.undo,
            "r": session.redo,
            "h": session.hint,
            "t": self._show_truth,
            "m": self._show_mistakes,
            "n": self._new_match,
            "s": lambda: self._save(rest.strip()),
            "?": self._help,
        }
        try:
            if key == "q":
                raise Leave
            if not key:
                raise InarowError(f"type a {self._kind} number")
            if key in commands:
                commands[key]()
            else:
                session.play(parse_move(session.setup.game, line, self._base))
        except InarowError as error:
            self._view.say(f"{sentence(capitalised(str(error)))} Type ? for help.", style="bold")

    def _new_match(self) -> None:
        """Begin the next match; a match in progress is moved to the saved ones, as in the window."""
        name = put_unfinished_aside() if self._keep and self._session.ending is None else ""
        self._session.new_match()
        if name:
            self._view.say(f"Your unfinished match was saved as {name}.")

    def _save(self, name: str) -> None:
        if not name:
            raise InarowError("give a file after s, such as: s match.txt")
        save_records(self._session.records(), Path(name))
        self._view.say(f"Saved to {name}.")

    def _help(self) -> None:
        self._view.say(
            f"  {f'{self._base}–{self._session.setup.game.moves - 1 + self._base}':<12} play in this {self._kind}"
        )
        if self._keys is not None:
            self._view.say(f"  {'arrows':<12} choose a {self._kind}; Enter plays it, Esc clears it")
        for key, (word, meaning) in _WORDS.items():
            self._view.say(f"  {f'{key}, {word}':<12} {meaning}")

    def _show_truth(self) -> None:
        """Show the board with the verdict of every move, until the next move."""
        session, position = self._session, self._session.position
        if session.ending is not None:
            raise NotNow("the match is over; m shows the mistakes")
        with self._working("Solving …"):
            moves = self._oracle.analyse(position, Limit(seconds=_MOVE_SECONDS)).moves
        last = session.moves[-1] if session.moves else None
        stones, spacing, width = self._view.stones, self._spacing, self._screen.width
        drawn = draw_verdicts(position, moves, width=width, last=last, stones=stones, spacing=spacing, base=self._base)
        self._captioned = position, drawn
        best = best_moves(moves)
        self._view.board()
        if best:
            who = self._who(position.to_move)
            self._view.say(f"Exact value: {verdict(position, moves[best[0]])} for {who}, if both play perfectly.")
        else:
            self._view.say("The best moves were not proven in time; moves marked open are not solved.")

    def _show_mistakes(self) -> None:
        """Show the moves of this match that gave away a win or a draw."""
        session = self._session
        with self._working("Solving every position …"):
            rows = review_match(self._oracle, session.moves, _REVIEW_SECONDS, len(session.setup.opening))["moves"]
        mistakes = [row for row in rows if row["mistake"]]
        for row in mistakes:
            position = Position.start(session.setup.game, session.moves[: row["index"]])
            better = listed([format_move(move, self._base) for move in row["best"]])
            was, best = (describe(position, row[key]) for key in ("score", "best_score"))
            who, move = self._who(position.to_move), format_move(row["move"], self._base)
            self._view.say(f"Move {row['index'] + 1}, {who}: {move} was a {was}; {better} would have been a {best}.")
        if not mistakes:
            self._view.say("No mistakes: no move gave away a win or a draw.")
        if unsolved := sum(not row["solved"] for row in rows):
            self._view.say(f"{counted(unsolved, 'position was', 'positions were')} not solved in time.")

    @contextlib.contextmanager
    def _working(self, words: str) -> Iterator[None]:
        if not self._screen.is_terminal:
            yield
            return
        with self._screen.status(words):
            yield

    # What happened.

    def _show(self, event: Event) -> None:
        session = self._session
        if isinstance(event, Started):
            self._begin(event)
        elif isinstance(event, Moved):
            if session.setup.watched:
                self._view.turn()
            if event.decision is not None and not isinstance(session.participant(event.player), Person):
                self._view.say(self._describe(event))
            self._view.board()
        elif isinstance(event, TakenBack):
            self._view.say("Taken back.")
            self._view.board()
        elif isinstance(event, Hinted):
            self._show_hint(event)
        elif isinstance(event, AgentFailed):
            who = "The adviser" if event.player is None else self._who(event.player)
            self._view.say(sentence(f"{who} failed: {event.message}"), style="bold red")
        elif isinstance(event, Ended):
            self._view.say(self._result(event), style="bold")
        elif isinstance(event, SeriesEnded) and sum(session.tally) > 1:
            self._view.say(f"Score: {self._score()}.")

    def _begin(self, started: Started) -> None:
        session, setup = self._session, self._session.setup
        of = f" of {setup.matches}" if setup.matches >= started.number > 0 else ""
        number = f"Match {started.number}{of}: " if setup.matches > 1 or started.number > 1 else ""
        if number or not self._view.in_place:  # where the title has the names
            self._view.say(f"{number}{self._who(Player.FIRST)} against {self._who(Player.SECOND)}.")
        if started.number == 1:
            for name, one in zip(setup.short_names, setup.participants, strict=True):
                if name != one.spec and not isinstance(one, Person):
                    self._view.say(f"{name} is {one.spec}.", style="dim")
        if not session.played:
            self._view.board()

    def _show_hint(self, hinted: Hinted) -> None:
        from inarow.truth.explain import hint_text

        session, decision = self._session, hinted.decision
        position = session.position
        self._view.say(hint_text(position, decision, self._base))
        if self._view.in_place:
            last = session.moves[-1] if session.moves else None
            captions = {decision.move: Caption(("hint",), "bold green")}
            self._captioned = position, self._drawn(position, last, captions)
            self._view.board()

    def _describe(self, moved: Moved) -> str:
        """Describe an agent's move, with its time, value and effort."""
        decision = moved.decision
        assert decision is not None
        notes = [f"{decision.seconds:.2f} s"]
        if decision.value is not None:
            notes.append(f"value {decision.value:+.2f}")
        if decision.effort:
            notes.append(decision.effort)
        words = f"{self._who(moved.player)} plays {format_move(moved.move, self._base)} ({', '.join(notes)})."
        return f"{words} {decision.note}".rstrip()

    def _result(self, ended: Ended) -> str:
        winner = ended.outcome.winner
        if winner is None:
            return "A draw: the board is full."
        text = f"{self._who(winner)} wins"
        if ended.termination in (Termination.LINE, Termination.FULL_BOARD):
            return f"{text}."
        return f"{text}: {ended.termination.value} by {self._who(winner.other)}."

    def _score(self) -> str:
        one, two = self._session.setup.short_names
        tally = self._session.tally
        drawn = f", drawn {tally.draws}" if tally.draws else ""
        return f"{one} {tally.one} – {tally.two} {two}{drawn}"

    def _board(self) -> Text:
        session = self._session
        if self._cursor is not None:
            last = session.moves[-1] if session.moves else None
            pointer = Caption(("▲" if self._view.stones == DISCS else "^",), "bold")
            return self._drawn(session.position, last, {self._cursor: pointer})
        if self._captioned is not None and self._captioned[0] == session.position:
            return self._captioned[1]
        self._captioned = None
        last = session.moves[-1] if session.moves else None
        return self._drawn(session.position, last, {})

    def _drawn(self, position: Position, last: int | None, captions: Mapping[int, Caption]) -> Text:
        stones, spacing, width = self._view.stones, self._spacing, self._screen.width
        return draw(position, last, captions, stones=stones, spacing=spacing, screen=width, base=self._base)

    @property
    def _spacing(self) -> int:
        """The width of a cell, so that the board keeps its place when verdicts are shown below it."""
        wide = self._view.in_place and _WIDE * self._session.setup.game.columns <= self._screen.width
        return _WIDE if wide else 0
