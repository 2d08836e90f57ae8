"""Small strategies that prove a verdict on a board with gravity, for `inarow.solver.certificate`.

B is the player of the strategy, A the other one. A strategy costs one character for each move of B that is not forced
(completing a line, or blocking one) and one for each position that is *closed*: from there on B follows the rule of
`inarow.checker`, whose only parameter is the first column to try when B can't answer right above. A position can be
closed if the rule succeeds against all moves of A.

`_least` finds small costs exactly, by branch and bound. Beyond that the cost of a move is that of the whole strategy in
which B always makes the move with the least estimate (`_cost`). The estimate adds up the least costs of the replies, or
a constant for each that is above `NEAR`. `decide` compares B's moves by this cost; positions that are already in the
strategy cost nothing. The solver excludes moves that give up the verdict.
"""

from __future__ import annotations

import numpy as np

from inarow.bits import each_bit, popcount
from inarow.kernels.lang.jit import kernel
from inarow.kernels.lang.records import Array, array_of, record
from inarow.kernels.solver.solve import MULTIPLIER, Search, begin_search, mirrored, solve, wins_of
from inarow.randomness import times
from inarow.stopping import raised

EXACT = 6
"""The least cost is found exactly up to this one."""
NEAR = 3
"""Estimates find the least cost exactly up to this one …"""
FAR = 9
"""… and use this one for more."""
ENDLESS = 1 << 40
UNLIMITED = 1 << 60
HELD, LOST = 1, 2


@record
class Walked:
    """A position with A to move where following up was tried."""

    key: int
    tried: int
    """The first columns that were tried, as bits."""
    proven: int
    """The ones that prove the claim."""


@record
class Known:
    """A position and its mirror image: with B to move its cost, with A to move whether B's claim holds."""

    key: int
    low: int
    """A lower bound of the cost; or HELD or LOST."""
    exact: bool
    """True if ``low`` is the cost."""
    cost: int
    """The estimated size of the strategy; 0 if unknown."""
    written: bool
    """True if it is in the strategy already."""


@record
class StrategySearch:
    """The search for the strategy of one player."""

    win: bool
    """True if it claims a win, else a draw."""
    bits: int
    """The logarithm of the lengths of the tables."""
    columns: int
    """The number of first columns to try."""
    walked: Array[Walked]
    known: Array[Known]


def new_strategy(win: bool, columns: int, bits: int) -> StrategySearch:
    """Return a search with empty tables of 2**bits entries."""
    strategy = StrategySearch()
    strategy.win, strategy.bits, strategy.columns = win, bits, columns
    strategy.walked, strategy.known = array_of(Walked, 1 << bits), array_of(Known, 1 << bits)
    return strategy


def _place(strategy: StrategySearch, key: int) -> int:
    return (times(key, MULTIPLIER) >> (63 - strategy.bits)) & ((1 << strategy.bits) - 1)


def _known(strategy: StrategySearch, search: Search, mover: int, occupied: int) -> int:
    """Return the slot of a position, evicting one that is not in the strategy; −1 if the slot is taken."""
    key = mover + occupied
    key = 1 + min(key, mirrored(search, key))
    at = _place(strategy, key)
    known = strategy.known
    if known[at].key != key and not known[at].written:
        known[at].key, known[at].low, known[at].exact, known[at].cost = key, 0, False, 0
    return at if known[at].key == key else -1


def _reply(search: Search, own: int, opp: int, last: int, column: int) -> int:
    """Return B's answer to the last stone when B can't complete a line; 0 if B loses immediately."""
    occupied, board = own | opp, search.board
    direct = (occupied + search.bottom) & board
    theirs = wins_of(search, opp) & ~occupied
    blocks = direct & theirs
    if blocks != 0:
        return blocks if blocks & (blocks - 1) == 0 else 0
    mine = wins_of(search, own) & ~occupied
    good = direct & ~(theirs >> 1)
    best = good & ~(mine >> 1)
    above = (last << 1) & board
    if above & best != 0:
        return above
    if best == 0:
        best = good
    if best & search.claimed != 0:
        best &= search.claimed
    later = (best >> (column * search.stride)) << (column * search.stride)
    return (later & -later) if later != 0 else (best & -best)


def _follows(strategy: StrategySearch, search: Search, own: int, opp: int, column: int) -> bool:
    """Return True if following up achieves the claim against all moves of A."""
    occupied, board = own | opp, search.board
    direct = (occupied + search.bottom) & board
    if direct & wins_of(search, opp) != 0 or raised(search.stop) != 0:
        return False
    key = 1 + opp + occupied
    at = _place(strategy, key)
    walked = strategy.walked
    if walked[at].key != key:
        walked[at].key, walked[at].tried, walked[at].proven = key, 0, 0
    elif (walked[at].tried >> column) & 1 != 0:
        return (walked[at].proven >> column) & 1 != 0
    mine = wins_of(search, own)
    proves = True
    for cell in each_bit(direct):
        now = occupied | cell
        if now == board:
            proves = not strategy.win
        elif (now + search.bottom) & board & mine == 0:
            reply = _reply(search, own, opp | cell, cell, column)
            if reply == 0:
                proves = False
            elif now | reply == board:
                proves = not strategy.win
            else:
                proves = _follows(strategy, search, own | reply, opp | cell, column)
        if not proves:
            break
    if walked[at].key != key:
        walked[at].key, walked[at].tried, walked[at].proven = key, 0, 0
    walked[at].tried |= 1 << column
    if proves:
        walked[at].proven |= 1 << column
    return proves


def _closing(strategy: StrategySearch, search: Search, own: int, opp: int) -> int:
    """Return the first column with which following up proves the claim; −1 for none."""
    for column in range(strategy.columns):
        if _follows(strategy, search, own, opp, column):
            return column
    return -1


def _holds(strategy: StrategySearch, search: Search, own: int, opp: int) -> bool:
    """Return True if B's claim holds with A to move."""
    occupied = own | opp
    if (occupied + search.bottom) & search.board & wins_of(search, opp) != 0:
        return False
    at = _known(strategy, search, opp, occupied)
    known = strategy.known
    if at >= 0 and known[at].low != 0:
        return known[at].low == HELD
    most = -1 if strategy.win else 0
    begin_search(search, most, most + 1, UNLIMITED, 0)
    solve(search, opp, occupied, popcount(occupied), most, most + 1)
    held = search.high <= most
    if at >= 0 and not search.stopped:
        known[at].low = HELD if held else LOST
    return held


def _forced(search: Search, own: int, opp: int) -> int:
    """Return −1 if B completes a line, the cell of the only line that it must block, or 0 if it may choose."""
    direct = ((own | opp) + search.bottom) & search.board
    if direct & wins_of(search, own) != 0:
        return -1
    blocks = direct & wins_of(search, opp)
    return blocks if blocks & (blocks - 1) == 0 else 0


def _least(strategy: StrategySearch, search: Search, own: int, opp: int, most: int) -> int:
    """Return the least cost with B to move, or more than ``most`` if it is more."""
    occupied, board = own | opp, search.board
    forced = _forced(search, own, opp)
    if forced < 0:
        return 0
    if forced > 0:
        if occupied | forced == board:
            return ENDLESS if strategy.win else 0
        return _least_after(strategy, search, own | forced, opp, most)
    at = _known(strategy, search, own, occupied)
    known = strategy.known
    if at >= 0:
        if known[at].written:
            return 0
        if known[at].exact or known[at].low > most:
            return known[at].low
    if most < 1:
        return 1
    if raised(search.stop) != 0:
        return most + 1
    best = most + 1
    direct = (occupied + search.bottom) & board
    for cell in each_bit(direct):
        if best <= 2:
            break
        if occupied | cell == board:
            if not strategy.win:
                best = min(best, 1)
        elif _closing(strategy, search, own | cell, opp) >= 0:
            best = min(best, 2)
    for cell in each_bit(direct):
        if best > 1 and occupied | cell != board and _holds(strategy, search, own | cell, opp):
            best = min(best, 1 + _least_after(strategy, search, own | cell, opp, best - 2))
    if at >= 0 and _known(strategy, search, own, occupied) == at:
        known[at].low, known[at].exact = best, best <= most
    return best


def _least_after(strategy: StrategySearch, search: Search, own: int, opp: int, most: int) -> int:
    """As `_least`, with A to move."""
    occupied, board = own | opp, search.board
    total = 0
    for cell in each_bit((occupied + search.bottom) & board):
        if total > most:
            break
        if occupied | cell != board:
            total += _least(strategy, search, own, opp | cell, most - total)
        elif strategy.win:
            total = ENDLESS
    if total > 1 and most >= 1 and _closing(strategy, search, own, opp) >= 0:
        total = 1
    return total


def _near(strategy: StrategySearch, search: Search, own: int, opp: int, most: int) -> int:
    """As `_least`, with growing limits."""
    limit = min(2, most)
    found = _least(strategy, search, own, opp, limit)
    while found > limit and limit < most and raised(search.stop) == 0:
        limit = min(limit + limit // 2 + 1, most)
        found = _least(strategy, search, own, opp, limit)
    return found


def _estimate(strategy: StrategySearch, search: Search, own: int, opp: int) -> int:
    """Estimate the cost with A to move."""
    if _closing(strategy, search, own, opp) >= 0:
        return 1
    occupied = own | opp
    total = 0
    for cell in each_bit((occupied + search.bottom) & search.board):
        if occupied | cell != search.board:
            found = _near(strategy, search, own, opp | cell, NEAR)
            total += found if found <= NEAR else FAR
    return total


def _likely(strategy: StrategySearch, search: Search, own: int, opp: int) -> int:
    """Return the move with the least estimate among those that keep the claim, as a bit."""
    occupied = own | opp
    best, chosen = ENDLESS, 0
    for cell in each_bit((occupied + search.bottom) & search.board):
        if _holds(strategy, search, own | cell, opp):
            found = _estimate(strategy, search, own | cell, opp)
            if found < best:
                best, chosen = found, cell
    return chosen


def _cost(strategy: StrategySearch, search: Search, own: int, opp: int, most: int) -> int:
    """Return the cost of the strategy by estimates with B to move, or more than ``most`` if it is more."""
    occupied = own | opp
    forced = _forced(search, own, opp)
    if forced < 0 or occupied | forced == search.board:
        return 0
    if forced > 0:
        return _cost_after(strategy, search, own | forced, opp, most)
    at = _known(strategy, search, own, occupied)
    known = strategy.known
    if at >= 0:
        if known[at].written:
            return 0
        if known[at].cost > 0:
            return known[at].cost
    if raised(search.stop) != 0:
        return ENDLESS
    found = _near(strategy, search, own, opp, EXACT)
    if found > EXACT:
        if most < found:
            return found
        move = _likely(strategy, search, own, opp)
        found = 1 + _cost_after(strategy, search, own | move, opp, most - 1)
        if found > most:
            return found
    at = _known(strategy, search, own, occupied)
    if at >= 0:
        known[at].cost = found
    return found


def _cost_after(strategy: StrategySearch, search: Search, own: int, opp: int, most: int) -> int:
    """As `_cost`, with A to move."""
    if _closing(strategy, search, own, opp) >= 0:
        return 1
    occupied = own | opp
    total = 0
    for cell in each_bit((occupied + search.bottom) & search.board):
        if total <= most and occupied | cell != search.board:
            total += _cost(strategy, search, own, opp | cell, most - total)
    return total


@kernel
def closing(strategy: StrategySearch, search: Search, own: int, opp: int) -> int:
    """Return the first column with which following up proves the claim of ``own``, with the other side to move; −1 for
    none."""
    return _closing(strategy, search, own, opp)


@kernel
def decide(strategy: StrategySearch, search: Search, own: int, opp: int) -> int:
    """Return the move of ``own``, as a bit, that keeps the claim with the least cost; it is in the strategy from then
    on. 0 if the search is stopped."""
    occupied = own | opp
    chosen = _likely(strategy, search, own, opp)
    best = _cost_after(strategy, search, own | chosen, opp, ENDLESS) if occupied | chosen != search.board else 0
    for cell in each_bit((occupied + search.bottom) & search.board & ~chosen):
        if best > 1 and _holds(strategy, search, own | cell, opp):
            found = _cost_after(strategy, search, own | cell, opp, best - 1)
            if found < best:
                best, chosen = found, cell
    at = _known(strategy, search, own, occupied)
    if at >= 0:
        strategy.known[at].written = True
    return chosen if raised(search.stop) == 0 else 0


@kernel
def tell(strategy: StrategySearch, key: int, held: bool) -> None:
    """Record whether B's claim holds in a position with A to move, given by its folded key."""
    at = _place(strategy, 1 + key)
    strategy.known[at].key, strategy.known[at].low = 1 + key, HELD if held else LOST


def warm() -> None:
    """Compile the kernels of this module, or load them."""
    search, strategy = Search(), new_strategy(False, 0, 0)
    search.tt = search.stop = np.zeros(1, np.int64)
    closing(strategy, search, 0, 0)
    tell(strategy, 0, False)
    search.stop = np.ones(1, np.int64)
    decide(strategy, search, 0, 0)
