"""Records: the same fields to Python and to kernels."""

from __future__ import annotations

import gc
import weakref
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

from inarow.kernels.lang import jit
from inarow.kernels.lang.jit import Compiled
from inarow.kernels.lang.records import Array, copied, record, shape
from inarow.randomness import Stream
from inarow.rules import CONNECT4
from inarow.solver.engine import Engine

pytestmark = pytest.mark.usefixtures("own_cache")


@record
class Move:
    """A move and how good it is."""

    worth: int
    share: float


@record
class Search:
    """One of everything."""

    nodes: int
    mean: float
    stopped: bool
    table: NDArray[np.int64]
    history: NDArray[np.int64] = shape(2, 5)
    weights: NDArray[np.float64] = shape(3)
    moves: Array[Array[Move]] = shape(4, 3)


def update(search: Search, a: int, b: int) -> int:
    search.nodes += a
    search.mean = search.mean * 0.5 + b
    search.stopped = search.nodes > 50
    search.history[a % 2][b % 5] += a
    row = search.history[1]
    row[0] -= 1
    search.weights[b % 3] = 0.25 * a
    search.table[a % len(search.table)] = search.nodes
    moves = search.moves[a % 4]
    moves[b % 3].worth = b
    moves[b % 3].share += 1.5
    return moves_worth(search.moves[1]) + len(search.moves) + int(search.history[0][1])


def moves_worth(moves: Array[Move]) -> int:
    total = 0
    for i in range(len(moves)):
        total += moves[i].worth
    return total


def new_search() -> Search:
    search = Search()
    search.table = np.zeros(7, np.int64)
    return search


@pytest.mark.parametrize("checked", [False, True])
def test_kernels_and_python_see_the_same_fields(checked: bool, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(jit, "CHECKED", checked)
    kernel: Any = Compiled(update)
    ours, theirs = new_search(), new_search()
    stream = Stream(2)
    for _ in range(300):
        a, b = stream.below(40), stream.below(30)
        assert kernel(ours, a, b) == update(theirs, a, b)
        assert (ours.nodes, ours.mean, ours.stopped) == (theirs.nodes, theirs.mean, theirs.stopped)
        for name in ("history", "weights", "table"):
            assert (getattr(ours, name) == getattr(theirs, name)).all()
        assert [[move.worth for move in row] for row in ours.moves] == [
            [move.worth for move in row] for row in theirs.moves
        ]
    assert ours.nodes > 50
    assert ours.stopped is True


def test_a_copy_shares_only_what_is_referred_to() -> None:
    search = new_search()
    search.history[1][2] = 7
    twin = copied(search)
    twin.history[1][2] = 8
    twin.table[0] = 3
    assert (search.history[1][2], search.table[0], twin.history[1][2]) == (7, 3, 8)


def test_a_field_refers_only_to_an_array_of_its_type() -> None:
    wrong: list[Any] = [np.zeros(3), np.zeros((2, 2), np.int64), np.zeros(6, np.int64)[::2]]
    for array in wrong:
        with pytest.raises(TypeError, match="table: expected a contiguous one-dimensional array of int64"):
            Search().table = array


def test_a_kernel_refuses_another_record() -> None:
    kernel: Any = Compiled(update)
    kernel(new_search(), 1, 2)
    with pytest.raises(Exception, match="there is no nodes"):
        kernel(Move(), 1, 2)


def weight(search: Search, index: int) -> float:
    return float(search.weights[index])


def test_a_checked_kernel_knows_the_bounds_of_a_record(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(jit, "CHECKED", True)
    with pytest.raises(IndexError, match=r"search\.weights\[index\]: index out of range"):
        Compiled(weight)(new_search(), 3)


def test_a_record_that_is_dropped_frees_what_it_refers_to() -> None:
    engine = Engine(CONNECT4, tt_mb=1)
    table = weakref.ref(engine.table)
    assert engine.twin().searches[0].history.any()  # a view into the record
    del engine
    gc.collect()
    assert table() is None
