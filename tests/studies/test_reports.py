"""The studies of the five reports hold every published figure exactly, and ours beside it."""

from __future__ import annotations

import pytest

from inarow.arena import read_store
from inarow.report.page import Page, unbacked_numbers
from inarow.studies import Found, do_experiments, study
from inarow.studies.methods import page_of
from inarow.studies.published import FOLDER, published
from study_doubles import LeastPlan

REPORTS = ("r1", "r2", "r3", "r4", "r5")


@pytest.fixture(scope="module", params=REPORTS)
def page(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Page:
    folder = tmp_path_factory.mktemp(request.param)
    do_experiments(study(request.param), folder, LeastPlan(), workers=1, force=True)
    with read_store(folder / "study.db") as (store, _):
        return page_of(study(request.param), Found(store))


def names(page: Page) -> list[str]:
    """The published tables that belong to a page."""
    return [path.stem for path in sorted(FOLDER.glob("*.csv")) if path.stem.startswith(page.title[:2].lower())]


def test_every_published_figure_is_there_exactly(page: Page) -> None:
    cells = {cell for table in page.tables() for row in table.texts() for cell in row}
    parts = {part.strip() for cell in cells for part in cell.replace("–", "/").split("/")}
    assert names(page)
    for name in names(page):
        for row in published(name):
            for column, text in row.items():
                assert not text or text in cells or text in parts or column in ("alpha_beta", "row"), (
                    name,
                    row,
                    column,
                )


def test_every_published_table_was_played_here_too(page: Page) -> None:
    assert not page.warnings
    for table in page.tables():
        assert table.rows
        for row in table.texts():
            assert "not played here" not in row, (table.title, row)


def test_every_number_of_the_summary_is_in_a_table(page: Page) -> None:
    assert page.summary
    assert unbacked_numbers(page) == []


def test_the_errors_of_the_report_are_shown(page: Page) -> None:
    assert any(section.title == "The report’s errors" for section in page.sections)


def test_keys_of_tables_and_figures_are_unique(page: Page) -> None:
    keys = [table.key for table in page.tables()] + [figure.key for figure in page.figures()]
    assert len(keys) == len(set(keys))
