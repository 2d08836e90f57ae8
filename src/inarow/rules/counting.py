"""Count positions and move sequences ply by ply (perft), to verify the rules."""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from inarow import bits
from inarow.errors import InarowError
from inarow.machine import SHARE, machine_mb
from inarow.rules.game import Game
from inarow.rules.position import Position

Ints = NDArray[np.int64]

MAX_CHILDREN = 40_000_000
"""Maximum number of moves from all positions of a ply: enough for 12 plies of Connect 4."""
_BYTES = 60
"""Bytes per position while they are sorted."""


class PlyCount(NamedTuple):
    """The positions after ``ply`` moves."""

    ply: int
    positions: int
    """Distinct positions, finished ones included."""
    sequences: int
    """Move sequences of this length; none continues after the end of the game."""
    won_by_first: int
    """Sequences that the first player wins at this ply."""
    won_by_second: int
    drawn: int


def count_plies(game: Game, depth: int, start: Position | None = None) -> Iterator[PlyCount]:
    """Count ply 0 … depth from a position (the empty board if None), ply by ply."""
    if depth < 0:
        raise InarowError(f"depth must be at least 0, got {depth}")
    position = start or Position.start(game)
    own = np.array([position.own], dtype=np.int64)
    opp = np.array([position.opp], dtype=np.int64)
    ways = np.ones(1, dtype=np.int64)
    available = machine_mb()
    most = MAX_CHILDREN if available is None else min(MAX_CHILDREN, int(SHARE * available * (1 << 20) / _BYTES))
    for ply in range(depth + 1):
        line = _has_line(opp, game)
        full = (own | opp) == game.board
        ended = line | full
        lines = int(ways[line].sum())
        by_first = ((position.ply + ply) % 2 == 1) != game.misere
        yield PlyCount(
            ply,
            positions=len(ways),
            sequences=int(ways.sum()),
            won_by_first=lines if by_first else 0,
            won_by_second=0 if by_first else lines,
            drawn=int(ways[full & ~line].sum()),
        )
        own, opp, ways = own[~ended], opp[~ended], ways[~ended]
        if ply == depth or not len(ways):
            return
        if int(ways.max()) > np.iinfo(np.int64).max // (len(ways) * game.moves):
            raise InarowError(f"the sequences of {ply + 1} plies are too many to count; give at most {ply}")
        if len(ways) * game.moves > most:
            raise InarowError(
                f"ply {ply + 1} has too many positions to count: up to {len(ways) * game.moves:,}, but at most "
                f"{most:,} are allowed; give at most {ply} plies"
            )
        own, opp, ways = _children(game, own, opp, ways)


def _has_line(stones: Ints, game: Game) -> NDArray[np.bool_]:
    found = np.zeros(len(stones), dtype=np.bool_)
    for step in (1, game.stride - 1, game.stride, game.stride + 1):
        if game.width:
            found |= bits.turned_runs(stones, step, game.k, game.width) != 0
        else:
            found |= bits.runs(stones, step, game.k) != 0
    return found


def _children(game: Game, own: Ints, opp: Ints, ways: Ints) -> tuple[Ints, Ints, Ints]:
    """Return all positions one ply later, merging equal ones and adding their counts."""
    occupied = own | opp
    stones, others, counts = [], [], []
    for mask in game.move_masks:
        open_ = (occupied & mask) != mask
        free = mask & ~occupied[open_]
        stones.append(own[open_] | (free & -free))
        others.append(opp[open_])
        counts.append(ways[open_])
    moved, waiting, ways = np.concatenate(stones), np.concatenate(others), np.concatenate(counts)
    del stones, others, counts
    if game.gravity:
        order = np.argsort(moved + (moved | waiting), kind="stable")
    else:
        order = np.lexsort((moved, waiting))
    moved, waiting, ways = moved[order], waiting[order], ways[order]
    new = np.ones(len(ways), dtype=np.bool_)
    new[1:] = (moved[1:] != moved[:-1]) | (waiting[1:] != waiting[:-1])
    return waiting[new], moved[new], np.add.reduceat(ways, np.flatnonzero(new))
