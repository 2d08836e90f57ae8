"""The settings of a league: a small TOML file, every key of it checked."""

from __future__ import annotations

import tomllib
from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import datetime
from pathlib import Path
from typing import Any

from inarow.agents import Agent, Limit, agent
from inarow.agents.external import USUAL_PACKAGES
from inarow.agents.external.staging import read
from inarow.arena.formats import Gauntlet, parse_format
from inarow.errors import InarowError, unknown
from inarow.ladder import staff
from inarow.limits import MOST as MOST_LIMITS
from inarow.limits import MOST_MATCHES
from inarow.match import Openings, parse_openings
from inarow.paths import read_text
from inarow.randomness import derive
from inarow.rules import CONNECT4, Game, game
from inarow.teaching.league.hand_ins import HandIn
from inarow.teaching.league.marking import Late, Marking, PointScale

LADDER_POINTS = 80.0
"""Of all reference players together, unless points are given."""


class LeagueError(InarowError):
    """A league that can't be held as asked."""


@dataclass(frozen=True)
class Rung:
    """A reference player, and the points for the score against it: none up to ``least``, all from ``full`` on."""

    name: str
    agent: Agent
    points: float
    least: float | None = None
    full: float | None = None

    @property
    def public(self) -> str:
        """The name on the site."""
        return self.name

    def scale(self, board: Game, boards: int = 1) -> PointScale:
        """Return the points on one of several boards, which share them equally.

        Where no scores are given: 0.5 to 0.9 against a random player; else from 0 to 0.75, where gravity makes
        one side win most matches, or to 0.5, where good players draw.
        """
        rival = self.agent.name != "random"
        least = (0.0 if rival else 0.5) if self.least is None else self.least
        full = ((0.75 if board.gravity else 0.5) if rival else 0.9) if self.full is None else self.full
        return PointScale(self.points / boards, least, full)


def _usual_ladder() -> tuple[Rung, ...]:
    specs = {"random": 20, "rules": 30, "alphabeta:depth=4": 30}
    return tuple(Rung(spec, agent(spec), points) for spec, points in specs.items())


@dataclass(frozen=True)
class LeagueSettings:
    """What a league plays, and how it is graded."""

    title: str = "League"
    boards: tuple[Game, ...] = (CONNECT4,)
    among: int = 0
    """Pairs of each two entrants on each board; 0 for none."""
    format: str = "round-robin"
    """Of the matches among entrants."""
    openings: str = "random"
    limit: Limit = field(default_factory=Limit)
    seed: int | None = None
    """None: one is drawn, and kept in the store."""
    ladder: tuple[Rung, ...] = field(default_factory=_usual_ladder)
    marking: Marking = field(default_factory=Marking)
    packages: tuple[str, ...] = USUAL_PACKAGES
    """What entrants may import besides the standard library; ``solver`` stands for our solver, models and searches."""
    starter: Path | None = None
    """The code that everybody was given; it does not make hand-ins similar."""
    references: tuple[Path, ...] = ()
    """Folders of earlier hand-ins, with which hand-ins are compared."""
    pseudonyms: bool = False
    """Whether the site shows pseudonyms; names are then in the teacher's files only."""
    late: Late | None = None

    @property
    def most_points(self) -> float:
        """What a perfect entrant gets."""
        ladder = sum(rung.points for rung in self.ladder)
        return ladder + self.marking.accuracy.points + self.marking.efficiency.points

    def openings_on(self, board: Game) -> Openings:
        """The openings of a board."""
        return parse_openings(board, self.openings)


class _TomlTable:
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

    def table(self, key: str) -> _TomlTable:
        """A table in this one; empty if it is not there."""
        values = self.take(key, dict, {}, f"a table [{key}]")
        return _TomlTable(values, f"{self.place}, [{key}]")

    def end(self) -> None:
        """Raise `LeagueError` if a key is left that nobody has taken."""
        for key in self.values:
            raise LeagueError(f"{self.place}: {unknown('key', key, self.known)}")


def read_settings(path: Path) -> LeagueSettings:
    """The settings of a file; raises `LeagueError` with the key and what was expected."""
    text = read_text(path, LeagueError)
    try:
        values = tomllib.loads(text)
    except (ValueError, RecursionError) as error:  # TOMLDecodeError, a number of thousands of digits, endless nesting
        raise LeagueError(f"{path} is not TOML: {str(error).partition(';')[0]}") from None
    table = _TomlTable(values, str(path))
    usual = LeagueSettings()
    boards = _boards(table)
    limits = table.table("limits")
    starter = table.take("starter", str, None, "a file or folder")
    settings = LeagueSettings(
        title=table.take("title", str, usual.title, "a string"),
        boards=boards,
        among=table.number("among_entrants", int, usual.among, 0, "a number of pairs, or 0"),
        format=_format(table),
        openings=table.take("openings", str, usual.openings, 'a string such as "random:4"'),
        limit=Limit(
            seconds=limits.number("seconds", float, None, 0.01, "0.01 or more seconds"),
            nodes=limits.number("nodes", int, None, 1, "a whole number from 1 on"),
        ),
        seed=_seed(table),
        ladder=_ladder(table, path.parent, boards) or usual.ladder,
        marking=_marking(table),
        packages=_packages(table),
        starter=None if starter is None else path.parent / starter,
        references=_references(table, path.parent),
        pseudonyms=_switch(table, "pseudonyms"),
        late=_late(table),
    )
    for part in (limits, table):
        part.end()
    if settings.starter is not None and not settings.starter.exists():
        raise LeagueError(f"{path}: the starter {settings.starter} does not exist")
    for board in boards:
        settings.openings_on(board)
        for rung in settings.ladder:
            rung.agent.check(board)
    return settings


def _switch(table: _TomlTable, key: str) -> bool:
    table.known.append(key)
    value = table.values.pop(key, False)
    if not isinstance(value, bool):
        raise LeagueError(f"{table.place}: {key} = {value!r:.60}; true or false was expected")
    return value


def _late(table: _TomlTable) -> Late | None:
    part = table.table("late")
    deadline = part.take("deadline", datetime, None, "a time such as 2026-11-20T23:59:00")
    days = part.number("days", int, 0, 0, "a number of days, or 0")
    penalty = part.number("penalty", float, 0.0, 0, "a number of points")
    part.end()
    if deadline is None and (days or penalty):
        raise LeagueError(f"{part.place}: no deadline is given; write deadline = 2026-11-20T23:59:00")
    return None if deadline is None else Late(deadline.astimezone(), days, penalty)


def _references(table: _TomlTable, folder: Path) -> tuple[Path, ...]:
    wanted = 'a list of folders such as ["../2024/hand-ins"]'
    names = table.take("references", list, [], wanted)
    if not all(isinstance(name, str) for name in names):
        raise LeagueError(f"{table.place}: references = {names!r:.60}; {wanted} was expected")
    for missing in (name for name in names if not (folder / name).is_dir()):
        raise LeagueError(f"{table.place}: the reference {folder / missing} is not a folder")
    return tuple(folder / name for name in names)


def _packages(table: _TomlTable) -> tuple[str, ...]:
    wanted = 'a list of names such as ["numpy"], as they are imported,'
    names = table.take("packages", list, list(USUAL_PACKAGES), wanted)
    if not all(isinstance(name, str) and name.isidentifier() for name in names):
        raise LeagueError(f"{table.place}: packages = {names!r:.60}; {wanted} was expected")
    return tuple(names)


def _marking(table: _TomlTable) -> Marking:
    usual = Marking()
    pairs = table.number("pairs", int, usual.pairs, 1, "a whole number from 1 on")
    accuracy, efficiency = table.table("accuracy"), table.table("efficiency")
    marking = Marking(
        pairs,
        table.number("max_pairs", int, max(pairs, usual.max_pairs), pairs, f"a whole number from pairs = {pairs} on"),
        table.number("precision", float, usual.precision, 0, "a number of points"),
        _disqualify(table, usual.disqualify),
        _scale(accuracy, usual.accuracy),
        _scale(efficiency, usual.efficiency),
        _grades(table) or usual.grades,
    )
    for part in (accuracy, efficiency):
        part.end()
    return marking


def _disqualify(table: _TomlTable, usual: float | None) -> float | None:
    if table.values.get("disqualify") is False:
        table.values.pop("disqualify")
        return None
    wanted = "a share of failed matches above 0 and up to 1, or false,"
    share: float = table.take("disqualify", float, usual, wanted)
    if not 0 < share <= 1:
        raise LeagueError(f"{table.place}: disqualify = {share}; {wanted} was expected")
    return share


def _scale(table: _TomlTable, usual: PointScale) -> PointScale:
    points = table.number("points", float, usual.points, 0, "a number of points")
    least, full = _range(table, usual.least, usual.full)
    return PointScale(points, usual.least if least is None else least, usual.full if full is None else full)


def _range(table: _TomlTable, least: float | None, full: float | None) -> tuple[float | None, float | None]:
    """The rates ``from`` and ``to``."""
    low = table.number("from", float, least, 0, "a rate from 0 to 1")
    high = table.number("to", float, full, 0, "a rate from 0 to 1")
    if (low is None) != (high is None):
        raise LeagueError(f"{table.place}: give both `from` and `to`, or neither")
    if low is not None and not 0 <= low < high <= 1:
        raise LeagueError(f"{table.place}: `from` must be less than `to`, both from 0 to 1")
    return low, high


def _boards(table: _TomlTable) -> tuple[Game, ...]:
    names = table.take("boards", list, [CONNECT4.name], 'a list such as ["connect4", "tictactoe"]')
    if not names or not all(isinstance(name, str) for name in names):
        raise LeagueError(f'{table.place}: boards = {names!r:.60}; a list such as ["connect4"] was expected')
    boards = tuple(game(name) for name in names)
    for board in boards:
        board.check_usual("a league")
    if len(set(boards)) < len(boards):
        raise LeagueError(f"{table.place}: a board is given twice in boards = {names!r:.60}")
    return boards


def _format(table: _TomlTable) -> str:
    text: str = table.take("format", str, "round-robin", 'a format such as "swiss"')
    if isinstance(parse_format(text), Gauntlet):
        raise LeagueError(f"{table.place}: format = {text!r}; round-robin, swiss or groups was expected")
    return text


def _seed(table: _TomlTable) -> int | None:
    value = table.values.pop("seed", None)
    table.known.append("seed")
    if value is None:
        return None
    if not isinstance(value, (str, int)) or isinstance(value, bool) or value == "":
        raise LeagueError(f"{table.place}: seed = {value!r:.60}; a secret string or an integer was expected")
    return derive(0, "league", value)


def _ladder(table: _TomlTable, folder: Path, boards: tuple[Game, ...]) -> tuple[Rung, ...]:
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
        part = _TomlTable(entry, f"{table.place}, [[ladder]] {number}")
        spec = part.take("agent", str, "", "an agent such as rules")
        name = part.take("name", str, spec, "a string")
        points = part.number("points", float, 0, 0, "a number of points")
        least, full = _range(part, None, None)
        part.end()
        if not spec:
            raise LeagueError(f'{part.place}: no agent is given; write agent = "rules"')
        if spec.startswith("file:"):  # known by its content, wherever the folder lies
            player: Agent = HandIn.made_of(read(folder / spec.removeprefix("file:")))
        else:
            player = agent(spec)
        rungs.append(Rung(name, player, points, least, full))
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
            *((None, None) if one.beatable else (0.0, 0.5)),
        )
        for one in players
    )


def _frozen_with_points(table: _TomlTable, boards: tuple[Game, ...]) -> tuple[Rung, ...]:
    """Players of that ladder by name, with the points of each."""
    named = {name: table.number(name, float, None, 0, "a number of points") for name in list(table.values)}
    points = {agent(name).spec: value for name, value in named.items()}
    return _frozen_ladder(boards, list(points), points) if points else ()


def _grades(table: _TomlTable) -> tuple[tuple[str, float], ...]:
    grades = table.take("grades", dict, {}, "a table of grades with their least points")
    for name, least in grades.items():
        if not isinstance(least, (int, float)) or isinstance(least, bool) or not abs(least) <= MOST_MATCHES:
            raise LeagueError(f"{table.place}, [grades]: {name} = {least!r:.40}; the least points for it were expected")
    return tuple(sorted(grades.items(), key=lambda grade: -grade[1]))
