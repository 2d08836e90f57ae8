"""Operations that are one instruction, or a few, in kernels.

- Arithmetic modulo 2⁶³: numba assumes that its signed operations don't overflow, and removes the mask that
  follows.
- Reading the stop flag: the compiler would move it out of a loop.
- Memory by bare pointers (`pointers`).
- ``min``, ``max``, ``abs``, ``int`` and ``float`` of numbers, for which numba would compile functions of its own.
- ``np.zeros`` and ``np.empty`` on the stack: for small arrays, and not in loops.
"""

from __future__ import annotations

import functools
import inspect
import operator
from collections.abc import Callable
from typing import Any, ClassVar

import numpy as np
from llvmlite import ir
from numba.core import cgutils
from numba.core import types as numba_types
from numba.core.imputils import Registry
from numba.core.typing.templates import AbstractTemplate
from numba.np import arrayobj

from inarow import bits, randomness, stopping

types: Any = numba_types  # its attributes are made when it is imported
_WORD, _HALF, _FLOAT, _BYTE = ir.IntType(64), ir.IntType(32), ir.FloatType(), ir.IntType(8)


REGISTRY = Registry("inarow")


def intrinsic(define: Callable[..., Any], prefer_literal: bool = False) -> Any:
    """The type of a function that is defined by its signature and by what generates its code.

    numba's own decorator of this name does the same, and loads all of numba's registries on the way.
    """

    class Template(AbstractTemplate):  # type: ignore[misc]
        key = define
        generators: ClassVar[dict[Any, Any]] = {}

        def generic(self, arguments: Any, keywords: Any) -> Any:
            """The signature for arguments of these types."""
            signature, generate = define(self.context, *arguments, **keywords)
            if signature.args not in self.generators:
                self.generators[signature.args] = generate
                REGISTRY.lower(generate, *signature.args)(generate)
            given = inspect.signature(define)
            return signature.replace(pysig=given.replace(parameters=list(given.parameters.values())[1:]))

        def get_impl_key(self, signature: Any) -> Any:
            """What generates the code."""
            return self.generators[signature.args]

    Template.prefer_literal = prefer_literal
    return types.Function(Template)


_literal = functools.partial(intrinsic, prefer_literal=True)


@intrinsic
def popcount(context: Any, value: Any) -> Any:
    """The number of bits that are set."""
    return types.int64(types.int64), lambda _, builder, __, arguments: builder.ctpop(arguments[0])


@intrinsic
def lowest(context: Any, value: Any) -> Any:
    """The index of the lowest bit that is set."""

    def generate(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        return builder.cttz(arguments[0], context.get_constant(types.boolean, True))

    return types.int64(types.int64), generate


def _masked(operation: str) -> Any:
    """Addition or multiplication modulo 2⁶³."""

    @intrinsic
    def masked(context: Any, a: Any, b: Any) -> Any:
        def generate(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
            result = getattr(builder, operation)(*arguments)
            return builder.and_(result, context.get_constant(types.int64, randomness.MASK63))

        return types.int64(types.int64, types.int64), generate

    return masked


@intrinsic
def raised(context: Any, flag: Any) -> Any:
    """The flag's value now."""

    def generate(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        array = context.make_array(flag)(context, builder, arguments[0])
        return builder.load_atomic(array.data, "monotonic", 8)

    return types.int64(flag), generate


PLAIN: dict[Callable[..., Any], Any] = {
    bits.popcount: popcount,
    bits.lowest: lowest,
    randomness.plus: _masked("add"),
    randomness.times: _masked("mul"),
    stopping.raised: raised,
}


def _place(builder: Any, arguments: Any, kind: Any = _WORD) -> Any:
    return builder.gep(builder.inttoptr(arguments[0], kind.as_pointer()), [arguments[1]], source_etype=kind)


@intrinsic
def take_handle(context: Any, array: Any) -> Any:
    """Where an array's elements begin."""

    def generate(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        data = context.make_array(signature.args[0])(context, builder, arguments[0]).data
        return builder.ptrtoint(data, _WORD)

    return types.int64(array), generate


def _reader(kind: Any, result: Any) -> Any:
    """What reads an element of this kind behind a handle; an integer becomes a word."""

    @intrinsic
    def read(context: Any, handle: Any, index: Any) -> Any:
        def generate(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
            found = builder.load(_place(builder, arguments, kind))
            return builder.sext(found, _WORD) if kind is _HALF else found

        return result(types.int64, types.int64), generate

    return read


def _writer(kind: Any, value: Any) -> Any:
    """What writes an element of this kind behind a handle."""

    @intrinsic
    def write(context: Any, handle: Any, index: Any, given: Any) -> Any:
        def generate(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
            given = builder.trunc(arguments[2], kind) if kind is _HALF else arguments[2]
            builder.store(given, _place(builder, arguments, kind))
            return context.get_dummy_value()

        return types.void(types.int64, types.int64, value), generate

    return write


load_word, store_word = _reader(_WORD, types.int64), _writer(_WORD, types.int64)
load_half, store_half = _reader(_HALF, types.int64), _writer(_HALF, types.int64)
load_float, store_float = _reader(_FLOAT, types.float32), _writer(_FLOAT, types.float32)


@intrinsic
def prefetch_word(context: Any, handle: Any, index: Any) -> Any:
    """Begin to fetch a word."""

    def generate(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        byte, number = _BYTE.as_pointer(), _HALF
        kind = ir.FunctionType(ir.VoidType(), [byte, number, number, number])
        function = cgutils.get_or_insert_function(builder.module, kind, "llvm.prefetch.p0i8")
        place = builder.bitcast(_place(builder, arguments), byte)
        builder.call(function, [place, number(0), number(3), number(1)])  # to read, to keep, data
        return context.get_dummy_value()

    return types.void(types.int64, types.int64), generate


def _stack_array(zeroed: bool) -> Any:
    """``np.zeros`` or ``np.empty``, on the stack: the array is gone when the function that asks for it ends."""

    @_literal
    def stack_array(context: Any, shape: Any, dtype: Any = None) -> Any:
        kind = types.float64 if dtype is None else dtype.dtype
        sides = shape.count if isinstance(shape, types.BaseTuple) else 1
        array = types.Array(kind, sides, "C")
        fixed = shape.literal_value if isinstance(shape, types.IntegerLiteral) else None

        def generate(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
            element = context.get_data_type(kind)
            size = context.get_constant(types.intp, context.get_abi_sizeof(element))
            if fixed is not None:
                lengths = [context.get_constant(types.intp, fixed)]
                data = builder.bitcast(cgutils.alloca_once(builder, ir.ArrayType(element, fixed)), element.as_pointer())
            else:
                lengths = cgutils.unpack_tuple(builder, arguments[0]) if sides > 1 else [arguments[0]]
                data = builder.alloca(element, functools.reduce(builder.mul, lengths))
            count = functools.reduce(builder.mul, lengths)
            if zeroed:
                cgutils.memset(builder, data, builder.mul(count, size), 0)
            strides = [size]
            for length in reversed(lengths[1:]):
                strides.insert(0, builder.mul(strides[0], length))
            made = context.make_array(array)(context, builder)
            arrayobj.populate_array(made, data=data, shape=lengths, strides=strides, itemsize=size, meminfo=None)
            return made._getvalue()

        return array(shape, types.Omitted(None) if dtype is None else dtype), generate

    return stack_array


def _better(sign: str) -> Any:
    """``min`` or ``max`` of two numbers: the second if it is less or more than the first, as in Python."""

    @intrinsic
    def better(context: Any, a: Any, b: Any) -> Any:
        kind = context.unify_types(types.unliteral(a), types.unliteral(b))

        def generate(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
            first, second = arguments
            compare = builder.icmp_signed if isinstance(kind, types.Integer) else builder.fcmp_ordered
            return builder.select(compare(sign, second, first), second, first)

        return kind(kind, kind), generate

    return better


@intrinsic
def _absolute(context: Any, value: Any) -> Any:
    kind = types.unliteral(value)

    def generate(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        if isinstance(kind, types.Float):
            return builder.call(builder.module.declare_intrinsic("llvm.fabs", [arguments[0].type]), arguments)
        negative = builder.icmp_signed("<", arguments[0], ir.Constant(arguments[0].type, 0))
        return builder.select(negative, builder.neg(arguments[0]), arguments[0])

    return kind(kind), generate


def _cast(target: Any) -> Any:
    @intrinsic
    def cast(context: Any, value: Any) -> Any:
        kind = types.unliteral(value)

        def generate(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
            return context.cast(builder, arguments[0], kind, target)

        return target(kind), generate

    return cast


@intrinsic
def _contains(context: Any, group: Any, value: Any) -> Any:
    """Whether a tuple contains a number."""

    def generate(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        same = [builder.icmp_signed("==", part, arguments[1]) for part in cgutils.unpack_tuple(builder, arguments[0])]
        return functools.reduce(builder.or_, same)

    return types.boolean(types.UniTuple(types.int64, len(group)), types.int64), generate


BUILTINS: dict[Any, Any] = {
    operator.contains: _contains,
    min: _better("<"),
    max: _better(">"),
    abs: _absolute,
    int: _cast(types.int64),
    float: _cast(types.float64),
    np.zeros: _stack_array(zeroed=True),
    np.empty: _stack_array(zeroed=False),
}
