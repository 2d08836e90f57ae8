"""Load machine code: which targets this machine runs, and how code is placed in memory. Nothing here imports the
compiler.

On Linux object files are placed by `_place`, so that llvmlite is imported only to compile; elsewhere by LLVM's loader.
"""

from __future__ import annotations

import contextlib
import ctypes
import functools
import mmap
import os
import platform
import struct
import sys
from collections.abc import Callable
from typing import Any, NamedTuple

from inarow.errors import InarowError
from inarow.kernels.lang.jit import built_in
from inarow.plugins import version_of

ENTRY = "inarow_entry"
"""The function that Python calls, in every object file."""


class Target(NamedTuple):
    """A system and a kind of processor, as LLVM names them."""

    triple: str
    processor: str


X86_64_V3 = Target("x86_64-unknown-linux-gnu", "x86-64-v3")
X86_64 = Target("x86_64-unknown-linux-gnu", "x86-64")
AARCH64 = Target("aarch64-unknown-linux-gnu", "generic")
_V3_FLAGS = frozenset({"abm", "avx2", "bmi1", "bmi2", "f16c", "fma", "movbe", "popcnt", "sse4_2"})
_IDENTITY = ("vendor_id", "cpu family", "model", "flags", "CPU implementer", "CPU variant", "CPU part", "Features")


@functools.cache
def machine() -> str:
    """Return the processor's architecture if code can be placed here without LLVM, else an empty string."""
    found = os.uname().machine if sys.platform == "linux" else ""
    return found if found in ("x86_64", "aarch64") and sys.maxsize > 2**32 else ""


@functools.cache
def _facts() -> dict[str, str]:
    """Return what Linux says about the first processor; elsewhere nothing."""
    try:
        with open("/proc/cpuinfo", encoding="utf-8") as file:  # noqa: PTH123
            first = file.read().partition("\n\n")[0]
    except OSError:
        return {}
    lines = (line.partition(":") for line in first.splitlines())
    return {name.strip(): value.strip() for name, _, value in lines}


def targets() -> list[Target]:
    """Return the targets of code inside a package that this machine runs, the fastest first."""
    if machine() == "aarch64":
        return [AARCH64]
    if machine() != "x86_64":
        return []
    return [X86_64_V3, X86_64] if set(_facts().get("flags", "").split()) >= _V3_FLAGS else [X86_64]


def processor_name() -> str:
    """Return the processor's name for people."""
    return _facts().get("model name") or platform.processor() or "unknown"


@functools.cache
def compiler() -> str:
    """Return the version of the compiler."""
    return f"llvmlite {version_of('llvmlite')}"


@functools.cache
def here() -> str:
    """Identify the processor and the compiler, on which compiled code depends."""
    if machine():
        found = " ".join((machine(), *(_facts().get(name, "") for name in _IDENTITY)))
    else:
        from inarow.kernels.lang import native

        found = native.host()
    return f"{found} {compiler()}"


def load_code(code: bytes, function: Callable[..., Any]) -> tuple[Callable[..., Any], int]:
    """Return the `ENTRY` of an object file as a function that Python calls, and its address."""
    if machine():
        address = _place(code)
    else:
        from inarow.kernels.lang import native

        address = native.place(code)

    def refuse(*_: Any) -> None:
        raise TypeError(f"{function.__name__}: the arguments are not of the kinds that it was compiled for")

    run, definition = built_in(function, address, refuse)
    _kept.append(definition)
    return run, address


_kept: list[Any] = []
"""Definitions, kept for as long as the process lives."""

# ELF: kinds of sections, a flag, and relocations.
_PROGBITS, _SYMTAB, _RELA, _NOBITS = 1, 2, 4, 8
_ALLOC = 2
_X86_64_64 = 1
_ABS64, _PREL64, _JUMP26, _CALL26, _GOT_PAGE, _GOT_LO12 = 257, 260, 282, 283, 311, 312
_MOVW = {264: 0, 266: 16, 268: 32, 269: 48}
_STUB = 32
"""Bytes of a stub for an outside symbol: its address and, for calls out of reach on 64-bit ARM, a jump to it."""
_JUMP = struct.pack("<3I", 0x58FFFFD0, 0xD61F0200, 0)
"""``ldr x16, .-8; br x16``"""


class _Section(NamedTuple):
    name: int
    kind: int
    flags: int
    address: int
    offset: int
    size: int
    link: int
    info: int
    align: int
    entry: int


def _place(code: bytes) -> int:
    """Place an ELF object file in memory, and return the address of its `ENTRY`.

    Its code reaches everything by addresses of 64 bits (LLVM's large code model). On 64-bit ARM calls are relative, and
    Python's variables are found in a table: both go by stubs behind the code.
    """
    at, count = struct.unpack_from("<Q", code, 40)[0], struct.unpack_from("<H", code, 60)[0]
    sections = [_Section(*struct.unpack_from("<IIQQQQIIQQ", code, at + 64 * i)) for i in range(count)]
    placed: dict[int, int] = {}
    end = 0
    for i, section in enumerate(sections):
        if section.flags & _ALLOC and section.kind in (_PROGBITS, _NOBITS) and section.size:
            placed[i] = -(-end // section.align) * section.align
            end = placed[i] + section.size
    (table,) = (section for section in sections if section.kind == _SYMTAB)
    texts = sections[table.link].offset
    symbols = [struct.unpack_from("<IBBHQQ", code, table.offset + 24 * i) for i in range(table.size // 24)]
    stubs = -(-end // 16) * 16
    memory = mmap.mmap(-1, stubs + _STUB * len(symbols), flags=mmap.MAP_PRIVATE | mmap.MAP_ANONYMOUS)
    base = ctypes.addressof(ctypes.c_char.from_buffer(memory))
    for i, offset in placed.items():
        section = sections[i]
        if section.kind == _PROGBITS:
            memory[offset : offset + section.size] = code[section.offset : section.offset + section.size]
    places, entry = [], 0
    for i, (text, _, _, index, value, _) in enumerate(symbols):
        name = code[texts + text : code.index(0, texts + text)].decode()
        place = base + placed[index] + value if index in placed else 0
        if index == 0 and name:
            place = _outside(name)
            memory[stubs + _STUB * i : stubs + _STUB * i + 20] = struct.pack("<Q", place) + _JUMP
        places.append(place)
        entry = place if name == ENTRY else entry
    for section in sections:
        if section.kind != _RELA or section.info not in placed:
            continue
        for i in range(section.size // 24):
            offset, info, addend = struct.unpack_from("<QQq", code, section.offset + 24 * i)
            symbol, at = info >> 32, placed[section.info] + offset
            stub, value = base + stubs + _STUB * symbol, places[symbol] + addend
            near = value if symbols[symbol][3] else stub + 8
            _relocate(memory, at, base + at, info & 0xFFFFFFFF, value, near, stub)
    _make_executable(base, len(memory))
    ctypes.pythonapi.Py_IncRef(ctypes.py_object(memory))  # never unmapped: a daemon's kernel runs while Python ends
    return entry


def _make_executable(start: int, size: int) -> None:
    """Make memory executable and read-only."""
    library = ctypes.CDLL(None, use_errno=True)
    if library.mprotect(ctypes.c_void_p(start), ctypes.c_size_t(size), mmap.PROT_READ | mmap.PROT_EXEC):
        raise InarowError(f"this system does not run code that a program loads: {os.strerror(ctypes.get_errno())}")
    if machine() == "aarch64":  # whose cache of instructions does not see what was written
        with contextlib.suppress(OSError, AttributeError):  # the kernel has cleared it, too, if it is a usual one
            clear = ctypes.CDLL("libgcc_s.so.1")["__clear_cache"]
            clear(ctypes.c_void_p(start), ctypes.c_void_p(start + size))


def _outside(name: str) -> int:
    """Return the address of a function or variable of Python or C."""
    for library in (ctypes.pythonapi, ctypes.CDLL(None)):
        try:
            return ctypes.addressof(ctypes.c_char.in_dll(library, name))
        except ValueError:
            continue
    raise InarowError(f"a kernel can't call {name}")


def _relocate(memory: mmap.mmap, at: int, here: int, kind: int, value: int, near: int, stub: int) -> None:
    """Apply a relocation at the address ``here``. A call goes to ``near``."""
    if kind in (_X86_64_64, _ABS64, _PREL64):
        struct.pack_into("<Q", memory, at, (value - here if kind == _PREL64 else value) & (1 << 64) - 1)
        return
    (word,) = struct.unpack_from("<I", memory, at)
    if kind in (_CALL26, _JUMP26):
        word |= near - here >> 2 & 0x3FFFFFF
    elif kind in _MOVW:
        word |= (value >> _MOVW[kind] & 0xFFFF) << 5
    elif kind == _GOT_PAGE:
        pages = (stub >> 12) - (here >> 12)
        word |= (pages & 3) << 29 | (pages >> 2 & 0x7FFFF) << 5
    elif kind == _GOT_LO12:
        word |= (stub & 0xFFF) >> 3 << 10
    else:
        raise InarowError(f"a kernel can't be placed: relocation {kind} is not known")
    struct.pack_into("<I", memory, at, word)
