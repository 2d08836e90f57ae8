"""The study of every report shows each published figure exactly as its source has it."""

from __future__ import annotations

from pathlib import Path

import pytest

from inarow.arena import Store
from inarow.report.page import Page, Section, unbacked_numbers
from inarow.reproductions import overview, verdicts
from inarow.reproductions.published import published, published_tables
from inarow.studies import Measurement, Plan, Study, StudyResults, do_experiments, study
from inarow.studies.framework.study import Content
from inarow.studies.sections.methods import page_of
from support.study_checks import checked_page
from support.study_doubles import LeastPlan, count_to


@pytest.mark.parametrize("name", ["r1", "r2", "r3", "r4", "r5"])
def test_a_study_of_a_report_shows_every_published_figure(name: str, tmp_path: Path) -> None:
    holds_every_published_figure(name, checked_page(name, tmp_path))


def holds_every_published_figure(name: str, page: Page) -> None:
    """Exactly as its source has it, with ours beside it, and the report's errors."""
    cells = {cell for table in page.tables() for row in table.texts() for cell in row}
    parts = {part.strip() for cell in cells for part in cell.replace("–", "/").split("/")}
    sources = published_tables(name)
    assert sources
    for source in sources:
        for row in published(source):
            for column, text in row.items():
                known = not text or text in cells or text in parts or column == "alpha_beta"
                assert known, (source, row, column)
    assert "not played here" not in cells
    assert any(section.title == "The report’s errors" for section in page.sections)
    assert not [text for text in page.sentences() if "can’t come" in text]  # one run shows no impossibility
    if name == "r4":
        table = next(table for table in page.tables() if table.key == "r4-scalability")
        exact = [(row[2], row[3]) for row in table.rows if verdicts.EXACT in row]
        assert all(
            int(str(published)) == ours for published, ours in exact
        )  # of the printed program, not a corrected one


class OneRow(Study):
    """A report with one published row, which its program does not give, and nothing to run."""

    name = "r1"
    title = summary = "for tests"

    def experiments(self, plan: Plan) -> list[Measurement]:
        return [Measurement("counted", count_to, {"end": 3})]

    def content(self, found: StudyResults) -> Content:
        assert found.keys() == ["counted"]
        measured = found.measured("counted")
        assert measured is not None
        assert found.config("counted")["settings"] == {"end": 3}
        assert not found.labels("counted")
        assert not list(found.records("counted"))
        row = verdicts.Row(("a row",), "100 / 0 / 0", (100, 0, 0), (0, 0, 100), verdicts.SAME, "by hand")
        tables = verdicts.judged([verdicts.Group("group", "A table", ("row",), [row])])
        sentence, closing = verdicts.closing("R1", tables)
        return Content("", (sentence,), [Section("Rows", tuple(tables)), *closing])


def test_the_page_over_all_reports_adds_their_verdicts_up(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(overview, "REPORTS", (OneRow,))
    do_experiments(study("reports"), tmp_path / "out", LeastPlan(), workers=1)
    with Store.read(tmp_path / "out" / "study.db") as store:
        page = page_of(study("reports"), StudyResults(store))
    assert unbacked_numbers(page) == []
    tables = {table.key: table for table in page.tables()}
    assert tables["reports-all"].rows[-1][:5] == ("in all", 0, 0, 1, 0)
    assert tables["r1-not-reproduced"].rows == (("A table", "a row", "100 / 0 / 0", "0 / 0 / 100 % of 100"),)
    assert page.summary[0].startswith("Of all published rows 0 are exact, 0 consistent")
    assert study("reports").figure in {figure.key for figure in page.figures()}


def test_the_page_over_all_reports_has_every_experiment_of_each() -> None:
    keys = [experiment.key for experiment in study("reports").experiments(LeastPlan())]
    assert len(keys) == len(set(keys))
    assert {key.partition("-")[0] for key in keys} == {"r1", "r2", "r3", "r4", "r5"}
    assert {report.name for report in overview.REPORTS} == set(overview.WHY)


def test_a_report_has_its_own_published_tables() -> None:
    assert all(published_tables(report) for report in ("r1", "r2", "r3", "r4", "r5"))
