"""Tournaments whose rounds depend on results: the same whatever interrupts them, and only those who met are shown."""

from __future__ import annotations

from collections.abc import Sequence

import pytest

from inarow.arena import Running, Store, load
from inarow.arena.executor import InProcess
from inarow.arena.store import StoredPair
from support.arena_doubles import played, tournament, without_clock

AGENTS = ("random", "rules", "greedy", "rules:style=centre", "greedy:eval=lines")


@pytest.mark.parametrize(("form", "rounds", "matches"), [("swiss:3", 3, 24), ("groups:2", 3, 28)])
def test_a_tournament_in_rounds_is_the_same_with_workers_and_after_an_interruption(
    form: str, rounds: int, matches: int
) -> None:
    wanted = tournament(*AGENTS, pairs=2, format=form)
    results = played(wanted, workers=2)
    whole = without_clock(results)
    assert results.finished
    assert results.schedule is not None
    assert len(whole["schedule"]["rounds"]) == rounds
    assert whole["matches"] == matches
    assert {one["agent"] for one in whole["schedule"]["table"]} == set(results.agents)
    with Store.in_memory() as store:
        run = store.begin(wanted)
        stored = 0

        def stop(rows: Sequence[StoredPair]) -> None:
            nonlocal stored
            stored += len(rows)
            if stored >= 5:
                raise KeyboardInterrupt

        with pytest.raises(KeyboardInterrupt):
            Running(wanted, store, run, InProcess(), on_pairs=stop).play()
        assert not load(store, run).finished
        assert without_clock(played(wanted, store=store)) == whole


def test_a_second_meeting_in_the_play_off_is_played_on_new_openings() -> None:
    results = played(tournament("random", "rules", "greedy", pairs=3, format="groups:1"))
    assert results.schedule is not None
    (meet,) = results.schedule.rounds[-1].pairings
    assert meet.again == 1
    again = [series for series in results.series.values() if series.matches == 12]
    assert len(again) == 1
    assert results.matches == 24


def test_who_has_not_met_has_no_series_and_all_have_a_rating() -> None:
    results = played(tournament(*AGENTS, pairs=1, format="swiss:1"))
    assert len(results.series) == 2
    assert len(results.standings()) == len(AGENTS)
