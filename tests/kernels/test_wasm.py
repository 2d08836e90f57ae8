"""The WebAssembly modules compute what native kernels do: results, and every byte that they write."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest

import inarow
from inarow.kernels import rules
from inarow.kernels.lang import jit
from inarow.kernels.lang.trace import recording
from inarow.limits import Limit
from inarow.randomness import Stream
from inarow.rules import Position, game
from inarow.solver import Oracle
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
        oracle, layout = Oracle(game(name), tt_mb=1), game(name).layout
        with jit.watching(host.twin):
            for position in positions(name):
                oracle.score(position)
                host.twin(rules.look, rules.look, (layout, position.first, position.second))
                seen += 1
    assert seen >= 1000


@pytest.mark.parametrize("spec", ["alphabeta:depth=5", "alphabeta:nodes=3000,ordering=history", "mcts:simulations=300"])
def test_searches_choose_the_same_moves(host: Host, spec: str) -> None:
    """Every call that an agent makes gives the same result, and leaves the same tree or table."""
    calls = []

    def twin(kernel: jit.Compiled, run: Any, arguments: tuple[Any, ...]) -> Any:
        calls.append(kernel.name)
        return host.twin(kernel, run, arguments)

    for name in ("connect4", "tictactoe", "5x4x4"):
        play(spec, name, 3, twin)
    assert len(calls) >= 9


def play(spec: str, name: str, plies: int, watcher: jit.Watcher) -> None:
    """Have an agent play alone, and watch the calls of kernels."""
    position = Position.start(game(name))
    mind = inarow.agent(spec).start(game(name), position.to_move, 3)
    with jit.watching(watcher):
        for _ in range(plies):
            position = position.play(mind.decide(position, Limit(), None).move)
    mind.close()


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
        if kernel.name not in ("alphabeta.search_root", "mcts.simulate"):
            return run(*arguments)
        with recording(recorder):
            return host.twin(kernel, kernel.function, arguments, traced=True)

    host.events.clear()
    play(spec, "connect4", 2, twin)
    told = [
        (name, *values[1:]) if addresses.get(name) == len(values) else (name, *values) for name, *values in host.events
    ]
    assert told == recorder.events
    assert len(told) > 100
