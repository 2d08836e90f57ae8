"""Many boards stepped by kernels follow the rules, board by board."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from inarow.adapters.batch import Batch, BatchError
from inarow.rules import Game, Player, Position
from inarow.rules.game import game


def seen(position: Position, viewer: Player) -> np.ndarray[tuple[int, ...], np.dtype[np.int8]]:
    """The observation of a position, made the slow way."""
    found = np.zeros((position.game.rows, position.game.columns, 2), np.int8)
    for row, stones in enumerate(position.grid()):
        for column, stone in enumerate(stones):
            if stone is not None:
                found[row, column, int(stone is not viewer)] = 1
    return found


def legal(position: Position) -> list[int]:
    return [int(move in position.legal_moves()) for move in range(position.game.moves)]


BOARDS = [game(name) for name in ("connect4", "tictactoe", "5x4x3", "4x5x4-free")]


@pytest.mark.parametrize("board", BOARDS, ids=str)
def test_self_play_equals_the_rules_step_by_step(board: Game) -> None:
    batch = Batch(board, 16, seed=3)
    positions = [Position.start(board)] * 16
    ends = 0
    for _ in range(150):
        actions = batch.random_actions()
        batch.step(actions)
        for b, action in enumerate(actions.tolist()):
            before = positions[b]
            position = before.play(action)
            outcome = position.outcome()
            assert batch.ended[b] == (outcome is not None)
            assert batch.rewards[b] == (0 if outcome is None or outcome.winner is None else 1)
            if outcome is not None:
                ends += 1
                assert (batch.final[b] == seen(position, position.to_move)).all()
                position = Position.start(board)
            assert (batch.observations[b] == seen(position, position.to_move)).all()
            assert batch.masks[b].tolist() == legal(position)
            assert batch.position(b) == position
            positions[b] = position
    assert ends > 16


@pytest.mark.parametrize("board", BOARDS, ids=str)
@pytest.mark.parametrize("opponent", ["random", "rules"])
@pytest.mark.parametrize("seat", ["first", "second", "random"])
def test_an_opponent_answers_by_the_rules(board: Game, opponent: str, seat: str) -> None:
    batch = Batch(board, 12, seed=4, opponent=opponent, seat=seat)
    seats = set()
    rewards = set()
    for _ in range(60):
        before = [batch.position(b) for b in range(12)]
        actions = batch.random_actions()
        batch.step(actions)
        for b, action in enumerate(actions.tolist()):
            caller = before[b].to_move
            seats.add(caller)
            position = before[b].play(action)
            rewards.add(float(batch.rewards[b]))
            if batch.ended[b]:
                reward = batch.rewards[b]
                assert batch.final[b].sum() == position.ply + (0 if position.outcome() else 1)
                assert (reward == 1) == (position.outcome() is not None and position.outcome() != (None,))
                assert batch.position(b).ply == (0 if batch.position(b).to_move is Player.FIRST else 1)
                continue
            after = batch.position(b)
            answers = [move for move in position.legal_moves() if position.play(move) == after]
            assert len(answers) == 1
            assert (batch.observations[b] == seen(after, caller)).all()
            assert batch.masks[b].tolist() == legal(after)
            if opponent == "rules" and (threats := position.winning_moves(caller)):
                assert answers[0] in threats
    assert seats == {"first": {0}, "second": {1}, "random": {0, 1}}[seat]
    assert rewards >= ({-1.0, 0.0} if opponent == "rules" else {-1.0, 0.0, 1.0})


def test_a_seed_repeats_everything_and_another_does_not() -> None:
    def run(seed: int) -> list[list[int]]:
        batch = Batch("connect4", 8, seed=seed, opponent="random")
        found = []
        for _ in range(20):
            batch.step(batch.random_actions())
            found.append(batch.stones.ravel().tolist())
        return found

    assert run(1) == run(1)
    assert run(1) != run(2)
    again = Batch("connect4", 8, seed=1, opponent="random")
    first = again.stones.tolist()
    again.step(again.random_actions())
    again.reset(1)
    assert again.stones.tolist() == first


def test_random_actions_are_uniform_over_the_legal_moves() -> None:
    batch = Batch("connect4", 7000, seed=5)
    for _ in range(6):
        batch.step(np.zeros(7000, np.int64))  # fills the first column
    counts = np.bincount(batch.random_actions(), minlength=7)
    assert counts[0] == 0
    assert (abs(counts[1:] - 7000 / 6) < 150).all()


def test_bad_actions_are_named_and_nothing_is_played() -> None:
    batch = Batch("tictactoe", 3)
    batch.step([0, 1, 2])
    before = batch.stones.copy()
    with pytest.raises(BatchError, match="action 1 on board 1 is not legal; legal there: 0, 2, 3"):
        batch.step([3, 1, 0])
    with pytest.raises(BatchError, match="action 9 on board 2 is not legal"):
        batch.step([3, 4, 9])
    with pytest.raises(BatchError, match="action -1 on board 0"):
        batch.step([-1, 4, 8])
    with pytest.raises(BatchError, match="type float64"):
        batch.step([0.0, 1.0, 2.0])
    with pytest.raises(BatchError, match=r"3 integers, one per board, got shape \(2,\)"):
        batch.step([0, 1])
    with pytest.raises(BatchError, match="expected 3 integers, one per board"):
        batch.step([[0], 1, 2])
    with pytest.raises(BatchError, match="action 18446744073709551615 on board 0"):
        batch.step(np.array([2**64 - 1, 4, 8], np.uint64))
    assert (batch.stones == before).all()


@pytest.mark.parametrize("out", [np.zeros(2, np.int64), np.zeros(3, np.int32), np.zeros(6, np.int64)[::2]])
def test_a_place_that_random_actions_do_not_fit_is_refused(out: np.ndarray[Any, Any]) -> None:
    with pytest.raises(BatchError, match="expected a contiguous array of 3 int64"):
        Batch("tictactoe", 3).random_actions(out)


def test_boards_that_are_held_stay_as_they_are() -> None:
    batch, twin = (Batch("connect4", 4, seed=2, opponent="random", seat="first") for _ in range(2))
    hold = np.array([False, True, False, True])
    for _ in range(30):
        before = {name: getattr(batch, name)[hold].copy() for name in ("stones", "observations", "masks", "final")}
        actions = batch.random_actions()
        twin.random_actions()
        twin.step(actions)
        batch.step(np.where(hold, -1, actions), hold=hold)
        for name, rows in before.items():
            assert (getattr(batch, name)[hold] == rows).all()
            assert (getattr(batch, name)[~hold] == getattr(twin, name)[~hold]).all()
        assert not batch.ended[hold].any()
        assert (batch.ended[~hold] == twin.ended[~hold]).all()
        twin.stones[hold], twin.observations[hold], twin.masks[hold] = (
            batch.stones[hold], batch.observations[hold], batch.masks[hold],
        )  # fmt: skip


def test_bad_settings_are_named() -> None:
    with pytest.raises(BatchError, match="the number of boards must be an integer from 1, got 0"):
        Batch("connect4", 0)
    with pytest.raises(BatchError, match="unknown opponent 'ruels'; did you mean rules"):
        Batch("connect4", 1, opponent="ruels")
    with pytest.raises(BatchError, match="unknown seat 'third'"):
        Batch("connect4", 1, seat="third")
