"""Verdicts follow from published rows and shipped runs: repeats count once, and trainings differ from each other."""

from __future__ import annotations

import importlib
import shutil
from pathlib import Path
from typing import Any

import pytest

from inarow.reproductions import distributions
from inarow.reproductions.assessment import (
    REPORTS,
    Assessed,
    PublishedRow,
    RowStatus,
    assess,
    assessed,
    decomposed,
    judged_rows,
    mean_p,
    one_more_run,
    student_p,
)
from inarow.reproductions.distributions import DataError, ProgramRun, Sample, published, shipped_runs
from inarow.reproductions.r4.study import ORDERS, can_draw, draw_chance


def sample(*counts: tuple[int, int, int], independent: bool = False, lines: int = 9) -> Sample:
    return Sample("key", "by hand", [ProgramRun(one, plies=10 * sum(one), lines=lines) for one in counts], independent)


def row(theirs: tuple[int, int, int], ours: Sample, **more: Any) -> PublishedRow:
    return PublishedRow("row", ("a row",), "as printed", sum(theirs), [theirs], readings={"": ours}, **more)


def verdict_of(one: PublishedRow) -> RowStatus:
    return assess([one])[0].verdict


def test_a_row_within_the_spread_of_runs_is_consistent_and_one_far_outside_is_not() -> None:
    runs = sample(*[(40 + n, 0, 60 - n) for n in range(20)])
    assert verdict_of(row((48, 0, 52), runs)) is RowStatus.CONSISTENT
    assert verdict_of(row((99, 0, 1), runs)) is RowStatus.IMPOSSIBLE
    for unknown in ({"open": "a setting"}, {"assumed": "a setting"}):
        assert verdict_of(row((99, 0, 1), runs, **unknown)) is RowStatus.NOT_REPRODUCED
    assert verdict_of(row((99, 0, 1), runs, proof="because")) is RowStatus.IMPOSSIBLE


def test_few_runs_prove_nothing_impossible() -> None:
    assert verdict_of(row((99, 0, 1), sample(*[(40 + n, 0, 60 - n) for n in range(19)]))) is RowStatus.NOT_REPRODUCED


def test_a_consistent_value_outside_all_runs_says_so() -> None:
    runs = sample(*[(64 + n, 0, 36 - n) for n in range(25)])
    (one,) = assess([row((90, 0, 10), runs, stated=(0,))])
    assert (one.verdict, one.note) == (RowStatus.CONSISTENT, "outside all runs: wins 90 %, the runs gave 64 to 88")
    assert not assess([row((80, 0, 20), runs)])[0].note
    assert not assess([row((10, 0, 0), runs)])[0].note  # ten games scatter more than the hundred of a run


def test_a_tie_may_be_counted_for_the_second_player() -> None:
    runs = sample(*[(40, 10, 50)] * 20)
    assert verdict_of(row((40, 0, 60), runs)) is not RowStatus.CONSISTENT
    assert verdict_of(row((40, 0, 60), runs, ties_to_second=True)) is RowStatus.CONSISTENT


def test_copies_of_one_game_count_once() -> None:
    """Nine of twenty tables always draw, the others always lose: a hundred draws are one more such table."""
    runs = sample(*[(0, 100, 0)] * 9, *[(0, 0, 100)] * 11, lines=1)
    assert verdict_of(row((0, 100, 0), runs)) is RowStatus.CONSISTENT
    always = sample(*[(0, 100, 0)] * 20, lines=1)
    assert verdict_of(row((0, 100, 0), always)) is RowStatus.EXACT


def test_runs_that_differ_by_more_than_their_games_allow_more() -> None:
    spread = [(30, 100), (40, 100), (50, 100), (60, 100), (70, 100)] * 4
    alike = [(50, 100)] * 20
    assert one_more_run(70, 100, spread) > 0.1
    assert one_more_run(70, 100, alike) < 0.001
    assert one_more_run(70, 100, spread, independent=True) < 0.001
    assert one_more_run(70, 100, spread, careful=True) > one_more_run(70, 100, spread)
    assert one_more_run(0, 100, [(0, 100)] * 20) == pytest.approx(1)
    assert one_more_run(2, 100, [(0, 100)] * 20) > 1e-4  # a share of 0 in 2,000 games is not known to be 0
    assert one_more_run(1, 1, [(1, 1)] * 10 + [(0, 1)] * 30) == pytest.approx(10.5 / 41, abs=1e-5)


def test_students_distribution() -> None:
    assert student_p(2.093, 19) == pytest.approx(0.05, abs=1e-4)
    assert student_p(0, 19) == pytest.approx(1)
    assert mean_p(10.02, 0.05, 10, [(10.0, 10), (10.0, 10)]) == 1
    assert mean_p(11.0, 0.05, 10, [(10.0, 10), (10.0, 10)]) == 0


@pytest.mark.parametrize(
    ("total", "values", "said"),
    [
        (86_940, (8_610, 8_778), "5 × 8,610 + 5 × 8,778"),
        (10_331, (946, 1_033, 1_068), "2 × 946 + 3 × 1,033 + 5 × 1,068"),
        (565_620, (56_490, 56_730), "7 × 56,490 + 3 × 56,730"),
        (86_941, (8_610, 8_778), ""),
        (100, (), ""),
        (100, tuple(range(6)), ""),
    ],
)
def test_a_total_is_a_sum_of_games_or_not(total: int, values: tuple[int, ...], said: str) -> None:
    assert decomposed(total, 10, values) == said


def test_an_exact_sum_of_games_states_the_chance_of_a_false_hit() -> None:
    """Three of the seven integers within two standard deviations of the mean are sums of two games."""
    runs = [ProgramRun((2, 0, 0), nodes=total, lines=2, totals=(1, 3)) for total in (2, 4, 4, 6)]
    total = PublishedRow("row", ("a row",), "4", 2, total=4, readings={"": Sample("key", "", runs, True)})
    (one,) = assess([total])
    assert one.verdict is RowStatus.EXACT
    assert one.note.startswith("1 × 1 + 1 × 3; chance of a false hit 42.9 %")


@pytest.fixture(scope="module")
def verdicts() -> dict[str, Assessed]:
    return {f"{report} {one.row.key}": one for report in REPORTS for one in assessed(report)}


EXACT = {
    "r1 tictactoe Minimax no pruning depth 5, seat 2, states", "r1 tictactoe Minimax pruning depth 5, seat 2, states",
    "r1 tictactoe Minimax pruning depth 5, seat 1, states", "r1 tictactoe Minimax pruning full, seat 2, states",
    "r1 tictactoe Minimax no pruning full, seat 2, states", "r1 connect4 Q-learning – Minimax",
    "r1 connect4 Q-learning – Minimax, states", "r1 connect4 Minimax – Q-learning",
    "r1 connect4 Minimax – Q-learning, states", "r3 tictactoe Minimax – Minimax", "r3 connect4 Minimax – Minimax",
    "r5 alpha-beta, depth 5 – MCTS, 8 s", "r5 human – alpha-beta, depth 5", "r5 one-ply – one-ply",
}  # fmt: skip


def test_the_exact_rows(verdicts: dict[str, Assessed]) -> None:
    assert {key for key, one in verdicts.items() if one.verdict is RowStatus.EXACT} == EXACT


def test_rows_that_other_trainings_give_are_consistent(verdicts: dict[str, Assessed]) -> None:
    for key in (
        "tictactoe Minimax – Q-learning",
        "tictactoe Q-learning – Q-learning",
        "connect4 Q-learning – Q-learning",
    ):
        assert verdicts[f"r3 {key}"].verdict is RowStatus.CONSISTENT
    drawn = shipped_runs("r3")["tictactoe, 10,000 games a seat / Minimax – Q-learning"]
    assert sum(run.counts[1] == run.games for run in drawn.runs) == 9
    assert verdicts["r2 tictactoe 15"].verdict is not RowStatus.IMPOSSIBLE


def test_counts_that_the_printed_search_does_not_have_are_impossible(verdicts: dict[str, Assessed]) -> None:
    for limit in range(1, 6):
        one = verdicts[f"r4 limit {limit} no pruning"]
        assert one.verdict is RowStatus.IMPOSSIBLE
        assert f"{7**limit:,} leaves of a corrected search" in one.note
    assert verdicts["r4 3 Minimax vs Q-learning"].verdict is RowStatus.NOT_REPRODUCED


def test_rows_with_an_unstated_setting_are_not_called_impossible(verdicts: dict[str, Assessed]) -> None:
    """R4's default opponent, the seat and its Connect 4 pruning are not stated."""
    for key in (
        "6 Minimax vs default",
        "6 Minimax-AB vs default",
        "7 Minimax vs Minimax-AB",
        "connect4 Minimax-AB nodes",
    ):
        assert verdicts[f"r4 {key}"].verdict is RowStatus.NOT_REPRODUCED
    impossible = [one.row for one in verdicts.values() if one.verdict is RowStatus.IMPOSSIBLE]
    assert impossible
    assert not [row.key for row in impossible if row.open or row.assumed]


def test_published_outcomes_are_in_the_order_of_the_runs(verdicts: dict[str, Assessed]) -> None:
    """Wins, draws, losses: every published row with three outcomes reads as its counts do."""
    rows = [one.row for one in verdicts.values() if one.row.counts and one.row.published.count(" / ") == 2]
    assert {row.key for row in rows} >= {"connect4 Q-learning – Q-learning", "tictactoe 15", "2 Q-learning vs default"}
    for row in rows:
        parts = row.published.split(" / ")
        ends = row.counts[0], row.counts[-1]
        for place in row.stated:
            shown = [round(counts[place] * 100 / row.games) for counts in ends], [counts[place] for counts in ends]
            assert [int(part) for part in (parts[place].split("-") * 2)[:2]] in shown, row.key


def test_r2_s_connect4_rows_are_read_with_no_ties_as_published() -> None:
    rows = [row for row in judged_rows({"r2": assessed("r2")}).texts() if row[1].startswith("connect4")]
    assert len(rows) == 15
    assert all(" / 0 / " in published and " / 0 / " in runs for _, _, published, runs, *_ in rows)


def test_the_legible_moves_of_the_logs_are_compared(verdicts: dict[str, Assessed]) -> None:
    assert list(verdicts["r5 human – alpha-beta, depth 5"].row.columns) == [3, 3, 3, 2]
    log = verdicts["r5 human – MCTS, 2 s"]
    assert (log.verdict, list(log.row.columns)) == (RowStatus.NOT_COMPARABLE, [0, 3, 1, 4, 4, 2])
    assert len(log.runs) == 120


def test_a_draw_of_r4s_search_against_itself_is_impossible_in_any_order() -> None:
    assert not can_draw()
    assert draw_chance(ORDERS["row by row"]) == pytest.approx(1 / 192)  # so 99.48 % are won


def test_learners_are_distributions_over_many_trainings() -> None:
    for report in REPORTS:
        for key, one in shipped_runs(report).items():
            if one.runs[0].games:
                assert len(one.runs) >= (10 if report == "r2" and key.startswith("connect4 minimax") else 20), (
                    report,
                    key,
                )


@pytest.mark.parametrize("case", [("r1", "tictactoe"), ("r2", "tictactoe baseline – learner, fresh for each batch")])
def test_shipped_runs_are_what_their_command_gives(case: tuple[str, str]) -> None:
    report, key = case
    sources = importlib.import_module(f"inarow.reproductions.{report}.study").SOURCES
    source = next(source for source in sources if source.key == key)
    for name, run in source.run(3).items():
        made = ProgramRun(**{**run, "counts": tuple(run["counts"])})
        assert made == shipped_runs(report)[f"{key} / {name}"].runs[3]


@pytest.mark.parametrize("name", ["stated.csv", "runs.json"])
def test_a_file_edited_by_hand_is_refused_in_one_sentence(
    name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    shutil.copytree(distributions.FOLDER / "r3" / "published", tmp_path / "r3" / "published")
    file = tmp_path / "r3" / "published" / name
    file.write_text(file.read_text(encoding="utf-8").replace("60", "61", 1), encoding="utf-8")
    monkeypatch.setattr(distributions, "FOLDER", tmp_path)
    published.cache_clear()
    shipped_runs.cache_clear()
    with pytest.raises(DataError, match=f"{name} has been modified .*; restore it"):
        shipped_runs("r3") if name == "runs.json" else published("r3_stated")
    published.cache_clear()
    shipped_runs.cache_clear()
