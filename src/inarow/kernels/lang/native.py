"""Machine code: made by LLVM for a processor, placed in memory by its loader, called by Python."""

from __future__ import annotations

import ctypes
import functools
from collections.abc import Callable, Set
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import llvmlite
import llvmlite.binding as llvm

from inarow.errors import InarowError
from inarow.kernels.lang.jit import Compiled, built_in
from inarow.kernels.lang.kinds import Signature

if TYPE_CHECKING:
    from inarow.kernels.lang.translate import Unit

ENTRY = "inarow_entry"
"""The function that Python calls, in every object file."""
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
"""What an entry calls: result and arguments, each a word, a double, an int, a pointer or void."""
PYTHON_ERRORS = ("PyExc_IndexError", "PyExc_OverflowError")
_DECLARED = frozenset({*PYTHON_FUNCTIONS, *PYTHON_ERRORS, "memset", "memcpy", "memmove"})
_kept: list[Any] = []


@dataclass(frozen=True)
class Processor:
    """A kind of processor, as LLVM names it."""

    name: str
    features: str
    compiler: str = ""
    """The version of the compiler, where its code is not to be used by another."""

    def machine(self) -> Any:
        """LLVM's description of it."""
        _start()
        return llvm.Target.from_default_triple().create_target_machine(
            cpu=self.name, features=self.features, opt=3, reloc="static", codemodel="jitdefault", jit=True
        )

    @property
    def key(self) -> str:
        """What code made for it depends on."""
        return f"{llvm.get_process_triple()} {self.name} {self.features} {self.compiler}"

    @property
    def runs_baseline(self) -> bool:
        """Whether code for the `baseline` runs on it."""
        return set(self.features.split(",")) >= X86_64_V3


@functools.cache
def _start() -> None:
    llvm.initialize_native_target()
    llvm.initialize_native_asmprinter()


# The level x86-64-v3 of the System V ABI, as LLVM names its features.
X86_64_V3 = {"+avx2", "+bmi", "+bmi2", "+f16c", "+fma", "+lzcnt", "+movbe", "+popcnt", "+sse4.2"}


def baseline() -> Processor | None:
    """What machine code inside a package is made for; None if this system has no such level."""
    return Processor("x86-64-v3", "") if llvm.get_process_triple().startswith("x86_64") else None


@functools.cache
def this_processor() -> Processor:
    """The processor at hand."""
    features = llvm.get_host_cpu_features().flatten()
    return Processor(llvm.get_host_cpu_name(), features, f"llvmlite {llvmlite.__version__}")


def build(kernel: Compiled, kinds: Signature, processor: Processor, checked: bool) -> bytes:
    """Return an object file with a kernel, all that it calls, and the function that Python calls."""
    from inarow.kernels.lang.entry import write_entry  # which import the compiler
    from inarow.kernels.lang.translate import Unit

    unit = Unit(checked)
    write_entry(unit, *unit.function(kernel.function, kinds), kinds, ENTRY)
    return emit(unit, processor.machine())


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
    """Tell the loader where Python's functions are: not every system would find them by itself."""
    for name in (*PYTHON_FUNCTIONS, *PYTHON_ERRORS):
        llvm.add_symbol(name, ctypes.addressof(ctypes.c_char.in_dll(ctypes.pythonapi, name)))


def load_code(code: bytes, function: Callable[..., Any]) -> tuple[Callable[..., Any], int]:
    """Return the `ENTRY` of an object file as a function that Python calls, and its address."""
    _start()
    _name_python()
    machine = llvm.Target.from_default_triple().create_target_machine(codemodel="jitdefault", jit=True)
    engine = llvm.create_mcjit_compiler(llvm.parse_assembly(""), machine)
    engine.add_object_file(llvm.ObjectFileRef.from_data(code))
    engine.finalize_object()
    address = int(engine.get_function_address(ENTRY))

    def refuse(*_: Any) -> None:
        raise TypeError(f"{function.__name__}: the arguments are not of the kinds that it was compiled for")

    run, definition = built_in(function, address, refuse)
    _kept.extend((engine, definition))  # for as long as the process lives
    return run, address
