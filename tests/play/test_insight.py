"""The truth shown at the board: exact, in words that are right, and never of another position."""

from __future__ import annotations

from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from inarow.agents import Limit
from inarow.agents.perfect import ADVISER
from inarow.kernels.rules import moves_to_end
from inarow.play.insight import Insight, MoveBounds, blunders, find_judge
from inarow.rules import CONNECT4, FIRST, TICTACTOE, Position, game, parse_moves
from inarow.rules.notation import parse_position
from inarow.solver import Bounds
from inarow.solver.analysis import describe
from inarow.stopping import Stop
from inarow.truth.explain import reason_of
from support.desktop_doubles import naive_judge
from support.play_doubles import ManualRunner


@pytest.mark.parametrize(
    ("moves", "score", "words"),
    [
        ("4455", 18, "win in 2 moves"),
        ("44455554221", -15, "loss in 1 move"),
        ("", 0, "draw"),
        ("112233", 18, "win in 1 move"),
    ],
)
def test_scores_in_words(moves: str, score: int, words: str) -> None:
    assert describe(parse_position(CONNECT4, moves), score) == words


@given(st.lists(st.integers(0, 8), max_size=6))
def test_the_judge_agrees_with_plain_search(choices: list[int]) -> None:
    position = Position.start(TICTACTOE)
    for choice in choices:
        legal = position.legal_moves()
        if not legal:
            return
        position = position.play(legal[choice % len(legal)])
    if position.outcome() is None:
        assert find_judge(TICTACTOE, patience=60)(position, Stop()) == naive_judge(position, Stop())


def test_a_win_in_n_is_won_with_the_nth_move() -> None:
    """Playing the truth out ends when it was said to."""
    position = parse_position(CONNECT4, "4455")
    judge = find_judge(CONNECT4)
    promised, player, made = moves_to_end(CONNECT4.layout, position.ply, 18), position.to_move, 0
    while position.outcome() is None:
        scores = judge(position, Stop())
        assert scores is not None
        made += position.to_move is player
        position = position.play(max(scores, key=lambda move: scores[move].low))
    assert made == promised


def test_a_judge_that_is_stopped_says_nothing() -> None:
    stop = Stop()
    stop.set()
    assert find_judge(CONNECT4)(Position.start(CONNECT4), stop) is None


def test_positions_are_found_out_in_the_order_wanted_and_kept() -> None:
    runner = ManualRunner()
    insight = Insight(naive_judge, run=runner)
    start = Position.start(TICTACTOE, (0, 1, 2, 4))
    later = start.play(3)
    insight.want([later, start])
    assert insight.busy
    runner.run()
    assert insight.update()
    assert insight.known(later) == naive_judge(later, Stop())
    assert insight.known(start) is None
    runner.run()
    insight.update()
    assert insight.known(start) is not None
    assert not insight.busy


def test_what_is_no_longer_wanted_is_given_up_and_its_answer_ignored() -> None:
    runner = ManualRunner()
    insight = Insight(naive_judge, run=runner)
    one = Position.start(TICTACTOE, (0, 1, 2, 4))
    two = Position.start(TICTACTOE, (8, 1, 2, 4))
    insight.want([one])
    insight.want([two])
    runner.run_all()
    insight.update()
    assert insight.known(one) is None
    assert insight.known(two) is not None


def test_a_judge_that_fails_is_not_asked_again() -> None:
    def broken(position: Position, stop: Stop) -> MoveBounds | None:
        raise RuntimeError("no idea")

    runner = ManualRunner()
    insight = Insight(broken, run=runner)
    position = Position.start(TICTACTOE)
    insight.want([position])
    runner.run()
    insight.update()
    assert insight.failed(position)
    insight.want([position])
    assert not insight.busy
    insight.close()


def test_blunders_are_moves_that_gave_away_a_verdict() -> None:
    moves = parse_moves(TICTACTOE, "12539")
    found = blunders(TICTACTOE, (), moves, lambda position: naive_judge(position, Stop()))
    assert [(one.index, one.move, one.best) for one in found] == [(1, 1, (4,))]
    assert blunders(TICTACTOE, (), moves, lambda position: None) == []


def test_hints_are_exact_where_that_is_quick_and_sensible_elsewhere() -> None:
    exact = ADVISER.start(TICTACTOE, FIRST, 1).decide(Position.start(TICTACTOE, (0, 1)))
    assert exact.details["solved"]
    assert reason_of(Position.start(TICTACTOE, (0, 1)), exact) == f"{exact.move + 1} wins in 3 moves"
    hard = game("7x7x4")
    mind = replace(ADVISER, seconds=0.001).start(hard, FIRST, 1)
    guess = mind.decide(Position.start(hard), Limit(nodes=2000))
    mind.close()
    assert guess.move in Position.start(hard).legal_moves()


def test_a_judge_gives_up_in_time_and_says_what_it_has_proven() -> None:
    """7x8x5-free takes more than a minute to solve; bounds come back, and a win that is near is still seen."""
    board = game("7x8x5-free")
    unsolved = find_judge(board, patience=0.05)(Position.start(board), Stop())
    assert unsolved is not None
    assert len(unsolved) == board.cells
    assert not any(bounds.solved for bounds in unsolved.values())
    near = Position.start(board, (0, 20, 1, 30, 2, 40, 3, 50))
    truth = find_judge(board, patience=0.05)(near, Stop())
    assert truth is not None
    assert truth[4].solved
    assert truth[4].low > 0


def test_a_mistake_counts_only_where_it_is_proven() -> None:
    start = Position.start(TICTACTOE, (0,))
    moves = start.legal_moves()

    def known(low: int, high: int) -> MoveBounds:
        return {move: Bounds(0, 0) if move == 4 else Bounds(low, high) for move in moves}

    def found(truth: MoveBounds) -> list[int]:
        return [one.move for one in blunders(TICTACTOE, (0,), (1,), lambda position: truth)]

    assert found(known(-3, -1)) == [1], "certainly a loss where a draw was there"
    assert found(known(-3, 0)) == [], "perhaps a draw as well"
    assert found(known(-3, 3)) == []
