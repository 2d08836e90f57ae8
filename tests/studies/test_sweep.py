"""A sweep varies parameters, measures every variant on the same terms, and can be reported again."""

from __future__ import annotations

from pathlib import Path

import pytest

from inarow.arena import Store
from inarow.studies import Plan, StudyResults, do_experiments, study
from inarow.studies.base import StudyError
from inarow.studies.methods import page_of
from inarow.studies.running import write_report
from inarow.studies.sweep import Sweep, expand
from support.commands import inarow


def test_braces_stand_for_values() -> None:
    names, found = expand("alphabeta:depth={2..4}")
    assert names == ("depth",)
    assert [one.spec for one in found] == ["alphabeta:depth=2", "alphabeta:depth=3", "alphabeta:depth=4"]
    assert [one.values for one in expand("mcts:simulations={100..500..200}")[1]] == [("100",), ("300",), ("500",)]
    names, found = expand("mcts:simulations={10,100},c={0.5..1..0.25}")
    assert names == ("simulations", "c")
    assert len(found) == 6
    assert found[1].values == ("10", "0.75")


def test_two_spellings_of_one_agent_are_played_once() -> None:
    assert [one.values for one in expand("alphabeta:depth={3,3}")[1]] == [("3",)]


@pytest.mark.parametrize(
    ("template", "said"),
    [
        ("alphabeta:depth=3", "has no values in braces"),
        ("alphabeta:depth={}", "has an empty value"),
        ("alphabeta:depth={8..2}", "ascending range"),
        ("alphabeta:depth={1..900}", "1 to 60 values"),
        ("alphabeta:depth={a..b}", "is not a range"),
        ("alphabeta:depth={1..nan}", "is not a range"),
        ("alphabeta:{2..3}", "values of a parameter"),
        ("alphabeta:depth={2..30},tt_mb={1..9}", "more than 60 agents"),
    ],
)
def test_a_template_that_cannot_be_swept_is_refused(template: str, said: str) -> None:
    with pytest.raises(StudyError) as error:
        expand(template)
    assert said in str(error.value)


def test_every_variant_is_measured_and_the_report_can_be_written_again(tmp_path: Path) -> None:
    out = tmp_path / "out"
    made = Sweep("3x3x3", "alphabeta:depth={1,2}", ["random", "alphabeta:depth=2"], pairs=3)
    do_experiments(made, out, Plan(), workers=1)
    with Store.read(out / "study.db") as store:
        found = StudyResults(store)
        page = page_of(study(found.study, **found.options), found)
    rows = next(table for table in page.tables() if table.key == "sweep").texts()
    assert [row[0] for row in rows] == ["1", "2"]
    assert rows[1][2] == "–"  # it does not meet itself
    assert all("%" in cell for cell in (rows[0][1], rows[0][2], rows[1][1], rows[0][3], rows[1][3]))
    assert {figure.key for figure in page.figures()} == {
        "sweep-score-1", "sweep-score-2", "sweep-accuracy", "sweep-nodes", "sweep-time",
    }  # fmt: skip
    first = write_report(out).read_bytes()
    assert write_report(out).read_bytes() == first


def test_the_command_prints_the_table(tmp_path: Path) -> None:
    out = tmp_path / "words"
    told = inarow("sweep", "3x3x3", "rules:style={random,centre}", "--pairs", "3", "--out", str(out), "--workers", "1")
    assert "centre" in told.stdout
    assert (out / "report.html").exists()
    assert "has no values in braces" in inarow("sweep", "3x3x3", "rules", "--out", str(tmp_path / "x"), code=2).stderr


FILE_STUDY = """
import inarow
from inarow.report import Section, table
from inarow.studies import Content, Study

class Mine(Study):
    title = "Two players"
    summary = "mine"

    def experiments(self, plan):
        return [inarow.Tournament.of("3x3x3", ["random", "rules"], "random:2", 3, seed=plan.seed, key="both")]

    def content(self, found):
        results = found.results("both")
        rows = [(spec,) for spec in results.agents]
        return Content("", (), [Section("All", (table("mine", "Mine", ("agent",), rows),))])
"""


def test_a_study_in_a_file_runs_with_workers(tmp_path: Path) -> None:
    path, out = tmp_path / "mystudy.py", tmp_path / "out"
    path.write_text(FILE_STUDY)
    told = inarow("study", str(path), "--out", str(out), "--workers", "2")
    assert "Report:" in told.stdout
    assert "Two players" in (out / "report.html").read_text(encoding="utf-8")
    again = (out / "report.html").read_bytes()
    inarow("report", str(out))
    assert (out / "report.html").read_bytes() == again


def test_a_file_without_a_study_is_refused(tmp_path: Path) -> None:
    empty, broken = tmp_path / "nothing_here.py", tmp_path / "broken_one.py"
    empty.write_text("x = 1\n")
    broken.write_text("1 / 0\n")
    assert "defines no study" in inarow("study", str(empty), code=2).stderr
    assert "ZeroDivisionError" in inarow("study", str(broken), code=2).stderr
    assert "does not exist" in inarow("study", str(tmp_path / "none.py"), code=2).stderr
