"""The game object that a student's search is handed: it lives outside of the student's process, and counts there.

States are numbered in the order in which they are met, and the moves of each are shuffled by a seed that never enters
the student's process. So nothing can be found out about a position except by playing moves, and each one is counted.
"""

from __future__ import annotations

from collections.abc import Iterator
from functools import cache
from itertools import count
from typing import Any, NamedTuple

from inarow.randomness import Stream, derive
from inarow.rules import Position
from inarow.teaching.assignment.exercise import MARKS, value_of


class Node(NamedTuple):
    """A position that the other side knows by its number."""

    position: Position
    moves: tuple[int, ...]
    """The moves behind the numbers 0, 1, 2 …"""


class ServedGame:
    """A game behind numbers; ``plays`` counts the moves played on it.

    Games that are served to one process share ``numbers``, so that a state of one is never a state of another.
    """

    def __init__(self, seed: int, numbers: Iterator[int] | None = None) -> None:
        self.seed = seed
        self.numbers = count() if numbers is None else numbers
        self.plays = 0
        self.most: int | None = None
        """Maximum plays; None for no limit."""
        self.nodes: dict[int, Node] = {}
        self.states: dict[Position, int] = {}

    def about(self, position: Position) -> dict[str, Any]:
        """What is sent about a position."""
        if position not in self.states:
            moves = list(position.legal_moves())
            Stream(derive(self.seed, "moves", position.first, position.second)).shuffle(moves)
            self.states[position] = state = next(self.numbers)
            self.nodes[state] = Node(position, tuple(moves))
        state = self.states[position]
        return {
            "state": state,
            "moves": len(self.nodes[state].moves),
            "player": MARKS[position.to_move],
            "value": value_of(position),
        }

    def node(self, position: Position) -> Node:
        """A position as the other side sees it."""
        return self.nodes[self.about(position)["state"]]

    def serve(self, question: dict[str, Any]) -> dict[str, Any]:
        """Play a move: ``{"play": [state, move]}``. Raises ValueError for anything else."""
        match question:
            case {"play": [int() as state, int() as move]}:
                pass
            case _:
                raise ValueError("a question that nobody asks")
        node = self.nodes.get(state)
        if node is None:
            return {"error": f"game.play({state}, {move}): there is no such state"}
        if not 0 <= move < len(node.moves):
            moves = list(range(len(node.moves)))
            return {"error": f"game.play(state, {move}): the moves of this state are {moves}"}
        self.plays += 1
        if self.most is not None and self.plays > self.most:
            return {"error": f"game.play was called more than the {self.most:,} times that are allowed here"}
        return self.about(node.position.play(node.moves[move]))

    def alphabeta_nodes(self, position: Position) -> int:
        """Plays of a textbook's alpha–beta search from here, in the order of the moves as served."""
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
    """Return a lower bound on the plays that prove the value of a position for X, however clever the search is."""
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
