"""Searches of a few plies within self-play, by alpha–beta, with the network's values where they stop.

A search works on the board of self-play and leaves it as it was. What it notes is in one array: TOP and STACK, the
stones to take off again; STATE, the random stream; LINE, for each level the stones of the best moves from there on.
"""

from __future__ import annotations

from inarow.kernels.common.board import advance, below, mix
from inarow.kernels.common.tactics import QUIET
from inarow.kernels.ntuple.arguments import Ints, Log, Net, Settings, Stones, Work
from inarow.kernels.ntuple.board import Sums, after, follow, log_position, put, quiet_moves, take
from inarow.kernels.ntuple.network import settled_value, unit_of, value_after

# What learns from a search: the position searched, the one at the end of its best line, or every one above the horizon.
ROOT, LEAF, TREE = range(3)
DEEPEST = 4
"""Most plies of a search."""
TOP, STATE, LINE = range(3)
STACK = LINE + (DEEPEST + 1) * DEEPEST
ENTRY = 3
"""Numbers on the stack for a stone: it, its player, and what its unit held before."""
NOTES = STACK + ENTRY * 64
WIDEST = 2.0
"""Larger than any value."""
MARGIN = 1e-9
"""By how much a window is wider than it need be, so that equal values are never cut off."""


def push(net: Net, work: Work, notes: Ints, sums: Sums, stone: int, player: int) -> Sums:
    """Put a stone on the board, to be taken off by `pop_to`; the new sums."""
    at = notes[TOP]
    notes[at], notes[at + 1], notes[at + 2] = stone, player, work.contents[unit_of(net, stone)]
    notes[TOP] = at + ENTRY
    return put(net, work, sums, stone, player)


def pop_to(net: Net, work: Work, notes: Ints, top: int) -> None:
    """Take stones off the board until the stack is as high as it was."""
    while notes[TOP] > top:
        notes[TOP] -= ENTRY
        at = notes[TOP]
        take(net, work, notes[at], notes[at + 1], notes[at + 2])


def push_blocks(
    net: Net, work: Work, notes: Ints, stones: Stones, player: int, sums: Sums, blocks: int
) -> tuple[Stones, int, Sums]:
    """Put forced blocks on the board; the stones, who is to move, and the sums after them."""
    for i in range(blocks):
        block = work.forced[i]
        sums = push(net, work, notes, sums, block, player)
        stones = after(net, stones, block)
        player = 1 - player
    return stones, player, sums


def shrunk(gamma: float, plies: int) -> float:
    """What a value this many plies later is worth now: the other side's counts against this one."""
    factor = 1.0
    for _ in range(plies):
        factor *= -gamma
    return factor


def best_value(
    net: Net,
    work: Work,
    log: Log,
    stones: Stones,
    player: int,
    sums: Sums,
    level: int,
    low: float,
    high: float,
    settings: Settings,
    notes: Ints,
    rows: int,
) -> tuple[float, int]:
    """The value of the best move of a position in which nothing is forced, ``level`` moves below the root; a bound if
    it is not between ``low`` and ``high``. And the rows of the log that are filled: in a TREE, positions below the root
    are logged with their values."""
    gamma, depth = settings.gamma, settings.search - level
    held_at = (1 - player) * net.rules.features
    held_total = sums.first if player else sums.second
    line = LINE + level * DEEPEST
    moves = quiet_moves(net, stones)
    best, ties = -WIDEST, 0
    while moves and best <= high:
        stone = moves & -moves
        moves ^= stone
        notes[line + DEEPEST] = 0
        top = notes[TOP]
        if depth == 1 or stones.mine_wins & stone:
            value = value_after(net, work, stones, stone, player, held_at, held_total, gamma)
        else:
            behind = after(net, stones, stone)
            status, blocks = follow(net, work, behind)
            if status != QUIET:
                value = settled_value(status, blocks + 1, gamma)
            else:
                sums_behind = push(net, work, notes, sums, stone, player)
                behind, mover, sums_behind = push_blocks(net, work, notes, behind, 1 - player, sums_behind, blocks)
                factor = shrunk(gamma, blocks + 1)
                ends = -WIDEST, WIDEST
                if settings.learnt != TREE:
                    ends = max(low, best) / factor, high / factor
                    ends = min(ends[0], ends[1]) - MARGIN, max(ends[0], ends[1]) + MARGIN
                value, rows = best_value(
                    net, work, log, behind, mover, sums_behind, level + 1, ends[0], ends[1], settings, notes, rows
                )
                value *= factor
                pop_to(net, work, notes, top)
        if value == best and level == 0:
            ties += 1
            notes[STATE] = advance(notes[STATE])
        if value > best or (value == best and level == 0 and below(mix(notes[STATE]), ties) == 0):
            ties = 1 if value > best else ties
            best = value
            notes[line] = stone
            for i in range(DEEPEST - 1):
                notes[line + 1 + i] = notes[line + DEEPEST + i]
    if level > 0 and settings.learnt == TREE:
        log_position(net, work, stones, player, rows)
        log.targets[rows] = best
        log.sides[rows] = player
        rows += 1
    return best, rows


def search(
    net: Net, work: Work, log: Log, stones: Stones, player: int, sums: Sums, settings: Settings, notes: Ints, rows: int
) -> tuple[int, float, int]:
    """The best move (a uniformly random one of several equals), its value, and the rows of the log that are filled."""
    notes[TOP] = STACK
    best, rows = best_value(net, work, log, stones, player, sums, 0, -WIDEST, WIDEST, settings, notes, rows)
    return notes[LINE], best, rows


def log_leaf(
    net: Net, work: Work, log: Log, stones: Stones, player: int, sums: Sums, settings: Settings, notes: Ints, row: int
) -> float:
    """Log the position at the end of the best line of the last search; what its value is worth at the root, as a
    factor. 0, and nothing is logged, if the line ends in a position that is decided."""
    top, factor = notes[TOP], 1.0
    for i in range(settings.search):
        stone = notes[LINE + i]
        if factor == 0.0 or stone == 0 or stones.mine_wins & stone:
            factor = 0.0
        else:
            sums = push(net, work, notes, sums, stone, player)
            stones, player = after(net, stones, stone), 1 - player
            status, blocks = follow(net, work, stones)
            stones, player, sums = push_blocks(net, work, notes, stones, player, sums, blocks)
            factor = factor * shrunk(settings.gamma, blocks + 1) if status == QUIET else 0.0
    if factor != 0.0:
        log_position(net, work, stones, player, row)
        log.sides[row] = player
    pop_to(net, work, notes, top)
    return factor
