"""R5's players of Connect 4: Monte Carlo tree search, two alpha–beta searches and a one-ply player.

The report's four matches have their own loop (`play_as_printed`), where a disc in a full column replaces the top one.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from functools import partial
from typing import NamedTuple

import numpy as np

from inarow.agents import Decision, Mind
from inarow.agents.base import ChoosingMind
from inarow.agents.parameters import choice, integer, number, switch
from inarow.bits import has_line, lowest, playable, popcount
from inarow.kernels.arithmetic import log
from inarow.kernels.lang.jit import kernel
from inarow.kernels.lang.records import Array, Int32, array_of, enlarged, record
from inarow.limits import Limit
from inarow.randomness import Stream, advance, below, mix
from inarow.reproductions.players import (
    INFINITE,
    Ints,
    ReportAgent,
    ReportSearch,
    ReportSearcher,
    ReportSearchMind,
    RuleAgent,
    depth_field,
    fixed_field,
    new_search,
    points_of,
    search_moves,
    warm_search,
    window_points,
    worth_table,
)
from inarow.rules import CONNECT4, FIRST, Game, Player, Position
from inarow.stopping import SYSTEM_CLOCK, Stop, raised

WIN, LOSS = 10**14, 10**13
WINDOWS = worth_table({4: 100, 3: 5, 2: 2}, {3: -4})
CENTRE_COLUMN, CENTRE = 0b111111 << 3 * 7, 3
BOARD, BOTTOM, STRIDE = CONNECT4.board, CONNECT4.bottom, CONNECT4.stride


# Play against a person.


def evaluate(search: ReportSearch, own: int, other: int) -> int:
    """Evaluate a position for the computer: windows, and 3 points per disc in the centre column."""
    return window_points(search, own, other) + CENTRE * popcount(own & CENTRE_COLUMN)


def leaf(search: ReportSearch, own: int, other: int, depth: int, searches: bool) -> tuple[bool, int]:
    """Return whether a position is a leaf, and its value for the computer."""
    if has_line(other if searches else own, 4, STRIDE):
        return True, -LOSS if searches else WIN
    if own | other == BOARD:
        return True, 0
    return (True, evaluate(search, own, other)) if depth == 0 else (False, 0)


@kernel
def search_root(search: ReportSearch, own: int, other: int, maximises: bool, cells: Ints, values: Ints) -> int:
    """Search the root moves; see `search_moves`."""
    return search_moves(search, leaf, own, other, maximises, cells, values)


@dataclass(frozen=True)
class R5Human(ReportSearcher):
    """Alpha–beta for play against a person. The root counts as a node."""

    name = "r5-alphabeta-human"
    summary = "R5's alpha–beta for play against a person"
    games = counts_root = (CONNECT4,)
    depths = {CONNECT4: 5}  # noqa: RUF012
    run = staticmethod(search_root)
    depth: int | None = depth_field("5")

    def setup(self, game: Game) -> ReportSearch:
        return new_search(game, WINDOWS)

    def value(self, points: int, game: Game) -> float:
        return points / abs(points) if abs(points) >= LOSS else super().value(points, game)


@dataclass(frozen=True)
class R5OnePly(ReportAgent):
    """Plays the move with the best evaluation; wins have no special value."""

    name = "r5-oneply"
    summary = "R5's one-ply player: the best evaluation after its own move"
    games = (CONNECT4,)

    def mind(self, game: Game, player: Player, seed: int) -> Mind:
        return ChoosingMind(partial(choose_one_ply, new_search(game, WINDOWS)), seed)


def choose_one_ply(search: ReportSearch, position: Position, stream: Stream) -> int:
    """Return the column with the best evaluation; ties go to the lowest."""

    def points(column: int) -> int:
        own = position.own | position.stone(column)
        return int(points_of(search, own, position.opp)) + CENTRE * (own & CENTRE_COLUMN).bit_count()

    return max(position.legal_moves(), key=points)


@dataclass(frozen=True)
class R5Random(RuleAgent):
    """Plays a random legal move."""

    name = "r5-random"
    summary = "R5's random player"
    games = (CONNECT4,)


# Matches against MCTS.


def threes(own: int, other: int, diagonals: bool) -> int:
    """Count three discs in a row to the right with the next cell empty; ``diagonals``: also along all four diagonals.

    Match 4's program also has a vertical test, which gravity makes impossible.
    """
    empty = BOARD & ~(own | other)
    found = popcount(own & (own >> STRIDE) & (own >> 2 * STRIDE) & (empty >> 3 * STRIDE))
    if diagonals:
        for step in range(STRIDE - 1, STRIDE + 2, 2):
            found += popcount(own & (own >> step) & (own >> 2 * step) & (empty >> 3 * step))
            found += popcount(own & (own << step) & (own << 2 * step) & (empty << 3 * step))
    return found


def match_leaf(search: ReportSearch, first: int, second: int, depth: int, first_moves: bool) -> tuple[bool, int]:
    """Return whether a position is a leaf, and its value for the first player; it is evaluated for the side to move.

    ``search.variant``: threes also count along diagonals.
    """
    is_won = has_line(second if first_moves else first, 4, STRIDE)
    if not is_won and depth != 0 and first | second != BOARD:
        return False, 0
    if search.fixed and is_won:
        return True, -search.win if first_moves else search.win
    value = threes(first, second, search.variant) - threes(second, first, search.variant)
    return True, value if search.fixed or first_moves else -value


@kernel
def search_match_root(search: ReportSearch, own: int, other: int, maximises: bool, cells: Ints, values: Ints) -> int:
    """Search the root moves; see `search_moves`."""
    return search_moves(search, match_leaf, own, other, maximises, cells, values)


@dataclass(frozen=True)
class R5AlphaBeta(ReportSearcher):
    """Alpha–beta of the matches against MCTS; it plays its score as a column. The root counts as a node."""

    name = "r5-alphabeta"
    summary = "R5's alpha–beta of its matches; it plays its score as a column and soon loses by an illegal move"
    games = counts_root = (CONNECT4,)
    depths = {CONNECT4: 6}  # noqa: RUF012
    run = staticmethod(search_match_root)
    depth: int | None = depth_field("6, as in match 2; match 3 has 8")
    threes: str = choice("row", ("row", "diagonals"), "threes to count: rows (matches 2, 3), also diagonals (4)")
    deepening_seconds: float | None = number(
        None, "iterative deepening for this many seconds (match 4: 3)", low=0.001,
        high=86400, none="off",
    )  # fmt: skip
    fixed: bool = fixed_field(
        "the score is played as a column; wins have no value; leaves are evaluated for the side to move there"
    )

    def mind(self, game: Game, player: Player, seed: int) -> Mind:
        return MatchMind(self, game, Stream(seed))

    @property
    def timed(self) -> bool:
        return self.deepening_seconds is not None

    def setup(self, game: Game) -> ReportSearch:
        return new_search(game, WINDOWS, fixed=self.fixed, variant=self.threes == "diagonals", win=1000)

    def maximises(self, position: Position) -> bool:
        return position.to_move is FIRST


class MatchMind(ReportSearchMind):
    """Plays the score of its search, from the first player's view, as a column."""

    def think(self, position: Position, limit: Limit, stop: Stop | None) -> Decision:
        deepening = self.agent.deepening_seconds  # type: ignore[attr-defined]
        found = super().think(position, limit if deepening is None else limit.tightened(Limit(depth=1)), stop)
        begun, depth = self.clock.now(), 2
        while deepening is not None and self.clock.now() - begun < deepening and depth <= 42 - position.ply:
            if (stop is not None and stop.is_set()) or (limit.depth is not None and depth > limit.depth):
                break
            found = super().think(position, limit.tightened(Limit(depth=depth)), stop)
            depth += 1
        if getattr(self.agent, "fixed", False) or found.points is None:
            return found
        return found._replace(move=found.points if position.to_move is FIRST else -found.points)


# Monte Carlo tree search.

RATE = 1500
"""Roll-outs per second of the report's program: about 20,000 in 10 to 15 s."""
EXPLORATION = math.sqrt(2)
UNVISITED = 1e300
ROOM = 1 << 16
MAX_NODES = 1 << 24
DRAW_BITS = 21
"""Random bits used to draw one column."""


@record
class R5Node:
    """A node of the tree. Children are contiguous."""

    wins: Int32
    """Roll-outs won by the side that moved here."""
    visits: Int32
    first: Int32
    """Index of the first child; 0 before expansion."""
    children: Int32
    bit: Int32
    """The bit of the disc that was played."""


Nodes = Array[R5Node]


@record
class R5Tree:
    """Search state in addition to the nodes."""

    root: int
    used: int
    random: int
    visited: int
    """Positions visited in this decision, in the tree and in roll-outs."""
    limit: int
    printed_credit: bool


def draw(tree: R5Tree) -> int:
    """Return a random number in [0, 2**63)."""
    tree.random = advance(tree.random)
    return mix(tree.random)


def roll_out(tree: R5Tree, own: int, other: int) -> tuple[int, int]:
    """Play at random to the end; return 1, 0 or −1 for the side to move, and the number of plies."""
    side, plies, numbers, left = 1, 0, 0, 0
    while own | other != BOARD:
        legal = playable(own | other, BOTTOM, BOARD, True)
        cell = 0
        while cell == 0:  # reject full columns, so that all open ones are equally likely
            if left == 0:
                numbers, left = draw(tree), 3
            column = ((numbers & ((1 << DRAW_BITS) - 1)) * 7) >> DRAW_BITS
            numbers >>= DRAW_BITS
            left -= 1
            cell = legal & (0b111111 << STRIDE * column)
        plies += 1
        if has_line(own | cell, 4, STRIDE):
            return side, plies
        own, other, side = other, own | cell, -side
    return 0, plies


def expand(tree: R5Tree, nodes: Nodes, node: int, own: int, other: int) -> None:
    """Add all children of a node, starting with a random one."""
    legal = playable(own | other, BOTTOM, BOARD, True)
    count = popcount(legal)
    place = ((draw(tree) & ((1 << DRAW_BITS) - 1)) * count) >> DRAW_BITS
    nodes[node].first = tree.used
    nodes[node].children = count
    while legal != 0:
        child = nodes[tree.used + place]
        child.wins = 0
        child.visits = 0
        child.first = 0
        child.bit = lowest(legal)
        legal &= legal - 1
        place = place + 1 if place + 1 < count else 0
    tree.used += count


def upper_bound(nodes: Nodes, child: int, log_visits: float) -> float:
    """Return the upper confidence bound of a child, or `UNVISITED`."""
    visits = nodes[child].visits
    if visits == 0:
        return UNVISITED
    return nodes[child].wins / visits + EXPLORATION * math.sqrt(log_visits / visits)


def select(tree: R5Tree, nodes: Nodes, node: int) -> int:
    """Return the child with the largest upper confidence bound; break ties at random."""
    log_visits = log(max(1, nodes[node].visits))
    start = nodes[node].first
    most, ties = -1.0, 0
    for child in range(start, start + nodes[node].children):
        bound = upper_bound(nodes, child, log_visits)
        if bound > most:
            most, ties = bound, 1
        elif bound == most:
            ties += 1
    skip = below(draw(tree), ties)
    child = start
    while True:
        if upper_bound(nodes, child, log_visits) == most:
            if skip == 0:
                return child
            skip -= 1
        child += 1


def back_up(tree: R5Tree, nodes: Nodes, path: Ints, depth: int, result: int) -> None:
    """Credit a rollout to the nodes on the path; ``result`` is for the side to move at the leaf.

    As printed, the winner is compared with the side to move after the rollout has played the leaf's own board to its
    end. That side has always lost, so the leaf is credited with a win whatever the result, even a draw.
    """
    is_draw = result == 0
    credit = result == -1
    if tree.printed_credit:
        credit = True
    for i in range(depth, -1, -1):
        node = nodes[path[i]]
        node.visits += 1
        if credit and (not is_draw or (tree.printed_credit and i == depth)):
            node.wins += 1
        credit = not credit


@kernel
def simulate(tree: R5Tree, nodes: Nodes, root_own: int, root_opp: int, rollouts: int, flag: Ints) -> int:
    """Run roll-outs from the root until a limit is reached or the pool is full; return their number."""
    longest = popcount(BOARD & ~(root_own | root_opp))
    path = np.empty(64, dtype=np.int64)
    for done in range(rollouts):
        if raised(flag) != 0 or tree.visited + longest > tree.limit or tree.used + 7 > len(nodes):
            return done
        node, depth, plies = tree.root, 0, 0
        path[0] = node
        own, opp = root_own, root_opp
        while True:  # a leaf is rolled out at its first visit and expanded at its second
            if nodes[node].first == 0:
                if has_line(opp, 4, STRIDE) or own | opp == BOARD or nodes[node].visits == 0:
                    break
                expand(tree, nodes, node, own, opp)
            node = select(tree, nodes, node)
            depth += 1
            path[depth] = node
            own, opp = opp, own | (1 << nodes[node].bit)
        if has_line(opp, 4, STRIDE):
            result = -1
        else:
            result, plies = roll_out(tree, own, opp)
        tree.visited += depth + plies
        back_up(tree, nodes, path, depth, result)
    return rollouts


@dataclass(frozen=True)
class R5Mcts(ReportAgent):
    """UCT with exploration √2; plays the most visited child."""

    name = "r5-mcts"
    summary = "R5's Monte Carlo tree search"
    games = (CONNECT4,)
    simulations: int | None = integer(
        None, f"roll-outs per move; auto: {2 * RATE:,}, which took the report 2 s, or unlimited if seconds is given",
        low=1, high=10**9, none="auto",
    )  # fmt: skip
    seconds: float | None = number(None, "time per move", low=0.001, high=86400, none="unlimited")
    told: bool = switch(True, "off: it is not told the moves, as in the matches, and always searches the empty board")
    fixed: bool = fixed_field("every leaf counts as won, whoever wins the roll-out; told=off")

    def mind(self, game: Game, player: Player, seed: int) -> Mind:
        return TreeMind(self, Stream(seed))

    @property
    def limit(self) -> Limit:
        """The limit of a decision."""
        auto = 2 * RATE if self.seconds is None else None
        return Limit(simulations=self.simulations or auto, seconds=self.seconds)


class TreeMind(Mind):
    """Keeps the tree between moves."""

    def __init__(self, agent: R5Mcts, stream: Stream) -> None:
        self.agent, self.stream = agent, stream
        self.tree = R5Tree()
        self.tree.random = stream.number()
        self.tree.printed_credit = not agent.fixed
        self.nodes = array_of(R5Node, ROOM)
        self.position: Position | None = None

    def think(self, position: Position, limit: Limit, stop: Stop | None) -> Decision:
        if not (self.agent.told or self.agent.fixed):
            position = Position.start(CONNECT4)
        self.move_to(position)
        limit = self.agent.limit.tightened(limit)
        tree, kept = self.tree, self.nodes[self.tree.root].visits
        tree.visited, tree.limit = 0, limit.nodes or INFINITE
        wanted, done = limit.simulations or INFINITE, 0
        own_stop = Stop(within=stop)
        with self.clock.alarm(limit.seconds, own_stop):
            while True:
                done += simulate(tree, self.nodes, position.own, position.opp, wanted - done, own_stop.flag)
                if tree.used + 7 <= len(self.nodes) or len(self.nodes) >= MAX_NODES:
                    break
                self.nodes = enlarged(self.nodes)
        return self.decision(position, done, kept)

    def move_to(self, position: Position) -> None:
        """Make the node of a position the root; start a new tree if there is none or the pool is nearly full."""
        node = self.find(position)
        if node is None or self.tree.used > MAX_NODES // 2:
            node, self.tree.used = 0, 1
            self.nodes[0] = array_of(R5Node, 1)[0]
        self.tree.root, self.position = node, position

    def find(self, position: Position) -> int | None:
        """Return the tree's node of this position, equal to the root's or two plies later; None if it has none."""
        before = self.position
        if before is None or position.ply - before.ply not in (0, 2):
            return None
        node = int(self.tree.root)
        if before == position:
            return node
        for cell in (position.own & ~before.own, position.opp & ~before.opp):
            node = next((child for child in self.children(node) if 1 << self.nodes[child].bit == cell), 0)
            if not node:
                return None
        return node if not (before.own & ~position.own or before.opp & ~position.opp) else None

    def children(self, node: int) -> Sequence[int]:
        """Return the children of a node."""
        first = self.nodes[node].first
        return range(first, first + self.nodes[node].children) if first else ()

    def decision(self, position: Position, done: int, kept: int) -> Decision:
        """Choose the most visited child, ties at random; a random move if the root has no children."""
        nodes, game = self.nodes, position.game
        moves = {game.move_of_bit(nodes[child].bit): child for child in self.children(self.tree.root)}
        if not moves:
            return Decision(self.stream.choice(position.legal_moves()), nodes=int(self.tree.visited))
        visits = {move: nodes[moves[move]].visits for move in sorted(moves)}
        most = max(visits.values())
        move = self.stream.choice([one for one in visits if visits[one] == most])
        values = {one: 2 * nodes[moves[one]].wins / visits[one] - 1 for one in visits if visits[one]}
        return Decision(
            move,
            value=values.get(move),
            values=values,
            by_move={"visits": visits},
            nodes=int(self.tree.visited),
            line=(move,),
            details={"simulations": done, "simulations_kept": kept, "tree_nodes": int(self.tree.used)},
        )


def warm() -> None:
    """Load or compile the kernels of this module."""
    warm_search(search_root)
    warm_search(search_match_root)
    simulate(R5Tree(), array_of(R5Node, 1), 0, 0, 0, np.zeros(1, np.int64))
    points_of(new_search(CONNECT4, WINDOWS), 0, 0)


MCTS, ALPHABETA = "MCTS", "alpha–beta"
SECONDS = {2: 1, 3: 3, 4: 3}
"""Seconds per move of MCTS, at the report's speed of `RATE` rollouts per second."""
DEPTHS = {2: 6, 3: 8}
ENDLESS = 200
"""Number of moves after which a match that overwrites full columns is stopped without a winner."""
DEEPENING = 3.0
"""Seconds after which alpha–beta of match 4 starts no further depth."""


class Printed(NamedTuple):
    """A match as printed."""

    columns: tuple[int, ...]
    """The columns returned by the players."""
    winner: str | None


def play_as_printed(number: int, seed: int = 0, *, rollouts: int | None = None, depth: int | None = None) -> Printed:
    """Play match 1, 2, 3 or 4.

    ``rollouts`` per move of MCTS default to its seconds at the report's speed, ``depth`` of alpha–beta to the match's
    own. In match 4 that is as deep as three seconds allow, which depends on the machine.
    """
    if number == 1:  # its board is filled with the string "0", not with empty cells, so no column is legal
        return Printed((), None)
    mcts = TreeMind(R5Mcts(told=False), Stream(seed))
    alphabeta = R5AlphaBeta(threes="diagonals" if number == 4 else "row")
    limit = Limit(simulations=rollouts or RATE * SECONDS[number])
    if number == 4:
        mcts.decide(Position.start(CONNECT4), limit)
    stones, columns = [0, 0], list[int]()
    while len(columns) < ENDLESS:
        side = len(columns) % 2
        if side == 0:
            column = mcts.decide(Position.start(CONNECT4), limit).move
        else:
            column = _scored(alphabeta, stones, DEPTHS.get(number) if depth is None else depth)
        columns.append(column)
        drop(stones, side, column)
        if has_line(stones[side], 4, STRIDE):
            return Printed(tuple(columns), (MCTS, ALPHABETA)[side])
        if stones[0] | stones[1] == BOARD:
            break
    return Printed(tuple(columns), None)


def _scored(agent: R5AlphaBeta, stones: list[int], depth: int | None) -> int:
    """Return the score of alpha–beta's search, which it plays as a column; None: deepen for `DEEPENING` seconds."""
    legal = playable(stones[0] | stones[1], BOTTOM, BOARD, True)
    cells = np.array([legal & mask for mask in CONNECT4.move_masks if legal & mask])
    values, begun = np.zeros(len(cells), np.int64), SYSTEM_CLOCK.now()
    search = agent.setup(CONNECT4)
    search.prune = search.carries = True
    for search.depth in (depth,) if depth is not None else range(1, CONNECT4.cells + 1):
        search_match_root(search, stones[1], stones[0], False, cells, values)
        if SYSTEM_CLOCK.now() - begun > DEEPENING:
            break
    return -int(values.max())


def drop(stones: list[int], side: int, column: int) -> None:
    """Drop a disc into a column; negative numbers count from the right, and a full column's top disc is replaced."""
    mask = CONNECT4.move_masks[column]
    free = playable(stones[0] | stones[1], BOTTOM, BOARD, True) & mask
    cell = free or 1 << mask.bit_length() - 1  # the top cell of a full column
    stones[side] |= cell
    stones[1 - side] &= ~cell
