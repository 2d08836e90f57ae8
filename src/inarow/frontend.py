"""Bundle the page's scripts as one classic script: browsers don't run modules in pages opened from disk (``file://``).

The bundler supports the subset of JavaScript that the page uses: modules of one folder, ``import { a, b as c } from
"./x.js"``, ``import("./x.js")``, and ``export`` before a function, a class or a constant. Modules run when they are
first needed, each in its own scope.
"""

from __future__ import annotations

import base64
import functools
import gzip
import html
import json
import re
import zlib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from importlib.metadata import PackageNotFoundError, metadata
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from inarow.drawing.board import theme_css
from inarow.errors import InarowError
from inarow.match import MatchRecord
from inarow.rules import CONNECT4
from inarow.solver.book import SCORES, open_book, shipped_book

if TYPE_CHECKING:
    import jinja2

STATIC = Path(__file__).parent / "web" / "static"
SCRIPTS = STATIC / "js"
TEMPLATES = Path(__file__).parent / "data" / "site"
WORKERS: tuple[str, ...] = ("worker",)
"""Modules that run in Web Workers."""

_COMMENT = re.compile(r"/\*\*.*?\*/|^[ \t]*//[^\n]*$", re.DOTALL | re.MULTILINE)
_IMPORT = re.compile(r'^import\s*\{([^}]*)\}\s*from\s*"\./(\w+)\.js";', re.MULTILINE)
_LAZY = re.compile(r'\bimport\("\./(\w+)\.js"\)')
_EXPORT = re.compile(r"^export\s+((?:async\s+)?function\s*\*?|class|const)\s+(\w+)", re.MULTILINE)
_LEFT = re.compile(r"^\s*(?:import|export)\b.*|\bimport\s*[(.].*", re.MULTILINE)
_BLANK = re.compile(r"\n\s*\n+")


def index_page() -> str:
    """Return the page, with a link to the documentation if the package's metadata have its address."""
    try:
        addresses = metadata("inarow").get_all("Project-URL") or []
    except PackageNotFoundError:
        addresses = []
    found = next((one.partition(", ")[2] for one in addresses if one.startswith("Documentation, ")), "")
    link = f'<a href="{html.escape(found)}">Documentation</a>' if found else ""
    return (STATIC / "index.html").read_text(encoding="utf-8").replace("<!-- documentation -->", link)


class BundleError(InarowError):
    """A script uses an unsupported form of import or export."""


@dataclass(frozen=True)
class Module:
    """A module as the body of a function that returns its exports."""

    name: str
    needs: tuple[str, ...]
    """Static imports."""
    later: tuple[str, ...]
    """Dynamic imports."""
    body: str

    @classmethod
    def parse(cls, name: str, source: str) -> Module:
        """Parse the source of a module. Raises BundleError for unsupported syntax."""
        source = _COMMENT.sub("", source)
        needs = tuple(match[2] for match in _IMPORT.finditer(source))
        later = tuple(match[1] for match in _LAZY.finditer(source))
        exports = [match[2] for match in _EXPORT.finditer(source)]
        body = _IMPORT.sub(lambda match: f'const {{{_renamed(match[1])}}} = need("{match[2]}");', source)
        body = _LAZY.sub(lambda match: f'Promise.resolve().then(() => need("{match[1]}"))', body)
        body = _EXPORT.sub(r"\1 \2", body)
        if left := _LEFT.search(body):
            raise BundleError(f'{name}.js: {left[0].strip()!r} is not supported; use import {{ … }} from "./NAME.js"')
        return cls(name, needs, later, _BLANK.sub("\n", f"{body}\nreturn {{ {', '.join(exports)} }};"))


def _renamed(names: str) -> str:
    """Convert the names of an import, ``a, b as c``, to a destructuring pattern, ``a, b: c``."""
    return ", ".join(": ".join(re.split(r"\s+as\s+", one.strip())) for one in names.split(",") if one.strip())


def reachable(entry: str, folder: Path = SCRIPTS) -> dict[str, Module]:
    """Return the modules that an entry needs, in order of dependency. Raises BundleError for a cycle."""
    found: dict[str, Module] = {}
    path: list[str] = []

    def visit(name: str) -> list[str]:
        """Add a module and its imports; return the modules that they may import later."""
        if name in path:
            raise BundleError(f"modules import each other: {' → '.join([*path[path.index(name) :], name])}")
        if name in found:
            return []
        try:
            source = (folder / f"{name}.js").read_text(encoding="utf-8")
        except OSError as error:
            raise BundleError(f"{name}.js can't be read: {error.strerror}") from None
        path.append(name)
        module = Module.parse(name, source)
        later = [one for need in module.needs for one in visit(need)]
        path.pop()
        found[name] = module
        return [*later, *module.later]

    waiting = [entry]
    while waiting:
        waiting += visit(waiting.pop(0))
    return found


def bundle(entry: str, folder: Path = SCRIPTS) -> str:
    """Return a function expression in JavaScript that runs a module with its dependencies."""
    modules = reachable(entry, folder)
    parts = [f'make["{one.name}"] = () => {{\n{one.body}\n}};' for one in modules.values()]
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


def page_script(
    entry: str, data: Mapping[str, bytes], *, inline: bool = False, offline: bool = False,
    workers: tuple[str, ...] = WORKERS, folder: Path = SCRIPTS,
) -> str:  # fmt: skip
    """Return the script of a static page: the list of its data files, its workers, and the modules of an entry.

    With ``inline`` it includes the data files; else they are in the folder ``data`` next to the page.
    """
    known = {
        "assets": {name: [zlib.crc32(content), len(content)] for name, content in data.items()},
        "inline": {name: base64.b64encode(content).decode() for name, content in data.items()} if inline else {},
        "offline": offline,
    }
    programs = ",\n".join(f'"{name}": {bundle(name, folder)}' for name in workers)
    return (
        f"globalThis.inarowSite = {json.dumps(known, separators=(',', ':'))};\n"
        f"inarowSite.workers = {{\n{programs}\n}};\n({bundle(entry, folder)})();\n"
    )


def registering_script(name: str, content: bytes) -> str:
    """Return a script that registers a data file, for pages opened from disk, which can't fetch it."""
    return f"inarowSite.inline[{json.dumps(name)}] = {json.dumps(base64.b64encode(content).decode())};\n"


def board_data() -> dict[str, bytes]:
    """Return the data files that a page needs to analyse positions: kernels, sentences and a book of scores."""
    from inarow.kernels.wasm import MANIFEST, modules  # imported late: they need the compiler

    kernels = modules()
    return {
        **{name: kernels[name] for name in ("rules.wasm", "solver.wasm", MANIFEST)},
        "sentences.json": (TEMPLATES.parent / "sentences.json").read_bytes(),
        "books/connect4.scores": packed_book(SCORES),
    }


@functools.cache
def packed_book(holds: str) -> bytes:
    """Return a book of Connect 4 as the browser unpacks it, with gzip: the number of positions, the first and the last
    ply, the differences of the keys byte by byte, and the values."""
    path = shipped_book(CONNECT4, holds)
    assert path is not None  # both are part of the package
    table = open_book(path, CONNECT4).record
    steps = np.diff(table.keys, prepend=0).astype("<i8").view(np.uint8).reshape(-1, 8).T.tobytes()
    header = np.array([len(table.keys), table.first_ply, table.last_ply], "<i4").tobytes()
    return gzip.compress(header + steps + table.values.tobytes(), 9, mtime=0)


@functools.cache
def template(folder: Path, name: str) -> jinja2.Template:
    """Return a template with autoescaping; its filter ``svg`` marks our own drawings as safe."""
    import jinja2
    from markupsafe import Markup

    found = jinja2.Environment(
        loader=jinja2.FileSystemLoader(folder),
        autoescape=True,
        undefined=jinja2.StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    found.filters["svg"] = Markup
    return found.get_template(name)


@functools.cache
def match_template() -> str:
    """Return a self-contained page that shows matches with exact values, without the matches."""
    text = (TEMPLATES / "match.html").read_text(encoding="utf-8")
    style = theme_css() + (STATIC / "style.css").read_text(encoding="utf-8")
    script = gzip.compress(page_script("match_page", board_data(), inline=True).encode(), 9, mtime=0)
    return text.replace("@STYLE@", style).replace("@SCRIPT@", base64.b64encode(script).decode())


_WORDS = {"first": "the first player won", "second": "the second player won", "draw": "a draw", "none": "no result"}


def replay_of(record: MatchRecord, labels: Mapping[str, str] | None = None) -> dict[str, Any]:
    """Return a record as `match_page` takes it, shown from the end of its opening; ``labels`` are names by spec."""
    first, second = ((labels or {}).get(spec, spec) for spec in (record.first, record.second))
    return {
        "game": record.game.name,
        "moves": record.all_moves,
        "at": len(record.opening),
        "first": first,
        "second": second,
        "said": f"{_WORDS[record.result]} ({record.termination.value})",
    }


def match_page(title: str, matches: Sequence[Mapping[str, Any]], picture: str = "") -> str:
    """Return matches as one HTML file with a board that shows exact values.

    A match has the keys ``game`` and ``moves``, and may have ``at`` (the ply shown first), ``first``, ``second``,
    ``said`` (how it ended) and ``review``. The picture is for a browser without scripts.
    """
    parts = {"TITLE": html.escape(title), "MATCHES": script_json(matches), "PICTURE": picture}
    return re.sub("@(TITLE|MATCHES|PICTURE)@", lambda name: parts[name[1]], match_template())


def script_json(value: object) -> str:
    """Return JSON that is safe inside a script element."""
    return json.dumps(value, ensure_ascii=False, separators=(",", ":")).replace("<", "\\u003c")
