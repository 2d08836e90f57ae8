"""The API of agents that the page can't run itself, and of the scores that other programs ask for."""

from __future__ import annotations

import asyncio
import re
from collections import OrderedDict
from typing import Annotated

from fastapi import APIRouter, Path, Request
from pydantic import Field

from inarow import __version__
from inarow.agents import agent
from inarow.agents.registry import agent_class, agent_names
from inarow.formatting import say
from inarow.limits import NO_LIMIT, Limit
from inarow.play.setup import label_of, lineups
from inarow.rules import CONNECT4, Position, game
from inarow.rules.notation import parse_moves
from inarow.solver.engine import table_mb
from inarow.web.data import AGENTS, AgentInfo, LineupInfo, lineup_infos
from inarow.web.deciding import decide as decide_task
from inarow.web.deciding import scores
from inarow.web.messages import PROBLEMS, Message, Moves, Name, Spec
from inarow.web.security import Refused, agent_for, client_of

SOLVE_SECONDS = 20.0
KEPT = 20_000
"""Number of positions whose scores are remembered."""


class StatusInfo(Message):
    """The version and state of the server."""

    version: str
    matches: int
    """Number of shared matches."""


class AgentRequest(Message):
    """Ask whether an agent can play a game here."""

    game: Name
    agent: Spec


class ServedInfo(Message):
    """An agent of the server: its complete spec, and its name in the menus."""

    spec: str
    label: str


class DecideRequest(AgentRequest):
    """Ask an agent for a move."""

    moves: Moves = Field(default=[])
    limit: Limit = NO_LIMIT
    """Capped by the server's limit."""
    match: Annotated[str, Field(max_length=40)] = ""
    """With the same id the agent keeps its table or tree between moves; without one it begins anew."""
    seed: Annotated[int, Field(ge=0, le=2**53)] = 0
    """The seed of the match."""


class DecisionInfo(Message):
    """A decision. Values are for the side to move, in [-1, 1]."""

    move: int
    value: float | None
    values: dict[int, float]
    by_move: dict[str, dict[int, float]]
    nodes: int
    depth: int | None
    line: list[int]
    seconds: float
    why: str = ""
    note: str = ""


class ScoresInfo(Message):
    """The score of each of the seven columns for the player who moves there; 100 for a full column."""

    pos: str
    score: list[int]


router = APIRouter(responses=PROBLEMS)


@router.get("/status")
async def status(http: Request) -> StatusInfo:
    """Get the state of the server."""
    return StatusInfo(version=__version__, matches=len(http.app.state.server.relays))


@router.get("/agents")
def agents(request: Request) -> list[AgentInfo]:
    """List the agents that exist only in Python, with the parameters that a client may set."""
    files = request.app.state.settings.agents
    installed = [AgentInfo.of(agent_class(name)) for name in agent_names() if name not in AGENTS]
    return installed + [AgentInfo(spec, agent(spec).summary) for spec in files]


@router.get("/games/{name}/lineups")
def game_lineups(name: Annotated[str, Path(max_length=40)]) -> list[LineupInfo]:
    """List the opponents and modes for a game that the page does not know: those of plugins."""
    return lineup_infos(game(name), lineups()[1:])


@router.post("/agent")
def served_agent(request: AgentRequest, http: Request) -> ServedInfo:
    """Check that an agent can play a game here."""
    board = game(request.game)
    chosen = agent_for(board, request.agent, http.app.state.settings)
    return ServedInfo(spec=chosen.spec, label=label_of(chosen.spec, board) or chosen.label)


@router.post("/decide")
async def decide(request: DecideRequest, http: Request) -> DecisionInfo:
    """Ask an agent for its move."""
    server = http.app.state.server
    position = Position.start(game(request.game), request.moves)
    chosen = await asyncio.to_thread(agent_for, position.game, request.agent, http.app.state.settings)
    if position.outcome() is not None:
        raise Refused(say("nothing_to", "decide", result=position.result_text()))
    limit = request.limit.tightened(Limit(seconds=http.app.state.settings.decision_seconds))
    match = request.match and f"{client_of(http.scope)} {request.match}"
    stones = (position.first, position.second)
    decision = await server.deciding.answer(
        http, decide_task, chosen.spec, position.game.name, stones, limit, match, request.seed,
        seconds=limit.seconds, memory_mb=chosen.memory_mb(position.game), match=match,
    )  # fmt: skip
    return DecisionInfo.model_validate(decision)


open_router = APIRouter(responses=PROBLEMS)
"""What pages of other sites may ask."""
_known: OrderedDict[tuple[int, int], list[int]] = OrderedDict()


@open_router.get("/solve")
async def solve(http: Request, pos: str = "") -> ScoresInfo:
    """Get the exact score of every move of Connect 4. ``pos`` is the moves so far, columns from 1 to 7."""
    if not re.fullmatch("[1-7]{0,42}", pos):
        raise Refused("pos has the columns of the moves so far, digits from 1 to 7, such as pos=4453")
    position = Position.start(CONNECT4, parse_moves(CONNECT4, pos))
    if position.outcome() is not None:
        raise Refused(say("nothing_to", "solve", result=position.result_text()))
    key = position.first, position.second
    if key not in _known:
        memory = table_mb(CONNECT4)
        _known[key] = await http.app.state.server.deciding.answer(
            http, scores, key, SOLVE_SECONDS, seconds=SOLVE_SECONDS + 1, memory_mb=memory
        )
        while len(_known) > KEPT:
            _known.popitem(last=False)
    _known.move_to_end(key)
    return ScoresInfo(pos=pos, score=_known[key])
