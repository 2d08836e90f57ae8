"""The compiler: the same code uncompiled, a cache that notices edits, one message, kernels warmed."""

from __future__ import annotations

import ast
import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

import inarow
from inarow.agents import agent
from inarow.kernels.compiler import jit
from inarow.match import play_match
from inarow.rules import CONNECT4

KERNELS = Path(jit.__file__).parents[1]


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
        "from inarow.kernels.compiler import jit; assert not jit.COMPILED\n"
        "print(play_match(CONNECT4, agent('greedy'), agent('rules'), seed=5).moves)"
    )
    compiled = play_match(CONNECT4, agent("greedy"), agent("rules"), seed=5).moves
    assert python(script, NUMBA_DISABLE_JIT="1").stdout.strip() == str(compiled)


def test_an_edit_of_any_kernel_source_changes_the_cache_folder(tmp_path: Path) -> None:
    copy = tmp_path / "inarow"
    shutil.copytree(Path(inarow.__file__).parent, copy, ignore=shutil.ignore_patterns("data", "__pycache__"))
    script = "from inarow.kernels.compiler.jit import sources_digest; print(sources_digest())"

    def digest() -> str:
        return python(script, PYTHONPATH=str(tmp_path), NUMBA_DISABLE_JIT="1").stdout.strip()

    before = digest()
    assert before == digest() == jit.sources_digest()
    for source in (copy / "bits.py", copy / "kernels" / "common" / "board.py"):
        source.write_text(source.read_text() + "\n# edited\n")
        assert digest() != before
        before = digest()


def test_a_user_is_told_once_that_something_compiles(tmp_path: Path) -> None:
    script = (
        "from inarow.agents import agent; from inarow.rules import *\n"
        "for name in ('connect4', 'tictactoe'):\n"
        "    agent('greedy').start(game(name), FIRST, 1).decide(Position.start(game(name)))"
    )
    first = python(script, INAROW_CACHE=str(tmp_path))
    assert first.stderr.count("compiling its fast kernels") == 1
    assert python(script, INAROW_CACHE=str(tmp_path)).stderr == ""


def test_a_user_is_told_nothing_once_the_solver_is_compiled() -> None:
    script = "from inarow.rules import CONNECT4; from inarow.solver import Oracle; Oracle(CONNECT4)"
    python(script)
    assert python(script, INAROW_QUIET_COMPILE="").stderr == ""


def test_a_cache_that_can_not_be_written_falls_back_to_a_temporary_one(tmp_path: Path) -> None:
    blocked = tmp_path / "file"
    blocked.write_text("not a folder")
    done = python(
        "from inarow.kernels.compiler.jit import CACHE; print(CACHE)", INAROW_CACHE=str(blocked), TMPDIR=str(tmp_path)
    )
    assert done.stdout.startswith(str(tmp_path / "inarow-"))


def decorated(path: Path) -> bool:
    """Whether a module has functions that Python calls compiled."""
    functions = [node for node in ast.parse(path.read_text()).body if isinstance(node, ast.FunctionDef)]
    return any(isinstance(d, ast.Name) and d.id == "kernel" for f in functions for d in f.decorator_list)


@pytest.mark.parametrize("path", sorted(KERNELS.rglob("*.py")), ids=lambda path: str(path.relative_to(KERNELS)))
def test_every_module_with_kernels_can_be_warmed(path: Path) -> None:
    names = [node.name for node in ast.parse(path.read_text()).body if isinstance(node, ast.FunctionDef)]
    assert not decorated(path) or "warm" in names
