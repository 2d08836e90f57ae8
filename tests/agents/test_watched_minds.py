"""Minds that are watched decide as they do unwatched, and show how they come to it."""

from __future__ import annotations

import pytest

from inarow.agents import Decision, agent
from inarow.agents import mcts as mcts_module
from inarow.rules import Position, game
from inarow.rules.notation import parse_position

SPECS = [
    "minimax:depth=5",
    "alphabeta:depth=6,ties=random,iterative_deepening=on",
    "alphabeta:depth=5,root=full,tt=on,nodes=100000",
    "mcts:simulations=5000",
    "mcts:simulations=4000,c=0.7",
    "mcts:simulations=700,reuse_tree=off,rollouts=rules",
]


def decisions(spec: str, position: Position, watched: bool) -> tuple[list[Decision], list[Decision]]:
    """Two decisions of one mind, and all that it showed on the way."""
    mind = agent(spec).start(position.game, position.to_move, 7)
    shown: list[Decision] = []
    if watched:
        mind.watcher = shown.append
    return [mind.decide(position)._replace(seconds=0.0) for _ in range(2)], shown


@pytest.mark.parametrize("spec", SPECS)
def test_being_watched_changes_nothing(spec: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(mcts_module, "FIRST_PART", 64)
    position = parse_position(game("connect4"), "4435")
    alone, _ = decisions(spec, position, watched=False)
    seen, shown = decisions(spec, position, watched=True)
    assert seen == alone
    assert shown


def test_a_search_shows_every_depth_and_a_tree_its_growth() -> None:
    position = parse_position(game("connect4"), "44")
    _, shown = decisions("alphabeta:depth=6,iterative_deepening=on,root=full", position, watched=True)
    assert [one.depth for one in shown] == [1, 2, 3, 4, 5, 6] * 2
    assert all(len(one.values) == 7 and one.line for one in shown)
    _, shown = decisions("mcts:simulations=20000", position, watched=True)
    visits = [sum(one.by_move["visits"].values()) for one in shown]
    assert visits == sorted(visits)
    assert len(set(visits)) == len(visits) > 3
