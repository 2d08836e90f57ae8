"""The menu: players, board, speed, number of matches; the unfinished match and the saved ones."""

from __future__ import annotations

import contextlib
import itertools
import json
from collections.abc import Callable, Sequence
from dataclasses import asdict, dataclass, replace
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

import pygame

from inarow.agents import Agent, agent_class, agent_names
from inarow.drawing.board import THEMES, mixed
from inarow.errors import InarowError
from inarow.paths import settings_folder, write_text
from inarow.play.desktop import paint
from inarow.play.desktop.cards import FileCard, Picker, catalogue
from inarow.play.desktop.paint import Pen, wrapped
from inarow.play.desktop.widgets import Button, Field, Screen, Stepper, Widget, WidgetGroup
from inarow.play.saved import load_record, named, saved_matches
from inarow.play.session import BackgroundTask
from inarow.play.setup import (
    DEFAULT_OPPONENT,
    HUMAN,
    PERSON,
    USUAL,
    Lineup,
    Participant,
    Setup,
    Starts,
    lineup,
    lineups,
    participant,
)
from inarow.rules import CONNECT4, TICTACTOE, Game, Player, game

if TYPE_CHECKING:
    from inarow.play.desktop.app import App

OTHER = "Another agent"
YOU = "You"
"""The name of a person who plays against an agent."""

_STARTS = {"Player one": Starts.ONE, "Player two": Starts.TWO, "Random": Starts.RANDOM, "Alternate": Starts.ALTERNATE}
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
    """The custom board, besides the named games."""
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
        """Return the choices with a custom agent in a seat."""
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
        """Return the participant in a seat. Raises SetupError if the player can't play this game."""
        seat = self.seats[index]
        return participant(self.specs[index]) if seat == OTHER else self.offered.participant(seat, board)

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
    known = {PERSON.spec: HUMAN}
    for level in reversed(levels):
        known |= dict.fromkeys([*level.specs, *dict(level.of_game).values()], level.label)
    return _distinct(known.get(one, one), known.get(two, two))


def settings_file() -> Path:
    """Return the file where the choices are kept."""
    return settings_folder() / "desktop.json"


def remember(choices: Choices) -> None:
    """Save the choices; ignore a folder that can't be written."""
    with contextlib.suppress(OSError, InarowError):
        write_text(settings_file(), json.dumps(asdict(choices), indent=2), durable=False)


def remembered() -> Choices:
    """Return the saved choices, or the defaults if they can't be used."""
    try:
        data = json.loads(settings_file().read_text(encoding="utf-8"))
        values: dict[str, Any] = {key: tuple(one) if isinstance(one, list) else one for key, one in data.items()}
        choices = Choices(**values)
        valid = _is_valid(choices)
    except (OSError, ValueError, TypeError, AttributeError, InarowError):
        return Choices()
    return choices if valid else Choices()


def _is_valid(choices: Choices) -> bool:
    """Return True if saved choices are available. Raises InarowError or TypeError for some that are not."""
    game(choices.board)
    sizes = choices.width, choices.height
    return (
        len(choices.seats) == len(choices.specs) == 2
        and all(seat in (HUMAN, OTHER) or choices.offered.level(seat) for seat in choices.seats)
        and all(isinstance(spec, str) for spec in choices.specs)
        and (choices.starts, choices.delay, choices.matches) in itertools.product(STARTS, DELAYS, MATCHES)
        and choices.theme in THEMES
        and isinstance(choices.evaluation, bool)
        and all(isinstance(length, int) and 300 <= length <= 10_000 for length in sizes)
    )


_OPTIONS: dict[str, tuple[str, tuple[Any, ...], Callable[[Any], str]]] = {
    "starts": ("Who starts", STARTS, str),
    "delay": ("Delay of agents", DELAYS, lambda seconds: f"{seconds:g} s" if seconds else "none"),
    "matches": ("Matches in a row", MATCHES, str),
    "size": ("Window", SIZES, lambda size: f"{size[0]} × {size[1]}"),
    "theme": ("Colours", tuple(THEMES), str),
}
"""By name: the label, the values, and how a value is shown."""
_LIST = 5.25  # where the list of opponents begins, in rows
_PITCH = 1.06  # from one opponent to the next
_BELOW = 8.0  # the height of the widgets below the list
_LEAST = 8  # opponents that always fit
_WIDEST = 1.35  # the largest width, in heights
_NARROWEST = 25.0  # the smallest width, in rows


@dataclass
class SeatMark(Button):
    """A hole for a player's stone, filled if the opponent of its row has that seat."""

    player: Player = Player.FIRST

    def draw(self, pen: Pen) -> None:
        size, colour = round(min(self.rect.size) * 0.78), pen.theme.stone(self.player)
        if self.chosen():
            image = paint.disc(size, colour, self.player)
        else:
            lit = self.lit(pen) or self.focused
            edge = mixed(pen.theme.panel, colour, 0.7) if lit else pen.theme.line
            image = paint.ring(size, edge, max(1.5, size / 12))
        pen.put(image, self.rect.center)


@dataclass
class OpponentLine(Button):
    """A row of the list: name, description and strength; a click seats this opponent as player two."""

    about: str = ""
    strength: str = ""

    def draw(self, pen: Pen) -> None:
        rect, theme = self.rect, pen.theme
        if self.lit(pen) or self.focused:
            pen.box(rect, theme.raised, rect.height // 4)
        height, pad = round(rect.height * 0.68), rect.height // 3
        wide, strength = round(rect.width * 0.23), round(rect.width * 0.15)
        left, right, y = rect.left + pad + wide + height // 3, rect.right - pad, rect.centery
        room = right - left - (strength + height // 2 if self.strength else 0)
        colour = theme.text if self.enabled else theme.faint
        pen.write(self.label, (rect.left + pad, y), height, colour, "midleft", wide)
        pen.write(self.about, (left, y), height * 0.92, theme.faint, "midleft", room)
        pen.write(self.strength, (right, y), height * 0.92, theme.text, "midright", strength)


class MenuSpot(NamedTuple):
    """A place in the menu: x and width in shares of the menu's width, y and height in rows."""

    x: float
    y: float
    width: float = 0.0
    height: float = 1.2
    indent: float = 0.0
    """Added to x, in row heights."""
    extra: float = 0.0
    """Added to the width, in row heights."""


class Menu(Screen):
    """The first screen."""

    def __init__(self, app: App) -> None:
        super().__init__()
        self._app = app
        self._settable: dict[str, BackgroundTask[bool]] = {}
        """Whether an agent has settings, by its name."""
        self._build()

    # Widgets.

    def _build(self) -> None:
        """Make all widgets, each with its spot in the window."""
        app, offered = self._app, self._app.choices.offered
        self.group = WidgetGroup()
        self._spots: dict[str, MenuSpot] = {}
        self._labels: list[tuple[MenuSpot, str, str]] = []
        titles = [f"Players: {one.title}" for one in lineups()]
        lineup_stepper = Stepper("lineup", titles, lineups().index(offered), self._set_lineup, visible=len(titles) > 1)
        self._put(lineup_stepper, MenuSpot(0.27, 0.4, 0.25))
        self._put(
            Button("resume", "Resume", app.resume, strong=True, enabled=app.can_resume), MenuSpot(0.55, 0.4, 0.14)
        )
        self._put(Button("open", "Open …", self._open), MenuSpot(0.705, 0.4, 0.14))
        self._put(Button("quit", "Quit", app.quit), MenuSpot(0.86, 0.4, 0.14))
        share = 1.01 / max(5, len(offered.modes))
        for number, mode in enumerate(offered.modes):
            able = all(_exists(offered, seat) for seat in mode.seats)
            action, chosen = partial(self._set_mode, mode.seats), partial(self._has_mode, mode.seats)
            button = Button(f"mode {mode.label}", mode.label, action, chosen, enabled=able)
            self._put(button, MenuSpot(number * share, 2.2, share - 0.01, 1.15))
        self._add_opponents(offered)
        end = self._end
        for index, word in enumerate(("Player one", "Player two")):
            x = index * 0.51
            self._labels.append((MenuSpot(x, end + 0.6), word, "midleft"))
            hint = "an agent, such as mcts:seconds=1 or file:mine.py"
            self._put(Field(f"spec {index}", "", hint, partial(self._set_spec, index)), MenuSpot(x, end + 1, 0.34))
            pick = Button(f"pick {index}", "Settings …", partial(self._pick, index))
            self._put(pick, MenuSpot(x + 0.35, end + 1, 0.14))
        self._add_options()
        for x, board in ((0, CONNECT4), (0.325, TICTACTOE)):
            button = Button(f"play {board}", f"Play {board.title}", partial(self._play, board.name), strong=True)
            self._put(button, MenuSpot(x, end + 4.8, 0.31, 1.7))
        self._labels.append((MenuSpot(0.66, end + 4.85), "Columns × rows × k", "midleft"))
        field = Field("board", app.choices.board, "5x4x4", lambda text: self._change(board=text), self._play_board)
        self._put(field, MenuSpot(0.66, end + 5.25, 0.17, 1.25))
        self._put(Button("play board", "Play board", self._play_board), MenuSpot(0.84, end + 5.25, 0.16, 1.25))
        self._show_specs()

    def _put(self, widget: Widget, spot: MenuSpot) -> None:
        self.group.add(widget)
        self._spots[widget.name] = spot

    def _add_opponents(self, offered: Lineup) -> None:
        """Add the list of opponents: two marks for the seats, and a line."""
        opponents = [
            (HUMAN, "a person at this window", ""),
            *((level.label, level.about, level.strength) for level in offered.levels),
            (OTHER, "any agent with your own settings, or a Python file of yours", ""),
        ]
        self._end = _LIST + _PITCH * max(_LEAST, len(opponents)) + 0.15
        self._labels += [
            (MenuSpot(0, 4.85, indent=1 + 1.6 * at), name, "center") for at, name in enumerate(("One", "Two"))
        ]
        for number, (seat, about, strength) in enumerate(opponents):
            able, y = _exists(offered, seat), _LIST + number * _PITCH
            for player in Player:
                index = int(player)
                action, chosen = partial(self._set_seat, index, seat), partial(self._has_seat, index, seat)
                mark = SeatMark(f"seat {index} {seat}", "", action, chosen, player=player, enabled=able)
                self._put(mark, MenuSpot(0, y, 0, 1.0, indent=0.4 + 1.6 * index, extra=1.2))
            action = partial(self._set_seat, 1, seat)
            line = OpponentLine(f"row {seat}", seat, action, about=about, strength=strength, enabled=able)
            self._put(line, MenuSpot(0, y, 1, 1.0, indent=3.5, extra=-3.9))

    def _add_options(self) -> None:
        choices = self._app.choices
        for number, (name, (label, offered, text)) in enumerate(_OPTIONS.items()):
            now = (choices.width, choices.height) if name == "size" else getattr(choices, name)
            values = offered if now in offered else (now, *offered)
            changed = partial(self._set_option, name, values)
            stepper = Stepper(name, [text(value) for value in values], values.index(now), changed)
            self._put(stepper, MenuSpot(number * 0.2025, self._end + 3.15, 0.19))
            self._labels.append((MenuSpot(number * 0.2025, self._end + 2.75), label, "midleft"))

    def place(self) -> None:
        """Place everything in rows of equal height, which fill a window of any size and shape."""
        rows = self._end + _BELOW
        row = min(self.size[1] / rows, self.size[0] / _NARROWEST)
        width = min(self.size[0] - row, row * rows * _WIDEST)
        left, top = (self.size[0] - width) / 2, (self.size[1] - row * rows) / 2
        self._unit = round(row * 0.7)

        def rect(spot: MenuSpot) -> pygame.Rect:
            x, y = left + spot.x * width + spot.indent * row, top + spot.y * row
            return pygame.Rect(
                round(x), round(y), round(spot.width * width + spot.extra * row), round(spot.height * row)
            )

        for name, spot in self._spots.items():
            self.group[name].rect = rect(spot)
        self.words = {label: (rect(spot).topleft, anchor) for spot, label, anchor in self._labels}
        self._logo = rect(MenuSpot(0, 0.2, 0, 1.6, extra=1.6))
        self._about_place = rect(MenuSpot(0, 3.85)).topleft
        self.list_card = rect(MenuSpot(0, 4.4, 1, self._end - 4.4))
        self._message_place = rect(MenuSpot(0.5, self._end + 6.6)).topleft

    # Actions.

    def use(self, event: pygame.Event) -> None:
        app = self._app
        if self.group.handle(event) or event.type != pygame.KEYDOWN:
            return
        if event.key == pygame.K_ESCAPE and app.can_resume:
            app.resume()
        elif event.key == pygame.K_ESCAPE:
            self.message = "Press Q to quit."
        elif event.key == pygame.K_q:
            app.quit()
        elif event.key == pygame.K_f:
            app.full_screen()
        elif event.key == pygame.K_o:
            self._open()
        elif event.key == pygame.K_RETURN:
            self._play("connect4")

    def update(self, now: float) -> None:
        for index in (0, 1):
            name = self._app.choices.spec(index).partition(":")[0].strip()
            if name and name not in self._settable:  # looked up in the background: it may import a module
                self._settable[name] = BackgroundTask(lambda stop, name=name: _has_settings(name))  # type: ignore[misc]
            task = self._settable.get(name)
            self.group[f"pick {index}"].enabled = task is not None and (not task.done or task.result is True)

    def _change(self, choices: Choices | None = None, **changes: Any) -> None:
        self.message = ""
        self._app.choices = replace(choices or self._app.choices, **changes)

    def _set_option(self, name: str, values: Sequence[Any], index: int) -> None:
        if name == "size":
            self._app.resize(*values[index])
        else:
            self._change(**{name: values[index]})

    def _show_specs(self) -> None:
        """Show the players' specs in the two fields."""
        for index in (0, 1):
            field = self.group[f"spec {index}"]
            assert isinstance(field, Field)
            field.text = self._app.choices.spec(index) or HUMAN.lower()

    def _set_lineup(self, index: int) -> None:
        self._change(self._app.choices.with_lineup(lineups()[index]))
        self._build()
        self.place()
        self.group.set_focus(self.group["lineup"])

    def _set_mode(self, seats: tuple[str, str]) -> None:
        self._change(seats=seats)
        self._show_specs()

    def _has_mode(self, seats: tuple[str, str]) -> bool:
        return self._app.choices.seats == seats

    def _set_seat(self, index: int, seat: str) -> None:
        self._change(self._app.choices.with_seat(index, seat))
        self._show_specs()
        if seat == OTHER:
            self._pick(index)

    def _has_seat(self, index: int, seat: str) -> bool:
        return self._app.choices.seats[index] == seat

    def _set_spec(self, index: int, spec: str) -> None:
        self._change(self._app.choices.with_spec(index, spec))

    def _open(self) -> None:
        files = saved_matches()
        self.open_card(FileCard("Open a match", "Open", self._open_file, self.close_card, files=files))

    def _open_file(self, text: str) -> None:
        self._app.open(load_record(named(text)))

    def _pick(self, index: int) -> None:
        self._app.ask("looking for agents", catalogue, partial(self._open_picker, index))

    def _open_picker(self, index: int, agents: dict[str, type[Agent]]) -> None:
        self.open_card(Picker(agents, self._app.choices.spec(index), partial(self._picked, index)))

    def _picked(self, index: int, spec: str | None) -> None:
        self.close_card()
        if spec is not None:
            self._set_spec(index, spec)
            self._show_specs()

    def _play_board(self) -> None:
        self._play(self._app.choices.board)

    def _play(self, name: str) -> None:
        self.message = ""
        try:
            board = game(name)
        except InarowError as error:
            self.message = str(error)
        else:
            self._app.play(board)

    # Drawing.

    def paint(self, pen: Pen) -> None:
        theme, logo, card, height = pen.theme, self._logo, self.list_card, round(self._unit * 0.9)
        pen.put(paint.icon(logo.width), logo.center)
        pen.write("inarow", (logo.right + self._unit * 0.6, logo.centery), self._unit * 2, theme.text, "midleft")
        pen.box(card, theme.panel, self._unit // 2)
        choices = self._app.choices
        mode = choices.offered.mode(choices.seats)
        about = f"{mode.label}: {mode.about}." if mode else f"Players: {choices.offered.about}."
        pen.write(about, self._about_place, height, theme.faint, "midleft", card.width)
        for text, (place, anchor) in self.words.items():
            pen.write(text, place, height, theme.faint, anchor)
        lines = wrapped(self.message, height, card.width)[:2]
        pen.write_lines(lines, self._message_place, height, theme.bad, card.width, "midtop")


def _exists(offered: Lineup, seat: str) -> bool:
    """Return True if one of the agents behind a choice is installed."""
    level = offered.level(seat)
    return level is None or any(spec.partition(":")[0] in agent_names() for spec in level.specs)


def _has_settings(name: str) -> bool:
    """Return True if an agent has something to set. Imports its module, which may take a while."""
    return name == "file" or (name in agent_names() and bool(agent_class(name).playing_parameters()))
