"""A page as PDF, by the browser or the typesetter that this machine has."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import tempfile
from pathlib import Path

from inarow.atomic import write_bytes

PRINTED = "report.pdf"
BROWSERS = ("chromium", "chromium-browser", "google-chrome", "google-chrome-stable")
HOW = "install Chromium or WeasyPrint and try again, or print the page from a browser"
SECONDS = 120
"""A printer that takes longer is ended."""
_DATE = re.compile(rb"\(D:\d{14}[^)]*\)")
_NODE = re.compile(rb"(?<=\(node)\d{8}(?=\))")
"""Chromium's numbers of a document's parts, which differ from one run to the next."""


def print_page(page: Path, target: Path | None = None) -> Path | str:
    """Write the PDF of an HTML page, beside it if no target is given; return its path, or why there is none.

    The same page gives the same bytes each time.
    """
    target = target or page.with_name(PRINTED)
    browser = next((found for name in BROWSERS if (found := shutil.which(name))), None)
    with tempfile.TemporaryDirectory(prefix="inarow-print-") as folder:
        made = Path(folder) / PRINTED
        if browser is not None:
            said = _run(_chromium(browser, page, made, Path(folder)))
        elif shutil.which("weasyprint"):
            said = _run(["weasyprint", str(page), str(made)])
        else:
            return f"{target.name} was not made, as there is nothing to print with: {HOW}"
        if not made.is_file():
            return f"{target.name} was not made: {said}; {HOW}"
        data = made.read_bytes()
    write_bytes(target, same_each_time(data), durable=False)
    return target


def same_each_time(pdf: bytes) -> bytes:
    """A PDF of the same length without its dates, its parts numbered as they appear."""
    pdf = _DATE.sub(lambda date: b"(D:" + b"0" * (len(date[0]) - 4) + b")", pdf)
    numbers: dict[bytes, bytes] = {}
    return _NODE.sub(lambda node: numbers.setdefault(node[0], b"%08d" % len(numbers)), pdf)


def _chromium(browser: str, page: Path, made: Path, folder: Path) -> list[str]:
    """Headless, with a profile of its own; its sandbox does not work for the superuser, as in containers."""
    options = ["--headless", "--disable-gpu", "--no-first-run", "--disable-background-networking"]
    options += [f"--user-data-dir={folder / 'profile'}", "--no-pdf-header-footer", f"--print-to-pdf={made}"]
    if hasattr(os, "geteuid") and os.geteuid() == 0:
        options.append("--no-sandbox")
    return [browser, *options, page.absolute().as_uri()]


def _run(command: list[str]) -> str:
    """Run a printer; why it failed, if it did."""
    try:
        done = subprocess.run(command, capture_output=True, timeout=SECONDS, check=False)
    except (OSError, subprocess.TimeoutExpired) as error:
        return str(error)
    return f"{Path(command[0]).name} ended with code {done.returncode}"
