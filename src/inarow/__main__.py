"""``python -m inarow`` is the command ``inarow``; Ctrl-C ends it quietly, even during start-up and shutdown.

This module imports only what Python has already loaded: until `main` handles Ctrl-C, it would print a traceback.
"""

from __future__ import annotations

import os
import sys

INTERRUPTED = 130


def main() -> None:
    """The entry point of the command."""
    try:
        import gc
        import signal

        sys.unraisablehook = _quiet_interrupt
        watched = signal.getsignal(signal.SIGINT) is signal.default_int_handler
        if watched:  # an exception inside an import could be lost or replaced
            signal.signal(signal.SIGINT, lambda number, frame: os._exit(INTERRUPTED))
        gc.disable()  # imported modules stay: collecting garbage among them only takes time
        from inarow.cli.main import run

        gc.enable()
        if watched:
            signal.signal(signal.SIGINT, signal.default_int_handler)
        run()
    except KeyboardInterrupt:
        os._exit(INTERRUPTED)
    except SystemExit as leaving:
        if leaving.code == INTERRUPTED:  # Python's shutdown takes a while, and Ctrl-C would interrupt it
            _flush()
            os._exit(INTERRUPTED)
        signal.signal(signal.SIGINT, signal.SIG_IGN)  # all is done
        raise


def _flush() -> None:
    for stream in (sys.stdout, sys.stderr):
        try:
            stream.flush()
        except OSError:
            return


def _quiet_interrupt(unraisable: sys.UnraisableHookArgs) -> None:
    """Exit on a KeyboardInterrupt in a callback, which Python would only print."""
    if unraisable.exc_type is KeyboardInterrupt:
        os._exit(INTERRUPTED)
    sys.__unraisablehook__(unraisable)


if __name__ == "__main__":
    main()
