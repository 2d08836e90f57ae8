"""Where a kernel's machine code comes from: the cache, the package itself, or the compiler."""

from __future__ import annotations

import hashlib
from collections.abc import Callable
from typing import Any

from inarow.kernels.compiler import cache, message, native, sources
from inarow.kernels.compiler.jit import Compiled
from inarow.kernels.compiler.signatures import Signature


def key_of(kernel: Compiled, signature: Signature, processor: native.Processor) -> str:
    """What names a kernel's machine code: sources, argument types, processor and version of LLVM."""
    text = "\n".join((sources.sources_digest(kernel), repr(signature), processor.key))
    return hashlib.sha256(text.encode()).hexdigest()[:24]


def load(kernel: Compiled, signature: Signature) -> Callable[..., Any]:
    """The kernel as a function for arguments of these types."""
    if not kernel.function.__module__.startswith("inarow."):  # of a test or a script: its sources may be anywhere
        return native.make_callable(_build(kernel, signature), kernel.name)
    processor = native.this_processor()
    name, key = kernel.name, key_of(kernel, signature, processor)
    code = cache.read(name, key) or cache.read_shipped(name, lambda baseline: key_of(kernel, signature, baseline))
    if code is None:
        code = _build(kernel, signature)
        cache.write(name, key, code)
    return native.make_callable(code, name)


def _build(kernel: Compiled, signature: Signature) -> bytes:
    with message.compiling(kernel.__name__, sources.parts(kernel)[2]):
        from inarow.kernels.compiler.build import build

        code: bytes = build(kernel, signature, native.this_processor())
        return code
