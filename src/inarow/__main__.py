"""``python -m inarow`` is the command ``inarow``; Ctrl-C ends it quietly, also while it starts and while it ends.

Nothing is imported here that Python has not loaded itself: until `main` watches Ctrl-C, it would print a traceback.
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
        if watched:  # an exception could be lost, or turned into another, in somebody's import
            signal.signal(signal.SIGINT, lambda number, frame: os._exit(INTERRUPTED))
        gc.disable()  # what is imported stays: looking for garbage in it takes time only
        from inarow.cli.main import run

        gc.enable()
        if watched:
            signal.signal(signal.SIGINT, signal.default_int_handler)
        run()
    except KeyboardInterrupt:
        os._exit(INTERRUPTED)
    except SystemExit as leaving:
        if leaving.code == INTERRUPTED:  # what Python does when it ends takes a while, in which Ctrl-C would be heard
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
    """Python only prints a KeyboardInterrupt that falls into a callback, and the command would run on."""
    if unraisable.exc_type is KeyboardInterrupt:
        os._exit(INTERRUPTED)
    sys.__unraisablehook__(unraisable)


if __name__ == "__main__":
    main()
