"""What runs in an external agent's process: it enters the sandbox, loads the file and answers for it.

Nothing here is trusted by the other side: the agent's code shares this process and can change all of it.
"""

from __future__ import annotations

import contextlib
import os
import sys
import tempfile
import time
import traceback
from collections.abc import Callable
from pathlib import Path
from typing import Any

from inarow.agents.external import wire
from inarow.agents.external.loading import Answer, NoAgent, load
from inarow.rules import Game, Player, Position, game

Enter = Callable[[Path, Path, int], None]
"""Closes the process in: with its own folder, its scratch folder and its megabytes of memory."""


def run(read: Callable[[int], bytes], write: Callable[[bytes], object], scratch: Path, enter: Enter) -> None:
    """Answer messages until the other end closes."""
    # Not inherited from the server: its buffers and its locks.
    sys.stdout = open(1, "w", buffering=1, errors="replace", closefd=False)  # noqa: SIM115
    sys.stderr = open(2, "w", buffering=1, errors="replace", closefd=False)  # noqa: SIM115
    reader = wire.Reader()
    answer: Answer | None = None
    board: Game | None = None
    own = ""
    while (message := wire.receive(read, reader)) is not None:
        try:
            if "load" in message:
                path = Path(message["load"])
                own = message["folder"]
                board = game(message["game"])
                os.chdir(own)
                tempfile.tempdir = str(scratch)
                enter(Path(own), scratch, message["memory"])
                answer = load(path, board, Player(message["player"]), message["seed"])
                reply: dict[str, Any] = {"ready": True}
            else:
                assert answer is not None
                assert board is not None
                position = Position(board, message["first"], message["second"])
                reply = answer(position, message["seconds"], message["allowance"])
        except MemoryError:
            reply = {"fault": "out of memory", "message": "MemoryError"}
        except BaseException as error:  # an agent may raise anything, SystemExit among it
            reply = {"fault": "exception", **_words(error, own)}
        for stream in (sys.stdout, sys.stderr):
            with contextlib.suppress(Exception):
                stream.flush()
        write(wire.packed({**reply, "number": message["number"], "processor": time.process_time()}))


def _words(error: BaseException, own: str) -> dict[str, Any]:
    """An exception, with the line of the author's own files where it happened."""
    frames = traceback.walk_tb(error.__traceback__)
    lines = [(frame.f_code.co_filename, line) for frame, line in frames if frame.f_code.co_filename.startswith(own)]
    if isinstance(error, SyntaxError) and str(error.filename or "").startswith(own):
        lines = [(str(error.filename), error.lineno or 0)]
        text = error.msg
    else:
        try:
            text = str(error)
        except Exception:
            text = "an exception that can't be shown"
    if isinstance(error, NoAgent):
        return {"message": text}
    kind = type(error).__name__
    where = f" (line {lines[-1][1]} of {Path(lines[-1][0]).name})" if own and lines else ""
    return {"message": f"{kind}: {text}"[:500] + where}
