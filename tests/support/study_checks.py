"""What holds for the page of every study."""

from __future__ import annotations

from pathlib import Path

from inarow.arena import Store
from inarow.report.page import Page, unbacked_numbers
from inarow.studies import StudyResults, do_experiments, study
from inarow.studies.methods import page_of
from support.study_doubles import LeastPlan


def checked_page(name: str, folder: Path) -> Page:
    """Run as little of a study as possible, check its page, and return it."""
    do_experiments(study(name), folder / "out", LeastPlan(), workers=1)
    with Store.read(folder / "out" / "study.db") as store:
        page = page_of(study(name), StudyResults(store))
    by_load = ("machine was busy", "counts don’t fit")
    assert [warning for warning in page.warnings if not any(words in warning for words in by_load)] == []
    assert any(page.sentences())
    assert unbacked_numbers(page) == []
    keys = [table.key for table in page.tables()] + [figure.key for figure in page.figures()]
    assert len(keys) == len(set(keys))
    assert all(table.rows for table in page.tables())
    assert study(name).figure in keys
    assert all(text for table in page.tables() for row in table.texts() for text in row)  # a blank has a reason
    assert not [note for table in page.tables() for note in table.footnotes() if "{" in note], "a gap was left unfilled"
    return page
