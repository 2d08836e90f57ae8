"""The players of the five reports play as the printed programs do, to the node and the move.

The data are what running the reports' printed algorithms gives; ``twins`` has the searches once more.
"""

from __future__ import annotations

import csv
from collections import Counter
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from inarow.agents import AgentError, Decision, Limit, agent
from inarow.match import Termination, play_match
from inarow.randomness import Stream
from inarow.reproductions.r5.program import ALPHABETA, MCTS, R5Mcts, TreeMind, drop, play_as_printed
from inarow.rules import FIRST, SECOND, Game, Position, game
from reproductions.twins import PROGRAMS, board_after, program

DATA = Path(__file__).parent / "data"


def rows(name: str) -> list[dict[str, str]]:
    with (DATA / name).open(encoding="utf-8", newline="") as file:
        return list(csv.DictReader(file))


def numbers(text: str) -> list[int]:
    return [int(word) for word in text.split()]


def unit(spec: str) -> int:
    """Return the points in one unit of the report's evaluation."""
    return 10 if spec.startswith("r4") else 1


def decide(spec: str, a_game: Game, moves: list[int], seed: int = 0) -> Decision:
    position = Position.start(a_game, moves)
    return agent(spec).start(a_game, position.to_move, seed).decide(position)


@pytest.mark.parametrize("row", rows("searches.csv"), ids=lambda row: f"{row['agent']} {row['moves']}")
def test_a_search_visits_and_plays_what_the_program_does(row: dict[str, str]) -> None:
    decision = decide(row["agent"], game(row["game"]), numbers(row["moves"]))
    assert decision.nodes == int(row["nodes"])
    if row["plays"]:
        assert decision.move in numbers(row["plays"])
    if " " in row["plays"]:
        assert [move - 1 for move in decision.details["best"]] == numbers(row["plays"])
    if row["points"]:
        assert decision.points == round(unit(row["agent"]) * float(row["points"]))


@pytest.mark.parametrize("row", rows("matches.csv"), ids=lambda row: f"{row['first']} {row['second']}")
def test_a_match_goes_as_between_the_programs(row: dict[str, str]) -> None:
    record = play_match(game(row["game"]), agent(row["first"]), agent(row["second"]))
    assert list(record.moves) == numbers(row["moves"])
    assert record.outcome is not None
    winner = record.outcome.winner
    assert ("draw" if winner is None else winner.name.lower()) == row["winner"]


@pytest.mark.parametrize("depth", [4, 6])
def test_r3_draws_against_itself_at_other_depths(depth: int) -> None:
    player = agent(f"r3-minimax:depth={depth}")
    record = play_match(game("connect4"), player, player)
    assert (record.termination, len(record.moves)) == (Termination.FULL_BOARD, 42)


@pytest.mark.parametrize(
    ("first", "second", "seeds", "per_match", "published"),
    [
        ("rules", "r1-minimax:depth=5,pruning=off", 20, (8610, 8778), (86940, (5, 5))),
        ("rules", "r1-minimax:depth=5", 30, (946, 1033, 1068), (10331, (2, 3, 5))),
        ("r1-minimax:depth=5", "rules", 30, (3377, 3523, 3594, 3840), (36494, (1, 3, 2, 4))),
        ("rules", "r1-minimax", 30, (2472, 2580, 2638), (25484, (4, 4, 2))),
        ("rules", "r1-minimax:pruning=off", 12, (56490, 56730), (565620, (7, 3))),
        ("r1-minimax", "rules", 10, (19212,), (192120, (10,))),
    ],
)
def test_the_totals_of_r1_are_sums_of_its_programs_matches(
    first: str, second: str, seeds: int, per_match: tuple[int, ...], published: tuple[int, tuple[int, ...]]
) -> None:
    a, b = (agent("r1-default" if spec == "rules" else spec) for spec in (first, second))
    records = [play_match(game("tictactoe"), a, b, seed=seed) for seed in range(seeds)]
    assert {sum(record.nodes) for record in records} == set(per_match)
    assert {record.termination for record in records} == {Termination.FULL_BOARD}
    total, times = published
    assert sum(n * states for n, states in zip(times, per_match, strict=True)) == total
    assert sum(times) == 10


@pytest.mark.parametrize(
    ("seat", "moves", "states"),
    [(0, "3 3 3 3 1 3 2 0 4", 13185), (1, "3 3 3 3 3 3 4 2 5 6 4 4 5 4 5 5", 22128)],
)
def test_r1_plays_its_part_of_the_matches_with_the_learner(seat: int, moves: str, states: int) -> None:
    played = numbers(moves)
    total = 0
    for ply in range(seat, len(played), 2):
        decision = decide("r1-minimax:depth=5", game("connect4"), played[:ply])
        assert decision.move == played[ply]
        total += decision.nodes
    assert total == states
    assert Position.start(game("connect4"), played).outcome() is not None


@pytest.mark.parametrize(
    ("moves", "calls"),
    [("", 10967), ("0", 1409), ("1", 2099), ("2", 2214), ("3", 1717), ("4", 1343), ("6", 1933), ("8", 2335)],
)
def test_r3_calls_its_search_for_every_position_that_goes_on(moves: str, calls: int) -> None:
    decision = decide("r3-minimax", game("tictactoe"), numbers(moves))
    assert decision.nodes - decision.details["leaves"] + 1 == calls
    if not moves:
        plain = decide("r3-minimax:pruning=off", game("tictactoe"), [])
        assert plain.nodes - plain.details["leaves"] + 1 == 294778


def test_a_limit_in_nodes_does_not_change_which_of_equal_moves_is_played() -> None:
    for spec in ("r1-minimax:depth=5", "r3-minimax", "r3-minimax:depth=4,pruning=off"):
        for moves in ([3, 3], [3, 3, 3, 3, 2], [0, 0, 6, 6]):
            position = Position.start(game("connect4"), moves)
            mind = agent(spec).start(position.game, position.to_move, 0)
            assert mind.decide(position, Limit(nodes=10**6)).move == mind.decide(position).move


def test_r5_answers_a_person_as_its_log_shows() -> None:
    moves: list[int] = []
    for column in (4, 5, 2):
        moves.append(column)
        moves.append(decide("r5-alphabeta-human", game("connect4"), moves).move)
    assert moves[1::2] == [3, 3, 3]


@settings(max_examples=60)
@given(
    which=st.sampled_from(sorted(PROGRAMS)),
    choices=st.lists(st.integers(0, 999), max_size=41),
    depth=st.integers(1, 3),
    letter=st.sampled_from("XO"),
)
def test_players_and_programs_agree_everywhere(
    which: tuple[str, str], choices: list[int], depth: int, letter: str
) -> None:
    name, report = which
    played: list[int] = []
    position = Position.start(game(name))
    for number in choices:
        after = position.play(position.legal_moves()[number % len(position.legal_moves())])
        if after.outcome() is not None:
            break
        played.append(position.legal_moves()[number % len(position.legal_moves())])
        position = after
    if name == "tictactoe":
        depth = depth if report == "r1" else 9
        if report != "r1" and len(played) < 4:
            return
    falls = name == "connect4"
    board, side = board_after(game(name).columns, game(name).rows, falls, played)
    decisions = []
    player = {"r5": "r5-alphabeta-human", "r5-match": "r5-alphabeta"}.get(report, f"{report}-minimax")
    for prunes in (True, False):
        twin = program(name, report, depth, prunes, side, letter if report == "r2" else side)
        found = twin.decide(board)
        given = f"depth={depth},pruning={'on' if prunes else 'off'}"
        given += f",letter={letter.lower()}" if report == "r2" else ""
        decision = decide(f"{player}:{given}", game(name), played)
        assert decision.nodes == found.nodes
        assert decision.points == round(unit(player) * found.value)
        if report == "r5-match":
            assert decision.move == (found.value if side == "X" else -found.value)
        elif which == ("connect4", "r4"):
            assert [move - 1 for move in decision.details["best"]] == found.best
            assert decision.move in found.best
        else:
            assert decision.move == found.move
        decisions.append(decision)
    assert decisions[0].points == decisions[1].points
    if which != ("connect4", "r4"):
        assert decisions[0].move == decisions[1].move
    exact = decisions[0].by_move["points"]
    assert exact.items() <= decisions[1].by_move["points"].items(), "what a pruned search gives as exact is exact"


@pytest.mark.parametrize("fixed", [True, False])
def test_r5_credits_every_leaf_with_a_win(fixed: bool) -> None:
    mind = TreeMind(R5Mcts(simulations=5000, fixed=fixed), Stream(1))
    mind.decide(Position.start(game("connect4")))
    nodes = np.asarray(mind.nodes)[1 : mind.tree.used]
    credited = Counter(nodes["wins"][nodes["visits"] == 1].tolist())
    if fixed:
        assert 0.4 < credited[1] / (credited[0] + credited[1]) < 0.6
    else:
        assert set(credited) == {1}


def test_r5_in_its_matches_repeats_what_it_found_on_the_empty_board() -> None:
    mcts, alphabeta = agent("r5-mcts:told=off"), agent("r5-alphabeta")
    records = [play_match(game("connect4"), mcts, alphabeta, seed=seed) for seed in range(12)]
    for record in records:
        assert set(record.moves[1::2]) == {0}, "alpha–beta plays its score, 0, as a column"
        own = set(record.moves[::2])
        assert len(own) == 1
        ended = (Termination.ILLEGAL_MOVE, SECOND) if own == {0} else (Termination.LINE, FIRST)
        assert record.outcome is not None
        assert (record.termination, record.outcome.winner) == ended
    assert len({record.moves for record in records}) > 3, "its first move is as good as random"


def test_r5_searches_as_long_as_it_is_asked_to_and_keeps_its_tree_in_play() -> None:
    position = Position.start(game("connect4"))
    timed = TreeMind(R5Mcts(seconds=2), Stream(1))
    assert timed.agent.limit == Limit(seconds=2)
    mind = TreeMind(R5Mcts(simulations=300), Stream(1))
    first = mind.decide(position)
    reply = position.play(first.move).play(3)
    assert mind.decide(reply).details["simulations_kept"] > 0
    assert mind.decide(position.play(0).play(0).play(1).play(1)).details["simulations_kept"] == 0


def test_r5_fixed_takes_a_win_and_a_block() -> None:
    for fixed in ("r5-alphabeta:fixed=on", "r5-mcts:fixed=on", "r5-alphabeta-human"):
        assert decide(fixed, game("connect4"), [3, 0, 3, 0, 3, 0]).move == 3
        assert decide(fixed, game("connect4"), [3, 0, 3, 0, 3]).move == 3


def test_r5_matches_as_printed() -> None:
    assert play_as_printed(1) == ((), None)
    thirds = [play_as_printed(3, seed) for seed in range(5)]
    assert all(len(set(one.columns[::2])) == 1 and set(one.columns[1::2]) == {0} for one in thirds)
    assert {one.winner for one in thirds if one.columns[0] != 0} == {MCTS}
    seconds = [play_as_printed(2, seed) for seed in range(8)]
    assert sum(one.winner == ALPHABETA for one in seconds) > 3
    assert any(len(set(one.columns[::2])) > 1 for one in seconds)
    assert play_as_printed(4, 1, depth=3).winner is not None


def test_r5_a_disc_in_a_full_column_overwrites_the_one_on_top_and_minus_one_is_the_last_column() -> None:
    stones = [0, 0]
    for turn in range(6):
        drop(stones, turn % 2, 0)
    assert stones == [0b010101, 0b101010]
    drop(stones, 0, 0)
    assert stones == [0b110101, 0b001010]
    drop(stones, 1, -1)
    assert stones[1] == 0b001010 | 1 << 6 * 7


@pytest.mark.parametrize("spec", ["r1-minimax", "r2-baseline", "r3-medium", "r4-minimax", "r5-mcts", "r5-oneply"])
def test_a_program_plays_the_report_s_games_only(spec: str) -> None:
    with pytest.raises(AgentError, match=r"the report's program plays .*connect4, not 5x4x4"):
        agent(spec).start(game("5x4x4"), FIRST, 0)


def test_r2_out_of_time_evaluates_where_it_stands() -> None:
    mind = agent("r2-minimax:depth=full,letter=x,pruning=off").start(game("connect4"), FIRST, 0)
    decision = mind.decide(Position.start(game("connect4")), Limit(nodes=1000))
    assert 1000 <= decision.nodes < 1400
    assert len(decision.by_move["points"]) == 7


def test_the_rules_of_each_report_choose_among_several_wins_and_blocks() -> None:
    # X has three in the bottom row with both ends free: O blocks in column 1 or 5 (from 0).
    moves = {
        name: {decide(name, game("connect4"), [2, 2, 3, 3, 4], seed).move for seed in range(40)}
        for name in ("r1-default", "r2-baseline", "r3-medium", "r4-default")
    }
    assert moves == {"r1-default": {1}, "r2-baseline": {1}, "r3-medium": {1}, "r4-default": {1, 5}}


def test_r3_medium_takes_the_first_line_found() -> None:
    # X X . / X O O / . . O: X completes the first row at cell 2, the first column at cell 6.
    assert {decide("r3-medium", game("tictactoe"), [0, 4, 1, 5, 3, 8], seed).move for seed in range(20)} == {2}
    # Two wins of X in Connect 4: up in column 0 (a vertical line), and along the bottom row at column 6.
    moves = [0, 1, 0, 1, 0, 2, 3, 1, 4, 2, 5, 2]
    assert decide("r3-medium", game("connect4"), moves).move == 6
    assert decide("r2-baseline", game("connect4"), moves).move == 0
