"""The program of an external agent's process: enter the sandbox, load the file and answer requests.

The parent must not trust this process: the agent's code runs in it and can change anything.
"""

from __future__ import annotations

import contextlib
import os
import sys
import tempfile
import time
import traceback
from collections.abc import Callable
from importlib.abc import MetaPathFinder
from importlib.machinery import PathFinder
from pathlib import Path
from typing import Any

from inarow.agents.external import Policy, student_side, wire
from inarow.agents.external.loading import NoAgent, load, without_addresses
from inarow.agents.external.sandbox import PACKAGE, is_allowed, why_closed
from inarow.agents.external.wire import Ask, Message
from inarow.formatting import sentences
from inarow.rules import Player, Position, game

sentences("illegal")  # read before the sandbox closes the file: the rules' exceptions need it
Enter = Callable[[Path, Path, int], None]
"""A function that confines the process to its own folder, its scratch folder and a number of megabytes."""


def run(read: Callable[[int], bytes], write: Callable[[bytes], object], enter: Enter) -> None:
    """Answer messages until the other end closes: ``enter`` the sandbox before any agent code runs, then ``load``."""
    # New streams, because the server's buffers and locks must not be inherited.
    sys.stdout = open(1, "w", buffering=1, errors="replace", closefd=False)  # noqa: SIM115
    sys.stderr = open(2, "w", buffering=1, errors="replace", closefd=False)  # noqa: SIM115
    reader = wire.Reader()
    answer: Ask | None = None
    own = ""

    def ask(question: Message) -> Message:
        """Ask the parent while answering its question."""
        write(wire.packed(question))
        reply = wire.receive(read, reader)
        if reply is None:
            os._exit(0)
        return reply

    while (message := wire.receive(read, reader)) is not None:
        try:
            if "enter" in message:
                own, tempfile.tempdir = message["enter"], message["scratch"]
                os.chdir(own)
                sys.meta_path.insert(0, _Packages(Policy.from_json(message["policy"]), own))
                enter(Path(own), Path(message["scratch"]), message["memory"])
                reply: Message = {"ready": True}
            elif "load" in message:
                loader = student_side.answers if message.get("functions") else _player
                answer, chosen = loader(Path(own) / message["load"], message, ask)
                reply = {"ready": True, "chosen": chosen}
            else:
                assert answer is not None
                reply = answer(message)
        except MemoryError:
            reply = {"fault": "out of memory", "message": "MemoryError"}
        except BaseException as error:  # an agent may raise anything, even SystemExit
            reply = {"fault": "exception", **_describe_error(error, own)}
        for stream in (sys.stdout, sys.stderr):
            with contextlib.suppress(Exception):
                stream.flush()
        write(wire.packed({**reply, "number": message["number"], "processor": time.process_time()}))


class _Packages(MetaPathFinder):
    """Reject packages that are not allowed with a clear message; the sandbox enforces it."""

    def __init__(self, policy: Policy, own: str) -> None:
        self.policy, self.own = policy, own

    def find_spec(self, name: str, path: Any = None, target: Any = None) -> None:
        """Raise ImportError for a package that is installed, but neither allowed nor the agent's own."""
        if path is not None or name in sys.stdlib_module_names or is_allowed(name, self.policy):
            return
        if PathFinder.find_spec(name, [self.own]) is None and PathFinder.find_spec(name) is not None:
            allowed = ", ".join(("the standard library", *(self.policy.packages or ())))
            raise ImportError(f"{name} is not among the packages that are allowed here ({allowed})", name=name)


def _player(path: Path, about: Message, ask: Ask) -> tuple[Ask, str]:
    """Return the function that answers for a playing agent, and its description."""
    board = game(about["game"])
    answer, chosen = load(path, board, Player(about["player"]), about["seed"], about["parameters"])

    def play(message: Message) -> Message:
        position = Position(board, message["first"], message["second"])
        return answer(position, message["seconds"], message["allowance"])

    return play, chosen


def _describe_error(error: BaseException, own: str) -> dict[str, Any]:
    """Describe an exception: its type, its place in the author's own files, and a message with both."""
    places = [(frame.f_code.co_filename, line) for frame, line in traceback.walk_tb(error.__traceback__)]
    lines = [place for place in places if place[0].startswith(own)]
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
    if isinstance(error, PermissionError) and (reason := why_closed(str(error.filename))):
        after = places[places.index(lines[-1]) + 1 :] if lines else []  # a part that the author used may use a solver
        used = (name for name, _ in after if why_closed(name) and name != str(PACKAGE / "__init__.py"))
        reason = why_closed(next(used, str(error.filename)))
        text = f"{text.replace(f'{PACKAGE.parent}{os.sep}', '')}: {reason}"
    kind = type(error).__name__
    words: dict[str, Any] = {"kind": kind, "message": without_addresses(f"{kind}: {text}"[:500])}
    if own and lines:
        words |= {"line": lines[-1][1], "file": Path(lines[-1][0]).name}
        words["message"] += f" (line {words['line']} of {words['file']})"
    return words
