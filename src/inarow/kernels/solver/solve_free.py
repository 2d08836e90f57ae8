"""The exact score of a position on a board without gravity: null-window negamax with threats, pairings and symmetry.

A line is *open* for a side if the other side has no stone in it, and *live* if it is open for one of them. Every
shortcut is exact; the names are those of the functions below.

- **Needs.** A side that still needs n stones in each of its open lines can't win before its n-th stone; a side without
  an open line can't win at all.
- **Forced wins** (`_attack`). A move that leaves its player one winning cell forces the reply there. If such moves lead
  to two winning cells at a time in which the other side has none, the attacker wins: no reply fills both.
- **Relevance** (`_stands`). If the other side had such a sequence after a pass, it is replayed after each of our moves:
  where every step is still legal and forcing, that move loses. Only the others are searched.
- **Pairings** (`_pairs`). Let A be to move. If disjoint pairs of empty cells can be chosen so that each line that is
  open for A contains a pair, A can't win: B answers each stone in a pair with the pair's other cell, and plays anywhere
  after other stones, so that A never gets both cells of a pair. So A's score is at most 0.
- **Dead cells.** A cell in no live line is in no line that anyone can still complete. Dead stones are equal whatever
  their colour, and dead empty cells wherever they are: positions that differ only in them share a table entry, and
  only one dead empty cell is tried.
- **Symmetry.** Early positions share their entry with their images.
- **Strategy stealing.** The empty board is not lost: an extra stone never harms, so if the second player had a winning
  strategy, the first could play anywhere and then follow it.

A key is both sides' live stones and the dead cells. An entry of the table is three words: the stones of the side to
move, those of the other (dead cells are in both), and generation, ply and bounds. The third is combined with a hash of
the first two by exclusive or: threads share the table without a lock, and of an entry that two of them wrote at once
the generation is not readable.
"""

from __future__ import annotations

import functools
from collections.abc import Callable

import numpy as np
from numpy.typing import NDArray

from inarow.bits import BitLayout, each_bit, lowest, popcount, wins_on
from inarow.kernels.lang.jit import kernel
from inarow.kernels.lang.records import Array, record, shape
from inarow.kernels.rules import image_of, symmetries
from inarow.kernels.solver.solve import ABORTED, line_at, may_visit, narrow
from inarow.randomness import MIX_A, mix, plus, times

Ask = Callable[["FreeSearch", int, int, int, int], int]
WORDS = 3
NOTHING = -100
CELLS = PLIES = 64
MAX_LINES = 512
MAX_PAIRED = 62
"""Maximum number of lines to pair: one bit each says which have their pair."""
ATTACK_NODES = 200
PAIR_NODES = 300
FOLDED_PLIES = 10
"""Positions with fewer stones than this share what is known of their images."""


@record
class Candidate:
    """An entry of a list of moves."""

    worth: int
    cell: int
    """As a bit."""


@record
class FreeSearch:
    """The state of one solver for boards without gravity, or for misère games."""

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
    gravity: bool
    cells: int
    k: int
    width: int
    """On a cylinder the bits of all columns, else 0."""
    claimed: int
    """With gravity, the highest cell of each column and every second one below it."""
    line_count: int
    symmetries: int
    fold_until: int
    """From this number of stones on a position no longer shares its entry with its images."""
    generation: int
    attack_left: int
    pair_left: int
    image_own: int
    image_opp: int

    tt: NDArray[np.int64]
    """The transposition table."""
    stop: NDArray[np.int64]
    """The flag that ends the search."""
    images: NDArray[np.int64]
    """For each symmetry, byte of a set and value of it: the image."""
    lines: NDArray[np.int64] = shape(MAX_LINES)
    attack: NDArray[np.int64] = shape(CELLS)
    """The moves of the last forced win."""
    to_pair: NDArray[np.int64] = shape(CELLS)
    """The empty cells of each line that must have a pair."""
    cell_worth: NDArray[np.int64] = shape(CELLS)
    history: NDArray[np.int64] = shape(2, CELLS)
    moves: Array[Array[Candidate]] = shape(PLIES, CELLS)


def _attack(search: FreeSearch, own: int, opp: int, depth: int, most: int) -> int:
    """Return how many forcing moves, at most ``most``, lead the side to move to two winning cells; 0 if none are found.

    The moves are left in the record from index ``depth`` on. Neither side has a line.
    """
    if most <= 0 or search.attack_left <= 0:
        return 0
    search.attack_left -= 1
    k, board = search.k, search.board
    empty = board & ~(own | opp)
    threatened = wins_on(search, opp) & empty
    if threatened & (threatened - 1) != 0:
        return 0
    forcing = 0
    for i in range(search.line_count):
        line = search.lines[i]
        if line & opp == 0 and popcount(line & own) == k - 2:
            forcing |= line & ~own
    if threatened != 0:
        forcing &= threatened
    for cell in each_bit(forcing):
        wins = wins_on(search, own | cell) & empty & ~cell
        if wins & (wins - 1) != 0:
            search.attack[depth] = cell
            return 1
    if most == 1:
        return 0
    for cell in each_bit(forcing):
        reply = wins_on(search, own | cell) & empty & ~cell
        if reply == 0:
            continue
        more = _attack(search, own | cell, opp | reply, depth + 1, most - 1)
        if more != 0:
            search.attack[depth] = cell
            return more + 1
    return 0


def _stands(search: FreeSearch, own: int, opp: int, count: int) -> bool:
    """Return True if the recorded attack of ``count`` moves also wins here, for the side to move."""
    board = search.board
    for i in range(count):
        cell = search.attack[i]
        empty = board & ~(own | opp)
        if cell & empty == 0 or wins_on(search, opp) & empty & ~cell != 0:
            return False
        own |= cell
        reply = wins_on(search, own) & empty & ~cell
        if reply & (reply - 1) != 0:
            return True
        if reply == 0:
            return False
        opp |= reply
    return False


def _pairs(search: FreeSearch, count: int, used: int, paired: int) -> bool:
    """Return True if disjoint pairs of cells are found, one in each of the first ``count`` lines to pair."""
    fewest, hardest = CELLS, -1
    for i in range(count):
        if (paired >> i) & 1 == 0:
            free = popcount(search.to_pair[i] & ~used)
            if free < 2:
                return False
            if free < fewest:
                fewest, hardest = free, i
    if hardest < 0:
        return True
    cells = search.to_pair[hardest] & ~used
    for wanted in range(3, 0, -1):  # pairs that serve the most lines first
        for first in each_bit(cells):
            for second in each_bit(cells & -(2 * first)):
                pair = first | second
                served = 0
                for i in range(count):
                    if (paired >> i) & 1 == 0 and search.to_pair[i] & pair == pair:
                        served |= 1 << i
                if min(popcount(served), 3) != wanted:
                    continue
                if search.pair_left <= 0:
                    return False
                search.pair_left -= 1
                if _pairs(search, count, used | pair, paired | served):
                    return True
    return False


def _image(search: FreeSearch, symmetry: int, cells: int) -> int:
    """Return the image of a set of cells."""
    image = 0
    for byte in range(8):
        image |= search.images[((symmetry << 3) | byte) << 8 | ((cells >> (byte << 3)) & 255)]
    return image


def _fold(search: FreeSearch, own: int, opp: int) -> None:
    """Write the least of a position's images to the record."""
    least_own, least_opp = own, opp
    for symmetry in range(1, search.symmetries):
        own_image = _image(search, symmetry, own)
        if own_image > least_own:
            continue
        opp_image = _image(search, symmetry, opp)
        if own_image < least_own or opp_image < least_opp:
            least_own, least_opp = own_image, opp_image
    search.image_own = least_own
    search.image_opp = least_opp


def probe(search: FreeSearch, own: int, opp: int, ply: int) -> tuple[int, int]:
    """Return the bounds of a position in the table; NOTHING and its opposite if it is not there."""
    key = mix(plus(times(own, MIX_A), opp))
    slot = (key % (len(search.tt) // WORDS)) * WORDS
    bounds = search.tt[slot + 2] ^ key
    if search.tt[slot] != own or search.tt[slot + 1] != opp or bounds >> 16 != (search.generation << 6) | ply:
        return NOTHING, -NOTHING
    return ((bounds >> 8) & 255) - 128, (bounds & 255) - 128


def store(search: FreeSearch, own: int, opp: int, ply: int, low: int, high: int) -> None:
    """Store the bounds of a position."""
    key = mix(plus(times(own, MIX_A), opp))
    slot = (key % (len(search.tt) // WORDS)) * WORDS
    stamp = (search.generation << 6) | ply
    search.tt[slot] = own
    search.tt[slot + 1] = opp
    search.tt[slot + 2] = ((stamp << 16) | ((low + 128) << 8) | (high + 128)) ^ key


def _search(search: FreeSearch, own: int, occupied: int, ply: int, alpha: int) -> int:
    """Decide whether the score exceeds alpha: return a proven bound on that side of it. The game is not over."""
    board, k = search.board, search.k
    cells: int = search.cells
    empty = board & ~occupied
    if wins_on(search, own) & empty != 0:
        return (cells + 1 - ply) // 2
    if ply >= cells - 1:
        return 0
    opp = occupied ^ own
    forced = wins_on(search, opp) & empty
    if forced & (forced - 1) != 0:
        return -((cells - ply) // 2)
    low: int = -((cells - 2 - ply) // 2)
    high: int = (cells - 1 - ply) // 2
    live, own_needs, opp_needs = 0, k + 1, k + 1
    for i in range(search.line_count):
        line = search.lines[i]
        mine, theirs = line & own, line & opp
        if theirs == 0:
            live |= line
            own_needs = min(own_needs, k - popcount(mine))
        if mine == 0:
            live |= line
            opp_needs = min(opp_needs, k - popcount(theirs))
    high = min(high, 0 if own_needs > k else max(0, (cells + 3 - ply) // 2 - own_needs))
    if forced == 0:
        low = max(low, 0 if opp_needs > k else min(0, opp_needs - (cells + 2 - ply) // 2))
    if low > alpha:
        return low
    if high <= alpha:
        return high
    dead = board & ~live
    own_key, opp_key = (own & live) | dead, (opp & live) | dead
    if ply < search.fold_until:
        _fold(search, own_key, opp_key)
        own_key, opp_key = search.image_own, search.image_opp
    known_low, known_high = probe(search, own_key, opp_key, ply)
    low, high = max(low, known_low), min(high, known_high)
    if low > alpha:
        return low
    if high <= alpha:
        return high
    best = NOTHING
    possible = forced
    search.attack_left = ATTACK_NODES
    # A win with the stone after 2n more scores (cells + 1 − ply − 2n) // 2, which must be more than alpha.
    steps = _attack(search, own, opp, 0, (cells + 1 - ply) // 2 - max(alpha, 0) - 1)
    if steps != 0:
        best = (cells + 1 - ply) // 2 - steps
    elif forced == 0:
        possible = empty & live
        if empty & dead != 0:
            possible |= (empty & dead) & -(empty & dead)
        search.attack_left = ATTACK_NODES
        # The same for the other side, one stone later.
        steps = _attack(search, opp, own, 0, (cells - ply) // 2 - max(-alpha, 1))
        if steps != 0:
            for cell in each_bit(possible):
                if _stands(search, opp, own | cell, steps):
                    possible ^= cell
                    best = steps - (cells - ply) // 2
        if alpha >= 0 and possible != 0:
            count = 0
            for i in range(search.line_count):
                if search.lines[i] & opp == 0:
                    if count < MAX_PAIRED:
                        search.to_pair[count] = search.lines[i] & empty
                    count += 1
            search.pair_left = PAIR_NODES
            if count <= MAX_PAIRED and _pairs(search, count, 0, 0):
                best = max(best, 0)
                high = 0
                possible = 0
    if best <= alpha and possible != 0:
        best = try_moves(search, opp, occupied, ply, alpha, _order(search, own, opp, ply, possible), best, _search)
        if best == ABORTED:
            return ABORTED
    return conclude(search, own_key, opp_key, ply, low, high, alpha, best)


def try_moves(
    search: FreeSearch, opp: int, occupied: int, ply: int, alpha: int, count: int, best: int, ask: Ask
) -> int:
    """Search the listed moves until one exceeds alpha; return the best score or ``best``, ABORTED at a limit."""
    moves, history = search.moves[ply], search.history[ply & 1]
    for i in range(count):
        cell = moves[i].cell
        if not may_visit(search):
            return ABORTED
        score = -ask(search, opp, occupied | cell, ply + 1, -alpha - 1)
        if score == -ABORTED:
            return ABORTED
        best = max(best, score)
        if score > alpha:
            history[lowest(cell)] += i
            break
    return best


def conclude(
    search: FreeSearch, own_key: int, opp_key: int, ply: int, low: int, high: int, alpha: int, best: int
) -> int:
    """Store what a search proves of a position; return the bound."""
    if best > alpha:
        low = best
    else:
        high = min(high, best)
        best = high
    store(search, own_key, opp_key, ply, low, high)
    return best


def _order(search: FreeSearch, own: int, opp: int, ply: int, possible: int) -> int:
    """List the possible moves, those in the most advanced open lines first; returns how many there are."""
    moves = search.moves[ply]
    for cell in each_bit(possible):
        search.cell_worth[lowest(cell)] = 0
    for i in range(search.line_count):
        line = search.lines[i]
        mine, theirs = line & own, line & opp
        if mine != 0 and theirs != 0:
            continue
        worth = 1 << popcount(mine | theirs)
        for cell in each_bit(line & possible):
            search.cell_worth[lowest(cell)] += worth
    count = 0
    for cell in each_bit(possible):
        insert(moves, count, (search.cell_worth[lowest(cell)] << 8) + search.history[ply & 1, lowest(cell)], cell)
        count += 1
    return count


def insert(moves: Array[Candidate], count: int, worth: int, cell: int) -> None:
    """Insert a move into a list in descending order of worth."""
    at = count
    while at > 0 and moves[at - 1].worth < worth:
        moves[at] = moves[at - 1]
        at -= 1
    moves[at].worth = worth
    moves[at].cell = cell


@kernel
def solve_free(search: FreeSearch, own: int, occupied: int, ply: int, low: int, high: int) -> None:
    """Narrow the bounds low ≤ score ≤ high until they meet or a limit is reached; they are left in the record."""
    low = max(low, -((search.cells - ply) // 2))
    high = min(high, (search.cells + 1 - ply) // 2)
    if occupied == 0:
        low = max(low, min(high, 0))
    narrow(search, own, occupied, ply, low, high, _search)


def table_words(layout: BitLayout, tt_mb: int) -> int:
    """Return the length of a transposition table of about this size."""
    return (tt_mb << 20) // 8 // WORDS * WORDS


def image_words(layout: BitLayout) -> int:
    """Return the length of the table of images: 8 bytes of 256 values for every symmetry."""
    return symmetries(layout) << 11


@kernel
def set_up_free(search: FreeSearch, layout: BitLayout) -> None:
    """Prepare the solver of a board without gravity, or of a misère game."""
    cells = popcount(layout.board)
    search.stride, search.k, search.width = layout.stride, layout.k, layout.width
    search.board, search.bottom, search.cells = layout.board, layout.bottom, cells
    search.columns, search.gravity, search.claimed = layout.columns, layout.gravity, layout.claimed
    search.symmetries = symmetries(layout)
    search.fold_until = min(cells // 2, FOLDED_PLIES)
    search.generation = 1
    search.line_count = 0
    for place in range(cells):
        for direction in range(4):
            line = line_at(layout, direction, place)
            if line != 0:
                search.lines[search.line_count] = line
                search.line_count += 1
    for which in range(search.symmetries):
        for byte in range(8):
            for value in range(1, 256):
                image, rest, bit = search.images[(which << 3 | byte) << 8 | (value & (value - 1))], value, 8 * byte
                while rest & 1 == 0:
                    rest >>= 1
                    bit += 1
                if (layout.board >> bit) & 1 != 0:
                    image |= image_of(layout, which, bit)
                search.images[(which << 3 | byte) << 8 | value] = image


@functools.cache
def smallest() -> tuple[FreeSearch, int, int, int, int, int]:
    """Return the arguments of a call that does nothing."""
    search = FreeSearch()
    search.tt = search.stop = search.images = np.zeros(1, np.int64)
    return search, 0, 1, 0, 0, 0


@functools.cache
def warm() -> None:
    """Compile the kernels of this module, or load them."""
    solve_free(*smallest())
    board, search = BitLayout(1, 2, 1, 1, False, 1, 1, 2, 1), FreeSearch()
    search.images = np.zeros(image_words(board), np.int64)
    set_up_free(search, board)
