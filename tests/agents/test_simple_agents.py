"""random and rules do what the reports' simplest players do."""

from __future__ import annotations

from collections import Counter

import pytest

from inarow.agents import Agent, AgentError, agent
from inarow.match import Series, play_series
from inarow.rules import CONNECT4, FIRST, TICTACTOE, Position, game
from inarow.rules.notation import parse_position


def choices(made: Agent, position: Position, times: int = 2000) -> Counter[int]:
    """How often each move (counted from 1) is chosen by minds of different seeds."""
    return Counter(made.start(position.game, position.to_move, seed).decide(position).move + 1 for seed in range(times))


def test_random_plays_every_legal_move_alike() -> None:
    counts = choices(agent("random"), parse_position(CONNECT4, "444444"))
    assert set(counts) == {1, 2, 3, 5, 6, 7}
    assert all(250 < n < 420 for n in counts.values())


@pytest.mark.parametrize("style", ["random", "centre"])
def test_rules_wins_rather_than_blocks(style: str) -> None:
    both_threaten = parse_position(CONNECT4, "121212")
    assert choices(agent(f"rules:style={style}"), both_threaten, 50) == {1: 50}


def test_rules_blocks_at_random_among_several() -> None:
    counts = choices(agent("rules"), parse_position(CONNECT4, "44553"), 400)
    assert set(counts) == {2, 6}
    assert 150 < counts[2] < 250


def test_rules_plays_anything_when_there_is_nothing_to_win_or_block() -> None:
    assert set(choices(agent("rules"), parse_position(CONNECT4, "4453"), 400)) == {1, 2, 3, 4, 5, 6, 7}


def test_centre_style_weighs_columns_by_their_distance_from_the_centre() -> None:
    counts = choices(agent("rules:style=centre"), Position.start(CONNECT4), 7400)
    # Weights 4, 5, 6, 7, 6, 5, 4 of 37.
    for move, weight in enumerate([4, 5, 6, 7, 6, 5, 4], start=1):
        assert counts[move] == pytest.approx(7400 * weight / 37, rel=0.15)


def test_corners_style_takes_the_centre_then_corners_then_anything() -> None:
    corners = agent("rules:style=corners")
    assert set(choices(corners, Position.start(TICTACTOE), 50)) == {5}
    assert set(choices(corners, parse_position(TICTACTOE, "5"), 400)) == {1, 3, 7, 9}
    corners_taken = parse_position(game("4x4x4-free"), "1,4,13,16")
    assert len(choices(corners, corners_taken, 400)) == 12
    with pytest.raises(AgentError, match="has gravity"):
        corners.start(CONNECT4, FIRST, 1)


def test_rules_beats_random_about_as_often_as_published() -> None:
    # R4: win-block-random beats random in 92 % of Tic Tac Toe and 98 % of Connect 4 games (first player).
    for board, share in ((TICTACTOE, 0.92), (CONNECT4, 0.98)):
        series = Series(board, agent("rules"), agent("random"))
        for pair in play_series(board, agent("rules"), agent("random"), matches=1000, seed=4, swap=False):
            series.add(pair)
        rate = series.as_first.win_rate
        assert rate is not None
        assert abs(rate.estimate - share) < 0.06


def test_a_learner_without_its_table_plays_by_its_guide_alone() -> None:
    guided = "qlearning:guide=heuristic"
    with_table, alone = (agent(spec).start(CONNECT4, FIRST, 1) for spec in (guided, f"{guided},use_table=off"))
    start = Position.start(CONNECT4)
    assert with_table.decide(start).details["known"]
    assert not alone.decide(start).details["known"]
    winning = Position.start(CONNECT4, (0, 1, 0, 1, 0, 1))
    assert alone.decide(winning).move == 0


def test_a_learner_is_guided_only_if_asked_and_is_then_called_so() -> None:
    plain, guided = agent("qlearning"), agent("qlearning:guide=heuristic")
    won = Position.start(CONNECT4, (0, 1, 0, 1, 0, 1))
    assert [one.start(CONNECT4, FIRST, 1).decide(won).details["guided"] for one in (plain, guided)] == [False, True]
    assert (plain.full_name, guided.full_name) == ("qlearning", "qlearning:guide=heuristic (guided Q-learning)")
    assert "guided Q-learning" in guided.description
    assert "guided" not in plain.description
    assert plain.effective(CONNECT4) != guided.effective(CONNECT4)
