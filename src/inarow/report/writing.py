"""A page into a folder: the HTML file, and beside it every table and figure in every format."""

from __future__ import annotations

import shutil
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from inarow.atomic import write_bytes, write_text
from inarow.report.page import Page, findings_text, methods_text, to_page
from inarow.report.printing import PRINTED, print_page
from inarow.report.skeleton import to_skeleton
from inarow.report.tables import to_csv, to_latex, to_markdown

PAGE = "report.html"
FINDINGS = "findings.md"
METHODS = "methods.md"
SKELETON = "paper.tex"
FILES = (PAGE, FINDINGS, METHODS, SKELETON, PRINTED)
FOLDERS = ("tables", "figures")


@dataclass(frozen=True)
class Formats:
    """What is written besides the page, its tables and its figures as SVG and PDF."""

    pdf: bool = False
    """The page as ``report.pdf``, by an installed browser."""
    png: bool = False
    """The figures as bitmaps of 300 dots per inch."""


PLAIN = Formats()
Note = Callable[[str], None]
"""Told what could not be made, and what to do about it."""


def write_page(page: Page, folder: Path, formats: Formats = PLAIN, note: Note | None = None) -> Path:
    """Write the report; what an earlier report left in its two folders is removed. Returns the HTML file."""
    for name in FOLDERS:
        shutil.rmtree(folder / name, ignore_errors=True)
        (folder / name).mkdir(parents=True)
    (folder / PRINTED).unlink(missing_ok=True)
    for table in page.tables():
        for ending, text in (("csv", to_csv(table)), ("md", to_markdown(table)), ("tex", to_latex(table))):
            _write(folder / "tables" / f"{table.key}.{ending}", text)
    for figure in page.figures():
        _write(folder / "figures" / f"{figure.key}.svg", figure.svg)
        write_bytes(folder / "figures" / f"{figure.key}.pdf", figure.pdf, durable=False)
        if formats.png:
            write_bytes(folder / "figures" / f"{figure.key}.png", figure.png(), durable=False)
    _write(folder / FINDINGS, findings_text(page))
    _write(folder / METHODS, methods_text(page))
    _write(folder / SKELETON, to_skeleton(page))
    _write(folder / PAGE, to_page(page))
    printed = print_page(folder / PAGE) if formats.pdf else None
    if isinstance(printed, str) and note is not None:
        note(printed)
    return folder / PAGE


def _write(path: Path, text: str) -> None:
    write_text(path, text, durable=False)  # it can be made again from the store
