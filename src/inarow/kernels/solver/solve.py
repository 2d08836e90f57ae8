"""The exact score of a position with gravity: null-window negamax on bitboards with a table of proven bounds.

Scores are for the side to move: the stones that the winner still has in hand before its winning move. With n stones on
the board of c cells, a win with the next stone scores (c + 1 − n) // 2, one by the other side with the stone after it
−(c − n) // 2, and so on.

The *table* has proven bounds of scores, one 64-bit word per position, two words per slot. The key of a position (see
`Position.key`) times an odd number, modulo a power of two, is another unique number. Its upper bits are the slot, the
lower ones are stored with the entry: an answer never belongs to another position. A word is, from the top: generation,
stored part of the key, the cell of the best move, the logarithm of the work behind it, and both bounds. A new
generation makes the table empty without clearing it. The first word of a slot holds the costliest position, the second
the latest of the others. The table starts small, so that it stays in the processor's cache, and doubles whenever it has
replaced as many entries as it has slots.

The *bound by parity* is what a side is sure of by following up, proven here and checked on small boards.
Let A be to move and B the other. Number the free cells of each column from the top: 1, 2, 3 … The odd ones are
*claimed* (the top cell, and every second below it). B follows up: it answers in the column in which A has just played,
right above. In a column with an even number of free cells A then gets the unclaimed cells and B the claimed ones.
A column with an odd number begins with a claimed cell that is *contested*: if the number of such columns is even, B
pairs them; when A takes the contested cell of one, B takes that of its partner, and both columns are even from then on.
So B always has an answer, A never gets more than its own stones, the unclaimed cells and the contested cells,
and nothing above a claimed cell where B wins, because the game ends there. Therefore:

- if these cells hold no line for A, A can't win: its score is at most 0;
- if besides B has a winning cell among the claimed ones that are not contested, B wins, at the latest when everything
  else is full: A must then play right below one of these cells;
- if B's stones and those claimed cells hold a line, B wins with the last stone at the latest.

If the number of columns with an odd number of free cells is odd, B needs one among them, the *threat column*, with a
winning cell that is unclaimed, so that an odd number of free cells lies below it: there A plays first and
last below B's winning cell, the others are as above, and B wins. This is the odd threat of the first player.
"""

from __future__ import annotations

import functools
from collections.abc import Callable
from typing import Protocol, TypeVar

import numpy as np
from numpy.typing import NDArray

from inarow.bits import BitLayout, Geometry, each_bit, fours, line_on, lowest, popcount, wins_on
from inarow.kernels.lang.jit import kernel, prefetch
from inarow.kernels.lang.records import Array, record, shape
from inarow.randomness import times
from inarow.stopping import raised

Ints = NDArray[np.int64]

STAGES = 16
STAGE_SHIFT = 2
"""A stage is 2**2 plies: what cuts off near the end says little about the opening."""
MAX_COLUMNS = 32
CELLS = PLIES = 64

ABORTED = 1000
INTERVAL = 1000
"""Nodes between checks of the stop flag."""
TT_MOVE = 1 << 40
THREAT = 128
"""The weight of a winning cell in the order of moves; a cut-off in the history has weight 1."""
NO_BOUND = 100
GLANCES = 4
"""The number of cheap questions that come first, from the quickest wins and losses inwards."""
STEP = 2
COSTLY = 100_000
"""After a question that took more nodes than this, the order of moves is reset."""

LINE = 24
"""The weight of a line through a cell in the order of moves; a cut-off in the history has weight 1."""

# The table.
FIRST_MB = 1
"""Its size at the beginning."""
MULTIPLIER = 0x1E3779B97F4A7C15
BOUND_BITS = 6
ZERO = 32
"""Added to a bound, so that it is stored as a number from 0."""
WORK = 2 * BOUND_BITS
MOVE_AT = WORK + 5
VALUE_BITS = MOVE_AT + 6
NO_MOVE = 63


class Limited(Protocol):
    """A search that counts its nodes and ends at a limit."""

    nodes: int
    look: int
    limit: int
    stopped: bool
    stop: NDArray[np.int64]
    cells: int
    low: int
    high: int


S = TypeVar("S", bound=Limited)


@record
class Move:
    """An entry of a list of moves."""

    worth: int
    """Moves with more worth are tried earlier."""
    move: int
    """The cell, as a bit; 0 once it is known not to be enough."""
    wins: int
    """The winning cells that it leaves its player."""


@record
class Search:
    """The state of one solver."""

    nodes: int
    look: int
    """The number of nodes at which the limits are checked next."""
    limit: int
    stopped: bool
    low: int
    high: int
    """The proven bounds of the score."""

    columns: int
    stride: int
    board: int
    bottom: int
    cells: int
    k: int
    width: int
    """On a cylinder the bits of all columns, else 0."""
    spare: int
    """The bit on top of each column."""
    claimed: int
    """The highest cell of each column and every second one below it."""

    tag_bits: int
    """The bits of a key that are stored; the others are the slot."""
    least_tag_bits: int
    """The same for the whole table."""
    replaced: int
    """Entries that were replaced since the table was doubled."""
    key_mask: int
    generation: int
    tt_until: int
    """From this number of stones on the transposition table is not used."""
    mirror_until: int
    """From this number of stones on a position no longer shares its entry with its mirror image."""

    tt: NDArray[np.int64]
    """The transposition table."""
    stop: NDArray[np.int64]
    """The flag that ends the search."""
    history: NDArray[np.int64] = shape(2 * STAGES, CELLS)
    """For each stage of the game and player, how much each cell has cut off."""
    first_order: NDArray[np.int64] = shape(CELLS)
    """The initial history of each cell."""
    moves: Array[Array[Move]] = shape(PLIES, MAX_COLUMNS)
    """For each ply, the list of moves in their order."""


@kernel
def solve(search: Search, own: int, occupied: int, ply: int, low: int, high: int) -> None:
    """Narrow the bounds low ≤ score ≤ high until they meet or a limit is reached; they are left in the record.

    ``own`` are the stones of the side to move; the game is not over. The low and high given need not be proven: of a
    score outside them the nearer one is reported.
    """
    cells = search.cells
    if wins_of(search, own) & ~occupied & (occupied + search.bottom) != 0:
        low = high = (cells + 1 - ply) // 2
    low = max(low, -((cells - ply) // 2))
    high = min(high, max(low, (cells - 1 - ply) // 2))
    narrow(search, own, occupied, ply, low, high, _ask)


def _ask(search: Search, own: int, occupied: int, ply: int, alpha: int) -> int:
    """Search from the root; after a costly question the order of moves is reset: the next one needs other moves."""
    mine, theirs = wins_of(search, own) & ~occupied, wins_of(search, occupied ^ own) & ~occupied
    begun = search.nodes
    score = _search(search, own, occupied, theirs, mine, ply, alpha)
    if score != ABORTED and search.nodes - begun > COSTLY:
        reset_order(search)
    return score


def reset_order(search: Search) -> None:
    """Order moves as at the beginning."""
    for stage in range(2 * STAGES):
        for cell in range(CELLS):
            search.history[stage, cell] = search.first_order[cell]


def begin_search(search: Limited, low: int, high: int, limit: int, look: int) -> None:
    """Set the limits of a search: the most nodes, and from how many on the stop flag is checked."""
    search.nodes, search.look, search.limit, search.stopped = 0, look, limit, False
    search.low, search.high = low, high


def narrow(
    search: S, own: int, occupied: int, ply: int, low: int, high: int, ask: Callable[[S, int, int, int, int], int]
) -> None:
    """Narrow the bounds of a score by asking whether it exceeds one number after another."""
    floor, ceiling = low, high
    asked = 0
    while low < high:
        question = next_question(low, high, asked, search.cells // 6)
        asked += 1
        score = ask(search, own, occupied, ply, question)
        if score == ABORTED:
            break
        if score > question:
            low = max(low, score)
        else:
            high = min(high, score)
        search.low, search.high = low, high  # for progress reports
    search.low = min(low, ceiling)
    search.high = max(high, floor)


def next_question(low: int, high: int, asked: int, far: int) -> int:
    """Return the number to compare the score with, between low and high; ``asked`` questions came before.

    A question far from the truth is cheap: it is about a quick win or loss, and the search is shallow. So scores of
    ``far`` and more are asked about from the outside; those near 0, which take deep searches, one by one from 0.
    """
    quick_win, quick_loss = high - 1 - STEP, low + STEP
    if low < 0 and high > 0:
        if asked >= GLANCES:
            return 0
        if asked & 1 == 0:
            return quick_win if quick_win >= far else 0
        return quick_loss if quick_loss <= -far else 0
    if low >= 0:
        return quick_win if quick_win >= far and quick_win > low else low
    return quick_loss if quick_loss <= -far and quick_loss < high - 1 else high - 1


def wins_of(board: Geometry, own: int) -> int:
    """Return the winning cells of a side, taken or not; those below its own stones, where no cell is free, may lack."""
    stride = board.stride
    if board.k == 4 and stride < 20 and board.width == 0:
        up = (own << 1) & (own << 2) & (own << 3)
        return (up | fours(own, stride - 1) | fours(own, stride) | fours(own, stride + 1)) & board.board
    return wins_on(board, own)


def may_visit(search: Limited) -> bool:
    """Count a node, unless a limit is reached: then False."""
    nodes = search.nodes
    if nodes >= search.look:
        if nodes >= search.limit or raised(search.stop) != 0:
            search.stopped = True
            return False
        search.look = min(search.limit, nodes + INTERVAL)
    search.nodes = nodes + 1
    return True


def _update_history(history: Ints, moves: Array[Move], index: int) -> None:
    """Update the history: the move of this index cut off, those before it did not."""
    if index == 0:
        return
    history[lowest(moves[index].move)] += index
    for i in range(index):
        if moves[i].move != 0:
            history[lowest(moves[i].move)] -= 1


def _insert(moves: Array[Move], count: int, worth: int, move: int, wins: int) -> None:
    """Insert a move, with the winning cells that it leaves its player, in descending order of worth."""
    at = count
    while at > 0 and moves[at - 1].worth < worth:
        moves[at] = moves[at - 1]
        at -= 1
    moves[at].worth = worth
    moves[at].move = move
    moves[at].wins = wins


def _search(search: Search, own: int, occupied: int, theirs: int, mine: int, ply: int, alpha: int) -> int:
    """Decide whether the score exceeds alpha: return a proven bound on that side of it (ABORTED at a limit).

    ``mine`` and ``theirs`` are the free winning cells; the mover can't win with this stone.
    """
    cells, board = search.cells, search.board
    direct = (occupied + search.bottom) & board
    possible = direct & ~(theirs >> 1)
    forced = direct & theirs
    if forced != 0:
        if forced & (forced - 1) != 0:
            return -((cells - ply) // 2)
        possible &= forced
    if possible == 0:
        return -((cells - ply) // 2)
    if ply >= cells - 2:
        return 0
    low = -((cells - 2 - ply) // 2)
    if low > alpha:
        return low
    high = (cells - 1 - ply) // 2
    if high <= alpha:
        return high
    known = ply & 1 == 0 and ply < search.tt_until and forced == 0
    code, tt_move = 0, 0
    if known:
        code = scattered(search, own + occupied, ply)
        word = probe(search, code)
        if word != 0:
            low = max(low, low_of(word))
            if low > alpha:
                return low
            high = min(high, high_of(word))
            if high <= alpha:
                return high
            tt_move = tt_move_of(word)
    # At odd plies the table is asked about every child instead: one of them may cut off without a search.
    ask = ply & 1 == 1 and ply + 1 < search.tt_until
    opp = occupied ^ own
    moves = search.moves[ply]
    history = search.history[2 * (ply >> STAGE_SHIFT) + (ply & 1)]
    count = 0
    for move in each_bit(possible):
        now = occupied | move
        wins = wins_of(search, own | move) & ~now
        open_cells = (direct ^ move) | ((move << 1) & board)
        threats = wins & open_cells
        # The other side loses at once if it faces two threats, or one below another, or has no safe move left.
        if threats & (threats - 1) != 0 or threats & (wins >> 1) != 0 or open_cells & ~(wins >> 1) == 0:
            return high
        if ask:
            prefetch(search.tt, slot_of(search, scattered(search, opp + now, ply + 1)))
        worth = popcount(wins) * THREAT + history[lowest(move)]
        if move == tt_move:
            worth += TT_MOVE
        _insert(moves, count, worth, move, wins)
        count += 1
    # No move wins so quickly: the best that is left is two stones later.
    high = min(high, (cells - 1 - ply) // 2 - 1)
    if high <= alpha:
        return high
    for i in range(count):
        move = moves[i].move
        open_cells = (direct ^ move) | ((move << 1) & board)
        bound, _ = follow_up(search, opp, occupied | move, open_cells, moves[i].wins)
        if -bound > alpha:
            return -bound
    begun = search.nodes
    best = -NO_BOUND
    if ask and count > 1:
        for i in range(count):
            word = probe(search, scattered(search, opp + (occupied | moves[i].move), ply + 1))
            if word != 0:
                if -high_of(word) > alpha:
                    return -high_of(word)
                if -low_of(word) <= alpha:  # known not to be enough
                    best = max(best, -low_of(word))
                    moves[i].move = 0
    best_cell = NO_MOVE if tt_move == 0 else lowest(tt_move)
    for i in range(count):
        move, wins = moves[i].move, moves[i].wins
        if move == 0:
            continue
        if not may_visit(search):
            return ABORTED
        score = -_search(search, opp, occupied | move, wins, theirs & ~move, ply + 1, -alpha - 1)
        if score == -ABORTED:
            return ABORTED
        best = max(best, score)
        if score > alpha:
            _update_history(history, moves, i)
            best_cell = lowest(move)
            break
    if known:
        if best > alpha:
            low = best
        else:
            high = best
        store(search, code, low, high, search.nodes - begun, best_cell)
    return best


def follow_up(board: Search | BitLayout, own: int, occupied: int, direct: int, theirs: int) -> tuple[int, int]:
    """Return an upper bound on the mover's score, NO_BOUND if following up proves nothing; and the cells, as bits, in
    one of which the other side completes its line at the latest, if such cells decide.

    ``own`` are the mover's stones, ``direct`` the cells that can be played, ``theirs`` the other side's winning cells.
    The mover must not be able to win with its next stone.
    """
    claimed, spare, bottom = board.claimed, board.spare, board.bottom
    empty = board.board & ~occupied
    contested = direct & claimed
    sure = empty & claimed & ~contested
    wins = theirs & sure
    if popcount(contested) & 1 == 0:
        lowest = (wins | spare) & ~((wins | spare) - bottom)  # of each column; the spare bit where there is none
        upwards = spare - lowest  # these cells and all above them
        if line_on(board, own | (empty & ~claimed & ~(upwards << 1)) | contested):
            return NO_BOUND, 0
        if wins != 0:
            return -(popcount(upwards | ((lowest & ~spare) >> 1)) // 2), lowest & ~spare
        return (-1 if line_on(board, (occupied ^ own) | sure) else 0), 0
    for cell in each_bit(contested):
        top = spare & ~(cell - 1)
        top &= -top
        column = top - cell
        threat = theirs & column & ~claimed
        if threat != 0:
            threat &= -threat
            beyond = top - threat
            others = (wins & ~column) | spare
            lowest = others & ~(others - bottom)
            upwards = spare - lowest
            reach = (empty & ~claimed & ~(upwards << 1) & ~column) | (contested ^ cell) | (claimed & column & ~beyond)
            if not line_on(board, own | reach):
                return -(popcount(upwards | ((lowest & ~spare) >> 1) | beyond | (threat >> 1)) // 2), threat
    return NO_BOUND, 0


def mirrored(search: Search, key: int) -> int:
    """Return the key of the mirror image."""
    stride = search.stride
    column = (1 << stride) - 1
    image = 0
    for _ in range(search.columns):
        image = (image << stride) | (key & column)
        key >>= stride
    return image


def scattered(search: Search, key: int, ply: int) -> int:
    """Return the key as the table has it; early positions share theirs with their mirror image."""
    if ply < search.mirror_until:
        key = min(key, mirrored(search, key))
    return times(key, MULTIPLIER) & search.key_mask


def slot_of(search: Search, code: int) -> int:
    """Return the index of the two words of a scattered key."""
    return (code >> search.tag_bits) << 1


def _stamp(search: Search, code: int) -> int:
    tag_bits = search.tag_bits
    return (search.generation << tag_bits) | (code & ((1 << tag_bits) - 1))


def probe(search: Search, code: int) -> int:
    """Return the word of a position; 0 if it is not known."""
    slot = slot_of(search, code)
    stamp = _stamp(search, code)
    word: int = search.tt[slot]
    if word >> VALUE_BITS == stamp:
        return word
    word = search.tt[slot + 1]
    if word >> VALUE_BITS == stamp:
        return word
    return 0


def low_of(word: int) -> int:
    """Return the lower bound."""
    return ((word >> BOUND_BITS) & 63) - ZERO


def high_of(word: int) -> int:
    """Return the upper bound."""
    return (word & 63) - ZERO


def tt_move_of(word: int) -> int:
    """Return the cell of the best move, as a bit; 0 for none."""
    index = (word >> MOVE_AT) & 63
    return 0 if index == NO_MOVE else 1 << index


def store(search: Search, code: int, low: int, high: int, nodes: int, tt_move: int) -> None:
    """Store the bounds of a position and the nodes that they cost; ``tt_move`` is the index of a cell, or NO_MOVE."""
    slot = slot_of(search, code)
    stamp = _stamp(search, code)
    work = 0
    while nodes > 1:
        nodes >>= 2
        work += 1
    word = (stamp << VALUE_BITS) | (tt_move << MOVE_AT) | (work << WORK) | ((low + ZERO) << BOUND_BITS) | (high + ZERO)
    first, second = search.tt[slot], search.tt[slot + 1]
    if first >> VALUE_BITS == stamp:
        search.tt[slot] = word
        return
    if second >> VALUE_BITS != stamp and second >> (VALUE_BITS + search.tag_bits) == search.generation:
        search.replaced += 1
    if first >> (VALUE_BITS + search.tag_bits) != search.generation or work >= (first >> WORK) & 31:
        search.tt[slot + 1] = first
        search.tt[slot] = word
    else:
        search.tt[slot + 1] = word
    if search.replaced > search.key_mask >> search.tag_bits and search.tag_bits > search.least_tag_bits:
        _double(search)


def _double(search: Search) -> None:
    """Double the number of slots in place, from the last to the first: slot n becomes 2n and 2n + 1."""
    slot = search.key_mask >> search.tag_bits
    search.tag_bits -= 1
    search.replaced = 0
    while slot >= 0:
        first, second = search.tt[2 * slot], search.tt[2 * slot + 1]
        for word in range(4 * slot, 4 * slot + 4):
            search.tt[word] = 0
        _move(search, slot, first)
        _move(search, slot, second)
        slot -= 1


def _move(search: Search, slot: int, word: int) -> None:
    """Put a word that was in a slot before the table was doubled where it belongs now."""
    bits = VALUE_BITS + search.tag_bits
    if word >> (bits + 1) == search.generation:
        at = 2 * (2 * slot + ((word >> bits) & 1))
        if search.tt[at] != 0:
            at += 1
        search.tt[at] = (search.generation << bits) | (word & ((1 << bits) - 1))


def index_bits(layout: BitLayout, tt_mb: int) -> int:
    """Return the bits of a key that choose the slot of the table, with gravity."""
    key_bits, bits = layout.columns * layout.stride, 16
    while tt_mb > 1:
        tt_mb >>= 1
        bits += 1
    least = max(0, key_bits - (63 - VALUE_BITS) + 1)  # so that an entry fits in a word
    return min(max(bits, least), key_bits)


def table_words(layout: BitLayout, tt_mb: int) -> int:
    """Return the length of a transposition table of about this size."""
    return 2 << index_bits(layout, tt_mb)


def line_at(layout: BitLayout, direction: int, place: int) -> int:
    """Return the line of k cells that begins at a cell and runs up, or to the right and level, up or down; 0 if it
    leaves the board. On a cylinder it does not leave it to the right."""
    k, stride, rows = layout.k, layout.stride, layout.rows
    column, row = place // rows, place % rows
    across, up = (0, 1) if direction == 0 else (1, (direction - 1) if direction < 3 else -1)
    last_column, last_row = column + (k - 1) * across, row + (k - 1) * up
    if (last_column >= layout.columns and layout.width == 0) or last_row < 0 or last_row >= rows:
        return 0
    line = 0
    for i in range(k):
        line |= 1 << ((column + i * across) % layout.columns * stride + row + i * up)
    return line


def set_up(search: Search, layout: BitLayout, tt_mb: int) -> None:
    """Prepare the solver of a board with gravity, whose table has the words for this size and starts small."""
    cells = popcount(layout.board)
    search.columns, search.stride, search.k, search.width = layout.columns, layout.stride, layout.k, layout.width
    search.board, search.bottom, search.cells = layout.board, layout.bottom, cells
    search.spare, search.claimed = layout.spare, layout.claimed
    search.tag_bits = layout.columns * layout.stride - index_bits(layout, FIRST_MB)
    search.least_tag_bits = layout.columns * layout.stride - index_bits(layout, tt_mb)
    search.key_mask = (1 << (layout.columns * layout.stride)) - 1
    search.tt_until = cells - 6
    search.mirror_until = cells // 2 - 5
    search.generation = 1
    for place in range(cells):
        for direction in range(4):
            line = line_at(layout, direction, place)
            for bit in range(CELLS):
                if (line >> bit) & 1 != 0:
                    search.first_order[bit] += LINE
    reset_order(search)


@functools.cache
def smallest() -> tuple[Search, int, int, int, int, int]:
    """Return the arguments of a call that does nothing."""
    search = Search()
    search.tt = search.stop = np.zeros(1, np.int64)
    return search, 0, 0, 0, 0, 0


@functools.cache
def warm() -> None:
    """Compile the kernel of this module, or load it."""
    solve(*smallest())
