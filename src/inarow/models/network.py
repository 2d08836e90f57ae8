"""An n-tuple network at work: the layout, its weights, and what it thinks of a position's moves."""

from __future__ import annotations

from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from inarow.kernels.lang.records import write_fields
from inarow.kernels.ntuple import network, points
from inarow.kernels.ntuple.network import Net, Rules, Work
from inarow.models.files import ModelError, ModelFile
from inarow.models.ntuple import Layout
from inarow.rules import Game, Position

TINY = 1e-6
MAX_TUPLES = 1000
MAX_WEIGHT = 1e9
"""Weights that learn stay far below it, because the tangent of their sum goes to 1."""
MARGIN = 32


class Network:
    """Weights for both sides to move; values are for the side to move and shrink by ``gamma`` a ply.

    ``tactics``: a win at hand, a forced block and two threats at once are seen, not estimated.
    """

    def __init__(
        self,
        layout: Layout,
        *,
        gamma: float = 1.0,
        tactics: bool = True,
        weights: NDArray[np.float32] | None = None,
    ) -> None:
        self.layout = layout
        self.game = layout.game
        self.gamma = gamma
        self.tactics = tactics
        self.weights = weights if weights is not None else np.zeros((2, layout.size), np.float32)

    @cached_property
    def rules(self) -> Rules:
        """The game, the shape of the network and where its tables begin, as kernels read them."""
        game, layout = self.game, self.layout
        rules = Rules()
        write_fields(
            rules, game.k, game.stride, game.board, game.bottom, game.gravity, self.tactics,
            layout.features, len(layout.units), layout.following.shape[1], *layout.touched.shape[1:],
            layout.size, layout.empty_content, len(layout.pairs), layout.codes, layout.memory,
            *map(int, layout.begins),
        )  # fmt: skip
        return rules

    @property
    def net(self) -> Net:
        """The network as kernels read it."""
        return Net(self.weights.reshape(-1), self.layout.tables, self.rules)

    def work(self, rows: int = 0) -> Work:
        """Room for kernels to work in, with a log of this many rows; and a margin, so that no two threads write to one
        line of the cache."""
        features, wide = self.layout.features, self.layout.wide_features
        return Work(
            index=np.zeros((2 + rows) * features + (1 + rows) * wide + MARGIN, np.int32),
            contents=np.zeros(2 * len(self.layout.units) + MARGIN, np.int64),
            forced=np.zeros(self.game.cells + 1 + MARGIN, np.int64),
            held=np.zeros(2 * features + MARGIN, np.float32),
        )

    @cached_property
    def whole(self) -> Net:
        """The network with weights in whole points, as searches read it. It is made once: for networks that learn no
        more."""
        most = np.iinfo(np.int32).max // points.SCALE
        weights = np.rint(np.clip(self.weights.astype(np.float64), -most, most) * points.SCALE)
        return Net(weights.astype(np.int32).reshape(-1), self.layout.tables, self.rules)

    def whole_work(self) -> Work:
        """Room for kernels that take whole weights."""
        return self.work()._replace(held=np.zeros(self.layout.features + MARGIN, np.int32))

    def set_up(self, work: Work, position: Position) -> None:
        """Put a position on the board that kernels work with."""
        content = self.layout.contents(position)
        work.index[: self.layout.features] = self.layout.indices(content)
        work.contents[: content.size] = content

    def prepare(self) -> Net:
        """Make all that is made once, so that no decision has to wait for it; the network as searches read it."""
        self.set_up(self.whole_work(), Position.start(self.game))
        return self.whole

    def judge(self, position: Position) -> dict[int, float]:
        """The value of every legal move to the side to move."""
        work = self.work()
        self.set_up(work, position)
        values = np.zeros(self.game.moves)
        network.judge(self.net, work, position.mover, position.waiter, float(self.gamma), values)
        return {move: float(values[move]) for move in position.legal_moves()}

    def header(self) -> dict[str, Any]:
        """What a file must say so that the network can be made again."""
        cells = [[cell + 1 for cell in tuple_] for tuple_ in self.layout.tuples]
        layout = self.layout
        wide = {"threats": layout.threats, "memory": layout.memory}
        return {"tuples": cells, **wide, "gamma": self.gamma, "tactics": self.tactics}


def read_network(file: ModelFile, game: Game) -> Network:
    """The network of a model file for this game."""
    made = file.header.get("model")
    try:
        if not isinstance(made, dict) or not isinstance(made["tuples"], list) or len(made["tuples"]) > MAX_TUPLES:
            raise TypeError("its tuples are missing or too many")
        tuples = tuple(tuple(int(cell) - 1 for cell in cells) for cells in made["tuples"])
        gamma, tactics = float(made["gamma"]), bool(made["tactics"])
        threats, memory = bool(made.get("threats", False)), int(made.get("memory", 0))
        if not 0 <= gamma <= 1:
            raise ValueError(f"a gamma of {gamma}")
    except (KeyError, TypeError, ValueError, OverflowError) as error:
        raise ModelError(f"{file.path}: the header does not describe an n-tuple network ({error})") from None
    try:
        layout = Layout(game, tuples, threats, memory)
    except ModelError as error:
        raise ModelError(f"{file.path}: {error}") from None
    weights = read_weights(file, "half" if file.has("half") else "weights", layout)
    return Network(layout, gamma=gamma, tactics=tactics, weights=weights)


def read_weights(file: ModelFile, name: str, layout: Layout) -> NDArray[np.float32]:
    """The weights of this name in a model file; those called half are stored at half precision."""
    kind = np.float16 if name == "half" else np.float32
    weights = file.array(name, kind, (2, layout.size)).astype(np.float32)
    # Kernels compare sums of weights with each other, so none may be so large that a sum is no number.
    if not (np.abs(weights) <= MAX_WEIGHT).all():
        raise ModelError(f"{file.path}: some weights are not numbers, or too large")
    return weights
