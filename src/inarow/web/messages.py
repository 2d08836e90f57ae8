"""Messages that several parts of the API share: games and positions.

Positions are sent as lists of moves or as rows of characters, never as 63-bit integers, which JavaScript can't hold.
Moves, cells and seats count from 0.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Annotated, Literal

from pydantic import BaseModel, ConfigDict, Field

from inarow.kernels import rules
from inarow.rules import Position, format_moves
from inarow.rules.position import draw_row

Move = Annotated[int, Field(ge=0, le=62)]
Moves = Annotated[list[Move], Field(max_length=63)]
Name = Annotated[str, Field(min_length=1, max_length=40)]
Spec = Annotated[str, Field(min_length=1, max_length=500)]
Seconds = Annotated[float, Field(gt=0, le=3600)]
Notation = Literal["auto", "moves", "pons", "zero", "uci", "kaggle", "drawing"]
Rows = Annotated[list[Annotated[str, Field(max_length=63)]], Field(max_length=62)]


class Message(BaseModel):
    """A JSON object of the API. Unknown fields are refused; it can be validated from an object with its attributes."""

    model_config = ConfigDict(extra="forbid", from_attributes=True)


class Problem(Message):
    """An error, described in one sentence."""

    detail: str


class GameInfo(Message):
    """The rules of a game."""

    name: str
    title: str
    columns: int
    rows: int
    k: int
    gravity: bool
    moves: int


class PositionRequest(Message):
    """A position: a game with moves from the empty board, a string in some notation, or rows of stones from the top."""

    game: Name
    moves: Moves | None = None
    text: Annotated[str, Field(max_length=4000)] | None = None
    rows: Rows | None = None
    notation: Notation = "auto"
    """The notation of ``text``, as named by `inarow convert`; auto takes the first one that can parse it."""


class PositionInfo(Message):
    """A position, as a page draws it."""

    game: GameInfo
    rows: list[str]
    """Rows from the top: X for the first player, O for the second, a dot for an empty cell."""
    moves: list[int] | None
    """The moves that led here, if known."""
    text: str | None
    """The same moves in notation."""
    to_move: int
    legal: list[int]
    ply: int
    landing: dict[int, int]
    """The cell that each legal move fills."""
    outcome: str | None
    """``first``, ``second`` or ``draw`` once the game is over."""
    winning: list[int]
    """The cells of a completed line."""
    notation: str
    """The notation of the request."""
    threats: list[list[int]]
    """For each player, the empty cells that would complete a line."""

    @classmethod
    def of(cls, position: Position, moves: Sequence[int] | None, notation: str = "moves") -> PositionInfo:
        """Describe a position; ``moves`` led to it."""
        board, outcome, legal = position.game, position.outcome(), position.legal_moves()
        ended = None
        if outcome is not None:
            ended = "draw" if outcome.winner is None else outcome.winner.name.lower()
        return cls(
            game=GameInfo.model_validate(board),
            rows=[draw_row(row) for row in position.grid()],
            moves=None if moves is None else list(moves),
            text=None if moves is None else format_moves(board, moves),
            to_move=int(position.to_move),
            legal=list(legal),
            ply=position.ply,
            landing={move: board.cell_bits.index(position.stone(move)) for move in legal},
            outcome=ended,
            winning=list(position.winning_cells()),
            notation=notation,
            threats=[[], []] if outcome is not None else threats(position),
        )


def threats(position: Position) -> list[list[int]]:
    """Return, for each player, the empty cells that would complete a line of theirs, whether or not playable now."""
    board, both = position.game, (position.first, position.second)
    found = [rules.threats(board.layout, stones, position.occupied) for stones in both]
    return [[cell for cell, bit in enumerate(board.cell_bits) if one & bit] for one in found]
