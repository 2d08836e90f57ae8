"""What the package imports is what it declares."""

from __future__ import annotations

import ast
import re
import sys
import tomllib
from pathlib import Path

import inarow
from inarow.studies.base import machine

SOURCES = Path(inarow.__file__).parent
PROJECT = tomllib.loads((Path(__file__).parents[1] / "pyproject.toml").read_text(encoding="utf-8"))["project"]
MODULES = {"pygame-ce": "pygame", "open_spiel": "pyspiel", "pillow": "PIL"}
"""Where a distribution's module has another name."""


def modules(requirements: list[str]) -> set[str]:
    names = {re.split(r"[<>=!~\[; ]", requirement)[0] for requirement in requirements}
    return {MODULES.get(name, name) for name in names}


def imported() -> dict[str, str]:
    """Every third-party module that a source file imports, with one file that does."""
    found: dict[str, str] = {}
    for path in sorted(SOURCES.rglob("*.py")):
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            names = [alias.name for alias in node.names] if isinstance(node, ast.Import) else []
            names += [node.module] if isinstance(node, ast.ImportFrom) and node.module else []
            for name in names:
                top = name.partition(".")[0]
                if top not in sys.stdlib_module_names and top != "inarow":
                    found[top] = str(path.relative_to(SOURCES))
    return found


def test_every_import_is_declared() -> None:
    extras = PROJECT["optional-dependencies"]
    declared = modules(PROJECT["dependencies"]).union(*map(modules, extras.values()))
    assert {module: path for module, path in imported().items() if module not in declared} == {}


def test_every_dependency_is_imported() -> None:
    assert modules(PROJECT["dependencies"]) - set(imported()) == set()


def test_a_study_tells_the_versions_of_dependencies_only() -> None:
    others = {"inarow", "python", "system", "processor", "cores", "begun"}
    assert set(machine()) - others <= modules(PROJECT["dependencies"])
