"""A series counts honestly: pairs with seats swapped, intervals, and how many playings were distinct."""

from __future__ import annotations

import random

import pytest

from inarow.agents import Agent, Mind, agent
from inarow.agents.simple import Random
from inarow.match import OpeningError, Pair, Series, draw_openings, parse_openings, play_series
from inarow.match.series import match_seed
from inarow.rules import CONNECT4, FIRST, SECOND, TICTACTOE, Game, Player, Position, game
from match.test_playing import LOWEST, Scripted

TWO_PLIES = parse_openings(CONNECT4, "random:2")


def series(board: Game, a: Agent, b: Agent, games: int, **options: object) -> tuple[Series, list[Pair]]:
    made = Series(board, a, b)
    pairs = list(play_series(board, a, b, matches=games, **options))  # type: ignore[arg-type]
    for pair in pairs:
        made.add(pair)
    return made, pairs


def test_each_pair_is_one_opening_with_seats_swapped() -> None:
    made, pairs = series(CONNECT4, agent("random"), agent("rules"), 20, openings=parse_openings(CONNECT4, "random:3"))
    assert made.matches == 20
    for pair in pairs:
        assert pair.swapped is not None
        assert pair.straight.opening == pair.swapped.opening
        assert (pair.straight.first, pair.straight.second) == ("random", "rules")
        assert (pair.swapped.first, pair.swapped.second) == ("rules", "random")
        assert pair.straight.seed != pair.swapped.seed
    assert len({pair.straight.opening for pair in pairs}) == 10


def test_the_matches_do_not_depend_on_what_an_agent_is_called() -> None:
    class Renamed(Random):
        name = "renamed"

    def moves(board: Game, player: Agent) -> list[tuple[int, ...]]:
        return [r.moves for pair in play_series(board, player, agent("rules"), matches=6) for r, _ in pair.matches()]

    assert moves(CONNECT4, Renamed()) == moves(CONNECT4, agent("random"))
    assert match_seed(0, CONNECT4, 0, False) != match_seed(0, game("7x7x4"), 0, False)


def test_two_equal_random_agents_do_not_mirror_each_other() -> None:
    _, pairs = series(CONNECT4, agent("random"), agent("random"), 40)
    assert len({record.moves for pair in pairs for record, _ in pair.matches()}) == 40
    assert all(record.moves[:6:2] != record.moves[1:6:2] for pair in pairs[:3] for record, _ in pair.matches())


def test_both_agents_tallies_mirror_each_other() -> None:
    made, pairs = series(TICTACTOE, agent("random"), agent("rules"), 100, seed=1)
    a, b = made.sides
    assert (a.as_first.wins, a.as_first.draws, a.as_first.losses) == (
        b.as_second.losses,
        b.as_second.draws,
        b.as_second.wins,
    )
    assert a.matches == b.matches == 100
    wins = sum(r.outcome.winner is seat for p in pairs for r, seat in p.matches() if r.outcome)
    assert a.wins == wins
    score = a.score
    assert score is not None
    assert score.estimate == pytest.approx((a.wins + a.draws / 2) / 100)
    assert score.low < score.estimate < score.high
    assert a.moves + b.moves == made.plies
    assert sum(made.terminations.values()) == 100


def test_an_odd_number_of_matches_ends_with_half_a_pair() -> None:
    made, pairs = series(CONNECT4, agent("random"), agent("random"), 5)
    assert made.matches == 5
    assert pairs[-1].swapped is None
    assert made.pair_scores.total() == 2


@pytest.mark.parametrize(
    ("rows", "score"),
    [
        ([(1.0, 0.0), (1.0,)], 2 / 3),  # 2 / 0 / 1
        ([(1.0, 0.0)] * 5 + [(1.0,)], 6 / 11),
        ([(1.0,), (0.5,), (0.0,), (1.0,)], 5 / 8),
    ],
)
def test_a_score_is_points_per_match_whatever_the_number_of_matches(
    rows: list[tuple[float, ...]], score: float
) -> None:
    made = Series(CONNECT4, "a", "b")
    for row in rows:
        made.count_pairs(row)
    mine, theirs = made.score, made.sides[1].score
    assert mine is not None
    assert theirs is not None
    assert mine.estimate == pytest.approx(score)
    assert theirs.estimate == pytest.approx(1 - score)
    assert made.to_json()["score"]["estimate"] == round(score, 6)
    assert made.to_json()["win_rate"]["estimate"] == round(made.wins / made.matches, 6)
    assert mine.low < score < mine.high


def test_a_match_on_its_own_narrows_an_interval() -> None:
    even, odd = Series(CONNECT4, "a", "b"), Series(CONNECT4, "a", "b")
    for one in (even, odd):
        one.count_pairs((1.0, 0.0), 20)
    odd.count_pairs((0.5,))
    before, after = even.sides[0].score, odd.sides[0].score
    assert before is not None
    assert after is not None
    assert after.high - after.low < before.high - before.low


def test_seats_can_be_kept() -> None:
    made, _ = series(CONNECT4, agent("random"), agent("rules"), 6, swap=False)
    assert made.as_first.matches == 6
    assert made.as_second.matches == 0
    assert made.as_second.win_rate is None


ALL_2 = parse_openings(TICTACTOE, "all:2")


def test_a_pairing_without_randomness_plays_and_counts_each_opening_once() -> None:
    made, pairs = series(TICTACTOE, agent("alphabeta"), agent("alphabeta:depth=2"), 500, openings=ALL_2)
    assert made.matches == 2 * len(pairs) == 2 * len(ALL_2.lines)
    assert made.repeats.settled == len(ALL_2.lines)
    again, _ = series(TICTACTOE, agent("alphabeta"), agent("alphabeta:depth=2"), 2 * len(ALL_2.lines), openings=ALL_2)
    assert again.sides[0].score == made.score


def test_randomness_of_one_agent_in_some_positions_is_enough_to_play_on() -> None:
    made, pairs = series(TICTACTOE, agent("alphabeta:depth=2,ties=random"), agent("alphabeta"), 40)
    assert len(pairs) == 20
    assert made.matches == 40


def test_an_agent_of_unknown_kind_is_taken_to_be_deterministic_after_five_repeats() -> None:
    made, pairs = series(TICTACTOE, LOWEST, LOWEST, 100)
    assert (len(pairs), made.matches, made.repeated, made.distinct) == (6, 2, 5, 2)


def test_an_agent_of_unknown_kind_whose_moves_vary_has_all_pairs_counted() -> None:
    draws = random.Random(1)
    wild = Scripted(lambda position: draws.choice(position.legal_moves()))
    made, pairs = series(TICTACTOE, wild, LOWEST, 400)
    assert len(pairs) == 200
    assert made.matches + 2 * made.repeated == 400
    assert made.repeated <= 2
    assert made.distinct < made.matches  # coinciding random games are separate observations


def test_an_agent_that_wraps_one_of_ours_may_have_randomness_of_its_own() -> None:
    draws = random.Random(1)

    class Wrapper(Scripted):
        def mind(self, game: Game, player: Player, seed: int) -> Mind:
            agent("alphabeta").mind(game, player, seed)
            return super().mind(game, player, seed)

    made, _ = series(TICTACTOE, Wrapper(lambda position: draws.choice(position.legal_moves())), LOWEST, 40)
    assert made.matches >= 38


def test_random_agents_are_counted_without_bias() -> None:
    """The first player of two random ones on Tic Tac Toe: 58.5 % wins, 12.7 % draws."""
    made, _ = series(TICTACTOE, agent("random"), agent("random"), 4000, swap=False, seed=0)
    score = made.score
    assert made.matches == 4000 > made.distinct
    assert score is not None
    assert score.covers(0.5849 + 0.1270 / 2)
    assert score.high - score.low < 0.04


def test_repeated_openings_widen_an_interval_if_they_decide_the_score() -> None:
    """Twenty openings, each played ten times; the score depends on the opening only, or not on it at all."""
    alike, mixed = Series(TICTACTOE, "a", "b"), Series(TICTACTOE, "a", "b")
    for index in range(200):
        points = (1.0, 1.0) if index % 20 < 12 else (0.0, 0.0)
        alike.read(index % 20, True, index, points)
        mixed.read((index * 7 + index // 20) % 20, True, index, points)
    wide, narrow = (one.sides[0].score for one in (alike, mixed))
    assert wide is not None
    assert narrow is not None
    assert wide.estimate == narrow.estimate == pytest.approx(0.6)
    assert wide.high - wide.low > 2 * (narrow.high - narrow.low)
    assert wide.covers(0.5)
    assert not narrow.covers(0.5)


def test_faults_are_counted_and_named() -> None:
    bad = Scripted(lambda position: 99)
    made, _ = series(CONNECT4, LOWEST, bad, 4, openings=TWO_PLIES)
    assert made.opponent.lost_by == {"illegal move": 4}
    assert made.wins == 4
    assert made.faults[0].startswith("scripted")
    assert "move 99 is out of range" in made.faults[0]
    assert made.failed == 4
    said = "4 matches ended by a fault"
    assert f"0 / 0 / 4; {said}: {made.faults[0]}>" in repr(series(CONNECT4, bad, LOWEST, 4, openings=TWO_PLIES)[0])
    assert f"<div>{said}</div><div>scripted" in made._repr_html_()


def test_effort_counts_the_decisions_of_each_seat() -> None:
    made, pairs = series(CONNECT4, LOWEST, agent("random"), 2, openings=parse_openings(CONNECT4, "moves:4"))
    straight, swapped = pairs[0].straight, pairs[0].swapped
    assert swapped is not None
    mine = sum(straight.mover(i) is FIRST for i in range(len(straight.moves)))
    mine += sum(swapped.mover(i) is SECOND for i in range(len(swapped.moves)))
    assert made.moves == mine
    assert made.nodes == 3 * mine
    assert made.nodes_per_move == 3
    assert made.sides[1].nodes == 0
    effort = made
    assert effort.least is not None
    assert effort.most is not None
    assert effort.least <= effort.seconds_per_move <= effort.most


def test_openings_are_distinct_while_others_are_left() -> None:
    board = game("tictactoe")
    drawn = draw_openings(board, 1, 18, seed=3)
    assert sorted(drawn[:9]) == sorted(drawn[9:]) == [(cell,) for cell in range(9)]
    deep = draw_openings(CONNECT4, 4, 300, seed=1)
    assert len({Position.start(CONNECT4, line).key() for line in deep}) == 300
    assert all(Position.start(CONNECT4, line).outcome() is None for line in deep)
    assert draw_openings(CONNECT4, 4, 300, seed=1) == deep
    assert draw_openings(CONNECT4, 4, 300, seed=2) != deep


@pytest.mark.parametrize(("plies", "reason"), [(9, "give 0 to 8"), (-1, "give 0 to 8")])
def test_openings_that_can_not_be_are_refused(plies: int, reason: str) -> None:
    with pytest.raises(OpeningError, match=reason):
        draw_openings(TICTACTOE, plies, 3, seed=1)


def test_a_board_on_which_every_line_ends_has_no_opening() -> None:
    with pytest.raises(OpeningError, match="leaves the match undecided; give fewer plies"):
        draw_openings(game("2x2x2-free"), 3, 1, seed=1)
