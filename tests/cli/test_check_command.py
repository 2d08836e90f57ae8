"""inarow check gives an agent's author a readable report."""

from __future__ import annotations

from pathlib import Path

import pytest

from support.commands import inarow, inarow_json
from support.external_corpus import GOOD, UNLOADABLE, bad_source, write


@pytest.mark.parametrize("board", ["connect4", "tictactoe"])
def test_a_good_file_is_found_to_be_fine(board: str, tmp_path: Path) -> None:
    path = write(tmp_path, "good", GOOD["inarow class"])
    shown = inarow("check", str(path), board).stdout
    assert "positions were answered with a legal move" in shown
    for kind in ("the empty board", "as second player", "it can win at once", "it must block", "late in the game"):
        assert kind in shown
    data = inarow_json("check", str(path), board)
    assert data["faults"] == 0
    assert len(data["checks"]) > 10


def test_a_bad_file_is_told_where_it_fails(tmp_path: Path) -> None:
    path = write(tmp_path, "bad", bad_source("return 0"))
    shown = inarow("check", str(path), "connect4", code=1).stdout
    assert "column 1 is full" in shown
    assert "in a match each would be a loss" in shown


def test_a_file_that_cannot_be_loaded_is_told_why(tmp_path: Path) -> None:
    path = write(tmp_path, "bad", UNLOADABLE["syntax error"][0])
    assert "cannot be loaded: SyntaxError" in inarow("check", str(path), "connect4", code=1).stdout


@pytest.mark.parametrize(("path", "reason"), [("/no/such.py", "does not exist"), ("/tmp", "is a folder")])
def test_a_path_without_a_file_is_refused(path: str, reason: str) -> None:
    assert reason in inarow("check", path, "connect4", code=2).stderr
