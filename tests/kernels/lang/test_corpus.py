"""Compiled kernels do what Python does: for every statement of the language, and for random programs."""

from __future__ import annotations

import ast
import copy
import importlib.util
import inspect
import sys
from collections.abc import Callable
from pathlib import Path
from types import ModuleType
from typing import Any

import numpy as np
import pytest

from inarow.kernels.lang import jit
from inarow.kernels.lang.jit import Compiled
from inarow.kernels.lang.records import array_of
from inarow.randomness import Stream

pytestmark = pytest.mark.usefixtures("own_cache")
SPEC = importlib.util.spec_from_file_location("corpus", Path(__file__).parent / "corpus.py")
assert SPEC is not None
assert SPEC.loader is not None
corpus = importlib.util.module_from_spec(SPEC)
sys.modules["corpus"] = corpus
SPEC.loader.exec_module(corpus)
FUNCTIONS = [
    function
    for _, function in inspect.getmembers(corpus, inspect.isfunction)
    if function.__module__ == "corpus" and function.__name__ not in ("made_pair", "swapped", "twice")
]
CALLS = 2200


def number(stream: Stream) -> int:
    """A random integer: often a small one, never so large that a product of two overflows."""
    size = (3, 5, 12, 28)[stream.below(4)]
    return stream.below(2 << size) - (1 << size)


def argument(name: str, annotation: str, stream: Stream) -> Any:
    """A random argument for a parameter."""
    if annotation == "int":
        return number(stream)
    if annotation == "float":
        return (number(stream) / 64, float(number(stream)), 0.0)[stream.below(3)]
    if annotation == "bool":
        return stream.below(2) == 1
    if annotation == "Pair":
        return corpus.Pair(number(stream), number(stream) / 8)
    if name == "nodes":
        return array_of(corpus.Node, 3)
    shape = (3, 4) if name == "grid" else (6,)
    dtype = {"bytes_": np.int8, "words": np.uint16, "halves": np.int32, "grid": np.float64}.get(name, np.int64)
    values = [stream.below(10) - (5 if dtype is np.int64 else 0) for _ in range(int(np.prod(shape)))]
    return np.array(values, dtype).reshape(shape)


def same(a: Any, b: Any) -> bool:
    """Whether two results are equal bit for bit; Python's may be NumPy's numbers."""
    if isinstance(a, tuple):
        return len(a) == len(b) and all(map(same, a, b))
    if isinstance(a, np.ndarray):
        return bool(a.tobytes() == b.tobytes() if a.dtype.fields is None else a.tolist() == b.tolist())
    if isinstance(a, float):
        return bool(a.hex() == float(b).hex())
    return bool(a == b)


def compare(function: Callable[..., Any], calls: int, stream: Stream) -> None:
    """Call a function compiled and uncompiled with random arguments."""
    kernel = Compiled(function)
    parameters = inspect.signature(function).parameters.values()
    for _ in range(calls):
        given = [argument(one.name, one.annotation, stream) for one in parameters]
        plain = copy.deepcopy(given)
        found, wanted = kernel(*given), function(*plain)
        assert same(found, wanted), f"{function.__name__}{tuple(plain)}: {found} instead of {wanted}"
        assert same(tuple(given), tuple(plain)), f"{function.__name__}{tuple(plain)} wrote something else"


@pytest.mark.parametrize("function", FUNCTIONS, ids=lambda function: function.__name__)
def test_compiled_functions_do_what_python_does(function: Callable[..., Any]) -> None:
    compare(function, CALLS, Stream(5))


@pytest.mark.parametrize("function", FUNCTIONS, ids=lambda function: function.__name__)
def test_checked_functions_do_what_python_does(function: Callable[..., Any], monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(jit, "CHECKED", True)
    compare(function, 100, Stream(6))


def test_the_corpus_has_every_sort_of_statement_and_expression() -> None:
    from inarow.kernels.lang import translate

    known = {name[5:] for name in dir(translate._Body) if name.startswith(("stmt_", "expr_"))}
    used = {type(node).__name__.lower() for node in ast.walk(ast.parse(Path(str(corpus.__file__)).read_text()))}
    assert known <= used


class Programs:
    """Writes random functions of three integers and a float, without overflow."""

    def __init__(self, stream: Stream) -> None:
        self.stream = stream

    def pick(self, *options: str) -> str:
        return options[self.stream.below(len(options))]

    def whole(self, depth: int) -> str:
        """An integer expression."""
        if depth == 0:
            return self.pick("a", "b", "c", "v", "w", str(self.stream.below(90) - 40))
        x, y = self.whole(depth - 1), self.whole(depth - 1)
        return self.pick(
            f"({x} + {y})", f"({x} - {y})", f"({x} * {y}) % 9973", f"({x} & {y})", f"({x} | {y})", f"({x} ^ {y})",
            f"({x} // {self.pick('3', '4', '-5', '16')})", f"({x} % {self.pick('7', '8', '-3')})", f"(-{x})", f"(~{x})",
            f"(({x} >> 2) & 0xFFFF)", f"(({x} & 0xFFF) << 3)", f"min({x}, {y})", f"max({x}, {y})", f"abs({x})",
            f"({x} if {self.test(depth - 1)} else {y})", f"popcount({x} & 0xFFFFFF)",
        )  # fmt: skip

    def test(self, depth: int) -> str:
        """A condition."""
        x, y = self.whole(min(depth, 1)), self.whole(min(depth, 1))
        simple = f"{x} {self.pick('<', '<=', '==', '!=', '>=', '>')} {y}"
        if depth <= 0:
            return simple
        other = self.test(depth - 1)
        return self.pick(simple, f"({simple} and {other})", f"({simple} or {other})", f"(not ({other}))")

    def real(self, depth: int) -> str:
        """A float expression."""
        if depth == 0:
            return self.pick("x", "y", "0.5", "float(a)", "3.0")
        p, q = self.real(depth - 1), self.real(depth - 1)
        return self.pick(f"({p} + {q})", f"({p} - {q})", f"({p} * {q})", f"({p} / 3.0)", f"max({p}, {q})", f"abs({p})")

    def block(self, depth: int, indent: str, loop: bool) -> list[str]:
        """A few statements."""
        lines = []
        for _ in range(1 + self.stream.below(3)):
            sort = self.stream.below(7 if depth > 0 else 4)
            if sort < 2:
                lines.append(f"{indent}{self.pick('v', 'w')} = {self.whole(2)} % 10007")
            elif sort == 2:
                lines.append(f"{indent}y = {self.real(2)} * 0.001")
            elif sort == 3:
                lines.append(f"{indent}v, w = w, v + {self.pick('1', 'a', 'c')}")
            elif sort == 4:
                lines += [f"{indent}if {self.test(1)}:", *self.block(depth - 1, indent + "    ", loop)]
                lines += [f"{indent}else:", *self.block(depth - 1, indent + "    ", loop)]
            elif sort == 5:
                lines += [f"{indent}for i in range({self.whole(1)} & 7):", f"{indent}    v += i"]
                lines += self.block(depth - 1, indent + "    ", True)
            elif loop:
                lines += [f"{indent}if {self.test(0)}:", f"{indent}    {self.pick('break', 'continue')}"]
        return lines or [f"{indent}v += 1"]

    def function(self, name: str) -> str:
        """A whole function."""
        head = f"def {name}(a: int, b: int, c: int, x: float) -> tuple[int, int, float]:"
        return "\n".join([head, "    v, w, y = 1, 2, 0.25", *self.block(3, "    ", False), "    return v, w, y"])


def test_random_programs_do_what_python_does(tmp_path: Path) -> None:
    programs = Programs(Stream(3))
    parts = [programs.function(f"program_{i}") for i in range(25)]
    file = tmp_path / "programs.py"
    file.write_text("\n\n\n".join(["from inarow.bits import popcount", *parts]))
    module = ModuleType("programs")
    exec(compile(file.read_text(), str(file), "exec"), module.__dict__)
    for i in range(len(parts)):
        compare(getattr(module, f"program_{i}"), 600, Stream(i))
