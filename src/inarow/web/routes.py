"""The API of games, agents, positions, decisions, the truth, and files of matches."""

from __future__ import annotations

import asyncio
import json
from collections.abc import AsyncIterator
from typing import Annotated, Any, TypeVar

from fastapi import APIRouter, Path, Request
from fastapi.responses import HTMLResponse, PlainTextResponse, StreamingResponse

from inarow import __version__, frontend
from inarow.agents.registry import agent_classes
from inarow.drawing.svg import draw_svg
from inarow.formatting import say
from inarow.limits import Limit
from inarow.match import MatchRecord, Termination
from inarow.match.record import parse_records, record_text
from inarow.play.setup import lineups
from inarow.rules import CONNECT4, TICTACTOE, Game, Position, game
from inarow.solver.engine import table_mb
from inarow.web import analysis
from inarow.web.data import info, lineup_infos, puzzle_infos
from inarow.web.messages import (
    AgentInfo,
    DecideRequest,
    DecisionInfo,
    GameInfo,
    LineupInfo,
    PageRequest,
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
from inarow.web.security import (
    Refused,
    agent_for,
    read,
    read_position,
)
from inarow.web.workers import answer_of, job_of, needs_mb, reason, streamed
from inarow.web.workers import decide as decide_task


def record_of(position: Position, moves: tuple[int, ...], first: str, second: str) -> MatchRecord:
    """The record of a match that led to a position; where the game is not over it counts as interrupted."""
    outcome = position.outcome()
    termination = Termination.INTERRUPTED
    if outcome is not None:
        termination = Termination.FULL_BOARD if outcome.winner is None else Termination.LINE
    unknown = len(moves)
    return MatchRecord(
        game=position.game,
        first=first,
        second=second,
        seed=0,
        opening=(),
        moves=moves,
        outcome=outcome,
        termination=termination,
        nodes=(0,) * unknown,
        values=(None,) * unknown,
        seconds=(0.0,) * unknown,
    )


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


@router.get("/status")
async def status(http: Request) -> StatusInfo:
    """Whether the server can think yet: on a new machine it compiles its kernels first."""
    server = http.app.state.server
    return StatusInfo(version=__version__, ready=server.ready.is_set(), sessions=len(server.sessions))


@router.get("/games")
async def games() -> list[GameInfo]:
    """The named games; others are written as COLUMNSxROWSxK, with -free where stones don't fall."""
    return [GameInfo.model_validate(CONNECT4), GameInfo.model_validate(TICTACTOE)]


@router.get("/games/{name}")
async def one_game(name: Annotated[str, Path(max_length=40)]) -> GameInfo:
    """The rules of one game."""
    return GameInfo.model_validate(game(name))


@router.get("/agents")
def agents(request: Request) -> list[AgentInfo]:
    """The agents that can be chosen, with their parameters; those that name files can't be given here."""
    listed = [AgentInfo.model_validate(info(kind)) for kind in agent_classes()]
    files = request.app.state.server.settings.agents
    return listed + [AgentInfo(name=spec, summary="an agent in a file", parameters=[]) for spec in files]


@router.get("/games/{name}/lineups")
def game_lineups(name: Annotated[str, Path(max_length=40)]) -> list[LineupInfo]:
    """Opponents and modes by name, for this game."""
    return [LineupInfo.model_validate(one) for one in lineup_infos(game(name), lineups())]


@router.get("/puzzles")
def puzzles() -> list[PuzzleInfo]:
    """Positions in which one move wins, for people to find it."""
    return [PuzzleInfo.model_validate(one) for one in puzzle_infos()]


@router.post("/position")
def position(request: PositionRequest) -> PositionInfo:
    """A position by its moves, a text of moves, or rows of stones."""
    return PositionInfo.of(*read_position(request))


@router.post("/decide")
async def decide(request: DecideRequest, http: Request) -> DecisionInfo:
    """What an agent would play."""
    server = http.app.state.server
    found = (await read(request)).position
    one = await asyncio.to_thread(agent_for, found.game, request.agent, server.settings)
    if found.outcome() is not None:
        raise Refused(say("nothing_to", "decide", result=found.result_text()))
    most = server.settings.decision_seconds
    limit = Limit(**request.limit.model_dump()).tightened(Limit(seconds=most))
    stones = (found.first, found.second)
    arguments = one.spec, found.game.name, stones, limit, 0
    seconds, needs = limit.seconds or most, needs_mb(one, found.game)
    decision = await answer_of(http, server.players, decide_task, *arguments, seconds=seconds, memory_mb=needs)
    return DecisionInfo.model_validate(decision)


@router.post("/solve")
async def solve(request: SolveRequest, http: Request) -> SolutionInfo:
    """The exact score of a position and of every move, as far as it is found in time."""
    arguments, budget = await _solve_arguments(request, http)
    return await answer_of(http, http.app.state.server.analysts, analysis.solve, *arguments, **budget)


@router.post("/solve/stream")
async def solve_stream(request: SolveRequest, http: Request) -> StreamingResponse:
    """As `solve`, a line of JSON each time that more is known: the score, each move, the line of best play.

    The last line is what `solve` answers, or has a ``problem``.
    """
    arguments, budget = await _solve_arguments(request, http)

    async def lines() -> AsyncIterator[str]:
        job = job_of(http, analysis.solve, *arguments, **budget)
        async with streamed(http.app.state.server.analysts, job) as (said, task):
            while (info := await said.get()) is not None:
                yield info.model_dump_json() + "\n"
            try:
                yield task.result().model_dump_json() + "\n"
            except Exception as error:
                yield json.dumps({"problem": reason(error)}) + "\n"

    return StreamingResponse(lines(), media_type="application/x-ndjson")


async def _solve_arguments(request: SolveRequest, http: Request) -> tuple[tuple[Any, ...], dict[str, Any]]:
    """The arguments of `analysis.solve`, and the time and memory that it may take."""
    found, moves, _ = await read(request)
    if found.outcome() is not None:
        raise Refused(say("nothing_to", "solve", result=found.result_text()))
    seconds = min(request.seconds or 2.0, http.app.state.server.settings.analysis_seconds)
    return (found.game.name, (found.first, found.second), moves, seconds, request.line), _solver_budget(
        found.game, seconds
    )


def _solver_budget(board: Game, seconds: float) -> dict[str, Any]:
    return {"seconds": seconds + 1, "memory_mb": table_mb(board)}


@router.post("/review")
async def review(request: ReviewRequest, http: Request) -> ReviewInfo:
    """Every move of a match against the truth: mistakes, and what would have been better."""
    server = http.app.state.server
    found, moves, _ = await read(request)
    if moves is None:
        raise Refused("a review needs the moves of the match")
    seconds = min(request.seconds or 5.0, server.settings.analysis_seconds)
    arguments, budget = (found.game.name, moves, request.first, seconds), _solver_budget(found.game, seconds)
    return await answer_of(http, server.analysts, analysis.review, *arguments, **budget)


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
        raise Refused(say("record", "no_moves"))
    return PlainTextResponse(record_text(record_of(found, moves, request.first, request.second)))


@router.post("/page", response_class=HTMLResponse)
def match_page(request: PageRequest) -> HTMLResponse:
    """One self-contained HTML file of a match, to save and hand on."""
    found, moves, _ = read_position(request)
    if not moves:
        raise Refused("a page needs at least one move")
    match = {"game": found.game.name, "moves": moves, **request.model_dump(include={"first", "second", "review"})}
    picture = draw_svg(found, last=moves[-1])
    return HTMLResponse(frontend.match_page(request.title or found.game.title, [match], picture))
