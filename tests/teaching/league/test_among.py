"""Matches among entrants in rounds: a late file leaves the site of a league held anew, and few are enough."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

from inarow.teaching.checking import CheckReport
from inarow.teaching.league.settings import Marking, PointScale
from support.league_doubles import ANY_FREE, FIRST_FREE, LAST_FREE, hand_in, hold, small_settings, written

MIDDLE = FIRST_FREE.replace("[0]", "[-1 // 2]")


@pytest.fixture(autouse=True)
def unchecked(monkeypatch: pytest.MonkeyPatch) -> None:
    """Files are not checked, which takes longest."""
    monkeypatch.setattr("inarow.teaching.league.judging.check_agent", lambda *_, **more: CheckReport())


@pytest.mark.parametrize(("form", "matches"), [("swiss:2", 4), ("groups:2", 7)])
def test_a_changed_file_in_rounds_leaves_the_site_of_a_league_held_anew(
    form: str, matches: int, tmp_path: Path
) -> None:
    settings = replace(small_settings(), ladder=(), marking=Marking(accuracy=PointScale(0)), format=form)
    files = {"ada": FIRST_FREE, "bob": ANY_FREE, "cleo": LAST_FREE, "dan": MIDDLE, "eve": ANY_FREE + "# eve\n"}
    folder = hand_in(tmp_path / "class", **files)
    table, to_play = hold(folder, tmp_path / "out", settings)
    assert to_play["pairs among entrants"] == matches
    assert sorted(one.place for one in table) == [1, 2, 3, 4, 5]
    assert [one.place for one in table] == [1, 2, 3, 4, 5], "nothing else tells them apart"
    hand_in(folder, bob=LAST_FREE + "# late\n")
    _, to_play = hold(folder, tmp_path / "out", settings)
    assert 0 < to_play["pairs among entrants"] <= matches
    hold(folder, tmp_path / "anew", settings)
    assert written(tmp_path / "out") == written(tmp_path / "anew")
    page = (tmp_path / "out" / "site" / "index.html").read_text(encoding="utf-8")
    assert "Among entrants: round 2" in page or "Among entrants: final" in page


def test_too_few_entrants_for_the_format_are_no_end_of_the_league(tmp_path: Path) -> None:
    settings = replace(small_settings(), ladder=(), marking=Marking(accuracy=PointScale(0)), format="groups:4")
    for count in (1, 3):
        names = {name: FIRST_FREE + f"# {name}\n" for name in ("ada", "bob", "cleo")[:count]}
        table, _ = hold(hand_in(tmp_path / str(count), **names), tmp_path / f"out{count}", settings)
        assert len(table) == count
