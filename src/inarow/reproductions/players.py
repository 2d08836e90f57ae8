"""Common code of the reports' players: base classes and the minimax search.

The leaf test and the evaluation are in each report's `program` module.
"""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from inarow import bits
from inarow.agents import Agent, AgentError, Decision, Mind
from inarow.agents.base import ChoosingMind
from inarow.agents.parameters import Number, parameter, switch
from inarow.agents.ties import centre_first
from inarow.bits import playable, popcount
from inarow.kernels.lang.jit import kernel
from inarow.kernels.lang.records import record
from inarow.limits import Limit
from inarow.randomness import Stream
from inarow.rules import CONNECT4, FIRST, TICTACTOE, Game, Player, Position
from inarow.rules.game import lines_of
from inarow.stopping import Stop, raised

Ints = NDArray[np.int64]

FULL = 64
"""More plies than any board has."""
INFINITE = 1 << 60
INTERVAL = 1000
"""Nodes between polls of the stop flag."""
EVEN = 20
"""Points that correspond to a value of ½."""


@dataclass(frozen=True)
class ReportAgent(Agent):
    """Base class of the reports' players."""

    group = "Players of the reports R1–R5 (see inarow reproduce)"
    games: ClassVar[Sequence[Game]] = (TICTACTOE, CONNECT4)

    def check(self, game: Game) -> None:
        if game not in self.games:
            known = " and ".join(one.name for one in self.games)
            raise AgentError(f"agent {self.name}: the report's program plays {known}, not {game}")


@dataclass(frozen=True)
class RuleAgent(ReportAgent):
    """A player without search. Plays a random legal move unless a subclass overrides `choose`."""

    needs_kernels = False

    def choose(self, position: Position, stream: Stream) -> int:
        """Return the move to play."""
        return stream.choice(position.legal_moves())

    def mind(self, game: Game, player: Player, seed: int) -> Mind:
        return ChoosingMind(self.choose, seed)


def urgent_moves(position: Position) -> tuple[Sequence[int], Player]:
    """Return the winning moves, or else the blocking ones, and the player whose lines they complete."""
    mover = position.to_move
    wins = position.winning_moves(mover)
    return (wins, mover) if wins else (position.winning_moves(mover.other), mover.other)


# Searches.


@record
class ReportSearch:
    """A search: the game, the report's evaluation and options, and counters of the current decision."""

    k: int
    stride: int
    board: int
    bottom: int
    gravity: bool
    prune: bool
    carries: bool
    """True if the best value so far bounds the next root move."""
    finishes: bool
    """True if a search that runs out of time evaluates the current position instead of giving up."""
    fixed: bool
    variant: bool
    """A program-specific switch."""
    first: bool
    """True if the searching side moved first in the game."""
    win: int
    depth: int
    """Depth of the whole search in plies."""
    masks: NDArray[np.int64]
    """Move order: each mask holds at most one playable cell, and moves are tried mask by mask."""
    windows: NDArray[np.int64]
    starts: NDArray[np.int64]
    """The first cell of each window, if the evaluation needs it."""
    worth: NDArray[np.int64]
    """Points of a window, indexed by 5 · own stones + opponent's stones."""
    flag: NDArray[np.int64]
    nodes: int
    leaves: int
    limit: int
    look: int
    stopped: bool


def visit(search: ReportSearch) -> bool:
    """Count a node and return True. If the search must stop, count nothing and return ``search.finishes``."""
    if search.nodes >= search.look:
        if search.nodes >= search.limit or raised(search.flag) != 0:
            search.stopped = True
            return search.finishes
        search.look = min(search.limit, search.nodes + INTERVAL)
    search.nodes += 1
    return True


Leaf = Callable[[ReportSearch, int, int, int, bool], tuple[bool, int]]
"""Return whether a position is a leaf, and its value for the maximiser. Each program has its own.

Arguments: the search, the stones of the maximiser and the minimiser, the remaining depth, and whether the maximiser
is to move.
"""


def minimax(
    search: ReportSearch, leaf: Leaf, own: int, other: int, depth: int, own_moves: bool, alpha: int, beta: int
) -> int:
    """Return the value of a position for the maximiser, whose stones are ``own``."""
    if not visit(search):
        return 0
    is_leaf, value = leaf(search, own, other, depth, own_moves)
    if is_leaf:
        search.leaves += 1
        return value
    legal = playable(own | other, search.bottom, search.board, search.gravity)
    best = -INFINITE if own_moves else INFINITE
    masks, i = search.masks, -1
    while legal != 0:
        i += 1
        cell = legal & masks[i]
        if cell == 0:
            continue
        legal ^= cell
        if own_moves:
            best = max(best, minimax(search, leaf, own | cell, other, depth - 1, False, alpha, beta))
            alpha = max(alpha, best)
        else:
            best = min(best, minimax(search, leaf, own, other | cell, depth - 1, True, alpha, beta))
            beta = min(beta, best)
        if search.prune and beta <= alpha:
            break
    return best


def search_moves(
    search: ReportSearch, leaf: Leaf, own: int, other: int, maximises: bool, cells: Ints, values: Ints
) -> int:
    """Search the root moves of the side to move (``own``); return the number of moves searched to the end.

    Values are for the side to move, even if it minimises. Each program compiles this as its own kernel.
    """
    best, sign = -INFINITE, 1 if maximises else -1
    for i in range(len(cells)):
        bound = best if search.carries else -INFINITE
        first, second = (own | cells[i], other) if maximises else (other, own | cells[i])
        low, high = (bound, INFINITE) if maximises else (-INFINITE, -bound)
        value = sign * minimax(search, leaf, first, second, search.depth - 1, not maximises, low, high)
        if search.stopped and not search.finishes:
            return i
        values[i] = value
        best = max(best, value)
    return len(cells)


def window_points(search: ReportSearch, own: int, other: int) -> int:
    """Return the points of all windows for the side whose stones are ``own``."""
    points = 0
    for i in range(len(search.windows)):
        window = search.windows[i]
        points += search.worth[5 * popcount(own & window) + popcount(other & window)]
    return points


@kernel
def points_of(search: ReportSearch, own: int, other: int) -> int:
    """Return `window_points`; callable from Python."""
    return window_points(search, own, other)


def worth_table(own: dict[int, int], other: dict[int, int] | None = None) -> Ints:
    """Return a table for `ReportSearch.worth`; ``own`` and ``other`` map stones to points if no other side is there."""
    table = np.zeros(25, np.int64)
    for stones, points in own.items():
        table[5 * stones] = points
    for stones, points in (other or {}).items():
        table[stones] = points
    return table


def new_search(game: Game, worth: Ints, windows: Sequence[int] | None = None, **fields: Any) -> ReportSearch:
    """Return a search with moves in ascending order. The windows are all lines by default.

    ``fields`` sets further fields of the record.
    """
    made = ReportSearch()
    made.k, made.stride, made.board, made.bottom, made.gravity = (
        game.k, game.stride, game.board, game.bottom, game.gravity,
    )  # fmt: skip
    made.masks = np.array(game.move_masks)
    made.windows = np.array(lines_of(game) if windows is None else windows)
    made.worth = worth
    made.flag = np.zeros(1, np.int64)
    made.starts = np.zeros(0, np.int64)
    made.limit = INFINITE
    for name, value in fields.items():
        setattr(made, name, value)
    return made


def warm_search(run: Callable[[ReportSearch, int, int, bool, Ints, Ints], int]) -> None:
    """Load or compile a program's search."""
    table = worth_table({})
    run(new_search(TICTACTOE, table), 0, 0, True, table[:0], table[:0])


def from_centre(game: Game) -> Ints:
    """Return `ReportSearch.masks` that order moves from the centre outwards."""
    return np.array([game.move_masks[move] for move in centre_first(game, range(game.moves))])


@dataclass(frozen=True)
class ReportDepthKind(Number):
    """A number of plies; ``full`` searches to the end of the game."""

    @property
    def wanted(self) -> str:
        return f"an integer from {self.low:.0f}, full, or auto"

    def read(self, text: str) -> Any:
        return FULL if text == "full" else super().read(text)

    def format(self, value: Any) -> str:
        return "full" if value == FULL else super().format(value)


def depth_field(auto: str, low: int = 1) -> Any:
    """Return a field for a depth; ``auto`` describes the report's default."""
    text = f"search depth in plies; auto: {auto}"
    return parameter(ReportDepthKind, None, help=text, low=low, high=FULL, none="auto")


def fixed_field(faults: str) -> Any:
    """Return a switch that fixes the errors of a program; ``faults`` describes them."""
    return switch(False, f"fix the program's errors: {faults}")


@dataclass(frozen=True)
class ReportSearcher(ReportAgent):
    """Base class of fixed-depth minimax players. A subclass adds the parameters and evaluation of its program."""

    depths: ClassVar[dict[Game, int]]
    """The report's depth for each game."""
    counts_root: ClassVar[Sequence[Game]] = ()
    """Games whose program counts the root as a node."""
    unit: ClassVar[int] = 1
    """Points per unit of the report's evaluation."""
    depth: int | None = depth_field("the report's")
    pruning: bool = switch(True, "use alpha–beta pruning; it never changes the move")

    def plies(self, game: Game) -> int:
        """Return the search depth in plies."""
        return self.depths[game] if self.depth is None else self.depth

    def in_use(self, name: str) -> Any:
        value = super().in_use(name)
        return "auto" if name == "depth" and value is None else value

    def mind(self, game: Game, player: Player, seed: int) -> Mind:
        return ReportSearchMind(self, game, Stream(seed))

    @abstractmethod
    def setup(self, game: Game) -> ReportSearch:
        """Return a search for this game; the mind sets its depth and limits."""

    @staticmethod
    @abstractmethod
    def run(search: ReportSearch, own: int, other: int, maximises: bool, cells: Ints, values: Ints, /) -> int:
        """Search the root moves; see `search_moves`."""

    def maximises(self, position: Position) -> bool:
        """Return True if the side to move maximises."""
        return True

    def carries(self, game: Game) -> bool:
        """Return True if the best value so far bounds the next root move; lower values are then inexact."""
        return self.pruning

    def breaks_ties(self, game: Game) -> bool:
        """Return True if ties are broken at random; otherwise the first move is played."""
        return False

    def value(self, points: int, game: Game) -> float:
        """Return points as a value in [−1, 1]."""
        return points / (abs(points) + EVEN * self.unit)


class ReportSearchMind(Mind):
    """Runs a report's search within the limits."""

    def __init__(self, agent: ReportSearcher, game: Game, stream: Stream) -> None:
        self.agent, self.game, self.stream = agent, game, stream
        self.search = agent.setup(game)
        self.search.prune, self.search.carries = agent.pruning, agent.carries(game)

    def think(self, position: Position, limit: Limit, stop: Stop | None) -> Decision:
        agent, search = self.agent, self.search
        own = agent.plies(self.game)
        depth = min(own, limit.depth or own, self.game.cells - position.ply)
        limit = limit.tightened(Limit(seconds=getattr(agent, "seconds", None)))
        search.nodes = search.leaves = search.look = 0
        search.limit, search.stopped = limit.nodes or INFINITE, False
        search.depth, search.first = depth, position.to_move is FIRST
        moves = self.moves(position)
        cells = np.array([position.stone(move) for move in moves], np.int64)
        values = np.zeros(len(moves), np.int64)
        own_stop = Stop(within=stop)
        search.flag = own_stop.flag
        with self.clock.alarm(limit.seconds, own_stop):
            finished = agent.run(search, position.own, position.opp, agent.maximises(position), cells, values)
        return self.decision(position, depth, dict(zip(moves, values[:finished].tolist(), strict=False)), moves)

    def moves(self, position: Position) -> list[int]:
        """Return the legal moves in the program's order."""
        game = self.game
        cells = bits.playable(position.occupied, game.bottom, game.board, game.gravity)
        landing = (cells & int(mask) for mask in self.search.masks)
        return [game.move_of_bit(bits.lowest(cell)) for cell in landing if cell]

    def decision(self, position: Position, depth: int, found: dict[int, int], moves: Sequence[int]) -> Decision:
        """Choose among the fully searched moves, or the first move if there are none."""
        agent = self.agent
        nodes = self.search.nodes + (self.game in agent.counts_root)
        if not found:
            return Decision(moves[0], nodes=nodes, depth=0)
        points: dict[int, int] = {}
        for move, value in found.items():
            if not (agent.carries(self.game) and points and value <= max(points.values())):
                points[move] = value
        most = max(points.values())
        best = [move for move in points if points[move] == most]
        move = self.stream.choice(sorted(best)) if agent.breaks_ties(self.game) else best[0]
        return Decision(
            move,
            value=agent.value(most, self.game),
            points=most,
            values={one: agent.value(value, self.game) for one, value in sorted(points.items())},
            by_move={"points": dict(sorted(points.items()))},
            nodes=nodes,
            depth=depth,
            line=(move,),
            details={"leaves": self.search.leaves, "best": sorted(one + 1 for one in best)},
        )
