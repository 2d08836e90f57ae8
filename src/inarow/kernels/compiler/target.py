"""A target for numba that compiles a kernel and all that it calls as one unit.

By default numba makes a library of every function: each is linked with those that it calls, optimised, linked and
optimised again within each caller, and given wrappers for Python. Here a function is only translated; `build` links
all of a kernel's functions and lets LLVM optimise once. Three more things save time: the typing of an operation on
given types is remembered, a literal argument doesn't make a second version of a function, and only those of
numba's registries are loaded that kernels need (numbers, ranges, tuples, arrays, mathematics).

Without numba's runtime there is no counting of references, so that kernels can't allocate (see `jit`).
"""

from __future__ import annotations

import functools
import types as python_types
from typing import Any

from numba.core import codegen, compiler, cpu, typed_passes, typing, untyped_passes
from numba.core import types as numba_types
from numba.core.compiler_machinery import PassManager, register_pass
from numba.core.registry import CPUDispatcher, CPUTarget

from inarow.kernels.compiler import intrinsics, message
from inarow.kernels.compiler.jit import Compiled, Instruction, compiled

types: Any = numba_types  # its attributes are made when it is imported


class Unit(codegen.CodeLibrary):  # type: ignore[misc]
    """The translation of one function, and the units that it calls; nothing is linked or optimised here."""

    def __init__(self, generator: Any, name: str) -> None:
        super().__init__(generator, name)
        self.modules: list[Any] = []
        self.called: list[Unit] = []

    def add_ir_module(self, module: Any) -> None:
        """Add a module of LLVM's language."""
        self.modules.append(module)

    def add_linking_library(self, library: Unit) -> None:
        """Note a unit that this one calls."""
        self.called.append(library)

    def finalize(self) -> None:
        """Nothing to do: `build` links everything at once."""

    def _ensure_finalized(self) -> None:
        pass

    def get_function(self, name: str) -> Any:
        """Never called for a unit."""
        raise NotImplementedError

    get_llvm_str = get_asm_str = finalize

    def all_modules(self) -> list[Any]:
        """The modules of this unit and of all that it calls, each once."""
        seen: dict[Unit, None] = {}
        waiting = [self]
        while waiting:
            unit = waiting.pop()
            if unit not in seen:
                seen[unit] = None
                waiting += unit.called
        return [module for unit in seen for module in unit.modules]


@register_pass(mutates_CFG=True, analysis_only=False)
class _Translation(typed_passes.NativeLowering):  # type: ignore[misc]
    """Translates a function into a unit of its own."""

    _name = "inarow_translation"

    def run_pass(self, state: Any) -> bool:
        """Translate, and let the function be called by others under its name."""
        state.library = Unit(state.targetctx.codegen(), state.func_id.func_qualname)
        state.flags.no_compile = True
        super().run_pass(state)
        result = state["cr"]
        name = object()  # stands for the function where numba looks up what to call
        state.targetctx.insert_user_function(name, result.fndesc, [state.library])
        state["cr"] = result._replace(cfunc=name)
        message.step()
        return True


class _Pipeline(compiler.CompilerBase):  # type: ignore[misc]
    """The passes that kernels need."""

    def define_pipelines(self) -> list[Any]:
        """One pipeline; there is no other to fall back to."""
        passes = PassManager("inarow")
        for step in (
            untyped_passes.TranslateByteCode,
            untyped_passes.FixupArgs,
            untyped_passes.IRProcessing,
            untyped_passes.GenericRewrites,
            untyped_passes.ReconstructSSA,
            typed_passes.NopythonTypeInference,
            typed_passes.PreLowerStripPhis,
            typed_passes.IRLegalization,
            _Translation,
            typed_passes.NoPythonBackend,
        ):
            passes.add_pass(step, step.__name__)
        passes.finalize()
        return [passes]


def _is_overload(template: Any) -> bool:
    """Whether a typing rule is a function that numba compiles."""
    return any(kind.__name__.startswith("_Overload") for kind in template.__mro__)


class _TypingContext(typing.Context):  # type: ignore[misc]
    """What types operations have; remembers it."""

    def __init__(self) -> None:
        self._known: dict[Any, Any] = {}
        self._loaded = False
        super().__init__()

    def load_additional_registries(self) -> None:
        """The typing of arrays and numbers is loaded by itself."""
        from numba.core.typing import arraydecl, builtins, mathdecl  # noqa: F401

        self.install_registry(mathdecl.registry)

    def refresh(self) -> None:
        """Nothing is added later on."""
        if not self._loaded:
            self._loaded = True
            super().refresh()

    def install_registry(self, registry: Any) -> None:
        """Without overloads: numba would compile them as functions of its own (texts, sorting and the like)."""
        for template in registry.functions:
            self.insert_function(template(self))
        for template in registry.attributes:
            if not _is_overload(template):
                self.insert_attributes(template(self))
        for value, kind in registry.globals:
            known, new = self._lookup_global(value), kind
            if isinstance(kind, types.Function):
                kept = [template for template in kind.templates if not _is_overload(template)]
                if not kept:
                    continue
                new = types.Function(kept)
            if known is not None:
                self._remove_global(value)
            self.insert_global(value, new if known is None else known.augment(new) or known)

    def resolve_value_type(self, value: Any) -> Any:
        """Plain functions of ours are compiled when they are met; some builtins have shorter code here."""
        if isinstance(value, python_types.FunctionType) and value.__module__.startswith("inarow."):
            value = compiled(value)
        elif isinstance(value, (python_types.BuiltinFunctionType, type)) and value in intrinsics.BUILTINS:
            return intrinsics.BUILTINS[value]
        return super().resolve_value_type(value)

    def _resolve_user_function_type(self, function: Any, arguments: Any, keywords: Any, literals: Any = None) -> Any:
        if isinstance(function, python_types.BuiltinFunctionType):
            function = intrinsics.BUILTINS.get(function, function)
        operation = getattr(function, "typing_key", None)
        if keywords or not isinstance(operation, python_types.BuiltinFunctionType):
            return super()._resolve_user_function_type(function, arguments, keywords, literals)
        key = function, tuple(arguments)
        if key not in self._known:
            self._known[key] = super()._resolve_user_function_type(function, arguments, keywords, literals)
        return self._known[key]


class _Context(cpu.CPUContext):  # type: ignore[misc]
    """How operations are translated."""

    _loaded = False

    def init(self) -> None:
        """What numba itself has compiled for an operation, such as a power, is a unit too."""
        super().init()
        self._internal_codegen._library_class = Unit

    def load_additional_registries(self) -> None:
        """Those that kernels need."""
        from numba.core import optional  # noqa: F401
        from numba.cpython import builtins, iterators, mathimpl, numbers, rangeobj, slicing, tupleobj  # noqa: F401
        from numba.np import arrayobj  # noqa: F401

        self.install_registry(mathimpl.registry)

    def refresh(self) -> None:
        """Load all once; then only what is noted down when an intrinsic is met."""
        if not self._loaded:
            self._loaded = True
            super().refresh()
        self.install_registry(intrinsics.REGISTRY)

    def post_lowering(self, module: Any, library: Any) -> None:
        """Don't link numba's runtime."""


class _Target(CPUTarget):  # type: ignore[misc]
    @functools.cached_property
    def _toplevel_typing_context(self) -> Any:
        return _TypingContext()

    @functools.cached_property
    def _toplevel_target_context(self) -> Any:
        return _Context(self.typing_context, self._target_name)


TARGET = _Target("cpu")
_OPTIONS = {
    "nopython": True,
    "boundscheck": False,
    "error_model": "numpy",
    "no_cpython_wrapper": True,
    "no_cfunc_wrapper": True,
    "_nrt": False,
}


class Translator(CPUDispatcher):  # type: ignore[misc]
    """A function and its translations by argument types."""

    targetdescr = TARGET

    def get_call_template(self, arguments: Any, keywords: Any) -> Any:
        """A literal is a number like any other: no version of the function is made for it alone."""
        return super().get_call_template(tuple(types.unliteral(kind) for kind in arguments), keywords)

    def add_overload(self, result: Any) -> None:
        """Only other kernels call it, so that numba's own table of entry points is left out."""
        self.overloads[tuple(result.signature.args)] = result


@functools.cache
def translator(function: Compiled) -> Translator:
    """The translator of a function."""
    plain = function.function
    if plain in intrinsics.PLAIN:  # an instruction; Python can call a function that has nothing else in it
        one, two = lambda a: function(a), lambda a, b: function(a, b)  # noqa: PLW0108
        plain = one if plain.__code__.co_argcount == 1 else two
    return Translator(plain, locals={}, targetoptions=_OPTIONS, pipeline_class=_Pipeline)


def type_of(value: Compiled | Instruction) -> Any:
    """The type that numba gives to what a kernel calls."""
    if isinstance(value, Instruction):
        return getattr(intrinsics, value.name)
    return intrinsics.PLAIN.get(value.function) or types.Dispatcher(translator(value))
