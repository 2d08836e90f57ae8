"""The commands ``doctor``, ``bench`` and ``cluster``: the installation and its speed."""

from __future__ import annotations

import ctypes
import os
import platform
import re
import signal
import sys
import time
import zlib
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from importlib.metadata import PackageNotFoundError, requires
from typing import Annotated, Any

import typer

from inarow import __version__
from inarow.agents import agent
from inarow.cli.common import JsonOption, WorkersOption, print_json, print_table
from inarow.cli.pages import CommandApp, command
from inarow.plugins import version_of
from inarow.rules import FIRST, Position, game
from inarow.stopping import Stop

_PACKAGES = ("numpy", "llvmlite", "scipy", "matplotlib", "typer", "rich")


@command("inarow doctor --json")
def doctor(as_json: JsonOption = False) -> None:
    """Check the installation: versions, kernels, sandbox and extras.

    Please include the output when you report a problem.
    """
    found = {
        "versions": _versions(),
        "machine": _machine(),
        "kernels": _kernels(),
        "sandbox": _sandbox(),
        "extras": _extras(),
    }
    slow = _slow(found)
    if as_json:
        print_json({**found, "slow": slow})
        return
    _print_facts("Versions", found["versions"], "package", "version")
    _print_facts("Machine", found["machine"])
    _print_facts("Kernels", found["kernels"])
    left_open = found["sandbox"].pop("open")
    _print_facts("Sandbox of agents in files", found["sandbox"])
    for line in left_open:
        typer.echo(f"An agent in a file is not fully sandboxed: {line}.")
    extras = {name: "works" if not state["missing"] else state["install"] for name, state in found["extras"].items()}
    _print_facts("Extras", extras, "extra", "state")
    for line in slow or ["No known cause of slowness was found."]:
        typer.echo(line)


def _print_facts(title: str, facts: dict[str, Any], name: str = "fact", value: str = "value") -> None:
    shown = {True: "yes", False: "no", None: "not installed"}
    rows = [
        (key.replace("_", " "), shown[one] if one is None or isinstance(one, bool) else one)
        for key, one in facts.items()
    ]
    print_table(title, [name, value], rows, numbers=False)


def _versions() -> dict[str, str | None]:
    return {"inarow": __version__, "python": platform.python_version(), **{n: version_of(n) for n in _PACKAGES}}


def _machine() -> dict[str, Any]:
    from inarow.kernels.lang.loader import processor_name

    cores = len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1
    load = round(os.getloadavg()[0], 1) if hasattr(os, "getloadavg") else None
    return {"system": platform.platform(), "processor": processor_name(), "cores": cores, "load": load}


def _kernels() -> dict[str, Any]:
    from inarow.kernels import cache, warm
    from inarow.kernels.lang import jit

    folder = cache.folder()
    entries = list(folder.glob("*.o"))
    return {
        "compiler_on": jit.COMPILED,
        "all_compiled": warm.is_warm(),
        "in_the_package": len(list(cache.SHIPPED.glob("*.o"))),
        "in_the_cache": len(entries),
        "cache_kilobytes": sum(path.stat().st_size for path in entries) // 1024,
        "cache": str(folder),
        "cache_writable": os.access(folder, os.W_OK),
    }


def _sandbox() -> dict[str, Any]:
    """Return the sandbox's mechanisms on this system, and its gaps."""
    from inarow.agents.external.sandbox import bubblewrap, offered

    offer = offered()
    return {
        "complete": not offer.missing,
        "landlock_version": offer.landlock or None,
        "seccomp": offer.seccomp,
        "bubblewrap": bubblewrap() is not None,
        "open": offer.missing,
    }


def _extras() -> dict[str, dict[str, Any]]:
    """Return the declared extras, each with its missing packages."""
    try:
        declared = requires("inarow") or []
    except PackageNotFoundError:
        declared = []
    extras: dict[str, dict[str, Any]] = {}
    for line in declared:
        extra = re.search(r"extra == ['\"](\w+)['\"]", line)
        package = re.split(r"[<>=!~\[; ]", line)[0]
        if extra is None:
            continue
        state = extras.setdefault(extra[1], {"missing": [], "install": f'pip install "inarow[{extra[1]}]"'})
        if version_of(package) is None:
            state["missing"].append(package)
    return extras


def _slow(found: dict[str, Any]) -> list[str]:
    from inarow.kernels.lang import trial

    machine, kernels = found["machine"], found["kernels"]
    reasons = []
    if not kernels["compiler_on"]:
        reasons.append(
            "INAROW_JIT=0 is set: kernels run uncompiled, some hundred times slower. Unset it."
            if os.environ.get("INAROW_JIT")
            else f"{trial.failure()}."
        )
    elif not kernels["all_compiled"]:
        reasons.append(
            "Not all kernels are compiled yet: the first use of each takes some seconds. "
            "To compile all now: python -m inarow.kernels.warm"
        )
    if not kernels["cache_writable"]:
        reasons.append("The cache can't be written, so kernels are compiled in every process. Set INAROW_CACHE.")
    if machine["load"] is not None and machine["load"] > machine["cores"]:
        reasons.append(f"The machine is busy: a load of {machine['load']} on {machine['cores']} cores.")
    return reasons


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
"""Agents, each with two decisions."""
TRAININGS = (
    ("ntuple:tuples=4,length=4", "5x4x4", "self", 400),
    ("ntuple:tuples=4,length=4", "5x4x4", "rules", 20),
    ("qlearning", "tictactoe", "self", 4000),
    ("qlearning", "5x4x4", "rules", 2000),
)
"""Learners: agent, game, opponent, episodes."""
SOLVED = (("connect4", (3, 3, 3, 3, 3, 2, 4, 4)), ("5x4x4", ()), ("tictactoe", ()))
"""Positions to solve, with at most `SOLVER_NODES` nodes each."""
SOLVER_NODES = 300_000
LARGEST = 1 << 16
"""Maximum size in bytes of an array or record in a checksum; larger ones are partly unused tables."""
_MODULUS = 1 << 64


@command("inarow bench --json")
def bench(as_json: JsonOption = False) -> None:
    """Print a checksum and the run time of every kernel.

    A checksum changes only if the kernel's results change; compare it before and after an edit.
    """
    found = measure()
    if as_json:
        kernels = {name: {"calls": one["calls"], "checksum": one["checksum"]} for name, one in found.items()}
        print_json({"kernels": kernels, "timing": {name: one["seconds"] for name, one in found.items()}})
        return
    rows = [(name, one["calls"], one["checksum"], f"{1000 * one['seconds']:.1f}") for name, one in found.items()]
    print_table("Kernels", ["kernel", "calls", "checksum", "ms"], rows)


def measure() -> dict[str, dict[str, Any]]:
    """Run the workload twice, because the first run compiles; return calls, checksum and seconds per kernel."""
    work()
    with _counting() as found:
        work()
    return dict(sorted(found.items()))


def work() -> None:
    """Run the workload."""
    import numpy as np

    from inarow.adapters.batch import Batch
    from inarow.kernels import ntuple, td
    from inarow.solver.engine import Engine
    from inarow.solver.tables import build_table
    from inarow.training import Stage, trainer

    for board, spec in DECISIONS:
        mind = agent(spec).start(game(board), FIRST, 1)
        position = Position.start(game(board))
        for _ in range(2):
            position = position.play(mind.decide(position).move)
            position = position.play(max(position.legal_moves()))
    for spec, board, opponent, episodes in TRAININGS:
        trainer(spec).learner(game(board), 1, episodes).run(Stage((opponent,)), episodes, Stop())
    for board, moves in SOLVED:
        position = Position.start(game(board), moves)
        solver = Engine(game(board), tt_mb=1)
        solver.narrow(position.own, position.opp, -63, 63, Stop(), SOLVER_NODES)
    build_table(game("4x3x3"))
    batch = Batch("connect4", 64, seed=1, opponent="rules")
    for _ in range(200):
        batch.step(batch.random_actions())
    weights = np.linspace(-1, 1, 1001, dtype=np.float32)
    td.blend(weights[::-1].copy(), weights, 0.3)
    four = game("connect4")
    ntuple.settled(0b111, 0b111 << 7, 4, 7, four.board, four.bottom, True, np.zeros(64, np.int64))


@contextmanager
def _counting() -> Iterator[dict[str, dict[str, Any]]]:
    """Count, time and checksum the calls of kernels."""
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
    """Return a hash of all numbers in tuples, arrays and records."""
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


cluster = CommandApp(help="Run a Dask cluster on this machine.", no_args_is_help=True)


@cluster.command(epilog="Example: inarow cluster start --workers 2")
def start(
    workers: WorkersOption = None,
    port: Annotated[int, typer.Option(min=0, max=65535, help="Port of the scheduler; 0 for any free one.")] = 8786,
    dashboard: Annotated[
        int, typer.Option(min=0, max=65535, help="Port of Dask's dashboard; 0 for any free one.")
    ] = 8787,
    host: Annotated[
        str,
        typer.Option(
            metavar="ADDRESS", help="Address to listen on. Anyone who can reach it can run code on the workers."
        ),
    ] = "127.0.0.1",
) -> None:
    """Start a Dask scheduler with workers, print its address, and run until Ctrl-C."""
    from inarow.arena.cluster import ClusterError, distributed
    from inarow.arena.executor import check_workers, cores

    library = distributed()
    check_workers(workers or cores())
    try:
        local = library.LocalCluster(
            n_workers=workers or cores(),
            threads_per_worker=1,
            processes=True,
            host=host,
            scheduler_port=port,
            dashboard_address=f"{host}:{dashboard}",
        )
    except (OSError, RuntimeError, ValueError) as error:
        raise ClusterError(f"cannot start a cluster on {host}, port {port}: {error.__cause__ or error}") from None
    with local:
        typer.echo(f"scheduler: {local.scheduler_address}")
        typer.echo(f"dashboard: {local.dashboard_link}")
        typer.echo(f"Use it with --cluster {local.scheduler_address}; Ctrl-C stops it.")
        sys.stdout.flush()
        signal.pause()
