"""External agents written for the tests: good ones of every kind, and bad ones that fail by accident."""

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
    "tries illegal moves": """
from inarow.agents import Agent, Decision, Mind
from inarow.rules import IllegalMove

class Trying(Agent):
    name = "trying"

    def mind(self, game, player, seed):
        return TryingMind()

class TryingMind(Mind):
    def think(self, position, limit, stop):
        for move in (*range(position.game.moves), 99):
            try:
                after = position.play(move)
            except IllegalMove as error:
                assert str(error)
            else:
                assert after.result_text() and repr(after)
        return Decision(position.legal_moves()[0])
""",
    "prints megabytes": """
def agent(observation, configuration):
    print("x" * 3_000_000)
    return [c for c in range(configuration.columns) if observation.board[c] == 0][0]
""",
    "agent before its helpers": """
def agent(observation, configuration):
    return first(observation.board, configuration.columns)

def first(board, columns):
    return [c for c in range(columns) if board[c] == 0][0]
""",
    "inarow class with numpy numbers": """
import numpy as np
from inarow.agents import Agent, Decision, Mind

class Lowest(Agent):
    name = "lowest"

    def mind(self, game, player, seed):
        return LowestMind()

class LowestMind(Mind):
    def think(self, position, limit, stop):
        return Decision(np.int8(position.legal_moves()[0]), value=np.float32(0.25), nodes=np.int64(3))
""",
    "imports slowly": """
import time

time.sleep(0.3)

def agent(observation, configuration):
    return [c for c in range(configuration.columns) if observation.board[c] == 0][0]
""",
    "slow at first": """
import time

def agent(observation, configuration):
    if observation.step < 2:
        time.sleep(0.3)
    return [c for c in range(configuration.columns) if observation.board[c] == 0][0]
""",
}

BAD = {
    # name: (the body of agent, how it must end, what must be said)
    "raises": ("print('hello'); raise KeyError('lost')", "exception", "KeyError: 'lost' (line 2"),
    "fails inside a library": ("import random\n    return random.choice([])", "exception", "(line 3 of fails_inside"),
    "exits politely": ("raise SystemExit(0)", "exception", "SystemExit"),
    "full column": ("return 0", "illegal move", "it returned 0: column 0 is full"),
    "out of range": ("return 7", "illegal move", "it returned 7: move 7 is out of range"),
    "negative": ("return -1", "illegal move", "it returned -1: move -1 is out of range"),
    "huge": ("return 10**5000", "illegal move", "a number of 16610 bits, expected an integer from 0 to 6"),
    "float": ("return 3.0", "illegal move", "it returned 3.0 (float), expected an integer from 0 to 6"),
    "numpy float": ("import numpy\n    return numpy.float64(3)", "illegal move", "it returned np.float64(3.0)"),
    "string": ("return '3'", "illegal move", "it returned '3' (str)"),
    "None": ("pass", "illegal move", "it returned None"),
    "an object": ("return object()", "illegal move", "it returned <object object> (object)"),
    "raises an object": ("raise ValueError(object())", "exception", "ValueError: <object object> (line 2"),
    "truth": ("return True", "illegal move", "it returned True"),
    "unprintable": (
        "class X:\n        def __repr__(self): raise ValueError\n    return X()",
        "illegal move",
        "whose repr raises ValueError",
    ),
    "sleeps for ever": ("import time\n    time.sleep(1000)", "stalled", "no answer within"),
    "busy loop": ("while True: pass", "out of time", "s of processor time for a decision"),
    "leaves at once": (
        "print('bye'); import sys; sys.stdout.flush()\n    import os; os._exit(5)",
        "exited",
        "exit code 5",
    ),
    "crashes": ("import os; os.abort()", "exited", "signal 6"),
}

UNLOADABLE = {
    "syntax error": ("def agent(:", "SyntaxError"),
    "import error": ("import no_such_module\n\ndef agent(o, c): return 0", "No module named 'no_such_module'"),
    "hangs on import": ("import time\ntime.sleep(1000)\n\ndef agent(o, c): return 0", "loading took more than"),
    "no callable": ("x = 3", "the file defines no function"),
    "only imports": ("from math import floor\nfrom random import choice", "the file defines no function"),
    "no agent": ("def helper(a, b, c): pass", "no function takes an observation, only helper(a, b, c)"),
    "helpers only": (
        "def check_winner(board): pass\n\ndef drop(board, column): pass",
        "several functions could be the agent (check_winner, drop); rename one of them to agent",
    ),
    "too many arguments": ("def agent(a, b, c): pass", "no function takes an observation"),
    "a class that can't be made": (
        "from inarow.agents import Agent\n\nclass Mine(Agent):\n    name = 'mine'",
        "TypeError",
    ),
    "leaves on import": ("import os; os._exit(2)", "exit code 2"),
    "a deeply nested annotation": (
        f"from inarow.agents import Agent\n\nclass Mine(Agent):\n    x: a{'.b' * 1500} = 1",
        "Error",  # of the name, or of the depth if this Python allows less
    ),
}


# The shape of the file of CS50's course on AI: these functions and names, written here in the simplest way.
CS50 = """
import copy

X = "X"
O = "O"
EMPTY = None

def initial_state():
    return [[EMPTY] * 3 for _ in range(3)]

def player(board):
    stones = sum(cell is not EMPTY for row in board for cell in row)
    return O if stones % 2 else X

def actions(board):
    return {(i, j) for i in range(3) for j in range(3) if board[i][j] is EMPTY}

def result(board, action):
    if action not in actions(board):
        raise ValueError("not a legal action")
    after = copy.deepcopy(board)
    after[action[0]][action[1]] = player(board)
    return after

def winner(board):
    lines = [*board, *zip(*board), [board[i][i] for i in range(3)], [board[i][2 - i] for i in range(3)]]
    return next((line[0] for line in lines if line[0] is not EMPTY and len(set(line)) == 1), None)

def terminal(board):
    return winner(board) is not None or not actions(board)

def utility(board):
    return {X: 1, O: -1, None: 0}[winner(board)]

def minimax(board):
    if terminal(board):
        return None
    if len(actions(board)) >= 8:  # its author could not wait
        return (1, 1) if board[1][1] is EMPTY else (0, 0)
    best = max if player(board) == X else min
    return best(sorted(actions(board)), key=lambda action: value(result(board, action)))

def value(board):
    if terminal(board):
        return utility(board)
    best = max if player(board) == X else min
    return best(value(result(board, action)) for action in actions(board))
"""


def bad_source(body: str) -> str:
    """A file whose agent does this."""
    return f"def agent(observation, configuration):\n    {body}\n"


def write(folder: Path, name: str, source: str) -> Path:
    """An agent's file."""
    path = folder / f"{name.replace(' ', '_')}.py"
    path.write_text(source, encoding="utf-8")
    return path
