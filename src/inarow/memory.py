"""Whether this machine has the memory that is asked for."""

from __future__ import annotations

import os
from pathlib import Path
from typing import NamedTuple

from inarow.errors import InarowError

SHARE = 0.5
"""The part of the machine's memory that one search may ask for."""


def machine_mb() -> float | None:
    """The machine's memory in MB; None where the system doesn't say."""
    try:
        return os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES") / (1 << 20)
    except (AttributeError, ValueError, OSError):
        return None


class Usage(NamedTuple):
    """The memory of this process in MB, without what it shares with others, such as libraries."""

    resident: float = 0.0
    allocated: float = 0.0
    """What it may write to, whether it has done so or not."""

    @classmethod
    def now(cls) -> Usage:
        """Read it; both are 0 where the system doesn't say."""
        try:
            pages = [int(text) for text in Path("/proc/self/statm").read_text(encoding="ascii").split()]
        except OSError:
            return cls()
        page = os.sysconf("SC_PAGE_SIZE") / 2**20
        return cls((pages[1] - pages[2]) * page, pages[5] * page)


def check_memory(owner: str, name: str, megabytes: int, error: type[InarowError] = InarowError) -> None:
    """Raise ``error`` if this much is more than one search may take."""
    there = machine_mb()
    if there is not None and megabytes > SHARE * there:
        raise error(
            f"{owner}: {name}={megabytes} is too large for this machine, which has {there:.0f} MB; "
            f"give at most {SHARE * there:.0f}"
        )
