"""Tables of Q-values: symmetric positions share a row, others never do; guides; features."""

from __future__ import annotations

import pytest

from inarow.models.qtable import QTable
from inarow.randomness import Stream
from inarow.rules import CONNECT4, FIRST, Position, game
from inarow.rules.notation import parse_position
from inarow.stopping import Stop
from inarow.training import Stage, trainer
from inarow.training.qlearning import QLearner


def trained(spec: str, board: str, episodes: int, opponent: str = "self") -> QLearner:
    learner = trainer(spec).learner(game(board), 5, episodes)
    assert isinstance(learner, QLearner)
    learner.run(Stage((opponent,)), episodes, Stop())
    return learner


@pytest.mark.parametrize("board", ["tictactoe", "5x4x4", "4x3x3-free"])
def test_symmetric_positions_have_the_same_values_and_others_their_own(board: str) -> None:
    table = trained("qlearning", board, 3000).table
    stream = Stream(2)
    start = Position.start(game(board))
    for _ in range(50):
        position = start
        for _ in range(stream.below(5)):
            if position.outcome() is None:
                position = position.play(stream.choice(position.legal_moves()))
        if position.outcome() is not None:
            continue
        values, _, _ = table.judge(position)
        for image, cells in zip(position.symmetries(), game(board).cell_symmetries, strict=True):
            mirrored, _, _ = table.judge(image)
            for move, value in values.items():
                assert mirrored[game(board).move_of_cell(cells[move])] == value


def test_without_symmetries_every_position_has_its_own_row() -> None:
    assert len(trained("qlearning:symmetry=off,epsilon=1", "tictactoe", 40_000).table) == 4520


def test_a_guide_wins_blocks_and_makes_double_threats_first() -> None:
    start = Position.start(CONNECT4)
    win = parse_position(CONNECT4, "112233")
    block = parse_position(CONNECT4, "1122334"[:5])
    double = parse_position(CONNECT4, "3344"[:4])
    table = QTable(CONNECT4)
    assert table.judge(win, "none")[1] == ()
    assert table.judge(win, "rules")[1] == (3,)
    assert table.judge(block, "rules")[1] == (3,)
    assert table.judge(start, "rules")[1] == ()
    assert table.judge(double, "rules")[1] == ()
    assert set(table.judge(double, "threats")[1]) == set(table.judge(double, "heuristic")[1]) == {1, 4}


def test_the_heuristic_guide_hands_over_neither_a_win_nor_a_double_threat() -> None:
    table = QTable(CONNECT4)
    stream = Stream(6)
    restricted = 0
    for _ in range(200):
        position = Position.start(CONNECT4)
        for _ in range(stream.below(30)):
            if position.outcome() is None:
                position = position.play(stream.choice(position.legal_moves()))
        me = position.to_move
        if position.outcome() is not None or position.winning_moves() or position.winning_moves(me.other):
            continue
        safe = [move for move in position.legal_moves() if not position.play(move).winning_moves()]
        forced = table.judge(position, "heuristic")[1]
        assert set(forced) <= set(safe) or not safe
        restricted += bool(forced)
    assert restricted > 10
    threatened = parse_position(CONNECT4, "314")  # two in the bottom row, with room for a third on both sides
    forced = table.judge(threatened, "heuristic")[1]
    assert forced
    for move in forced:
        after = threatened.play(move)
        assert all(len(after.play(reply).winning_moves(FIRST)) < 2 for reply in after.legal_moves())
    assert table.judge(threatened, "threats")[1] == ()


def test_the_heuristic_has_its_share() -> None:
    table = QTable(CONNECT4, guide="heuristic", share=0.5)
    values, _, known = table.judge(Position.start(CONNECT4))
    assert not known
    assert max(values, key=lambda move: values[move]) == 3
    # In the middle of the bottom row: 7 windows lack three stones, and the centre counts 0.4.
    assert values[3] == pytest.approx(0.5 * (7 * 0.1 + 0.4))
    assert QTable(CONNECT4, guide="heuristic", share=0).judge(Position.start(CONNECT4))[0][3] == 0


def test_an_optimistic_start_tries_every_move() -> None:
    learner = trained("qlearning:initial=5,epsilon=0,alpha=1,opening_plies=0", "tictactoe", 60)
    keys, _, visits = learner.table.rows()
    start = visits[(keys == 0).all(axis=1)][0]
    assert (start > 0).sum() == 3  # the corner, the side and the centre


def test_rates_follow_their_schedules() -> None:
    from inarow.kernels.qlearning import rate_now
    from inarow.training.opponents import schedule

    assert rate_now(schedule("0.3").array(100), 50) == 0.3
    assert rate_now(schedule("decay(0.8,0.5,0.1)").array(100), 2) == pytest.approx(0.2)
    assert rate_now(schedule("decay(0.8,0.5,0.1)").array(100), 9) == 0.1
    assert rate_now(schedule("linear(0.6,0)").array(100), 50) == pytest.approx(0.3)
    assert rate_now(schedule("linear(0.6,0.2,10)").array(100), 50) == pytest.approx(0.2)
    assert rate_now(schedule("visits(0.1)").array(100), 0) == 1
    for text in (
        "0.3",
        "decay(0.8,0.5,0.1)",
        "decay(0.8,0.5,0.1,moves)",
        "linear(0.6,0)",
        "linear(1,0,10)",
        "visits(0)",
    ):
        assert str(schedule(text)) == text


def test_a_rate_that_counts_moves_falls_within_an_episode() -> None:
    learner = trained("qlearning:epsilon=decay(1,0.9,0,moves),opening_plies=0", "tictactoe", 20)
    assert learner.progress.episodes == 20
    assert learner.progress.moves > 5 * 20
