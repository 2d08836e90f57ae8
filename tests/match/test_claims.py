"""One rule says when an agent is better, and what else a series shows."""

from __future__ import annotations

import runpy
from pathlib import Path

import pytest

from inarow.match import Finding, Rule, SequentialRule, Series, claim
from inarow.match.claims import USUAL, HolmRule, rule_of
from inarow.randomness import Stream
from inarow.rules import game
from inarow.stats import wilson
from support.made_up_results import series

BENCHMARK = runpy.run_path(str(Path(__file__).parents[2] / "benchmarks" / "coverage.py"))
simulate, false_tournaments, coverage = (BENCHMARK[name] for name in ("simulate", "false_tournaments", "coverage"))
EQUAL, STRONGER = BENCHMARK["EQUAL"], BENCHMARK["STRONGER"]


@pytest.mark.parametrize(
    ("made", "finding", "verdict"),
    [
        (series(), Finding.NOT_PLAYED, "not played"),
        (series(won=6), Finding.TOO_FEW, "too few matches"),
        (series(won=5, lost=2), Finding.NO_DIFFERENCE, "no difference shown"),
        (series(won=7), Finding.BETTER, "alpha is better"),
        (series(won=20, lost=20), Finding.NO_DIFFERENCE, "no difference shown"),
        (series(lost=40, split=5), Finding.BETTER, "beta is better"),
        (series("alpha", "alpha", won=40), Finding.NO_DIFFERENCE, "no difference shown"),
    ],
    ids=lambda value: value.name if isinstance(value, Finding) else None,
)
def test_a_claim_needs_an_interval_without_half_and_a_sample_that_can_show_one(
    made: Series, finding: Finding, verdict: str
) -> None:
    shown = claim(made)
    assert (shown.finding, shown.verdict) == (finding, verdict)
    assert (shown.winner is not None) == (finding is Finding.BETTER)
    assert ("is better" in shown.sentence) == (finding is Finding.BETTER)


def test_a_rule_that_is_stricter_claims_less() -> None:
    made = series(won=30, lost=16)
    assert claim(made).finding is Finding.BETTER
    assert claim(made, Rule(confidence=0.999)).finding is Finding.NO_DIFFERENCE
    assert claim(series(won=7), Rule(confidence=0.999)).finding is Finding.TOO_FEW


@pytest.mark.parametrize("rule", [USUAL, SequentialRule(comparisons=20), HolmRule(comparisons=45)], ids=str)
def test_the_least_number_of_pairs_is_the_smallest_that_can_show_a_difference(rule: Rule) -> None:
    assert claim(series(won=rule.least_pairs), rule).finding is Finding.BETTER
    assert claim(series(won=rule.least_pairs - 1), rule).finding is Finding.TOO_FEW


def test_the_usual_rule_looks_at_the_interval_that_is_printed() -> None:
    made = series(won=30, lost=16)
    assert claim(made).score == pytest.approx(made.score)


def test_a_claim_in_json_has_its_rule() -> None:
    data = claim(series(won=40)).to_json()
    assert data["better"] == "alpha"
    assert data["rule"] == {"confidence": 0.95}


@pytest.mark.parametrize(
    ("made", "verdict"),
    [
        (series(won=14), "too few matches"),
        (series(won=15), "alpha is better"),
        (series(lost=30, split=5), "beta is better"),
        (series(split=90, drawn=20), "equal within 5 %"),
        (series("alpha", "alpha", won=40), "no difference shown"),
    ],
    ids=str,
)
def test_a_sequential_rule_shared_by_many_pairings_decides_with_more_pairs(made: Series, verdict: str) -> None:
    shown = claim(made, SequentialRule(comparisons=56))
    assert shown.verdict == verdict
    assert shown.decided == (verdict.startswith(("alpha", "beta", "equal")))
    assert ("equal within 5 %: " in shown.sentence) == (shown.finding is Finding.EQUAL)


def test_a_sequential_rule_needs_more_where_more_pairings_share_its_error() -> None:
    made = series(won=12)
    assert claim(made, SequentialRule()).winner == "alpha"
    assert claim(made, SequentialRule(comparisons=1000)).winner is None
    few, many = (SequentialRule(comparisons=count).error(made.sides[0]) for count in (1, 10))
    assert few is not None
    assert many == pytest.approx(10 * few)


def test_looks_are_every_five_pairs_at_first_and_rarer_later() -> None:
    looks = [0]
    while looks[-1] < 200:
        looks.append(SequentialRule.next_look(looks[-1]))
    assert looks[:5] == [0, 5, 10, 15, 20]
    assert looks[-3:] == [179, 196, 215]
    assert SequentialRule.next_look(7) == 10


def test_the_rule_of_a_tournament_shares_the_error_among_the_pairings_that_show_nothing() -> None:
    clear, close, even = series(won=40), series(won=30, lost=16), series(won=20, lost=20)
    assert [claim(one).finding for one in (clear, close, even)] == [Finding.BETTER] * 2 + [Finding.NO_DIFFERENCE]
    rule = HolmRule.over([clear, close, *[even] * 8])
    assert isinstance(rule, HolmRule)
    assert (rule.comparisons, rule.shown) == (10, 1)
    assert rule.coverage == "95 %, Holm over 10 pairings"
    assert [claim(one, rule).winner for one in (clear, close, even)] == ["alpha", None, None]
    assert HolmRule.over([clear, close]).to_json()["shown"] == 2
    assert HolmRule.over([close]) == HolmRule.over([close, series("alpha", "alpha", won=9)]) == USUAL


@pytest.mark.parametrize("name", EQUAL)
def test_a_tournament_of_ten_equal_agents_makes_a_false_claim_in_at_most_one_of_twenty(name: str) -> None:
    """1,000 tournaments of 45 pairings, 50 pairs each; judged one by one, most of them would make one."""
    rate = wilson(false_tournaments(EQUAL[name], 10, 50, 1000, seed=5), 1000)
    assert rate is not None
    assert rate.estimate <= 0.05


@pytest.mark.parametrize("name", [*EQUAL, *STRONGER])
def test_intervals_of_a_fixed_number_of_pairs_cover_the_true_score(name: str) -> None:
    """In at least 94 % of series; 3,000 are simulated, with a standard error of 0.4 %."""
    assert coverage({**EQUAL, **STRONGER}[name], 50, 3000, seed=8) >= 0.94


def test_a_decided_pairing_is_played_on_to_the_precision_that_is_asked_for() -> None:
    few, many = series(won=40, split=20, lost=5), series(won=800, split=400, lost=100)
    rough, fine = SequentialRule(), SequentialRule(precision=0.05)
    assert [rough.is_enough(few), fine.is_enough(few), fine.is_enough(many)] == [True, False, True]
    assert claim(few, fine).decided


@pytest.mark.parametrize("rule", [USUAL, Rule(0.99), SequentialRule(precision=0.1), HolmRule(0.95, 6, 2)], ids=str)
def test_a_rule_is_read_back_from_json(rule: Rule) -> None:
    assert rule_of(rule.to_json()) == rule


@pytest.mark.parametrize("stochastic", [False, None])
def test_repeated_pairs_without_randomness_are_no_evidence(stochastic: bool | None) -> None:
    """Equal agents whose pairs are functions of 49 openings, each played four times: 5 % false claims, not 30 %."""
    stream, false = Stream(11), 0
    for _ in range(1000):
        points = [stream.choice([(1.0, 1.0), (1.0, 0.0), (0.0, 0.0)]) for _ in range(49)]
        made = Series(game("connect4"), "alpha", "beta")
        for index in range(4 * 49):
            made.read(index % 49, stochastic, index % 49, points[index % 49])
        false += claim(made).finding is Finding.BETTER
    assert false <= 60


@pytest.mark.parametrize("name", EQUAL)
def test_a_whole_study_of_equal_agents_makes_a_false_claim_in_at_most_one_of_twenty(name: str) -> None:
    """300 studies of 64 pairings, each looked at until it is decided or 100 pairs are played."""
    runs, pairings = 300, 64
    better, _ = simulate(SequentialRule(comparisons=pairings), EQUAL[name], runs, pairings, 100, seed=7)
    rate = wilson(int((better != 0).any(axis=1).sum()), runs)
    assert rate is not None
    assert rate.high <= 0.05


@pytest.mark.parametrize(("name", "most", "share"), [("score 75 %", 150, 0.95), ("score 62 %", 600, 0.9)])
def test_a_stated_difference_is_found_within_the_budget(name: str, most: int, share: float) -> None:
    """By the rule that 64 pairings share; and never for the weaker agent."""
    runs = 300
    better, _ = simulate(SequentialRule(comparisons=64), STRONGER[name], runs, 1, most, seed=7)
    rate = wilson(int((better == 1).sum()), runs)
    assert rate is not None
    assert rate.low >= share
    assert not (better == -1).any()


def test_the_simulation_decides_as_the_rule_does() -> None:
    """The benchmark's shortcut, which looks at many studies at once, against the rule itself."""
    rule = SequentialRule(comparisons=20, confidence=0.9)
    stream = Stream(7)
    found = sum(_ever_better(rule, stream) for _ in range(300))
    better, _ = simulate(rule, (0.25, 0.0, 0.5, 0.0, 0.25), 300, 1, 60, seed=7)
    assert abs(found - int((better != 0).sum())) <= 6


def _ever_better(rule: SequentialRule, stream: Stream) -> bool:
    made, played = series(), 0
    while played < 60:
        look = rule.next_look(played)
        for _ in range(look - played):
            made.count_pairs(stream.choice(((1.0, 1.0), (1.0, 0.0), (0.5, 0.5), (0.0, 0.0))))
        played = look
        error = rule.error(made.sides[0])
        if error is not None and error <= 1 - rule.confidence:
            return True
    return False


def test_the_agent_with_the_higher_score_is_named_first() -> None:
    for made in (series(won=20, lost=26), series(lost=4)):
        shown = claim(made)
        assert shown.winner is None
        assert (shown.better, shown.worse) == ("beta", "alpha")
        assert shown.score == pytest.approx(made.sides[1].score)
