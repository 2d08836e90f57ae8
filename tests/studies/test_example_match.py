"""The match that a page shows is one that was won, with the exact truth of every position."""

from __future__ import annotations

from inarow.agents import agent
from inarow.match import MatchRecord, play_match
from inarow.rules import CONNECT4
from inarow.studies import sections
from inarow.studies.sections import example, example_figure


def records() -> list[MatchRecord]:
    random, rules = agent("random"), agent("rules")
    return [
        play_match(CONNECT4, random, rules, opening=(3,) * 6 + (2,) * 6 + (4,) * 6, seed=seed) for seed in range(12)
    ]


def test_the_example_is_a_won_match_whose_truth_is_exact() -> None:
    played = records()
    told = example(played, "random", "rules", {"rules": "Rules"})
    assert told is not None
    assert {told.red, told.yellow} == {"random", "Rules"}
    assert told.frames[-1].truth == ("red wins" if told.winner == told.red else "yellow wins")
    assert 8 <= len(told.frames) - 1 <= sections.MAX_MOVES
    assert told.mistakes == sum(bool(frame.better) for frame in told.frames)
    assert told.mistakes or told.frames[0].truth != "a draw"
    assert f"Red: {told.red}; yellow: {told.yellow}." in example_figure("match", "A match", told).caption
    assert example(played, "random", "perfect", {}) is None
