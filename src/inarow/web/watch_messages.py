"""The messages of the page that watches tournaments. A match's id is a text, such as ``3-17-1``."""

from __future__ import annotations

from inarow.web.messages import Message, PositionInfo


class WatchedInfo(Message):
    """Something that can be watched: a store, a report, or both."""

    id: int
    name: str


class RangeInfo(Message):
    """An estimate with its 95 % interval."""

    estimate: float
    low: float
    high: float


class WatchedAgent(Message):
    """An agent, and a short name that tells it from the others."""

    spec: str
    label: str


class StandingInfo(Message):
    """An agent's place in a table."""

    agent: int
    elo: RangeInfo
    score: RangeInfo | None
    matches: int
    wins: int
    draws: int
    losses: int


class CrossInfo(Message):
    """What one agent scored against another."""

    row: int
    column: int
    score: float
    low: float
    high: float
    matches: int


class MatchLine(Message):
    """One match of a list."""

    id: str
    first: int
    second: int
    result: str
    """``first``, ``second``, ``draw`` or ``none``."""
    plies: int
    fault: str
    """How an agent failed, if one did."""


class TableInfo(Message):
    """All tournaments of a store that have one name and one game."""

    title: str
    agents: list[WatchedAgent]
    standings: list[StandingInfo]
    cross: list[CrossInfo]
    latest: list[MatchLine]
    """The matches stored last, the newest first."""
    matches: int
    planned: int
    """How many matches there may be at most."""
    finished: bool


class WatchInfo(Message):
    """Everything that a store holds now; ``version`` grows with every change."""

    id: int
    name: str
    version: int
    running: bool
    """Whether another process is writing it."""
    report: bool
    """Whether there is a study's report to read."""
    problem: str
    """Why nothing can be shown, in one sentence."""
    tables: list[TableInfo]


class MatchPage(Message):
    """A part of the list of matches, the newest first."""

    matches: list[MatchLine]
    total: int


class ThoughtInfo(Message):
    """What an agent thought at a move; nothing for the moves of an opening."""

    move: int
    value: float | None
    nodes: int
    seconds: float
    opening: bool


class ReplayInfo(Message):
    """A match, position by position; there is one position more than moves."""

    id: str
    first: str
    second: str
    ending: str
    moves: list[ThoughtInfo]
    positions: list[PositionInfo]
