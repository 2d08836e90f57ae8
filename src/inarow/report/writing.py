"""A page into a folder: the HTML file, and beside it every table and figure in every format."""

from __future__ import annotations

import shutil
from pathlib import Path

from inarow.atomic import write_bytes, write_text
from inarow.report.page import Page, methods_text, to_page
from inarow.report.tables import to_csv, to_latex, to_markdown

PAGE = "report.html"
METHODS = "methods.md"
FOLDERS = ("tables", "figures")


def write_page(page: Page, folder: Path) -> Path:
    """Write the report; what an earlier report left in its two folders is removed. Returns the HTML file."""
    for name in FOLDERS:
        shutil.rmtree(folder / name, ignore_errors=True)
        (folder / name).mkdir(parents=True)
    for table in page.tables():
        for ending, text in (("csv", to_csv(table)), ("md", to_markdown(table)), ("tex", to_latex(table))):
            _write(folder / "tables" / f"{table.key}.{ending}", text)
    for figure in page.figures():
        _write(folder / "figures" / f"{figure.key}.svg", figure.svg)
        write_bytes(folder / "figures" / f"{figure.key}.pdf", figure.pdf, durable=False)
    _write(folder / METHODS, methods_text(page.methods))
    _write(folder / PAGE, to_page(page))
    return folder / PAGE


def _write(path: Path, text: str) -> None:
    write_text(path, text, durable=False)  # it can be made again from the store
