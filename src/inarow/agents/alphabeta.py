"""alphabeta: the decisions of minimax, without the lines of play that can't matter."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from inarow.agents.parameters import AgentError, choice, integer, switch
from inarow.agents.ram_check import check_memory
from inarow.agents.searching import Ints, Searcher, depth_field
from inarow.agents.ties import centre_first
from inarow.kernels.alphabeta import transposition
from inarow.kernels.common import search_layout
from inarow.rules import Game

ORDERINGS = {
    "none": search_layout.NONE,
    "centre": search_layout.CENTRE,
    "threats": search_layout.THREATS,
    "history": search_layout.HISTORY,
}
ENTRY_BYTES = 8 * transposition.WORDS


@dataclass(frozen=True)
class AlphaBeta(Searcher):
    """Minimax with pruning; each improvement is a switch, and none changes the value or the set of best moves."""

    name = "alphabeta"
    summary = "the decisions of minimax, without the lines of play that can't matter"
    depth: int | None = depth_field(6)
    ordering: str = choice(
        "centre",
        tuple(ORDERINGS),
        "which moves are tried first: in ascending order; nearest the centre; wins, blocks and new threats; or those "
        "that cut off most so far",
    )
    table: bool = switch(False, "whether positions reached again are looked up")
    table_mb: int = integer(32, "size of that table in MB", low=1, high=1 << 20)
    deepening: bool = switch(False, "whether it searches 1, 2, … plies deep to try the best moves first")
    symmetry: bool = switch(False, "whether the table takes mirror images for the same position")
    values: bool = switch(False, "whether every move gets its exact value, at the cost of more nodes")

    def check(self, game: Game) -> None:
        super().check(game)
        if self.symmetry and not self.table:
            raise AgentError("agent alphabeta: symmetry=on needs table=on: mirror images are looked up there")
        if self.symmetry and not self.eval.mirrors:
            raise AgentError(
                f"agent alphabeta: symmetry=on needs an evaluator that sees mirror images alike, and {self.eval.name} "
                "does not; use symmetry=off"
            )
        if self.table:
            check_memory("agent alphabeta", "table_mb", self.table_mb)

    @property
    def deepens(self) -> bool:
        return self.deepening

    @property
    def table_entries(self) -> int:
        return 1 << ((self.table_mb << 20) // ENTRY_BYTES).bit_length() - 1 if self.table else 1

    def order(self, game: Game, moves: Sequence[int]) -> list[int]:
        return list(moves) if self.ordering == "none" else centre_first(game, moves)

    def write_switches(self, setup: Ints, game: Game) -> None:
        setup[search_layout.PRUNE] = True
        setup[search_layout.ORDERING] = ORDERINGS[self.ordering]
        setup[search_layout.TABLE] = self.table
        setup[search_layout.SYMMETRY] = self.symmetry
        setup[search_layout.EXACT] = self.values
