"""A ranking claims no more than the pairings show."""

from __future__ import annotations

from inarow.arena import Results
from inarow.match import SequentialRule
from inarow.report.tables import findings, headline, ranking
from support.made_up_results import results, series


def pool(made: Results) -> Results:
    made.run.config["rule"] = SequentialRule(comparisons=len(made.series)).to_json()
    return made


def test_a_new_group_begins_where_everyone_above_is_shown_to_be_better() -> None:
    made = pool(
        results(
            series("a", "b", won=40), series("a", "c", won=40), series("a", "d", won=40),
            series("b", "c", won=22, lost=18), series("b", "d", won=40), series("c", "d", won=40),
        )
    )  # fmt: skip
    assert made.ranked(made.names) == [["a"], ["b", "c"], ["d"]]
    assert headline(made) == "Tic Tac Toe: a > b, c > d"
    assert findings(made) == ["Tic Tac Toe: a > b, c > d (5 of 6 pairings show a difference)."]


def test_one_open_pairing_with_the_group_above_keeps_an_agent_in_it() -> None:
    made = pool(results(series("a", "b", won=22, lost=18), series("a", "c", won=40), series("b", "c", won=21, lost=19)))
    assert made.ranked(made.names) == [["a", "b", "c"]]
    assert headline(made) == "Tic Tac Toe: the pairings do not rank the agents"


def test_a_group_is_shown_to_be_better_than_every_agent_after_it() -> None:
    made = pool(
        results(
            series("a", "b", won=32, lost=8), series("a", "c", won=25, lost=15), series("a", "d", won=40),
            series("b", "c", won=26, lost=14), series("b", "d", won=40), series("c", "d", won=40),
        )
    )  # fmt: skip
    assert made.ranked(made.names) == [["a", "b", "c"], ["d"]]
    assert headline(made) == "Tic Tac Toe: a, b, c > d"
    assert made.ranked(["a", "b", "d"]) == [["a"], ["b"], ["d"]]


def test_agents_that_are_not_told_apart_are_not_ranked() -> None:
    made = pool(results(series("a", "b", won=22, lost=18), series("a", "c", won=21, lost=19)))
    assert headline(made) == "Tic Tac Toe: no difference is shown between the agents"


def test_two_agents_have_their_claim_as_the_finding() -> None:
    made = pool(results(series("a", "b", won=40)))
    (said,) = findings(made)
    assert said.startswith("Tic Tac Toe: a is better than b: it scores 100 %")


def test_a_long_ranking_is_cut_in_a_headline_only() -> None:
    groups = [[name] for name in "abcdefgh"]
    assert ranking(groups, 3) == "a > b > c > …"
    assert ranking(groups) == "a > b > c > d > e > f > g > h"
