"""inarow bench: one number and the run time of every kernel on a fixed workload."""

from __future__ import annotations

import ctypes
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

import typer

from inarow.cli.common import JsonOption, print_json, print_table

DECISIONS = (
    ("connect4", "greedy"),
    ("connect4", "minimax:depth=5"),
    ("connect4", "alphabeta:depth=10,ordering=threats"),
    ("tictactoe", "alphabeta:depth=9"),
    ("connect4", "alphabeta:depth=6,eval=ntuple"),
    ("connect4", "greedy:eval=ntuple"),
    ("connect4", "mcts:simulations=30000,tree_mb=1"),
    ("connect4", "mcts:prior=ntuple,leaf=ntuple,simulations=5000"),
    ("connect4", "ntuple"),
    ("tictactoe", "qlearning"),
)
"""Agents that decide twice in a match."""
TRAININGS = (
    ("ntuple:tuples=4,length=4", "5x4x4", "self", 400),
    ("ntuple:tuples=4,length=4", "5x4x4", "rules", 20),
    ("qlearning", "tictactoe", "self", 4000),
    ("qlearning", "5x4x4", "rules", 2000),
)
"""Learners: agent, game, opponent, episodes."""
SOLVED = (("connect4", (3, 3, 3, 3, 3, 2, 4, 4)), ("5x4x4", ()), ("tictactoe", ()))
"""Positions that are solved, at most `SOLVER_NODES` nodes each."""
SOLVER_NODES = 300_000
LARGEST = 1 << 16
"""Bytes of an array or record that is a part of a checksum: larger ones are tables, not all of which is in use."""
_MODULUS = 1 << 64


def register(app: typer.Typer) -> None:
    """Add the command."""
    app.command(epilog="Example: inarow bench --json")(bench)


def bench(as_json: JsonOption = False) -> None:
    """Print a checksum and the run time of every kernel.

    The checksums change only if a kernel computes something else: compare them before and after a change. The times are
    of this machine.
    """
    found = measure()
    if as_json:
        kernels = {name: {"calls": one["calls"], "checksum": one["checksum"]} for name, one in found.items()}
        print_json({"kernels": kernels, "timing": {name: one["seconds"] for name, one in found.items()}})
        return
    rows = [(name, one["calls"], one["checksum"], f"{1000 * one['seconds']:.1f}") for name, one in found.items()]
    print_table("Kernels", ["kernel", "calls", "checksum", "ms"], rows)


def measure() -> dict[str, dict[str, Any]]:
    """Run the workload twice, as the first run compiles; returns calls, checksum and seconds of every kernel."""
    work()
    with _counting() as found:
        work()
    return dict(sorted(found.items()))


def work() -> None:
    """Run the workload."""
    import numpy as np

    from inarow.adapters.batch import Batch
    from inarow.agents import agent
    from inarow.kernels.common import tactics
    from inarow.kernels.ntuple import learning
    from inarow.rules import FIRST, Position, game
    from inarow.solver.engine import Engine
    from inarow.solver.tables import build_table
    from inarow.stopping import Stop
    from inarow.training import Stage, new_learner

    for board, spec in DECISIONS:
        mind = agent(spec).start(game(board), FIRST, 1)
        position = Position.start(game(board))
        for _ in range(2):
            position = position.play(mind.decide(position).move)
            position = position.play(max(position.legal_moves()))
    for spec, board, opponent, episodes in TRAININGS:
        new_learner(agent(spec), game(board), 1, episodes).run(Stage((opponent,)), episodes, Stop())
    for board, moves in SOLVED:
        position = Position.start(game(board), moves)
        solver = Engine(game(board), tt_mb=1)
        solver.narrow(position.own, position.occupied, position.ply, -63, 63, SOLVER_NODES, Stop())
    build_table(game("4x3x3"))
    batch = Batch("connect4", 64, seed=1, opponent="rules")
    for _ in range(200):
        batch.step(batch.random_actions())
    weights = np.linspace(-1, 1, 1001, dtype=np.float32)
    learning.blend(weights[::-1].copy(), weights, 0.3)
    four = game("connect4")
    tactics.settled(0b111, 0b111 << 7, 4, 7, four.board, four.bottom, True, np.zeros(64, np.int64))


@contextmanager
def _counting() -> Iterator[dict[str, dict[str, Any]]]:
    """Count and time the calls of kernels, and add up what they compute."""
    import zlib

    from inarow.kernels.lang.jit import Compiled, watching

    found: dict[str, dict[str, Any]] = {}

    def watch(kernel: Compiled, run: Callable[..., Any], arguments: tuple[Any, ...]) -> Any:
        begun = time.perf_counter()
        result = run(*arguments)
        seconds = time.perf_counter() - begun
        one = found.setdefault(kernel.name, {"calls": 0, "checksum": 0, "seconds": 0.0})
        one["calls"] += 1
        one["seconds"] += seconds
        one["checksum"] = zlib.crc32(_summed((result, arguments)).to_bytes(8), one["checksum"])
        return result

    with watching(watch):
        yield found


def _summed(value: Any) -> int:
    """Return a hash of the numbers in a value, however they are arranged in tuples, arrays and records."""
    import numpy as np

    if isinstance(value, tuple):
        return sum(map(_summed, value)) % _MODULUS
    if hasattr(value, "__struct__"):
        if ctypes.sizeof(value) > LARGEST:
            return 0
        return sum(_summed(getattr(value, name)) for name, _, _ in value.__struct__.fields) % _MODULUS
    if isinstance(value, (bool, int, float, np.ndarray)):
        array = np.atleast_1d(value)
        if array.nbytes > LARGEST or array.dtype.fields is not None:
            return 0
        words = array.astype(np.float64 if array.dtype.kind == "f" else np.int64).view(np.uint64)
        words = words * np.uint64(0x9E3779B97F4A7C15)
        words = (words ^ (words >> np.uint64(32))) * np.uint64(0xD6E8FEB86659FD93)
        return int((words ^ (words >> np.uint64(32))).sum(dtype=np.uint64))
    return 0
