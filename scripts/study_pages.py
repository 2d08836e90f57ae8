"""The docs' pages of studies, each from a study's folder: python scripts/study_pages.py FOLDER …

Given the folders of all five reports, it also makes the page over all of them, from their stores: the study ``reports``
does the same experiments.
"""

from __future__ import annotations

import contextlib
import sys
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

from inarow.arena import Results, Store
from inarow.formatting import listed
from inarow.match import MatchRecord
from inarow.report.page import Page
from inarow.report.tables import to_markdown
from inarow.reproductions.overview import REPORTS
from inarow.studies import StudyResults, study
from inarow.studies.framework.running import STORE
from inarow.studies.sections.methods import page_of

DOCS = Path(__file__).parents[1] / "docs" / "studies"
IMAGES = DOCS.parent / "images" / "studies"
SHOWN = ("all", "findings", "verdicts", "not-reproduced", "errors", "unstated")
"""Tables of the reports' studies that their pages show, by the end of their keys."""


class Gathered(StudyResults):
    """The results of all reports, each from a store of its own, under the keys of the study over all of them."""

    def __init__(self, parts: Mapping[str, StudyResults]) -> None:
        self.parts = parts
        one = min(parts.values(), key=lambda part: part.plan.scale == "full")  # if one is quick, so is the whole
        self.plan, self.machine, self.notes = one.plan, one.machine, []
        experiments = [
            {**entry, "key": f"{name}-{entry['key']}"}
            for name, part in parts.items()
            for entry in part.manifest["experiments"]
        ]
        self.manifest = {**one.manifest, "study": "reports", "experiments": experiments}

    def _at(self, key: str) -> tuple[StudyResults, str]:
        name, _, rest = key.partition("-")
        return self.parts[name], rest

    def keys(self, kind: str = "") -> list[str]:
        return [f"{name}-{key}" for name, part in self.parts.items() for key in part.keys(kind)]

    def config(self, key: str) -> dict[str, Any]:
        part, rest = self._at(key)
        return part.config(rest)

    def labels(self, key: str) -> dict[str, str]:
        part, rest = self._at(key)
        return part.labels(rest)

    def results(self, key: str) -> Results | None:
        part, rest = self._at(key)
        return part.results(rest)

    def measured(self, key: str) -> dict[str, Any] | None:
        part, rest = self._at(key)
        return part.measured(rest)

    def records(self, key: str) -> Iterator[MatchRecord]:
        part, rest = self._at(key)
        yield from part.records(rest)


def text_of(found: StudyResults, page: Page) -> str:
    """A page: what the study does, its command, findings, the main figure and where the rest is."""
    made = study(found.study)
    options = "" if found.plan.scale == "quick" else f" --scale {found.plan.scale}"
    options += "" if found.plan.seed == 0 else f" --seed {found.plan.seed}"
    figure = next(figure for figure in page.figures() if figure.key == made.figure)
    sections = "\n".join(f"- {section.title}" for section in page.sections)
    said = "\n".join(f"- {sentence}" for sentence in page.summary) + "".join(f"\n\n{one}" for one in page.warnings)
    caption = f"*{figure.title}.* {figure.caption}".strip()
    keys = {f"{made.name}-{part}" for part in SHOWN}
    tables = "".join(f"{to_markdown(table)}\n" for table in page.tables() if table.key in keys)
    if page.headline:
        said = f"**{page.headline}.**\n\n{said}"
    return (
        f"# {page.title}\n\n{page.lead}\n\n```\ninarow study {made.name}{options} --out {made.name}\n```\n\n"
        f"Results here ({found.machine['processor']}, {found.machine['cores']} cores, "
        f"inarow {found.machine['inarow']}):\n\n{said}\n\n"
        f"![{figure.title}](../images/studies/{made.name}.svg)\n\n{caption}\n\n{tables}"
        "The report has these parts, with every table as CSV, Markdown and LaTeX:\n\n"
        f"{sections}\n\n"
        "[All studies](../studies.md)\n"
    )


def write(found: StudyResults, page: Page) -> None:
    """Write the page and its figure."""
    (DOCS / f"{found.study}.md").write_text(text_of(found, page), encoding="utf-8")
    figure = next(figure for figure in page.figures() if figure.key == study(found.study).figure)
    (IMAGES / f"{found.study}.svg").write_text(figure.svg, encoding="utf-8")


def main(folders: list[str]) -> None:
    """The page and the figure of each folder, and of all reports together if they are there."""
    IMAGES.mkdir(parents=True, exist_ok=True)
    DOCS.mkdir(exist_ok=True)
    with contextlib.ExitStack() as stack:
        opened = [stack.enter_context(Store.read(Path(folder) / STORE)) for folder in folders]
        studies = [StudyResults(store, store.notes) for store in opened]
        for found in studies:
            write(found, page_of(study(found.study), found))
        parts = {found.study: found for found in studies}
        if {report.name for report in REPORTS} <= parts.keys():
            whole, made = Gathered({report.name: parts[report.name] for report in REPORTS}), study("reports")
            content = made.content(whole)
            larger = [name.upper() for name, part in whole.parts.items() if part.plan.scale != whole.plan.scale]
            lead = content.lead + (f" Here {listed(larger)} ran at scale full." if larger else "")
            write(whole, Page(made.title, lead, tuple(content.summary), tuple(content.sections), ()))


if __name__ == "__main__":
    main(sys.argv[1:])
