"""Which moves a tree leaves to choose from, and where a position is in it, as slow twins say."""

from __future__ import annotations

from typing import Any

import pytest

from inarow.agents.ties import move_list, move_set
from inarow.kernels import mcts
from inarow.kernels.lang.records import array_of
from inarow.randomness import Stream
from inarow.rules import Position, game
from support.naive_network import random_position


def expected(position: Position, nodes: mcts.Nodes, among: list[int], proves: bool, guided: bool) -> list[int]:
    """Return the moves to choose from, step by step as the rule says."""
    child = {position.game.move_of_bit(nodes[i].cell): nodes[i] for i in range(1, 1 + nodes[0].count)}
    status = {move: child[move].status if proves else 0 for move in among}
    found = [move for move in among if status[move] == mcts.LOST]
    if guided:
        found = [move for move in position.winning_moves() if move in found] or found
    found = found or [move for move in among if status[move] != mcts.WON]
    after = {move: position.play(move) for move in among}
    found = found or [move for move in among if after[move].outcome() is None and not after[move].winning_moves()]
    found = found or list(position.winning_moves(position.to_move.other)) or among
    found = [move for move in found if child[move].visits == max(child[one].visits for one in found)]
    if guided:
        found = [move for move in found if child[move].mean == max(child[one].mean for one in found)]
    return found


@pytest.mark.parametrize("name", ["connect4", "tictactoe", "4x4x3", "4x3x3-free"])
@pytest.mark.parametrize("kind", [mcts.Node, mcts.GuidedNode])
def test_the_moves_to_choose_from_are_those_of_the_rule(name: str, kind: type[Any]) -> None:
    board, stream, guided = game(name), Stream(6), kind is mcts.GuidedNode
    for number in range(200):
        position = random_position(board, stream, number % (board.cells - 1))
        if position.outcome() is not None:
            continue
        moves = list(position.legal_moves())
        nodes = array_of(kind, 1 + len(moves))
        nodes[0].first, nodes[0].count = 1, len(moves)
        lost = stream.below(3) == 0  # all of them, so that the last resorts count
        for i, move in enumerate(moves, start=1):
            nodes[i].cell = position.stone(move).bit_length() - 1
            nodes[i].visits, nodes[i].mean = stream.below(3), stream.below(3) / 4
            nodes[i].status = mcts.WON if lost else stream.below(4)
        among = [move for move in moves if stream.below(3)] or moves
        for proves in (False, True):
            own, opp, chosen = position.own, position.opp, move_set(among)
            found = mcts.best_moves(nodes, board.layout, own, opp, chosen, proves, guided)
            assert move_list(found) == expected(position, nodes, among, proves, guided)


def test_a_position_is_found_where_its_moves_lead() -> None:
    board = game("tictactoe")
    nodes = array_of(mcts.Node, 1 + 9 + 8)
    start = Position.start(board)
    nodes[0].first, nodes[0].count = 1, 9
    for move in start.legal_moves():
        nodes[1 + move].cell = start.stone(move).bit_length() - 1
    nodes[5].first, nodes[5].count = 10, 8
    centre = start.play(4)
    for i, move in enumerate(centre.legal_moves(), start=10):
        nodes[i].cell = centre.stone(move).bit_length() - 1

    def find(*moves: int) -> int:
        position = Position.start(board, moves)
        return mcts.find_node(nodes, 0, 0, position.first, position.second)

    assert [find(), find(0), find(4), find(4, 0), find(4, 8)] == [0, 1, 5, 10, 17]
    assert [find(0, 4), find(4, 0, 8)] == [-1, -1]
