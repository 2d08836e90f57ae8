"""Every study has a page that keeps what is promised: no number without a table, every published figure exactly."""

from __future__ import annotations

from pathlib import Path

import pytest

from inarow.arena import read_store
from inarow.report.page import Page, unbacked_numbers
from inarow.studies import StudyResults, do_experiments, study, study_names
from inarow.studies.reports.published import FOLDER, published
from inarow.studies.sections.methods import page_of
from support.study_doubles import LeastPlan


@pytest.mark.parametrize("name", study_names())
def test_a_study_keeps_its_promises(name: str, tmp_path: Path) -> None:
    """One test for each study, because each is played once: as little as can be, but in full."""
    do_experiments(study(name), tmp_path / "out", LeastPlan(), workers=1)
    with read_store(tmp_path / "out" / "study.db") as (store, _):
        page = page_of(study(name), StudyResults(store))
    assert not page.warnings
    assert page.summary
    assert unbacked_numbers(page) == []
    keys = [table.key for table in page.tables()] + [figure.key for figure in page.figures()]
    assert len(keys) == len(set(keys))
    assert all(table.rows for table in page.tables())
    assert study(name).figure in keys
    assert all(text for table in page.tables() for row in table.texts() for text in row)  # a blank has a reason
    if name.startswith("r"):
        holds_every_published_figure(name, page)


def holds_every_published_figure(name: str, page: Page) -> None:
    """Exactly as its source has it, with ours beside it, and the report's errors."""
    cells = {cell for table in page.tables() for row in table.texts() for cell in row}
    parts = {part.strip() for cell in cells for part in cell.replace("–", "/").split("/")}
    sources = [path.stem for path in sorted(FOLDER.glob(f"{name}_*.csv"))]
    assert sources
    for source in sources:
        for row in published(source):
            for column, text in row.items():
                known = not text or text in cells or text in parts or column == "alpha_beta"
                assert known, (source, row, column)
    assert "not played here" not in cells
    assert any(section.title == "The report’s errors" for section in page.sections)


def test_a_report_has_its_own_published_tables() -> None:
    assert {path.stem.partition("_")[0] for path in FOLDER.glob("*.csv")} == {"r1", "r2", "r3", "r4", "r5"}
