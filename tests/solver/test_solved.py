"""The balanced openings that ship with inarow: drawn, solved, and known to the oracle."""

from __future__ import annotations

import io

import pytest

from inarow.errors import InarowError
from inarow.limits import Limit
from inarow.match import OpeningError, parse_openings
from inarow.rules import CONNECT4, TICTACTOE, Position
from inarow.solver import Oracle
from inarow.solver.book import folded_key
from inarow.solver.solved import OPENING_PLIES, balanced_openings, read_solved


def test_every_opening_is_a_draw_that_can_be_lost_and_no_two_are_alike() -> None:
    openings = balanced_openings(CONNECT4)
    assert len(openings) == 200
    assert len({folded_key(opening.position) for opening in openings}) == len(openings)
    for opening in openings:
        assert opening.position == Position.start(CONNECT4, opening.moves)
        assert max(opening.scores.values()) == 0
        assert sum(score == 0 for score in opening.scores.values()) >= 2
        assert min(opening.scores.values()) < 0
        assert opening.position.ply == OPENING_PLIES


def test_the_scores_are_those_of_the_search() -> None:
    oracle = Oracle(CONNECT4, book=False)
    for opening in balanced_openings(CONNECT4)[::67]:
        assert oracle.scores(opening.position) == dict(opening.scores)


def test_the_oracle_needs_no_search_in_a_balanced_opening() -> None:
    oracle = Oracle(CONNECT4)
    for opening in balanced_openings(CONNECT4)[:5]:
        assert oracle.scores(opening.position, Limit(nodes=1)) == dict(opening.scores)
        assert oracle.nodes == 0


def test_balanced_openings_are_drawn_like_those_of_a_file() -> None:
    chosen = parse_openings(CONNECT4, "balanced")
    lines = {opening.moves for opening in balanced_openings(CONNECT4)}
    drawn = chosen.draw(len(lines), seed=1)
    assert set(drawn) == lines
    assert chosen.draw(10, seed=1) == drawn[:10]
    assert chosen.to_json()["count"] == len(lines)


def test_a_game_without_balanced_openings_says_so() -> None:
    with pytest.raises(OpeningError, match=r"no balanced openings ship for tictactoe; give random:1"):
        parse_openings(TICTACTOE, "balanced")


@pytest.mark.parametrize(
    ("line", "reason"),
    [
        ("4444444,0,0,0,0,0,0,0", "line 2 of mine can't be read"),
        ("44,0,0,0,x,0,0,0", "line 2 of mine can't be read"),
        ("44,0,0", "line 2 of mine must have a score for each legal move"),
    ],
)
def test_a_damaged_line_is_named(line: str, reason: str) -> None:
    with pytest.raises(InarowError, match=reason):
        list(read_solved(CONNECT4, io.StringIO(f"moves\n{line}\n"), "mine"))
