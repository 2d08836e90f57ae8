"""What minimax and alphabeta share: their parameters, and what of them the compiled search reads."""

from __future__ import annotations

from abc import abstractmethod
from dataclasses import dataclass, field
from typing import Any

from inarow.agents.base import Mind
from inarow.agents.evaluator_specs import evaluator_field
from inarow.agents.evaluators import Evaluator, Windows, new_setup
from inarow.agents.learned import Learned
from inarow.agents.move_order import move_masks
from inarow.agents.parameters import AgentError, Number, choice, faults_field, integer, number, switch
from inarow.agents.presets import PresetAgent, preset_field
from inarow.agents.search_presets import FULL, PRESETS
from inarow.agents.ties import ties_field
from inarow.kernels.common.setup import BY_POINTS, EVALUATED, POINTS, SCORED, SearchSetup
from inarow.randomness import Stream
from inarow.rules import FIRST, Game, Player

ENDS = {"scored": SCORED, "evaluated": EVALUATED, "points": BY_POINTS}
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


FAULTS = {
    "wins-for-x": "a win counts for X, whichever side searches",
    "extra-ply": "a limit of d searches d + 1 plies",
    "full-is-zero": "with ends=points a full board is worth 0, also when its last stone wins",
    "score-as-move": "the score is played as a move, as the program counts it: with view=first for the first player",
}


@dataclass(frozen=True)
class Searcher(PresetAgent):
    """Looks ahead to a depth, and evaluates where it stops."""

    presets = PRESETS
    preset: str = preset_field(PRESETS)
    depth: int | None = depth_field()
    nodes: int | None = integer(None, "most nodes per decision, deepening ply by ply", low=1, none="any")
    seconds: float | None = number(
        None, "most seconds per decision, deepening ply by ply", low=0.001, high=86400, none="any"
    )
    eval: Evaluator = evaluator_field(Windows(), "what a position is worth where the search stops")  # noqa: RUF009
    view: str = choice(
        "searcher",
        ("searcher", "mover", "first", "second", "own"),
        "for whom a leaf is evaluated: who searches; who is to move there; or who is to move there, but counted for "
        "the first (or second) player, or for the side that searches, as two of the reports' programs did",
    )
    win: float | None = number(
        1_000_000, "units for a win; open: as many as there are moves left, plus one", low=1, high=10**14, none="open"
    )
    loss: float | None = number(None, "units subtracted for a loss", low=1, high=10**14, none="as-win")
    sooner: bool = switch(True, "whether a win counts a unit less for every stone on the board")
    sooner_from: str = choice(
        "board",
        ("board", "root"),
        "sooner counts the stones on the board, or the plies after the root's own move",
        True,
    )
    ends: str = choice(
        "scored",
        tuple(ENDS),
        "how a finished game is scored: by win and loss; by its evaluation, like a leaf; or, with points, lines are "
        "not looked for, and only an evaluation above the limit over ends a line of play",
        hidden=True,
    )
    over: float = number(
        100, "with ends=points: units, for either side, above which a line of play ends", low=0, high=10**9, hidden=True
    )
    solve: str = choice(
        "auto",
        ("auto", "on", "off"),
        "whether the solver is asked first, with 90 % of the nodes or seconds; the search gets the rest; auto: with a "
        "network and a limit in seconds",
    )
    ties: str = ties_field("first", tried=True)
    letter: str = choice(
        "seat",
        ("seat", "x", "o"),
        "the letter of the searching side, where a report's program treats X and O differently; seat: X moves first",
        hidden=True,
    )
    counting: str = choice("below", ("below", "root"), "whether the root counts as a node", hidden=True)
    faults: tuple[str, ...] = faults_field(FAULTS)

    @property
    def plies(self) -> int | None:
        """How deep it looks; None for as deep as the other limits allow."""
        depth = self.depth
        if depth is None and self.nodes is None and self.seconds is None:
            depth = USUAL_DEPTH
        return depth + 1 if depth is not None and "extra-ply" in self.faults else depth

    def in_use(self, name: str) -> Any:
        return self.plies if name == "depth" else super().in_use(name)

    @property
    def asks_solver(self) -> bool:
        """Whether the solver is asked before it searches."""
        return self.solve == "on" or (
            self.solve == "auto" and isinstance(self.eval, Learned) and self.seconds is not None
        )

    def check_settings(self, game: Game) -> None:
        self.eval.check(game)
        if self.ends != "scored" and isinstance(self.eval, Learned):
            raise AgentError(
                f"agent {self.name}: ends={self.ends} asks the evaluator for finished games, and eval=ntuple knows "
                "nothing of them; leave one of the two out"
            )
        if self.win is None and self.loss is not None:
            raise AgentError(
                f"agent {self.name}: loss={self.loss:g} contradicts win=open, which scores both in the same way"
            )
        for name, value in (("win", self.win), ("loss", self.loss)):
            if self.sooner and value is not None and value <= game.cells:
                raise AgentError(
                    f"agent {self.name}: {name}={value:g} is too small with sooner=on, which subtracts one for "
                    f"each of the {game.cells} cells of {game}; give more, or sooner=off"
                )

    def settled_mind(self, game: Game, player: Player, seed: int) -> Mind:
        from inarow.agents.search_mind import SearchMind

        return SearchMind(self, game, Stream(seed))

    @property
    def deepens(self) -> bool:
        """Whether it searches 1, 2, … plies deep even when only the depth is limited."""
        return False

    @property
    def table_entries(self) -> int:
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

    def player_x(self, searcher: Player) -> Player:
        """Who plays X."""
        return {"x": searcher, "o": searcher.other}.get(self.letter, FIRST)

    def counted_for(self, searcher: Player) -> Player:
        """The player whom a higher score is better for, in the program that `view` comes from."""
        player_x = self.player_x(searcher)
        return {"first": player_x, "second": player_x.other}.get(self.view, searcher)

    def new_setup(self, game: Game, searcher: Player, ply: int) -> SearchSetup:
        """Return what the kernel reads, for a decision of this player with this number of stones on the board."""
        setup = new_setup(game, self.eval, move_masks(game, self.order))
        setup.symmetries = len(game.cell_symmetries)
        for which, image in enumerate(game.cell_symmetries):
            for cell, bit in enumerate(game.cell_bits):
                setup.images[which, bit.bit_length() - 1] = game.cell_bits[image[cell]]
        self._write_ends(setup, searcher, ply)
        counted_for = self.counted_for(searcher)
        for seat in Player:
            setup.swap[seat] = self.view == "searcher" and seat is not searcher
            setup.sign[seat] = 1 if self.view == "mover" or seat is counted_for else -1
        if "wins-for-x" in self.faults and searcher is not self.player_x(searcher):
            setup.win[:] *= -1
            setup.stone_cost *= -1
        self.write_switches(setup)
        return setup

    def _write_ends(self, setup: SearchSetup, searcher: Player, ply: int) -> None:
        """Write what the end of a game is worth."""
        win, loss = self.win or 0, self.loss or self.win or 0
        setup.stone_cost = POINTS if self.sooner else 0
        ahead = setup.stone_cost * (ply + 1) if self.sooner_from == "root" and self.win is not None else 0
        for seat in Player:
            setup.win[seat] = round((win if seat is searcher else loss) * POINTS) + ahead
        setup.ends = ENDS[self.ends]
        setup.over = round(self.over * POINTS)
        setup.full_is_zero = "full-is-zero" in self.faults
