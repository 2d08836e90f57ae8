"""Entrants come from a folder and a roster; whatever is wrong with one of them is its own line."""

from __future__ import annotations

import os
import pickle
import sys
from pathlib import Path

import pytest

from inarow.agents.external import Policy
from inarow.teaching.league.entrants import Entrant, LeagueError, read_entrants, read_roster
from support.league_doubles import FIRST_FREE, LAST_FREE, hand_in


def roster(tmp_path: Path, text: str) -> Path:
    path = tmp_path / "roster.csv"
    path.write_text(text, encoding="utf-8")
    return path


def test_files_and_folders_are_entrants_named_like_them(tmp_path: Path) -> None:
    folder = hand_in(tmp_path / "class", bob=FIRST_FREE)
    hand_in(folder / "Ada", main=LAST_FREE)
    hand_in(folder / ".git", main="")
    hand_in(folder / "__pycache__", main="")
    (folder / ".DS_Store").touch()
    found = read_entrants(folder)
    assert [(one.name, one.file, one.problem) for one in found] == [("Ada", "Ada", ""), ("bob", "bob.py", "")]


@pytest.mark.skipif(sys.platform != "linux", reason="only Linux has file names that are no text")
def test_file_names_that_are_no_text_are_shown_as_far_as_they_can_be(tmp_path: Path) -> None:
    folder = hand_in(tmp_path / "class", bob=FIRST_FREE)
    (folder / os.fsdecode(b"a\xff\n.py")).write_text(FIRST_FREE, encoding="utf-8")
    hand_in(folder / "team", main=FIRST_FREE, **{os.fsdecode(b"\xff"): ""})
    found = read_entrants(folder)
    assert [(one.name, one.file, one.problem) for one in found] == [
        ("a\ufffd", "a\ufffd .py", ""),
        ("bob", "bob.py", ""),
        ("team", "team", ""),
    ]
    assert len({one.digest for one in found}) == 2  # of the team: of all its files


def test_a_roster_gives_names_and_groups_and_says_who_handed_nothing_in(tmp_path: Path) -> None:
    folder = hand_in(tmp_path / "class", a1=FIRST_FREE, b2=LAST_FREE)
    (folder / "report.pdf").touch()
    text = "\ufefffile,name,group,mail\na1.py,Ada,red,x\ncleo.py,Cleo,blue,y\nreport.pdf,Dan,red,z\n"
    found = read_entrants(folder, roster(tmp_path, text))
    assert [(one.name, one.group, one.file) for one in found] == [
        ("Ada", "red", "a1.py"),
        ("b2", "", "b2.py"),
        ("Cleo", "blue", ""),
        ("Dan", "red", "report.pdf"),
    ]
    assert found[2].problem == "nothing was handed in"
    assert found[3].problem.startswith(
        "a .pdf file can't be used: expected a .py file, a folder, a notebook (.ipynb) or an archive"
    )


def test_a_name_and_the_content_identify_an_agent_not_its_path(tmp_path: Path) -> None:
    one, two = (read_entrants(hand_in(tmp_path / name, ada=FIRST_FREE))[0] for name in ("x", "y"))
    other = read_entrants(hand_in(tmp_path / "z", ada=LAST_FREE))[0]

    def known_by(entrant: Entrant) -> tuple[str, str]:
        assert entrant.agent is not None
        sent = pickle.loads(pickle.dumps(entrant.agent))
        assert (sent.spec, sent.identity) == (entrant.agent.spec, entrant.agent.identity)
        return sent.spec, sent.identity

    assert known_by(one) == known_by(two) != known_by(other)
    solver = read_entrants(tmp_path / "x", policy=Policy(allow_solver=True))[0].agent
    assert solver is not None
    assert one.agent is not None
    assert solver.identity != one.agent.identity


def test_what_cannot_be_read_is_an_entrant_with_a_problem(tmp_path: Path) -> None:
    folder = hand_in(tmp_path / "class", ada=FIRST_FREE)
    (folder / "bob").mkdir()
    (folder / "cleo.py").symlink_to(folder / "ada.py")
    (folder / "eve.py").symlink_to(folder / "eve.py")
    hand_in(folder / "dan", one="", two="")
    problems = {one.name: one.problem for one in read_entrants(folder)}
    assert problems["ada"] == ""
    assert "has no Python file" in problems["bob"]
    assert problems["cleo"] == "cleo.py is a symbolic link; give the file itself"
    assert problems["eve"] == "eve.py is a symbolic link; give the file itself"
    assert "has one.py, two.py; name the one to run" in problems["dan"]


def test_a_folder_with_nothing_in_it_and_a_file_are_refused(tmp_path: Path) -> None:
    with pytest.raises(LeagueError, match="is empty; put a file or folder there"):
        read_entrants(tmp_path)
    with pytest.raises(LeagueError, match="is not a folder"):
        read_entrants(tmp_path / "no")


def test_hand_ins_of_one_name_are_told_apart_by_their_files(tmp_path: Path) -> None:
    folder = hand_in(tmp_path / "class", ada=FIRST_FREE, bob=FIRST_FREE)
    hand_in(folder / "ada_1_assignsubmission_file_", main=FIRST_FREE)
    hand_in(folder / "Zoe Ann_77_assignsubmission_file", main=FIRST_FREE)
    found = read_entrants(folder, roster(tmp_path, "file,name\nx.py,Bob\n"))
    assert [one.name for one in found] == ["ada.py", "ada_1_assignsubmission_file_", "Bob", "bob.py", "Zoe Ann"]


def test_a_name_that_is_not_unique_costs_only_those_who_share_it(tmp_path: Path) -> None:
    folder = hand_in(tmp_path / "class", bob=FIRST_FREE, other=FIRST_FREE)
    for name in ("Ada", "ada"):
        hand_in(folder / name, main=FIRST_FREE)
    hand_in(folder / "BOB.PY", main=FIRST_FREE)
    if len(list(folder.iterdir())) < 5:
        pytest.skip("names of files do not depend on case here")
    found = {one.name: one for one in read_entrants(folder)}
    assert list(found) == ["Ada (1)", "ada (2)", "BOB.PY (1)", "bob.py (2)", "other"]
    assert [name for name, one in found.items() if one.agent is not None] == ["other"]
    assert "several submissions have this name (Ada and ada); rename them" in found["ada (2)"].problem
    named = {one.name: one for one in read_entrants(folder, roster(tmp_path, "file,name\nbob.py,Bob.py\n"))}
    assert named["Bob.py"].agent is not None, "nobody can take the name of a student"
    with pytest.raises(LeagueError, match=r"the roster gives two entrants the name ada: Ada and ada; tell them apart"):
        read_entrants(folder, roster(tmp_path, "file,name,team\nAda,x,Ada\nAda,y,Ada\nada,z,ada\nada,w,ada\n"))


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("", "has no column name"),
        ("file,group\na.py,x\n", "has no column name"),
        ("file,name\na.py,\n", "line 2: a name is needed; given: a.py"),
        ("file,name\na.py\n", "line 2: a name is needed"),
        ("file,name\n../a.py,Ada\n", "is not a file or folder right below"),
        ("file,name\na.py,Ada\nb.py,ada\n", "has the name ada twice"),
        ('file,name\n"a.py,Ada\n', "unexpected end of data"),
    ],
)
def test_a_wrong_roster_is_refused_with_the_line(text: str, said: str, tmp_path: Path) -> None:
    with pytest.raises(LeagueError) as caught:
        read_roster(roster(tmp_path, text))
    assert said in str(caught.value)


def test_a_roster_that_is_not_text_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "roster.csv"
    path.write_bytes(b"\xff\xfe\x00")
    with pytest.raises(LeagueError, match="not a text file"):
        read_roster(path)
