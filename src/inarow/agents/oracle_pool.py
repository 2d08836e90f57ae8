"""Oracles for minds: a table of the solver costs time to make, so later minds get those of closed ones."""

from __future__ import annotations

import threading

from inarow.rules import Game
from inarow.solver import Oracle
from inarow.solver.oracle import PREPARED_MB


class _Oracles:
    """Oracles of minds that have closed, for later minds: their tables have memory already.

    The system gives a new table its memory page by page as it is written to. Where that is slow, decisions overran a
    limit of 0.1 s by 0.2 s. The next mind gets the table empty.
    """

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._free: list[tuple[tuple[Game, int, bool], Oracle]] = []

    def take(self, game: Game, table_mb: int, book: bool = True) -> Oracle:
        """An oracle with an empty table."""
        with self._lock:
            for index, (key, oracle) in enumerate(self._free):
                if key == (game, table_mb, book):
                    del self._free[index]
                    return oracle
        return Oracle(game, table_mb=table_mb, book=book)

    def give_back(self, oracle: Oracle, table_mb: int, book: bool = True) -> None:
        """Keep an oracle for a later mind; only the last few are kept, and only small ones."""
        if table_mb <= PREPARED_MB:
            oracle.forget()
            with self._lock:
                self._free = [((oracle.game, table_mb, book), oracle), *self._free][:3]


oracles = _Oracles()
