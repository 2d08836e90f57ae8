"""The API of games, agents, positions, decisions, the truth, and files of matches."""

from __future__ import annotations

import asyncio
import json
from collections.abc import AsyncIterator, Sequence
from html import escape
from typing import Annotated, Any, TypeVar

from fastapi import APIRouter, Path, Request
from fastapi.responses import HTMLResponse, PlainTextResponse, StreamingResponse

from inarow import __version__
from inarow.agents.registry import agent_classes
from inarow.drawing.svg import draw_svg
from inarow.formatting import say
from inarow.limits import Limit
from inarow.match import MatchRecord, Termination
from inarow.match.record import parse_records, record_text
from inarow.play.setup import lineups
from inarow.rules import CONNECT4, TICTACTOE, Game, Position, format_moves, game
from inarow.web import analysis
from inarow.web.data import agent_info, lineup_infos, puzzle_infos
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
from inarow.web.workers import answer_of, job_of, reason, streamed
from inarow.web.workers import decide as decide_task

_STYLE = """
:root { color-scheme: light dark; font: 16px/1.5 system-ui, sans-serif; }
body { margin: 0 auto; padding: 1rem; max-width: 40rem; text-align: center; }
.frame { display: none; }
.frame.here { display: block; }
.frame svg { width: 100%; height: auto; max-height: 70vh; }
button { font: inherit; padding: 0.4rem 1rem; margin: 0.3rem; }
ol { padding: 0; display: flex; flex-wrap: wrap; gap: 0.3rem; list-style: none; justify-content: center; }
li button { padding: 0.1rem 0.5rem; margin: 0; }
li.here button { font-weight: bold; outline: 2px solid; }
"""

_SCRIPT = """
const frames = [...document.querySelectorAll(".frame")], items = [...document.querySelectorAll("li")];
let at = frames.length - 1;
function go(to) {
  at = Math.max(0, Math.min(frames.length - 1, to));
  frames.forEach((one, index) => one.classList.toggle("here", index === at));
  items.forEach((one, index) => one.classList.toggle("here", index === at - 1));
  document.getElementById("where").textContent = at ? `after move ${at}` : "the start";
}
document.getElementById("back").onclick = () => go(at - 1);
document.getElementById("forward").onclick = () => go(at + 1);
items.forEach((one, index) => (one.firstChild.onclick = () => go(index + 1)));
document.onkeydown = (event) => {
  const steps = { ArrowLeft: at - 1, ArrowRight: at + 1, Home: 0, End: frames.length - 1 };
  if (event.key in steps) go(steps[event.key]);
};
go(at);
"""


def page_of(game: Game, moves: Sequence[int], title: str = "") -> str:
    """The file's text. The last position is shown first; without scripts it is the only one."""
    positions = [Position.start(game)]
    for move in moves:
        positions.append(positions[-1].play(move))
    frames = [
        f'<div class="frame{" here" if index == len(moves) else ""}">'
        f"{draw_svg(position, last=moves[index - 1] if index else None, cell=64)}</div>"
        for index, position in enumerate(positions)
    ]
    items = [f'<li><button type="button">{move + 1}</button></li>' for move in moves]
    heading = escape(title or game.title)
    result = positions[-1].result_text() if positions[-1].outcome() is not None else "not finished"
    return "\n".join(
        [
            "<!doctype html>",
            f'<html lang="en"><head><meta charset="utf-8"><title>{heading}</title>',
            '<meta name="viewport" content="width=device-width, initial-scale=1">',
            f"<style>{_STYLE}</style></head><body>",
            f"<h1>{heading}</h1>",
            f"<p>{escape(result)}; moves {escape(format_moves(game, moves))}</p>",
            *frames,
            '<p><button type="button" id="back">← back</button> <span id="where" role="status"></span> '
            '<button type="button" id="forward">forward →</button></p>',
            f"<ol>{''.join(items)}</ol>",
            f"<script>{_SCRIPT}</script>",
            "</body></html>",
        ]
    )


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
    listed = [AgentInfo.model_validate(agent_info(kind)) for kind in agent_classes()]
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
    decision = await answer_of(
        http, server.players, decide_task, one.spec, found.game.name, stones, limit, 0, seconds=limit.seconds or most
    )
    return DecisionInfo.model_validate(decision)


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
        raise Refused(say("nothing_to", "solve", result=found.result_text()))
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
        raise Refused(say("record", "no_moves"))
    return PlainTextResponse(record_text(record_of(found, moves, request.first, request.second)))


@router.post("/page", response_class=HTMLResponse)
def match_page(request: PageRequest) -> HTMLResponse:
    """One self-contained HTML file of a match, to save and hand on."""
    found, moves, _ = read_position(request)
    if not moves:
        raise Refused("a page needs at least one move")
    return HTMLResponse(page_of(found.game, moves, request.title))
