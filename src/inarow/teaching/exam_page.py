"""A game tree as an exam question and as its marked solution: SVG, an HTML page, or PDF."""

from __future__ import annotations

import tempfile
from dataclasses import dataclass
from html import escape
from pathlib import Path
from typing import Any

import jinja2
from markupsafe import Markup

import inarow
from inarow.atomic import write_text
from inarow.formatting import counted
from inarow.report.writing import print_page
from inarow.teaching.exam_tree import Algorithm, Kind, Node, Solution, TreeError, reward_range, shown

DATA = Path(inarow.__file__).parent / "data" / "exam_tree"
FORMATS = (".html", ".svg", ".pdf")
STEP, LEVEL, SIZE = 46, 84, 20
"""Pixels between leaves and between levels, and half the width of a node."""
_LEAST_SCALE = 0.6
"""The smallest size at which a page shows the picture before it scrolls."""
_STYLE = (
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

    def svg(self, *, solved: bool) -> str:
        """Draw the tree; solved with the values, pruned branches and best line marked, else with boxes to fill in."""
        return _Picture(self.solution, solved).text()

    def html(self, *, solved: bool) -> str:
        """Return the page of the question, or of its solution."""
        return _template().render(**self._page(solved))

    def write(self, path: Path) -> list[Path]:
        """Write the question, and its solution beside it as ``NAME-solution``; the suffix says in which format."""
        if path.suffix.lower() not in FORMATS:
            raise TreeError(f"{path} ends with {path.suffix or 'no suffix'}; .html, .svg or .pdf was expected")
        both = [path, path.with_stem(f"{path.stem}-solution")]
        for solved, target in enumerate(both):
            if path.suffix.lower() == ".pdf":
                self._print(target, bool(solved))
            else:
                text = (self.svg if path.suffix.lower() == ".svg" else self.html)(solved=bool(solved))
                write_text(target, text, TreeError)
        return both

    def _print(self, target: Path, solved: bool) -> None:
        with tempfile.TemporaryDirectory(prefix="inarow-tree-") as folder:
            page = Path(folder) / "tree.html"
            page.write_text(self.html(solved=solved), encoding="utf-8")
            made = print_page(page, target)
        if isinstance(made, str):
            raise TreeError(f"{made}; or write .html")

    def _page(self, solved: bool) -> dict[str, Any]:
        solution, tree = self.solution, self.solution.tree
        picture = _Picture(solution, solved)
        title = self.title or f"{solution.algorithm.label[0].upper()}{solution.algorithm.label[1:]} on a game tree"
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
            "title": f"{title}: solution" if solved else title,
            "given": self._given(),
            "picture": picture.text(),
            "least_width": round(picture.width * _LEAST_SCALE),
            "playouts": {name: shown(value) for name, value in sorted(solution.playouts.items())},
            "tasks": self._tasks(),
            "solved": solved,
            "steps": steps,
            "text": tree.to_text(),
        }

    def _given(self) -> list[str]:
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

    def _tasks(self) -> list[dict[str, Any]]:
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


class _Picture:
    """A drawing in the making."""

    def __init__(self, solution: Solution, solved: bool) -> None:
        self.solution, self.solved = solution, solved
        tree = solution.tree
        leaves = list(tree.leaves())
        self.x = {leaf.name: STEP * (at + 0.8) for at, leaf in enumerate(leaves)}
        self.width, self.height = STEP * (len(leaves) + 0.9), LEVEL * tree.depth + 2.6 * SIZE + 14
        self.parts: list[str] = []
        self._place(tree)
        self._draw(tree, 0, gone=False)

    def _place(self, node: Node) -> float:
        if node.name not in self.x:
            places = [self._place(child) for child in node.children]
            self.x[node.name] = (places[0] + places[-1]) / 2
        return self.x[node.name]

    def text(self) -> str:
        """Return the picture."""
        tree = self.solution.tree
        label = escape(f"A game tree: {tree.to_text()}")
        width, height = round(self.width), round(self.height)
        return (
            f'<svg xmlns="http://www.w3.org/2000/svg" class="exam" width="{width}" height="{height}" '
            f'viewBox="0 0 {width} {height}" role="img" aria-label="{label}"><style>{_STYLE}</style>'
            f"{''.join(self.parts)}</svg>\n"
        )

    def _draw(self, node: Node, level: int, *, gone: bool) -> None:
        """Draw edges, then what is below, then the node itself; ``gone`` if the search does not get here."""
        x, y = self.x[node.name], SIZE + 8 + LEVEL * level
        line = self.solution.line if self.solved else []
        for child in node.children:
            cut = self.solved and child.name in self.solution.pruned
            at = self.x[child.name], y + LEVEL
            kind = "e" + (" g" if node.name in line and child.name in line else "") + (" d" if gone or cut else "")
            self.parts.append(f'<line class="{kind}" x1="{x:g}" y1="{y:g}" x2="{at[0]:g}" y2="{at[1]:g}"/>')
            if cut:
                self._strike((x, y), at)
            self._draw(child, level + 1, gone=gone or cut)
        faded = " d" if gone else ""
        if node.value is not None:
            self.parts.append(
                f'<rect class="b{faded}" x="{x - 16:g}" y="{y - 13:g}" width="32" height="26" rx="4"/>'
                f'<text class="{faded}" x="{x:g}" y="{y + 5:g}">{shown(node.value)}</text>'
                f'<text class="s{faded}" x="{x:g}" y="{y + 25:g}">{escape(node.name)}</text>'
            )
        else:
            up = -1 if node.maximises else 1
            corners = (
                f"{x:g},{y + up * SIZE:g} {x - SIZE:g},{y - up * SIZE * 0.8:g} {x + SIZE:g},{y - up * SIZE * 0.8:g}"
            )
            self.parts.append(
                f'<polygon class="b{faded}" points="{corners}"/>'
                f'<text class="v{faded}" x="{x:g}" y="{y + 4 - up * 4:g}">{escape(node.name)}</text>'
            )
        self._mark(node, x, y)

    def _strike(self, start: tuple[float, float], end: tuple[float, float]) -> None:
        """Strike an edge through twice, at a right angle."""
        (x, y), (u, v) = start, end
        length = ((u - x) ** 2 + (v - y) ** 2) ** 0.5
        dx, dy = (u - x) / length, (v - y) / length
        for share in (0.47, 0.53):
            a, b = x + share * (u - x), y + share * (v - y)
            ends = f'x1="{a - 8 * dy:.1f}" y1="{b + 8 * dx:.1f}" x2="{a + 8 * dy:.1f}" y2="{b - 8 * dx:.1f}"'
            self.parts.append(f'<line class="x" {ends}/>')

    def _mark(self, node: Node, x: float, y: float) -> None:
        mark = self.solution.marks.get(node.name, "") if self.solved else ""
        uct = self.solution.algorithm is Algorithm.UCT
        if node.value is not None:
            if uct and mark:
                visits = mark.partition(" ")[0]
                self.parts.append(f'<text class="m v" x="{x + 13:g}" y="{y - 17:g}">{visits}</text>')
        elif not self.solved:
            if not uct:
                self.parts.append(
                    f'<rect class="w" x="{x + SIZE + 3:g}" y="{y - 10:g}" width="28" height="20" rx="2"/>'
                )
        else:
            for at, part in enumerate(mark.split(" · ")):
                shift = 4 if " · " not in mark else -4 + 14 * at
                small = " v" if uct else ""
                self.parts.append(f'<text class="m{small}" x="{x + SIZE + 3:g}" y="{y + shift:g}">{part}</text>')
