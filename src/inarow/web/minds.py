"""Several agents that think about one position, live, next to the exact scores; and the causes of their mistakes."""

from __future__ import annotations

import asyncio
import contextlib
import time
from collections.abc import Callable
from typing import Annotated, Any

from fastapi import APIRouter, WebSocket, WebSocketDisconnect
from pydantic import Field

from inarow.agents import Agent, Decision, agent
from inarow.agents.mcts import Mcts
from inarow.agents.ntuple import NTupleAgent
from inarow.arena.executor import Channel
from inarow.arena.processes import stand_back
from inarow.errors import InarowError
from inarow.formatting import say
from inarow.limits import Limit
from inarow.models.network import contributions
from inarow.rules import Player, Position, game
from inarow.solver.engine import table_mb
from inarow.truth.explain import Scores, gives_away, misled
from inarow.web import analysis
from inarow.web.analysis import SolutionInfo, cells_of
from inarow.web.messages import Message, Moves, Name, PositionRequest, Spec
from inarow.web.security import Refused, allowed_agent, client_of, read_position
from inarow.web.workers import (
    connection,
    first_frame,
    job_of,
    needs_mb,
    reason,
    streamed,
    until_closed,
    while_connected,
)

MAX_AGENTS = 8
SHOWN_PARTS = 8
"""Number of a network's contributions shown for each move."""
_APART = 0.05
"""Minimum seconds between two messages: the first depths of a search take no time."""


class MindsRequest(Message):
    """The first frame of a connection: a position, and the agents that think about it."""

    game: Name
    moves: Moves
    agents: Annotated[list[Spec], Field(min_length=1, max_length=MAX_AGENTS)]


class PartInfo(Message):
    """A contribution to a network's value of a move, positive if it favours the move."""

    part: str
    """``tuple``, ``threats`` or ``memory``."""
    cells: list[int]
    columns: list[int]
    share: float


class MindInfo(Message):
    """An agent's current estimates; values are for the side to move, in [−1, 1]."""

    agent: int
    """Its index in the request."""
    done: bool
    move: int
    value: float | None
    values: dict[int, float]
    earlier: dict[int, float]
    """Values at ``depth``, of moves that the next depth, which chose, did not reach."""
    visits: dict[int, int]
    """Simulations of each move, for MCTS."""
    nodes: int
    cutoffs: int | None
    depth: int | None
    simulations: int | None
    line: list[int]
    line_cells: list[int]
    seconds: float
    known: bool | None
    """For a table: True if it has a row for the position."""
    note: str
    """A remark on its move, such as that it is not proven."""
    settled: dict[int, str]
    """Outcomes (win, draw, loss) of the moves that a network's tactics decide."""
    parts: dict[int, list[PartInfo]]
    """For a network: the largest contributions to the value of each move."""


class JudgementInfo(Message):
    """An agent's move compared with the exact scores."""

    agent: int
    right: bool
    """True if the move keeps the value of the position."""
    cause: str
    """The cause of a mistake: horizon, playouts, unseen, estimate or other; empty if it is right."""
    why: str


class MindsFrame(Message):
    """A message of the server: an agent's estimates, its error, the exact scores, or a judgement."""

    mind: MindInfo | None = None
    truth: SolutionInfo | None = None
    judgement: JudgementInfo | None = None
    agent: int | None = None
    problem: str = ""
    """An error of ``agent``, or of the request."""
    finished: bool = False
    """True for the last message."""


def prepare() -> None:
    """Load the usual kernels, in a new worker."""
    stand_back()
    start = Position.start(game("connect4"))
    for spec in ("alphabeta:depth=2", "mcts:simulations=10"):
        agent(spec).start(start.game, start.to_move, 0).decide(start)


def think(channel: Channel, number: int, spec: str, board: str, stones: tuple[int, int], limit: Limit) -> Decision:
    """Let an agent decide, and send its estimates meanwhile; the last message is the decision."""
    position = Position(game(board), *stones)
    one = agent(spec)
    begun, last = time.perf_counter(), 0.0

    def info(decision: Decision, done: bool = False) -> MindInfo:
        details = decision.details
        return MindInfo(
            agent=number,
            done=done,
            move=decision.move,
            value=decision.value,
            values=dict(decision.values),
            earlier=dict(decision.by_move.get("earlier", {})),
            visits={move: int(count) for move, count in decision.by_move.get("visits", {}).items()},
            nodes=decision.nodes,
            cutoffs=details.get("cutoffs"),
            depth=decision.depth,
            simulations=details.get("simulations"),
            line=list(decision.line),
            line_cells=cells_of(position, decision.line),
            seconds=round(time.perf_counter() - begun, 3),
            known=details.get("known"),
            note=decision.note,
            **parts_of(one, position),
        )

    def show(decision: Decision) -> None:
        nonlocal last
        now = time.perf_counter()
        if decision.depth is not None or now - last >= _APART:
            last = now
            channel.send(info(decision))

    mind = one.start(position.game, Player(position.to_move), 0)
    mind.watcher = show
    try:
        decision = mind.decide(position, limit, channel)
    finally:
        mind.close()
    channel.send(info(decision, True))
    return decision._replace(details=dict(decision.details))


def parts_of(one: Agent, position: Position) -> dict[str, Any]:
    """Return the contributions to the value of each move, for an agent that plays by a network."""
    if not isinstance(one, NTupleAgent):
        return {"settled": {}, "parts": {}}
    network = one.held(position.game)
    found = {move: contributions(network, position, move) for move in position.legal_moves()}
    return {
        "settled": {move: each.settled for move, each in found.items() if each.settled},
        "parts": {
            move: [
                PartInfo(part=p.part.value, cells=list(p.cells), columns=list(p.columns), share=round(p.share, 5))
                for p in each.contributions[:SHOWN_PARTS]
            ]
            for move, each in found.items()
        },
    }


router = APIRouter()

CONNECTIONS = 4
"""Pages per client on which agents may think at a time."""
TRUTH_SECONDS = 10.0


@router.websocket("/minds/live")
async def live(socket: WebSocket) -> None:
    """Answer a `MindsRequest` with `MindsFrame`s. All thinking ends with the connection."""
    async with connection(socket, "game, moves and agents"):
        with socket.app.state.server.thinking.one_more(client_of(socket.scope)):
            try:
                request = await first_frame(socket, MindsRequest)
                session = _Thinking(socket, await asyncio.to_thread(_read, request))
                closed = until_closed(socket, "this connection takes one request; open another")
                await while_connected(socket, session.run(request.agents), closed)
            except InarowError as error:
                await socket.send_text(MindsFrame(problem=str(error), finished=True).model_dump_json())
                await socket.close(1000)


def _read(request: MindsRequest) -> Position:
    position = read_position(PositionRequest(game=request.game, moves=request.moves)).position
    if position.outcome() is not None:
        raise Refused(say("nothing_to", "think_about", result=position.result_text()))
    return position


class _Thinking:
    """One request: the exact scores, the agents, and their judgements."""

    def __init__(self, socket: WebSocket, position: Position) -> None:
        self.socket = socket
        self.server = socket.app.state.server
        self.position = position
        self._truth: asyncio.Future[SolutionInfo | None] = asyncio.get_running_loop().create_future()

    async def send(self, frame: MindsFrame) -> None:
        """Send a frame, unless the client has left."""
        with contextlib.suppress(WebSocketDisconnect, RuntimeError):
            await self.socket.send_text(frame.model_dump_json())

    async def run(self, specs: list[str]) -> None:
        """Let all agents think, and judge each one when it is done."""
        async with asyncio.TaskGroup() as group:
            group.create_task(self._find_truth())
            for number, spec in enumerate(specs):
                group.create_task(self._think(number, spec))
        await self.send(MindsFrame(finished=True))

    async def _think(self, number: int, spec: str) -> None:
        position, most = self.position, self.server.settings.decision_seconds
        try:
            one = await asyncio.to_thread(self._agent, spec)
            arguments = number, one.spec, position.game.name, (position.first, position.second), Limit(seconds=most)
            job = job_of(self.socket, think, *arguments, seconds=most, memory_mb=needs_mb(one, position.game))
            async with streamed(self.server.thinkers, job) as (updates, task):
                while (info := await updates.get()) is not None:
                    await self.send(MindsFrame(mind=info))
                decision: Decision = task.result()
            await self._judge(number, one, decision)
        except Exception as error:
            await self.send(MindsFrame(agent=number, problem=reason(error)))

    def _agent(self, spec: str) -> Agent:
        one = allowed_agent(spec, self.server.settings)
        if one.foreign:
            raise Refused(f"{one.spec} is an agent in a file, whose thinking can't be shown; play against it instead")
        one.check(self.position.game)
        return one

    async def _solve(self, position: Position) -> SolutionInfo:
        seconds = min(TRUTH_SECONDS, self.server.settings.analysis_seconds)
        stones = (position.first, position.second)
        arguments = position.game.name, stones, position.history(), seconds, True
        needs = table_mb(position.game)
        job = job_of(self.socket, analysis.solve, *arguments, seconds=seconds + 1, memory_mb=needs)
        async with streamed(self.server.analysts, job) as (updates, task):
            while await updates.get() is not None:
                pass
            found: SolutionInfo = task.result()
            return found

    async def _find_truth(self) -> None:
        try:
            truth = await self._solve(self.position)
        except Exception as error:
            self._truth.set_result(None)
            await self.send(MindsFrame(problem=say("local", "truth_unknown", why=reason(error))))
            return
        self._truth.set_result(truth)
        await self.send(MindsFrame(truth=truth))

    async def _judge(self, number: int, one: Agent, decision: Decision) -> None:
        """Judge an agent's move by the exact scores, if the verdict of every move is known."""
        truth = await asyncio.shield(self._truth)
        if truth is None or any(move.verdict is None for move in truth.moves.values()):
            return
        scores = _scores(truth)
        if scores is None:
            right = truth.moves[decision.move].verdict == truth.verdict
            cause, why = ("", "") if right else ("other", say("misled", "unsolved"))
        else:
            found = misled(one, self.position, decision, scores, await self._replies(one, decision.move, scores))
            right = found is None
            cause, why = ("", "") if found is None else (found.cause, found.text)
        await self.send(MindsFrame(judgement=JudgementInfo(agent=number, right=right, cause=cause, why=why)))

    async def _replies(self, one: Agent, move: int, scores: Scores) -> Callable[[int], Scores | None]:
        """Return the exact scores of the replies to a move, if they are needed to explain an agent's mistake."""
        replies: Scores | None = None
        after = self.position.play(move)
        if isinstance(one, Mcts) and gives_away(move, scores) and after.outcome() is None:
            replies = _scores(await self._solve(after))
        return lambda _: replies


def _scores(truth: SolutionInfo) -> Scores | None:
    """Return the exact score of every move; None if one is not known."""
    if not all(one.low == one.high for one in truth.moves.values()):
        return None
    return {move: one.low for move, one in truth.moves.items()}
