"""What minimax and alphabeta share: their parameters, and what of them the compiled search reads."""

from __future__ import annotations

from abc import abstractmethod
from dataclasses import dataclass, field
from typing import Any

from inarow.agents.base import Agent, Mind
from inarow.agents.evaluator_specs import evaluator_field
from inarow.agents.evaluators import Evaluator, Windows, new_setup
from inarow.agents.learned import Learned
from inarow.agents.move_order import move_masks
from inarow.agents.parameters import Number, choice, integer, number
from inarow.agents.ties import ties_field
from inarow.kernels.common.evaluate import POINTS, SearchSetup
from inarow.models.network import Network
from inarow.randomness import Stream
from inarow.rules import Game, Player

FULL = 64
"""A depth that no board has."""
WIN = 1_000_000
"""Units of a win, less one for each stone on the board, so that faster wins are preferred."""
UNLIMITED = 1 << 60
USUAL_DEPTH = 6
"""The same for minimax and alphabeta, so that they choose the same moves."""


@dataclass(frozen=True)
class DepthKind(Number):
    """A number of plies; ``full`` looks to the end of the game."""

    @property
    def wanted(self) -> str:
        return "a whole number from 1, full, or auto"

    def read(self, text: str) -> Any:
        return FULL if text == "full" else super().read(text)

    def format(self, value: Any) -> str:
        return "full" if value == FULL else super().format(value)


def depth_field() -> Any:
    """A field for the depth of a search."""
    text = f"plies to look ahead; auto: {USUAL_DEPTH}, or as many as nodes or seconds allow when one of them is given"
    return field(default=None, metadata={"kind": (DepthKind, {"help": text, "low": 1, "high": FULL, "none": "auto"})})


@dataclass(frozen=True)
class Searcher(Agent):
    """Looks ahead to a depth, and evaluates where it stops."""

    depth: int | None = depth_field()
    nodes: int | None = integer(None, "most nodes per decision, deepening ply by ply", low=1, none="any")
    seconds: float | None = number(
        None, "most seconds per decision, deepening ply by ply", low=0.001, high=86400, none="any"
    )
    eval: Evaluator = evaluator_field(Windows(), "what a position is worth where the search stops")  # noqa: RUF009
    solver: str = choice(
        "auto",
        ("auto", "on", "off"),
        "whether the solver is asked first, with 90 % of the nodes or seconds; the search gets the rest; auto: with a "
        "network and a limit in seconds",
    )
    ties: str = ties_field("first")

    @property
    def plies(self) -> int | None:
        """How deep it looks; None for as deep as the other limits allow."""
        if self.depth is None and self.nodes is None and self.seconds is None:
            return USUAL_DEPTH
        return self.depth

    def in_use(self, name: str) -> Any:
        return self.plies if name == "depth" else super().in_use(name)

    @property
    def asks_solver(self) -> bool:
        """Whether the solver is asked before it searches."""
        return self.solver == "on" or (
            self.solver == "auto" and isinstance(self.eval, Learned) and self.seconds is not None
        )

    def check(self, game: Game) -> None:
        self.eval.check(game)

    def network_in(self, game: Game) -> Network | None:
        return self.eval.network(game)

    def mind(self, game: Game, player: Player, seed: int) -> Mind:
        from inarow.agents.search_mind import SearchMind

        return SearchMind(self, game, Stream(seed))

    @property
    def deepens(self) -> bool:
        """Whether it searches 1, 2, … plies deep even when only the depth is limited."""
        return False

    @property
    def tt_entries(self) -> int:
        """The size of the table that a mind keeps; a power of two."""
        return 1

    @property
    def proves(self) -> str:
        """Which root moves get an exact value (see `SearchSetup.root`): full, proven or carried."""
        return "full"

    @property
    @abstractmethod
    def order(self) -> str:
        """The order in which the root's moves, and those of others where nothing is known, are tried."""

    @abstractmethod
    def write_switches(self, setup: SearchSetup) -> None:
        """Put the switches of this kind of search where the kernel looks for them."""

    def new_setup(self, game: Game, searcher: Player) -> SearchSetup:
        """Return what the kernel reads for a decision of this player."""
        setup = new_setup(game, self.eval, move_masks(game, self.order))
        setup.symmetries = len(game.cell_symmetries)
        for which, image in enumerate(game.cell_symmetries):
            for cell, bit in enumerate(game.cell_bits):
                setup.images[which, bit.bit_length() - 1] = game.cell_bits[image[cell]]
        setup.win, setup.stone_cost, setup.searcher = WIN * POINTS, POINTS, searcher
        self.write_switches(setup)
        return setup
