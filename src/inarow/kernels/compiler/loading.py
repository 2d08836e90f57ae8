"""Where a kernel's machine code comes from: the cache, the package itself, or the compiler."""

from __future__ import annotations

import contextlib
import gc
import hashlib
from collections.abc import Callable, Iterator
from typing import Any

from inarow.kernels.compiler import cache, message, native, sources
from inarow.kernels.compiler.jit import Compiled
from inarow.kernels.compiler.signatures import Signature


def key_of(kernel: Compiled, signature: Signature, processor: native.Processor) -> str:
    """What names a kernel's machine code: sources, argument types, processor and versions of the compiler."""
    text = "\n".join((sources.sources_digest(kernel), repr(signature), processor.key))
    return hashlib.sha256(text.encode()).hexdigest()[:24]


def load(kernel: Compiled, signature: Signature) -> Callable[..., Any]:
    """The kernel as a function for arguments of these types."""
    if not kernel.function.__module__.startswith("inarow."):  # of a test or a script: its sources may be anywhere
        return native.make_callable(_build(kernel, signature), kernel.name)
    code = kept_code(kernel, signature)
    if code is None:
        code = _build(kernel, signature)
        cache.write(kernel.name, key_of(kernel, signature, native.this_processor()), code)
    return native.make_callable(code, kernel.name)


def kept_code(kernel: Compiled, signature: Signature) -> bytes | None:
    """The kernel's machine code from the cache or the package, if it is there."""
    name = kernel.name
    kept = cache.read(name, key_of(kernel, signature, native.this_processor()))
    return kept or cache.read_shipped(name, lambda baseline: key_of(kernel, signature, baseline))


def _build(kernel: Compiled, signature: Signature) -> bytes:
    with message.compiling(kernel.name, sources.parts(kernel)[2]), _without_collector():
        from inarow.kernels.compiler.build import build

        code: bytes = build(kernel, signature, native.this_processor())
        return code


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
