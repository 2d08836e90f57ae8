"""What happens in a session, for an interface to draw. All are immutable."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TypeAlias

from inarow.agents import Decision
from inarow.match import Termination
from inarow.rules import Outcome, Player, Position


@dataclass(frozen=True, slots=True)
class Started:
    """A match begins: its number in the series, from 1, and which participant (0 or 1) moves first."""

    number: int
    first: int


@dataclass(frozen=True, slots=True)
class Thinking:
    """An agent has been asked for a move."""

    player: Player


@dataclass(frozen=True, slots=True)
class Moved:
    """A move was made; ``cell`` is where the stone lies. A person's move comes without a decision."""

    player: Player
    move: int
    cell: int
    position: Position
    decision: Decision | None = None


@dataclass(frozen=True, slots=True)
class TakenBack:
    """Moves were taken back, to this position."""

    position: Position


@dataclass(frozen=True, slots=True)
class Hinted:
    """The move that was advised to the side to move, and why; it may not know one."""

    decision: Decision


@dataclass(frozen=True, slots=True)
class AgentFailed:
    """An agent (or the adviser, if ``player`` is None) failed; the message says how."""

    player: Player | None
    message: str


@dataclass(frozen=True, slots=True)
class Ended:
    """A match is over: who won and why it ended."""

    outcome: Outcome
    termination: Termination


@dataclass(frozen=True, slots=True)
class SeriesEnded:
    """The last match of the series is over."""


Event: TypeAlias = Started | Thinking | Moved | TakenBack | Hinted | AgentFailed | Ended | SeriesEnded
