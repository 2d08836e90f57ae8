"""The settings of a session: game, participants, who starts, number of matches, speed."""

from __future__ import annotations

import functools
from dataclasses import dataclass
from enum import StrEnum
from pathlib import Path
from typing import NamedTuple, TypeAlias

from inarow.agents import NO_LIMIT, Agent, Limit, agent, agent_names
from inarow.agents.registry import PERSON_NAMES
from inarow.errors import InarowError, unknown
from inarow.formatting import say
from inarow.plugins import LINEUPS, PluginError, load_instance, plugins
from inarow.randomness import Stream, derive
from inarow.rules import TICTACTOE, Game, Position


class SetupError(InarowError):
    """The session can't be played with these settings."""


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
    return text.strip().lower() in PERSON_NAMES


def step_cursor(game: Game, at: int | None, across: int, down: int) -> int:
    """Move the cursor of the keyboard by a column or a row; it wraps at the edges and begins in the middle."""
    start = game.moves // 2 - across if at is None else at
    if game.gravity:
        return (start + across) % game.columns
    row, column = divmod(start, game.columns)
    return (row + down) % game.rows * game.columns + (column + across) % game.columns


class Starts(StrEnum):
    """The participant who moves first."""

    ONE = "one"
    TWO = "two"
    RANDOM = "random"
    """drawn before each match"""
    ALTERNATE = "alternate"
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
    base: int = 1
    """The number of the first column or cell in the terminal."""

    def __post_init__(self) -> None:
        if self.matches < 1:
            raise SetupError(f"matches must be 1 or more, got {self.matches}")
        for name in ("delay", "pause"):
            value = getattr(self, name)
            if not 0 <= value <= 3600:
                raise SetupError(f"{name} must be from 0 to 3600 seconds, got {value:g}")
        if Position.start(self.game, self.opening).outcome() is not None:
            raise SetupError(say("local", "opening_over"))
        for one in self.participants:
            if isinstance(one, Agent):
                one.check(self.game)

    @property
    def watched(self) -> bool:
        """True if no person plays."""
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
        if self.starts is Starts.RANDOM:
            return Stream(derive(self.seed, "lot", begun)).below(2)
        if self.starts is Starts.ALTERNATE:
            return finished % 2
        return int(self.starts is Starts.TWO)


def _short_name(one: Participant) -> str:
    """Return the name of an agent, or of its file."""
    path = getattr(one, "path", "")
    return Path(path).stem if one.name == "file" and path else one.name


HUMAN = "Human"
"""The label of a person in a mode."""


@dataclass(frozen=True)
class Level:
    """A player's name, and the specs behind it: the first that exists and can play the game counts."""

    label: str
    specs: tuple[str, ...]
    about: str
    """Its style of play, in one line."""
    strength: str = ""
    """Its strength, in a few words."""
    of_game: tuple[tuple[Game, str], ...] = ()
    """The spec for a game, where it is another one."""

    def agent(self, game: Game) -> Agent | None:
        """Return the agent of this level, or None if it can't play this game."""
        spec = dict(self.of_game).get(game)
        return first_of(self.specs if spec is None else (spec,), game)


@dataclass(frozen=True)
class Mode:
    """A choice of both players: `HUMAN`, or the label of a level of the same lineup."""

    label: str
    seats: tuple[str, str]
    about: str


@dataclass(frozen=True)
class Lineup:
    """Players and modes under one title."""

    name: str
    title: str
    about: str
    levels: tuple[Level, ...]
    modes: tuple[Mode, ...] = ()

    def __post_init__(self) -> None:
        labels = [HUMAN, *(level.label for level in self.levels)]
        strangers = {seat for mode in self.modes for seat in mode.seats} - set(labels)
        if strangers or len(set(labels)) < len(labels):
            raise InarowError(
                f"lineup {self.name}: labels must differ, and modes name them; check {strangers or labels}"
            )

    def level(self, label: str) -> Level | None:
        """Return the level of this label; None for a person."""
        return next((one for one in self.levels if one.label == label), None)

    def participant(self, label: str, board: Game) -> Participant:
        """Return a person, or the agent of a level. Raises SetupError if it can't play this game."""
        level = self.level(label)
        found = PERSON if label == HUMAN else None if level is None else level.agent(board)
        if found is None:
            raise SetupError(f"there is no {label} for {board.title}; choose another player")
        return found

    def mode(self, seats: tuple[str, str]) -> Mode | None:
        """Return the mode with these players, if there is one."""
        return next((one for one in self.modes if one.seats == seats), None)

    def mode_title(self, seats: tuple[str, str]) -> str:
        """Return the title shown during play: the lineup unless it is inarow's, and the mode of these players."""
        mode = self.mode(seats)
        parts = [*([] if self.name == USUAL.name else [self.title]), *([] if mode is None else [mode.label])]
        return ": ".join(parts)


DEFAULT_OPPONENT = "Medium"
"""The level that a person plays against by default, in the terminal, in the window and on the web page."""

_LEVELS = (
    Level("Easy", ("random",), "moves at random", "the weakest"),
    Level("Medium", ("rules",), "wins or blocks if it can, else moves at random", "a beginner"),
    Level(
        "Hard – minimax",
        ("alphabeta:depth=10,ordering=threats,tt=on",),
        "searches 10 plies ahead with alpha–beta",
        "strong",
    ),
    Level("Hard – MCTS", ("mcts:simulations=100000",), "simulates 100,000 matches per move", "very strong"),
    Level(
        "Hard – Q-learning",
        ("qlearning:guide=heuristic",),
        "a learned table of values; in Connect 4 guided Q-learning",
        "beats Medium",
        ((TICTACTOE, "qlearning"),),
    ),
    Level("Hard – n-tuple", ("ntuple",), "a network trained in self-play; moves instantly", "very strong"),
    Level("Hardest", ("best",), "the solver, else a search with a network; a second per move", "nearly perfect"),
    Level("Perfect", ("perfect",), "the exact solver: never gives away a win or a draw", "perfect"),
)

_MODES = (
    Mode("Human – human", (HUMAN, HUMAN), "two people take turns at this screen"),
    Mode("Human – AI", (HUMAN, "Hard – minimax"), "you against a search that looks ahead"),
    Mode("Human – semi", (HUMAN, "Medium"), "you against a semi-intelligent opponent: it wins, blocks or guesses"),
    Mode("AI – semi", ("Hard – minimax", "Medium"), "the search against a semi-intelligent opponent; you watch"),
    Mode("AI – AI", ("Hard – minimax", "Hard – MCTS"), "two searches against each other; you watch"),
)
USUAL = Lineup("inarow", "inarow", "the agents of inarow, by strength", _LEVELS, _MODES)
"""The lineup that is offered first."""


@functools.cache
def lineups() -> tuple[Lineup, ...]:
    """Return all lineups, inarow's first, without those whose plugin can't be loaded."""
    found = [USUAL]
    for name in plugins(LINEUPS):
        try:
            found.append(load_instance(LINEUPS, name, Lineup))
        except PluginError:
            continue
    return tuple(found)


def lineup(name: str) -> Lineup:
    """Return the lineup of this name."""
    for one in lineups():
        if one.name == name:
            return one
    raise InarowError(unknown("lineup", name, [one.name for one in lineups()]))


def label_of(spec: str, game: Game) -> str:
    """Return the label of this canonical spec in a lineup; empty if it has none."""
    for one in lineups():
        for level in one.levels:
            found = level.agent(game)
            if found is not None and found.spec == spec:
                return level.label
    return ""


def first_of(specs: tuple[str, ...], game: Game) -> Agent | None:
    """Return the agent of the first of these specs that exists and can play the game."""
    for spec in specs:
        if spec.partition(":")[0] in agent_names():
            try:
                found = agent(spec)
                found.check(game)
            except InarowError:
                continue
            return found
    return None


def opponent(game: Game) -> Agent:
    """Return the default opponent of a person."""
    found = USUAL.participant(DEFAULT_OPPONENT, game)
    assert isinstance(found, Agent)
    return found
