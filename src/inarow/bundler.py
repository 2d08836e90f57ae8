"""Bundle the page's scripts as one classic script: browsers don't run modules in pages opened from disk (``file://``).

The bundler supports the subset of JavaScript that the page uses, and refuses the rest: modules in a folder and in those
inside it, named by their paths without ``.js``; ``import { a, b as c } from "./x.js";`` and ``import("../x.js")``; and
``export`` before a function, a class or a constant, one for each. Modules run when they are first needed, each in its
own scope.
"""

from __future__ import annotations

import posixpath
import re
from dataclasses import dataclass
from pathlib import Path

from inarow.errors import InarowError

SCRIPTS = Path(__file__).parent / "web" / "static" / "js"

_COMMENT = re.compile(r"/\*\*.*?\*/|^[ \t]*//[^\n]*$", re.DOTALL | re.MULTILINE)
_FILE = r'"(\.\.?/[\w./-]*\w)\.js"'
_IMPORT = re.compile(rf"^import\s*\{{([^}}]*)\}}\s*from\s*{_FILE};", re.MULTILINE)
_LAZY = re.compile(rf"\bimport\({_FILE}\)")
_EXPORT = re.compile(r"^export\s+((?:async\s+)?function\s*\*?|class|const)\s+(\w+)", re.MULTILINE)
_LEFT = re.compile(r"(?:^|(?<=[;}]))[ \t]*(?:import|export)\b.*|\bimport\s*[(.].*", re.MULTILINE)
_BLANK = re.compile(r"\n\s*\n+")


class BundleError(InarowError):
    """A script uses an unsupported form of import or export, or what another does not export."""


@dataclass(frozen=True)
class Module:
    """A module as the body of a function that returns its exports."""

    name: str
    needs: dict[str, tuple[str, ...]]
    """Static imports: the names taken from each module."""
    later: tuple[str, ...]
    """Dynamic imports."""
    exports: tuple[str, ...]
    body: str

    @classmethod
    def parse(cls, name: str, source: str) -> Module:
        """Parse the source of a module. Raises BundleError for unsupported syntax."""
        source = _COMMENT.sub("", source)
        needs = dict[str, tuple[str, ...]]()
        for match in _IMPORT.finditer(source):
            target = _resolved(name, match[2])
            needs[target] = (*needs.get(target, ()), *(taken for taken, _ in _names(match[1])))
        exports = tuple(match[2] for match in _EXPORT.finditer(source))
        later = tuple(_resolved(name, match[1]) for match in _LAZY.finditer(source))
        body = _IMPORT.sub(
            lambda match: f'const {{{_pattern(match[1])}}} = need("{_resolved(name, match[2])}");', source
        )
        body = _LAZY.sub(lambda match: f'Promise.resolve().then(() => need("{_resolved(name, match[1])}"))', body)
        body = _EXPORT.sub(r"\1 \2", body)
        if left := _LEFT.search(body):
            raise BundleError(
                f'{name}.js: {left[0].strip()!r} is not supported; use import {{ … }} from "./NAME.js" or '
                'import("./NAME.js"), or export before a function, a class or a constant'
            )
        return cls(name, needs, later, exports, _BLANK.sub("\n", f"{body}\nreturn {{ {', '.join(exports)} }};"))


def _resolved(name: str, path: str) -> str:
    """Return the name of the module at a path that the module ``name`` gives."""
    found = posixpath.normpath(posixpath.join(posixpath.dirname(name), path))
    if found.startswith("../"):
        raise BundleError(f'{name}.js: "{path}.js" is outside the folder of the scripts')
    return found


def _names(imports: str) -> list[tuple[str, str]]:
    """Return the names of an import, ``a, b as c``, and what they are called here."""
    parts = [re.split(r"\s+as\s+", part.strip()) for part in imports.split(",") if part.strip()]
    return [(part[0], part[-1]) for part in parts]


def _pattern(imports: str) -> str:
    """Convert the names of an import, ``a, b as c``, to a destructuring pattern, ``a, b: c``."""
    return ", ".join(taken if taken == here else f"{taken}: {here}" for taken, here in _names(imports))


def reachable(entry: str, folder: Path = SCRIPTS) -> dict[str, Module]:
    """Return the modules that an entry needs, in order of dependency. Raises BundleError for a cycle, or for an import
    of what a module does not export."""
    modules: dict[str, Module] = {}
    path: list[str] = []

    def visit(name: str) -> list[str]:
        """Add a module and its imports; return the modules that they may import later."""
        if name in path:
            raise BundleError(f"modules import each other: {' → '.join([*path[path.index(name) :], name])}")
        if name in modules:
            return []
        try:
            source = (folder / f"{name}.js").read_text(encoding="utf-8")
        except OSError as error:
            raise BundleError(f"{name}.js can't be read: {error.strerror}") from None
        path.append(name)
        module = Module.parse(name, source)
        later = [lazy for need in module.needs for lazy in visit(need)]
        path.pop()
        for need, taken in module.needs.items():
            if missing := set(taken) - set(modules[need].exports):
                raise BundleError(f"{name}.js imports {', '.join(sorted(missing))}, which {need}.js does not export")
        modules[name] = module
        return [*later, *module.later]

    waiting = [entry]
    while waiting:
        waiting += visit(waiting.pop(0))
    return modules


def bundle(entry: str, folder: Path = SCRIPTS) -> str:
    """Return a function expression in JavaScript that runs a module with its dependencies."""
    parts = [f'make["{one.name}"] = () => {{\n{one.body}\n}};' for one in reachable(entry, folder).values()]
    return "\n".join(
        [
            "function () {",
            '"use strict";',
            "const made = {}, make = {};",
            "const need = (name) => made[name] ?? (made[name] = make[name]());",
            *parts,
            f'need("{entry}");',
            "}",
        ]
    )
