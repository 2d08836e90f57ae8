"""Game trees for exams: written as text or drawn at random, solved step by step, as a question and its marked solution.

A tree is written with brackets, ``((3 12 8) (2 4 6) (14 5 2))``; commas and square brackets do as well, and an inner
node may have a name, ``A(B(3 12 8) C(2 4 6))``. All values are MAX's. Every choice between equals goes to the left,
so a solution is unique.
"""

from __future__ import annotations

import math
import re
import tempfile
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from enum import StrEnum
from functools import cached_property
from html import escape
from pathlib import Path
from typing import Any

import jinja2
from markupsafe import Markup

import inarow
from inarow.errors import InarowError, printable, unknown
from inarow.formatting import capitalised, counted
from inarow.paths import write_text
from inarow.randomness import Stream, derive

MOST_NODES = 300
MOST_DEPTH = 10
EXPLORATION = math.sqrt(2)
_TOKEN = re.compile(
    r"\s*(?:(?P<open>[(\[])|(?P<close>[)\]])|(?P<number>[+\-−]?\d+(?:\.\d+)?)|(?P<name>[^\W\d]\w*))[,;]?"
)
_EXAMPLE = "write a tree such as ((3 12 8) (2 4 6) (14 5 2))"


class TreeError(InarowError):
    """A tree that can't be read or drawn."""


class Algorithm(StrEnum):
    """How a tree is solved."""

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
        """Who moves here."""
        return "MAX" if self.maximises else "MIN"

    def walk(self) -> Iterator[TreeNode]:
        """Yield the node and all below it, from the left, parents first."""
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


def shown(value: float) -> str:
    """Format a value: at most three decimals, and a real minus sign."""
    return f"{round(value, 3):g}".replace("-", "−").replace("inf", "∞")


_Raw = float | tuple[str, list[Any]]
"""A leaf's value, or the name and the children of an inner node."""


def parse_tree(text: str, *, root: str = "max") -> TreeNode:
    """Read a tree. Raises `TreeError` that says where it can't be read; ``root`` is ``max`` or ``min``."""
    raw: list[_Raw] = []
    stack: list[tuple[str, list[_Raw]]] = [("", raw)]
    at, name, opened = 0, "", []
    text = text.strip()
    while at < len(text):
        token = _TOKEN.match(text, at)
        if token is None:
            raise _unreadable(text, at, f"{text[at : at + 10].split()[0]!r} is neither a number, a name nor a bracket")
        if name and not token["open"]:
            raise _unreadable(text, at, f"the name {name} must be followed by a bracket with its children")
        if token["name"]:
            name = token["name"]
        elif token["number"]:
            stack[-1][1].append(float(token["number"].replace("−", "-")))
        elif token["open"]:
            inner: tuple[str, list[_Raw]] = (name, [])
            stack[-1][1].append(inner)
            stack.append(inner)
            opened.append(")" if token["open"] == "(" else "]")
            name = ""
        else:
            if not opened or opened.pop() != token["close"]:
                raise _unreadable(text, at, f"this {token['close']} closes nothing")
            if not stack.pop()[1]:
                raise _unreadable(text, at, "these brackets are empty")
        at = token.end()
        if len(stack) > MOST_DEPTH + 2:
            raise TreeError(f"the tree is deeper than {MOST_DEPTH} plies; give a smaller one")
    if name or opened:
        raise _unreadable(text, at, f"the children of {name} are missing" if name else f"a {opened[-1]} is missing")
    if not raw or (isinstance(raw[0], float) and len(raw) == 1):
        raise TreeError(f"the tree has no inner node: {printable(text, 40)!r} was given; {_EXAMPLE}")
    return _named(raw[0] if len(raw) == 1 else ("", raw), root)


def _unreadable(text: str, at: int, why: str) -> TreeError:
    before = printable(text[:at], 0)[-20:]
    where = f"after {before!r}" if before else "at its beginning"
    return TreeError(f"the tree can't be read {where}: {why}; {_EXAMPLE}")


def _named(raw: _Raw, root: str) -> TreeNode:
    """Make nodes: unnamed inner ones get letters in breadth-first order, leaves are numbered below their parent."""
    if root not in ("max", "min"):
        raise TreeError(f"{unknown('player at the root', root, ('max', 'min'))}")
    level, inner = [raw], []
    while level:
        found = [one for one in level if not isinstance(one, float)]
        inner += found
        level = [child for one in found for child in one[1]]
    given = [one[0] for one in inner if one[0]]
    if len(set(given)) < len(given):
        twice = next(name for name in given if given.count(name) > 1)
        raise TreeError(f"two nodes of the tree are called {twice}; give each a name of its own")
    free = (name for name in _letters() if name not in given)
    names = {id(one): one[0] or next(free) for one in inner}

    def build(one: _Raw, name: str, maximises: bool, plies: int) -> TreeNode:
        if isinstance(one, float):
            return TreeNode(name, maximises, one)
        if plies >= MOST_DEPTH:
            raise TreeError(f"the tree is deeper than {MOST_DEPTH} plies; give a smaller one")
        own = names[id(one)]
        children = (build(c, f"{own}{i}", not maximises, plies + 1) for i, c in enumerate(one[1], start=1))
        return TreeNode(own, maximises, None, tuple(children))

    tree = build(raw, "", root == "max", 0)
    if (count := sum(1 for _ in tree.walk())) > MOST_NODES:
        raise TreeError(f"the tree has {count} nodes; give one of at most {MOST_NODES}")
    return tree


def _letters() -> Iterator[str]:
    alphabet = "ABCDEFGHIJKLMNOPQRSTUVWXYZ"
    yield from alphabet
    yield from (a + b for a in alphabet for b in alphabet)


@dataclass(frozen=True)
class Difficulty:
    """What a random tree looks like."""

    branching: tuple[tuple[int, ...], ...]
    """Per ply: how many children a node may have."""
    values: tuple[int, ...]
    cutoffs: int
    """Alpha–beta prunes at least so often."""


DIFFICULTIES = {
    "easy": Difficulty(((3,), (3,)), tuple(range(1, 16)), 1),
    "medium": Difficulty(((2, 3), (2,), (2, 3)), tuple(range(-9, 10)), 2),
    "hard": Difficulty(((2, 3), (2,), (2, 3), (2,)), tuple(range(-9, 10)), 4),
}


def random_tree(seed: int, difficulty: str = "medium", *, algorithm: str = "alphabeta", root: str = "max") -> TreeNode:
    """Draw a tree with one best move at the root, in which alpha–beta prunes; the same seed gives the same tree.

    For UCT, leaves are wins (1) and losses (0) of MAX.
    """
    if difficulty not in DIFFICULTIES:
        raise TreeError(unknown("difficulty", difficulty, DIFFICULTIES))
    wanted = DIFFICULTIES[difficulty]
    uct = _algorithm(algorithm) is Algorithm.UCT
    stream = Stream(derive(seed, "exam tree", difficulty, algorithm))

    def draw(plies: Sequence[tuple[int, ...]]) -> _Raw:
        if not plies:
            return float(stream.below(2) if uct else stream.choice(wanted.values))
        return "", [draw(plies[1:]) for _ in range(stream.choice(plies[0]))]

    for _ in range(10_000):
        tree = _named(draw(wanted.branching), root)
        values = [minimax_value(child) for child in tree.children]
        best = minimax_value(tree)
        if uct:
            if 0 < sum(values) < len(values):
                return tree
            continue
        cutoffs = sum(step.kind is StepKind.CUTOFF for step in solve(tree, "alphabeta").steps)
        if values.count(best) == 1 and cutoffs >= wanted.cutoffs and (difficulty == "easy" or values[0] != best):
            return tree
    raise AssertionError("no tree was found")


def minimax_value(node: TreeNode) -> float:
    """Return the value of a node for MAX."""
    if node.value is not None:
        return node.value
    return (max if node.maximises else min)(map(minimax_value, node.children))


class StepKind(StrEnum):
    """What happens in a step."""

    ENTER = "enter"
    LEAF = "leaf"
    UPDATE = "update"
    CUTOFF = "cutoff"
    RETURN = "return"
    SELECT = "select"
    EXPAND = "expand"
    PLAYOUT = "playout"
    BACKUP = "backup"


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
    """Of UCT, counted from 1."""
    marks: Mapping[str, str] = field(default_factory=dict)
    """What the step writes at nodes."""
    pruned: tuple[str, ...] = ()
    """The nodes that a cutoff prunes."""


@dataclass
class Solution:
    """A solved tree: the steps, and what belongs at each node."""

    tree: TreeNode
    algorithm: Algorithm
    steps: list[Step] = field(default_factory=list)
    marks: dict[str, str] = field(default_factory=dict)
    """By node: its value, a bound such as ≤ 2, or visits and mean of UCT."""
    pruned: set[str] = field(default_factory=set)
    """Nodes whose edge is cut; what is below them is not visited either."""
    line: list[str] = field(default_factory=list)
    """The nodes of best play from the root, or the root and UCT's move."""
    playouts: dict[str, float] = field(default_factory=dict)
    """Of UCT: the result of the playout from each inner node below the root, given in the question."""
    simulations: int = 0
    exploration: float = 0.0

    @property
    def best(self) -> str:
        """The node that the best move at the root leads to."""
        return self.line[1]

    @property
    def unvisited(self) -> set[str]:
        """The leaves that the search never looks at."""
        cut = (node for node in self.tree.walk() if node.name in self.pruned)
        return {leaf.name for node in cut for leaf in node.leaves()}

    def to_json(self) -> dict[str, Any]:
        """Return everything as JSON has it; steps leave out what they have no value for."""
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
    return shown(value) if isinstance(value, float) and math.isinf(value) else value


def solve(
    tree: TreeNode, algorithm: str, *, simulations: int = 8, exploration: float = EXPLORATION, seed: int = 0
) -> Solution:
    """Solve a tree step by step. Simulations, exploration constant and the seed of the playouts are UCT's."""
    if not tree.children:
        raise TreeError(f"the tree has no inner node; {_EXAMPLE}")
    match _algorithm(algorithm):
        case Algorithm.UCT:
            if simulations < 1 or not exploration >= 0:
                raise TreeError(
                    f"simulations must be positive and exploration at least 0, got {simulations} and {exploration:g}"
                )
            return _Uct(tree, exploration, seed).run(simulations)
        case named:
            solution = Solution(tree, named)
            pruning = named is Algorithm.ALPHABETA
            _search(tree, solution, pruning, -math.inf, math.inf)
            solution.line = _line(tree)
            return solution


def _algorithm(name: str) -> Algorithm:
    try:
        return Algorithm(name)
    except ValueError:
        raise TreeError(unknown("algorithm", name, list(Algorithm))) from None


def _line(node: TreeNode) -> list[str]:
    if not node.children:
        return [node.name]
    return [node.name, *_line(next(one for one in node.children if minimax_value(one) == minimax_value(node)))]


def _search(node: TreeNode, solution: Solution, pruning: bool, alpha: float, beta: float) -> tuple[float, float, float]:
    """Search by minimax, with alpha–beta pruning if asked; return the value, and the bounds that the leaves prove."""
    steps = solution.steps
    if node.value is not None:
        steps.append(Step(StepKind.LEAF, node.name, f"Leaf {node.name}: {shown(node.value)}.", node.value))
        return node.value, node.value, node.value
    limits = (alpha, beta) if pruning else (None, None)
    window = f" with α = {shown(alpha)}, β = {shown(beta)}" if pruning else ""
    steps.append(Step(StepKind.ENTER, node.name, f"{node.player} at {node.name}{window}.", None, *limits))
    better = max if node.maximises else min
    best = -math.inf if node.maximises else math.inf
    lows: list[float] = []
    highs: list[float] = []
    for at, child in enumerate(node.children, start=1):
        value, low, high = _search(child, solution, pruning, alpha, beta)
        lows.append(low)
        highs.append(high)
        if better(value, best) != best:
            best = value
            known = f"≥ {shown(max(lows))}" if node.maximises else f"≤ {shown(min(highs))}"
            said = f"{node.name} has {shown(best)} now, by {child.name}."
            steps.append(Step(StepKind.UPDATE, node.name, said, best, marks={node.name: known}))
        if node.maximises:
            alpha = max(alpha, best)
        else:
            beta = min(beta, best)
        left = node.children[at:]
        if pruning and alpha >= beta and left:
            solution.pruned |= {one.name for one in left}
            steps.append(_cutoff(node, best, beta if node.maximises else alpha, left))
            lows += [-math.inf] * len(left)
            highs += [math.inf] * len(left)
            break
    low, high = better(lows), better(highs)
    solution.marks[node.name] = mark = _bounds(low, high)
    steps.append(Step(StepKind.RETURN, node.name, f"Value of {node.name}: {mark}.", best, marks={node.name: mark}))
    return best, low, high


def _cutoff(node: TreeNode, best: float, other: float, left: Sequence[TreeNode]) -> Step:
    cut = " and ".join(one.name for one in left)
    them = "MIN" if node.maximises else "MAX"
    does = f"get {shown(best)}" if node.maximises else f"hold MAX to {shown(best)}"
    why = f"{node.player} can {does} at {node.name}, but {them} already has {shown(other)} elsewhere"
    return Step(
        StepKind.CUTOFF, node.name, f"Cutoff: {why}. Prune {cut}.", best, pruned=tuple(one.name for one in left)
    )


def _bounds(low: float, high: float) -> str:
    if low == high:
        return shown(low)
    if math.isinf(low):
        return f"≤ {shown(high)}"
    return f"≥ {shown(low)}" if math.isinf(high) else f"{shown(low)} to {shown(high)}"


class _Uct:
    """UCT on a tree whose playouts are known. Rewards are MAX's, scaled to [0, 1]; MIN minimises them."""

    def __init__(self, tree: TreeNode, exploration: float, seed: int) -> None:
        self.solution = Solution(tree, Algorithm.UCT, exploration=exploration)
        self.low, self.high = reward_range(tree)
        self.visits = {node.name: 0 for node in tree.walk()}
        self.total = {node.name: 0.0 for node in tree.walk()}
        for node in tree.walk():
            if node.children and node is not tree:
                leaf = Stream(derive(seed, "playout", node.name)).choice(list(node.leaves()))
                assert leaf.value is not None
                self.solution.playouts[node.name] = leaf.value

    def run(self, simulations: int) -> Solution:
        self.solution.simulations = simulations
        tree = self.solution.tree
        for number in range(1, simulations + 1):
            self._simulate(number)
        self.solution.marks = self._marks(tree.walk())
        sign = 1 if tree.maximises else -1
        best = max(tree.children, key=lambda one: (self.visits[one.name], sign * self._mean(one)))
        self.solution.line = [tree.name, best.name]
        return self.solution

    def _marks(self, nodes: Iterable[TreeNode]) -> dict[str, str]:
        """Return the visits and mean rewards of the nodes that have been visited."""
        visited = (node for node in nodes if self.visits[node.name])
        return {node.name: f"{self.visits[node.name]} · {shown(self._mean(node))}" for node in visited}

    def _mean(self, node: TreeNode) -> float:
        return self.total[node.name] / self.visits[node.name] if self.visits[node.name] else 0.0

    def _bound(self, parent: TreeNode, child: TreeNode) -> float:
        mean = self._mean(child)
        width = self.solution.exploration * math.sqrt(math.log(self.visits[parent.name]) / self.visits[child.name])
        return (mean if parent.maximises else 1 - mean) + width

    def _simulate(self, number: int) -> None:
        def step(
            kind: StepKind,
            node: TreeNode,
            text: str,
            value: float | None = None,
            marks: Mapping[str, str] | None = None,
        ) -> None:
            self.solution.steps.append(Step(kind, node.name, text, value, simulation=number, marks=marks or {}))

        path = [self.solution.tree]
        while path[-1].children:
            node = path[-1]
            new = next((child for child in node.children if not self.visits[child.name]), None)
            if new is not None:
                path.append(new)
                step(StepKind.EXPAND, new, f"Expand {new.name}, the first unvisited child of {node.name}.")
                break
            bounds = {child.name: self._bound(node, child) for child in node.children}
            chosen = max(node.children, key=lambda child: bounds[child.name])
            said = ", ".join(f"{name} {bound:.3f}" for name, bound in bounds.items())
            step(
                StepKind.SELECT,
                chosen,
                f"Select {chosen.name} at {node.name} ({node.player}): {said}.",
                bounds[chosen.name],
            )
            path.append(chosen)
        end = path[-1]
        result = self.solution.playouts[end.name] if end.value is None else end.value
        reward = (result - self.low) / (self.high - self.low)
        scaled = "" if result == reward else f", reward {shown(reward)}"
        what = "Playout" if end.children else "Leaf"
        step(StepKind.PLAYOUT, end, f"{what} {end.name}: {shown(result)}{scaled}.", result)
        for node in path:
            self.visits[node.name] += 1
            self.total[node.name] += reward
        marks = self._marks(path)
        said = ", ".join(f"{name} {mark}" for name, mark in marks.items())
        step(StepKind.BACKUP, self.solution.tree, f"Back up (visits · mean): {said}.", reward, marks)


def reward_range(tree: TreeNode) -> tuple[float, float]:
    """Return the values that stand for rewards 0 and 1: these themselves if all leaves are between them."""
    values = [leaf.value for leaf in tree.leaves() if leaf.value is not None]
    low, high = min(values), max(values)
    if low >= 0 and high <= 1:
        return 0.0, 1.0
    return (low, high) if low < high else (low - 1, high)


DATA = Path(inarow.__file__).parent / "data" / "exam_tree"
FORMATS = (".html", ".svg", ".pdf")
STEP, LEVEL, SIZE = 46, 84, 20
"""Pixels between leaves and between levels, and half the width of a node."""
_LEAST_SCALE = 0.6
"""The smallest size at which a page shows the picture before it scrolls."""
STYLE = (
    "svg.exam{--ink:#1f2328;--soft:#57606a;--mark:#b3261e;--ground:#fff}"
    "@media(prefers-color-scheme:dark){svg.exam{--ink:#e4e8ed;--soft:#9aa5b1;--mark:#ff8a80;--ground:#14181d}}"
    '.exam text{font:14px system-ui,"Segoe UI",Roboto,"Noto Sans","DejaVu Sans",sans-serif;fill:var(--ink);'
    "text-anchor:middle}.exam text.s{font-size:10px;fill:var(--soft)}"
    ".exam text.m{font-weight:700;fill:var(--mark);text-anchor:start;paint-order:stroke;"
    "stroke:var(--ground);stroke-width:4px}.exam text.v{font-size:11px}"
    ".exam .e,.exam .b{stroke:var(--ink);fill:var(--ground);stroke-width:1.3}"
    ".exam .g{stroke-width:3.2;stroke:var(--mark)}"
    ".exam .x{stroke:var(--mark);stroke-width:2.2}.exam .d{opacity:.38}.exam .w{stroke:var(--soft);fill:none}"
)


@dataclass(frozen=True)
class Exam:
    """A question about a tree and its solution."""

    solution: Solution
    title: str = ""

    @property
    def heading(self) -> str:
        """The title, or one that names the algorithm."""
        return self.title or capitalised(f"{self.solution.algorithm.label} on a game tree")

    def svg(self, view: TreeView) -> str:
        """Draw the tree."""
        return _TreePicture(self.solution, view).text()

    def html(self, view: TreeView) -> str:
        """Return the page of the question, or of its solution."""
        return _template().render(**self._page(view is TreeView.SOLUTION))

    def write(self, path: Path) -> list[Path]:
        """Write the question, and its solution beside it as ``NAME-solution``; the suffix says in which format."""
        if path.suffix.lower() not in FORMATS:
            raise TreeError(f"{path} ends with {path.suffix or 'no suffix'}; .html, .svg or .pdf was expected")
        both = {TreeView.QUESTION: path, TreeView.SOLUTION: path.with_stem(f"{path.stem}-solution")}
        for view, target in both.items():
            if path.suffix.lower() == ".pdf":
                self._print(target, view)
            else:
                text = self.svg(view) if path.suffix.lower() == ".svg" else self.html(view)
                write_text(target, text, TreeError)
        return list(both.values())

    def _print(self, target: Path, view: TreeView) -> None:
        from inarow.report.page import print_page

        with tempfile.TemporaryDirectory(prefix="inarow-tree-") as folder:
            page = Path(folder) / "tree.html"
            page.write_text(self.html(view), encoding="utf-8")
            made = print_page(page, target)
        if isinstance(made, str):
            raise TreeError(f"{made}; or write .html")

    def _page(self, solved: bool) -> dict[str, Any]:
        solution, tree = self.solution, self.solution.tree
        picture = _TreePicture(solution, TreeView.SOLUTION if solved else TreeView.QUESTION)
        uct = solution.algorithm is Algorithm.UCT
        steps: list[dict[str, Any]] = []
        simulation: int | None = 0
        for step in solution.steps:
            if step.kind is StepKind.UPDATE:  # belongs to the leaf or the value that it follows
                steps[-1]["text"] += f" {step.text}"
                continue
            number: int | str | None = len(steps) + 1
            if uct:
                number, simulation = "" if step.simulation == simulation else step.simulation, step.simulation
            steps.append({"kind": step.kind, "text": step.text, "number": number})
        return {
            "title": f"{self.heading}: solution" if solved else self.heading,
            "given": self.given(),
            "picture": picture.text(),
            "least_width": round(picture.width * _LEAST_SCALE),
            "playouts": {name: shown(value) for name, value in sorted(solution.playouts.items())},
            "tasks": self.tasks(),
            "solved": solved,
            "steps": steps,
            "text": tree.to_text(),
        }

    def given(self) -> list[str]:
        """Return what the question says about the tree and the algorithm."""
        solution, tree = self.solution, self.solution.tree
        said = [f"△ is a node of MAX, ▽ a node of MIN; {tree.player} moves at {tree.name}. Values are MAX's."]
        if solution.algorithm is Algorithm.ALPHABETA:
            said.append(
                f"Alpha–beta visits children from left to right and begins at {tree.name} with α = −∞ and β = ∞. "
                "It stops visiting the children of a node as soon as α ≥ β."
            )
        if solution.algorithm is Algorithm.UCT:
            low, high = reward_range(tree)
            shift = f"− {shown(low)}" if low > 0 else f"+ {shown(-low)}"
            reward = "its value" if (low, high) == (0, 1) else f"(value {shift}) / {shown(high - low)}"
            runs = counted(solution.simulations, "simulation", "simulations")
            said.append(
                f"UCT runs {runs} with c = {shown(solution.exploration)}. A node first visits its children from left "
                "to right, then selects the one with the largest x + c·√(ln N / n): N and n are the visits of the node "
                "and of the child, x is the child's mean reward, or 1 minus it at a node of MIN. Ties go to the left. "
                f"The reward of a leaf is {reward}; a playout from an inner node ends with the result below."
            )
        return said

    def tasks(self) -> list[dict[str, Any]]:
        """Return the questions with their answers, and how many lines an answer needs."""
        solution, tree = self.solution, self.solution.tree
        best = f"To {solution.best}"
        marks = "; ".join(
            f"{one.name}: {solution.marks[one.name]}" for one in tree.walk() if one.name in solution.marks
        )
        leaves = [leaf.name for leaf in tree.leaves()]
        if solution.algorithm is Algorithm.UCT:
            return [
                _task("Give the path and the reward of each simulation.", "See the steps below.", solution.simulations),
                _task("Give the number of visits and the mean reward of each visited node.", f"{marks}."),
                _task(f"Which move does {tree.player} play at {tree.name}, by visits?", f"{best}.", 1),
            ]
        value = solution.marks[tree.name]
        move = _task(
            f"What is the value of {tree.name}, and which move does {tree.player} play there?",
            f"{value}. {best}; best play is {' – '.join(solution.line)}.",
            1,
        )
        if solution.algorithm is Algorithm.MINIMAX:
            return [_task("Write the minimax value of each inner node into its box.", f"{marks}."), move]
        pruned, unvisited = sorted(solution.pruned), solution.unvisited
        return [
            _task(
                "Write the value of each visited inner node into its box, or the bound that is known of it.",
                f"{marks}.",
            ),
            _task("Cross out each branch that is pruned.", f"{', '.join(pruned) or 'None'}."),
            _task("How many leaves are evaluated?", f"{len(leaves) - len(unvisited)} of {len(leaves)}.", 1),
            move,
        ]


def _task(question: str, answer: str, lines: int = 0) -> dict[str, Any]:
    return {"question": question, "answer": answer, "lines": lines}


def _template() -> jinja2.Template:
    environment = jinja2.Environment(
        loader=jinja2.FileSystemLoader(DATA), autoescape=True, undefined=jinja2.StrictUndefined, trim_blocks=True
    )
    environment.filters["svg"] = Markup  # of our own drawing only
    return environment.get_template("page.html")


class TreeView(StrEnum):
    """What a picture of a tree shows."""

    QUESTION = "question"
    """Boxes to fill in."""
    SOLUTION = "solution"
    """Values, pruned branches and the best line."""
    STEPS = "steps"
    """Empty marks, which a page fills in step by step; its style sheet is `STYLE`."""


class _TreePicture:
    """A drawing: a group for each node with the edge to it, all below it, its shape and its marks."""

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
        label = escape(f"A game tree: {tree.to_text()}")
        style = "" if self.view is TreeView.STEPS else f"<style>{STYLE}</style>"
        return (
            f'<svg xmlns="http://www.w3.org/2000/svg" class="exam" width="{self.width}" height="{self.height}" '
            f'viewBox="0 0 {self.width} {self.height}" role="img" aria-label="{label}">{style}'
            f"{self._node(tree, 0)}</svg>\n"
        )

    def _node(self, node: TreeNode, level: int, edge: str = "") -> str:
        x, y = self.x[node.name], SIZE + 8 + LEVEL * level
        line = self.solution.line if self.solved else []
        below = []
        for child in node.children:
            end = self.x[child.name], y + LEVEL
            best = " g" if node.name in line and child.name in line else ""
            path = f'<line class="e{best}" x1="{x:g}" y1="{y:g}" x2="{end[0]:g}" y2="{end[1]:g}"/>'
            below.append(self._node(child, level + 1, path))
            if child.name in self.solution.pruned and self.view is not TreeView.QUESTION:
                below.append(f'<g data-cut="{child.name}">{_strike((x, y), end)}</g>')
        if node.value is not None:
            shape = (
                f'<rect class="b" x="{x - 16:g}" y="{y - 13:g}" width="32" height="26" rx="4"/>'
                f'<text x="{x:g}" y="{y + 5:g}">{shown(node.value)}</text>'
                f'<text class="s" x="{x:g}" y="{y + 25:g}">{escape(node.name)}</text>'
            )
        else:
            up = -1 if node.maximises else 1
            base = y - up * SIZE * 0.8
            shape = (
                f'<polygon class="b" points="{x:g},{y + up * SIZE:g} {x - SIZE:g},{base:g} {x + SIZE:g},{base:g}"/>'
                f'<text class="v" x="{x:g}" y="{y + 4 - up * 4:g}">{escape(node.name)}</text>'
            )
        faded = ' class="d"' if self.solved and node.name in self.solution.pruned else ""
        parts = edge, *below, shape, *self._marks(node, x, y)
        return f'<g data-node="{escape(node.name)}"{faded}>{"".join(parts)}</g>'

    def _marks(self, node: TreeNode, x: float, y: float) -> Iterator[str]:
        """Yield a node's marks: its value, or UCT's visits and mean; in a question a box to fill in."""
        uct = self.solution.algorithm is Algorithm.UCT
        if self.view is TreeView.QUESTION:
            if node.children and not uct:
                yield f'<rect class="w" x="{x + SIZE + 3:g}" y="{y - 10:g}" width="28" height="20" rx="2"/>'
            return
        if node.children:
            places = [(x + SIZE + 3, y - 4), (x + SIZE + 3, y + 10)] if uct else [(x + SIZE + 3, y + 4)]
        else:
            places = [(x + 13, y - 17)] if uct else []
        texts = self.solution.marks.get(node.name, "").split(" · ") if self.solved else [""] * len(places)
        for (at, down), text in zip(places, texts, strict=False):
            kind = "m v" if uct else "m"
            yield f'<text class="{kind}" data-mark="{escape(node.name)}" x="{at:g}" y="{down:g}">{text}</text>'


def _strike(start: tuple[float, float], end: tuple[float, float]) -> str:
    """Strike an edge through twice, at a right angle."""
    (x, y), (u, v) = start, end
    length = ((u - x) ** 2 + (v - y) ** 2) ** 0.5
    dx, dy = 8 * (u - x) / length, 8 * (v - y) / length
    middles = ((x + share * (u - x), y + share * (v - y)) for share in (0.47, 0.53))
    return "".join(
        f'<line class="x" x1="{a - dy:.1f}" y1="{b + dx:.1f}" x2="{a + dy:.1f}" y2="{b - dx:.1f}"/>' for a, b in middles
    )
