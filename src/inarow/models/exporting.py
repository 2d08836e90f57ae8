"""Export models for use without inarow: as NumPy arrays, and networks as ONNX (``inarow[onnx]``).

`network_value` defines the computation of a network once, in terms of a few array operations. NumPy evaluates them;
`_Graph` records them as the nodes of an ONNX graph.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from inarow.errors import Unsupported
from inarow.models.files import ModelError, write_arrays
from inarow.models.network import Network, code_table, lines
from inarow.models.qtable import QTable
from inarow.paths import binary_writer, write_bytes
from inarow.randomness import mix, plus

SUFFIXES = (".npz", ".onnx")
OPSET = 18
IR_VERSION = 9
Array = Any
"""An array of NumPy, or a value of an ONNX graph."""


class Operations:
    """The array operations of `network_value` besides ``+ - * & ^ >> @``, in NumPy."""

    def take(self, table: NDArray[Any], index: Array) -> Array:
        """Return the entries of the first axis of a table."""
        return table[index]

    def equal(self, a: Array, b: int) -> Array:
        """Return 1 where an element equals ``b``, else 0."""
        return (a == b).astype(np.int64)

    def minimum(self, a: Array, b: Array) -> Array:
        """Return the elementwise minimum."""
        return np.minimum(a, b)

    def sum(self, a: Array, axis: int) -> Array:
        """Return the sum over an axis."""
        return a.sum(axis=axis, dtype=a.dtype)

    def column(self, a: Array) -> Array:
        """Return the array with a last axis of length 1."""
        return a[..., None]

    def join(self, arrays: list[Array]) -> Array:
        """Return the arrays concatenated along the last axis."""
        return np.concatenate(arrays, axis=1)

    def tanh(self, a: Array) -> Array:
        """Return the hyperbolic tangent."""
        return np.tanh(a)


def network_arrays(network: Network) -> dict[str, NDArray[Any]]:
    """Return the arrays that `network_value` reads.

    - ``shape``: rows, columns, k, 1 for gravity, entries of the memory.
    - ``parts`` (units, contents, features): the summand of each column's content (or of each cell's on boards without
      gravity) in the index of each feature. A column's content is 2 to its number of stones, plus 2 to the height of
      each stone of the second player; a cell's is 0, 1 or 2.
    - ``weights`` (2, entries): with the first and with the second player to move.
    - ``lines`` (lines, cells), ``codes`` and ``pairs``: the threats of pairs of columns, see `models.network.Layout`.
    """
    layout, game = network.layout, network.game
    arrays: dict[str, NDArray[Any]] = {
        "shape": np.array([game.rows, game.columns, game.k, int(game.gravity), layout.memory]),
        "parts": layout.parts,
        "weights": network.weights,
    }
    if layout.pairs:
        arrays["lines"] = np.zeros((len(board_lines := list(lines(game))), game.cells), np.int64)
        for row, cells in zip(arrays["lines"], board_lines, strict=True):
            row[cells] = 1
        arrays["codes"] = code_table(game.rows).astype(np.int64)
        arrays["pairs"] = np.array(layout.pairs, np.int64)
    return arrays


def network_value(
    arrays: Mapping[str, NDArray[Any]], board: Array, to_move: Array, ops: Operations | None = None
) -> Array:
    """Return the values of positions to the side to move, (n,), from the arrays of `network_arrays`.

    ``board`` (n, cells): 0 empty, 1 the first player's stone, 2 the second's, row by row from the top left; ``to_move``
    (n,): 0 or 1. A network trained with tactics is for positions where nothing is forced: neither side can win with
    its next stone, and there is no double threat.
    """
    ops = ops or Operations()
    rows, columns, k, gravity, memory = map(int, arrays["shape"])
    parts, weights = arrays["parts"], arrays["weights"]
    units, contents, features = parts.shape
    first, second = ops.equal(board, 1), ops.equal(board, 2)
    cell = np.arange(rows * columns)
    height, column = rows - 1 - cell // columns, cell % columns
    belongs = np.eye(units, dtype=np.int64)[column] if gravity else np.eye(units, dtype=np.int64)
    heights = belongs << height[:, None]
    if gravity:
        content = second @ heights + ops.take(1 << np.arange(rows + 1), (first + second) @ belongs)
    else:
        content = board
    flat = parts.reshape(units * contents, features)
    found = [ops.sum(ops.take(flat, content + np.arange(units) * contents), 1)]
    if "pairs" in arrays:
        board_lines, codes = arrays["lines"], arrays["codes"]
        begin, left, right, mirrored = arrays["pairs"].T
        free = (first + second) * -1 + 1

        def threats(stones: Array) -> Array:
            lacking_one = ops.equal(stones @ board_lines.T, k - 1)
            return (ops.equal(lacking_one @ board_lines * free, 0) * -1 + 1) @ heights

        code = ops.take(codes, threats(first) + threats(second) * (1 << rows))
        one, two = (code @ np.eye(units, dtype=np.int64)[:, side] for side in (left, right))
        lower = one + (ops.minimum(one, two) - one) * mirrored
        found.append(lower * int(codes.max() + 1) + (one + two - lower) + begin)
    if memory:
        bit, image = column * (rows + 1) + height, (columns - 1 - column) * (rows + 1) + height
        keys = [[ops.sum(stones * (1 << bits), 1) for stones in (first, second)] for bits in (bit, image)]
        mixed = [mix(mix(one) ^ two) for one, two in keys]
        entry = mix(plus(mixed[0], mixed[1])) & (memory - 1)
        found.append(ops.column(entry + (weights.shape[1] - memory)))
    index = ops.join(found) + ops.column(to_move) * weights.shape[1]
    return ops.tanh(ops.sum(ops.take(weights.reshape(-1), index), 1))


def _operator(kind: str) -> Callable[[_Node, Array], _Node]:
    return lambda one, other: one.graph.add(kind, one, other)


class _Node:
    """A value in a graph; operators add nodes to it."""

    def __init__(self, graph: _Graph, name: str) -> None:
        self.graph, self.name = graph, name

    __add__ = _operator("Add")
    __sub__ = _operator("Sub")
    __mul__ = _operator("Mul")
    __matmul__ = _operator("MatMul")
    __and__ = _operator("BitwiseAnd")
    __xor__ = _operator("BitwiseXor")

    def __rshift__(self, other: int) -> _Node:
        to, back = (getattr(self.graph.onnx.TensorProto, kind) for kind in ("UINT64", "INT64"))
        shifted = self.graph.add(
            "BitShift", self.graph.add("Cast", self, to=to), np.array(other, np.uint64), direction="RIGHT"
        )
        return self.graph.add("Cast", shifted, to=back)


class _Graph(Operations):
    """The operations as an ONNX graph under construction."""

    def __init__(self, onnx: Any) -> None:
        self.onnx = onnx
        self.nodes: list[Any] = []
        self.constants: list[Any] = []

    def name(self, value: Array) -> str:
        """Return the name of a value; a number or an array becomes a constant of the graph."""
        if isinstance(value, _Node):
            return value.name
        array = np.asarray(value)
        name = f"constant{len(self.constants)}"
        self.constants.append(self.onnx.numpy_helper.from_array(array, name))
        return name

    def add(self, kind: str, *inputs: Array, **attributes: Any) -> _Node:
        """Add a node."""
        name = f"value{len(self.nodes)}"
        self.nodes.append(self.onnx.helper.make_node(kind, [self.name(one) for one in inputs], [name], **attributes))
        return _Node(self, name)

    def take(self, table: NDArray[Any], index: Array) -> Array:
        return self.add("Gather", table, index)

    def equal(self, a: Array, b: int) -> Array:
        return self.add("Cast", self.add("Equal", a, b), to=self.onnx.TensorProto.INT64)

    def minimum(self, a: Array, b: Array) -> Array:
        return self.add("Min", a, b)

    def sum(self, a: Array, axis: int) -> Array:
        return self.add("ReduceSum", a, np.array([axis]), keepdims=0)

    def column(self, a: Array) -> Array:
        return self.add("Unsqueeze", a, np.array([-1]))

    def join(self, arrays: list[Array]) -> Array:
        return self.add("Concat", *arrays, axis=1)

    def tanh(self, a: Array) -> Array:
        return self.add("Tanh", a)


def onnx_model(network: Network) -> bytes:
    """Return a network as an ONNX model: inputs ``board`` and ``to_move``, output ``value``, as in `network_value`."""
    try:
        import onnx
        import onnx.numpy_helper
    except ImportError:
        raise Unsupported("ONNX is not installed: pip install 'inarow[onnx]'") from None
    graph, helper, int64 = _Graph(onnx), onnx.helper, onnx.TensorProto.INT64
    board, to_move = _Node(graph, "board"), _Node(graph, "to_move")
    graph.add("Identity", network_value(network_arrays(network), board, to_move, graph))
    graph.nodes[-1].output[0] = "value"
    made = helper.make_graph(
        graph.nodes,
        f"n-tuple network for {network.game}",
        [
            helper.make_tensor_value_info("board", int64, ["n", network.game.cells]),
            helper.make_tensor_value_info("to_move", int64, ["n"]),
        ],
        [helper.make_tensor_value_info("value", onnx.TensorProto.FLOAT, ["n"])],
        graph.constants,
    )
    model = helper.make_model(
        made, opset_imports=[helper.make_opsetid("", OPSET)], ir_version=IR_VERSION, producer_name="inarow"
    )
    onnx.checker.check_model(model)
    return bytes(model.SerializeToString())


def table_arrays(table: QTable) -> dict[str, NDArray[Any]]:
    """Return a Q-table as arrays: ``boards`` (rows, cells) as in `network_value`, of positions up to symmetry, and
    ``values`` (rows, moves) to the side to move."""
    keys, values, _ = table.rows()
    bits = np.array([bit.bit_length() - 1 for bit in table.game.cell_bits])
    first, second = (keys[:, [player]] >> bits & 1 for player in range(2))
    return {"boards": (first + 2 * second).astype(np.int8), "values": values}


def export_model(model: Any, path: Path) -> None:
    """Export a model in the format of the file's suffix: NumPy arrays (.npz), or a network as ONNX (.onnx)."""
    if path.suffix not in SUFFIXES:
        raise ModelError(f"{path.name}: a model is exported as NumPy arrays (.npz) or, if it is a network, as .onnx")
    if not isinstance(model, Network | QTable):
        raise ModelError("only models of ntuple and qlearning can be exported")
    if path.suffix == ".npz":
        with binary_writer(path, ModelError) as out:
            write_arrays(out, network_arrays(model) if isinstance(model, Network) else table_arrays(model))
    elif isinstance(model, QTable):
        raise ModelError(f"{path.name}: a Q-table has no ONNX form; export it as .npz")
    else:
        write_bytes(path, onnx_model(model), ModelError)
