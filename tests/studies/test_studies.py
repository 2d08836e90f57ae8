"""Every study of the core has a page without a number that is in no table."""

from __future__ import annotations

from pathlib import Path

import pytest

from inarow.report.page import Page
from inarow.studies.atlas import SECONDS
from inarow.studies.base import BUILT_IN
from support.study_checks import checked_page


@pytest.mark.parametrize("name", BUILT_IN)
def test_a_study_keeps_its_promises(name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(SECONDS, "quick", 0.02)
    page = checked_page(name, tmp_path)
    if name == "compare":
        compares_the_usual_algorithms(page)


def compares_the_usual_algorithms(page: Page) -> None:
    """On both games, minimax and alpha–beta at equal depth with the same moves, and learners in five runs."""
    assert [section.title for section in page.sections] == [
        "Strength", "Cost", "Accuracy against exact values", "Learning curves",
        "Scaling with depth, time and board", "Threats to validity",
    ]  # fmt: skip
    tables = {table.key: table for table in page.tables()}
    for game in ("connect4", "tictactoe"):
        kinds = [str(row[0]).partition(" (")[0] for row in tables[f"{game}-standings"].rows]
        assert set(kinds) == {
            "random", "rules", "minimax", "alpha–beta", "Q-learning", "guided Q-learning", "MCTS", "n-tuple", "best",
            "perfect",
        }  # fmt: skip
        assert {row[1] for row in tables[f"{game}-trained"].rows} == {5}
        graded = {row[1] for row in tables[f"{game}-truth"].rows}
        assert len(graded) == 1, "all on the same positions"
    for row in tables["pruning"].rows:
        assert row[2] == row[3], "minimax and alpha–beta chose the same moves"
        assert row[5] < row[4], "with fewer nodes"  # type: ignore[operator]
    assert "alpha–beta plays minimax’s moves with" in page.headline
    for name in ("minimax", "alpha–beta", "MCTS", "Q-learning", "n-tuple"):
        assert name in page.headline
