"""Every study has a page that keeps what is promised: no number without a table, every published figure exactly."""

from __future__ import annotations

from pathlib import Path

import pytest

from inarow.arena import read_store
from inarow.report.page import Page, Section, unbacked_numbers
from inarow.studies import Measurement, Plan, Study, StudyResults, do_experiments, study, study_names
from inarow.studies.framework.study import Content
from inarow.studies.reports import overview, verdicts
from inarow.studies.reports.published import FOLDER, published
from inarow.studies.sections.methods import page_of
from support.study_doubles import LeastPlan, count_to


@pytest.mark.parametrize("name", [name for name in study_names() if name != "reports"])
def test_a_study_keeps_its_promises(name: str, tmp_path: Path) -> None:
    """One test for each study, because each is played once: as little as can be, but in full."""
    do_experiments(study(name), tmp_path / "out", LeastPlan(), workers=1)
    with read_store(tmp_path / "out" / "study.db") as (store, _):
        page = page_of(study(name), StudyResults(store))
    assert [warning for warning in page.warnings if "machine was busy" not in warning] == []
    assert any(page.sentences())
    assert unbacked_numbers(page) == []
    keys = [table.key for table in page.tables()] + [figure.key for figure in page.figures()]
    assert len(keys) == len(set(keys))
    assert all(table.rows for table in page.tables())
    assert study(name).figure in keys
    assert all(text for table in page.tables() for row in table.texts() for text in row)  # a blank has a reason
    assert not [note for table in page.tables() for note in table.footnotes() if "{" in note], "a gap was left unfilled"
    if name.startswith("r"):
        holds_every_published_figure(name, page)
    if name == "compare":
        compares_the_usual_algorithms(page)


def compares_the_usual_algorithms(page: Page) -> None:
    """On both games, minimax and alpha–beta at equal depth with the same moves, and learners in five runs."""
    assert [section.title for section in page.sections] == [
        "Which is better, by how much", "Cost", "Accuracy against exact values", "Learning curves",
        "Scaling with depth, time and board", "Threats to validity",
    ]  # fmt: skip
    tables = {table.key: table for table in page.tables()}
    for game in ("connect4", "tictactoe"):
        kinds = [str(row[0]).partition(" (")[0] for row in tables[f"{game}-standings"].rows]
        assert set(kinds) == {
            "random", "rules", "minimax", "alpha–beta", "Q-learning", "guided Q-learning", "MCTS", "n-tuple", "best",
            "perfect",
        }  # fmt: skip
        assert {row[1] for row in tables[f"{game}-trained"].rows} == {5}
        graded = {row[1] for row in tables[f"{game}-truth"].rows}
        assert len(graded) == 1, "all on the same positions"
    for row in tables["pruning"].rows:
        assert row[2] == row[3], "minimax and alpha–beta chose the same moves"
        assert row[5] < row[4], "with fewer nodes"  # type: ignore[operator]
    assert "alpha–beta plays minimax’s moves with" in page.headline
    for name in ("minimax", "alpha–beta", "MCTS", "Q-learning", "n-tuple"):
        assert name in page.headline


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
    with read_store(tmp_path / "out" / "study.db") as (store, _):
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
    assert {path.stem.partition("_")[0] for path in FOLDER.glob("*.csv")} == {"r1", "r2", "r3", "r4", "r5"}
