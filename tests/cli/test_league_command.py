"""inarow league holds a league with one command, and says what is wrong with a file, a roster or settings."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from inarow.errors import HostFailure
from support.commands import inarow
from support.external_corpus import CS50
from support.league_doubles import FIRST_FREE, hand_in

SETTINGS = """
title = "Two boards"
boards = ["tictactoe", "3x3x2"]
pairs = 5
max_pairs = 5
seed = 1
[[ladder]]
agent = "random"
points = 80
"""


def test_a_folder_becomes_a_table_marks_and_a_site(tmp_path: Path) -> None:
    folder = hand_in(tmp_path / "class", ada=FIRST_FREE, cleo="return 3", zoe=FIRST_FREE)
    hand_in(folder / "Bob", tictactoe=CS50)
    (tmp_path / "league.toml").write_text(SETTINGS, encoding="utf-8")
    roster = 'file,name,group\nada.py,"Ada <b>",red\ndan.py,Dan,blue\n'
    (tmp_path / "roster.csv").write_text(roster, encoding="utf-8")
    (folder / "essay.pdf").write_bytes(b"%PDF")
    done = inarow("league", str(folder), "--workers", "1", "--require-sandbox")
    shown = done.stdout
    out = tmp_path / "class-league"
    assert "Two boards" in shown
    assert re.search(r"^cleo: cannot be loaded: SyntaxError.*\.$", shown, re.MULTILINE)
    assert "Dan: nothing was handed in." in shown
    assert re.search(r"^ \d  Ada <b>  ", shown, re.MULTILINE), "names are aligned left"
    assert "essay.pdf: a .pdf file can't be used: expected a .py file, a folder" in shown
    assert "1 cluster of similar submissions" in shown
    assert f"settings: {tmp_path / 'league.toml'}; roster: {tmp_path / 'roster.csv'}" in done.stderr
    assert re.search(r"checking files takes at most \d+ (s|min)", done.stderr)
    assert re.search(r"\d+ pairs against reference players are to be played; estimated time", done.stderr)
    assert re.search(r"\d+ of \d+ pairs against reference players\.$", done.stderr, re.MULTILINE)
    assert f"The site: {out / 'site' / 'index.html'}" in shown
    page = (out / "site" / "index.html").read_text(encoding="utf-8")
    assert "Ada &lt;b&gt;" in page
    assert "Ada <b>" not in page
    assert "http" not in page.replace("http-equiv", ""), "nothing comes from the network"
    marks = (out / "marks.csv").read_text(encoding="utf-8").splitlines()
    assert [line.split(",")[0] for line in marks[1:]] == ["Ada <b>", "Bob", "cleo", "Dan", "essay.pdf", "zoe"]
    (bob,) = (out / "site" / "entrants").glob("bob-*.html")
    text = bob.read_text(encoding="utf-8")
    assert text.count("data-match=") >= 10, "a replay of each match"
    assert "40" in text, "the points of a reference player are split among the boards"
    (zoe,) = (out / "site" / "entrants").glob("zoe-*.html")
    assert "What to fix (Tic Tac Toe)" in zoe.read_text(encoding="utf-8")


@pytest.mark.parametrize(
    ("files", "said"),
    [
        ({}, "is empty; put a file or folder there"),
        ({"ada.py": "", "../league.toml": "pears = 1"}, "unknown key 'pears'"),
        ({"ada.py": "", "../roster.csv": "file\nada.py\n"}, "has no column name"),
        (
            {"ada.py": "", "league.toml": "pairs = 1"},
            "league.toml is among the submissions, where any entrant",
        ),
        ({"ada.py": "", "roster.csv": "file,name\n"}, "or name the file to use with --roster"),
    ],
)
def test_bad_input_is_refused_before_anything_is_written(files: dict[str, str], said: str, tmp_path: Path) -> None:
    folder = hand_in(tmp_path / "class")
    for name, text in files.items():
        (folder / name).write_text(text, encoding="utf-8")
    assert said in inarow("league", str(folder), code=2).stderr
    assert not (tmp_path / "class-league").exists()


@pytest.mark.parametrize(("stop", "code"), [(KeyboardInterrupt(), 130), (HostFailure("the disk is full"), 1)])
def test_a_stopped_league_says_how_to_continue(
    stop: BaseException, code: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def stopped(*_: object, **more: object) -> None:
        raise stop

    monkeypatch.setattr("inarow.teaching.league.running.check_jobs", stopped)
    folder = hand_in(tmp_path / "class", ada=FIRST_FREE)
    said = inarow("league", str(folder), code=code).stderr
    assert "run the same command to continue" in said
    assert str(stop) in said
    assert "Not finished" in (tmp_path / "class-league" / "site" / "index.html").read_text(encoding="utf-8")
