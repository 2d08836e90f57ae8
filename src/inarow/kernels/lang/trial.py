"""Whether compiled kernels work on a version of Python that inarow has not been tested on.

A new version may change what calls of kernels rely on (`jit.built_in`), and then a process can die. So the first one
has a child process call a kernel, ``python -m inarow.kernels.lang.trial``. If that fails, kernels run as Python. The
outcome is kept in the cache.
"""

from __future__ import annotations

import os
import sys
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from inarow.errors import InarowError

MODULE = "inarow.kernels.lang.trial"
TESTED = ((3, 11), (3, 12), (3, 13), (3, 14), (3, 15))
"""The versions of Python that the tests were run on."""
_CALLS = 5000
"""Python changes code that runs often, and so how it calls."""
_RIGHT, _WRONG, _UNKNOWN = 0, 1, 3
"""Exit codes of the child; the last if nothing can be compiled here, such as without llvmlite."""


def mode() -> str:
    """Return how kernels run: as INAROW_JIT says, or else compiled (1), unless a trial says as Python (0)."""
    return os.environ.get("INAROW_JIT") or ("1" if sys.version_info[:2] in TESTED or _works() else "0")


def failure() -> str:
    """Return the sentence for a failed trial."""
    tested = ", ".join(f"{major}.{minor}" for major, minor in TESTED)
    return (
        f"Python {sys.version.split()[0]} can't call compiled kernels, so they run as Python, some hundred times "
        f"slower; use Python {tested}"
    )


def _works() -> bool:
    """Return the outcome of this machine's trial, or of a new one."""
    import contextlib
    import subprocess

    from inarow.paths import write_text

    with contextlib.suppress(InarowError):
        if (file := _outcome()).exists():
            return file.read_text(encoding="utf-8") == str(_RIGHT)
    environment = {**os.environ, "INAROW_JIT": "1", "INAROW_QUIET_COMPILE": "1"}
    done = subprocess.run([sys.executable, "-m", MODULE], env=environment, capture_output=True, check=False)
    if done.returncode == _UNKNOWN:
        return True
    with contextlib.suppress(InarowError):
        write_text(_outcome(), str(done.returncode))
    if done.returncode != _RIGHT:
        sys.stderr.write(f"inarow: {failure()}\n")
    return done.returncode == _RIGHT


def _outcome() -> Path:
    """Return the file with the exit code of the trial for this machine, Python and inarow."""
    import hashlib
    import platform

    from inarow import __version__
    from inarow.paths import cache_folder

    what = f"{platform.node()} {platform.machine()} {sys.version} {__version__}"
    return cache_folder("compiled") / f"trial-{hashlib.sha256(what.encode()).hexdigest()[:24]}"


class Span(NamedTuple):
    """A range of indices."""

    start: int
    stop: int


def sample(values: NDArray[np.float64] | None, span: Span, scale: float) -> tuple[float, int]:
    """Return a scaled sum, and the number of values."""
    if values is None:
        return scale, 0
    total = 0.0
    for i in range(span.start, span.stop):
        total += values[i]
    return total * scale, len(values)


def _try() -> int:
    """Return the exit code of a trial: calls with two kinds of arguments in turn, and one that is refused."""
    from inarow.kernels.lang.jit import kernel

    compiled: Any = kernel(sample)
    values, span = np.arange(4.0), Span(1, 3)
    try:
        answers = {compiled(given, span, 0.5) for _ in range(_CALLS) for given in (values, None)}
        compiled(values, Span(1, 1 << 70), 0.5)
    except InarowError:
        return _UNKNOWN
    except OverflowError:
        return _RIGHT if answers == {(1.5, 4), (0.5, 0)} else _WRONG
    return _WRONG


if __name__ == "__main__":
    sys.exit(_try())
