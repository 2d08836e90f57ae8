"""On a version of Python that is not in the list, kernels are compiled if a trial in another process succeeds."""

from __future__ import annotations

import os
import re
import subprocess
import sys
import tomllib
from pathlib import Path

import numpy as np
import pytest

from inarow.kernels.lang import trial
from inarow.kernels.ntuple import settled

RUN = """
from inarow.kernels.lang import trial
trial.TESTED = trial.TESTED[:0]
{}
import numpy as np
from inarow.kernels.lang import jit
from inarow.kernels.ntuple import settled
print(jit.MODE, settled(1, 2, 4, 7, (1 << 49) - 1, 1, True, np.zeros(64, np.int64)), jit.State.has_compiled)
"""
ANSWER = settled(1, 2, 4, 7, (1 << 49) - 1, 1, True, np.zeros(64, np.int64))
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
    assert answer == f"0 {ANSWER} False"
    assert said.count("\n") == 1
    assert "can't call compiled kernels, so they run as Python" in said
    assert run(tmp_path, change) == (answer, "")


def test_kernels_are_compiled_if_the_trial_succeeds_and_it_is_made_once(tmp_path: Path) -> None:
    assert run(tmp_path) == (f"1 {ANSWER} True", "")
    assert run(tmp_path, "trial.MODULE = 'no_such_module'") == (f"1 {ANSWER} False", "")


def test_a_trial_finds_wrong_answers(monkeypatch: pytest.MonkeyPatch) -> None:
    assert trial._try() == trial._RIGHT
    monkeypatch.setattr("inarow.kernels.lang.jit.kernel", lambda function: lambda *given: (1.5, 4))
    assert trial._try() == trial._WRONG


def test_the_package_names_the_versions_of_the_list() -> None:
    project = tomllib.loads((Path(__file__).parents[3] / "pyproject.toml").read_text())["project"]
    named = re.findall(r"Python :: (\d+)\.(\d+)", "\n".join(project["classifiers"]))
    assert tuple((int(major), int(minor)) for major, minor in named) == trial.TESTED
    assert project["requires-python"] == ">=3.11"
