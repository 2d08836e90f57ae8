"""Tabular Q-learning, compiled: a table that folds symmetric positions, episodes against itself or others, and the
update after each.

A row of the table belongs to a position up to symmetry, its *slots* to the moves up to the symmetries of that position.
The key of a row is two words, the stones of the side to move and the opponent's. Values are for the side to move.

A *guide* supplements the table: moves that are forced regardless of the table, and a preference mixed with its
values. Arrays are flat.

A position never recurs within an episode, so learning after the episode gives the same as learning move by move.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from inarow.bits import MAX_BITS, has_line, lowest, playable, popcount, runs, winning_cells
from inarow.kernels.arithmetic import power
from inarow.kernels.evaluate import MAX_SYMMETRIES
from inarow.kernels.lang import trace
from inarow.kernels.lang.jit import Call, compile_all, kernel
from inarow.kernels.lang.records import record, write_fields
from inarow.kernels.rules import urgent_cells
from inarow.randomness import advance, below, mix, pick, pick_weighted, uniform
from inarow.stopping import raised

Ints = NDArray[np.int64]
Counts = NDArray[np.int32]
Floats = NDArray[np.float32]
Reals = NDArray[np.float64]
Array = Any
"""A flat array, of what the field says."""

# Guides.
NONE, RULES, THREATS, HEURISTIC = range(4)
# Opponents. SELF: the learner itself; OUTSIDE: an agent that Python asks.
SELF, RANDOM, RULES_RANDOM, RULES_CENTRE, RULES_CORNERS, OUTSIDE = range(6)
BOTH_SEATS = 2
# The status of an episode when `play` returns.
WAITING, WON, FULL = range(3)
"""WAITING: an outside opponent is to move."""
# How a rate changes.
CONSTANT, DECAY, LINEAR, VISITS = range(4)


class Board(NamedTuple):
    """A game: its rules as bits, its symmetries, and where its centre and corners are."""

    k: int
    stride: int
    cells: int
    """Every cell, as a set of bits."""
    bottom: int
    """The lowest cell of every column."""
    gravity: bool
    centre: int
    corners: int
    moves: int
    symmetries: int
    bits: int
    """Bits of a board in the arrays."""
    bit_images: Array
    """int64 (symmetries, bits): the cell that each bit becomes, as a bit."""
    move_images: Array
    """int64 (symmetries, moves): the move that each move becomes."""
    move_of_bit: Array
    """int64 (bits): the move that fills each bit."""
    centre_weights: Array
    """int64 (bits): how much weight each bit has for an opponent that prefers the centre."""


@record
class TableRecord:
    """A hash table of Q-values with a row for each position up to symmetry."""

    rows: int
    """Room for this many, a power of two."""
    moves: int
    start: float
    """The value of a move not yet tried."""
    used: int
    """Rows in use."""
    most: int
    """The most rows that may be in use."""
    keys: Ints
    """(rows, 2): own stones and the opponent's; −1 where a row is free."""
    values: Floats
    """(rows, moves)."""
    visits: Counts
    """(rows, moves): how often each value was updated."""


class GuideRecord(NamedTuple):
    """The guide that chooses together with the table."""

    kind: int
    share: float
    """The heuristic's share in the value of a move."""


def locate(keys: Array, rows: int, own: int, opp: int) -> int:
    """Return the row of a key in a hash table of this many rows; if it has none, −1 − the free row for it."""
    row = mix(own ^ mix(opp)) & (rows - 1)
    while True:
        found = keys[2 * row]
        if found == own and keys[2 * row + 1] == opp:
            return row
        if found < 0:
            return -1 - row
        row = (row + 1) & (rows - 1)


def write_key(keys: Array, row: int, own: int, opp: int) -> None:
    """Give a row its key."""
    keys[2 * row] = own
    keys[2 * row + 1] = opp


@kernel
def rehash(keys: Ints, values: Floats, visits: Counts, new_keys: Ints, new_values: Floats, new_visits: Counts) -> None:
    """Copy all rows into larger tables, (rows, …) each but for the keys, which are flat and all −1."""
    room = len(new_values)
    flat = new_keys
    for row in range(len(keys)):
        if keys[row, 0] >= 0:
            new_row = -1 - locate(flat, room, keys[row, 0], keys[row, 1])
            write_key(flat, new_row, keys[row, 0], keys[row, 1])
            for move in range(values.shape[1]):
                new_values[new_row, move] = values[row, move]
                new_visits[new_row, move] = visits[row, move]


def draw_images(board: Board, own: int, opp: int, images: Ints) -> None:
    """Write every symmetric image of two sets of stones to ``images``, (2, symmetries)."""
    for s in range(board.symmetries):
        for side in range(2):
            rest = opp if side else own
            image = 0
            while rest:
                image |= board.bit_images[s * board.bits + lowest(rest)]
                rest &= rest - 1
            images[side, s] = image


def find_key(board: Board, images: Ints, player: int, key: Ints) -> int:
    """Write the least key among the symmetric images to ``key``; return the set of symmetries that give it."""
    found = 0
    for s in range(board.symmetries):
        own, opp = images[player, s], images[1 - player, s]
        if s == 0 or own < key[0] or (own == key[0] and opp < key[1]):
            key[0], key[1] = own, opp
            found = 1 << s
        elif own == key[0] and opp == key[1]:
            found |= 1 << s
    return found


def slot_of(board: Board, move: int, symmetries: int) -> int:
    """Return the slot of a move in the row of a position whose key these symmetries give."""
    if symmetries & (symmetries - 1) == 0:
        return int(board.move_images[lowest(symmetries) * board.moves + move])
    slot = board.moves
    while symmetries:
        s = lowest(symmetries)
        symmetries &= symmetries - 1
        slot = min(slot, board.move_images[s * board.moves + move])
    return slot


def best_value(table: TableRecord, row: int, slots: int) -> float:
    """Return the highest value among these slots of a row; without a row, the initial value."""
    if row < 0:
        return table.start
    best = -1e30
    while slots:
        best = max(best, np.float64(table.values[row * table.moves + lowest(slots)]))
        slots &= slots - 1
    return best


class FoldedPosition(NamedTuple):
    """A position as a table knows it."""

    row: int
    """Its row; negative if it has none."""
    symmetries: int
    """The set of symmetries that give its key."""
    own: int
    opp: int


def fold(table: TableRecord, board: Board, first: int, second: int, images: Ints, key: Ints) -> FoldedPosition:
    """Return a position as a table knows it; its images, (2, symmetries), and its key are written to ``images`` and
    ``key``."""
    draw_images(board, first, second, images)
    player = popcount(first | second) & 1
    symmetries = find_key(board, images, player, key)
    row = locate(table.keys, table.rows, key[0], key[1])
    return FoldedPosition(row, symmetries, images[player, 0], images[1 - player, 0])


def move_value(table: TableRecord, board: Board, guide: GuideRecord, position: FoldedPosition, stone: int) -> float:
    """Return the Q-value of a move, mixed with the heuristic's preference if the guide has one."""
    value = table.start
    if position.row >= 0:
        slot = slot_of(board, board.move_of_bit[lowest(stone)], position.symmetries)
        value = np.float64(table.values[position.row * table.moves + slot])
    if guide.kind >= THREATS:
        value = (1.0 - guide.share) * value + guide.share * preference(board, position.own, position.opp, stone)
    return value


@kernel
def judge(
    table: TableRecord, board: Board, guide: GuideRecord, first: int, second: int, values: Reals, forced: Ints
) -> bool:
    """Write the value of every legal move to the side to move, and 1 to ``forced`` for the moves that the guide
    chooses from, if any; return True if the table has the position."""
    position = fold(table, board, first, second, np.zeros((2, MAX_SYMMETRIES), np.int64), np.zeros(2, np.int64))
    own, opp = position.own, position.opp
    allowed = guided(guide.kind, board, own, opp)
    rest = playable(own | opp, board.bottom, board.cells, board.gravity)
    while rest:
        stone = rest & -rest
        rest ^= stone
        move = board.move_of_bit[lowest(stone)]
        values[move] = move_value(table, board, guide, position, stone)
        forced[move] = 1 if allowed & stone else 0
    return position.row >= 0


@kernel
def decide_each(
    table: TableRecord, board: Board, guide: GuideRecord, first: Ints, second: Ints, random: int, moves: Ints,
    values: Reals,
) -> int:  # fmt: skip
    """Write the best move of every position and its value; ties are broken at random, as by `Stream.choice`. ``random``
    is the state of the stream; return the state after."""
    images = np.zeros((2, MAX_SYMMETRIES), np.int64)
    key = np.zeros(2, np.int64)
    for i in range(len(first)):
        position = fold(table, board, first[i], second[i], images, key)
        own, opp = position.own, position.opp
        allowed = guided(guide.kind, board, own, opp)
        if allowed == 0:
            allowed = playable(own | opp, board.bottom, board.cells, board.gravity)
        best, tied = -1e30, 0
        while allowed:
            stone = allowed & -allowed
            allowed ^= stone
            value = move_value(table, board, guide, position, stone)
            if value > best:
                best, tied = value, 0
            if value == best:
                tied |= 1 << board.move_of_bit[lowest(stone)]
        random = advance(random)
        moves[i] = lowest(pick(tied, mix(random)))
        values[i] = best
    return random


def guided(kind: int, board: Board, own: int, opp: int) -> int:
    """Return the cells that the guide chooses from, or none: wins, else blocks, else (from THREATS on) double
    threats, else (HEURISTIC) those that give the opponent neither a win nor a double threat, if others would."""
    if kind == NONE:
        return 0
    free = playable(own | opp, board.bottom, board.cells, board.gravity)
    wins = winning_cells(own, board.k, board.stride, board.cells)
    if wins & free:
        return wins & free
    blocks = winning_cells(opp, board.k, board.stride, board.cells)
    if blocks & free:
        return blocks & free
    if kind == RULES:
        return 0
    double, safe, sound = 0, 0, 0
    rest = free
    while rest:
        stone = rest & -rest
        rest ^= stone
        cells = playable(own | opp | stone, board.bottom, board.cells, board.gravity)
        if blocks & cells:
            continue
        safe |= stone
        threats = winning_cells(own | stone, board.k, board.stride, board.cells) & cells
        if threats & (threats - 1):
            double |= stone
        # A side that is threatened must block, so its only replies are the threatened cells.
        replies = threats if threats else cells
        if not can_double(board, opp, own | stone, replies):
            sound |= stone
    if double or kind == THREATS:
        return double
    chosen = sound if sound else safe
    return chosen if chosen != free else 0


def can_double(board: Board, own: int, opp: int, cells: int) -> bool:
    """Return True if a stone on one of these cells makes a double threat."""
    while cells:
        stone = cells & -cells
        cells ^= stone
        free = playable(own | opp | stone, board.bottom, board.cells, board.gravity)
        threats = winning_cells(own | stone, board.k, board.stride, board.cells) & free
        if threats & (threats - 1):
            return True
    return False


def preference(board: Board, own: int, opp: int, stone: int) -> float:
    """Score a move by the position after it: windows that lack one, two or three stones (0.8, 0.3, 0.1 each), stones
    in the middle column (0.4), k − 1 stacked with the cell above free (0.5), a threat to win (2), two or more of
    them (5), and a block (1)."""
    k, stride = board.k, board.stride
    liking = 1.0 if winning_cells(opp, k, stride, board.cells) & stone else 0.0
    own |= stone
    empty = board.cells & ~(own | opp)
    for direction in range(4):
        step = 1 if direction == 0 else stride - 2 + direction
        none, one, two, three = own, empty, 0, 0
        for i in range(1, k):
            shift = min(i * step, MAX_BITS)
            next_own, next_empty = own >> shift, empty >> shift
            three = (three & next_own) | (two & next_empty)
            two = (two & next_own) | (one & next_empty)
            one = (one & next_own) | (none & next_empty)
            none &= next_own
        liking += 0.8 * popcount(one) + 0.3 * popcount(two) + 0.1 * popcount(three)
    columns = popcount(board.bottom)
    middle = (((1 << (stride - 1)) - 1) << (columns // 2 * stride)) if columns % 2 else 0
    liking += 0.4 * popcount(own & middle)
    if board.gravity:
        liking += 0.5 * popcount(runs(own, 1, k - 1) & (empty >> (k - 1)))
    free = playable(own | opp, board.bottom, board.cells, board.gravity)
    threats = popcount(winning_cells(own, k, stride, board.cells) & free)
    if threats > 0:
        liking += 2.0 if threats == 1 else 5.0
    return liking


class Rate(NamedTuple):
    """A rate that changes during training."""

    kind: float
    start: float
    pace: float
    """The factor per step of a decay, or the number of steps of a line."""
    end: float
    by_move: float
    """1 if a step is a move, 0 if it is an episode."""


class Exploration(NamedTuple):
    """Exploration of a learner."""

    epsilon: Rate
    """The probability of a random move."""
    longest_opening: int
    """An episode starts with up to this many random plies."""


class Learning(NamedTuple):
    """Learning rate, rewards and the kind of backup."""

    alpha: Rate
    """The learning rate."""
    gamma: float
    win: float
    draw: float
    loss: float
    per_move: float
    together: bool
    """True if a move is worth minus the opponent's best reply; else each seat learns from its own turns only."""
    backward: bool
    """True if an episode's moves are updated from the last to the first."""


@record
class Progress:
    """The progress of a training: counters, the random state, and sums since they were last read."""

    episodes: int
    moves: int
    """Moves of the learner."""
    random: int
    """The state of the random stream."""
    wins: float
    """Sums over the episodes since they were last read, from here on."""
    draws: float
    losses: float
    plies: float
    rewards: float
    errors: float
    """The sum of the sizes of errors."""
    updates: float


class Episode(NamedTuple):
    """Room for one episode: int64, an element per ply."""

    stones: Array
    """The move, as a bit."""
    rows: Array
    """The row of the position in the table; negative if it has none."""
    slots: Array
    """The move's slot in that row."""
    legal: Array
    """The slots of all legal moves, as a set of bits."""


class QTraining(NamedTuple):
    """The learner, its settings, and working memory for an episode."""

    table: TableRecord
    board: Board
    guide: GuideRecord
    exploration: Exploration
    learning: Learning
    progress: Progress
    episode: Episode


def needs_room(table: TableRecord, plies: int) -> bool:
    """Return True if the next episode may fill more than three quarters of a table that may still grow."""
    most = table.rows // 4 * 3
    return table.used + plies > most and most < table.most


@kernel
def episodes(
    table: TableRecord,
    board: Board,
    guide: GuideRecord,
    exploration: Exploration,
    learning: Learning,
    progress: Progress,
    episode: Episode,
    opponents: Ints,
    seat: int,
    given: int,
    count: int,
    stop: Ints,
) -> int:
    """Play and learn from ``count`` episodes, against an opponent drawn from ``opponents`` for each; return how many
    were played before ``stop`` was raised or the table needed room.

    ``seat``: the learner's, or BOTH_SEATS for both in turn. When an outside opponent is to move, the result is
    −1 − the plies so far, whose moves are in ``episode.stones``: add its move there and call again with that many
    ``given``.
    """
    learner = QTraining(table, board, guide, exploration, learning, progress, episode)
    longest = popcount(board.cells)
    played = 0
    while played < count and not raised(stop) and not needs_room(table, longest):
        opponent, opening = OUTSIDE, 0
        if given == 0:
            opponent = opponents[below(next_random(progress), len(opponents))]
            opening = below(next_random(progress), exploration.longest_opening + 1)
        number = progress.episodes
        own_seat = number & 1 if seat == BOTH_SEATS else seat
        plies, end = play(learner, opponent, own_seat, opening, given)
        if end == WAITING:
            return -1 - plies
        learn(learner, opponent, own_seat, plies, end == WON)
        progress.episodes = number + 1
        played += 1
        given = 0
    return played


def play(learner: QTraining, opponent: int, seat: int, opening: int, given: int) -> tuple[int, int]:
    """Continue an episode after its first ``given`` moves; return the number of plies and the status.

    The first ``opening`` plies are random.
    """
    board, episode = learner.board, learner.episode
    images = np.zeros((2, MAX_SYMMETRIES), np.int64)
    key = np.zeros(2, np.int64)
    ply = 0
    while True:
        player = ply & 1
        own, opp = images[player, 0], images[1 - player, 0]
        free = playable(own | opp, board.bottom, board.cells, board.gravity)
        learns = is_learner(opponent, seat, player)
        if ply >= given and ply >= opening and not learns and opponent == OUTSIDE:
            return ply, WAITING
        symmetries = find_key(board, images, player, key)
        row = take_row(learner.table, key, learns or learner.learning.together)
        episode.rows[ply] = row
        number = next_random(learner.progress)
        if ply < given:
            stone = episode.stones[ply]
        elif ply < opening:
            stone = pick(free, number)
        elif not learns:
            stone = reply(opponent, board, own, opp, free, number)
        else:
            stone = choose(learner, FoldedPosition(row, symmetries, own, opp), number)
        note_move(board, episode, ply, stone, free, symmetries)
        for s in range(board.symmetries):
            images[player, s] |= board.bit_images[s * board.bits + lowest(stone)]
        ply += 1
        if has_line(own | stone, board.k, board.stride):
            return ply, WON
        if images[0, 0] | images[1, 0] == board.cells:
            return ply, FULL


def is_learner(opponent: int, seat: int, player: int) -> bool:
    """Return True if this player's moves are the learner's."""
    return seat == BOTH_SEATS or opponent == SELF or player == seat


def next_random(progress: Progress) -> int:
    """Return the next number of the random stream, in [0, 2**63)."""
    progress.random = advance(progress.random)
    return mix(progress.random)


def greedy(learner: QTraining, position: FoldedPosition, allowed: int, number: int) -> int:
    """Return the allowed move with the highest value, as a bit; ties are broken at random."""
    best = -1e30
    chosen = 0
    ties = 0
    rest = allowed
    while rest:
        stone = rest & -rest
        rest ^= stone
        value = move_value(learner.table, learner.board, learner.guide, position, stone)
        if value > best:
            best = value
            chosen = stone
            ties = 1
        elif value == best:
            ties += 1
            number = mix(number)
            if below(number, ties) == 0:
                chosen = stone
    return chosen


def choose(learner: QTraining, position: FoldedPosition, number: int) -> int:
    """Return the learner's move, as a bit: ε-greedy among the moves that its guide allows."""
    board, progress, own, opp = learner.board, learner.progress, position.own, position.opp
    allowed = guided(learner.guide.kind, board, own, opp)
    if allowed == 0:
        allowed = playable(own | opp, board.bottom, board.cells, board.gravity)
    chance = uniform(number)
    number = mix(number)
    epsilon = scheduled(learner.exploration.epsilon, progress.episodes, progress.moves, 0)
    progress.moves += 1
    if chance < epsilon:
        return pick(allowed, mix(number))
    return greedy(learner, position, allowed, number)


def take_row(table: TableRecord, key: Ints, may_add: bool) -> int:
    """Return the row of a key, adding it if it is missing and ``may_add``; negative if it is not in the table."""
    row = locate(table.keys, table.rows, key[0], key[1])
    if row < 0 and may_add and table.used < table.most:
        row = -1 - row
        write_key(table.keys, row, key[0], key[1])
        for at in range(row * table.moves, (row + 1) * table.moves):
            table.values[at] = np.float32(table.start)
        table.used += 1
    return row


def note_move(board: Board, episode: Episode, ply: int, stone: int, free: int, symmetries: int) -> None:
    """Write the move of this ply and the slots of all legal moves."""
    episode.stones[ply] = stone
    episode.slots[ply] = slot_of(board, board.move_of_bit[lowest(stone)], symmetries)
    legal = 0
    while free:
        legal |= 1 << slot_of(board, board.move_of_bit[lowest(free)], symmetries)
        free &= free - 1
    episode.legal[ply] = legal


def reply(kind: int, board: Board, own: int, opp: int, free: int, number: int) -> int:
    """Return the move of a compiled opponent, as a bit: random; or a win, else a block, else by its style."""
    if kind != RANDOM:
        urgent = urgent_cells(own, opp, free, board.k, board.stride, board.cells)
        if urgent:
            return pick(urgent, number)
        if kind == RULES_CENTRE:
            return pick_weighted(free, board.centre_weights, number)
        if kind == RULES_CORNERS:
            if free & board.centre:
                return pick(free & board.centre, number)
            if free & board.corners:
                return pick(free & board.corners, number)
    return pick(free, number)


def ending_and_future(learner: QTraining, ply: int, plies: int, won: bool) -> tuple[float, float]:
    """Return the reward of a move for ending the episode, and the value of what it leads to.

    With both seats together a move leads to the opponent's best reply, whose value counts against it. Apart, it
    leads to the same side's next turn, and what the opponent does in between, a win too, is part of its reward.
    """
    table, learning, episode = learner.table, learner.learning, learner.episode
    if ply == plies - 1:
        return learning.win if won else learning.draw, 0.0
    if learning.together:
        return 0.0, -best_value(table, episode.rows[ply + 1], episode.legal[ply + 1])
    if ply == plies - 2:
        return learning.loss if won else learning.draw, 0.0
    return 0.0, best_value(table, episode.rows[ply + 2], episode.legal[ply + 2])


def learn(learner: QTraining, opponent: int, seat: int, plies: int, won: bool) -> None:
    """Update the values of an episode's moves; the target of each is reward + γ · future. The last move made a line if
    ``won``, else it filled the board."""
    table, learning, progress, episode = learner.table, learner.learning, learner.progress, learner.episode
    for i in range(plies):
        ply = plies - 1 - i if learning.backward else i
        learns = is_learner(opponent, seat, ply & 1)
        row = episode.rows[ply]
        if row < 0 or not (learns or learning.together):
            continue
        ending, future = ending_and_future(learner, ply, plies, won)
        reward = learning.per_move + ending
        at = row * table.moves + episode.slots[ply]
        old, target = np.float64(table.values[at]), reward + learning.gamma * future
        error = update(table.values, table.visits, at, target, learning.alpha, progress.episodes, progress.moves)
        trace.update(ply, old, target, table.values[at])
        progress.errors += abs(error)
        progress.updates += 1
        if learns:
            progress.rewards += reward
    hero = 0 if opponent == SELF or seat == BOTH_SEATS else seat
    if not won:
        progress.draws += 1
    elif (plies - 1) & 1 == hero:
        progress.wins += 1
    else:
        progress.losses += 1
    progress.plies += plies


def update(values: Array, visits: Array, at: int, target: float, alpha: Rate, episodes: int, moves: int) -> float:
    """Move a value towards its target, Q ← Q + α (target − Q), and count the visit; return the error, target − Q."""
    old, count = np.float64(values[at]), visits[at]
    error = target - old
    values[at] = np.float32(old + scheduled(alpha, episodes, moves, count) * error)
    visits[at] = count + 1
    return error


def scheduled(rate: Rate, episodes: int, moves: int, visits: int) -> float:
    """Return a rate after these episodes and moves, for a value with these visits."""
    steps = moves if rate.by_move != 0 else episodes
    if rate.kind == DECAY:
        return max(rate.end, rate.start * power(rate.pace, steps))
    if rate.kind == LINEAR:
        return rate.start + (rate.end - rate.start) * min(1.0, steps / rate.pace)
    if rate.kind == VISITS:
        return max(rate.end, rate.start / (1.0 + visits))
    return rate.start


@kernel
def rate_now(schedule: Reals, episodes: int) -> float:
    """Return a rate, given as an array of the fields of `Rate`, after these episodes."""
    return scheduled(Rate(schedule[0], schedule[1], schedule[2], schedule[3], schedule[4]), episodes, 0, 0)


def smallest() -> tuple[TableRecord, Board]:
    """Return an empty table of a board of four cells with gravity, to compile kernels with."""
    table = TableRecord()
    write_fields(table, 64, 2, 0.0, 0, 64, np.full(128, -1), np.zeros(128, np.float32), np.zeros(128, np.int32))
    bit_images, move_images, move_of_bit = np.array([1, 2, 0, 8, 16]), np.array([0, 1]), np.array([0, 0, 0, 1, 1])
    images = (bit_images, move_images, move_of_bit, np.ones(5, np.int64))
    return table, Board(2, 3, 0b011011, 0b001001, True, 0, 0b011011, 2, 1, 5, *images)


def smallest_settings() -> tuple[Exploration, Learning, Progress]:
    """Return the settings of a learner that explores and learns nothing, to compile kernels with."""
    rate = Rate(0.0, 0.0, 0.0, 0.0, 0.0)
    return Exploration(rate, 0), Learning(rate, 0.0, 0.0, 0.0, 0.0, 0.0, True, True), Progress()


def calls() -> list[Call]:
    """Return the kernels of this module, each with the arguments of one call; `episodes` is the first."""
    (table, board), guide, ints = smallest(), GuideRecord(0, 0.0), np.zeros(4, np.int64)
    keys, values, visits = np.full((2, 2), -1), np.zeros((2, 2), np.float32), np.zeros((2, 2), np.int32)
    episode = Episode(ints, ints, ints, ints)
    return [
        (episodes, (table, board, guide, *smallest_settings(), episode, ints, 0, 0, 1, ints)),
        (judge, (table, board, guide, 0, 0, np.zeros(2), ints)),
        (decide_each, (table, board, guide, ints, ints, 0, ints, np.zeros(4))),
        (rehash, (keys, values, visits, ints, values, visits)),
        (rate_now, (np.zeros(5), 0)),
    ]


def warm() -> None:
    """Compile the kernels of this module, or load them."""
    compile_all(calls())
