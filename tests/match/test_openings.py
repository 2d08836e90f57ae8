"""Openings by a text: what is drawn, what is refused before anything is played."""

from __future__ import annotations

from pathlib import Path

import pytest

from inarow.match import OpeningError, parse_openings
from inarow.rules import CONNECT4, TICTACTOE, Position, game
from inarow.solver import Oracle


def test_none_is_the_empty_board() -> None:
    assert parse_openings(CONNECT4, "none").draw(3, seed=1) == [(), (), ()]


def test_random_openings_have_the_plies_asked_for_or_the_usual_ones() -> None:
    assert {len(line) for line in parse_openings(CONNECT4, "random:6").draw(50, seed=1)} == {6}
    assert {len(line) for line in parse_openings(CONNECT4, "random").draw(50, seed=1)} == {4}
    assert {len(line) for line in parse_openings(TICTACTOE, "random").draw(9, seed=1)} == {1}


@pytest.mark.parametrize("text", ["random:2", "all:2"])
def test_more_openings_begin_with_the_same_and_none_repeats_while_others_are_left(text: str) -> None:
    openings = parse_openings(CONNECT4, text)
    drawn = openings.draw(120, seed=5)
    assert openings.draw(30, seed=5) == drawn[:30]
    assert len({Position.start(CONNECT4, line).key() for line in drawn[:49]}) == 49
    assert set(drawn[:49]) == set(drawn[49:98])


def test_lines_that_lead_to_one_position_are_one_opening(tmp_path: Path) -> None:
    """Agents without randomness would play the same match from both."""
    (tmp_path / "lines").write_text("123\n321\n132\n")
    assert parse_openings(CONNECT4, f"file:{tmp_path / 'lines'}").lines == ((0, 1, 2), (0, 2, 1))
    lines = parse_openings(CONNECT4, "all:3").lines
    assert len({Position.start(CONNECT4, line).key() for line in lines}) == len(lines) == 238


def test_drawn_lines_are_those_that_perfect_play_draws() -> None:
    openings = parse_openings(CONNECT4, "drawn:4")
    drawn = openings.draw(200, seed=1)
    assert set(drawn) == set(openings.lines)
    oracle = Oracle(CONNECT4)
    for line in parse_openings(CONNECT4, "all:4").lines[::40]:
        scores = oracle.scores(Position.start(CONNECT4, line))
        assert scores is not None
        assert (line in drawn) == (max(scores.values()) == 0)
    with pytest.raises(OpeningError, match="is a draw"):
        parse_openings(game("3x3x2"), "drawn:1")


def test_all_lines_leave_the_game_open() -> None:
    drawn = parse_openings(game("3x3x3"), "all:5").draw(200, seed=0)
    assert all(Position.start(game("3x3x3"), line).outcome() is None for line in drawn)


def test_a_file_gives_its_lines_and_is_known_by_their_content(tmp_path: Path) -> None:
    path, twin = tmp_path / "lines.txt", tmp_path / "other name.txt"
    path.write_text("# some openings\n44\n\n4453  # another\n", encoding="utf-8")
    twin.write_text("44\n4453\n", encoding="utf-8")
    openings = parse_openings(CONNECT4, f"file:{path}")
    assert sorted(openings.draw(2, seed=1)) == [(3, 3), (3, 3, 4, 2)]
    assert openings.to_json() == parse_openings(CONNECT4, f"file:{twin}").to_json()


@pytest.mark.parametrize(
    ("content", "reason"),
    [
        ("44\n448\n", r"line 2: in '448', character 3 \('8'\).*give a number from 1 to 7"),
        ("4141414\n", "line 1: 4141414 is a finished game"),
        ("# nothing\n", "has no openings"),
    ],
)
def test_a_broken_file_says_where_and_why(content: str, reason: str, tmp_path: Path) -> None:
    path = tmp_path / "lines.txt"
    path.write_text(content, encoding="utf-8")
    with pytest.raises(OpeningError, match=reason):
        parse_openings(CONNECT4, f"file:{path}")


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        ("often", "give one of none, random:PLIES"),
        ("random:x", "'x' is not a number of plies"),
        ("random:42", "openings of 42 plies are not possible on connect4"),
        ("all:10", "more than 200,000 positions"),
        ("file:/no/such/file", "No such file"),
        ("file:.", "directory"),
    ],
)
def test_openings_that_can_not_be_are_refused(text: str, reason: str) -> None:
    with pytest.raises(OpeningError, match=reason):
        parse_openings(CONNECT4, text)


def test_all_lines_of_a_board_where_every_game_is_over_are_refused() -> None:
    with pytest.raises(OpeningError, match="leaves the match undecided"):
        parse_openings(game("2x2x2-free"), "all:3")


def test_a_file_that_is_not_text_is_refused(tmp_path: Path) -> None:
    (tmp_path / "bytes").write_bytes(b"\xff\xfe\x00")
    with pytest.raises(OpeningError, match="not a text file"):
        parse_openings(CONNECT4, f"file:{tmp_path / 'bytes'}")
