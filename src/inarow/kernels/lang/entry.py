"""The entry of a kernel: a C function that unpacks its Python arguments, runs the kernel without the GIL, and
converts the result.

It uses Python's stable ABI only, so that the code does not depend on Python's version.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from llvmlite import ir

from inarow.kernels.lang import operations as op
from inarow.kernels.lang.kinds import (
    BOOL,
    FLOAT,
    FLOAT32,
    INT,
    NONE,
    ArrayOf,
    FunctionOf,
    Kind,
    Reference,
    Scalar,
    Signature,
    TupleOf,
)
from inarow.kernels.lang.native import PYTHON_FUNCTIONS
from inarow.kernels.lang.operations import BYTE, DOUBLE, HALF, POINTER, WORD, Value
from inarow.kernels.lang.translate import Unit

# Py_buffer (buf, obj, len, itemsize, readonly, ndim, format, shape, …): offsets in bytes, and its size.
_BUF, _OBJ, _LEN, _ITEMSIZE, _NDIM, _FORMAT, _SHAPE = 0, 8, 16, 24, 36, 40, 48
_BUFFER = 80
_WRITEABLE, _WITH_FORMAT, _CONTIGUOUS = 1, 0x4, 0x38
_NULL = ir.Constant(POINTER, None)

_TYPES = {"w": WORD, "d": DOUBLE, "i": HALF, "p": POINTER, "v": ir.VoidType()}


class _Entry:
    """Writes the entry of one kernel."""

    def __init__(self, unit: Unit, name: str) -> None:
        self.unit = unit
        self.code = ir.Function(unit.module, ir.FunctionType(POINTER, [POINTER, POINTER, WORD, POINTER]), name)
        self.start = self.code.append_basic_block("start")
        self.builder = ir.IRBuilder(self.code.append_basic_block("body"))
        self.refused, self.bad, self.failed = (
            self.code.append_basic_block(name) for name in ("refused", "bad", "failed")
        )
        self.buffers: list[ir.Value] = []

    def write(self, kernel: ir.Function, result: Kind, kinds: Signature) -> None:
        """Write the function."""
        builder, (instead, given, count, names) = self.builder, self.code.args
        self.need(builder.icmp_signed("==", count, WORD(len(kinds))), self.bad)
        self.need(builder.icmp_unsigned("==", names, _NULL), self.bad)
        values = [
            self.argument(builder.load(op.place_of(builder, given, WORD(i), POINTER), typ=POINTER), kind)
            for i, kind in enumerate(kinds)
        ]
        words = [word for value in values for word in value.words]
        trap = None
        if self.unit.checked:
            trap = op.reserve(ir.IRBuilder(self.start), POINTER)
            builder.store(_NULL, trap)
            words.insert(0, trap)
        thread = self.call("PyEval_SaveThread")
        found = builder.call(kernel, words)
        self.call("PyEval_RestoreThread", thread)
        if trap is not None:
            self.raise_trapped(builder.load(trap, typ=POINTER))
        self.release()
        builder.ret(self.to_python(op.returned(builder, found, result)))
        builder.position_at_end(self.refused)
        overflow = self.call("PyErr_ExceptionMatches", self.error("PyExc_OverflowError"))
        builder.cbranch(builder.icmp_signed("!=", overflow, HALF(0)), self.failed, self.bad)
        builder.position_at_end(self.bad)
        self.call("PyErr_Clear")
        self.release()
        builder.ret(self.call("PyObject_Vectorcall", instead, given, count, names))
        builder.position_at_end(self.failed)
        self.release()
        builder.ret(_NULL)
        ir.IRBuilder(self.start).branch(self.code.blocks[1])

    def call(self, name: str, *arguments: ir.Value) -> ir.Value:
        """Call a function of Python."""
        result, *given = (_TYPES[letter] for letter in PYTHON_FUNCTIONS[name])
        return self.builder.call(op.intrinsic(self.builder, name, result, given), arguments)

    def need(self, sound: ir.Value, otherwise: ir.Block) -> None:
        """Branch to ``otherwise`` unless the condition holds."""
        block = self.code.append_basic_block("ok")
        self.builder.cbranch(sound, block, otherwise)
        self.builder.position_at_end(block)

    def raise_trapped(self, text: ir.Value) -> None:
        """Raise IndexError if a checked kernel has left a message."""
        raising, ok = self.code.append_basic_block("raise"), self.code.append_basic_block("ok")
        self.builder.cbranch(self.builder.icmp_unsigned("==", text, _NULL), ok, raising)
        self.builder.position_at_end(raising)
        self.call("PyErr_SetString", self.error("PyExc_IndexError"), text)
        self.builder.branch(self.failed)
        self.builder.position_at_end(ok)

    def error(self, name: str) -> ir.Value:
        """Return one of Python's exceptions."""
        return self.builder.load(ir.GlobalVariable(self.unit.module, POINTER, name), typ=POINTER)

    def release(self) -> None:
        """Release the buffer of every array."""
        for buffer in self.buffers:
            self.call("PyBuffer_Release", buffer)

    def argument(self, given: ir.Value, kind: Kind) -> Value:
        """Unpack an argument."""
        builder = self.builder
        if kind == NONE:
            self.need(builder.icmp_signed("!=", self.call("Py_IsNone", given), HALF(0)), self.bad)
            return Value(kind, ())
        if isinstance(kind, FunctionOf):  # the caller has made sure that it is this one
            return Value(kind, ())
        if isinstance(kind, TupleOf):
            self.need(builder.icmp_signed("==", self.call("PyTuple_Size", given), WORD(len(kind.parts))), self.bad)
            items = (self.call("PyTuple_GetItem", given, WORD(i)) for i in range(len(kind.parts)))
            return op.pack(
                [self.argument(item, part) for item, part in zip(items, kind.parts, strict=True)], kind.named
            )
        if isinstance(kind, (ArrayOf, Reference)):
            return self.memory(given, kind)
        if kind is BOOL:
            truth = self.call("PyObject_IsTrue", given)
            self.need(builder.icmp_signed(">=", truth, HALF(0)), self.refused)
            return Value(kind, (builder.trunc(truth, op.BIT),))
        number = self.call("PyLong_AsLongLong" if kind is INT else "PyFloat_AsDouble", given)
        doubtful, ok = self.code.append_basic_block("doubtful"), self.code.append_basic_block("ok")
        minus = (
            builder.icmp_signed("==", number, WORD(-1))
            if kind is INT
            else builder.fcmp_ordered("==", number, ir.Constant(DOUBLE, -1.0))
        )
        builder.cbranch(minus, doubtful, ok)
        builder.position_at_end(doubtful)
        builder.cbranch(builder.icmp_unsigned("==", self.call("PyErr_Occurred"), _NULL), ok, self.refused)
        builder.position_at_end(ok)
        return Value(kind, (number,))

    def memory(self, given: ir.Value, kind: ArrayOf | Reference) -> Value:
        """Unpack an array or a record through its buffer, whose type is checked."""
        builder, start = self.builder, ir.IRBuilder(self.start)
        buffer = op.reserve(start, BYTE, _BUFFER)
        start.store(_NULL, op.offset(start, buffer, _OBJ))
        self.buffers.append(buffer)
        flags = _WRITEABLE if isinstance(kind, Reference) or kind.writeable else 0
        if isinstance(kind, ArrayOf):  # NumPy takes microseconds to write down the format of records
            flags |= _CONTIGUOUS | (_WITH_FORMAT if isinstance(kind.element, Scalar) else 0)
        failed = self.call("PyObject_GetBuffer", given, buffer, HALF(flags))
        self.need(builder.icmp_signed("==", failed, HALF(0)), self.refused)

        def field(at: int, kind: Any) -> ir.Value:
            return builder.load(op.offset(builder, buffer, at), typ=kind)

        if isinstance(kind, Reference):
            self.need(builder.icmp_signed("==", field(_LEN, WORD), WORD(kind.struct.size)), self.bad)
            return Value(kind, (field(_BUF, POINTER),))
        self.need(builder.icmp_signed("==", field(_NDIM, HALF), HALF(kind.ndim)), self.bad)
        self.need(builder.icmp_signed("==", field(_ITEMSIZE, WORD), WORD(kind.element.size)), self.bad)
        if isinstance(kind.element, Scalar):
            letter = np.zeros(0, kind.element.name).data.format[0]
            found = builder.load(field(_FORMAT, POINTER), typ=BYTE)
            self.need(builder.icmp_signed("==", found, BYTE(ord(letter))), self.bad)
        shape = field(_SHAPE, POINTER)
        lengths = [builder.load(op.place_of(builder, shape, WORD(i), WORD), typ=WORD) for i in range(kind.ndim)]
        return Value(kind, (field(_BUF, POINTER), *lengths))

    def to_python(self, value: Value) -> ir.Value:
        """Convert a result to a Python value."""
        if value.kind == NONE:
            return self.call("Py_BuildValue", self.unit.text(""))
        if isinstance(value.kind, TupleOf):
            made = self.call("PyTuple_New", WORD(len(value.kind.parts)))
            for i, part in enumerate(op.parts(value)):
                self.call("PyTuple_SetItem", made, WORD(i), self.to_python(part))
            return made
        if value.kind is BOOL:
            return self.call("PyBool_FromLong", self.builder.zext(value.word, WORD))
        if value.kind in (FLOAT, FLOAT32):
            return self.call("PyFloat_FromDouble", op.convert(self.builder, value, FLOAT).word)
        return self.call("PyLong_FromLongLong", value.word)


def write_entry(unit: Unit, kernel: ir.Function, result: Kind, kinds: Signature, name: str) -> None:
    """Add the function that Python calls to a unit."""
    _Entry(unit, name).write(kernel, result, kinds)
