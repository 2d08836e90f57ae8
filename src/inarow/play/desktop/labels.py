"""The evaluation in words and labels: for whom, how soon, and how much of it is proven."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from inarow.drawing.palette import Theme
from inarow.play.desktop.board import Note
from inarow.play.desktop.choices import YOU
from inarow.play.insight import PATIENCE, MoveBounds, final_score, moves_to_end, whole
from inarow.rules import Player, Position

_OUT, _IN = 0.12, 0.2  # seconds in which labels fade out and in


def verb(name: str, plural: str) -> str:
    """A name with its verb, given in the form that goes with You: "You win", "Medium wins"."""
    return f"{name} {plural}" if name == YOU else f"{name} {plural}s"


def notes(position: Position, truth: MoveBounds, theme: Theme) -> dict[int, Note]:
    """A label for each move: the stone of who wins after it and in how many moves, = for a draw, ? if not proven.

    None at all if nothing is proven of any move.
    """
    if not any(bounds.decided for bounds in truth.values()):
        return {}
    mover = position.to_move
    found = {}
    for move, (low, high) in truth.items():
        if low > 0 or high < 0:
            winner = mover if low > 0 else mover.other
            text = str(moves_to_end(position, low)) if low == high else ""
            found[move] = Note(text, theme.good if low > 0 else theme.bad, winner)
        else:
            found[move] = Note("=" if low == high else "?", theme.even)
    return found


def standing(position: Position, truth: MoveBounds, names: Sequence[str]) -> str:
    """How the match stands with best play, and for whom; what is proven of it if that is not known."""
    low, high = whole(truth)
    mover, other = names[position.to_move], names[position.to_move.other]
    if low > 0 or high < 0:
        number = f" in {moves_to_end(position, low)}" if low == high else ""
        return f"{verb(mover if low > 0 else other, 'win')}{number} with best play"
    if low == high:
        return "a draw with best play"
    known = ""
    if low == 0:
        known = f": {mover if mover != YOU else 'you'} can at least draw"
    elif high == 0:
        known = f": {other if other != YOU else 'you'} can at least draw"
    return f"not solved within {PATIENCE:g} seconds{known}"


class Fading:
    """Labels fade out when a stone is dropped, and in when it has come to rest."""

    def __init__(self) -> None:
        self._last: Mapping[int, Note] = {}
        self._left: float | None = None
        self._back = float("-inf")

    def leave(self, now: float) -> None:
        """A stone is on its way: the labels that are shown belong to the past."""
        self._left = self._back = now

    def settle(self) -> None:
        """Show labels at once: another position is shown, and nothing moves."""
        self._left, self._back = None, float("-inf")

    def moving(self, now: float) -> bool:
        """Whether labels are fading."""
        return now - self._back < _IN or (self._left is not None and now - self._left < _OUT)

    def at(self, now: float, falling: bool, current: Mapping[int, Note]) -> tuple[Mapping[int, Note], float]:
        """The labels to draw, and how much of them is seen."""
        if self._left is not None and now - self._left < _OUT:
            return self._last, 1 - (now - self._left) / _OUT
        self._left = None
        if falling:
            self._back = now
            return {}, 0.0
        self._last = current
        return current, max(0.0, min(1.0, (now - self._back) / _IN))


def share_of_first(position: Position, truth: MoveBounds | None) -> float | None:
    """How much of the bar is the first player's, from 0 to 1; None while that is not known."""
    outcome = position.outcome()
    if outcome is not None:
        return (1 + final_score(position, outcome)) / 2
    if not truth:
        return None
    low, high = whole(truth)
    if low != high and not (low > 0 or high < 0):
        return None
    score = low if low > 0 or low == high else high
    score = score if position.to_move is Player.FIRST else -score
    most = max(1, position.game.cells // 2)
    return 0.5 if score == 0 else 0.5 + (0.3 + 0.2 * min(1, abs(score) / most)) * (1 if score > 0 else -1)
