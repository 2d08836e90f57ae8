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
_TRANSLATED = 0.55
"""How much of the time is over when all functions of a kernel are translated; the rest is LLVM's."""


class _State:
    """What is being compiled."""

    begun = False
    not_kept_told = False
    name = ""
    functions = 1
    done = 0
    share = 1.0


def _quiet() -> bool:
    return bool(os.environ.get("INAROW_QUIET_COMPILE"))


@contextlib.contextmanager
def compiling(name: str, functions: int, share: float = _TRANSLATED) -> Iterator[None]:
    """Show progress while a kernel of this many functions is compiled."""
    _State.name, _State.functions, _State.done, _State.share = name, functions, 0, share
    bar = not _quiet() and sys.stderr.isatty()
    if bar:
        _draw()
    elif not _quiet() and not _State.begun:
        _write("inarow: compiling its fast kernels for this machine (once; a few seconds each) …\n")
    _State.begun = True
    try:
        yield
    finally:
        if bar:
            _write("\r\x1b[K")


def has_compiled() -> bool:
    """Whether this process has compiled anything."""
    return _State.begun


@contextlib.contextmanager
def several(modules: int) -> Iterator[Callable[[], None]]:
    """Show progress while other processes compile this many modules; the function given is to be called after each."""
    with compiling("all kernels", modules, share=1.0):
        yield step


def step() -> None:
    """Show that one more function, or module, is done."""
    _State.done += 1
    if not _quiet() and sys.stderr.isatty():
        _draw()


def not_kept(error: OSError | InarowError) -> None:
    """Say, once, that compiled kernels can't be stored."""
    if not _State.not_kept_told and not _quiet():
        _State.not_kept_told = True
        _write(f"inarow: compiled kernels can't be kept ({error}); they are compiled again next time\n")


def _draw() -> None:
    part = _State.share * min(1.0, _State.done / _State.functions)
    full = round(part * _WIDTH)
    bar = "█" * full + "░" * (_WIDTH - full)
    _write(f"\r\x1b[Kinarow: compiling for this machine, once: {bar} {_State.name}")


def _write(text: str) -> None:
    with contextlib.suppress(OSError, ValueError):
        sys.stderr.write(text)
        sys.stderr.flush()
