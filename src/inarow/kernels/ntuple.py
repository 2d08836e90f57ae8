"""N-tuple networks: the value of a position as a sum of table entries.

A board is a row of *units*: the columns where stones fall, else the cells. A move fills unit ``move``, so it changes
the content of one unit only, and with it the indices of a few *features* (a feature is one image of one tuple). Which
those are and how they move is tabled, all in one array of int32, ``tables``; ``rules`` says where each begins:

- touched, (unit, height, j): the j-th feature that a stone on a unit of that height touches; counts: how many it does;
- steps, (unit, content, player, j): how the index of that feature moves;
- heights, (content); following, (player, content): the content after a stone of the player;
- unit_of_bit, (bit); start, (feature): the indices of the empty board.

Where stones fall, *wide* features look at the whole board. Every pair of columns has a table with an entry for what
their winning cells, as far as they are empty, amount to:

- code_of, (first player's winning cells in a column, the second's above them): its *code*, what of them matters;
- pair_of, (pair of columns): where its table begins, its two columns, whether they mirror each other.

The *memory* is the last ``memory`` entries: every position shares one with its mirror image, by a hash.

Values are for the side to move, in [−1, 1], and shrink by ``gamma`` per ply. Arrays are flat.
"""

from __future__ import annotations

from typing import Any, NamedTuple, TypeVar

import numpy as np
from numpy.typing import NDArray

from inarow.bits import BitLayout, has_line, lowest, mirror, playable, popcount, winning_cells
from inarow.kernels.evaluate import Custom
from inarow.kernels.lang.jit import compile_now, hot_kernel, kernel, prefetch
from inarow.kernels.lang.records import record, write_fields
from inarow.randomness import mix, plus

Ints = NDArray[np.int64]
Floats = NDArray[np.float32]
Reals = NDArray[np.float64]
Array = Any
"""A flat array, of what the field says."""
Sum = TypeVar("Sum", int, float)
"""A sum of weights: an int if they are integers."""

# What two plies of looking ahead decide for certain.
QUIET, WON, LOST, DRAWN = range(4)
LARGEST_SUM = 9.0
"""From here on a hyperbolic tangent is 1, as far as the weights' precision goes."""
# An entry of ``pair_of``: where the table of the pair begins, the two columns, 1 if they mirror each other.
PAIR_BEGIN, PAIR_LEFT, PAIR_RIGHT, PAIR_MIRRORED = range(4)
PAIR = 4
ODD_ROWS = 0x2AAAAAAAAAAAAAAA
"""Every second bit, without the lowest."""


@record
class NetworkRules:
    """The game, the shape of a network, and where each of its tables begins."""

    k: int
    stride: int
    board: int
    bottom: int
    gravity: bool
    tactics: bool
    """True if forced blocks are followed."""

    features: int
    units: int
    contents: int
    """The number of contents of a unit."""
    levels: int
    """The number of heights of a unit."""
    most: int
    """The most features that a stone touches."""
    size: int
    """Weights for each side to move."""
    empty: int
    """The content of an empty unit."""
    pairs: int
    codes: int
    memory: int

    touched: int
    counts: int
    steps: int
    heights: int
    following: int
    unit_of_bit: int
    start: int
    code_of: int
    pair_of: int


class Net(NamedTuple):
    """A network: its weights, the tables that say which of them a position sums, and the game."""

    weights: Array
    """float32: those of positions with the first player to move, then those with the second."""
    tables: Array
    """int32."""
    rules: NetworkRules


class Work(NamedTuple):
    """Working memory: the board that is played on, and a second one for looking ahead."""

    index: Array
    """int32: the features' indices of the board, of the second board, the second's wide ones; then rows of a log."""
    contents: Array
    """int64: the content of every unit of both boards."""
    forced: Array
    """int64 (cells + 1): forced moves of a look ahead; also codes of columns."""
    held: Array
    """float32 (2, features): the board's weights with the first and the second player to move."""


class Stones(NamedTuple):
    """The stones and winning cells of the player to move and of the other one."""

    own: int
    opp: int
    own_wins: int
    opp_wins: int


def squash(x: float) -> float:
    """Return the hyperbolic tangent to seven digits, the same on every machine and several times faster than the
    library's: that of half of ``x`` by a continued fraction, n / d, then the formula for twice the angle."""
    y = 0.5 * max(-LARGEST_SUM, min(LARGEST_SUM, x))
    z = y * y
    n = y * (135135.0 + z * (17325.0 + z * (378.0 + z)))
    d = 135135.0 + z * (62370.0 + z * (3150.0 + 28.0 * z))
    return 2.0 * n * d / (n * n + d * d)


def total(weights: Array, start: int, index: Array, at: int, features: int, before: Sum) -> Sum:
    """Add the weights whose places are ``start`` plus the indices from ``at`` on to a sum."""
    a = b = weights.dtype.type(0)
    i = 0
    while i + 1 < features:
        a += weights[start + index[at + i]]
        b += weights[start + index[at + i + 1]]
        i += 2
    if i < features:
        a += weights[start + index[at + i]]
    before += a + b
    return before


def hold(net: Net, work: Work, player: int, at: int, before: Sum) -> Sum:
    """Keep the board's weights with this player to move in ``held``, from ``at`` on; return ``before`` plus their
    sum."""
    weights, index, held = net.weights, work.index, work.held
    start, features = player * net.rules.size, net.rules.features
    a = b = weights.dtype.type(0)
    i = 0
    while i + 1 < features:
        one, two = weights[start + index[i]], weights[start + index[i + 1]]
        held[at + i], held[at + i + 1] = one, two
        a += one
        b += two
        i += 2
    if i < features:
        held[at + i] = weights[start + index[i]]
        a += held[at + i]
    before += a + b
    return before


def stones_of(game: Any, own: int, opp: int) -> Stones:
    """Return the stones of both sides with their winning cells; ``game`` has its ``k``, ``stride`` and ``board``."""
    k, stride, board = game.k, game.stride, game.board
    return Stones(own, opp, winning_cells(own, k, stride, board), winning_cells(opp, k, stride, board))


def stones_after(rules: NetworkRules, stones: Stones, stone: int) -> Stones:
    """Return the stones after a move, as the other player sees them."""
    own = stones.own | stone
    return Stones(stones.opp, own, stones.opp_wins, winning_cells(own, rules.k, rules.stride, rules.board))


def unit_of(net: Net, stone: int) -> int:
    """Return the unit that a stone falls into."""
    return int(net.tables[net.rules.unit_of_bit + lowest(stone)])


def touch(net: Net, unit: int, content: int, player: int) -> tuple[int, int, int]:
    """Return where the features that a stone touches begin, where their steps begin, and how many there are."""
    rules, tables = net.rules, net.tables
    level = unit * rules.levels + tables[rules.heights + content]
    most = rules.most
    row = rules.touched + level * most
    step = rules.steps + ((unit * rules.contents + content) * 2 + player) * most
    return row, step, tables[rules.counts + level]


def changed(net: Net, work: Work, held_at: int, unit: int, player: int, before: Sum) -> Sum:
    """Return a sum of weights with the other player to move, changed by a stone of this player in a unit.
    ``held``, from ``held_at`` on, has these weights before the move."""
    weights, tables, index, held = net.weights, net.tables, work.index, work.held
    start = (1 - player) * net.rules.size
    row, step, count = touch(net, unit, work.contents[unit], player)
    a = b = weights.dtype.type(0)
    j = 0
    while j + 1 < count:
        i = tables[row + j]
        at = start + index[i] + tables[step + j]
        a += weights[at] - held[held_at + i]
        i = tables[row + j + 1]
        at = start + index[i] + tables[step + j + 1]
        b += weights[at] - held[held_at + i]
        j += 2
    if j < count:
        i = tables[row + j]
        at = start + index[i] + tables[step + j]
        a += weights[at] - held[held_at + i]
    before += a + b
    return before


def content_after(net: Net, content: int, player: int) -> int:
    """Return the content of a unit after a stone of this player."""
    return int(net.tables[net.rules.following + player * net.rules.contents + content])


def copy_board(net: Net, work: Work) -> None:
    """Copy the indices and contents of the board to the second board."""
    features, units = net.rules.features, net.rules.units
    for i in range(features):
        work.index[features + i] = work.index[i]
    for unit in range(units):
        work.contents[units + unit] = work.contents[unit]


def place(net: Net, work: Work, board: int, unit: int, player: int) -> int:
    """Put a stone of this player into a unit of board 0, or 1 (the second one); return the unit's content before."""
    features, at = board * net.rules.features, board * net.rules.units + unit
    content = work.contents[at]
    row, step, count = touch(net, unit, content, player)
    for j in range(count):
        i = features + net.tables[row + j]
        work.index[i] = work.index[i] + net.tables[step + j]
    work.contents[at] = content_after(net, content, player)
    return int(content)


def wide_features(rules: NetworkRules) -> int:
    """Count the features that look at more than the cells of a tuple: the pairs of columns and the memory."""
    return rules.pairs + (1 if rules.memory != 0 else 0)


def note_wide(net: Net, work: Work, stones: Stones, player: int, at: int) -> None:
    """Write the indices of the wide features from ``at`` on. ``player`` is to move."""
    first, second = (stones.opp, stones.own) if player else (stones.own, stones.opp)
    pairs, entries = net.rules.pairs, net.rules.memory
    if pairs != 0:
        empty = ~(first | second)
        wins = (stones.opp_wins, stones.own_wins) if player else (stones.own_wins, stones.opp_wins)
        _note_pairs(net, work, empty & wins[0], empty & wins[1], at)
    if entries != 0:
        stride, columns = net.rules.stride, net.rules.units
        image = mix(mix(mirror(first, columns, stride)) ^ mirror(second, columns, stride))
        entry = mix(plus(mix(mix(first) ^ second), image)) & (entries - 1)
        work.index[at + pairs] = net.rules.size - entries + entry


def _note_pairs(net: Net, work: Work, first_wins: int, second_wins: int, at: int) -> None:
    """Write the indices of all pairs of columns, by the winning cells of both players that are still empty."""
    tables, codes = net.tables, work.forced
    stride, code_of = net.rules.stride, net.rules.code_of
    rows = stride - 1
    column = (1 << rows) - 1
    for unit in range(net.rules.units):
        shift = unit * stride
        cells = first_wins >> shift & column | (second_wins >> shift & column) << rows
        codes[unit] = tables[code_of + cells]
    code_count, entry = net.rules.codes, net.rules.pair_of
    for pair in range(net.rules.pairs):
        left = codes[tables[entry + PAIR_LEFT]]
        right = codes[tables[entry + PAIR_RIGHT]]
        if tables[entry + PAIR_MIRRORED] != 0 and left > right:
            left, right = right, left
        begin = tables[entry + PAIR_BEGIN]
        work.index[at + pair] = begin + left * code_count + right
        entry += PAIR


def settle(game: Any, stones: Stones, forced: Ints) -> tuple[int, int]:
    """Follow forced blocks until nothing is forced; return the status for the side to move there, and how many.

    The blocks are written as bits to ``forced``. ``game`` has the rules.
    WON: the side to move there wins with its next stone; LOST: the other side does after any move of it.
    """
    k, stride, board, bottom, gravity = game.k, game.stride, game.board, game.bottom, game.gravity
    own, opp, own_wins, opp_wins = stones.own, stones.opp, stones.own_wins, stones.opp_wins
    count = 0
    while True:
        occupied = own | opp
        if occupied == board:
            return DRAWN, count
        free = playable(occupied, bottom, board, gravity)
        if own_wins & free:
            return WON, count
        threats = opp_wins & free
        if threats == 0:
            safe = free & ~(opp_wins >> 1) if gravity else free
            return (QUIET if safe else LOST), count
        if threats & (threats - 1):
            return LOST, count
        forced[count] = threats
        count += 1
        own, opp = opp, own | threats
        own_wins, opp_wins = opp_wins, winning_cells(opp, k, stride, board)


@kernel
def settled(
    own: int, opp: int, k: int, stride: int, board: int, bottom: int, gravity: bool, forced: Ints
) -> tuple[int, int]:
    """Follow forced blocks as `settle` does; for Python to call."""
    layout = BitLayout(k, stride, board, bottom, gravity, 0, 0, 0, 0, 0, False)
    return settle(layout, stones_of(layout, own, opp), forced)


def follow(rules: NetworkRules, stones: Stones, forced: Ints) -> tuple[int, int]:
    """Follow forced blocks as `settle` does, if the network's tactics do; else see whether the board is full."""
    if rules.tactics:
        return settle(rules, stones, forced)
    return (DRAWN if stones.own | stones.opp == rules.board else QUIET), 0


def settled_value(status: int, plies: int, gamma: float) -> float:
    """Return the value of a settled position ``plies`` plies later to the side to move now."""
    value = 0.0
    if status == WON:
        value = gamma
    elif status == LOST:
        value = -gamma * gamma
    for _ in range(plies):
        value *= -gamma
    return value


def play_blocks(net: Net, work: Work, stones: Stones, player: int, blocks: int) -> Stones:
    """Play forced blocks, this player's first, on the second board; return the stones for the side to move then."""
    for i in range(blocks):
        block = int(work.forced[i])
        place(net, work, 1, unit_of(net, block), player)
        stones = stones_after(net.rules, stones, block)
        player = 1 - player
    return stones


def sum_behind(net: Net, work: Work, stones: Stones, player: int, blocks: int, before: Sum) -> Sum:
    """Play forced blocks, this player's first, on the second board; return ``before`` plus the sum of its weights."""
    features, mover = net.rules.features, (player + blocks) & 1
    stones = play_blocks(net, work, stones, player, blocks)
    note_wide(net, work, stones, mover, 2 * features)
    # The wide features follow the second board, so that one sum takes both.
    count = features + wide_features(net.rules)
    return total(net.weights, mover * net.rules.size, work.index, features, count, before)


def sum_after(
    net: Net, work: Work, after: Stones, stone: int, player: int, blocks: int, held_at: int, held: Sum
) -> Sum:
    """Return the sum of the weights after a move of this player and the forced blocks that follow it.

    ``after`` are the stones after the move. ``held`` has, from ``held_at`` on, the weights of the board with the other
    player to move, whose sum is given.
    """
    rules, unit = net.rules, unit_of(net, stone)
    if blocks != 0:
        copy_board(net, work)
        place(net, work, 1, unit, player)
        return sum_behind(net, work, after, 1 - player, blocks, held - held)
    start, wide_at, wide = (1 - player) * rules.size, 2 * rules.features, wide_features(rules)
    note_wide(net, work, after, 1 - player, wide_at)
    if wide != 0:  # the last may be the memory, far away
        prefetch(net.weights, start + work.index[wide_at + wide - 1])
    found = changed(net, work, held_at, unit, player, held)
    return total(net.weights, start, work.index, wide_at, wide, found)


def value_after(
    net: Net, work: Work, stones: Stones, stone: int, player: int, held_at: int, held: float, gamma: float
) -> float:
    """Return the value of a move to its player: exact where tactics decide, else the network's estimate. See
    `sum_after` for ``held``."""
    if stones.own_wins & stone:
        return gamma
    after = stones_after(net.rules, stones, stone)
    status, blocks = follow(net.rules, after, work.forced)
    if status != QUIET:  # without tactics it is a draw
        return settled_value(status, blocks + 1, gamma) if net.rules.tactics else 0.0
    factor = -gamma
    for _ in range(blocks):
        factor *= -gamma
    return factor * squash(sum_after(net, work, after, stone, player, blocks, held_at, held))


@kernel
def judge(net: Net, work: Work, own: int, opp: int, gamma: float, values: Reals) -> None:
    """Write the value of every legal move of a position to the side to move; ``values`` of other moves stay as they
    are. ``work`` has the indices and contents of the position."""
    rules = net.rules
    stones = stones_of(rules, own, opp)
    player = popcount(own | opp) & 1
    held = hold(net, work, 1 - player, 0, np.float64(0.0))
    rest = playable(own | opp, rules.bottom, rules.board, rules.gravity)
    while rest:
        stone = rest & -rest
        rest ^= stone
        values[unit_of(net, stone)] = value_after(net, work, stones, stone, player, 0, held, gamma)


class Parts(NamedTuple):
    """The parts of a value, by feature."""

    weights: Reals
    """The weight of each, for the player whose move is valued."""
    first: Ints
    """The winning cells of the first player that a pair of columns looks at; 0 for other features."""
    second: Ints
    blocks: Ints
    """(cells + 1): the forced blocks after the move, as bits."""


def take_apart(net: Net, work: Work, own: int, opp: int, stone: int, parts: Parts) -> tuple[bool, int]:
    """Write what the value of a move is made of: the weights that are summed once forced blocks are played.

    Return whether neither the end of the game nor tactics decide, and the number of blocks; without, nothing else is
    written. ``work`` has the indices and contents of the position.
    """
    rules, player = net.rules, popcount(own | opp) & 1
    after = stones_of(rules, opp, own | stone)
    if has_line(after.opp, rules.k, rules.stride) or after.own | after.opp == rules.board:
        return False, 0
    status, blocks = follow(rules, after, work.forced)
    for i in range(blocks):
        parts.blocks[i] = work.forced[i]
    if status != QUIET:
        return False, blocks
    copy_board(net, work)
    place(net, work, 1, unit_of(net, stone), player)
    stones = play_blocks(net, work, after, 1 - player, blocks)
    mover = (player + blocks + 1) & 1
    features, start = rules.features, mover * rules.size
    note_wide(net, work, stones, mover, 2 * features)
    for i in range(features + wide_features(rules)):
        weight = np.float64(net.weights[start + work.index[features + i]])
        parts.weights[i] = weight if mover == player else -weight
        parts.first[i] = parts.second[i] = 0
    empty = ~(stones.own | stones.opp)
    first, second = (stones.opp_wins, stones.own_wins) if mover != 0 else (stones.own_wins, stones.opp_wins)
    for pair in range(rules.pairs):
        entry = rules.pair_of + PAIR * pair
        for side in range(PAIR_LEFT, PAIR_RIGHT + 1):
            shift = int(net.tables[entry + side]) * rules.stride
            column = ((1 << (rules.stride - 1)) - 1) << shift
            one, two = counted(first & empty & column, second & empty & column, shift)
            parts.first[features + pair] |= one
            parts.second[features + pair] |= two
    return True, blocks


def counted(first: int, second: int, shift: int) -> tuple[int, int]:
    """Return the winning cells of a column that count: of each player the lowest in an odd and in an even row, up to
    the first that wins for both. The bottom cell, whose bit is ``shift``, is taken before anything is won there."""
    shared = first & second
    reach = 2 * (shared & -shared) - 1 if shared != 0 else -1
    odd = ODD_ROWS << shift
    even = (ODD_ROWS << 1) << shift
    first, second = first & reach, second & reach
    one, two = first & odd, first & even
    three, four = second & odd, second & even
    return one & -one | two & -two, three & -three | four & -four


def smallest(rows: int = 0) -> tuple[Net, Work]:
    """Return a network of a board of four cells whose only feature sees nothing, and room for a log of rows."""
    parts = [np.zeros(n, np.int32) for n in (6, 6, 32)]
    parts += [np.array(part, np.int32) for part in ([0, 0, 1, 1, 2, 2, 2, 2], [7] * 16, [0, 0, 0, 1, 1, 0], [0])]
    parts += [np.zeros(n, np.int32) for n in (16, 4)]
    begins = np.cumsum([0, *(part.size for part in parts)])[:-1]
    rules = NetworkRules()
    write_fields(rules, 2, 3, 0b011011, 0b001001, 1, 1, 1, 2, 8, 3, 1, 1, 1, 0, 1, 0, *map(int, begins))
    index, contents = np.zeros(2 + rows, np.int32), np.ones(4, np.int64)
    work = Work(index, contents, np.zeros(5, np.int64), np.zeros(2, np.float32))
    return Net(np.zeros(2, np.float32), np.concatenate(parts), rules), work


# A network's value in whole points, for searches that compare many positions. The weights are whole
# numbers here (int32): a sum of them is the same in whatever order it is taken, so that a position has the same points
# whichever moves led to it, and its mirror image has them too. A search keeps the features' indices of the board move
# by move, and sums up where it stops. Points are SCALE times the sum of the weights. With tactics, forced blocks are
# followed first; where they end in a win the points are CERTAIN, less the stones on the board at that win, far above
# those of any sum.

SCALE = 100_000
"""Points for a sum of weights of 1."""
LARGEST = 9 * SCALE
"""Most points of a sum: from there on its hyperbolic tangent is 1."""
CERTAIN = 10 * SCALE
A_STONE = 100
"""Points that a win seen by tactics loses with every stone on the board."""


class NetBoard(NamedTuple):
    """A network with whole weights, and the board that follows a search."""

    net: Net
    board: Work


class Leaves(NamedTuple):
    """The data to judge the moves of one position, which the network's board holds."""

    network: NetBoard
    stones: Stones
    held: int
    """The sum of the weights with the other player to move, which are held."""


def bounded(points: int) -> int:
    """Return points, limited to the range of a sum."""
    return max(-LARGEST, min(LARGEST, points))


@hot_kernel
def hold_weights(network: NetBoard, player: int) -> int:
    """Keep the board's weights with this player to move in ``held``; return their sum."""
    return hold(network.net, network.board, player, 0, 0)


def set_board(net: Net, work: Work, own: int, opp: int) -> None:
    """Put a position on the board."""
    rules, player = net.rules, popcount(own | opp) & 1
    for i in range(rules.features):
        work.index[i] = net.tables[rules.start + i]
    for unit in range(rules.units):
        work.contents[unit] = rules.empty
    rest = own | opp
    while rest != 0:  # from the bottom of each column
        stone = rest & -rest
        place(net, work, 0, unit_of(net, stone), player if own & stone != 0 else 1 - player)
        rest &= rest - 1


def put_cell(evaluator: NetBoard | Custom | None, cell: int, player: int) -> tuple[int, int]:
    """Play a move on a network's board; return what `take_back` needs: the unit and its content."""
    return put_stone(evaluator, cell, player) if isinstance(evaluator, NetBoard) else (0, 0)


def take_back(evaluator: NetBoard | Custom | None, undo: tuple[int, int], player: int) -> None:
    """Take the move back."""
    if isinstance(evaluator, NetBoard):
        lift_stone(evaluator, undo[0], undo[1], player)


@hot_kernel
def put_stone(network: NetBoard, cell: int, player: int) -> tuple[int, int]:
    """Put a stone of this player on a cell; return the unit and its content before."""
    unit = unit_of(network.net, cell)
    return unit, place(network.net, network.board, 0, unit, player)


@hot_kernel
def lift_stone(network: NetBoard, unit: int, content: int, player: int) -> None:
    """Undo `put_stone`."""
    net, work = network.net, network.board
    row, step, count = touch(net, unit, content, player)
    for j in range(count):
        i = net.tables[row + j]
        work.index[i] = work.index[i] - net.tables[step + j]
    work.contents[unit] = content


def settled_points(status: int, stones: int) -> int:
    """Return the points of a settled position with this many stones on the board, for the side to move."""
    if status == WON:
        return CERTAIN - A_STONE * (stones + 1)
    if status == LOST:
        return A_STONE * (stones + 2) - CERTAIN
    return 0


@hot_kernel
def move_points(leaves: Leaves, stone: int, player: int) -> int:
    """Return the points of a move to the player who makes it."""
    net, work, stones = leaves.network.net, leaves.network.board, leaves.stones
    occupied = stones.own | stones.opp | stone
    if stones.own_wins & stone:
        return CERTAIN - A_STONE * popcount(occupied)
    after = stones_after(net.rules, stones, stone)
    status, blocks = follow(net.rules, after, work.forced)
    if status != QUIET:
        points = settled_points(status, popcount(occupied) + blocks)
    else:
        points = bounded(sum_after(net, work, after, stone, player, blocks, 0, leaves.held))
    return points if blocks & 1 else -points


@kernel
def points_of(net: Net, work: Work, own: int, opp: int) -> int:
    """Return the points of a position for the side to move, computed from scratch. ``work`` has its indices and
    contents."""
    rules, player = net.rules, popcount(own | opp) & 1
    stones = stones_of(rules, own, opp)
    if has_line(opp, rules.k, rules.stride):
        return A_STONE * popcount(own | opp) - CERTAIN
    if own | opp == rules.board:
        return 0
    status, blocks = follow(rules, stones, work.forced)
    if status != QUIET:
        points = settled_points(status, popcount(own | opp) + blocks)
    else:
        copy_board(net, work)
        points = bounded(sum_behind(net, work, stones, player, blocks, 0))
    return -points if blocks & 1 else points


@kernel
def points_after(net: Net, work: Work, own: int, opp: int, cells: Ints, points: Ints) -> None:
    """Write the points for the side to move after a stone on each of ``cells`` to ``points``."""
    stones = stones_of(net.rules, own, opp)
    player = popcount(own | opp) & 1
    network = NetBoard(net, work)
    leaves = Leaves(network, stones, hold_weights(network, 1 - player))
    for i in range(len(cells)):
        points[i] = move_points(leaves, cells[i], player)


def smallest_whole() -> tuple[Net, Work]:
    """Return the network of `smallest` with whole weights."""
    net, work = smallest()
    return net._replace(weights=np.zeros(2, np.int32)), work._replace(held=np.zeros(2, np.int32))


def warm() -> None:
    """Compile the kernels of this module, or load them."""
    judge(*smallest(), 0, 0, 1.0, np.zeros(2))
    points_of(*smallest_whole(), 0, 0)
    points_after(*smallest_whole(), 0, 0, np.ones(1, np.int64), np.zeros(1, np.int64))
    settled(0, 0, 3, 4, 0x7777, 0x1111, True, np.zeros(64, np.int64))
    network = NetBoard(*smallest_whole())
    compile_now(hold_weights, network, 0)
    compile_now(put_stone, network, 1, 0)
    compile_now(lift_stone, network, 0, 0, 0)
    compile_now(move_points, Leaves(network, Stones(0, 0, 0, 0), 0), 1, 0)
