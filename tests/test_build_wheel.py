"""scripts/build_wheel.py where a wheel can't be built."""

from __future__ import annotations

import runpy
import sys
from pathlib import Path

import pytest

BUILD = Path(__file__).parents[1] / "scripts" / "build_wheel.py"


def test_without_pip_nothing_is_compiled_and_the_way_out_is_named(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    main = runpy.run_path(str(BUILD))["main"]
    monkeypatch.setattr("importlib.util.find_spec", lambda name: None)
    with pytest.raises(SystemExit) as left:
        main()
    assert left.value.code == 2
    said = capsys.readouterr().err
    assert said.startswith(f"A wheel is built by pip, which {sys.executable} does not have; install it")
