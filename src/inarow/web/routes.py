"""The API of games, agents, positions, decisions, exact scores, and files of matches."""

from __future__ import annotations

import asyncio
import json
from collections.abc import AsyncIterator
from typing import Annotated, Any

from fastapi import APIRouter, Path, Request
from fastapi.responses import HTMLResponse, PlainTextResponse, StreamingResponse
from pydantic import Field

from inarow import __version__, frontend
from inarow.agents.registry import agent_classes
from inarow.drawing.svg import draw_svg
from inarow.formatting import say
from inarow.limits import NO_LIMIT, Limit
from inarow.match import MatchRecord, Termination
from inarow.match.record import parse_records, record_text
from inarow.play.setup import lineups
from inarow.rules import CONNECT4, TICTACTOE, Game, Position, game
from inarow.solver.engine import table_mb
from inarow.web import analysis
from inarow.web.analysis import ReviewInfo, SolutionInfo
from inarow.web.data import AgentInfo, LineupInfo, PuzzleInfo, lineup_infos, puzzle_infos
from inarow.web.messages import GameInfo, Message, PositionInfo, PositionRequest, Problem, Seconds, Spec
from inarow.web.security import Refused, agent_for, read, read_position
from inarow.web.workers import answer_of, job_of, needs_mb, reason, streamed
from inarow.web.workers import decide as decide_task


class StatusInfo(Message):
    """The version and state of the server."""

    version: str
    ready: bool
    """False while a new machine compiles the kernels."""
    sessions: int


class DecideRequest(PositionRequest):
    """Ask an agent for a move."""

    agent: Spec
    limit: Limit = NO_LIMIT
    """Capped by the server's limit."""


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


class SolveRequest(PositionRequest):
    """Ask for the exact score of a position and of each of its moves."""

    seconds: Seconds | None = None
    line: bool = False
    """True to return a line of perfect play as well."""


class RecordsRequest(Message):
    """The content of a file of records."""

    text: Annotated[str, Field(max_length=500_000)]


class RecordInfo(Message):
    """One match of a file."""

    game: str
    moves: list[int]
    opening: int
    """Number of moves that belong to the opening."""
    first: str
    second: str
    result: str


class RecordRequest(PositionRequest):
    """Ask for the record of a match, to save and load again."""

    first: Annotated[str, Field(max_length=100)] = "human"
    second: Annotated[str, Field(max_length=100)] = "human"


class ReviewRequest(PositionRequest):
    """Grade every move of a match, from its end back, within a time limit."""

    seconds: Seconds | None = None
    first: Annotated[int, Field(ge=0, le=63)] = 0
    """The first ply that is graded; those before it are the opening."""


class PageRequest(PositionRequest):
    """Ask for a match as one self-contained HTML file."""

    title: Annotated[str, Field(max_length=100)] = ""
    first: Annotated[str, Field(max_length=100)] = ""
    second: Annotated[str, Field(max_length=100)] = ""
    review: ReviewInfo | None = None
    """The grades of the moves; without them the page computes them."""


def record_of(position: Position, moves: tuple[int, ...], first: str, second: str) -> MatchRecord:
    """Return the record of a match that led to a position; an unfinished one counts as interrupted."""
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
        (401, "the token is missing or wrong"),
        (403, "the request came from a page of another site"),
        (404, "not found; a session may have expired"),
        (409, "not possible at this moment"),
        (413, "the request is too large"),
        (421, "the Host header is not a name of this server"),
        (422, "the request is invalid; see the detail"),
        (429, "too many requests"),
        (503, "a worker failed; try again"),
    )
}
router = APIRouter(responses=PROBLEMS)


@router.get("/status")
async def status(http: Request) -> StatusInfo:
    """Get the state of the server."""
    server = http.app.state.server
    return StatusInfo(version=__version__, ready=server.ready.is_set(), sessions=len(server.sessions))


@router.get("/games")
async def games() -> list[GameInfo]:
    """List the named games. Others are written as COLUMNSxROWSxK, with -free for boards without gravity."""
    return [GameInfo.model_validate(CONNECT4), GameInfo.model_validate(TICTACTOE)]


@router.get("/games/{name}")
async def one_game(name: Annotated[str, Path(max_length=40)]) -> GameInfo:
    """Get the rules of a game."""
    return GameInfo.model_validate(game(name))


@router.get("/agents")
def agents(request: Request) -> list[AgentInfo]:
    """List the agents with the parameters that a client may set."""
    files = request.app.state.server.settings.agents
    return [AgentInfo.of(kind) for kind in agent_classes()] + [AgentInfo(spec, "an agent in a file") for spec in files]


@router.get("/games/{name}/lineups")
def game_lineups(name: Annotated[str, Path(max_length=40)]) -> list[LineupInfo]:
    """List the named opponents and modes for a game."""
    return lineup_infos(game(name), lineups())


@router.get("/puzzles")
def puzzles() -> list[PuzzleInfo]:
    """List the puzzles: positions with exactly one winning move."""
    return puzzle_infos()


@router.post("/position")
def position(request: PositionRequest) -> PositionInfo:
    """Describe a position given by moves, notation or rows of stones."""
    return PositionInfo.of(*read_position(request))


@router.post("/decide")
async def decide(request: DecideRequest, http: Request) -> DecisionInfo:
    """Ask an agent for its move."""
    server = http.app.state.server
    found = (await read(request)).position
    one = await asyncio.to_thread(agent_for, found.game, request.agent, server.settings)
    if found.outcome() is not None:
        raise Refused(say("nothing_to", "decide", result=found.result_text()))
    most = server.settings.decision_seconds
    limit = request.limit.tightened(Limit(seconds=most))
    stones = (found.first, found.second)
    arguments = one.spec, found.game.name, stones, limit, 0
    seconds, needs = limit.seconds or most, needs_mb(one, found.game)
    decision = await answer_of(http, server.players, decide_task, *arguments, seconds=seconds, memory_mb=needs)
    return DecisionInfo.model_validate(decision)


@router.post("/solve")
async def solve(request: SolveRequest, http: Request) -> SolutionInfo:
    """Get the exact score of a position and of every move, as far as proven in time."""
    arguments, budget = await _solve_arguments(request, http)
    return await answer_of(http, http.app.state.server.analysts, analysis.solve, *arguments, **budget)


@router.post("/solve/stream")
async def solve_stream(request: SolveRequest, http: Request) -> StreamingResponse:
    """Stream the results of `solve` as JSON lines: the score, each move, the line of best play.

    The last line is the answer of `solve`, or has a ``problem``.
    """
    arguments, budget = await _solve_arguments(request, http)

    async def lines() -> AsyncIterator[str]:
        job = job_of(http, analysis.solve, *arguments, **budget)
        async with streamed(http.app.state.server.analysts, job) as (updates, task):
            while (info := await updates.get()) is not None:
                yield info.model_dump_json() + "\n"
            try:
                yield task.result().model_dump_json() + "\n"
            except Exception as error:
                yield json.dumps({"problem": reason(error)}) + "\n"

    return StreamingResponse(lines(), media_type="application/x-ndjson")


async def _solve_arguments(request: SolveRequest, http: Request) -> tuple[tuple[Any, ...], dict[str, Any]]:
    """Return the arguments of `analysis.solve` and its budget of time and memory."""
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
    """Grade every move of a match by exact scores: the mistakes, and better moves."""
    server = http.app.state.server
    found, moves, _ = await read(request)
    if moves is None:
        raise Refused("a review needs the moves of the match")
    seconds = min(request.seconds or 5.0, server.settings.analysis_seconds)
    arguments, budget = (found.game.name, moves, request.first, seconds), _solver_budget(found.game, seconds)
    return await answer_of(http, server.analysts, analysis.review, *arguments, **budget)


@router.post("/records")
def records(request: RecordsRequest) -> list[RecordInfo]:
    """List the matches in a file of records."""
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
    """Get the record of a match, to save and load again."""
    found, moves, _ = read_position(request)
    if not moves:
        raise Refused(say("record", "no_moves"))
    return PlainTextResponse(record_text(record_of(found, moves, request.first, request.second)))


@router.post("/page", response_class=HTMLResponse)
def match_page(request: PageRequest) -> HTMLResponse:
    """Get a match as one self-contained HTML file."""
    found, moves, _ = read_position(request)
    if not moves:
        raise Refused("a page needs at least one move")
    match = {"game": found.game.name, "moves": moves, **request.model_dump(include={"first", "second", "review"})}
    picture = draw_svg(found, last=moves[-1])
    return HTMLResponse(frontend.match_page(request.title or found.game.title, [match], picture))
