"""The choices made in the menu, remembered from one run to the next. No screen in it."""

from __future__ import annotations

import contextlib
import itertools
import json
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from typing import Any

from inarow.atomic import write_text
from inarow.drawing.palette import THEMES
from inarow.errors import InarowError
from inarow.paths import settings_folder
from inarow.play.lineups import DEFAULT_OPPONENT, HUMAN, USUAL, Lineup, lineup, lineups
from inarow.play.setup import PERSON, Participant, Setup, SetupError, Starts, participant
from inarow.rules import Game, game

OTHER = "Another agent"
YOU = "You"
"""The name of a person who plays against an agent."""

_STARTS = {"Player one": Starts.ONE, "Player two": Starts.TWO, "By lot": Starts.LOT, "In turns": Starts.TURNS}
STARTS = tuple(_STARTS)
DELAYS = (0.0, 0.1, 0.25, 0.5, 1.0, 2.0)
MATCHES = (1, 2, 3, 5, 10, 20, 50, 100, 1000)
SIZES = ((480, 400), (720, 560), (1000, 760), (1400, 1000), (1920, 1080), (3840, 2160))


@dataclass(frozen=True)
class Choices:
    """Everything that the menu sets."""

    lineup: str = USUAL.name
    seats: tuple[str, str] = (HUMAN, DEFAULT_OPPONENT)
    specs: tuple[str, str] = ("rules:style=centre", "rules:style=centre")
    """The agents behind `OTHER`, one for each seat."""
    starts: str = STARTS[0]
    delay: float = 0.5
    matches: int = 1
    width: int = SIZES[1][0]
    height: int = SIZES[1][1]
    theme: str = "dark"
    board: str = "5x4x4"
    """The board that is neither of the named games."""
    evaluation: bool = False

    @property
    def offered(self) -> Lineup:
        """The players and modes to choose from."""
        return lineup(self.lineup)

    def with_lineup(self, chosen: Lineup) -> Choices:
        """Return the choices with another lineup: a person against one of its players."""
        seats = next((mode.seats for mode in chosen.modes if HUMAN in mode.seats and set(mode.seats) != {HUMAN}), None)
        return replace(self, lineup=chosen.name, seats=seats or (HUMAN, chosen.levels[-1].label))

    def with_seat(self, index: int, seat: str) -> Choices:
        """Return the choices with another player in a seat."""
        return replace(self, seats=(seat, self.seats[1]) if index == 0 else (self.seats[0], seat))

    def with_spec(self, index: int, spec: str) -> Choices:
        """Return the choices with an agent of one's own in a seat."""
        specs = (spec, self.specs[1]) if index == 0 else (self.specs[0], spec)
        return replace(self.with_seat(index, OTHER), specs=specs)

    def spec(self, index: int) -> str:
        """Return the spec behind a seat; an empty string for a person."""
        seat = self.seats[index]
        if seat == OTHER:
            return self.specs[index]
        level = self.offered.level(seat)
        return "" if level is None else level.specs[0]

    def participant(self, index: int, board: Game) -> Participant:
        """Return the participant in a seat. Raises SetupError if there is none for this game."""
        seat = self.seats[index]
        if seat == HUMAN:
            return PERSON
        if seat == OTHER:
            return participant(self.specs[index])
        level = self.offered.level(seat)
        found = None if level is None else level.agent(board)
        if found is None:
            raise SetupError(f"there is no {seat} for {board.title}; choose another player")
        return found

    def setup(self, board: Game, seed: int) -> Setup:
        """Return the series to play."""
        participants = self.participant(0, board), self.participant(1, board)
        return Setup(
            board,
            participants,
            starts=_STARTS[self.starts],
            matches=self.matches,
            delay=self.delay,
            pause=2.0 if PERSON in participants else min(2.0, 2 * self.delay),
            seed=seed,
            mode=self.offered.mode_title(self.seats),
        )

    def names(self) -> tuple[str, str]:
        """Return the names that the game screen shows."""
        one, two = (spec if seat == OTHER else seat for seat, spec in zip(self.seats, self.specs, strict=True))
        return _distinct(one, two)


def _distinct(one: str, two: str) -> tuple[str, str]:
    """Return names for a match of these two: a person alone is You, and equal names are numbered."""
    if one == two:
        return f"{one} 1", f"{two} 2"
    return (YOU if one == HUMAN else one), (YOU if two == HUMAN else two)


def titles(one: str, two: str) -> tuple[str, str]:
    """Return names for the participants with these specs: the label of a level, if there is one."""
    levels = [level for offered in lineups() for level in offered.levels]
    known = {PERSON.spec: HUMAN} | {spec: level.label for level in reversed(levels) for spec in level.specs}
    return _distinct(known.get(one, one), known.get(two, two))


def settings_file() -> Path:
    """Return the file where the choices are kept."""
    return settings_folder() / "desktop.json"


def remember(choices: Choices) -> None:
    """Keep the choices; a folder that can't be written is no reason to stop playing."""
    with contextlib.suppress(OSError, InarowError):
        write_text(settings_file(), json.dumps(asdict(choices), indent=2), durable=False)


def remembered() -> Choices:
    """Return the choices of the last run, or the defaults if there are none that can be used."""
    try:
        data = json.loads(settings_file().read_text(encoding="utf-8"))
        values: dict[str, Any] = {key: _typed(getattr(Choices(), key), value) for key, value in data.items()}
        choices = Choices(**values)
        _check(choices)
    except (OSError, ValueError, TypeError, AttributeError, InarowError):
        return Choices()
    return choices


def _typed(default: object, value: object) -> object:
    """Return a value read from JSON with the type of its default. Raises TypeError if it has another."""
    value = tuple(value) if isinstance(value, list) else value
    if isinstance(default, float) and isinstance(value, int):
        value = float(value)
    if type(value) is not type(default):
        raise TypeError(value)
    return value


def _check(choices: Choices) -> None:
    """Raise InarowError if something that was remembered is not offered."""
    offered = (
        len(choices.seats) == len(choices.specs) == 2
        and all(seat in (HUMAN, OTHER) or choices.offered.level(seat) for seat in choices.seats)
        and all(isinstance(spec, str) for spec in choices.specs)
        and (choices.starts, choices.delay, choices.matches) in itertools.product(STARTS, DELAYS, MATCHES)
        and choices.theme in THEMES
        and all(300 <= length <= 10_000 for length in (choices.width, choices.height))
    )
    if not offered:
        raise InarowError("the stored settings are not valid")
    game(choices.board)
