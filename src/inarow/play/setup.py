"""The settings of a session: game, participants, who starts, number of matches, speed."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum
from pathlib import Path
from typing import NamedTuple, TypeAlias

from inarow.agents import NO_LIMIT, Agent, Limit, agent
from inarow.errors import InarowError, unknown
from inarow.randomness import Stream, derive
from inarow.rules import Game, Position


class SetupError(InarowError):
    """A session that can't be played with these settings."""


@dataclass(frozen=True)
class Person:
    """A person at the board, who moves through an interface."""

    name: str = "human"

    @property
    def spec(self) -> str:
        """The name used in records in place of an agent's spec."""
        return self.name


Participant: TypeAlias = Person | Agent
"""One of the two participants; which seat (first or second player) it takes may change from match to match."""

PERSON = Person()


def participant(text: str) -> Participant:
    """Parse a participant: ``human``, or an agent's spec."""
    return PERSON if is_person(text) else agent(text)


def is_person(text: str) -> bool:
    """Return True for ``human`` or ``person``, rather than an agent's spec."""
    return text.strip().lower() in ("human", "person")


def step_cursor(game: Game, at: int | None, across: int, down: int) -> int:
    """Move the cursor of the keyboard by a column or a row; it wraps at the edges and begins in the middle."""
    start = game.moves // 2 - across if at is None else at
    if game.gravity:
        return (start + across) % game.columns
    row, column = divmod(start, game.columns)
    return (row + down) % game.rows * game.columns + (column + across) % game.columns


class Starts(StrEnum):
    """Which of the two participants moves first."""

    ONE = "one"
    TWO = "two"
    LOT = "lot"
    """drawn by lot before each match"""
    TURNS = "turns"
    """the first in odd matches, the second in even ones"""

    @classmethod
    def of(cls, text: str) -> Starts:
        """Parse the order of play. Raises SetupError if it is unknown."""
        try:
            return cls(text.strip().lower())
        except ValueError:
            raise SetupError(unknown("order of play", text, [one.value for one in cls])) from None


class SeriesScore(NamedTuple):
    """Matches won by each participant, and drawn."""

    one: int
    two: int
    draws: int


@dataclass(frozen=True)
class Setup:
    """A series of matches between two participants."""

    game: Game
    participants: tuple[Participant, Participant] = (PERSON, PERSON)
    starts: Starts = Starts.ONE
    matches: int = 1
    delay: float = 0.5
    """Minimum seconds between an agent's turn starting and its move being shown."""
    pause: float = 2.0
    """Seconds between the end of a match and the next one of the series."""
    opening: tuple[int, ...] = ()
    """Moves that every match begins with; they can't be undone."""
    limit: Limit = NO_LIMIT
    seed: int = 0
    mode: str = ""
    """The menu's name of this pairing, shown during play."""

    def __post_init__(self) -> None:
        if self.matches < 1:
            raise SetupError(f"matches must be 1 or more, got {self.matches}")
        for name in ("delay", "pause"):
            value = getattr(self, name)
            if not 0 <= value <= 3600:
                raise SetupError(f"{name} must be from 0 to 3600 seconds, got {value:g}")
        if Position.start(self.game, self.opening).outcome() is not None:
            raise SetupError("the opening ends the game; give fewer moves")
        for one in self.participants:
            if isinstance(one, Agent):
                one.check(self.game)

    @property
    def watched(self) -> bool:
        """Whether no person plays."""
        return not any(isinstance(one, Person) for one in self.participants)

    @property
    def names(self) -> tuple[str, str]:
        """The names of both participants, numbered when they are the same."""
        one, two = (s.spec for s in self.participants)
        return (one, two) if one != two else (f"{one} 1", f"{two} 2")

    @property
    def short_names(self) -> tuple[str, str]:
        """The names without parameters if they differ, else `names`."""
        one, two = (_short_name(s) for s in self.participants)
        return (one, two) if one != two else self.names

    def starter(self, finished: int, begun: int) -> int:
        """Return which participant (0 or 1) moves first, given how many matches have been finished and started."""
        if self.starts is Starts.LOT:
            return Stream(derive(self.seed, "lot", begun)).below(2)
        if self.starts is Starts.TURNS:
            return finished % 2
        return int(self.starts is Starts.TWO)


def _short_name(one: Participant) -> str:
    """Return the name of an agent, or of its file."""
    path = getattr(one, "path", "")
    return Path(path).stem if one.name == "file" and path else one.name
