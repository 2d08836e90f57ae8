"""The docs' pages of the five reports: python scripts/report_pages.py [FOLDER …]

Figures are taken from folders in which the reports' studies were run; without one, those that are there stay.
"""

from __future__ import annotations

import shutil
import sys
from pathlib import Path

from inarow.reproductions.about import all_reports
from inarow.reproductions.pages import coverage_page, report_page

DOCS = Path(__file__).parents[1] / "docs"
IMAGES = DOCS / "images" / "reproductions"


def main(folders: list[str]) -> None:
    """Write the pages, and copy the figures that they show."""
    (DOCS / "reproductions").mkdir(exist_ok=True)
    IMAGES.mkdir(parents=True, exist_ok=True)
    (DOCS / "coverage.md").write_text(coverage_page(), encoding="utf-8")
    for one in all_reports():
        (DOCS / "reproductions" / f"{one.name}.md").write_text(report_page(one), encoding="utf-8")
        for key in [key for figure in one.figures for key in figure.keys]:
            for folder in folders:
                if (found := Path(folder) / "figures" / f"{key}.svg").exists():
                    shutil.copy(found, IMAGES / found.name)


if __name__ == "__main__":
    main(sys.argv[1:])
