"""Your own agents can join the comparison, and algorithms can be left out of it."""

from __future__ import annotations

from pathlib import Path

import pytest

from inarow.arena import Tournament
from inarow.rules import CONNECT4, TICTACTOE
from inarow.studies import Measurement, Plan, study
from inarow.studies.base import StudyError
from inarow.studies.compare import Compare
from inarow.studies.compare.lineup import SEARCHERS
from inarow.studies.measurements import grade

AGENT = """
name = "climber"

def agent(observation, configuration, *, column=3):
    free = [c for c in range(configuration.columns) if observation.board[c] == 0]
    return next((c for c in free if c >= column), free[0])
"""


def experiments(made: Compare) -> tuple[list[Tournament], list[Measurement]]:
    declared = made.experiments(Plan())
    tournaments = [one for one in declared if isinstance(one, Tournament)]
    return tournaments, [one for one in declared if isinstance(one, Measurement)]


def players(made: Compare) -> set[str]:
    return {label for one in experiments(made)[0] for label in one.labels.values()}


def test_the_usual_line_up_is_that_of_the_title() -> None:
    assert Compare().line_up.names(CONNECT4) == ["minimax", "alpha–beta", "MCTS", "Q-learning", "rules", "random"]
    assert not Compare().options
    specs = {one.spec for pool in experiments(Compare())[0] for one in pool.agents}
    assert not any("guide" in spec for spec in specs)


def test_only_is_only() -> None:
    made = Compare(only=["minimax", "mcts"])
    tournaments, measurements = experiments(made)
    assert {label.partition(",")[0] for label in players(made)} == {"minimax", "MCTS"}
    named = " ".join(str(one.settings) for one in measurements)
    assert not any(name in named for name in ("qlearning", "alphabeta", "rules", "random'"))
    assert {one.key for one in tournaments} >= {"connect4-3ms", "tictactoe-pool"}


def test_own_agents_and_named_ones_join_both_games(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "mine.py").write_text(AGENT)
    monkeypatch.chdir(tmp_path)
    made = Compare(["mine.py:column=5", "mine.py"], only=["rules", "minimax"], also=["n-tuple"])
    for game in (CONNECT4, TICTACTOE):
        assert made.line_up.names(game) == ["minimax", "n-tuple", "climber (column=5)", "climber", "rules"]
    measured = {one.settings.get("agent") for one in experiments(made)[1]}
    assert f"file:{tmp_path / 'mine.py'}:column=5" in measured  # wherever it runs
    again = study("compare", **made.options)
    assert isinstance(again, Compare)
    assert players(again) == players(made)


def test_counts_measured_here_replace_the_shipped_ones() -> None:
    counts = {one.key: dict.fromkeys(("0.3ms", "3ms", "20ms"), 7) for one in SEARCHERS}
    assert "minimax:nodes=7" in Compare(counts=counts).line_up.searching(CONNECT4).values()


def test_what_cannot_be_compared_is_refused() -> None:
    with pytest.raises(StudyError, match="did you mean minimax"):
        Compare(only=["minimaxx"])
    with pytest.raises(StudyError, match="did you mean n-tuple"):
        Compare(also=["ntuple"])
    with pytest.raises(StudyError, match="needs two agents"):
        Compare(only=["rules"]).experiments(Plan())
    with pytest.raises(StudyError, match="seats does not take agents"):
        study("seats", agents=["random"])


def test_an_agent_that_fails_where_it_is_graded_gets_the_worst_move(tmp_path: Path) -> None:
    path = tmp_path / "broken.py"
    path.write_text("def agent(observation):\n    return 1 // 0\n")
    settings = {"agent": f"file:{path}", "game": "tictactoe", "count": 2, "seed": 0}
    found = grade(settings).result
    assert all(one["kept"] == 0 for one in found["by_ply"].values())
