"""Slow, obvious twins of n-tuple networks, which look at cells one by one; and networks of random weights."""

from __future__ import annotations

import math
from pathlib import Path

import numpy as np

from inarow.models.files import save
from inarow.models.network import Layout, Network, random_walks
from inarow.randomness import Stream
from inarow.rules import Game, Player, Position

SCALE, CERTAIN = 100_000, 1_000_000


def random_position(board: Game, stream: Stream, plies: int) -> Position:
    position = Position.start(board)
    for _ in range(plies):
        if position.outcome() is not None:
            break
        position = position.play(stream.choice(position.legal_moves()))
    return position


def completes(position: Position, player: Player, row: int, column: int) -> bool:
    """Whether a stone of the player on that cell would make a line."""
    board, grid = position.game, position.grid()
    for down, right in ((0, 1), (1, 0), (1, 1), (1, -1)):
        length = 1
        for sign in (1, -1):
            r, c = row + sign * down, column + sign * right
            while 0 <= r < board.rows and 0 <= c < board.columns and grid[r][c] is player:
                length, r, c = length + 1, r + sign * down, c + sign * right
        if length >= board.k:
            return True
    return False


def slow_threats(position: Position, column: int) -> tuple[int, ...]:
    """Of each player: the lowest winning cell of the column in an odd row, in an even row, counted as the first, second
    … of its kind above the bottom; 0 if there is none below or at a cell that wins for both."""
    board = position.game
    lowest = {(player, odd): 0 for player in Player for odd in (1, 0)}
    for height in range(1, board.rows + 1):
        row = board.rows - height
        if position.grid()[row][column] is not None:
            continue
        winners = [player for player in Player if completes(position, player, row, column)]
        for player in winners:
            kind = (player, height % 2)
            lowest[kind] = lowest[kind] or (height - 1 if height % 2 else height) // 2
        if len(winners) == 2:
            break
    return tuple(lowest.values())


def slow_pairs(layout: Layout, position: Position) -> list[int]:
    """The entries of all pairs of columns."""
    found = []
    radix = (layout.game.rows - 1) // 2 + 1, layout.game.rows // 2 + 1
    for begin, left, right, mirrored in layout.pairs:
        codes = []
        for column in (left, right):
            a, b, c, d = slow_threats(position, column)
            codes.append(((a * radix[1] + b) * radix[0] + c) * radix[1] + d)
        if mirrored:
            codes.sort()
        found.append(begin + codes[0] * layout.codes + codes[1])
    return found


def slow_value(network: Network, position: Position) -> float:
    """The value of a position to the side to move, from the entries of all tuples, symmetries and pairs of columns."""
    layout = network.layout
    index = [*layout.indices(layout.contents(position)), *slow_pairs(layout, position)]
    return math.tanh(float(network.weights[position.to_move][index].sum(dtype=np.float64)))


def slow_settled(network: Network, position: Position) -> float:
    """The tactical rule written plainly: win at hand, else the only block, else nothing; then the estimate."""
    gamma = network.gamma
    outcome = position.outcome()
    if outcome is not None:
        return 0.0 if outcome.winner is None else -1.0
    if position.winning_moves():
        return gamma
    threats = position.winning_moves(position.to_move.other)
    if len(threats) > 1:
        return -gamma * gamma
    if threats:
        return -gamma * slow_settled(network, position.play(threats[0]))
    if all(position.play(move).winning_moves() for move in position.legal_moves()):
        return -gamma * gamma
    return slow_value(network, position)


def slow_points(network: Network, position: Position) -> int:
    """The points of a position for the side to move: the same with integers, and wins by the stones on the
    board."""
    outcome = position.outcome()
    if outcome is not None:
        return 0 if outcome.winner is None else 100 * position.ply - CERTAIN
    if network.tactics:
        if position.winning_moves():
            return CERTAIN - 100 * (position.ply + 1)
        threats = position.winning_moves(position.to_move.other)
        if len(threats) == 1:
            return -slow_points(network, position.play(threats[0]))
        if threats or all(position.play(move).winning_moves() for move in position.legal_moves()):
            return 100 * (position.ply + 2) - CERTAIN
    layout = network.layout
    index = [*layout.indices(layout.contents(position)), *slow_pairs(layout, position)]
    found = sum(round(float(weight) * SCALE) for weight in network.weights[position.to_move][index])
    return max(-9 * SCALE, min(9 * SCALE, found))


def random_network(board: Game, tactics: bool, memory: int = 0, scale: float = 0.2) -> Network:
    """A network of small tuples with random weights."""
    layout = Layout(board, random_walks(board, 5, min(4, board.cells), Stream(2)), board.gravity, memory)
    weights = np.random.default_rng(4).normal(scale=scale, size=(2, layout.size)).astype(np.float32)
    return Network(layout, gamma=0.97, tactics=tactics, weights=weights)


def write_network(network: Network, path: Path) -> str:
    """Write a network as a model file; its path."""
    header = {"kind": "ntuple", "game": network.game.name, "model": network.header(), "history": []}
    save(path, {**header, "spec": "ntuple", "seed": 0, "episodes": 0, "rng": [0]}, {"weights": network.weights})
    return str(path)
