"""The API: games, agents, positions, decisions, the truth, and sessions."""

from __future__ import annotations

import asyncio
import contextlib
from typing import Annotated, Any

from fastapi import APIRouter, HTTPException, Path, Request, Response, WebSocket, WebSocketDisconnect
from fastapi.responses import HTMLResponse, PlainTextResponse

from inarow import __version__
from inarow.agents.parameters import Choice, Kind, Number, Switch
from inarow.agents.registry import agent_classes
from inarow.match.files import parse_records, record_text
from inarow.play.levels import LEVELS
from inarow.rules import CONNECT4, TICTACTOE, game
from inarow.web import analysis
from inarow.web.checks import Refused, allowed_agent, game_info, position_info, read_limit, read_position
from inarow.web.live import Live
from inarow.web.match_page import page_of
from inarow.web.messages import (
    AgentInfo,
    DecideRequest,
    DecisionInfo,
    GameInfo,
    LevelInfo,
    MoveRequest,
    PaceRequest,
    PageRequest,
    ParameterInfo,
    PositionInfo,
    PositionRequest,
    Problem,
    RecordInfo,
    RecordsRequest,
    ReviewInfo,
    ReviewRequest,
    SessionInfo,
    SessionRequest,
    SolutionInfo,
    SolveRequest,
    StatusInfo,
)
from inarow.web.pool import Ticket
from inarow.web.remote import decide as decide_task

_PROBLEMS: dict[int | str, dict[str, Any]] = {
    status: {"model": Problem, "description": text}
    for status, text in (
        (401, "the token is missing"),
        (403, "a page of another site asked"),
        (404, "no such session: it may have expired"),
        (409, "not possible at this moment"),
        (413, "the request is too large"),
        (421, "the server was called by a name that is not its own"),
        (422, "the request is wrong; the detail says how"),
        (429, "too many requests"),
        (503, "a worker failed; try again"),
    )
}
router = APIRouter(responses=_PROBLEMS)

SessionId = Annotated[str, Path(min_length=10, max_length=40, pattern=r"^[A-Za-z0-9_-]+$")]


@router.get("/status")
async def status(http: Request) -> StatusInfo:
    """Whether the server can think yet: on a new machine it compiles its kernels first."""
    server = http.app.state.server
    return StatusInfo(version=__version__, ready=server.ready.is_set(), sessions=len(server.sessions))


@router.get("/games")
async def games() -> list[GameInfo]:
    """The named games; others are written as COLUMNSxROWSxK, with -free where stones don't fall."""
    return [game_info(CONNECT4), game_info(TICTACTOE)]


@router.get("/games/{name}")
async def one_game(name: Annotated[str, Path(max_length=40)]) -> GameInfo:
    """The rules of one game."""
    return game_info(game(name))


@router.get("/agents")
def agents(request: Request) -> list[AgentInfo]:
    """The agents that can be chosen, with their parameters."""
    listed = [
        AgentInfo(
            name=kind.name,
            summary=kind.summary,
            parameters=[_parameter(p) for p in kind.parameters() if not p.hidden],
        )
        for kind in agent_classes()
    ]
    files = request.app.state.server.settings.agents
    return listed + [AgentInfo(name=spec, summary="an agent in a file", parameters=[]) for spec in files]


@router.get("/games/{name}/levels")
def levels(name: Annotated[str, Path(max_length=40)]) -> list[LevelInfo]:
    """Opponents by name, for this game."""
    board = game(name)
    found = [(level.label, level.agent(board)) for level in LEVELS]
    return [LevelInfo(label=label, spec=one.spec) for label, one in found if one is not None]


@router.post("/position")
async def position(request: PositionRequest) -> PositionInfo:
    """A position by its moves, a text of moves, or rows of stones."""
    return position_info(*read_position(request))


@router.post("/decide")
async def decide(request: DecideRequest, http: Request) -> DecisionInfo:
    """What an agent would play."""
    server = http.app.state.server
    found, _ = read_position(request)
    one = allowed_agent(request.agent, server.settings)
    one.check(found.game)
    if found.outcome() is not None:
        raise Refused(f"the game is over ({found.result_text()}); there is nothing to decide")
    limit = read_limit(request.limit)
    seconds = min(limit.seconds or server.settings.decision_seconds, server.settings.decision_seconds)
    bounded = type(limit)(limit.depth, limit.nodes, limit.simulations, seconds)
    stones = (found.first, found.second)
    ticket = server.players.submit(decide_task, one.spec, found.game.name, stones, bounded, 0, seconds=seconds)
    decision = await _answer(ticket, http)
    return DecisionInfo(
        move=decision.move,
        value=decision.value,
        values=dict(decision.values),
        by_move={name: dict(values) for name, values in decision.by_move.items()},
        nodes=decision.nodes,
        depth=decision.depth,
        line=list(decision.line),
        seconds=decision.seconds,
    )


@router.post("/solve")
async def solve(request: SolveRequest, http: Request) -> SolutionInfo:
    """The exact score of a position and of every move, as far as it is found in time."""
    server = http.app.state.server
    found, moves = read_position(request)
    if found.outcome() is not None:
        raise Refused(f"the game is over ({found.result_text()}); there is nothing to solve")
    seconds = min(request.seconds or 2.0, server.settings.analysis_seconds)
    stones = (found.first, found.second)
    ticket = server.analysts.submit(
        analysis.solve, found.game.name, stones, moves, seconds, request.line, seconds=2 * seconds
    )
    answer: SolutionInfo = await _answer(ticket, http)
    return answer


@router.post("/review")
async def review(request: ReviewRequest, http: Request) -> ReviewInfo:
    """Every move of a match against the truth: mistakes, and what would have been better."""
    server = http.app.state.server
    found, moves = read_position(request)
    if moves is None:
        raise Refused("a review needs the moves of the match")
    seconds = min(request.seconds or 5.0, server.settings.analysis_seconds)
    ticket = server.analysts.submit(
        analysis.review, found.game.name, moves, request.first, seconds, seconds=seconds + 1
    )
    answer: ReviewInfo = await _answer(ticket, http)
    return answer


@router.post("/records")
async def records(request: RecordsRequest) -> list[RecordInfo]:
    """The matches of a file of records."""
    return [
        RecordInfo(
            game=one.game.name,
            moves=list(one.all_moves),
            opening=len(one.opening),
            first=one.first,
            second=one.second,
            result=one.result,
        )
        for one in parse_records(request.text, "the file")
    ]


@router.post("/page", response_class=HTMLResponse)
def match_page(request: PageRequest) -> HTMLResponse:
    """One self-contained HTML file of a match, to save and hand on."""
    found, moves = read_position(request)
    if not moves:
        raise Refused("a page needs at least one move")
    return HTMLResponse(page_of(found.game, moves, request.title))


async def _answer(ticket: Ticket, http: Request) -> Any:
    """The answer of a worker; the work is stopped if the client goes away."""
    future = asyncio.wrap_future(ticket.future)
    try:
        while not (await asyncio.wait([future], timeout=0.5))[0]:
            if await http.is_disconnected():
                raise HTTPException(499, "the client has gone")
        return future.result()
    finally:
        ticket.cancel()


@router.post("/sessions", status_code=201)
async def start_session(request: SessionRequest, http: Request) -> SessionInfo:
    """Start a session; its id is the key to it."""
    client = http.client.host if http.client else "local"
    return http.app.state.server.sessions.start(request, client).state()  # type: ignore[no-any-return]


def _live(http: Request | WebSocket, id: str) -> Live:
    try:
        found: Live = http.app.state.server.sessions.get(id)
    except KeyError:
        raise HTTPException(404, "this session does not exist or has expired; start a new one") from None
    return found


@router.get("/sessions/{id}")
async def session(id: SessionId, http: Request) -> SessionInfo:
    """The state of a session."""
    return _live(http, id).state()


@router.delete("/sessions/{id}", status_code=204)
async def end_session(id: SessionId, http: Request) -> Response:
    """End a session."""
    _live(http, id)
    http.app.state.server.sessions.close(id)
    return Response(status_code=204)


@router.post("/sessions/{id}/move")
async def move(id: SessionId, request: MoveRequest, http: Request) -> SessionInfo:
    """Make a person's move."""
    live = _live(http, id)
    if request.ply is not None and request.ply != live.session.position.ply:
        raise HTTPException(409, "the position has changed since; look at it again")
    with _as_conflict():
        live.session.play(request.move)
    return _after(live)


@router.post("/sessions/{id}/{command}")
async def command(
    id: SessionId, command: Annotated[str, Path(pattern=r"^(undo|redo|hint|new)$")], http: Request
) -> SessionInfo:
    """undo, redo, hint, or new for a new match."""
    live = _live(http, id)
    session = live.session
    actions = {"undo": session.undo, "redo": session.redo, "hint": session.hint, "new": session.new_game}
    if command not in actions:
        raise HTTPException(404, f"there is no command {command}")
    with _as_conflict():
        actions[command]()
    return _after(live)


@router.put("/sessions/{id}/pace")
async def pace(id: SessionId, request: PaceRequest, http: Request) -> SessionInfo:
    """Pause, resume or change the speed."""
    live = _live(http, id)
    with _as_conflict():
        if request.delay is not None:
            live.session.set_delay(request.delay)
        if request.paused is not None:
            live.session.pause(request.paused)
    return _after(live)


@router.get("/sessions/{id}/record", response_class=PlainTextResponse)
async def record(id: SessionId, http: Request) -> PlainTextResponse:
    """The matches of the session as a text that can be loaded again."""
    records = _live(http, id).session.records()
    return PlainTextResponse("\n".join(record_text(one) for one in records))


@contextlib.contextmanager
def _as_conflict() -> Any:
    """A command that is not possible now is a conflict (409); an illegal move is a wrong request (422)."""
    from inarow.play.session import NotNow

    try:
        yield
    except NotNow as error:
        raise HTTPException(409, str(error)) from None


def _after(live: Live) -> SessionInfo:
    live.proceed()
    return live.state()


@router.websocket("/sessions/{id}/live")
async def live_updates(socket: WebSocket, id: str) -> None:
    """Sends the state of a session whenever it changes. A frame from the client ends the connection."""
    try:
        live: Live = socket.app.state.server.sessions.get(id)
    except KeyError:
        await socket.accept()
        await socket.close(4404, "this session does not exist or has expired")
        return
    await socket.accept()
    with live.watch() as states:
        await socket.send_text(live.state().model_dump_json())
        listening = asyncio.ensure_future(socket.receive())
        try:
            while not listening.done():
                sending = asyncio.ensure_future(states.get())
                done, _ = await asyncio.wait([listening, sending], return_when=asyncio.FIRST_COMPLETED)
                if sending in done:
                    live.touch()
                    await socket.send_text(sending.result().model_dump_json())
                else:
                    sending.cancel()
            if listening.result()["type"] != "websocket.disconnect":
                await socket.close(1003, "this connection only sends; use the API for commands")
        except (WebSocketDisconnect, RuntimeError):
            pass
        finally:
            listening.cancel()


def _parameter(kind: Kind) -> ParameterInfo:
    common: dict[str, Any] = {"name": kind.name, "default": kind.format(kind.default), "help": kind.help}
    common["wanted"] = kind.wanted
    if isinstance(kind, Number):
        return ParameterInfo(
            kind="integer" if kind.whole else "number", low=kind.low, high=kind.high, none=kind.none, **common
        )
    if isinstance(kind, Choice):
        return ParameterInfo(kind="choice", options=list(kind.options), **common)
    return ParameterInfo(kind="switch" if isinstance(kind, Switch) else "text", **common)
