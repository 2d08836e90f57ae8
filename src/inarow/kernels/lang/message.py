"""What a user is told while kernels compile: a bar on a terminal, else one line; all on standard error.

``INAROW_QUIET_COMPILE`` silences it.
"""

from __future__ import annotations

import contextlib
import os
import sys
from collections.abc import Callable, Iterator

from inarow.errors import InarowError

_WIDTH = 20


class _State:
    """What was said so far."""

    begun = False
    not_kept_told = False


def _quiet() -> bool:
    return bool(os.environ.get("INAROW_QUIET_COMPILE"))


@contextlib.contextmanager
def compiling(name: str) -> Iterator[None]:
    """Show that a kernel is compiled."""
    bar = not _quiet() and sys.stderr.isatty()
    if bar:
        _write(f"\r\x1b[Kinarow: compiling for this machine, once: {name}")
    elif not _quiet() and not _State.begun:
        _write("inarow: compiling its fast kernels for this machine (once; about a second each) …\n")
    _State.begun = True
    try:
        yield
    finally:
        if bar:
            _write("\r\x1b[K")


def has_compiled() -> bool:
    """Return True if this process has compiled anything."""
    return _State.begun


@contextlib.contextmanager
def several(modules: int) -> Iterator[Callable[[], None]]:
    """Show progress while other processes compile this many modules; call the function given after each."""
    done = 0

    def one_more() -> None:
        nonlocal done
        done += 1
        if not _quiet() and sys.stderr.isatty():
            full = round(_WIDTH * min(1.0, done / modules))
            _write(f"\r\x1b[Kinarow: compiling for this machine, once: {'█' * full}{'░' * (_WIDTH - full)} all kernels")

    with compiling("all kernels"):
        yield one_more


def not_kept(error: OSError | InarowError) -> None:
    """Say, once, that compiled kernels can't be stored."""
    if not _State.not_kept_told and not _quiet():
        _State.not_kept_told = True
        _write(f"inarow: compiled kernels can't be kept ({error}); they are compiled again next time\n")


def _write(text: str) -> None:
    with contextlib.suppress(OSError, ValueError):
        sys.stderr.write(text)
        sys.stderr.flush()
