"""The messages of the page on which an agent learns."""

from __future__ import annotations

from typing import Annotated, Literal

from pydantic import Field

from inarow.web.messages import Message, Moves, Name, PositionInfo

Share = Annotated[float, Field(ge=0, le=1)]
Speed = Annotated[int, Field(ge=0, le=1_000_000)]
"""Episodes a second; 0: as fast as it can."""


class LearnRequest(Message):
    """The first frame of a connection: who learns what."""

    kind: Literal["qlearning", "ntuple"] = "qlearning"
    game: Name
    alpha: Share
    epsilon: Share
    speed: Speed = 0
    seed: Annotated[int, Field(ge=0, le=2**31)] = 0


class LearnCommand(Message):
    """Any later frame: what is to change. ``moves`` chooses the position whose values are shown."""

    paused: bool | None = None
    alpha: Share | None = None
    epsilon: Share | None = None
    speed: Speed | None = None
    moves: Moves | None = None
    reply: bool = False
    """Whether the learner shall choose a move in that position."""
    step: bool = False
    """Whether one more episode shall be played while it is paused."""


class UpdateInfo(Message):
    """One step of Q-learning."""

    position: PositionInfo
    move: int
    old: float
    target: float
    new: float


class ValuesInfo(Message):
    """What the learner gives the moves of a position."""

    moves: list[int]
    values: dict[int, float]
    known: bool
    """Whether it has met the position."""


class LearnFrame(Message):
    """How far it has come."""

    episodes: int
    seconds: float
    paused: bool
    alpha: float
    epsilon: float
    gamma: float | None
    """What a value is worth one turn later; None for a network."""
    speed: int
    entries: int
    """Positions in its table, or weights that are not 0."""
    error: float | None
    """The mean size of the errors of the updates since the last frame."""
    shown: ValuesInfo
    updates: list[UpdateInfo]
    """Of the episode that was played last, in the order they were made; none for a network."""
    score: float | None = None
    """The share of solved positions in which its move keeps the verdict, if it was measured just now."""
    reply: int | None = None


class LearnEnd(Message):
    """The last frame: why it has ended, in one sentence."""

    ended: str
