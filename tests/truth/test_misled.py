"""The reason given for a mistake rests on facts: exact distances, replies counted, what a table knows."""

from __future__ import annotations

import functools
import re
from collections.abc import Mapping

import pytest

from inarow.agents import Decision, agent
from inarow.randomness import Stream
from inarow.rules import Position, game
from inarow.rules.notation import parse_position
from inarow.solver import Oracle, Verdict
from inarow.solver.analysis import plies_to_end
from inarow.truth.explain import gives_away, misled
from support.naive_network import random_position

BOARD = game("5x4x4")
ORACLE = Oracle(BOARD)


def replies_to(position: Position, move: int) -> Mapping[int, int] | None:
    after = position.play(move)
    return None if after.outcome() is not None else ORACLE.scores(after)


def test_a_horizon_is_named_exactly_where_the_truth_lies_beyond_it_and_deeper_search_changes_the_move() -> None:
    stream = Stream(3)
    found = 0
    for _ in range(60):
        position = random_position(BOARD, stream, 6 + stream.below(5))
        if position.outcome() is not None:
            continue
        scores = ORACLE.scores(position)
        search = agent("alphabeta:depth=2")
        decision = search.start(BOARD, position.to_move, 0).decide(position)
        reason = misled(search, position, decision, scores, lambda move: None)
        assert (reason is not None) == gives_away(decision.move, scores)
        if reason is None:
            continue
        found += 1
        best = max(scores, key=lambda move: scores[move])
        decisive = best if scores[best] > 0 else decision.move
        assert (reason.cause == "horizon") == (plies_to_end(position, scores[decisive]) > 2)
        assert re.fullmatch(r"It searched 2 plies ahead, .* \d ((wins|loses) in \d+ moves?|draws)\.", reason.text)
        assert reason.text.count("plies") == 1  # distances are in moves of the winner, as everywhere
        depth = max(plies_to_end(position, scores[move]) for move in (best, decision.move))
        deeper = agent(f"alphabeta:depth={depth}").start(BOARD, position.to_move, 0)
        assert not gives_away(deeper.decide(position).move, scores)
    assert found > 5


def test_a_search_that_reached_far_enough_is_not_excused_by_its_horizon() -> None:
    position = parse_position(BOARD, "112233")
    scores = ORACLE.scores(position)
    decision = Decision(0, depth=8, values={0: 0.1, 3: 1.0})
    reason = misled(agent("alphabeta:depth=8"), position, decision, scores, lambda move: None)
    assert reason is not None
    assert reason.cause == "other"
    assert "It searched 8 plies ahead, far enough to see the win by " in reason.text


def test_playouts_are_named_only_where_another_reply_than_a_refutation_is_expected() -> None:
    stream = Stream(9)
    seen = set()
    for _ in range(60):
        position = random_position(BOARD, stream, 6 + stream.below(6))
        if position.outcome() is not None:
            continue
        scores = ORACLE.scores(position)
        for move in scores:
            answers = replies_to(position, move)
            if not gives_away(move, scores) or answers is None:
                continue
            for reply, score in answers.items():
                details = {"simulations": 1000, "tree_depth": 40}
                decision = Decision(move, values={move: 0.5}, details=details, line=(move, reply))
                reason = misled(agent("mcts"), position, decision, scores, functools.partial(replies_to, position))
                assert reason is not None
                assert "1,000 simulations" in reason.text
                refutes = Verdict.of(score) == Verdict.of(-scores[move])
                assert reason.cause == ("estimate" if refutes else "playouts")
                assert f"expects {'the refutation ' if refutes else ''}{reply + 1}" in reason.text
                seen.add(reason.cause)
    assert seen == {"playouts", "estimate"}


@pytest.mark.parametrize(
    ("spec", "details", "cause", "words"),
    [
        ("qlearning", {"known": False}, "unseen", "no row for this position"),
        ("qlearning", {"known": True}, "estimate", "1 is worth +0.20 to it and 4 is worth +0.10"),
        ("qlearning", {"known": False, "guided": True}, "other", "guide"),
        ("ntuple", {}, "estimate", "looks one move ahead"),
        ("random", {}, "other", "4 wins in 1 move."),
        ("mcts", {"simulations": 90, "tree_depth": 0}, "playouts", "Its tree is 0 plies deep"),
    ],
)
def test_every_kind_of_agent_has_its_reason(spec: str, details: dict[str, object], cause: str, words: str) -> None:
    position = parse_position(BOARD, "112233")
    decision = Decision(0, values={0: 0.2, 3: 0.1}, details=details)
    reason = misled(agent(spec), position, decision, ORACLE.scores(position), lambda move: None)
    assert reason is not None
    assert reason.cause == cause
    assert words in reason.text
