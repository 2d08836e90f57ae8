"""The shipped truth set: what it holds is there, exact, and read with care."""

from __future__ import annotations

import contextlib
import io
from collections import Counter
from typing import IO

import pytest

from inarow.errors import InarowError
from inarow.rules import CONNECT4
from inarow.solver import Oracle
from inarow.solver.solved import KnownPosition, read_solved, write_solved
from inarow.truth import truth_set
from inarow.truth.positions import PER_PLY, PLIES, SEED, sample
from support.damage import damaged


def read(file: IO[str]) -> tuple[KnownPosition, ...]:
    return tuple(read_solved(CONNECT4, file, "the truth set"))


def test_it_has_as_many_positions_of_every_ply_and_none_twice() -> None:
    counts = Counter(one.position.ply for one in truth_set())
    assert counts == dict.fromkeys(PLIES, PER_PLY)
    assert len({one.position.canonical_key() for one in truth_set()}) == len(truth_set())
    assert sum(not one.trivial for one in truth_set()) > 500


@pytest.mark.parametrize("ply", [9, 30])
def test_its_positions_are_those_of_the_recipe(ply: int) -> None:
    assert {one.moves for one in truth_set() if one.position.ply == ply} == set(sample(ply, PER_PLY, SEED))


def test_its_scores_are_exact() -> None:
    oracle = Oracle(truth_set()[0].position.game, book=False)
    for one in truth_set()[-20 * PER_PLY :: 13]:
        assert oracle.scores(one.position) == one.scores


def test_its_scores_agree_with_an_independent_solver() -> None:
    bitbully = pytest.importorskip("bitbully")
    solver = bitbully.BitBully(opening_book="12-ply-dist")  # its only exact book
    for one in truth_set()[::29]:
        assert solver.score_all_moves(bitbully.Board(list(one.moves))) == one.scores, one.moves


def test_it_survives_the_way_through_a_file() -> None:
    out = io.StringIO()
    write_solved(CONNECT4, truth_set()[:50], out)
    assert read(io.StringIO(out.getvalue())) == truth_set()[:50]


@pytest.mark.parametrize(
    ("line", "reason"),
    [
        ("4444444,1,1,1,1,1,1,1", "line 2 of the truth set can't be read"),
        ("44,1,1,1,x,1,1,1", "line 2 of the truth set can't be read"),
        ("44,1,1,1,1,1,1,", "must have a score for each legal move and no other"),
        ("44,1,1,99,1,1,1,1", "line 2 of the truth set has a score beyond ±21"),
        ("44," + "9" * 5000 + ",1,1,1,1,1,1", "line 2 of the truth set can't be read"),
        ("44," + "x" * 200_000, "the truth set can't be read after position 0"),
    ],
)
def test_a_damaged_line_is_named(line: str, reason: str) -> None:
    with pytest.raises(InarowError) as caught:
        read(io.StringIO(f"moves\n{line}\n"))
    assert reason in str(caught.value)


def test_a_mutated_truth_set_is_read_or_refused_and_nothing_else() -> None:
    out = io.StringIO()
    write_solved(CONNECT4, truth_set()[::40], out)
    for bad in damaged(out.getvalue().encode(), 150, 2):
        with contextlib.suppress(InarowError):
            read(io.TextIOWrapper(io.BytesIO(bad), encoding="utf-8", newline=""))
