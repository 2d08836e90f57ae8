"""Several agents that think about one position, live, next to the truth; and where one disagrees with it, why."""

from __future__ import annotations

import asyncio
import contextlib
import time
from collections.abc import Callable
from typing import Any

from fastapi import APIRouter, WebSocket, WebSocketDisconnect
from pydantic import ValidationError

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
from inarow.web.analysis import cells_of
from inarow.web.messages import (
    JudgementInfo,
    MindInfo,
    MindsFrame,
    MindsRequest,
    PartInfo,
    PositionRequest,
    SolutionInfo,
)
from inarow.web.security import Refused, TooMany, allowed_agent, client_of, read_position
from inarow.web.workers import first_frame, job_of, needs_mb, reason, streamed, while_connected

SHOWN_PARTS = 8
"""Of each move of a network."""
_APART = 0.05
"""Seconds between two messages, at least: a search finishes its first depths in no time."""


def prepare() -> None:
    """Load what most agents need, in a new worker."""
    stand_back()
    start = Position.start(game("connect4"))
    for spec in ("alphabeta:depth=2", "mcts:simulations=10"):
        agent(spec).start(start.game, start.to_move, 0).decide(start)


def think(channel: Channel, number: int, spec: str, board: str, stones: tuple[int, int], limit: Limit) -> Decision:
    """Let an agent decide, and say what it thinks on the way; the last message is said, too."""
    position = Position(game(board), *stones)
    one = agent(spec)
    mind = one.start(position.game, Player(position.to_move), 0)
    shown = _Shown(channel, number, one, position)
    mind.watcher = shown.show
    try:
        decision = mind.decide(position, limit, channel)
    finally:
        mind.close()
    channel.say(shown.info(decision, True))
    return decision._replace(details=dict(decision.details))


class _Shown:
    """Sends what an agent thinks, not too often."""

    def __init__(self, channel: Channel, number: int, one: Agent, position: Position) -> None:
        self._channel, self._number, self._agent, self._position = channel, number, one, position
        self._begun = time.perf_counter()
        self._last = 0.0

    def show(self, decision: Decision) -> None:
        now = time.perf_counter()
        if decision.depth is not None or now - self._last >= _APART:
            self._last = now
            self._channel.say(self.info(decision, False))

    def info(self, decision: Decision, done: bool) -> MindInfo:
        details, position = decision.details, self._position
        return MindInfo(
            agent=self._number,
            done=done,
            move=decision.move,
            value=decision.value,
            values=dict(decision.values),
            visits={move: int(count) for move, count in decision.by_move.get("visits", {}).items()},
            nodes=decision.nodes,
            cutoffs=details.get("cutoffs"),
            depth=decision.depth,
            simulations=details.get("simulations"),
            line=list(decision.line),
            line_cells=cells_of(position, decision.line),
            seconds=round(time.perf_counter() - self._begun, 3),
            known=details.get("known"),
            note=decision.note,
            **parts_of(self._agent, position),
        )


def parts_of(one: Agent, position: Position) -> dict[str, Any]:
    """Return what the value of each move is made of, for an agent that plays by a network."""
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
"""Pages of one client that may let agents think at a time."""
TRUTH_SECONDS = 10.0


@router.websocket("/minds/live")
async def live(socket: WebSocket) -> None:
    """The first frame is a `MindsRequest`; the answers are `MindsFrame`s. All thinking ends with the connection."""
    await socket.accept()
    try:
        with socket.app.state.server.thinking.one_more(client_of(socket.scope)):
            await _answer(socket)
    except TooMany as error:
        await socket.close(1013, str(error))


async def _answer(socket: WebSocket) -> None:
    try:
        request = await first_frame(socket, MindsRequest)
        session = _Thinking(socket, await asyncio.to_thread(_read, request))
        await while_connected(socket, session.run(request.agents), _until_closed(socket))
    except (ValidationError, KeyError, TimeoutError):
        with contextlib.suppress(RuntimeError):
            await socket.close(1003, "the first frame was no request; send game, moves and agents")
    except InarowError as error:
        await socket.send_text(MindsFrame(problem=str(error), finished=True).model_dump_json())
        await socket.close(1000)
    except (WebSocketDisconnect, RuntimeError):
        pass


def _read(request: MindsRequest) -> Position:
    position = read_position(PositionRequest(game=request.game, moves=request.moves)).position
    if position.outcome() is not None:
        raise Refused(say("nothing_to", "think_about", result=position.result_text()))
    return position


async def _until_closed(socket: WebSocket) -> None:
    if (await socket.receive())["type"] != "websocket.disconnect":
        await socket.close(1003, "this connection takes one request; open another")


class _Thinking:
    """One request under way."""

    def __init__(self, socket: WebSocket, position: Position) -> None:
        self.socket = socket
        self.server = socket.app.state.server
        self.position = position
        self._truth: asyncio.Future[SolutionInfo | None] = asyncio.get_running_loop().create_future()

    async def send(self, frame: MindsFrame) -> None:
        """Send a frame, if the client is still there; else all this is about to be cancelled."""
        with contextlib.suppress(WebSocketDisconnect, RuntimeError):
            await self.socket.send_text(frame.model_dump_json())

    async def run(self, specs: list[str]) -> None:
        """Let all think, and judge each when it is done."""
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
            async with streamed(self.server.thinkers, job) as (said, task):
                while (info := await said.get()) is not None:
                    await self.send(MindsFrame(mind=info))
                decision: Decision = task.result()
            await self._judge(number, one, decision)
        except Exception as error:
            await self.send(MindsFrame(agent=number, problem=reason(error)))

    def _agent(self, spec: str) -> Agent:
        one = allowed_agent(spec, self.server.settings)
        if one.foreign:
            raise Refused(f"{one.spec} is not inarow's own, so its thinking can't be shown; play against it instead")
        one.check(self.position.game)
        return one

    async def _solve(self, position: Position) -> SolutionInfo:
        seconds = min(TRUTH_SECONDS, self.server.settings.analysis_seconds)
        stones = (position.first, position.second)
        arguments = position.game.name, stones, position.history(), seconds, True
        needs = table_mb(position.game)
        job = job_of(self.socket, analysis.solve, *arguments, seconds=seconds + 1, memory_mb=needs)
        async with streamed(self.server.analysts, job) as (said, task):
            while await said.get() is not None:
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
        """Hold an agent's move against the truth, if the verdict of every move is known."""
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
        """The exact scores of the replies to a move, where they tell why a tree was misled."""
        replies: Scores | None = None
        after = self.position.play(move)
        if isinstance(one, Mcts) and gives_away(move, scores) and after.outcome() is None:
            replies = _scores(await self._solve(after))
        return lambda _: replies


def _scores(truth: SolutionInfo) -> Scores | None:
    """The exact score of every move; None if one is not known."""
    if not all(one.low == one.high for one in truth.moves.values()):
        return None
    return {move: one.low for move, one in truth.moves.items()}
