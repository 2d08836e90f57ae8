"""On a version of Python that is not in the list, kernels are compiled if a trial in another process succeeds."""

from __future__ import annotations

import os
import re
import subprocess
import sys
import tomllib
from pathlib import Path

import pytest

from inarow.kernels.lang import trial

RUN = """
from inarow.kernels.lang import trial
trial.TESTED = trial.TESTED[:0]
{}
from inarow.kernels.lang import jit
from inarow.kernels.arithmetic import log
print(jit.MODE, log(10.0))
"""
FAILURES = {"wrong": "raise SystemExit(1)", "dead": "import os; os.abort()"}


def run(folder: Path, change: str = "") -> tuple[str, str]:
    environment = {**os.environ, "INAROW_CACHE": str(folder), "INAROW_QUIET_COMPILE": "1", "PYTHONPATH": str(folder)}
    environment.pop("INAROW_JIT", None)
    command = [sys.executable, "-c", RUN.format(change)]
    done = subprocess.run(command, env=environment, capture_output=True, text=True, check=True)
    return done.stdout.strip(), done.stderr


@pytest.mark.parametrize("source", FAILURES.values(), ids=FAILURES)
def test_kernels_run_as_python_if_the_trial_fails_and_it_is_said_once(tmp_path: Path, source: str) -> None:
    (tmp_path / "failing.py").write_text(source)
    change = "trial.MODULE = 'failing'"
    answer, said = run(tmp_path, change)
    assert answer == "0 2.302585092994046"
    assert said.count("\n") == 1
    assert "can't call compiled kernels, so they run as Python" in said
    assert run(tmp_path, change) == (answer, "")


def test_kernels_are_compiled_if_the_trial_succeeds_and_it_is_made_once(tmp_path: Path) -> None:
    assert run(tmp_path) == ("1 2.302585092994046", "")
    assert run(tmp_path, "trial.MODULE = 'no_such_module'") == ("1 2.302585092994046", "")


def test_a_trial_finds_wrong_answers(monkeypatch: pytest.MonkeyPatch) -> None:
    assert trial._try() == trial._RIGHT
    monkeypatch.setattr("inarow.kernels.lang.jit.kernel", lambda function: lambda *given: (1.5, 4))
    assert trial._try() == trial._WRONG


def test_the_package_names_the_versions_of_the_list() -> None:
    project = tomllib.loads((Path(__file__).parents[3] / "pyproject.toml").read_text())["project"]
    named = re.findall(r"Python :: (\d+)\.(\d+)", "\n".join(project["classifiers"]))
    assert tuple((int(major), int(minor)) for major, minor in named) == trial.TESTED
    assert project["requires-python"] == ">=3.11"
