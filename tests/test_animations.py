"""``inarow.watch`` makes animations of searches and matches."""

from __future__ import annotations

import pytest

import inarow


def test_a_search_is_watched_by_texts_or_values() -> None:
    by_text = inarow.watch("tictactoe", "15", "minimax:depth=2", steps=range(3))
    position = inarow.position("tictactoe", "15")
    assert by_text == inarow.watch(position, inarow.agent("minimax:depth=2"), steps=range(3))
    assert len(by_text) == 3
    assert "steps 1 to 3 of 3 recorded" in by_text.title
    assert by_text == inarow.watch(game="tictactoe", moves="15", agent="minimax:depth=2", steps=range(3))
    whole = inarow.watch(position, "minimax:depth=1")
    assert whole.frames[-1].words == "The search is over. MAX plays 3."


def test_a_match_is_watched_move_by_move() -> None:
    record = inarow.play_match("tictactoe", "rules", "random", seed=1)
    film = inarow.watch(record, theme="dark")
    assert len(film) == len(record.all_moves) + 1
    assert film.frames[0].words == "the start"
    assert film.frames[-1].words == "move 7: X 2, first player has won"
    assert film.title == "rules against random"


def test_an_agent_must_be_given_and_be_one_that_searches() -> None:
    with pytest.raises(
        TypeError, match=r"no agent was given after the moves 'mcts'; write watch\(game, moves, agent\)"
    ):
        inarow.watch("connect4", "mcts")  # type: ignore[call-overload]
    with pytest.raises(TypeError, match=r"no agent was given; write watch\(game"):
        inarow.watch("connect4")  # type: ignore[call-overload]
    with pytest.raises(inarow.InarowError, match="it does not search a tree"):
        inarow.watch("connect4", "44", "rules")
