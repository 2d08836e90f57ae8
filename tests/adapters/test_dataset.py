"""A dataset has exact scores, no position twice, and is the same for the same seed."""

from __future__ import annotations

import csv
import io
from pathlib import Path

import numpy as np
import pytest

from inarow.adapters.dataset import NO_SCORE, make_dataset
from inarow.errors import InarowError
from inarow.limits import Limit
from inarow.rules import CONNECT4, TICTACTOE, Position, parse_moves
from inarow.rules.game import game
from inarow.solver import Oracle


def test_scores_are_exact_and_positions_differ_also_up_to_symmetry(tmp_path: Path) -> None:
    made = make_dataset(game("5x4x4"), range(6, 12), 8, seed=3)
    assert len(made.known) == 48
    assert len({one.position.canonical_key() for one in made.known}) == 48
    oracle = Oracle(made.game, book=False)
    for one in made.known:
        assert one.scores == oracle.scores(one.position)
    made.write(tmp_path / "d.csv")
    rows = list(csv.DictReader((tmp_path / "d.csv").read_text(encoding="utf-8").splitlines()))
    for row, one in zip(rows, made.known, strict=True):
        assert Position.start(made.game, parse_moves(made.game, row["moves"])) == one.position
        assert int(row["ply"]) == one.position.ply
        scores = {column: int(row[f"column {column + 1}"]) for column in range(5) if row[f"column {column + 1}"]}
        assert scores == one.scores
        assert int(row["score"]) == max(scores.values())


def test_arrays_hold_the_same(tmp_path: Path) -> None:
    made = make_dataset(CONNECT4, [36, 40], 5, seed=1)
    made.write(tmp_path / "d.npz")
    with np.load(tmp_path / "d.npz") as data:
        assert data["boards"].shape == (len(made.known), 6, 7)
        for at, one in enumerate(made.known):
            legal = np.flatnonzero(data["scores"][at] != NO_SCORE)
            assert {int(move): int(data["scores"][at, move]) for move in legal} == one.scores
            assert data["score"][at] == max(one.scores.values())
            assert abs(data["boards"][at]).sum() == data["ply"][at] == one.position.ply
            assert data["boards"][at].sum() == -(one.position.ply % 2)  # the side to move has as many, or one fewer


def test_a_seed_repeats_it_and_few_positions_end_it() -> None:
    def text(seed: int) -> str:
        out = io.StringIO()
        make_dataset(TICTACTOE, range(2, 5), 10, seed=seed).write_csv(out)
        return out.getvalue()

    assert text(1) == text(1) != text(2)
    assert len(make_dataset(TICTACTOE, [0, 1], 10).known) == 1 + 3  # all there are up to symmetry


def test_what_takes_too_long_is_left_out_and_counted() -> None:
    made = make_dataset(CONNECT4, [9], 2, limit=Limit(seconds=1e-6))
    assert len(made.known) + made.unsolved == 2
    assert made.unsolved > 0


def test_bad_requests_are_named(tmp_path: Path) -> None:
    with pytest.raises(InarowError, match="plies must be from 0 to 8 on tictactoe, got 7 to 9"):
        make_dataset(TICTACTOE, range(7, 10), 1)
    with pytest.raises(InarowError, match="positions per ply must be positive, got 0"):
        make_dataset(TICTACTOE, [1], 0)
    with pytest.raises(InarowError, match=r"d.txt: expected a file name that ends in .csv or .npz"):
        make_dataset(TICTACTOE, [1], 1).write(tmp_path / "d.txt")
