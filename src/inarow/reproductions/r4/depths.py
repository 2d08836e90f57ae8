"""The part of r4 that counts by depth: Connect 4 from the empty board, with pruning and without."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from inarow.report.cells import Blank, Cell, Column
from inarow.report.curves import Axis, Curve, curves
from inarow.report.style import Figure
from inarow.report.tables import Table, table
from inarow.reproductions import verdicts
from inarow.reproductions.published import published
from inarow.reproductions.reported import NOT_PLAYED
from inarow.studies.framework.measurements import think
from inarow.studies.framework.study import Measured, Measurement, Plan, measurement
from inarow.studies.framework.study_results import StudyResults

DEPTHS = (1, 2, 3, 4, 5)
_CORRECT = "faults=none,view=searcher"
_UNPRINTED = "alphabeta:preset=r4,faults=wins-for-x,ties=order"
READINGS = {
    f"{window} window, {order}, leaf for {leaf}": f"{_UNPRINTED},root={root},{spec},{view}"
    for window, root in (("full", "full"), ("carried", "carried"))
    for order, spec in (("left first", "ordering=none"), ("centre first", "ordering=centre"))
    for leaf, view in (("the side to move", "view=own"), ("who searches", "view=searcher"))
}
"""How the pruned search, which is not printed, may have counted: each by nodes and by leaves, so 16 in all."""


@measurement("count_by_depth")
def count_by_depth(settings: dict[str, Any]) -> Measured:
    """Nodes and leaves of ``agent`` from the empty board by depth; the agent is given without it."""
    from inarow.agents import agent
    from inarow.rules import FIRST, Position, game

    board = game(settings["game"])
    nodes, leaves = [], []
    for depth in DEPTHS:
        mind = agent(f"{settings['agent']},depth={depth}").start(board, FIRST, 0)
        decision = mind.decide(Position.start(board))
        nodes.append(decision.nodes)
        leaves.append(decision.details["leaves"])
    return Measured({"nodes": nodes, "leaves": leaves, "verdict": f"{nodes[-1]:,} nodes at the last depth"}, {})


def measurements(plan: Plan) -> list[Measurement]:
    """Every depth as printed and as correct, the readings of the pruned search, and as deep as a stated time allows
    for the report's row “full”."""
    made = []
    for kind in ("minimax", "alphabeta"):
        for depth in DEPTHS:
            settings = {
                "agent": f"{kind}:preset=r4,depth={depth}", "game": "connect4", "positions": [""], "repeat": 3,
            }  # fmt: skip
            made.append(Measurement(f"depth-{kind}-{depth}", think, settings))
        settings = {"agent": f"{kind}:seconds={plan.pick(1, 20)}", "game": "connect4", "positions": [""]}
        made.append(Measurement(f"depth-{kind}-timed", think, settings, weight=20))
        counted = {"agent": f"{kind}:preset=r4,{_CORRECT}", "game": "connect4"}
        made.append(Measurement(f"count-{kind}", count_by_depth, counted))
    for name, spec in READINGS.items():
        made.append(Measurement(f"reading-{name}", count_by_depth, {"agent": spec, "game": "connect4"}))
    return made


def scalability(found: StudyResults) -> Table:
    """Nodes by depth: published, of the printed program, of a correct one, and which way of counting gives them."""
    rows: list[tuple[Cell, ...]] = []
    for row in published("r4_scalability"):
        for name, label in (("minimax", "no pruning"), ("alphabeta", "pruning")):
            theirs, time = row[f"nodes_{name}"], row[f"time_{name}_s"]
            if row["depth"] == "full":
                rows.append(
                    (row["depth"], label, theirs, *_unfinished(found, name), time, *_time(found, name, "timed"))
                )
                continue
            depth = int(row["depth"])
            measured, correct = found.measured(f"depth-{name}-{depth}"), found.measured(f"count-{name}")
            printed: Cell = NOT_PLAYED if measured is None else measured["nodes"][0]
            meant: Cell = NOT_PLAYED if correct is None else correct["nodes"][depth - 1]
            how = _reading_of(found, name, depth, int(theirs))
            verdict = verdicts.EXACT if printed == int(theirs) else verdicts.NOT_REPRODUCED
            rows.append(
                (row["depth"], label, theirs, printed, meant, how or "by none of the ways tried", verdict, time,
                 *_time(found, name, row["depth"]))
            )  # fmt: skip
    heads = (
        "limit", "search", Column("nodes", published=True), Column("printed program", "count"),
        Column("a correct program", "count"), "the published count is", verdicts.VERDICT,
        Column("s", "seconds", published=True), Column("printed program", "seconds"),
    )  # fmt: skip
    return table(
        "r4-scalability", "Table 5: Connect 4 by depth limit, from the empty board", heads, rows,
        "Nodes: all below the root. The printed program looks a ply further than its limit. Row “full”: ours was given "
        "the stated shorter time, and the last depth that it searched in full is shown; the study `scaling` has the "
        "solver, which does search to the end.",
    )  # fmt: skip


def _reading_of(found: StudyResults, name: str, depth: int, theirs: int) -> str:
    """Which way of counting gives the published number."""
    keys = {"": f"count-{name}"} if name == "minimax" else {reading: f"reading-{reading}" for reading in READINGS}
    for reading, key in keys.items():
        measured = found.measured(key)
        for what in ("leaves", "nodes"):
            if measured is not None and measured[what][depth - 1] == theirs:
                return f"the {what} of {depth} pl{'y' if depth == 1 else 'ies'}" + (f", {reading}" if reading else "")
    return ""


def _unfinished(found: StudyResults, name: str) -> tuple[Cell, ...]:
    measured = found.measured(f"depth-{name}-timed")
    blank = Blank("the game was not searched to its end")
    if measured is None:
        return (NOT_PLAYED, blank, "not finished", verdicts.OPEN)
    timing = measured["timing"]
    return (f"{timing['nodes'][0]:,}: depth {timing['depths'][0]}", blank, "not finished", verdicts.OPEN)


def _time(found: StudyResults, name: str, key: str) -> tuple[Cell, ...]:
    measured = found.measured(f"depth-{name}-{key}")
    return (NOT_PLAYED if measured is None else measured["timing"]["seconds"][0],)


def readings_table(found: StudyResults) -> Table:
    """Every way of counting that was tried for the pruned search."""
    stated = [row["nodes_alphabeta"] for row in published("r4_scalability") if row["depth"] != "full"]
    rows: list[tuple[Cell, ...]] = [("published", *stated)]
    for reading in READINGS:
        measured = found.measured(f"reading-{reading}")
        for what in ("nodes", "leaves"):
            counts: Sequence[Cell] = [NOT_PLAYED] * len(DEPTHS) if measured is None else measured[what]
            rows.append((f"{reading}: {what}", *counts))
    heads: list[Column | str] = ["reading", *(Column(f"limit {depth}", "count") for depth in DEPTHS)]
    return table(
        "r4-readings", "Table 5, pruned: 16 readings, none of which gives the published counts", heads, rows,
        "The last three published counts grow by exactly 3.",
    )  # fmt: skip


def depth_figures(found: StudyResults) -> list[Figure]:
    """The same as curves."""
    nodes, times = [], []
    for name, label in (("minimax", "no pruning"), ("alphabeta", "pruning")):
        known = [(depth, found.measured(f"depth-{name}-{depth}")) for depth in DEPTHS]
        nodes.append(Curve(label, [(float(d), float(m["nodes"][0])) for d, m in known if m is not None]))
        times.append(Curve(label, [(float(d), float(m["timing"]["seconds"][0])) for d, m in known if m is not None]))
        stated = [row for row in published("r4_scalability") if row["depth"] != "full"]
        nodes.append(
            Curve(f"{label}, R4", [(float(r["depth"]), float(r[f"nodes_{name}"])) for r in stated], quiet=True)
        )
        times.append(
            Curve(f"{label}, R4", [(float(r["depth"]), float(r[f"time_{name}_s"])) for r in stated], quiet=True)
        )
    depth = Axis("depth (plies)", whole=True)
    return [
        curves("r4-depth-nodes", "Nodes by depth", depth, Axis("nodes", "number", log=True), nodes),
        curves("r4-depth-time", "Time by depth", depth, Axis("time", "seconds", log=True), times),
    ]


def depth_sentences(found: StudyResults) -> list[str]:
    """What pruning saves at the report's greatest depth."""
    plain, pruned = found.measured("depth-minimax-5"), found.measured("depth-alphabeta-5")
    if plain is None or pruned is None:
        return []
    a, b = plain["nodes"][0], pruned["nodes"][0]
    return [
        f"At limit 5 from the empty board the printed minimax visits {a:,} nodes, and {b:,} with pruning; none of "
        f"{2 * len(READINGS)} readings gives the published counts with pruning."
    ]
