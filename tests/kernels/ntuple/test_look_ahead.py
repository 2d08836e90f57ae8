"""Searches within self-play: the same values as a naive search through positions, and a board left as it was."""

from __future__ import annotations

import random

import numpy as np
import pytest
from numpy.typing import NDArray

from inarow.agents import agent
from inarow.agents.ntuple import NTuple
from inarow.kernels.ntuple import look_ahead
from inarow.kernels.ntuple.arguments import Log, Settings
from inarow.kernels.ntuple.network import settled_value
from inarow.models.network import Network
from inarow.rules import Game, Position, game
from support import look_ahead_kernel

QUIET, WON, LOST, DRAWN = range(4)
ROWS = 60


def network_of(board: Game, spec: str) -> Network:
    """A network with weights as they come."""
    settings = agent(spec)
    assert isinstance(settings, NTuple)
    layout = settings.layout(board, 1)
    weights = np.random.default_rng(1).normal(0, 0.1, (2, layout.size)).astype(np.float32)
    return Network(layout, gamma=0.9, tactics=settings.tactics, weights=weights)


def safe_moves(position: Position, tactics: bool) -> list[int]:
    """The moves that don't let the opponent win on top of them."""
    moves = list(position.legal_moves())
    if not (tactics and position.game.gravity):
        return moves
    return [move for move in moves if move not in position.play(move).winning_moves()]


def followed(position: Position, tactics: bool) -> tuple[int, Position]:
    """How an unfinished position stands once forced blocks are played, and the position after them."""
    while tactics:
        threats = position.winning_moves(position.to_move.other)
        if position.winning_moves():
            return WON, position
        if len(threats) > 1 or (not threats and not safe_moves(position, tactics)):
            return LOST, position
        if not threats:
            break
        position = position.play(threats[0])
        if position.outcome() is not None:
            return DRAWN, position
    return QUIET, position


def naive_value(network: Network, position: Position, depth: int) -> float:
    """The value of the best move of a position in which nothing is forced."""
    return max(naive_move_value(network, position, move, depth) for move in safe_moves(position, network.tactics))


def naive_move_value(network: Network, position: Position, move: int, depth: int) -> float:
    child = position.play(move)
    outcome = child.outcome()
    if depth == 1 or (outcome is not None and outcome.winner is not None):
        return network.judge(position)[move]
    if outcome is not None:
        return 0.0
    status, after = followed(child, network.tactics)
    plies = after.ply - position.ply
    if status != QUIET:
        return settled_value(status, plies, network.gamma)
    return (-network.gamma) ** plies * naive_value(network, after, depth - 1)


def quiet_positions(board: Game, tactics: bool, count: int) -> list[Position]:
    """Random positions in which nothing is forced."""
    chance, found = random.Random(5), list[Position]()
    while len(found) < count:
        position = Position.start(board)
        for _ in range(chance.randrange(board.cells - 4)):
            if position.outcome() is None:
                position = position.play(chance.choice(position.legal_moves()))
        if position.outcome() is None:
            status, position = followed(position, tactics)
            if status == QUIET:
                found.append(position)
    return found


class Searched:
    """What a search in a position found and logged."""

    def __init__(self, network: Network, position: Position, depth: int, learnt: int) -> None:
        self.network, self.work = network, network.work(ROWS)
        network.set_up(self.work, position)
        self.log = Log(self.work.index, np.zeros(ROWS), np.zeros(ROWS, np.int64))
        settings = Settings(0.0, 0.0, network.gamma, 0.0, 0.0, 0, False, True, depth, learnt)
        notes = np.zeros(look_ahead.NOTES, np.int64)
        before = self.indices.copy(), self.work.contents[: position.game.moves].copy()
        stone, self.value, self.rows, self.factor = look_ahead_kernel.search(
            network.net, self.work, self.log, position.mover, position.waiter, settings, notes
        )
        self.move = network.game.move_of_bit(stone.bit_length() - 1)
        assert (before[0] == self.indices).all()
        assert (before[1] == self.work.contents[: position.game.moves]).all()

    @property
    def indices(self) -> NDArray[np.int32]:
        indices: NDArray[np.int32] = self.work.index[: self.network.layout.features]
        return indices

    def logged(self, row: int) -> tuple[list[int], int]:
        """All indices in a row of the log, those of tuples first, and the side to move."""
        layout = self.network.layout
        width = layout.features + layout.wide_features
        at = layout.features + (1 + row) * width
        return self.work.index[at : at + width].tolist(), int(self.log.sides[row])


BOARDS = [("5x4x4", "ntuple"), ("4x4x3", "ntuple:tactics=off"), ("tictactoe", "ntuple"), ("4x4x4-free", "ntuple")]


@pytest.mark.parametrize("depth", [2, 3])
@pytest.mark.parametrize(("board", "spec"), BOARDS)
def test_a_search_finds_the_value_of_a_naive_one_and_leaves_the_board_as_it_was(
    board: str, spec: str, depth: int
) -> None:
    network = network_of(game(board), spec)
    for position in quiet_positions(network.game, network.tactics, 12 if depth == 2 else 4):
        found = Searched(network, position, depth, look_ahead.LEAF)
        assert found.value == pytest.approx(naive_value(network, position, depth), abs=1e-5)
        assert naive_move_value(network, position, found.move, depth) == pytest.approx(found.value, abs=1e-5)


@pytest.mark.parametrize(("board", "spec"), BOARDS[:2])
def test_a_leaf_that_learns_has_the_value_that_the_search_found(board: str, spec: str) -> None:
    network = network_of(game(board), spec)
    seen = 0
    for position in quiet_positions(network.game, network.tactics, 12):
        found = Searched(network, position, 2, look_ahead.LEAF)
        if found.factor:
            indices, side = found.logged(0)
            own = network.weights[side][indices].sum()
            assert found.factor * np.tanh(own) == pytest.approx(found.value, abs=1e-4)
            seen += 1
    assert seen > 2


def test_a_tree_that_learns_has_every_position_after_a_move_with_its_value() -> None:
    network = network_of(game("5x4x4"), "ntuple")
    logged = 0
    for position in quiet_positions(network.game, True, 6):
        found = Searched(network, position, 2, look_ahead.TREE)
        expected = {}
        for move in safe_moves(position, True):
            status, after = followed(position.play(move), True)
            if status == QUIET:
                indices = network.layout.indices(network.layout.contents(after)).tolist()
                expected[tuple(indices), int(after.to_move)] = naive_value(network, after, 1)
        rows = {}
        for row in range(found.rows):
            indices, side = found.logged(row)
            rows[tuple(indices[: network.layout.features]), side] = float(found.log.targets[row])
        assert rows == pytest.approx(expected, abs=1e-5)
        logged += found.rows
    assert logged > 6
