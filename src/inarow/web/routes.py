"""The API: games, agents, positions, decisions and the truth (sessions are in `session_routes`)."""

from __future__ import annotations

import asyncio
import json
from collections.abc import AsyncIterator, Callable
from typing import Annotated, Any, TypeVar

from fastapi import APIRouter, HTTPException, Path, Request
from fastapi.responses import HTMLResponse, PlainTextResponse, StreamingResponse

from inarow import __version__
from inarow.agents import Agent
from inarow.agents.parameters import Choice, Kind, Number, Switch
from inarow.agents.registry import agent_classes
from inarow.arena import Executor
from inarow.errors import HostFailure, InarowError
from inarow.ladder import known_ratings
from inarow.limits import Limit
from inarow.match.files import parse_records, record_text
from inarow.play.lineups import HUMAN, lineups
from inarow.play.puzzles import shipped_puzzles
from inarow.play.setup import PERSON
from inarow.rules import CONNECT4, TICTACTOE, Game, game
from inarow.web import analysis
from inarow.web.checks import (
    ReadPosition,
    Refused,
    allowed_agent,
    game_info,
    position_info,
    read_limit,
    read_position,
)
from inarow.web.match_page import page_of, record_of
from inarow.web.messages import (
    AgentInfo,
    DecideRequest,
    DecisionInfo,
    GameInfo,
    LevelInfo,
    LineupInfo,
    ModeInfo,
    PageRequest,
    ParameterInfo,
    PositionInfo,
    PositionRequest,
    Problem,
    PuzzleInfo,
    RecordInfo,
    RecordRequest,
    RecordsRequest,
    ReviewInfo,
    ReviewRequest,
    SolutionInfo,
    SolveRequest,
    StatusInfo,
)
from inarow.web.remote import decide as decide_task
from inarow.web.security import client_of
from inarow.web.settings import WebSettings
from inarow.web.streaming import job_of, reason, streamed

PROBLEMS: dict[int | str, dict[str, Any]] = {
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
T = TypeVar("T")

router = APIRouter(responses=PROBLEMS)

_LOOK = 0.1
"""Seconds between looks at whether a client still waits for its answer."""


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
    """The agents that can be chosen, with their parameters; those that name files can't be given here."""
    listed = [
        AgentInfo(
            name=kind.name,
            summary=kind.summary,
            parameters=[_parameter(p) for p in kind.parameters() if not p.hidden and type(p) is not Kind],
        )
        for kind in agent_classes()
    ]
    files = request.app.state.server.settings.agents
    return listed + [AgentInfo(name=spec, summary="an agent in a file", parameters=[]) for spec in files]


@router.get("/games/{name}/lineups")
def game_lineups(name: Annotated[str, Path(max_length=40)]) -> list[LineupInfo]:
    """Opponents and modes by name, for this game."""
    board = game(name)
    known = {spec: round(elo.estimate) for spec, elo in known_ratings(board).items()}
    answer = []
    for one in lineups():
        specs = {level.label: player.spec for level in one.levels if (player := level.agent(board)) is not None}
        levels = [
            LevelInfo(
                label=level.label,
                spec=specs[level.label],
                about=level.about,
                strength=level.strength,
                elo=known.get(specs[level.label]),
            )
            for level in one.levels
            if level.label in specs
        ]
        seats = {HUMAN: PERSON.spec, **specs}
        modes = [
            ModeInfo(
                label=mode.label,
                title=one.mode_title(mode.seats),
                about=mode.about,
                one=seats[mode.seats[0]],
                two=seats[mode.seats[1]],
            )
            for mode in one.modes
            if set(mode.seats) <= set(seats)
        ]
        if levels:
            answer.append(LineupInfo(name=one.name, title=one.title, about=one.about, levels=levels, modes=modes))
    return answer


@router.get("/puzzles")
def puzzles() -> list[PuzzleInfo]:
    """Positions in which one move wins, for people to find it."""
    return [
        PuzzleInfo(moves=list(one.moves), answer=one.answer, length=one.length, level=one.level)
        for one in shipped_puzzles()
    ]


@router.post("/position")
def position(request: PositionRequest) -> PositionInfo:
    """A position by its moves, a text of moves, or rows of stones."""
    return position_info(*read_position(request))


@router.post("/decide")
async def decide(request: DecideRequest, http: Request) -> DecisionInfo:
    """What an agent would play."""
    server = http.app.state.server
    found = (await read(request)).position
    one = await asyncio.to_thread(agent_for, found.game, request.agent, server.settings)
    if found.outcome() is not None:
        raise Refused(f"the game is over ({found.result_text()}); there is nothing to decide")
    most = server.settings.decision_seconds
    limit = read_limit(request.limit).tightened(Limit(seconds=most))
    stones = (found.first, found.second)
    decision = await answer_of(
        http, server.players, decide_task, one.spec, found.game.name, stones, limit, 0, seconds=limit.seconds or most
    )
    return DecisionInfo(
        move=decision.move,
        value=decision.value,
        values=dict(decision.values),
        by_move={name: dict(values) for name, values in decision.by_move.items()},
        nodes=decision.nodes,
        depth=decision.depth,
        line=list(decision.line),
        seconds=decision.seconds,
        note=decision.note,
    )


@router.post("/solve")
async def solve(request: SolveRequest, http: Request) -> SolutionInfo:
    """The exact score of a position and of every move, as far as it is found in time."""
    arguments, seconds = await _solve_arguments(request, http)
    return await answer_of(http, http.app.state.server.analysts, analysis.solve, *arguments, seconds=seconds)


@router.post("/solve/stream")
async def solve_stream(request: SolveRequest, http: Request) -> StreamingResponse:
    """As `solve`, a line of JSON each time that more is known: the score, each move, the line of best play.

    The last line is what `solve` answers, or has a ``problem``.
    """
    arguments, seconds = await _solve_arguments(request, http)

    async def lines() -> AsyncIterator[str]:
        job = job_of(http, analysis.solve, *arguments, seconds=seconds)
        async with streamed(http.app.state.server.analysts, job) as (said, task):
            while (info := await said.get()) is not None:
                yield info.model_dump_json() + "\n"
            try:
                yield task.result().model_dump_json() + "\n"
            except Exception as error:
                yield json.dumps({"problem": reason(error)}) + "\n"

    return StreamingResponse(lines(), media_type="application/x-ndjson")


async def _solve_arguments(request: SolveRequest, http: Request) -> tuple[tuple[Any, ...], float]:
    """The arguments of `analysis.solve`, and within how many seconds it answers."""
    found, moves, _ = await read(request)
    if found.outcome() is not None:
        raise Refused(f"the game is over ({found.result_text()}); there is nothing to solve")
    seconds = min(request.seconds or 2.0, http.app.state.server.settings.analysis_seconds)
    return (found.game.name, (found.first, found.second), moves, seconds, request.line), seconds + 1


@router.post("/review")
async def review(request: ReviewRequest, http: Request) -> ReviewInfo:
    """Every move of a match against the truth: mistakes, and what would have been better."""
    server = http.app.state.server
    found, moves, _ = await read(request)
    if moves is None:
        raise Refused("a review needs the moves of the match")
    seconds = min(request.seconds or 5.0, server.settings.analysis_seconds)
    arguments = found.game.name, moves, request.first, seconds
    return await answer_of(http, server.analysts, analysis.review, *arguments, seconds=seconds + 1)


@router.post("/records")
def records(request: RecordsRequest) -> list[RecordInfo]:
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


@router.post("/record", response_class=PlainTextResponse)
def match_record(request: RecordRequest) -> PlainTextResponse:
    """A match as a text that can be loaded again."""
    found, moves, _ = read_position(request)
    if not moves:
        raise Refused("a record needs at least one move")
    return PlainTextResponse(record_text(record_of(found, moves, request.first, request.second)))


@router.post("/page", response_class=HTMLResponse)
def match_page(request: PageRequest) -> HTMLResponse:
    """One self-contained HTML file of a match, to save and hand on."""
    found, moves, _ = read_position(request)
    if not moves:
        raise Refused("a page needs at least one move")
    return HTMLResponse(page_of(found.game, moves, request.title))


async def read(request: PositionRequest) -> ReadPosition:
    """The position of a request; off the loop where an order of moves must be looked for."""
    if request.moves is not None:
        return read_position(request)
    return await asyncio.to_thread(read_position, request)


def agent_for(board: Game, spec: str, settings: WebSettings) -> Agent:
    """The agent of a client's spec, if it is allowed and can play the game."""
    one = allowed_agent(spec, settings)
    one.check(board)
    return one


async def answer_of(
    http: Request, executor: Executor, function: Callable[..., T], *arguments: Any, seconds: float
) -> T:
    """Return the answer of a worker; the work is stopped if the client goes away."""
    with http.app.state.server.pending.one_more(client_of(http.scope)):
        task = executor.submit(job_of(http, function, *arguments, seconds=seconds))
        future = asyncio.wrap_future(task)
        future.add_done_callback(lambda done: done.cancelled() or done.exception())  # nobody may be there to hear of it
        try:
            while not (await asyncio.wait([future], timeout=_LOOK))[0]:
                if await http.is_disconnected():
                    raise HTTPException(499, "the client has disconnected")
            return future.result()
        except (InarowError, HostFailure, HTTPException):
            raise
        except Exception as error:
            raise HostFailure(f"{type(error).__name__}: {error}") from None
        finally:
            task.cancel()


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
