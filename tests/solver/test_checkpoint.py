"""A long search that is stopped goes on from its checkpoint; one that is damaged or of another game is refused."""

from __future__ import annotations

from pathlib import Path

import pytest

from inarow.limits import Limit
from inarow.rules import Position, game
from inarow.solver import Oracle
from inarow.solver.engine import CheckpointError
from support.commands import inarow as command


def test_a_search_goes_on_from_its_checkpoint(tmp_path: Path) -> None:
    board, path = game("6x5x4"), tmp_path / "a"
    start = Position.start(board)
    whole = Oracle(board, book=False)
    score, nodes = whole.score(start), whole.nodes
    first = Oracle(board, book=False)
    assert not first.analyse(start, Limit(nodes=nodes * 3 // 4), moves=False).solved
    saved = first.save(path)
    for tt_mb in (64, 2):
        second = Oracle(board, book=False, tt_mb=tt_mb)
        assert second.resume(path) == saved > 100
        assert second.score(start) == score
        assert second.nodes < nodes // 2


def test_a_damaged_checkpoint_or_that_of_another_board_is_refused(tmp_path: Path) -> None:
    path, oracle = tmp_path / "a", Oracle("5x5x4", book=False)
    oracle.analyse(Position.start(oracle.game), Limit(nodes=20_000), moves=False)
    oracle.save(path)
    with pytest.raises(CheckpointError, match="is of 5x5x4, not of 6x5x4"):
        Oracle("6x5x4").resume(path)
    with pytest.raises(CheckpointError, match="has no checkpoints; they are for boards with gravity"):
        Oracle("5x5x4-free").resume(path)
    path.write_bytes(path.read_bytes()[:-1] + b"x")
    with pytest.raises(CheckpointError, match="damaged"):
        oracle.resume(path)


def test_the_command_writes_a_checkpoint_and_continues_from_it(tmp_path: Path) -> None:
    path = tmp_path / "a"
    solve = ["solve", "6x5x4", "--no-book", "--tt-mb", "3", "--checkpoint", str(path)]
    first = command(*solve, "--nodes", "50000")
    assert "positions; the same command continues." in first.stderr
    second = command(*solve)
    assert f"{path}: continuing from " in second.stderr
    assert "draw" in second.stdout
    path.write_text("{}\n")
    assert "not a checkpoint" in command(*solve, code=2).stderr
    assert "can't be read" in command(*solve[:-1], str(tmp_path), code=2).stderr
