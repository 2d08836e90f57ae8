"""What every agent promises holds for the players of the reports, too."""

from __future__ import annotations

import pytest

from agents.test_every_agent import POSITIONS, check_decision
from inarow.agents import agent
from inarow.agents.registry import plugin_names
from inarow.match import Termination, play_match
from inarow.reproductions.players import ReportAgent
from inarow.rules.notation import parse_position

SPECS = [
    "r1-default",
    "r1-qlearning",
    "r2-qlearning",
    "r3-qlearning",
    "r4-qlearning",
    "r1-minimax:depth=2",
    "r2-baseline",
    "r2-minimax:depth=2",
    "r3-easy",
    "r3-medium",
    "r3-minimax:depth=3",
    "r4-default",
    "r4-minimax:depth=1",
    "r5-alphabeta:depth=2,fixed=on",
    "r5-alphabeta-human:depth=2",
    "r5-mcts:simulations=50",
    "r5-oneply",
    "r5-random",
]


def test_every_player_is_under_contract() -> None:
    assert {spec.partition(":")[0] for spec in SPECS} == {name for name in plugin_names() if name[:1] == "r"}


@pytest.mark.parametrize("spec", SPECS)
def test_a_player_keeps_the_contract_of_agents(spec: str) -> None:
    player = agent(spec)
    assert isinstance(player, ReportAgent)
    assert player == agent(player.spec)
    for board in player.games:
        for first, second in ((player, agent("random")), (agent("random"), player)):
            record = play_match(board, first, second, seed=11)
            assert record.termination in (Termination.LINE, Termination.FULL_BOARD), record.fault
            again = play_match(board, first, second, seed=11)
            assert (again.moves, again.nodes, again.values) == (record.moves, record.nodes, record.values)
        for moves in POSITIONS[board.name].values():
            position = parse_position(board, moves)
            check_decision(player.start(board, position.to_move, 1).decide(position), position)
