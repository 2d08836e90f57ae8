"""The board in a notebook obeys the rules and shows the truth; the quick-start notebook runs."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import nbformat
import pytest
from nbclient import NotebookClient

from inarow.adapters.notebook import BoardWidget
from inarow.errors import InarowError
from inarow.rules import IllegalMove
from inarow.solver import Oracle

NOTEBOOKS = sorted((Path(__file__).parents[2] / "examples").glob("*.ipynb"))


def click(board: BoardWidget, **message: Any) -> None:
    """What the page sends."""
    board._handle_custom_msg(message, [])


def test_clicks_play_by_the_rules() -> None:
    board = BoardWidget("connect4")
    for move in (3, 3, 3, 3, 3, 3):
        click(board, play=move)
    assert board.moves == "444444"
    assert 3 not in board.view["legal"]
    assert board.view["grid"][0][3] == 2
    assert board.view["last"] == 3
    click(board, play=3)
    assert board.view["status"].startswith("column 4 is full")
    with pytest.raises(IllegalMove):
        board.play(3)
    click(board, undo=True)
    assert board.moves == "44444"
    assert board.view["status"] == "Second player to move"
    click(board, new=True)
    assert board.view["moves"] == 0


def test_a_win_is_shown_and_ends_it() -> None:
    board = BoardWidget("tictactoe", moves="14253")
    assert board.view["line"] == [0, 1, 2]
    assert board.view["status"] == "First player has won"
    assert board.view["legal"] == []


def test_an_opponent_answers_and_is_taken_back_with_the_own_move() -> None:
    board = BoardWidget("connect4", "alphabeta:depth=2")
    click(board, play=3)
    assert len(board.moves) == 2
    click(board, undo=True)
    assert board.moves == ""
    second = BoardWidget("connect4", "random", seat="second", seed=4)
    assert len(second.moves) == 1
    assert BoardWidget("connect4", "random", seat="second", seed=4).moves == second.moves


def test_the_truth_is_the_solvers() -> None:
    board = BoardWidget("tictactoe", moves="1")
    assert board.view["scores"] == {}
    click(board, truth=True)
    exact = Oracle(board.game).scores(board.position)
    assert {int(move): int(text.replace("−", "-")) for move, text in board.view["scores"].items()} == exact
    click(board, truth=False)
    assert board.view["scores"] == {}


def test_bad_settings_are_named() -> None:
    with pytest.raises(InarowError, match="unknown seat 'left'"):
        BoardWidget(seat="left")
    with pytest.raises(InarowError, match="unknown agent 'radnom'; did you mean random"):
        BoardWidget(opponent="radnom")
    with pytest.raises(InarowError, match="character 2"):
        BoardWidget(moves="49")


@pytest.mark.filterwarnings("ignore::DeprecationWarning")
@pytest.mark.parametrize("path", NOTEBOOKS, ids=lambda path: path.stem)
def test_a_notebook_runs(path: Path, tmp_path: Path) -> None:
    read: Any = nbformat.read  # it has no types
    notebook = read(path, as_version=4)
    stored = [cell.get("outputs", []) for cell in notebook.cells if cell.cell_type == "code"]
    assert all(stored), "scripts/run_notebook.py stores the outputs"
    client = NotebookClient(notebook, timeout=120, kernel_name="python3", resources={"metadata": {"path": tmp_path}})
    client.execute()
    fresh = [cell.get("outputs", []) for cell in notebook.cells if cell.cell_type == "code"]
    printed = [[output.get("text") for output in outputs] for outputs in (*stored, *fresh)]
    assert printed[: len(stored)] == printed[len(stored) :], "run scripts/run_notebook.py again"
    shown = [output for outputs in fresh for output in outputs]
    drawn = "application/vnd.jupyter.widget-view+json" if path.stem == "quickstart" else "image/png"
    assert any(drawn in output.get("data", {}) for output in shown)
