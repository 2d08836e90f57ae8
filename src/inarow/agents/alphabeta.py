"""alphabeta: minimax with alpha–beta pruning."""

from __future__ import annotations

from dataclasses import dataclass

from inarow.agents.parameters import AgentError, choice, integer, switch
from inarow.agents.searching import Searcher
from inarow.kernels.alphabeta import Entry
from inarow.kernels.common import evaluate as kernel_setup
from inarow.kernels.common.evaluate import SearchSetup
from inarow.kernels.lang.records import size_of
from inarow.memory import check_memory
from inarow.rules import Game

ORDERINGS = {
    "none": kernel_setup.NONE,
    "centre": kernel_setup.CENTRE,
    "threats": kernel_setup.THREATS,
    "history": kernel_setup.HISTORY,
}
ROOTS = {"proven": kernel_setup.PROVEN, "full": kernel_setup.FULL, "carried": kernel_setup.CARRIED}
ENTRY_BYTES = size_of(Entry)


@dataclass(frozen=True)
class AlphaBeta(Searcher):
    """Minimax with pruning; each improvement is a switch, and none changes the value or the set of best moves."""

    name = "alphabeta"
    summary = "minimax with alpha–beta pruning"
    ordering: str = choice(
        "centre",
        tuple(ORDERINGS),
        "which moves are tried first: in ascending order; nearest the centre; wins, blocks and new threats; history "
        "heuristic",
    )
    tt: bool = switch(False, "transposition table: positions reached again are looked up")
    tt_mb: int = integer(32, "size of the transposition table in MB", low=1, high=1 << 20)
    iterative_deepening: bool = switch(False, "whether it searches 1, 2, … plies deep to try the best moves first")
    symmetry: bool = switch(False, "whether the transposition table treats mirror images as the same position")
    root: str = choice(
        "proven",
        tuple(ROOTS),
        "which root moves get an exact value: proven: the best ones, each tie proven; full: all; carried: as in "
        "textbooks, those better than all before them, so that the first of equal moves is played",
    )

    def check(self, game: Game) -> None:
        super().check(game)
        if self.root == "carried" and self.ties in ("centre", "random"):
            raise AgentError(
                f"agent alphabeta: root=carried finds only the first of equal moves, and ties={self.ties} chooses "
                "among all of them; use root=proven, or ties=first"
            )
        if self.symmetry and not self.tt:
            raise AgentError("agent alphabeta: symmetry=on needs tt=on: mirror images are looked up there")
        if self.tt:
            check_memory("agent alphabeta", "tt_mb", self.tt_mb, AgentError)

    @property
    def deepens(self) -> bool:
        return self.iterative_deepening

    @property
    def tt_entries(self) -> int:
        return 1 << ((self.tt_mb << 20) // ENTRY_BYTES).bit_length() - 1 if self.tt else 1

    @property
    def proves(self) -> str:
        return self.root

    @property
    def order(self) -> str:
        return "none" if self.ordering == "none" else "centre"

    def write_switches(self, setup: SearchSetup) -> None:
        setup.prune = True
        setup.ordering = ORDERINGS[self.ordering]
        setup.use_tt = self.tt
        setup.use_symmetry = self.symmetry
        setup.root = ROOTS[self.root]
