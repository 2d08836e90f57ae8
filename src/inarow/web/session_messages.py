"""The messages of sessions: how one is started, commanded and shown."""

from __future__ import annotations

from typing import Annotated, Literal

from pydantic import Field

from inarow.web.messages import Message, Move, Moves, Name, PositionInfo, Spec

PersonName = Annotated[str, Field(max_length=30, pattern=r"^[^\x00-\x1f]*$")]


class SessionRequest(Message):
    """Start a session: two participants, each ``human`` or an agent's spec."""

    game: Name
    one: Spec = "human"
    two: Spec = "rules"
    starts: Literal["one", "two", "lot", "turns"] = "one"
    matches: Annotated[int, Field(ge=1, le=1000)] = 1
    delay: Annotated[float, Field(ge=0, le=60)] = 0.4
    opening: Moves = Field(default=[])
    """Moves that every match begins with; they can't be undone."""
    moves: Moves = Field(default=[])
    """Moves of a match to resume; they can be undone. The first mover is participant one or two, as ``starts`` says."""
    names: Annotated[list[PersonName], Field(max_length=2)] = Field(default=[])
    """What participants one and two are called, if they are people."""
    mode: Annotated[str, Field(max_length=80)] = ""
    """What to call the pairing during play."""
    seed: Annotated[int, Field(ge=0, le=2**53)] | None = None
    record: Annotated[str, Field(max_length=200_000)] | None = None
    """A saved match to resume, as text; the other fields are then taken from it."""


class MoveRequest(Message):
    """A person's move. ``ply`` guards against a click that was meant for an earlier position."""

    move: Move
    ply: Annotated[int, Field(ge=0, le=63)] | None = None


class PaceRequest(Message):
    """Pause, resume, or change the speed at which agents' moves are shown."""

    paused: bool | None = None
    delay: Annotated[float, Field(ge=0, le=60)] | None = None


class SeatInfo(Message):
    """Who sits in a seat."""

    name: str
    """A person's name, empty if none was given; an agent's name as menus show it."""
    spec: str
    person: bool
    participant: int


class PlayedInfo(Message):
    """A move of the match, and what the agent that made it thought."""

    move: int
    cell: int
    player: int
    value: float | None = None
    nodes: int = 0
    depth: int | None = None
    seconds: float
    effort: str = ""
    """What it counted, such as 20,000 simulations."""
    note: str = ""
    """What the agent says about the move, such as that it is not proven."""


class HintInfo(Message):
    """Advice for the side to move."""

    move: int
    line: list[int]
    why: str


class EndingInfo(Message):
    """How a match ended."""

    winner: int | None
    termination: str
    text: str


class SessionInfo(Message):
    """The whole state of a session; ``version`` grows with every change."""

    id: str
    version: int
    position: PositionInfo
    opening: list[int]
    played: list[PlayedInfo]
    seats: list[SeatInfo]
    mode: str
    number: int
    matches: int
    score: list[int]
    """Matches won by participant one, by participant two, and drawn."""
    thinking: int | None
    awaits_person: bool
    hinting: bool
    hint: HintInfo | None
    can_undo: bool
    can_redo: bool
    paused: bool
    delay: float
    watched: bool
    series_over: bool
    ending: EndingInfo | None
    failure: str | None
    """What went wrong with an agent, in one sentence, since the last move."""
