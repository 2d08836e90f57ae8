"""Repeated pairs. A pair in which no random number decided a move is a function of its opening: it is one observation,
however often it is played.

Whether inarow's own agents used random numbers is known. Where it is not (an agent from a file, a class of your own, a
limit in seconds), it is inferred: as long as every repeated opening gave the same moves again, the repeats are not
counted; once one of them differs, all later pairs count, even those that coincide.
"""

from __future__ import annotations

from collections.abc import Hashable, Iterable

ENOUGH = 5
"""Repeats with the same moves, and none with others, after which a pairing is taken to be deterministic."""


def used_up_text(count: str, more: str) -> str:
    """Say that further pairs would be repeats: ``count`` is how many are counted, ``more`` how to ask for others."""
    return (
        f"The openings are used up: {count} count, the others repeat earlier ones move by move. "
        f"Give more openings, such as {more}."
    )


def either(flags: Iterable[bool | int | None]) -> bool | None:
    """Return True if any flag is set, else None if any is unknown, else False."""
    seen = list(flags)
    return True if any(seen) else None if None in seen else False


class Repeats:
    """Tells which pairs of two agents are new observations, reading them in order."""

    def __init__(self) -> None:
        self._settled: set[Hashable] = set()
        self._moves: dict[Hashable, Hashable] = {}
        self._same = 0
        self._varied = False

    def is_settled(self, opening: Hashable) -> bool:
        """Return True if another pair from this opening would be a repeat."""
        return opening in self._settled or (self._same >= ENOUGH and not self._varied and opening in self._moves)

    @property
    def settled(self) -> int:
        """From how many openings another pair would be a repeat."""
        inferred = len(self._moves) if self._same >= ENOUGH and not self._varied else 0
        return len(self._settled) + inferred

    def is_new(self, opening: Hashable, stochastic: bool | None, moves: Hashable) -> bool:
        """Read the next pair, and return whether it is a new observation. ``moves`` are those of both matches."""
        if opening in self._settled:
            return False
        if stochastic is False:
            self._settled.add(opening)
            return True
        if stochastic or self._varied:
            return True
        if opening not in self._moves:
            self._moves[opening] = moves
            return True
        if self._moves[opening] == moves:
            self._same += 1
            return False
        self._varied = True
        return True
