"""Openings that are won for the side to move, so that a grade can say how often an agent gives the win away."""

from __future__ import annotations

from dataclasses import dataclass

from inarow.formatting import counted
from inarow.limits import NO_LIMIT, Limit
from inarow.match.openings import OpeningError, check_plies
from inarow.rules import FIRST, SECOND, Game, Player, Position
from inarow.solver import Oracle, Unsolved, Verdict
from inarow.solver.book import shipped_book

MOST_OPENINGS = 100_000
"""Of one number of plies; more take days to solve."""


@dataclass(frozen=True)
class WonOpenings:
    """All openings of ``plies`` plies that the side to move wins; ``unsolved`` were not solved within the limit."""

    seat: Player
    plies: int
    lines: tuple[tuple[int, ...], ...]
    unsolved: int = 0

    @property
    def title(self) -> str:
        """In words: the seat, how many, and of how many plies."""
        left_out = f", {self.unsolved} unsolved left out" if self.unsolved else ""
        plies = counted(self.plies, "ply", "plies")
        return f"as {self.seat.name.lower()} from {len(self.lines)} won openings of {plies}{left_out}"


def won_openings(game: Game, plies: int, limit: Limit = NO_LIMIT, oracle: Oracle | None = None) -> WonOpenings:
    """The openings of this many plies that the side to move wins, each position once; ``limit`` is for each."""
    check_plies(game, plies)
    oracle = oracle or Oracle(game)
    lines: dict[Position, tuple[int, ...]] = {Position.start(game): ()}
    for _ in range(plies):
        longer: dict[Position, tuple[int, ...]] = {}
        for position, line in lines.items():
            for move in position.legal_moves():
                child = position.play(move)
                if child.outcome() is None:
                    longer.setdefault(child, (*line, move))
        lines = longer
        if len(lines) > MOST_OPENINGS:
            raise OpeningError(f"{game} has more than {MOST_OPENINGS:,} openings of {plies} plies; give fewer plies")
    verdicts: dict[int, Verdict | None] = {}
    won, unsolved = [], 0
    for position, line in lines.items():
        least = min(image.key() for image in position.symmetries())
        if least not in verdicts:
            try:
                verdicts[least] = oracle.verdict(position, limit)
            except Unsolved:
                verdicts[least] = None
        unsolved += verdicts[least] is None
        if verdicts[least] is Verdict.WIN:
            won.append(line)
    return WonOpenings((FIRST, SECOND)[plies % 2], plies, tuple(won), unsolved)


def warning(game: Game) -> str:
    """A warning if the game's openings take long to solve: a large board without an opening book; else empty."""
    if shipped_book(game) is not None or game.cells <= 30:
        return ""
    return f"there is no opening book for {game}: solving each opening, and each match from it, takes minutes"
