"""Record calls of every kernel: ``cd tests && python -m support.record_calls`` writes ``data/kernel-calls.npz``.

Agents decide, learners learn, the solver solves and boards are stepped, on small boards with small tables; of the calls
that this makes, the first few of each kernel and each workload are recorded, and every further one at doubled
distances. The recorded calls of kernels that take records are kept as they are (see `recorded_adapters`).
"""

from __future__ import annotations

import tempfile
from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any
from unittest import mock

import numpy as np

from inarow.adapters.batch import Batch
from inarow.agents import agent
from inarow.kernels import td, warm
from inarow.kernels.lang import jit
from inarow.randomness import Stream
from inarow.rules import FIRST, Position, game
from inarow.solver import engine
from inarow.stopping import Stop
from inarow.training import Stage, trainer
from support.naive_network import random_network, random_position, write_network
from support.recorded_calls import FILE, Arrays, Recorded, Writer, encode

LARGEST = 1 << 23
"""Bytes of the arrays of a call; larger calls are not recorded."""
FEWEST = 3

SEARCHES = [
    "greedy:ties=first",
    "minimax:depth=3,eval=windows(share=0.7)",
    "alphabeta:depth=4,eval=lines,ordering=threats,tt=on,tt_mb=1,symmetry=on",
    "alphabeta:depth=5,ordering=history,iterative_deepening=on",
    "alphabeta:nodes=350,eval=zero",
    "mcts:simulations=400,tree_mb=1",
    "mcts:simulations=200,rollouts=rules,prove=off,tree_mb=1,reuse_tree=on",
]
NETWORKS = [
    "greedy:eval=ntuple({}),ties=first",
    "minimax:depth=2,eval=ntuple({})",
    "alphabeta:depth=4,eval=ntuple({}),ordering=threats,tt=on,tt_mb=1,symmetry=on",
    "mcts:prior=ntuple({}),leaf=ntuple,simulations=120,tree_mb=1",
    "mcts:prior=ntuple({}),leaf=rollout,simulations=100,tree_mb=1,prove=off,reuse_tree=on",
    "mcts:prior=ntuple({}),leaf=rollout,rollouts=rules,simulations=60,tree_mb=1",
    "ntuple:{}",
]
TRAININGS = [
    ("ntuple:tuples=4,length=4", "5x4x4", "self", 60),
    ("ntuple", "4x4x3", "self", 30),
    ("ntuple:tuples=3,length=3,tactics=off,coherence=0", "tictactoe", "self", 60),
    ("qlearning", "tictactoe", "self", 300),
    ("qlearning", "tictactoe", "rules", 200),
    ("qlearning:guide=heuristic,backup=own", "connect4", "rules", 20),
    ("qlearning:guide=threats", "4x4x3", "random", 60),
]


class Recorder:
    """Records calls while a workload runs."""

    def __init__(self) -> None:
        self.writer = Writer()
        self._seen: Counter[tuple[str, str]] = Counter()
        self.workload = ""

    @contextmanager
    def recording(self) -> Iterator[None]:
        """Record what is called meanwhile."""

        def watch(kernel: jit.Compiled, run: Any, arguments: tuple[Any, ...]) -> Any:
            number = self._seen[kernel.name, self.workload]
            self._seen[kernel.name, self.workload] += 1
            has_records = any(hasattr(value, "__struct__") for value in arguments)
            if has_records or not (number < FEWEST or number & (number - 1) == 0):
                return run(*arguments)
            return self._record(kernel, run, arguments)

        with (
            jit.watching(watch),
            mock.patch.object(np, "empty", np.zeros),  # the same file each time
        ):
            yield

    def _record(self, kernel: jit.Compiled, run: Any, arguments: tuple[Any, ...]) -> Any:
        arrays: Arrays = []
        given = [encode(value, arrays) for value in arguments]
        before = [array.copy() for array in arrays]
        result = run(*arguments)
        if sum(array.nbytes for array in arrays) <= LARGEST:
            name = f"{kernel.__module__}.{kernel.__name__}"
            self.writer.add(name, given, encode(result, []), before, arrays)
        return result


def run(recorder: Recorder, folder: Path) -> None:
    """Run all workloads."""
    stream = Stream(11)
    for spec in SEARCHES:
        recorder.workload = spec
        for board in ("connect4", "tictactoe"):
            decide(spec, board, stream)
    for board, tactics in (("tictactoe", True), ("4x5x3", True), ("5x4x4", False), ("5x4x4", True)):
        file = write_network(random_network(game(board), tactics), folder / f"{board}-{tactics}.npz")
        for spec in NETWORKS:
            recorder.workload = f"{spec} {board} {tactics}"
            decide(spec.format(f"model={file}"), board, stream)
    recorder.workload = "pruning a full tree"
    agent("mcts:simulations=20000,tree_mb=1").start(game("connect4"), FIRST, 3).decide(Position.start(game("connect4")))
    for spec, board, opponent, episodes in TRAININGS:
        recorder.workload = f"{spec} {board} {opponent}"
        learner = trainer(spec).learner(game(board), 3, episodes)
        for _ in range(3):
            learner.run(Stage((opponent,)), episodes // 3, Stop())
        learner.mind(1).decide(Position.start(game(board), [1, 0]))
    recorder.workload = "blend"
    weights = np.linspace(-1, 1, 101, dtype=np.float32)
    td.blend(weights[::-1].copy(), weights, 0.3)
    for board in ("connect4", "5x4x4", "6x5x4", "tictactoe", "4x4x4-free"):
        recorder.workload = f"solve {board}"
        solver = engine.Engine(game(board), tt_mb=1)
        for part in (0.4, 0.3, 0.2, 0.35, 0.25, 0.1, 0.0):
            position = open_position(board, stream, round(part * game(board).cells))
            solver.narrow(position.own, position.opp, -63, 63, Stop(), 1500)
    for board, opponent in (("connect4", "none"), ("tictactoe", "rules"), ("5x4x4", "random")):
        recorder.workload = f"batch {board}"
        batch = Batch(board, 6, seed=3, opponent=opponent)
        for _ in range(40):
            batch.step(batch.random_actions())


def open_position(board: str, stream: Stream, plies: int) -> Position:
    """A random position in which the game is not over."""
    while True:
        position = random_position(game(board), stream, plies)
        if position.outcome() is None:
            return position


def decide(spec: str, board: str, stream: Stream) -> None:
    """Decide in a match against random moves, with one mind."""
    mind = agent(spec).start(game(board), FIRST, 3)
    position = Position.start(game(board))
    while position.outcome() is None:
        move = mind.decide(position).move
        position = position.play(move)
        legal = list(position.legal_moves())
        if position.outcome() is None:
            position = position.play(legal[stream.below(len(legal))])


def main() -> None:
    """Record everything, and write the file."""
    warm.warm_here(warm.kernel_modules())
    recorder = Recorder()
    with tempfile.TemporaryDirectory() as folder, recorder.recording():
        run(recorder, Path(folder))
    recorder.writer.keep_others(Recorded())
    recorder.writer.save(FILE)
    counts = Counter(call["kernel"] for call in recorder.writer.calls)
    for name, count in sorted(counts.items()):
        print(f"{count:5} {name}")
    print(f"{len(recorder.writer.calls):5} calls, {FILE.stat().st_size:,} bytes")


if __name__ == "__main__":
    main()
