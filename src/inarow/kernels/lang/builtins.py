"""Functions that kernels know by themselves: Python's and NumPy's for numbers and arrays, and single instructions."""

from __future__ import annotations

import ast
import math
import types
from collections.abc import Callable
from typing import Any

import numpy as np
from llvmlite import ir

from inarow import bits, stopping
from inarow.kernels.lang import jit, trace
from inarow.kernels.lang import operations as op
from inarow.kernels.lang.kinds import BOOL, FLOAT, FLOAT32, INT, NONE, ArrayOf, Scalar, TupleOf, element_of, unified
from inarow.kernels.lang.operations import BIT, HALF, POINTER, WORD, Value

Handler = Callable[[Any, ast.Call], Value]
CALLABLE = (type, types.FunctionType, types.BuiltinFunctionType)
KNOWN: dict[Any, Handler] = {}


def _known(*functions: Any) -> Callable[[Handler], Handler]:
    def add(handler: Handler) -> Handler:
        KNOWN.update(dict.fromkeys(functions, handler))
        return handler

    return add


def _numbers(body: Any, node: ast.Call, count: int) -> list[Value]:
    """Return the arguments, which must be this many numbers."""
    given = [body.value(argument) for argument in node.args]
    if len(given) != count or node.keywords or not all(isinstance(value.kind, Scalar) for value in given):
        raise body.fail(f"expected {count} numbers" if count > 1 else "expected a number", node)
    return given


def _word(body: Any, node: ast.expr) -> ir.Value:
    return body.converted(body.value(node), INT, node).word


def _conversion(kind: Scalar) -> Handler:
    def convert(body: Any, node: ast.Call) -> Value:
        return op.convert(body.builder, _numbers(body, node, 1)[0], kind)

    return convert


KNOWN |= {int: _conversion(INT), float: _conversion(FLOAT), bool: _conversion(BOOL)}
KNOWN |= {np.float64: _conversion(FLOAT), np.float32: _conversion(FLOAT32)}
KNOWN |= {np.int64: _conversion(INT), np.int32: _conversion(INT)}


def _better(sign: ast.cmpop) -> Handler:
    """``min`` or ``max``: the second number if it is less, or more, than the first, as in Python."""

    def better(body: Any, node: ast.Call) -> Value:
        first, second = _numbers(body, node, 2)
        kind = unified(first.kind, second.kind)
        assert isinstance(kind, Scalar)
        a, b = op.convert(body.builder, first, kind), op.convert(body.builder, second, kind)
        return Value(kind, (body.builder.select(op.comparison(body.builder, sign, b, a), b.word, a.word),))

    return better


KNOWN |= {min: _better(ast.Lt()), max: _better(ast.Gt())}


@_known(abs)
def _absolute(body: Any, node: ast.Call) -> Value:
    (given,) = _numbers(body, node, 1)
    builder = body.builder
    if given.kind in (FLOAT, FLOAT32):
        name = "llvm.fabs.f64" if given.kind is FLOAT else "llvm.fabs.f32"
        function = op.intrinsic(builder, name, given.word.type, [given.word.type])
        return Value(given.kind, (builder.call(function, [given.word]),))
    word = op.convert(builder, given, INT).word
    negative = builder.icmp_signed("<", word, WORD(0))
    return Value(INT, (builder.select(negative, builder.neg(word), word),))


def _real_function(name: str) -> Handler:
    def call(body: Any, node: ast.Call) -> Value:
        given = op.convert(body.builder, _numbers(body, node, 1)[0], FLOAT)
        function = op.intrinsic(body.builder, name, op.DOUBLE, [op.DOUBLE])
        return Value(FLOAT, (body.builder.call(function, [given.word]),))

    return call


KNOWN[math.sqrt] = _real_function("llvm.sqrt.f64")


@_known(len)
def _length(body: Any, node: ast.Call) -> Value:
    given = body.value(node.args[0])
    if not isinstance(given.kind, ArrayOf):
        raise body.fail("expected an array", node)
    return Value(INT, (given.words[1],))


@_known(np.zeros, np.empty)
def _new_array(body: Any, node: ast.Call) -> Value:
    """An array on the stack, which is gone when the function that makes it ends."""
    shape = body.value(node.args[0])
    given = [*node.args[1:], *(keyword.value for keyword in node.keywords)]
    element = element_of(np.dtype(body.static(given[0]) if given else np.float64))
    lengths = [part.word for part in op.parts(shape)] if isinstance(shape.kind, TupleOf) else [shape.word]
    if not isinstance(element, Scalar) or not all(isinstance(length, ir.Constant) for length in lengths):
        raise body.fail("arrays of numbers with constant lengths can be made", node)
    count = math.prod(length.constant for length in lengths)
    data = body.allocate(op.content_type(element), count)
    if body.static(node.func) is np.zeros:
        function = op.intrinsic(body.builder, "llvm.memset.p0.i64", ir.VoidType(), [POINTER, op.BYTE, WORD, BIT])
        body.builder.call(function, [data, op.BYTE(0), WORD(count * element.size), BIT(0)])
    return Value(ArrayOf(element, len(lengths)), (data, *lengths))


@_known(bits.popcount)
def _popcount(body: Any, node: ast.Call) -> Value:
    return Value(INT, (body.builder.ctpop(_word(body, node.args[0])),))


@_known(bits.lowest)
def _lowest(body: Any, node: ast.Call) -> Value:
    return Value(INT, (body.builder.cttz(_word(body, node.args[0]), BIT(0)),))


@_known(stopping.raised)
def _raised(body: Any, node: ast.Call) -> Value:
    """Read the flag now: a plain read might be moved out of a loop."""
    flag = body.value(node.args[0])
    if body.unit.hosted:
        return Value(INT, (_host(body, "raised", flag.word),))
    return Value(INT, (body.builder.load_atomic(flag.word, "monotonic", 8, typ=WORD),))


@_known(jit.prefetch)
def _prefetch(body: Any, node: ast.Call) -> Value:
    function = op.intrinsic(body.builder, "llvm.prefetch.p0", ir.VoidType(), [POINTER, HALF, HALF, HALF])
    place = op.element(body.builder, body.value(node.args[0]), [_word(body, node.args[1])])
    body.builder.call(function, [place, HALF(0), HALF(3), HALF(1)])  # to read, to keep, data
    return Value(NONE, ())


@_known(*trace.EVENTS)
def _event(body: Any, node: ast.Call) -> Value:
    """Nothing, or, in a traced unit, the values in turn and then the number of the event."""
    if body.unit.traced:
        for argument in node.args:
            if isinstance(argument, ast.Starred):
                _each(body, argument.value)
            else:
                _tell(body, ast.Call(node.func, [argument], []))
        _host(body, "event", HALF(trace.EVENTS.index(body.static(node.func))))
    return Value(NONE, ())


def _each(body: Any, node: ast.expr) -> None:
    """Tell the host the values of a generator, by the loop that it stands for."""
    if not (isinstance(node, ast.GeneratorExp) and len(node.generators) == 1 and not node.generators[0].ifs):
        raise body.fail("an event takes the values of a generator with one loop and no condition", node)
    (loop,) = node.generators
    module: Any = trace
    tell = ast.Attribute(ast.Constant(module), trace.tell.__name__)
    body.stmt_for(ast.For(loop.target, loop.iter, [ast.Expr(ast.Call(tell, [node.elt], []))], []))


@_known(trace.tell)
def _tell(body: Any, node: ast.Call) -> Value:
    """Tell the host a value of an event: a number, or the address of an array or a record."""
    value = body.value(node.args[0])
    if value.kind is BOOL:
        _host(body, "event_bool", body.builder.zext(value.word, HALF))
    elif value.kind in (FLOAT, FLOAT32):
        _host(body, "event_float", op.convert(body.builder, value, FLOAT).word)
    elif value.kind is INT:
        _host(body, "event_int", value.word)
    else:
        _host(body, "event_address", value.word)
    return Value(NONE, ())


HOST = {
    "raised": (WORD, [POINTER]),
    "event_int": (ir.VoidType(), [WORD]),
    "event_float": (ir.VoidType(), [op.DOUBLE]),
    "event_bool": (ir.VoidType(), [HALF]),
    "event_address": (ir.VoidType(), [POINTER]),
    "event": (ir.VoidType(), [HALF]),
}
"""Functions of the host of a hosted unit: the type of each one's result and those of its arguments."""


def _host(body: Any, name: str, word: ir.Value) -> ir.Value:
    return body.builder.call(op.intrinsic(body.builder, name, *HOST[name]), [word])
