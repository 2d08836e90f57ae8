"""Presets: the settings of a report for the game at hand, changed by what is given beside them."""

from __future__ import annotations

import dataclasses
import pickle
from typing import Any

import pytest

from inarow.agents import AgentError, agent, agent_class
from inarow.agents.alphabeta import AlphaBeta
from inarow.agents.minimax import Minimax
from inarow.agents.presets import PresetAgent
from inarow.rules import CONNECT4, TICTACTOE, Position, game

NAMES = ("rules", "greedy", "minimax", "alphabeta", "mcts")


def all_presets() -> list[tuple[str, str]]:
    found = []
    for name in NAMES:
        kind = agent_class(name)
        assert issubclass(kind, PresetAgent)
        found += [(f"{name}:preset={preset}", g.name) for preset in kind.presets for g in kind.presets[preset]]
    return found


@pytest.mark.parametrize(("spec", "name"), all_presets())
def test_every_preset_plays_its_games(spec: str, name: str) -> None:
    position = Position.start(game(name), [4] if name == "tictactoe" else [3, 3])
    quick = {"mcts": ",simulations=20,memory=1", "minimax": ",depth=3", "alphabeta": ",depth=3"}
    made = agent(spec + quick.get(spec.partition(":")[0], ""))
    assert made.start(position.game, position.to_move, 0).decide(position).move in position.legal_moves()
    assert agent(made.spec) == made


@pytest.mark.parametrize(
    ("spec", "name", "says"),
    [
        ("alphabeta:preset=r1", "5x4x4", "preset=r1 has settings for tictactoe and connect4, not for 5x4x4"),
        ("minimax:preset=r5", "tictactoe", "preset=r5 has settings for connect4, not for tictactoe"),
        ("mcts:preset=r5", "tictactoe", "preset=r5 has settings for connect4"),
        ("greedy:preset=r5", "4x4x3-free", "not for 4x4x3-free"),
        ("rules:preset=r2", "4x4x3-free", "not for 4x4x3-free"),
    ],
)
def test_a_game_that_a_report_did_not_play_is_refused(spec: str, name: str, says: str) -> None:
    with pytest.raises(AgentError, match=says):
        agent(spec).start(game(name), Position.start(game(name)).to_move, 0)


@pytest.mark.parametrize("spec", ["alphabeta:preset=r6", "rules:preset=r5", "greedy:preset=r1", "mcts:preset=r4"])
def test_an_unknown_preset_is_refused(spec: str) -> None:
    with pytest.raises(AgentError, match="is not one of none, r"):
        agent(spec)


def test_what_is_given_overrides_the_preset() -> None:
    made = agent("alphabeta:preset=r1,depth=5")
    assert isinstance(made, AlphaBeta)
    assert made.settled(CONNECT4).depth == 5
    assert made.settled(CONNECT4).root == "carried"
    assert (made.settled(TICTACTOE).win, made.settled(CONNECT4).win) == (100, 1_000_000)


def test_a_default_that_is_given_counts_as_given() -> None:
    own, usual = agent("alphabeta:preset=r1,ordering=centre"), agent("alphabeta:preset=r1")
    assert isinstance(own, AlphaBeta)
    assert isinstance(usual, AlphaBeta)
    assert own.settled(CONNECT4).ordering == "centre"
    assert usual.settled(CONNECT4).ordering == "none"
    assert own != usual
    assert own.spec == "alphabeta:preset=r1,ordering=centre"
    assert agent(own.spec) == own == AlphaBeta(preset="r1", ordering="centre") == AlphaBeta("r1", ordering="centre")
    assert pickle.loads(pickle.dumps(own)) == own
    assert agent("alphabeta:ordering=centre") == agent("alphabeta"), "without a preset nothing is remembered"


def test_one_table_serves_both_searches() -> None:
    pruned, plain = agent("alphabeta:preset=r3"), agent("minimax:preset=r3")
    assert isinstance(pruned, AlphaBeta)
    assert isinstance(plain, Minimax)
    assert (plain.settled(CONNECT4).eval, plain.settled(CONNECT4).order) == (pruned.settled(CONNECT4).eval, "tallest")


def test_faults_are_named_and_can_be_left_out() -> None:
    made = agent("alphabeta:preset=r4,faults=none")
    assert isinstance(made, AlphaBeta)
    assert made.settled(CONNECT4).faults == ()
    assert made.settled(CONNECT4).plies == 4
    both = agent("alphabeta:faults=extra-ply+wins-for-x")
    assert both.spec == "alphabeta:faults=wins-for-x+extra-ply"
    for wrong in ("oops", "extra-ply+oops", "extra-ply+extra-ply", ""):
        with pytest.raises(AgentError, match="none, or some of wins-for-x"):
            agent(f"alphabeta:faults={wrong}")
    with pytest.raises(AgentError, match="is not none, or some of"):
        AlphaBeta(faults="extra-ply")  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("spec", "says"), [("mcts:uct=plain", "needs solve=off"), ("mcts:faults=leaf-credit", "needs uct=plain")]
)
def test_settings_that_contradict_each_other_are_refused(spec: str, says: str) -> None:
    with pytest.raises(AgentError, match=says):
        agent(spec).check(CONNECT4)


def test_the_rules_of_each_report_choose_among_several_wins_and_blocks() -> None:
    # X has three in the bottom row with both ends free: O blocks in column 1 or 5 (from 0).
    two_blocks = Position.start(CONNECT4, [2, 2, 3, 3, 4])
    moves = {
        preset: {
            agent(f"rules:preset={preset}").start(CONNECT4, two_blocks.to_move, seed).decide(two_blocks).move
            for seed in range(40)
        }
        for preset in ("r1", "r2", "r3", "r4")
    }
    assert moves == {"r1": {1}, "r2": {1}, "r3": {1}, "r4": {1, 5}}


def test_r3_finds_rows_before_columns() -> None:
    # X X . / X O O / . . O: X completes the first row at cell 2, the first column at cell 6.
    rows_first = Position.start(TICTACTOE, [0, 4, 1, 5, 3, 8])
    chosen = {
        preset: {
            agent(f"rules:preset={preset}").start(TICTACTOE, rows_first.to_move, seed).decide(rows_first).move
            for seed in range(20)
        }
        for preset in ("r3", "r4")
    }
    assert chosen == {"r3": {2}, "r4": {2, 6}}


def test_a_line_found_first_goes_before_a_lower_move() -> None:
    # Two wins of X in Connect 4: up in column 0 (a vertical line), and along the bottom row at column 6.
    moves = [0, 1, 0, 1, 0, 2, 3, 1, 4, 2, 5, 2]
    position = Position.start(CONNECT4, moves)
    assert position.winning_moves() == (0, 6)
    for several, move in (("lines", 6), ("lowest", 0)):
        mind = agent(f"rules:several={several}").start(CONNECT4, position.to_move, 0)
        assert mind.decide(position).move == move


def test_greedy_without_wins_goes_by_points_alone() -> None:
    position = Position.start(CONNECT4, [3, 0, 3, 0, 3, 0])
    for spec, move in (("greedy:eval=windows(four=0),ties=first", 3), ("greedy:preset=r5", 3)):
        assert agent(spec).start(CONNECT4, position.to_move, 0).decide(position).move == move
    blind = agent("greedy:eval=windows(four=-100),wins=off,ties=first").start(CONNECT4, position.to_move, 0)
    assert blind.decide(position).move != 3


def test_an_untold_tree_searches_the_empty_board() -> None:
    mind = agent("mcts:simulations=200,faults=untold,memory=1").start(CONNECT4, Position.start(CONNECT4).to_move, 3)
    mind.decide(Position.start(CONNECT4, [3, 3]))
    decision = mind.decide(Position.start(CONNECT4, [3, 3, 0, 0]))
    assert decision.details["simulations_kept"] == 200
    assert sum(decision.by_move["visits"].values()) == 400


def test_plain_uct_decides_after_one_simulation() -> None:
    mind = agent("mcts:simulations=1,uct=plain,solve=off,memory=1").start(CONNECT4, Position.start(CONNECT4).to_move, 3)
    assert mind.decide(Position.start(CONNECT4)).move in range(7)


@pytest.mark.parametrize("spec", ["rules:preset=r1", "rules:preset=r1,style=random", "alphabeta:preset=r4,faults=none"])
def test_a_copy_keeps_the_preset(spec: str) -> None:
    made = agent(spec)
    assert dataclasses.replace(made) == made
    assert dataclasses.replace(made).spec == made.spec


def test_a_changed_copy_keeps_the_rest_of_the_preset() -> None:
    made: Any = agent("rules:preset=r1")
    assert dataclasses.replace(made, style="corners").spec == "rules:preset=r1,style=corners"
    assert dataclasses.replace(made, style="corners") == agent("rules:preset=r1,style=corners")
    assert dataclasses.replace(made, preset="none") == agent("rules")
