"""OpenSpiel and inarow agree on the rules, and each one's players play in the other."""

from __future__ import annotations

import random

import numpy as np
import pyspiel
import pytest
from open_spiel.python.algorithms import mcts

from inarow.adapters.openspiel import (
    BotAgent,
    InarowBot,
    InarowPolicy,
    SpielError,
    game_of,
    position_of,
    spiel_game,
    spiel_state,
)
from inarow.agents import AgentError, agent
from inarow.match import play_match
from inarow.rules import CONNECT4, TICTACTOE, Game, Player, Position
from inarow.rules.game import game
from support.commands import inarow

BOARDS = [CONNECT4, TICTACTOE, game("5x4x3"), game("5x4x3-free"), game("4x5x4-free")]


@pytest.mark.parametrize("board", BOARDS, ids=str)
def test_the_rules_agree_on_random_games(board: Game) -> None:
    theirs = spiel_game(board)
    assert game_of(theirs) == board
    chance = random.Random(3)
    steps = 0
    while steps < 2_000:
        state, position = theirs.new_initial_state(), Position.start(board)
        while not state.is_terminal():
            assert tuple(state.legal_actions()) == position.legal_moves()
            assert state.current_player() == position.to_move
            action = chance.choice(state.legal_actions())
            state.apply_action(action)
            position = position.play(action)
            steps += 1
        outcome = position.outcome()
        assert outcome is not None
        winner = outcome.winner
        assert state.returns() == [0.0, 0.0] if winner is None else state.returns()[winner] == 1.0
        assert position_of(state) == position


@pytest.mark.parametrize("board", BOARDS, ids=str)
def test_positions_go_there_and_come_back(board: Game) -> None:
    position = Position.start(board, (0, 1, 2, 3))
    state = spiel_state(position)
    assert position_of(state) == position
    drawn = "\n".join("".join("." if s is None else "xo"[s] for s in row) for row in position.grid())
    assert str(state).strip() == drawn.strip()


def test_our_agents_play_as_bots_of_theirs() -> None:
    board = spiel_game(TICTACTOE)
    for seat in (0, 1):
        bots = [pyspiel.make_uniform_random_bot(0, 1), pyspiel.make_uniform_random_bot(1, 2)]
        bots[seat] = InarowBot(board, seat, "perfect", seed=4)
        for seed in range(5):
            assert pyspiel.evaluate_bots(board.new_initial_state(), bots, seed)[seat] >= 0


def test_our_agents_are_policies_of_theirs() -> None:
    board = spiel_game(CONNECT4)
    policy = InarowPolicy("alphabeta:depth=2")
    state = spiel_state(Position.start(CONNECT4, (3, 0, 3, 0, 3, 1)))
    assert policy.action_probabilities(state) == {move: float(move == 3) for move in range(7)}
    assert policy.get_state_policy_as_parallel_vectors(state) == (list(range(7)), [0, 0, 0, 1, 0, 0, 0])
    bots = [pyspiel.make_policy_bot(board, 0, 1, policy), pyspiel.make_uniform_random_bot(1, 2)]
    assert pyspiel.evaluate_bots(board.new_initial_state(), bots, 1) == [1.0, -1.0]
    with pytest.raises(SpielError, match="state must be a state of OpenSpiel, got "):
        policy.action_probabilities("x")


def test_their_bots_play_here_by_a_spec() -> None:
    theirs = agent("openspiel:simulations=200")
    assert theirs.spec == "openspiel:simulations=200"
    records = [play_match(CONNECT4, theirs, agent("random"), seed=1) for _ in range(2)]
    assert records[0].moves == records[1].moves
    assert records[0].outcome == (Player.FIRST,)
    for name in ("uniform_random", "fixed_action_preference"):
        record = play_match(TICTACTOE, agent(f"openspiel:bot={name}"), agent("rules"), seed=2)
        assert not record.termination.is_fault
    with pytest.raises(AgentError, match="bot=chess can't play tictactoe; available: mcts, "):
        agent("openspiel:bot=chess").check(TICTACTOE)


def test_any_bot_of_theirs_plays_here() -> None:
    def make(board: object, player: int, seed: int) -> mcts.MCTSBot:
        chance = np.random.RandomState(seed)
        return mcts.MCTSBot(board, 2, 20, mcts.RandomRolloutEvaluator(1, chance), random_state=chance)

    record = play_match(TICTACTOE, BotAgent(make, "python mcts"), agent("random"), seed=3, strict=True)
    assert record.first == "openspiel-bot:python mcts"
    assert not record.termination.is_fault


def test_a_game_without_counterpart_is_named() -> None:
    with pytest.raises(SpielError, match="OpenSpiel's chess is not a game of k in a row here"):
        game_of(pyspiel.load_game("chess"))


def test_their_bots_play_in_a_tournament() -> None:
    agents = ["openspiel:simulations=50", "random"]
    shown = inarow("tournament", "tictactoe", *agents, "--pairs", "4", "--workers", "1").stdout
    assert "openspiel:simulations=50" in shown
