"""A tournament as a value: who meets whom, what names it, and what is refused before anything is played."""

from __future__ import annotations

from typing import Any

import pytest

from inarow.arena import ArenaError, Tournament
from inarow.arena.tournament import config_hash, differences
from inarow.errors import InarowError
from inarow.match import SequentialRule
from inarow.stats import Sprt
from support.arena_doubles import Doing, tournament


def met(wanted: Tournament) -> list[tuple[str, str]]:
    return [(a.spec, b.spec) for a, b in wanted.pairings]


def test_a_round_robin_pairs_each_with_every_other() -> None:
    assert met(tournament("random", "rules", "greedy")) == [
        ("random", "rules"),
        ("random", "greedy"),
        ("rules", "greedy"),
    ]


def test_a_gauntlet_pairs_the_first_with_the_others() -> None:
    assert met(tournament("random", "rules", "greedy", format="gauntlet")) == [
        ("random", "rules"),
        ("random", "greedy"),
    ]


def test_with_self_each_also_plays_itself_and_one_agent_is_enough() -> None:
    assert met(tournament("random", "rules", with_self=True)) == [
        ("random", "random"),
        ("random", "rules"),
        ("rules", "rules"),
    ]
    assert met(tournament("random", with_self=True)) == [("random", "random")]
    assert met(tournament("random", "random", with_self=True)) == [("random", "random")]


@pytest.mark.parametrize(
    ("agents", "more", "reason"),
    [
        (("random",), {}, "at least two agents, got random"),
        ((), {}, "at least two agents, got none"),
        (("random", "rules", "random"), {}, "random is given twice.*--self"),
        (("random", "rules"), {"pairs": 0}, "pairs must be an integer from 1 to 10,000,000, got 0"),
        (("random", "rules"), {"format": "ladder"}, "unknown format 'ladder'"),
        (("random", "rules"), {"format": "groups"}, "2 players do not fill 2 groups"),
        (("random", "rules"), {"format": "swiss", "sprt": Sprt()}, "swiss can't be combined with"),
        (("random", "rules:style=corners"), {}, "style=corners is for boards without gravity"),
        (("random", "rules", "greedy"), {"sprt": Sprt()}, "compares two agents"),
        (
            ("random", "rules"),
            {"sprt": Sprt(), "rule": SequentialRule()},
            "either a sequential test or a sequential rule",
        ),
        (("random", "rules"), {"costs": {"rules": 0}}, "a cost must be an integer from 1, got 0"),
        (("random", "rules"), {"openings": "random:99"}, "openings of 99 plies are not possible"),
    ],
)
def test_a_tournament_that_cannot_be_is_refused(agents: tuple[str, ...], more: dict[str, Any], reason: str) -> None:
    with pytest.raises(InarowError, match=reason):
        tournament(*agents, **more).check()


def test_the_hash_names_all_that_decides_the_results() -> None:
    first = tournament("random", "rules")
    assert config_hash(first.config()) == config_hash(tournament("random", "rules").config())
    others = [
        tournament("rules", "random"),
        tournament("random", "rules", pairs=11),
        tournament("random", "rules", rule=SequentialRule()),
        tournament("random", "rules", rule=SequentialRule(comparisons=2)),
        tournament("random", "rules", costs={"rules": 2}),
        tournament("random", "rules", seed=1),
        tournament("random", "rules", openings="random:3"),
        tournament("random", "rules", sprt=Sprt()),
    ]
    assert len({config_hash(one.config()) for one in [first, *others]}) == len(others) + 1


def test_differences_are_named_in_words() -> None:
    config = tournament("random", "rules").config()
    changed = tournament("random", "rules", pairs=3, seed=9).config()
    assert differences(config, changed) == ["pairs was 10 and is now 3", "seed was 0 and is now 9"]
    other = tournament("random", Doing()).config()
    assert differences(config, other) == ["the agents were random, rules and are now random, doing"]
    moved = {**config, "agents": [config["agents"][0], {"spec": "rules", "identity": "rules#2"}]}
    assert differences(config, moved) == ["the file of rules has changed since"]
    assert differences(config, {**config, "results_version": 99})[0].startswith("results_version was ")


def test_the_error_is_one_of_the_input() -> None:
    assert issubclass(ArenaError, InarowError)
