"""Your own agents can join the comparison, and algorithms can be left out of it."""

from __future__ import annotations

from pathlib import Path

import pytest

from inarow.arena import Tournament
from inarow.studies import Measurement, Plan, study
from inarow.studies.base import StudyError
from inarow.studies.compare import Compare
from inarow.studies.measurements import grade

AGENT = """
name = "climber"

def agent(observation, configuration, *, column=3):
    free = [c for c in range(configuration.columns) if observation.board[c] == 0]
    return next((c for c in free if c >= column), free[0])
"""


def line_up(made: Compare) -> dict[str, list[str]]:
    found = [one for one in made.experiments(Plan()) if isinstance(one, Tournament)]
    return {one.key: [one.labels[player.spec] for player in one.agents] for one in found}


def test_own_agents_join_both_games_under_their_names(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "mine.py").write_text(AGENT)
    monkeypatch.chdir(tmp_path)
    made = Compare(["mine.py:column=5", "mine.py", "mcts:simulations=7"], only=["rules", "minimax"])
    assert line_up(made)["connect4"] == [
        "rules", "minimax (depth 6)", "climber (column=5)", "climber", "mcts:simulations=7",
    ]  # fmt: skip
    assert len(line_up(made)["tictactoe"]) == 5
    graded = [one for one in made.experiments(Plan()) if isinstance(one, Measurement)]
    assert {one.settings["game"] for one in graded} == {"connect4", "tictactoe"}
    assert len(graded) == 10  # no trainings, no searches
    assert f"file:{tmp_path / 'mine.py'}:column=5" in [one.settings["agent"] for one in graded]  # wherever it runs


def test_the_options_make_the_same_study_again(tmp_path: Path) -> None:
    (tmp_path / "mine.py").write_text(AGENT)
    made = Compare([str(tmp_path / "mine.py")], only=["rules"])
    again = study("compare", **made.options)
    assert isinstance(again, Compare)
    assert line_up(again) == line_up(made)
    assert not Compare().options


def test_what_cannot_be_compared_is_refused() -> None:
    with pytest.raises(StudyError, match="did you mean minimax"):
        Compare(only=["minimaxx"])
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
