"""Boards without gravity: every shortcut is true in every position of small boards, and published results come out."""

from __future__ import annotations

import functools

import pytest

from inarow.kernels.solver import solve_free
from inarow.randomness import Stream
from inarow.rules import Position, game
from inarow.solver import Oracle, Verdict
from inarow.solver.engine import Engine
from support.naive_solver import naive_score, naive_score_of_move

SAMPLE = 2500


@functools.cache
def truth(name: str) -> tuple[tuple[Position, int], ...]:
    """Positions of a small board with their naive scores: all, or a sample."""
    board = game(name)
    known: dict[tuple[int, int], int] = {}
    naive_score(Position.start(board), known)
    found = [(Position(board, *stones), score) for stones, score in known.items()]
    Stream(5).shuffle(found)
    return tuple(found[:SAMPLE] if len(found) > 5000 else found)


@pytest.mark.parametrize("name", ["tictactoe", "4x3x3-free"])
def test_forced_wins_refuted_moves_and_pairings_are_true(name: str) -> None:
    board = game(name)
    search = Engine(board, tt_mb=1).searches[0]
    assert isinstance(search, solve_free.FreeSearch)
    known: dict[tuple[int, int], int] = {}
    wins = refuted = paired = 0
    for position, score in truth(name):
        own, opp, half = position.own, position.opp, (board.cells + 1 - position.ply) // 2
        if not position.winning_moves():
            search.attack_left = 1000
            steps = solve_free._attack(search, own, opp, 0, 20)
            if steps:
                wins += 1
                assert score >= half - steps
        rest = (board.cells - position.ply) // 2
        search.attack_left = 1000
        steps = solve_free._attack(search, opp, own, 0, 20)
        for move in position.legal_moves() if steps else ():
            child = position.play(move)
            if child.outcome() is None and solve_free._stands(search, opp, child.opp, steps):
                refuted += 1
                assert naive_score_of_move(position, move, known) <= steps - rest
        lines = [line & ~position.occupied for line in search.lines[: search.line_count].tolist() if not line & opp]
        search.to_pair[: len(lines)] = lines
        search.pair_left = 100
        if solve_free._pairs(search, len(lines), 0, 0):
            paired += 1
            assert score <= 0
    assert min(wins, refuted, paired) > 100


PUBLISHED = [
    ("5x5x4-free", Verdict.DRAW),
    ("6x5x4-free", Verdict.WIN),
    ("6x6x4-free", Verdict.WIN),
    ("6x6x5-free", Verdict.DRAW),
    ("7x7x5-free", Verdict.DRAW),
]


@pytest.mark.parametrize(("name", "verdict"), PUBLISHED)
def test_published_results_without_gravity(name: str, verdict: Verdict) -> None:
    oracle = Oracle(game(name))
    assert oracle.verdict(Position.start(game(name))) == verdict
    assert oracle.nodes < 400_000


def test_images_of_a_position_have_one_score() -> None:
    board, stream = game("4x4x4-free"), Stream(7)
    for _ in range(20):
        position = Position.start(board)
        while position.ply < 6:
            position = position.play(stream.choice(position.legal_moves()))
        if position.outcome() is None:
            assert len({Oracle(board, tt_mb=1).score(image) for image in position.symmetries()}) == 1
