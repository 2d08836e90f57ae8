"""The Methods describe the learner that played: what its model's file says."""

from __future__ import annotations

import csv
import io
import re
from pathlib import Path

import pytest

from inarow.agents import agent
from inarow.arena import Tournament
from inarow.models.loading import SHIPPED, load_model, trained
from inarow.rules import CONNECT4, TICTACTOE, game
from inarow.studies import Plan, run_study
from inarow.studies.compare import PLAYERS, players
from inarow.studies.framework.study import Experiment
from inarow.studies.sections.methods import _about
from inarow.studies.sections.surprises import LEARNERS
from support.commands import inarow_json
from support.study_doubles import Little


@pytest.mark.parametrize("path", sorted(SHIPPED.glob("*.npz")), ids=lambda path: path.stem)
def test_a_shipped_learner_is_described_by_its_file(path: Path) -> None:
    kind, *preset, board = path.stem.split("-")
    said = _about(f"{kind}:preset={preset[0]}" if preset else kind, board, Path())
    facts = trained(path)
    opponents = ["itself" if one == "self" else one for one in facts["opponents"]]
    assert f"learnt from {facts['episodes']:,} episodes against {opponents[0]}" in said
    assert f"seed {facts['seed']}: " in said
    learner = agent(facts["spec"])
    for parameter in learner.parameters():
        if parameter.name in ("alpha", "gamma", "epsilon") and not preset:
            assert f"{parameter.name} {parameter.format(getattr(learner, parameter.name))}," in said
    if kind == "qlearning" and not preset:
        assert said.endswith(f"guide {load_model(path, kind, game(board)).guide}")


def test_model_show_and_methods_have_the_same_source() -> None:
    path = SHIPPED / "qlearning-connect4.npz"
    shown = inarow_json("model", "show", str(path))
    assert {name: shown[name] for name in trained(path)} == trained(path)


def test_a_model_that_is_gone_is_said(tmp_path: Path) -> None:
    assert "its model can't be read" in _about("qlearning:model=gone.npz", "connect4", tmp_path)


def test_a_learner_with_a_guide_is_named_after_it_beside_the_guide_with_an_empty_table() -> None:
    names = list(players(CONNECT4))
    at = names.index("Q-learning with heuristic guide")
    assert names[at + 1] == "heuristic guide with empty table"
    assert players(CONNECT4)[names[at + 1]] == "qlearning:table=off"
    assert "empty table: guide heuristic" in _about("qlearning:table=off", "connect4", Path())
    assert list(players(TICTACTOE)) == list(PLAYERS[TICTACTOE])


class Learners(Little):
    """A pool of all learners of one game, as `compare` names them, each met by random once."""

    name = "learners"

    def experiments(self, plan: Plan) -> list[Experiment]:
        found = {label: spec for label, spec in players(CONNECT4).items() if spec.partition(":")[0] in LEARNERS}
        labels = {agent(spec).spec: label for label, spec in found.items()}
        specs = ("random", *found.values())
        return [Tournament.of(CONNECT4, specs, "none", 1, format="gauntlet", key="meeting", labels=labels)]


def test_the_labels_of_learners_agree_in_report_methods_tables_and_model_show(tmp_path: Path) -> None:
    page = run_study(Learners(), tmp_path, workers=1).read_text(encoding="utf-8")
    methods = (tmp_path / "methods.md").read_text(encoding="utf-8")
    rows = list(csv.reader(io.StringIO((tmp_path / "tables" / "standings.csv").read_text(encoding="utf-8"))))
    labels = {label: spec for label, spec in players(CONNECT4).items() if spec.partition(":")[0] in LEARNERS}
    assert len(labels) >= 3
    assert {row[0] for row in rows[1:]} == {"random", *labels}
    for label, spec in labels.items():
        assert re.search(rf"<td[^>]*>{re.escape(label)}</td><td[^>]*>{re.escape(spec)}</td>", page)
        line = next(line for line in methods.splitlines() if line.startswith(f"| {label} | {spec} |"))
        kind, _, settings = spec.partition(":")
        path = SHIPPED / f"{kind}-connect4.npz"
        model = inarow_json("model", "show", str(path))
        guide = getattr(load_model(path, kind, CONNECT4), "guide", "none")
        assert (guide == "none") == ("guide" not in label)
        assert guide == "none" or label in (f"Q-learning with {guide} guide", f"{guide} guide with empty table")
        if settings != "table=off":
            assert f"learnt from {model['episodes']:,} episodes" in line
            assert f"seed {model['seed']}" in line
