"""The settings of a league: a small TOML file, every key of it checked."""

from __future__ import annotations

import tomllib
from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import StrEnum
from pathlib import Path
from typing import Any

from inarow.agents import Agent, Limit, agent
from inarow.arena.formats import Gauntlet, parse_format
from inarow.errors import InarowError, unknown
from inarow.ladder import staff
from inarow.league.hand_in import HandIn
from inarow.limits import MOST as MOST_LIMITS
from inarow.limits import MOST_MATCHES
from inarow.match import Openings, parse_openings
from inarow.match.claims import USUAL
from inarow.paths import read_text
from inarow.randomness import derive
from inarow.rules import CONNECT4, Game, game

LEAST_PAIRS = -(-USUAL.matches // 2)
"""Fewer show nothing by the rule for claims."""


LADDER_POINTS = 80.0
"""For beating all reference players, where nothing else is said."""


class LeagueError(InarowError):
    """A league that can't be held as asked."""


class Need(StrEnum):
    """What earns the points of a reference player."""

    BEAT = "beat"
    """To be shown to be better."""
    HOLD = "hold"
    """Not to be shown to be worse; for players that nobody beats, such as perfect ones in Tic Tac Toe."""


@dataclass(frozen=True)
class Rung:
    """A reference player, and the points for beating or holding it."""

    name: str
    agent: Agent
    points: float
    need: Need = Need.BEAT


@dataclass(frozen=True)
class Scale:
    """Points for a rate: none up to ``least``, all from ``full`` on, in between linear."""

    points: float = 0.0
    least: float = 0.5
    full: float = 0.95

    def of(self, rate: float) -> float:
        """The points for a rate, to two decimals."""
        share = (rate - self.least) / (self.full - self.least)
        return round(self.points * min(1.0, max(0.0, share)), 2)


def _usual_ladder() -> tuple[Rung, ...]:
    specs = {"random": 20, "rules": 30, "alphabeta:depth=4": 30}
    return tuple(Rung(spec, agent(spec), points) for spec, points in specs.items())


@dataclass(frozen=True)
class Settings:
    """What a league plays, and how it is graded."""

    title: str = "League"
    boards: tuple[Game, ...] = (CONNECT4,)
    pairs: int = 10
    """Per reference player and board."""
    among: int = 0
    """Pairs of each two entrants on each board; 0 for none."""
    format: str = "round-robin"
    """Of the matches among entrants."""
    openings: str = "random"
    limit: Limit = field(default_factory=Limit)
    faults: int = 6
    """After how many failed matches an entrant is disqualified."""
    seed: int | None = None
    """None: one is drawn, and kept in the store."""
    ladder: tuple[Rung, ...] = field(default_factory=_usual_ladder)
    accuracy: Scale = Scale(20.0)
    efficiency: Scale = Scale(0.0, 0.0, 0.6)
    """Points for saving nodes of plain minimax, where they can be counted."""
    grades: tuple[tuple[str, float], ...] = (("A", 90), ("B", 75), ("C", 60), ("D", 40), ("F", 0))
    """From the highest threshold down."""
    starter: Path | None = None
    """The code that everybody was given; it is not counted as alike."""

    @property
    def most_points(self) -> float:
        """What a perfect entrant gets."""
        return sum(rung.points for rung in self.ladder) + self.accuracy.points + self.efficiency.points

    def grade(self, points: float) -> str:
        """The grade for points; empty below the lowest threshold."""
        return next((name for name, least in self.grades if points >= least), "")

    def openings_on(self, board: Game) -> Openings:
        """The openings of a board."""
        return parse_openings(board, self.openings)


class _Table:
    """A table of the file: each key is taken once, and what is left over is an error."""

    def __init__(self, values: Mapping[str, Any], place: str) -> None:
        self.values = dict(values)
        self.place = place
        self.known: list[str] = []

    def take(self, key: str, kind: type, default: Any, wanted: str) -> Any:
        """The value of a key, of this kind; ``wanted`` says what that is."""
        self.known.append(key)
        value = self.values.pop(key, default)
        if value is default:
            return value
        kinds = (int, float) if kind is float else kind
        if not isinstance(value, kinds) or isinstance(value, bool):
            raise LeagueError(f"{self.place}: {key} = {value!r:.60}; {wanted} was expected")
        return value

    def number(self, key: str, kind: type, default: Any, least: float, wanted: str) -> Any:
        """A number that is at least ``least``, and at most what can be done."""
        value = self.take(key, kind, default, wanted)
        if value is not None and not least <= value:
            raise LeagueError(f"{self.place}: {key} = {value}; {wanted} was expected")
        if value is not None and value > MOST_MATCHES and key not in MOST_LIMITS:  # those have bounds of their own
            raise LeagueError(f"{self.place}: {key} = {value!r:.40} is too much; give at most {MOST_MATCHES:,}")
        return value

    def table(self, key: str) -> _Table:
        """A table in this one; empty if it is not there."""
        values = self.take(key, dict, {}, f"a table [{key}]")
        return _Table(values, f"{self.place}, [{key}]")

    def end(self) -> None:
        """Raise `LeagueError` if a key is left that nobody has taken."""
        for key in self.values:
            raise LeagueError(f"{self.place}: {unknown('key', key, self.known)}")


def read_settings(path: Path) -> Settings:
    """The settings of a file; raises `LeagueError` with the key and what was expected."""
    text = read_text(path, LeagueError)
    try:
        values = tomllib.loads(text)
    except (ValueError, RecursionError) as error:  # TOMLDecodeError, a number of thousands of digits, endless nesting
        raise LeagueError(f"{path} is not TOML: {str(error).partition(';')[0]}") from None
    table = _Table(values, str(path))
    usual = Settings()
    boards = _boards(table)
    limits, accuracy, efficiency = table.table("limits"), table.table("accuracy"), table.table("efficiency")
    starter = table.take("starter", str, None, "a file or folder")
    settings = Settings(
        title=table.take("title", str, usual.title, "a text"),
        boards=boards,
        pairs=table.number("pairs", int, usual.pairs, LEAST_PAIRS, f"a whole number from {LEAST_PAIRS} on"),
        among=table.number("among_entrants", int, usual.among, 0, "a number of pairs, or 0"),
        format=_format(table),
        openings=table.take("openings", str, usual.openings, 'a text such as "random:4"'),
        limit=Limit(
            seconds=limits.number("seconds", float, None, 0.01, "0.01 or more seconds"),
            nodes=limits.number("nodes", int, None, 1, "a whole number from 1 on"),
        ),
        faults=table.number("faults", int, usual.faults, 1, "a whole number from 1 on"),
        seed=_seed(table),
        ladder=_ladder(table, path.parent, boards) or usual.ladder,
        accuracy=_scale(accuracy, usual.accuracy),
        efficiency=_scale(efficiency, usual.efficiency),
        grades=_grades(table) or usual.grades,
        starter=None if starter is None else path.parent / starter,
    )
    for part in (limits, accuracy, efficiency, table):
        part.end()
    if settings.starter is not None and not settings.starter.exists():
        raise LeagueError(f"{path}: the starter {settings.starter} does not exist")
    for board in boards:
        settings.openings_on(board)
        for rung in settings.ladder:
            rung.agent.check(board)
    return settings


def _scale(table: _Table, usual: Scale) -> Scale:
    scale = Scale(
        table.number("points", float, usual.points, 0, "a number of points"),
        table.number("from", float, usual.least, 0, f"a rate such as {usual.least}"),
        table.number("to", float, usual.full, 0, f"a rate such as {usual.full}"),
    )
    if not 0 <= scale.least < scale.full <= 1:
        raise LeagueError(f"{table.place}: `from` must be less than `to`, both from 0 to 1")
    return scale


def _boards(table: _Table) -> tuple[Game, ...]:
    names = table.take("boards", list, [CONNECT4.name], 'a list such as ["connect4", "tictactoe"]')
    if not names or not all(isinstance(name, str) for name in names):
        raise LeagueError(f'{table.place}: boards = {names!r:.60}; a list such as ["connect4"] was expected')
    boards = tuple(game(name) for name in names)
    if len(set(boards)) < len(boards):
        raise LeagueError(f"{table.place}: a board is given twice in boards = {names!r:.60}")
    return boards


def _format(table: _Table) -> str:
    text: str = table.take("format", str, "round-robin", 'a format such as "swiss"')
    if isinstance(parse_format(text), Gauntlet):
        raise LeagueError(f"{table.place}: format = {text!r}; round-robin, swiss or groups was expected")
    return text


def _seed(table: _Table) -> int | None:
    value = table.values.pop("seed", None)
    table.known.append("seed")
    if value is None:
        return None
    if not isinstance(value, (str, int)) or isinstance(value, bool) or value == "":
        raise LeagueError(f"{table.place}: seed = {value!r:.60}; a text that nobody guesses, or a number, was expected")
    return derive(0, "league", value)


def _ladder(table: _Table, folder: Path, boards: tuple[Game, ...]) -> tuple[Rung, ...]:
    frozen = table.values.get("ladder")
    if isinstance(frozen, dict):
        return _frozen_with_points(table.table("ladder"), boards)
    if frozen is True or (isinstance(frozen, list) and frozen and all(isinstance(name, str) for name in frozen)):
        table.known.append("ladder")
        table.values.pop("ladder")
        return _frozen_ladder(boards, [] if frozen is True else frozen)
    entries = table.take("ladder", list, [], "[[ladder]] with agent and points")
    rungs = []
    for number, entry in enumerate(entries, start=1):
        if not isinstance(entry, dict):
            raise LeagueError(f"{table.place}: ladder = {entries!r:.60}; [[ladder]] with agent and points was expected")
        part = _Table(entry, f"{table.place}, [[ladder]] {number}")
        spec = part.take("agent", str, "", "an agent such as rules")
        name = part.take("name", str, spec, "a text")
        points = part.number("points", float, 0, 0, "a number of points")
        need = part.take("need", str, Need.BEAT.value, "beat or hold")
        part.end()
        if need not in set(Need):
            raise LeagueError(f"{part.place}: need = {need!r:.40}; beat or hold was expected")
        if not spec:
            raise LeagueError(f'{part.place}: no agent is given; write agent = "rules"')
        if spec.startswith("file:"):  # known by its name and content, wherever the folder lies
            player: Agent = HandIn(str(folder / spec.removeprefix("file:")), by=f"reference {name}")
        else:
            player = agent(spec)
        rungs.append(Rung(name, player, points, Need(need)))
    for what in ([rung.name for rung in rungs], [rung.agent.spec for rung in rungs]):
        twice = [one for one in what if what.count(one) > 1]
        if twice:
            raise LeagueError(f"{table.place}: the ladder has {twice[0]} twice")
    return tuple(rungs)


def _frozen_ladder(
    boards: tuple[Game, ...], names: list[str], points: Mapping[str, float] | None = None
) -> tuple[Rung, ...]:
    """Players of the ladder that ships with inarow; each is worth the same, unless points are given by spec."""
    players = staff(boards, names)
    each = round(LADDER_POINTS / len(players), 2)
    return tuple(
        Rung(
            one.agent.spec,
            one.agent,
            each if points is None else points[one.agent.spec],
            Need.BEAT if one.beatable else Need.HOLD,
        )
        for one in players
    )


def _frozen_with_points(table: _Table, boards: tuple[Game, ...]) -> tuple[Rung, ...]:
    """Players of that ladder by name, with the points of each."""
    named = {name: table.number(name, float, None, 0, "a number of points") for name in list(table.values)}
    points = {agent(name).spec: value for name, value in named.items()}
    return _frozen_ladder(boards, list(points), points) if points else ()


def _grades(table: _Table) -> tuple[tuple[str, float], ...]:
    grades = table.take("grades", dict, {}, "a table of grades with their least points")
    for name, least in grades.items():
        if not isinstance(least, (int, float)) or isinstance(least, bool) or not abs(least) <= MOST_MATCHES:
            raise LeagueError(f"{table.place}, [grades]: {name} = {least!r:.40}; the least points for it were expected")
    return tuple(sorted(grades.items(), key=lambda grade: -grade[1]))
