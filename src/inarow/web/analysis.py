"""Exact analysis of positions and matches, by the solver in a worker process."""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Sequence
from typing import Literal

from inarow.arena.executor import Channel
from inarow.arena.processes import stand_back
from inarow.kernels.rules import moves_to_end
from inarow.limits import Limit
from inarow.play.insight import review_match
from inarow.rules import CONNECT4, Game, Position, game
from inarow.solver import Oracle
from inarow.solver.analysis import Analysis, describe
from inarow.stopping import Stop
from inarow.truth.explain import explain
from inarow.web.messages import Message, PositionInfo


class MoveScore(Message):
    """The proven bounds of a score; ``low`` and ``high`` are equal once it is solved."""

    low: int
    high: int
    verdict: Literal["win", "draw", "loss"] | None
    words: str
    """The score in words; empty while unknown."""
    length: int | None
    """Moves of the winner until it wins; None for a draw and while unknown."""

    @staticmethod
    def of(position: Position, low: int, high: int) -> MoveScore:
        """Describe the bounds of a score."""
        solved = low == high
        return MoveScore(
            low=low,
            high=high,
            verdict="win" if low > 0 else "loss" if high < 0 else "draw" if solved else None,
            words=describe(position, low) if solved else "",
            length=moves_to_end(position.game.layout, position.ply, low) if solved and low else None,
        )


class SolutionInfo(MoveScore):
    """The exact score of a position and of its moves, for the side to move, as far as it is proven."""

    position: PositionInfo
    solved: bool
    moves: dict[int, MoveScore]
    best: list[int]
    line: list[int]
    line_cells: list[int]
    """The cells filled by the moves of the line."""
    nodes: int
    seconds: float
    seconds_left: float
    """Remaining time for this answer."""
    looking_for: str
    """The next result of an unfinished analysis: ``score``, ``moves`` or ``line``; empty at the end."""
    why: str
    """An explanation, if there is one: a threat, its row, zugzwang."""


class ReviewMove(Message):
    """One graded move of a match. Scores are for the side that moved."""

    index: int
    player: int
    move: int
    solved: bool
    score: int | None
    best_score: int | None
    best: list[int]
    mistake: bool
    """True if it gave away a win or a draw."""
    words: str


class ReviewInfo(Message):
    """The graded moves of a match."""

    moves: list[ReviewMove]
    accuracy: list[float | None]
    """For each player, the share of graded moves that kept the verdict."""
    complete: bool


_oracles: OrderedDict[Game, Oracle] = OrderedDict()


def _oracle(board: Game) -> Oracle:
    found = _oracles.pop(board, None)
    _oracles[board] = found or Oracle(board)
    return _oracles[board]


def release() -> bool:
    """Close the least recently used solver; return False if no solver is open."""
    return bool(_oracles) and bool(_oracles.popitem(last=False))


def prepare() -> None:
    """Load the solver, in a new worker."""
    stand_back()
    _oracle(CONNECT4).score(Position.start(CONNECT4, (3, 3, 3, 3, 3, 3, 2, 2, 2, 2, 2, 2, 4, 4)))


def solve(
    channel: Channel, board: str, stones: tuple[int, int], moves: tuple[int, ...] | None, seconds: float, line: bool
) -> SolutionInfo:
    """Solve a position within a time limit; send intermediate results through the channel."""
    played = game(board)
    position = Position(played, *stones)

    def info(found: Analysis) -> SolutionInfo:
        low, high = found.bounds
        perfect = found.line or ()
        return SolutionInfo(
            position=PositionInfo.of(position, moves),
            solved=found.solved and all(one.solved for one in found.moves.values()),
            **MoveScore.of(position, low, high).model_dump(),
            moves={move: MoveScore.of(position, one.low, one.high) for move, one in found.moves.items()},
            best=[move for move, one in found.moves.items() if low == high == one.low],
            line=list(perfect),
            line_cells=cells_of(position, perfect),
            nodes=found.nodes,
            seconds=found.seconds,
            seconds_left=max(0.0, seconds - found.seconds),
            looking_for=found.looking_for,
            why=explain(position, perfect),
        )

    def say(found: Analysis) -> None:
        if found.looking_for:  # the last one is the answer
            channel.send(info(found))

    return info(_oracle(played).analyse(position, Limit(seconds=seconds), stop=channel, line=line, on_progress=say))


def cells_of(position: Position, line: Sequence[int]) -> list[int]:
    """Return the cells filled by the moves of a line."""
    cells = []
    for move in line:
        cells.append(position.game.cell_bits.index(position.stone(move)))
        position = position.play(move)
    return cells


def review(stop: Stop, board: str, moves: tuple[int, ...], first: int, seconds: float) -> ReviewInfo:
    """Grade the moves of a match by exact scores, from the end back, within a time limit."""
    return ReviewInfo.model_validate(review_match(_oracle(game(board)), moves, seconds, first, stop))
