"""A game tree as an exam question and as its marked solution: SVG, an HTML page, or PDF."""

from __future__ import annotations

import tempfile
from collections.abc import Iterator
from dataclasses import dataclass
from enum import StrEnum
from html import escape
from pathlib import Path
from typing import Any

import jinja2
from markupsafe import Markup

import inarow
from inarow.atomic import write_text
from inarow.formatting import capitalised, counted
from inarow.teaching.exam_tree import Algorithm, Kind, Node, Solution, TreeError, reward_range, shown

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

    def svg(self, view: View) -> str:
        """Draw the tree."""
        return _Picture(self.solution, view).text()

    def html(self, view: View) -> str:
        """Return the page of the question, or of its solution."""
        return _template().render(**self._page(view is View.SOLUTION))

    def write(self, path: Path) -> list[Path]:
        """Write the question, and its solution beside it as ``NAME-solution``; the suffix says in which format."""
        if path.suffix.lower() not in FORMATS:
            raise TreeError(f"{path} ends with {path.suffix or 'no suffix'}; .html, .svg or .pdf was expected")
        both = {View.QUESTION: path, View.SOLUTION: path.with_stem(f"{path.stem}-solution")}
        for view, target in both.items():
            if path.suffix.lower() == ".pdf":
                self._print(target, view)
            else:
                text = self.svg(view) if path.suffix.lower() == ".svg" else self.html(view)
                write_text(target, text, TreeError)
        return list(both.values())

    def _print(self, target: Path, view: View) -> None:
        from inarow.report.writing import print_page

        with tempfile.TemporaryDirectory(prefix="inarow-tree-") as folder:
            page = Path(folder) / "tree.html"
            page.write_text(self.html(view), encoding="utf-8")
            made = print_page(page, target)
        if isinstance(made, str):
            raise TreeError(f"{made}; or write .html")

    def _page(self, solved: bool) -> dict[str, Any]:
        solution, tree = self.solution, self.solution.tree
        picture = _Picture(solution, View.SOLUTION if solved else View.QUESTION)
        uct = solution.algorithm is Algorithm.UCT
        steps: list[dict[str, Any]] = []
        simulation: int | None = 0
        for step in solution.steps:
            if step.kind is Kind.UPDATE:  # belongs to the leaf or the value that it follows
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


class View(StrEnum):
    """What a picture of a tree shows."""

    QUESTION = "question"
    """Boxes to fill in."""
    SOLUTION = "solution"
    """Values, pruned branches and the best line."""
    STEPS = "steps"
    """Empty marks, which a page fills in step by step; its style sheet is `STYLE`."""


class _Picture:
    """A drawing: a group for each node with the edge to it, all below it, its shape and its marks."""

    def __init__(self, solution: Solution, view: View) -> None:
        self.solution, self.view = solution, view
        self.solved = view is View.SOLUTION
        tree = solution.tree
        leaves = list(tree.leaves())
        self.x = {leaf.name: STEP * (at + 0.8) for at, leaf in enumerate(leaves)}
        self.width, self.height = round(STEP * (len(leaves) + 0.9)), round(LEVEL * tree.depth + 2.6 * SIZE + 14)
        self._place(tree)

    def _place(self, node: Node) -> float:
        if node.name not in self.x:
            places = [self._place(child) for child in node.children]
            self.x[node.name] = (places[0] + places[-1]) / 2
        return self.x[node.name]

    def text(self) -> str:
        """Return the picture."""
        tree = self.solution.tree
        label = escape(f"A game tree: {tree.to_text()}")
        style = "" if self.view is View.STEPS else f"<style>{STYLE}</style>"
        return (
            f'<svg xmlns="http://www.w3.org/2000/svg" class="exam" width="{self.width}" height="{self.height}" '
            f'viewBox="0 0 {self.width} {self.height}" role="img" aria-label="{label}">{style}'
            f"{self._node(tree, 0)}</svg>\n"
        )

    def _node(self, node: Node, level: int, edge: str = "") -> str:
        x, y = self.x[node.name], SIZE + 8 + LEVEL * level
        line = self.solution.line if self.solved else []
        below = []
        for child in node.children:
            end = self.x[child.name], y + LEVEL
            best = " g" if node.name in line and child.name in line else ""
            path = f'<line class="e{best}" x1="{x:g}" y1="{y:g}" x2="{end[0]:g}" y2="{end[1]:g}"/>'
            below.append(self._node(child, level + 1, path))
            if child.name in self.solution.pruned and self.view is not View.QUESTION:
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

    def _marks(self, node: Node, x: float, y: float) -> Iterator[str]:
        """Yield a node's marks: its value, or UCT's visits and mean; in a question a box to fill in."""
        uct = self.solution.algorithm is Algorithm.UCT
        if self.view is View.QUESTION:
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
