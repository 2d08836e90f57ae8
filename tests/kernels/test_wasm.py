"""The WebAssembly modules compute what native kernels do: results, and every byte that they write."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import pytest

import inarow
from inarow.errors import InarowError
from inarow.kernels import rules
from inarow.kernels.lang import jit
from inarow.kernels.lang.kinds import INT, Struct, kinds_of
from inarow.kernels.lang.trace import recording
from inarow.kernels.lang.wasm import Export, build
from inarow.kernels.wasm import Types
from inarow.limits import Limit
from inarow.randomness import Stream
from inarow.rules import Position, game
from inarow.solver import Oracle
from inarow.training import trainer
from support.wasm import Host

# Boards, from how many stones on their positions are solved here, and how many matches.
BOARDS = {"connect4": (24, 24), "tictactoe": (0, 44), "6x5x4": (12, 22), "4x4x4-free": (4, 36), "5x5x4": (8, 26)}


@pytest.fixture(scope="module")
def host() -> Host:
    return Host()


def positions(name: str) -> Iterator[Position]:
    """Yield positions of random matches."""
    stream, (least, matches) = Stream(7), BOARDS[name]
    for _ in range(matches):
        position = Position.start(game(name))
        while position.outcome() is None:
            if position.ply >= least:
                yield position
            position = position.play(stream.choice(list(position.legal_moves())))


def test_random_positions_of_five_boards_are_solved_alike(host: Host) -> None:
    """Scores, node counts and tables are equal, as are outcomes, legal moves, lines and threats."""
    seen = 0
    for name in BOARDS:
        oracle, layout = Oracle(game(name), tt_mb=1, book=False), game(name).layout
        with jit.watching(host.twin):
            for position in positions(name):
                oracle.score(position)
                host.twin(rules.look, rules.look, (layout, position.first, position.second))
                seen += 1
    assert seen >= 1000


AGENTS = [
    "alphabeta:depth=5,tt=on,symmetry=on,tt_mb=1",
    "alphabeta:nodes=3000,ordering=history,tt_mb=1",
    "alphabeta:depth=3,eval=ntuple",
    "alphabeta:nodes=4000,solver=on,tt_mb=1",
    "perfect:nodes=3000,tt_mb=1",
    "mcts:simulations=300,tree_mb=1",
    "mcts:simulations=50,prior=ntuple,leaf=ntuple,tree_mb=1",
    "best:level=4",
    "greedy",
    "ntuple",
    "qlearning",
]


@pytest.mark.parametrize("spec", AGENTS)
def test_agents_choose_the_same_moves(host: Host, spec: str) -> None:
    """Every call that an agent makes gives the same result, and leaves the same tree or table."""
    with counted(host) as calls:
        for name in ("connect4", "tictactoe"):
            play(spec, name, 3)
    assert sum(calls.values()) >= 6


def test_perfect_play_is_the_same(host: Host) -> None:
    """On boards without a book, which would be copied for each call."""
    with counted(host) as calls:
        for name in ("5x4x4", "3x3x3-free", "4x3x3"):
            play("perfect:tt_mb=1", name, 3)
    assert {"solver.analyse.advance_gravity", "solver.analyse.advance_free"} <= calls.keys()


@pytest.mark.parametrize("spec", ["qlearning", "qlearning:symmetry=off,backup=own", "ntuple"])
def test_learners_learn_the_same(host: Host, spec: str) -> None:
    with counted(host, "qlearning.", "qgraph.", "td.") as calls:
        trainer(spec).learn("3x3x3", 30, evaluate_every=0, evaluation_matches=2)
    assert calls


def play(spec: str, name: str, plies: int) -> None:
    """Have an agent play alone."""
    position = Position.start(game(name))
    mind = inarow.agent(spec).start(game(name), position.to_move, 3)
    for _ in range(plies):
        position = position.play(mind.decide(position, Limit(), None).move)
    mind.close()


@contextmanager
def counted(host: Host, *prefixes: str) -> Iterator[Counter[str]]:
    """Compare every call of a kernel whose name begins so, and count the calls by kernel."""
    calls = Counter[str]()

    def twin(kernel: jit.Compiled, run: Any, arguments: tuple[Any, ...]) -> Any:
        if not kernel.name.startswith(prefixes or ("",)):
            return run(*arguments)
        calls[kernel.name] += 1
        return host.twin(kernel, run, arguments)

    with jit.watching(twin):
        yield calls


class Recorder:
    """Lists events; records and arrays, which are addresses elsewhere, are left out."""

    def __init__(self) -> None:
        self.events: list[tuple[Any, ...]] = []

    def __getattr__(self, name: str) -> Any:
        return lambda *values: self.events.append((name, *(v for v in values if isinstance(v, (bool, int, float)))))


@pytest.mark.parametrize("spec", ["alphabeta:depth=3", "mcts:simulations=30"])
def test_traced_searches_tell_the_events_that_python_records(host: Host, spec: str) -> None:
    recorder, addresses = Recorder(), {"begin": 4, "expand": 2}

    def twin(kernel: jit.Compiled, run: Any, arguments: tuple[Any, ...]) -> Any:
        if kernel.name not in ("alphabeta.deepen", "mcts.simulate"):
            return run(*arguments)
        with recording(recorder):
            return host.twin(kernel, kernel.function, arguments, traced=True)

    host.events.clear()
    with jit.watching(twin):
        play(spec, "connect4", 2)
    told = [
        (name, *values[1:]) if addresses.get(name) == len(values) else (name, *values) for name, *values in host.events
    ]
    assert told == recorder.events
    assert len(told) > 100


def test_modules_are_the_same_whenever_they_are_built() -> None:
    exports = [Export("look", rules.look, kinds_of((game("connect4").layout, 0, 0)))]
    first, again, elsewhere = build(exports, 0), build(exports, 0), build(exports, 5)
    assert first == again
    assert len(first) == len(elsewhere)


def test_records_of_one_name_and_two_layouts_are_refused() -> None:
    types = Types()
    types.record(Struct((("a", INT, 0),), 8, "Pair"))
    with pytest.raises(InarowError, match="the name Pair"):
        types.record(Struct((("b", INT, 0),), 8, "Pair"))
