"""A package imports only from packages below it, and llvmlite is imported by the compiler only."""

from __future__ import annotations

import ast
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

import inarow

ROOT = Path(inarow.__file__).parent

# From the bottom up; a package may import from those before it and from itself.
LAYERS = [
    [
        "errors",
        "limits",
        "formatting",
        "bits",
        "randomness",
        "paths",
        "machine",
        "plugins",
        "stopping",
        "stats",
        "checker",
    ],
    ["drawing"],
    ["kernels"],
    ["rules"],
    ["models"],
    ["solver"],
    ["agents"],
    ["tracing"],
    ["match"],
    ["truth"],
    ["arena"],
    ["ladder"],
    ["bundler"],
    ["frontend"],
    ["report"],
    ["training"],
    ["studies"],
    ["adapters"],
    ["play"],
    ["teaching"],
    ["web"],
    ["api", "cli"],
    ["reproductions"],
]
LEVEL = {package: level for level, packages in enumerate(LAYERS) for package in packages}


def modules() -> Iterator[Path]:
    return (
        path for path in sorted(ROOT.rglob("*.py")) if path.parent != ROOT or path.stem not in ("__init__", "__main__")
    )


def imports(path: Path) -> Iterator[str]:
    """The absolute names of all modules that a file imports, also inside functions."""
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if isinstance(node, ast.Import):
            yield from (name.name for name in node.names)
        elif isinstance(node, ast.ImportFrom):
            assert node.level == 0, f"{path}: imports are absolute here"
            if node.module == "inarow":
                yield from (f"inarow.{name.name}" for name in node.names)
            elif node.module:
                yield node.module


def package_of(path: Path) -> str:
    first = path.relative_to(ROOT).parts[0]
    return first.removesuffix(".py")


@pytest.mark.parametrize("path", list(modules()), ids=lambda path: str(path.relative_to(ROOT)))
def test_a_package_imports_from_packages_below_it_only(path: Path) -> None:
    package = package_of(path)
    assert package in LEVEL, f"{package} has no level: give it one in LAYERS"
    for name in imports(path):
        parts = name.split(".")
        if parts[0] == "inarow" and len(parts) > 1 and parts[1] in LEVEL and parts[1] != package:
            assert LEVEL[parts[1]] <= LEVEL[package], f"{path.relative_to(ROOT)} imports {name} from a package above it"


def test_llvmlite_is_imported_by_the_compiler_only() -> None:
    users = {path.parent for path in modules() if any(n.split(".")[0] == "llvmlite" for n in imports(path))}
    assert users == {ROOT / "kernels" / "lang"}


HELP: tuple[list[str], ...] = ([], ["--help"], ["--version"], ["help", "solve"], ["train", "--help"])
ANSWERS = (["decide", "connect4", "4455", "rules"], ["solve", "connect4", "4455"])


@pytest.mark.parametrize(
    ("arguments", "unused"),
    [
        *((one, {"llvmlite", "numpy", "matplotlib", "scipy", "pygame"}) for one in HELP),
        *(
            (arguments, {"matplotlib", "sqlite3", "inarow.match", "inarow.play", "inarow.arena"})
            for arguments in ANSWERS
        ),
    ],
)
def test_a_command_imports_only_what_it_needs(arguments: list[str], unused: set[str]) -> None:
    script = (
        "import sys; from inarow.cli.main import run\n"
        f"sys.argv = ['inarow', *{arguments!r}]\n"
        "try: run()\n"
        "except SystemExit as e: assert not e.code, e.code\n"
        f"assert not {unused!r} & sys.modules.keys(), {unused!r} & sys.modules.keys()\n"
    )
    done = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
