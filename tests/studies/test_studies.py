"""Every study of the core has a page without a number that is in no table."""

from __future__ import annotations

from pathlib import Path

import pytest

from inarow.report.page import Page, Section
from inarow.report.tables import Figure, Table
from inarow.studies.atlas import SECONDS
from inarow.studies.base import BUILT_IN
from support.study_checks import checked_page


@pytest.mark.parametrize("name", BUILT_IN)
def test_a_study_keeps_its_promises(name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(SECONDS, "quick", 0.02)
    page = checked_page(name, tmp_path)
    if name == "compare":
        compares_the_usual_algorithms(page)


def compares_the_usual_algorithms(page: Page) -> None:
    """Four algorithms and the ends of the scale on both games, with a figure, sentences, and folded details."""
    assert [section.title for section in page.sections] == [
        "Connect 4 at equal time", "Tic Tac Toe", "What pruning saves", "What Q-learning reaches", "What each costs",
        "Errors", "Questions a reader asks", "Words",
    ]  # fmt: skip
    assert [section.title for section in page.details] == ["Every pairing", "Counts and times", "Threats to validity"]
    tables = {table.key: table for table in page.tables()}
    names = {"minimax", "alpha–beta", "MCTS", "Q-learning", "rules", "random"}
    for key in ("connect4-cross", "connect4-cost", "tictactoe-exact", "connect4-accuracy"):
        assert {row[0] for row in tables[key].rows} == names, key
    for row in tables["pruning"].rows:
        assert row[2] == row[3], "minimax and alpha–beta chose the same moves"
        assert row[5] < row[4], "with fewer nodes"  # type: ignore[operator]
    assert any(sentence.startswith("Pruning saves") for sentence in page.summary)
    pairings = page.sections[0].items[0]
    assert isinstance(pairings, tuple)
    assert len(pairings) == 6, "a sentence for each pairing of the four"
    shown = [*page.sections, Section("", (page.figure,) if page.figure else ())]
    assert sum(isinstance(item, Figure) for section in shown for item in section.items) <= 8
    assert words(page) <= 2_500


def words(page: Page) -> int:
    """Return the words that a reader sees before the details."""
    count = sum(len(text.split()) for text in (page.title, page.lead, *page.sentences(), *page.warnings))
    for section in page.sections:
        for item in section.items:
            if isinstance(item, Table):
                cells = [text for row in item.texts() for text in row]
                count += sum(len(text.split()) for text in (item.title, *(c.name for c in item.columns), *cells))
                count += sum(len(note.split()) for note in item.footnotes())
            elif isinstance(item, Figure):
                count += len(f"{item.title} {item.caption}".split())
            elif isinstance(item, str):
                count += len(item.split())
    return count
