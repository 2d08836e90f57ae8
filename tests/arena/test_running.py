"""Tournaments under way: workers, faults, deaths, interruptions, and the sequential test."""

from __future__ import annotations

import errno
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

import inarow
from inarow.agents import Limit
from inarow.arena import FaultFound, Running, Store, Tournament, load
from inarow.arena.executor import InProcess, Job, Task, open_executor
from inarow.arena.tournament import differences
from inarow.errors import HostFailure
from inarow.limits import LimitError
from inarow.match import SequentialRule, play_series
from inarow.stats import Sprt
from support.arena_doubles import Doing, KillsWorkerOnce, played, tournament, without_clock


def test_the_results_are_the_same_whatever_the_number_of_workers() -> None:
    wanted = tournament("random", "rules", "greedy", pairs=25, seed=3)
    alone = without_clock(played(wanted, workers=1))
    assert alone == without_clock(played(wanted, workers=2))
    assert alone["matches"] == 150
    assert alone != without_clock(played(tournament("random", "rules", "greedy", pairs=25, seed=4)))


def test_a_pairing_plays_the_matches_of_a_series_with_its_seed_whoever_else_takes_part() -> None:
    wanted = tournament("greedy", "random", "rules", pairs=3, seed=5)
    with Store.in_memory() as store:
        run = store.begin(wanted)
        Running(wanted, store, run, InProcess()).play()
        found = [record.all_moves for _, _, record in store.records(run)]
        random, rules = wanted.agents[1:]
        pairs = play_series(wanted.game, random, rules, matches=6, seed=5, openings=wanted.openings)
        expected = [record.all_moves for pair in pairs for record, _ in pair.matches()]
    assert found[-6:] == expected


@pytest.mark.parametrize(
    ("deed", "termination", "said"),
    [
        ("raises", "exception", "RuntimeError: no idea"),
        ("exits", "exception", "SystemExit: 3"),
        ("illegal", "illegal move", "move 99 is out of range"),
        ("no move", "illegal move", "None is not a move"),
        ("none", "no decision", "it returned None"),
        ("nonsense", "no decision", "it returned 'the middle one'"),
        ("bad nodes", "no decision", "nodes='many'"),
        ("slow", "out of time", "10.000 s for a decision, 1 s allowed"),
    ],
)
def test_a_bad_agent_loses_with_its_own_termination_and_stops_nobody(deed: str, termination: str, said: str) -> None:
    wanted = tournament(Doing(deed), "random", "rules", pairs=3, limit=Limit(seconds=1))
    results = played(wanted)
    bad = next(s for s in results.standings() if s.spec.startswith("doing"))
    assert bad.lost_by == {termination: 12}
    assert bad.losses == 12
    assert results.matches == 18
    assert said in without_clock(results)["faults"][0]


def test_an_agents_own_exception_can_be_raised_and_what_is_finished_is_kept(tmp_path: Path) -> None:
    wanted = Tournament.of("connect4", ["random", "rules", Doing("raises")], "random:2", 2)
    path = tmp_path / "t.db"
    with pytest.raises(RuntimeError, match="no idea") as raised:
        inarow.play_tournament(wanted, path)
    assert raised.value.__notes__[0].startswith("raised by doing:deed=raises in position('connect4'")
    resumed = inarow.play_tournament(wanted, path, resume=True, strict=False)
    assert resumed.failed == 8
    assert set(resumed.faults) == {"doing:deed=raises: exception (RuntimeError: no idea)"}
    said = "8 matches ended by a fault"
    assert repr(resumed).endswith(f"{said}: doing:deed=raises: exception (RuntimeError: no idea)>")
    assert said in resumed._repr_html_()


def test_an_exception_comes_from_a_worker_with_its_traceback() -> None:
    wanted = tournament("random", Doing("raises oddly"), pairs=1)
    with pytest.raises(RuntimeError, match="OddError: one and two") as raised:
        inarow.play_tournament(wanted, workers=2)
    assert "in a worker process:" in raised.value.__notes__[-1]
    assert "in _raises_oddly" in raised.value.__notes__[-1]


def test_strict_stops_at_the_first_fault_and_keeps_what_is_played() -> None:
    wanted = tournament(Doing("illegal"), "random", pairs=40)
    with Store.in_memory() as store:
        run = store.begin(wanted)
        with pytest.raises(
            FaultFound, match=r"in pair 1 of doing.* against random: illegal move: it returned 99: move 99"
        ):
            Running(wanted, store, run, InProcess(), strict=True).play()
        assert 0 < load(store, run).matches < 80


def test_a_worker_that_dies_is_replaced_and_its_pairs_are_played_again(tmp_path: Path) -> None:
    killer = KillsWorkerOnce(str(tmp_path / "marker"))
    wanted = tournament(killer, "rules", "random", pairs=30, seed=2)
    results = without_clock(played(wanted, workers=2))
    assert (tmp_path / "marker").exists()
    assert results["matches"] == 180
    assert results == without_clock(played(wanted, workers=2))  # it kills no more: an undisturbed run


def test_a_pair_that_always_kills_its_worker_is_named() -> None:
    wanted = tournament("random", "rules", Doing("kills itself"), pairs=2)
    with Store.in_memory() as store, open_executor(2) as executor:
        run = store.begin(wanted)
        with pytest.raises(
            HostFailure, match=r'dies whenever it plays pair . of r.* against doing:deed="kills itself"'
        ):
            Running(wanted, store, run, executor).play()


@pytest.mark.parametrize("workers", [0, 1024 * 1024])
def test_workers_that_are_none_or_a_crowd_are_refused(workers: int) -> None:
    with pytest.raises(LimitError, match=r"workers on \d+ cores must be an integer from 1 to \d+, got "):
        open_executor(workers)


def test_a_worker_that_cannot_be_started_ends_the_tournament_with_a_message(monkeypatch: pytest.MonkeyPatch) -> None:
    def start(self: object) -> None:
        raise OSError(errno.EMFILE, os.strerror(errno.EMFILE))

    monkeypatch.setattr("multiprocessing.process.BaseProcess.start", start)
    wanted = tournament("random", "rules", pairs=2)
    with Store.in_memory() as store, open_executor(2) as executor:
        run = store.begin(wanted)
        with pytest.raises(HostFailure, match="can't be started: Too many open files; give fewer workers"):
            Running(wanted, store, run, executor).play()


def test_a_script_that_its_workers_would_run_again_is_told_what_it_lacks(tmp_path: Path) -> None:
    script = tmp_path / "script.py"
    script.write_text(
        "import inarow\n"
        "inarow.play_tournament(inarow.Tournament.of('tictactoe', ['rules', 'random'], pairs=2), workers=2)\n"
    )
    done = subprocess.run([sys.executable, script], check=False, capture_output=True, text=True)
    assert "HostFailure: a worker process ended while it started; a script that uses" in done.stderr
    assert "dies each time" not in done.stderr


class _Interrupted(InProcess):
    """Ctrl-C comes while the third chunk is waited for."""

    def __init__(self) -> None:
        self.count = 0

    def submit(self, job: Job[Any], listener: Any = None) -> Task[Any]:
        self.count += 1
        if self.count == 4:
            raise KeyboardInterrupt
        return super().submit(job, listener)


def test_an_interrupted_tournament_keeps_what_is_finished_and_resumes_to_the_same_results() -> None:
    wanted = tournament("random", "rules", pairs=30, seed=8)
    with Store.in_memory() as store:
        run = store.begin(wanted)
        with pytest.raises(KeyboardInterrupt):
            Running(wanted, store, run, _Interrupted()).play()
        kept = load(store, run).matches
        assert 0 < kept < 60
        assert store.begin(wanted) == run
        Running(wanted, store, run, InProcess()).play()
        assert without_clock(load(store, run)) == without_clock(played(wanted))


def test_a_finished_tournament_has_nothing_left_to_play() -> None:
    wanted = tournament("random", "rules", pairs=2)
    with Store.in_memory() as store:
        run = store.begin(wanted)
        Running(wanted, store, run, InProcess()).play()
        batches: list[Any] = []
        Running(wanted, store, run, InProcess(), on_pairs=batches.append).play()
        assert batches == []


def test_a_sequential_test_stops_by_itself_at_the_same_pair_whatever_the_workers() -> None:
    wanted = tournament("rules", "random", pairs=2000, sprt=Sprt(0, 50))
    alone = without_clock(played(wanted, workers=1))
    assert alone["sprt"]["accepted"] == "elo1"
    assert 20 < alone["matches"] < 200
    assert alone == without_clock(played(wanted, workers=2))


def test_a_sequential_test_does_not_decide_by_repeats() -> None:
    """By 104 matches, 14 of them distinct, it would accept elo1."""
    agents = "alphabeta:depth=4", "alphabeta:depth=4,eval=lines"
    results = played(tournament(*agents, pairs=400, openings="all:1", sprt=Sprt(0, 50)))
    assert results.matches == 14
    assert without_clock(results)["sprt"]["accepted"] is None
    assert results.finished


def test_adjudicated_matches_end_early_alike_with_any_workers_and_are_another_tournament() -> None:
    wanted = tournament("random", "rules", pairs=6, adjudicate=True)
    alone = without_clock(played(wanted, workers=1))
    assert alone == without_clock(played(wanted, workers=2))
    assert alone["pairings"][0]["terminations"]["adjudication"] == 12
    plain = tournament("random", "rules", pairs=6)
    assert alone["pairings"][0]["plies_per_match"] < without_clock(played(plain))["pairings"][0]["plies_per_match"]
    assert differences(plain.config(), wanted.config()) == ["adjudicate was null and is now true"]


def test_a_decided_test_that_is_resumed_plays_nothing() -> None:
    wanted = tournament("rules", "random", pairs=2000, sprt=Sprt(0, 50))
    with Store.in_memory() as store:
        run = store.begin(wanted)
        Running(wanted, store, run, InProcess()).play()
        before = load(store, run).matches
        again = Running(wanted, store, run, InProcess())
        assert again.decided
        again.play()
        assert load(store, run).matches == before


def test_two_that_are_equal_end_a_test_with_elo0() -> None:
    results = played(tournament("random", "rules:style=random", pairs=300, sprt=Sprt(0, 100)))
    assert without_clock(results)["sprt"]["accepted"] == "elo0"


RULE = SequentialRule(comparisons=3)


def by_rule() -> Tournament:
    """random loses to the others, which differ little."""
    return tournament("random", "rules", "rules:style=centre", pairs=60, seed=5, rule=RULE, costs={"random": 2})


def test_a_pairing_stops_when_it_is_decided_whatever_the_workers() -> None:
    alone = played(by_rule(), workers=1)
    pairs = {(s.sides[0].spec, s.sides[1].spec): s.sides[0].pairs.total() for s in alone.series.values()}
    claims = [alone.claim(series) for series in alone.series.values()]
    assert [made.decided or pairs[key] in (30, 60) for made, key in zip(claims, pairs, strict=True)] == [True] * 3
    assert claims[0].winner == "rules"
    assert RULE.least_pairs <= pairs["random", "rules"] < 30
    assert alone.finished
    assert without_clock(alone) == without_clock(played(by_rule(), workers=2))


def test_pairings_that_are_decided_one_by_one_resume_to_the_same_results() -> None:
    wanted = by_rule()
    with Store.in_memory() as store:
        run = store.begin(wanted)
        with pytest.raises(KeyboardInterrupt):
            Running(wanted, store, run, _Interrupted()).play()
        assert not load(store, run).finished
        Running(wanted, store, run, InProcess()).play()
        assert without_clock(load(store, run)) == without_clock(played(wanted))
        batches: list[Any] = []
        Running(wanted, store, run, InProcess(), on_pairs=batches.append).play()
        assert batches == []


def test_a_slow_agent_plays_fewer_pairs() -> None:
    wanted = tournament("random", "rules", "greedy", pairs=7, costs={"greedy": 3, "rules": 2})
    assert [wanted.most(pairing) for pairing in wanted.pairings] == [3, 2, 2]
    assert played(wanted).matches == 2 * (3 + 2 + 2) == wanted.weight


def test_no_process_is_left_when_an_executor_ends() -> None:
    with open_executor(2) as executor:
        workers = {executor.submit(Job(os.getpid)).result() for _ in range(4)}
    for worker in workers:
        assert not Path(f"/proc/{worker}").exists()
