"""A session in the terminal: draws what happens, asks a person for a move. Works in a pipe and without colour."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

from rich.console import Console
from rich.text import Text

from inarow.drawing.text import STYLES, draw
from inarow.errors import InarowError
from inarow.match import Termination
from inarow.play.events import AgentFailed, Ended, Event, Hinted, Moved, SeriesEnded, Started, TakenBack
from inarow.play.saved import save_records
from inarow.play.session import Session
from inarow.play.setup import Person
from inarow.rules import Player, format_move, format_moves, parse_move

_POLL = 0.1  # seconds between looks at the clock, so that Ctrl-C is seen on every platform


class Leave(Exception):
    """The person wants to go, or there is nobody to ask."""


class Terminal:
    """Shows one session until it is left."""

    def __init__(self, session: Session, screen: Console, read: Callable[[str], str] = input) -> None:
        self._session = session
        self._screen = screen
        self._read = read

    def run(self) -> None:
        """Play until the person leaves, the input ends, or agents among themselves have finished their series."""
        session = self._session
        if not session.setup.watched:
            self._say(f"{session.setup.game.title}. Type a {self._kind} number, or ? for help.")
        try:
            while True:
                for event in session.update():
                    self._show(event)
                if session.awaits_person and not session.hinting:
                    self._command(self._ask(self._prompt()))
                elif session.series_over:
                    if session.setup.watched:
                        return
                    self._command(self._ask("n new game, u undo, q quit: "))
                else:
                    self._wait()
        except Leave:
            pass
        except KeyboardInterrupt:
            self._say("")
            raise
        finally:
            session.close()

    @property
    def _kind(self) -> str:
        return "column" if self._session.setup.game.gravity else "cell"

    def _prompt(self) -> str:
        return f"{self._who(self._session.position.to_move)}, your move: "

    def _who(self, player: Player) -> str:
        return f"{self._session.names[player]} ({'XO'[player]})"

    def _wait(self) -> None:
        """Let time pass, with a spinner where there is a screen to show it."""
        session = self._session
        player = session.thinking
        who = "the adviser" if session.hinting else None if player is None else session.names[player]
        if who is None or not self._screen.is_terminal:
            session.wait(_POLL)
            return
        with self._screen.status(f"{who} is thinking …"):
            while not session.wait(_POLL):
                pass

    def _ask(self, prompt: str) -> str:
        try:
            return self._read(prompt).strip()
        except EOFError:
            self._say("")
            raise Leave from None

    def _command(self, line: str) -> None:
        """Obey what was typed; explain what can't be obeyed."""
        session = self._session
        word, _, rest = line.partition(" ")
        commands: dict[str, Callable[[], None]] = {
            "u": session.undo,
            "r": session.redo,
            "h": session.hint,
            "n": session.new_game,
            "s": lambda: self._save(rest.strip()),
            "?": self._help,
        }
        try:
            if word in ("q", "quit", "exit"):
                raise Leave
            if word in commands:
                commands[word]()
            else:
                session.play(parse_move(session.setup.game, line))
        except InarowError as error:
            self._say(f"{error}. Type ? for help.", style="bold")

    def _save(self, name: str) -> None:
        if not name:
            raise InarowError("give a file after s, such as: s game.txt")
        save_records(self._session.records(), Path(name))
        self._say(f"saved to {name}")

    def _help(self) -> None:
        game = self._session.setup.game
        moves = f"1–{game.moves}"
        rows = [
            (moves, f"play in this {self._kind}"),
            ("u", "undo: take your last move back"),
            ("r", "redo: make it again"),
            ("h", "hint: a good move"),
            ("n", "new game; the score is kept"),
            ("s FILE", "save the games to a file"),
            ("q", "quit"),
            ("?", "this help"),
        ]
        for key, meaning in rows:
            self._say(f"  {key:<7} {meaning}")

    # What happened.

    def _show(self, event: Event) -> None:
        session = self._session
        if isinstance(event, Started):
            of = f" of {session.setup.matches}" if session.setup.matches >= event.number > 0 else ""
            number = f"Game {event.number}{of}: " if session.setup.matches > 1 or event.number > 1 else ""
            self._say(f"\n{number}{self._who(Player.FIRST)} against {self._who(Player.SECOND)}")
            if not session.played:
                self._draw(session.moves[-1] if session.moves else None)
        elif isinstance(event, Moved):
            if event.decision is not None and not isinstance(session.participant(event.player), Person):
                self._say(self._told(event))
            self._screen.print(draw(event.position, event.move))
        elif isinstance(event, TakenBack):
            self._say("taken back")
            self._draw(session.moves[-1] if session.moves else None)
        elif isinstance(event, Hinted):
            line = event.decision.line or (event.decision.move,)
            more = f" (then {format_moves(session.setup.game, line[1:6])})" if len(line) > 1 else ""
            self._say(f"hint: {format_move(event.decision.move)}{more}")
        elif isinstance(event, AgentFailed):
            who = "the adviser" if event.player is None else self._who(event.player)
            self._say(f"{who} failed: {event.message}", style="bold red")
        elif isinstance(event, Ended):
            self._say(self._result(event), style="bold")
        elif isinstance(event, SeriesEnded) and sum(session.tally) > 1:
            self._say(self._score())

    def _told(self, moved: Moved) -> str:
        """An agent's move, and what it says about it."""
        decision = moved.decision
        assert decision is not None
        notes = [f"{decision.seconds:.2f} s"]
        if decision.value is not None:
            notes.append(f"value {decision.value:+.2f}")
        if decision.nodes:
            notes.append(f"{decision.nodes:,} nodes")
        return f"{self._who(moved.player)} plays {format_move(moved.move)} ({', '.join(notes)})"

    def _result(self, ended: Ended) -> str:
        winner = ended.outcome.winner
        if winner is None:
            return "A draw: the board is full."
        text = f"{self._who(winner)} wins"
        if ended.termination in (Termination.LINE, Termination.FULL_BOARD):
            return f"{text}."
        return f"{text}: {ended.termination.value} by {self._who(winner.other)}."

    def _score(self) -> str:
        one, two = self._session.setup.names
        tally = self._session.tally
        drawn = f", drawn {tally.draws}" if tally.draws else ""
        return f"Score: {one} {tally.one} – {tally.two} {two}{drawn}"

    def _draw(self, last: int | None) -> None:
        self._screen.print(draw(self._session.position, last))

    def _say(self, text: str, style: str = "") -> None:
        shown = Text(text, style=style)
        for player in Player:
            shown.highlight_words([f"({'XO'[player]})"], STYLES[player])
        self._screen.print(shown)
