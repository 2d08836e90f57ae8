"""The docs' pages of studies, each from a study's folder: python scripts/study_pages.py FOLDER …"""

from __future__ import annotations

import shutil
import sys
from pathlib import Path

from inarow.arena import read_store
from inarow.report.page import Page
from inarow.studies import StudyResults, study
from inarow.studies.framework.running import STORE
from inarow.studies.sections.methods import page_of

DOCS = Path(__file__).parents[1] / "docs" / "studies"


def text_of(found: StudyResults, page: Page) -> str:
    """A page: what the study does, its command, what came out, the main figure and where the rest is."""
    made = study(found.study)
    options = "" if found.plan.scale == "quick" else f" --scale {found.plan.scale}"
    options += "" if found.plan.seed == 0 else f" --seed {found.plan.seed}"
    figure = next(figure for figure in page.figures() if figure.key == made.figure)
    sections = "\n".join(f"- {section.title}" for section in page.sections)
    said = "\n".join(f"- {sentence}" for sentence in page.summary)
    return (
        f"# {page.title}\n\n{page.lead}\n\n```\ninarow study {made.name}{options} --out {made.name}\n```\n\n"
        f"What came out of it here ({found.machine['processor']}, {found.machine['cores']} cores, "
        f"inarow {found.machine['inarow']}):\n\n{said}\n\n"
        f"![{figure.title}](../images/studies/{made.name}.svg)\n\n*{figure.title}.* {figure.caption}\n\n"
        f"The report has these parts, with every table as CSV, Markdown and LaTeX:\n\n{sections}\n\n"
        "[All studies](../studies.md)\n"
    )


def main(folders: list[str]) -> None:
    """Write the page and the figure of each folder."""
    images = DOCS.parent / "images" / "studies"
    images.mkdir(parents=True, exist_ok=True)
    DOCS.mkdir(exist_ok=True)
    for folder in map(Path, folders):
        with read_store(folder / STORE) as (store, notes):
            found = StudyResults(store, notes)
            page = page_of(study(found.study), found)
            (DOCS / f"{found.study}.md").write_text(text_of(found, page), encoding="utf-8")
            shutil.copyfile(folder / "figures" / f"{study(found.study).figure}.svg", images / f"{found.study}.svg")


if __name__ == "__main__":
    main(sys.argv[1:])
