"""The page's script with its data, and the board with the solver as a page of its own."""

from __future__ import annotations

import base64
import functools
import gzip
import html
import json
import re
import zlib
from collections.abc import Mapping, Sequence
from importlib.metadata import PackageNotFoundError, metadata
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from inarow.bundler import SCRIPTS, bundle
from inarow.drawing.board import theme_css
from inarow.match import MatchRecord
from inarow.rules import CONNECT4
from inarow.solver.book import SCORES, open_book, shipped_book

if TYPE_CHECKING:
    import jinja2

STATIC = Path(__file__).parent / "web" / "static"
TEMPLATES = Path(__file__).parent / "data" / "site"
WORKERS: tuple[str, ...] = ("worker",)
"""Modules that run in Web Workers."""


def index_page() -> str:
    """Return the page, with a link to the documentation if the package's metadata have its address."""
    try:
        addresses = metadata("inarow").get_all("Project-URL") or []
    except PackageNotFoundError:
        addresses = []
    found = next((one.partition(", ")[2] for one in addresses if one.startswith("Documentation, ")), "")
    link = f'<a href="{html.escape(found)}">Documentation</a>' if found else ""
    return (STATIC / "index.html").read_text(encoding="utf-8").replace("<!-- documentation -->", link)


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
