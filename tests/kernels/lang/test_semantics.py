"""Where kernels differ from Python they do what docs/kernels.md says, and what they can't do is said."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from types import ModuleType
from typing import Any
from unittest.mock import Mock

import numpy as np
import pytest

from inarow.kernels.lang import jit, native, trace
from inarow.kernels.lang.jit import Compiled
from inarow.kernels.lang.kinds import INT
from inarow.kernels.lang.translate import KernelError
from inarow.randomness import Stream

pytestmark = pytest.mark.usefixtures("own_cache")
LEAST, MOST = -(1 << 63), (1 << 63) - 1


def wrapped(value: int) -> int:
    return (value - LEAST) % (1 << 64) + LEAST


@pytest.fixture
def compiled(tmp_path: Path) -> Callable[[str], Compiled]:
    """Compiles the function ``f`` of a source."""

    def make(source: str) -> Compiled:
        file = tmp_path / str(len(list(tmp_path.iterdir()))) / "source.py"
        file.parent.mkdir()
        file.write_text(source)
        module = ModuleType("source")
        exec(compile(source, str(file), "exec"), module.__dict__)
        return Compiled(module.f)

    return make


def test_integers_wrap_around(compiled: Callable[[str], Compiled]) -> None:
    f = compiled("def f(a: int, b: int) -> tuple[int, int, int, int]:\n    return a + b, a - b, a * b, -a\n")
    stream = Stream(1)
    edges = [LEAST, LEAST + 1, MOST, -1, 0, 1, *(wrapped(stream.number() * 2 + 1) for _ in range(20))]
    for a in edges:
        for b in edges:
            assert f(a, b) == tuple(map(wrapped, (a + b, a - b, a * b, -a)))


def test_division_is_defined_for_all_numbers(compiled: Callable[[str], Compiled]) -> None:
    f = compiled("def f(a: int, b: int) -> tuple[int, int]:\n    return a // b, a % b\n")
    for a in (LEAST, -7, -1, 0, 1, 7, MOST):
        assert f(a, 0) == (0, 0)
        for b in (LEAST, -3, -1, 1, 3, MOST):
            assert f(a, b) == (wrapped(a // b), a % b)


def test_shifts_take_their_count_modulo_64(compiled: Callable[[str], Compiled]) -> None:
    f = compiled("def f(a: int, b: int) -> tuple[int, int]:\n    return a << b, a >> b\n")
    for b in (0, 1, 63, 64, 65, 127, -1):
        assert f(-12345, b) == (wrapped(-12345 << (b & 63)), -12345 >> (b & 63))


def test_float_division_by_zero_gives_infinity(compiled: Callable[[str], Compiled]) -> None:
    f = compiled("def f(x: float, y: float) -> float:\n    return x / y\n")
    assert f(1.0, 0.0) == float("inf")
    assert np.isnan(f(0.0, 0.0))


def test_a_truth_value_is_stored_as_one(compiled: Callable[[str], Compiled]) -> None:
    f = compiled("def f(flags, a: int) -> bool:\n    flags[0] = a > 2\n    return flags[1]\n")
    flags = np.array([False, True])
    assert f(flags, 3) is True
    assert flags.tolist() == [True, True]


OPTIONAL = """
def scaled(a: int, factor) -> int:
    return a if factor is None else a * factor

def f(a: int, pair, factor) -> int:
    if pair is not None and pair[0] > 2:
        a += pair[0]
    return scaled(a, factor) + scaled(a, None)
"""


def test_a_kernel_is_compiled_for_the_arguments_that_are_none(compiled: Callable[[str], Compiled]) -> None:
    f, pair = compiled(OPTIONAL), np.array([7])
    calls = [(1, None, None), (1, None, 3), (1, pair, None), (1, pair, 3), (2, None, None)]
    assert [f(*call) for call in calls] == [f.function(*call) for call in calls] == [2, 4, 16, 32, 4]


PARTS = """
from typing import Any, NamedTuple

class One(NamedTuple):
    add: int

class Two(NamedTuple):
    function: Any
    factor: int

BOTH = (One, Two)

def double(a: int) -> int:
    return a + a

def square(a: int) -> int:
    return a * a

def f(a: int, part) -> int:
    found = 100 if isinstance(part, BOTH) else 0
    if isinstance(part, One):
        return found + a + part.add
    if not isinstance(part, Two):
        return found
    return found + part.function(a) * part.factor
"""


def test_a_kernel_is_compiled_for_the_class_of_a_tuple_and_for_each_function(
    compiled: Callable[[str], Compiled],
) -> None:
    f = compiled(PARTS)
    one, two, double, square = (f.function.__globals__[name] for name in ("One", "Two", "double", "square"))
    calls = [None, one(7), two(double, 2), two(square, 2), two(double, 3), two(square, 3)]
    assert [f(5, call) for call in calls] == [f.function(5, call) for call in calls] == [0, 112, 120, 150, 130, 175]
    assert [f.entry(5, call) for call in calls] == [0, 112, 120, 150, 130, 175]


WRONG = {
    "if a > 0:\n        b = 1\n    return b": ":4: b: b is not assigned on every way to here",
    "while a > 0:\n        b = a\n        a -= 1\n    return b": ":5: b: b is not assigned on every way to here",
    "return c": ":2: c: c is not defined",
    "return a.real": ":2: a.real: there is no real",
    "return a * 0.5": ":2: return a * 0.5: expected an int, got a float",
    "return 1 < a < 3": ":2: 1 < a < 3: compare two values at a time",
    "return [a]": ":2: [a]: kernels have no List",
    "return a or 3": ":2: a: expected a condition; compare numbers with 0",
    "for i in range(0, 9, a):\n        pass\n    return a": ":2: range(0, 9, a): the step of a range must be",
    "return 1 if a else 18446744073709551616": ":2: 18446744073709551616: the number has more than 64 bits",
    "a += 1": ":1: f may end without returning a value",
    "return f(a, a)": ":2: f(a, a): f takes 1 arguments",
    "return print(a)": ":2: print(a): kernels can't call print",
    "return 1 if a is a else 2": ":2: a is a: kernels use `is` with None only",
    "return a[0]": ":2: a[0]: only arrays and tuples have elements",
}


@pytest.mark.parametrize(("source", "reason"), WRONG.items(), ids=WRONG.values())
def test_an_error_names_file_line_and_expression(source: str, reason: str, compiled: Callable[[str], Compiled]) -> None:
    with pytest.raises(KernelError) as error:
        compiled(f"def f(a: int) -> int:\n    {source}\n")(1)
    assert str(error.value).startswith("source.py:")
    assert reason in str(error.value)


def test_a_read_only_array_is_not_written_to(compiled: Callable[[str], Compiled]) -> None:
    f = compiled("def f(values) -> None:\n    values[0] = 1\n")
    values = np.zeros(2, np.int64)
    values.flags.writeable = False
    with pytest.raises(KernelError, match=r"values\[0\]: the array is read-only"):
        f(values)


def test_checked_kernels_raise_at_a_wrong_index(
    monkeypatch: pytest.MonkeyPatch, compiled: Callable[[str], Compiled]
) -> None:
    monkeypatch.setattr(jit, "CHECKED", True)
    f: Any = compiled(
        "def g(values, i: int) -> int:\n    return values[i]\n\n\n"
        "def f(values, i: int) -> int:\n    values[0] += 1\n    return g(values, i) + 10 // values[1]\n"
    )
    values = np.array([5, 1, 7])
    assert f(values, 2) == 17
    for wrong in (3, -1, 1 << 40):
        with pytest.raises(IndexError, match=r"source\.py:2: values\[i\]: index out of range"):
            f(values, wrong)
    values[1] = 0
    with pytest.raises(IndexError, match=r"10 // values\[1\]: division by zero"):
        f(values, 2)
    assert values[0] == 10


def test_an_event_compiles_to_nothing_and_is_recorded_uncompiled(compiled: Callable[[str], Compiled]) -> None:
    source = "from inarow.kernels.lang import trace\ndef f(a: int) -> int:\n    a += 1\n{}    return a * a\n"
    plain = compiled(source.format(""))
    code = native.build(plain, (INT,), checked=False)
    watched = compiled(source.format("    trace.update(a, [a for _ in range(a)])\n"))
    assert native.build(watched, (INT,), checked=False) == code
    recorder = Mock()
    with trace.recording(recorder):
        assert watched(2) == 9
        recorder.update.assert_not_called()
        assert watched.function(2) == 9
    recorder.update.assert_called_once_with(3, [3, 3, 3])
    watched.function(2)
    recorder.update.assert_called_once()
