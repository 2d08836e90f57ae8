"""The shipped puzzles: one move wins in each, which is shown with the solver, and damaged files are refused."""

from __future__ import annotations

from pathlib import Path

import pytest

from inarow.play.insight import LEVELS, PuzzleError, read_puzzles, shipped_puzzles, write_puzzles
from inarow.rules import CONNECT4
from inarow.solver import Oracle
from inarow.solver.analysis import plies_to_end


def test_there_are_as_many_of_every_level_and_no_position_twice() -> None:
    puzzles = shipped_puzzles()
    assert {level: sum(one.level == level for one in puzzles) for level in LEVELS} == dict.fromkeys(LEVELS, 50)
    assert len({one.position.canonical_key() for one in puzzles}) > 0.98 * len(puzzles)


@pytest.mark.parametrize("level", LEVELS)
def test_exactly_one_move_wins_after_so_many_moves(level: int) -> None:
    oracle = Oracle(CONNECT4)
    for puzzle in [one for one in shipped_puzzles() if one.level == level][::5]:
        found = oracle.analyse(puzzle.position)
        assert [move for move, bounds in found.moves.items() if bounds.low > 0] == [puzzle.answer]
        assert (plies_to_end(puzzle.position, found.score) + 1) // 2 == puzzle.length


def test_a_file_is_read_as_it_was_written(tmp_path: Path) -> None:
    path = tmp_path / "puzzles.csv"
    write_puzzles(shipped_puzzles()[:3], path)
    assert read_puzzles(path) == list(shipped_puzzles()[:3])


@pytest.mark.parametrize("line", ["44,8,2", "44,4", "4x,4,2", "4444444,4,2", "44,4,two"])
def test_a_damaged_line_is_named(tmp_path: Path, line: str) -> None:
    path = tmp_path / "puzzles.csv"
    path.write_text(f"moves,answer,length\n{line}\n", encoding="utf-8")
    with pytest.raises(PuzzleError, match=r"line 2: expected moves, a legal answer and a length"):
        read_puzzles(path)
