"""One rule says when an agent is better, and what else a series shows."""

from __future__ import annotations

import pytest

from inarow.match import Finding, Rule, Series, claim
from support.made_up_results import series


@pytest.mark.parametrize(
    ("made", "finding", "verdict"),
    [
        (series(), Finding.NOT_PLAYED, "not played"),
        (series(won=4), Finding.TOO_FEW, "too few matches"),
        (series(won=5), Finding.BETTER, "alpha is better"),
        (series(won=50, distinct=2), Finding.REPEATED, "too few distinct matches"),
        (series(won=50, distinct=50), Finding.BETTER, "alpha is better"),
        (series(won=20, lost=20), Finding.NO_DIFFERENCE, "no difference shown"),
        (series(lost=40, split=5), Finding.BETTER, "beta is better"),
        (series("alpha", "alpha", won=40), Finding.NO_DIFFERENCE, "no difference shown"),
    ],
    ids=lambda value: value.name if isinstance(value, Finding) else None,
)
def test_a_claim_needs_matches_that_are_enough_and_distinct_and_an_interval_without_half(
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
    assert claim(made, Rule(matches=200)).finding is Finding.TOO_FEW
    assert claim(series(won=30, distinct=40), Rule(distinct=0.9)).finding is Finding.REPEATED


def test_the_usual_rule_looks_at_the_interval_that_is_printed() -> None:
    made = series(won=30, lost=16)
    assert claim(made).score == pytest.approx(made.sides[0].score())


def test_a_claim_in_json_has_its_rule() -> None:
    data = claim(series(won=40)).to_json()
    assert data["better"] == "alpha"
    assert data["rule"] == {"confidence": 0.95, "min_matches": 10, "min_distinct_share": 0.5}
