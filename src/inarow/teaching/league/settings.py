"""The settings of a league, a TOML file whose keys are all checked, and how scores become points and grades."""

from __future__ import annotations

import math
import tomllib
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from pathlib import Path
from typing import Any

from inarow.agents import Agent, Limit, agent
from inarow.agents.external import USUAL_PACKAGES
from inarow.agents.external.staging import read
from inarow.arena.tournament import Gauntlet, parse_format
from inarow.errors import unknown
from inarow.ladder import staff
from inarow.limits import MOST as MOST_LIMITS
from inarow.limits import MOST_MATCHES
from inarow.match import Openings, parse_openings
from inarow.paths import read_text
from inarow.randomness import derive
from inarow.rules import CONNECT4, Game, game
from inarow.teaching.league.entrants import HandIn, LeagueError

PRIOR_MOVES = 20
"""Graded moves at which accuracy has half its weight; the other half goes by the reference players."""
STEP = 5
"""Pairs by which a series is extended."""


@dataclass(frozen=True)
class PointScale:
    """Points for a rate: none up to ``least``, all from ``full`` on, linear in between."""

    points: float = 0.0
    least: float = 0.5
    full: float = 0.95

    def of(self, rate: float) -> float:
        """Return the points for a rate."""
        return self.points * min(1.0, max(0.0, (rate - self.least) / (self.full - self.least)))

    def measured(self, rate: float, error: float) -> Points:
        """Return the points for an estimated rate; their error is half of what lies within one error of the rate."""
        return Points(self.of(rate), (self.of(rate + error) - self.of(rate - error)) / 2, self.points)


@dataclass(frozen=True)
class Points:
    """Points with their standard error, and the most that can be earned."""

    value: float = 0.0
    error: float = 0.0
    most: float = 0.0


@dataclass(frozen=True)
class RungScores:
    """The pairs against one reference player on one board: points per match of each, in the order of their index."""

    scale: PointScale
    scores: Sequence[float]

    @property
    def points(self) -> Points:
        """Points for the mean score."""
        if not self.scores:
            return Points(most=self.scale.points)
        mean = math.fsum(self.scores) / len(self.scores)
        return self.scale.measured(mean, standard_error(self.scores))


def standard_error(scores: Iterable[float]) -> float:
    """Return the standard error of the mean of scores in [0, 1].

    One score of 0 and one of 1 are added, so that equal scores do not have an error of 0.
    """
    steadied = [0.0, 1.0, *scores]
    mean = math.fsum(steadied) / len(steadied)
    return math.sqrt(math.fsum((score - mean) ** 2 for score in steadied)) / len(steadied)


@dataclass(frozen=True)
class Mark:
    """All points of an entrant."""

    ladder: tuple[Points, ...]
    """Of each tally, in their order."""
    accuracy: Points
    efficiency: Points
    error: float
    """The standard error of all points together."""

    @property
    def points(self) -> float:
        """All points, to two decimals."""
        parts = (*self.ladder, self.accuracy, self.efficiency)
        return round(math.fsum(part.value for part in parts), 2)


@dataclass(frozen=True)
class Marking:
    """How points, grades and the number of pairs follow from results."""

    pairs: int = 10
    """Least pairs per reference player and board."""
    max_pairs: int = 40
    precision: float = 3.0
    """The standard error of an entrant's points at which it has played enough, away from grade boundaries."""
    disqualify: float | None = 0.5
    """The share of failed matches, of the first ``pairs`` pairs of each series, that disqualifies; None: never."""
    accuracy: PointScale = PointScale(20.0)
    efficiency: PointScale = PointScale(0.0, 0.0, 0.6)
    """Points for saving nodes of plain minimax, where they can be counted."""
    grades: tuple[tuple[str, float], ...] = (("A", 90), ("B", 75), ("C", 60), ("D", 40), ("F", 0))
    """From the highest threshold down."""

    def mark(self, tallies: Sequence[RungScores], kept: int = 0, moves: int = 0, saved: float | None = None) -> Mark:
        """Return the mark for these pairs, for keeping the value in ``kept`` of so many ``moves`` that could lose it,
        and for the share of nodes saved.

        Accuracy counts with the weight moves / (moves + `PRIOR_MOVES`); the rest of its points are earned in the same
        proportion as those of the reference players. So a few moves, or none, do not decide a grade.
        """
        ladder = tuple(tally.points for tally in tallies)
        most = math.fsum(part.most for part in ladder)
        proportion = math.fsum(part.value for part in ladder) / most if most else 0.0
        weight = moves / (moves + PRIOR_MOVES)
        error = standard_error([1.0] * kept + [0.0] * (moves - kept))
        own = self.accuracy.measured(kept / moves if moves else 0.0, error)
        value = weight * own.value + (1 - weight) * proportion * own.most
        leverage = 1 + (1 - weight) * own.most / most if most else 1.0
        variance = (weight * own.error) ** 2 + math.fsum((leverage * part.error) ** 2 for part in ladder)
        return Mark(
            ladder,
            Points(value, weight * own.error, own.most),
            Points(0.0 if saved is None else self.efficiency.of(saved), 0.0, self.efficiency.points),
            math.sqrt(variance),
        )

    def grade(self, points: float) -> str:
        """Return the grade for points; empty below the lowest threshold."""
        return next((name for name, least in self.grades if points >= least), "")

    def near(self, points: float, error: float) -> str:
        """Return the other grades within one standard error of the points; empty if there are none."""
        within = (self.grade(points + error), self.grade(points - error))
        return " or ".join(dict.fromkeys(grade for grade in within if grade != self.grade(points)))

    def required(self, points: float) -> float:
        """Return the standard error at which points are precise enough.

        It is `precision`, less if a grade boundary is nearer than that, and never less than half of it.
        """
        distance = min((abs(points - least) for _, least in self.grades if least > 0), default=math.inf)
        return max(self.precision / 2, min(self.precision, distance))

    def wanted(self, tallies: Sequence[RungScores], mark: Mark) -> list[int]:
        """Return how many pairs each series should have in all; those that it has if they are enough.

        Pairs are added where they reduce the error most, as far as the present errors tell, until that series is
        doubled: then it is time for another look.
        """
        counts = [len(tally.scores) for tally in tallies]
        if any(count < self.pairs for count in counts):
            return [max(count, self.pairs) for count in counts]
        wanted = list(counts)
        accuracy = mark.accuracy.error**2
        variances = [part.error**2 for part in mark.ladder]
        leverage = (mark.error**2 - accuracy) / math.fsum(variances) if any(variances) else 0.0

        def gain(at: int) -> float:
            """Return by how much some more pairs of a series reduce the variance."""
            own = leverage * variances[at] * counts[at] / wanted[at] * STEP / (wanted[at] + STEP)
            return own + accuracy * sum(counts) / sum(wanted) * STEP / (sum(wanted) + STEP)

        excess = mark.error**2 - self.required(mark.points) ** 2
        while excess > 0:
            best = max((at for at in range(len(wanted)) if wanted[at] < self.max_pairs), key=gain, default=None)
            if best is None or wanted[best] >= 2 * counts[best] or not gain(best):
                break
            excess -= gain(best)
            wanted[best] = min(wanted[best] + STEP, self.max_pairs)
        return wanted

    def most_faults(self, series: int) -> int | None:
        """Return how many failed matches of the first `pairs` pairs of each of so many series disqualify."""
        return None if self.disqualify is None else max(1, math.ceil(self.disqualify * 2 * self.pairs * series))


@dataclass(frozen=True)
class Late:
    """A deadline and what being late costs."""

    deadline: datetime
    days: int = 0
    """Late days that cost nothing, for those whose number is not in the roster."""
    penalty: float = 0.0
    """Points for each further day."""

    def days_late(self, submitted: datetime | None) -> int:
        """Return the days after the deadline; each one that has begun counts."""
        if submitted is None:
            return 0
        return max(0, -int((self.deadline - submitted).total_seconds() // 86400))

    def points_off(self, submitted: datetime | None, allowance: int | None) -> float:
        """Return the points for the days that exceed the allowance."""
        free = self.days if allowance is None else allowance
        return self.penalty * max(0, self.days_late(submitted) - free)


LADDER_POINTS = 80.0
"""Of all reference players together, unless points are given."""


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
    """The settings of a league: matches, limits and grading."""

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
    """Packages that entrants may import; ``solver`` stands for our solver, models and searches."""
    starter: Path | None = None
    """The code that everybody was given; it does not make hand-ins similar."""
    references: tuple[Path, ...] = ()
    """Folders of earlier hand-ins, with which hand-ins are compared."""
    pseudonyms: bool = False
    """True if the site shows pseudonyms; names are then in the teacher's files only."""
    late: Late | None = None

    @property
    def most_points(self) -> float:
        """The points of a perfect entrant."""
        ladder = sum(rung.points for rung in self.ladder)
        return ladder + self.marking.accuracy.points + self.marking.efficiency.points

    def openings_on(self, board: Game) -> Openings:
        """Return the openings of a board."""
        return parse_openings(board, self.openings)


class _TomlTable:
    """A table of the file: each key is taken once, and what is left over is an error."""

    def __init__(self, values: Mapping[str, Any], place: str) -> None:
        self.values = dict(values)
        self.place = place
        self.known: list[str] = []

    def __enter__(self) -> _TomlTable:
        return self

    def __exit__(self, kind: object, *_: object) -> None:
        """Raise `LeagueError` if an unknown key is left."""
        for key in self.values if kind is None else ():
            raise LeagueError(f"{self.place}: {unknown('key', key, self.known)}")

    def take(self, key: str, default: Any, wanted: str, fits: Callable[[Any], bool]) -> Any:
        """Return the value of a key, or the default. Raises `LeagueError` with what is ``wanted`` if it doesn't fit."""
        self.known.append(key)
        if key not in self.values:
            return default
        value = self.values.pop(key)
        if not fits(value):
            raise LeagueError(f"{self.place}: {key} = {value!r:.60}; {wanted} was expected")
        return value

    def string(self, key: str, default: Any, wanted: str) -> Any:
        """Return a string."""
        return self.take(key, default, wanted, lambda value: isinstance(value, str))

    def strings(self, key: str, default: Sequence[str], wanted: str, fits: Callable[[str], bool]) -> list[str]:
        """Return a list of strings that fit."""
        found = self.take(
            key,
            default,
            wanted,
            lambda value: isinstance(value, list) and all(isinstance(one, str) and fits(one) for one in value),
        )
        return list(found)

    def switch(self, key: str) -> bool:
        """Return true or false; false if it is not there."""
        return bool(self.take(key, False, "true or false", lambda value: isinstance(value, bool)))

    def number(self, key: str, default: Any, least: float, wanted: str, kind: type = float) -> Any:
        """Return a number that is at least ``least``, and at most what can be done."""
        value = self.take(key, default, wanted, lambda value: _is_number(value, kind) and least <= value)
        if value is not None and value > MOST_MATCHES and key not in MOST_LIMITS:  # those have bounds of their own
            raise LeagueError(f"{self.place}: {key} = {value!r:.40} is too large; give at most {MOST_MATCHES:,}")
        return value

    def whole(self, key: str, default: Any, least: int, wanted: str) -> Any:
        """Return a whole number in the same way."""
        return self.number(key, default, least, wanted, int)

    def table(self, key: str) -> _TomlTable:
        """Return a table in this one; an empty one if it is not there."""
        values = self.take(key, {}, f"a table [{key}]", lambda value: isinstance(value, dict))
        return _TomlTable(values, f"{self.place}, [{key}]")


def _is_number(value: Any, kind: type = float) -> bool:
    return isinstance(value, (int, float) if kind is float else kind) and not isinstance(value, bool)


def read_settings(path: Path) -> LeagueSettings:
    """Read the settings of a file. Raises `LeagueError` with the key and what was expected."""
    text = read_text(path, LeagueError)
    try:
        values = tomllib.loads(text)
    except (ValueError, RecursionError) as error:  # TOMLDecodeError, a number of thousands of digits, endless nesting
        raise LeagueError(f"{path} is not TOML: {str(error).partition(';')[0]}") from None
    usual = LeagueSettings()
    with _TomlTable(values, str(path)) as table:
        boards = _boards(table)
        with table.table("limits") as limits:
            limit = Limit(
                seconds=limits.number("seconds", None, 0.01, "0.01 or more seconds"),
                nodes=limits.whole("nodes", None, 1, "a whole number from 1 on"),
            )
        starter = table.string("starter", None, "a file or folder")
        settings = LeagueSettings(
            title=table.string("title", usual.title, "a string"),
            boards=boards,
            among=table.whole("among_entrants", usual.among, 0, "a number of pairs, or 0"),
            format=_format(table),
            openings=table.string("openings", usual.openings, 'a string such as "random:4"'),
            limit=limit,
            seed=_seed(table),
            ladder=_ladder(table, path.parent, boards) or usual.ladder,
            marking=_marking(table),
            packages=tuple(
                table.strings(
                    "packages",
                    USUAL_PACKAGES,
                    'a list of names such as ["numpy"], as they are imported,',
                    lambda name: name.isidentifier(),
                )
            ),
            starter=None if starter is None else path.parent / starter,
            references=_references(table, path.parent),
            pseudonyms=table.switch("pseudonyms"),
            late=_late(table),
        )
    if settings.starter is not None and not settings.starter.exists():
        raise LeagueError(f"{path}: the starter {settings.starter} does not exist")
    for board in boards:
        settings.openings_on(board)
        for rung in settings.ladder:
            rung.agent.check(board)
    return settings


def _late(table: _TomlTable) -> Late | None:
    with table.table("late") as part:
        wanted = "a time such as 2026-11-20T23:59:00"
        deadline = part.take("deadline", None, wanted, lambda value: isinstance(value, datetime))
        days = part.whole("days", 0, 0, "a number of days, or 0")
        penalty = part.number("penalty", 0.0, 0, "a number of points")
    if deadline is None and (days or penalty):
        raise LeagueError(f"{part.place}: no deadline is given; write deadline = 2026-11-20T23:59:00")
    return None if deadline is None else Late(deadline.astimezone(), days, penalty)


def _references(table: _TomlTable, folder: Path) -> tuple[Path, ...]:
    names = table.strings("references", (), 'a list of folders such as ["../2024/hand-ins"]', bool)
    for missing in (name for name in names if not (folder / name).is_dir()):
        raise LeagueError(f"{table.place}: the reference {folder / missing} is not a folder")
    return tuple(folder / name for name in names)


def _marking(table: _TomlTable) -> Marking:
    usual = Marking()
    pairs = table.whole("pairs", usual.pairs, 1, "a whole number from 1 on")
    share = "a share of failed matches above 0 and up to 1, or false,"
    disqualify = table.take(
        "disqualify",
        usual.disqualify,
        share,
        lambda value: value is False or (_is_number(value) and 0 < value <= 1),
    )
    return Marking(
        pairs,
        table.whole("max_pairs", max(pairs, usual.max_pairs), pairs, f"a whole number from pairs = {pairs} on"),
        table.number("precision", usual.precision, 0, "a number of points"),
        None if disqualify is False else disqualify,
        _scale(table.table("accuracy"), usual.accuracy),
        _scale(table.table("efficiency"), usual.efficiency),
        _grades(table) or usual.grades,
    )


def _scale(table: _TomlTable, usual: PointScale) -> PointScale:
    with table:
        points = table.number("points", usual.points, 0, "a number of points")
        least, full = _range(table, usual.least, usual.full)
    return PointScale(points, usual.least if least is None else least, usual.full if full is None else full)


def _range(table: _TomlTable, least: float | None, full: float | None) -> tuple[float | None, float | None]:
    """Return the rates ``from`` and ``to``."""
    low = table.number("from", least, 0, "a rate from 0 to 1")
    high = table.number("to", full, 0, "a rate from 0 to 1")
    if (low is None) != (high is None):
        raise LeagueError(f"{table.place}: give both `from` and `to`, or neither")
    if low is not None and not 0 <= low < high <= 1:
        raise LeagueError(f"{table.place}: `from` must be less than `to`, both from 0 to 1")
    return low, high


def _boards(table: _TomlTable) -> tuple[Game, ...]:
    wanted = 'a list such as ["connect4", "tictactoe"]'
    names = table.strings("boards", [CONNECT4.name], wanted, bool)
    boards = tuple(game(name) for name in names)
    for board in boards:
        board.check_usual("a league")
    if not boards:
        raise LeagueError(f"{table.place}: boards = []; {wanted} was expected")
    if len(set(boards)) < len(boards):
        raise LeagueError(f"{table.place}: a board is given twice in boards = {names!r:.60}")
    return boards


def _format(table: _TomlTable) -> str:
    text: str = table.string("format", "round-robin", 'a format such as "swiss"')
    if isinstance(parse_format(text), Gauntlet):
        raise LeagueError(f"{table.place}: format = {text!r}; round-robin, swiss or groups was expected")
    return text


def _seed(table: _TomlTable) -> int | None:
    wanted = "a secret string or an integer"
    value = table.take("seed", None, wanted, lambda one: _is_number(one, int) or (isinstance(one, str) and one != ""))
    return None if value is None else derive(0, "league", value)


def _ladder(table: _TomlTable, folder: Path, boards: tuple[Game, ...]) -> tuple[Rung, ...]:
    given = table.values.get("ladder")
    if isinstance(given, dict):  # players of the shipped ladder by name, with the points of each
        part = table.table("ladder")
        named = {name: part.number(name, None, 0, "a number of points") for name in list(part.values)}
        points = {agent(name).spec: value for name, value in named.items()}
        return _shipped_ladder(boards, list(points), points) if points else ()
    wanted = "[[ladder]] with agent and points"
    entries = table.take("ladder", [], wanted, lambda value: value is True or isinstance(value, list))
    if entries is True or (entries and all(isinstance(name, str) for name in entries)):
        return _shipped_ladder(boards, [] if entries is True else entries)
    rungs = []
    for number, entry in enumerate(entries, start=1):
        if not isinstance(entry, dict):
            raise LeagueError(f"{table.place}: ladder = {entries!r:.60}; {wanted} was expected")
        with _TomlTable(entry, f"{table.place}, [[ladder]] {number}") as part:
            spec = part.string("agent", "", "an agent such as rules")
            name = part.string("name", spec, "a string")
            points = part.number("points", 0, 0, "a number of points")
            least, full = _range(part, None, None)
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


def _shipped_ladder(
    boards: tuple[Game, ...], names: list[str], points: Mapping[str, float] | None = None
) -> tuple[Rung, ...]:
    """Return players of the ladder that ships with inarow; each is worth the same, unless points are given by spec."""
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


def _grades(table: _TomlTable) -> tuple[tuple[str, float], ...]:
    with table.table("grades") as part:
        wanted = "the least points for it"
        fits: Callable[[Any], bool] = lambda value: _is_number(value) and abs(value) <= MOST_MATCHES  # noqa: E731
        grades = {name: part.take(name, None, wanted, fits) for name in list(part.values)}
    return tuple(sorted(grades.items(), key=lambda grade: -grade[1]))
