"""The messages of the page that shows several agents on one position."""

from __future__ import annotations

from typing import Annotated

from pydantic import Field

from inarow.web.messages import Message, Moves, Name, SolutionInfo, Spec

MOST_AGENTS = 8


class MindsRequest(Message):
    """The first frame of a connection: a position, and the agents that think about it."""

    game: Name
    moves: Moves
    agents: Annotated[list[Spec], Field(min_length=1, max_length=MOST_AGENTS)]


class PartInfo(Message):
    """A part of a network's value of a move, for the side that makes it."""

    part: str
    """``tuple``, ``threats`` or ``memory``."""
    cells: list[int]
    columns: list[int]
    share: float


class MindInfo(Message):
    """What an agent thinks so far; values are for the side to move, in [−1, 1]."""

    agent: int
    """The place in the request."""
    done: bool
    move: int
    value: float | None
    values: dict[int, float]
    visits: dict[int, int]
    """Simulations of each move, for a search that counts them."""
    nodes: int
    cutoffs: int | None
    depth: int | None
    simulations: int | None
    line: list[int]
    line_cells: list[int]
    seconds: float
    known: bool | None
    """Whether a table has a row for the position."""
    note: str
    """What it says about its move, such as that it is not proven."""
    settled: dict[int, str]
    """Moves that a network's tactics decide: win, draw or loss."""
    parts: dict[int, list[PartInfo]]
    """What a network's value of each move is made of: the largest shares."""


class JudgementInfo(Message):
    """An agent against the truth."""

    agent: int
    right: bool
    """Whether its move keeps what the position is worth."""
    cause: str
    """What misled it: horizon, playouts, unseen, estimate, other; empty if it is right."""
    why: str


class MindsFrame(Message):
    """One message of the server: what an agent thinks, what went wrong with one, the truth, or a judgement."""

    mind: MindInfo | None = None
    truth: SolutionInfo | None = None
    judgement: JudgementInfo | None = None
    agent: int | None = None
    problem: str = ""
    """Of ``agent``, or of the request."""
    finished: bool = False
    """Whether nothing more will come."""
