"""Compare kernels with those of another checkout, in one process: ``python benchmarks/kernels.py CHECKOUT [KERNEL …]``.

The other checkout replays the recorded calls of the tests with its own compiler in an empty cache. Its machine code is
then loaded into this process beside our own, and both run the same calls in turn. For each kernel: the sum over its
calls of the shortest time of each, in microseconds of this thread's processor time, and the ratio of the two. Reading
that clock takes a part of a microsecond, which is in the times of both. A kernel that only one of the two has, or whose
arguments can't be converted, is left out.
"""

from __future__ import annotations

import itertools
import os
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

from inarow.kernels.lang import loader
from support.recorded_adapters import MOVED, adapted
from support.recorded_calls import Recorded

ROUNDS = 15
REPLAY = """
from support.recorded_calls import Recorded
recorded = Recorded()
for call in recorded.calls:
    recorded.replay(call)
"""


def compile_there(checkout: Path, cache: Path) -> None:
    """Fill a cache with the machine code of another checkout."""
    environment = {
        **os.environ,
        "INAROW_CACHE": str(cache),
        "PYTHONPATH": f"{checkout / 'src'}{os.pathsep}{checkout / 'tests'}",
    }
    subprocess.run([sys.executable, "-c", REPLAY], cwd=checkout, env=environment, check=True)


def codes(cache: Path, kernel: str) -> list[Callable[..., Any]]:
    """Return the versions of a kernel in a cache, as functions."""
    module, _, function = kernel.rpartition(".")
    name = f"{MOVED.get(module, module)}.{function}".removeprefix("inarow.kernels.")
    found = sorted((cache / "compiled").glob(f"{name}-*.o"))
    return [loader.load_code(path.read_bytes()[32:], codes)[0] for path in found]


def forms(recorded: Recorded, call: dict[str, Any]) -> Iterator[tuple[Any, list[Any]]]:
    """Yield new arguments as they are now and as they were recorded, with what they refer to."""
    arrays, given = recorded.arguments(call)
    yield arrays, adapted(call["kernel"], given)[0]
    yield recorded.arguments(call)


def shortest(recorded: Recorded, call: dict[str, Any], builds: list[list[Callable[..., Any]]]) -> list[float]:
    """Return the shortest time of a call in each build, in seconds."""
    best = [float("inf")] * len(builds)
    for _ in range(ROUNDS):
        for number, versions in enumerate(builds):
            for version, (_kept, given) in itertools.product(versions, forms(recorded, call)):
                begun = time.thread_time()
                try:
                    version(*given)
                except (TypeError, BufferError, ValueError):
                    continue
                best[number] = min(best[number], time.thread_time() - begun)
                break
    return best


def main() -> None:
    """Print the table."""
    recorded = Recorded()
    with tempfile.TemporaryDirectory() as folder:
        there, here = Path(folder) / "there", Path(folder) / "here"
        compile_there(Path(sys.argv[1]).absolute(), there)
        compile_there(Path(__file__).parents[1], here)
        print(f"{'kernel':32} {'calls':>5} {'there':>10} {'here':>10}  ratio")
        for kernel, calls in sorted(recorded.kernels().items()):
            if not any(kernel.endswith(wanted) for wanted in sys.argv[2:] or [""]):
                continue
            builds = [codes(cache, kernel) for cache in (there, here)]
            times = [shortest(recorded, call, builds) for call in calls]
            old, new = (1e6 * sum(column) for column in zip(*times, strict=True))
            if max(old, new) == float("inf"):
                continue
            name = kernel.removeprefix("inarow.kernels.")
            print(f"{name:32} {len(calls):5} {old:10.1f} {new:10.1f} {new / old:6.2f}")


if __name__ == "__main__":
    main()
