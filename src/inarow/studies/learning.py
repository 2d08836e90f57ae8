"""learning: training curves of each preset and of n-tuples, and what each textbook fault costs."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from inarow.report.cells import Blank, Cell, Column, shown
from inarow.report.page import Section
from inarow.report.sentences import rate_difference
from inarow.report.style import Figure
from inarow.report.tables import Table, table
from inarow.rules import TICTACTOE
from inarow.stats import Interval, wilson
from inarow.studies.base import Content, Experiment, Measure, Plan, Study
from inarow.studies.found import Found
from inarow.studies.trainings import curve_figure, train, training

LEARNERS = {
    "preset r1": "qlearning:preset=r1",
    "preset r2": "qlearning:preset=r2",
    "preset r3": "qlearning:preset=r3",
    "preset r4": "qlearning:preset=r4",
    "qlearning": "qlearning",
    "ntuple": "ntuple:tuples=8,length=6",
}
SOUND = "sound"
FAULTS = {
    SOUND: "qlearning",
    "each seat learns alone": "qlearning:seats=apart",
    "learnt from the first move on": "qlearning:sweep=forward",
    "no symmetries": "qlearning:symmetries=off",
    "no exploration": "qlearning:epsilon=0,openings=0",
    "always from the empty board": "qlearning:openings=0",
    "nothing bootstrapped": "qlearning:gamma=0",
    "learning rate 1": "qlearning:alpha=1",
    "learning rate 0.01": "qlearning:alpha=0.01",
}
OPPONENT = "rules"
SEEDS = 3
"""Of full studies."""


class Learning(Study):
    """How learners learn."""

    name = "learning"
    title = "Learning: training curves, and what the textbook faults cost"
    summary = "training curves of each preset and of n-tuples; what each textbook fault costs"
    figure = "learning-curve"

    def experiments(self, plan: Plan) -> Sequence[Experiment]:
        episodes = plan.pick(4_000, 40_000)
        made: list[Experiment] = []
        for group, specs in (("curve", LEARNERS), ("fault", FAULTS)):
            for name, spec in specs.items():
                for seed in range(plan.pick(2, SEEDS)):
                    settings = training(
                        spec, TICTACTOE, episodes, plan, every=episodes // plan.pick(5, 10), games=plan.pick(25, 200),
                        against=[OPPONENT], seed=plan.seed + seed, truth=True,
                    )  # fmt: skip
                    made.append(Measure(f"{group}-{name}-{seed}", train, settings, weight=10))
        return made

    def content(self, found: Found) -> Content:
        groups = {
            group: {name: runs for name in specs if (runs := _runs(found, group, name))}
            for group, specs in (("curve", LEARNERS), ("fault", FAULTS))
        }
        sections = []
        for group, title, heading in (
            ("curve", "Games not lost during training", "Training curves"),
            ("fault", "Games not lost during training, with one fault each", "What faults cost"),
        ):
            lines = groups[group]
            if not lines:
                continue
            items: list[Table | Figure] = [_table(f"learning-{group}", heading, lines)]
            items.append(curve_figure(f"learning-{group}", title, lines, "not lost"))
            items.append(curve_figure(f"learning-{group}-seconds", f"{title}, by time", lines, "not lost", "seconds"))
            measures = dict.fromkeys(m for runs in lines.values() for m in runs[0]["history"][-1].get("truth", {}))
            for measure in (name for name in measures if name != "not lost"):
                for by in ("episodes", "seconds"):
                    key = f"learning-{group}-{measure.replace(' ', '-')}-{by}"
                    items.append(curve_figure(key, f"Truth: {measure}, by {by}", lines, measure, by))
            sections.append(Section(heading, tuple(items)))
        lead = (
            "Tic Tac Toe, several seeds each; evaluated on the way, without exploration, against win-block-random in "
            "both seats, where a perfect player never loses, and in every position against the exact truth."
        )
        return Content(lead, _sentences(groups["fault"]), sections)


def _runs(found: Found, group: str, name: str) -> list[dict[str, Any]]:
    known = [found.measured(f"{group}-{name}-{seed}") for seed in range(SEEDS)]
    runs = [m for m in known if m is not None]
    for run in runs:
        for entry in run["history"]:
            counts = _counts(entry)
            share = 1 - counts["losses"] / max(1, sum(counts.values()))
            entry["truth"] = {**entry.get("truth", {}), "not lost": share}
    return runs


def _counts(entry: Mapping[str, Any]) -> dict[str, int]:
    seats = [seat for by_seat in entry["matches"].values() for seat in by_seat.values()]
    return {name: sum(seat[name] for seat in seats) for name in ("wins", "draws", "losses")}


def _last(runs: Sequence[Mapping[str, Any]]) -> tuple[Interval | None, Interval | None]:
    """Wins and games not lost in the last evaluations of all seeds."""
    counts = [_counts(run["history"][-1]) for run in runs]
    games = sum(sum(c.values()) for c in counts)
    return wilson(sum(c["wins"] for c in counts), games), wilson(games - sum(c["losses"] for c in counts), games)


def _table(key: str, title: str, lines: Mapping[str, Sequence[Mapping[str, Any]]]) -> Table:
    rows: list[tuple[Cell, ...]] = []
    none = Blank("not evaluated")
    for name, runs in lines.items():
        wins, safe = _last(runs)
        seconds = sum(run["timing"]["history"][-1]["seconds"] for run in runs) / len(runs)
        entries = sum(run["history"][-1]["entries"] for run in runs) / len(runs)
        size = sum(run["history"][-1]["bytes"] for run in runs) / len(runs)
        episodes = runs[0]["history"][-1]["episodes"]
        rows.append((name, episodes, wins or none, safe or none, round(entries), round(size), seconds))
    heads = (
        "learner", Column("episodes", "count"), Column("wins", "percent"), Column("not lost", "percent"),
        Column("entries", "count"), Column("bytes", "count"), Column("time with evaluations", "seconds"),
    )  # fmt: skip
    return table(key + "-table", f"{title}: after the last episode, all seeds together", heads, rows)


def _sentences(faults: Mapping[str, Sequence[Mapping[str, Any]]]) -> list[str]:
    said = []
    sound = _last(faults[SOUND])[1] if SOUND in faults else None
    for name, runs in faults.items():
        faulty = _last(runs)[1]
        if name != SOUND and sound is not None and faulty is not None and rate_difference(sound, faulty).low > 0:
            said.append(
                f"“{name}” costs: {shown('percent', faulty)} of games are not lost, against {shown('percent', sound)} "
                "when it is sound."
            )
    return said
