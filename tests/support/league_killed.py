"""Holds a small league and kills its own process: ``python league_killed.py FOLDER OUT MOMENT``.

A moment is before, within or after a transaction of the store, or before or after a file is written.
"""

from __future__ import annotations

import os
import signal
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from inarow.arena import Store
from inarow.arena.executor import ChunkSize
from inarow.teaching.checking import CheckReport
from inarow.teaching.league import judging, writing
from support.league_doubles import hold, small_settings


def main(folder: Path, out: Path, moment: int) -> None:
    """Hold the league up to that moment; it is not checked, and the site is written as often as it can be."""
    count = 0

    def come() -> None:
        nonlocal count
        count += 1
        if count == moment:
            os.kill(os.getpid(), signal.SIGKILL)

    transaction, write = Store.writing, vars(writing)["write_text"]

    @contextmanager
    def in_transaction(self: Store) -> Iterator[None]:
        come()
        with transaction(self):
            yield
            come()
        come()

    def write_file(*arguments: Any, **more: Any) -> None:
        come()
        write(*arguments, **more)
        come()

    vars(judging)["check_agent"] = lambda *_, **more: CheckReport()
    vars(writing)["write_text"] = write_file
    ChunkSize.MAXIMUM = 1
    setattr(Store, "writing", in_transaction)  # noqa: B010
    hold(folder, out, small_settings())


if __name__ == "__main__":
    main(Path(sys.argv[1]), Path(sys.argv[2]), int(sys.argv[3]))
