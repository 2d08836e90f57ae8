"""Nodes are counted from outside, for the kinds of file where that can be done, and give points if that is expected."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

from inarow.rules import TICTACTOE
from inarow.teaching.assignment.making import draw_exercise, filled
from inarow.teaching.checking import CheckReport
from inarow.teaching.league.judging import Efficiency
from inarow.teaching.league.settings import Marking, PointScale
from support.external_corpus import CS50
from support.league_doubles import FIRST_FREE, hand_in, hold, small_settings


def test_the_kits_and_cs50s_files_are_counted_and_others_are_not(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("inarow.teaching.league.judging.check_agent", lambda *_, **more: CheckReport())
    kit = filled("reference.py", draw_exercise(TICTACTOE, 1, boards=2, searches=2)).decode()
    wrong = kit.replace("or value > best[0]", "or value >= best[0]").replace(
        "or value < best[0]", "or value <= best[0]"
    )
    lies = CS50 + "\nnodes = 0\nresult.nodes = 0\n"
    folder = hand_in(
        tmp_path / "class", kit=kit, plain=kit + "\ndel alphabeta\n", wrong=wrong, cs50=lies, other=FIRST_FREE
    )
    settings = replace(
        small_settings(among=0), ladder=(), marking=Marking(accuracy=PointScale(0), efficiency=PointScale(10, 0.0, 0.5))
    )
    table, _ = hold(folder, tmp_path / "out", settings)
    found = {one.entrant.name: one for one in table}
    assert {name for name, one in found.items() if one.efficiencies} == {"kit", "plain", "wrong", "cs50"}
    assert found["kit"].points == 10
    assert found["kit"].saved is not None
    assert found["kit"].saved > 0.5
    assert [found[name].points for name in ("plain", "wrong", "cs50", "other")] == [0, 0, 0, 0]
    for name in ("plain", "cs50"):
        (efficiency,) = found[name].efficiencies.values()
        assert efficiency.nodes == efficiency.plain
        assert efficiency.right == efficiency.total
    page = (tmp_path / "out" / "site" / "index.html").read_text(encoding="utf-8")
    assert "nodes saved" in page
    assert "counted from outside" in page
    assert "Other files can&#39;t be counted" in page


def test_wrong_answers_save_nothing() -> None:
    assert Efficiency("alphabeta", 11, 12, 5, 100).saved == 0
    assert Efficiency("alphabeta", 12, 12, 25, 100).saved == 0.75
    assert Efficiency("minimax", 12, 12, 120, 100).saved == 0
