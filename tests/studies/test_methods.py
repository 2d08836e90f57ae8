"""The Methods describe the learner that played: what its model's file says."""

from __future__ import annotations

import csv
import io
import re
from collections.abc import Sequence
from pathlib import Path

import pytest

from inarow.arena import Tournament
from inarow.models.loading import SHIPPED, trained
from inarow.rules import CONNECT4
from inarow.studies import Plan, Study, StudyResults, run_study
from inarow.studies.base import Content, Experiment
from inarow.studies.methods import _about
from inarow.training import trainer
from support.commands import inarow_json
from support.study_doubles import Little


@pytest.mark.parametrize("path", sorted(SHIPPED.glob("*.npz")), ids=lambda path: path.stem)
def test_a_shipped_learner_is_described_by_its_file(path: Path) -> None:
    kind, board = path.stem.split("-")
    said = _about(kind, board, Path())
    facts = trained(path)
    opponents = ["itself" if one == "self" else one for one in facts["opponents"]]
    assert f"learnt from {facts['episodes']:,} episodes against {opponents[0]}" in said
    assert f"seed {facts['seed']}: " in said
    learner = trainer(facts["spec"])
    for parameter in learner.parameters():
        if parameter.name in ("alpha", "gamma", "epsilon"):
            assert f"{parameter.name} {parameter.format(getattr(learner, parameter.name))}," in said
    if kind == "qlearning":
        assert said.endswith("guide none")
        guided = _about("qlearning:guide=heuristic", board, Path())
        assert guided.startswith("guided Q-learning")
        assert guided.endswith("guide heuristic")


def test_model_show_and_methods_have_the_same_source() -> None:
    path = SHIPPED / "qlearning-connect4.npz"
    shown = inarow_json("model", "show", str(path))
    assert {name: shown[name] for name in trained(path)} == trained(path)


def test_a_limit_that_deepens_a_search_is_said() -> None:
    assert "iterative_deepening on" in _about("alphabeta:nodes=100", "connect4", Path())
    assert "iterative_deepening off" in _about("alphabeta:depth=4", "connect4", Path())
    assert "fixed depth" not in _about("minimax:nodes=100", "connect4", Path())


def test_a_model_that_is_gone_is_said(tmp_path: Path) -> None:
    assert "its model can’t be read" in _about("qlearning:model=gone.npz", "connect4", tmp_path)


LABELS = {
    "guided Q-learning": "qlearning:guide=heuristic",
    "guide alone": "qlearning:guide=heuristic,use_table=off",
    "n-tuple": "ntuple",
}


class Learners(Little):
    """A pool of the shipped learners of Connect 4 under labels, each met by random once."""

    name = "learners"

    def experiments(self, plan: Plan) -> list[Experiment]:
        labels = {spec: label for label, spec in LABELS.items()}
        return [
            Tournament.of(CONNECT4, ("random", *labels), "none", 1, format="gauntlet", key="meeting", labels=labels)
        ]


def test_labels_agree_in_report_methods_and_tables_and_models_are_described(tmp_path: Path) -> None:
    page = run_study(Learners(), tmp_path, workers=1).read_text(encoding="utf-8").replace("<wbr>", "")
    methods = (tmp_path / "methods.md").read_text(encoding="utf-8")
    rows = list(csv.reader(io.StringIO((tmp_path / "tables" / "standings.csv").read_text(encoding="utf-8"))))
    assert {row[0] for row in rows[1:]} == {"random", *LABELS}
    for label, spec in LABELS.items():
        assert re.search(rf"<td[^>]*>{re.escape(label)}</td><td[^>]*>{re.escape(spec)}</td>", page)
        line = next(line for line in methods.splitlines() if line.startswith(f"| {label} | {spec} |"))
        if spec.endswith("use_table=off"):
            assert "with an empty table: guide heuristic" in line
        else:
            model = inarow_json("model", "show", str(SHIPPED / f"{spec.partition(':')[0]}-connect4.npz"))
            assert f"learnt from {model['episodes']:,} episodes" in line
            assert f"seed {model['seed']}" in line


def test_a_player_with_another_model_on_each_board_is_described_for_each(tmp_path: Path) -> None:
    class TwoBoards(Study):
        name = "boards"
        title = summary = "Two boards"

        def experiments(self, plan: Plan) -> Sequence[Experiment]:
            return [
                Tournament.of(board, ("ntuple", "random"), pairs=1, key=board) for board in ("connect4", "tictactoe")
            ]

        def content(self, found: StudyResults) -> Content:
            return Content("", (), ())

    run_study(TwoBoards(), tmp_path / "out", workers=1)
    methods = (tmp_path / "out" / "methods.md").read_text(encoding="utf-8")
    assert methods.count("| ntuple |") == 2
    assert methods.count("8,000,000 episodes") == 1
