"""Copies are found, whatever was renamed or reformatted; different programs and short ones are not flagged."""

from __future__ import annotations

import inspect
from pathlib import Path

import pytest

from inarow.teaching.league import likeness, meetings, read_entrants
from inarow.teaching.league.likeness import Alike, find_alike
from support.league_doubles import FIRST_FREE, LAST_FREE, hand_in

PROGRAM, OTHER = inspect.getsource(likeness), inspect.getsource(meetings)


def test_an_identical_file_and_a_renamed_one_are_flagged(tmp_path: Path) -> None:
    renamed = "# my own work\n" + PROGRAM.replace("snapshot", "stuff").replace("    ", "  ")
    folder = hand_in(tmp_path, ada=PROGRAM, bob=PROGRAM, cleo=renamed, dan=OTHER)
    assert find_alike(read_entrants(folder)).alike == [
        Alike("ada", "bob", 1.0, True),
        Alike("ada", "cleo", 1.0, False),
        Alike("bob", "cleo", 1.0, False),
    ]


def test_short_programs_are_flagged_only_if_identical(tmp_path: Path) -> None:
    folder = hand_in(tmp_path, ada=FIRST_FREE, bob=LAST_FREE, cleo=FIRST_FREE)
    assert find_alike(read_entrants(folder)).alike == [Alike("ada", "cleo", 1.0, True)]


def test_what_the_starter_has_does_not_count(tmp_path: Path) -> None:
    starter = hand_in(tmp_path / "given", starter=PROGRAM) / "starter.py"
    entrants = read_entrants(hand_in(tmp_path / "class", ada=PROGRAM + FIRST_FREE, bob=PROGRAM + LAST_FREE))
    assert find_alike(entrants).alike
    assert not find_alike(entrants, starter).alike


def test_a_file_that_does_not_parse_is_compared_as_far_as_it_goes(tmp_path: Path) -> None:
    folder = hand_in(tmp_path, ada=PROGRAM, bob=PROGRAM + "\ndef x(:\n  '''", cleo="\0")
    assert [(one.a, one.b) for one in find_alike(read_entrants(folder)).alike] == [("ada", "bob")]


def test_a_program_beyond_the_limits_is_named_and_still_compared_byte_by_byte(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    large = "x = 1\n" * 100_000
    found = find_alike(read_entrants(hand_in(tmp_path / "large", ada=large, bob=large, cleo=PROGRAM)))
    assert found.alike == [Alike("ada", "bob", 1.0, True)]
    assert found.skipped == {name: f"{name}.py has more than 512 kB of Python" for name in ("ada", "bob")}
    monkeypatch.setattr("inarow.teaching.league.likeness.SECONDS", 0.0)
    found = find_alike(read_entrants(hand_in(tmp_path / "slow", ada=PROGRAM)))
    assert found.skipped == {"ada": "ada.py can't be read as Python within 0 s and 512 MB"}
