"""The tables and figures of the comparison: functions of the values read from the store."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import NamedTuple

from matplotlib.axes import Axes
from matplotlib.figure import Figure as Canvas
from matplotlib.ticker import LogLocator

from inarow.formatting import listed, percent, signed
from inarow.kernels.lang.records import size_of
from inarow.kernels.mcts import Node
from inarow.report.curves import Axis, Curve, add_tips, curves, draw_band
from inarow.report.tables import (
    COLOURS,
    DASHES,
    INK,
    MARKERS,
    Blank,
    Cell,
    Figure,
    Table,
    fresh_axes,
    plain_ticks,
    shown,
    table,
    tip_at,
)
from inarow.rules import Game
from inarow.stats import Interval, wilson
from inarow.studies.compare.lineup import HEADLINE, MCTS, Q_LEARNING, SCALE, SEARCHERS
from inarow.studies.compare.measuring import GRADED_FROM
from inarow.studies.compare.results import Exact, Learnt, Pace, Play, Pool, Saved, Stored, per_doubling

SMALL = (4.7, 3.3)
"""Inches of a figure that a phone shows whole."""
NOT_APPLICABLE = Blank("does not apply")
NOT_MET = Blank("the two did not meet")
BYTES_PER_MB = 1 << 20


def cross(pool: Pool, names: Sequence[str], key: str, elo: Mapping[str, Interval]) -> Table:
    """Return the scores of each player against each other, the highest mean first; two that met add up to 100."""
    order = pool.ordered(names)
    rows: list[tuple[Cell, ...]] = []
    for a in order:
        cells = [_in_percent(order, a, b, pool) for b in order]
        mean = pool.points(a, [other for other in order if other != a])
        rating = (round(elo[a].estimate, -1),) if a in elo else ()
        rows.append((a, *cells, NOT_MET if mean is None else mean.estimate, *rating))
    heads = [
        "score of, in %",
        *(f"against {name}:number" for name in order),
        "mean:percent",
        *["Elo:elo"] * bool(elo),
    ]
    nobody = all((score := pool.score(name, SCALE[-1])) is None or score.estimate == 1 for name in order)
    rough = ", a rough scale, because random never scores" if nobody else ""
    notes = [f"Elo above random, to tens, in this pool{rough}."] * bool(elo)
    return table(key, f"{pool.game.title}: scores against each other", heads, rows, *notes)


def _in_percent(order: Sequence[str], a: str, b: str, pool: Pool) -> Cell:
    """Return a score in percent as it is printed, the lower of a pairing as the complement of the upper."""
    first, second = (a, b) if order.index(a) < order.index(b) else (b, a)
    score = pool.score(first, second)
    if score is None or a == b:
        return Blank("itself, or the two did not meet")
    upper = float(percent(score.estimate))
    return upper if a == first else round(100 - upper, 1)


def pairings(pool: Pool, key: str, title: str) -> Table:
    """Return every pairing with its counts, interval and finding."""
    rows: list[tuple[Cell, ...]] = []
    for a, b in pool.pairings(pool.names):
        side, claimed = pool.side(a, b), pool.claim(a, b)
        assert side is not None
        assert claimed is not None
        score = pool.score(a, b)
        counts = f"{side.wins} / {side.draws} / {side.losses}"
        limited = ", openings used up" if pool.used_up(a, b) else ""
        cell: Cell = NOT_MET if score is None else score
        rows.append((a, b, side.pairs.total(), counts, cell, claimed.verdict_for(a) + limited))
    heads = f"player | against | pairs:count | won / drawn / lost | score ({pool.rule.coverage}):percent | finding"
    return table(key, title, heads, rows)


def budgets_table(pools: Mapping[float, Pool], pairs: Sequence[tuple[str, str]]) -> Table:
    """Return the score of each pairing of searchers at each budget."""
    rows: list[tuple[Cell, ...]] = []
    for a, b in pairs:
        scores = [pool.score(a, b) for pool in pools.values()]
        rows.append((a, b, *(NOT_MET if score is None else score for score in scores)))
    heads = ["player", "against", *(f"{shown('seconds', seconds)} per move:percent" for seconds in pools)]
    return table("connect4-budgets", "Connect 4: the score at each budget", heads, rows)


# Figures.


class PlacedPlayer(NamedTuple):
    """A player without a budget: its time per move and its points."""

    label: str
    seconds: float
    points: Interval


def strength_figure(
    lines: Mapping[str, Sequence[tuple[float, Interval]]],
    places: Sequence[PlacedPlayer],
    quiet: str,
    key: str,
    by_time: bool,
) -> Figure:
    """Plot points against time, or positions, per move: a curve for each searcher, a thin one for ``quiet``, and a
    point with a dashed line for players without a budget."""
    kind, unit = ("seconds", "time per move") if by_time else ("count", "positions examined per move")
    rows: list[tuple[Cell, ...]] = [(name, at, value) for name, points in lines.items() for at, value in points]
    rows += [(place.label, place.seconds, place.points) for place in places]
    title = f"Connect 4: strength by {unit}"
    data = table(f"{key}-data", title, f"player | {unit}:{kind} | mean points:percent", rows)
    right = max(at for points in lines.values() for at, _ in points)

    def draw(canvas: Canvas) -> None:
        axes = fresh_axes(canvas, grid="both")
        axes.set_xscale("log")
        ends: list[tuple[str, float, float, str]] = []
        for index, (name, points) in enumerate(lines.items()):
            colour, thin = COLOURS[index], name == quiet
            if not thin:
                draw_band(axes, points, 100, colour)
            xs, ys = [at for at, _ in points], [100 * value.estimate for _, value in points]
            axes.plot(
                xs, ys, color=colour, marker=MARKERS[index], linewidth=0.9 if thin else 1.8,
                linestyle=":" if thin else "-", markersize=3 if thin else 5,
            )  # fmt: skip
            add_tips(axes, Curve(name, points), Axis(unit, kind), Axis("mean points", "percent"), ys)
            ends.append((name, xs[-1], ys[-1], colour))
        for index, place in enumerate(places, start=len(lines)):
            colour, height = COLOURS[index % len(COLOURS)], 100 * place.points.estimate
            axes.plot([place.seconds], [height], MARKERS[index % len(MARKERS)], color=colour, markersize=6)
            axes.plot([place.seconds, right], [height, height], color=colour, linestyle="--", linewidth=0.9)
            said = f"{place.label}: {shown('percent', place.points)}\n{unit}: {shown(kind, place.seconds)}"
            tip_at(axes, place.seconds, height, said)
            ends.append((place.label, right, height, colour))
        axes.set_ylim(-3, 103)
        left, farthest = axes.get_xlim()
        axes.set_xlim(left, farthest * (farthest / left) ** 0.42)  # room for the names
        _name_ends(axes, ends)
        if by_time:
            axes.set_xticks(sorted({at for points in lines.values() for at, _ in points}))
        plain_ticks(axes.xaxis, kind)
        axes.set_xlabel(f"{unit} (log scale)")
        axes.set_ylabel("mean points (%)")

    caption = (
        "Mean points per match against the other searchers with the same time per move; bands: 95 % intervals. All get "
        "the same time, so a falling line means that the others gain more."
        + f" Dashed: no budget, at its own time, against the searchers at {shown('seconds', HEADLINE)}." * bool(places)
        + " Dotted: alpha–beta with a transposition table, outside the comparison; its mean is over all the others."
        * (quiet in lines)
        if by_time
        else "The same points, by all positions that a move examines: nodes of a tree search, positions in "
        "simulations of MCTS. Counted in positions with 12 to 20 stones, where the whole budget is used."
    )
    return Figure(key, title, caption, data, draw, SMALL)


def _name_ends(axes: Axes, ends: Sequence[tuple[str, float, float, str]]) -> None:
    """Write the name of each line at its right end, at least a line apart."""
    height = -math.inf
    for name, x, y, colour in sorted(ends, key=lambda end: end[2]):
        height = max(y, height + 6.5)
        axes.annotate(
            name, (x, height), (7, 0), textcoords="offset points", va="center", fontsize=9, color=colour,
            annotation_clip=False,
        )  # fmt: skip


def exactness_figure(tried: Sequence[Exact]) -> Figure:
    """Plot the share of errors in all positions of Tic Tac Toe against time per move."""
    lines = {
        one.name: [(at, Interval(*(1 - part for part in (share.estimate, share.high, share.low))))
                   for at, share in zip(one.seconds, one.shares, strict=True)]
        for one in tried
        if len(one.counts) > 1 and not one.training
    }  # fmt: skip
    learner = next((one for one in tried if one.training), None)
    positions = next(iter(tried)).positions
    rows: list[tuple[Cell, ...]] = [
        (one.name, count, _spread(share) if one.training else share.estimate, at)
        for one in tried
        for count, share, at in zip(one.counts, one.shares, one.seconds, strict=True)
        if len(one.counts) > 1
    ]
    title = f"Tic Tac Toe: errors in all {positions:,} positions by time per move"
    heads = "player | nodes, simulations or training games:count | value kept:percent | time per move:seconds"
    data = table("tictactoe-exactness-data", title, heads, rows)

    def draw(canvas: Canvas) -> None:
        axes = fresh_axes(canvas, grid="both")
        axes.set_xscale("log")
        for index, (name, points) in enumerate(lines.items()):
            style = {"color": COLOURS[index], "marker": MARKERS[index], "linestyle": DASHES[index]}
            xs, ys = [at for at, _ in points], [100 * value.estimate for _, value in points]
            axes.plot(xs, ys, label=name, linewidth=1.6, markersize=4.5, **style)
            add_tips(axes, Curve(name, points), Axis("time per move", "seconds"), Axis("errors", "percent"), ys)
        if learner is not None:
            colour = COLOURS[len(SEARCHERS)]
            ys = [100 * (1 - share.estimate) for share in learner.shares]
            label = f"{learner.name}, by training games"
            axes.plot(learner.seconds, ys, "D", color=colour, markersize=4.5, label=label)
            for count, at, height in zip(learner.counts, learner.seconds, ys, strict=True):
                tip_at(axes, at, height, f"{learner.name}, {count:,} training games\nerrors: {height:.3g} %")
        axes.axhline(0, color=INK, linewidth=0.8)
        axes.xaxis.set_major_locator(LogLocator(subs=(1, 2, 5)))
        plain_ticks(axes.xaxis, "seconds")
        axes.set_xlabel("time per move (log scale)")
        axes.set_ylabel("moves that lose value (%)")
        axes.legend(loc="upper right", fontsize=8)

    caption = "Share of positions in which the move turns a win into a draw or a loss, or a draw into a loss."
    return Figure("tictactoe-exactness", title, caption, data, draw, SMALL)


def _spread(share: Interval) -> str:
    """Format a mean with the least and the most over several tables."""
    return f"{percent(share.estimate)} % (least {percent(share.low)}, most {percent(share.high)})"


def learning_figure(rows: Sequence[Learnt]) -> Figure:
    """Plot the points of the tables against random and rules by training games."""
    opponents = dict.fromkeys(name for row in rows if row.play is not None for name in row.play.points)
    lines = [
        Curve(
            f"against {name}",
            [(row.episodes, row.play.points[name]) for row in rows if row.play and name in row.play.points],
        )
        for name in opponents
    ]
    x, y = Axis("training games", "count", log=True), Axis("points", "percent", low=-3, high=103)
    caption = (
        "From the empty board. Mean of the tables, with a band from the worst to the best; the longest training is a "
        f"single stored run. {_full(rows)}"
    )
    made = curves("connect4-learning", "Connect 4: what the table gains by training", x, y, lines, caption, SMALL)
    cells = [(line.label, at, _spread(value)) for line in lines for at, value in line.points]  # type: ignore[arg-type]
    return replace(made, data=table(made.data.key, made.title, "line | training games:count | points", cells))


def _full(rows: Sequence[Learnt]) -> str:
    """State from which training on the table was full."""
    full = next((row for row in rows if row.full), None)
    return "" if full is None else f"At {full.episodes:,} games the table was full with {full.rows:,.0f} rows."


def known_figure(rows: Sequence[Learnt]) -> Figure:
    """Plot the share of its own decisions that a table knows, by own move."""
    lines = [
        Curve(
            f"{row.episodes:,} games" + (" (full)" if row.full else ""),
            [(turn, known.estimate) for turn in row.play.own if turn <= MAX_OWN and (known := row.play.known(turn))],
        )
        for row in rows
        if row.play is not None
    ]
    x, y = Axis("own move", whole=True), Axis("positions that the table knows", "percent", low=-3, high=103)
    caption = "Share of its own decisions, in matches from the empty board, whose position is in the table."
    return curves("connect4-known", "Connect 4: how deep its knowledge reaches", x, y, lines, caption, SMALL)


MAX_OWN = 10
"""Own moves that the figure shows."""


def errors_figure(plays: Mapping[str, Play]) -> Figure | None:
    """Plot value-losing moves per 100 decisions by stones on the board."""
    lines = []
    for name, play in plays.items():
        bands: dict[int, list[int]] = {}
        for ply, accuracy in play.by_ply.items():
            counts = bands.setdefault(ply // 4 * 4 + 2, [0, 0])
            counts[0] += accuracy.blunders
            counts[1] += accuracy.moves
        points = [(float(ply), lost / moves) for ply, (lost, moves) in sorted(bands.items()) if moves >= FEW]
        if points:
            lines.append(Curve(name, points))
    x, y = Axis("stones on the board", whole=True), Axis("moves that lose value", "percent", low=-1)
    caption = f"Per 100 own decisions in matches, by groups of four plies with at least {FEW} decisions."
    if not lines:
        return None
    return curves("connect4-errors", "Connect 4: errors in play", x, y, lines, caption, SMALL)


FEW = 20
"""Decisions from which a share is plotted."""


# Tables.


def exact_table(tried: Sequence[Exact], units: Mapping[str, str], against_random: bool) -> Table:
    """Return the smallest budget at which each player never errs, and what every reply to it shows."""
    rows: list[tuple[Cell, ...]] = []
    for one in tried:
        never = Blank("it errs at every count tried, or has none")
        place = one.first if len(one.counts) > 1 else None
        least: Cell = never if place is None else f"{one.counts[place]:,} {units.get(one.name, '')}".strip()
        took: Cell = one.seconds[-1 if place is None else place]
        kept: Cell = one.shares[-1 if place is None else place].estimate
        expected: Cell = Blank("two random players score 50 %") if one.name == "random" else one.points
        points = (expected,) if against_random else ()
        rows.append((one.name, least, took, kept, f"{one.lost:,} of {one.lines:,}", *points))
    heads = "player | never errs from | time per move:seconds | value kept:percent | lines lost"
    heads += " | points against random:percent" if against_random else ""
    asked = max(one.positions for one in tried)
    some = sorted({one.positions for one in tried if one.positions < asked})
    part = f" (of added agents in {some[0]:,} of them)" if some else ""
    note = f"Value kept: in all {asked:,} positions{part}. Lines: every reply played out."
    drawn = [f"{one.name} by {one.seeds} seeds" for one in tried if one.seeds > 1 and not one.training]
    drawn += [f"{one.name} by {one.seeds} tables" for one in tried if one.training]
    ends = [one.name for one in tried if one.name in SCALE]
    drawn += [f"{listed(ends)} by one draw of their moves"] * bool(ends)
    note = note.rstrip(".") + "".join(f"; {how}" for how in drawn) + "."
    return table("tictactoe-exact", "Tic Tac Toe: exactness", heads, rows, note)


def saved_table(rows: Sequence[Saved], depths: Mapping[Game, str]) -> Table:
    """Return what pruning saves at a fixed depth."""
    heads = (
        "game | depth | positions:count | same move:count | minimax, nodes:count | alpha–beta, nodes:count | "
        "saved:percent | minimax, time:seconds | alpha–beta, time:seconds"
    )
    cells: list[tuple[Cell, ...]] = [
        (one.game.title, depths[one.game], one.positions, one.same, *one.nodes, one.fewer, *one.seconds) for one in rows
    ]
    return table("pruning", "Minimax and alpha–beta at the same depth", heads, cells, "Per decision.")


def learning_table(rows: Sequence[Learnt], moves_each: float) -> Table:
    """Return what training costs and what it reaches."""
    opponents = list(dict.fromkeys(name for row in rows if row.play is not None for name in row.play.points))
    cells: list[tuple[Cell, ...]] = []
    for row in rows:
        scores = [row.play.points.get(name) if row.play else None for name in opponents]
        points = [
            NOT_MET if score is None else _spread(score) if row.tables > 1 else shown("percent", score.estimate)
            for score in scores
        ]
        lost = row.play.lost_at if row.play else None
        far: Cell = Blank("more than half at every move") if lost is None else lost
        filled = f"{row.rows:,.0f}" + (" (full)" if row.full else "")
        cells.append((row.episodes, filled, row.seconds, row.seconds / moves_each, *points, far))
    heads = [
        "games:count", "rows", "training:seconds",
        f"in moves of {shown('seconds', moves_each)}:count",
        *(f"against {name}" for name in opponents), "half unknown from own move:count",
    ]  # fmt: skip
    several = max(row.tables for row in rows)
    note = (
        f"From the empty board; means of {several} tables. Half unknown: the table has under half of the positions met."
    )
    return table("connect4-trained", "Connect 4: training and what it reaches", heads, cells, note)


def cost_table(plays: Mapping[str, Play], learnt: Sequence[Learnt], depths: Mapping[str, float]) -> Table:
    """Return what a move of each player costs."""
    rows: list[tuple[Cell, ...]] = []
    trained = learnt[-1] if learnt else None
    for name, play in plays.items():
        simulates = play.simulations > 0
        tree: Cell = play.tree if simulates else play.nodes if play.nodes else NOT_APPLICABLE
        memory: Cell = NOT_APPLICABLE
        training: Cell = NOT_APPLICABLE
        if simulates:
            memory = _megabytes(play.tree * size_of(Node))
        elif name == Q_LEARNING and trained is not None:
            memory, training = _megabytes(trained.size), shown("seconds", trained.seconds)
        rows.append(
            (
                name, play.seconds, round(depths[name], 1) if name in depths else NOT_APPLICABLE, tree,
                play.simulations if simulates else NOT_APPLICABLE,
                play.nodes if simulates else NOT_APPLICABLE, memory, training,
            )
        )  # fmt: skip
    heads = (
        "player | time per move:seconds | depth at full budget:number | tree nodes:count | simulations:count | "
        "positions in simulations:count | memory | training of a table"
    )
    note = (
        "Means over own decisions in matches, in which proven endings are quick. Tree nodes of minimax and alpha–beta "
        "are visits; those of MCTS are the nodes that its tree holds. The depth, and the curve by positions, are "
        "counted where the whole budget is used, in positions with 12 to 20 stones (see Counts and times)."
    )
    return table("connect4-cost", "Connect 4: what a move costs", heads, rows, note)


def _megabytes(size: float) -> str:
    return f"{shown('number', float(f'{size / BYTES_PER_MB:.2g}'))} MB"


def errors_table(
    plays: Mapping[str, Play], accuracies: Mapping[str, Interval | None], points: Mapping[str, Interval | None]
) -> Table:
    """Return errors in play and accuracy in given positions next to strength."""
    rows: list[tuple[Cell, ...]] = []
    for name, play in plays.items():
        errors, kept, strength = play.errors, accuracies.get(name), points.get(name)
        rows.append(
            (
                name, errors.moves, error_rate(play) or NOT_MET,
                NOT_MET if kept is None else kept, NOT_MET if strength is None else strength.estimate,
            )
        )  # fmt: skip
    heads = (
        "player | own decisions:count | lost value:percent | "
        "value kept in given positions:percent | mean points in the pool:percent"
    )
    note = (
        f"Decisions with {GRADED_FROM} or more stones. Given positions: of the truth set, which ships with inarow, "
        "where moves differ in value."
    )
    return table("connect4-accuracy", "Connect 4: errors in play and in given positions", heads, rows, note)


def error_rate(play: Play) -> Interval | None:
    """Return the share of graded decisions that lose value."""
    return wilson(play.errors.blunders, play.errors.moves)


def questions_table(pools: Mapping[str, Pool]) -> Table:
    """Return the matches behind the answers."""
    rows: list[tuple[Cell, ...]] = []
    for question, pool in pools.items():
        for series in pool.series.values():
            score = pool.rule.interval(series)
            rows.append(
                (question, series.spec, series.opponent.spec, series.pairs.total(), NOT_MET if score is None else score)
            )
    heads = "question | player | against | pairs:count | score:percent"
    return table("connect4-questions", "Connect 4: matches behind the answers", heads, rows)


def time_table(worth: Mapping[str, tuple[Interval, float]]) -> Table:
    """Return what more time is worth to each searcher."""
    rows: list[tuple[Cell, ...]] = [
        (name, times, score, per_doubling(score, times)) for name, (score, times) in worth.items()
    ]
    heads = "player | times the time:number | score against itself:percent | Elo per doubling:elo"
    return table("connect4-time", "Connect 4: what more time is worth", heads, rows)


def speed_table(paces: Sequence[Pace]) -> Table:
    """Return the measured time of each count."""
    rows: list[tuple[Cell, ...]] = []
    for one in paces:
        simulates = one.simulations > 0
        depth: Cell = Blank("not a search by depth") if one.depth is None or simulates else f"{one.depth:.1f}"
        each = one.seconds / max(1.0, one.simulations if simulates else one.nodes)
        what = "simulations" if simulates else "nodes"
        deviation = f"{signed(100 * one.off)} %"
        rows.append(
            (one.searcher.label, one.budget, f"{one.count:,} {what}", one.seconds, deviation, depth, each,
             one.seconds / max(1.0, one.nodes))
        )  # fmt: skip
    heads = (
        "player | budget:seconds | count | measured here:seconds | deviation | depth | "
        "per node or simulation:seconds | per position:seconds"
    )
    note = "Processor time per decision in positions from matches, where the whole count is used."
    return table("connect4-pace", "Connect 4: counts that stand for times", heads, rows, note)


def strength_lines(stored: Stored, names: Sequence[str]) -> dict[str, list[tuple[float, Interval]]]:
    """Return the mean points of each searcher at each budget."""
    lines: dict[str, list[tuple[float, Interval]]] = {}
    for seconds in stored.budgets:
        pool = stored.at(seconds, tabled=True)
        for name in [*names, *(name for name in pool.names if name not in names)]:
            points = pool.points(name, [other for other in names if other != name])
            if points is not None:
                lines.setdefault(name, []).append((seconds, points))
    return lines


def by_positions(
    lines: Mapping[str, Sequence[tuple[float, Interval]]], paces: Sequence[Pace]
) -> dict[str, list[tuple[float, Interval]]]:
    """Return the same points by the positions that a move examines."""
    nodes = {(one.searcher.label, one.budget): one.nodes for one in paces}
    moved = {
        name: [(nodes[name, at], value) for at, value in points if (name, at) in nodes]
        for name, points in lines.items()
    }
    return {name: points for name, points in moved.items() if points}


IN_WORDS = {
    "minimax": "looks ahead at every move",
    "alpha–beta": "looks ahead at every move that can matter",
    "MCTS": "(Monte Carlo tree search) plays random matches to the end and follows the better ones",
    "Q-learning": "plays by a table of values learnt from matches against itself",
    "rules": "wins if it can, else blocks, else moves at random",
    "random": "moves at random",
}
"""The players of the usual line-up in plain words."""

GLOSSARY = (
    ("points", "1 for a win, ½ for a draw, 0 for a loss, per match; 50 % is equal play."),
    (
        "95 % interval",
        "The range in parentheses. Computed so that it covers the true value in 95 of 100 such studies. Scores between "
        "two players are widened by Holm’s rule; mean points and shares of decisions and positions are not.",
    ),
    ("pair", "Two matches from one opening with seats swapped, so that neither player profits from the opening."),
    (
        "Holm",
        "A correction for several pairings that are judged together, a family: all pairings of a game at one budget, "
        "or of one question. The chance that even one claim of a family is wrong is at most 5 %.",
    ),
    ("Elo", "A scale on which 400 points more mean ten expected points for one; 0 is equal play."),
    ("node, ply", "A position that a search visits; one move of one player."),
    ("iterative deepening", "Search one ply deep, then two, and so on, until the budget is used up."),
    ("evaluation", "A hand-made estimate of a position at the end of a search: open lines of two and three."),
    ("simulation", "One random match from a leaf of the tree, by which MCTS (Monte Carlo tree search) estimates it."),
    (
        "transposition table",
        "A memory of searched positions, so that a search need not repeat one that other moves lead to; “+ table”.",
    ),
    ("own move", "The first, second, … decision of a player after the opening, in one match."),
    ("row", "A position in the table of Q-learning, with the values of its moves."),
    (
        "given positions",
        "Positions of the truth set, solved positions that ship with inarow, from random and rule-based play.",
    ),
    ("keep the value", "Play a move that does not turn a win into a draw or loss, or a draw into a loss."),
)


def glossary() -> Table:
    """Return the terms of the page in plain words."""
    return table("glossary", "Words", "word | meaning", GLOSSARY)


def pool_title(pool: Pool, seconds: float) -> str:
    """Return the title of the pairings of a budget."""
    return f"{pool.game.title}: every pairing at {shown('seconds', seconds)} per move"


def searcher_labels() -> dict[str, str]:
    """Return what the counts of each searcher are."""
    return {one.label: "simulations" if one is MCTS else "nodes" for one in SEARCHERS}
