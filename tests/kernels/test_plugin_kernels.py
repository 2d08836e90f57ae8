"""Kernels of an installed package are compiled once, again after an edit of what they call, and ahead of time."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

KERNELS = """
from collections.abc import Callable

import numpy as np
from numpy.typing import NDArray

from inarow.bits import popcount
from inarow.kernels.lang.jit import kernel
from outside import helpers
from outside.sizes import SCALE, Number, Pair


@kernel
def score(cells: int, pair: Pair, values: NDArray[np.int64], last: Callable[[int], int]) -> Number:
    return last(helpers.weigh(popcount(cells)) * SCALE + pair.low + len(values))


def warm() -> None:
    score(1, Pair(1, 2), np.zeros(1, np.int64), helpers.same)
"""
HELPERS = """
def weigh(count: int) -> int:
    return 10 * count


def same(points: int) -> int:
    return points
"""
SIZES = """
from typing import NamedTuple

Number = int
SCALE = 1


class Pair(NamedTuple):
    low: int
    high: int
"""
RUN = """
import numpy as np
from outside import helpers, kernels
from outside.sizes import Pair
from inarow.kernels import warm
assert warm.kernel_modules()[-1] == "outside.kernels"
print(repr(kernels.score(7, Pair(low=1, high=5), np.zeros(3, np.int64), helpers.same)))
"""


@pytest.fixture
def package(tmp_path: Path) -> Path:
    """A package with kernels that call other modules of it, as if it were installed."""
    folder = tmp_path / "outside"
    folder.mkdir()
    for name, source in {"__init__": "", "kernels": KERNELS, "helpers": HELPERS, "sizes": SIZES}.items():
        (folder / f"{name}.py").write_text(source)
    metadata = tmp_path / "outside-1.0.dist-info"
    metadata.mkdir()
    (metadata / "METADATA").write_text("Metadata-Version: 2.1\nName: outside\nVersion: 1.0\n")
    (metadata / "entry_points.txt").write_text(
        "[inarow.kernels]\nyy-broken = outside.broken\nzz-outside = outside.kernels\n"
    )
    return folder


def environment(package: Path) -> dict[str, str]:
    paths = os.pathsep.join([str(package.parent), *filter(None, [os.environ.get("PYTHONPATH")])])
    own = {"PYTHONPATH": paths, "PYTHONDONTWRITEBYTECODE": "1", "INAROW_QUIET_COMPILE": ""}
    return {**os.environ, **own, "INAROW_CACHE": str(package.parent / "cache")}


def run(package: Path) -> tuple[str, bool]:
    """Return what a new process prints, and whether it compiled."""
    command = [sys.executable, "-c", RUN]
    done = subprocess.run(command, env=environment(package), capture_output=True, text=True, check=True)
    return done.stdout.strip(), "compiling" in done.stderr


def test_kernels_of_a_package_are_compiled_once_and_again_after_an_edit(package: Path) -> None:
    assert run(package) == ("34", True)
    assert run(package) == ("34", False)
    for module, old, new, wanted in (
        ("helpers", "10 * count", "20 * count", "64"),
        ("helpers", "return points", "return -points", "-64"),
        ("sizes", "SCALE = 1", "SCALE = 2", "-124"),
        ("sizes", "low: int\n    high: int", "high: int\n    low: int", "-124"),
        ("sizes", "Number = int", "Number = float", "-124.0"),
    ):
        path = package / f"{module}.py"
        path.write_text(path.read_text().replace(old, new))
        assert run(package) == (wanted, True), f"after {old} became {new}"
    assert run(package) == ("-124.0", False)


def test_kernels_of_a_package_are_compiled_ahead_of_time_and_a_broken_one_is_reported(package: Path) -> None:
    command = [sys.executable, "-m", "inarow.kernels.warm", "outside.broken", "outside.kernels"]
    pipe = subprocess.PIPE
    with subprocess.Popen(command, env=environment(package), stdin=pipe, stdout=pipe, stderr=pipe, text=True) as child:
        assert child.stdout is not None
        assert child.stderr is not None
        *done, made_of = child.stdout.read().splitlines()
        said = child.stderr.read()
        assert child.wait() == 1
    assert done == ["", ""]
    assert json.loads(made_of).keys() >= {"bits.py", *map(str, package.glob("[hks]*.py"))}
    assert said.count("inarow: the plugin yy-broken (outside.broken of outside) can't be imported: ") == 1
    assert "Traceback" not in said
    assert run(package) == ("34", False)
