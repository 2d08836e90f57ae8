"""The study of every report shows each published figure exactly as its source has it."""

from __future__ import annotations

from pathlib import Path

import pytest

from inarow.report.page import Page
from inarow.reproductions.about import report
from inarow.reproductions.assessment import REPORTS, assessed
from inarow.reproductions.distributions import FOLDER, published
from inarow.studies import study
from support.study_checks import checked_page
from support.study_doubles import LeastPlan


@pytest.mark.parametrize("name", ["r1", "r2", "r3", "r4", "r5"])
def test_a_study_of_a_report_shows_every_published_figure(name: str, tmp_path: Path) -> None:
    page = checked_page(name, tmp_path)
    holds_every_published_figure(name, page)
    tables = {table.key: table for table in page.tables()}
    if name == "r1":
        assert all(float(str(row[-1])) > 0 for row in tables["r1-memory"].rows)
    if name == "r4":
        assert {row[:2] for row in tables["r4-random"].rows} >= {("Q-learning", "random"), ("default", "random")}
    drawn = {figure.key: figure for figure in page.figures()}
    assert {key for figure in report(name).figures for key in figure.keys} <= set(drawn)
    assert "quick scale: fewer games and episodes than at full scale" in drawn[study(name).figure].svg


def holds_every_published_figure(name: str, page: Page) -> None:
    """Exactly as its source has it, with ours beside it, and the report's errors."""
    cells = {cell for table in page.tables() for row in table.texts() for cell in row}
    parts = {part.strip() for cell in cells for part in cell.replace("–", "/").split("/")}
    sources = [f"{name}_{path.stem}" for path in (FOLDER / name / "published").glob("*.csv")]
    assert sources
    for source in sources:
        for row in published(source):
            for column, text in row.items():
                known = not text or text in cells or text in parts or column == "alpha_beta"
                assert known, (source, row, column)
    assert "not played here" not in cells
    assert any(section.title == "The report’s errors" for section in page.sections)


def test_the_page_over_all_reports_adds_their_verdicts_up(tmp_path: Path) -> None:
    """It plays nothing, so that it is the same at every scale."""
    page = checked_page("reports", tmp_path)
    assert not study("reports").experiments(LeastPlan())
    made = next(table for table in page.tables() if table.key == "reports-all")
    for place in range(1, len(made.columns)):
        counts = [int(str(row[place])) for row in made.rows]
        assert counts[-1] == sum(counts[:-1])
    rows = {report.upper(): len(assessed(report)) for report in REPORTS}
    assert {row[0]: row[1] for row in made.rows[:-1]} == rows
