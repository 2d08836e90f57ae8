"""An n-tuple network: its weights, its values of a position's moves, and what a value is made of.

The network sums weights and takes the hyperbolic tangent of the sum, once forced blocks are played. Which weights it
sums is read from its own kernel.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from enum import StrEnum
from functools import cached_property, lru_cache
from typing import Any

import numpy as np
from numpy.typing import NDArray

from inarow.bits import lowest
from inarow.kernels.common import tactics
from inarow.kernels.lang.records import write_fields
from inarow.kernels.ntuple import network as kernel
from inarow.kernels.ntuple import points
from inarow.kernels.ntuple.network import Net, NetworkRules, Work
from inarow.models.files import ModelError, ModelFile
from inarow.models.layout import Layout
from inarow.rules import Game, Player, Position

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
    def rules(self) -> NetworkRules:
        """The game, the shape of the network and where its tables begin, as kernels read them."""
        game, layout = self.game, self.layout
        rules = NetworkRules()
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
        kernel.judge(self.net, work, position.own, position.opp, float(self.gamma), values)
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


_TINY_SUM = 1e-9


class Part(StrEnum):
    """What a weight looks at."""

    TUPLE = "tuple"
    THREATS = "threats"
    MEMORY = "memory"


@dataclass(frozen=True)
class Contribution:
    """A part of a value, positive if it speaks for the move."""

    part: Part
    cells: tuple[int, ...]
    """The cells of a tuple, row by row from the top left; for threats the winning cells that count; none for the
    memory, which looks at the position as a whole."""
    owners: tuple[Player, ...]
    """For threats, whose winning cell each of ``cells`` is."""
    columns: tuple[int, ...]
    """For threats, the two columns; else none."""
    weight: float
    """What it adds to the sum whose tangent is the value."""
    share: float
    """Its share of the value: all shares add up to it."""


@dataclass(frozen=True)
class Explanation:
    """The value of a move, taken apart. All is for the side that makes the move."""

    move: int
    value: float
    """As `Network.judge` gives it."""
    blocks: tuple[int, ...]
    """Forced blocks after the move; the contributions are of the position behind them."""
    settled: str
    """``win``, ``draw`` or ``loss`` where the end of the game or tactics decide; there are no contributions then."""
    discount: float
    """What the tangent is multiplied by: gamma for every ply up to the position that is estimated."""
    contributions: tuple[Contribution, ...]
    """The largest share first, whichever its sign."""

    @property
    def total(self) -> float:
        """The sum of the weights."""
        return sum(one.weight for one in self.contributions)


def contributions(network: Network, position: Position, move: int) -> Explanation:
    """What the network's value of a legal move is made of."""
    game, layout = network.game, network.layout
    value = network.judge(position)[move]
    work = network.work()
    network.set_up(work, position)
    count = layout.features + layout.wide_features
    parts = kernel.Parts(np.zeros(count), *(np.zeros(size, np.int64) for size in (count, count, game.cells + 1)))
    stone = position.play(move).occupied ^ position.occupied
    estimated, forced = kernel.take_apart(network.net, work, position.own, position.opp, stone, parts)
    blocks = tuple(game.move_of_bit(lowest(int(cell))) for cell in parts.blocks[:forced])
    discount = network.gamma ** (1 + len(blocks))
    if not estimated:
        verdict = "draw" if value == 0 else "win" if value > 0 else "loss"
        return Explanation(move, value, blocks, verdict, discount, ())
    total = float(parts.weights.sum())
    scale = value / total if abs(total) > _TINY_SUM else discount
    merged: dict[tuple[Part, tuple[int, ...], tuple[Player, ...], tuple[int, ...]], float] = {}
    for key, weight in zip(_looks(layout, parts), parts.weights.tolist(), strict=True):
        merged[key] = merged.get(key, 0.0) + weight
    found = [Contribution(*key, weight, weight * scale) for key, weight in merged.items() if weight]
    found.sort(key=lambda one: -abs(one.share))
    return Explanation(move, value, blocks, "", discount, tuple(found))


def forced_blocks(position: Position) -> tuple[bool, tuple[int, ...]]:
    """Whether nothing is settled once the forced blocks are played, and those blocks as moves."""
    game = position.game
    found = np.zeros(game.cells + 1, np.int64)
    rules = game.k, game.stride, game.board, game.bottom, game.gravity
    status, count = tactics.settled(position.own, position.opp, *rules, found)
    return status == tactics.QUIET, tuple(game.move_of_bit(lowest(int(cell))) for cell in found[:count])


def _looks(
    layout: Layout, parts: kernel.Parts
) -> Iterator[tuple[Part, tuple[int, ...], tuple[Player, ...], tuple[int, ...]]]:
    """What every feature looks at, in their order."""
    for cells in images(layout):
        yield Part.TUPLE, cells, (), ()
    bits = layout.game.cell_bits
    for at, (_, one, two, _) in enumerate(layout.pairs, start=layout.features):
        sides = int(parts.first[at]), int(parts.second[at])
        both = [(cell, owner) for owner in Player for cell, bit in enumerate(bits) if sides[owner] & bit]
        cells, owners = tuple(cell for cell, _ in both), tuple(owner for _, owner in both)
        yield Part.THREATS, cells, owners, (min(one, two), max(one, two))
    if layout.memory:
        yield Part.MEMORY, (), (), ()


def images(layout: Layout) -> tuple[tuple[int, ...], ...]:
    """The cells that every feature looks at: the tuples under every symmetry."""
    return _images_of(layout.game, layout.tuples)


@lru_cache(maxsize=8)
def _images_of(game: Game, tuples: tuple[tuple[int, ...], ...]) -> tuple[tuple[int, ...], ...]:
    return tuple(tuple(sorted(image[cell] for cell in cells)) for image in game.cell_symmetries for cells in tuples)
