"""Teams, rosters of any spreadsheet, exports, pseudonyms, late days, history: nobody's name or column is lost."""

from __future__ import annotations

import csv
import io
import json
import re
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest

from inarow.teaching.checking import CheckReport
from inarow.teaching.league.entrants import (
    LeagueError,
    Student,
    pseudonyms,
    read_entrants,
    read_roster,
)
from inarow.teaching.league.running import regrade, run_league
from inarow.teaching.league.settings import Late, LeagueSettings, read_settings
from inarow.teaching.league.standings import EntrantResult
from inarow.teaching.league.writing import StudentMark, canvas_csv, export_files, moodle_csv, write_why
from support.commands import inarow
from support.league_doubles import ANY_FREE, CRASHES, FIRST_FREE, LAST_FREE, hand_in, hold, small_settings

NAMES = ["José Müller", "王娜明", "Åsa Ångström", "O'Brien; Pat", "=cmd|calc"]


@pytest.fixture
def unchecked(monkeypatch: pytest.MonkeyPatch) -> None:
    """Files are not checked, which takes longest."""
    monkeypatch.setattr("inarow.teaching.league.judging.check_agent", lambda *_, **more: CheckReport())


def table_of(text: str, delimiter: str = ",") -> list[dict[str, str]]:
    return list(csv.DictReader(io.StringIO(text), delimiter=delimiter))


def write_roster(path: Path, rows: list[list[str]], delimiter: str = ",", encoding: str = "utf-8") -> Path:
    text = io.StringIO()
    csv.writer(text, delimiter=delimiter).writerows(rows)
    path.write_bytes(text.getvalue().encode(encoding))
    return path


@pytest.mark.parametrize(
    ("delimiter", "encoding"), [(",", "utf-8"), (";", "utf-8-sig"), ("\t", "utf-16"), (";", "latin-1")]
)
def test_names_survive_every_separator_and_encoding_and_the_way_back(
    delimiter: str, encoding: str, tmp_path: Path
) -> None:
    names = [name for name in NAMES if encoding != "latin-1" or name != "王娜明"]
    rows = [["Full name", "Email address", "file"], *([name, f"{n}@x", f"{n}.py"] for n, name in enumerate(names))]
    students = read_roster(write_roster(tmp_path / "roster.csv", rows, delimiter, encoding))
    assert [one.name for one in students] == names
    assert [one.get("mail") for one in students] == [f"{n}@x" for n in range(len(names))]
    marks = [StudentMark(one, 1.5, "fine") for one in students]
    for exported, head in ((moodle_csv(marks, 9), "Full name"), (canvas_csv(marks, "League", 9), "Student")):
        (tmp_path / "back.csv").write_text(exported, encoding="utf-8")
        assert [one.columns[head].removeprefix("'") for one in read_roster(tmp_path / "back.csv")] == names


def test_rows_with_one_file_or_one_team_are_a_team_and_keep_their_columns(tmp_path: Path) -> None:
    folder = hand_in(tmp_path / "class", t1=FIRST_FREE, solo=FIRST_FREE, lovelace=FIRST_FREE)
    hand_in(folder / "Eve Ng_123_assignsubmission_file", main=FIRST_FREE)
    rows = [
        ["file", "name", "team", "email", "tutor"],
        ["t1.py", "Ann", "Reds", "a@x", "T1"],
        ["", "Ben", "Reds", "b@x", "T2"],
        ["solo.py", "Cem", "", "c@x", ""],
        ["", "Ada", "", "lovelace@x", ""],
        ["", "Eve Ng", "", "e@x", ""],
        ["", "Dan", "Blues", "d@x", ""],
        ["", "Fay", "Blues", "f@x", ""],
    ]
    found = read_entrants(folder, write_roster(tmp_path / "roster.csv", rows))
    assert [(one.name, [student.name for student in one.students], one.problem) for one in found] == [
        ("Ada", ["Ada"], ""),
        ("Blues", ["Dan", "Fay"], "nothing was handed in"),
        ("Cem", ["Cem"], ""),
        ("Eve Ng", ["Eve Ng"], ""),
        ("Reds", ["Ann", "Ben"], ""),
    ]
    assert found[-1].students[1].columns["tutor"] == "T2"


@pytest.mark.usefixtures("unchecked")
def test_every_student_of_a_team_has_a_row_with_the_roster_s_columns(tmp_path: Path) -> None:
    folder = hand_in(tmp_path / "class", t1=ANY_FREE)
    rows = [["Identifier", "Full name", "Grade", "Maximum Grade", "Feedback comments", "file"]]
    rows += [["Participant 7", "Ann", "", "100", "", "t1.py"], ["Participant 9", "王娜明", "", "100", "", "t1.py"]]
    entrants = read_entrants(folder, write_roster(tmp_path / "roster.csv", rows, ";", "utf-8-sig"))
    (one,) = run_league(entrants, small_settings(), tmp_path / "out", workers=1)
    marks = table_of((tmp_path / "out" / "marks.csv").read_text(encoding="utf-8"))
    assert [(row["name"], row["entrant"], row["roster: Identifier"]) for row in marks] == [
        ("Ann", "Ann & 王娜明", "Participant 7"),
        ("王娜明", "Ann & 王娜明", "Participant 9"),
    ]
    worksheet = table_of((tmp_path / "out" / "exports" / "moodle.csv").read_text(encoding="utf-8"))
    assert list(worksheet[0]) == rows[0], "Moodle's own worksheet, filled in"
    assert [(row["Identifier"], float(row["Grade"])) for row in worksheet] == [
        ("Participant 7", one.points),
        ("Participant 9", one.points),
    ]
    assert worksheet[0]["Feedback comments"].startswith(f"Grade {one.grade}; random on Tic Tac Toe: ")


def test_exports_have_the_columns_that_the_platforms_import() -> None:
    marks = [StudentMark(Student("Ann", "", {"SIS Login ID": "ann1", "ID": "17", "Section": "A"}), 71.25, "Grade C")]
    assert moodle_csv(marks, 100).splitlines() == [
        "Username,ID number,Email address,Full name,Grade,Feedback comments",
        "ann1,17,,Ann,71.25,Grade C",
    ]
    assert canvas_csv(marks, "League", 100).splitlines() == [
        "Student,ID,SIS User ID,SIS Login ID,Section,League",
        "    Points Possible,,,,,100",
        "Ann,17,,ann1,A,71.25",
    ]
    own = StudentMark(Student("Ben", "ben.py", {"id": "18", "username": "ben2"}), 3, "")
    assert canvas_csv([own], "League", 100).splitlines()[2] == "Ben,,18,ben2,,3", "a number that Canvas does not know"


def test_exports_have_the_students_of_the_roster_and_nobody_else() -> None:
    listed = StudentMark(Student("Zoe", "z.py", {"Identifier": "Participant 7", "Grade": ""}), 3, "")
    stranger = StudentMark(Student("a file that nobody knows"), 4, "")
    files = export_files([stranger, listed], "League", 10)
    assert files["exports/moodle.csv"].splitlines() == ["Identifier,Grade", "Participant 7,3"]
    assert "nobody" not in files["exports/canvas.csv"]
    assert "nobody" in export_files([stranger], "League", 10)["exports/canvas.csv"], "without a roster all are there"


@pytest.mark.usefixtures("unchecked")
def test_with_pseudonyms_names_are_in_the_teacher_s_files_only(tmp_path: Path) -> None:
    folder = hand_in(tmp_path / "class", zoltan=ANY_FREE, quentin=CRASHES)
    (folder / "xaver.pdf").touch()
    settings = replace(small_settings(), pseudonyms=True)
    table, _ = hold(folder, tmp_path / "out", settings)
    public = {one.entrant.name: one.entrant.public for one in table}
    assert len(set(public.values())) == 3
    for path in (tmp_path / "out" / "site").rglob("*"):
        shown = path.name + (path.read_text(encoding="utf-8") if path.is_file() else "")
        assert not re.search("zoltan|quentin|xaver", shown), path
    index = (tmp_path / "out" / "site" / "index.html").read_text(encoding="utf-8")
    assert all(alias in index for alias in public.values())
    rows = table_of((tmp_path / "out" / "marks.csv").read_text(encoding="utf-8"))
    assert {row["name"]: row["pseudonym"] for row in rows} == public
    again, _ = hold(folder, tmp_path / "out", settings)
    assert {one.entrant.name: one.entrant.public for one in again} == public


def test_pseudonyms_differ_even_if_the_draw_does_not() -> None:
    assert len(set(pseudonyms("abc", dict.fromkeys("abc", 5)).values())) == 3


@pytest.mark.parametrize(
    ("hours", "allowance", "days", "off"),
    [(-1, None, 0, 0), (1, None, 1, 0), (25, None, 2, 10), (25, 2, 2, 0), (25, 0, 2, 20), (24, None, 1, 0)],
)
def test_late_days_are_free_up_to_the_allowance(hours: int, allowance: int | None, days: int, off: float) -> None:
    late = Late(datetime(2026, 11, 20, 23, 59, tzinfo=UTC), 1, 10)
    submitted = late.deadline + timedelta(hours=hours)
    assert late.days_late(submitted) == days
    assert late.points_off(submitted, allowance) == off


@pytest.mark.usefixtures("unchecked")
def test_being_late_costs_points_in_the_marks_but_not_in_the_table(tmp_path: Path) -> None:
    folder = hand_in(tmp_path / "class", ada=ANY_FREE, bob=ANY_FREE)
    rows = [["file", "name", "submitted"], ["ada.py", "Ada", "2026-11-20T12:00"], ["bob.py", "Bob", "2026-11-23T12:00"]]
    (tmp_path / "league.toml").write_text("[late]\ndeadline = 2026-11-20T23:59:00\ndays = 1\npenalty = 5\n")
    settings = replace(small_settings(among=0), late=read_settings(tmp_path / "league.toml").late)
    entrants = read_entrants(folder, write_roster(tmp_path / "roster.csv", rows))
    ada, bob = run_league(entrants, settings, tmp_path / "out", workers=1)
    assert ada.points == bob.points
    marks = table_of((tmp_path / "out" / "marks.csv").read_text(encoding="utf-8"))
    assert [(row["days late"], row["points off"]) for row in marks] == [("0", "0"), ("3", "10")]
    assert float(marks[1]["final points"]) == pytest.approx(bob.points - 10)


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("[late]\ndays = 2\n", "no deadline is given"),
        ("[late]\ndeadline = 'soon'\n", "expected a time such as 2026-11-20T23:59:00"),
        ("[late]\ndeadlin = 2026-11-20T23:59:00\n", "unknown key 'deadlin'; did you mean deadline?"),
        ("pseudonyms = 1\n", "expected true or false"),
        ("references = ['nowhere']\n", "is not a folder"),
    ],
)
def test_wrong_settings_are_one_sentence(text: str, said: str, tmp_path: Path) -> None:
    (tmp_path / "league.toml").write_text(text, encoding="utf-8")
    with pytest.raises(LeagueError) as error:
        read_settings(tmp_path / "league.toml")
    assert said in str(error.value)


@pytest.mark.parametrize(("column", "value"), [("submitted", "yesterday"), ("late days", "two")])
def test_a_wrong_time_or_number_in_the_roster_names_the_student(column: str, value: str, tmp_path: Path) -> None:
    folder = hand_in(tmp_path / "class", ada=FIRST_FREE)
    path = write_roster(tmp_path / "roster.csv", [["file", "name", column], ["ada.py", "Ada", value]])
    with pytest.raises(LeagueError, match=rf"the roster has '{value}' .* Ada"):
        read_entrants(folder, path)


@pytest.mark.usefixtures("unchecked")
def test_the_history_says_what_was_handed_in_when(tmp_path: Path) -> None:
    folder = hand_in(tmp_path / "class", ada=FIRST_FREE, bob=ANY_FREE)
    hold(folder, tmp_path / "out")
    hold(folder, tmp_path / "out")
    hand_in(folder, ada=ANY_FREE + "# new\n")
    (folder / "bob.py").unlink()
    hold(folder, tmp_path / "out")
    rows = table_of((tmp_path / "out" / "history.csv").read_text(encoding="utf-8"))
    assert [(row["event"], row["name"]) for row in rows] == [
        ("handed in", "ada"),
        ("handed in", "bob"),
        ("changed", "ada"),
        ("withdrawn", "bob"),
    ]
    assert len({row["sha256"] for row in rows[:3]}) == 3
    assert all(datetime.fromisoformat(row["time"]).tzinfo is not None for row in rows)
    assert datetime.fromisoformat(rows[0]["submitted"]) <= datetime.fromisoformat(rows[0]["time"])


def regraded(tmp_path: Path, settings: LeagueSettings) -> tuple[EntrantResult, Path]:
    folder = hand_in(tmp_path / "class", ada=ANY_FREE)
    hold(folder, tmp_path / "out", settings)
    (ada,) = read_entrants(folder)
    standing = regrade(ada, settings, tmp_path / "out", 1, None)
    return standing, write_why(standing, folder / ada.file, tmp_path / "out")


@pytest.mark.usefixtures("unchecked")
def test_a_regrade_gives_the_same_points_and_its_command_plays_the_same_matches(tmp_path: Path) -> None:
    standing, page = regraded(tmp_path, replace(small_settings(among=0), seed=None))
    text = page.read_text(encoding="utf-8")
    assert "the same</p>" in text
    (command,) = re.findall(r'<pre class="command">inarow (.*)</pre>', text)
    saved = tmp_path / "again.jsonl"
    inarow(*command.split(), "--out", str(saved))
    again = [json.loads(line) for line in saved.read_text(encoding="utf-8").splitlines()]
    played = [record.to_json() for pair in standing.ladder[0].pairs for record, _ in pair.matches()]
    assert len(played) == 10
    assert [(one["opening"], one["moves"], one["result"]) for one in again] == [
        (one["opening"], one["moves"], one["result"]) for one in played
    ]


def test_a_preview_gives_the_same_checks_to_a_student_and_leaves_nothing(tmp_path: Path) -> None:
    hand_in(tmp_path, ada=CRASHES)
    (tmp_path / "league.toml").write_text(
        'boards = ["tictactoe"]\npairs = 2\nmax_pairs = 2\n[[ladder]]\nagent = "random"\npoints = 9\n'
    )
    shown = inarow("league", "--preview", str(tmp_path / "ada.py"), "--workers", "1").stdout
    assert "RuntimeError: no idea (line 3 of agent.py)" in shown
    assert "F (0) of 29 points." in shown
    assert {path.name for path in tmp_path.iterdir()} == {"ada.py", "league.toml"}
    assert "does not exist" in inarow("league", "--preview", str(tmp_path / "no.py"), code=2).stderr
    assert "give the folder" in inarow("league", code=2).stderr


@pytest.mark.usefixtures("unchecked")
def test_all_data_of_somebody_who_was_withdrawn_can_be_deleted(tmp_path: Path) -> None:
    folder = hand_in(tmp_path / "class", zacharias=ANY_FREE, bob=FIRST_FREE, cleo=LAST_FREE)
    out = tmp_path / "class-league"
    (tmp_path / "league.toml").write_text(
        'boards = ["tictactoe"]\npairs = 1\nmax_pairs = 1\nseed = 1\n[[ladder]]\nagent = "random"\npoints = 9\n'
    )
    inarow("league", str(folder), "--workers", "1")
    digest = {one.name: one.digest for one in read_entrants(folder)}["zacharias"]

    def found() -> set[str]:
        words = (b"zacharias", digest.encode())
        return {path.name for path in out.rglob("*") if path.is_file() and any(w in path.read_bytes() for w in words)}

    assert {"league.db", "history.csv", "marks.csv"} <= found()
    refused = inarow("league", str(folder), "--forget", "Zacharias", code=2).stderr
    assert "still takes part; delete the submission" in refused
    (folder / "zacharias.py").unlink()
    inarow("league", str(folder), "--forget", "Zacharias", "--workers", "1")
    assert found() == set()
    assert not [path for path in out.rglob("*") if "zacharias" in path.name]
    marks = (out / "marks.csv").read_text(encoding="utf-8")
    assert "bob" in marks
    assert "cleo" in marks
    assert "unknown name" in inarow("league", str(folder), "--forget", "Zacharias", code=2).stderr
