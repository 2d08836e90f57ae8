"""Machine code, made by LLVM."""

from __future__ import annotations

import ctypes
import functools
from collections.abc import Set
from typing import TYPE_CHECKING, Any

import llvmlite.binding as llvm

from inarow.errors import InarowError
from inarow.kernels.lang.jit import Compiled
from inarow.kernels.lang.kinds import Signature
from inarow.kernels.lang.loader import ENTRY, Target

if TYPE_CHECKING:
    from inarow.kernels.lang.translate import Unit

PYTHON_FUNCTIONS = {
    "PyLong_AsLongLong": "wp",
    "PyFloat_AsDouble": "dp",
    "PyObject_IsTrue": "ip",
    "PyErr_Occurred": "p",
    "PyErr_Clear": "v",
    "PyErr_ExceptionMatches": "ip",
    "PyErr_SetString": "vpp",
    "PyObject_Vectorcall": "pppwp",
    "PyObject_GetBuffer": "ippi",
    "PyBuffer_Release": "vp",
    "PyEval_SaveThread": "p",
    "PyEval_RestoreThread": "vp",
    "PyLong_FromLongLong": "pw",
    "PyFloat_FromDouble": "pd",
    "PyBool_FromLong": "pw",
    "Py_IsNone": "ip",
    "PyTuple_Size": "wp",
    "PyTuple_GetItem": "ppw",
    "PyTuple_New": "pw",
    "PyTuple_SetItem": "ipwp",
    "Py_BuildValue": "pp",
}
"""Functions that an entry calls: types of result and arguments (word, double, int, pointer, void)."""
PYTHON_ERRORS = ("PyExc_IndexError", "PyExc_OverflowError")
_DECLARED = frozenset({*PYTHON_FUNCTIONS, *PYTHON_ERRORS, "memset", "memcpy", "memmove"})
_kept: list[Any] = []


@functools.cache
def _start() -> None:
    llvm.initialize_all_targets()
    llvm.initialize_all_asmprinters()


def _machine(target: Target | None) -> Any:
    """Return LLVM's description of a target; None is this machine."""
    _start()
    triple, processor = target or (llvm.get_process_triple(), llvm.get_host_cpu_name())
    return llvm.Target.from_triple(triple).create_target_machine(
        cpu=processor,
        features="" if target else llvm.get_host_cpu_features().flatten(),
        opt=3,
        reloc="static",
        codemodel="jitdefault",
        jit=True,
    )


def host() -> str:
    """Return LLVM's description of this machine."""
    return f"{llvm.get_process_triple()} {llvm.get_host_cpu_name()} {llvm.get_host_cpu_features().flatten()}"


def build(kernel: Compiled, kinds: Signature, checked: bool, target: Target | None = None) -> bytes:
    """Return an object file with a kernel, all that it calls, and the function that Python calls.

    It is for this machine if no target is given.
    """
    from inarow.kernels.lang.entry import write_entry  # which import the compiler
    from inarow.kernels.lang.translate import Unit

    unit = Unit(checked)
    write_entry(unit, *unit.function(kernel.function, kinds), kinds, ENTRY)
    return emit(unit, _machine(target))


def emit(unit: Unit, machine: Any, declared: Set[str] = _DECLARED) -> bytes:
    """Return an object file of a unit for a target machine; what it may call is ``declared``."""
    module = llvm.parse_assembly(str(unit.module))
    module.triple = machine.triple
    module.data_layout = str(machine.target_data)
    module.verify()
    options = llvm.create_pipeline_tuning_options(3)
    options.loop_vectorization = options.loop_unrolling = not unit.hosted  # browsers' code would get larger, not faster
    options.slp_vectorization = False
    passes = llvm.create_pass_builder(machine, options)
    passes.getModulePassManager().run(module, passes)
    for value in (*module.functions, *module.global_variables):
        if value.is_declaration and value.name not in declared and not value.name.startswith("llvm."):
            raise InarowError(f"a kernel can't call {value.name}")
    return bytes(machine.emit_object(module))


@functools.cache
def _name_python() -> None:
    """Tell LLVM's loader the addresses of Python's functions, which it does not find on every system."""
    for name in (*PYTHON_FUNCTIONS, *PYTHON_ERRORS):
        llvm.add_symbol(name, ctypes.addressof(ctypes.c_char.in_dll(ctypes.pythonapi, name)))


def place(code: bytes) -> int:
    """Place an object file in memory with LLVM's loader, and return the address of its `ENTRY`."""
    _start()
    _name_python()
    machine = llvm.Target.from_default_triple().create_target_machine(codemodel="jitdefault", jit=True)
    engine = llvm.create_mcjit_compiler(llvm.parse_assembly(""), machine)
    engine.add_object_file(llvm.ObjectFileRef.from_data(code))
    engine.finalize_object()
    _kept.append(engine)  # for as long as the process lives
    return int(engine.get_function_address(ENTRY))
