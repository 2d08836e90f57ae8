"""Where a kernel's machine code comes from: the cache, the package itself, or the compiler."""

from __future__ import annotations

import contextlib
import gc
import hashlib
from collections.abc import Callable, Iterator
from typing import Any

from inarow.kernels.lang import cache, jit, message, native, sources
from inarow.kernels.lang.jit import Compiled
from inarow.kernels.lang.kinds import Signature


def key_of(kernel: Compiled, kinds: Signature, processor: native.Processor) -> str:
    """Return what names a kernel's machine code: sources, argument kinds, processor and version of LLVM."""
    text = "\n".join((sources.sources_digest(kernel), repr(kinds), processor.key, "checked" if jit.CHECKED else ""))
    return hashlib.sha256(text.encode()).hexdigest()[:24]


def load(kernel: Compiled, kinds: Signature) -> tuple[Callable[..., Any], int]:
    """Return the kernel as a function for arguments of these kinds, and its address."""
    if not kernel.function.__module__.startswith("inarow."):  # of a test or a script: its sources may be anywhere
        return native.load_code(_build(kernel, kinds), kernel.function)
    code = kept_code(kernel, kinds)
    if code is None:
        code = _build(kernel, kinds)
        cache.write(kernel.name, key_of(kernel, kinds, native.this_processor()), code)
    return native.load_code(code, kernel.function)


def kept_code(kernel: Compiled, kinds: Signature) -> bytes | None:
    """Return the kernel's machine code from the cache or the package, if it is there."""
    name = kernel.name
    kept = cache.read(name, key_of(kernel, kinds, native.this_processor()))
    return kept or cache.read_shipped(name, lambda baseline: key_of(kernel, kinds, baseline))


def _build(kernel: Compiled, kinds: Signature) -> bytes:
    with message.compiling(kernel.name), _without_collector():
        from inarow.kernels.lang.build import build

        return build(kernel, kinds, native.this_processor(), jit.CHECKED)


@contextlib.contextmanager
def _without_collector() -> Iterator[None]:
    """The compiler makes many objects that stay; looking through them for garbage takes a tenth of its time."""
    enabled = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if enabled:
            gc.enable()
