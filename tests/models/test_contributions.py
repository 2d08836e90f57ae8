"""A network's value taken apart: the parts add up to it, and name what the network looks at."""

from __future__ import annotations

import math

import pytest

from inarow.agents.ntuple import NTupleAgent
from inarow.models.network import Network, Part, contributions
from inarow.randomness import Stream
from inarow.rules import CONNECT4, Player, Position, game
from inarow.rules.notation import parse_position
from support.naive_network import completes, random_network, random_position, slow_threats


@pytest.mark.parametrize("name", ["connect4", "5x4x4", "4x5x3", "tictactoe", "4x3x3-free"])
@pytest.mark.parametrize("tactics", [True, False])
def test_the_shares_add_up_to_the_value_and_the_weights_to_what_it_is_the_tangent_of(name: str, tactics: bool) -> None:
    board = game(name)
    network = random_network(board, tactics, memory=64 if board.gravity else 0)
    stream = Stream(5)
    seen = 0
    for _ in range(30):
        position = random_position(board, stream, stream.below(board.cells))
        if position.outcome() is not None:
            continue
        for move, value in network.judge(position).items():
            found = contributions(network, position, move)
            assert found.value == value
            if found.settled:
                assert found.contributions == ()
                continue
            seen += 1
            assert math.fsum(one.share for one in found.contributions) == pytest.approx(value, abs=1e-9)
            assert found.discount * math.tanh(found.total) == pytest.approx(value, abs=1e-5)
            sizes = [abs(one.share) for one in found.contributions]
            assert sizes == sorted(sizes, reverse=True)
    assert seen > 20


def test_parts_name_the_cells_of_their_tuple_and_the_winning_cells_that_count() -> None:
    network = random_network(CONNECT4, tactics=True, memory=64)
    images = {
        tuple(sorted(image[cell] for cell in cells))
        for image in CONNECT4.cell_symmetries
        for cells in network.layout.tuples
    }
    stream = Stream(8)
    threats = 0
    for _ in range(40):
        position = random_position(CONNECT4, stream, 14)
        if position.outcome() is not None:
            continue
        move = position.legal_moves()[0]
        found = contributions(network, position, move)
        if found.settled:
            continue
        after = position.play(move)
        for block in found.blocks:
            after = after.play(block)
        parts = {part: [one for one in found.contributions if one.part is part] for part in Part}
        assert {one.cells for one in parts[Part.TUPLE]} <= images
        assert len(parts[Part.MEMORY]) <= 1
        for one in parts[Part.THREATS]:
            count = sum(bool(place) for column in one.columns for place in slow_threats(after, column))
            assert len(one.cells) == count
            threats += count
            for cell, owner in zip(one.cells, one.owners, strict=True):
                row, column = divmod(cell, 7)
                assert column in one.columns
                assert completes(after, Player(owner), row, column)
    assert threats > 50


def test_what_tactics_decide_has_no_parts_and_forced_blocks_are_named() -> None:
    network: Network = NTupleAgent().held(CONNECT4)
    won = contributions(network, parse_position(CONNECT4, "112233"), 3)
    assert (won.settled, won.value, won.contributions) == ("win", network.gamma, ())
    lost = contributions(network, parse_position(CONNECT4, "41424"), 0)
    assert lost.settled == "loss"
    forcing = contributions(network, parse_position(CONNECT4, "4142"), 3)
    assert forcing.blocks == (3,)
    assert forcing.discount == pytest.approx(network.gamma**2)
    assert forcing.contributions


def test_a_network_that_has_learnt_nothing_has_no_parts() -> None:
    network = random_network(game("5x4x4"), tactics=True, scale=0.0)
    found = contributions(network, Position.start(game("5x4x4")), 2)
    assert (found.value, found.total, found.contributions) == (0.0, 0.0, ())
