"""strategy plays what a certificate proves, against any replies."""

from __future__ import annotations

from pathlib import Path

import pytest

from inarow.agents import AgentError, agent
from inarow.randomness import Stream
from inarow.rules import Player, Position, game
from inarow.rules.notation import parse_position
from inarow.solver import Oracle
from inarow.solver.certificate import certificate


@pytest.mark.parametrize(
    ("name", "moves"), [("tictactoe", ""), ("4x3x3-free", ""), ("4x4x4", ""), ("4x4x4-free", ""), ("6x4x4", "43")]
)
def test_no_reply_gets_more_than_is_proven(name: str, moves: str, tmp_path: Path) -> None:
    board, path = game(name), tmp_path / "certificate"
    opening = parse_position(board, moves)
    path.write_text(certificate(opening, Oracle(board)))
    one = agent(f"strategy:certificate={path}")
    one.check(board)
    verdict = int(Oracle(board).verdict(opening)) * (1 if opening.to_move == 0 else -1)
    for number in range(30):
        stream = Stream(number)
        player = Player(number % 2) if verdict == 0 else Player(0 if verdict > 0 else 1)
        mind, position = one.start(board, player, 1), opening
        while position.outcome() is None:
            if position.to_move == player:
                decision = mind.decide(position)
                assert not decision.note
                position = position.play(decision.move)
            else:
                position = position.play(stream.choice(position.winning_moves() or position.legal_moves()))
        outcome = position.outcome()
        assert outcome is not None
        assert outcome.score(player) >= (1 if verdict else 0.5)


def test_outside_its_strategy_it_says_so_and_a_bad_file_is_refused(tmp_path: Path) -> None:
    board, path = game("tictactoe"), tmp_path / "certificate"
    path.write_text(certificate(parse_position(board, "12534"), Oracle(board)))
    one = agent(f"strategy:certificate={path}")
    decision = one.start(board, Player(0), 1).decide(Position.start(board))
    assert (decision.move, "not in the certificate" in decision.note) == (0, True)
    with pytest.raises(AgentError, match="is for tictactoe, not for connect4"):
        one.check(game("connect4"))
    with pytest.raises(AgentError, match="write strategy:certificate=FILE"):
        agent("strategy").check(board)
    path.write_text("{}")
    with pytest.raises(AgentError, match="can't be used: it is not a certificate"):
        one.check(board)
