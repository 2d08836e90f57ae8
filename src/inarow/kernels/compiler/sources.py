"""What a kernel is made of: every function that it calls, directly or not, and the files they are in.

The hash of these files names the kernel's cache entry, so an edit recompiles what is made of it and nothing else.
"""

from __future__ import annotations

import functools
import hashlib
import sys
import types
from pathlib import Path
from typing import Any

from inarow.kernels.compiler.jit import Compiled, Instruction

_HERE = Path(__file__).parent
# How code is made; the rest of this package decides only where it is kept and when it is made.
_COMPILER = ("build.py", "intrinsics.py", "signatures.py", "target.py", "wrapper.py")


@functools.cache
def parts(kernel: Compiled) -> tuple[tuple[str, ...], tuple[str, ...], int]:
    """Modules, constants and the number of functions that a kernel is made of."""
    modules: set[str] = set()
    constants: set[str] = set()
    seen: set[types.FunctionType] = set()
    waiting: list[Any] = [kernel.function]
    while waiting:
        function = waiting.pop()
        if function in seen:
            continue
        seen.add(function)
        modules.add(function.__module__)
        names = function.__code__.co_names
        for name in names:
            value = function.__globals__.get(name)
            if isinstance(value, types.ModuleType):
                if value.__name__.startswith("inarow."):
                    modules.add(value.__name__)
                    waiting += [f for f in map(_function, (getattr(value, n, None) for n in names)) if f]
            elif (called := _function(value)) is not None:
                waiting.append(called)
            elif isinstance(value, type) and value.__module__.startswith("inarow."):
                modules.add(value.__module__)
            elif isinstance(value, (int, float)):
                constants.add(f"{function.__module__}.{name}={value!r}")
    return tuple(sorted(modules)), tuple(sorted(constants)), len(seen)


def _function(value: Any) -> Any:
    """The function behind a value that a kernel may call, if it is one of ours."""
    if isinstance(value, Compiled):
        return value.function
    if isinstance(value, Instruction):
        return None
    ours = isinstance(value, types.FunctionType) and value.__module__.startswith("inarow.")
    return value if ours else None


@functools.cache
def _file_digest(path: Path) -> bytes:
    return hashlib.sha256(path.read_bytes()).digest()


def sources_digest(kernel: Compiled) -> str:
    """A hash of the sources and constants that a kernel is made of, and of what compiles it."""
    modules, constants, _ = parts(kernel)
    digest = hashlib.sha256("\n".join(constants).encode())
    files = [(name, sys.modules[name].__file__) for name in modules]
    for name, file in [*((name, Path(file)) for name, file in files if file), *((n, _HERE / n) for n in _COMPILER)]:
        digest.update(name.encode() + _file_digest(file))
    return digest.hexdigest()[:24]
