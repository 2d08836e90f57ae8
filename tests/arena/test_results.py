"""What a tournament shows: the database's sums are the records' sums, and the words are those the numbers carry."""

from __future__ import annotations

import math
from collections import defaultdict
from pathlib import Path

import pytest

import inarow
from inarow.arena import Running, Store, Tournament, load, results_json
from inarow.arena.executor import InProcess
from inarow.match import Finding, Pair, Series, claim
from inarow.rules import CONNECT4
from support.arena_doubles import Doing, played, tournament, without_clock


def test_sums_in_the_database_are_the_sums_over_the_records() -> None:
    wanted = tournament("random", "rules", Doing("illegal"), pairs=12, openings="random:1")
    with Store.in_memory() as store:
        run = store.begin(wanted)
        Running(wanted, store, run, InProcess()).play()
        results = load(store, run)
        pairs = defaultdict(list)
        for pairing, pair, record in store.records(run):
            pairs[pairing, pair].append(record)
        by_hand = {number: Series(CONNECT4, a, b) for number, (a, b) in run.pairings.items()}
        for (pairing, index), (straight, swapped) in pairs.items():
            by_hand[pairing].add(Pair(index, straight, swapped))
    for number, series in results.series.items():
        other = by_hand[number]
        for ours, theirs in zip(series.sides, other.sides, strict=True):
            assert ours.to_json() == theirs.to_json()
            assert ours.seconds == pytest.approx(theirs.seconds, rel=1e-5)
            if theirs.moves:
                assert ours.least == pytest.approx(theirs.least, rel=1e-5)
                assert ours.most == pytest.approx(theirs.most, rel=1e-5)
        for name in ("matches", "distinct", "plies", "terminations", "faults"):
            assert getattr(series, name) == getattr(other, name), name


@pytest.mark.parametrize("workers", [1, 2])
def test_a_pairing_without_randomness_ends_when_its_openings_are_used_up(workers: int) -> None:
    made = tournament("alphabeta:depth=2", "alphabeta:depth=3", "random", pairs=40, openings="all:1")
    results = played(made, workers=workers)
    one, *others = results.series.values()
    assert (one.matches, one.distinct, one.repeated) == (14, 14, 0)
    assert results.used_up(one)
    assert [series.matches for series in others] == [80, 80]
    assert not any(map(results.used_up, others))
    assert results.finished


def test_a_pairing_that_is_random_from_some_openings_only_ends_as_well() -> None:
    """With two free cells: where both are a win or a block, rules draws lots."""
    results = played(Tournament.of("tictactoe", ["rules", "minimax"], pairs=1600, openings="random:7"))
    (series,) = results.series.values()
    assert series.repeats.settled < len(series.openings) < series.matches // 2 < 1600
    assert results.used_up(series)
    assert results.finished
    assert "3,200" not in (note := results.used_up_note("random:6"))
    assert f"{series.matches // 2:,} of 1,600 pairs of rules – minimax count" in note


def test_a_pairing_on_openings_of_a_file_ends_where_only_some_of_them_are_random(tmp_path: Path) -> None:
    (tmp_path / "lines.txt").write_text("1\n1 5 3 2 8 7\n1 5 9 8 2 3 7 4\n")
    results = played(Tournament.of("tictactoe", ["rules", "minimax"], f"file:{tmp_path / 'lines.txt'}", pairs=7))
    (series,) = results.series.values()
    assert 0 < series.repeats.settled < len(series.openings)
    assert series.pairs.total() < 7
    assert results.used_up(series)
    assert results.finished


def test_a_standing_is_as_sure_with_one_opening_as_with_many() -> None:
    """An agent's opponents are not a sample: that one is weaker than the other makes its score no less sure."""
    for openings in ("none", "all:1"):
        made = Tournament.of("tictactoe", ["random", "rules", "mcts:simulations=20"], pairs=60, openings=openings)
        for standing in played(made).standings():
            score = standing.score
            assert score is not None
            assert score.high - score.low < 0.2, (openings, standing.spec)


def test_repeats_of_an_agent_of_unknown_kind_are_stored_and_not_counted() -> None:
    results = played(tournament(Doing("lowest"), with_self=True, pairs=50, openings="none"))
    (series,) = results.series.values()
    assert (series.matches, series.distinct, series.repeated) == (2, 2, 5)
    assert series.plies == sum(side.moves for side in series.sides)
    assert results.used_up(series)
    assert results.finished


def test_a_table_of_wins_only_is_finite_says_who_is_better_and_shows_bounds() -> None:
    results = played(tournament(Doing("illegal"), Doing("lowest"), pairs=20))
    best, worst = results.standings()
    assert best.shown is not None
    assert worst.shown is not None
    assert (best.shown.estimate, worst.shown.estimate) == (math.inf, -math.inf)
    assert best.shown.low == best.rating.low
    assert best.spec == "doing"
    assert math.isfinite(best.rating.high)
    assert best.rating.low > 0 > worst.rating.high
    (series,) = results.series.values()
    assert claim(series).verdict == "doing is better"
    assert without_clock(results)["pairings"][0]["pentanomial"] == [20, 0, 0, 0, 0]


def test_equals_show_no_difference() -> None:
    results = played(tournament("random", "rules:style=centre", with_self=True, pairs=10))
    own = [series for series in results.series.values() if series.spec == series.sides[1].spec]
    assert [claim(series).finding for series in own] == [Finding.NO_DIFFERENCE] * 2


def test_nothing_played_yet_is_no_error() -> None:
    with Store.in_memory() as store:
        results = load(store, store.begin(tournament("random", "rules", "greedy")))
    data = results_json(results)
    assert data["matches"] == 0
    assert {pairing["verdict"] for pairing in data["pairings"]} == {"not played"}
    assert [standing["score"] for standing in data["standings"]] == [None] * 3


def test_an_agent_without_a_match_stands_last() -> None:
    with Store.in_memory() as store:
        results = load(store, store.begin(tournament("greedy", "random", "rules")))
    (series,) = (one for one in results.series.values() if one.sides[0].spec == "random")
    series.count_pairs((0.0, 0.0), 5)
    assert [standing.spec for standing in results.standings()] == ["rules", "random", "greedy"]


def test_the_same_seed_differs_in_timing_only() -> None:
    wanted = tournament("random", "rules", pairs=5)
    one, two = results_json(played(wanted)), results_json(played(wanted))
    assert one["timing"] != two["timing"]
    del one["timing"], two["timing"]
    assert one == two


def test_a_live_view_counts_what_comes_in() -> None:
    wanted = tournament("random", "rules", pairs=8)
    with Store.in_memory() as store:
        run = store.begin(wanted)
        live = load(store, run)
        Running(wanted, store, run, InProcess(), on_pairs=live.add).play()
        assert [s.rating for s in live.standings()] == [s.rating for s in load(store, run).standings()]


def test_one_match_is_not_several() -> None:
    results = inarow.play_tournament(Tournament.of("tictactoe", ["random", "rules"], "random:1", 1))
    assert repr(results).endswith(", 2 matches>")
    series = inarow.play_series("tictactoe", "random", "rules", matches=1)
    assert ", 1 match, " in repr(series)
