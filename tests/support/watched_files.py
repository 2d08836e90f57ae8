"""Stores to watch, written in this process."""

from __future__ import annotations

import sys
from collections.abc import Sequence
from pathlib import Path

from inarow.arena import Run, Store, Tournament
from inarow.arena.store import rows_of
from inarow.match.openings import Line
from inarow.match.series import play_pair


def write_store(path: Path, board: str, agents: Sequence[str], pairs: int) -> None:
    """A whole tournament."""
    wanted = Tournament.of(board, agents, "random:2", pairs)
    with Store.create(path) as store:
        run = store.begin(wanted)
        for pair, opening in enumerate(wanted.lines()):
            add_pair(store, run, wanted, pair, opening)


def add_pair(store: Store, run: Run, wanted: Tournament, pair: int, opening: Line) -> None:
    """Play one more pair of every pairing."""
    for number, pairing in zip(run.pairings, wanted.pairings, strict=True):
        both = play_pair(wanted.game, *pairing, index=pair, opening=opening, seed=wanted.seed)
        store.add([rows_of(number, both)])


PAIRS = 80
"""Of the tournament that is played on demand."""


def write_on_demand(path: Path) -> None:
    """Begin a tournament and keep its store open; play a pair for every line of the input, and all others at its end.
    The store's log is begun anew every few pairs."""
    wanted = Tournament.of("tictactoe", ("random", "rules"), "random:2", PAIRS)
    with Store.create(path) as store:
        store.database.execute("PRAGMA wal_autocheckpoint=20")
        run = store.begin(wanted)
        print("begun", flush=True)
        waiting = True
        for pair, opening in enumerate(wanted.lines()):
            waiting = waiting and bool(sys.stdin.readline())
            add_pair(store, run, wanted, pair, opening)
            if waiting:
                print(pair + 1, flush=True)


if __name__ == "__main__":
    write_on_demand(Path(sys.argv[1]))
