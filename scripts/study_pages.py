"""The docs' pages of studies, each from a study's folder: python scripts/study_pages.py FOLDER …"""

from __future__ import annotations

import contextlib
import re
import sys
from pathlib import Path

from inarow.arena import Store
from inarow.report.page import Page, Section
from inarow.report.tables import Table, to_markdown
from inarow.studies import StudyResults, study
from inarow.studies.methods import page_of
from inarow.studies.running import STORE

DOCS = Path(__file__).parents[1] / "docs" / "studies"
IMAGES = DOCS.parent / "images" / "studies"
SHOWN = ("all", "missed", "verdicts", "errors", "unstated", "winners", "published")
"""Tables that the pages show, by the end of their keys."""


WHOLE = (
    "Connect 4 at equal time", "Tic Tac Toe", "What pruning saves", "What Q-learning reaches", "What each costs",
    "Errors", "Questions a reader asks", "Counts and times",
)  # fmt: skip
"""Sections of the comparison that its page shows with their sentences and tables."""


def section_text(section: Section) -> str:
    """A section: its sentences and tables."""
    parts = [f"## {section.title}"]
    for item in section.items:
        if isinstance(item, tuple):
            parts.append("\n".join(f"- {sentence}" for sentence in item))
        elif isinstance(item, str):
            parts.append(item)
        elif isinstance(item, Table):
            parts.append(to_markdown(item).rstrip())
    return "\n\n".join(parts) + "\n\n"


def text_of(found: StudyResults, page: Page) -> str:
    """A page: what the study does, its command, findings, the main figure and where the rest is."""
    made = study(found.study)
    options = "" if found.plan.scale == "quick" else f" --scale {found.plan.scale}"
    options += "" if found.plan.seed == 0 else f" --seed {found.plan.seed}"
    figure = next(figure for figure in page.figures() if figure.key == made.figure)
    sections = "\n".join(f"- {section.title}" for section in (*page.sections, *page.details))
    said = "\n".join(f"- {sentence}" for sentence in page.summary) + "".join(f"\n\n{one}" for one in page.warnings)
    caption = f"*{figure.title}.* {figure.caption}".strip()
    keys = {f"{made.name}-{part}" for part in SHOWN}
    tables = "".join(f"{to_markdown(table)}\n" for table in page.tables() if table.key in keys)
    if page.details:
        tables = "".join(section_text(one) for one in (*page.sections, *page.details) if one.title in WHOLE)
    if page.headline:
        said = f"**{page.headline}.**\n\n{said}"
    return (
        f"# {page.title}\n\n{page.lead}\n\n```\ninarow study {made.name}{options} --out {made.name}\n```\n\n"
        f"Results here ({found.machine['processor']}, {found.machine['cores']} cores, "
        f"inarow {found.machine['inarow']}):\n\n{said}\n\n"
        f"![{figure.title}](../images/studies/{made.name}.svg)\n\n{caption}\n\n{tables}"
        "The report has these parts, with every table as CSV, Markdown and LaTeX:\n\n"
        f"{sections}\n\n"
        f"{SEEDS if found.study == QUOTED else ''}[All studies](../studies.md)\n"
    )


README = DOCS.parents[1] / "README.md"
QUOTED = "compare"
"""The study whose first finding the README quotes."""
SEEDS = "[The ranking with ten seeds](compare-seeds.md) · "


def quote(page: Page) -> None:
    """Quote the first finding in the README."""
    text = README.read_text(encoding="utf-8")
    start = "**What the comparison finds.**"
    said = f"{start} {page.summary[0]} ([The whole comparison](docs/studies/{QUOTED}.md).)"
    text = re.sub(rf"{re.escape(start)}.*?(?=\n\n)", lambda _: said, text, flags=re.DOTALL)
    README.write_text(text, encoding="utf-8")


def write(found: StudyResults, page: Page) -> None:
    """Write the page and its figure."""
    if found.study == QUOTED:
        quote(page)
    (DOCS / f"{found.study}.md").write_text(text_of(found, page), encoding="utf-8")
    figure = next(figure for figure in page.figures() if figure.key == study(found.study).figure)
    (IMAGES / f"{found.study}.svg").write_text(figure.svg, encoding="utf-8")


def main(folders: list[str]) -> None:
    """Write the page and the figure of each folder."""
    IMAGES.mkdir(parents=True, exist_ok=True)
    DOCS.mkdir(exist_ok=True)
    with contextlib.ExitStack() as stack:
        opened = [stack.enter_context(Store.read(Path(folder) / STORE)) for folder in folders]
        studies = [StudyResults(store, store.notes) for store in opened]
        for found in studies:
            write(found, page_of(study(found.study), found))


if __name__ == "__main__":
    main(sys.argv[1:])
