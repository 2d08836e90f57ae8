"""Which cells the tuples of a network look at."""

from __future__ import annotations

import pytest

from inarow.models.network import LARGEST_TABLE, Layout, column_pairs, random_walks, shapes
from inarow.randomness import Stream
from inarow.rules import game


def with_images(name: str) -> set[frozenset[int]]:
    board = game(name)
    return {frozenset(image[cell] for cell in cells) for cells in shapes(board) for image in board.cell_symmetries}


def test_the_shapes_of_connect_4_are_its_lines_rows_blocks_and_pairs_of_columns() -> None:
    found = with_images("connect4")
    # 69 lines; 45 that are not upright with what is below them, the 4 on the ground being lines themselves;
    # blocks of 2 × 4 (20, of which those below a level line are found already), 2 × 5 (15) and 3 × 3 (20);
    # 6 rows; 21 pairs of columns.
    assert len(found) == 69 + 44 + 15 + 20 + 6 + 21
    assert frozenset({35, 36, 37, 38}) in found
    assert frozenset({0, 8, 16, 24, 7, 15, 23, 31}) in found
    assert frozenset(range(7, 14)) in found
    assert frozenset(cell for cell in range(42) if cell % 7 in (0, 3)) in found


def test_of_a_shape_and_its_images_there_is_one() -> None:
    for name in ("connect4", "tictactoe", "4x3x3-free"):
        board = game(name)
        seen: set[frozenset[int]] = set()
        for cells in shapes(board):
            images = {frozenset(image[cell] for cell in cells) for image in board.cell_symmetries}
            assert not images & seen
            seen |= images


def test_shapes_with_too_many_contents_are_left_out() -> None:
    board = game("9x6x5")
    layout = Layout(board, shapes(board))
    assert max(layout.sizes) <= LARGEST_TABLE
    assert 16 not in map(len, layout.tuples)  # blocks of 4 × 4 have a million
    assert 12 in map(len, layout.tuples)  # those of 2 × 6 and pairs of columns do not


def test_where_stones_do_not_fall_nothing_counts_as_below() -> None:
    assert frozenset({0, 1, 2, 3, 4, 5}) in with_images("tictactoe")  # a block of two rows
    assert frozenset({0, 4, 8, 3, 7}) not in with_images("tictactoe")  # a diagonal with what is below it


@pytest.mark.parametrize("columns", [2, 3, 7, 8])
def test_a_pair_of_columns_and_its_mirror_image_share_a_table(columns: int) -> None:
    table_of = {(left, right): table for table, left, right in column_pairs(columns)}
    assert len(table_of) == columns * (columns - 1) // 2
    for (left, right), table in table_of.items():
        image = columns - 1 - left, columns - 1 - right
        same = [pair for pair in (image, image[::-1]) if pair in table_of]
        assert [table_of[pair] for pair in same] == [table]
        assert left + right == columns - 1 or same == [image]  # in the order of the mirror image


def test_walks_are_different_and_over_neighbours() -> None:
    board = game("connect4")
    walks = random_walks(board, 70, 8, Stream(1))
    assert len(walks) == 70
    assert len({frozenset(walk) for walk in walks}) == 70
    assert all(len(walk) == 8 for walk in walks)
    assert walks == random_walks(board, 70, 8, Stream(1))
    assert walks != random_walks(board, 70, 8, Stream(2))
    small = random_walks(game("2x2x2"), 50, 8, Stream(1))
    assert small == ((0, 1, 2, 3),)  # there is but one tuple of all four cells
