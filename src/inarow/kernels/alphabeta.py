"""Minimax and alpha–beta, compiled: one search for any game and evaluator, its improvements switched by the setup.

At the root it goes depth by depth, the best moves of the depth before first, until a limit.

Values are points for the side to move. A win is worth the same whichever moves led to it (it is scored by the stones on
the board), and leaves are valued by the position alone: so every order of moves, and a table, give the same decision.

The evaluator is the one of the setup, a network or a function. A kernel is compiled for each case: a network's indices
follow the search move by move, and where a child is the horizon, only what its stone changes is summed anew
(`ntuple`).

What is counted:

- A *node* is a position visited below the root, counted once per visit, at the moment a move leads to it.
- A *leaf* is a node where the search looks no further: the game is over there, or it is the horizon. Leaves are nodes.
- A node that the transposition table answers is a node, not a leaf.
- A *cut-off* is a position some of whose moves were not tried.
"""

from __future__ import annotations

import functools
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from inarow.bits import MAX_BITS, BitLayout, lowest, playable, popcount, wins_on
from inarow.kernels.evaluate import (
    CARRIED,
    CENTRE,
    FULL,
    HISTORY,
    MAX_MOVES,
    NONE,
    PROVEN,
    THREATS,
    Custom,
    SearchSetup,
    custom_points,
    evaluate,
)
from inarow.kernels.lang import trace
from inarow.kernels.lang.jit import kernel
from inarow.kernels.lang.records import Array, Int8, Int32, array_of, record, shape
from inarow.kernels.ntuple import (
    Leaves,
    NetBoard,
    hold_weights,
    move_points,
    put_cell,
    smallest_whole,
    stones_of,
    take_back,
)
from inarow.kernels.rules import move_to, open_cells
from inarow.randomness import MIX_A, mix, plus, times
from inarow.stopping import raised

Ints = NDArray[np.int64]
Evaluator = NetBoard | Custom | None
"""A network, a function, or, for None, the evaluator of the setup."""

INFINITE = 1 << 60
CELLS = PLIES = 64
INTERVAL = 1000
"""Nodes between checks of the stop flag."""

# Bounds of a value in the transposition table, and the move of an entry that has none.
EXACT, LOWER, UPPER = 0, 1, 2
NO_MOVE = 63

# Scores of moves by the threats they make, the best move by the table first of all.
TT_MOVE = 1 << 50
WIN = 1 << 48
BLOCK = 1 << 46
UNSAFE = 1 << 44


@record
class Entry:
    """A position, by the stones of the side to move and of the opponent, and what is known of it."""

    own: int
    opp: int
    value: int
    generation: Int32
    depth: Int8
    bound: Int8
    """EXACT, or LOWER or UPPER where the value is a bound."""
    tt_move: Int8
    """The best move: the index of its cell's bit, or NO_MOVE."""


@record
class RankedMove:
    """An entry of a list of moves."""

    cell: int
    """The cell, as a bit."""
    score: int
    """Moves with a higher score are tried earlier."""


@record
class SearchState:
    """The state of one search."""

    nodes: int
    leaves: int
    cutoffs: int
    limit: int
    """Maximum number of nodes."""
    look: int
    """The number of nodes at which the limits are checked next."""
    stopped: bool
    root_ply: int
    generation: int
    """The number of this decision: entries of the transposition table are valid in the decision that wrote them."""
    tt: Array[Entry]
    stop: NDArray[np.int64]
    """The flag that ends the search."""
    visits: NDArray[np.int64] = shape(PLIES)
    """Nodes by plies below the root."""
    history: NDArray[np.int64] = shape(2, CELLS)
    """For each player and cell, how often it has cut off, weighted by depth."""
    lengths: NDArray[np.int64] = shape(PLIES + 1)
    lines: NDArray[np.int64] = shape(PLIES + 1, CELLS)
    """For each ply below the root the expected play from there, as indices of bits; ``lengths`` long."""
    moves: Array[Array[RankedMove]] = shape(PLIES, CELLS)
    """For each ply below the root, the moves in the order in which they are tried."""


@record
class Root:
    """The moves of a decision, and the best known of them. A set of moves has bit m for move m."""

    candidates: int
    """The set of moves to choose from."""
    depth: int
    """Plies that all moves were searched to; those in ``exact`` may be one ply further. −1 before the first search."""
    exact: int
    """The set of moves whose points are exact."""
    best: int
    """The set of moves with the most points; empty if no move was searched."""
    cells: NDArray[np.int64] = shape(MAX_MOVES)
    """The cells of the candidates, in the order of the last search."""
    values: NDArray[np.int64] = shape(MAX_MOVES)
    points: NDArray[np.int64] = shape(MAX_MOVES)
    """The points of each move, or an upper bound."""
    rows: NDArray[np.int64] = shape(MAX_MOVES)
    """The row of each move's line."""
    lines: NDArray[np.int64] = shape(MAX_MOVES, MAX_BITS + 1)
    """In the order of the last search, the expected play as bit indices, ended by −1."""


class DepthSearch(NamedTuple):
    """A search: its setup, its state and its evaluator."""

    setup: SearchSetup
    state: SearchState
    evaluator: Evaluator


@kernel
def begin_search(search: SearchState, root: Root, candidates: int, limit: int) -> None:
    """Begin a decision among these moves with at most ``limit`` nodes."""
    search.nodes = search.leaves = search.cutoffs = search.look = 0
    search.stopped = False
    search.limit = limit
    search.generation += 1
    for i in range(PLIES):
        search.visits[i] = 0
        search.history[0, i] = 0
        search.history[1, i] = 0
    root.candidates, root.depth = candidates, -1
    root.best = root.exact = 0


@kernel
def deepen(
    setup: SearchSetup,
    search: SearchState,
    root: Root,
    layout: BitLayout,
    own: int,
    opp: int,
    first: int,
    last: int,
    best_first: bool,
    evaluator: Evaluator,
) -> None:
    """Search from depth ``first`` to depth ``last``, or until a limit of the search is reached."""
    for depth in range(first, last + 1):
        search_depth(DepthSearch(setup, search, evaluator), root, layout, own, opp, depth, best_first)
        if search.stopped:
            break


def search_depth(
    search: DepthSearch, root: Root, layout: BitLayout, own: int, opp: int, depth: int, best_first: bool
) -> None:
    """Search the candidates to one depth; if stopped before the first is finished, nothing changes."""
    setup, cells, values = search.setup, root.cells, root.values
    free, count = open_cells(layout, own | opp), 0
    first = root.best if best_first else 0
    for part in range(2):
        for i in range(setup.moves):
            cell = free & setup.order[i]
            move = move_to(layout, cell) if cell != 0 else 0
            wanted = first if part == 0 else root.candidates & ~first
            if cell != 0 and (wanted >> move) & 1 != 0:
                cells[count] = cell
                count += 1
    finished = search_moves(search, own, opp, depth, count, cells, values, root.lines)
    if finished == 0:
        return
    all_exact = not setup.prune or setup.root == FULL
    root.exact = root.best = 0
    most = values[0]
    for i in range(finished):
        move, value = move_to(layout, cells[i]), values[i]
        root.points[move], root.rows[move] = value, i
        better = value > most if setup.root == CARRIED else value >= most
        if i == 0 or all_exact or better:
            root.exact |= 1 << move
            if i == 0 or value > most:
                root.best = 0
            if i == 0 or value >= most:
                root.best |= 1 << move
        most = max(most, value)
    root.depth = depth if finished == count else depth - 1


def search_moves(
    search: DepthSearch, own: int, opp: int, depth: int, count: int, cells: Ints, values: Ints, lines: Ints
) -> int:
    """Search the first ``count`` root moves of ``cells`` in their order; returns how many were finished.

    ``values[i]`` is exact if it is above the values before it, else an upper bound; with PROVEN the window begins one
    point below the best, so that a value equal to the best is exact too; with FULL all values are exact.
    ``lines[i]`` is the expected play in cells' bit indices, ended by −1. The board of the network holds the position,
    before and after.
    """
    setup, state, evaluator = search
    occupied, ply = own | opp, popcount(own | opp)
    seat = ply & 1
    wins = wins_on(setup, own)
    narrow = setup.prune and setup.root != FULL
    margin = 1 if setup.root == PROVEN else 0
    state.root_ply = ply
    trace.begin(setup, own, opp, depth)
    leaves = (
        Leaves(evaluator, stones_of(setup, own, opp), hold_weights(evaluator, 1 - seat) if depth == 1 else 0)
        if isinstance(evaluator, NetBoard)
        else evaluator
    )
    best = low = -INFINITE
    for i in range(count):
        cell = cells[i]
        if not visit(state, 1):
            return i
        state.lengths[0] = 0
        state.lengths[1] = 0
        if cell & wins != 0:
            value = end_points(search, True, ply + 1)
        elif occupied | cell == setup.board:
            value = end_points(search, False, ply + 1)
        elif depth == 1:
            value = leaf_points(search, own, opp, cell, seat, leaves)
        else:
            high = margin - best if narrow and best > low else -low
            value = inner_points(search, own, opp, cell, depth, ply, low, high)
        if state.stopped:
            return i
        trace.backup(0, cell, value, best)
        values[i] = value
        best = max(best, value)
        write_line(state, cell, lines, i)
    return count


def inner_points(search: DepthSearch, own: int, opp: int, cell: int, depth: int, ply: int, low: int, high: int) -> int:
    """Return the points of a move, which does not end the game, to a node above the horizon, searched with the window
    from ``low`` to ``high`` of the side to move there."""
    undo = put_cell(search.evaluator, cell, ply & 1)
    value = -_negamax(search, opp, own | cell, depth - 1, ply + 1, low, high)
    take_back(search.evaluator, undo, ply & 1)
    return value


def _negamax(search: DepthSearch, own: int, opp: int, depth: int, ply: int, alpha: int, beta: int) -> int:
    """Return the value of an unfinished position, ``depth`` ≥ 1 plies above the horizon.

    Exact if it is between alpha and beta; an upper bound if it is at most alpha, a lower bound if it is at least beta.
    """
    setup, state = search.setup, search.state
    occupied, seat = own | opp, ply & 1
    below = ply - state.root_ply
    state.lengths[below] = 0
    slot, image, tt_move = 0, 0, NO_MOVE
    key_own, key_opp = own, opp
    if setup.use_tt:
        if setup.use_symmetry:
            key_own, key_opp, image = canonical(setup, own, opp)
        slot = slot_of(state, key_own, key_opp)
        known, bound, value, tt_move = probe(state, slot, key_own, key_opp, depth)
        if known and (bound == EXACT or (bound == LOWER and value >= beta) or (bound == UPPER and value <= alpha)):
            trace.known(bound)
            return value
    trace.enter(own, opp, depth, alpha, beta)
    best, best_cell, lower = -INFINITE, 0, alpha
    if depth == 1:
        best, best_cell = _last_ply(search, own, opp, ply, alpha, beta)
    else:
        legal = playable(occupied, setup.bottom, setup.board, setup.gravity)
        wins = wins_on(setup, own) & legal
        moves = state.moves[below]
        count = order_moves(search, below, own, opp, legal, wins, tt_move, image, seat)
        for i in range(count):
            cell = moves[i].cell
            if not visit(state, below + 1):
                return best
            state.lengths[below + 1] = 0
            if cell & wins != 0:
                value = end_points(search, True, ply + 1)
            elif occupied | cell == setup.board:
                value = end_points(search, False, ply + 1)
            else:
                low, high = (-beta, -lower) if setup.prune else (-INFINITE, INFINITE)
                value = inner_points(search, own, opp, cell, depth, ply, low, high)
            if state.stopped:
                return best
            trace.backup(below, cell, value, best)
            if value > best:
                best, best_cell = value, cell
                if best > alpha:
                    lower = max(lower, best)
                    update_line(state, below, cell)
                    if best >= beta and setup.prune:
                        state.cutoffs += 1
                        trace.cutoff(below, *(moves[j].cell for j in range(i + 1, count)))
                        if setup.ordering == HISTORY:
                            state.history[seat, lowest(cell)] += depth * depth
                        break
    if setup.use_tt and not state.stopped:
        bound = UPPER if best <= alpha else LOWER if best >= beta else EXACT
        store(state, slot, key_own, key_opp, depth, bound, best, tt_move_of(setup, image, best_cell))
    return best


def _last_ply(search: DepthSearch, own: int, opp: int, ply: int, alpha: int, beta: int) -> tuple[int, int]:
    """Return the value of a position one ply above the horizon, all of whose children are leaves; and the best cell to
    store, which is worth it only where leaves are costly."""
    setup, state, evaluator = search
    occupied, seat = own | opp, ply & 1
    legal = playable(occupied, setup.bottom, setup.board, setup.gravity)
    wins = wins_on(setup, own) & legal
    first = wins if setup.ordering == THREATS else 0
    below = ply - state.root_ply
    state.lengths[below] = 0
    state.lengths[below + 1] = 0
    leaves = (
        Leaves(evaluator, stones_of(setup, own, opp), hold_weights(evaluator, 1 - seat))
        if isinstance(evaluator, NetBoard)
        else evaluator
    )
    best, best_cell = -INFINITE, 0
    for part in range(2):
        cells = first if part == 0 else legal & ~first
        if cells == 0:
            continue
        for i in range(setup.moves):
            cell = cells & setup.order[i]
            if cell == 0:
                continue
            if not visit(state, below + 1):
                return best, 0
            if cell & wins != 0:
                value = end_points(search, True, ply + 1)
            elif occupied | cell == setup.board:
                value = end_points(search, False, ply + 1)
            else:
                value = leaf_points(search, own, opp, cell, seat, leaves)
            trace.backup(below, cell, value, best)
            if value > best:
                best = value
                if isinstance(evaluator, NetBoard):
                    best_cell = cell
                if best > alpha:
                    update_line(state, below, cell)
                    if best >= beta and setup.prune:
                        state.cutoffs += 1
                        trace.cutoff(below, first, legal & ~first)
                        return best, best_cell
    return best, best_cell


def end_points(search: DepthSearch, won: bool, ply: int) -> int:
    """Count a finished game with ``ply`` stones on the board; return its points for the player who moved last."""
    setup = search.setup
    search.state.leaves += 1
    if not won:
        return 0
    points = setup.win - setup.stone_cost * ply
    return -points if setup.misere else points


def leaf_points(search: DepthSearch, own: int, opp: int, cell: int, seat: int, leaves: Leaves | Custom | None) -> int:
    """Count a leaf at the horizon; return the points of the move to it for the player in this seat, who makes it.

    The evaluator of the setup and a function see the leaf as the searcher does.
    """
    setup = search.setup
    search.state.leaves += 1
    if isinstance(leaves, Leaves):
        return move_points(leaves, cell, seat)
    own |= cell
    if isinstance(leaves, Custom):
        return custom_points(leaves, own, opp) if seat == setup.searcher else -custom_points(leaves, opp, own)
    return evaluate(setup, own, opp) if seat == setup.searcher else -evaluate(setup, opp, own)


def visit(search: SearchState, below: int) -> bool:
    """Count a node at this distance below the root; False, and nothing counted, if the search must stop."""
    nodes = search.nodes
    if nodes >= search.look:
        if nodes >= search.limit or raised(search.stop) != 0:
            search.stopped = True
            return False
        search.look = min(search.limit, nodes + INTERVAL)
    search.nodes = nodes + 1
    search.visits[below] += 1
    return True


def order_moves(
    search: DepthSearch, below: int, own: int, opp: int, legal: int, wins: int, tt_move: int, image: int, seat: int
) -> int:
    """Write the legal cells to the list of this ply below the root, the most promising first; returns how many.

    ``tt_move`` is the best move by the transposition table, in its image of the position.
    """
    setup, moves = search.setup, search.state.moves[below]
    ordering = setup.ordering
    unranked = ordering == NONE or (ordering == CENTRE and tt_move == NO_MOVE)
    threats = wins_on(setup, opp) if ordering == THREATS else 0
    count = 0
    for i in range(setup.moves):
        cell = legal & setup.order[i]
        if cell == 0:
            continue
        if unranked:
            moves[count].cell = cell
            count += 1
            continue
        score = 0
        if ordering == THREATS:
            score = _threat_score(setup, own, opp, cell, wins, threats)
        elif ordering == HISTORY:
            score = search.state.history[seat, lowest(cell)]
        if tt_move != NO_MOVE and image_bit(setup, image, cell) == 1 << tt_move:
            score += TT_MOVE
        _insert(moves, count, cell, score)
        count += 1
    return count


def _insert(moves: Array[RankedMove], count: int, cell: int, score: int) -> None:
    """Insert a move behind those whose scores are at least as high."""
    at = count
    while at > 0 and moves[at - 1].score < score:
        moves[at].score = moves[at - 1].score
        moves[at].cell = moves[at - 1].cell
        at -= 1
    moves[at].score = score
    moves[at].cell = cell


def _threat_score(setup: SearchSetup, own: int, opp: int, cell: int, wins: int, threats: int) -> int:
    """Rank wins first, then blocks, then the most winning cells; last, moves that let the opponent win above them."""
    if cell & wins != 0:
        return WIN
    after = own | cell
    free = setup.board & ~(after | opp)
    score = popcount(wins_on(setup, after) & free)
    if cell & threats != 0:
        score += BLOCK
    if setup.gravity and (cell << 1) & threats != 0:
        score -= UNSAFE
    return score


def image_bit(setup: SearchSetup, image: int, cell: int) -> int:
    """Return the cell that a cell becomes under a symmetry."""
    bit: int = setup.images[image, lowest(cell)]
    return bit


def image_of(setup: SearchSetup, image: int, cells: int) -> int:
    """Return the cells that a set becomes under a symmetry."""
    found = 0
    while cells != 0:
        found |= image_bit(setup, image, cells)
        cells &= cells - 1
    return found


def canonical(setup: SearchSetup, own: int, opp: int) -> tuple[int, int, int]:
    """Return the stones of the symmetric image that stands for all, and which symmetry leads to it."""
    best_own, best_opp, best = own, opp, 0
    for image in range(1, setup.symmetries):
        a = image_of(setup, image, own)
        if a > best_own:
            continue
        b = image_of(setup, image, opp)
        if a < best_own or b < best_opp:
            best_own, best_opp, best = a, b, image
    return best_own, best_opp, best


def slot_of(search: SearchState, own: int, opp: int) -> int:
    """Return the index of a position's entry; the table has a power of two entries."""
    return mix(plus(times(own, MIX_A), opp)) & (len(search.tt) - 1)


def probe(search: SearchState, slot: int, own: int, opp: int, depth: int) -> tuple[bool, int, int, int]:
    """Return whether the value at this depth is known; the kind of bound; the value; the best move."""
    entry = search.tt[slot]
    if entry.own != own or entry.opp != opp or entry.generation != search.generation:
        return False, 0, 0, NO_MOVE
    return entry.depth == depth, entry.bound, entry.value, entry.tt_move


def tt_move_of(setup: SearchSetup, image: int, cell: int) -> int:
    """Return a best move as the table stores it: the bit index of its cell in the stored image; NO_MOVE for none."""
    return NO_MOVE if cell == 0 else lowest(image_bit(setup, image, cell))


def store(search: SearchState, slot: int, own: int, opp: int, depth: int, bound: int, value: int, tt_move: int) -> None:
    """Store the value of a position, and its best move."""
    entry = search.tt[slot]
    entry.own = own
    entry.opp = opp
    entry.value = value
    entry.generation = search.generation
    entry.depth = depth
    entry.bound = bound
    entry.tt_move = tt_move


def update_line(search: SearchState, below: int, cell: int) -> None:
    """Set the expected play from here to this move and what is expected after it."""
    line, rest = search.lines[below], search.lines[below + 1]
    line[0] = lowest(cell)
    length = search.lengths[below + 1]
    for i in range(length):
        line[i + 1] = rest[i]
    search.lengths[below] = length + 1


def write_line(search: SearchState, cell: int, lines: NDArray[np.int64], row: int) -> None:
    """Write the expected play from the root through this cell, as bit indices ended by −1."""
    update_line(search, 0, cell)
    length = search.lengths[0]
    for i in range(length):
        lines[row, i] = search.lines[0, i]
    lines[row, length] = -1


def new_search(tt_entries: int = 1) -> SearchState:
    """Return the state of a search with a transposition table of this size, a power of two."""
    search = SearchState()
    search.tt, search.stop = array_of(Entry, tt_entries), np.zeros(1, np.int64)
    return search


@functools.cache
def warm_for(network: bool) -> None:
    """Compile the kernels for searches with or without a network, or load them."""
    setup, search, root, layout = SearchSetup(), new_search(), Root(), BitLayout(1, 2, 1, 1, True, 1, 1, 2, 1)
    board = NetBoard(*smallest_whole()) if network else None
    begin_search(search, root, 0, 0)
    deepen(setup, search, root, layout, 0, 0, 1, 0, False, board)


def warm() -> None:
    """Compile the kernels of this module, or load them."""
    warm_for(False)
    warm_for(True)
