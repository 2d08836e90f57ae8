"""Exported agents play as in inarow without it; replays and records say the same."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from inarow.adapters.kaggle import ReplayError, export_agent, record_of_replay, replay_of_record
from inarow.agents import AgentError, agent
from inarow.match import play_match
from inarow.match.record import Termination
from inarow.rules import CONNECT4, TICTACTOE, Outcome, Player, Position
from inarow.rules.game import game
from inarow.truth.grading import decider
from inarow.truth.positions import truth_set
from support.connectx import run_submission

DATA = Path(__file__).parents[1] / "data"


@pytest.mark.parametrize(
    ("spec", "every"),
    [
        ("alphabeta:depth=3", 10),
        ("alphabeta:depth=4,ordering=threats,tt=on,symmetry=on,iterative_deepening=on,ties=random", 20),
        ("minimax:depth=2,eval=lines,ties=centre", 40),
        ("alphabeta:nodes=300,eval=windows(share=1)", 20),
        ("alphabeta:depth=3,eval=zero,ordering=history", 40),
        ("ntuple", 2),
    ],
)
def test_a_submission_decides_as_the_agent_without_inarow(spec: str, every: int, tmp_path: Path) -> None:
    path = tmp_path / "submission.py"
    path.write_text(export_agent(agent(spec), seed=5), encoding="utf-8")
    positions = [known.position for known in truth_set()][::every]
    answers = run_submission(path, positions, seconds=60)
    assert answers.foreign == []
    assert answers.name == "agent"
    decide = decider(agent(spec), 5)
    assert answers.moves == [decide(position) for position in positions]


def test_a_submission_plays_on_the_board_it_was_made_for_only(tmp_path: Path) -> None:
    path = tmp_path / "submission.py"
    path.write_text(export_agent(agent("alphabeta:depth=4"), game("5x4x3")), encoding="utf-8")
    start = Position.start(game("5x4x3"), (2,))
    assert run_submission(path, [start]).moves == [decider(agent("alphabeta:depth=4"), 0)(start)]
    with pytest.raises(AssertionError, match="this file plays 5 x 4, 3 in a row"):
        run_submission(path, [Position.start(CONNECT4)])


def test_a_search_stops_in_time(tmp_path: Path) -> None:
    path = tmp_path / "submission.py"
    path.write_text(export_agent(agent("alphabeta:depth=30")), encoding="utf-8")
    answers = run_submission(path, [Position.start(CONNECT4)], seconds=0.5)
    assert answers.moves == [3]
    assert answers.seconds[0] < 0.5


def test_a_submission_plays_in_the_arena_as_a_file(tmp_path: Path) -> None:
    path = tmp_path / "submission.py"
    path.write_text(export_agent(agent("alphabeta:depth=2")), encoding="utf-8")
    record = play_match(CONNECT4, agent(f"file:{path}"), agent("random"), seed=1)
    assert record.outcome == Outcome(Player.FIRST)
    assert record.termination is Termination.LINE


def test_what_can_not_be_exported_is_named() -> None:
    with pytest.raises(AgentError, match="agent mcts can't be exported; alphabeta, minimax and ntuple can"):
        export_agent(agent("mcts"))
    with pytest.raises(AgentError, match="the solver is too large; use solver=off"):
        export_agent(agent("alphabeta:solver=on"))
    with pytest.raises(AgentError, match="ConnectX has gravity"):
        export_agent(agent("alphabeta"), TICTACTOE)


def replay() -> dict[str, Any]:
    """A match of two agents that come with kaggle-environments, as its toJSON() gave it."""
    data: dict[str, Any] = json.loads((DATA / "connectx-replay.json").read_text(encoding="utf-8"))
    return data


def test_a_replay_of_kaggle_is_read() -> None:
    record = record_of_replay(replay())
    assert record.game == CONNECT4
    assert record.outcome == Outcome(Player.SECOND)
    assert record.termination is Termination.LINE
    record.check()


def test_a_replay_written_here_has_the_steps_that_kaggle_writes() -> None:
    theirs = replay()
    ours = replay_of_record(record_of_replay(theirs))
    assert ours["steps"] == theirs["steps"]
    for part in ("name", "rewards", "statuses", "schema_version"):
        assert ours[part] == theirs[part]


@pytest.mark.parametrize("seed", range(3))
def test_records_go_out_and_come_back(seed: int) -> None:
    record = play_match(game("5x4x4"), agent("random"), agent("rules"), opening=(2, 2), seed=seed)
    again = record_of_replay(json.loads(json.dumps(replay_of_record(record))))
    assert (again.all_moves, again.outcome, again.termination) == (record.all_moves, record.outcome, record.termination)
    assert (again.first, again.second) == ("random", "rules")


def test_a_fault_goes_out_and_comes_back() -> None:
    data = replay()
    data["steps"] = data["steps"][:4]
    data["steps"][3][0]["status"] = "INVALID"
    record = record_of_replay(data)
    assert record.termination is Termination.ILLEGAL_MOVE
    assert record.outcome == Outcome(Player.SECOND)
    assert record.fault == "first player: illegal move, says the replay"
    written = replay_of_record(record)
    assert (written["statuses"], written["rewards"]) == (["INVALID", "DONE"], [None, 0])  # as ConnectX does
    assert [part["reward"] for part in written["steps"][-1]] == [None, 0]
    again = record_of_replay(written)
    assert (again.all_moves, again.outcome, again.termination) == (record.all_moves, record.outcome, record.termination)


def _cut(data: dict[str, Any]) -> None:
    del data["steps"][6:]


def _no_steps(data: dict[str, Any]) -> None:
    del data["steps"]


def _full_column(data: dict[str, Any]) -> None:
    data["steps"][1][0]["action"] = 9


def _other_board(data: dict[str, Any]) -> None:
    data["steps"][2][0]["observation"]["board"][0] = 1


def _half_step(data: dict[str, Any]) -> None:
    data["steps"][3] = data["steps"][3][:1]


def _no_sizes(data: dict[str, Any]) -> None:
    data["configuration"] = {"columns": 7}


def _huge(data: dict[str, Any]) -> None:
    data["configuration"]["columns"] = 70


@pytest.mark.parametrize(
    ("damage", "words"),
    [
        (_cut, "ends after 5 moves, before the match does; it is cut short"),
        (_no_steps, "'steps' is missing"),
        (_full_column, "step 1 of the replay can't be played: move 9 is out of range: connect4 has columns 0 to 6"),
        (_other_board, "the board of step 2"),
        (_half_step, "step 3 of the replay is not a pair of players"),
        (_no_sizes, "columns 7, rows None"),
        (_huge, "can't be played here"),
    ],
)
def test_a_damaged_replay_is_named(damage: Any, words: str) -> None:
    data = replay()
    damage(data)
    with pytest.raises(ReplayError, match=words):
        record_of_replay(data)


def test_what_connectx_can_not_show_is_named() -> None:
    with pytest.raises(ReplayError, match="ConnectX has gravity"):
        replay_of_record(play_match(TICTACTOE, agent("random"), agent("random")))
    with pytest.raises(ReplayError, match="not a replay"):
        record_of_replay([])
