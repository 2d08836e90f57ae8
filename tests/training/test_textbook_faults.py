"""The faults that hand-written Q-learners of such games usually have, each with a test that would catch it."""

from __future__ import annotations

import pytest

from inarow.agents import agent
from inarow.agents.qlearning import QMind
from inarow.models.qtable import QTable
from inarow.randomness import Stream
from inarow.rules import FIRST, SECOND, TICTACTOE, Player, Position, game
from inarow.rules.notation import parse_position
from inarow.stopping import Stop
from inarow.training import Stage, trainer
from inarow.training.qlearning import QLearner
from inarow.training.training import Evaluation
from support.learning import learn_from


def learner(spec: str, board: str = "tictactoe", seed: int = 1) -> QLearner:
    made = trainer(spec).learner(game(board), seed, 1000)
    assert isinstance(made, QLearner)
    return made


def one_game(made: QLearner, moves: str, seat: int = 0) -> None:
    """Learn from this one game, in this seat (with backup=negamax, from all of its moves)."""
    made.seats = (Player(seat),)
    learn_from(made, moves)


def q(made: QLearner, moves: str, move: int) -> float:
    return made.table.judge(parse_position(made.game, moves))[0][move - 1]


# 1 4 2 5 3: the first player fills the top row; the second's last move is 5.
GAME = "14253"


@pytest.mark.parametrize("backup", ["negamax", "own"])
def test_fault_1_the_loser_s_last_move_gets_its_loss(backup: str) -> None:
    made = learner(f"qlearning:backup={backup},alpha=0.5,gamma=0.9,sweep=backward")
    one_game(made, GAME, seat=1)
    # Together the loss comes through the winner's value, learnt half; apart it is the reward itself.
    assert q(made, "142", 5) == pytest.approx(0.5 * -0.9 * 0.5 if backup == "negamax" else -0.5)


def test_fault_2_the_opponent_s_best_value_counts_against_a_move() -> None:
    made = learner("qlearning:alpha=1,gamma=0.9,sweep=backward")
    one_game(made, GAME)
    assert q(made, "1425", 3) == pytest.approx(1)
    assert q(made, "142", 5) == pytest.approx(-0.9)
    assert q(made, "14", 2) == 0  # the opponent need not play 5: its best reply is worth 0, not −0.9 turned round


@pytest.mark.parametrize("sweep", ["backward", "forward"])
def test_fault_3_what_is_learnt_travels_back_to_earlier_moves(sweep: str) -> None:
    made = learner(f"qlearning:backup=own,alpha=1,gamma=0.9,sweep={sweep}")
    for _ in range(3):
        one_game(made, GAME)
    assert q(made, "1425", 3) == pytest.approx(1)
    assert q(made, "14", 2) == pytest.approx(0.9)
    assert q(made, "", 1) == pytest.approx(0.81)


def test_fault_3_forward_is_what_learning_move_by_move_gives() -> None:
    made = learner("qlearning:backup=own,alpha=1,gamma=0.9,sweep=forward")
    one_game(made, GAME)
    assert (q(made, "1425", 3), q(made, "14", 2), q(made, "", 1)) == (1, 0, 0)


def test_fault_4_nothing_is_explored_when_it_is_evaluated() -> None:
    made = learner("qlearning:epsilon=1,alpha=1")
    made.run(Stage(("self",)), 20_000, Stop())
    for seat in ("first", "second"):
        found = Evaluation(["random"], matches=100).measure(TICTACTOE, made.mind, 5)
        assert found["matches"]["random"][seat]["losses"] == 0
    before = {name: array.tolist() for name, array in made.arrays().items()}
    Evaluation(["rules"], matches=5).measure(TICTACTOE, made.mind, 5)
    assert {name: array.tolist() for name, array in made.arrays().items()} == before


def test_fault_5_by_default_it_is_not_trained_against_one_opponent_only() -> None:
    assert trainer("qlearning").defaults(TICTACTOE)[0] == ("self",)
    made = learner("qlearning")
    made.run(Stage(("random", "rules")), 20_000, Stop())
    made.run(Stage(("self",)), 20_000, Stop())
    found = Evaluation(["random", "rules"], matches=100).measure(TICTACTOE, made.mind, 3)["matches"]
    assert all(seat["losses"] == 0 for seats in found.values() for seat in seats.values())


def test_fault_6_who_is_to_move_is_in_the_table() -> None:
    """Positions that differ only in who has which stones have rows of their own, and values of their own."""
    made = learner("qlearning:alpha=1,gamma=0.9")
    one_game(made, GAME)
    one_game(made, "914253")  # the second player fills the row this time
    one_game(made, GAME)
    assert q(made, "1425", 3) == pytest.approx(1)
    assert q(made, "91425", 3) == pytest.approx(1)
    assert q(made, "9142", 5) == pytest.approx(-0.9)
    assert q(made, "94152", 3) == 0  # here the first player owns 1 and 2 is its too: the row is not the second's


def test_fault_7_ties_go_to_any_of_the_equal_moves() -> None:
    table = QTable(TICTACTOE)
    start = Position.start(TICTACTOE)
    moves = {QMind(table, Stream(seed)).decide(start).move for seed in range(100)}
    assert moves == set(range(9))


def test_fault_8_it_is_judged_by_many_different_games() -> None:
    """A greedy learner against itself replays one line; evaluation must not."""
    made = learner("qlearning")
    made.run(Stage(("self",)), 20_000, Stop())
    from inarow.match import play_match
    from inarow.training.training import Held

    held = Held(made.mind)
    games = {play_match(TICTACTOE, held, agent("random"), seed=seed).moves for seed in range(30)}
    assert len(games) > 20


def test_the_decision_gives_the_q_value_of_every_move() -> None:
    made = learner("qlearning")
    made.run(Stage(("self",)), 5_000, Stop())
    position = parse_position(TICTACTOE, "5193")
    decision = made.mind(1).decide(position)
    assert set(decision.by_move["q"]) == set(position.legal_moves())
    assert decision.by_move["q"] == made.table.judge(position)[0]


@pytest.mark.parametrize("seat", [FIRST, SECOND])
def test_a_learner_in_one_seat_learns_its_own_moves_only_when_apart(seat: int) -> None:
    made = learner(f"qlearning:backup=own,opening_plies=0,seat={'second' if seat else 'first'}")
    made.run(Stage(("random",)), 2_000, Stop())
    keys = made.table.rows()[0]
    plies = [int(a).bit_count() + int(b).bit_count() for a, b in keys]
    assert {ply % 2 for ply in plies} == {seat}
