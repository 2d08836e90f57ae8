"""Load an agent's file inside the agent's own process.

Four kinds of file are supported: a subclass of `inarow.agents.Agent`; a function of an observation, as in Kaggle's
ConnectX; a ``tictactoe.py`` as in CS50's course on AI, with `player`, `actions`, `result`, `minimax` …; and the
solution of an assignment, with `legal_moves` and `alphabeta` or `minimax` of a game object and a state.
"""

from __future__ import annotations

import contextlib
import functools
import inspect
import operator
import random
import re
import sys
import types
from collections.abc import Callable
from pathlib import Path
from typing import Any

from inarow.agents.base import Agent, Decision
from inarow.limits import Limit
from inarow.rules import FIRST, TICTACTOE, Game, Player, Position, as_move

try:
    import numpy.random  # most agents use it; imported here, before the fork, it costs them nothing
except ImportError:  # not installed where only assignments are graded
    numpy = None  # type: ignore[assignment]

MODULE = "external_agent"
"""The name of an agent's module inside its process."""
_AGENT = re.compile(r"agent|bot|player|^(act|move|play|choose|decide|get_move|choose_move|next_move|best_move)$", re.I)
_MOVES = re.compile(r"move|action|play|choose|decide|^act$", re.I)
_BOARD = re.compile(r"board|grid|state|position", re.I)
_PLAYER = re.compile(r"player|symbol|mark|piece|token|turn|colou?r", re.I)
_DEFINE = "define agent(observation, configuration)"
_WRAP = f"{_DEFINE}: 'My course uses another interface' in docs/external-agents.md has it for several courses"
CS50 = ("player", "actions", "result", "winner", "terminal", "utility", "minimax")


class NoAgent(Exception):
    """The file defines no agent."""


class AttributeDict(dict[str, Any]):
    """A mapping whose items are also attributes."""

    def __getattr__(self, name: str) -> Any:
        try:
            return self[name]
        except KeyError:
            raise AttributeError(name) from None

    def __setattr__(self, name: str, value: Any) -> None:
        self[name] = value


Answer = Callable[[Position, float, float], dict[str, Any]]
"""A function from position, time limit and extra time of this decision (both in seconds) to a message."""


def run_file(path: Path, seed: int) -> dict[str, Any]:
    """Run a file as a module and return its names. Exceptions of its code are not caught."""
    sys.path.insert(0, str(path.parent))
    random.seed(seed)
    if numpy is not None:
        numpy.random.seed(seed & 0xFFFFFFFF)
    module = types.ModuleType(MODULE)
    module.__file__ = str(path)
    sys.modules[MODULE] = module
    exec(compile(path.read_bytes(), str(path), "exec", dont_inherit=True), module.__dict__)
    return module.__dict__


def load(path: Path, game: Game, player: Player, seed: int, parameters: dict[str, Any]) -> tuple[Answer, str]:
    """Return the function that plays for a file with these parameters, and its description.

    Exceptions of the file's code are not caught.
    """
    scope = run_file(path, seed)
    values = [value for name, value in scope.items() if not name.startswith("__")]
    for value in reversed(values):
        if isinstance(value, type) and issubclass(value, Agent) and value.__module__ == MODULE:
            return _native(value(**parameters), game, player, seed), f"the class {value.__name__}"
    if is_cs50(scope):
        return _cs50(scope, game), "the function minimax, as in CS50"
    if name := kit_search(scope):
        kit: Answer = lambda position, seconds, allowance: _move(choose(scope[name], position))  # noqa: E731
        return kit, f"the function {name}, as in the kit of an assignment"
    function, arguments, why = _function(scope, values)
    chosen = f"the function {getattr(function, '__name__', '?')}{why}"
    return _connectx(functools.partial(function, **parameters), arguments), chosen


def is_cs50(scope: dict[str, Any]) -> bool:
    """Return True if a file has the functions of CS50's ``tictactoe.py``."""
    return all(callable(scope.get(name)) for name in CS50)


def _native(agent: Agent, game: Game, player: Player, seed: int) -> Answer:
    mind = agent.start(game, player, seed)

    def answer(position: Position, seconds: float, allowance: float) -> dict[str, Any]:
        decision = mind.think(position, Limit(seconds=seconds), None)
        if not isinstance(decision, Decision):
            return {"fault": "no decision", "message": f"it returned {shown(decision)}, expected a Decision"}
        try:
            value = None if decision.value is None else float(decision.value)
            nodes = operator.index(decision.nodes)
        except (TypeError, ValueError):
            expected = "nodes must be an integer, value None or a number"
            got = f"nodes={shown(decision.nodes)} and value={shown(decision.value)}"
            return {"fault": "no decision", "message": f"{expected}; got {got}"}
        return {**_move(decision.move), "value": value, "nodes": min(max(nodes, -1), 1 << 63)}

    return answer


def _connectx(function: Callable[..., Any], arguments: int) -> Answer:
    def answer(position: Position, seconds: float, allowance: float) -> dict[str, Any]:
        game = position.game
        stones = [0 if stone is None else int(stone) + 1 for row in position.grid() for stone in row]
        observation = AttributeDict(
            board=stones, mark=int(position.to_move) + 1, step=position.ply, remainingOverageTime=allowance
        )
        configuration = AttributeDict(
            rows=game.rows, columns=game.columns, inarow=game.k, actTimeout=seconds, episodeSteps=game.cells
        )
        return _move(function(*(observation, configuration)[:arguments]))

    return answer


def _cs50(scope: dict[str, Any], game: Game) -> Answer:
    if game != TICTACTOE:
        raise NoAgent(f"a tictactoe.py with minimax(board) plays Tic Tac Toe only, not {game.title}")
    marks = (scope.get("X", "X"), scope.get("O", "O"), scope.get("EMPTY"))

    def answer(position: Position, seconds: float, allowance: float) -> dict[str, Any]:
        board = [[marks[2] if stone is None else marks[stone] for stone in row] for row in position.grid()]
        move = scope["minimax"](board)
        try:
            row, column = (as_move(part) for part in move)
        except (TypeError, ValueError):
            return {"nonsense": shown(move), "wanted": "a cell as (row, column)"}
        if not (0 <= row < game.rows and 0 <= column < game.columns):
            return {"nonsense": shown(move), "wanted": "a cell as (row, column), each from 0 to 2"}
        return {"move": row * game.columns + column}

    return answer


def _function(scope: dict[str, Any], values: list[Any]) -> tuple[Callable[..., Any], int, str]:
    """Return the agent function, the number of its arguments, and why it was chosen.

    It is ``agent``, else the last one whose first argument is named as an observation, else the last one named like an
    agent, else the only one with one or two arguments. Raises `NoAgent` if there are several.
    """
    own: list[Callable[..., Any]] = [
        value for value in values if callable(value) and not isinstance(value, type) and _is_own(value)
    ]
    foreign = _class_that_moves(values)
    found = f"; found the class {foreign}" if foreign else ""
    if not own:
        raise NoAgent(f"the file defines no function{found}; {_WRAP if foreign else _DEFINE}")
    fit = [(function, arguments) for function in own[::-1] if (arguments := _arguments(function))]
    rules: tuple[tuple[Callable[[Any], bool], str], ...] = (
        (lambda function: function is scope.get("agent"), ""),
        (_takes_observation, ", the last one whose first argument is an observation"),
        (lambda function: bool(_AGENT.search(getattr(function, "__name__", ""))), ", the last one named like an agent"),
        (lambda function: len(fit) == 1 and not foreign, ", the only one that takes one or two arguments"),
    )
    for is_meant, why in rules:
        for function, arguments in fit:
            if is_meant(function):
                if _takes_board_and_player(function):
                    raise NoAgent(f"the function {_call(function)} takes a board and a player; {_WRAP}")
                return function, arguments, why
    if foreign:
        raise NoAgent(f"no function takes an observation{found}; {_WRAP}")
    if fit:
        names = ", ".join(getattr(function, "__name__", "?") for function, _ in fit[::-1])
        hint = f", or {_WRAP}" if any(map(_takes_board_and_player, own)) else ""
        raise NoAgent(f"several functions could be the agent ({names:.120}); rename one of them to agent{hint}")
    names = ", ".join(map(_call, own[:3]))
    hint = _WRAP if any(map(_takes_board_and_player, own)) else _DEFINE
    raise NoAgent(f"no function takes an observation, only {names:.120}; {hint}")


def _class_that_moves(values: list[Any]) -> str:
    """Return a class of the file and its method that chooses a move, as in other courses; empty if there is none."""
    for kind in reversed(values):
        if isinstance(kind, type) and _is_own(kind):
            for name, method in vars(kind).items():
                if _MOVES.search(name) and not name.startswith("_") and isinstance(method, types.FunctionType):
                    return f"{kind.__name__} with {_call(method)}"
    return ""


def _takes_board_and_player(function: Callable[..., Any]) -> bool:
    """Return True if the first two arguments are a board and a player, in either order."""
    names = [*(signature.parameters if (signature := _signature(function)) is not None else ()), "", ""][:2]
    return any(_BOARD.search(a) and _PLAYER.search(b) for a, b in (names, reversed(names)))


def _call(function: Callable[..., Any]) -> str:
    """Return a function with the names of its arguments."""
    signature = _signature(function)
    return f"{getattr(function, '__name__', '?')}({'…' if signature is None else ', '.join(signature.parameters)})"


def _takes_observation(function: Callable[..., Any]) -> bool:
    signature = _signature(function)
    return signature is not None and next(iter(signature.parameters), "").startswith("obs")


def _is_own(value: Any) -> bool:
    """Return True if a callable was defined by the file, not imported from a library."""
    if isinstance(value, functools.partial):
        return True
    module = getattr(value, "__module__", None) or type(value).__module__
    loaded = sys.modules.get(module)
    folder = str(Path(sys.modules[MODULE].__file__ or "").parent)
    return module == MODULE or str(getattr(loaded, "__file__", None) or "").startswith(folder)


def _arguments(function: Callable[..., Any]) -> int:
    """Return the number of arguments to call an agent with: two if it accepts them, else one; 0 if neither works."""
    signature = _signature(function)
    if signature is None:
        return 2
    for count in (2, 1):
        with contextlib.suppress(TypeError):
            signature.bind(*range(count))
            return count
    return 0


def _signature(function: Callable[..., Any]) -> inspect.Signature | None:
    """Return the signature of a function, or None if it is unknown, as that of some C functions."""
    try:
        return inspect.signature(function)
    except (TypeError, ValueError):
        return None


def _move(move: Any) -> dict[str, Any]:
    """Return a message with the move (an integer of any type), or with a description of anything else."""
    try:
        number = as_move(move)
    except TypeError:
        return {"nonsense": f"{shown(move)} ({type(move).__name__})" if move is not None else "None"}
    if abs(number) > 1 << 32:
        return {"nonsense": f"a number of {number.bit_length()} bits"}
    return {"move": number}


def shown(value: Any) -> str:
    """Return a short repr that is the same in every run."""
    try:
        return without_addresses(f"{value!r:.100}")[:80]
    except Exception as error:
        return f"a {type(value).__name__} whose repr raises {type(error).__name__}"


def without_addresses(text: str) -> str:
    """Strip memory addresses from a repr so that output is reproducible."""
    return re.sub(r" at 0x[0-9a-fA-F]+", "", text)


SEARCHES = ("alphabeta", "minimax")
"""Functions of ``(game, state)``, in order of preference."""
_MARKS = ("X", "O")


def kit_search(scope: dict[str, Any]) -> str:
    """Return the name of the search in a file made from the kit, or an empty string."""
    if not callable(scope.get("legal_moves")):
        return ""
    for name in SEARCHES:
        if callable(scope.get(name)) and (signature := _signature(scope[name])) is not None:
            with contextlib.suppress(TypeError):
                signature.bind(None, None)
                return name
    return ""


class KitGame:
    """The game object of the kit; a state is a position."""

    def moves(self, state: Position) -> list[int]:
        """Return the legal moves, empty if the game is over."""
        return list(state.legal_moves())

    def play(self, state: Position, move: int) -> Position:
        """Return the state after a move. Raises `IllegalMove`, a ValueError."""
        return state.play(move)

    def player(self, state: Position) -> str:
        """Return the player to move, X or O."""
        return _MARKS[state.to_move]

    def over(self, state: Position) -> bool:
        """Return True if the game has ended."""
        return state.outcome() is not None

    def value(self, state: Position) -> int:
        """Return 1 if X has won, −1 if O has won, 0 for a draw."""
        outcome = state.outcome()
        if outcome is None:
            raise ValueError("game.value was called before the end of the game; check game.over first")
        return round(2 * outcome.score(FIRST) - 1)


def choose(search: Callable[[KitGame, Position], Any], position: Position) -> Any:
    """Return the move of a search, or its result unchanged if it is not a value and a move."""
    found = search(KitGame(), position)
    return found[1] if isinstance(found, tuple | list) and len(found) == 2 else found
