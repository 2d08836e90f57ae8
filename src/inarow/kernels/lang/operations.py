"""Operations on values of kernels, in LLVM's language: arithmetic, comparisons, conversions, memory."""

from __future__ import annotations

import ast
import functools
from collections.abc import Sequence
from typing import Any, NamedTuple

from llvmlite import ir

from inarow.kernels.lang.kinds import (
    BOOL,
    FLOAT,
    FLOAT32,
    INT,
    ArrayOf,
    Content,
    Fixed,
    FunctionOf,
    Kind,
    Pointer,
    Reference,
    Scalar,
    Struct,
    TupleOf,
    unified,
)

WORD, HALF, BYTE, BIT = (ir.IntType(bits) for bits in (64, 32, 8, 1))
DOUBLE, SINGLE, POINTER = ir.DoubleType(), ir.FloatType(), ir.PointerType()
_WORDS = {INT: WORD, FLOAT: DOUBLE, FLOAT32: SINGLE, BOOL: BIT}
_CONTENTS = {"float64": DOUBLE, "float32": SINGLE, "bool": BYTE}
INT_MIN = -(1 << 63)


class Value(NamedTuple):
    """A value: its kind and its words."""

    kind: Kind
    words: tuple[ir.Value, ...]

    @property
    def word(self) -> ir.Value:
        """Return the first word: the number itself, or an array's pointer."""
        return self.words[0]


@functools.cache
def words_of(kind: Kind) -> tuple[ir.Type, ...]:
    """Return the types of a kind's words."""
    if isinstance(kind, Scalar):
        return (_WORDS[kind],)
    if isinstance(kind, TupleOf):
        return tuple(word for part in kind.parts for word in words_of(part))
    if isinstance(kind, FunctionOf):
        return ()
    return (POINTER, *[WORD] * (kind.ndim if isinstance(kind, ArrayOf) else 0))


def result_type(kind: Kind) -> ir.Type:
    """Return the type of the result of a function."""
    words = words_of(kind)
    return ir.VoidType() if not words else words[0] if len(words) == 1 else ir.LiteralStructType(words)


def returned(builder: ir.IRBuilder, found: ir.Value, kind: Kind) -> Value:
    """Return what a call gave as a value of this kind."""
    count = len(words_of(kind))
    if count > 1:
        return Value(kind, tuple(builder.extract_value(found, i) for i in range(count)))
    return Value(kind, (found,) * count)


def pack(values: Sequence[Value], named: type | None) -> Value:
    """Make a tuple."""
    return Value(
        TupleOf(tuple(value.kind for value in values), named), tuple(word for value in values for word in value.words)
    )


def parts(value: Value) -> list[Value]:
    """Return the parts of a tuple."""
    assert isinstance(value.kind, TupleOf)
    words = iter(value.words)
    return [Value(kind, tuple(next(words) for _ in words_of(kind))) for kind in value.kind.parts]


def convert(builder: ir.IRBuilder, value: Value, kind: Scalar) -> Value:
    """Convert a number; a float becomes the integer towards zero, and a truth value says whether it is not 0."""
    given, word = value.kind, value.word
    if given == kind:
        return value
    if kind is BOOL:
        return Value(BOOL, (truth(builder, value),))
    if given is BOOL:
        word, given = builder.zext(word, WORD), INT
    if kind is INT:
        found = word if given is INT else builder.fptosi(word, WORD)
    elif given is INT:
        found = builder.sitofp(word, _WORDS[kind])
    elif kind is FLOAT:
        found = builder.fpext(word, DOUBLE)
    else:
        found = builder.fptrunc(word, SINGLE)
    return Value(kind, (found,))


def truth(builder: ir.IRBuilder, value: Value) -> ir.Value:
    """Return whether a number is not 0."""
    if value.kind is BOOL:
        return value.word
    if value.kind is INT:
        return builder.icmp_signed("!=", value.word, WORD(0))
    return builder.fcmp_unordered("!=", value.word, ir.Constant(value.word.type, 0.0))


_WHOLE = {ast.Add: "add", ast.Sub: "sub", ast.Mult: "mul", ast.BitAnd: "and_", ast.BitOr: "or_", ast.BitXor: "xor"}
_REAL = {ast.Add: "fadd", ast.Sub: "fsub", ast.Mult: "fmul", ast.Div: "fdiv"}
_SHIFT = {ast.LShift: "shl", ast.RShift: "ashr"}


def arithmetic(builder: ir.IRBuilder, sign: ast.operator, left: Value, right: Value) -> Value | None:
    """Apply an operation to two numbers; None if it is not defined for them.

    Integers wrap around. Shifts take the count modulo 64. Division rounds down; by 0 it gives 0.
    """
    kind = unified(left.kind, right.kind)
    assert isinstance(kind, Scalar)
    bitwise = isinstance(sign, (ast.BitAnd, ast.BitOr, ast.BitXor))
    if kind is BOOL and not bitwise:
        kind = INT
    if isinstance(sign, ast.Div) and kind is INT:
        kind = FLOAT
    a, b = convert(builder, left, kind).word, convert(builder, right, kind).word
    if kind in (FLOAT, FLOAT32):
        name = _REAL.get(type(sign))
        return Value(kind, (getattr(builder, name)(a, b),)) if name else None
    if type(sign) in _WHOLE:
        return Value(kind, (getattr(builder, _WHOLE[type(sign)])(a, b),))
    if type(sign) in _SHIFT:
        count = WORD(b.constant & 63) if isinstance(b, ir.Constant) else builder.and_(b, WORD(63))
        return Value(INT, (getattr(builder, _SHIFT[type(sign)])(a, count),))
    if isinstance(sign, (ast.FloorDiv, ast.Mod)):
        return Value(INT, (_divide(builder, a, b, isinstance(sign, ast.Mod)),))
    return None


def _divide(builder: ir.IRBuilder, a: ir.Value, b: ir.Value, remainder: bool) -> ir.Value:
    """Divide and round down; the remainder has the sign of the divisor."""
    if isinstance(b, ir.Constant) and b.constant > 0 and b.constant & (b.constant - 1) == 0:
        if remainder:
            return builder.and_(a, WORD(b.constant - 1))
        return builder.ashr(a, WORD(b.constant.bit_length() - 1))
    zero = builder.icmp_signed("==", b, WORD(0))
    overflow = builder.and_(builder.icmp_signed("==", a, WORD(INT_MIN)), builder.icmp_signed("==", b, WORD(-1)))
    divisor = builder.select(builder.or_(zero, overflow), WORD(1), b)
    rest = builder.srem(a, divisor)
    odd = builder.and_(
        builder.icmp_signed("!=", rest, WORD(0)), builder.icmp_signed("<", builder.xor(rest, divisor), WORD(0))
    )
    if remainder:
        return builder.select(odd, builder.add(rest, divisor), rest)
    whole = builder.sub(builder.sdiv(a, divisor), builder.zext(odd, WORD))
    return builder.select(zero, WORD(0), whole)


_COMPARE = {ast.Lt: "<", ast.LtE: "<=", ast.Gt: ">", ast.GtE: ">=", ast.Eq: "==", ast.NotEq: "!="}


def comparison(builder: ir.IRBuilder, sign: ast.cmpop, left: Value, right: Value) -> ir.Value | None:
    """Compare two numbers; None if there is no such comparison."""
    name, kind = _COMPARE.get(type(sign)), unified(left.kind, right.kind)
    if name is None or not isinstance(kind, Scalar):
        return None
    kind = INT if kind is BOOL else kind
    a, b = convert(builder, left, kind).word, convert(builder, right, kind).word
    if kind is INT:
        return builder.icmp_signed(name, a, b)
    return (builder.fcmp_unordered if name == "!=" else builder.fcmp_ordered)(name, a, b)


def content_type(content: Scalar) -> Any:
    """Return the type of a number in memory."""
    return _CONTENTS.get(content.name) or ir.IntType(8 * content.size)


def place_of(builder: ir.IRBuilder, pointer: ir.Value, index: ir.Value, kind: Any) -> ir.Value:
    """Return the address of an element behind a pointer."""
    return builder.gep(pointer, [index], inbounds=True, source_etype=kind)


def element(builder: ir.IRBuilder, array: Value, indices: Sequence[ir.Value]) -> ir.Value:
    """Return the address of an element, or of a row if there are fewer indices than dimensions."""
    assert isinstance(array.kind, ArrayOf)
    at = indices[0]
    for i, length in enumerate(array.words[2:], start=1):
        at = builder.mul(at, length, flags=("nsw",))
        if i < len(indices):
            at = builder.add(at, indices[i], flags=("nsw",))
    content = array.kind.element
    kind = ir.ArrayType(BYTE, content.size) if isinstance(content, Struct) else content_type(content)
    return place_of(builder, array.word, at, kind)


def offset(builder: ir.IRBuilder, place: ir.Value, size: int) -> ir.Value:
    """Return the address this many bytes further on."""
    return place_of(builder, place, WORD(size), BYTE)


def read(builder: ir.IRBuilder, place: ir.Value, content: Content) -> Value:
    """Read what is in memory; a record, and an array inside one, stay where they are."""
    if isinstance(content, Struct):
        return Value(Reference(content), (place,))
    if isinstance(content, Fixed):
        lengths = tuple(WORD(length) for length in content.lengths)
        return Value(ArrayOf(content.element, len(lengths)), (place, *lengths))
    if isinstance(content, Pointer):
        length = builder.load(offset(builder, place, 8), typ=WORD, align=8)
        return Value(ArrayOf(content.element, 1), (builder.load(place, typ=POINTER, align=8), length))
    found = builder.load(place, typ=content_type(content), align=content.size)
    if content.kind is BOOL:
        found = builder.icmp_unsigned("!=", found, BYTE(0))
    elif content.kind is INT and content.size < 8:
        found = (builder.zext if content.name.startswith("u") else builder.sext)(found, WORD)
    return Value(content.kind, (found,))


def store(builder: ir.IRBuilder, place: ir.Value, content: Scalar, value: Value) -> None:
    """Write a number to memory; an integer loses the bits for which there is no room."""
    word = convert(builder, value, content.kind).word
    if content.kind is BOOL:
        word = builder.zext(word, BYTE)
    elif content.kind is INT and content.size < 8:
        word = builder.trunc(word, content_type(content))
    builder.store(word, place, align=content.size)


def reserve(builder: ir.IRBuilder, kind: Any, count: int = 1) -> ir.Value:
    """Reserve room on the stack."""
    room = builder.alloca(kind, WORD(count))
    room.align, room.type = 8, POINTER
    return room


def phi(builder: ir.IRBuilder, *ways: tuple[ir.Value, ir.Block]) -> ir.Value:
    """Return the word of the block that was left last."""
    found = builder.phi(ways[0][0].type)
    for word, block in ways:
        found.add_incoming(word, block)
    return found


def copy(builder: ir.IRBuilder, to: ir.Value, place: ir.Value, size: int) -> None:
    """Copy bytes."""
    function = intrinsic(builder, "llvm.memmove.p0.p0.i64", ir.VoidType(), [POINTER, POINTER, WORD, BIT])
    builder.call(function, [to, place, WORD(size), BIT(0)])


def intrinsic(builder: ir.IRBuilder, name: str, result: Any, arguments: list[Any]) -> ir.Function:
    """Return a function that LLVM or the C library has."""
    known = builder.module.globals.get(name)
    return known or ir.Function(builder.module, ir.FunctionType(result, arguments), name)
