"""What minimax and alphabeta share: their parameters, and the mind that runs the compiled search."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import NDArray

from inarow.agents.base import Agent, Decision, Mind
from inarow.agents.evaluators import Evaluator, Windows, evaluator_field, value_of, write_evaluator, write_game
from inarow.agents.parameters import AgentError, Number, choice, integer, number, switch
from inarow.agents.ties import centre_first, pick, ties_field
from inarow.bits import MAX_BITS
from inarow.kernels.alphabeta import counting, search, transposition
from inarow.kernels.common import search_layout
from inarow.limits import Limit
from inarow.randomness import Stream
from inarow.rules import Game, Player, Position
from inarow.stopping import Stop

FULL = 64
"""A depth that no board has."""
UNLIMITED = 1 << 60
Ints = NDArray[np.int64]


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


def depth_field(usual: int) -> Any:
    """A field for the depth of a search."""
    text = f"plies to look ahead; auto: {usual}, or as many as nodes or seconds allow when one of them is given"
    kind = {"help": text, "low": 1, "high": FULL, "none": "auto"}
    return field(default=None, metadata={"kind": (DepthKind, kind), "usual": usual})


@dataclass(frozen=True)
class Searcher(Agent):
    """Looks ahead to a depth, and evaluates where it stops."""

    depth: int | None = depth_field(4)
    nodes: int | None = integer(None, "most nodes a decision, deepening ply by ply", low=1, none="any")
    seconds: float | None = number(
        None, "most seconds a decision, deepening ply by ply", low=0.001, high=86400, none="any"
    )
    eval: Evaluator = evaluator_field(Windows(), "what a position is worth where the search stops")  # noqa: RUF009
    view: str = choice(
        "searcher",
        ("searcher", "mover", "first", "second"),
        "for whom a leaf is evaluated: who searches; who is to move there; or who is to move there, but counted for "
        "the first (or second) player whoever that is, as two of the reports' programs did",
    )
    win: float | None = number(
        1_000_000, "units for a win; open: as many as there are moves left, plus one", low=1, high=10**9, none="open"
    )
    loss: float | None = number(None, "units off for a loss", low=1, high=10**9, none="as-win")
    sooner: bool = switch(True, "whether a win counts a unit less for every stone on the board")
    ties: str = ties_field("first")

    @property
    def plies(self) -> int | None:
        """How deep it looks; None for as deep as the other limits allow."""
        if self.depth is None and self.nodes is None and self.seconds is None:
            usual: int = type(self).__dataclass_fields__["depth"].metadata["usual"]
            return usual
        return self.depth

    def check(self, game: Game) -> None:
        self.eval.check(game)
        if self.win is None and self.loss is not None:
            raise AgentError(f"agent {self.name}: loss={self.loss:g} contradicts win=open, which scores both alike")
        for name, value in (("win", self.win), ("loss", self.loss)):
            if self.sooner and value is not None and value <= game.cells:
                raise AgentError(
                    f"agent {self.name}: {name}={value:g} is too little with sooner=on, which takes off one for "
                    f"each of the {game.cells} cells of {game}; give more, or sooner=off"
                )

    def mind(self, game: Game, player: Player, seed: int) -> Mind:
        return SearchMind(self, game, Stream(seed))

    @property
    def deepens(self) -> bool:
        """Whether it searches 1, 2, … plies deep even when only the depth is limited."""
        return False

    @property
    def table_entries(self) -> int:
        """The size of the table that a mind keeps; a power of two."""
        return 1

    def order(self, game: Game, moves: Sequence[int]) -> list[int]:
        """The order in which the root's moves, and those of others where nothing is known, are tried."""
        return list(moves)

    @abstractmethod
    def write_switches(self, setup: Ints, game: Game) -> None:
        """Put the switches of this kind of search where the kernel looks for them."""

    def write_setup(self, game: Game, searcher: Player) -> Ints:
        """All that the kernel reads, for decisions of this player."""
        setup = np.zeros(search_layout.SIZE, dtype=np.int64)
        write_game(setup, game)
        write_evaluator(setup, game, self.eval)
        write_order(setup, game, self.order(game, range(game.moves)))
        write_symmetries(setup, game)
        win, loss = self.win or 0, self.loss or self.win or 0
        setup[search_layout.SOONER] = search_layout.POINTS if self.sooner else 0
        for seat in Player:
            setup[search_layout.WIN + seat] = round((win if seat is searcher else loss) * search_layout.POINTS)
            setup[search_layout.SWAP + seat] = self.view == "searcher" and seat is not searcher
            for_other = {"searcher": seat is not searcher, "first": seat == 1, "second": seat == 0}
            setup[search_layout.SIGN + seat] = -1 if for_other.get(self.view, False) else 1
        self.write_switches(setup, game)
        return setup


def write_order(setup: Ints, game: Game, moves: Sequence[int]) -> None:
    """Put the order in which moves are tried where the kernel looks for it."""
    setup[search_layout.ORDER : search_layout.ORDER + game.moves] = [game.move_masks[move] for move in moves]


def write_symmetries(setup: Ints, game: Game) -> None:
    """Put the image of every bit under every symmetry where the kernel looks for it."""
    setup[search_layout.SYMMETRIES] = len(game.cell_symmetries)
    for which, image in enumerate(game.cell_symmetries):
        for cell, bit in enumerate(game.cell_bits):
            at = search_layout.IMAGES + which * MAX_BITS + bit.bit_length() - 1
            setup[at] = game.cell_bits[image[cell]]


@dataclass
class RootResult:
    """The best known of the root moves at one depth."""

    depth: int
    """Plies that all moves were searched to; the moves in ``points`` may be one ply further."""
    points: dict[int, int]
    """By move, those whose points are exact."""
    best: list[int]
    lines: dict[int, tuple[int, ...]]


class SearchMind(Mind):
    """The search at work: arrays that the kernel reads and writes, and a random stream for ties."""

    def __init__(self, agent: Searcher, game: Game, stream: Stream) -> None:
        search.warm()
        self.agent = agent
        self.game = game
        self.stream = stream
        self.generation = 0
        self.setups: dict[Player, Ints] = {}
        self.work = np.zeros(search.SIZE, dtype=np.int64)
        self.table = np.zeros(agent.table_entries * transposition.WORDS, dtype=np.int64)

    def think(self, position: Position, limit: Limit, stop: Stop | None) -> Decision:
        agent = self.agent
        limit = Limit(depth=agent.plies, nodes=agent.nodes, seconds=agent.seconds).tightened(limit)
        deepest = min(limit.depth or FULL, self.game.cells - position.ply)
        deepens = agent.deepens or limit.nodes is not None or limit.seconds is not None
        work = self.work
        work[: search.LINES] = 0
        work[counting.LIMIT] = limit.nodes or UNLIMITED
        self.generation += 1
        work[search.GENERATION] = self.generation
        own_stop = Stop(within=stop)
        begun = self.clock.now()
        found = None
        with self.clock.alarm(limit.seconds, own_stop):
            for depth in range(1 if deepens else deepest, deepest + 1):
                found = self._search(position, depth, own_stop, found)
                late = limit.seconds is not None and self.clock.now() >= begun + limit.seconds
                if late or work[counting.STOPPED]:
                    break
        return self._decision(position, found)

    def _search(self, position: Position, depth: int, stop: Stop, before: RootResult | None) -> RootResult | None:
        """Search to one depth, the best of the depth before first; if stopped, the best of what is known."""
        moves = self.agent.order(self.game, position.legal_moves())
        if before is not None:
            moves.sort(key=lambda move: move not in before.best)
        cells = np.array([position.stone(move) for move in moves], dtype=np.int64)
        values = np.empty(len(moves), dtype=np.int64)
        lines = np.empty((len(moves), MAX_BITS + 1), dtype=np.int64)
        finished = search.search_root(
            position.mover,
            position.waiter,
            depth,
            position.ply,
            self._setup(position.to_move),
            self.work,
            self.table,
            stop.flag,
            cells,
            values,
            lines,
        )
        if finished == 0:
            return before
        values = values[:finished]
        exact = values >= np.maximum.accumulate(values) if self._narrow else np.ones(finished, dtype=np.bool_)
        points = {move: int(v) for move, v, sure in zip(moves, values.tolist(), exact, strict=False) if sure}
        most = max(points.values())
        best = sorted(move for move, value in points.items() if value == most)
        return RootResult(
            depth=depth if finished == len(moves) else depth - 1,
            points=points,
            best=best,
            lines={moves[i]: self._line(lines[i]) for i in range(finished)},
        )

    @property
    def _narrow(self) -> bool:
        setup = next(iter(self.setups.values()))
        return bool(setup[search_layout.PRUNE]) and not setup[search_layout.EXACT]

    def _setup(self, searcher: Player) -> Ints:
        if searcher not in self.setups:
            self.setups[searcher] = self.agent.write_setup(self.game, searcher)
        return self.setups[searcher]

    def _line(self, bits: Ints) -> tuple[int, ...]:
        moves = []
        for bit in bits.tolist():
            if bit < 0:
                break
            moves.append(self.game.move_of_bit(bit))
        return tuple(moves)

    def _decision(self, position: Position, found: RootResult | None) -> Decision:
        work = self.work
        nodes = int(work[counting.NODES])
        if found is None:  # stopped before it could look at a single move
            return Decision(centre_first(self.game, position.legal_moves())[0], nodes=nodes, depth=0)
        move = pick(self.game, found.best, self.agent.ties, self.stream)
        visits = work[counting.VISITS + 1 : counting.VISITS + 64]
        points = dict(sorted(found.points.items()))
        return Decision(
            move,
            value=self._value(position, points[move]),
            points=points[move],
            values={m: self._value(position, p) for m, p in points.items()},
            by_move={"points": points},
            nodes=nodes,
            depth=found.depth,
            line=found.lines[move],
            details={
                "leaves": int(work[counting.LEAVES]),
                "cutoffs": int(work[counting.CUTOFFS]),
                "visits_by_ply": visits[: int(np.count_nonzero(visits))].tolist(),
                "best": [m + 1 for m in found.best],
            },
        )

    def _value(self, position: Position, points: int) -> float:
        """Points as a value: ±1 from the least win on."""
        setup = self._setup(position.to_move)
        winner = position.to_move if points > 0 else position.to_move.other
        least = int(setup[search_layout.WIN + winner]) - int(setup[search_layout.SOONER]) * self.game.cells
        if self.agent.win is not None and abs(points) >= least:
            return 1.0 if points > 0 else -1.0
        return value_of(points)
