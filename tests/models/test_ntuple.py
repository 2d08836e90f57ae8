"""N-tuple networks against a slow twin that looks at cells one by one, and the tactical rule against plain search."""

from __future__ import annotations

import numpy as np
import pytest

from inarow import NTuple
from inarow.agents import AgentError, agent
from inarow.kernels import ntuple
from inarow.models.files import ModelError
from inarow.models.network import Layout, Network, random_walks
from inarow.randomness import Stream
from inarow.rules import FIRST, Position, game
from inarow.rules.notation import parse_position
from support.naive_network import random_position, slow_settled, slow_value

BOARDS = ["connect4", "5x4x4", "4x5x3", "tictactoe", "4x3x3-free"]


def slow_contents(position: Position, cells: tuple[int, ...]) -> tuple[str, ...]:
    """What a tuple sees: X, O, or an empty cell that is playable (+) or not yet (-)."""
    board = position.game
    grid = position.grid()
    seen = []
    for cell in cells:
        row, column = divmod(cell, board.columns)
        stone = grid[row][column]
        if stone is not None:
            seen.append("XO"[stone])
        else:
            playable = not board.gravity or row == board.rows - 1 or grid[row + 1][column] is not None
            seen.append("+" if playable else "-")
    return tuple(seen)


@pytest.mark.parametrize("name", BOARDS)
def test_two_positions_share_an_entry_exactly_if_the_tuple_sees_the_same(name: str) -> None:
    board = game(name)
    layout = Layout(board, random_walks(board, 5, 4, Stream(3)))
    stream = Stream(9)
    entries: dict[tuple[int, tuple[str, ...]], int] = {}
    seen: dict[int, tuple[int, tuple[str, ...]]] = {}
    for _ in range(300):
        position = random_position(board, stream, stream.below(board.cells))
        index = layout.indices(layout.contents(position))
        for s, image in enumerate(board.cell_symmetries):
            for t, cells in enumerate(layout.tuples):
                entry = int(index[s * len(layout.tuples) + t])
                sight = (t, slow_contents(position, tuple(image[cell] for cell in cells)))
                assert entries.setdefault(sight, entry) == entry
                assert seen.setdefault(entry, sight) == sight
                assert 0 <= entry < layout.size


@pytest.mark.parametrize("name", BOARDS)
def test_a_stone_moves_the_indices_as_the_tables_say(name: str) -> None:
    board = game(name)
    layout = Layout(board, random_walks(board, 7, 4, Stream(5)))
    stream = Stream(11)
    for _ in range(60):
        position = random_position(board, stream, stream.below(board.cells))
        if position.outcome() is not None:
            continue
        content = layout.contents(position)
        index = layout.indices(content)
        for move in position.legal_moves():
            after = layout.indices(layout.contents(position.play(move)))
            height, player = layout.heights[content[move]], position.to_move
            count = layout.counts[move, height]
            moved = index.copy()
            moved[layout.touched[move, height, :count]] += layout.steps[move, content[move], player, :count]
            assert (moved == after).all()


@pytest.mark.parametrize("name", BOARDS)
@pytest.mark.parametrize("with_tactics", [True, False])
def test_the_value_of_every_move_is_that_of_the_slow_twin(name: str, with_tactics: bool) -> None:
    board = game(name)
    layout = Layout(board, random_walks(board, 6, 4, Stream(2)), threats=board.gravity)
    weights = np.random.default_rng(4).normal(scale=0.2, size=(2, layout.size)).astype(np.float32)
    network = Network(layout, gamma=0.97, tactics=with_tactics, weights=weights)
    stream = Stream(21)
    for _ in range(60):
        position = random_position(board, stream, stream.below(board.cells))
        if position.outcome() is not None:
            continue
        wanted = {}
        for move in position.legal_moves():
            after = position.play(move)
            if with_tactics or after.outcome() is not None:
                wanted[move] = -network.gamma * slow_settled(network, after)
            else:
                wanted[move] = -network.gamma * slow_value(network, after)
        assert network.judge(position) == pytest.approx(wanted, abs=1e-5)


@pytest.mark.parametrize("name", ["connect4", "tictactoe", "4x5x3"])
def test_symmetric_positions_have_symmetric_values(name: str) -> None:
    board = game(name)
    layout = Layout(board, random_walks(board, 4, 5, Stream(8)), threats=board.gravity)
    weights = np.random.default_rng(4).normal(scale=0.2, size=(2, layout.size)).astype(np.float32)
    network = Network(layout, weights=weights)
    stream = Stream(4)
    for _ in range(20):
        position = random_position(board, stream, stream.below(board.cells // 2))
        for image in position.symmetries():
            assert sorted(network.judge(image).values()) == pytest.approx(
                sorted(network.judge(position).values()), abs=1e-5
            )


def test_a_position_and_its_mirror_image_share_an_entry_of_the_memory_and_others_have_their_own() -> None:
    board = game("connect4")
    layout = Layout(board, ((0, 1),), memory=1 << 20)
    weights = np.zeros((2, layout.size), np.float32)
    weights[:, -layout.memory :] = np.random.default_rng(4).normal(size=(2, layout.memory))
    network = Network(layout, tactics=False, weights=weights)
    stream = Stream(6)
    values: dict[int, float] = {}
    for _ in range(50):
        position = random_position(board, stream, stream.below(30))
        if position.outcome() is not None:
            continue
        for move, value in network.judge(position).items():
            after = position.play(move)
            if after.outcome() is None:
                key = min(image.key() for image in after.symmetries())
                assert values.setdefault(key, value) == value
    assert len(set(values.values())) == len(values) > 100


@pytest.mark.parametrize(
    ("board", "wide", "reason"),
    [
        ("tictactoe", {"threats": True}, "threats and memory are for boards where stones fall"),
        ("tictactoe", {"memory": 8}, "threats and memory are for boards where stones fall"),
        ("connect4", {"memory": 3}, "must be a power of two, at most 2097152, got 3"),
        ("connect4", {"memory": 1 << 40}, "must be a power of two, at most 2097152"),
        ("connect4", {"memory": -4}, "must be a power of two"),
    ],
)
def test_threats_and_memory_that_can_not_be_are_refused(board: str, wide: dict[str, int], reason: str) -> None:
    with pytest.raises(ModelError, match=reason):
        Layout(game(board), ((0, 1),), **wide)  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("moves", "status", "blocks"),
    [
        ("", ntuple.QUIET, 0),
        ("112233", ntuple.WON, 0),  # three in the bottom row and the fourth cell free
        ("41424", ntuple.QUIET, 1),  # three on top of each other must be blocked, and nothing more is forced
        ("31415", ntuple.LOST, 0),  # an open three: blocked at one end, it is made at the other
    ],
)
def test_tactics_settle_what_two_plies_decide(moves: str, status: int, blocks: int) -> None:
    position = parse_position(game("connect4"), moves)
    board = position.game
    forced = np.zeros(64, np.int64)
    facts = (board.k, board.stride, board.board, board.bottom, board.gravity)
    found = ntuple.settled(position.own, position.opp, *facts, forced)
    assert found == (status, blocks)


def test_given_tuples_are_taken() -> None:
    made = NTuple(cells="1-2-3/4-5-6")
    assert made.spec == "ntuple:cells=1-2-3/4-5-6"
    assert made.layout(game("tictactoe"), 0).tuples == ((0, 1, 2), (3, 4, 5))


def test_an_agent_without_a_model_says_how_to_train_one() -> None:
    for name in ("ntuple", "qlearning"):
        with pytest.raises(AgentError, match=f"inarow train 5x4x4 {name}"):
            agent(name).start(game("5x4x4"), FIRST, 1)
