"""The reports' learners learn and play as their programs do: whole matches to the state, shares within chance."""

from __future__ import annotations

from functools import cache
from pathlib import Path

import pytest

from inarow.agents import AgentError, agent
from inarow.match import play_match
from inarow.models.files import ModelError, ModelFile
from inarow.reproductions.learning import QAgent, QTrainer, ReportQLearner
from inarow.reproductions.r1.program import R1Learner
from inarow.reproductions.r2.program import R2Learner
from inarow.rules import CONNECT4, FIRST, SECOND, TICTACTOE, Game, Position
from inarow.stopping import Stop
from inarow.training import Stage, Training, TrainingError, TrainingPlan, trainer
from inarow.training.training import Held


def trained(spec: str, board: Game, episodes: int, opponent: str, seed: int = 1) -> ReportQLearner:
    made = trainer(spec).learner(board, seed, episodes)
    assert isinstance(made, ReportQLearner)
    made.run(Stage((opponent,)), episodes, Stop())
    return made


@cache
def known(spec: str, board: Game, episodes: int, opponent: str) -> ReportQLearner:
    return trained(spec, board, episodes, opponent)


MINIMAX = "r1-minimax:depth=5"
UNTRAINED = "r1-qlearning:alpha=0"


@pytest.mark.parametrize(
    ("spec", "episodes"),
    [(UNTRAINED, 1), ("r1-qlearning:seat=first", 100), ("r1-qlearning:seat=second", 100)],
)
def test_r1_minimax_beats_the_learner_in_nine_plies_and_13185_states(spec: str, episodes: int) -> None:
    learner = known(spec, CONNECT4, episodes, "r1-default")
    record = play_match(CONNECT4, agent(MINIMAX), Held(learner.mind))
    assert record.moves == (3, 3, 3, 3, 1, 3, 2, 0, 4)
    assert sum(record.nodes) == 13_185
    assert record.result == "first"


def test_r1_the_untrained_learner_first_loses_in_38_plies_and_19655_states() -> None:
    learner = known(UNTRAINED, CONNECT4, 1, "r1-default")
    record = play_match(CONNECT4, Held(learner.mind), agent(MINIMAX))
    assert (len(record.moves), sum(record.nodes), record.result) == (38, 19_655, "second")


def test_r1_the_eighth_symmetry_leaves_the_four_corners_equal() -> None:
    """Its board is the wrong one, its move is right: on the empty board nothing is wrong, and ties are exact."""
    row = known("r1-qlearning:seat=first", TICTACTOE, 500, "r1-default").table.row(Position.start(TICTACTOE))
    assert len({row[corner] for corner in (0, 2, 6, 8)}) == 1
    assert len({row[edge] for edge in (1, 3, 5, 7)}) == 1


def test_r1_alone_one_table_moves_both_sides_and_credits_both_with_the_same_sign() -> None:
    threatens = Position.start(TICTACTOE, [0, 3, 1, 4])  # either side would complete its line now
    values = {}
    for fixed in ("off", "same-sign"):
        learner = trainer(f"r1-qlearning:fixed={fixed}").learner(TICTACTOE, 0, 1)
        assert isinstance(learner, R1Learner)
        learner.played(threatens, 5, "")
        learner.table.rows[learner.table.key(threatens.play(5))] = {2: 1.0}
        learner.learn_alone(threatens.play(5))
        values[fixed] = learner.table.row(threatens)[5]
    move, ahead = -0.05, 0.9
    assert values == pytest.approx({"off": 0.3 * (move + ahead), "same-sign": 0.3 * (move - ahead)})
    learner = trained("r1-qlearning", TICTACTOE, 20, "self")
    assert {Position(TICTACTOE, *key).to_move for key in learner.table.rows} == {FIRST, SECOND}


def test_r4_only_the_last_move_is_learnt_unless_mended() -> None:
    for spec, learnt in (("r4-qlearning", False), ("r4-qlearning:fixed=on", True)):
        learner = known(spec, TICTACTOE, 500, "random")
        opening = learner.table.row(Position.start(TICTACTOE))
        assert (max(map(abs, opening.values())) > 0) is learnt


def test_r3_explores_in_tenths_and_keeps_tried_moves_only() -> None:
    learner = trained("r3-qlearning:epsilon=0.29", TICTACTOE, 30, "r3-medium")
    assert learner.epsilon == 0.2
    assert any(len(row) < 5 for row in learner.table.rows.values())
    assert trained("r3-qlearning:epsilon=0.29,fixed=on", TICTACTOE, 1, "random").epsilon == 0.29


def test_r3_a_last_move_tends_to_nine_tenths() -> None:
    learner = known("r3-qlearning", TICTACTOE, 2_000, "r3-medium")
    values = [value for row in learner.table.rows.values() for value in row.values()]
    assert 0.8 < max(values) <= 0.9 + 1e-9


def test_r3_learns_against_itself_in_both_seats() -> None:
    learner = trained("r3-qlearning", CONNECT4, 20, "self")
    assert {Position(CONNECT4, *key).to_move for key in learner.table.rows} == {FIRST, SECOND}


def test_r1_the_opponents_column_0_ends_an_episode_by_the_error_only() -> None:
    assert any(trained("r1-qlearning", CONNECT4, 20, "random").counts["cut_short"] for _ in range(1))
    assert not trained("r1-qlearning:fixed=on", CONNECT4, 20, "random").counts["cut_short"]


def test_r1_the_eighth_symmetry_puts_a_move_on_a_stone() -> None:
    for spec, wrong in (("r1-qlearning", True), ("r1-qlearning:fixed=on", False)):
        rows = known(spec, TICTACTOE, 500, "r1-default").table.rows
        on_stones = any(
            move not in Position(TICTACTOE, *key).legal_moves() for key, row in rows.items() for move in row
        )
        assert on_stones is wrong


def test_r2_the_end_of_a_game_is_learnt_in_the_next_one_by_the_error_only() -> None:
    assert trained("r2-qlearning", CONNECT4, 1, "random").last is not None
    assert trained("r2-qlearning:fixed=on", CONNECT4, 1, "random").last is None


def test_a_saved_table_plays_as_the_learner_and_can_be_cut(tmp_path: Path) -> None:
    plan = TrainingPlan(trainer("r3-qlearning"), TICTACTOE, 300, (Stage(("random",)),), seed=3)
    training = Training(plan)
    training.run(out=tmp_path / "model.npz")
    loaded = agent(f"r3-qlearning:model={tmp_path / 'model.npz'}")
    position = Position.start(TICTACTOE)
    found = loaded.start(TICTACTOE, FIRST, 5).decide(position)
    assert found.move == training.learner.mind(5).decide(position).move
    assert found.details["known"]
    from inarow.models.loading import slimmed

    slimmed(tmp_path / "model.npz", tmp_path / "small.npz", visits=20)
    small = agent(f"r3-qlearning:model={tmp_path / 'small.npz'}")
    assert isinstance(small, QAgent)
    assert 0 < len(small.held(TICTACTOE)) < training.learner.size()["entries"]
    with pytest.raises(ModelError, match="it is already slim"):
        slimmed(tmp_path / "small.npz", tmp_path / "smaller.npz", visits=2)


def test_a_file_with_other_settings_or_a_damaged_state_is_not_resumed(tmp_path: Path) -> None:
    plan = TrainingPlan(trainer("r4-qlearning"), TICTACTOE, 20, (Stage(("random",)),))
    Training(plan).run(out=tmp_path / "model.npz")
    other = trainer("r4-qlearning:fixed=on").learner(TICTACTOE, 0, 20)
    with ModelFile(tmp_path / "model.npz") as file, pytest.raises(ModelError, match="can't be resumed"):
        other.restore(file)


def test_r2_and_r4_do_not_learn_from_themselves() -> None:
    with pytest.raises(TrainingError, match="learns against an opponent, not from self-play"):
        trained("r2-qlearning", TICTACTOE, 1, "self")


def test_a_model_of_another_report_is_refused(tmp_path: Path) -> None:
    Training(TrainingPlan(trainer("r4-qlearning"), TICTACTOE, 20, (Stage(("random",)),))).run(out=tmp_path / "r4.npz")
    with pytest.raises(AgentError, match="is a model of r4-qlearning, not of r1-qlearning; play r4-qlearning:model="):
        agent(f"r1-qlearning:model={tmp_path / 'r4.npz'}").start(TICTACTOE, FIRST, 0)


def test_the_help_names_every_error_and_each_can_be_repaired_alone() -> None:
    for name in ("r1", "r2", "r3", "r4"):
        kind = type(trainer(f"{name}-qlearning"))
        fixed = next(one for one in kind.parameters() if one.name == "fixed")
        options = fixed.options  # type: ignore[attr-defined]
        assert all(f"{error}: " in fixed.help for error in options)
        assert trainer(f"{name}-qlearning:fixed={'+'.join(options)}") == trainer(f"{name}-qlearning:fixed=on")
        for error in options:
            one = trainer(f"{name}-qlearning:fixed={error}")
            assert isinstance(one, QTrainer)
            assert one.errors == set(options) - {error}


def test_shipped_tables_play() -> None:
    for name in ("r1", "r2", "r3", "r4"):
        for board in (TICTACTOE, CONNECT4):
            mind = agent(f"{name}-qlearning").start(board, FIRST, 0)
            assert mind.decide(Position.start(board)).details["known"]


@pytest.mark.parametrize(("column", "plies", "states"), [(1, 38, 19_655), (4, 16, 22_128), (5, 38, 28_004)], ids=str)
def test_r1_which_match_a_table_loses_to_minimax_hangs_on_one_row(column: int, plies: int, states: int) -> None:
    """After six discs in the centre four columns are equal to the guides, and the table tips the balance: these are
    the three matches that tables of the report's program play, one of them as published, to the state."""
    learner = trained(UNTRAINED, CONNECT4, 1, "r1-default")
    key = learner.table.key(Position.start(CONNECT4, (3,) * 6))
    learner.table.rows[key] = {move: -0.01 for move in (1, 2, 4, 5) if move != column}
    record = play_match(CONNECT4, Held(learner.mind), agent(MINIMAX))
    assert record.moves[6] == column
    assert (len(record.moves), sum(record.nodes), record.result) == (plies, states, "second")
    if column == 4:
        assert record.moves == (3, 3, 3, 3, 3, 3, 4, 2, 5, 6, 4, 4, 5, 4, 5, 5)


def test_r2_the_learner_counts_its_turns_in_each_position_and_a_file_keeps_them(tmp_path: Path) -> None:
    path = tmp_path / "r2.npz"
    plan = TrainingPlan(trainer("r2-qlearning"), TICTACTOE, 40, (Stage(("r2-baseline",)),))
    learner = Training(plan)
    learner.run(out=path)
    resumed = Training.resume(plan, path).learner
    assert isinstance(resumed, R2Learner)
    visits = resumed.table.visits
    assert visits == learner.learner.table.visits  # type: ignore[attr-defined]
    assert set(visits) == set(resumed.table.rows)
    assert max(visits.values()) == visits[0, 0] > 1  # the empty board, of the games in which it begins
    assert resumed.table.facts()["state_visits"] == sum(visits.values())
