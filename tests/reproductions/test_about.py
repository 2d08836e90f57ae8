"""What is said about the reports holds: their commands run, their pages are up to date, their figures exist."""

from __future__ import annotations

import re
import runpy
import shlex
from pathlib import Path

import pytest

from inarow.agents import Agent, agent
from inarow.reproductions import distributions
from inarow.reproductions.about import NAMES, all_reports
from inarow.reproductions.assessment import RowStatus
from inarow.reproductions.distributions import errors_table, shipped_runs, unstated_table
from inarow.reproductions.r4.study import UNPRINTED
from inarow.reproductions.r5.program import RATE
from inarow.studies import Plan, Study
from inarow.training import Trainer, trainer
from support.commands import inarow

DOCS = Path(__file__).parents[2] / "docs"
SHORTER = {
    "--episodes": "20",
    "--eval-every": "10",
    "--eval-matches": "2",
    "--matches": "2",
    "--save-every": "10",
    "--delay": "0",
    "--games": "2",
}


def shortened(command: str) -> list[str]:
    """A command's words, with few episodes and matches and little time."""
    words = shlex.split(command)[1:]
    for place, word in enumerate(words[:-1]):
        if word in SHORTER and not words[place + 1].startswith("-"):
            words[place + 1] = SHORTER[word]
    words += ["--no-truth"] * (words[0] == "train") + ["--delay", "0"] * (words[0] == "play" and "--delay" not in words)
    words = [re.sub(r"episodes=\d+", "episodes=10", word) for word in words]
    words = [re.sub(r"(seconds|deepening_seconds)=\d+", r"\1=0.05", word) for word in words]
    return [re.sub(r"(r2-minimax:depth=6|depth=8)", lambda found: found[1][:-1] + "4", word) for word in words]


@pytest.mark.parametrize("name", NAMES)
def test_every_command_of_a_report_runs(name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """In order, in one folder, because some use what others wrote. Studies have tests of their own."""
    opened: list[tuple[object, ...]] = []

    def run(*arguments: object, **more: object) -> list[object]:
        opened.append(arguments)
        return []

    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr("inarow.play.desktop.run", run)
    commands = next(one for one in all_reports() if one.name == name).commands()
    for command in commands:
        words = shortened(command)
        if words[0] in ("study", "reproduce"):
            assert words[1] == name
        else:
            inarow(*words, stdin="1\n1\ny\n1\n" if words == ["r2"] else "q\n")
    assert len(opened) == sum("desktop" in command for command in commands)
    assert {f"inarow study {name} --scale full", f"inarow reproduce {name} --run"} <= set(commands)


def test_the_pages_of_the_reports_are_up_to_date() -> None:
    """`python scripts/report_pages.py` writes them."""
    pages = runpy.run_path(str(DOCS.parent / "scripts" / "report_pages.py"))
    assert (DOCS / "coverage.md").read_text(encoding="utf-8") == pages["coverage_page"]()
    rows = (DOCS / "reproductions" / "rows.md").read_text(encoding="utf-8")
    assert rows == pages["rows_page"]()
    assert len(re.findall(r"^\| R\d \|", rows, re.MULTILINE)) == 126
    for one in all_reports():
        assert (DOCS / "reproductions" / f"{one.name}.md").read_text(encoding="utf-8") == pages["report_page"](one)
        for key in [key for figure in one.figures for key in figure.keys]:
            assert (DOCS / "images" / "reproductions" / f"{key}.svg").is_file(), key


def test_what_a_readme_says_is_what_the_page_of_its_study_shows() -> None:
    """Figures in it that are not quoted come from the program or from shipped runs."""
    for name in NAMES:
        made = errors_table(name), unstated_table(name)
        readme = (Path(distributions.__file__).parent / name / "README.md").read_text(encoding="utf-8")
        assert all(f"| {one} | {two} |" in readme for part in made for one, two in part.rows)
        assert all(len(part.rows) >= 4 for part in made)
        repaired = {spec for _, said in made[0].rows for spec in re.findall(rf"`({name}-[^`]+)`", str(said))}
        for spec in repaired:
            one: Agent | Trainer = trainer(spec) if "qlearning" in spec else agent(spec)
            assert one.spec != spec.partition(":")[0]
    runs = shipped_runs("r4")["tictactoe / random vs default"].runs
    shares = [round(100 * sum(run.counts[i] for run in runs) / sum(run.games for run in runs)) for i in range(3)]
    texts = {name: str(errors_table(name).rows) + str(unstated_table(name).rows) for name in NAMES}
    assert f"{shares[0]} / {shares[1]} / {shares[2]} %" in texts["r4"]
    assert f"None of {2 * len(UNPRINTED)} readings" in texts["r4"]
    assert f"{3.0**42:.2e}".replace("e+", "×10^") in texts["r4"]
    assert f"{7.0**42:.2e}".replace("e+", "×10^") in texts["r1"]
    assert f"{RATE:,} a second" in texts["r5"]


def test_reproduce_lists_the_reports_and_shows_one() -> None:
    said = inarow("reproduce").stdout
    assert all(re.search(rf"\b{name}\b", said) for name in NAMES)
    assert all(str(verdict) in said for verdict in RowStatus)
    shown = inarow("reproduce", "r1").stdout
    for command in all_reports()[0].commands():
        assert command in shown
    assert "r1-connect4-training" in shown
    assert [shown.count(f"  {verdict}  ") for verdict in ("exact", "consistent", "not reproduced")] == [9, 15, 1]


def test_reproduce_runs_the_study(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    ran: list[tuple[str, Path, int | None, str | None]] = []

    def run(study: Study, out: Path, plan: Plan, workers: int | None, cluster: str | None) -> Path:
        ran.append((study.name, out, workers, cluster))
        return out

    monkeypatch.setattr("inarow.cli.study.run_watched", run)
    monkeypatch.setattr("inarow.cli.common.print_report", lambda page: None)
    inarow("reproduce", "r2", "--run", "--out", str(tmp_path / "here"))
    inarow("reproduce", "R2", "--run", "--workers", "2", "--cluster", "tcp://127.0.0.1:9")
    assert ran == [("r2", tmp_path / "here", None, None), ("r2", Path("r2"), 2, "tcp://127.0.0.1:9")]


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (("r7",), "unknown report 'r7'"),
        (("r1", "--out", "folder"), "--out is for --run: inarow reproduce r1 --run --out folder"),
    ],
)
def test_a_wrong_report_is_refused_in_a_sentence(words: tuple[str, ...], said: str) -> None:
    assert said in inarow("reproduce", *words, code=2).stderr
