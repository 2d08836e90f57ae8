"""Compiled kernels: the same results as uncompiled, one message, the compiler only to compile, arguments checked."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from inarow.agents import agent
from inarow.kernels.lang import jit
from inarow.kernels.lang.kinds import kinds_of
from inarow.kernels.lang.translate import KernelError
from inarow.kernels.ntuple import settled
from inarow.match import play_match
from inarow.rules import CONNECT4


def first_bit(number: int) -> int:
    return number & -number


def python(script: str, **environment: str) -> subprocess.CompletedProcess[str]:
    done = subprocess.run(
        [sys.executable, "-c", script],
        capture_output=True,
        text=True,
        env={**os.environ, **environment},
        timeout=250,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    return done


def test_with_the_compiler_off_the_same_code_gives_the_same_moves() -> None:
    script = (
        "from inarow.agents import agent; from inarow.match import play_match; from inarow.rules import CONNECT4\n"
        "from inarow.kernels.lang import jit; assert not jit.COMPILED\n"
        "print(play_match(CONNECT4, agent('greedy'), agent('rules'), seed=5).moves)"
    )
    compiled = play_match(CONNECT4, agent("greedy"), agent("rules"), seed=5).moves
    assert python(script, INAROW_JIT="0").stdout.strip() == str(compiled)


def test_a_user_is_told_once_that_something_compiles(tmp_path: Path) -> None:
    script = (
        "from inarow.agents import agent; from inarow.rules import *\n"
        "for name in ('connect4', 'tictactoe'):\n"
        "    agent('greedy').start(game(name), FIRST, 1).decide(Position.start(game(name)))"
    )
    first = python(script, INAROW_CACHE=str(tmp_path))
    assert first.stderr.count("compiling its fast kernels") == 1
    assert python(script, INAROW_CACHE=str(tmp_path)).stderr == ""


@pytest.mark.usefixtures("own_cache")
def test_a_hot_kernel_is_compiled_once_it_was_called_often() -> None:
    ran_as_python: list[int] = []

    def doubled(number: int) -> int:
        ran_as_python.append(number)
        return 2 * number

    hot = jit.Compiled(first_bit, patience=2)
    hot.function = doubled  # what runs as Python; the compiler is given the function itself
    kinds = kinds_of((3,))
    assert [hot(3), hot(4)] == [6, 8]
    assert not hot.is_ready(kinds)
    hot.function = first_bit
    assert hot(6) == 2
    assert hot.is_ready(kinds)
    assert ran_as_python == [3, 4]


def test_a_hot_kernel_looks_for_its_code_on_disk_at_the_first_call_and_then_seldom(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    looks: list[Any] = []

    def is_ready(self: jit.Compiled, kinds: Any) -> bool:
        looks.append(kinds)
        return False

    monkeypatch.setattr(jit.Compiled, "is_ready", is_ready)
    hot = jit.Compiled(first_bit, patience=101)
    assert hot(6) == 2
    assert len(looks) == 1
    assert {hot(6) for _ in range(100)} == {2}
    assert len(looks) <= 1 + 100 // jit.LOOK


@pytest.mark.usefixtures("own_cache")
def test_a_hot_kernel_can_be_compiled_before_it_is_called() -> None:
    hot = jit.hot_kernel(first_bit)
    jit.compile_now(hot, 1)
    assert jit.runs_at_once(hot, 1)
    assert hot(12) == 4


def test_a_user_is_told_nothing_once_the_solver_is_compiled() -> None:
    script = "from inarow.rules import CONNECT4; from inarow.solver import Oracle; Oracle(CONNECT4)"
    python(script)
    assert python(script, INAROW_QUIET_COMPILE="").stderr == ""


def test_once_compiled_nothing_imports_the_compiler() -> None:
    script = (
        "import sys; from inarow.agents import agent; from inarow.rules import *\n"
        "agent('greedy').start(CONNECT4, FIRST, 1).decide(Position.start(CONNECT4))\n"
        "print('inarow.kernels.lang.translate' in sys.modules)"
    )
    python(script)
    assert python(script).stdout.strip() == "False"


def test_a_kernel_takes_what_numpy_and_python_call_numbers() -> None:
    row = np.zeros(64, np.int64)
    wanted = settled(1, 2, 4, 7, CONNECT4.board, CONNECT4.bottom, True, row)
    numbers: list[Any] = [np.int64(1), np.int32(2), 4, 7, CONNECT4.board, CONNECT4.bottom, np.True_, row]
    assert settled(*numbers) == wanted
    assert all(type(part) is int for part in wanted)


@pytest.mark.parametrize("last", [np.zeros((8, 8), np.int64)[:, :1], "text"], ids=["strides", "text"])
def test_a_kernel_refuses_what_it_can_not_take(last: Any) -> None:
    with pytest.raises(TypeError, match="a kernel takes"):
        settled(1, 2, 4, 7, CONNECT4.board, CONNECT4.bottom, True, last)


def test_a_kernel_does_not_write_to_an_array_that_is_read_only() -> None:
    row = np.zeros(64, np.int64)
    row.flags.writeable = False
    with pytest.raises(KernelError, match=r"ntuple.py:\d+: forced\[count\]: the array is read-only"):
        settled(1, 2, 4, 7, CONNECT4.board, CONNECT4.bottom, True, row)


def test_a_kernel_refuses_a_number_that_is_too_large_and_too_few_arguments() -> None:
    row = np.zeros(64, np.int64)
    settled(1, 2, 4, 7, CONNECT4.board, CONNECT4.bottom, True, row)
    with pytest.raises(OverflowError):
        settled(1 << 70, 2, 4, 7, CONNECT4.board, CONNECT4.bottom, True, row)
    with pytest.raises(Exception, match="argument"):
        settled(1, 2, 4)  # type: ignore[call-arg]
