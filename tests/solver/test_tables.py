"""Complete tables equal published counts, the naive search, and the solver; damaged files are refused."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest

from inarow.randomness import Stream
from inarow.rules import Position, game
from inarow.solver import Oracle
from inarow.solver.tables import CompleteTable, TableError, build_table, most_positions, read_table, write_table
from support.commands import inarow, inarow_json

PUBLISHED = {"4x4x4": 161_029, "4x5x4": 1_706_255, "tictactoe": 5_478}
"""Numbers of legal positions: John Tromp's for k = 4 with gravity, and the well-known one of Tic Tac Toe."""


@pytest.fixture(scope="module")
def small() -> CompleteTable:
    return build_table(game("4x4x4"))


def naive(position: Position, known: dict[Position, int]) -> int:
    """Negamax over all moves: the definition of the score."""
    if position not in known:
        cells = position.game.cells
        outcome = position.outcome()
        if outcome is not None:
            left = (cells + 2 - position.ply) // 2
            known[position] = 0 if outcome.winner is None else left if outcome.winner == position.to_move else -left
        else:
            known[position] = max(-naive(child, known) for _, child in position.children())
    return known[position]


@pytest.mark.parametrize(
    "name", ["tictactoe", "4x3x3", "3x4x3", "3x3x2-free", "4x3x4", "3x3x3-cylinder", "4x3x3-misere"]
)
def test_every_position_has_the_score_of_a_naive_search(name: str) -> None:
    board = game(name)
    table = build_table(board)
    known: dict[Position, int] = {}
    naive(Position.start(board), known)
    assert table.positions == len(known) <= most_positions(board)
    for position, score in known.items():
        assert table.get(position) == score
    for one in table.statistics:
        there = [position for position in known if position.ply == one.ply]
        alive = [position for position in there if position.outcome() is None]
        assert one.positions == len(there)
        assert (one.wins, one.draws, one.losses) == tuple(
            sum((known[position] > 0) - (known[position] < 0) == sign for position in alive) for sign in (1, 0, -1)
        )
        assert one.only_moves == sum(is_only_move(position, known) for position in alive)
        assert one.longest_win == max((plies_to_win(p, known) for p in alive if known[p] > 0), default=None)


def is_only_move(position: Position, known: dict[Position, int]) -> bool:
    signs = [-np.sign(known[child]) for _, child in position.children()]
    return len(signs) > 1 and max(signs) >= 0 and signs.count(max(signs)) == 1


def plies_to_win(position: Position, known: dict[Position, int]) -> int:
    plies = 0
    while position.outcome() is None:
        position = next(child for _, child in position.children() if -known[child] == known[position])
        plies += 1
    return plies


@pytest.mark.parametrize("name", PUBLISHED)
def test_the_number_of_positions_is_the_published_one(name: str) -> None:
    assert build_table(game(name)).positions == PUBLISHED[name]


def test_the_solver_agrees(small: CompleteTable) -> None:
    oracle = Oracle(small.game)
    for position in small.sample(200, Stream(5)):
        assert oracle.score(position) == small.get(position)
        assert dict(oracle.scores(position)) == small.scores(position)
        assert small.get(position.mirrored()) == small.get(position)


def test_a_table_reads_back_as_it_was_written(small: CompleteTable, tmp_path: Path) -> None:
    path = tmp_path / "4x4x4.table"
    size = write_table(small, path)
    assert size == path.stat().st_size
    again = read_table(path)
    assert again.statistics == small.statistics
    for position in small.sample(50, Stream(1)):
        assert again.get(position) == small.get(position)
    content = path.read_bytes()
    for damaged, reason in (
        (content[:-1], "its checksum does not match"),
        (content.replace(b'"lengths": [1', b'"lengths": [2', 1), "its size does not match"),
        (content[:-1] + bytes([content[-1] ^ 1]), "its checksum does not match"),
        (b"hello", "does not start with a manifest"),
        (content.replace(b'"version": 1', b'"version": 9', 1), "has version 9"),
        (content.replace(b'"lengths"', b'"lengthy"', 1), "manifest of the table .* has no 'lengths'"),
        (content.replace(b"4x4x4", b"4x4x9", 1), "an invalid game|damaged"),
    ):
        path.write_bytes(damaged)
        with pytest.raises(TableError, match=reason):
            read_table(path)
    with pytest.raises(TableError, match="can't be read"):
        read_table(tmp_path / "none.table")


def test_a_board_that_is_too_large_is_refused_before_work_starts(tmp_path: Path) -> None:
    out = str(tmp_path / "x.table")
    assert "MB of memory" in inarow("table", "build", "connect4", "--out", out, code=2).stderr
    assert "its keys have 84 bits" in inarow("table", "build", "7x5x4-free", "--out", out, code=2).stderr
    assert (
        "choose a smaller board" in inarow("table", "build", "4x4x4", "--out", out, "--memory-mb", "1", code=2).stderr
    )
    assert not Path(out).exists()


def test_commands_build_show_solve_and_grade_by_a_table(tmp_path: Path) -> None:
    path = str(tmp_path / "t.table")
    built = inarow_json("table", "build", "4x3x3", "--out", path)
    assert built == inarow_json("table", "show", path)
    assert built["positions"] == sum(ply["positions"] for ply in built["plies"])
    assert "exists" in inarow("table", "build", "4x3x3", "--out", path, code=2).stderr
    solved = json.loads(inarow("solve", "4x3x3", "12", "--table", path, "--no-book", "--json").stdout)
    assert solved["source"] == "table"
    assert solved["score"] == inarow_json("solve", "4x3x3", "12", "--no-book")["score"]
    graded = inarow_json("grade", "4x3x3", "rules", "--table", path, "--positions", "0")
    table = read_table(Path(path))
    choices = [
        position
        for ply in range(len(table.plies))
        for position in table.open_positions(ply)
        if len({np.sign(score) for score in table.scores(position).values()}) > 1
    ]
    assert graded["asked"] == len(choices)
    assert "is of 4x3x3, not of 4x4x4" in inarow("grade", "4x4x4", "rules", "--table", path, code=2).stderr
    assert "needs --table" in inarow("grade", "4x4x4", "rules", "--positions", "0", code=2).stderr
