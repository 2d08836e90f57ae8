"""One move on each of many boards: stones, observations, legal moves, rewards, and a new board where one ended.

Arrays, for n boards: ``stones`` (n, 2) int64, bitboards of the side to move and of the other side (of the caller and
of its opponent, where somebody answers); ``states`` (n,) int64, random states; ``cells`` (n, cells) uint16, the
observations with two bytes a cell, row by row from the top left; ``masks`` (n, moves) int8, 1 for a legal move.
"""

from __future__ import annotations

import functools
from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from inarow.bits import MAX_BITS, has_line, lowest, playable
from inarow.kernels.lang.jit import kernel
from inarow.kernels.lang.records import record, shape
from inarow.kernels.rules import urgent_cells
from inarow.randomness import advance, below, mix, pick

Ints = NDArray[np.int64]
Words = NDArray[np.uint16]
Bytes = NDArray[np.int8]

# Who answers the caller's moves.
NOBODY, RANDOM, RULES = range(3)
"""Nobody: the caller moves for both sides in turn."""

# The caller's seat, where somebody answers.
FIRST, SECOND, EITHER = range(3)

# A cell of an observation is two bytes, own and other stone, and a kernel moves both as one word.
OWN = int(np.array([1, 0], np.int8).view(np.uint16)[0])
OTHER = int(np.array([0, 1], np.int8).view(np.uint16)[0])


@record
class BatchSetup:
    """A game, and who answers the caller's moves."""

    k: int
    stride: int
    board: int
    bottom: int
    gravity: bool
    moves: int
    columns: int
    rows: int
    opponent: int
    seat: int
    masks: NDArray[np.int64] = shape(MAX_BITS)
    """The cells that each move may fill: its column with gravity, else its cell."""


def new_setup(masks: Sequence[int], **fields: int) -> BatchSetup:
    """Return a setup with these fields."""
    setup = BatchSetup()
    setup.masks[: len(masks)] = masks
    for name, value in fields.items():
        setattr(setup, name, value)
    return setup


def put_stone(board: int, move: int, stone: int, word: int, setup: BatchSetup, cells: Words, masks: Bytes) -> None:
    """Show a stone in the observation, and make its move illegal if it has no cell left to fill."""
    if setup.gravity:
        rows = setup.rows
        height = lowest(stone) - move * setup.stride
        cells[board, (rows - 1 - height) * setup.columns + move] = word
        if height == rows - 1:
            masks[board, move] = 0
    else:
        cells[board, move] = word
        masks[board, move] = 0


def move_of(stone: int, setup: BatchSetup) -> int:
    """Return the move that fills this cell."""
    index = lowest(stone)
    column: int = index // setup.stride
    if setup.gravity:
        return column
    height = index - column * setup.stride
    cell: int = (setup.rows - 1 - height) * setup.columns + column
    return cell


def answer(board: int, stones: Ints, states: Ints, cells: Words, masks: Bytes, setup: BatchSetup) -> int:
    """Play the opponent's move; return its stone as a bit."""
    own, opp = stones[board, 1], stones[board, 0]
    free = playable(own | opp, setup.bottom, setup.board, setup.gravity)
    if setup.opponent == RULES:
        urgent = urgent_cells(own, opp, free, setup.k, setup.stride, setup.board)
        free = urgent if urgent != 0 else free
    states[board] = advance(states[board])
    stone = pick(free, mix(states[board]))
    put_stone(board, move_of(stone, setup), stone, OTHER, setup, cells, masks)
    stones[board, 1] = own | stone
    return stone


def clear(board: int, stones: Ints, states: Ints, cells: Words, masks: Bytes, setup: BatchSetup) -> None:
    """Start the next game on a board; where the opponent sits first, it moves."""
    stones[board, 0] = 0
    stones[board, 1] = 0
    for i in range(cells.shape[1]):
        cells[board, i] = 0
    for i in range(masks.shape[1]):
        masks[board, i] = 1
    if setup.opponent != NOBODY:
        second = setup.seat == SECOND
        if setup.seat == EITHER:
            states[board] = advance(states[board])
            second = below(mix(states[board]), 2) == 1
        if second:
            answer(board, stones, states, cells, masks, setup)


@kernel
def clear_all(stones: Ints, states: Ints, cells: Words, masks: Bytes, setup: BatchSetup) -> None:
    """Start a new game on every board."""
    for board in range(stones.shape[0]):
        clear(board, stones, states, cells, masks, setup)


@kernel
def first_illegal(masks: Bytes, actions: Ints) -> int:
    """Return the first board whose action is illegal, or −1."""
    moves = masks.shape[1]
    for board in range(masks.shape[0]):
        action = actions[board]
        if action < 0 or action >= moves or masks[board, action] == 0:
            return board
    return -1


@kernel
def random_actions(masks: Bytes, states: Ints, actions: Ints) -> None:
    """Write a uniformly random legal move for every board to ``actions``."""
    moves = masks.shape[1]
    for board in range(masks.shape[0]):
        state = states[board]
        while True:
            state = advance(state)
            action = below(mix(state), moves)
            if masks[board, action] != 0:
                break
        states[board] = state
        actions[board] = action


@kernel
def step(
    stones: Ints,
    states: Ints,
    cells: Words,
    masks: Bytes,
    actions: Ints,
    rewards: NDArray[np.float32],
    ended: NDArray[np.bool_],
    final: Words,
    setup: BatchSetup,
) -> None:
    """Play a legal action on every board; a board whose game ends starts a new one.

    ``rewards`` are for the side that moved (the caller, where somebody answers). The last observation of a game that
    ended goes to ``final``.
    """
    k, stride, board_mask = setup.k, setup.stride, setup.board
    bottom, gravity = setup.bottom, setup.gravity
    alone = setup.opponent == NOBODY
    count = cells.shape[1]
    for board in range(stones.shape[0]):
        own, opp = stones[board, 0], stones[board, 1]
        action = actions[board]
        stone = playable(own | opp, bottom, board_mask, gravity) & setup.masks[action]
        own |= stone
        reward, over = np.float32(0.0), False
        if has_line(own, k, stride):
            reward, over = np.float32(1.0), True
        elif own | opp == board_mask:
            over = True
        if alone:
            for i in range(count):  # the other side's view: own and other stones change places
                word = cells[board, i]
                cells[board, i] = (word >> 8) | (word << 8)
            put_stone(board, action, stone, OTHER, setup, cells, masks)
            stones[board, 0] = opp
            stones[board, 1] = own
        else:
            put_stone(board, action, stone, OWN, setup, cells, masks)
            stones[board, 0] = own
            if not over:
                answer(board, stones, states, cells, masks, setup)
                if has_line(stones[board, 1], k, stride):
                    reward, over = np.float32(-1.0), True
                elif own | stones[board, 1] == board_mask:
                    over = True
        rewards[board] = reward
        ended[board] = over
        if over:
            for i in range(count):
                final[board, i] = cells[board, i]
            clear(board, stones, states, cells, masks, setup)


@functools.cache
def warm() -> None:
    """Compile the kernels of this module, or load them."""
    setup = new_setup(
        k=2, stride=3, board=0b011011, bottom=0b001001, gravity=True, moves=2, columns=2, rows=2, opponent=RANDOM,
        masks=(0b011, 0b011000),
    )  # fmt: skip
    stones, states, actions = np.zeros((1, 2), np.int64), np.zeros(1, np.int64), np.zeros(1, np.int64)
    cells, masks = np.zeros((1, 4), np.uint16), np.ones((1, 2), np.int8)
    clear_all(stones, states, cells, masks, setup)
    random_actions(masks, states, actions)
    first_illegal(masks, actions)
    step(stones, states, cells, masks, actions, np.zeros(1, np.float32), np.zeros(1, np.bool_), cells.copy(), setup)
