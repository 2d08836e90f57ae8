"""``python -m inarow`` is the command ``inarow``; Ctrl-C ends it quietly, also while it still starts."""

import os
import sys
from typing import Any


def main() -> None:
    """The entry point of the command."""
    sys.unraisablehook = _quiet_interrupt
    try:
        from inarow.cli.main import run

        run()
    except KeyboardInterrupt:
        os._exit(130)


def _quiet_interrupt(unraisable: Any) -> None:
    """Python only prints a KeyboardInterrupt that falls into a callback, and the command would run on."""
    if unraisable.exc_type is KeyboardInterrupt:
        os._exit(130)
    sys.__unraisablehook__(unraisable)


if __name__ == "__main__":
    main()
