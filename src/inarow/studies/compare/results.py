"""The stored results of the comparison, read as values: pools, trainings, decisions in play, exactness, times."""

from __future__ import annotations

import json
import math
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from importlib.resources import files
from itertools import combinations
from typing import Any, NamedTuple

from inarow.arena import Results
from inarow.match import Claim, Rule, Series, claim
from inarow.match.claims import USUAL, HolmRule
from inarow.match.series import Tally
from inarow.rules import CONNECT4, TICTACTOE, Game
from inarow.stats import HeadToHead, Interval, bradley_terry, elo_of, wilson
from inarow.studies.base import StudyResults
from inarow.studies.compare.lineup import (
    EPISODES,
    HEADLINE,
    Q_LEARNING,
    TABLES,
    LineUp,
    SearchPlayer,
    budget_key,
    label_of,
    table_label,
)
from inarow.studies.compare.measuring import accuracy_by_ply
from inarow.truth import Accuracy


class Pool:
    """The pairings of one game at one budget. The learner's tables are one player, whose interval includes their
    spread."""

    def __init__(self, game: Game, tournaments: Sequence[Results]) -> None:
        self.game = game
        parts: dict[frozenset[str], list[tuple[Tally, Tally]]] = {}
        self.planned: dict[frozenset[str], int] = {}
        for results in tournaments:
            for series in results.series.values():
                names = [label_of(side.spec) for side in series.sides]
                key = frozenset(names)
                if series.matches and len(key) == 2:
                    parts.setdefault(key, []).append((series.sides[0], series.sides[1]))
                    config, played = results.run.config, series.sides[0].pairs.total()
                    limited = results.finished and "costs" not in config
                    self.planned[key] = self.planned.get(key, 0) + (config["pairs"] if limited else played)
        self.series = {key: _taken_together(game, rows) for key, rows in parts.items()}
        self.rule: Rule = HolmRule.over(self.series.values())

    @property
    def names(self) -> list[str]:
        """The players that met somebody."""
        return list(dict.fromkeys(side.spec for series in self.series.values() for side in series.sides))

    def between(self, a: str, b: str) -> Series | None:
        """Return the series of two players, if they met."""
        return self.series.get(frozenset((a, b)))

    def side(self, a: str, b: str) -> Tally | None:
        """Return the results of ``a`` against ``b``."""
        series = self.between(a, b)
        return None if series is None else next(side for side in series.sides if side.spec == a)

    def score(self, a: str, b: str) -> Interval | None:
        """Return the score of ``a`` against ``b`` with the interval that claims use."""
        side = self.side(a, b)
        return None if side is None else self.rule.interval(side)

    def claim(self, a: str, b: str) -> Claim | None:
        """Return the claim about two players."""
        series = self.between(a, b)
        return None if series is None else claim(series, self.rule)

    def beats(self, a: str, b: str) -> bool:
        """Return True if ``a`` is claimed to be better than ``b``."""
        claimed = self.claim(a, b)
        return claimed is not None and claimed.winner == a

    def used_up(self, a: str, b: str) -> bool:
        """Return True if a pairing ended because the openings would repeat."""
        series = self.between(a, b)
        return series is not None and series.sides[0].pairs.total() < self.planned[frozenset((a, b))]

    def points(self, name: str, others: Sequence[str]) -> Interval | None:
        """Return the mean score of a player over these others, with its 95 % interval."""
        scores = [
            score
            for other in others
            if (side := self.side(name, other)) is not None and (score := USUAL.interval(side)) is not None
        ]
        if not scores:
            return None
        mean = sum(score.estimate for score in scores) / len(scores)
        half = math.sqrt(sum((score.high - score.low) ** 2 for score in scores)) / 2 / len(scores)
        return Interval(mean, max(0.0, mean - half), min(1.0, mean + half))

    def elo(self, zero: str) -> dict[str, Interval]:
        """Return the Elo of each player above the player ``zero``, by the Bradley–Terry model."""
        names = self.names
        meetings = [
            HeadToHead(names.index(one.spec), names.index(one.opponent.spec), one.pairs) for one in self.series.values()
        ]
        ratings = bradley_terry(len(names), meetings)
        return {name: ratings.difference(place, names.index(zero)) for place, name in enumerate(names)}

    def ordered(self, names: Sequence[str]) -> list[str]:
        """Return these players by their mean score against each other, the highest first."""
        met = [name for name in names if name in self.names]
        means = {name: self.points(name, [other for other in met if other != name]) for name in met}
        return sorted(met, key=lambda name: -(means[name] or Interval(0, 0, 0)).estimate)

    def tiers(self, names: Sequence[str]) -> list[list[str]]:
        """Group players: each is claimed to be better than everyone in later groups."""
        order = self.ordered(names)
        groups: list[list[str]] = []
        for place, name in enumerate(order):
            if all(self.beats(better, worse) for better in order[:place] for worse in order[place:]):
                groups.append([name])
            else:
                groups[-1].append(name)
        return groups

    def pairings(self, names: Sequence[str]) -> list[tuple[str, str]]:
        """Return the pairings of these players that were played, the stronger player first."""
        return [pair for pair in combinations(self.ordered(names), 2) if self.between(*pair) is not None]


def _taken_together(game: Game, parts: Sequence[tuple[Tally, Tally]]) -> Series:
    """Add up pairings of the same two players. Several tables of a learner count as clusters, in place of openings."""
    first, second = (label_of(side.spec) for side in parts[0])
    series = Series(game, first, second)
    for sides in parts:
        for side in sides:
            (series if label_of(side.spec) == first else series.opponent).merge(side)
    tables = {side.spec for sides in parts for side in sides if label_of(side.spec) != side.spec}
    if len(tables) > 1:
        for own in series.sides:
            own.openings = {}
        for sides in parts:
            table = next(side.spec for side in sides if label_of(side.spec) != side.spec)
            for side in sides:
                own = series if label_of(side.spec) == first else series.opponent
                own.count_opening(table, side.matches, side.wins + side.draws / 2)
    return series


class Play(NamedTuple):
    """The decisions of one player in play."""

    decisions: int
    nodes: float
    simulations: float
    tree: float
    """Mean nodes of the tree after a decision."""
    seconds: float
    by_ply: Mapping[int, Accuracy]
    own: Mapping[int, tuple[int, int]]
    """By own move: the positions met, and those that its table knew."""
    points: Mapping[str, Interval]
    """By opponent, with the least and the most over several tables."""

    @property
    def errors(self) -> Accuracy:
        """All graded decisions."""
        return sum(self.by_ply.values(), Accuracy())

    def known(self, move: int) -> Interval | None:
        """Return the share of positions at an own move that the table knew."""
        met, known = self.own.get(move, (0, 0))
        return wilson(known, met)

    @property
    def lost_at(self) -> int | None:
        """The first own move at which the table knew less than half of the positions."""
        return next((move for move, (met, known) in sorted(self.own.items()) if 2 * known < met), None)


def play_of(stored: Sequence[Mapping[str, Any]]) -> Play | None:
    """Add up what `in_play` measured, of one player or of each of a learner's tables."""
    if not stored:
        return None
    cost: Counter[str] = Counter()
    by_ply: dict[int, Accuracy] = {}
    own: dict[int, tuple[int, int]] = {}
    points: dict[str, list[float]] = {}
    seconds = 0.0
    for one in stored:
        measured = {**one, **one["timing"]}
        cost.update(measured["cost"])
        seconds += measured["seconds"]
        for ply, accuracy in accuracy_by_ply(measured):
            by_ply[ply] = by_ply.get(ply, Accuracy()) + accuracy
        for turn, counts in measured["own"].items():
            met, known = own.get(int(turn), (0, 0))
            own[int(turn)] = met + counts["met"], known + counts.get("known", 0)
        for opponent, score in measured["points"].items():
            points.setdefault(opponent, []).append(score)
    decisions = max(1, cost["decisions"])
    return Play(
        decisions=cost["decisions"],
        nodes=cost["nodes"] / decisions,
        simulations=cost["simulations"] / decisions,
        tree=cost["tree"] / decisions,
        seconds=seconds / decisions,
        by_ply=dict(sorted(by_ply.items())),
        own=dict(sorted(own.items())),
        points={opponent: Interval(sum(s) / len(s), min(s), max(s)) for opponent, s in points.items()},
    )


class Learnt(NamedTuple):
    """Tables after one number of training games: a mean over several, or one that ships as a stored run."""

    episodes: int
    rows: float
    size: float
    """Bytes."""
    full: bool
    seconds: float
    tables: int
    play: Play | None


class Exact(NamedTuple):
    """A player in every position of Tic Tac Toe."""

    name: str
    counts: Sequence[int]
    shares: Sequence[Interval]
    """Positions whose value the move keeps, by count; of several tables the mean, with the least and the most."""
    seconds: Sequence[float]
    """Of a decision."""
    training: Sequence[float]
    positions: int
    first: int | None
    """The place of the smallest count that never errs."""
    lines: int
    lost: int
    seeds: int
    """Seeds, or tables, with which every reply was played out."""
    points: float
    """Against random, as both players."""

    @property
    def never_loses(self) -> bool:
        """True if no line was lost when every reply was played out."""
        return self.lost == 0


class Saved(NamedTuple):
    """What pruning saves at a fixed depth."""

    game: Game
    positions: int
    same: int
    nodes: tuple[float, float]
    seconds: tuple[float, float]

    @property
    def fewer(self) -> float:
        """The share of nodes that is saved."""
        return 1 - self.nodes[1] / self.nodes[0]


@dataclass(frozen=True)
class Pace:
    """What a budget's count takes on this machine."""

    searcher: SearchPlayer
    budget: float
    count: int
    seconds: float
    nodes: float
    simulations: float
    depth: float | None

    @property
    def off(self) -> float:
        """The relative deviation from the budget."""
        return self.seconds / self.budget - 1


@cache
def stored_training() -> dict[str, Any]:
    """Return the shipped run of long trainings, with the command that made it."""
    text = files("inarow").joinpath("data/studies/long_training.json").read_text(encoding="utf-8")
    run: dict[str, Any] = json.loads(text)
    return run


class Stored:
    """Everything that the study has stored so far, by name."""

    def __init__(self, line_up: LineUp, found: StudyResults, budgets: Sequence[float]) -> None:
        self.line_up = line_up
        self.found = found
        self.budgets = [one for one in budgets if self._tournaments(f"connect4-{budget_key(one)}")] or [HEADLINE]
        others = self._tournaments("connect4-against-", "connect4-learner-")
        self.connect4 = Pool(CONNECT4, [*self._tournaments(f"connect4-{budget_key(HEADLINE)}"), *others])
        self.tictactoe = Pool(TICTACTOE, self._tournaments("tictactoe-"))

    def _tournaments(self, *starts: str) -> list[Results]:
        keys = [key for key in self.found.keys("tournament") if key.startswith(starts)]
        return [results for key in keys if (results := self.found.results(key)) is not None]

    def at(self, seconds: float, tabled: bool = False) -> Pool:
        """Return the searchers' pool at a budget, with the second alpha–beta if asked for."""
        name = budget_key(seconds)
        more = self._tournaments(f"connect4-tt-{name}") if tabled else []
        return Pool(CONNECT4, [*self._tournaments(f"connect4-{name}"), *more])

    def question(self, *starts: str) -> Pool:
        """Return the matches behind an answer."""
        return Pool(CONNECT4, self._tournaments(*(f"connect4-{start}" for start in starts)))

    def _measured(self, keys: Sequence[str]) -> list[dict[str, Any]]:
        return [measured for key in keys if (measured := self.found.measured(key)) is not None]

    def _labels(self, name: str) -> list[str]:
        return [table_label(run) for run in range(TABLES)] if name == Q_LEARNING else [name]

    def play(self, name: str) -> Play | None:
        """Return a player's decisions in matches of Connect 4."""
        return play_of(self._measured([f"connect4-play-{label}" for label in self._labels(name)]))

    def accuracy(self, name: str) -> Accuracy | None:
        """Return a player's accuracy in positions whose value can be lost."""
        stored = self._measured([f"connect4-grade-{label}" for label in self._labels(name)])
        parts = [accuracy for one in stored for _, accuracy in accuracy_by_ply({**one, **one["timing"]})]
        return sum(parts, Accuracy()) if parts else None

    def learnt(self, game: Game) -> list[Learnt]:
        """Return this run's trainings of a game, the shortest first."""
        rows = []
        for episodes in EPISODES[game]:
            stored = self._measured([f"{game.name}-train-{episodes}-{run}" for run in range(TABLES)])
            if not stored:
                continue
            play = play_of(self._measured([f"connect4-curve-{episodes}-{run}" for run in range(TABLES)]))
            mean = {name: sum(one[name] for one in stored) / len(stored) for name in ("rows", "bytes")}
            seconds = sum(one["timing"]["seconds"] for one in stored) / len(stored)
            rows.append(
                Learnt(
                    stored[0]["episodes"], mean["rows"], mean["bytes"], any(one["full"] for one in stored), seconds,
                    len(stored), self._named(play) if game == CONNECT4 else None,
                )
            )  # fmt: skip
        return rows

    def longer(self) -> list[Learnt]:
        """Return the stored longer trainings."""
        return [
            Learnt(
                one["episodes"], one["rows"], one["bytes"], one["full"], one["seconds"], 1,
                self._named(play_of([one["play"]])),
            )
            for one in stored_training()["trainings"]
        ]  # fmt: skip

    def _named(self, play: Play | None) -> Play | None:
        """Name the opponents by their labels, and leave out those that are not in the line-up."""
        if play is None:
            return None
        labels = {spec: label for label, spec in (self.line_up.searching(CONNECT4) | self.line_up.ends()).items()}
        return play._replace(points={labels[spec]: score for spec, score in play.points.items() if spec in labels})

    def exact(self, name: str) -> Exact | None:
        """Return a player's trials in Tic Tac Toe."""
        stored = self.found.measured(f"tictactoe-exact-{name}")
        if stored is None:
            return None
        measured = {**stored, **stored["timing"]}
        asked, rows = measured["positions"], measured["rows"]
        shares = [
            Interval(sum(row["kept"]) / len(row["kept"]) / asked, min(row["kept"]) / asked, max(row["kept"]) / asked)
            for row in rows
        ]
        first = None
        for place in reversed(range(len(rows))):
            if shares[place].low < 1:
                break
            first = place
        lines = measured["lines"]
        return Exact(
            name, [row["count"] for row in rows], shares, measured["seconds"], measured.get("training", ()), asked,
            first, int(sum(one["wins"] + one["draws"] + one["losses"] for one in lines)),
            int(sum(one["losses"] for one in lines)), len(lines), sum(one["points"] for one in lines) / len(lines),
        )  # fmt: skip

    def saved(self, game: Game) -> Saved | None:
        """Return what pruning saves in a game."""
        both = self._measured([f"{game.name}-depth-{name}" for name in ("minimax", "alphabeta")])
        if len(both) < 2:
            return None
        full, pruned = both
        count = len(full["moves"])
        same = sum(a == b for a, b in zip(full["moves"], pruned["moves"], strict=True))
        nodes = [sum(one["nodes"]) / count for one in both]
        seconds = [sum(one["timing"]["seconds"]) / count for one in both]
        return Saved(game, count, same, (nodes[0], nodes[1]), (seconds[0], seconds[1]))

    def paces(self, searchers: Sequence[SearchPlayer]) -> list[Pace]:
        """Return the times of the counts on this machine."""
        rows = []
        for seconds in self.budgets:
            for one in searchers:
                for stored in self._measured([f"connect4-pace-{one.key}-{budget_key(seconds)}"]):
                    settings = self.found.config(f"connect4-pace-{one.key}-{budget_key(seconds)}")["settings"]
                    took, depth = stored["timing"]["seconds"], stored["depth"]
                    if took:
                        cost = stored["nodes"], stored["simulations"], depth
                        rows.append(Pace(one, seconds, settings["count"], took, *cost))
        return rows


def per_doubling(score: Interval, times: float) -> Interval:
    """Return the Elo that a doubling of time is worth, given the score with this many times the time."""
    return Interval(*(elo_of(min(max(one, 1e-3), 1 - 1e-3)) / math.log2(times) for one in score))
