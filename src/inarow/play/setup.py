"""What a session is about: the game, the two who sit down, who starts, how many games, how fast."""

from __future__ import annotations

from dataclasses import dataclass, replace
from enum import StrEnum
from typing import TypeAlias

from inarow.agents import NO_LIMIT, Agent, Limit, agent
from inarow.errors import InarowError, unknown
from inarow.randomness import Stream, derive
from inarow.rules import Game, Position


class SetupError(InarowError):
    """A session that can't be played as it was asked for."""


@dataclass(frozen=True)
class Person:
    """Somebody at the board, who moves through an interface."""

    name: str = "human"

    @property
    def spec(self) -> str:
        """What stands in a record where an agent's spec would."""
        return self.name


Participant: TypeAlias = Person | Agent
"""One of the two who sit at the board; which seat (first or second player) it takes may change from game to game."""

PERSON = Person()


def sitter(text: str) -> Participant:
    """The sitter of a text: ``human``, or an agent's spec."""
    return PERSON if text.strip().lower() in ("human", "person") else agent(text)


class Starts(StrEnum):
    """Which of the two sitters moves first."""

    ONE = "one"
    TWO = "two"
    LOT = "lot"
    """drawn by lot before each game"""
    TURNS = "turns"
    """the first in odd games, the second in even ones"""

    @classmethod
    def of(cls, text: str) -> Starts:
        """The order of a word."""
        try:
            return cls(text.strip().lower())
        except ValueError:
            raise SetupError(unknown("order of play", text, [one.value for one in cls])) from None


@dataclass(frozen=True)
class Setup:
    """A series of games between two sitters."""

    game: Game
    sitters: tuple[Participant, Participant] = (PERSON, PERSON)
    starts: Starts = Starts.ONE
    games: int = 1
    delay: float = 0.5
    """Seconds from the moment an agent is to move until its move is shown, at the least."""
    pause: float = 2.0
    """Seconds from the end of a game to the next one of the series."""
    opening: tuple[int, ...] = ()
    """Moves that every game begins with; they can't be taken back."""
    limit: Limit = NO_LIMIT
    seed: int = 0

    def __post_init__(self) -> None:
        if self.games < 1:
            raise SetupError(f"a series of {self.games} games can't be played; give 1 or more")
        for name in ("delay", "pause"):
            value = getattr(self, name)
            if not 0 <= value <= 3600:
                raise SetupError(f"{name} is {value:g} seconds; give a number from 0 to 3600")
        if Position.start(self.game, self.opening).outcome() is not None:
            raise SetupError("the opening ends the game; give fewer moves")
        for one in self.sitters:
            if isinstance(one, Agent):
                one.check(self.game)

    @property
    def watched(self) -> bool:
        """Whether no person plays."""
        return not any(isinstance(one, Person) for one in self.sitters)

    @property
    def names(self) -> tuple[str, str]:
        """Both sitters as people read them, told apart when they are the same."""
        one, two = (s.spec for s in self.sitters)
        return (one, two) if one != two else (f"{one} 1", f"{two} 2")

    def starter(self, finished: int, begun: int) -> int:
        """Which sitter (0 or 1) moves first, after so many finished games and so many begun ones."""
        if self.starts is Starts.LOT:
            return Stream(derive(self.seed, "lot", begun)).below(2)
        if self.starts is Starts.TURNS:
            return finished % 2
        return int(self.starts is Starts.TWO)

    def with_game(self, game: Game) -> Setup:
        """The same people and agents at another game, from its empty board."""
        return replace(self, game=game, opening=())
