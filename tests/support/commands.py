"""Running the command line in a test, in this process: the same door as a user's, without a new Python each time."""

from __future__ import annotations

import contextlib
import io
import json
import re
import sys
from typing import Any, NamedTuple
from unittest import mock

from inarow.cli.main import run

_STYLE = re.compile(r"\x1b\[[0-9;]*m")


class Done(NamedTuple):
    """What a command printed."""

    stdout: str
    stderr: str


def inarow(*arguments: str, code: int = 0, stdin: str = "", terminal: int | None = None) -> Done:
    """Run ``inarow ARGUMENTS``; fail unless it exits with this code.

    ``terminal`` is the width of a terminal to print on, else it is a pipe. What is printed comes without colours.
    """
    screen = {"COLUMNS": "200", "NO_COLOR": "1"}
    if terminal is not None:
        screen |= {"COLUMNS": str(terminal), "LINES": "24", "FORCE_COLOR": "1", "TERM": "xterm"}
    out, errors = io.StringIO(), io.StringIO()
    exited: object = 0
    with (
        mock.patch.object(sys, "argv", ["inarow", *arguments]),
        mock.patch.object(sys, "stdin", io.StringIO(stdin)),
        mock.patch.dict("os.environ", screen),
        contextlib.redirect_stdout(out),
        contextlib.redirect_stderr(errors),
    ):
        try:
            run()
        except SystemExit as leaving:
            exited = leaving.code or 0
    assert exited == code, f"exit code {exited}, wanted {code}\n{out.getvalue()}{errors.getvalue()}"
    return Done(*(_STYLE.sub("", printed.getvalue()) for printed in (out, errors)))


def inarow_json(*arguments: str) -> Any:
    """The JSON that a command prints with ``--json``."""
    return json.loads(inarow(*arguments, "--json").stdout)
