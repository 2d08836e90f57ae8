"""inarow train, model show, model curves, model slim: as a user meets them."""

from __future__ import annotations

import csv
import json
import os
import signal
from pathlib import Path

import numpy as np
import pytest

from inarow.models.files import ModelFile
from inarow.training import Training
from support.commands import inarow

TRAIN = ("train", "tictactoe", "qlearning", "--episodes", "300", "--eval-every", "100", "--eval-matches", "2")


@pytest.fixture
def model(tmp_path: Path) -> Path:
    path = tmp_path / "mine.npz"
    inarow(*TRAIN, "--out", str(path))
    return path


def test_training_prints_its_history_and_writes_a_model_that_plays(model: Path) -> None:
    done = inarow(*TRAIN, "--out", str(model), "--force")
    assert "qlearning learns Tic Tac Toe" in done.stdout
    row = done.stdout[done.stdout.index("skill of the value") :].split("\n")[2]
    assert -3 < float(row.split()[-1]) <= 1, "a skill score, not a share"
    assert f"300 episodes; the model is in {model}." in done.stdout
    played = inarow("match", "tictactoe", f"qlearning:model={model}", "random", "--matches", "4", "--json")
    assert json.loads(played.stdout)["matches"] == 4


def test_a_guided_learner_is_said_to_be_played_with_its_guide(tmp_path: Path) -> None:
    model = tmp_path / "guided.npz"
    arguments = ("3x3x3", "qlearning:guide=rules", "-n", "10", "--eval-every", "0", "--eval-matches", "1", "--no-truth")
    said = inarow("train", *arguments, "--out", str(model)).stdout.replace("\n", " ")
    assert f"; play it as qlearning:model={model},guide=rules (guided Q-learning)." in said
    shown = json.loads(inarow("model", "show", str(model), "--json").stdout)
    assert shown["plays_as"] == f"qlearning:model={model},guide=rules (guided Q-learning)"


def test_training_as_json(tmp_path: Path) -> None:
    done = inarow(*TRAIN, "--out", str(tmp_path / "m.npz"), "--json")
    history = json.loads(done.stdout)["history"]
    assert [entry["episodes"] for entry in history] == [100, 200, 300]
    assert set(history[0]["matches"]) == {"random", "rules"}


def test_a_file_is_not_written_over_by_accident(model: Path) -> None:
    assert "exists" in inarow(*TRAIN, "--out", str(model), code=2).stderr


def test_resume_goes_on_and_a_slim_model_can_not(model: Path, tmp_path: Path) -> None:
    done = inarow(*TRAIN, "--resume", str(model))
    assert f"{model}: 300 more episodes after 300." in done.stdout
    assert f"600 episodes; the model is in {model}." in done.stdout
    slim = tmp_path / "slim.npz"
    assert "bytes" in inarow("model", "slim", str(model), "--out", str(slim), "--visits", "2").stdout
    assert slim.stat().st_size < model.stat().st_size
    assert "no training state" in inarow(*TRAIN, "--resume", str(slim), code=2).stderr
    assert (
        "has been slimmed already"
        in inarow("model", "slim", str(slim), "--out", str(model), "--visits", "2", "--force", code=2).stderr
    )
    assert (
        "has 999 visits"
        in inarow("model", "slim", str(model), "--out", str(slim), "--visits", "999", "--force", code=2).stderr
    )
    direct = tmp_path / "direct.npz"
    inarow(*TRAIN, "--out", str(direct), "--slim")
    with ModelFile(direct) as file:
        assert not file.has("state")


def test_ctrl_c_saves_and_leaves_and_resume_ends_as_if_nothing_had_been(
    model: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    out = tmp_path / "broken.npz"
    original = Training._at_mark

    def interrupt(self: Training, path: Path | None) -> None:
        original(self, path)
        if self.learner.episodes == 200:
            os.kill(os.getpid(), signal.SIGINT)

    with monkeypatch.context() as patched:
        patched.setattr(Training, "_at_mark", interrupt)
        done = inarow(*TRAIN, "--out", str(out), code=130)
    assert f"Continue with --resume {out}: 200 of 300 episodes are done." in done.stderr
    with ModelFile(out) as file:
        assert file.header["episodes"] == 200
    again = inarow(
        "train", "tictactoe", "qlearning", "--eval-every", "100", "--eval-matches", "2", "--resume", str(out)
    )
    assert "resuming an unfinished training, 200 of 300 episodes are done" in again.stdout
    with ModelFile(out) as broken, ModelFile(model) as whole:
        assert broken.header["history"] == whole.header["history"]
        for name, kind, shape in (("keys", np.int64, (None, 2)), ("values", np.float32, (None, 9))):
            assert (broken.array(name, kind, shape) == whole.array(name, kind, shape)).all()


STAGED = (
    "train", "tictactoe", "qlearning:backup=own,seat=second", "--eval-matches", "2", "--no-truth", "--log-episodes",
    "--stage", "opponent=random,episodes=40,epsilon=0.4", "--stage", "opponent=rules,episodes=20",
)  # fmt: skip


def test_a_training_in_stages_is_started_continued_with_others_and_exported(tmp_path: Path) -> None:
    path, other, table = tmp_path / "m.npz", tmp_path / "other.npz", tmp_path / "episodes.csv"
    started = inarow(*STAGED, "--resume", str(path))
    assert f"{path} does not exist; starting a new training." in started.stdout
    assert "rules as second" in started.stdout
    assert "rules as first" not in started.stdout
    kept = path.read_bytes()
    inarow(
        "train", "tictactoe", "qlearning:backup=own,seat=second,epsilon=0.1", "--no-truth", "--eval-matches", "1",
        "--opponent", "greedy", "-n", "15", "--resume", str(path), "--out", str(other),
    )  # fmt: skip
    assert path.read_bytes() == kept
    shown = json.loads(inarow("model", "show", str(other), "--json").stdout)
    assert shown["episodes"] == 75
    assert shown["opponents"] == ["opponent=random,episodes=40,epsilon=0.4", "opponent=rules,episodes=20", "greedy"]
    inarow("model", "curves", str(other), "--episodes", "--out", str(table))
    rows = list(csv.DictReader(table.read_text(encoding="utf-8").splitlines()))
    assert [int(row["episode"]) for row in rows] == list(range(1, 76))
    assert {row["result"] for row in rows} <= {"win", "draw", "loss"}
    assert all(5 <= int(row["plies"]) <= 9 for row in rows)


def test_a_file_that_is_no_model_is_not_continued_and_not_touched(model: Path, tmp_path: Path) -> None:
    text = tmp_path / "notes.npz"
    text.write_text("my notes")
    assert "is not a model file" in inarow(*TRAIN, "--resume", str(text), code=2).stderr
    assert text.read_text() == "my notes"
    kept = model.read_bytes()
    wrong = inarow("train", "tictactoe", "ntuple", "--resume", str(model), code=2).stderr
    assert "is a model of qlearning; ntuple can't continue it" in wrong
    assert "no episode log" in inarow("model", "curves", str(model), "--episodes", "-o", "x.csv", code=2).stderr
    assert model.read_bytes() == kept


def test_a_second_ctrl_c_breaks_the_training_off(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def interrupt(self: Training, path: Path | None) -> None:
        os.kill(os.getpid(), signal.SIGINT)
        os.kill(os.getpid(), signal.SIGINT)

    monkeypatch.setattr(Training, "_at_mark", interrupt)
    inarow(*TRAIN, "--out", str(tmp_path / "m.npz"), code=130)
    assert list(tmp_path.glob("*.npz")) == []


def test_a_training_without_an_episode_prints_no_table(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(Training, "steps", lambda self, stop, target: iter(()))
    done = inarow(*TRAIN, "--out", str(tmp_path / "m.npz"))
    assert done.stdout.startswith("0 episodes; ")


def test_show_says_what_a_model_is(model: Path) -> None:
    text = inarow("model", "show", str(model)).stdout
    for fact in ("qlearning", "tictactoe", "300", "resumable  yes", "sha256"):
        assert fact in text
    facts = json.loads(inarow("model", "show", str(model), "--json").stdout)
    assert facts["episodes"] == 300
    assert facts["rows"] > 100
    assert len(facts["history"]) == 3


def test_curves_are_a_table_or_a_figure(model: Path, tmp_path: Path) -> None:
    table = tmp_path / "curves.csv"
    inarow("model", "curves", str(model), "--out", str(table))
    rows = list(csv.DictReader(table.read_text(encoding="utf-8").splitlines()))
    assert [row["episodes"] for row in rows] == ["100", "200", "300"]
    assert {"win_rate", "reward", "entries", "bytes", "random as first wins", "seconds"} <= set(rows[0])
    for name in ("curves.png", "curves.svg"):
        inarow("model", "curves", str(model), "--out", str(tmp_path / name))
        assert (tmp_path / name).stat().st_size > 10_000
    wrong = inarow("model", "curves", str(model), "--out", str(tmp_path / "c.txt"), code=2).stderr
    assert "expected a figure (.svg, .pdf, .png) or a table (.csv)" in wrong


def test_a_network_is_trained_and_shown(tmp_path: Path) -> None:
    path = tmp_path / "n.npz"
    inarow(
        "train",
        "5x4x4",
        "ntuple:tuples=4,length=3",
        "-n",
        "200",
        "-o",
        str(path),
        "--workers",
        "2",
        "--eval-matches",
        "1",
    )
    facts = json.loads(inarow("model", "show", str(path), "--json").stdout)
    assert facts["kind"] == "ntuple"
    assert facts["weights"] > 0
    inarow("model", "slim", str(path), "--out", str(tmp_path / "small.npz"))
    played = inarow("match", "5x4x4", f"ntuple:model={tmp_path / 'small.npz'}", "random", "--matches", "2", "--json")
    assert json.loads(played.stdout)["faults"] == []


@pytest.mark.parametrize(
    ("words", "reason"),
    [
        (("train", "tictactoe", "qlearning:epsilon=2", "-o", "m.npz"), "epsilon=2 is not a rate from 0 to 1"),
        (("train", "tictactoe", "random", "-o", "m.npz"), "'random' is not a trainer"),
        (("train", "5x4x4", "r1-qlearning", "-o", "m.npz"), "not 5x4x4"),
        (("train", "tictactoe", "qlearning", "-o", "m.npz", "--opponent", "nobody"), "unknown agent 'nobody'"),
        (("train", "tictactoe", "qlearning", "-o", "none/m.npz", "-n", "5"), "does not exist"),
        (
            ("train", "tictactoe", "qlearning", "-o", "m.npz", "-n", "0"),
            "episodes must be an integer from 1 to 10,000,000,000, got 0",
        ),
        (("train", "tictactoe", "qlearning", "-n", "5"), "use --out FILE, or --resume FILE"),
        (
            ("train", "tictactoe", "qlearning", "-o", "m.npz", "--stage", "episodes=0"),
            "episodes must be an integer from 1",
        ),
        (("train", "tictactoe", "qlearning", "-o", "m.npz", "--stage", "self", "--opponent", "random"), "exclude"),
        (
            ("train", "tictactoe", "qlearning", "-o", "m.npz", "--minutes", "0"),
            "minutes must be a positive number, got 0.0",
        ),
        (("model", "show", "none.npz"), "there is no model file"),
        (("match", "tictactoe", "qlearning:model=none.npz", "random"), "there is no model file"),
        (("match", "5x4x4", "ntuple", "random"), "inarow train 5x4x4 ntuple"),
    ],
)
def test_mistakes_end_with_one_line_and_code_2(
    words: tuple[str, ...], reason: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    done = inarow(*words, code=2)
    assert reason in done.stderr
    assert "Traceback" not in done.stderr
    assert list(tmp_path.glob("*.npz")) == []
