"""The student's side of grading, inside the student's process. The grader trusts nothing here."""

from __future__ import annotations

import operator
from pathlib import Path
from typing import Any

from inarow.agents.external.loading import is_cs50, kit_search, run_file, shown
from inarow.agents.external.wire import Ask, Message
from inarow.rules import IllegalMove, as_move

CS50 = "cs50"
"""The kind of a file with CS50's functions; that of a kit's file is the name of its search."""
_MAX_ITEMS = 64


class StudentGame:
    """The game object as a student sees it; it asks the grader for states that it does not know."""

    def __init__(self, ask: Ask) -> None:
        self._ask = ask
        self._known: dict[int, Message] = {}

    def meet(self, about: Message) -> int:
        """Store the facts about a state; return the state."""
        state = int(about["state"])
        self._known[state] = about
        return state

    def _of(self, state: Any) -> Message:
        if state not in self._known:
            raise ValueError(f"{state!r:.40} is not a state of this game; use those that game.play returns")
        return self._known[state]

    def moves(self, state: Any) -> list[int]:
        """Return the legal moves; none at the end."""
        return list(range(self._of(state)["moves"]))

    def play(self, state: Any, move: Any) -> int:
        """Return the state after a move. Raises `IllegalMove`, a ValueError, as `KitGame` does."""
        self._of(state)
        try:
            number = as_move(move)
        except TypeError:
            raise IllegalMove(f"{move!r:.40} is not a move; use those of game.moves") from None
        reply = self._ask({"play": [state, number]})
        if "illegal" in reply:
            raise IllegalMove(reply["illegal"])
        if "error" in reply:
            raise ValueError(reply["error"])
        return self.meet(reply)

    def player(self, state: Any) -> str:
        """Return who is to move."""
        return str(self._of(state)["player"])

    def over(self, state: Any) -> bool:
        """Return True if the game has ended."""
        return self._of(state)["value"] is not None

    def value(self, state: Any) -> int:
        """Return 1 if X has won, −1 if O has won, 0 for a draw."""
        value = self._of(state)["value"]
        if value is None:
            raise ValueError("game.value was called before the end of the game; check game.over first")
        return int(value)


def answers(path: Path, about: Message, ask: Ask) -> tuple[Ask, str]:
    """Run the file; return the function that answers calls, and its description."""
    scope = run_file(path, about["seed"])
    game = StudentGame(ask)
    learners: list[Any] = []

    def answer(message: Message) -> Message:
        if "kind" in message:
            return {"answer": CS50 if is_cs50(scope) else kit_search(scope)}
        name, given = message["call"], message["given"]
        if name not in scope:
            return {"missing": name}
        if "count" in message:
            _count(scope, message["count"], ask)
        arguments = [game, game.meet(message["about"]), *given] if "about" in message else given
        method = message.get("method")
        if method is None:
            return _sent(scope[name](*arguments))
        if not learners:
            learners.append(scope[name]())
        return _sent(getattr(learners[0], method)(*arguments))

    return answer, "the functions of an assignment"


def _count(scope: dict[str, Any], name: str, ask: Ask) -> None:
    """Report every call of one of the file's functions to the grader, which counts them."""
    own = scope[name]
    if getattr(own, "counted", False):
        return

    def counted(*arguments: Any, **named: Any) -> Any:
        ask({"counted": name})
        return own(*arguments, **named)

    counted.counted = True  # type: ignore[attr-defined]
    scope[name] = counted


def _sent(value: Any) -> Message:
    try:
        return {"answer": _plain(value)}
    except (TypeError, ValueError, OverflowError):
        return {"odd": shown(value)}


def _plain(value: Any) -> Any:
    """Convert a value for JSON. Raises TypeError or ValueError if it contains anything but simple values."""
    if value is None or isinstance(value, bool):
        return value
    if isinstance(value, str):
        return value[:40]
    if isinstance(value, float):
        if value != int(value):
            raise ValueError
        return int(value)
    if isinstance(value, list | tuple | set | frozenset):
        items = list(value)
        if len(items) > _MAX_ITEMS:
            raise ValueError
        return [_plain(item) for item in items]
    number = operator.index(value)
    if abs(number) > 1 << 53:
        raise ValueError
    return number
