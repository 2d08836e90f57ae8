"""Exact scores for other programs: `GET /solve?pos=4453` answers as the well-known Connect 4 solver service does."""

from __future__ import annotations

import functools
import re
from collections import OrderedDict

from fastapi import APIRouter, Request

from inarow.arena.executor import Channel
from inarow.errors import HostFailure
from inarow.limits import Limit
from inarow.rules import CONNECT4, Position
from inarow.rules.notation import parse_moves
from inarow.solver import Oracle
from inarow.solver.engine import table_mb
from inarow.web.messages import Message
from inarow.web.security import Refused
from inarow.web.workers import answer_of

FULL = 100
"""The score of a column without room."""
KEPT = 20_000
"""Number of positions whose scores are remembered."""

router = APIRouter()
_known: OrderedDict[tuple[int, int], list[int]] = OrderedDict()


class ScoresInfo(Message):
    """The score of each of the seven columns for the player who moves there; 100 for a full column."""

    pos: str
    score: list[int]


@router.get("/solve")
async def solve(http: Request, pos: str = "") -> ScoresInfo:
    """Get the exact score of every move of Connect 4. ``pos`` is the moves so far, columns from 1 to 7."""
    if not re.fullmatch("[1-7]{0,42}", pos):
        raise Refused("pos has the columns of the moves so far, digits from 1 to 7, such as pos=4453")
    position = Position.start(CONNECT4, parse_moves(CONNECT4, pos))
    if position.outcome() is not None:
        raise Refused(f"there is nothing to solve: {position.result_text()}")
    key = position.first, position.second
    if key not in _known:
        server = http.app.state.server
        seconds = server.settings.analysis_seconds
        _known[key] = await answer_of(
            http, server.analysts, scores, key, seconds, seconds=seconds + 1, memory_mb=table_mb(CONNECT4)
        )
        while len(_known) > KEPT:
            _known.popitem(last=False)
    _known.move_to_end(key)
    return ScoresInfo(pos=pos, score=_known[key])


def scores(channel: Channel, stones: tuple[int, int], seconds: float) -> list[int]:
    """Return the score of each column, in a worker."""
    position = Position(CONNECT4, *stones)
    solution = _oracle().analyse(position, Limit(seconds=seconds), stop=channel)
    if not all(one.solved for one in solution.moves.values()):
        raise HostFailure(f"not solved within {seconds:g} s")
    return [solution.moves[column].low if column in solution.moves else FULL for column in range(CONNECT4.columns)]


@functools.cache
def _oracle() -> Oracle:
    return Oracle(CONNECT4)
