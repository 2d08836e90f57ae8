"""The perfect player keeps the value of the game, and errs only as often as it is told to."""

from __future__ import annotations

import pytest

from inarow.agents import AgentError, Decision, Limit, agent
from inarow.agents.perfect import PerfectMind
from inarow.agents.ties import move_set
from inarow.kernels.solver.analyse import AnalysisState
from inarow.kernels.solver.prove import ProofState, judge_moves
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


class KnowingOracle(Oracle):
    """Has proven these bounds of the moves when its limit is reached."""

    def __init__(self, bounds: dict[int, tuple[int, int]]) -> None:
        super().__init__(CONNECT4)
        self.bounds = bounds

    def judge(self, *_: object, weak: bool = False, **__: object) -> ProofState:
        found, proof = AnalysisState(), ProofState()
        found.legal, found.weak, found.nodes = move_set(self.bounds), weak, 100
        for move, (low, high) in self.bounds.items():
            found.move_low[move], found.move_high[move] = low, high
        judge_moves(proof, found)
        return proof


def decided(bounds: dict[int, tuple[int, int]], spec: str = "perfect") -> Decision:
    mind = agent(spec).start(CONNECT4, FIRST, 1)
    assert isinstance(mind, PerfectMind)
    mind.exact.oracle = KnowingOracle(bounds)
    return mind.decide(Position.start(CONNECT4), Limit(nodes=2000))


@pytest.mark.parametrize("spec", ["perfect", "perfect:resist=any"])
def test_a_move_that_is_not_proven_is_chosen_by_the_search_of_best_and_never_worse_than_a_proven_loss(
    spec: str,
) -> None:
    unknown = (-1, 1) if "any" in spec else (-20, 20)
    found = decided(dict.fromkeys((0, 1, 2, 6), (-1, -1)) | dict.fromkeys((3, 4, 5), unknown), spec)
    assert found.move in (3, 4, 5)
    assert "not proven" in found.note
    assert found.details["solved"] is False
    assert found.depth
    assert found.depth > 1
    assert {move: found.values[move] for move in (0, 1, 2, 6)} == dict.fromkeys((0, 1, 2, 6), -1.0)
    assert 100 < found.nodes <= 2000


def test_what_is_proven_needs_no_search() -> None:
    unknown = dict.fromkeys(range(7), (-20, 20))
    for bounds, move in (
        (unknown | {2: (3, 3)}, 2),  # a win, though another may be quicker
        (unknown | {2: (1, 20), 5: (4, 20)}, 5),  # two wins
        (dict.fromkeys(range(7), (-5, -5)) | {4: (-20, 20)}, 4),  # anything else loses
    ):
        found = decided(bounds)
        assert (found.move, found.note, found.nodes) == (move, "", 100)
        assert found.details["solved"] is False


def test_on_a_board_that_is_too_large_to_solve_it_plays_as_best_does_and_says_so(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    board = game("9x6x4")
    monkeypatch.setattr("inarow.agents.perfect.LARGE_NODES", 20_000)
    for spec in ("perfect:nodes=20000", "perfect"):  # also without a limit a decision ends
        decision = agent(spec).start(board, FIRST, 1).decide(parse_position(board, "5"))
        assert decision.move in (3, 4, 5)
        assert "not proven" in decision.note
        assert decision.nodes <= 20_000
    solved = agent("perfect:nodes=20000").start(CONNECT4, FIRST, 1).decide(parse_position(CONNECT4, "44444433333322"))
    assert solved.note == ""


def test_a_table_larger_than_the_machine_is_refused() -> None:
    with pytest.raises(AgentError, match="tt_mb"):
        agent("perfect:tt_mb=1000000").start(game("connect4"), FIRST, 1)


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
