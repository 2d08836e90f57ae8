"""Training curves: what was not measured is a gap, and several runs of one learner are one line with a band."""

from __future__ import annotations

from typing import Any

import pytest

from inarow import QLearning
from inarow.errors import InarowError
from inarow.report.curves import ONE_RUN, SEEDS, training_figure
from inarow.rules import TICTACTOE
from inarow.training import plan_training


def entry(episodes: int, opponent: str, wins: int, truth: dict[str, float] | None = None) -> dict[str, Any]:
    counts = {"wins": wins, "draws": 1, "losses": 9 - wins}
    return {"episodes": episodes, "matches": {opponent: {"first": counts, "second": counts}}, "truth": truth or {}}


def header(*history: dict[str, Any], spec: str = "qlearning", game: str = "tictactoe") -> dict[str, Any]:
    return {"spec": spec, "game": game, "history": list(history)}


def points(*headers: dict[str, Any]) -> dict[tuple[str, str, int], str]:
    rows = training_figure(headers).data.texts()
    return {(measure, line, int(at)): share for measure, line, at, share in rows}


def test_what_an_evaluation_did_not_measure_is_a_gap_not_zero() -> None:
    found = points(header(entry(1, "random", 5, {"keeps the verdict": 0.5}), entry(2, "rules", 6)))
    assert ("wins against random", "qlearning", 1) in found
    assert ("wins against random", "qlearning", 2) not in found
    assert found["exact value kept", "qlearning", 1] == "50 %"
    assert ("exact value kept", "qlearning", 2) not in found


def test_a_panel_names_the_only_seat_that_was_evaluated() -> None:
    counts = {"wins": 5, "draws": 1, "losses": 4}
    one = {"episodes": 1, "matches": {"random": {"second": counts}}, "truth": {}}
    assert ("wins against random as second", "qlearning", 1) in points(header(one))


def test_runs_of_one_spec_are_one_line_with_a_band() -> None:
    runs = [header(entry(1, "random", wins), entry(2 + wins, "random", wins)) for wins in (2, 4, 9)]
    found = points(*runs)
    assert found["wins against random", "qlearning", 1] == "50 % (20–90)"
    assert not [at for _, _, at in found if at > 1]  # only where all runs were evaluated
    assert training_figure(runs).caption == SEEDS
    assert training_figure(runs[:1]).caption == ONE_RUN


def test_learners_are_lines_of_their_own_and_every_format_is_drawn() -> None:
    made = training_figure([header(entry(1, "random", 5)), header(entry(1, "random", 6), spec="ntuple")])
    assert {line for _, line, _, _ in made.data.texts()} == {"qlearning", "ntuple"}
    assert "ntuple" in made.svg
    assert made.png(50)[:4] == b"\x89PNG"


def test_models_that_cannot_be_drawn_together_are_refused() -> None:
    with pytest.raises(InarowError, match="different games"):
        training_figure([header(entry(1, "random", 5)), header(entry(1, "random", 5), game="connect4")])
    with pytest.raises(InarowError, match="no history"):
        training_figure([header()])


def test_a_training_is_evaluated_without_being_asked_and_draws_itself() -> None:
    plans = [plan_training(QLearning(), TICTACTOE, n, truth=False) for n in (5, 95, 20_000, 1_000_000)]
    assert [plan.evaluate_every for plan in plans] == [1, 10, 2_000, 100_000]  # at most ten evaluations
    trained = QLearning().learn("3x3x3", 500, evaluation_opponents=["random"], evaluation_matches=2)
    assert [one["episodes"] for one in trained.history] == list(range(50, 501, 50))
    assert "<svg" in trained._repr_html_()
    only_end = QLearning().learn("3x3x3", 500, evaluate_every=0, evaluation_opponents=[])
    assert [one["episodes"] for one in only_end.history] == [500]
