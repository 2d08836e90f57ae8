"""WebAssembly: several kernels as one module, compiled by LLVM and linked here.

A module imports its memory, so that all modules of a page share records and arrays, and what `HOST` lists. The stack
is at the beginning of the memory and is shared, too: one kernel runs at a time, and one that overflows the stack is
stopped. Behind it each module has room for its constants, then comes the heap. LLVM's object file refers to addresses
as if its constants were at 0: those are moved, and its symbols become exports; nothing else has to be linked.

The compiler is imported only where a module is built.
"""

from __future__ import annotations

import functools
import hashlib
from collections.abc import Callable, Iterator, Sequence, Set
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

from inarow.errors import InarowError
from inarow.kernels.lang.kinds import BOOL, Signature

if TYPE_CHECKING:
    from inarow.kernels.lang.translate import Unit

STACK = 1 << 18
"""Bytes of the stack."""
CONSTANTS = 1 << 13
"""Bytes for the constants of each module."""
PAGE = 1 << 16
TRIPLE = "wasm32-unknown-unknown"
FEATURES = "+bulk-memory,+sign-ext,+nontrapping-fptoint,+mutable-globals"
_HEADER = b"\0asm\1\0\0\0"
# Sections of a module, kinds of imports and exports, types, and relocations, by their numbers.
_CUSTOM, _TYPES, _IMPORTS, _FUNCTIONS, _GLOBALS, _EXPORTS, _CODE, _DATA = 0, 1, 2, 3, 6, 7, 10, 11
_FUNCTION, _TABLE, _MEMORY, _GLOBAL = range(4)
_I32, _MUTABLE, _CONST, _END = 0x7F, 1, 0x41, 0x0B
_FUNCTION_INDEX, _ADDRESS, _SIGNED_ADDRESS, _ADDRESS_WORD, _TYPE_INDEX, _GLOBAL_INDEX = 0, 3, 4, 5, 6, 7
_SYMBOLS, _UNDEFINED, _NAMED = 8, 0x10, 0x40


class Export(NamedTuple):
    """A function of a module: its name there, the kernel, and the kinds of its arguments."""

    name: str
    function: Callable[..., Any]
    kinds: Signature


def heap(modules: int) -> int:
    """Return where the heap begins if there are this many modules."""
    return STACK + modules * CONSTANTS


@functools.cache
def digest() -> str:
    """Return a hash of this file, which makes modules of what LLVM emits."""
    return hashlib.sha256(Path(__file__).read_bytes()).hexdigest()


def build(exports: Sequence[Export], place: int, traced: bool = False) -> bytes:
    """Return a module with these functions; ``place`` is its number among the modules that share a memory.

    A function takes the words of its arguments (docs/kernels.md). A result of several words is written, eight bytes
    each, to the address that is given as the first argument.
    """
    from inarow.kernels.lang.builtins import HOST
    from inarow.kernels.lang.native import emit
    from inarow.kernels.lang.translate import Unit

    unit = Unit(checked=False, hosted=True, traced=traced)
    for export in exports:
        _write_export(unit, export)
    return _link(emit(unit, _machine(), frozenset(HOST)), heap(place), frozenset(HOST))


@functools.cache
def _machine() -> Any:
    import llvmlite.binding as llvm

    llvm.initialize_all_targets()
    llvm.initialize_all_asmprinters()
    return llvm.Target.from_triple(TRIPLE).create_target_machine(features=FEATURES, opt=3, reloc="static")


def _write_export(unit: Unit, export: Export) -> None:
    """Add the function that the host calls."""
    from llvmlite import ir

    from inarow.kernels.lang import operations as op

    kernel, result = unit.function(export.function, export.kinds)
    given = [argument.type for argument in kernel.args]
    words = op.words_of(result)
    single = (op.HALF if result is BOOL else words[0]) if len(words) == 1 else ir.VoidType()
    several = [op.POINTER] * (len(words) > 1)
    code = ir.Function(unit.module, ir.FunctionType(single, [*several, *given]), export.name)
    builder = ir.IRBuilder(code.append_basic_block())
    value = op.returned(builder, builder.call(kernel, code.args[len(several) :]), result)
    if len(words) == 1:
        builder.ret(builder.zext(value.word, op.HALF) if result is BOOL else value.word)
        return
    for i, word in enumerate(value.words):
        stored = builder.zext(word, op.WORD) if word.type == op.BIT else word
        builder.store(stored, op.offset(builder, code.args[0], 8 * i), align=8)
    builder.ret_void()


class _Reader:
    """The bytes of a module, read from the beginning."""

    def __init__(self, data: bytes) -> None:
        self.data, self.at = data, 0

    def __bool__(self) -> bool:
        return self.at < len(self.data)

    def take(self, count: int) -> bytes:
        """Return this many bytes."""
        self.at += count
        return self.data[self.at - count : self.at]

    def byte(self) -> int:
        """Return a byte."""
        return self.take(1)[0]

    def number(self) -> int:
        """Return an unsigned LEB128 number."""
        value = shift = 0
        while True:
            byte = self.byte()
            value |= (byte & 0x7F) << shift
            shift += 7
            if byte < 0x80:
                return value

    def name(self) -> bytes:
        """Return a string."""
        return self.take(self.number())


def _leb(value: int, length: int = 1) -> bytes:
    """Write an unsigned number in LEB128, in at least this many bytes."""
    out = bytearray()
    while value >= 0x80 or len(out) + 1 < length:
        out.append(value & 0x7F | 0x80)
        value >>= 7
    return bytes([*out, value])


def _constant(value: int) -> bytes:
    """Write the expression of a constant address, which is not negative: its highest bit must be 0."""
    return bytes([_CONST, *_leb(value, 5), _END])


def _string(text: bytes) -> bytes:
    return _leb(len(text)) + text


def _vector(items: Sequence[bytes]) -> bytes:
    return _leb(len(items)) + b"".join(items)


@dataclass
class _Object:
    """The sections of an object file, by number, with those of custom sections by name."""

    sections: dict[int, bytes]
    custom: dict[bytes, bytes]

    @classmethod
    def read(cls, data: bytes) -> _Object:
        """Read an object file."""
        found = cls({}, {})
        reader = _Reader(data)
        reader.take(len(_HEADER))
        while reader:
            number, content = reader.byte(), reader.name()
            if number == _CUSTOM:
                inside = _Reader(content)
                name = inside.name()
                found.custom[name] = content[inside.at :]
            else:
                found.sections[number] = content
        return found

    def functions(self) -> Iterator[tuple[bytes, bytes]]:
        """Yield name and type of the imported functions."""
        reader = _Reader(self.sections.get(_IMPORTS, b"\0"))
        for _ in range(reader.number()):
            reader.name()
            name, kind = reader.name(), reader.byte()
            if kind == _FUNCTION:
                yield name, _leb(reader.number())
            elif kind == _GLOBAL:
                reader.take(2)
            else:  # a table, which begins with the type of its elements, or a memory: limits
                reader.take(int(kind == _TABLE))
                for _ in range(1 + reader.byte() % 2):
                    reader.number()

    def symbols(self) -> dict[str, int]:
        """Return the functions that other modules may call: their indices by name."""
        reader, found = _Reader(self.custom[b"linking"]), {}
        reader.number()
        while reader:
            kind, part = reader.byte(), _Reader(reader.name())
            if kind != _SYMBOLS:
                continue
            for _ in range(part.number()):
                sort, flags = part.byte(), part.number()
                named = not flags & _UNDEFINED or flags & _NAMED
                if sort == 1:  # data
                    part.name()
                    for _ in range(0 if flags & _UNDEFINED else 3):
                        part.number()
                    continue
                index = part.number()
                name = part.name() if named and sort != 3 else b""
                if sort == _FUNCTION and not flags & (_UNDEFINED | 3 | 4):  # neither weak, local nor hidden
                    found[name.decode()] = index
        return found

    def moved(self, number: int, name: bytes, base: int) -> bytes:
        """Return a section whose addresses refer to constants at ``base``."""
        content = bytearray(self.sections[number])
        reader = _Reader(self.custom.get(b"reloc." + name, b"\0\0"))
        reader.number()
        for _ in range(reader.number()):
            kind, at, _ = reader.byte(), reader.number(), reader.number()
            if kind in (_FUNCTION_INDEX, _TYPE_INDEX, _GLOBAL_INDEX):
                continue
            if kind not in (_ADDRESS, _SIGNED_ADDRESS, _ADDRESS_WORD):
                raise InarowError(f"a kernel can't be linked: relocation {kind} is not known")
            reader.number()
            if kind == _ADDRESS_WORD:
                value = int.from_bytes(content[at : at + 4], "little") + base
                content[at : at + 4] = value.to_bytes(4, "little")
            else:
                value = _Reader(bytes(content[at : at + 5])).number() + base
                content[at : at + 5] = _leb(value, 5)
        return bytes(content)


def _link(code: bytes, base: int, host: Set[str]) -> bytes:
    """Make a module of an object file; its constants are at ``base``, and it may call functions of the ``host``."""
    given = _Object.read(code)
    if missing := {name.decode() for name, _ in given.functions()} - host:
        raise InarowError(f"kernels for the browser can't call {', '.join(sorted(missing))}")
    imports = [_string(b"env") + _string(name) + bytes([_FUNCTION]) + type_ for name, type_ in given.functions()]
    imports.append(_string(b"env") + _string(b"memory") + bytes([_MEMORY, 0]) + _leb(-(-(base + CONSTANTS) // PAGE)))
    exports = [_string(name.encode()) + bytes([_FUNCTION]) + _leb(i) for name, i in sorted(given.symbols().items())]
    exports.append(_string(b"stack") + bytes([_GLOBAL, 0]))
    out = {
        _TYPES: given.sections[_TYPES],
        _IMPORTS: _vector(imports),
        _FUNCTIONS: given.sections[_FUNCTIONS],
        _GLOBALS: _vector([bytes([_I32, _MUTABLE]) + _constant(STACK)]),
        _EXPORTS: _vector(exports),
        _CODE: given.moved(_CODE, b"CODE", base),
    }
    if _DATA in given.sections:
        out[_DATA] = _moved_data(given.moved(_DATA, b"DATA", base), base)
    return _HEADER + b"".join(bytes([number]) + _string(content) for number, content in out.items())


def _moved_data(data: bytes, base: int) -> bytes:
    """Return the section of constants, to be placed at ``base``."""
    reader, segments = _Reader(data), []
    for _ in range(reader.number()):
        if reader.byte() != 0 or reader.byte() != _CONST:
            raise InarowError("a kernel can't be linked: its constants have no fixed place")
        at = reader.number()
        reader.byte()
        content = reader.name()
        if at + len(content) > CONSTANTS:
            raise InarowError(f"a kernel can't be linked: it has more than {CONSTANTS} bytes of constants")
        segments.append(b"\0" + _constant(base + at) + _string(content))
    return _vector(segments)
