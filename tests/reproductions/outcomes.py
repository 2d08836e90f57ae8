"""How often the reports' players win, draw and lose: what running their printed programs gave, and ours beside it.

A row of ``data/outcomes.csv`` names two players, or ``one|other`` for both seats in turn; ``learner`` stands for
a table trained in stages of opponent, games and, if given, exploration, and ``learns`` for the games of its last stage.
Counts are percentages of the first named: wins, draws, losses; a range where several runs were made, nothing where it
is not known. ``small`` is how many games the suite plays, after a training that is shorter by ``small_part``.
"""

from __future__ import annotations

import csv
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from functools import cache
from math import sqrt
from pathlib import Path
from statistics import fmean, stdev

from inarow.agents import Agent, agent
from inarow.match import play_match
from inarow.reproductions.learning import ReportQLearner
from inarow.rules import Game, game
from inarow.stopping import Stop
from inarow.training import Stage, trainer
from inarow.training.training import Held
from support.shares import same_shares

FILE = Path(__file__).parent / "data" / "outcomes.csv"
RESULTS = ("first", "draw", "second")
ERRORS = 4
"""Standard errors that a mean may be off."""


@dataclass(frozen=True)
class Range:
    """What several runs gave, from least to most."""

    low: float
    high: float

    @classmethod
    def of(cls, text: str) -> Range:
        """From ``5`` or ``3-7``; parts joined by + are added up."""
        low, _, high = text.partition("-")
        return cls(sum(map(float, low.split("+"))), sum(map(float, (high or low).split("+"))))

    def __str__(self) -> str:
        return f"{self.low:g}" if self.low == self.high else f"{self.low:g}-{self.high:g}"

    def holds(self, value: float, error: float) -> bool:
        """Whether a value is in it, widened by half its width, as another run may be outside, and by an error."""
        slack = (self.high - self.low) / 2 + ERRORS * error
        return self.low - slack <= value <= self.high + slack


@dataclass(frozen=True)
class Outcomes:
    """Wins, draws and losses of the first named, in each run, and the plies and nodes of each match."""

    runs: tuple[tuple[int, int, int], ...]
    plies: tuple[float, ...] = ()
    nodes: tuple[int, ...] = ()

    @property
    def counts(self) -> tuple[int, int, int]:
        """Of all runs together."""
        wins, draws, losses = (sum(run[place] for run in self.runs) for place in range(3))
        return wins, draws, losses


@dataclass(frozen=True)
class Reference:
    """One row: players, and what their printed programs gave."""

    report: str
    game: Game
    learner: str
    stages: tuple[tuple[str, ...], ...]
    first: str
    second: str
    runs: int
    games: int
    shares: tuple[Range | None, ...]
    plies: Range | None
    states: Range | None
    small: int
    small_part: int

    @property
    def name(self) -> str:
        """Its players in short."""
        trained = "; ".join(" ".join(stage) for stage in self.stages)
        players = " – ".join(filter(None, (self.first, self.second)))
        return f"{self.report} {self.game.name} {players}" + (f" [{self.learner}: {trained}]" if trained else "")

    def shortened(self) -> Reference:
        """With as much training as the suite has time for."""
        part = self.small_part
        return replace(self, stages=tuple((who, str(int(games) // part), *rate) for who, games, *rate in self.stages))

    def p(self, found: Outcomes) -> float | None:
        """The chance of shares as different, if one run of the program was counted; None of several runs, and of a
        learner's own games, of which no two runs are alike."""
        shares = [share for share in self.shares if share is not None]
        if self.runs > 1 or self.first == "learns" or len(shares) < len(RESULTS):
            return None
        theirs = [round(share.low * self.games / 100) for share in shares]
        return same_shares(theirs, found.counts)

    def misfits(self, found: Outcomes) -> list[str]:
        """What is not within the interval that the numbers of games allow; nothing is said of single runs' shares,
        which have a p-value."""
        bad = []
        total, theirs = sum(found.counts), self.runs * self.games
        for place, (name, share) in enumerate(zip(RESULTS, self.shares, strict=False)):
            if share is None:
                continue
            ours = [100 * run[place] / sum(run) for run in found.runs]
            mean = fmean(ours)
            chance = min(0.99, max(0.01, mean / 100))
            error = 100 * sqrt(chance * (1 - chance) * (1 / total + 1 / theirs))
            if self.stages and len(ours) > 1:  # learners differ from each other by more than their games do
                error = max(error, stdev(ours) * sqrt(1 / len(ours) + 1 / self.runs))
            alone = self.runs == 1  # then our runs are the range
            fits = Range(min(ours), max(ours)).holds(share.low, error) if alone else share.holds(mean, error)
            if self.p(found) is None and not fits:
                bad.append(f"{name} {mean:.3g} % where {share.low:g} to {share.high:g} are known")
        for name, known, values in (("plies", self.plies, found.plies), ("states", self.states, found.nodes)):
            if known is not None and values:
                counted = self.runs if self.first == "learns" else theirs  # of a learner's own games, one mean a run
                error = (stdev(values) if len(values) > 1 else 0.0) * sqrt(1 / len(values) + 1 / counted)
                rounding = 0.01 * known.high
                if not known.holds(fmean(values), error + rounding / ERRORS):
                    bad.append(f"{name} {fmean(values):.5g} where {known.low:g} to {known.high:g} are known")
        return bad


def references() -> list[Reference]:
    """Every row."""
    with FILE.open(encoding="utf-8", newline="") as lines:
        return [_reference(row) for row in csv.DictReader(lines)]


def _reference(row: dict[str, str]) -> Reference:
    stages = tuple(tuple(stage.split()) for stage in row["stages"].split(";") if stage)
    shares = tuple(Range.of(text) if text else None for text in row["counts"].split("/"))
    plies, states = (Range.of(row[name]) if row[name] else None for name in ("plies", "states"))
    runs, games, small, part = (int(row[name] or 1) for name in ("runs", "games", "small", "small_part"))
    report, learner, first, second = (row[name] for name in ("report", "learner", "first", "second"))
    return Reference(
        report, game(row["game"]), learner, stages, first, second, runs, games, shares, plies, states, small, part
    )


def run(row: Reference, games: int, runs: int = 1, seed: int = 0) -> Outcomes:
    """Play a row again: so many games in each run, each with a learner of its own."""
    counts, plies, nodes = [], list[float](), list[int]()
    for number in range(seed, seed + runs):
        if row.first == "learns":
            stages = (*row.stages[:-1], (row.stages[-1][0], str(games)))
            tally = trained(row.learner, row.game, stages, number)[1]
            counts.append((int(tally["wins"]), int(tally["draws"]), int(tally["losses"])))
            plies.append(tally["plies"])
            continue
        won = dict.fromkeys(RESULTS, 0)
        seats = list(_seats(row, number))
        for match in range(games):
            first, second, names = seats[match % len(seats)]
            record = play_match(row.game, first, second, seed=10_000 * number + match)
            won[names[str(record.result)]] += 1
            plies.append(len(record.moves))
            nodes.append(sum(record.nodes))
        counts.append((won["first"], won["draw"], won["second"]))
    return Outcomes(tuple(counts), tuple(plies), tuple(nodes))


def _seats(row: Reference, seed: int) -> Iterator[tuple[Agent, Agent, dict[str, str]]]:
    """Who sits where, and what each result is to the first named: one way, or both if the row says so."""
    named = row.first.split("|") if "|" in row.first else [row.first, row.second]
    one, two = (
        Held(trained(row.learner, row.game, row.stages, seed)[0].mind) if name == "learner" else agent(name)
        for name in named
    )
    yield one, two, dict(zip(RESULTS, RESULTS, strict=True))
    if "|" in row.first:
        yield two, one, dict(zip(RESULTS, reversed(RESULTS), strict=True))


@cache
def trained(
    spec: str, board: Game, stages: Sequence[tuple[str, ...]], seed: int
) -> tuple[ReportQLearner, dict[str, float]]:
    """A learner after its stages, and the tally of the last one; exploration, where it is given, begins anew."""
    learner: ReportQLearner | None = None
    for opponent, games, *epsilon in stages:
        if learner is None or epsilon:
            before = learner
            made = trainer(f"{spec}{':' if ':' not in spec else ','}epsilon={epsilon[0]}" if epsilon else spec).learner(
                board, seed, int(games)
            )
            assert isinstance(made, ReportQLearner)
            learner = made
            if before is not None:
                learner.table.rows, learner.table.updates = before.table.rows, before.table.updates
        learner.tally()
        learner.run(Stage((opponent,)), int(games), Stop())
    assert learner is not None
    return learner, learner.tally()
