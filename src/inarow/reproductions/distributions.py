"""Read and write the data of a report: its README, published tables, and runs of its program.

The README lists the report's omissions and errors, which the study's page shows. The folder ``published``
has its tables as CSV, ``runs.json`` (results of repeated runs of the printed program, made by
``scripts/report_runs.py``) and ``SHA256SUMS`` over all of them, so that a file edited by hand is noticed.
"""

from __future__ import annotations

import csv
import hashlib
import json
import re
from abc import ABC, abstractmethod
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, field, replace
from functools import cache
from pathlib import Path
from typing import Any

from inarow.agents import Agent, agent
from inarow.errors import InarowError
from inarow.match import play_match
from inarow.randomness import Stream, derive
from inarow.report.tables import Blank, Cell, Table, table
from inarow.rules import FIRST, Game, Player, Position, game
from inarow.stopping import Stop
from inarow.training import Stage, trainer
from inarow.training.trainer import Learner
from inarow.training.training import Held

FOLDER = Path(__file__).parent
RUNS, SUMS = "runs.json", "SHA256SUMS"
NOT_PLAYED = Blank("not played here")
NOT_GIVEN = Blank("the report gives no figure")


class DataError(InarowError):
    """A published or shipped file is missing or modified."""


@dataclass(frozen=True)
class ProgramRun:
    """One repetition of an experiment: outcomes for the first-named player, total plies and nodes."""

    counts: tuple[int, int, int]
    plies: int = 0
    lines: int = 0
    """The number of distinct games."""
    nodes: int = 0
    totals: Sequence[int] = ()
    """The distinct node totals of single games, if there are few."""
    columns: Sequence[int] = ()
    """The moves in the positions of a published log."""

    @property
    def games(self) -> int:
        """The number of games."""
        return sum(self.counts)


@dataclass(frozen=True)
class Sample:
    """All runs of one pairing of one experiment."""

    key: str
    how: str
    """The players, and how the learner was trained."""
    runs: Sequence[ProgramRun]
    independent: bool = False
    """True if games are independent: no learner is trained for a run, and no game repeats another."""

    def turned(self) -> Sample:
        """Return the same games counted for the second player."""
        turned = [replace(run, counts=(run.counts[2], run.counts[1], run.counts[0])) for run in self.runs]
        return replace(self, runs=turned)


def errors_table(report: str) -> Table:
    """Return the errors in a report and its program, from its README."""
    rows = [row for part in ("program", "report") for row in _readme_rows(report, f"Errors in the {part}")]
    heads = ("in the report", "correction")
    return table(f"{report}-errors", f"Errors in {report.upper()}", heads, rows)


def unstated_table(report: str) -> Table:
    """Return a report's omissions and the assumptions made instead, from its README."""
    rows = _readme_rows(report, "Not stated in the report")
    title = f"Not stated in {report.upper()}"
    return table(f"{report}-unstated", title, ("not stated", "assumed here"), rows)


def _readme_rows(report: str, heading: str) -> list[list[str]]:
    """Return the rows of the table under a heading; an empty list if the heading is missing."""
    text = (FOLDER / report / "README.md").read_text(encoding="utf-8")
    part = text.partition(f"\n## {heading}\n")[2].partition("\n## ")[0]
    lines = [line.strip("| ") for line in part.splitlines() if line.startswith("|")]
    return [re.split(r" *\| *", line) for line in lines[2:]]


def quoted(text: str) -> Cell:
    """Return a published figure exactly as printed, or a blank cell."""
    return text if text else NOT_GIVEN


@cache
def published(name: str) -> tuple[dict[str, str], ...]:
    """Return the rows of one published table, such as ``r3_stated``: strings by column."""
    report, _, stem = name.partition("_")
    text = _checked(FOLDER / report / "published" / f"{stem}.csv")
    return tuple(dict(row) for row in csv.DictReader(text.splitlines()))


@cache
def shipped_runs(report: str) -> Mapping[str, Sample]:
    """Return the shipped runs of a report's printed program, by ``experiment / pairing``."""
    content = json.loads(_checked(FOLDER / report / "published" / RUNS))
    return {
        key: Sample(
            key,
            one["how"],
            [ProgramRun(**{**run, "counts": tuple(run["counts"])}) for run in one["runs"]],
            one["independent"],
        )
        for key, one in content["samples"].items()
    }


def provenance(report: str) -> dict[str, Any]:
    """Return the command, version and first seed of a report's shipped runs."""
    content = json.loads(_checked(FOLDER / report / "published" / RUNS))
    return {name: content[name] for name in ("command", "inarow", "seed")}


def _checked(path: Path) -> str:
    """Read a file. Raises DataError if it is missing or its checksum differs from the shipped one."""
    try:
        content, sums = path.read_bytes(), (path.parent / SUMS).read_text(encoding="utf-8")
    except OSError as error:
        raise DataError(f"{path} can't be read: {error.strerror}; install inarow again") from None
    expected = {name: value for value, _, name in (line.partition("  ") for line in sums.splitlines())}
    if expected.get(path.name) != hashlib.sha256(content).hexdigest():
        raise DataError(
            f"{path} has been modified (its checksum differs from {SUMS}); restore it, or regenerate the runs "
            "with scripts/report_runs.py"
        )
    return content.decode()


@dataclass(frozen=True)
class Source(ABC):
    """An experiment to run repeatedly. Its samples are named by keys."""

    key: str
    runs: int = field(default=20, kw_only=True)

    @abstractmethod
    def how(self, key: str) -> str:
        """Describe the runs of a sample."""

    @abstractmethod
    def run(self, number: int) -> dict[str, dict[str, Any]]:
        """Return the results of each sample in one run, by key."""

    def independent(self, key: str) -> bool:
        """Return True if the games of a sample are independent."""
        return False


LEARNER = "learner"
"""Stands for the learner trained in the run, in place of a player's spec."""
MAX_TOTALS = 5
"""Maximum number of distinct node totals of single games to keep."""


@dataclass(frozen=True)
class TrialPairing:
    """Games between two players; with ``lot`` the first player is drawn at random, as in R2."""

    key: str
    first: str
    second: str
    games: int
    lot: bool = False
    once: bool = False
    """True if both players are deterministic, so that one game is enough."""


@dataclass(frozen=True)
class Trial(Source):
    """One run: optionally train a learner in stages, then play the pairings.

    A stage is an opponent, a number of games and an exploration rate ("" for the learner's own).
    """

    game: str
    pairings: Sequence[TrialPairing]
    learner: str = ""
    stages: Sequence[tuple[str, int, str]] = ()

    def how(self, key: str) -> str:
        trained = "; ".join(
            f"{games:,} games against {who}" + f", ε {rate}" * bool(rate) for who, games, rate in self.stages
        )
        learner = f"{self.learner} after {trained}" if trained else ""
        for pairing in self.pairings:
            if pairing.key == key:
                names = [learner if spec == LEARNER else spec for spec in (pairing.first, pairing.second)]
                return f"{names[0]} – {names[1]}" + (
                    ", who begins drawn by lot" if pairing.lot else ", the first-named begins"
                )
        return f"all games of {trained}"

    def independent(self, key: str) -> bool:
        return not self.learner and not any(pairing.once for pairing in self.pairings if pairing.key == key)

    def run(self, number: int) -> dict[str, dict[str, Any]]:
        """Return the results of each pairing of one run, by key; ``training`` is the learner's own games."""
        board = game(self.game)
        found: dict[str, dict[str, Any]] = {}
        held: Agent | None = None
        if self.learner:
            learner, tally = train(self.learner, board, self.stages, number)
            held = Held(learner.mind)
            found["training"] = {"counts": [int(tally[name]) for name in ("wins", "draws", "losses")]}
        for pairing in self.pairings:
            players = [held if spec == LEARNER else agent(spec) for spec in (pairing.first, pairing.second)]
            assert players[0] is not None
            assert players[1] is not None
            played = _play(board, pairing, players[0], players[1], derive(number, pairing.key))
            found[pairing.key] = {name: value for name, value in asdict(played).items() if value}
        return found


def train(
    spec: str, board: Game, stages: Sequence[tuple[str, int, str]], seed: int
) -> tuple[Learner, dict[str, float]]:
    """Train a learner in stages with one table; return it and the tally of the last stage."""
    learner: Any = None
    for number, (opponent, games, epsilon) in enumerate(stages):
        before = learner
        rate = f"{',' if ':' in spec else ':'}epsilon={epsilon}" if epsilon else ""
        learner = trainer(spec + rate).learner(board, seed + number, games)
        if before is not None:
            learner.table = before.table
        learner.run(Stage((opponent,)), games, Stop())
    return learner, learner.tally()


def _play(board: Game, pairing: TrialPairing, first: Agent, second: Agent, seed: int) -> ProgramRun:
    """Play the games of a pairing; counts are for the first-named player, whoever begins."""
    lot, times = Stream(derive(seed, "lot")), pairing.games if pairing.once else 1
    results, lines, totals = Counter[str](), list[tuple[int, ...]](), list[int]()
    for number in range(1 if pairing.once else pairing.games):
        swapped = pairing.lot and lot.below(2) == 1
        players = (second, first) if swapped else (first, second)
        record = play_match(board, *players, seed=derive(seed, "game", number))
        turned = {"first": "second", "second": "first"} if swapped else {}
        results[turned.get(record.result, record.result)] += times
        lines.append(tuple(record.moves))
        totals.append(sum(record.nodes))
    different = sorted(set(totals)) if any(totals) else []
    return ProgramRun(
        counts=(results["first"], results["draw"], results["second"]),
        plies=times * sum(map(len, lines)),
        lines=len(set(lines)),
        nodes=times * sum(totals),
        totals=different if len(different) <= MAX_TOTALS else (),
    )


@dataclass(frozen=True)
class Batches(Source):
    """Batches of games of R2's learner, which learns while playing; it starts afresh in each batch or continues."""

    game: str
    learner: str
    opponent: str
    batches: Sequence[int]
    fresh: bool

    def how(self, key: str) -> str:
        size = self.batches[int(key)]
        before = "" if self.fresh else f" after {sum(self.batches[: int(key)]):,} others"
        return (
            f"{self.opponent} – {self.learner}, which learns in these {size:,} games{before}; who begins drawn by lot"
        )

    def run(self, number: int) -> dict[str, dict[str, Any]]:
        """Return the results of each batch, by index: the opponent's wins, draws, the learner's wins."""
        board, made = game(self.game), trainer(self.learner)
        found, learner = {}, None
        for place, size in enumerate(self.batches):
            if learner is None or self.fresh:
                learner = made.learner(board, derive(number, self.key, place), size)
            learner.run(Stage((self.opponent,)), size, Stop())
            tally = learner.tally()
            counts = [int(tally[name]) for name in ("losses", "draws", "wins")]
            found[str(place)] = {"counts": counts, "plies": round(size * tally["plies"])}
        return found


@dataclass(frozen=True)
class Searches(Source):
    """Nodes and leaves of single searches from the empty board, by name; they are deterministic."""

    game: str
    specs: Mapping[str, str]
    runs: int = field(default=1, kw_only=True)

    def how(self, key: str) -> str:
        return f"one search of {self.specs[key]} from the empty board"

    def run(self, number: int) -> dict[str, dict[str, Any]]:
        board, found = game(self.game), {}
        for name, spec in self.specs.items():
            decision = agent(spec).start(board, FIRST, number).decide(Position.start(board))
            found[name] = {"counts": [0, 0, 0], "nodes": decision.nodes, "totals": [decision.details["leaves"]]}
        return found


@dataclass(frozen=True)
class Replies(Source):
    """The moves of players, by name, in the positions of a published log, whose moves are then played."""

    game: str
    players: Mapping[str, str]
    log: Sequence[int]
    plies: Sequence[int]
    """The plies at which the program moves, from 0."""

    def how(self, key: str) -> str:
        return f"moves of {self.players[key]} in the positions of the log {' '.join(map(str, self.log))}, from 0"

    def run(self, number: int) -> dict[str, dict[str, Any]]:
        board, found = game(self.game), {}
        for name, spec in self.players.items():
            minds = [agent(spec).start(board, seat, derive(number, self.key, name, seat)) for seat in Player]
            positions = [Position.start(board, self.log[:ply]) for ply in self.plies]
            columns = [minds[position.to_move].decide(position).move for position in positions]
            found[name] = {"counts": [0, 0, 0], "columns": columns}
        return found
