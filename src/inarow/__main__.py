"""``python -m inarow`` is the command ``inarow``; Ctrl-C ends it quietly, also while it starts and while it ends."""

import contextlib
import os
import signal
import sys
from typing import Any

INTERRUPTED = 130


def main() -> None:
    """The entry point of the command."""
    sys.unraisablehook = _quiet_interrupt
    try:
        from inarow.cli.main import run

        run()
    except KeyboardInterrupt:
        os._exit(INTERRUPTED)
    except SystemExit as leaving:
        if leaving.code == INTERRUPTED:  # what Python does when it ends takes a while, in which Ctrl-C would be heard
            with contextlib.suppress(OSError):
                sys.stdout.flush()
                sys.stderr.flush()
            os._exit(INTERRUPTED)
        signal.signal(signal.SIGINT, signal.SIG_IGN)  # all is done
        raise


def _quiet_interrupt(unraisable: Any) -> None:
    """Python only prints a KeyboardInterrupt that falls into a callback, and the command would run on."""
    if unraisable.exc_type is KeyboardInterrupt:
        os._exit(INTERRUPTED)
    sys.__unraisablehook__(unraisable)


if __name__ == "__main__":
    main()
