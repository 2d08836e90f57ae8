"""The atlas: boards solved, kept, compared with published results, and drawn."""

from __future__ import annotations

from pathlib import Path

import pytest

from inarow.rules import game
from inarow.solver.tables import build_table
from inarow.studies import atlas
from inarow.studies.atlas import Atlas, Family, families, published, size, solve, survey
from support.commands import inarow

FEW = [Family(3, True, 3), Family(3, False, 3)]


@pytest.fixture
def small(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv("INAROW_CACHE", str(tmp_path / "cache"))
    monkeypatch.setattr(atlas, "families", lambda: FEW)


def test_every_board_fits_the_solver_and_appears_once() -> None:
    boards = [board for family in families() for board in family.boards()]
    assert len(boards) == len(set(boards)) > 250
    assert all(board.columns * board.stride <= 63 for board in boards)
    assert all(board.gravity or board.rows <= board.columns for board in boards)


@pytest.mark.parametrize("name", ["4x4x4", "3x10x3", "4x4x3", "4x3x3-free", "5x1x5", "tictactoe"])
def test_the_winner_and_the_last_move_are_those_of_the_complete_table(name: str) -> None:
    board = game(name)
    found = solve(board, 60)
    assert found is not None
    (start,) = build_table(board).statistics[:1]
    assert found.winner == ("first" if start.wins else "second" if start.losses else "draw")
    if start.longest_win is not None and board.gravity:
        assert found.last_move == start.longest_win
    if size(board) in published():
        assert found.winner == published()[size(board)][0]
        assert found.last_move in (None, published()[size(board)][1])


def test_expensive_boards_are_kept_and_read_again(small: None, monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setattr(atlas, "KEPT_FROM", 0.0)
    settings = {"k": 3, "gravity": True, "columns": 3, "seconds": 5.0}
    first = survey(settings)
    file = tmp_path / "cache" / "solved" / "atlas.jsonl"
    file.write_text("damaged\n{}\n" + file.read_text(encoding="utf-8"), encoding="utf-8")
    monkeypatch.setattr(atlas, "solve", lambda board, seconds: pytest.fail(f"{board} was solved again"))
    assert survey(settings).timing["boards"] == first.timing["boards"]


def test_a_family_ends_with_the_first_board_that_is_not_solved(small: None, monkeypatch: pytest.MonkeyPatch) -> None:
    real = solve
    monkeypatch.setattr(atlas, "solve", lambda board, seconds: None if board.rows == 5 else real(board, seconds))
    found = survey({"k": 3, "gravity": True, "columns": 3, "seconds": 5.0})
    assert found.timing["stopped"] == "3x5x3"
    assert [one["game"] for one in found.timing["boards"]] == ["3x1x3", "3x2x3", "3x3x3", "3x4x3"]


def test_the_page_has_the_map_and_the_comparison(small: None, tmp_path: Path) -> None:
    from inarow.studies import Plan, run_study

    page = run_study(Atlas(seconds=5.0), tmp_path / "atlas", Plan(), workers=1)
    findings = page.with_name("findings.md").read_text(encoding="utf-8")
    boards = [board for family in FEW for board in family.boards()]
    compared = [board for board in boards if size(board) in published()]
    assert f"{len(compared)} of {len(compared)} boards with a published result agree with it." in findings
    assert (page.parent / "figures" / "atlas-map.svg").exists()
    rows = (page.parent / "tables" / "atlas-boards.csv").read_text(encoding="utf-8").splitlines()
    assert len(rows) == 1 + len(boards)


def test_seconds_are_for_the_atlas_only(tmp_path: Path) -> None:
    assert "does not take seconds" in inarow("study", "pruning", "--seconds", "1", code=2).stderr
