"""A page as a LaTeX document that includes its tables and figures, with places for your text and a bibliography."""

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
