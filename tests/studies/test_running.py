"""Studies run to a report, resume where they were, refuse what is in the way, and report again with the same bytes."""

from __future__ import annotations

import contextlib
import json
import os
import re
import signal
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest

import inarow as inarow_package
from inarow.arena import Store, StoreError, Tournament
from inarow.arena.executor import InProcess, Job, Task, agents_in
from inarow.cli.study import _watched
from inarow.errors import HostFailure, InarowError
from inarow.report.page import Section
from inarow.report.tables import table
from inarow.rules import TICTACTOE
from inarow.studies import (
    Measurement,
    Plan,
    StudyError,
    StudyProgress,
    StudyResults,
    do_experiments,
    run_study,
    write_report,
)
from inarow.studies import base as studies
from inarow.studies.base import Content, Experiment
from inarow.studies.measurements import think
from inarow.studies.running import _measure
from support.arena_doubles import Mortal
from support.commands import inarow
from support.damage import damaged
from support.study_doubles import Deciding, InterruptedAt, Little, count_to, make_file


@pytest.fixture(autouse=True)
def _known(monkeypatch: pytest.MonkeyPatch) -> None:
    """The little study can be found by its name, as those of the house can."""
    monkeypatch.setitem(studies._WHERE, "little", "compare:Little")
    monkeypatch.setattr("inarow.studies.compare.Little", Little, raising=False)


def files(folder: Path) -> dict[str, bytes]:
    return {str(p.relative_to(folder)): p.read_bytes() for p in sorted(folder.rglob("*")) if p.is_file()}


def run(folder: Path, **options: object) -> Path:
    return run_study(Little(), folder, workers=1, **options)  # type: ignore[arg-type]


@pytest.fixture(scope="module")
def finished(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("studies") / "finished"
    run(folder)
    return folder


def test_a_study_leaves_a_report_with_tables_records_and_methods(finished: Path) -> None:
    assert {"report.html", "methods.md", "study.db", "tables/standings.csv", "tables/standings.tex"} <= set(
        files(finished)
    )
    records = (finished / "records" / "meeting.jsonl").read_text().splitlines()
    assert len(records) == 12
    assert json.loads(records[0])["game"] == "tictactoe"
    methods = (finished / "methods.md").read_text()
    assert "| seed | 0 |" in methods
    assert "win now, else block, else by style; style random" in methods


def test_a_report_written_again_has_the_same_bytes(finished: Path) -> None:
    before = files(finished)
    assert write_report(finished) == finished / "report.html"
    assert files(finished) == before
    assert inarow("report", str(finished)).stdout.strip().endswith("report.html")
    assert files(finished) == before


@pytest.mark.parametrize("key", ["before", "meeting", "after"])
def test_an_interrupted_study_resumes_to_the_same_tables(finished: Path, tmp_path: Path, key: str) -> None:
    folder = tmp_path / "interrupted"
    with pytest.raises(KeyboardInterrupt):
        run(folder, watch=InterruptedAt(key))
    page = write_report(folder).read_text()
    assert "This study is unfinished:" in page
    run(folder, resume=True)
    for name in ("standings.csv", "all.csv"):
        assert (folder / "tables" / name).read_bytes() == (finished / "tables" / name).read_bytes()


def test_resuming_a_finished_study_plays_nothing(finished: Path) -> None:
    class Nothing(StudyProgress):
        def start(self, key: str) -> None:
            raise AssertionError(key)

    run(finished, resume=True, watch=Nothing())


def test_two_workers_find_the_same_as_one(finished: Path, tmp_path: Path) -> None:
    run_study(Little(), tmp_path / "two", workers=2)
    assert (tmp_path / "two/tables/all.csv").read_bytes() == (finished / "tables/all.csv").read_bytes()


@pytest.fixture(scope="module")
def decided(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A study whose pairings stop when they are decided, by one worker."""
    folder = tmp_path_factory.mktemp("studies") / "decided"
    run_study(Deciding(), folder, workers=1)
    return folder


def tables(folder: Path) -> dict[str, bytes]:
    """What does not depend on the clock."""
    return {name: (folder / "tables" / name).read_bytes() for name in ("standings.csv", "all.csv")}


def test_pairings_that_stop_when_decided_are_the_same_with_two_workers(decided: Path, tmp_path: Path) -> None:
    run_study(Deciding(), tmp_path / "two", workers=2)
    assert tables(tmp_path / "two") == tables(decided)


def test_a_study_that_is_killed_and_resumed_ends_in_the_same_tables(decided: Path, tmp_path: Path) -> None:
    folder = tmp_path / "killed"
    script = (
        "import sys; from pathlib import Path; from inarow.studies import run_study; "
        "from support.study_doubles import Deciding, KilledAfter; "
        "run_study(Deciding(), Path(sys.argv[1]), workers=2, watch=KilledAfter('meeting', 60))"
    )
    paths = os.pathsep.join(map(str, (Path(__file__).parents[1], Path(inarow_package.__file__).parents[1])))
    environment = {**os.environ, "PYTHONPATH": paths}
    done = subprocess.run([sys.executable, "-c", script, str(folder)], env=environment, timeout=300, check=False)
    assert done.returncode == -signal.SIGKILL
    assert "This study is unfinished" in write_report(folder, Deciding()).read_text()
    run_study(Deciding(), folder, workers=2, resume=True)
    assert tables(folder) == tables(decided)


def test_nothing_is_written_over_without_force(finished: Path, tmp_path: Path) -> None:
    before = files(finished)
    with pytest.raises(StudyError, match=r"holds the finished study little \(quick, seed 0\); give --resume"):
        run(finished)
    assert files(finished) == before
    (tmp_path / "notes.txt").write_text("mine")
    with pytest.raises(StudyError, match="is not empty"):
        run(tmp_path)
    run(tmp_path, force=True)
    run(tmp_path, force=True)
    assert (tmp_path / "notes.txt").read_text() == "mine"
    with pytest.raises(StudyError, match="is a file"):
        run(tmp_path / "notes.txt")


def test_a_folder_in_use_is_never_replaced(tmp_path: Path) -> None:
    class Watched(Little):
        """Is asked for its page when the experiments are done, and the report is not written yet."""

        def content(self, found: StudyResults) -> Content:
            with pytest.raises(StudyError, match=r"study little \(quick, seed 0, in use by .* \(process \d+ on "):
                run(tmp_path)
            with pytest.raises(StoreError, match=r"study\.db is in use by .* \(process .*; wait for it, or stop it"):
                run(tmp_path, force=True)
            return super().content(found)

    times = re.compile(r"[\d-]+ [\d:]+ UTC")
    before = times.sub("", run_study(Watched(), tmp_path, workers=1).read_text(encoding="utf-8"))
    assert times.sub("", run(tmp_path, force=True).read_text(encoding="utf-8")) == before


def test_another_study_scale_or_seed_is_not_resumed(finished: Path) -> None:
    with pytest.raises(StudyError, match="its seed is 0, got 5"):
        run(finished, plan=Plan(seed=5), resume=True)
    with pytest.raises(StudyError, match="its scale is quick, got full"):
        run(finished, plan=Plan("full"), resume=True)

    class Other(Little):
        name = "other"

    with pytest.raises(StudyError, match="its study is little, got other"):
        run_study(Other(), finished, resume=True)

    class Changed(Little):
        def experiments(self, plan: Plan) -> Sequence[Experiment]:
            return super().experiments(plan)[1:]

    with pytest.raises(StudyError, match="have changed"):
        run_study(Changed(), finished, resume=True)


def test_what_is_not_there_is_said(tmp_path: Path) -> None:
    with pytest.raises(StudyError, match="no study to resume"):
        run(tmp_path / "new", resume=True)
    with pytest.raises(StudyError, match=r"has no study\.db"):
        write_report(tmp_path)
    assert "did you mean compare?" in inarow("study", "compaer", code=2).stderr


def test_two_experiments_with_one_key_are_refused(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(Little, "experiments", lambda self, plan: [Tournament.of("tictactoe", ["random", "rules"])] * 2)
    with pytest.raises(StudyError, match="two experiments have the key"):
        run(tmp_path / "new")
    assert not (tmp_path / "new").exists()


def test_a_wrong_scale_says_which_there_are() -> None:
    assert "must be quick or full" in inarow("study", "compare", "--scale", "huge", code=2).stderr


@pytest.mark.parametrize("share", [0.05, 0.3, 0.6, 0.9])
def test_a_store_cut_short_is_said_and_never_written_over_without_force(
    finished: Path, tmp_path: Path, share: float
) -> None:
    whole = (finished / "study.db").read_bytes()
    cut = whole[: round(share * len(whole))]
    (tmp_path / "study.db").write_bytes(cut)
    try:
        said = write_report(tmp_path).read_text(encoding="utf-8")
    except InarowError as error:
        said = str(error)
    assert "study.db is damaged" in said
    assert (tmp_path / "study.db").read_bytes() == cut
    with pytest.raises(InarowError, match=r"damaged|not a readable study|give --resume to continue"):
        run(tmp_path)
    if share < 0.5:
        with pytest.raises(InarowError, match=r"is damaged, and nothing in it can be read|can't be used"):
            run(tmp_path, resume=True)
        assert (tmp_path / "study.db").read_bytes() == cut
        run(tmp_path, force=True)
    else:
        run(tmp_path, resume=True)
        assert (tmp_path / "study.db.damaged").stat().st_size == len(cut)
    assert (tmp_path / "tables/all.csv").read_bytes() == (finished / "tables/all.csv").read_bytes()


class Noting(StudyProgress):
    """Keeps what it is told."""

    def __init__(self) -> None:
        self.notes: list[str] = []

    def note(self, text: str) -> None:
        self.notes.append(text)


def test_a_damaged_folder_is_reported_or_refused_and_what_is_resumed_is_whole(finished: Path, tmp_path: Path) -> None:
    data, resumed, refused = (finished / "study.db").read_bytes(), 0, []
    for number, bad in enumerate(damaged(data, 12, 5)):
        folder = tmp_path / str(number)
        folder.mkdir()
        (folder / "study.db").write_bytes(bad)
        try:
            write_report(folder)
        except InarowError as error:
            refused.append(str(error))
        watch = Noting()
        with contextlib.suppress(InarowError):
            run(folder, resume=True, watch=watch)
            for name in ("standings.csv", "all.csv"):
                assert (folder / "tables" / name).read_bytes() == (finished / "tables" / name).read_bytes()
            resumed += bool(watch.notes)
    assert resumed >= 2
    assert all(text.count("(") == text.count(")") for text in refused)


def test_a_store_cut_short_is_shown_as_far_as_it_can_be_read(tmp_path: Path) -> None:
    class Counting(Little):
        def experiments(self, plan: Plan) -> Sequence[Experiment]:
            return [Measurement(f"count-{n}", count_to, {"end": n}) for n in range(200)]

        def content(self, found: StudyResults) -> Content:
            known = [
                (key, len(m["counted"])) for key in found.keys("measurement") if (m := found.measured(key)) is not None
            ]
            return Content("Counted.", (), [Section("All", (table("counts", "Counts", ("key", "count"), known),))])

    run_study(Counting(), tmp_path, workers=1)
    store = tmp_path / "study.db"
    store.write_bytes(store.read_bytes()[: -3 * 4096])
    page = write_report(tmp_path, Counting()).read_text()
    assert "study.db is damaged (" in page
    assert "This study is unfinished:" in page


def test_a_file_that_is_no_store_is_refused(tmp_path: Path) -> None:
    (tmp_path / "study.db").write_text("This is a letter.")
    with pytest.raises(InarowError, match="not a store"):
        write_report(tmp_path)
    with pytest.raises(StudyError, match="not a readable study"):
        run(tmp_path)


def test_a_missing_model_is_said_and_one_that_was_made_is_made_again(tmp_path: Path) -> None:
    class Learnt(Little):
        def experiments(self, plan: Plan) -> Sequence[Experiment]:
            return [Measurement("training", make_file, {"model": "model.npz"}), *super().experiments(plan)]

    do_experiments(Learnt(), tmp_path / "made", workers=1)
    (tmp_path / "made/model.npz").unlink()
    do_experiments(Learnt(), tmp_path / "made", workers=1, resume=True)
    assert (tmp_path / "made/model.npz").read_text() == "learnt"
    (tmp_path / "made/model.npz").write_text("lernt")
    watch = Noting()
    do_experiments(Learnt(), tmp_path / "made", workers=1, resume=True, watch=watch)
    assert "model.npz has changed since it was written; writing it again" in watch.notes[0]
    assert (tmp_path / "made/model.npz").read_text() == "learnt"

    class Missing(Little):
        def experiments(self, plan: Plan) -> Sequence[Experiment]:
            return [Tournament.of(TICTACTOE, ("random", "qlearning:model=models/none.npz"), "none", 1, key="models")]

    with pytest.raises(InarowError, match=r"no model file models/none\.npz"):
        do_experiments(Missing(), tmp_path / "missing", workers=1)


def test_the_command_says_each_verdict_and_where_the_report_is(tmp_path: Path) -> None:
    folder = tmp_path / "mine"
    done = inarow("study", "little", "--out", str(folder), "--workers", "1", "--seed", "3")
    page = folder / "report.html"
    assert done.stdout.splitlines()[:2] == ["A little study.", f"Report: {page}"]
    assert done.stdout.splitlines()[2].startswith("To open it: ")
    said = [line.partition(":")[0].split() for line in done.stderr.splitlines()]
    assert said == [["7%", "before"], ["93%", "meeting"], ["100%", "after"]], "through a pipe, with the share done"
    assert all(line.endswith(".") for line in done.stderr.splitlines())
    assert "holds the finished study little" in inarow("study", "little", "--out", str(folder), code=2).stderr


def test_a_verdict_is_wrapped_at_words_on_a_screen(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    for name, value in {"FORCE_COLOR": "1", "TERM": "xterm", "COLUMNS": "40"}.items():
        monkeypatch.setenv(name, value)
    with _watched() as watch:
        watch.begin([("seats", 1)])
        watch.start("seats")
        watch.done("seats", "the first player won 55, drew 16 and lost 29")
    shown = re.sub("\x1b\\[[^a-zA-Z]*[a-zA-Z]", "", capsys.readouterr().err)
    lines = [line.strip() for line in shown.splitlines()]
    assert {"seats: the first player won 55, drew 16", "and lost 29."} <= set(lines)


def test_an_interrupted_command_says_how_to_go_on(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def interrupted(*_: object, **__: object) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr("inarow.studies.running._measure", interrupted)
    done = inarow("study", "little", "--out", str(tmp_path / "mine"), "--workers", "1", code=130)
    assert "keeps what is finished, continue with --resume" in done.stderr


def test_a_measurement_that_kills_its_worker_is_named(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("inarow.studies.running.open_executor", lambda workers, cluster: Mortal("measure"))
    with pytest.raises(HostFailure, match="dies whenever it does before; finished results are kept"):
        do_experiments(Little(), tmp_path / "mine", workers=1)


def test_the_studies_are_listed_with_their_help() -> None:
    listed = inarow("study", "--list").stdout
    for name in studies.study_names():
        assert name in listed


def test_agents_that_settings_name_are_checked_by_the_workers_of_a_cluster(tmp_path: Path) -> None:
    class Recording(InProcess):
        agents: list[str] = []  # noqa: RUF012

        def submit(self, job: Job[Any], listener: Any = None) -> Task[Any]:
            self.agents += [one.spec for one in agents_in(job.arguments)]
            return super().submit(job, listener)

    settings = {"agent": "greedy", "game": "tictactoe", "positions": ["15"]}
    with Store.in_memory() as store:
        _measure([Measurement("one", think, settings)], store, Recording(), StudyProgress())
    assert Recording.agents == ["greedy"]
