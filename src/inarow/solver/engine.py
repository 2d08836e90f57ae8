"""The compiled solver for one game: its arrays, calls to its kernels, and its table in a file.

A checkpoint keeps the costly entries of the transposition table, so that a long search can be resumed: one line of JSON
(the manifest) and a body, the scattered keys of the positions (see `kernels.solver.solve`) in 8 bytes each, then their
entries in 4 bytes each. Neither depends on the size of the table.
"""

from __future__ import annotations

import copy
import threading
from collections.abc import Callable
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from inarow.errors import InarowError, check_integer
from inarow.kernels.lang.records import copied
from inarow.kernels.solver import analyse, misere, solve, solve_free
from inarow.kernels.solver.analyse import UNLIMITED, AnalysisState, AnySearch, Books, Narrow
from inarow.kernels.solver.solve import VALUE_BITS, WORK, Search
from inarow.kernels.solver.solve_free import FreeSearch
from inarow.limits import MAX_WORKERS
from inarow.machine import check_memory, touched
from inarow.rules import Game
from inarow.solver.files import FileKind
from inarow.stopping import Stop

Ints = NDArray[np.int64]

TT_MB = 64
_NEVER: Ints = np.zeros(1, dtype=np.int64)


def is_compiled(game: Game) -> bool:
    """Return True if solving positions of this game needs no compiling."""
    return analyse.is_compiled(game.gravity, game.misere)


def check_engine(tt_mb: int, threads: int) -> None:
    """Raise `InarowError` if the settings are invalid."""
    check_integer("tt_mb", tt_mb, 1)
    check_integer("threads", threads, 1, MAX_WORKERS)
    check_memory("the solver", "tt_mb", tt_mb)


def table_mb(game: Game, tt_mb: int = TT_MB) -> int:
    """Return the size of the transposition table in MB; large boards have a minimum."""
    return _table_words(game, tt_mb) * 8 >> 20


def _table_words(game: Game, tt_mb: int) -> int:
    if game.gravity and not game.misere:
        return solve.table_words(game.layout, tt_mb)
    return solve_free.table_words(game.layout, tt_mb)


class Engine:
    """Narrow the bounds of scores. Not thread-safe, but may search with several threads."""

    def __init__(self, game: Game, tt_mb: int = TT_MB, threads: int = 1) -> None:
        check_engine(tt_mb, threads)
        self.game = game
        self.generation = 1
        self.reserved = False
        self._narrow: Narrow
        self._advance: Callable[..., int] = analyse.advance_for(game.gravity, game.misere)
        self.table: Ints = np.zeros(_table_words(game, tt_mb), dtype=np.int64)
        search: AnySearch
        if game.gravity and not game.misere:
            search, self._narrow = Search(), solve.solve
            search.tt, search.stop = self.table, _NEVER
            solve.set_up(search, game.layout, tt_mb)
        else:
            search, self._narrow = FreeSearch(), misere.solve_misere if game.misere else solve_free.solve_free
            search.tt, search.stop = self.table, _NEVER
            search.images = np.zeros(solve_free.image_words(game.layout), dtype=np.int64)
            solve_free.set_up_free(search, game.layout)
        self._history = search.history.copy()
        self.searches = [search, *(copied(search) for _ in range(threads - 1))]
        self._first_tag_bits = search.tag_bits if isinstance(search, Search) else 0
        if threads > 1:
            self.use_whole_table()
        self.forget()

    def use_whole_table(self) -> None:
        """Empty the table and use all of it from now on: it can't grow while several threads use it."""
        self.table = np.zeros_like(self.table)
        for search in self.searches:
            search.tt = self.table
            if isinstance(search, Search):
                self._first_tag_bits = search.tag_bits = search.least_tag_bits

    def reserve(self) -> None:
        """Have the system allocate the part of the table that a search uses at first, once."""
        if not self.reserved:
            search, self.reserved = self.searches[0], True
            words = 2 * ((search.key_mask >> search.tag_bits) + 1) if isinstance(search, Search) else len(self.table)
            touched(self.table[:words])

    def twin(self) -> Engine:
        """Return an engine for another thread that shares the table. Call `use_whole_table` first; neither engine may
        call `forget`."""
        twin = copy.copy(self)
        twin.searches = [copied(search) for search in self.searches]
        return twin

    def forget(self) -> None:
        """Empty the table, so that later node counts don't depend on earlier searches."""
        self.generation += 1
        first, tag_bits = self.searches[0], self._first_tag_bits
        if isinstance(first, Search):
            is_larger = first.tag_bits < tag_bits
            if is_larger or self.generation >> (63 - solve.VALUE_BITS - tag_bits):
                slots = (first.key_mask >> tag_bits) + 1
                self.table[: 2 * slots].fill(0)
                self.generation = 1
        for search in self.searches:
            search.generation = self.generation
            if isinstance(search, Search):
                search.tag_bits, search.replaced = tag_bits, 0
        self.forget_order()

    def forget_order(self) -> None:
        """Reset the order of moves; the table stays. Further threads weight it more, so that they differ."""
        for number, search in enumerate(self.searches, start=1):
            np.multiply(self._history, number, out=search.history)
            if isinstance(search, Search):
                search.first_order[:] = search.history[0]

    def advance(self, state: AnalysisState, books: Books, stop: Stop | None = None) -> int:
        """Continue an analysis (see `kernels.solver.analyse`); without ``stop``, only as far as shallow checks suffice.

        These decide most positions in a few microseconds.
        """
        search = self.searches[0]
        if stop is None:
            return self._advance(state, self.game.layout, search, books, 0)
        most = 0 if len(self.searches) > 1 else UNLIMITED
        search.stop = stop.flag
        try:
            while (code := self._advance(state, self.game.layout, search, books, most)) == analyse.UNFINISHED:
                question = state.ask_own, state.ask_opp, state.ask_low, state.ask_high
                low, high, nodes = self.narrow(*question, stop, max(0, state.limit - state.nodes))
                state.ask_low, state.ask_high, state.costly, state.asked = low, high, True, analyse.CLOSED
                state.nodes += nodes
            return code
        finally:
            search.stop = _NEVER

    def so_far(self) -> tuple[int, int, int]:
        """Return the bounds and nodes of the running search; callable from another thread."""
        searches = self.searches
        return max(s.low for s in searches), min(s.high for s in searches), sum(s.nodes for s in searches)

    def narrow(
        self, own: int, opp: int, low: int, high: int, stop: Stop, limit: int = UNLIMITED
    ) -> tuple[int, int, int]:
        """Narrow the bounds low … high of a score as far as the limits allow; return them and the nodes searched.

        All threads search, in different move orders and with a shared table, until the first one finishes.
        """
        done = Stop(within=stop)
        failures: list[BaseException] = []

        def run(search: AnySearch) -> None:
            try:
                search.stop = done.flag
                solve.begin_search(search, low, high, limit, 0)
                self._narrow(search, own, own | opp, (own | opp).bit_count(), low, high)
            except BaseException as failure:
                failures.append(failure)
            search.stop = _NEVER
            done.set()

        threads = [threading.Thread(target=run, args=(search,), daemon=True) for search in self.searches[1:]]
        for thread in threads:
            thread.start()
        run(self.searches[0])
        for thread in threads:
            thread.join()
        if failures:
            raise failures[0]
        return self.so_far()


MIN_WORK = 4
"""A checkpoint omits entries that took fewer than 4**MIN_WORK / 2 nodes: searching again is faster than reading."""
_CHUNK = 1 << 24


class CheckpointError(InarowError):
    """The checkpoint is damaged or of another game, or the game does not support checkpoints."""


FILE = FileKind("checkpoint", CheckpointError, {"positions": int})


def _search_of(engine: Engine) -> Search:
    search = engine.searches[0]
    if not isinstance(search, Search):
        raise CheckpointError(f"{engine.game} has no checkpoints; they are for boards with gravity")
    return search


def write_checkpoint(engine: Engine, path: Path) -> int:
    """Write the costly entries of the table; return their number."""
    search = _search_of(engine)
    tag_bits = search.tag_bits
    keys, values = [], []
    used = engine.table[: 2 * ((search.key_mask >> tag_bits) + 1)]
    for start in range(0, len(used), _CHUNK):
        words = used[start : start + _CHUNK]
        now = words >> (VALUE_BITS + tag_bits) == engine.generation
        at = np.flatnonzero(now & ((words >> WORK) & 31 >= MIN_WORK))
        keys.append(((start + at) >> 1 << tag_bits) | ((words[at] >> VALUE_BITS) & ((1 << tag_bits) - 1)))
        values.append((words[at] & ((1 << VALUE_BITS) - 1)).astype(np.int32))
    body = [np.concatenate(keys).astype("<i8").data, np.concatenate(values).astype("<i4").data]
    count = len(body[0])
    FILE.write(path, engine.game, {"positions": count}, body)
    return count


def read_checkpoint(engine: Engine, path: Path) -> int:
    """Replace the contents of the table by the entries of a checkpoint; return their number."""
    tag_bits = _search_of(engine).least_tag_bits
    _, _, body = FILE.read(path, engine.game)
    engine.use_whole_table()
    count = len(body) // 12
    keys = np.frombuffer(body, "<i8", count)
    values = np.frombuffer(body, "<i4", count, offset=8 * count).astype(np.int64)
    stamps = (engine.generation << tag_bits) | (keys & ((1 << tag_bits) - 1))
    engine.table[keys >> tag_bits << 1] = (stamps << VALUE_BITS) | values
    return count
