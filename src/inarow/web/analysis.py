"""The truth of positions, found by the solver in a worker process."""

from __future__ import annotations

import time
from collections import OrderedDict
from collections.abc import Sequence
from typing import Any, Literal

from inarow.arena.executor import Channel
from inarow.arena.processes import stand_back
from inarow.kernels.rules import moves_to_end
from inarow.limits import Limit
from inarow.rules import CONNECT4, Game, Position, game
from inarow.solver import Oracle, Unsolved
from inarow.solver.analysis import Analysis, describe
from inarow.stopping import Stop
from inarow.truth import accuracy
from inarow.truth.explain import explain
from inarow.web.messages import MoveScore, PositionInfo, ReviewInfo, SolutionInfo

_oracles: OrderedDict[Game, Oracle] = OrderedDict()


def _oracle(board: Game) -> Oracle:
    found = _oracles.pop(board, None)
    _oracles[board] = found or Oracle(board)
    return _oracles[board]


def release() -> bool:
    """Give up the solver that was not used for longest; return False if there is none."""
    return bool(_oracles) and bool(_oracles.popitem(last=False))


def prepare() -> None:
    """Load the solver, in a new worker."""
    stand_back()
    _oracle(CONNECT4).score(Position.start(CONNECT4, (3, 3, 3, 3, 3, 3, 2, 2, 2, 2, 2, 2, 4, 4)))


def solve(
    channel: Channel, board: str, stones: tuple[int, int], moves: tuple[int, ...] | None, seconds: float, line: bool
) -> SolutionInfo:
    """What is proven within the time, as the page shows it; what is known on the way goes through the channel."""
    played = game(board)
    position = Position(played, *stones)

    def info(found: Analysis) -> SolutionInfo:
        low, high = found.bounds
        perfect = found.line or ()
        return SolutionInfo(
            position=PositionInfo.of(position, moves),
            solved=found.solved and all(one.solved for one in found.moves.values()),
            **_known(position, low, high),
            moves={move: MoveScore(**_known(position, one.low, one.high)) for move, one in found.moves.items()},
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
        if found.looking_for:  # the rest is the answer
            channel.say(info(found))

    return info(_oracle(played).analyse(position, Limit(seconds=seconds), stop=channel, line=line, on_progress=say))


def cells_of(position: Position, line: Sequence[int]) -> list[int]:
    """The cells that the moves of a line fill."""
    cells = []
    for move in line:
        cells.append(position.game.cell_bits.index(position.stone(move)))
        position = position.play(move)
    return cells


def _known(position: Position, low: int, high: int) -> dict[str, Any]:
    """What is proven of a score between two bounds."""
    solved = low == high
    return {
        "low": low,
        "high": high,
        "verdict": _verdict(low, high),
        "words": describe(position, low) if solved else "",
        "length": moves_to_end(position.game.layout, position.ply, low) if solved and low else None,
    }


def _verdict(low: int, high: int) -> Literal["win", "draw", "loss"] | None:
    if low > 0:
        return "win"
    if high < 0:
        return "loss"
    return "draw" if low == high == 0 else None


def review(stop: Stop, board: str, moves: tuple[int, ...], first: int, seconds: float) -> ReviewInfo:
    """Every move of a match against the truth, from the end back, as far as the time goes."""
    played = game(board)
    oracle = _oracle(played)
    until = time.perf_counter() + seconds

    def scores_of(position: Position) -> dict[int, int] | None:
        left = until - time.perf_counter()
        if left <= 0 or stop.is_set():
            return None
        try:
            return oracle.scores(position, Limit(seconds=left), stop=stop)
        except Unsolved:
            return None

    return ReviewInfo.model_validate(accuracy.review(played, moves, scores_of, first))
