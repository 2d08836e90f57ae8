"""The studies ``scaling`` and ``limits``: the cost of search by depth and board, and strength by time per move."""

from __future__ import annotations

import itertools
import math
from collections.abc import Mapping, Sequence
from typing import Any

from inarow.agents import agent
from inarow.arena import Results, Tournament
from inarow.report.curves import Axis, Curve, curves
from inarow.report.page import Item, Section
from inarow.report.tables import Blank, Cell, Figure, Table, lead_in_elo, shown, table
from inarow.rules import CONNECT4, game
from inarow.stats import Interval
from inarow.studies import sections as parts
from inarow.studies.base import Content, Experiment, Measurement, Plan, Study, StudyResults
from inarow.studies.measurements import solve_board, think
from inarow.studies.search_cost import REPEAT, boards_table, busy_warning, limits_table
from inarow.studies.sections import graded, gradings

SEARCHES = {
    "minimax": "minimax",
    "alpha–beta, moves from the left": "alphabeta:ordering=none",
    "centre first": "alphabeta",
    "threats first": "alphabeta:ordering=threats",
    "earlier cut-offs first": "alphabeta:ordering=history",
    "centre first, table": "alphabeta:tt=on",
    "centre first, table, mirror images": "alphabeta:tt=on,symmetry=on",
    "centre first, deepening": "alphabeta:iterative_deepening=on",
    "all switches": "alphabeta:ordering=threats,tt=on,symmetry=on,iterative_deepening=on",
}
BOARDS = (
    "3x3x3-free",
    "4x3x3-free",
    "4x4x3-free",
    "4x4x4-free",
    "4x4x4",
    "5x4x4",
    "5x5x4",
    "6x5x4",
    "7x5x4",
    "7x6x4",
    "8x6x4",
    "6x6x5",
)
LINE = "4334434433674171"
"""The start of a match between two alpha–beta players of depth 8; its prefixes are solved to the end."""
FULL_DEPTH = {"quick": (16, 12, 8, 6, 4), "full": (16, 12, 8, 6, 4, 2, 0)}
"""Numbers of stones from which the solver starts."""
EARLY = ["", "44", "4444"]
NOT_SEARCHED = Blank("not searched to this depth")
TIMES = (0.003, 0.01, 0.03, 0.1, 0.3, 1.0)


class Scaling(Study):
    """Measures the cost of search by depth, board size and time limit."""

    name = "scaling"
    title = "The cost of search by depth, board size and time"
    summary = "nodes, time and branching factor by depth and board size; depth by time limit"
    figure = "scaling-nodes"

    def experiments(self, plan: Plan) -> Sequence[Experiment]:
        made: list[Experiment] = []
        for name, spec in SEARCHES.items():
            deepest = plan.pick(6, 8) if name == "minimax" else plan.pick(9, 12)
            for depth in range(1, deepest + 1):
                limited = f"{spec}{',' if ':' in spec else ':'}depth={depth}"
                settings = {"agent": limited, "game": "connect4", "positions": [""], "repeat": REPEAT}
                made.append(Measurement(f"depth-{name}-{depth}", think, settings))
        for spec in ("minimax", "alphabeta"):
            for seconds in TIMES:
                settings = {"agent": f"{spec}:seconds={seconds:g}", "game": "connect4", "positions": EARLY}
                made.append(Measurement(f"time-{spec}-{seconds:g}", think, settings, weight=5))
        for board in BOARDS:
            settings = {"game": board, "seconds": plan.pick(10, 60)}
            if game(board) != CONNECT4 or 0 not in FULL_DEPTH[plan.scale]:  # else it is the last of the following
                made.append(Measurement(f"board-{board}", solve_board, settings, weight=20))
        for stones in FULL_DEPTH[plan.scale]:
            settings = {
                "game": "connect4", "moves": LINE[:stones], "seconds": plan.pick(60, 600),
                "threads": 1 if stones >= 4 else 0,
            }  # fmt: skip
            made.append(Measurement(f"full-{stones}", solve_board, settings, weight=20))
        return made

    def content(self, found: StudyResults) -> Content:
        depths = _by_depth(found)
        branching = _branching(depths)
        nodes, times = _depth_figures(depths)
        sections = [
            Section("By depth", (nodes, _depth_table(depths), branching, times)),
            Section("To the end of the game", (*_full_depth(found),)),
            Section("By board", _boards(found)),
            Section("By time", (limits_table(found, ("minimax", "alphabeta"), TIMES),)),
        ]
        lead = (
            "Connect 4 from the empty board by depth and to the end of the game, whole boards solved exactly, and the "
            "depth reached within a time limit."
        )
        return Content(lead, _sentences(branching, found), sections, warnings=busy_warning(found))


def _by_depth(found: StudyResults) -> dict[str, list[tuple[int, int, float]]]:
    """Return depth, nodes and seconds of each search."""
    made: dict[str, list[tuple[int, int, float]]] = {}
    for name in SEARCHES:
        for depth in range(1, 20):
            m = found.measured(f"depth-{name}-{depth}")
            if m is not None:
                made.setdefault(name, []).append((depth, m["nodes"][0], m["timing"]["seconds"][0]))
    return made


def fitted(points: Sequence[tuple[float, float]]) -> float | None:
    """Return the growth factor of y per unit of x by least squares on log y, or None with fewer than three points."""
    known = [(x, math.log(y)) for x, y in points if y > 0]
    if len(known) < 3:
        return None
    mean_x, mean_y = (sum(p[i] for p in known) / len(known) for i in (0, 1))
    spread = sum((x - mean_x) ** 2 for x, _ in known)
    return math.exp(sum((x - mean_x) * (y - mean_y) for x, y in known) / spread)


def _depth_table(depths: Mapping[str, Sequence[tuple[int, int, float]]]) -> Table:
    """Return the nodes of each search, one column per depth."""
    deepest = max((points[-1][0] for points in depths.values()), default=0)
    rows: list[tuple[Cell, ...]] = []
    for name, points in depths.items():
        nodes = {depth: count for depth, count, _ in points}
        rows.append((name, *(nodes.get(depth, NOT_SEARCHED) for depth in range(1, deepest + 1))))
    heads = ["search"]
    heads += [f"depth {depth}:count" for depth in range(1, deepest + 1)]
    return table("scaling-depth", "Connect 4 from the empty board: nodes by depth", heads, rows)


def _branching(depths: Mapping[str, Sequence[tuple[int, int, float]]]) -> Table:
    few = Blank("too few depths")
    rows: list[tuple[Cell, ...]] = []
    for name, points in depths.items():
        by_nodes, by_time = (fitted([(p[0], p[i]) for p in points[2:]]) for i in (1, 2))
        rows.append((name, few if by_nodes is None else by_nodes, few if by_time is None else by_time, points[-1][0]))
    heads = "search | nodes:number | time:number | deepest:count"
    title = "Effective branching factor, fitted from depth 3 on"
    return table("scaling-branching", title, heads, rows)


def _depth_figures(depths: Mapping[str, Sequence[tuple[int, int, float]]]) -> list[Figure]:
    x = Axis("depth (plies)", whole=True)
    nodes = [Curve(name, [(float(d), float(n)) for d, n, _ in points]) for name, points in depths.items()]
    times = [Curve(name, [(float(d), s) for d, _, s in points]) for name, points in depths.items()]
    return [
        curves("scaling-nodes", "Nodes by depth, with and without pruning", x, Axis("nodes", log=True), nodes),
        curves("scaling-time", "Time by depth", x, Axis("time", "seconds", log=True), times),
    ]


def _searched(found: StudyResults) -> list[tuple[int, dict[str, Any]]]:
    """Return the searches to the end of the game by the number of stones at the start."""
    known = ((stones, found.measured(f"full-{stones}")) for stones in FULL_DEPTH[found.plan.scale])
    return [(stones, m["timing"]) for stones, m in known if m is not None]


def _full_depth(found: StudyResults) -> list[Item]:
    rows: list[tuple[Cell, ...]] = []
    points = []
    for stones, timing in _searched(found):
        limit = found.config(f"full-{stones}")["settings"]["seconds"]
        verdict: Cell = timing["verdict"] or Blank("not solved in the time limit")
        left = CONNECT4.cells - stones
        moves = LINE[:stones] or "the empty board"
        rows.append((moves, stones, left, verdict, timing["nodes"], timing["seconds"], float(limit), timing["threads"]))
        points += [(float(left), float(timing["nodes"]))] if timing["verdict"] else []
    heads = (
        "after | stones:count | plies to the end:count | for the side to move | nodes:count | time:seconds | "
        "limit:seconds | threads:count"
    )
    made: list[Item] = [
        "The reports call a full search of Connect 4 infeasible. The solver, an alpha–beta search with bounds, proves "
        "the exact value of these positions to the end of the game, without an opening book.",
        table("scaling-full", "Connect 4 searched to the end of the game", heads, rows),
    ]
    if len(points) > 1:
        x, y = Axis("plies to the end of the game", whole=True), Axis("nodes", log=True)
        made.append(curves("scaling-full-nodes", "Nodes to the end of the game", x, y, [Curve("solver", points)]))
    return made


def _boards(found: StudyResults) -> tuple[Table | Figure, ...]:
    known = {game(name): found.measured(f"board-{name}") for name in BOARDS}
    known[CONNECT4] = known[CONNECT4] or found.measured("full-0")
    timings = {board: m["timing"] for board, m in known.items() if m is not None}
    solved: dict[str, list[tuple[float, float]]] = {}
    for board, timing in timings.items():
        if timing["verdict"]:
            family = f"{board.k} in a row, {'with' if board.gravity else 'no'} gravity"
            solved.setdefault(family, []).append((float(board.cells), float(timing["nodes"])))
    few = Blank("fewer than three boards of this family were solved")
    fits = [(family, few if (factor := fitted(points)) is None else factor) for family, points in solved.items()]
    growth = ("boards", "factor for one more cell:number")
    lines = [Curve(family, sorted(points)) for family, points in solved.items()]
    return (
        boards_table(timings),
        table("scaling-growth", "How the solver’s nodes grow with the board", growth, fits, *_shrinks(fits)),
        curves("scaling-cells", "Nodes to solve a board", Axis("cells", whole=True), Axis("nodes", log=True), lines),
    )


def _shrinks(fits: Sequence[tuple[str, float | Blank]]) -> tuple[str, ...]:
    """Explain factors below 1."""
    if not any(isinstance(factor, float) and factor < 1 for _, factor in fits):
        return ()
    return ("Below 1: the first player wins the larger boards, and a winning move ends the search.",)


def _sentences(branching: Table, found: StudyResults) -> list[str]:
    by_name = {str(row[0]): row[1] for row in branching.rows}
    said = []
    first, last = by_name.get("minimax"), by_name.get("all switches")
    if isinstance(first, float) and isinstance(last, float):
        said.append(
            f"One more ply multiplies the nodes of minimax by {shown('number', first)}, and those of alpha–beta with "
            f"all switches by {shown('number', last)}."
        )
    reached = [(stones, timing) for stones, timing in _searched(found) if timing["verdict"]]
    if reached:
        stones, timing = reached[-1]
        start = f"from {stones} stones on" if stones else "from the empty board"
        said.append(
            f"The solver searches Connect 4 to its end {start}, all {CONNECT4.cells - stones} plies, with "
            f"{timing['nodes']:,} nodes in {shown('seconds', timing['seconds'])}: a {timing['verdict']} for the "
            "side to move."
        )
    return said


TIME_LIMITS = {"quick": (0.001, 0.004, 0.016), "full": (0.001, 0.003, 0.01, 0.03, 0.1)}
KEPT = (
    "Value kept: share of positions with a choice of the truth set where the move keeps the exact value. Elo is "
    "estimated from all matches of the pool."
)
LEADS = ("time a move:seconds", "lead in Elo:elo")
KINDS = {"alphabeta": "alpha–beta", "mcts": "MCTS"}


def _spec(kind: str, seconds: float) -> str:
    return f"{kind}:seconds={seconds:g}" + (",ordering=threats,tt=on" if kind == "alphabeta" else "")


def _label(kind: str, seconds: float) -> str:
    return f"{KINDS[kind]}, {shown('seconds', seconds)}"


class Limits(Study):
    """Compares alpha–beta and MCTS at equal times per move."""

    name = "limits"
    title = "Strength by time per move: alpha–beta and Monte Carlo tree search"
    summary = "strength and accuracy of alpha–beta and MCTS by time per move"
    figure = "limits-elo"

    def experiments(self, plan: Plan) -> Sequence[Experiment]:
        specs = tuple(_spec(kind, seconds) for kind in KINDS for seconds in TIME_LIMITS[plan.scale])
        labels = {
            agent(_spec(k, seconds)).spec: _label(k, seconds) for k in KINDS for seconds in TIME_LIMITS[plan.scale]
        }
        pool = Tournament.of(
            CONNECT4, specs, "random:4", plan.pick(8, 12), seed=plan.seed, key="connect4", labels=labels
        )
        return [pool, *gradings(CONNECT4, specs, plan)]

    def content(self, found: StudyResults) -> Content:
        results = found.results("connect4")
        if results is None:
            return Content("Not begun.", (), ())
        known = graded(found, CONNECT4)
        ratings = {standing.spec: standing.rating for standing in results.standings()}
        rows: list[tuple[Cell, ...]] = []
        elo, kept = [], []
        for kind, name in KINDS.items():
            by_elo: list[tuple[float, float | Interval]] = []
            by_truth: list[tuple[float, float | Interval]] = []
            for seconds in TIME_LIMITS[found.plan.scale]:
                rating = ratings.get(_label(kind, seconds))
                graded_here = known.get(_spec(kind, seconds))
                rate = None if graded_here is None else graded_here.total.kept_rate
                none = Blank("not measured")
                rows.append((name, seconds, none if rating is None else rating, none if rate is None else rate))
                by_elo += [(seconds, rating)] if rating is not None else []
                by_truth += [(seconds, rate)] if rate is not None else []
            elo.append(Curve(name, by_elo))
            kept.append(Curve(name, by_truth))
        heads = "search | time a move:seconds | Elo:elo | value kept:percent"
        x = Axis("time a move", "seconds", log=True)
        gaps = _gaps(results, TIME_LIMITS[found.plan.scale])
        sections = [
            Section(
                "Strength against time",
                (
                    table("limits", "Strength by thinking time", heads, rows, KEPT),
                    table("limits-leads", "Alpha–beta ahead of MCTS at equal times", LEADS, list(gaps.items())),
                    curves("limits-elo", "Elo against thinking time", x, Axis("Elo in this pool", "elo"), elo),
                    curves(
                        "limits-kept", "Kept value against thinking time", x,
                        Axis("value kept", "percent"), kept,
                    ),
                ),
            ),
            Section(
                "Every pairing",
                (
                    parts.cross_table(results, "limits-cross"),
                    parts.meetings(results, "limits-all"),
                ),
            ),
        ]  # fmt: skip
        said = [_sentence(seconds, gap) for seconds, gap in gaps.items()]
        leaders = [(seconds, _leader(gap)) for seconds, gap in gaps.items() if not gap.covers(0)]
        for (before, one), (after, other) in itertools.pairwise(leaders):
            if one != other:
                span = f"{shown('seconds', before)} and {shown('seconds', after)}"
                said.append(f"They cross between {span} a move, from {one} to {other}.")
        if len({better for _, better in leaders}) == 1:
            other = next(name for name in KINDS.values() if name != leaders[0][1])
            said.append(f"The curves do not cross: {other} is significantly stronger at none of these times.")
        lead = "Connect 4; round robin from random openings of 4 plies, in pairs with seats swapped."
        return Content(lead, said, sections)


def _gaps(results: Results, times: Sequence[float]) -> dict[float, Interval]:
    """Return alpha–beta's lead over MCTS in Elo at each time limit."""
    found = {}
    for seconds in times:
        pair = [label for kind in KINDS if (label := _label(kind, seconds)) in results.agents]
        if len(pair) == len(KINDS):
            found[seconds] = results.ratings.difference(*(results.agents.index(label) for label in pair))
    return found


def _leader(gap: Interval) -> str:
    return KINDS["alphabeta" if gap.estimate > 0 else "mcts"]


def _sentence(seconds: float, gap: Interval) -> str:
    where = f"At {shown('seconds', seconds)} a move"
    if gap.covers(0):
        return f"{where} the difference is not significant."
    lead = gap if gap.estimate > 0 else Interval(-gap.estimate, -gap.high, -gap.low)
    return f"{where} {_leader(gap)} is stronger, by {lead_in_elo(lead)}."
