"""Each adapter stands alone: nothing is imported unless it is used, and what is missing is named."""

from __future__ import annotations

import subprocess
import sys

import pytest

OTHERS = ("gymnasium", "pettingzoo", "pyspiel", "anywidget")
PLAIN = ["batch", "notations", "dataset", "kaggle", "pictures"]
NEEDING = {
    "pettingzoo": {"gymnasium", "pettingzoo"},
    "gymnasium": {"gymnasium"},
    "openspiel": {"pyspiel"},
    "notebook": {"anywidget"},
}


def run(script: str) -> str:
    done = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    return done.stdout.strip()


def without(names: set[str]) -> str:
    """Python that makes the import of these modules fail."""
    return f"import sys, importlib\nfor name in {sorted(names)!r}: sys.modules[name] = None\n"


def test_what_needs_nothing_besides_inarow_imports_nothing_else() -> None:
    script = without(set(OTHERS)) + f"for name in {PLAIN!r}: importlib.import_module('inarow.adapters.' + name)\n"
    assert run(script) == ""


@pytest.mark.parametrize("module", NEEDING)
def test_an_adapter_imports_its_own_project_only_and_names_it_when_missing(module: str) -> None:
    needed = NEEDING[module]
    script = without(set(OTHERS) - needed) + (
        f"importlib.import_module('inarow.adapters.{module}')\n"
        "for name in list(sys.modules):\n"
        "    if name.startswith('inarow.adapters'): del sys.modules[name]\n"
        f"for name in {sorted(needed)!r}: sys.modules[name] = None\n"
        "from inarow.errors import Unsupported\n"
        f"try: importlib.import_module('inarow.adapters.{module}')\n"
        "except Unsupported as error: print(error)\n"
    )
    assert "pip install 'inarow[" in run(script)


@pytest.mark.parametrize(
    ("missing", "named"), [({"gymnasium", "pettingzoo"}, "gymnasium"), ({"pettingzoo"}, "pettingzoo")]
)
def test_pettingzoo_names_the_package_that_is_missing(missing: set[str], named: str) -> None:
    script = without(missing) + (
        "from inarow.errors import Unsupported\n"
        "try: import inarow.adapters.pettingzoo\n"
        "except Unsupported as error: print(error)\n"
    )
    expected = f"PettingZoo's environments need {named}, which is not installed: pip install 'inarow[rl]'"
    assert run(script) == expected


def test_a_bot_of_openspiel_without_openspiel_is_named() -> None:
    script = (
        "import sys; sys.modules['pyspiel'] = None\n"
        "from inarow.agents import agent\n"
        "from inarow.rules import CONNECT4\n"
        "try: agent('openspiel').check(CONNECT4)\n"
        "except ValueError as error: print(error)\n"
    )
    assert run(script) == "OpenSpiel is not installed: pip install 'inarow[openspiel]'"
