"""Grades a Connect 4 player by bitbully, a solver that is not inarow's, with its book of all positions of 12 plies."""

from __future__ import annotations

import random
import statistics
from collections.abc import Callable

from inarow.rules import CONNECT4, Player, Position
from inarow.truth import truth_set

Decide = Callable[[Position], int]


def sign(score: int) -> int:
    """The verdict of a score."""
    return (score > 0) - (score < 0)


class Referee:
    """Plays perfectly, and knows what perfect play is worth. All positions it is asked about are remembered."""

    def __init__(self, seed: int = 1) -> None:
        import bitbully

        self.board = bitbully.Board
        self.solver = bitbully.BitBully("12-ply-dist")
        self.known: dict[int, dict[int, int]] = {}
        self.random = random.Random(seed)
        self.openings: dict[str, tuple[Player, list[list[int]]]] = {
            "first, empty board": (Player.FIRST, [[]]),
            "first, won two-ply openings": (Player.FIRST, self._won(2)),
            "second, lost first moves": (Player.SECOND, self._won(1)),
            "second, won three-ply openings": (Player.SECOND, self._won(3)),
        }

    def scores(self, moves: list[int]) -> dict[int, int]:
        """The score of every move after these."""
        key = Position.start(CONNECT4, moves).key()
        if key not in self.known:
            self.known[key] = dict(self.solver.score_all_moves(self.board(list(moves))))
        return self.known[key]

    def _won(self, plies: int) -> list[list[int]]:
        """All positions of this number of plies, by one line of play each, that the side to move wins."""
        lines: dict[int, list[int]] = {Position.start(CONNECT4).key(): []}
        for _ in range(plies):
            longer = [[*line, move] for line in lines.values() for move in range(7)]
            lines = {Position.start(CONNECT4, line).key(): line for line in longer}
        return [line for line in lines.values() if max(self.scores(line).values()) > 0]

    def play(self, decide: Decide, seat: Player, opening: list[int], longest: bool) -> float:
        """One game against perfect play that is random among moves of equal verdict or (``longest``) of equal score."""
        position, moves = Position.start(CONNECT4, opening), list(opening)
        while (outcome := position.outcome()) is None:
            if position.to_move is seat:
                move = decide(position)
            else:
                worth = self.scores(moves)
                if not longest:
                    worth = {move: sign(score) for move, score in worth.items()}
                best = max(worth.values())
                move = self.random.choice(sorted(move for move in worth if worth[move] == best))
            moves.append(move)
            position = position.play(move)
        return outcome.score(seat)

    def grade(self, decide: Decide, games: int = 200) -> dict[str, float]:
        """Success (wins and half the draws) against perfect play, about ``games`` a figure and each opening at least
        once, and the share of the truth set's positions with a choice in which the move keeps the verdict."""
        found = {}
        for longest, name in ((False, "random-perfect"), (True, "longest resistance")):
            for where, (seat, openings) in self.openings.items():
                each = max(1, games // len(openings))
                results = [self.play(decide, seat, opening, longest) for opening in openings for _ in range(each)]
                found[f"{where}: {name}"] = statistics.mean(results)
        kept = []
        for one in truth_set():
            if not one.trivial:
                best = max(map(sign, one.scores.values()))
                kept.append(sign(one.scores[decide(one.position)]) == best)
        found["keeps the verdict on the truth set"] = statistics.mean(kept)
        return found
