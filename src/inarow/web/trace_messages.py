"""The API of traces: what is asked for, and a recorded search as columns, so that it is small and quick to read."""

from __future__ import annotations

from typing import Annotated

from pydantic import Field

from inarow.web.messages import Message, PositionInfo, PositionRequest, Spec

PAGE = 10_000
"""Events in one answer."""


class TraceRequest(PositionRequest):
    """Ask for the steps of a search by minimax, alphabeta or mcts."""

    agent: Spec
    events: Annotated[int, Field(ge=1, le=100_000)] = PAGE
    """Most events to record."""
    seed: Annotated[int, Field(ge=0, le=2**53)] = 0


class TracePage(Message):
    """Some events and the nodes that they mention first, both as columns. Values are points for the side to move at the
    root, of MCTS results; null is infinite."""

    first: int
    first_node: int
    parents: list[int]
    moves: list[int]
    cells: list[int]
    """The cell that each node's move fills; −1 for the root."""
    kinds: list[int]
    nodes: list[int]
    values: list[int]
    lows: list[int | None]
    highs: list[int | None]
    bests: list[int]
    improved: list[int]
    said: list[int]
    """Which of the templates says the event in words."""
    lists: dict[int, list[int]]
    """The moves of events that have some, by the event's number."""


class WholeInfo(Message):
    """What the agent itself decides, where the trace is truncated."""

    move: int
    nodes: int


class TraceInfo(Message):
    """A recorded search, with its first events; the others are asked for by its id."""

    id: str
    position: PositionInfo
    agent: str
    simulated: bool
    """Whether it is one of MCTS."""
    exploration: float | None
    """The weight of the confidence bound in MCTS."""
    length: int
    node_count: int
    truncated: str
    """Such as ``10,000 events``, if the search went on after that; else empty."""
    move: int | None
    """What the search decided; null if it is truncated."""
    whole: WholeInfo | None
    kinds: list[str]
    """The names of the kinds of events."""
    templates: list[str]
    signs: list[str]
    """For each template what stands before a value that is only a bound, such as ``≤``."""
    effects: list[str]
    results: dict[int, str]
    unit: int
    """Points in one unit of the evaluator."""
    win: int | None
    """Points from which on a value is a win for either side."""
    win_at_start: list[int] | None
    """Points of a win by either side with no stone on the board, where each stone takes off one unit."""
    page: TracePage
