"""The study ``atlas``: the winner on every board that can be solved in the time given."""

from __future__ import annotations

import contextlib
import csv
import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass
from functools import cache
from importlib import resources
from typing import Any

from matplotlib.axes import Axes
from matplotlib.figure import Figure as Canvas
from matplotlib.patches import Patch, Rectangle

from inarow.bits import MAX_BITS
from inarow.formatting import counted
from inarow.kernels.rules import plies_to_end
from inarow.limits import Limit
from inarow.paths import cache_folder, parse_json
from inarow.report.curves import Axis, Curve, curves
from inarow.report.page import Section
from inarow.report.tables import DRAW, FAINT, INK, LOSS, WIN, Blank, Cell, Figure, Table, reads_on, shown, table, tip
from inarow.rules import Game, Position, game
from inarow.solver import Oracle
from inarow.studies.base import Content, Measured, Measurement, Plan, Study, StudyResults, measurement
from inarow.studies.scaling import fitted

SECONDS = {"quick": 4.0, "full": 60.0}
KEPT_FROM = 5.0
"""Boards that took at least this many seconds are cached and not solved again."""
WINNERS = {"first": WIN, "draw": DRAW, "second": LOSS}
WIDEST = {3: 8, 4: 12, 5: 10}
"""Maximum number of columns by k; larger boards take too long to solve."""


@dataclass(frozen=True)
class Family:
    """Boards of one width: with gravity of any height, without it at most as high as wide."""

    k: int
    gravity: bool
    columns: int

    @property
    def name(self) -> str:
        """The name without the width, such as ``4 in a row, with gravity``."""
        return f"{self.k} in a row, {'with' if self.gravity else 'without'} gravity"

    def boards(self) -> Iterator[Game]:
        """Yield the boards of this width, lowest first, from the first with room for a line up to 63 bits."""
        most = min(MAX_BITS // self.columns - 1, 13)
        for rows in range(1, most + 1 if self.gravity else min(most, self.columns) + 1):
            if max(rows, self.columns) >= self.k:
                yield Game(self.columns, rows, self.k, self.gravity)


def families() -> list[Family]:
    """Return all families of boards, small k first."""
    return [
        Family(k, gravity, columns) for k, widest in WIDEST.items() for gravity in (True, False)
        for columns in range(1 if gravity else 2, widest + 1) if list(Family(k, gravity, columns).boards())
    ]  # fmt: skip


@dataclass(frozen=True)
class SolvedBoard:
    """A solved board: winner, last move and cost."""

    game: str
    winner: str
    last_move: int | None
    """The number of stones at the end with perfect play; None if only the winner was computed."""
    nodes: int
    seconds: float


def _cached() -> dict[str, SolvedBoard]:
    """Return the cached boards of earlier runs; ignore damaged lines."""
    found = {}
    with contextlib.suppress(OSError):
        for line in (cache_folder("solved") / "atlas.jsonl").read_text(encoding="utf-8").splitlines():
            with contextlib.suppress(ValueError, TypeError):
                one = SolvedBoard(**parse_json(line))
                if one.winner in WINNERS:
                    found[one.game] = one
    return found


def _keep(solved: SolvedBoard) -> None:
    with contextlib.suppress(OSError), (cache_folder("solved") / "atlas.jsonl").open("a", encoding="utf-8") as file:
        file.write(json.dumps(asdict(solved)) + "\n")


def solve(board: Game, seconds: float) -> SolvedBoard | None:
    """Solve a board without a book; return None if it takes longer than ``seconds``."""
    oracle = Oracle(board, book=False)
    found = oracle.analyse(Position.start(board), Limit(seconds=seconds), moves=False, weak=not board.gravity)
    if not found.bounds.decided:
        return None
    score = found.bounds.low
    winner = "draw" if score == 0 else "first" if score > 0 else "second"
    last = None if found.weak else plies_to_end(board.layout, 0, score)
    return SolvedBoard(board.name, winner, last, found.nodes, found.seconds)


@measurement("atlas")
def survey(settings: dict[str, Any]) -> Measured:
    """Solve the boards of a family, lowest first, until one is not solved in ``seconds``."""
    family = Family(settings["k"], settings["gravity"], settings["columns"])
    known = _cached()
    boards, stopped = [], None
    for board in family.boards():
        found = known.get(board.name)
        if found is None:
            found = solve(board, settings["seconds"])
            if found is not None and found.seconds >= KEPT_FROM:
                _keep(found)
        if found is None:
            stopped = board.name
            break
        boards.append(asdict(found))
    words = f"{family.name}, {counted(family.columns, 'column', 'columns')}: {len(boards)} boards"
    return Measured({"verdict": words}, {"boards": boards, "stopped": stopped})


@cache
def published() -> Mapping[str, tuple[str, int | None, str]]:
    """Return published winners by board, each with the last move, if known, and the source."""
    text = (resources.files("inarow") / "data" / "atlas" / "published.csv").read_text(encoding="utf-8")
    return {
        row["game"]: (row["winner"], int(row["last_move"]) if row["last_move"] else None, row["source"])
        for row in csv.DictReader(text.splitlines())
    }


def size(board: Game) -> str:
    """Return the size of a board as the published table has it: ``7x6x4``, or ``3x3x3-free``."""
    return f"{board.columns}x{board.rows}x{board.k}{'' if board.gravity else '-free'}"


class Atlas(Study):
    """Solves every board of each family that fits the time limit."""

    name = "atlas"
    title = "An atlas of k in a row: the winner of every board"
    summary = "every board solved in the time given, k = 3, 4, 5, with and without gravity"
    figure = "atlas-map"

    def __init__(self, seconds: float | None = None) -> None:
        self.seconds = seconds

    @property
    def options(self) -> dict[str, Any]:
        return {} if self.seconds is None else {"seconds": self.seconds}

    def experiments(self, plan: Plan) -> Sequence[Measurement]:
        seconds = SECONDS[plan.scale] if self.seconds is None else self.seconds
        return [
            Measurement(f"{one.name}, {one.columns}", survey, {**asdict(one), "seconds": seconds}, weight=30)
            for one in families()
        ]

    def content(self, found: StudyResults) -> Content:
        boards: dict[str, list[SolvedBoard]] = {}
        for family in families():
            measured = found.measured(f"{family.name}, {family.columns}")
            if measured is not None:
                boards.setdefault(family.name, []).extend(SolvedBoard(**one) for one in measured["timing"]["boards"])
        every = [one for ones in boards.values() for one in ones]
        if not every:
            return Content("Not begun.", (), ())
        checked = _comparison(every)
        sections = [
            Section("Map", (_map(boards), _winners(boards, checked))),
            *([Section("Against published results", (checked,))] if checked.rows else []),
            Section("Growth", (_growth(boards), _growth_figure(boards))),
            Section("All boards", (_all(boards),)),
        ]
        limit = shown("seconds", SECONDS[found.plan.scale] if self.seconds is None else self.seconds)
        lead = (
            f"{counted(len(every), 'board', 'boards')} solved exactly from the empty board without an opening book, "
            f"each within {limit} or in an earlier run. Boards of a family grow in height until one is not solved."
        )
        return Content(lead, _sentences(boards, checked), sections)


def _place(one: SolvedBoard) -> tuple[int, int]:
    board = game(one.game)
    return board.columns, board.rows


def _map(boards: Mapping[str, Sequence[SolvedBoard]]) -> Figure:
    """Draw each family as a map: columns to the right, rows upwards, coloured by winner, with the last move."""
    rows = [
        (one.game, name, one.winner, one.last_move or Blank("not asked for"))
        for name, ones in boards.items()
        for one in ones
    ]
    data = table("atlas-map-data", "Winner", "board | family | winner | last move:count", rows)
    names = list(boards)

    def draw(canvas: Canvas) -> None:
        grid = canvas.subplots(-(-len(names) // 2), 2, squeeze=False)
        for panel in grid.flat[len(names) :]:
            panel.set_visible(False)
        for name, axes in zip(names, grid.flat, strict=False):
            _panel(axes, name, boards[name])
        marks = [Patch(facecolor=colour, edgecolor=FAINT, label=who) for who, colour in (
            ("first player wins", WIN), ("draw", DRAW), ("second player wins", LOSS))]  # fmt: skip
        canvas.legend(handles=marks, loc="outside upper center", ncols=3)

    caption = (
        "The number is the stone that ends the game with perfect play; without gravity only the winner was computed."
    )
    return Figure("atlas-map", "Winner by board", caption, data, draw, (7.6, 3.4 * -(-len(names) // 2)))


def _panel(axes: Axes, name: str, ones: Sequence[SolvedBoard]) -> None:
    for one in ones:
        column, row = _place(one)
        colour = WINNERS[one.winner]
        cell = axes.add_patch(Rectangle((column - 0.5, row - 0.5), 1, 1, facecolor=colour, edgecolor="white"))
        words = f"{game(one.game).title}: " + ("draw" if one.winner == "draw" else f"{one.winner} player wins")
        tip(cell, words + (f" with stone {one.last_move}" if one.last_move and one.winner != "draw" else ""))
        if one.last_move is not None and one.winner != "draw":
            red, green, blue = (int(colour[i : i + 2], 16) / 255 for i in (1, 3, 5))
            axes.text(
                column,
                row,
                str(one.last_move),
                ha="center",
                va="center",
                fontsize=6.5,
                color=reads_on((red, green, blue)),
            )
    wide, high = (max(_place(one)[i] for one in ones) for i in (0, 1))
    axes.set_xlim(0.4, wide + 0.6)
    axes.set_ylim(0.4, high + 0.6)
    axes.set_xticks(range(1, wide + 1))
    axes.set_yticks(range(1, high + 1))
    axes.set_aspect("equal")
    axes.set_title(name, loc="left", fontsize=9, color=INK)
    axes.set_xlabel("columns")
    axes.set_ylabel("rows")


def _comparison(every: Sequence[SolvedBoard]) -> Table:
    """Compare the winner and, if known, the last move with published results."""
    rows: list[tuple[Cell, ...]] = []
    for one in sorted(every, key=lambda one: (game(one.game).k, not game(one.game).gravity, _place(one))):
        if size(game(one.game)) not in published():
            continue
        winner, last, source = published()[size(game(one.game))]
        same = (winner == one.winner and None in (last, one.last_move)) or (winner, last) == (one.winner, one.last_move)
        unknown = Blank("not known")
        rows.append(
            (one.game, one.winner, one.last_move or unknown, winner, last or unknown, "yes" if same else "no", source)
        )
    heads = "board | winner | last move:count | published winner | published last move:count:published | equal | source"
    return table("atlas-published", "Comparison with published results", heads, rows)


def _points(ones: Sequence[SolvedBoard]) -> list[tuple[float, float]]:
    """Return the nodes of the hardest board of each number of cells."""
    most: dict[int, int] = {}
    for one in ones:
        cells = game(one.game).cells
        most[cells] = max(most.get(cells, 0), one.nodes)
    return [(float(cells), float(nodes)) for cells, nodes in sorted(most.items()) if nodes > 0]


def _growth(boards: Mapping[str, Sequence[SolvedBoard]]) -> Table:
    few = Blank("fewer than three sizes")
    rows: list[tuple[Cell, ...]] = []
    for name, ones in boards.items():
        factor = fitted([p for p in _points(ones) if p[1] >= 100])
        hardest = max(ones, key=lambda one: one.seconds)
        rows.append((name, len(ones), few if factor is None else factor, hardest.game, hardest.nodes, hardest.seconds))
    heads = "boards | solved:count | factor for one more cell:number | longest | its nodes:count | its time:seconds"
    note = "Fitted to the logarithm of the nodes of the hardest board of each size, from 100 nodes on."
    return table("atlas-growth", "Growth of the cost with board size", heads, rows, note)


def _growth_figure(boards: Mapping[str, Sequence[SolvedBoard]]) -> Figure:
    lines = [Curve(name, _points(ones)) for name, ones in boards.items()]
    x, y = Axis("cells", whole=True), Axis("nodes", "count", log=True)
    return curves("atlas-nodes", "Nodes to solve a board, hardest of each size", x, y, lines)


def _all(boards: Mapping[str, Sequence[SolvedBoard]]) -> Table:
    rows: list[tuple[Cell, ...]] = [
        (one.game, name, one.winner, one.last_move or Blank("not asked for"), one.nodes, one.seconds)
        for name, ones in boards.items()
        for one in ones
    ]
    heads = "board | family | winner | last move:count | nodes:count | time:seconds"
    return table("atlas-boards", "All boards", heads, rows)


def _winners(boards: Mapping[str, Sequence[SolvedBoard]], checked: Table) -> Table:
    """Count the winners in each family, and the results that agree with published ones."""
    agreed: dict[str, list[bool]] = {}
    for row in checked.rows:
        board = game(str(row[0]))
        agreed.setdefault(Family(board.k, board.gravity, board.columns).name, []).append(row[5] == "yes")
    rows: list[tuple[Cell, ...]] = []
    for name, ones in boards.items():
        counts = [sum(one.winner == who for one in ones) for who in WINNERS]
        rows.append((name, len(ones), *counts, len(agreed.get(name, ())), sum(agreed.get(name, ()))))
    every = [one for ones in boards.values() for one in ones]
    totals = [sum(one.winner == who for one in every) for who in WINNERS]
    rows.append(("all", len(every), *totals, len(checked.rows), sum(map(sum, agreed.values()))))
    names = ("solved", "first wins", "drawn", "second wins", "published", "agree")
    heads = ["boards", *(f"{name}:count" for name in names)]
    return table("atlas-winners", "Winners by family", heads, rows)


def _sentences(boards: Mapping[str, Sequence[SolvedBoard]], checked: Table) -> list[str]:
    equal = sum(row[5] == "yes" for row in checked.rows)
    said = [f"{equal} of {len(checked.rows)} boards with a published result agree with it."]
    for name, ones in boards.items():
        counts = {who: sum(one.winner == who for one in ones) for who in WINNERS}
        said.append(
            f"{name}: the first player wins {counts['first']} of {len(ones)} boards, the second {counts['second']}; "
            f"{counts['draw']} are drawn."
        )
    return said
