"""Guests written for the tests: good ones of both kinds, and bad ones of every kind that has been thought of."""

from __future__ import annotations

from pathlib import Path

GOOD = {
    "connectx": """
import random

def agent(observation, configuration):
    assert observation["board"] == observation.board and observation.mark in (1, 2)
    assert configuration["inarow"] == configuration.inarow and observation.remainingOverageTime >= 0
    assert len(observation.board) == configuration.rows * configuration.columns
    assert observation.step == sum(1 for stone in observation.board if stone)
    assert configuration.actTimeout > 0
    return random.choice([c for c in range(configuration.columns) if observation.board[c] == 0])
""",
    "one argument": """
def helper(observation):
    raise RuntimeError("only the last callable is asked")

def my_agent(obs):
    return [c for c in range(7) if obs.board[c] == 0][-1]
""",
    "numpy": """
import numpy as np

def agent(observation, configuration):
    top = np.array(observation.board).reshape(configuration.rows, configuration.columns)[0]
    return np.flatnonzero(top == 0)[0]
""",
    "inarow class": """
from dataclasses import dataclass
from inarow.agents import Agent, Decision, Mind

@dataclass(frozen=True)
class Lowest(Agent):
    name = "lowest"
    summary = "the first legal move"

    def mind(self, game, player, seed):
        return LowestMind()

class LowestMind(Mind):
    def think(self, position, limit, stop):
        return Decision(position.legal_moves()[0], value=0.25, nodes=3)
""",
    "prints megabytes": """
def agent(observation, configuration):
    print("x" * 3_000_000)
    return [c for c in range(configuration.columns) if observation.board[c] == 0][0]
""",
    "imports slowly": """
import time

time.sleep(1.3)

def agent(observation, configuration):
    return [c for c in range(configuration.columns) if observation.board[c] == 0][0]
""",
    "slow at first": """
import time

def agent(observation, configuration):
    if observation.step < 2:
        time.sleep(1.3)
    return [c for c in range(configuration.columns) if observation.board[c] == 0][0]
""",
}

LEGAL = "return [c for c in range(configuration.columns) if observation.board[c] == 0][0]"
BAD = {
    # name: (the body of agent, how it must end, what must be said)
    "raises": ("print('hello'); raise KeyError('lost')", "exception", "KeyError: 'lost' (line 2"),
    "exits politely": ("raise SystemExit(0)", "exception", "SystemExit"),
    "full column": ("return 0", "illegal move", "column 1 is full"),
    "out of range": ("return 7", "illegal move", "8 is not a column"),
    "negative": ("return -1", "illegal move", "0 is not a column"),
    "float": ("return 3.0", "illegal move", "it returned 3.0"),
    "string": ("return '3'", "illegal move", "it returned '3'"),
    "None": ("pass", "illegal move", "it returned None"),
    "truth": ("return True", "illegal move", "it returned True"),
    "sleeps for ever": ("import time\n    time.sleep(1000)", "stalled", "no answer within"),
    "busy loop": ("while True: pass", "stalled", "no answer within"),
    "ignores SIGTERM": (
        "import signal, time\n    signal.signal(signal.SIGTERM, signal.SIG_IGN)\n    time.sleep(1000)",
        "stalled",
        "no answer within",
    ),
    "allocates without end": (
        "blocks = []\n    while True: blocks.append(bytearray(10_000_000))",
        "out of memory",
        "Memory",
    ),
    "leaves at once": (
        "print('bye'); import sys; sys.stdout.flush()\n    import os; os._exit(5)",
        "exited",
        "exit code 5",
    ),
    "kills itself": ("import os; os.kill(os.getpid(), 9)", "exited", "signal 9"),
    "closes its pipes": (
        "import os, time; os.closerange(0, 100); time.sleep(1000)",
        "exited",
        "closed the connection",
    ),
    "sends rubbish": ("import os, time; os.write(3, b'\\xff' * 100); time.sleep(1000)", "exited", "a message of"),
    "late every tenth move": (
        "import time\n    if observation.step // 2 % 10 == 4: time.sleep(2)\n    " + LEGAL,
        "out of time",
        "s allowed",
    ),
    "starts children": (
        "import subprocess\n    subprocess.Popen(['sleep', '1000'])\n    "
        "subprocess.Popen(['sleep', '1000'], start_new_session=True)\n    raise ValueError('children')",
        "exception",
        "children",
    ),
}

UNLOADABLE = {
    "syntax error": ("def agent(:", "SyntaxError"),
    "import error": ("import no_such_module\n\ndef agent(o, c): return 0", "No module named 'no_such_module'"),
    "hangs on import": ("import time\ntime.sleep(1000)\n\ndef agent(o, c): return 0", "loading took more than"),
    "no callable": ("x = 3", "the file has no function"),
    "leaves on import": ("import os; os._exit(2)", "exit code 2"),
}


def bad_source(body: str) -> str:
    """A file whose agent does this."""
    return f"def agent(observation, configuration):\n    {body}\n"


def write(folder: Path, name: str, source: str) -> Path:
    """A guest's file."""
    path = folder / f"{name.replace(' ', '_')}.py"
    path.write_text(source, encoding="utf-8")
    return path
