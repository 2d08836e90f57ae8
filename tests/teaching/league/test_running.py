"""A league plays only what is new, ends with the same site however it came about, and no file ends it."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from inarow.arena import Store, StoreError
from inarow.teaching.checking import CheckReport
from inarow.teaching.league import running
from inarow.teaching.league.entrants import LeagueError, read_entrants
from inarow.teaching.league.meetings import pair_points
from inarow.teaching.league.running import run_league
from inarow.teaching.league.settings import Marking, PointScale, read_settings
from support.league_doubles import ANY_FREE, CRASHES, FIRST_FREE, LAST_FREE, hand_in, hold, small_settings, written


@pytest.fixture
def unchecked(monkeypatch: pytest.MonkeyPatch) -> None:
    """Files are not checked, which takes longest."""
    monkeypatch.setattr("inarow.teaching.league.judging.check_agent", lambda *_, **more: CheckReport())


AGAINST_LADDER, AMONG = "pairs against reference players", "pairs among entrants"


def test_a_new_a_changed_and_a_withdrawn_file_leave_the_site_of_a_league_held_anew(tmp_path: Path) -> None:
    folder = hand_in(tmp_path / "class", ada=FIRST_FREE, bob=ANY_FREE, cleo=LAST_FREE)
    hold(folder, tmp_path / "out")
    hand_in(folder, bob=ANY_FREE + "# better\n", dan=CRASHES)
    (folder / "ada.py").unlink()
    _, to_play = hold(folder, tmp_path / "out")
    assert to_play[AGAINST_LADDER] == 2 * 5, "only bob and dan are new"
    assert to_play[AMONG] == 1, "dan is disqualified; only bob against cleo is new"
    folder.rename(tmp_path / "elsewhere")
    hold(tmp_path / "elsewhere", tmp_path / "anew", workers=2)
    assert written(tmp_path / "out") == written(tmp_path / "anew")
    assert not list((tmp_path / "out" / "site" / "entrants").glob("ada*"))
    _, to_play = hold(tmp_path / "elsewhere", tmp_path / "out")
    assert (to_play[AGAINST_LADDER], to_play[AMONG]) == (0, 0), "what a disqualified entrant has left is never played"


@pytest.mark.parametrize("stops_at", [2, 7])
@pytest.mark.usefixtures("unchecked")
def test_an_interrupted_league_continues_to_the_same_site(
    stops_at: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    folder = hand_in(tmp_path / "class", ada=FIRST_FREE, bob=CRASHES)
    hold(folder, tmp_path / "whole")
    count = 0
    keep = Store.add

    def add(self: Store, pairs: Any) -> None:
        nonlocal count
        count += 1
        if count == stops_at:
            raise KeyboardInterrupt
        keep(self, pairs)

    with monkeypatch.context() as patched:
        patched.setattr(Store, "add", add)
        patched.setattr("inarow.arena.executor.ChunkSize.MAXIMUM", 1)
        with pytest.raises(KeyboardInterrupt):
            hold(folder, tmp_path / "out")
    assert b"Not finished: interrupted" in (tmp_path / "out" / "site" / "index.html").read_bytes()
    hold(folder, tmp_path / "out")
    assert written(tmp_path / "out") == written(tmp_path / "whole")


@pytest.mark.usefixtures("unchecked")
def test_an_entrant_is_disqualified_after_the_stated_share_of_failed_matches(tmp_path: Path) -> None:
    folder = hand_in(tmp_path / "class", ada=FIRST_FREE, bob=CRASHES)
    table, _ = hold(folder, tmp_path / "out")
    ada, bob = table
    assert (ada.entrant.name, ada.problem) == ("ada", "")
    assert bob.problem == "disqualified after 4 failed matches of 10: exception (4)"
    assert (bob.points, bob.grade, len(bob.ladder[0].pairs)) == (0.0, "F", 2)
    page = (tmp_path / "out" / "site" / "index.html").read_text(encoding="utf-8")
    assert "an entrant that fails in 4 of these 10 is disqualified" in page
    lenient, _ = hold(folder, tmp_path / "other", small_settings(disqualify=None))
    assert [one.problem for one in lenient] == ["", ""]


def test_a_file_that_cannot_be_loaded_is_one_line_in_the_table(tmp_path: Path) -> None:
    folder = hand_in(tmp_path / "class", ada=FIRST_FREE, bob="def agent(:", cleo="x = 3")
    table, to_play = hold(folder, tmp_path / "out")
    assert [one.entrant.name for one in table] == ["ada", "bob", "cleo"]
    assert "cannot be loaded: SyntaxError" in table[1].problem
    assert "cannot be loaded: the file defines no function" in table[2].problem
    assert to_play[AGAINST_LADDER] == 5
    page = (tmp_path / "out" / "site" / "index.html").read_text(encoding="utf-8")
    assert page.count("cannot be loaded") == 2


@pytest.mark.usefixtures("unchecked")
def test_a_disk_without_room_for_what_agents_may_write_is_refused_at_the_start(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Else an agent that uses its scratch folder could stop the league, or lose by what others wrote."""
    monkeypatch.setattr("shutil.disk_usage", lambda path: SimpleNamespace(free=100 << 20))
    folder = hand_in(tmp_path / "class", ada=FIRST_FREE)
    with pytest.raises(LeagueError, match=r"has 100 MB left, and the agents of 2 workers may write 128 MB there"):
        hold(folder, tmp_path / "out", workers=2)
    assert not (tmp_path / "out").exists()
    hold(folder, tmp_path / "out", small_settings(among=0), workers=1)


def test_if_both_crash_nobody_scores(tmp_path: Path) -> None:
    folder = hand_in(tmp_path / "class", ada=CRASHES, bob=CRASHES + "# bob\n")
    table, _ = hold(folder, tmp_path / "out", small_settings(disqualify=None))
    assert [result.scores for one in table for result in one.among] == [[0.0], [0.0]]


@pytest.mark.usefixtures("unchecked")
def test_a_grade_does_not_depend_on_who_else_takes_part(tmp_path: Path) -> None:
    alone, _ = hold(hand_in(tmp_path / "one", ada=ANY_FREE), tmp_path / "out1")
    many = hand_in(tmp_path / "two", ada=ANY_FREE, bob=FIRST_FREE)
    together, _ = hold(many, tmp_path / "out2", small_settings(among=0))
    ada = next(one for one in together if one.entrant.name == "ada")
    assert (ada.points, ada.grade, ada.accuracy) == (alone[0].points, alone[0].grade, alone[0].accuracy)


@pytest.mark.usefixtures("unchecked")
def test_copies_get_equal_marks_whatever_their_names_order_and_comments(tmp_path: Path) -> None:
    copies = {f"{'zax'[number % 3]}{number}": ANY_FREE + "# mine\n" * (number // 10) for number in range(40)}
    table, to_play = hold(hand_in(tmp_path / "class", **copies), tmp_path / "out", small_settings(among=0))
    assert len(table) == 40
    assert len({(one.points, one.mark.error, one.grade, one.rank) for one in table}) == 1
    assert 0 < table[0].points < 100, "a mark that could differ"
    assert to_play[AGAINST_LADDER] == 4 * 5, "of ten identical files one is played"
    renamed, _ = hold(hand_in(tmp_path / "other", someone=ANY_FREE + "# at last\n"), tmp_path / "out2")
    assert renamed[0].points == table[0].points


@pytest.mark.usefixtures("unchecked")
def test_a_doubtful_series_gets_more_pairs_and_ends_the_same_in_steps(tmp_path: Path) -> None:
    folder = hand_in(tmp_path / "class", ada=ANY_FREE, bob=CRASHES)
    settings = replace(small_settings(among=0), marking=Marking(4, 12, precision=1, accuracy=PointScale(50)))
    table, to_play = hold(folder, tmp_path / "whole", settings)
    ada, bob = table
    assert (len(ada.ladder[0].pairs), len(bob.ladder[0].pairs)) == (12, 2)
    assert to_play[AGAINST_LADDER] == 12 + 4
    assert "±" in (tmp_path / "whole" / "site" / "index.html").read_text(encoding="utf-8")
    first = replace(settings, marking=replace(settings.marking, precision=99))
    once, _ = hold(folder, tmp_path / "out", first)
    assert len(once[0].ladder[0].pairs) == 4
    _, to_play = hold(folder, tmp_path / "out", settings)
    assert to_play[AGAINST_LADDER] == 8
    assert written(tmp_path / "out") == written(tmp_path / "whole")
    assert hold(folder, tmp_path / "out", first)[0][0].points == once[0].points, "more than was asked for is not used"


@pytest.mark.usefixtures("unchecked")
def test_failed_matches_are_lost_and_cost_nothing_else(tmp_path: Path) -> None:
    sometimes = FIRST_FREE.replace("    return", "    if observation.mark == 2: raise RuntimeError\n    return")
    settings = small_settings(among=0, disqualify=None)
    (ada,), _ = hold(hand_in(tmp_path / "class", ada=sometimes), tmp_path / "out", settings)
    assert ada.problem == ""
    failures = sum(record.termination.is_fault for pair in ada.ladder[0].pairs for record, _ in pair.matches())
    assert failures == 5
    scores = [pair_points(pair)[0] for pair in ada.ladder[0].pairs]
    assert 0 < max(scores) <= 0.5
    assert not ada.disqualified


@pytest.mark.usefixtures("unchecked")
def test_another_seed_plays_other_matches(tmp_path: Path) -> None:
    folder = hand_in(tmp_path / "class", ada=ANY_FREE)
    tables = [hold(folder, tmp_path / f"out{seed}", small_settings(seed=seed))[0] for seed in (1, 2)]
    records = [[pair.straight.all_moves for pair in table[0].ladder[0].pairs] for table in tables]
    assert records[0] != records[1]


@pytest.mark.usefixtures("unchecked")
def test_without_a_seed_one_is_drawn_and_kept(tmp_path: Path) -> None:
    folder = hand_in(tmp_path / "class", ada=ANY_FREE)
    secret = replace(small_settings(), seed=None)
    hold(folder, tmp_path / "out", secret)
    _, to_play = hold(folder, tmp_path / "out", secret)
    assert to_play[AGAINST_LADDER] == 0
    with Store.open(tmp_path / "out" / running.STORE) as store:
        kept = store.measured({"kind": "league seed"})
    assert kept is not None
    assert str(kept["seed"]) not in "".join(map(str, written(tmp_path / "out").values()))


@pytest.mark.usefixtures("unchecked")
def test_the_site_is_rewritten_while_matches_are_played(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(running, "REFRESH_SECONDS", 0.0)
    monkeypatch.setattr(running.League, "refresh", lambda self: self.write())
    seen = []
    folder = hand_in(tmp_path / "class", ada=FIRST_FREE)
    page = tmp_path / "out" / "site" / "index.html"

    def watch(what: str, done: int, total: int) -> None:
        if page.exists():
            seen.append(page.read_text(encoding="utf-8"))

    run_league(read_entrants(folder), small_settings(), tmp_path / "out", workers=1, watch=watch)
    assert any("1 of 5 pairs against reference players" in text and 'http-equiv="refresh"' in text for text in seen)
    assert "Not finished" not in page.read_text(encoding="utf-8")


def test_a_damaged_store_and_a_file_in_the_way_are_named(tmp_path: Path) -> None:
    folder = hand_in(tmp_path / "class", ada=FIRST_FREE)
    (tmp_path / "out").mkdir()
    (tmp_path / "out" / running.STORE).write_text("not a store")
    with pytest.raises(StoreError, match="not a store of inarow"):
        hold(folder, tmp_path / "out")
    (tmp_path / "file").touch()
    with pytest.raises(LeagueError, match="can't be made"):
        hold(folder, tmp_path / "file")


def test_a_damaged_store_is_read_as_far_as_it_is_sound_and_the_league_ends_the_same(tmp_path: Path) -> None:
    folder = hand_in(tmp_path / "class", ada=ANY_FREE, bob=FIRST_FREE)
    hold(folder, tmp_path / "whole")
    data = (tmp_path / "whole" / running.STORE).read_bytes()
    changed = data.replace(b'"advice"', b'"adv\xffce"', 1)
    assert changed != data
    for number, bad in enumerate([changed, data[: len(data) * 4 // 5]]):
        out = tmp_path / str(number)
        out.mkdir()
        (out / running.STORE).write_bytes(bad)
        with pytest.warns(UserWarning, match="is damaged .* the others are played again"):
            hold(folder, out)
        assert (out / f"{running.STORE}.damaged").stat().st_size == len(bad)
        assert written(out) == written(tmp_path / "whole")


def test_a_drawn_seed_that_is_lost_is_said(tmp_path: Path) -> None:
    folder, drawn = hand_in(tmp_path / "class", ada=FIRST_FREE), replace(small_settings(), seed=None)
    hold(folder, tmp_path / "out", drawn)
    path = tmp_path / "out" / running.STORE
    path.write_bytes(path.read_bytes().replace(b'{"seed": ', b'{"seeed":', 1))
    with pytest.warns(UserWarning, match="is damaged"), pytest.warns(UserWarning, match=r"seed .* is lost; all "):
        hold(folder, tmp_path / "out", drawn)


def test_marks_and_results_say_what_the_table_says(tmp_path: Path) -> None:
    folder = hand_in(tmp_path / "class", ada=ANY_FREE, bob=CRASHES)
    table, _ = hold(folder, tmp_path / "out")
    marks = (tmp_path / "out" / "marks.csv").read_text(encoding="utf-8").splitlines()
    assert marks[0].startswith("name,entrant,group,file,sha256,points,error,of,grade,near,")
    assert marks[1].startswith(f"ada,ada,,ada.py,{table[0].entrant.digest},")
    (path,) = (tmp_path / "out" / "results").glob("bob*.json")
    data = json.loads(path.read_text(encoding="utf-8"))
    assert data["score"] == 0.0
    assert "RuntimeError: no idea (line 3 of agent.py)" in data["output"]
    assert [(test["name"], test["max_score"]) for test in data["tests"]] == [
        ("random on Tic Tac Toe", 50.0),
        ("Accuracy", 50.0),
    ]
    assert [column["name"] for column in data["leaderboard"]] == ["Points", "Score", "Accuracy"]
    assert data["execution_time"] >= 0


@pytest.mark.usefixtures("unchecked")
def test_a_copy_of_a_reference_player_meets_it(tmp_path: Path) -> None:
    staff = hand_in(tmp_path / "staff", player=ANY_FREE) / "player.py"
    (tmp_path / "league.toml").write_text(
        f'boards = ["tictactoe"]\npairs = 2\nmax_pairs = 2\nseed = 1\n[[ladder]]\nagent = "file:{staff}"\npoints = 9\n'
    )
    folder = hand_in(tmp_path / "class", ada=ANY_FREE)
    (ada,), to_play = hold(folder, tmp_path / "out", read_settings(tmp_path / "league.toml"))
    assert (to_play[AGAINST_LADDER], len(ada.ladder[0].pairs)) == (2, 2)
