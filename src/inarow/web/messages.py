"""The requests and answers of the API, checked by pydantic and described on its OpenAPI page.

Positions travel as lists of moves or as rows of text, never as integers of 63 bits, which JavaScript can't hold.
Moves, cells and seats count from 0.
"""

from __future__ import annotations

from typing import Annotated, Literal

from pydantic import BaseModel, ConfigDict, Field

Move = Annotated[int, Field(ge=0, le=62)]
Moves = Annotated[list[Move], Field(max_length=63)]
Name = Annotated[str, Field(min_length=1, max_length=40)]
Spec = Annotated[str, Field(min_length=1, max_length=500)]
Seconds = Annotated[float, Field(gt=0, le=3600)]
Notation = Literal["auto", "moves", "pons", "zero", "uci", "kaggle", "drawing"]
Rows = Annotated[list[Annotated[str, Field(max_length=63)]], Field(max_length=62)]


class Message(BaseModel):
    """A part of the API; unknown fields are refused."""

    model_config = ConfigDict(extra="forbid")


class Problem(Message):
    """An error: one sentence that a person can read."""

    detail: str


class StatusInfo(Message):
    """What the server is doing."""

    version: str
    ready: bool
    sessions: int


class GameInfo(Message):
    """The rules of a game."""

    name: str
    title: str
    columns: int
    rows: int
    k: int
    gravity: bool
    moves: int


class ParameterInfo(Message):
    """One parameter of an agent, as the registry describes it."""

    name: str
    kind: Literal["integer", "number", "choice", "switch", "text"]
    default: str
    help: str
    wanted: str
    options: list[str] = []
    low: float | None = None
    high: float | None = None
    none: str | None = None


class AgentInfo(Message):
    """An agent that can be chosen."""

    name: str
    summary: str
    parameters: list[ParameterInfo]


class LevelInfo(Message):
    """A named opponent."""

    label: str
    spec: str
    about: str
    """How it plays, in a line."""
    strength: str
    """How strong it is, in a few words."""
    elo: int | None = None
    """Its rating on the ladder, if it has one."""


class ModeInfo(Message):
    """A choice of both players, as specs."""

    label: str
    title: str
    """What to show during play."""
    about: str
    one: str
    two: str


class LineupInfo(Message):
    """Opponents and modes that belong together; the first is the usual one."""

    name: str
    title: str
    about: str
    levels: list[LevelInfo]
    modes: list[ModeInfo]


class PuzzleInfo(Message):
    """A position of Connect 4 in which exactly one move wins."""

    moves: list[int]
    answer: int
    length: int
    """Own moves until the win, against the longest resistance."""
    level: int
    """How hard it is, from 1 to 5."""


class PositionRequest(Message):
    """A position: a game, and either moves from the empty board, a text of moves, or rows of stones from the top."""

    game: Name
    moves: Moves | None = None
    text: Annotated[str, Field(max_length=4000)] | None = None
    rows: Rows | None = None
    notation: Notation = "auto"
    """How ``text`` is written, as `inarow convert` calls it; auto takes the first notation in which it can be read."""


class PositionInfo(Message):
    """A position as a page draws it."""

    game: GameInfo
    rows: list[str]
    """Rows from the top: X the first player's stones, O the second's, a dot for an empty cell."""
    moves: list[int] | None
    """The moves that led here, if they are known."""
    text: str | None
    """The same moves as people write them."""
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
    """The notation in which the position was given."""
    threats: list[list[int]]
    """For each player, the empty cells where a stone of theirs would complete a line."""


class LimitRequest(Message):
    """Bounds of one decision; the server has bounds of its own."""

    depth: Annotated[int, Field(ge=1, le=100)] | None = None
    nodes: Annotated[int, Field(ge=1, le=10**12)] | None = None
    simulations: Annotated[int, Field(ge=1, le=10**9)] | None = None
    seconds: Seconds | None = None


class DecideRequest(PositionRequest):
    """Ask an agent for a move."""

    agent: Spec
    limit: LimitRequest = LimitRequest()


class DecisionInfo(Message):
    """A decision. Values are for the side to move, in [-1, 1]."""

    move: int
    value: float | None
    values: dict[int, float]
    by_move: dict[str, dict[int, float]]
    nodes: int
    depth: int | None
    line: list[int]
    seconds: float
    why: str = ""
    note: str = ""


class SolveRequest(PositionRequest):
    """Ask for the exact score of a position and of each of its moves."""

    seconds: Seconds | None = None
    line: bool = False
    """Whether to return one line of perfect play as well."""


class MoveScore(Message):
    """What is proven of one move: ``low`` and ``high`` are equal once it is solved."""

    low: int
    high: int
    verdict: Literal["win", "draw", "loss"] | None
    words: str
    """Such as ``win in 4``; empty while unknown."""


class SolutionInfo(Message):
    """The truth of a position, for the side to move, as far as it is known."""

    position: PositionInfo
    solved: bool
    low: int
    high: int
    verdict: Literal["win", "draw", "loss"] | None
    words: str
    moves: dict[int, MoveScore]
    best: list[int]
    line: list[int]
    line_cells: list[int]
    """The cells that the moves of the line fill."""
    nodes: int
    seconds: float
    seconds_left: float
    """What is left of the time for this answer."""
    looking_for: str
    """What comes next if this is what is known so far: ``score``, ``moves``, ``line``; empty at the end."""
    why: str
    """The reason in words, where one can be given: a threat, its row, who runs out of moves."""


class RecordsRequest(Message):
    """The text of a file of records."""

    text: Annotated[str, Field(max_length=500_000)]


class RecordInfo(Message):
    """One match of a file."""

    game: str
    moves: list[int]
    opening: int
    """How many of the moves are the opening's."""
    first: str
    second: str
    result: str


class PageRequest(PositionRequest):
    """Ask for one self-contained HTML file of a match."""

    title: Annotated[str, Field(max_length=100)] = ""


class RecordRequest(PositionRequest):
    """Ask for a match as a text that can be loaded again."""

    first: Annotated[str, Field(max_length=100)] = "human"
    second: Annotated[str, Field(max_length=100)] = "human"


class ReviewMove(Message):
    """One move of a match against the truth. Scores are for the side that moved."""

    index: int
    player: int
    move: int
    solved: bool
    score: int | None
    best_score: int | None
    best: list[int]
    mistake: bool
    """Whether it gave away a win or a draw."""
    words: str


class ReviewRequest(PositionRequest):
    """Measure every move of a match, from its end back, within a time."""

    seconds: Seconds | None = None
    first: Annotated[int, Field(ge=0, le=63)] = 0
    """Moves before this one (an opening) are not measured."""


class ReviewInfo(Message):
    """The truth of a match, move by move."""

    moves: list[ReviewMove]
    accuracy: list[float | None]
    """For each player, the share of moves that kept the verdict, of those measured."""
    complete: bool
