"""A table of Q-values: a row for each position up to symmetry, with a slot for each move (see `kernels.qlearning`)."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, fields
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from inarow import bits
from inarow.kernels import qgraph as graph_kernels
from inarow.kernels import qlearning as kernels
from inarow.kernels.decisions import centre_weight
from inarow.kernels.qgraph import Graph as GraphArrays
from inarow.kernels.qlearning import Board, GuideRecord, TableRecord
from inarow.models.files import ModelError, ModelFile
from inarow.rules import Game, Position

FIRST_ROOM = 1 << 10
MAX_ROWS = 1 << 23
MAX_VALUE = 1e12
"""An upper bound on the sum of rewards."""
GUIDES = {"none": kernels.NONE, "rules": kernels.RULES, "threats": kernels.THREATS, "heuristic": kernels.HEURISTIC}


def board_arrays(game: Game, symmetries: bool = True) -> Board:
    """Return a game as kernels read it, with its symmetries if they are used."""
    images = game.cell_symmetries if symmetries else game.cell_symmetries[:1]
    bit_of_cell = [bit.bit_length() - 1 for bit in game.cell_bits]
    bit_images = np.zeros((len(images), bits.MAX_BITS), np.int64)
    move_of_bit, centre_weights = np.zeros((2, bits.MAX_BITS), np.int64)
    for cell, bit in enumerate(bit_of_cell):
        bit_images[:, bit] = [game.cell_bits[image[cell]] for image in images]
        move_of_bit[bit] = game.move_of_cell(cell)
        centre_weights[bit] = centre_weight(game.layout, cell)
    # With gravity the cells of the top row stand for their columns.
    move_images = np.array([[game.move_of_cell(image[move]) for move in range(game.moves)] for image in images])
    middle_columns = {(game.columns - 1) // 2, game.columns // 2}
    middle_rows = set(range(game.rows)) if game.gravity else {(game.rows - 1) // 2, game.rows // 2}
    has_centre = game.gravity or (game.columns % 2 and game.rows % 2)
    centre = _cells(game, middle_rows, middle_columns) if has_centre else 0
    corners = _cells(game, {0, game.rows - 1}, {0, game.columns - 1})
    return Board(
        game.k, game.stride, game.board, game.bottom, game.gravity, centre, corners,
        game.moves, len(images), bits.MAX_BITS, bit_images.reshape(-1), move_images.reshape(-1), move_of_bit,
        centre_weights,
    )  # fmt: skip


def _cells(game: Game, rows: set[int], columns: set[int]) -> int:
    """Return the cells in these rows and columns, as bits."""
    return sum(game.cell_bits[row * game.columns + column] for row in rows for column in columns)


class QTable:
    """Rows of Q-values for the side to move; grows with the positions visited, up to ``most`` rows.

    ``start`` is the initial value of a move, ``guide`` the rules that precede the table, ``share`` the weight of the
    guide's heuristic in the values.
    """

    def __init__(
        self,
        game: Game,
        *,
        symmetries: bool = True,
        start: float = 0.0,
        guide: str = "none",
        share: float = 0.0,
        most: int = MAX_ROWS,
    ) -> None:
        self.game = game
        self.symmetries = symmetries
        self.start = start
        self.guide = guide
        self.share = share
        self.board = board_arrays(game, symmetries)
        self.table = TableRecord()
        self.table.moves, self.table.start, self.table.most = game.moves, start, most
        self._take(*self._empty(FIRST_ROOM))

    def _empty(self, room: int) -> tuple[NDArray[np.int64], NDArray[np.float32], NDArray[np.int32]]:
        moves = self.game.moves
        return np.full((room, 2), -1), np.zeros((room, moves), np.float32), np.zeros((room, moves), np.int32)

    def _take(self, keys: NDArray[np.int64], values: NDArray[np.float32], visits: NDArray[np.int32]) -> None:
        """Set the arrays of the table."""
        self.keys, self.values, self.visits, self.table.rows = keys, values, visits, len(keys)
        self.table.keys, self.table.values, self.table.visits = keys.reshape(-1), values.reshape(-1), visits.reshape(-1)

    @cached_property
    def emptied(self) -> QTable:
        """An empty table with the same settings."""
        return QTable(self.game, **self.header())

    def __len__(self) -> int:
        """Return the number of positions, up to symmetry."""
        return self.table.used

    @property
    def most(self) -> int:
        """Maximum number of rows."""
        return self.table.most

    @property
    def nbytes(self) -> int:
        """Size of the rows in use, in bytes."""
        return len(self) * (self.keys.itemsize * 2 + self.game.moves * (self.values.itemsize + self.visits.itemsize))

    def facts(self) -> dict[str, int]:
        """Return its size in memory, for `inarow model show`."""
        return {"memory_bytes": self.nbytes}

    def make_room(self) -> None:
        """Grow so that the next episode fits."""
        room = self._room_for(min(len(self), self.most), self.keys.shape[0])
        if room > self.keys.shape[0]:
            larger = self._empty(room)
            kernels.rehash(self.keys, self.values, self.visits, larger[0].reshape(-1), *larger[1:])
            self._take(*larger)

    def _room_for(self, rows: int, room: int) -> int:
        """Return a power of two from ``room`` up that holds these rows and those of one more episode."""
        while room // 4 * 3 < rows + self.game.cells:
            room *= 2
        return room

    def guide_of(self, name: str | None = None) -> GuideRecord:
        """Return a guide as kernels read it, by default the table's own."""
        return GuideRecord(GUIDES[name or self.guide], float(self.share))

    def judge(self, position: Position, guide: str | None = None) -> tuple[dict[int, float], tuple[int, ...], bool]:
        """Return the value of every legal move, the moves that the guide restricts the choice to (empty if it does
        not), and True if the table has the position. ``guide`` replaces the table's own."""
        values, forced = np.zeros(self.game.moves), np.zeros(self.game.moves, np.int64)
        known = kernels.judge(
            self.table, self.board, self.guide_of(guide), position.first, position.second, values, forced
        )
        moves = position.legal_moves()
        return {move: float(values[move]) for move in moves}, tuple(move for move in moves if forced[move]), known

    def decide_each(
        self, positions: Sequence[Position], random: int, guide: str | None = None
    ) -> tuple[NDArray[np.int64], NDArray[np.float64], int]:
        """Return the best move of every position and its value, with ties broken by a random stream in this state, and
        its state afterwards. ``guide`` replaces the table's own."""
        first, second = (np.array([getattr(one, side) for one in positions], np.int64) for side in ("first", "second"))
        moves, values = np.zeros(len(positions), np.int64), np.zeros(len(positions))
        state = kernels.decide_each(self.table, self.board, self.guide_of(guide), first, second, random, moves, values)
        return moves, values, state

    def rows(self) -> tuple[NDArray[np.int64], NDArray[np.float32], NDArray[np.int32]]:
        """Return the keys, values and visits in use, sorted by key."""
        inside = np.flatnonzero(self.keys[:, 0] >= 0)
        keys = self.keys[inside]
        order = inside[np.lexsort((keys[:, 1], keys[:, 0]))]
        return self.keys[order], self.values[order], self.visits[order]

    def fill(
        self, keys: NDArray[np.int64], values: NDArray[np.float32], visits: NDArray[np.int32] | None = None
    ) -> None:
        """Replace all rows by these."""
        self._take(*self._empty(self._room_for(len(keys), FIRST_ROOM)))
        counts = visits if visits is not None else np.zeros(values.shape, np.int32)
        kernels.rehash(keys, values, counts, self.keys.reshape(-1), self.values, self.visits)
        self.table.used = len(keys)

    def header(self) -> dict[str, Any]:
        """Return the header from which the table can be rebuilt."""
        return {name: getattr(self, name) for name in ("symmetries", "start", "guide", "share")}


def read_qtable(file: ModelFile, game: Game, most: int = MAX_ROWS) -> QTable:
    """Return the table of a model file for this game, which may grow to ``most`` rows."""
    made = file.header.get("model")
    try:
        if not isinstance(made, dict):
            raise TypeError("it is missing")
        start, share = float(made["start"]), float(made["share"])
        if made["guide"] not in GUIDES or not abs(start) <= MAX_VALUE:
            raise ValueError("out of range")
        if not 0 <= share <= 1:
            raise ValueError(f"a share of {share}")
        symmetries, guide = bool(made["symmetries"]), made["guide"]
        table = QTable(game, symmetries=symmetries, start=start, guide=guide, share=share, most=most)
    except (KeyError, TypeError, ValueError, OverflowError) as error:
        raise ModelError(f"{file.path}: the header does not describe a table of Q-values ({error})") from None
    keys = file.array("keys", np.int64, (None, 2), most=most * 16)
    values = file.array("values", np.float32, (len(keys), game.moves))
    visits = file.array("visits", np.int32, (len(keys), game.moves)) if file.has("visits") else None
    ordered = keys[np.lexsort((keys[:, 1], keys[:, 0]))]
    if (keys < 0).any() or (np.diff(ordered, axis=0) == 0).all(axis=1).any():
        raise ModelError(f"{file.path}: the table has keys that are negative or occur twice")
    if (keys & ~game.board).any() or (keys[:, 0] & keys[:, 1]).any():
        raise ModelError(f"{file.path}: some keys of the table are not positions of {game}")
    # Kernels compare sums of values, which must not overflow.
    if not (np.abs(values) <= MAX_VALUE).all():
        raise ModelError(f"{file.path}: some Q-values are not numbers, or too large")
    if visits is not None and (visits < 0).any():
        raise ModelError(f"{file.path}: some visits are negative")
    table.fill(keys, values, visits)
    return table


MAX_NODES = 20_000
Numbers = NDArray[np.int32]


@dataclass(frozen=True)
class QGraph:
    """A small game as a graph: its unfinished positions by key, their moves, values and visits.

    Arrays are (nodes, moves) unless they have one number per node.
    """

    nodes: NDArray[np.int64]
    """(nodes, 2): their keys."""
    legal: Numbers
    choices: Numbers
    choice_of_move: Numbers
    slots: Numbers
    following: Numbers
    values: NDArray[np.float32]
    visits: Numbers

    @property
    def arrays(self) -> GraphArrays:
        """The graph as kernels read it."""
        per_move = (self.choice_of_move, self.slots, self.following, self.values, self.visits)
        return GraphArrays(self.values.shape[1], self.legal, self.choices, *(array.reshape(-1) for array in per_move))

    @property
    def _used(self) -> NDArray[np.bool_]:
        """(nodes, moves): True where a slot belongs to a legal move."""
        return np.asarray(np.arange(self.values.shape[1]) < self.choices[:, None])

    def read(self, table: QTable) -> None:
        """Copy the values and visits from a table."""
        self.values[:] = table.start
        self.visits[:] = 0
        number = {(int(own), int(other)): node for node, (own, other) in enumerate(self.nodes)}
        for key, values, visits in zip(*table.rows(), strict=True):
            node = number.get((int(key[0]), int(key[1])))
            if node is None:
                raise ModelError(f"the table has a key that is not a position of {table.game}; start again without it")
            inside = self.slots[node, : self.choices[node]]
            self.values[node, : inside.size] = values[inside]
            self.visits[node, : inside.size] = visits[inside]

    def write(self, table: QTable) -> None:
        """Copy the values and visits of all visited positions to a table."""
        met = np.flatnonzero((self.visits > 0).any(axis=1))
        values = np.full((met.size, self.values.shape[1]), table.start, np.float32)
        visits = np.zeros(values.shape, np.int32)
        rows, places = np.nonzero(self._used[met])
        slots = self.slots[met][rows, places]
        values[rows, slots] = self.values[met][rows, places]
        visits[rows, slots] = self.visits[met][rows, places]
        table.fill(self.nodes[met], values, visits)


def list_graph(table: QTable, most: int = MAX_NODES) -> QGraph | None:
    """Return the graph of a table's game; None if it has more positions than ``most`` or the table may hold."""
    most = min(most, table.most)
    moves = table.game.moves
    room = 1 << (2 * most).bit_length()
    graph = QGraph(
        nodes=np.zeros((most, 2), np.int64),
        legal=np.zeros(most, np.int32),
        choices=np.zeros(most, np.int32),
        choice_of_move=np.zeros((most, moves), np.int32),
        slots=np.zeros((most, moves), np.int32),
        following=np.zeros((most, moves), np.int32),
        values=np.full((most, moves), table.start, np.float32),
        visits=np.zeros((most, moves), np.int32),
    )
    keys, node_of_row = np.full(2 * room, -1), np.zeros(room, np.int32)
    count = graph_kernels.list_positions(table.board, graph.arrays, graph.nodes, keys, node_of_row)
    if count == graph_kernels.TOO_MANY:
        return None
    return QGraph(**{field.name: getattr(graph, field.name)[:count].copy() for field in fields(graph)})
