"""Write a page into a folder: HTML, a LaTeX document, PDF if a browser is there, and each table and figure."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import tempfile
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path

from inarow.atomic import write_bytes, write_text
from inarow.report.page import Item, Page, Section, findings_text, methods_text, to_page
from inarow.report.style import Figure
from inarow.report.tables import Table, latex, to_csv, to_latex, to_markdown

PAGE = "report.html"
FINDINGS = "findings.md"
METHODS = "methods.md"
SKELETON = "paper.tex"
PRINTED = "report.pdf"
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


PREAMBLE = r"""% Made by inarow. Compile with: pdflatex paper.tex, twice.
\documentclass[a4paper,11pt]{article}
\usepackage[utf8]{inputenc}
\usepackage[T1]{fontenc}
\usepackage{lmodern,textcomp}
\usepackage[margin=25mm]{geometry}
\usepackage[export]{adjustbox}
\usepackage{graphicx,booktabs,longtable,array}
\usepackage{xcolor,placeins}
\usepackage[hidelinks]{hyperref}
\newcommand{\todo}[1]{\textcolor{red}{[#1]}}
\extrafloats{200}
"""


def to_skeleton(page: Page) -> str:
    """The document: places for your text, the findings, the sections with their tables and figures, methods, the
    figures' numbers, and a bibliography."""
    lines = [PREAMBLE, f"\\title{{{latex(page.title)}}}", "\\author{Your name}", "\\date{\\today}", ""]
    lines += ["\\begin{document}", "\\maketitle", "", "\\begin{abstract}"]
    lines += ["\\todo{Summarise the question, the method and the main result.}"]
    lines += [f"{latex(page.headline)}." if page.headline else "", "\\end{abstract}", ""]
    lines += ["\\section{Introduction}", "\\todo{State the question and why it matters.}", latex(page.lead), ""]
    lines += [f"\\paragraph{{Note.}} {latex(warning)}\n" for warning in page.warnings]
    cited = ",".join(one.key for one in page.references)
    lines += ["\\section{Related work}", "\\todo{Say what others found, and how this study differs.}"]
    lines += [f"The methods are described in~\\cite{{{cited}}}." if cited else "", ""]
    lines += ["\\section{Findings}", "\\begin{itemize}"]
    lines += [*(f"\\item {latex(said)}" for said in page.summary), "\\end{itemize}", ""]
    for section in page.sections:
        lines += _section(section, "section")
    lines += ["\\section{Discussion}", "\\todo{Interpret the results.}", "", "\\section{Methods}", ""]
    for section in page.methods:
        lines += _section(section, "subsection")
    if page.references:
        lines += ["\\begin{thebibliography}{99}"]
        lines += [f"\\bibitem{{{one.key}}} {latex(one.text)}" for one in page.references]
        lines += ["\\end{thebibliography}", ""]
    figures = list(page.figures())
    if figures:
        lines += ["\\appendix", "\\section{Data of the figures}", ""]
        lines += [_input(figure.data) for figure in figures]
    return "\n".join([*lines, "\\end{document}", ""])


def _section(section: Section, level: str) -> Iterator[str]:
    yield f"\\{level}{{{latex(section.title)}}}\n"
    for item in section.items:
        yield _item(item)
    yield "\\FloatBarrier\n"


def _item(item: Item) -> str:
    if isinstance(item, Table):
        return _input(item)
    if not isinstance(item, Figure):
        return f"{latex(item)}\n"
    return "\n".join(
        [
            "\\begin{figure}[htbp]",
            "\\centering",
            f"\\includegraphics[max width=\\textwidth,max height=.8\\textheight]{{figures/{item.key}.pdf}}",
            f"\\caption{{{latex(item.title)}. {latex(item.caption)}}}",
            f"\\label{{fig:{item.key}}}",
            "\\end{figure}\n",
        ]
    )


def _input(item: Table) -> str:
    return f"\\input{{tables/{item.key}.tex}}"


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
