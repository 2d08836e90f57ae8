"""The plain reading of the parity bound says what the kernel says, and names a cell where the other side wins."""

from __future__ import annotations

import pytest

from inarow import bits
from inarow.kernels.solver.parity_bound import NO_BOUND
from inarow.randomness import Stream
from inarow.rules import Position, game
from inarow.truth.parity import follow_up
from support.parity_kernel import kernel_bounds


def random_positions(name: str, matches: int) -> list[Position]:
    """The positions of random matches, in the second half of each."""
    stream = Stream(5)
    found = []
    for _ in range(matches):
        position = Position.start(game(name))
        while position.outcome() is None:
            if position.ply >= position.game.cells // 2:
                found.append(position)
            position = position.play(stream.choice(position.legal_moves()))
    return found


@pytest.mark.parametrize("name", ["connect4", "5x5x4", "6x5x4", "4x6x4"])
def test_it_gives_the_same_bounds_as_the_kernel(name: str) -> None:
    positions = random_positions(name, 400)
    bounds = [follow_up(position) for position in positions]
    plain = [NO_BOUND if bound is None else bound.score for bound in bounds]
    assert plain == kernel_bounds(positions).tolist()
    assert sum(bound is not None for bound in bounds) > 15, "it says something of a fair share of positions"


def test_the_cell_it_names_completes_a_line_of_the_other_side() -> None:
    seen = 0
    for position in random_positions("connect4", 400):
        bound = follow_up(position)
        if bound is not None and bound.threat is not None:
            board = position.game
            wins = bits.winning_cells(position.waiter, board.k, board.stride, board.board)
            assert wins & board.cell_bits[bound.threat] & ~position.occupied
            assert bound.score < 0
            seen += 1
    assert seen > 10


def test_it_says_nothing_where_stones_do_not_fall_or_the_mover_wins() -> None:
    assert follow_up(Position.start(game("tictactoe"))) is None
    assert follow_up(Position.start(game("connect4"), (0, 1, 0, 1, 0, 1))) is None
