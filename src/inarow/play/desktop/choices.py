"""What was chosen in the menu, remembered from one run to the next. No screen in it."""

from __future__ import annotations

import contextlib
import json
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from typing import Any

from inarow.atomic import write_text
from inarow.errors import InarowError
from inarow.paths import settings_folder
from inarow.play.lineups import HUMAN, USUAL, Lineup, lineup, lineups
from inarow.play.setup import PERSON, Participant, Setup, SetupError, Starts, participant
from inarow.rules import Game, game

OTHER = "Another agent"
YOU = "You"
"""What a person is called who plays against an agent."""

DELAYS = (0.0, 0.1, 0.25, 0.5, 1.0, 2.0)
MATCHES = (1, 2, 3, 5, 10, 20, 50, 100, 1000)
SIZES = ((480, 400), (720, 560), (1000, 760), (1400, 1000), (1920, 1080), (3840, 2160))
_STARTS = {Starts.ONE: "Player one", Starts.TWO: "Player two", Starts.LOT: "By lot", Starts.TURNS: "In turns"}
STARTS = tuple(_STARTS.values())


@dataclass(frozen=True)
class Choices:
    """Everything that the menu sets."""

    lineup: str = USUAL.name
    seats: tuple[str, str] = (HUMAN, "Medium")
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
        """Other players to choose from: a person against the strongest of them at first."""
        seats = next((mode.seats for mode in chosen.modes if HUMAN in mode.seats and set(mode.seats) != {HUMAN}), None)
        return replace(self, lineup=chosen.name, seats=seats or (HUMAN, chosen.levels[-1].label))

    def with_seat(self, index: int, seat: str) -> Choices:
        """Another choice for one of the two."""
        seats = list(self.seats)
        seats[index] = seat
        return replace(self, seats=(seats[0], seats[1]))

    def with_spec(self, index: int, spec: str) -> Choices:
        """Another agent of one's own for one of the two."""
        specs = list(self.specs)
        specs[index] = spec
        return replace(self, specs=(specs[0], specs[1]))

    def participant(self, index: int, board: Game) -> Participant:
        """The participant for a choice; an error if nobody of that kind can play this game."""
        seat = self.seats[index]
        if seat == HUMAN:
            return PERSON
        if seat == OTHER:
            return participant(self.specs[index])
        level = self.offered.level(seat)
        found = None if level is None else level.agent(board)
        if found is None:
            raise SetupError(f"there is no {seat} for {board.title}; choose somebody else")
        return found

    def setup(self, board: Game, seed: int) -> Setup:
        """The series to play."""
        participants = self.participant(0, board), self.participant(1, board)
        watched = PERSON not in participants
        return Setup(
            board,
            participants,
            starts=next(order for order, word in _STARTS.items() if word == self.starts),
            matches=self.matches,
            delay=self.delay,
            pause=min(2.0, 2 * self.delay) if watched else 2.0,
            seed=seed,
            mode=self.offered.mode_title(self.seats),
        )

    def names(self) -> tuple[str, str]:
        """The two as the game screen calls them."""
        one, two = (spec if seat == OTHER else seat for seat, spec in zip(self.seats, self.specs, strict=True))
        return _told_apart(one, two)

    def spec(self, index: int) -> str:
        """The spec behind a seat; nothing for a person."""
        seat = self.seats[index]
        if seat == OTHER:
            return self.specs[index]
        level = self.offered.level(seat)
        return "" if level is None else level.specs[0]


def _told_apart(one: str, two: str) -> tuple[str, str]:
    """Names for a match of these two: a person alone is You, and equal names are numbered."""
    if one == two:
        return f"{one} 1", f"{two} 2"
    return (YOU if one == HUMAN else one), (YOU if two == HUMAN else two)


def titles(one: str, two: str) -> tuple[str, str]:
    """Names for the participants with these specs: that of the level, if there is one."""
    levels = [level for offered in lineups() for level in offered.levels]
    known = {PERSON.spec: HUMAN} | {spec: level.label for level in reversed(levels) for spec in level.specs}
    return _told_apart(known.get(one, one), known.get(two, two))


def settings_file() -> Path:
    """Where the choices are kept."""
    return settings_folder() / "desktop.json"


def remember(choices: Choices) -> None:
    """Keep the choices; a folder that can't be written is no reason to stop playing."""
    with contextlib.suppress(OSError, InarowError):
        write_text(settings_file(), json.dumps(asdict(choices), indent=2), durable=False)


def remembered() -> Choices:
    """The choices of the last run; the defaults if there are none, or they can't be read."""
    try:
        data = json.loads(settings_file().read_text(encoding="utf-8"))
        values: dict[str, Any] = {key: _as(getattr(Choices(), key), value) for key, value in data.items()}
        choices = replace(Choices(), **values)
        _check(choices)
    except (OSError, ValueError, TypeError, AttributeError, InarowError):
        return Choices()
    return choices


def _as(usual: object, value: object) -> object:
    value = tuple(value) if isinstance(value, list) else value
    if isinstance(usual, float) and isinstance(value, int):
        value = float(value)
    if type(value) is not type(usual):
        raise TypeError(value)
    return value


def _check(choices: Choices) -> None:
    """Raise if something remembered is not on offer."""
    on_offer = (
        len(choices.seats) == len(choices.specs) == 2
        and all(seat in (HUMAN, OTHER) or choices.offered.level(seat) for seat in choices.seats)
        and all(isinstance(spec, str) for spec in choices.specs)
        and choices.starts in STARTS
        and choices.delay in DELAYS
        and choices.matches in MATCHES
        and choices.theme in ("dark", "light")
        and 300 <= choices.width <= 10_000
        and 300 <= choices.height <= 10_000
    )
    if not on_offer:
        raise InarowError("the stored settings are not valid")
    game(choices.board)
