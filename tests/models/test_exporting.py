"""Exported models compute what the kernels compute."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest

from inarow import NTuple
from inarow.kernels.ntuple import points_of
from inarow.models.exporting import export_model, network_arrays, network_value, onnx_model
from inarow.models.files import ModelError
from inarow.models.loading import load_model, shipped
from inarow.models.network import Network, forced_blocks
from inarow.randomness import Stream
from inarow.rules import CONNECT4, TICTACTOE, Game, Position, game

FREE = game("4x4x4-free")


def shipped_model(kind: str, board: Game) -> Any:
    path = shipped(kind, board)
    assert path is not None
    return load_model(path, kind, board)


def entries(network: Network, position: Position) -> np.ndarray:
    """The entries whose weights the network sums in a quiet position: its kernel writes them down."""
    work = network.whole_work()
    network.set_up(work, position)
    points_of(network.whole, work, position.own, position.opp)
    features = network.layout.features
    return np.asarray(work.index[features : 2 * features + network.layout.wide_features])


def quiet_positions(board: Game, count: int) -> list[Position]:
    """Random positions in which nothing is forced."""
    stream, found = Stream(1), list[Position]()
    while len(found) < count:
        position = Position.start(board)
        for _ in range(stream.below(board.cells // 2)):
            if position.outcome() is None:
                position = position.play(stream.choice(position.legal_moves()))
        if position.outcome() is None and forced_blocks(position) == (True, ()):
            found.append(position)
    return found


def inputs(positions: list[Position]) -> tuple[np.ndarray, np.ndarray]:
    boards = [[1 if p.first & bit else 2 if p.second & bit else 0 for bit in p.game.cell_bits] for p in positions]
    return np.array(boards), np.array([int(p.to_move) for p in positions])


def learnt(board: Game) -> Network:
    """A network with random weights."""
    network = Network(NTuple(tuples=5, length=4).layout(board, 1))
    network.weights[:] = np.random.default_rng(1).normal(0, 0.1, network.weights.shape)
    return network


@pytest.mark.parametrize("network", [shipped_model("ntuple", CONNECT4), learnt(FREE), learnt(game("5x4x4"))])
def test_numpy_and_onnx_give_the_network_s_values(network: Network) -> None:
    positions = quiet_positions(network.game, 40)
    board, to_move = inputs(positions)
    found = network_value(network_arrays(network), board, to_move)
    sums = [network.weights[p.to_move][entries(network, p)].astype(np.float64).sum() for p in positions]
    assert np.abs(found - np.tanh(sums)).max() < 1e-5
    assert np.abs(found).max() > 0.05
    onnx = pytest.importorskip("onnx")
    from onnx.reference import ReferenceEvaluator

    session = ReferenceEvaluator(onnx.load_from_string(onnx_model(network)))
    (values,) = session.run(None, {"board": board, "to_move": to_move})
    assert np.abs(values - found).max() < 1e-5


def test_an_exported_table_has_boards_and_values(tmp_path: Path) -> None:
    table = shipped_model("qlearning", TICTACTOE)
    export_model(table, tmp_path / "table.npz")
    with np.load(tmp_path / "table.npz") as arrays:
        boards, values = arrays["boards"], arrays["values"]
    assert boards.shape == values.shape == (627, 9)
    assert {*np.unique(boards)} == {0, 1, 2}
    row = np.flatnonzero((boards == 0).all(axis=1))
    assert row.size == 1, "the empty board"
    judged, _, _ = table.judge(Position.start(TICTACTOE))
    assert np.isclose(max(judged.values()), values[row[0]].max())


def test_what_can_t_be_exported_is_said(tmp_path: Path) -> None:
    table = shipped_model("qlearning", TICTACTOE)
    with pytest.raises(ModelError, match="has no ONNX form"):
        export_model(table, tmp_path / "table.onnx")
    with pytest.raises(ModelError, match=r"\(.npz\)"):
        export_model(table, tmp_path / "table.txt")
