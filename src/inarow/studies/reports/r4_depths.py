"""The part of r4 that counts by depth: Connect 4 from the empty board, with pruning and without."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from inarow.report.cells import Blank, Cell, Column
from inarow.report.curves import Axis, Curve, curves
from inarow.report.style import Figure
from inarow.report.tables import Table, table
from inarow.studies.framework.measurements import think
from inarow.studies.framework.study import Measurement, Plan
from inarow.studies.framework.study_results import StudyResults
from inarow.studies.reports.published import published
from inarow.studies.reports.reported import NOT_PLAYED, quoted

DEPTHS = (1, 2, 3, 4, 5)


def measurements(plan: Plan) -> list[Measurement]:
    """Every depth, and as deep as a stated time allows for the report's row “full”."""
    made = []
    for kind in ("minimax", "alphabeta"):
        for depth in DEPTHS:
            spec = f"{kind}:depth={depth}" + (",ordering=none" if kind == "alphabeta" else "")
            settings = {"agent": spec, "game": "connect4", "positions": [""], "repeat": 3}
            made.append(Measurement(f"depth-{kind}-{depth}", think, settings))
        settings = {"agent": f"{kind}:seconds={plan.pick(1, 20)}", "game": "connect4", "positions": [""]}
        made.append(Measurement(f"depth-{kind}-timed", think, settings, weight=20))
    return made


def scalability(found: StudyResults) -> Table:
    """Nodes and time by depth, the report's beside ours."""
    rows: list[tuple[Cell, ...]] = []
    for row in published("r4_scalability"):
        cells: list[Cell] = [row["depth"]]
        counts: list[Cell] = []
        for name in ("minimax", "alphabeta"):
            key = "timed" if row["depth"] == "full" else row["depth"]
            measured = found.measured(f"depth-{name}-{key}")
            nodes: Cell = NOT_PLAYED
            seconds: Cell = NOT_PLAYED
            if measured is not None and key == "timed":
                timing = measured["timing"]
                nodes = f"{timing['nodes'][0]:,}: depth {timing['depths'][0]}"
                seconds = timing["seconds"][0]
            elif measured is not None:
                nodes, seconds = measured["nodes"][0], measured["timing"]["seconds"][0]
            if name == "minimax":
                cells.append(7 ** int(row["depth"]) if key != "timed" else Blank("the game has no such simple count"))
            counts.append(nodes)
            cells += [quoted(row[f"nodes_{name}"]), nodes, quoted(row[f"time_{name}_s"]), seconds]
        rows.append((*cells, *_efficiency(row, counts)))
    heads = (
        "depth", Column("7^depth", "count"), Column("nodes, minimax", "count", published=True), Column("ours", "count"),
        Column("s, minimax", "seconds", published=True), Column("ours", "seconds"),
        Column("nodes, alpha–beta", "count", published=True), Column("ours", "count"),
        Column("s, alpha–beta", "seconds", published=True), Column("ours", "seconds"),
        Column("with ÷ without", "percent", published=True), Column("ours", "percent"),
    )  # fmt: skip
    return table(
        "r4-scalability", "Connect 4 by depth limit, from the empty board", heads, rows,
        "Row “full”: ours was given the stated shorter time, and the last depth it searched in full is shown; the "
        "study `scaling` has the solver, which does search to the end. "
        "The report’s nodes are leaves, 7^depth; ours count every position below the root. With ÷ without: nodes with "
        "pruning of those without, of its own figures and of ours.",
    )  # fmt: skip


def _efficiency(row: Mapping[str, str], ours: Sequence[Cell]) -> tuple[Cell, Cell]:
    """The pruning efficiency of the report's figures and of ours (without, with)."""
    if row["depth"] == "full":
        return (Blank("neither was finished"),) * 2
    plain, pruned = ours
    ratio = pruned / plain if isinstance(plain, int) and isinstance(pruned, int) else NOT_PLAYED
    return int(row["nodes_alphabeta"]) / int(row["nodes_minimax"]), ratio


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
    return [f"At depth 5 from the empty board minimax visits {a:,} nodes and alpha–beta {b:,}, for the same move."]
