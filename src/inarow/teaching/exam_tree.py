"""Game trees for exams: parsed or random, solved step by step, as a question with a solution.

A tree is written with brackets, ``((3 12 8) (2 4 6) (14 5 2))``; commas and square brackets also work, and an inner
node may have a name, ``A(B(3 12 8) C(2 4 6))``. All values are MAX's. Ties go to the left,
so a solution is unique.
"""

from __future__ import annotations

import json
import math
import re
import tempfile
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from enum import StrEnum
from functools import cache, cached_property
from html import escape
from pathlib import Path
from typing import Any

import numpy as np

import inarow
from inarow.errors import InarowError, printable, unknown
from inarow.formatting import capitalised, say
from inarow.kernels import exam as kernel
from inarow.paths import write_text
from inarow.randomness import Stream, derive

EXPLORATION = math.sqrt(2)
_TOKEN = re.compile(
    r"\s*(?:(?P<open>[(\[])|(?P<close>[)\]])|(?P<number>[+\-−]?\d+(?:\.\d+)?)|(?P<name>[^\W\d]\w*))[,;]?"
)
DATA = Path(inarow.__file__).parent / "data" / "exam_tree"


class TreeError(InarowError):
    """The tree can't be parsed or drawn."""


class Algorithm(StrEnum):
    """The algorithm that solves a tree."""

    MINIMAX = "minimax"
    ALPHABETA = "alphabeta"
    UCT = "uct"

    @property
    def label(self) -> str:
        """The name in a sentence."""
        return {"minimax": "minimax", "alphabeta": "alpha–beta", "uct": "UCT"}[self]


@dataclass(frozen=True)
class TreeNode:
    """A node; a leaf has a value, an inner node has children."""

    name: str
    maximises: bool
    value: float | None = None
    children: tuple[TreeNode, ...] = ()

    @property
    def player(self) -> str:
        """The player to move."""
        return "MAX" if self.maximises else "MIN"

    def walk(self) -> Iterator[TreeNode]:
        """Yield the nodes of the subtree from left to right, parents first."""
        yield self
        for child in self.children:
            yield from child.walk()

    def leaves(self) -> Iterator[TreeNode]:
        """Yield the leaves from the left."""
        return (node for node in self.walk() if not node.children)

    @cached_property
    def depth(self) -> int:
        """Plies to the deepest leaf."""
        return 1 + max(child.depth for child in self.children) if self.children else 0

    def to_text(self) -> str:
        """Return the tree in the notation that `parse_tree` reads, without names."""
        if self.value is not None:
            return shown(self.value)
        return f"({' '.join(child.to_text() for child in self.children)})"


def shown(value: float, fixed: bool = False) -> str:
    """Format a value: at most three decimals, or exactly three, and a real minus sign."""
    if abs(value) >= kernel.INFINITE:
        return "∞" if value > 0 else "−∞"
    rounded = math.copysign(math.floor(abs(value) * 1000 + 0.5) / 1000, value) + 0.0
    text = f"{rounded:.3f}" if fixed else f"{rounded:.3f}".rstrip("0").rstrip(".")
    return text.replace("-", "−")


_Raw = float | tuple[str, list[Any]]
"""A leaf's value, or the name and the children of an inner node."""


def parse_tree(text: str, *, root: str = "max") -> TreeNode:
    """Read a tree. Raises `TreeError` that says where it can't be read; ``root`` is ``max`` or ``min``."""
    raw: list[_Raw] = []
    stack = [("", raw)]  # the bracket that closes each open node, and the node's children
    at, name = 0, ""
    text = text.strip()
    while at < len(text):
        token = _TOKEN.match(text, at)
        if token is None:
            raise _unreadable(text, at, "no_token", token=repr(text[at : at + 10].split()[0]))
        if name and not token["open"]:
            raise _unreadable(text, at, "no_bracket", name=name)
        if token["name"]:
            name = token["name"]
        elif token["number"]:
            stack[-1][1].append(float(token["number"].replace("−", "-")))
        elif token["open"]:
            children: list[_Raw] = []
            stack[-1][1].append((name, children))
            stack.append((")" if token["open"] == "(" else "]", children))
            name = ""
        elif stack[-1][0] != token["close"]:
            raise _unreadable(text, at, "closes_nothing", bracket=token["close"])
        elif not stack.pop()[1]:
            raise _unreadable(text, at, "empty")
        at = token.end()
    if name:
        raise _unreadable(text, at, "no_children", name=name)
    if len(stack) > 1:
        raise _unreadable(text, at, "not_closed", bracket=stack[-1][0])
    if not raw or (isinstance(raw[0], float) and len(raw) == 1):
        raise _refused("no_inner", text=repr(printable(text, 40)))
    return _named(raw[0] if len(raw) == 1 else ("", raw), root)


def _refused(code: str, **values: str | int) -> TreeError:
    return TreeError(say("tree", code, **values))


def _unreadable(text: str, at: int, code: str, **values: str) -> TreeError:
    before = printable(text[:at], 0)[-20:]
    where = say("tree", "after", text=repr(before)) if before else say("tree", "at_start")
    return _refused("unreadable", where=where, why=say("tree", code, **values))


def _named(raw: _Raw, root: str) -> TreeNode:
    """Make nodes: unnamed inner ones get letters in breadth-first order, leaves are numbered below their parent."""
    if root not in ("max", "min"):
        raise TreeError(f"{unknown('player at the root', root, ('max', 'min'))}")
    inner: list[tuple[str, list[_Raw]]] = []
    level, count, plies = [raw], 0, 0
    while level:
        if plies > kernel.MAX_DEPTH:
            raise _refused("too_deep", most=kernel.MAX_DEPTH)
        found = [one for one in level if not isinstance(one, float)]
        inner += found
        count += len(level)
        plies += 1
        level = [child for one in found for child in one[1]]
    if count > kernel.MAX_NODES:
        raise _refused("too_large", count=count, most=kernel.MAX_NODES)
    given = [one[0] for one in inner if one[0]]
    if twice := [name for name in given if given.count(name) > 1]:
        raise _refused("same_name", name=twice[0])
    free = (name for name in _letters() if name not in given)
    names = {id(one): one[0] or next(free) for one in inner}

    def build(one: _Raw, name: str, maximises: bool) -> TreeNode:
        if isinstance(one, float):
            return TreeNode(name, maximises, one)
        own = names[id(one)]
        children = (build(child, f"{own}{i}", not maximises) for i, child in enumerate(one[1], start=1))
        return TreeNode(own, maximises, None, tuple(children))

    return build(raw, "", root == "max")


def _letters() -> Iterator[str]:
    alphabet = "ABCDEFGHIJKLMNOPQRSTUVWXYZ"
    yield from alphabet
    yield from (a + b for a in alphabet for b in alphabet)


DIFFICULTIES = {
    "easy": ((3, 3), (1, 1), 1),
    "medium": ((2, 2, 2), (2, 1, 2), 2),
    "hard": ((2, 2, 2, 2), (2, 1, 2, 1), 4),
}
"""By ply the minimum number of children and the number of choices; the minimum number of cutoffs."""


def shape_of(difficulty: str, algorithm: str) -> kernel.Shape:
    """Return the shape of a random tree."""
    if difficulty not in DIFFICULTIES:
        raise TreeError(unknown("difficulty", difficulty, DIFFICULTIES))
    fewest, choices, cutoffs = DIFFICULTIES[difficulty]
    easy, uct = difficulty == "easy", _algorithm(algorithm) is Algorithm.UCT
    least, values = (0, 2) if uct else (1, 15) if easy else (-9, 19)
    return kernel.Shape(np.array(fewest), np.array(choices), least, values, -1 if uct else cutoffs, easy)


def random_tree(seed: int, difficulty: str = "medium", *, algorithm: str = "alphabeta", root: str = "max") -> TreeNode:
    """Draw a tree with one best move at the root, where alpha–beta prunes; the same seed gives the same tree.

    For UCT, leaves are wins (1) and losses (0) of MAX.
    """
    shape = shape_of(difficulty, algorithm)
    arrays = _room(kernel.MAX_NODES)
    random = np.array([Stream(derive(seed, "exam tree", difficulty, algorithm)).state])
    kernel.draw(arrays, shape, int(root == "max"), random, _step_room(kernel.MAX_NODES))
    children, siblings = arrays.children.tolist(), arrays.siblings.tolist()

    def raw(node: int) -> _Raw:
        child, below = children[node], list[_Raw]()
        while child >= 0:
            below.append(raw(child))
            child = siblings[child]
        return ("", below) if below else float(arrays.values[node])

    return _named(raw(0), root)


def _room(nodes: int) -> kernel.GivenTree:
    """Return buffers for a tree."""
    children, siblings, turns = np.full((3, nodes), -1)
    return kernel.GivenTree(children, siblings, turns, np.zeros(nodes))


def _step_room(nodes: int) -> kernel.Steps:
    """Return buffers for the steps of a search or a simulation."""
    rows = 5 * nodes + 4 * kernel.MAX_DEPTH
    kinds, places, others = np.zeros((3, rows), np.int64)
    values, lows, highs = np.zeros((3, rows))
    return kernel.Steps(kinds, places, others, values, lows, highs, np.zeros(1, np.int64))


def _arrays(tree: TreeNode) -> tuple[list[TreeNode], kernel.GivenTree]:
    """Return the nodes of a tree in the order of a walk, and the tree as kernels read it."""
    nodes = list(tree.walk())
    arrays, index = _room(len(nodes)), {node.name: at for at, node in enumerate(nodes)}
    for at, node in enumerate(nodes):
        below = [index[child.name] for child in node.children]
        arrays.turns[at] = node.maximises
        if node.value is not None:
            arrays.values[at] = node.value
        if below:
            arrays.children[at] = below[0]
            arrays.siblings[below[:-1]] = below[1:]
    return nodes, arrays


class StepKind(StrEnum):
    """The kind of a step."""

    ENTER = "enter"
    LEAF = "leaf"
    UPDATE = "update"
    CUTOFF = "cutoff"
    RETURN = "return"
    SELECT = "select"
    EXPAND = "expand"
    PLAYOUT = "playout"
    BACKUP = "backup"


STEPS = (*StepKind, "bound", "mark")
"""The steps of `kernels.exam`, by code."""


@dataclass(frozen=True)
class Step:
    """One step of an algorithm: what happens, at which node, and a sentence about it."""

    kind: StepKind
    node: str
    text: str
    value: float | None = None
    alpha: float | None = None
    beta: float | None = None
    simulation: int | None = None
    """The simulation of UCT, counted from 1."""
    marks: Mapping[str, str] = field(default_factory=dict)
    """The marks that the step writes at nodes."""
    pruned: tuple[str, ...] = ()
    """The nodes that a cutoff prunes."""


@dataclass
class Solution:
    """A solved tree: the steps, and the marks of each node."""

    tree: TreeNode
    algorithm: Algorithm
    steps: list[Step] = field(default_factory=list)
    marks: dict[str, str] = field(default_factory=dict)
    """By node: its value, a bound such as ≤ 2, or visits and mean of UCT."""
    pruned: set[str] = field(default_factory=set)
    """Nodes whose edge is cut; their subtrees are not visited."""
    line: list[str] = field(default_factory=list)
    """The nodes of best play from the root, or the root and UCT's move."""
    playouts: dict[str, float] = field(default_factory=dict)
    """For UCT, the result of the playout from each inner node below the root, given in the question."""
    simulations: int = 0
    exploration: float = 0.0

    @property
    def best(self) -> str:
        """The node that the best move at the root leads to."""
        return self.line[1]

    @property
    def unvisited(self) -> set[str]:
        """The leaves that the search does not visit."""
        cut = (node for node in self.tree.walk() if node.name in self.pruned)
        return {leaf.name for node in cut for leaf in node.leaves()}

    def add(self, nodes: Sequence[TreeNode], steps: kernel.Steps, simulation: int | None = None) -> None:
        """Add the steps that a kernel recorded, as sentences."""
        waiting: dict[str, str] = {}  # bounds of children, or marks of a path, for the step that follows them
        columns = (column[: int(steps.used[0])].tolist() for column in steps[:-1])
        for code, at, other, value, low, high in zip(*columns, strict=True):
            node, name, kind = nodes[at], nodes[at].name, STEPS[code]
            if kind == "bound":
                waiting[name] = shown(value, fixed=True)
                continue
            if kind == "mark":
                waiting[name] = f"{other} · {shown(value)}"
                continue
            sentence = str(kind)
            values: dict[str, str] = {"node": name, "player": node.player, "value": shown(value)}
            more: dict[str, Any] = {"value": value, "simulation": simulation}
            if kind == "enter":
                more["value"] = None
                if self.algorithm is Algorithm.ALPHABETA:
                    sentence, more["alpha"], more["beta"] = "window", low, high
                    values |= {"alpha": shown(low), "beta": shown(high)}
            elif kind == "update":
                values["child"] = nodes[other].name
                more["marks"] = {name: f"≥ {shown(low)}" if node.maximises else f"≤ {shown(high)}"}
            elif kind == "cutoff":
                siblings = [child.name for child in node.children]
                cut = siblings[siblings.index(nodes[other].name) :]
                self.pruned |= {*cut}
                sentence, more["pruned"] = "cut_max" if node.maximises else "cut_min", tuple(cut)
                values |= {"other": shown(low), "pruned": " and ".join(cut)}
            elif kind == "return":
                self.marks[name] = values["mark"] = _bounds(low, high)
                more["marks"] = {name: values["mark"]}
            elif kind in ("expand", "select"):
                values |= {"parent": nodes[other].name, "player": nodes[other].player}
                values["bounds"] = ", ".join(f"{child} {bound}" for child, bound in waiting.items())
                if kind == "expand":
                    more["value"] = None
            elif kind == "playout":
                sentence = f"{'playout' if node.children else 'leaf'}{'' if value == high else '_reward'}"
                values["reward"] = shown(high)
            elif kind == "backup":
                values["marks"] = ", ".join(f"{one} {mark}" for one, mark in waiting.items())
                more["marks"] = waiting
                self.marks |= waiting
            if kind in ("select", "backup"):
                waiting = {}
            self.steps.append(Step(StepKind(kind), name, say("exam", sentence, **values), **more))

    def to_json(self) -> dict[str, Any]:
        """Return everything for JSON; steps omit fields without a value."""
        return {
            "tree": self.tree.to_text(),
            "algorithm": str(self.algorithm),
            "best": self.best,
            "line": self.line,
            "marks": self.marks,
            "pruned": sorted(self.pruned),
            "unvisited": sorted(self.unvisited),
            "playouts": self.playouts,
            "steps": [
                {key: _finite(value) for key, value in vars(step).items() if value not in (None, {}, ())}
                for step in self.steps
            ],
        }


def _finite(value: Any) -> Any:
    return shown(value) if isinstance(value, float) and abs(value) >= kernel.INFINITE else value


def solve(
    tree: TreeNode, algorithm: str, *, simulations: int = 8, exploration: float = EXPLORATION, seed: int = 0
) -> Solution:
    """Solve a tree step by step. Simulations, exploration constant and the seed of the playouts are for UCT."""
    if not tree.children:
        raise _refused("no_inner", text=repr(tree.to_text()))
    solution = Solution(tree, _algorithm(algorithm))
    nodes, arrays = _arrays(tree)
    steps = _step_room(len(nodes))
    if solution.algorithm is Algorithm.UCT:
        if simulations < 1 or not exploration >= 0:
            raise TreeError(
                f"simulations must be positive and exploration at least 0, got {simulations} and {exploration:g}"
            )
        solution.simulations, solution.exploration = simulations, exploration
        for at, node in enumerate(nodes[1:], start=1):
            if node.children:
                leaf = Stream(derive(seed, "playout", node.name)).choice(list(node.leaves()))
                assert leaf.value is not None
                arrays.values[at] = solution.playouts[node.name] = leaf.value
        counts, limits = (np.zeros(len(nodes), np.int64), np.zeros(len(nodes))), reward_range(tree)
        for number in range(1, simulations + 1):
            steps.used[0] = 0
            kernel.simulate(arrays, *counts, *limits, float(exploration), steps)
            solution.add(nodes, steps, number)
        solution.marks = {node.name: solution.marks[node.name] for node in nodes if node.name in solution.marks}
        solution.line = [tree.name, nodes[kernel.most_visited(arrays, *counts)].name]
        return solution
    kernel.search(arrays, 0, solution.algorithm is Algorithm.ALPHABETA, -kernel.INFINITE, kernel.INFINITE, steps)
    solution.add(nodes, steps)
    at = 0
    solution.line = [tree.name]
    while arrays.children[at] >= 0:
        at = kernel.best_child(arrays, at)
        solution.line.append(nodes[at].name)
    return solution


def _algorithm(name: str) -> Algorithm:
    try:
        return Algorithm(name)
    except ValueError:
        raise TreeError(unknown("algorithm", name, list(Algorithm))) from None


def _bounds(low: float, high: float) -> str:
    """Return a value or its bound."""
    if low == high:
        return shown(low)
    if low <= -kernel.INFINITE:
        return f"≤ {shown(high)}"
    return f"≥ {shown(low)}" if high >= kernel.INFINITE else f"{shown(low)} to {shown(high)}"


def reward_range(tree: TreeNode) -> tuple[float, float]:
    """Return the values that map to rewards 0 and 1: 0 and 1 if all leaves are between them."""
    values = [leaf.value for leaf in tree.leaves() if leaf.value is not None]
    low, high = min(values), max(values)
    if low >= 0 and high <= 1:
        return 0.0, 1.0
    return (low, high) if low < high else (low - 1, high)


FORMATS = (".html", ".svg", ".pdf")
STEP, LEVEL, SIZE = 46, 84, 20
"""Pixels between leaves and between levels, and half the width of a node."""
MIN_SCALE = 0.6
"""The smallest size at which a page shows the picture before it scrolls."""


TASKS = {
    Algorithm.MINIMAX: ("values", "root_value"),
    Algorithm.ALPHABETA: ("bounds", "pruned", "count", "root_value"),
    Algorithm.UCT: ("path", "visits", "move"),
}


@dataclass(frozen=True)
class Exam:
    """A question about a tree and its solution."""

    solution: Solution
    title: str = ""

    @property
    def heading(self) -> str:
        """The title, or one that names the algorithm."""
        return self.title or say("exam", "title", algorithm=capitalised(self.solution.algorithm.label))

    def svg(self, view: TreeView) -> str:
        """Draw the tree."""
        return _TreePicture(self.solution, view).text()

    def html(self, view: TreeView) -> str:
        """Return the page of the question, or of its solution."""
        solution, solved = self.solution, view is TreeView.SOLUTION
        picture = _TreePicture(solution, view)
        playouts = {name: shown(value) for name, value in sorted(solution.playouts.items())}
        tasks = []
        for task in self.tasks():
            below = _part("answer", text=escape(task["answer"])) if solved else _part("line") * task["lines"]
            tasks.append(_part("task", question=escape(task["question"]), below=below))
        return _part(
            "page",
            title=escape(say("exam", "solution_title", title=self.heading) if solved else self.heading),
            least_width=round(picture.width * MIN_SCALE),
            given="".join(_part("paragraph", text=escape(text)) for text in self.given()),
            picture=picture.text(),
            playouts=_part(
                "playouts",
                names="".join(_part("playout_name", text=escape(name)) for name in playouts),
                results="".join(_part("playout_result", text=value) for value in playouts.values()),
            )
            if playouts
            else "",
            tasks="".join(tasks),
            steps=self._steps() if solved else "",
        )

    def _steps(self) -> str:
        """Return the table of steps; an update belongs to the leaf or the value that it follows."""
        rows: list[dict[str, Any]] = []
        simulation: int | None = 0
        for step in self.solution.steps:
            if step.kind is StepKind.UPDATE:
                rows[-1]["text"] += f" {escape(step.text)}"
                continue
            number: int | str | None = len(rows) + 1
            if step.simulation:
                number, simulation = "" if step.simulation == simulation else step.simulation, step.simulation
            rows.append({"kind": step.kind, "text": escape(step.text), "number": number})
        return _part(
            "steps",
            number="simulation" if self.solution.playouts else "step",
            rows="".join(_part("step", **row) for row in rows),
            text=self.solution.tree.to_text(),
        )

    def write(self, path: Path) -> list[Path]:
        """Write the question, and its solution as ``NAME-solution``; the suffix gives the format."""
        if path.suffix.lower() not in FORMATS:
            raise TreeError(f"{path} ends with {path.suffix or 'no suffix'}; expected .html, .svg or .pdf")
        targets = [path, path.with_stem(f"{path.stem}-solution")]
        for target, view in zip(targets, (TreeView.QUESTION, TreeView.SOLUTION), strict=True):
            if path.suffix.lower() == ".pdf":
                self._print(target, view)
            else:
                write_text(target, self.svg(view) if path.suffix.lower() == ".svg" else self.html(view), TreeError)
        return targets

    def _print(self, target: Path, view: TreeView) -> None:
        from inarow.report.page import print_page

        with tempfile.TemporaryDirectory(prefix="inarow-tree-") as folder:
            page = Path(folder) / "tree.html"
            page.write_text(self.html(view), encoding="utf-8")
            made = print_page(page, target)
        if isinstance(made, str):
            raise TreeError(f"{made}; or write .html")

    def given(self) -> list[str]:
        """Return the sentences of the question about the tree and the algorithm."""
        solution, tree = self.solution, self.solution.tree
        values = [say("exam", "given", player=tree.player, root=tree.name)]
        if solution.algorithm is Algorithm.ALPHABETA:
            values.append(say("exam", "given_alphabeta", root=tree.name))
        if solution.algorithm is Algorithm.UCT:
            low, high = reward_range(tree)
            shift = f"− {shown(low)}" if low > 0 else f"+ {shown(-low)}"
            scaled = say("exam", "scaled", shift=shift, range=shown(high - low))
            reward = say("exam", "its_value") if (low, high) == (0, 1) else scaled
            runs, c = solution.simulations, shown(solution.exploration)
            values.append(say("exam", "given_uct", runs=runs, c=c, reward=reward))
        return values

    def tasks(self) -> list[dict[str, Any]]:
        """Return the questions with their answers, and the number of lines that an answer needs."""
        solution, tree = self.solution, self.solution.tree
        marks = "; ".join(
            f"{one.name}: {solution.marks[one.name]}" for one in tree.walk() if one.name in solution.marks
        )
        leaves = len([*tree.leaves()])
        values = {
            "player": tree.player,
            "root": tree.name,
            "best": solution.best,
            "marks": marks,
            "value": solution.marks[tree.name],
            "line": " – ".join(solution.line),
            "pruned": ", ".join(sorted(solution.pruned)) or say("exam", "none"),
            "visited": str(leaves - len(solution.unvisited)),
            "leaves": str(leaves),
        }
        lines = {"path": solution.simulations, "move": 1, "count": 1, "root_value": 1}
        return [
            {
                "question": say("exam", f"ask_{one}", **values),
                "answer": say("exam", f"answer_{one}", **values),
                "lines": lines.get(one, 0),
            }
            for one in TASKS[solution.algorithm]
        ]


def _part(name: str, /, **values: object) -> str:
    """Return a part of a picture or a page, with values in place of their names in braces."""
    return re.sub(r"\{(\w+)\}", lambda found: str(values[found[1]]), parts()[name])


@cache
def parts() -> dict[str, str]:
    """Return the parts of pictures and pages; the browser draws with the same."""
    found: dict[str, str] = json.loads((DATA / "parts.json").read_text(encoding="utf-8"))
    return found


def _number(x: float) -> str:
    return f"{x:.6g}"


class TreeView(StrEnum):
    """The content of a picture of a tree."""

    QUESTION = "question"
    """Boxes to fill in."""
    SOLUTION = "solution"
    """Values, pruned branches and the best line."""
    STEPS = "steps"
    """Empty marks, which a page fills in step by step; its style sheet is `STYLE`."""


class _TreePicture:
    """A drawing: a group for each node with the edge to it, its subtree, its shape and its marks."""

    def __init__(self, solution: Solution, view: TreeView) -> None:
        self.solution, self.view = solution, view
        self.solved = view is TreeView.SOLUTION
        tree = solution.tree
        leaves = list(tree.leaves())
        self.x = {leaf.name: STEP * (at + 0.8) for at, leaf in enumerate(leaves)}
        self.width, self.height = round(STEP * (len(leaves) + 0.9)), round(LEVEL * tree.depth + 2.6 * SIZE + 14)
        self._place(tree)

    def _place(self, node: TreeNode) -> float:
        if node.name not in self.x:
            places = [self._place(child) for child in node.children]
            self.x[node.name] = (places[0] + places[-1]) / 2
        return self.x[node.name]

    def text(self) -> str:
        """Return the picture."""
        tree = self.solution.tree
        style = "" if self.view is TreeView.STEPS else f"<style>{parts()['style']}</style>"
        size = {"width": self.width, "height": self.height}
        return _part("svg", **size, text=tree.to_text(), style=style, nodes=self._node(tree, 0))

    def _node(self, node: TreeNode, level: int, edge: str = "") -> str:
        x, y = self.x[node.name], SIZE + 8 + LEVEL * level
        line = self.solution.line if self.solved else []
        inside = [edge]
        for child in node.children:
            end = self.x[child.name], y + LEVEL
            best = " g" if node.name in line and child.name in line else ""
            inside.append(self._node(child, level + 1, _line("edge", (x, y), end, best=best)))
            if child.name in self.solution.pruned and self.view is not TreeView.QUESTION:
                inside.append(_part("cut", name=child.name, strikes=_strikes((x, y), end)))
        places = {"x": x, "left": x - SIZE, "right": x + SIZE}
        if node.value is not None:
            places = {"x": x, "left": x - 16, "top": y - 13, "base": y + 5, "below": y + 25}
        else:
            up = -1 if node.maximises else 1
            places |= {"tip": y + up * SIZE, "base": y - up * SIZE * 0.8, "middle": y + 4 - up * 4}
        texts = {"name": node.name, "value": "" if node.value is None else shown(node.value)}
        kind = "inner" if node.value is None else "leaf"
        inside.append(_part(kind, **texts, **{name: _number(at) for name, at in places.items()}))
        inside += self._marks(node, x, y)
        faded = ' class="d"' if self.solved and node.name in self.solution.pruned else ""
        return _part("node", name=node.name, faded=faded, inside="".join(inside))

    def _marks(self, node: TreeNode, x: float, y: float) -> Iterator[str]:
        """Yield a node's marks: its value, or UCT's visits and mean; in a question a box to fill in."""
        uct, right = self.solution.algorithm is Algorithm.UCT, x + SIZE + 3
        if self.view is TreeView.QUESTION:
            if node.children and not uct:
                yield _part("box", left=_number(right), top=_number(y - 10))
            return
        if node.children:
            places = [(right, y - 4), (right, y + 10)] if uct else [(right, y + 4)]
        else:
            places = [(x + 13, y - 17)] if uct else []
        texts = self.solution.marks.get(node.name, "").split(" · ") if self.solved else [""] * len(places)
        for (at, down), text in zip(places, texts, strict=False):
            kind = "m v" if uct else "m"
            yield _part("mark", kind=kind, name=node.name, x=_number(at), y=_number(down), text=text)


def _line(name: str, start: tuple[float, float], end: tuple[float, float], **values: str) -> str:
    """Render a line."""
    places = zip(("x", "y", "x2", "y2"), (*start, *end), strict=True)
    return _part(name, **values, **{key: _number(at) for key, at in places})


def _strikes(start: tuple[float, float], end: tuple[float, float]) -> str:
    """Strike an edge through twice, at a right angle."""
    (x, y), (u, v) = start, end
    length = math.hypot(u - x, v - y)
    dx, dy = 8 * (u - x) / length, 8 * (v - y) / length
    middles = ((x + share * (u - x), y + share * (v - y)) for share in (0.47, 0.53))
    return "".join(_line("strike", (a - dy, b + dx), (a + dy, b - dx)) for a, b in middles)
