"""The study ``learners``: accuracy of learners per training game and per second, next to published figures."""

from __future__ import annotations

import json
import time
from collections.abc import Mapping, Sequence
from functools import cache
from importlib import resources
from typing import TYPE_CHECKING, Any, NamedTuple

from inarow.report.curves import Axis, Curve, curves
from inarow.report.page import Section
from inarow.report.tables import Blank, Cell, Figure, Table, shown, table
from inarow.rules import CONNECT4, FIRST, SECOND
from inarow.stats import Interval, bounded_mean
from inarow.studies.base import Content, Experiment, Measured, Measurement, Plan, Study, StudyResults, measurement
from inarow.truth.accuracy import Accuracy
from inarow.truth.positions import PositionClass, position_classes

if TYPE_CHECKING:
    from inarow.agents import Agent

TRAINED = {"Q-table": "qlearning", "guided Q-learning": "qlearning:guide=heuristic", "n-tuple network": "ntuple"}
PLAYERS = {
    "shipped n-tuple network": "ntuple",
    "MCTS with it, 600 simulations": "mcts:prior=ntuple,leaf=ntuple,simulations=600",
    "best, 0.1 s": "best:seconds=0.1",
    "alpha–beta, depth 5": "alphabeta:depth=5",
    "rules": "rules",
}
PARTS = (0.03, 0.1, 0.2, 0.5, 1.0)
"""Points at which a training is graded, as shares of its games."""
SEEDS = 3
"""Number of seeds at full scale."""
OPENINGS = {"empty board, as first": 0, "won two-ply openings, as first": 2, "won three-ply openings, as second": 3}
"""Openings of the matches against longest resistance, in plies; the learner's side wins with perfect play."""
NOT_PLAYED = Blank("not published in this form, or not measured")
MISTAKE = (
    "Share of positions where the move loses exact value. In about four positions in ten all moves have the same "
    "value. The last rows quote published figures; the last table gives their sources and comparability."
)


def published() -> list[dict[str, Any]]:
    """Return the figures of other systems, with their sources."""
    text = resources.files("inarow").joinpath("data/learners/published.json").read_text(encoding="utf-8")
    found: list[dict[str, Any]] = json.loads(text)
    return found


class GradedLearner(NamedTuple):
    """A learner or player with its accuracy by class and its cost."""

    name: str
    classes: Mapping[str, Accuracy]
    matches: Mapping[str, Sequence[float]]
    """Points per match against longest resistance, by the kind of opening."""
    games: int | None
    seconds: float | None
    """Processor time of its training."""
    decision: float
    """Processor time per decision."""

    @property
    def total(self) -> Accuracy:
        """The accuracy over all classes, each with the same number of positions."""
        return sum(self.classes.values(), Accuracy())


class Learners(Study):
    """Measures the accuracy of learners against the cost of their training."""

    name = "learners"
    title = "Learners: accuracy per training game and per processor second"
    summary = "learners of Connect 4 by stage and difficulty of positions, next to published figures"
    figure = "learners-games"

    def experiments(self, plan: Plan) -> Sequence[Experiment]:
        common = {"game": CONNECT4.name, "each": plan.pick(100, 1000), "matches": plan.pick(3, 145), "seed": plan.seed}
        made = [
            Measurement(f"train-{name}-{seed}", train_learner, {
                **common, "trainer": spec, "seed": plan.seed + seed, "matches": 0 if seed else common["matches"],
                "games": plan.pick(20_000, 1_000_000 if spec == "ntuple" else 200_000),
            }, weight=40)
            for name, spec in TRAINED.items()
            for seed in range(plan.pick(1, SEEDS))
        ]  # fmt: skip
        return made + [
            Measurement(f"play-{name}", grade_player, {**common, "agent": spec}, weight=20)
            for name, spec in PLAYERS.items()
        ]

    def content(self, found: StudyResults) -> Content:
        trained = {name: runs for name in TRAINED if (runs := _runs(found, name))}
        players = [_graded(name, m) for name in PLAYERS if (m := found.measured(f"play-{name}")) is not None]
        if not trained or not players:
            return Content("Not begun.", (), ())
        rows = [_last(name, runs) for name, runs in trained.items()] + players
        sections = [
            Section("Mistakes by class of positions", (_mistakes(rows),)),
            Section("Perfect moves", (_perfect(rows),)),
            Section("Against longest resistance", (_resistance(rows),)),
            Section("Learning curves", tuple(_curves(trained))),
            Section("Published results of others", (_published(),)),
        ]
        lead = (
            "Connect 4: equally many random positions of six classes by stage and difficulty, with the exact score of "
            "every move, and matches against perfect opponents that resist as long as they can. Learners play without "
            "exploration."
        )
        return Content(lead, _sentences(rows), sections)


@cache
def _positions(each: int) -> dict[str, list[Any]]:
    """Return the first positions of every class."""
    return {name: list(positions[:each]) for name, positions in position_classes().items()}


def grade_classes(player: Agent, each: int, seed: int) -> tuple[dict[str, Accuracy], float]:
    """Return an agent's accuracy on the first ``each`` positions of every class, and the processor seconds of all
    decisions."""
    from inarow.truth import grade_move
    from inarow.truth.grading import decision_of

    found, begun = {}, time.process_time()
    moves = {
        name: [decision_of(player, known.position, seed).move for known in positions]
        for name, positions in _positions(each).items()
    }
    seconds = time.process_time() - begun
    for name, positions in _positions(each).items():
        accuracy = Accuracy()
        for known, move in zip(positions, moves[name], strict=True):
            accuracy.add(grade_move(known.position, move, known.scores))
        found[str(name)] = accuracy
    return found, seconds


def resist(player: Agent, matches: int, seed: int) -> dict[str, list[float]]:
    """Return the points per match of an agent against perfect play of longest resistance, by kind of opening: at most
    ``matches`` from randomly drawn openings of each kind, and exactly ``matches`` from the empty board."""
    from inarow.agents import agent
    from inarow.match import play_match
    from inarow.match.series import match_seed
    from inarow.randomness import Stream, derive
    from inarow.truth.grading import won_openings

    perfect, found = agent("perfect"), {}
    for kind, plies in OPENINGS.items():
        lines = list(won_openings(CONNECT4, plies).lines)
        Stream(derive(seed, "openings", plies)).shuffle(lines)
        lines = lines[:matches] if plies else lines * matches
        seat = (FIRST, SECOND)[plies % 2]
        pair = (player, perfect) if seat is FIRST else (perfect, player)
        found[kind] = [
            outcome.score(seat)
            for number, line in enumerate(lines)
            if (
                outcome := play_match(
                    CONNECT4, *pair, opening=line, seed=match_seed(seed, CONNECT4, number, seat is SECOND)
                ).outcome
            )
        ]
    return found


@measurement("train_learner")
def train_learner(settings: dict[str, Any]) -> Measured:
    """Train ``agent`` by ``games`` games of self-play in one thread, grading it at intervals, and play its matches."""
    from inarow.stopping import Stop
    from inarow.training import Stage, trainer
    from inarow.training.training import Held

    learner = trainer(settings["trainer"]).learner(CONNECT4, settings["seed"], settings["games"])
    player = Held(learner.mind, settings["trainer"], CONNECT4)
    history: list[dict[str, Any]] = []
    cpu: list[dict[str, float]] = []
    training = 0.0
    for mark in sorted({max(1, round(part * settings["games"])) for part in PARTS}):
        begun = time.process_time()
        learner.run(Stage(("self",)), mark - learner.episodes, Stop())
        training += time.process_time() - begun
        classes, deciding = grade_classes(player, settings["each"], settings["seed"])
        graded = {name: one.to_json() for name, one in classes.items()}
        history.append({"games": mark, "classes": graded, **learner.size()})
        cpu.append({"training": training, "decisions": deciding})
    matches = resist(player, settings["matches"], settings["seed"])
    said = f"{settings['trainer']} keeps the value in {_said(classes)} after {settings['games']:,} games"
    return Measured({"history": history, "matches": matches, "verdict": said}, {"cpu": cpu})


@measurement("grade_player")
def grade_player(settings: dict[str, Any]) -> Measured:
    """Grade ``agent`` on ``each`` positions of every class and in matches."""
    from inarow.agents import agent
    from inarow.agents.base import rehearse

    player = agent(settings["agent"])
    rehearse(player, CONNECT4)
    classes, deciding = grade_classes(player, settings["each"], settings["seed"])
    found = {
        "classes": {name: one.to_json() for name, one in classes.items()},
        "matches": resist(player, settings["matches"], settings["seed"]),
    }
    said = f"{settings['agent']} keeps the value in {_said(classes)}"
    if player.timed:
        return Measured({"verdict": f"{settings['agent']} graded"}, {**found, "decisions": deciding})
    return Measured({**found, "verdict": said}, {"decisions": deciding})


def _said(classes: Mapping[str, Accuracy]) -> str:
    total = sum(classes.values(), Accuracy())
    return f"{total.kept:,} of {total.moves:,} positions"


def _runs(found: StudyResults, name: str) -> list[dict[str, Any]]:
    """Return the trainings of all seeds."""
    return [m for seed in range(SEEDS) if (m := found.measured(f"train-{name}-{seed}")) is not None]


def _last(name: str, runs: Sequence[Mapping[str, Any]]) -> GradedLearner:
    """Return a learner after its last game: accuracy over all seeds, other values from the first seed."""
    classes: dict[str, Accuracy] = {}
    for run in runs:
        for key, one in run["history"][-1]["classes"].items():
            classes[key] = classes.get(key, Accuracy()) + Accuracy.from_json(one)
    last, cpu = runs[0]["history"][-1], runs[0]["timing"]["cpu"][-1]
    asked = sum(one.moves for one in classes.values()) / len(runs)
    return GradedLearner(name, classes, runs[0]["matches"], last["games"], cpu["training"], cpu["decisions"] / asked)


def _graded(name: str, measured: Mapping[str, Any]) -> GradedLearner:
    """Return a player that was not trained by the study."""
    known = {**measured, **measured["timing"]}  # under timing if a limit in seconds decided it
    classes = {key: Accuracy.from_json(one) for key, one in known["classes"].items()}
    asked = sum(one.moves for one in classes.values())
    return GradedLearner(name, classes, known["matches"], None, None, known["decisions"] / asked)


def _cost(row: GradedLearner) -> tuple[Cell, Cell]:
    none = Blank("not trained here: `inarow model list` has the training of shipped models")
    return none if row.games is None else row.games, none if row.seconds is None else row.seconds


COST = ("training games:count", "training, processor time:seconds")


def _by_class() -> list[str]:
    return [f"{name}:percent" for name in PositionClass]


def _mistakes(rows: Sequence[GradedLearner]) -> Table:
    """Return the mistakes by class, followed by published ones."""
    made: list[tuple[Cell, ...]] = []
    for row in rows:
        rates = [_opposite(row.classes[name].kept_rate) for name in PositionClass]
        made.append((row.name, *rates, *_cost(row)))
    for other in published():
        if "mistakes" in other:
            given = [other["mistakes"].get(name, NOT_PLAYED) for name in PositionClass]
            made.append((f"published: {other['system']}", *given, other.get("games", NOT_PLAYED), NOT_PLAYED))
    heads = ("learner", *_by_class(), *COST)
    return table("learners-mistakes", "Mistakes by class of positions", heads, made, MISTAKE)


def _opposite(rate: Interval | None) -> Cell:
    if rate is None:
        return Blank("no positions")
    return Interval(1 - rate.estimate, 1 - rate.high, 1 - rate.low)


def _perfect(rows: Sequence[GradedLearner]) -> Table:
    """Return the perfect moves by class and overall."""
    made: list[tuple[Cell, ...]] = []
    for row in rows:
        rates = [row.classes[name].perfect_rate or Blank("no positions") for name in PositionClass]
        made.append((row.name, *rates, row.total.perfect_rate or Blank("no positions"), row.decision))
    for other in published():
        if "perfect" in other:
            blanks = [NOT_PLAYED for _ in PositionClass]
            made.append((f"published: {other['system']}", *blanks, other["perfect"], NOT_PLAYED))
    heads = ("learner", *_by_class(), "all classes:percent",
        "processor time per move:seconds",
    )  # fmt: skip
    note = "Share of positions where the move has the best score: the fastest win or the longest resistance."
    return table("learners-perfect", "Perfect moves by class of positions", heads, made, note)


def _resistance(rows: Sequence[GradedLearner]) -> Table:
    """Return the scores against perfect play of longest resistance."""
    made: list[tuple[Cell, ...]] = []
    for row in rows:
        scores = [bounded_mean(row.matches[kind]) or Blank("not played") for kind in OPENINGS]
        made.append((row.name, max(map(len, row.matches.values())), *scores))
    for other in published():
        if "resistance" in other:
            made.append((f"published: {other['system']}", NOT_PLAYED, other["resistance"], NOT_PLAYED, NOT_PLAYED))
    heads = ("learner", "matches of a kind, at most:count", *(f"{one}:percent" for one in OPENINGS))
    note = (
        "Wins plus half the draws against a perfect opponent that resists as long as it can, each opening at most "
        "once. Perfect play scores 100 %. Matches from the empty board follow few lines, so they are not independent."
    )
    return table("learners-resistance", "Against perfect play of longest resistance", heads, made, note)


def _curves(trained: Mapping[str, Sequence[Mapping[str, Any]]]) -> list[Figure]:
    """Plot kept values against training games and against processor time."""
    by_games, by_seconds = [], []
    for name, runs in trained.items():
        games: list[tuple[float, float | Interval]] = []
        seconds: list[tuple[float, float | Interval]] = []
        for number, entry in enumerate(runs[0]["history"]):
            totals = [
                sum((Accuracy.from_json(one) for one in run["history"][number]["classes"].values()), Accuracy())
                for run in runs
            ]
            rate = sum(totals, Accuracy()).kept_rate
            if rate is not None:
                games.append((entry["games"], rate))
                seconds.append((runs[0]["timing"]["cpu"][number]["training"], rate))
        by_games.append(Curve(name, games))
        by_seconds.append(Curve(name, seconds))
    y = Axis("value kept, all classes", "percent")
    band = "95 % intervals over the positions; all seeds together."
    return [
        curves(key, f"Value kept against {name}", Axis(name, kind, log=True), y, lines, band)
        for key, name, kind, lines in (
            ("learners-games", "training games", "count", by_games),
            ("learners-seconds", "processor time", "seconds", by_seconds),
        )
    ]


def _published() -> Table:
    rows = [
        (
            f"{one['system']}: {one['player']}",
            one["training"],
            f"{one['measured']}. {one['comparable']}",
            f"{one['source']}, {one['url']}",
        )
        for one in published()
    ]
    heads = "system and player | training | measure and comparability | source"
    return table("learners-published", "Published figures", heads, rows)


def _sentences(rows: Sequence[GradedLearner]) -> list[str]:
    """Name the learner and the player with the fewest mistakes."""
    said = []
    for among, whose in ((rows[: len(TRAINED)], "learners trained here"), (rows, "all players")):
        best = max(among, key=lambda row: row.total.kept / row.total.moves)
        hard = shown("percent", _opposite(best.classes[PositionClass.BEGIN_HARD].kept_rate))
        said.append(f"Fewest mistakes of {whose}: {best.name}, with {hard} in begin-hard positions.")
    return said
