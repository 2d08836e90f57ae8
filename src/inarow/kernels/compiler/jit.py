"""The one door to the compiler: every kernel is compiled through here, and numba is imported nowhere else.

What it settles:
- the compiled code is cached in a folder named after a hash of *all* kernel sources, because numba's own cache does
  not notice an edit in a function that lives in another file;
- the user is told once, on standard error, that something compiles;
- kernels give the lock free while they run (``nogil``), so that threads and windows stay alive;
- with ``NUMBA_DISABLE_JIT=1`` the same code runs uncompiled, slowly, under a debugger.

One integer type: kernels see signed 64-bit integers only. Sums and products that may overflow go through
``randomness.plus`` and ``times``; shifts and masks are safe. Arrays are arguments, never globals.
"""

from __future__ import annotations

import hashlib
import os
import sys
import types
from collections.abc import Callable
from pathlib import Path
from typing import Any, TypeVar, cast

from inarow import bits, randomness, stopping
from inarow.paths import cache_folder

F = TypeVar("F", bound=Callable[..., Any])


def sources_digest() -> str:
    """A short hash of every source that kernels are compiled from."""
    digest = hashlib.sha256(sys.version.encode())
    for path in [*sorted(Path(__file__).parents[1].rglob("*.py")), Path(bits.__file__), Path(randomness.__file__)]:
        digest.update(path.name.encode() + path.read_bytes())
    return digest.hexdigest()[:16]


def _cache_for_these_sources() -> Path:
    folder = cache_folder("kernels", sources_digest())
    os.environ["NUMBA_CACHE_DIR"] = str(folder)
    if (loaded := sys.modules.get("numba")) is not None:
        loaded.config.CACHE_DIR = str(folder)
    return folder


CACHE = _cache_for_these_sources()

import numba  # noqa: E402  (the cache folder is set before numba reads it)
from llvmlite import ir  # noqa: E402
from numba.core import cgutils, event  # noqa: E402
from numba.core import types as numba_types  # noqa: E402
from numba.extending import intrinsic  # noqa: E402
from numba.np import linalg  # noqa: E402


def _no_blas() -> None:
    raise ImportError("no kernel here multiplies matrices")


# Before the first kernel runs, numba looks for BLAS and imports scipy.linalg to find it: a sixth of a start's time.
linalg.ensure_blas = _no_blas

COMPILED = not numba.config.DISABLE_JIT
_OPTIONS: dict[str, Any] = {"nogil": True, "error_model": "numpy"}
_WORD = ir.IntType(64)
_HALF = ir.IntType(32)
_FLOAT = ir.FloatType()


def kernel(function: F) -> F:
    """Compile a function that Python calls; its compiled form is kept on disk."""
    return cast(F, numba.njit(cache=True, **_OPTIONS)(function))


def primitive(function: F) -> F:
    """Compile a function that only kernels call, as a part of them."""
    return cast(F, numba.njit(**_OPTIONS)(function))


@intrinsic  # type: ignore[untyped-decorator]
def _popcount(context: Any, value: Any) -> Any:
    return numba_types.int64(numba_types.int64), lambda _, builder, __, arguments: builder.ctpop(arguments[0])


@intrinsic  # type: ignore[untyped-decorator]
def _lowest(context: Any, value: Any) -> Any:
    def generate(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        return builder.cttz(arguments[0], context.get_constant(numba_types.boolean, True))

    return numba_types.int64(numba_types.int64), generate


@intrinsic  # type: ignore[untyped-decorator]
def _plus(context: Any, a: Any, b: Any) -> Any:
    def generate(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        total = builder.add(*arguments)
        return builder.and_(total, context.get_constant(numba_types.int64, randomness.MASK63))

    return numba_types.int64(numba_types.int64, numba_types.int64), generate


@intrinsic  # type: ignore[untyped-decorator]
def _times(context: Any, a: Any, b: Any) -> Any:
    def generate(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        product = builder.mul(*arguments)
        return builder.and_(product, context.get_constant(numba_types.int64, randomness.MASK63))

    return numba_types.int64(numba_types.int64, numba_types.int64), generate


@intrinsic  # type: ignore[untyped-decorator]
def _raised(context: Any, flag: Any) -> Any:
    def generate(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        array = context.make_array(flag)(context, builder, arguments[0])
        return builder.load_atomic(array.data, "monotonic", 8)

    return numba_types.int64(flag), generate


def _place(builder: Any, arguments: Any, kind: Any = _WORD) -> Any:
    return builder.gep(builder.inttoptr(arguments[0], kind.as_pointer()), [arguments[1]])


@intrinsic  # type: ignore[untyped-decorator]
def _take_handle(context: Any, array: Any) -> Any:
    def generate(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        data = context.make_array(signature.args[0])(context, builder, arguments[0]).data
        return builder.ptrtoint(data, _WORD)

    return numba_types.int64(array), generate


def _reader(kind: Any, result: Any) -> Any:
    """What reads an element of this kind behind a handle; an integer becomes a word."""

    @intrinsic  # type: ignore[untyped-decorator]
    def read(context: Any, handle: Any, index: Any) -> Any:
        def generate(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
            found = builder.load(_place(builder, arguments, kind))
            return builder.sext(found, _WORD) if kind is _HALF else found

        return result(numba_types.int64, numba_types.int64), generate

    return _njit(lambda handle, index: read(handle, index))  # noqa: PLW0108


def _writer(kind: Any, value: Any) -> Any:
    """What writes an element of this kind behind a handle."""

    @intrinsic  # type: ignore[untyped-decorator]
    def write(context: Any, handle: Any, index: Any, given: Any) -> Any:
        def generate(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
            given = builder.trunc(arguments[2], kind) if kind is _HALF else arguments[2]
            builder.store(given, _place(builder, arguments, kind))
            return context.get_dummy_value()

        return numba_types.void(numba_types.int64, numba_types.int64, value), generate

    return _njit(lambda handle, index, given: write(handle, index, given))  # noqa: PLW0108


@intrinsic  # type: ignore[untyped-decorator]
def _prefetch_word(context: Any, handle: Any, index: Any) -> Any:
    def generate(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        byte, number = ir.IntType(8).as_pointer(), ir.IntType(32)
        kind = ir.FunctionType(ir.VoidType(), [byte, number, number, number])
        function = cgutils.get_or_insert_function(builder.module, kind, "llvm.prefetch.p0i8")
        place = builder.bitcast(_place(builder, arguments), byte)
        builder.call(function, [place, number(0), number(3), number(1)])  # to read, to keep, data
        return context.get_dummy_value()

    return numba_types.void(numba_types.int64, numba_types.int64), generate


def _njit(function: Callable[..., Any]) -> Callable[..., Any]:
    return cast(Callable[..., Any], numba.njit(**_OPTIONS)(function))


# What the processor does in one instruction. The arithmetic modulo 2**63 is here because numba takes an overflow of
# its own signed operations for impossible, and optimises the mask that follows away; the flag's reading because the
# compiler would take it out of a loop.
_compiled: dict[Callable[..., Any], Callable[..., Any]] = {
    bits.popcount: _njit(lambda cells: _popcount(cells)),  # noqa: PLW0108
    bits.lowest: _njit(lambda cells: _lowest(cells)),  # noqa: PLW0108
    randomness.plus: _njit(lambda a, b: _plus(a, b)),  # noqa: PLW0108
    randomness.times: _njit(lambda a, b: _times(a, b)),  # noqa: PLW0108
    stopping.raised: _njit(lambda flag: _raised(flag)),  # noqa: PLW0108
}


def compiled(function: F) -> F:
    """The compiled twin of a plain function of ``bits`` or ``randomness``, and of those that it calls."""
    if not COMPILED:
        return function
    if function not in _compiled:
        scope = dict(function.__globals__)
        for name in function.__code__.co_names:
            if isinstance(scope.get(name), types.FunctionType):
                scope[name] = compiled(scope[name])
        _compiled[function] = _njit(types.FunctionType(function.__code__, scope, function.__name__))
    return cast(F, _compiled[function])


# Memory by bare pointers; see `pointers`, which gives them their names.
take_handle = _njit(lambda array: _take_handle(array))  # noqa: PLW0108
load_word, store_word = _reader(_WORD, numba_types.int64), _writer(_WORD, numba_types.int64)
load_half, store_half = _reader(_HALF, numba_types.int64), _writer(_HALF, numba_types.int64)
load_float, store_float = _reader(_FLOAT, numba_types.float32), _writer(_FLOAT, numba_types.float32)
prefetch_word = _njit(lambda handle, index: _prefetch_word(handle, index))  # noqa: PLW0108


def instruction(plain: F, compiled: Callable[..., Any]) -> F:
    """A function that is one instruction in kernels, and a plain one where the compiler is off."""
    return cast(F, compiled) if COMPILED else plain


class _TellOnce(event.Listener):  # type: ignore[misc]
    """Says that something compiles, the first time it does."""

    told = bool(os.environ.get("INAROW_QUIET_COMPILE"))

    def on_start(self, event: Any) -> None:
        function = event.data["dispatcher"].py_func
        # The instructions of this module take a moment at every start, not seconds once.
        if not _TellOnce.told and function.__module__.startswith("inarow.") and function.__module__ != __name__:
            _TellOnce.told = True
            sys.stderr.write("inarow: compiling its fast kernels for this machine (once; a few seconds each) …\n")
            sys.stderr.flush()

    def on_end(self, event: Any) -> None:
        pass


event.register("numba:compile", _TellOnce())
