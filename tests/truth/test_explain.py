"""Reasons in words: each names what is on the board."""

from __future__ import annotations

import re

import pytest

from inarow import bits
from inarow.rules import FIRST, Position, game
from inarow.rules.notation import parse_position
from inarow.solver import Oracle
from inarow.truth.explain import explain, reason
from inarow.truth.parity import follow_up
from inarow.truth.truth_set import truth_set

CONNECT4 = game("connect4")


@pytest.mark.parametrize(
    ("moves", "move", "score", "says"),
    [
        ("414141", 3, 18, "4 wins now"),
        ("41414", 3, 0, "4 blocks and draws"),
        ("41414", 3, None, "4 blocks"),
        ("4", 3, 3, "4 wins in 19"),
        ("4", 3, None, "4 looks best to a search"),
    ],
)
def test_a_hint_says_what_its_move_does(moves: str, move: int, score: int | None, says: str) -> None:
    assert reason(parse_position(CONNECT4, moves), move, score) == says


@pytest.mark.parametrize(
    ("moves", "says"),
    [
        ("414141", "X completes a line with 4."),
        ("41414", "O must block 4, where X would complete a line."),
        ("37475", "X threatens to complete a line with 2 or 6; O can block only one of them."),
    ],
)
def test_what_one_move_ahead_shows_comes_first(moves: str, says: str) -> None:
    position = parse_position(CONNECT4, moves)
    assert explain(position, (0,)) == says


def test_nothing_is_said_of_a_finished_game_or_without_a_line() -> None:
    assert explain(parse_position(CONNECT4, "4141414"), (0,)) == ""
    assert explain(Position.start(CONNECT4), ()) == ""
    assert explain(Position.start(CONNECT4), (3, 3)) == "", "a line that ends before the game does"


def test_zugzwang_is_explained_by_the_threat_that_decides() -> None:
    """In positions whose truth is known: where the reason is by parity, the bound is proven in the line."""
    oracle = Oracle(CONNECT4)
    reasons = []
    for known in truth_set()[-120:]:
        position = known.position
        line = oracle.line(position)
        why = explain(position, line)
        if "zugzwang" in why:
            reasons.append(why)
            assert oracle.score(position) != 0
            along = [position]
            for move in line:
                along.append(along[-1].play(move))
            proven = [follow_up(one) for one in along[:-1]]
            assert any(bound is not None and bound.score < 0 for bound in proven)
            assert "row" in why
            assert ("(odd)" in why) != ("(even)" in why)
    assert reasons


def test_a_threat_is_where_the_line_ends_and_there_when_the_reason_says() -> None:
    oracle = Oracle(CONNECT4)
    said = set()
    for known in truth_set()[::8]:
        position, line = known.position, oracle.line(known.position)
        found = re.search(
            r"(has|gets) a threat in column (\d), row (\d) \(\w+\)(?: by move (\d+))?", explain(position, line)
        )
        if found is None:
            continue
        verb, column, row, move = found.groups()
        said.add(verb)
        along = [position]
        for played in line:
            along.append(along[-1].play(played))
        cell = (CONNECT4.rows - int(row)) * CONNECT4.columns + int(column) - 1
        assert along[-2].stone(line[-1]) == CONNECT4.cell_bits[cell]
        made = position.ply if verb == "has" else int(move)
        winner = along[-2].to_move
        filled = CONNECT4.cell_bits[cell]
        for one in along[:-1]:
            stones = (one.first if winner is FIRST else one.second) | filled
            completes = bits.has_line(stones, CONNECT4.k, CONNECT4.stride)
            assert completes == (one.ply >= made)
    assert said == {"has", "gets"}
