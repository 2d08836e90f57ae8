"""The cost of search: tables that studies share, and the study ``pruning``."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from inarow.report.charts import cost_dots
from inarow.report.page import Section
from inarow.report.tables import Blank, Cell, Table, shown, table
from inarow.rules import CONNECT4, Game
from inarow.studies.base import Content, Experiment, Measurement, Plan, Study, StudyResults
from inarow.studies.measurements import middle_game, think

SEARCHES = {"minimax": "minimax", "alphabeta": "alpha–beta"}
"""Labels by the name of the agent."""
REPEAT = 3
"""Repetitions of a decision; its time is the minimum."""
BUSY = 0.2
"""Share of time spent waiting for a processor above which a warning is added."""


def _mean(values: Sequence[float]) -> float:
    return sum(values) / len(values)


def limits_table(found: StudyResults, searches: Sequence[str], times: Sequence[float]) -> Table:
    """Return the depth and nodes that each search reaches in a time limit."""
    rows: list[tuple[Cell, ...]] = []
    for name in searches:
        for seconds in times:
            if (m := found.measured(f"time-{name}-{seconds:g}")) is not None:
                depths = [depth for depth in m["timing"]["depths"] if depth is not None]
                reached: Cell = _mean(depths) if depths else Blank("the search has no depth")
                rows.append((SEARCHES.get(name, name.upper()), seconds, reached, _mean(m["timing"]["nodes"])))
    heads = "search | time limit:seconds | depth reached:number | nodes:number"
    note = "Connect 4: mean over three early positions."
    return table("scaling-limits", "Depth and nodes by time limit", heads, rows, note)


def boards_table(solved: Mapping[Game, Mapping[str, Any]]) -> Table:
    """Return the exact value of each board and the cost of solving it."""
    rows: list[tuple[Cell, ...]] = []
    for board, timing in solved.items():
        verdict = timing["verdict"] or Blank("not solved in the time given")
        gravity = "yes" if board.gravity else "no"
        rows.append((board.title, board.cells, board.k, gravity, verdict, timing["nodes"], timing["seconds"]))
    heads = "board | cells:count | k:count | gravity | first player | nodes:count | time:seconds"
    note = "By the exact solver from the empty board, win, draw or loss only, without an opening book."
    return table("scaling-boards", "Solving whole boards", heads, rows, note)


def busy_warning(found: StudyResults) -> list[str]:
    """Warn if the machine was busy while single decisions were timed."""
    timings: list[Mapping[str, Any]] = [
        m["timing"]
        for key in found.keys("measurement")
        if (m := found.measured(key)) is not None and "cpu" in m["timing"]
    ]
    wall, cpu = (sum(timing[name] for timing in timings) for name in ("wall", "cpu"))
    if wall <= 0 or (waited := 1 - cpu / wall) <= BUSY:
        return []
    return [
        f"The machine was busy: timed decisions waited for a processor for {shown('percent', waited)} of the time. "
        "Times in this report are upper bounds; run the study again on an idle machine before you quote them."
    ]


BASE, PLAIN, ALL = "pruning alone", "no pruning (minimax)", "all improvements"
VARIANTS = {
    PLAIN: "minimax:",
    BASE: "alphabeta:ordering=none,",
    "+ centre first": "alphabeta:",
    "+ threats first": "alphabeta:ordering=threats,",
    "+ history": "alphabeta:ordering=history,",
    "+ table": "alphabeta:ordering=none,tt=on,",
    "+ table and mirror images": "alphabeta:ordering=none,tt=on,symmetry=on,",
    "+ deepening": "alphabeta:ordering=none,iterative_deepening=on,",
    "+ deepening and table": "alphabeta:ordering=none,iterative_deepening=on,tt=on,",
    ALL: "alphabeta:ordering=threats,iterative_deepening=on,tt=on,symmetry=on,",
}
STONES = (4, 8, 12, 16)


class Pruning(Study):
    """Measures nodes and time of alpha–beta with each improvement."""

    name = "pruning"
    title = "The effect of each improvement of alpha–beta"
    summary = "the effect of each improvement of alpha–beta, one at a time and together"
    figure = "pruning-nodes"

    def experiments(self, plan: Plan) -> Sequence[Experiment]:
        positions = middle_game(CONNECT4, plan.pick(5, 25), STONES, plan.seed)
        depth = plan.pick(7, 8)
        return [
            Measurement(
                name.replace("+ ", "with "),
                think,
                {"agent": f"{spec}depth={depth}", "game": "connect4", "positions": positions, "repeat": 2},
                weight=60 if spec.startswith("minimax") else 10,
            )
            for name, spec in VARIANTS.items()
        ]

    def content(self, found: StudyResults) -> Content:
        known = {name: found.measured(name.replace("+ ", "with ")) for name in VARIANTS}
        nodes = {name: sum(m["nodes"]) for name, m in known.items() if m is not None}
        times = {name: sum(m["timing"]["seconds"]) for name, m in known.items() if m is not None}
        rows: list[tuple[Cell, ...]] = [
            (name, nodes[name], nodes[name] / nodes[BASE], times[name], times[name] / times[BASE])
            for name in nodes
            if BASE in nodes
        ]
        heads = (
            "search | nodes:count | nodes, of pruning alone:number | time:seconds | time, of pruning alone:number"
        )  # fmt: skip
        settings = next(iter(found.manifest["experiments"]))["config"]["settings"]
        depth, count = settings["agent"].rpartition("=")[2], len(settings["positions"])
        made = table(
            "pruning", f"The same {count} positions searched to depth {depth}", heads, rows,
            "Every search finds the same value; only the cost differs. Each decision allocates its transposition "
            "table, which takes most of the table’s time in searches as short as these.",
        )  # fmt: skip
        by_nodes = sorted(((name, float(count)) for name, count in nodes.items()), key=lambda row: row[1])
        by_time = sorted(times.items(), key=lambda row: row[1])
        figures = (
            cost_dots("pruning-nodes", "Nodes in all", by_nodes, "nodes"),
            cost_dots("pruning-time", "Time in all", by_time, "time", "seconds"),
        )
        said = _sentences({name: count / nodes[BASE] for name, count in nodes.items()} if BASE in nodes else {})
        lead = (
            f"Connect 4, {count} random positions with {', '.join(map(str, STONES))} stones and no immediate win, each "
            f"searched to depth {depth} by every variant."
        )
        return Content(lead, said, [Section("One at a time and together", (made, *figures))])


def _sentences(ratios: Mapping[str, float]) -> list[str]:
    """State the effect of pruning, of the best single improvement, and of all improvements."""
    said = []
    times = {name: shown("number", ratio) for name, ratio in ratios.items()}
    if PLAIN in times:
        said.append(f"Without pruning the search visits {times[PLAIN]} times the nodes of pruning alone.")
    single = {name: ratio for name, ratio in ratios.items() if name.startswith("+ ") and " and " not in name}
    best = min(single, key=lambda name: single[name], default="")
    if best:
        said.append(f"The best single improvement is {best[2:]}: {times[best]} times the nodes of pruning alone.")
    if ALL in times:
        more = f", more than {best[2:]} alone" if best and ratios[ALL] > ratios[best] else ""
        said.append(f"All improvements together visit {times[ALL]} times the nodes of pruning alone{more}.")
    return said
