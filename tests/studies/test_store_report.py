"""The report of any store shows what is there and says what is missing."""

from __future__ import annotations

import json
import sqlite3
from pathlib import Path

import pytest

from inarow.arena import Running, Store, Tournament, open_executor
from inarow.arena.store import checksum
from inarow.errors import InarowError
from inarow.report.page import Page, unbacked_numbers
from inarow.stats import Sprt
from inarow.studies import run_study, store_report
from inarow.studies.store_report import page_of_stores
from support.commands import inarow
from support.study_doubles import Little

AGENT = "def agent(observation, configuration):\n    return observation.board.index(0)\n"


def played(path: Path, *tournaments: Tournament) -> Path:
    with Store.create(path) as store, open_executor(1, None) as executor:
        for tournament in tournaments:
            Running(tournament, store, store.begin(tournament), executor).play()
    return path


def page(path: Path) -> Page:
    with Store.read(path) as store:
        return page_of_stores([store])


@pytest.fixture(scope="module")
def whole(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A round robin of three."""
    agents = ("rules", "random", "minimax:depth=2")
    path = tmp_path_factory.mktemp("stores") / "league.db"
    return played(path, Tournament.of("tictactoe", agents, "random:1", 10))


def copy(whole: Path, folder: Path, statement: str = "") -> Path:
    path = folder / "copy.db"
    path.write_bytes(whole.read_bytes())
    if statement:
        with sqlite3.connect(path) as database:
            database.executescript(statement)
    return path


def test_a_tournament_has_a_page_with_tables_figures_and_methods(whole: Path) -> None:
    made = page(whole)
    assert not made.warnings
    assert unbacked_numbers(made) == []
    keys = {table.key for table in made.tables()}
    assert {"tictactoe-standings", "tictactoe-pairings", "tictactoe-parameters", "methods-players"} <= keys
    assert {"tictactoe-cross", "tictactoe-elo", "tictactoe-frontier"} <= {figure.key for figure in made.figures()}
    assert made.headline.startswith("Tic Tac Toe: ")
    (said,) = made.summary
    assert said.endswith(" of 3 pairings show a difference).")


def test_the_command_writes_the_same_bytes_again_and_leaves_other_folders_alone(
    whole: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    drawn = store_report._sections
    monkeypatch.setattr(
        store_report, "_sections", lambda part, graded: drawn(part, graded)[:1]
    )  # drawing takes seconds
    store = copy(whole, tmp_path)
    said = inarow("report", str(store)).stdout.splitlines()
    folder = tmp_path / "copy-report"
    assert said[0].startswith("Tic Tac Toe: ")
    assert said[1] == f"Report: {folder / 'report.html'}"
    before = {path: path.read_bytes() for path in folder.rglob("*") if path.is_file()}
    inarow("report", str(store))
    assert {path: path.read_bytes() for path in folder.rglob("*") if path.is_file()} == before
    mine = tmp_path / "mine"
    (mine / "tables").mkdir(parents=True)
    (mine / "tables" / "thesis.csv").write_text("mine")
    assert "is in use: it has other files" in inarow("report", str(store), "--out", str(mine), code=2).stderr
    assert (mine / "tables" / "thesis.csv").exists()
    assert "is a file; give a folder" in inarow("report", str(store), "--out", str(store), code=2).stderr


def test_a_half_written_store_is_shown_as_far_as_it_goes(whole: Path, tmp_path: Path) -> None:
    later = "FROM match WHERE pair >= 3"
    store = copy(whole, tmp_path, f"DELETE FROM timing WHERE id IN (SELECT id {later}); DELETE {later};")
    made = page(store)
    unfinished = "1 tournament is unfinished, with 18 matches so far. Partial results are shown."
    assert made.warnings == (unfinished,)
    assert unbacked_numbers(made) == []
    with Store.open(store):
        warnings = page(store).warnings
    assert warnings[-1] == unfinished
    assert "these are the results so far" in warnings[0]


def test_a_store_cut_short_is_shown_as_far_as_it_can_be_read(whole: Path, tmp_path: Path) -> None:
    data = whole.read_bytes()
    (tmp_path / "cut.db").write_bytes(data[: len(data) - 8192])
    made = page(tmp_path / "cut.db")
    assert any("is damaged" in warning for warning in made.warnings)


def test_a_store_of_another_version_is_shown_with_a_warning(whole: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("inarow.arena.store.__version__", "7.0")
    assert any("was written by inarow 0." in warning for warning in page(whole).warnings)


def test_a_tournament_that_this_version_does_not_know_is_named_and_the_others_are_shown(
    whole: Path, tmp_path: Path
) -> None:
    store = copy(whole, tmp_path)
    config = {"game": "tictactoe", "agents": [{"spec": "rules"}], "format": "swiss", "self": True, "sprt": {"elo9": 1}}
    row = (9, "abc", "of the future", json.dumps({**config, "game": "hex:11"}), '[["rules", "rules"]]')
    with sqlite3.connect(store) as database:
        database.execute("INSERT INTO tournament VALUES (?, ?, ?, ?, ?, ?)", (*row, checksum(row)))
    made = page(store)
    assert any("'of the future' can't be shown by this version" in warning for warning in made.warnings)
    assert "tictactoe-standings" in {table.key for table in made.tables()}
    with sqlite3.connect(store) as database:
        database.executescript("DELETE FROM tournament WHERE id = 1")
    with pytest.raises(InarowError, match="holds no tournament that can be shown"):
        page(store)


def test_an_agent_that_no_longer_loads_is_named_and_its_matches_are_shown(tmp_path: Path) -> None:
    file = tmp_path / "leftmost.py"
    file.write_text(AGENT)
    store = played(tmp_path / "external.db", Tournament.of("tictactoe", (f"file:{file}", "random"), "none", 1))
    file.unlink()
    made = page(store)
    assert any("leftmost.py can’t be loaded" in warning for warning in made.warnings)
    standings = next(table for table in made.tables() if table.key == "tictactoe-standings")
    assert {str(row[0]) for row in standings.rows} == {"leftmost", "random"}


def test_meetings_of_a_league_are_one_pool(tmp_path: Path) -> None:
    meetings = [
        Tournament.of("tictactoe", pair, "random:1", 3)
        for pair in (("rules", "random"), ("rules", "minimax:depth=1"), ("random", "minimax:depth=1"))
    ]
    again = Tournament.of("tictactoe", ("rules", "random"), "none", 2)
    made = page(played(tmp_path / "league.db", *meetings, again))
    tables = {table.key: table for table in made.tables()}
    assert len(tables["tictactoe-standings"].rows) == 3
    assert len(tables["tictactoe-2-standings"].rows) == 2
    assert [section.title for section in made.sections if "results" in section.title] == [
        "Tic Tac Toe: results", "Tic Tac Toe, 2: results"
    ]  # fmt: skip


def test_a_sequential_test_has_a_page(tmp_path: Path) -> None:
    test = Tournament.of("tictactoe", ("rules", "random"), "random:1", 100, sprt=Sprt(0, 50, 0.1, 0.1))
    made = page(played(tmp_path / "test.db", test))
    assert made.headline == "rules is stronger than random"
    assert unbacked_numbers(made) == []
    test_table = next(table for table in made.tables() if table.key == "tictactoe-test")
    assert ["accepted", "elo1"] in test_table.texts()


def test_the_store_of_a_study_gives_the_page_of_the_study(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("inarow.studies.store_report.study", lambda name: Little())
    run_study(Little(), tmp_path / "little", workers=1)
    assert page(tmp_path / "little" / "study.db").title == "A little study"
    said = inarow("report", str(tmp_path / "little"), "--out", "elsewhere", code=2).stderr
    assert "the report of a study goes into its folder" in said


def test_several_stores_make_one_document_with_accuracy(whole: Path, tmp_path: Path) -> None:
    other = played(tmp_path / "four.db", Tournament.of("4x4x3", ("rules", "random"), "random:2", 3))
    out = tmp_path / "both"
    inarow("report", str(whole), str(other), "--title", "Two games", "--out", str(out))
    text = (out / "report.html").read_text(encoding="utf-8")
    assert "Two games" in text
    assert "C. E. Shannon" in text, "minimax plays in the first store only"
    tables = {path.stem for path in (out / "tables").glob("*.md")}
    assert {"tictactoe-standings", "4x4x3-standings", "methods-players-1", "methods-players-2"} <= tables
    rows = (out / "tables" / "tictactoe-accuracy.md").read_text(encoding="utf-8")
    assert "minimax:depth=2" in rows
    assert "%" in rows
    inarow("report", str(whole), "--no-accuracy", "--out", str(tmp_path / "plain"))
    assert not (tmp_path / "plain" / "tables" / "tictactoe-accuracy.md").exists()


def test_a_study_is_not_mixed_with_other_stores(whole: Path, tmp_path: Path) -> None:
    run_study(Little(), tmp_path / "study", workers=1)
    told = inarow("report", str(whole), str(tmp_path / "study" / "study.db"), "--out", str(tmp_path / "x"), code=2)
    assert "holds a study, which has its own report" in told.stderr
