"""How well the agents of a tournament played, move by move, by the exact solver: never by who won."""

from __future__ import annotations

from collections import Counter, defaultdict
from dataclasses import dataclass, field
from typing import Any

from inarow.arena.store import Run, Store
from inarow.limits import Limit
from inarow.rules import Game, Position, game
from inarow.solver import Oracle, Unsolved
from inarow.truth import Measure, measure_move

LIMIT = Limit(nodes=2_000_000)
"""Of the solver for one position: in nodes, so that results don't depend on the machine's speed."""


def usual_ply(board: Game) -> int:
    """From how many stones on positions are solved in milliseconds: 16 in Connect 4, 0 on small boards."""
    return max(0, board.cells - 26) if board.cells > 20 else 0


@dataclass
class Accuracy:
    """One agent's moves against the truth, of positions where it was known."""

    moves: int = 0
    perfect: int = 0
    kept: int = 0
    nontrivial: int = 0
    nontrivial_kept: int = 0
    unsolved: int = 0
    """Moves that were not measured: the position took too many nodes."""
    blunders: Counter[int] = field(default_factory=Counter)
    """Moves that gave away a win or a draw, by the stones on the board."""

    def add(self, measure: Measure) -> None:
        """Count one move."""
        self.moves += 1
        self.perfect += measure.perfect
        self.kept += measure.keeps_verdict
        self.nontrivial += not measure.trivial
        self.nontrivial_kept += measure.keeps_verdict and not measure.trivial
        if measure.blunder:
            self.blunders[measure.ply] += 1

    def to_json(self) -> dict[str, Any]:
        """Counts; blunders by ply."""
        counts = {name: getattr(self, name) for name in ("moves", "perfect", "kept", "nontrivial", "nontrivial_kept")}
        return {
            **counts,
            "unsolved": self.unsolved,
            "blunders": {str(ply): n for ply, n in sorted(self.blunders.items())},
        }


def measure_run(store: Store, run: Run, from_ply: int | None = None) -> dict[str, Accuracy]:
    """Each agent's accuracy over all its moves in positions with at least so many stones.

    Records are read in the order of their ids, whenever they were played: the same records give the same measures.
    """
    board = game(run.config["game"])
    least = usual_ply(board) if from_ply is None else from_ply
    oracle = Oracle(board)
    known: dict[int, dict[int, int] | None] = {}
    found: dict[str, Accuracy] = defaultdict(Accuracy)
    for _, _, record in store.records(run):
        agents = (record.first, record.second)
        position = Position.start(board, record.opening)
        for move in record.moves:
            if position.ply >= least:
                scores = _scores(oracle, position, known)
                if scores is None:
                    found[agents[position.to_move]].unsolved += 1
                else:
                    measure = measure_move(position, move, scores, agents[position.to_move])
                    found[measure.agent].add(measure)
            position = position.play(move)
    return {agent["spec"]: found[agent["spec"]] for agent in run.config["agents"]}


def _scores(oracle: Oracle, position: Position, known: dict[int, dict[int, int] | None]) -> dict[int, int] | None:
    key = position.key()
    if key not in known:
        try:
            known[key] = dict(oracle.scores(position, LIMIT))
        except Unsolved:
            oracle.forget()
            known[key] = None
    return known[key]
