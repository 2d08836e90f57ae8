"""Compile every kernel ahead of time, in a process of its own: ``python -m inarow.kernels.compiler.warm``.

Compiling holds Python's lock for seconds, which would freeze a window or a server, and workers that start at once
would each compile the same. A kernel module takes part by having a function ``warm()`` that calls its kernels
on the smallest inputs.
"""

from __future__ import annotations

import importlib
import os
import pkgutil
import subprocess
import sys

from inarow import kernels
from inarow.kernels.compiler import jit

_DONE = jit.CACHE / "all-compiled"


def is_warm() -> bool:
    """Whether all kernels have been compiled for this machine."""
    return _DONE.exists() or not jit.COMPILED


def warm_here() -> None:
    """Compile every kernel in this process."""
    for module in pkgutil.walk_packages(kernels.__path__, f"{kernels.__name__}."):
        if module.name != __spec__.name:
            loaded = importlib.import_module(module.name)
            if hasattr(loaded, "warm"):
                loaded.warm()
    _DONE.touch()


def start_warming() -> subprocess.Popen[bytes] | None:
    """Start a child process that compiles what is missing; None if nothing is."""
    if is_warm():
        return None
    command = [sys.executable, "-m", "inarow.kernels.compiler.warm"]
    return subprocess.Popen(command, stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, env=os.environ.copy())


def warm() -> None:
    """Compile what is missing in a child process, and wait for it."""
    child = start_warming()
    if child is not None:
        child.wait()


if __name__ == "__main__":
    warm_here()
