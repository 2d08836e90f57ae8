"""Rules and decisions as kernels: what they say of random positions, compared with slow twins and with each other."""

from __future__ import annotations

import math
from collections.abc import Iterator
from itertools import pairwise
from typing import Any

import numpy as np
import pytest

from inarow import bits, randomness
from inarow.kernels import decisions, facts, rules
from inarow.kernels.arithmetic import exp
from inarow.kernels.lang.jit import kernel
from inarow.kernels.wasm import exported
from inarow.randomness import Stream
from inarow.rules import FIRST, SECOND, Position, game
from support.naive import NAMES, Naive


def random_match(name: str, stream: Stream) -> Iterator[tuple[Position, Naive]]:
    """Yield the positions of a match, with their twins."""
    board = game(name)
    position, naive = Position.start(board), Naive(board.columns, board.rows, board.k, board.gravity)
    yield position, naive
    while legal := naive.legal():
        move = stream.choice(legal)
        position = position.play(move)
        naive.play(move)
        yield position, naive


def members(moves: int) -> list[int]:
    return [move for move in range(63) if moves >> move & 1]


@pytest.mark.parametrize("name", NAMES)
def test_rules_agree_with_a_grid_of_lists(name: str) -> None:
    stream = Stream(4)
    board = game(name)
    layout, ends = board.layout, ["draw", "X", "O"]
    for _ in range(4):
        for position, naive in random_match(name, stream):
            status, legal, lines, *threats = rules.look(layout, position.first, position.second)
            winner = naive.winner()
            assert (status == rules.GOES_ON) == (winner is None)
            assert winner is None or ends[status - rules.DRAWN] == winner
            assert members(legal) == naive.legal() == list(position.legal_moves())
            cells = {divmod(cell, board.columns) for cell, bit in enumerate(board.cell_bits) if lines & bit}
            assert cells == naive.line_cells()
            for move in position.legal_moves():
                stone = rules.stone_of(layout, position.occupied, move)
                assert stone == position.stone(move)
                assert rules.move_to(layout, stone) == move
                assert board.cell_bits[rules.cell_of(layout, stone)] == stone
                own, opp = rules.after(layout, position.own, position.opp, move)
                assert (own, opp) == (position.opp, position.own | stone)
            if winner is None:
                for player, stones in ((FIRST, position.first), (SECOND, position.second)):
                    wins = rules.winning_moves(layout, stones, position.occupied)
                    assert members(wins) == list(position.winning_moves(player))
                    found = {cell for cell, bit in enumerate(board.cell_bits) if threats[player] & bit}
                    assert found == naive.threats("XO"[player])


def test_the_layout_is_the_game() -> None:
    layout = game("connect4").layout
    assert layout.spare & layout.board == 0
    assert layout.claimed == sum(
        game("connect4").cell_bits[row * 7 + column] for row in (0, 2, 4) for column in range(7)
    )


def test_compiled_functions_decide_and_explain_as_python_does() -> None:
    """Every exported function, on random positions of boards of both kinds."""
    compiled: dict[str, Any] = {function.__name__: kernel(function) for function, _ in exported()["rules"]}
    stream = Stream(9)
    for name in ("connect4", "5x4x4", "4x4x3-free", "9x1x3"):
        layout, count = game(name).layout, game(name).moves
        for _ in range(6):
            match = [position for position, _ in random_match(name, stream)]
            moves = [rules.move_to(layout, b.occupied ^ a.occupied) for a, b in pairwise(match)]
            for ply, position in enumerate(match[:-1]):
                own, opp, number = position.own, position.opp, stream.number()
                score = stream.below(9) - 4
                legal = rules.legal_moves(layout, position.first, position.second)
                low = [stream.below(3) - 1 for _ in range(count)]
                high = [min(1, one + stream.below(2)) for one in low]
                move = moves[ply]
                stone, board = rules.stone_of(layout, position.occupied, move), game(name)
                order, seen = [0] * ply, [0] * (1 + 2 * rules.SEEN)
                calls: list[tuple[Any, tuple[Any, ...]]] = [
                    (rules.look, (layout, position.first, position.second)),
                    (rules.stone_of, (layout, position.occupied, move)),
                    (rules.layout_of, (board.columns, board.rows, board.k, board.gravity)),
                    (rules.reachable, (layout, position.first, position.second, order, seen)),
                    (rules.cell_of, (layout, stone)),
                    (rules.move_to, (layout, stone)),
                    (rules.winning_moves, (layout, own, position.occupied)),
                    (rules.symmetries, (layout,)),
                    (rules.image_of, (layout, ply % 2, bits.lowest(stone))),
                    (rules.plies_to_end, (layout, ply, score)),
                    (rules.moves_to_end, (layout, ply, score)),
                    (decisions.choose, (layout, legal, stream.below(4), number)),
                    (decisions.rules_move, (layout, own, opp, decisions.WEIGHTED, number)),
                    (decisions.proven_choice, (legal, stream.below(3) - 1, low, high, ply % 2 == 0, low, high)),
                    (decisions.highest, (legal, [one / 3 for one in high])),
                    (decisions.drawn_by_value, ([one / 3 for one in high], 0.1, number / 2**63)),
                    (randomness.mix, (number,)),
                    (randomness.advance, (number,)),
                    (randomness.below, (number, count)),
                    (facts.result, (score,)),
                    (facts.why, (layout, position.first, position.second, moves[ply:])),
                    (facts.hint, (layout, own, opp, move, ply % 2 == 0, score)),
                    (facts.misled, (layout, ply, legal, high, move, stream.below(5), ply % 4, move, legal, low,
                                    ply % 2 == 0, ply % 3 == 0)),
                ]  # fmt: skip
                for function, arguments in calls:
                    arrays = [np.array(one) if isinstance(one, list) else one for one in arguments]
                    assert compiled[function.__name__](*arrays) == function(*arguments), function.__name__
    assert {function.__name__ for function, _ in calls} == set(compiled)


def test_exp_is_exact_to_a_unit_in_the_last_place() -> None:
    stream = Stream(2)
    for _ in range(2000):
        x = 40 * stream.uniform() - 30
        assert abs(exp(x) - math.exp(x)) <= math.ulp(math.exp(x))
    assert (exp(0.0), exp(-1000.0), exp(1000.0)) == (1.0, 0.0, math.inf)


@pytest.mark.parametrize("name", ["connect4", "5x3x3-free"])
def test_a_move_is_chosen_as_often_as_its_weight_says(name: str) -> None:
    board = game(name)
    moves = (1 << board.moves) - 1 & ~0b100
    weights = {m: 2 * board.columns - abs(2 * (m % board.columns) - board.columns + 1) for m in members(moves)}
    total = sum(weights.values())
    for how, expected in ((decisions.ANY, dict.fromkeys(weights, 1)), (decisions.WEIGHTED, weights)):
        among = sum(expected.values())
        numbers = [(i * 2**32 // among + 1) << 31 for i in range(among)]  # one for each possibility
        found = [decisions.choose(board.layout, moves, how, number) for number in numbers]
        assert {move: [m for m, _ in found].count(move) for move in expected} == expected
        assert {count for _, count in found} == {among}
    assert total > len(weights)
    assert bits.popcount(moves) == board.moves - 1
