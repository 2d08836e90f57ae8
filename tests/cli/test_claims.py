"""Every place that says who is better prints the same claim about the same series."""

from __future__ import annotations

import pytest

from inarow.arena import results_json
from inarow.cli.results import flat_pairings, print_results
from inarow.cli.tournament import print_series, series_json
from inarow.match import Finding, SequentialRule, Series, claim
from inarow.report.tables import meeting_sentence, shown
from inarow.studies.sections import decided, meetings
from support.made_up_results import results, series

SERIES = {
    Finding.NOT_PLAYED: series(),
    Finding.TOO_FEW: series(won=4),
    Finding.NO_DIFFERENCE: series(won=20, lost=20),
    Finding.EQUAL: series(drawn=200),
    Finding.BETTER: series(won=40, split=5),
}


@pytest.mark.parametrize("finding", [finding for finding in Finding if finding is not Finding.EQUAL])
def test_every_place_prints_the_claim(finding: Finding, capsys: pytest.CaptureFixture[str]) -> None:
    made: Series = SERIES[finding]
    wanted = claim(made)
    assert wanted.finding is finding

    print_series(made, 1.0)
    assert wanted.sentence in capsys.readouterr().out
    assert series_json(made, 1.0)["claim"] == wanted.to_json()

    tournament = results(made)
    data = results_json(tournament)
    assert data["pairings"][0]["claim"] == wanted.to_json()
    assert data["pairings"][0]["verdict"] == wanted.verdict
    assert flat_pairings(data)[0]["verdict"] == wanted.verdict
    print_results(tournament)
    assert wanted.verdict in capsys.readouterr().out

    assert meeting_sentence(made) == wanted.sentence
    row = meetings(tournament, "any").texts()[0]
    assert row[-1] == shown("text", wanted.verdict_for(row[0]))


@pytest.mark.parametrize("finding", [Finding.EQUAL, Finding.BETTER, Finding.NO_DIFFERENCE])
def test_every_place_prints_the_claim_by_the_rule_of_the_tournament(
    finding: Finding, capsys: pytest.CaptureFixture[str]
) -> None:
    rule = SequentialRule(comparisons=3)
    made = SERIES[finding]
    wanted = claim(made, rule)
    assert wanted.finding is finding
    tournament = results(made)
    tournament.run.config["rule"] = rule.to_json()
    assert tournament.rule == rule
    data = results_json(tournament)
    assert data["pairings"][0]["claim"] == wanted.to_json()
    (exported,) = flat_pairings(data)
    score = rule.interval(made.sides[0])
    assert score is not None
    assert (exported["score_low"], exported["interval"]) == (round(score.low, 6), rule.coverage)
    print_results(tournament)
    assert wanted.verdict in capsys.readouterr().out
    assert meeting_sentence(made, rule=rule) == wanted.sentence
    row = meetings(tournament, "any").texts()[0]
    assert row[-1] == wanted.verdict_for(row[0])
    assert str(decided(tournament, "any").rows[-1][1]) == "1"


def test_pairs_that_a_test_stopped_early_are_not_claimed_by_the_rule_for_a_fixed_number() -> None:
    made = series(won=7)
    tournament = results(made)
    tournament.run.config["sprt"] = {"elo0": 0.0, "elo1": 20.0, "alpha": 0.05, "beta": 0.05}
    assert claim(made).finding is Finding.BETTER
    assert results_json(tournament)["pairings"][0]["claim"] == claim(made, SequentialRule()).to_json()
    assert results_json(tournament)["pairings"][0]["verdict"] == "too few matches"
