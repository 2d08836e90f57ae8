"""Compile every kernel ahead of time, in processes of their own: ``python -m inarow.kernels.warm``.

Compiling holds Python's lock for seconds, which would freeze a window or a server, and workers that start together
would each compile the same. A kernel module takes part by defining a function ``warm()`` that compiles its kernels.
"""

from __future__ import annotations

import contextlib
import functools
import hashlib
import importlib
import itertools
import os
import pkgutil
import subprocess
import sys
import threading
from collections.abc import Callable
from pathlib import Path

from inarow import kernels
from inarow.kernels import cache
from inarow.kernels.lang import jit, loader
from inarow.paths import read_only_cache
from inarow.plugins import KERNELS, plugins

MODULE = "inarow.kernels.warm"
_NOT_KERNELS = ("inarow.kernels.lang.", "inarow.kernels.cache", MODULE)


def kernel_modules() -> list[str]:
    """Return the names of all modules with kernels, those that agents use most first, plugins' last."""
    first = ["alphabeta", "mcts", "solver"]
    names = [
        module.name
        for module in pkgutil.walk_packages(kernels.__path__, f"{kernels.__name__}.")
        if not module.ispkg and not module.name.startswith(_NOT_KERNELS)
    ]
    names.sort(key=lambda name: ([*first, name.split(".")[2]]).index(name.split(".")[2]))
    return names + [entry.value for entry in plugins(KERNELS).values()]


@functools.cache
def _sources() -> str:
    digest = hashlib.sha256()
    for path in sorted(Path(kernels.__file__).parent.rglob("*.py")):
        digest.update(path.name.encode() + path.read_bytes())
    return digest.hexdigest()


def mark(made_for: object) -> str:
    """Return the name of the file that exists once all kernels, with their present sources, have been compiled."""
    return f"all-{cache.key_of(_sources(), made_for)}.done"


def is_warm() -> bool:
    """Return True if all kernels have been compiled for this machine."""
    if not jit.COMPILED:
        return True
    if any((cache.SHIPPED / mark(target)).exists() for target in loader.targets()):
        return True
    shared, name = read_only_cache("compiled"), mark(loader.here())
    return (shared is not None and (shared / name).exists()) or (cache.folder() / name).exists()


def warm_here(names: list[str], after_each: Callable[[], None] = lambda: None) -> None:
    """Compile the kernels of these modules in this process."""
    for name in names:
        loaded = importlib.import_module(name)
        if hasattr(loaded, "warm"):
            loaded.warm()
        after_each()


def warm_all(cores: int, progress: Callable[[int, int], None] = lambda done, of: None) -> None:
    """Compile every kernel, on several cores; call ``progress(done, total)`` after each module."""
    names = kernel_modules()
    finished = itertools.count(1)
    with cache.several(len(names)) as step:

        def one_more() -> None:
            step()
            progress(next(finished), len(names))

        children = [_start(names[i::cores], subprocess.PIPE, subprocess.PIPE) for i in range(cores)]
        readers = [threading.Thread(target=_count_lines, args=(child, one_more)) for child in children]
        for reader in readers:
            reader.start()
        for reader in readers:
            reader.join()
    codes = [child.wait() for child in children]
    if not any(codes):
        mark_as_warm()


def mark_as_warm() -> None:
    """Create the mark of the present sources; remove old marks."""
    with contextlib.suppress(OSError):
        (cache.folder() / mark(loader.here())).touch()
        cache.remove_old("all-*.done")


def _count_lines(child: subprocess.Popen[bytes], one_more: Callable[[], None]) -> None:
    assert child.stdout is not None
    for _ in child.stdout:
        one_more()


def _start(names: list[str], stdin: int, stdout: int) -> subprocess.Popen[bytes]:
    command = [sys.executable, "-m", MODULE, *names]
    quiet = {"INAROW_QUIET_COMPILE": "1"} if names else {}
    # In its own process group, so that Ctrl-C reaches only its parent.
    return subprocess.Popen(command, env={**os.environ, **quiet}, stdin=stdin, stdout=stdout, process_group=0)


def start_warming(stdout: int = subprocess.DEVNULL) -> subprocess.Popen[bytes] | None:
    """Start a child process that compiles what is missing; None if nothing is.

    After each module it writes a line to ``stdout``: how many are done, and how many there are.
    """
    return None if is_warm() else _start([], subprocess.DEVNULL, stdout)


def warm() -> None:
    """Compile what is missing in child processes, and wait for them."""
    child = start_warming()
    if child is not None:
        try:
            child.wait()
        except BaseException:
            child.kill()  # its own children end with it
            raise


def _end_with_parent() -> None:
    """End when standard input ends, which the parent holds open."""
    sys.stdin.read()
    os._exit(1)


def _main(names: list[str]) -> None:
    if not names:
        cores = len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1
        warm_all(cores, lambda done, of: print(done, of, flush=True))  # noqa: T201
        return
    threading.Thread(target=_end_with_parent, daemon=True).start()
    warm_here(names, lambda: print(flush=True))  # noqa: T201


if __name__ == "__main__":
    _main(sys.argv[1:])
