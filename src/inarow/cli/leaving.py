"""How commands end: with an exit code and, after an error, one line on standard error.

Exit codes: 0 success; 1 failure (full disk, lost cluster, differences found); 2 invalid input; 130 Ctrl-C.
"""

from __future__ import annotations

import atexit
import codecs
import contextlib
import errno
import io
import os
import signal
import sys
import threading
from collections.abc import Iterator, Mapping
from pathlib import Path
from types import FrameType
from typing import TYPE_CHECKING, NoReturn, TextIO

from inarow.errors import HostFailure, InarowError, visible
from inarow.formatting import sentence

if TYPE_CHECKING:
    from inarow.stopping import Stop


INTERRUPTED = 130
FULL_DISK = {errno.ENOSPC, errno.EFBIG, errno.EIO, getattr(errno, "EDQUOT", errno.ENOSPC)}
SQLITE_FULL = 13
"""SQLite's code for a full disk."""


class Interrupts:
    """Signal handler for Ctrl-C: the first raises KeyboardInterrupt, the second ends the process immediately.

    That is safe: stores are written in transactions, files are replaced atomically, and workers exit with this process.
    """

    def __init__(self) -> None:
        self.pressed = False

    def __call__(self, number: int, frame: FrameType | None) -> None:
        if self.pressed:
            end_at_once()
        self.pressed = True
        raise KeyboardInterrupt


def end_at_once() -> NoReturn:
    """Exit immediately; show the terminal's cursor again if it was hidden."""
    with contextlib.suppress(OSError, ValueError):
        if sys.stderr.isatty():
            os.write(2, b"\x1b[?25h\n")
    os._exit(INTERRUPTED)


@contextlib.contextmanager
def interrupt_sets(stop: Stop) -> Iterator[None]:
    """Set ``stop`` on the first Ctrl-C, so that partial results can be kept; a second one raises as usual."""
    pressed = False  # not the flag: a kernel may raise that before Python handles the signal

    def press(number: int, frame: FrameType | None) -> None:
        nonlocal pressed
        if pressed:
            raise KeyboardInterrupt
        pressed = True
        stop.set()

    before = signal.signal(signal.SIGINT, press)
    try:
        yield
    finally:
        signal.signal(signal.SIGINT, before)


def watch_interrupts() -> None:
    """Install the Ctrl-C handler unless the host program has its own."""
    current = signal.getsignal(signal.SIGINT)
    ours = current is signal.default_int_handler or isinstance(current, Interrupts)
    if ours and threading.current_thread() is threading.main_thread():
        signal.signal(signal.SIGINT, Interrupts())
        # During interpreter shutdown Ctrl-C would kill the process by the signal, with another exit code.
        atexit.register(signal.signal, signal.SIGINT, signal.SIG_IGN)


@contextlib.contextmanager
def one_line_errors() -> Iterator[None]:
    """Turn exceptions into one line on standard error and an exit code."""
    try:
        yield
    except InarowError as error:
        leave(f"inarow: {error}", exit_code(error))
    except HostFailure as error:
        leave(f"inarow: {error}", 1)
    except KeyboardInterrupt:
        leave("inarow: interrupted", INTERRUPTED)
    except BrokenPipeError:
        drop_output()
        sys.exit(0)
    except OSError as error:
        what = "cannot write the output: " if error.filename is None else f"{error.filename}: "
        leave(f"inarow: {what if error.errno is not None else ''}{error.strerror or error}", 1)
    except MemoryError:
        leave("inarow: out of memory; use smaller tables, models or numbers", 1)


def exit_code(error: InarowError) -> int:
    """Return 2 for invalid input, 1 if the cause is a full disk."""
    cause: BaseException | None = error
    while cause is not None:
        if isinstance(cause, OSError) and cause.errno in FULL_DISK:
            return 1
        if getattr(cause, "sqlite_errorcode", None) == SQLITE_FULL:
            return 1
        cause = cause.__cause__ or cause.__context__
    return 2


def open_streams() -> None:
    """Reopen closed standard streams (``>&-``) on the null device, so that no other file gets their descriptors."""
    for name, mode in (("stdin", "r"), ("stdout", "w"), ("stderr", "w")):
        if getattr(sys, name) is None:
            setattr(sys, name, Path(os.devnull).open(mode, encoding="utf-8"))  # noqa: SIM115 - open until the end


def leave(message: str, code: int) -> NoReturn:
    """Flush standard output, print the message and exit."""
    with contextlib.suppress(OSError):
        sys.stdout.flush()
    sys.stderr.write(visible(sentence(message)) + "\n")
    sys.exit(code)


def flush_output() -> None:
    """Flush standard output; if that fails, print an error and exit with 1."""
    try:
        sys.stdout.flush()
    except BrokenPipeError:
        drop_output()
    except OSError as error:
        drop_output()
        leave(f"inarow: cannot write the output: {error.strerror}", 1)


def drop_output() -> None:
    """Discard further output, so that a closed pipe causes no error at exit."""
    with contextlib.suppress(OSError, ValueError):
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())


_SIMILAR = {
    "−": "-",
    "–": "-",
    "—": "-",
    "…": "...",
    "·": ".",
    "×": "x",
    "±": "+/-",
    "µ": "u",
    "→": "->",
    "≤": "<=",
    "≥": ">=",
    "¼": "1/4",
    "½": "1/2",
    "¾": "3/4",
}
_HANDLER = "inarow-similar"


def similar(text: str) -> str:
    """Replace characters outside ASCII by similar ones or backslash escapes."""
    return "".join(_SIMILAR.get(one) or one.encode("ascii", "backslashreplace").decode() for one in text)


def _replace(error: UnicodeError) -> tuple[str, int]:
    if not isinstance(error, UnicodeEncodeError):
        raise error
    return similar(error.object[error.start : error.end]), error.end


def settle_encoding() -> None:
    """Make printing safe for any terminal encoding by replacing characters it lacks."""
    codecs.register_error(_HANDLER, _replace)
    for stream in (sys.stdout, sys.stderr):
        _settle(stream, os.environ, bool(sys.flags.utf8_mode))


def _settle(stream: TextIO, environment: Mapping[str, str], utf8_mode: bool) -> None:
    if not isinstance(stream, io.TextIOWrapper):
        return
    plain = stream.isatty() and is_plain_locale(environment, utf8_mode)
    stream.reconfigure(encoding="ascii" if plain else None, errors=_HANDLER)


def is_plain_locale(environment: Mapping[str, str], utf8_mode: bool) -> bool:
    """Return True if the user chose the C locale, for which Python uses UTF-8.

    Python then also sets ``LC_CTYPE`` to ``C.UTF-8``, so that value is ignored.
    """
    kind = environment.get("LC_CTYPE", "")
    asked = environment.get("LC_ALL") or ("" if kind == "C.UTF-8" else kind) or environment.get("LANG", "")
    return utf8_mode and asked in ("C", "POSIX")
