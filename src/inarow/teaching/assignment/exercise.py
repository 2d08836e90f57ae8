"""An exercise: a board, hidden positions with their exact values, and the points; and the game object of a search.

An exercise is one JSON file. The game object lives outside of the student's process: states are numbered as they are
first reached, and the moves of each are shuffled by a seed that never enters the student's process. So a program learns
about a position only by playing moves, and each one is counted.
"""

from __future__ import annotations

import builtins
import contextlib
import json
import time
from collections.abc import Iterator, Sequence
from dataclasses import asdict, dataclass, field
from functools import cache
from itertools import count
from pathlib import Path
from typing import Any, NamedTuple

from inarow.agents.base import Disturbance, Fault
from inarow.agents.external import Policy
from inarow.agents.external.process import Process, Serve
from inarow.agents.external.spawned import launch
from inarow.agents.external.staging import Snapshot
from inarow.errors import HostFailure, InarowError, visible
from inarow.randomness import Stream, derive
from inarow.rules import Game, Player, Position, game

VERSION = 1
MARKS = ("X", "O")


class AssignmentError(InarowError):
    """The assignment can't be made or graded."""


@dataclass(frozen=True)
class PartPoints:
    """Points for each part; a teacher may change them. A part with 0 points is omitted."""

    legal_moves: float = 10.0
    end: float = 15.0
    minimax: float = 20.0
    alphabeta: float = 20.0
    cheaper: float = 15.0
    q_update: float = 0.0
    learner: float = 20.0

    @property
    def most(self) -> float:
        """Points of a perfect solution."""
        return float(sum(asdict(self).values()))

    @property
    def parts(self) -> set[str]:
        """The parts of the kit's files that are graded."""
        asked = {"rules": self.legal_moves + self.end, "search": self.minimax, "update": self.q_update}
        found = {name for name, points in {**asked, "learner": self.learner}.items() if points}
        return found if "rules" in found else found | {"ready"}


KINDS = {
    "minimax": PartPoints(10, 15, 25, 25, 25, 0, 0),
    "qlearning": PartPoints(0, 0, 0, 0, 0, 40, 60),
    "complete": PartPoints(),
}
"""The points of the exercises with their own grader."""
HEADINGS = {"minimax": "Minimax and alpha–beta", "qlearning": "Q-learning", "complete": "Search and learning"}


@dataclass(frozen=True)
class Solved:
    """A hidden position, solved: its value for X, and the best moves of the side to move."""

    position: Position
    value: int
    best: tuple[int, ...]


@dataclass(frozen=True)
class Exercise:
    """The data of a grader."""

    game: Game
    seed: int
    rules: tuple[Position, ...]
    """Positions for the first part: decided ones, full boards, and others."""
    search: tuple[Solved, ...]
    points: PartPoints = field(default_factory=PartPoints)
    seconds: float = 10.0
    """Processor seconds per call of a function."""
    training: int = 4000
    """Number of training matches of the learner."""
    trials: int = 200
    """Matches of each learner against a random player."""

    @property
    def short_training(self) -> int:
        """Number of training matches of a second learner, from which the first has to differ."""
        return max(1, self.training // 50)

    def to_json(self) -> dict[str, Any]:
        """Return the exercise for JSON."""
        return {
            "version": VERSION,
            "game": self.game.name,
            "seed": self.seed,
            "points": asdict(self.points),
            "seconds": self.seconds,
            "training": self.training,
            "trials": self.trials,
            "rules": [[one.first, one.second] for one in self.rules],
            "search": [[one.position.first, one.position.second, one.value, list(one.best)] for one in self.search],
        }


def read_exercise(path: Path) -> Exercise:
    """Read an exercise. Raises `AssignmentError` if the file is invalid."""
    try:
        data = json.loads(path.read_text(encoding="utf-8"))
        if data["version"] != VERSION:
            raise AssignmentError(f"{path} is of version {data['version']}, this grader reads {VERSION}; make it again")
        board = game(data["game"])
        return Exercise(
            board,
            int(data["seed"]),
            tuple(Position(board, first, second) for first, second in data["rules"]),
            tuple(
                Solved(Position(board, first, second), int(value), tuple(best))
                for first, second, value, best in data["search"]
            ),
            PartPoints(**data["points"]),
            float(data["seconds"]),
            int(data["training"]),
            int(data["trials"]),
        )
    except OSError as error:
        raise AssignmentError(f"{path} can't be read: {error.strerror}") from None
    except (AttributeError, KeyError, TypeError, ValueError) as error:
        if isinstance(error, AssignmentError):
            raise
        raise AssignmentError(
            f"{path} is not an exercise of `inarow assignment`: {type(error).__name__} {error}"
        ) from None


def board_of(position: Position) -> list[list[str]]:
    """Return a position as students see it: rows from the top, each cell ``X``, ``O`` or ``.``."""
    return [["." if stone is None else MARKS[stone] for stone in row] for row in position.grid()]


def value_of(position: Position) -> int | None:
    """Return 1 if X has won, −1 if O has won, 0 for a draw, None if the game is not over."""
    outcome = position.outcome()
    return None if outcome is None else round(2 * outcome.score(Player.FIRST) - 1)


def line_kind(position: Position) -> str:
    """Return the direction of the winning line of a position, or its state without one."""
    cells = [divmod(cell, position.game.columns) for cell in position.winning_cells()]
    if not cells:
        return "unfinished games" if position.outcome() is None else "full boards"
    (row, column), (next_row, next_column) = cells[:2]
    if row == next_row:
        return "rows"
    return "columns" if column == next_column else f"{'falling' if column < next_column else 'rising'} diagonals"


def drawn(position: Position) -> str:
    """Draw a position for a message."""
    return "\n".join("    " + " ".join(row) for row in board_of(position))


class ServedState(NamedTuple):
    """A position numbered for the student's process."""

    position: Position
    moves: tuple[int, ...]
    """The moves behind the numbers 0, 1, 2 …"""


class TrainingMatches:
    """The matches of a training: so many, one after the other, each move from the position that was reached.

    A learner may look one move ahead. What lies behind a position it sees only by playing on, so it can't search.
    """

    def __init__(self, start: int, most: int) -> None:
        self.start, self.most = start, most
        self.begun = 0
        self.state: int | None = None
        """The state that the current match has reached; None before the first match."""
        self.next: set[int] = set()
        """The states after it that were looked at."""

    def refusal(self, state: int) -> str:
        """Go to a state from which a move is to be played; return why that is not possible, or an empty string."""
        if state == self.state:
            return ""
        if state in self.next:
            self.state, self.next = state, set()
            return ""
        if state != self.start:
            return "a training match goes on from the state that it has reached, or a new one begins at the start"
        if self.begun == self.most:
            return f"all {self.most:,} matches of this training have been played"
        self.begun += 1
        self.state, self.next = state, set()
        return ""


class ServedGame:
    """A game for the student's process, with states and moves as numbers; ``plays`` counts the moves played on it.

    Games that are served to one process share ``numbers``, so that a state of one is never a state of another.
    """

    def __init__(self, seed: int, numbers: Iterator[int] | None = None) -> None:
        self.seed = seed
        self.numbers = count() if numbers is None else numbers
        self.plays = 0
        self.most: int | None = None
        """Maximum plays; None for no limit."""
        self.training: TrainingMatches | None = None
        """The matches of the training that is being played, if one is."""
        self.nodes: dict[int, ServedState] = {}
        self.states: dict[Position, int] = {}

    def about(self, position: Position) -> dict[str, Any]:
        """Return the message about a position."""
        if position not in self.states:
            moves = list(position.legal_moves())
            Stream(derive(self.seed, "moves", position.first, position.second)).shuffle(moves)
            self.states[position] = state = next(self.numbers)
            self.nodes[state] = ServedState(position, tuple(moves))
        state = self.states[position]
        return {
            "state": state,
            "moves": len(self.nodes[state].moves),
            "player": MARKS[position.to_move],
            "value": value_of(position),
        }

    def node(self, position: Position) -> ServedState:
        """Return a position as the student's process sees it."""
        return self.nodes[self.about(position)["state"]]

    def serve(self, question: dict[str, Any]) -> dict[str, Any]:
        """Play a move: ``{"play": [state, move]}``. Raises ValueError for anything else."""
        match question:
            case {"play": [int() as state, int() as move]}:
                pass
            case _:
                raise ValueError("an invalid request")
        node = self.nodes.get(state)
        if node is None:
            return {"error": f"game.play({state}, {move}): there is no such state"}
        if not 0 <= move < len(node.moves):
            moves = list(range(len(node.moves)))
            return {"illegal": f"game.play(state, {move}): the moves of this state are {moves}"}
        self.plays += 1
        if self.most is not None and self.plays > self.most:
            return {"error": f"game.play was called more than the {self.most:,} times that are allowed here"}
        if self.training is not None and (refusal := self.training.refusal(state)):
            return {"error": f"game.play({state}, {move}): {refusal}"}
        about = self.about(node.position.play(node.moves[move]))
        if self.training is not None:
            self.training.next.add(about["state"])
        return about

    def alphabeta_nodes(self, position: Position) -> int:
        """Count the plays of a textbook alpha–beta search from a position, with moves in the served order."""
        return self._alphabeta(position, -2, 2)[1]

    def _alphabeta(self, position: Position, alpha: int, beta: int) -> tuple[int, int]:
        value = value_of(position)
        if value is not None:
            return value, 0
        maximising = position.ply % 2 == 0
        best, nodes = (-2 if maximising else 2), 0
        for move in self.node(position).moves:
            found, below = self._alphabeta(position.play(move), alpha, beta)
            nodes += 1 + below
            if maximising:
                best = max(best, found)
                alpha = max(alpha, best)
            else:
                best = min(best, found)
                beta = min(beta, best)
            if alpha >= beta:
                break
        return best, nodes


def minimax_nodes(position: Position) -> int:
    """Return the plays of a plain minimax search."""
    return sum(1 + minimax_nodes(position.play(move)) for move in position.legal_moves())


def least_plays(position: Position, value: int) -> int:
    """Return a lower bound on the plays that any search needs to prove the value of a position for X."""
    return max(_proof(position, value, 1), _proof(position, value, -1))


def _proof(position: Position, value: int, sign: int) -> int:
    """Return a lower bound on the plays that prove X's value to be at least ``value`` (at most, if the sign is −1).

    All replies of the opponent have to be played, but what is found below one may serve below another.
    """
    if position.outcome() is not None or value == -sign:
        return 0
    after = [position.play(move) for move in position.legal_moves()]
    if (position.ply % 2 == 0) == (sign == 1):
        return 1 + min(_proof(one, value, sign) for one in after if sign * exact_value(one) >= sign * value)
    return len(after) + max(_proof(one, value, sign) for one in after)


@cache
def exact_value(position: Position) -> int:
    """Return the value for X with best play on both sides, by minimax."""
    value = value_of(position)
    if value is not None:
        return value
    best = max if position.ply % 2 == 0 else min
    return best(exact_value(position.play(move)) for move in position.legal_moves())


LOAD_SECONDS = 10.0
MEGABYTES = 1024
CALLS = 6
"""Total time of all calls in one process, as a multiple of the time of one call."""
PAUSE = 0.5
"""Seconds before the first retry if the machine can't start a process; twice that before the second."""
_REPEATS = 2
_SEED = 0  # of the student's random numbers; public, so that nothing in the process leads to the grader's seed
_SHOWN = (True, False, None, "X", "O", ".")


class CallError(Exception):
    """A call without a usable answer. The message is for the student, ``detail`` for staff only.

    Once a student's code has seen hidden boards, its output may contain them, so only the detail quotes it.
    """

    def __init__(self, message: str, detail: str = "") -> None:
        super().__init__(visible(message))
        self.detail = visible(detail)


class Stopped(CallError):
    """A call that ended the process, by a timeout or by an exit."""


@dataclass(frozen=True)
class Submission:
    """A submitted file and its permissions."""

    snapshot: Snapshot
    policy: Policy
    seconds: float
    """Processor seconds per call."""

    @contextlib.contextmanager
    def at_work(self) -> Iterator[StudentSession]:
        """Start a fresh process with the file loaded; raises `Stopped` if it can't be."""
        process = self._loaded()
        try:
            yield StudentSession(process, self.seconds, {name for name, _ in self.snapshot.files})
        finally:
            process.close()

    def _loaded(self) -> Process:
        about = {"load": self.snapshot.entry, "functions": True, "seed": _SEED}
        reason = ""
        for attempt in range(_REPEATS + 1):
            time.sleep(PAUSE * attempt)
            try:
                process = launch(self.snapshot, self.policy, MEGABYTES)
                answer = process.ask(about, LOAD_SECONDS).message
            except Fault as fault:
                raise Stopped(f"Your file could not be loaded: {_in_words(fault, LOAD_SECONDS)}") from None
            except Disturbance as error:
                reason = str(error)
                continue
            if "ready" not in answer:
                process.close()
                raise Stopped(f"Your file could not be loaded: {answer.get('message')}{process.printed_text()}")
            return process
        raise HostFailure(f"the grader's machine failed ({reason}); run it again")


class StudentSession:
    """A loaded file."""

    def __init__(self, process: Process, seconds: float, files: set[str]) -> None:
        self.process = process
        self.seconds = seconds
        self.left = CALLS * seconds
        """Seconds left for all calls together."""
        self.files = files
        self.has_secrets = False
        """True once the file has seen hidden boards: its output must then not be shown to its author."""

    def kind(self) -> str:
        """Return `student_side.CS50`, the name of the kit's search, or an empty string."""
        return str(self._asked("the file", {"kind": True}, None)["answer"])

    def count_calls(self, name: str, given: Sequence[Any], counted: str) -> tuple[Any, int]:
        """Return a function's result, and how often it called another function of the file, counted outside."""
        calls = 0

        def serve(question: dict[str, Any]) -> dict[str, Any]:
            nonlocal calls
            if question != {"counted": counted}:
                raise ValueError("an invalid request")
            calls += 1
            return {}

        self.has_secrets = True
        message = {"call": name, "given": list(given), "method": None, "count": counted}
        return self._asked(name, message, serve)["answer"], calls

    def call(
        self,
        name: str,
        given: Sequence[Any] = (),
        *,
        game: ServedGame | None = None,
        position: Position | None = None,
        method: str | None = None,
        seconds: float | None = None,
    ) -> Any:
        """Call a function, or a method of a class. Raises `CallError` if it has no answer.

        With a game and a position the function gets the game object and the state before its arguments; without
        them the arguments are hidden boards. ``seconds`` is for a call that may take longer than others.
        """
        self.has_secrets |= game is None
        shown = f"{name}.{method}" if method else name
        message: dict[str, Any] = {"call": name, "given": list(given), "method": method}
        if game is not None and position is not None:
            message["about"] = game.about(position)
        return self._asked(shown, message, game.serve if game is not None else None, seconds)["answer"]

    def _asked(
        self, shown: str, message: dict[str, Any], serve: Serve | None, seconds: float | None = None
    ) -> dict[str, Any]:
        """Return the answer to a message. Raises `CallError` if there is no answer."""
        allowed = self.seconds if seconds is None else seconds
        try:
            reply, used, _ = self.process.ask(message, allowed, serve)
            self.left -= used
        except Fault as fault:
            words = _in_words(fault, allowed)
            raise self._trouble(Stopped, f"{shown} gave no answer: ", words, _CAUSES.get(fault.cause, words)) from None
        except Disturbance as error:
            raise HostFailure(f"the grader's machine failed ({error}); run it again") from None
        if self.left < 0:
            self.process.close()
            raise Stopped(f"{shown} gave no answer: all calls together took more than {CALLS * self.seconds:g} s.")
        if "missing" in reply:
            raise Stopped(f"Your file has no {message['call']}.")
        if "fault" in reply:
            kind, file, line = reply.get("kind"), reply.get("file"), reply.get("line")
            if kind == "NotImplementedError":
                raise Stopped(f"{shown} is not written yet.")
            known = kind if _is_exception(kind) else "an exception"
            where = f" (line {line:d} of {file})" if isinstance(line, int) and file in self.files else ""
            raise self._trouble(CallError, f"{shown} failed: ", str(reply.get("message")), f"{known}{where}.")
        if "answer" not in reply:
            raise self._trouble(CallError, f"{shown} returned ", f"{reply.get('odd')}.", "a value of another type.")
        return reply

    def _trouble(self, kind: type[CallError], head: str, message: str, public: str) -> CallError:
        """Return an error that quotes the file, in the detail for staff only if the file has seen hidden boards."""
        return kind(head + public, head + message) if self.has_secrets else kind(head + message)

    def wrong(self, name: str, value: Any, complaint: str) -> CallError:
        """Return an error about a value that a function of the file returned."""
        if _is_plain(value) or not self.has_secrets:
            return CallError(f"{name} returned {value!r}, {complaint}")
        detail = f"{name} returned {value!r}"
        return CallError(f"{name} returned {_kind_of(value)}, which is not shown, {complaint}", detail)


def _kind_of(value: Any) -> str:
    """Describe the type of a value without its content; tuples arrive as lists."""
    if not isinstance(value, list):
        return f"a {type(value).__name__}"
    kinds = {list: "lists or tuples", str: "strings", int: "numbers"}
    inside = {kinds.get(type(item), "other values") for item in value}
    return f"a list of {inside.pop() if len(inside) == 1 else 'different types'}"


def _is_exception(name: Any) -> bool:
    found = getattr(builtins, name, None) if isinstance(name, str) else None
    return isinstance(found, type) and issubclass(found, BaseException)


def _is_plain(value: Any) -> bool:
    """Return True for values too small to carry hidden boards: marks, moves and short lists of moves."""
    if isinstance(value, list):
        return len(value) <= 12 and all(isinstance(one, int) and abs(one) < 20 for one in value)
    return any(value is one or value == one for one in _SHOWN) or (isinstance(value, int) and abs(value) < 100)


def _in_words(fault: Fault, seconds: float) -> str:
    if fault.cause in ("out of time", "stalled"):
        return f"it took more than {seconds:g} s. Is there a loop or a recursion without end?"
    return f"{fault}"


_CAUSES = {
    "forbidden": "it did something that is not allowed.",
    "exited": "its process ended.",
    "out of memory": "it needed too much memory.",
}
"""Messages to the student about faults whose own message may quote the file."""
