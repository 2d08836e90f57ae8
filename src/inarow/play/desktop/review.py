"""The evaluation in words and labels, and the review of a finished match's mistakes."""

from __future__ import annotations

from collections.abc import Sequence

from inarow.drawing.board import Theme
from inarow.formatting import counted
from inarow.kernels.rules import moves_to_end
from inarow.play.desktop.board import Note
from inarow.play.desktop.menu import YOU
from inarow.play.desktop.widgets import ListRow
from inarow.play.insight import PATIENCE, Blunder, Insight, MoveBounds, blunders, whole
from inarow.play.session import Session
from inarow.rules import Player, Position, format_move

_NAMED = 4  # better moves that are named at most


def verb(name: str, plural: str) -> str:
    """Return a name with its verb, given in the form that goes with You: "You win", "Medium wins"."""
    return f"{name} {plural}" if name == YOU else f"{name} {plural}s"


def notes(position: Position, truth: MoveBounds, theme: Theme) -> dict[int, Note]:
    """Return a label for each move: the winner's stone and the number of moves, = for a draw, ? if not proven.

    There are no labels at all if nothing is proven of any move.
    """
    if not any(bounds.decided for bounds in truth.values()):
        return {}
    own = position.to_move
    found = {}
    for move, (low, high) in truth.items():
        if low > 0 or high < 0:
            text = str(moves_to_end(position.game.layout, position.ply, low)) if low == high else ""
            found[move] = Note(text, theme.good if low > 0 else theme.bad, own if low > 0 else own.other)
        else:
            found[move] = Note("=" if low == high else "?", theme.even)
    return found


def standing(position: Position, truth: MoveBounds, names: Sequence[str]) -> str:
    """Describe who wins with best play, or what is proven of it."""
    low, high = whole(truth)
    own, opponent = names[position.to_move], names[position.to_move.other]
    if low > 0 or high < 0:
        count = moves_to_end(position.game.layout, position.ply, low) if low == high else 0
        number = f" in {counted(count, 'move', 'moves')}" if count else ""
        return f"{verb(own if low > 0 else opponent, 'win')}{number} with best play"
    if low == high:
        return "a draw with best play"
    safe = own if low == 0 else opponent if high == 0 else ""
    known = f": {'you' if safe == YOU else safe} can at least draw" if safe else ""
    return f"not solved within {PATIENCE:g} seconds{known}"


def share_of_first(position: Position, truth: MoveBounds | None) -> float | None:
    """Return the first player's share of the bar, from 0 to 1; None while it is not known."""
    outcome = position.outcome()
    if outcome is not None:
        return 0.5 if outcome.winner is None else float(outcome.winner is Player.FIRST)
    if not truth:
        return None
    low, high = whole(truth)
    if low != high and not (low > 0 or high < 0):
        return None
    score = low if low > 0 or low == high else high
    score = score if position.to_move is Player.FIRST else -score
    most = max(1, position.game.cells // 2)
    return 0.5 if score == 0 else 0.5 + (0.3 + 0.2 * min(1, abs(score) / most)) * (1 if score > 0 else -1)


class Review:
    """Steps through the mistakes of the match on the board."""

    def __init__(self, session: Session, insight: Insight | None) -> None:
        self._session = session
        self._insight = insight
        self._found: tuple[tuple[object, ...], list[Blunder]] = ((), [])
        self.on = False
        self._ply: int | None = None
        self._untouched = False
        self._paused = False

    @property
    def mistakes(self) -> list[Blunder]:
        """The mistakes known so far, if the match is over."""
        session, insight = self._session, self._insight
        if session.ending is None or insight is None:
            return []
        key = (insight.count, session.number, session.moves)
        if self._found[0] != key:
            moves = [one.move for one in session.played]
            self._found = key, blunders(session.setup.game, session.setup.opening, moves, insight.known)
        return self._found[1]

    @property
    def index(self) -> int | None:
        """The index of the mistake that is shown."""
        return next((at for at, one in enumerate(self.mistakes) if one.index == self._ply), None) if self.on else None

    @property
    def mistake(self) -> Blunder | None:
        """The mistake that is shown."""
        index = self.index
        return None if index is None else self.mistakes[index]

    def begin(self) -> None:
        """Open the list; the next match of a series waits."""
        self._paused = self._session.paused
        self._session.pause()
        self.on, self._ply, self._untouched = True, None, True

    def end(self) -> None:
        """Close the list."""
        if self.on:
            self.on, self._ply = False, None
            self._session.pause(self._paused)

    def update(self) -> None:
        """Show the first mistake once all are known, unless another one was chosen."""
        assert self._insight is not None
        if self.on and self._untouched and not self._insight.busy:
            self.look_at(0 if self.mistakes else None)

    def look_at(self, index: int | None) -> None:
        """Show one mistake, or the end of the match."""
        self._ply = None if index is None else self.mistakes[index].index
        self._untouched = False

    def step(self, by: int) -> None:
        """Go to the next or the previous mistake; beyond them is the end of the match."""
        count = len(self.mistakes)
        at = (count if by < 0 else -1) if self.index is None else self.index
        self.look_at(at + by if 0 <= at + by < count else None)

    def wanted(self) -> list[Position]:
        """Return the positions of the match that need to be judged, last first."""
        return self._session.positions[::-1]

    def rows(self, names: tuple[str, str]) -> list[ListRow]:
        """Return the mistakes as rows of a list."""
        return [ListRow(_described(one, names), player=one.position.to_move) for one in self.mistakes]

    def summary(self) -> str:
        """Return how many mistakes there are, as far as is known."""
        insight, count = self._insight, len(self.mistakes)
        assert insight is not None
        if insight.busy:
            return f"{count or 'no'} mistake{'' if count == 1 else 's'} so far …"
        if count:
            return f"{counted(count, 'mistake', 'mistakes')}: click one, or use the arrow keys"
        unsolved = sum(not _solved(insight, one) for one in self.wanted())
        if unsolved:
            return f"no mistake proven; {counted(unsolved, 'position is', 'positions are')} unsolved"
        return "no mistakes"


def _solved(insight: Insight, position: Position) -> bool:
    truth = insight.known(position)
    return position.outcome() is not None or (truth is not None and all(low == high for low, high in truth.values()))


def _described(mistake: Blunder, names: tuple[str, str]) -> str:
    """Describe a mistake: who gave up what, and which moves were better."""
    who, lost = names[mistake.position.to_move], "win" if mistake.before > 0 else "draw"
    words = [format_move(move) for move in mistake.best[:_NAMED]]
    more = len(mistake.best) > _NAMED
    better = f"{', '.join(words)} …" if more else " or ".join(filter(None, (", ".join(words[:-1]), words[-1])))
    return f"{mistake.position.ply + 1}. {who} gave up a {lost}: better {better}"
