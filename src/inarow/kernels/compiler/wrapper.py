"""What Python calls: a C function that unpacks Python's values, runs a kernel without Python's lock, and makes a
Python value of the result.

It speaks to Python by functions of its stable interface only, so that the code can be loaded without numba.
"""

from __future__ import annotations

import sys
from collections.abc import Callable
from typing import Any

import numpy as np
from llvmlite import ir
from numba.core import cgutils
from numba.core import types as numba_types
from numba.np import arrayobj, numpy_support

from inarow.kernels.compiler.signatures import BOOL, FLOAT, INT, Kind, Signature, arrays_in, parse_array

types: Any = numba_types  # its attributes are made when it is imported
_POINTER, _WORD, _INT, _BYTE, _DOUBLE = (
    ir.IntType(8).as_pointer(),
    ir.IntType(64),
    ir.IntType(32),
    ir.IntType(8),
    ir.DoubleType(),
)
_WORDS = _WORD.as_pointer()
# Py_buffer: buf, obj, len, itemsize, readonly, ndim, format, shape, strides, suboffsets, internal.
_BUFFER = ir.LiteralStructType(
    [_POINTER, _POINTER, _WORD, _WORD, _INT, _INT, _POINTER, _WORDS, _WORDS, _WORDS, _POINTER]
)
_BUF, _OBJ, _LEN, _ITEMSIZE, _NDIM, _FORMAT, _SHAPE, _STRIDES = 0, 1, 2, 3, 5, 6, 7, 8
_WRITEABLE, _FORMAT_CONTIGUOUS = 1, 0x4 | 0x38

# The functions of Python that are called: result, arguments.
FUNCTIONS: dict[str, tuple[Any, list[Any]]] = {
    "PyLong_AsLongLong": (_WORD, [_POINTER]),
    "PyFloat_AsDouble": (_DOUBLE, [_POINTER]),
    "PyObject_IsTrue": (_INT, [_POINTER]),
    "PyErr_Occurred": (_POINTER, []),
    "PyErr_BadArgument": (_INT, []),
    "PyObject_GetBuffer": (_INT, [_POINTER, _POINTER, _INT]),
    "PyBuffer_Release": (ir.VoidType(), [_POINTER]),
    "PyEval_SaveThread": (_POINTER, []),
    "PyEval_RestoreThread": (ir.VoidType(), [_POINTER]),
    "PyLong_FromLongLong": (_POINTER, [_WORD]),
    "PyFloat_FromDouble": (_POINTER, [_DOUBLE]),
    "PyBool_FromLong": (_POINTER, [_WORD]),
    "PyTuple_Size": (_WORD, [_POINTER]),
    "PyTuple_GetItem": (_POINTER, [_POINTER, _WORD]),
    "PyTuple_New": (_POINTER, [_WORD]),
    "PyTuple_SetItem": (_INT, [_POINTER, _WORD, _POINTER]),
    "Py_BuildValue": (_POINTER, [_POINTER]),
}


def numba_type(text: Kind) -> Any:
    """The type that numba has for an argument."""
    if isinstance(text, tuple):
        module, name, _, fields = text
        kind = getattr(sys.modules[module], name)
        return types.NamedTuple(tuple(numba_type(field) for field in fields), kind)
    if text in (INT, FLOAT, BOOL):
        return {INT: types.int64, FLOAT: types.float64, BOOL: types.boolean}[text]
    dtype, ndim, writeable = parse_array(text)
    return types.Array(numpy_support.from_dtype(dtype), ndim, "C", readonly=not writeable)


class _Wrapper:
    """A wrapper being written."""

    def __init__(self, context: Any, result: Any, name: str) -> None:
        self.context = context
        self.module = context.create_module("wrapper")
        self.result = result
        kind = ir.FunctionType(_POINTER, [_POINTER, _POINTER.as_pointer(), _WORD])
        self.function = ir.Function(self.module, kind, name)
        self.builder = ir.IRBuilder(self.function.append_basic_block("entry"))
        self.fail = self.function.append_basic_block("fail")
        self.buffers: list[Any] = []

    def call(self, name: str, *arguments: Any) -> Any:
        """Call a function of Python."""
        result, kinds = FUNCTIONS[name]
        kind = ir.FunctionType(result, kinds, var_arg=name == "Py_BuildValue")
        return self.builder.call(cgutils.get_or_insert_function(self.module, kind, name), arguments)

    def fail_if(self, condition: Any) -> None:
        """Give up, with the error that Python has noted."""
        on = self.function.append_basic_block("on")
        self.builder.cbranch(condition, self.fail, on)
        self.builder.position_at_end(on)

    def fail_unless(self, condition: Any) -> None:
        """Give up: the argument is of another type."""
        with self.builder.if_then(self.builder.not_(condition), likely=False):
            self.call("PyErr_BadArgument")
            self.builder.branch(self.fail)

    def write(self, signature: Signature) -> Any:
        """Write the whole function."""
        builder = self.builder
        self.buffers = [builder.alloca(_BUFFER) for _ in range(arrays_in(signature))]
        for buffer in self.buffers:  # a buffer without an object need not be released
            builder.store(ir.Constant(_BUFFER, None), buffer)
        self.fail_unless(builder.icmp_signed("==", self.function.args[2], _WORD(len(signature))))
        left = iter(self.buffers)
        values = [
            self.argument(builder.load(builder.gep(self.function.args[1], [_INT(i)])), text, left)
            for i, text in enumerate(signature)
        ]
        thread = self.call("PyEval_SaveThread")
        kernel = self.context.declare_function(self.module, self.result.fndesc)
        kinds, returned = self.result.signature.args, self.result.signature.return_type
        status, value = self.context.call_conv.call_function(builder, kernel, returned, kinds, values)
        self.call("PyEval_RestoreThread", thread)
        self.fail_unless(builder.not_(status.is_error))
        self.release()
        builder.ret(self.to_python(returned, value))
        builder.position_at_end(self.fail)
        self.release()
        builder.ret(ir.Constant(_POINTER, None))
        return self.module

    def release(self) -> None:
        """Release the buffer of every array."""
        for buffer in self.buffers:
            self.call("PyBuffer_Release", self.builder.bitcast(buffer, _POINTER))

    def argument(self, value: Any, text: Kind, buffers: Any) -> Any:
        """An argument as the kernel takes it."""
        builder = self.builder
        if isinstance(text, tuple):
            fields = text[3]
            size = self.call("PyTuple_Size", value)
            self.fail_if(builder.icmp_signed("<", size, _WORD(0)))
            self.fail_unless(builder.icmp_signed("==", size, _WORD(len(fields))))
            parts = [
                self.argument(self.call("PyTuple_GetItem", value, _WORD(i)), field, buffers)
                for i, field in enumerate(fields)
            ]
            return self.context.make_tuple(builder, numba_type(text), parts)
        if text == BOOL:
            truth = self.call("PyObject_IsTrue", value)
            self.fail_if(builder.icmp_signed("<", truth, _INT(0)))
            return builder.trunc(truth, ir.IntType(1))
        if text in (INT, FLOAT):
            read = "PyLong_AsLongLong" if text == INT else "PyFloat_AsDouble"
            number = self.call(read, value)
            minus = _WORD(-1) if text == INT else _DOUBLE(-1.0)
            same = (
                builder.icmp_signed("==", number, minus) if text == INT else builder.fcmp_ordered("==", number, minus)
            )
            with builder.if_then(same, likely=False):  # −1 may mean an error
                error = builder.icmp_unsigned("!=", self.call("PyErr_Occurred"), ir.Constant(_POINTER, None))
                with builder.if_then(error, likely=False):
                    builder.branch(self.fail)
            return number
        return self.array(value, text, next(buffers))

    def array(self, value: Any, text: str, buffer: Any) -> Any:
        """An array as the kernel takes it, once its buffer is of the right kind."""
        builder = self.builder
        dtype, ndim, writeable = parse_array(text)
        flags = _FORMAT_CONTIGUOUS | (_WRITEABLE if writeable else 0)
        failed = self.call("PyObject_GetBuffer", value, builder.bitcast(buffer, _POINTER), _INT(flags))
        self.fail_if(builder.icmp_signed("!=", failed, _INT(0)))
        whole = builder.load(buffer)
        field: Callable[[int], Any] = lambda index: builder.extract_value(whole, index)  # noqa: E731
        self.fail_unless(builder.icmp_signed("==", field(_NDIM), _INT(ndim)))
        self.fail_unless(builder.icmp_signed("==", field(_ITEMSIZE), _WORD(dtype.itemsize)))
        letter = memoryview(np.zeros(0, dtype).data).format[0].encode()[0]
        self.fail_unless(builder.icmp_signed("==", builder.load(field(_FORMAT)), _BYTE(letter)))
        kind = numba_type(text)
        made = self.context.make_array(kind)(self.context, builder)
        data = builder.bitcast(field(_BUF), made.data.type)
        shape, strides = (
            [builder.load(builder.gep(field(which), [_INT(i)])) for i in range(ndim)] for which in (_SHAPE, _STRIDES)
        )
        arrayobj.populate_array(made, data=data, shape=shape, strides=strides, itemsize=field(_ITEMSIZE), meminfo=None)
        return made._getvalue()

    def to_python(self, kind: Any, value: Any) -> Any:
        """A Python value of what a kernel returned."""
        builder = self.builder
        if isinstance(kind, types.NoneType):
            empty = self.context.insert_const_string(self.module, "")
            return self.call("Py_BuildValue", builder.bitcast(empty, _POINTER))
        if isinstance(kind, types.BaseTuple):
            made = self.call("PyTuple_New", _WORD(len(kind)))
            for i, part in enumerate(kind.types if isinstance(kind, types.Tuple) else [kind.dtype] * len(kind)):
                self.call("PyTuple_SetItem", made, _WORD(i), self.to_python(part, builder.extract_value(value, i)))
            return made
        if isinstance(kind, types.Boolean):
            return self.call("PyBool_FromLong", builder.zext(value, _WORD))
        if isinstance(kind, types.Float):
            return self.call("PyFloat_FromDouble", self.context.cast(builder, value, kind, types.float64))
        return self.call("PyLong_FromLongLong", self.context.cast(builder, value, kind, types.int64))


def write_wrapper(context: Any, result: Any, signature: Signature, name: str) -> Any:
    """The module with the wrapper of a translated kernel, a function of this name."""
    return _Wrapper(context, result, name).write(signature)
