"""Compile every kernel ahead of time, in processes of their own: ``python -m inarow.kernels.warm``.

Compiling holds Python's lock for seconds, which would freeze a window or a server, and workers that start together
would each compile the same. A kernel module takes part by defining a function ``warm()`` that compiles its kernels.
"""

from __future__ import annotations

import contextlib
import hashlib
import importlib
import itertools
import json
import os
import pkgutil
import subprocess
import sys
import threading
from collections.abc import Callable, Mapping
from pathlib import Path

from inarow import kernels
from inarow.errors import InarowError
from inarow.kernels import cache
from inarow.kernels.lang import jit, loader
from inarow.paths import read_only_cache
from inarow.plugins import KERNELS, load_object, plugins

MODULE = "inarow.kernels.warm"
_PACKAGE = Path(kernels.__file__).parents[1]
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


def sources() -> dict[str, str]:
    """Return the hashes of the files that the kernels of this process are made of, by their paths below the package."""
    modules = [getattr(sys.modules.get(name), "__file__", None) for name in kernel_modules()]
    files = {Path(file) for file in (*cache.DIGESTS, *modules) if file}
    return {
        (file.relative_to(_PACKAGE) if file.is_relative_to(_PACKAGE) else file).as_posix(): cache.digest_of(str(file))
        for file in sorted(files)
    }


def mark(made_of: Mapping[str, str], made_for: object) -> tuple[str, bytes]:
    """Return the name and the content of the file that says that all kernels, of these sources, have been compiled."""
    content = json.dumps([_what(made_for), made_of], sort_keys=True).encode()
    return f"all-{hashlib.sha256(content).hexdigest()[:24]}.done", content


def _what(made_for: object) -> list[object]:
    return [kernel_modules(), jit.CHECKED, str(made_for)]


def _is_marked(folder: Path, made_for: object) -> bool:
    """Return True if a folder has a mark for these modules whose sources are unchanged."""
    what = _what(made_for)
    for path in folder.glob("all-*.done"):
        with contextlib.suppress(OSError, ValueError):
            marked, made_of = json.loads(path.read_bytes())
            if marked == what and all(cache.digest_of(str(_PACKAGE / f)) == digest for f, digest in made_of.items()):
                return True
    return False


def is_warm() -> bool:
    """Return True if all kernels have been compiled for this machine."""
    if not jit.COMPILED or any(_is_marked(cache.SHIPPED, target) for target in loader.targets()):
        return True
    shared = read_only_cache("compiled")
    return (shared is not None and _is_marked(shared, loader.here())) or _is_marked(cache.folder(), loader.here())


def warm_here(names: list[str]) -> None:
    """Compile the kernels of these modules in this process."""
    plugged = {entry.value: entry.name for entry in plugins(KERNELS).values()}
    for name in names:
        loaded = load_object(KERNELS, plugged[name]) if name in plugged else importlib.import_module(name)
        if hasattr(loaded, "warm"):
            loaded.warm()


def warm_all(cores: int, progress: Callable[[int, int], None] = lambda done, of: None) -> None:
    """Compile every kernel, on several cores; call ``progress(done, total)`` after each module."""
    names = kernel_modules()
    finished = itertools.count(1)
    made_of: dict[str, str] = {}
    with cache.several(len(names)) as step:

        def one_more() -> None:
            step()
            progress(next(finished), len(names))

        children = [_start(names[i::cores], subprocess.PIPE, subprocess.PIPE) for i in range(cores)]
        readers = [threading.Thread(target=_listen, args=(child, one_more, made_of)) for child in children]
        for reader in readers:
            reader.start()
        for reader in readers:
            reader.join()
    codes = [child.wait() for child in children]
    if not any(codes):
        mark_as_warm(made_of)


def mark_as_warm(made_of: Mapping[str, str]) -> None:
    """Create the mark of these sources; remove old marks."""
    name, content = mark(made_of, loader.here())
    with contextlib.suppress(OSError):
        (cache.folder() / name).write_bytes(content)
        cache.remove_old("all-*.done")


def _listen(child: subprocess.Popen[bytes], one_more: Callable[[], None], made_of: dict[str, str]) -> None:
    """Read an empty line for each module that a child has compiled, and then its sources."""
    assert child.stdout is not None
    for line in child.stdout:
        if line.strip():
            made_of.update(json.loads(line))
        else:
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
    out, failed = sys.stdout, False
    with contextlib.redirect_stdout(sys.stderr):  # where a plugin's module may print
        for name in names:
            try:
                warm_here([name])
            except InarowError as error:
                sys.stderr.write(f"inarow: {error}\n")
                failed = True
            print(file=out, flush=True)
    print(json.dumps(sources()), flush=True)  # noqa: T201
    sys.exit(failed)


if __name__ == "__main__":
    _main(sys.argv[1:])
