"""The perfect player keeps the value of the game, and errs only as often as it is told to."""

from __future__ import annotations

import pytest

from inarow.agents import AgentError, Limit, agent
from inarow.match import play_match
from inarow.randomness import Stream
from inarow.rules import CONNECT4, FIRST, Position, game, parse_moves
from inarow.rules.notation import parse_position
from inarow.solver import Oracle, Verdict
from inarow.stopping import Stop


def test_it_never_loses_tic_tac_toe_and_plays_a_draw_with_itself() -> None:
    board = game("tictactoe")
    perfect = agent("perfect")
    for seed in range(10):
        for pair in ((perfect, agent("random")), (agent("random"), perfect)):
            record = play_match(board, *pair, seed=seed)
            seat = 0 if pair[0] is perfect else 1
            assert record.outcome is not None
            assert record.outcome.winner in (None, seat)
        assert play_match(board, perfect, perfect, seed=seed).result == "draw"


@pytest.mark.parametrize("spec", ["perfect", "perfect:resist=any", "perfect:ties=first", "perfect:ties=centre"])
def test_its_moves_keep_the_verdict_and_the_score_if_it_resists_longest(spec: str) -> None:
    board = game("connect4")
    oracle = Oracle(board)
    mind = agent(spec).start(board, FIRST, 4)
    stream = Stream(8)
    for _ in range(12):
        position = Position.start(board)
        while position.ply < 22:
            after = position.play(stream.choice(position.legal_moves()))
            if after.outcome() is not None:
                break
            position = after
        if position.ply < 20:
            continue
        scores = oracle.scores(position)
        decision = mind.decide(position)
        best = max(scores.values())
        assert Verdict.of(scores[decision.move]) == Verdict.of(best)
        assert decision.value == Verdict.of(best)
        if "any" not in spec:
            assert scores[decision.move] == best
            assert decision.by_move["score"] == scores


def test_ties_are_broken_as_told() -> None:
    board = game("tictactoe")
    start = Position.start(board)
    assert agent("perfect:ties=first").start(board, FIRST, 1).decide(start).move == 0
    assert agent("perfect:ties=centre").start(board, FIRST, 1).decide(start).move == 4
    moves = {agent("perfect").start(board, FIRST, seed).decide(start).move for seed in range(40)}
    assert len(moves) > 3


def test_it_errs_as_often_as_told() -> None:
    board = game("connect4")
    position = parse_position(board, "4444443333332222")
    always = agent("perfect:error=1,ties=first").start(board, FIRST, 3)
    best = agent("perfect:ties=first").start(board, FIRST, 3).decide(position).move
    assert all(always.decide(position).move != best for _ in range(10))
    sometimes = agent("perfect:error=0.3,ties=first").start(board, FIRST, 5)
    errors = sum(bool(sometimes.decide(position).details["erred"]) for _ in range(200))
    assert 35 <= errors <= 85


def test_under_a_limit_it_plays_the_best_that_is_proven() -> None:
    board = game("connect4")
    stop = Stop()
    stop.set()
    decision = agent("perfect").start(board, FIRST, 1).decide(parse_position(board, "12345671"), Limit(nodes=500), stop)
    assert decision.move in range(7)
    assert decision.details["solved"] is False
    won = parse_position(board, "4455")
    limited = agent("perfect:nodes=1").start(board, FIRST, 1).decide(won)
    assert limited.move in (2, 5)


def test_a_table_larger_than_the_machine_is_refused() -> None:
    with pytest.raises(AgentError, match="table_mb"):
        agent("perfect:table_mb=1000000").start(game("connect4"), FIRST, 1)


def test_a_table_that_another_mind_used_changes_nothing() -> None:
    """Minds hand their tables on, so that no decision waits for memory; moves and nodes are those of a new table."""
    positions = [Position.start(CONNECT4, parse_moves(CONNECT4, line)) for line in ("444444122133", "7654321123456")]

    def decided() -> list[tuple[int, int]]:
        mind = agent("perfect:ties=first").start(CONNECT4, FIRST, 0)
        try:
            return [(decision.move, decision.nodes) for decision in map(mind.decide, positions)]
        finally:
            mind.close()

    first = decided()
    assert first == decided() == decided()
    assert all(nodes > 1000 for _, nodes in first)
