"""From a kernel to machine code: translate, link, optimise once, emit."""

from __future__ import annotations

import llvmlite.binding as llvm
from numba.core import cgutils
from numba.core.compiler_lock import global_compiler_lock

from inarow.kernels.compiler import target
from inarow.kernels.compiler.jit import Compiled
from inarow.kernels.compiler.native import ENTRY, PYTHON_FUNCTIONS, Processor
from inarow.kernels.compiler.signatures import Signature
from inarow.kernels.compiler.wrapper import numba_type, write_wrapper

_C_FUNCTIONS = ("exp", "expf", "log", "logf", "pow", "powf", "sqrt", "memset", "memcpy", "memmove")


@global_compiler_lock  # type: ignore[untyped-decorator]
def build(kernel: Compiled, signature: Signature, processor: Processor) -> bytes:
    """An object file with a kernel, all that it calls, and the function that Python calls."""
    translator = target.translator(kernel)
    kinds = tuple(numba_type(text) for text in signature)
    translator.compile(kinds)
    result = translator.overloads[kinds]
    context = target.TARGET.target_context
    wrapper = write_wrapper(context, result, signature, ENTRY)
    machine = processor.machine()
    whole = llvm.parse_assembly("")
    for module in (wrapper, *result.library.all_modules()):
        whole.link_in(llvm.parse_assembly(cgutils.normalize_ir_text(str(module))))
    whole.triple = machine.triple
    whole.data_layout = str(machine.target_data)
    for value in (*whole.functions, *whole.global_variables):
        if not value.is_declaration and value.name != ENTRY:
            value.linkage = "internal"
    whole.verify()
    options = llvm.create_pipeline_tuning_options(3)
    options.loop_vectorization = True
    options.slp_vectorization = False
    passes = llvm.create_pass_builder(machine, options)
    passes.getModulePassManager().run(whole, passes)
    _check_calls(kernel, [value.name for value in (*whole.functions, *whole.global_variables) if value.is_declaration])
    return bytes(machine.emit_object(whole))


def _check_calls(kernel: Compiled, names: list[str]) -> None:
    """Refuse code that calls functions which are missing when it is loaded, such as numba's helpers."""
    known = {*PYTHON_FUNCTIONS, *_C_FUNCTIONS}
    unknown = [name for name in names if name not in known and not name.startswith("llvm.")]
    if unknown:
        raise NotImplementedError(f"{kernel.name} can't be compiled: it calls {', '.join(unknown)}")
