"""A page as a LaTeX document that includes every table and figure beside it: a skeleton to write a report into."""

from __future__ import annotations

from collections.abc import Iterator

from inarow.report.page import Item, Page, Section
from inarow.report.style import Figure
from inarow.report.tables import Table, latex

PREAMBLE = r"""% Made by inarow. Compile with: pdflatex paper.tex, twice.
\documentclass[a4paper,11pt]{article}
\usepackage[utf8]{inputenc}
\usepackage[T1]{fontenc}
\usepackage{lmodern,textcomp}
\usepackage[margin=25mm]{geometry}
\usepackage[export]{adjustbox}
\usepackage{graphicx,booktabs,longtable,array}
\usepackage[hidelinks]{hyperref}
"""


def to_skeleton(page: Page) -> str:
    """The document: what came out, the sections with their tables and figures, methods, and the figures' numbers."""
    lines = [PREAMBLE, f"\\title{{{latex(page.title)}}}", "\\date{}", "\\begin{document}", "\\maketitle", ""]
    if page.headline:
        lines += [f"\\noindent\\textbf{{{latex(page.headline)}.}}", ""]
    lines += [latex(page.lead), ""]
    lines += [f"\\paragraph{{Note.}} {latex(warning)}\n" for warning in page.warnings]
    lines += ["\\section{Findings}", "", "\\begin{itemize}"]
    lines += [*(f"\\item {latex(said)}" for said in page.summary), "\\end{itemize}", ""]
    for section in page.sections:
        lines += _section(section, "section")
    lines += ["\\section{Methods}", ""]
    for section in page.methods:
        lines += _section(section, "subsection")
    figures = list(page.figures())
    if figures:
        lines += ["\\appendix", "\\section{The numbers behind the figures}", ""]
        lines += [_input(figure.data) for figure in figures]
    return "\n".join([*lines, "\\end{document}", ""])


def _section(section: Section, level: str) -> Iterator[str]:
    yield f"\\{level}{{{latex(section.title)}}}\n"
    for item in section.items:
        yield _item(item)
    yield "\\clearpage\n"


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
