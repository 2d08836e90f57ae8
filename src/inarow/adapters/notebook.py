"""A board for notebooks (Jupyter, VS Code, marimo): play on it, optionally against an agent, and see exact scores."""

from __future__ import annotations

from importlib import resources
from typing import Any

from inarow.agents import Agent, agent
from inarow.drawing.board import BLACK, DARK, hexadecimal, last_cell, mixed
from inarow.errors import InarowError, Unsupported, check_flags, check_integer, shown
from inarow.formatting import signed
from inarow.limits import Limit
from inarow.randomness import derive
from inarow.rules import FIRST, SECOND, Game, IllegalMove, Player, Position, as_move, format_moves
from inarow.rules.game import game as game_of
from inarow.rules.notation import Moves, read_moves
from inarow.solver import Oracle

try:
    import anywidget
    import traitlets
except ImportError:
    raise Unsupported("a board in a notebook needs anywidget: pip install 'inarow[notebook]'") from None

_FILES = resources.files("inarow").joinpath("data/notebook")
SECONDS = 2.0
"""Solver limit for the exact scores of one position; unsolved moves show a ?."""


def _colours() -> str:
    """Return the palette as CSS variables."""
    names = ("board", "hole", "first", "second", "good", "bad")
    values = "".join(f"--{name}: {hexadecimal(getattr(DARK, name))}; " for name in names)
    return f".inarow-board {{ {values}--ring: {hexadecimal(mixed(DARK.second, BLACK, 0.5))}; }}\n"


class BoardWidget(anywidget.AnyWidget):
    """A board to click on. ``opponent`` is an agent that answers; ``seat`` is the person's: first or second.

    In Python: ``play``, ``undo``, ``new``, and the ``position`` and ``moves`` so far.
    """

    _esm = _FILES.joinpath("board.js").read_text(encoding="utf-8")
    _css = _colours() + _FILES.joinpath("board.css").read_text(encoding="utf-8")
    view = traitlets.Dict().tag(sync=True)

    def __init__(
        self,
        game: Game | str = "connect4",
        opponent: Agent | str | None = None,
        *,
        moves: Moves = "",
        seat: str = "first",
        truth: bool = False,
        seed: int = 0,
    ) -> None:
        self.game = game_of(game)
        if seat not in ("first", "second"):
            raise InarowError(f"unknown seat {shown(seat)}; give first or second")
        self._person: Player = FIRST if seat == "first" else SECOND
        self._opponent = None if opponent is None else agent(opponent)
        if self._opponent is not None:
            self._opponent.check(self.game)
        check_flags(truth=truth)
        self._seed = check_integer("seed", seed)
        self._truth = truth
        self._oracle: Oracle | None = None
        self._message = ""
        self._moves = list(read_moves(self.game, moves))
        Position.start(self.game, self._moves)  # raises on an illegal move
        super().__init__()
        self.on_msg(self._receive)
        self._answer()

    @property
    def position(self) -> Position:
        """The position on the board."""
        return Position.start(self.game, self._moves)

    @property
    def moves(self) -> str:
        """The moves so far, counted from 1."""
        return format_moves(self.game, self._moves)

    def play(self, move: int) -> None:
        """Play a move, counted from 0; the opponent answers."""
        self.position.play(move)  # raises on an illegal move, before anything changes
        self._moves.append(as_move(move))
        self._answer()

    def undo(self) -> None:
        """Take the last move back; against an opponent, up to the person's own last one."""
        if self._moves:
            self._moves.pop()
        while self._opponent is not None and self._moves and self.position.to_move is not self._person:
            self._moves.pop()
        self._answer()

    def new(self) -> None:
        """Start again with the empty board."""
        self._moves.clear()
        self._answer()

    def show_truth(self, shown: bool = True) -> None:
        """Show the exact score of every move, or hide it."""
        self._truth = shown
        self._draw()

    def _receive(self, widget: Any, content: Any, buffers: Any) -> None:
        """Handle a click."""
        self._message = ""
        try:
            if "play" in content:
                self.play(content["play"])
            elif "truth" in content:
                self.show_truth(bool(content["truth"]))
            else:
                (self.undo if "undo" in content else self.new)()
        except IllegalMove:
            self._message = self.position.why_illegal(content["play"], base=1) or ""
            self._draw()

    def _answer(self) -> None:
        """Let the opponent move if it is its turn, then draw."""
        position = self.position
        if self._opponent is not None and position.outcome() is None and position.to_move is not self._person:
            mind = self._opponent.start(self.game, position.to_move, derive(self._seed, len(self._moves)))
            try:
                self._moves.append(mind.decide(position).move)
            finally:
                mind.close()
        self._draw()

    def _draw(self) -> None:
        """Send the board to the page."""
        position = self.position
        turn = f"{position.to_move.name} player to move" if position.outcome() is None else position.result_text()
        grid = [[0 if stone is None else int(stone) + 1 for stone in row] for row in position.grid()]
        self.view = {
            "columns": self.game.columns,
            "rows": self.game.rows,
            "gravity": self.game.gravity,
            "grid": grid,
            "legal": list(position.legal_moves()),
            "line": list(position.winning_cells()),
            "last": last_cell(position, self._moves[-1] if self._moves else None),
            "moves": len(self._moves),
            "status": self._message or turn.capitalize(),
            "truth": self._truth,
            "scores": self._scores(position) if self._truth else {},
        }

    def _scores(self, position: Position) -> dict[str, str]:
        """Return the exact score of every move as a string, ``?`` if the solver took too long."""
        if position.outcome() is not None:
            return {}
        self._oracle = self._oracle or Oracle(self.game)
        found = self._oracle.move_bounds(position, Limit(seconds=SECONDS))
        return {str(move): signed(bounds.low) if bounds.solved else "?" for move, bounds in found.items()}
