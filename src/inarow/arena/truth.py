"""The accuracy of a tournament's agents, move by move, by the exact solver: never by who won."""

from __future__ import annotations

from inarow.arena.store import Run, Store
from inarow.limits import Limit
from inarow.rules import Game, game
from inarow.truth import Accuracy, SolvedPositions, count_by

LIMIT = Limit(nodes=2_000_000)
"""For the solver in one position: in nodes, so that results don't depend on the machine's speed."""


def usual_ply(board: Game) -> int:
    """The ply from which positions are solved in milliseconds: 16 in Connect 4, 0 on small boards."""
    return max(0, board.cells - 26) if board.cells > 20 else 0


def grade_run(store: Store, run: Run, from_ply: int | None = None) -> dict[str, Accuracy]:
    """Each agent's accuracy over all its moves in positions with at least ``from_ply`` stones.

    Records are read in the order of their ids, so the same records always give the same accuracy.
    """
    board = game(run.config["game"])
    least = usual_ply(board) if from_ply is None else from_ply
    solved = SolvedPositions(board, LIMIT)
    found = count_by(graded for _, _, record in store.records(run) for graded in solved.grade_record(record, least))
    return {agent["spec"]: found.get(agent["spec"], Accuracy()) for agent in run.config["agents"]}
