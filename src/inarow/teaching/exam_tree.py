"""Game trees for exams: written as text or drawn at random, and solved step by step by minimax, alpha–beta or UCT.

A tree is written with brackets, ``((3 12 8) (2 4 6) (14 5 2))``; commas and square brackets do as well, and an inner
node may have a name, ``A(B(3 12 8) C(2 4 6))``. All values are MAX's. Every choice between equals goes to the left,
so a solution is unique.
"""

from __future__ import annotations

import math
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from enum import StrEnum
from functools import cached_property
from typing import Any

from inarow.errors import InarowError, printable, unknown
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
class Node:
    """A node; a leaf has a value, an inner node has children."""

    name: str
    maximises: bool
    value: float | None = None
    children: tuple[Node, ...] = ()

    @property
    def player(self) -> str:
        """Who moves here."""
        return "MAX" if self.maximises else "MIN"

    def walk(self) -> Iterator[Node]:
        """Yield the node and all below it, from the left, parents first."""
        yield self
        for child in self.children:
            yield from child.walk()

    def leaves(self) -> Iterator[Node]:
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


def parse_tree(text: str, *, root: str = "max") -> Node:
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


def _named(raw: _Raw, root: str) -> Node:
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

    def build(one: _Raw, name: str, maximises: bool, plies: int) -> Node:
        if isinstance(one, float):
            return Node(name, maximises, one)
        if plies >= MOST_DEPTH:
            raise TreeError(f"the tree is deeper than {MOST_DEPTH} plies; give a smaller one")
        own = names[id(one)]
        children = (build(c, f"{own}{i}", not maximises, plies + 1) for i, c in enumerate(one[1], start=1))
        return Node(own, maximises, None, tuple(children))

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


def random_tree(seed: int, difficulty: str = "medium", *, algorithm: str = "alphabeta", root: str = "max") -> Node:
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
        cutoffs = sum(step.kind is Kind.CUTOFF for step in solve(tree, "alphabeta").steps)
        if values.count(best) == 1 and cutoffs >= wanted.cutoffs and (difficulty == "easy" or values[0] != best):
            return tree
    raise AssertionError("no tree was found")


def minimax_value(node: Node) -> float:
    """Return the value of a node for MAX."""
    if node.value is not None:
        return node.value
    return (max if node.maximises else min)(map(minimax_value, node.children))


class Kind(StrEnum):
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

    kind: Kind
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

    tree: Node
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
    tree: Node, algorithm: str, *, simulations: int = 8, exploration: float = EXPLORATION, seed: int = 0
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


def _line(node: Node) -> list[str]:
    if not node.children:
        return [node.name]
    return [node.name, *_line(next(one for one in node.children if minimax_value(one) == minimax_value(node)))]


def _search(node: Node, solution: Solution, pruning: bool, alpha: float, beta: float) -> tuple[float, float, float]:
    """Minimax, with alpha–beta pruning if asked. Returns the value, and the bounds that the visited leaves prove."""
    steps = solution.steps
    if node.value is not None:
        steps.append(Step(Kind.LEAF, node.name, f"Leaf {node.name}: {shown(node.value)}.", node.value))
        return node.value, node.value, node.value
    limits = (alpha, beta) if pruning else (None, None)
    window = f" with α = {shown(alpha)}, β = {shown(beta)}" if pruning else ""
    steps.append(Step(Kind.ENTER, node.name, f"{node.player} at {node.name}{window}.", None, *limits))
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
            steps.append(Step(Kind.UPDATE, node.name, said, best, marks={node.name: known}))
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
    steps.append(Step(Kind.RETURN, node.name, f"Value of {node.name}: {mark}.", best, marks={node.name: mark}))
    return best, low, high


def _cutoff(node: Node, best: float, other: float, left: Sequence[Node]) -> Step:
    cut = " and ".join(one.name for one in left)
    them = "MIN" if node.maximises else "MAX"
    does = f"get {shown(best)}" if node.maximises else f"hold MAX to {shown(best)}"
    why = f"{node.player} can {does} at {node.name}, but {them} already has {shown(other)} elsewhere"
    return Step(Kind.CUTOFF, node.name, f"Cutoff: {why}. Prune {cut}.", best, pruned=tuple(one.name for one in left))


def _bounds(low: float, high: float) -> str:
    if low == high:
        return shown(low)
    if math.isinf(low):
        return f"≤ {shown(high)}"
    return f"≥ {shown(low)}" if math.isinf(high) else f"{shown(low)} to {shown(high)}"


class _Uct:
    """UCT on a tree whose playouts are known. Rewards are MAX's, scaled to [0, 1]; MIN minimises them."""

    def __init__(self, tree: Node, exploration: float, seed: int) -> None:
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

    def _marks(self, nodes: Iterable[Node]) -> dict[str, str]:
        """Return the visits and mean rewards of the nodes that have been visited."""
        visited = (node for node in nodes if self.visits[node.name])
        return {node.name: f"{self.visits[node.name]} · {shown(self._mean(node))}" for node in visited}

    def _mean(self, node: Node) -> float:
        return self.total[node.name] / self.visits[node.name] if self.visits[node.name] else 0.0

    def _bound(self, parent: Node, child: Node) -> float:
        mean = self._mean(child)
        width = self.solution.exploration * math.sqrt(math.log(self.visits[parent.name]) / self.visits[child.name])
        return (mean if parent.maximises else 1 - mean) + width

    def _simulate(self, number: int) -> None:
        def step(
            kind: Kind, node: Node, text: str, value: float | None = None, marks: Mapping[str, str] | None = None
        ) -> None:
            self.solution.steps.append(Step(kind, node.name, text, value, simulation=number, marks=marks or {}))

        path = [self.solution.tree]
        while path[-1].children:
            node = path[-1]
            new = next((child for child in node.children if not self.visits[child.name]), None)
            if new is not None:
                path.append(new)
                step(Kind.EXPAND, new, f"Expand {new.name}, the first unvisited child of {node.name}.")
                break
            bounds = {child.name: self._bound(node, child) for child in node.children}
            chosen = max(node.children, key=lambda child: bounds[child.name])
            said = ", ".join(f"{name} {bound:.3f}" for name, bound in bounds.items())
            step(
                Kind.SELECT,
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
        step(Kind.PLAYOUT, end, f"{what} {end.name}: {shown(result)}{scaled}.", result)
        for node in path:
            self.visits[node.name] += 1
            self.total[node.name] += reward
        marks = self._marks(path)
        said = ", ".join(f"{name} {mark}" for name, mark in marks.items())
        step(Kind.BACKUP, self.solution.tree, f"Back up (visits · mean): {said}.", reward, marks)


def reward_range(tree: Node) -> tuple[float, float]:
    """Return the values that stand for rewards 0 and 1: these themselves if all leaves are between them."""
    values = [leaf.value for leaf in tree.leaves() if leaf.value is not None]
    low, high = min(values), max(values)
    if low >= 0 and high <= 1:
        return 0.0, 1.0
    return (low, high) if low < high else (low - 1, high)
