"""The study ``learning``: training curves and the cost of textbook faults; trainings that other studies share."""

from __future__ import annotations

import time
from collections.abc import Mapping, Sequence
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

from inarow.agents import Mind, agent
from inarow.agents.base import ChoosingMind
from inarow.formatting import listed
from inarow.match import play_match
from inarow.randomness import Stream, derive
from inarow.report.curves import Axis, Curve, curves
from inarow.report.page import Item, Section
from inarow.report.tables import Blank, Cell, Figure, Table, rate_difference, shown, table
from inarow.rules import CONNECT4, TICTACTOE, Game, Position, game
from inarow.stats import Interval, wilson
from inarow.studies.base import Content, Experiment, Measured, Measurement, Plan, Study, StudyResults, measurement
from inarow.training.plain.qlearning import PlainQLearner, Turn
from inarow.training.training import Evaluation, Held

if TYPE_CHECKING:
    from inarow.training.training import TruthMeasure


SOUND = "sound"
SEEDS = 3
"""Number of seeds at full scale."""
OPPONENTS = ("rules", "random")
"""Opponents in evaluations."""
NOT_LOST, TRUTH = "not lost", "keeps the verdict"


class LearnerGroup(NamedTuple):
    """Learners that are shown together."""

    key: str
    title: str
    game: Game
    learners: Mapping[str, str]
    """Agent specs by name; of the plain Q-learner, the fault, or none."""
    episodes: tuple[int, int]
    """At quick and full scale."""
    about: str
    plain: bool = False


FAULTS: Mapping[str, str] = {
    "no-loss": "the loser’s last move is not updated",
    "plus": "the opponent’s best reply counts with the wrong sign",
    "last-only": "only the last move of a game is updated",
    "explores": "exploration stays on in evaluations",
    "first-tie": "ties go to the first move",
}
ONE_OPPONENT = "trained against one opponent only"
GROUPS = (
    LearnerGroup(
        "tictactoe", "Tic Tac Toe: training curves", TICTACTOE,
        {"qlearning": "qlearning", "ntuple": "ntuple:tuples=8,length=6"}, (5_000, 50_000),
        "Both learn from self-play.",
    ),
    LearnerGroup(
        "connect4", "Connect 4: training curves", CONNECT4,
        {"qlearning": "qlearning", "guided Q-learning": "qlearning:guide=heuristic", "ntuple": "ntuple"},
        (20_000, 200_000),
        "All learn from self-play. A guide plays wins, blocks and double threats without learning, so a guided curve "
        "starts high. A table knows only the positions of its training games, which hardly include those of the truth "
        "set, so its curve is flat; a network generalises to positions it has never seen.",
    ),
    LearnerGroup(
        "faults", "The cost of textbook faults", TICTACTOE,
        {SOUND: "", **{said: fault for fault, said in FAULTS.items()}, ONE_OPPONENT: ""},
        (5_000, 40_000),
        "The plain Q-learner in Tic Tac Toe with one common fault each. The last column shows why one match against "
        "itself is no evaluation.",
        plain=True,
    ),
    LearnerGroup(
        "settings", "The effect of settings", TICTACTOE,
        {
            SOUND: "qlearning",
            "each seat learns alone": "qlearning:backup=own",
            "updates in forward order": "qlearning:sweep=forward",
            "no symmetries": "qlearning:symmetry=off",
            "no exploration": "qlearning:epsilon=0,opening_plies=0",
            "always from the empty board": "qlearning:opening_plies=0",
            "no bootstrapping": "qlearning:gamma=0",
            "learning rate 1": "qlearning:alpha=1",
            "learning rate 0.01": "qlearning:alpha=0.01",
        },
        (4_000, 40_000),
        "The compiled learner in Tic Tac Toe with one setting changed each.",
    ),
)  # fmt: skip


class LearningCurves(Study):
    """Trains learners and faulty variants, and compares their curves."""

    name = "learning"
    title = "Learning: training curves, and the cost of textbook faults"
    summary = "training curves of Q-tables and n-tuple networks; the cost of textbook faults"
    figure = "learning-connect4-truth"

    def experiments(self, plan: Plan) -> Sequence[Experiment]:
        return [
            _training(group, name, plan, seed)
            for group in GROUPS
            for name in group.learners
            for seed in range(plan.pick(2, SEEDS))
        ]

    def content(self, found: StudyResults) -> Content:
        sections = []
        said: list[str] = []
        for group in GROUPS:
            lines = {name: runs for name in group.learners if (runs := _runs(found, group, name))}
            if lines:
                items: list[Item] = [group.about, _table(group, lines)]
                for measure, short in ((TRUTH, "truth"), (NOT_LOST, "matches")):
                    for by in ("episodes", "seconds") if SOUND not in lines else ("episodes",):
                        key = f"learning-{group.key}-{short}" + ("-seconds" if by == "seconds" else "")
                        title = f"{group.title}, {measure}" + (", by time" if by == "seconds" else "")
                        items.append(curve_figure(key, title, lines, measure, by))
                sections.append(Section(group.title, tuple(items)))
                said += _sentences(group, lines)
        lead = (
            "Several seeds each, evaluated during training without exploration: in matches against rules and random "
            "in both seats, and by the share of positions where the move keeps the exact value, over all positions "
            "of Tic Tac Toe and 300 positions with a choice of Connect 4’s truth set."
        )
        return Content(lead, said, sections)


class FaultyQLearner(PlainQLearner):
    """The plain Q-learner with one of `FAULTS`, or none."""

    fault = ""

    def target(self, turns: list[Turn], ply: int, won: bool) -> float:
        position, move = turns[ply]
        later = len(turns) - 1 - ply
        if (self.fault == "last-only" and later) or (self.fault == "no-loss" and later == 1 and won):
            return self.values(position)[move]  # nothing is learnt
        if self.fault == "plus" and later:
            return self.gamma * self.best(turns[ply + 1][0])
        return super().target(turns, ply, won)

    def greedy(self, position: Position, random: Stream) -> int:
        values = self.values(position)
        return max(values, key=values.__getitem__) if self.fault == "first-tie" else super().greedy(position, random)

    def mind(self, seed: int) -> Mind:
        if self.fault != "explores":
            return super().mind(seed)
        return ChoosingMind(
            lambda position, random: (
                random.choice(position.legal_moves())
                if random.uniform() < self.epsilon
                else self.greedy(position, random)
            ),
            seed,
        )


@measurement("train_plain")
def train_plain(settings: dict[str, Any]) -> Measured:
    """Train the plain Q-learner with a fault, against an opponent or itself; the history is as that of `train`."""
    board, seed, every = game(settings["game"]), settings["seed"], settings["every"]
    opponent = agent(settings["opponents"][0]) if settings["opponents"] else None
    plies = 0 if opponent else 8
    learner = FaultyQLearner(board, seed, symmetries=True, opening_plies=plies, opponent=opponent)
    learner.fault = settings["fault"]
    evaluation = Evaluation(settings["against"], settings["matches"], truth_of(board))
    history: list[dict[str, Any]] = []
    timing, begun = [], time.perf_counter()
    for episodes in range(0, settings["episodes"] + 1, every):
        learner.run(episodes - learner.episodes)
        found = evaluation.measure(board, learner.mind, derive(seed, "evaluation", episodes))
        size = {"entries": len(learner.table), "bytes": 4 * board.moves * len(learner.table)}
        history.append({"episodes": episodes, **size, **found})
        timing.append({"episodes": episodes, "seconds": round(time.perf_counter() - begun, 3)})
    alone = play_match(board, Held(learner.mind), Held(learner.mind), seed=seed).result
    said = f"{FAULTS.get(learner.fault, 'no fault')}: {learner.episodes:,} episodes"
    return Measured({"history": history, "alone": alone, "verdict": said}, {"history": timing})


def _training(group: LearnerGroup, name: str, plan: Plan, seed: int) -> Measurement:
    spec = group.learners[name]
    episodes = plan.pick(*group.episodes)
    settings = training(
        "qlearning" if group.plain else spec, group.game, episodes, plan, every=max(1, episodes // plan.pick(5, 10)),
        matches=plan.pick(25, 200), against=OPPONENTS, seed=plan.seed + seed, truth=True,
        opponents=["rules"] if name == ONE_OPPONENT else [],
    )  # fmt: skip
    if group.plain:
        settings["fault"] = spec
    run = train_plain if group.plain else train
    return Measurement(f"{group.key}-{name}-{seed}", run, settings, weight=40 if group.game == CONNECT4 else 15)


def _runs(found: StudyResults, group: LearnerGroup, name: str) -> list[dict[str, Any]]:
    """Return the trainings of all seeds, with the share of matches not lost added to their measures."""
    known = [found.measured(f"{group.key}-{name}-{seed}") for seed in range(SEEDS)]
    runs = [m for m in known if m is not None]
    for run in runs:
        for entry in run["history"]:
            safe = _not_lost([entry])
            entry["truth"] = {**entry.get("truth", {}), NOT_LOST: None if safe is None else safe.estimate}
    return runs


def _not_lost(entries: Sequence[Mapping[str, Any]], opponent: str = "") -> Interval | None:
    """Return the share of matches not lost, against one opponent or all."""
    seats = [
        seat
        for entry in entries
        for name, by_seat in entry["matches"].items()
        for seat in by_seat.values()
        if not opponent or name == opponent
    ]
    games = sum(sum(seat.values()) for seat in seats)
    return wilson(games - sum(seat["losses"] for seat in seats), games)


def _table(group: LearnerGroup, lines: Mapping[str, Sequence[Mapping[str, Any]]]) -> Table:
    rows: list[tuple[Cell, ...]] = []
    none = Blank("not judged")
    for name, runs in lines.items():
        last = [run["history"][-1] for run in runs]
        rates = [_not_lost(last, opponent) or none for opponent in (*OPPONENTS, "")]
        truth = sum(entry["truth"][TRUTH] for entry in last) / len(last)
        size = [round(sum(entry[what] for entry in last) / len(last)) for what in ("entries", "bytes")]
        seconds = sum(run["timing"]["history"][-1]["seconds"] for run in runs) / len(runs)
        rows.append((name, last[0]["episodes"], truth, *rates, *size, seconds))
        if group.plain:
            rows[-1] += (", ".join(sorted({_alone(run["alone"]) for run in runs})),)
    heads = ["learner", "episodes:count", f"{TRUTH}:percent"]
    heads += [f"{NOT_LOST} to {opponent}:percent" for opponent in OPPONENTS]
    heads += [f"{NOT_LOST}:percent", "entries:count", "bytes:count"]
    heads += ["time with judging:seconds"]
    if group.plain:
        heads.append("against itself")
    return table(f"learning-{group.key}", f"{group.title}: after the last episode, all seeds together", heads, rows)


def _alone(result: str) -> str:
    """Describe the result of a match against itself."""
    return "a draw" if result == "draw" else f"{result} won"


def _sentences(group: LearnerGroup, lines: Mapping[str, Sequence[Mapping[str, Any]]]) -> list[str]:
    """Rank learners of one game, or name the faults with a significant cost."""
    last = {name: [run["history"][-1] for run in runs] for name, runs in lines.items()}
    if SOUND not in group.learners:
        truth = {name: sum(entry["truth"][TRUTH] for entry in ends) / len(ends) for name, ends in last.items()}
        best, *others = sorted(truth, key=lambda name: -truth[name])
        where = "all positions" if group.game == TICTACTOE else "the graded positions"
        said = [f"{best} keeps the verdict in {shown('percent', truth[best])} of {where}"]
        said += [f"{name} in {shown('percent', truth[name])}" for name in others]
        return [f"{group.game.title}: after training, {listed(said)}."]
    rates = {name: _not_lost(ends) for name, ends in last.items()}
    sound = rates.pop(SOUND, None)
    known = {name: rate for name, rate in rates.items() if rate is not None}
    if sound is None or not known:
        return []
    costs = [name for name, rate in known.items() if rate_difference(sound, rate).low > 0]
    costs.sort(key=lambda name: known[name].estimate)
    named = [f"“{name}” {shown('percent', known[name])}" for name in costs]
    which = "Without a fault the plain Q-learner" if group.plain else "With defaults, the compiled Q-learner"
    said = [f"{which} wins or draws {shown('percent', sound)} of its matches of Tic Tac Toe."]
    if named:
        said.append(f"Faults with a significant cost, with the share of matches not lost: {listed(named)}.")
    rest = [f"“{name}”" for name in known if name not in costs]
    return [*said, f"No significant cost: {listed(rest)}."] if rest else said


def training(
    spec: str, game: Game, episodes: int, plan: Plan, *, every: int = 0, matches: int = 0, model: str = "",
    opponents: Sequence[str] = (), against: Sequence[str] = (), seed: int | None = None, truth: bool = False,
    sample: int = 0,
) -> dict[str, Any]:  # fmt: skip
    """Return the settings of a training.

    The learner trains against ``opponents``, one stage each (by default its own), and is evaluated after every
    ``every`` episodes in ``matches`` matches per seat against each agent of ``against``. With ``truth`` it is also
    graded in ``sample`` exactly solved positions, before the first episode too.
    """
    return {
        "trainer": spec,
        "game": game.name,
        "episodes": episodes,
        "opponents": list(opponents),
        "every": every,
        "matches": matches,
        "against": list(against),
        "seed": plan.seed if seed is None else seed,
        "truth": truth,
        "model": model,
        **({"sample": sample} if sample else {}),
    }


@measurement("train")
def train(settings: dict[str, Any]) -> Measured:
    """Train an agent; the result is the history, and the model is saved if a file is named."""
    from inarow.rules import game
    from inarow.training import Training, TrainingPlan, parse_stages, trainer
    from inarow.training.training import Evaluation

    board, made = game(settings["game"]), trainer(settings["trainer"])
    usual, _ = made.defaults(board)
    truth = truth_of(board, settings.get("sample")) if settings["truth"] else None
    plan = TrainingPlan(
        trainer=made,
        game=board,
        episodes=settings["episodes"],
        stages=parse_stages(settings["opponents"] or usual, board),
        seed=settings["seed"],
        evaluate_every=settings["every"],
        evaluation=Evaluation(settings["against"], max(1, settings["matches"]), truth),
    )
    training = Training(plan)
    untrained = []
    if truth is not None:
        found = plan.evaluation.measure(board, training.learner.mind, plan.seed)
        untrained = [{"episodes": 0, **training.learner.tally(), **training.learner.size(), **found}]
    training.run()
    if settings["model"]:
        path = Path(settings["model"])
        path.parent.mkdir(exist_ok=True)
        training.save(path, slim=True)
    last = training.history[-1]
    said = f"{settings['trainer']} learnt from {settings['episodes']:,} episodes; {last['entries']:,} entries"
    timing = [{"episodes": 0, "seconds": 0.0} for _ in untrained] + training.timing
    return Measured({"history": untrained + training.history, "verdict": said}, {"history": timing})


@cache
def truth_of(game: Game, sample: int | None = None) -> TruthMeasure:
    """Return the truth measure of a game, with all positions solved beforehand so that timing excludes it."""
    from inarow.agents import agent
    from inarow.rules import FIRST
    from inarow.training.training import truth_measure

    measure = truth_measure(game, sample)
    measure(lambda seed: agent("random").start(game, FIRST, seed))
    return measure


def win_rates(entry: Mapping[str, Any]) -> Interval | None:
    """Return the win rate of an evaluation over all opponents and seats, or of training if there was none."""
    counts = [seat for seats in entry["matches"].values() for seat in seats.values()]
    if not counts:
        counts = [{name: entry[name] for name in ("wins", "draws", "losses")}]
    return wilson(sum(c["wins"] for c in counts), sum(sum(c.values()) for c in counts))


def curve_figure(
    key: str, title: str, lines: Mapping[str, Sequence[Mapping[str, Any]]], measure: str = "", by: str = "episodes"
) -> Figure:
    """Plot training curves, one line per name; several seeds give a mean with a band from minimum to maximum.

    Shows the win rate, or the named truth measure, against episodes or seconds.
    """
    drawn = []
    for name, runs in lines.items():
        points: list[tuple[float, float | Interval]] = []
        for index, entry in enumerate(runs[0]["history"]):
            at = entry["episodes"] if by == "episodes" else runs[0]["timing"]["history"][index]["seconds"]
            seen = [_figure_of(run["history"][index], measure) for run in runs if index < len(run["history"])]
            known = [value for value in seen if value is not None]
            if not known:
                continue
            if len(runs) == 1:
                points.append((at, known[0]))
            else:
                rates = [value.estimate if isinstance(value, Interval) else value for value in known]
                points.append((at, Interval(sum(rates) / len(rates), min(rates), max(rates))))
        drawn.append(Curve(name, points))
    x = Axis("episodes", "count") if by == "episodes" else Axis("seconds of training and evaluation", "number")
    y = Axis(measure or "win rate", "percent", low=-3, high=103)
    several = any(len(runs) > 1 for runs in lines.values())
    band = "Bands: minimum to maximum over the seeds." if several else "Bands: 95 % intervals." if not measure else ""
    return curves(key, title, x, y, drawn, band)


def _figure_of(entry: Mapping[str, Any], measure: str) -> float | Interval | None:
    if not measure:
        return win_rates(entry)
    value = entry.get("truth", {}).get(measure)
    return None if value is None else float(value)
