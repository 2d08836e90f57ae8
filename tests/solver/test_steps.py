"""The solver built up step by step is exact, and visits the nodes that its page says."""

from __future__ import annotations

import re
import runpy
from pathlib import Path

from inarow.rules import CONNECT4
from inarow.solver import Oracle

ROOT = Path(__file__).parents[2]
STEPS = runpy.run_path(str(ROOT / "examples" / "solver_steps.py"))


def stated(stones: str) -> list[str]:
    """A column of the table on the page, from the first number on."""
    page = (ROOT / "docs" / "algorithms" / "solver.md").read_text(encoding="utf-8")
    head, *rows = [re.split(r" \| ", line.strip("| ")) for line in page.splitlines() if line.count(" | ") == 3]
    assert [row[0] for row in rows] == [*STEPS["STEPS"], "the compiled solver"]
    return [row[head.index(stones)] for row in rows]


def test_the_steps_visit_the_nodes_of_the_page() -> None:
    assert stated("32 stones")[:-1] == [f"{nodes:,}" for nodes in STEPS["nodes_by_step"](32)]
    assert stated("24 stones")[5:-1] == [f"{nodes:,}" for nodes in STEPS["nodes_by_step"](24, 6)]


def test_all_steps_together_give_the_exact_score_with_more_nodes_than_the_compiled_solver() -> None:
    """`nodes_by_step` itself compares the scores of all steps."""
    oracle = Oracle(CONNECT4, book=False)
    for stones in (32, 24, 18):
        nodes = 0
        for position in STEPS["positions"](stones):
            oracle.forget()
            score = oracle.score(position)
            assert stones < 32 or STEPS["Solver"](CONNECT4, len(STEPS["STEPS"])).score(position) == score
            nodes += oracle.nodes
        assert stated(f"{stones} stones")[-1] == f"{nodes:,}"
