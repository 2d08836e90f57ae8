"""The game object that a student's search is handed: it lives outside of the student's process, and counts there.

A state is a number without meaning, the same for the same position, and its moves are numbered in an order of the
grader's own. So nothing can be found out about a position but by playing moves, and each one is counted.
"""

from __future__ import annotations

from typing import Any, NamedTuple

from inarow.assignment.exercise import MARKS, value_of
from inarow.randomness import Stream, derive
from inarow.rules import Position


class Node(NamedTuple):
    """A position that the other side knows by its number."""

    position: Position
    moves: tuple[int, ...]
    """The moves behind the numbers 0, 1, 2 …"""


class ServedGame:
    """A game behind numbers; ``plays`` counts the moves played on it."""

    def __init__(self, seed: int, most: int | None = None) -> None:
        self.seed = seed
        self.plays = 0
        self.most = most
        """Plays that are allowed; None for any number."""
        self.nodes: dict[int, Node] = {}

    def about(self, position: Position) -> dict[str, Any]:
        """What is sent about a position."""
        state = derive(self.seed, "state", position.first, position.second) >> 10
        if state not in self.nodes:
            moves = list(position.legal_moves())
            Stream(derive(self.seed, "moves", state)).shuffle(moves)
            self.nodes[state] = Node(position, tuple(moves))
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

    def minimax_nodes(self, position: Position) -> int:
        """Plays of a plain minimax search from here."""
        return sum(1 + self.minimax_nodes(position.play(move)) for move in position.legal_moves())

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
