"""The mistakes of a finished match: which there are, which one is shown, and how they are described."""

from __future__ import annotations

from inarow.formatting import counted
from inarow.play.desktop.lists import Row
from inarow.play.insight import Blunder, Insight, blunders
from inarow.play.session import Session
from inarow.rules import Position, format_move

_NAMED = 4  # better moves that are named at most


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
        """Those known so far, if the match is over."""
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
        """The number of the mistake that is looked at, from 0."""
        return next((at for at, one in enumerate(self.mistakes) if one.index == self._ply), None) if self.on else None

    @property
    def mistake(self) -> Blunder | None:
        """The mistake that is looked at."""
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
        """Look at the first mistake once all are known, unless another one was chosen."""
        assert self._insight is not None
        if self.on and self._untouched and not self._insight.busy:
            self.look_at(0 if self.mistakes else None)

    def look_at(self, index: int | None) -> None:
        """Look at one mistake, or at the end of the match."""
        self._ply = None if index is None else self.mistakes[index].index
        self._untouched = False

    def step(self, by: int) -> None:
        """Go to the next or the previous mistake; beyond them is the end of the match."""
        count = len(self.mistakes)
        at = (count if by < 0 else -1) if self.index is None else self.index
        self.look_at(at + by if 0 <= at + by < count else None)

    def wanted(self) -> list[Position]:
        """The positions of the match that are to be judged, from the end back."""
        position = Position.start(self._session.setup.game, self._session.setup.opening)
        positions = [position]
        for one in self._session.played:
            position = position.play(one.move)
            positions.append(position)
        return positions[::-1]

    def rows(self, names: tuple[str, str]) -> list[Row]:
        """The mistakes as lines of a list."""
        return [Row(_told(one, names), player=one.position.to_move) for one in self.mistakes]

    def summary(self) -> str:
        """How many mistakes there are, as far as is known."""
        insight, count = self._insight, len(self.mistakes)
        assert insight is not None
        if insight.busy:
            return f"{count or 'no'} mistake{'' if count == 1 else 's'} so far …"
        if count:
            return f"{count} mistake{'' if count == 1 else 's'}: click one, or use the arrow keys"
        open_ones = sum(not _solved(insight, one) for one in self.wanted())
        return (
            f"no mistake proven; {counted(open_ones, 'position is', 'positions are')} unsolved"
            if open_ones
            else "no mistakes"
        )


def _solved(insight: Insight, position: Position) -> bool:
    truth = insight.known(position)
    return position.outcome() is not None or (truth is not None and all(low == high for low, high in truth.values()))


def _told(mistake: Blunder, names: tuple[str, str]) -> str:
    """A mistake in words: who gave up what, and which moves were better."""
    who = names[mistake.position.to_move]
    lost = "win" if mistake.before > 0 else "draw"
    number = mistake.position.ply + 1
    return f"{number}. {who} gave up a {lost}: better {_better(mistake.best)}"


def _better(moves: tuple[int, ...]) -> str:
    words = [format_move(move) for move in moves[:_NAMED]]
    if len(moves) > _NAMED:
        return f"{', '.join(words)} …"
    return words[0] if len(words) == 1 else f"{', '.join(words[:-1])} or {words[-1]}"
