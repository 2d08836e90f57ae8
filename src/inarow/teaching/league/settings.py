"""The settings of a league: a TOML file whose keys are all checked, and how scores become points and grades."""

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
from inarow.limits import MAX_LIMITS, MAX_MATCHES
from inarow.match import Openings, parse_openings
from inarow.paths import read_text
from inarow.randomness import derive
from inarow.rules import CONNECT4, Game, game
from inarow.teaching.league.entrants import LeagueError, SubmittedFile

PRIOR_MOVES = 20
"""Number of graded moves at which accuracy has half its weight; the other half is the score on the ladder."""
STEP = 5
"""Pairs added to a series at a time."""


@dataclass(frozen=True)
class Points:
    """Points with their standard error, and the maximum."""

    value: float = 0.0
    error: float = 0.0
    most: float = 0.0


@dataclass(frozen=True)
class PointScale:
    """Points for a rate: none up to ``least``, all from ``full`` on, linear in between."""

    points: float = 0.0
    least: float = 0.5
    full: float = 0.95

    def of(self, rate: float) -> float:
        """Return the points for a rate."""
        return self.points * min(1.0, max(0.0, (rate - self.least) / (self.full - self.least)))

    def estimate(self, scores: Sequence[float]) -> Points:
        """Return the points for the mean of scores in [0, 1]; none without scores.

        Their error is half the difference between the points one standard error above and below the mean.
        """
        if not scores:
            return Points(most=self.points)
        rate, error = math.fsum(scores) / len(scores), standard_error(scores)
        return Points(self.of(rate), (self.of(rate + error) - self.of(rate - error)) / 2, self.points)


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
    """For each series against a reference player."""
    accuracy: Points
    efficiency: Points
    error: float
    """The standard error of the total."""

    @property
    def points(self) -> float:
        """The total, to two decimals."""
        parts = (*self.ladder, self.accuracy, self.efficiency)
        return round(math.fsum(part.value for part in parts), 2)


@dataclass(frozen=True)
class Marking:
    """The rules for points, grades and the number of pairs."""

    pairs: int = 10
    """Minimum pairs per reference player and board."""
    max_pairs: int = 40
    precision: float = 3.0
    """Pairs are added until the standard error of an entrant's points is this small, away from grade boundaries."""
    disqualify: float | None = 0.5
    """The share of failed matches, of the first ``pairs`` pairs of each series, that disqualifies; None: never."""
    accuracy: PointScale = PointScale(20.0)
    efficiency: PointScale = PointScale(0.0, 0.0, 0.6)
    """Points for saving nodes of plain minimax, where they can be counted."""
    grades: tuple[tuple[str, float], ...] = (("A", 90), ("B", 75), ("C", 60), ("D", 40), ("F", 0))
    """Each grade with its threshold, the highest first."""

    def mark(self, ladder: Sequence[Points], kept: int = 0, moves: int = 0, saved: float | None = None) -> Mark:
        """Return the mark for the points of each series, for ``kept`` of the ``moves`` that could lose value, and for
        the share of nodes ``saved``.

        Accuracy has the weight moves / (moves + `PRIOR_MOVES`); the rest of its points are earned in the same
        proportion as those of the series. So a few moves, or none, do not decide a grade.
        """
        most = math.fsum(part.most for part in ladder)
        proportion = math.fsum(part.value for part in ladder) / most if most else 0.0
        weight = moves / (moves + PRIOR_MOVES)
        own = self.accuracy.estimate([1.0] * kept + [0.0] * (moves - kept))
        value = weight * own.value + (1 - weight) * proportion * own.most
        leverage = 1 + (1 - weight) * own.most / most if most else 1.0
        variance = (weight * own.error) ** 2 + math.fsum((leverage * part.error) ** 2 for part in ladder)
        return Mark(
            tuple(ladder),
            Points(value, weight * own.error, own.most),
            Points(0.0 if saved is None else self.efficiency.of(saved), 0.0, self.efficiency.points),
            math.sqrt(variance),
        )

    def grade(self, points: float) -> str:
        """Return the grade for points; empty below the lowest threshold."""
        return next((name for name, least in self.grades if points >= least), "")

    def near(self, points: float, error: float) -> str:
        """Return the other grades within one standard error of the points, or an empty string."""
        within = (self.grade(points + error), self.grade(points - error))
        return " or ".join(dict.fromkeys(grade for grade in within if grade != self.grade(points)))

    def required(self, points: float) -> float:
        """Return the standard error at which points are precise enough.

        It is the distance to the nearest grade boundary, between half of `precision` and all of it.
        """
        distance = min((abs(points - least) for _, least in self.grades if least > 0), default=math.inf)
        return max(self.precision / 2, min(self.precision, distance))

    def wanted(self, counts: Sequence[int], mark: Mark) -> list[int]:
        """Return how many pairs each series should have, given how many it has and their mark.

        Pairs are added where they are expected to reduce the error most, until that series has doubled; then its
        results are considered again.
        """
        if any(count < self.pairs for count in counts):
            return [max(count, self.pairs) for count in counts]
        wanted = list(counts)
        accuracy = mark.accuracy.error**2
        variances = [part.error**2 for part in mark.ladder]
        leverage = (mark.error**2 - accuracy) / math.fsum(variances) if any(variances) else 0.0

        def gain(at: int) -> float:
            """Return the reduction of the variance by the next pairs of a series."""
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
        """Return how many failed matches, of the first `pairs` pairs of each series, disqualify; None for any."""
        return None if self.disqualify is None else max(1, math.ceil(self.disqualify * 2 * self.pairs * series))


@dataclass(frozen=True)
class Late:
    """A deadline and the penalty for late submissions."""

    deadline: datetime
    days: int = 0
    """Late days without penalty, unless the roster has a number."""
    penalty: float = 0.0
    """Points for each further day."""

    def days_late(self, submitted: datetime | None) -> int:
        """Return the days after the deadline, rounded up."""
        if submitted is None:
            return 0
        return max(0, -int((self.deadline - submitted).total_seconds() // 86400))

    def points_off(self, submitted: datetime | None, allowance: int | None) -> float:
        """Return the penalty for the days that exceed the allowance."""
        free = self.days if allowance is None else allowance
        return self.penalty * max(0, self.days_late(submitted) - free)


LADDER_POINTS = 80.0
"""Default points for all reference players together."""


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

        The default range is 0.5 to 0.9 against a random player, else 0 to 0.75 with gravity, where one side wins most
        matches, and 0 to 0.5 without, where good players draw.
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
    """Pairs per pairing of entrants on each board; 0 for none."""
    format: str = "round-robin"
    """The format of the matches among entrants."""
    openings: str = "random"
    limit: Limit = field(default_factory=Limit)
    seed: int | None = None
    """None: a random seed, kept in the store."""
    ladder: tuple[Rung, ...] = field(default_factory=_usual_ladder)
    marking: Marking = field(default_factory=Marking)
    packages: tuple[str, ...] = USUAL_PACKAGES
    """Packages that entrants may import; ``solver`` stands for inarow's solver, models and searches."""
    starter: Path | None = None
    """The starter code: similarity to it does not count."""
    references: tuple[Path, ...] = ()
    """Folders of earlier submissions to compare with."""
    pseudonyms: bool = False
    """Show pseudonyms on the site; names are then in the teacher's files only."""
    late: Late | None = None

    @property
    def most_points(self) -> float:
        """The points of a perfect entrant."""
        ladder = sum(rung.points for rung in self.ladder)
        return ladder + self.marking.accuracy.points + self.marking.efficiency.points

    def openings_on(self, board: Game) -> Openings:
        """Return the openings of a board."""
        return parse_openings(board, self.openings)


Fits = Callable[[Any], bool]
_Keys = Mapping[str, tuple[str, Fits]]
"""The keys of a table, each with a description of its value and a check."""


def _number(least: float, kind: type = float) -> Fits:
    kinds = (int, float) if kind is float else (int,)
    return lambda value: isinstance(value, kinds) and not isinstance(value, bool) and value >= least


def _kind(*kinds: type) -> Fits:
    return lambda value: isinstance(value, kinds)


def _strings(fits: Callable[[str], bool] = bool) -> Fits:
    return lambda value: isinstance(value, list) and all(isinstance(one, str) and fits(one) for one in value)


_BOARDS = 'a list such as ["connect4", "tictactoe"]'
_LADDER = "[[ladder]] with agent and points"
_POINTS = ("a number of points", _number(0))
_RATES: _Keys = dict.fromkeys(("from", "to"), ("a rate from 0 to 1", _number(0)))
_SCALE_KEYS: _Keys = {"points": _POINTS, **_RATES}
_RUNG_KEYS: _Keys = {"agent": ("an agent such as rules", _kind(str)), "name": ("a string", _kind(str)), **_SCALE_KEYS}
_LIMIT_KEYS: _Keys = {
    "seconds": ("0.01 or more seconds", _number(0.01)),
    "nodes": ("a positive integer", _number(1, int)),
}
_LATE_KEYS: _Keys = {
    "deadline": ("a time such as 2026-11-20T23:59:00", _kind(datetime)),
    "days": ("a number of days, or 0", _number(0, int)),
    "penalty": _POINTS,
}
_TABLES = ("limits", "accuracy", "efficiency", "grades", "late")
_KEYS: _Keys = {
    "title": ("a string", _kind(str)),
    "boards": (_BOARDS, lambda value: _strings()(value) and value != []),
    "pairs": ("a positive integer", _number(1, int)),
    "max_pairs": ("a positive integer", _number(1, int)),
    "precision": _POINTS,
    "disqualify": (
        "a share of failed matches above 0 and up to 1, or false",
        lambda value: value is False or (_number(0)(value) and 0 < value <= 1),
    ),
    "among_entrants": ("a number of pairs, or 0", _number(0, int)),
    "format": ('a format such as "swiss"', _kind(str)),
    "openings": ('a string such as "random:4"', _kind(str)),
    "seed": ("a secret string or an integer", lambda value: _number(-math.inf, int)(value) or _strings()([value])),
    "starter": ("a file or folder", _kind(str)),
    "packages": ('a list of import names such as ["numpy"]', _strings(str.isidentifier)),
    "references": ('a list of folders such as ["../2024/submissions"]', _strings()),
    "pseudonyms": ("true or false", _kind(bool)),
    "ladder": (_LADDER, lambda value: value is True or isinstance(value, list | dict)),
    **{name: (f"a table [{name}]", _kind(dict)) for name in _TABLES},
}


def _checked(values: Mapping[str, Any], place: str, keys: _Keys) -> Mapping[str, Any]:
    """Return the values of a table. Raises `LeagueError` for an unknown key or a value that does not fit."""
    for key, value in values.items():
        if key not in keys:
            raise LeagueError(f"{place}: {unknown('key', key, list(keys))}")
        wanted, fits = keys[key]
        if not fits(value):
            raise LeagueError(f"{place}: {key} = {value!r:.60}; expected {wanted}")
        if isinstance(value, int | float) and value > MAX_MATCHES and key not in ("seed", *MAX_LIMITS):
            raise LeagueError(f"{place}: {key} = {value!r:.40} is too large; give at most {MAX_MATCHES:,}")
    return values


def read_settings(path: Path) -> LeagueSettings:
    """Read the settings of a file. Raises `LeagueError` with the key and the expected value."""
    text = read_text(path, LeagueError)
    try:
        values = tomllib.loads(text)
    except (ValueError, RecursionError) as error:  # TOMLDecodeError, a number of thousands of digits, endless nesting
        raise LeagueError(f"{path} is not TOML: {str(error).partition(';')[0]}") from None
    place, usual = str(path), LeagueSettings()
    table = _checked(values, place, _KEYS)
    boards = tuple(game(name) for name in table.get("boards", [CONNECT4.name]))
    for board in boards:
        board.check_usual("a league")
    if len(set(boards)) < len(boards):
        raise LeagueError(f"{place}: a board is given twice in boards = {table['boards']!r:.60}")
    seed = table.get("seed")
    settings = LeagueSettings(
        title=table.get("title", usual.title),
        boards=boards,
        among=table.get("among_entrants", usual.among),
        format=table.get("format", usual.format),
        openings=table.get("openings", usual.openings),
        limit=Limit(**_checked(table.get("limits", {}), f"{place}, [limits]", _LIMIT_KEYS)),
        seed=None if seed is None else derive(0, "league", seed),
        ladder=_ladder(table.get("ladder", []), path, boards) or usual.ladder,
        marking=_marking(table, place),
        packages=tuple(table.get("packages", USUAL_PACKAGES)),
        starter=path.parent / table["starter"] if "starter" in table else None,
        references=tuple(path.parent / name for name in table.get("references", ())),
        pseudonyms=table.get("pseudonyms", False),
        late=_late(table.get("late", {}), f"{place}, [late]"),
    )
    if isinstance(parse_format(settings.format), Gauntlet):
        raise LeagueError(f"{place}: format = {settings.format!r}; expected round-robin, swiss or groups")
    if settings.starter is not None and not settings.starter.exists():
        raise LeagueError(f"{place}: the starter {settings.starter} does not exist")
    for folder in settings.references:
        if not folder.is_dir():
            raise LeagueError(f"{place}: the reference {folder} is not a folder")
    for board in boards:
        settings.openings_on(board)
        for rung in settings.ladder:
            rung.agent.check(board)
    return settings


def _late(values: Mapping[str, Any], place: str) -> Late | None:
    table = dict(_checked(values, place, _LATE_KEYS))
    if "deadline" not in table:
        if any(table.values()):
            raise LeagueError(f"{place}: no deadline is given; write deadline = 2026-11-20T23:59:00")
        return None
    return Late(table.pop("deadline").astimezone(), **table)


def _marking(given: Mapping[str, Any], place: str) -> Marking:
    usual = Marking()
    pairs = given.get("pairs", usual.pairs)
    max_pairs = given.get("max_pairs", max(pairs, usual.max_pairs))
    if max_pairs < pairs:
        raise LeagueError(f"{place}: max_pairs = {max_pairs}; expected at least pairs = {pairs}")
    table = given.get("grades", {})
    grades = _checked(
        table, f"{place}, [grades]", dict.fromkeys(table, ("the minimum points for it", _number(-MAX_MATCHES)))
    )
    return Marking(
        pairs,
        max_pairs,
        given.get("precision", usual.precision),
        given.get("disqualify", usual.disqualify) or None,
        _scale(given.get("accuracy", {}), f"{place}, [accuracy]", usual.accuracy),
        _scale(given.get("efficiency", {}), f"{place}, [efficiency]", usual.efficiency),
        tuple(sorted(grades.items(), key=lambda grade: -grade[1])) or usual.grades,
    )


def _scale(values: Mapping[str, Any], place: str, usual: PointScale) -> PointScale:
    table = {"points": usual.points, "from": usual.least, "to": usual.full, **_checked(values, place, _SCALE_KEYS)}
    _check_range(table, place)
    return PointScale(table["points"], table["from"], table["to"])


def _check_range(given: Mapping[str, Any], place: str) -> None:
    """Raise `LeagueError` unless ``from`` and ``to`` are rates in this order, or both missing."""
    if ("from" in given) != ("to" in given):
        raise LeagueError(f"{place}: give both `from` and `to`, or neither")
    if "from" in given and not 0 <= given["from"] < given["to"] <= 1:
        raise LeagueError(f"{place}: `from` must be less than `to`, both from 0 to 1")


def _ladder(given: Any, path: Path, boards: tuple[Game, ...]) -> tuple[Rung, ...]:
    """Return the reference players: tables with an agent each, or players of the shipped ladder (a list of names, a
    table of names with points, or ``true`` for all)."""
    if isinstance(given, dict):
        table = _checked(given, f"{path}, [ladder]", dict.fromkeys(given, _POINTS))
        points = {agent(name).spec: value for name, value in table.items()}
        return _shipped_ladder(boards, list(points), points) if points else ()
    if given is True or (given and all(isinstance(name, str) for name in given)):
        return _shipped_ladder(boards, [] if given is True else given)
    rungs = []
    for number, entry in enumerate(given, start=1):
        if not isinstance(entry, dict):
            raise LeagueError(f"{path}: ladder = {given!r:.60}; expected {_LADDER}")
        rungs.append(_rung(entry, f"{path}, [[ladder]] {number}", path.parent))
    for what in ([rung.name for rung in rungs], [rung.agent.spec for rung in rungs]):
        twice = [one for one in what if what.count(one) > 1]
        if twice:
            raise LeagueError(f"{path}: the ladder has {twice[0]} twice")
    return tuple(rungs)


def _rung(entry: Mapping[str, Any], place: str, folder: Path) -> Rung:
    table = _checked(entry, place, _RUNG_KEYS)
    _check_range(table, place)
    spec = table.get("agent")
    if not spec:
        raise LeagueError(f'{place}: no agent is given; write agent = "rules"')
    if spec.startswith("file:"):  # identified by its content, not by its location
        player: Agent = SubmittedFile.made_of(read(folder / spec.removeprefix("file:")))
    else:
        player = agent(spec)
    return Rung(table.get("name", spec), player, table.get("points", 0), table.get("from"), table.get("to"))


def _shipped_ladder(
    boards: tuple[Game, ...], names: list[str], points: Mapping[str, float] | None = None
) -> tuple[Rung, ...]:
    """Return players of the ladder that ships with inarow, with equal points unless points are given by spec."""
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
