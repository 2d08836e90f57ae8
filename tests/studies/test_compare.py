"""What the comparison says follows from its results: spreads between tables, complements, every reply, budgets."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from inarow.match.series import Tally
from inarow.rules import CONNECT4, FIRST, SECOND, TICTACTOE, Position
from inarow.solver import Verdict
from inarow.stats import Interval
from inarow.studies.compare import exhibits
from inarow.studies.compare.findings import _constants_verdict
from inarow.studies.compare.lineup import ABLATED, SEARCHERS, WITH_TABLE, shipped_counts, table_label
from inarow.studies.compare.measuring import play_out
from inarow.studies.compare.results import Pool, _taken_together, per_doubling, play_of, stored_training
from inarow.truth import SolvedPositions


def met(name: str, other: str, won: int, lost: int) -> tuple[Tally, Tally]:
    """The tallies of two players after pairs that one of them won both matches of."""
    sides = Tally(name), Tally(other)
    for side, wins, losses in ((sides[0], won, lost), (sides[1], lost, won)):
        side.count(1.0, 2 * wins)
        side.count(0.0, 2 * losses)
        side.pairs.update({(1.0, 1.0): wins, (0.0, 0.0): losses})
        for index in range(won + lost):
            side.count_opening(index, 2, 2.0 if index < wins else 0.0)
    return sides


def pool(*series: tuple[str, str, int, int]) -> Pool:
    made = Pool(CONNECT4, ())
    made.series = {frozenset(row[:2]): _taken_together(CONNECT4, [met(*row)]) for row in series}
    return made


def test_the_interval_of_several_tables_includes_their_spread() -> None:
    alike = [met(table_label(run), "rules", 10, 10) for run in range(5)]
    unlike = [met(table_label(run), "rules", won, 20 - won) for run, won in enumerate((20, 20, 10, 0, 0))]
    narrow, wide = (_taken_together(CONNECT4, rows).score for rows in (alike, unlike))
    assert narrow is not None
    assert wide is not None
    assert narrow.estimate == wide.estimate == 0.5
    assert wide.high - wide.low > 1.5 * (narrow.high - narrow.low)


def test_the_two_scores_of_a_pairing_add_up_to_100() -> None:
    made = exhibits.cross(pool(("a", "b", 107, 93), ("a", "c", 201, 1), ("b", "c", 13, 3)), ["c", "b", "a"], "key", {})
    order = [str(row[0]) for row in made.rows]
    for i, row in enumerate(made.rows):
        for j in range(len(order)):
            if i != j:
                assert float(row[1 + j]) + float(made.rows[j][1 + i]) == pytest.approx(100)  # type: ignore[arg-type]


def test_elo_is_rough_only_where_random_never_scores() -> None:
    swept, scoring = pool(("a", "random", 20, 0)), pool(("a", "random", 18, 2))
    assert "never scores" in exhibits.cross(swept, ["a", "random"], "key", swept.elo("random")).notes[0]
    assert "never scores" not in exhibits.cross(scoring, ["a", "random"], "key", scoring.elo("random")).notes[0]


@pytest.mark.parametrize(
    ("usual", "other", "said"),
    [
        ((0.55, 0.51, 0.6), (0.56, 0.46, 0.65), "at least 55 % with each of these constants; for c = 2.8 the interval"),
        ((0.55, 0.51, 0.6), (0.62, 0.55, 0.7), "at least 55 % with each of these constants."),
        ((0.55, 0.51, 0.6), (0.4, 0.3, 0.52), "c = 2.8 gives another answer"),
        ((0.52, 0.45, 0.6), (0.4, 0.3, 0.48), "c = 2.8 gives another answer"),
        ((0.52, 0.45, 0.6), (0.48, 0.4, 0.55), ""),
    ],
)
def test_a_constant_gives_another_answer_only_if_the_winner_reverses(
    usual: tuple[float, float, float], other: tuple[float, float, float], said: str
) -> None:
    verdict = _constants_verdict(Interval(*usual), {"2.8": Interval(*other)})
    assert said in verdict if said else verdict == ""
    assert ("another answer" in verdict) == ("another answer" in said)


def test_players_that_are_not_told_apart_share_a_tier() -> None:
    results = pool(("a", "b", 11, 9), ("a", "c", 38, 2), ("b", "c", 37, 3))
    assert results.tiers(["c", "b", "a"]) == [["a", "b"], ["c"]]
    assert results.tiers(["c", "b"]) == [["b"], ["c"]]


def test_every_reply_is_played_out_and_points_against_random_are_exact() -> None:
    solved = SolvedPositions(TICTACTOE)

    def perfect(position: Position) -> int:
        scores = solved.scores(position) or {}
        return max(scores, key=lambda move: (Verdict.of(scores[move]), -move))

    for seat in (FIRST, SECOND):
        lines = play_out(TICTACTOE, seat, perfect)
        assert lines.losses == 0
        assert 0.8 < lines.points < 1
    first_free = play_out(TICTACTOE, SECOND, lambda position: position.legal_moves()[0])
    assert first_free.losses > 0
    illegal = play_out(TICTACTOE, FIRST, lambda position: -1)
    assert (illegal.losses, illegal.points) == (1, 0)


def test_a_doubling_is_worth_the_elo_of_the_score_by_the_number_of_doublings() -> None:
    worth = per_doubling(Interval(10 / 11, 0.5, 1), 4)
    assert worth.estimate == pytest.approx(200)
    assert worth.low == 0
    assert worth.high < 1000, "a score of 100 % is no infinite Elo"


def test_counts_ship_for_every_searcher_and_grow_with_the_time() -> None:
    calibration = shipped_counts()
    assert (Path(__file__).parents[2] / calibration["command"].removeprefix("python ")).is_file()
    for one in (*SEARCHERS, WITH_TABLE):
        counts = list(calibration["counts"][one.key].values())
        assert counts == sorted(counts)
        assert len(counts) == 4
    assert all("3ms" in calibration["counts"][one.key] for one in ABLATED)


def test_the_stored_trainings_know_less_of_their_positions_move_by_move() -> None:
    run = stored_training()
    assert (Path(__file__).parents[2] / run["command"].removeprefix("python ")).is_file()
    for training in run["trainings"]:
        play = play_of([training["play"]])
        assert play is not None
        known = [share.estimate for move in range(1, 9) if (share := play.known(move)) is not None]
        assert known[0] == 1
        assert known == sorted(known, reverse=True)


def test_the_page_in_the_docs_is_that_of_the_shipped_counts_and_trainings() -> None:
    """Fails if the counts or the stored trainings change and the page was not made again."""
    page = (Path(__file__).parents[2] / "docs" / "studies" / "compare.md").read_text(encoding="utf-8")
    stated = re.search(r"alpha–beta \| 3 ms \| ([\d,]+) nodes", page)
    assert stated is not None
    assert int(stated[1].replace(",", "")) == shipped_counts()["counts"]["alphabeta"]["3ms"]
    longest = stored_training()["trainings"][-1]
    assert f"| {longest['episodes']:,} | {longest['rows']:,}" in page
