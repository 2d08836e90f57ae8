"""Learning, live: a connection is a training, which ends with it."""

from __future__ import annotations

import asyncio
import contextlib

from fastapi import APIRouter, WebSocket, WebSocketDisconnect
from pydantic import ValidationError

from inarow.arena.executor import Task
from inarow.errors import InarowError
from inarow.rules import Game, Position, game
from inarow.web import learning
from inarow.web.learn_messages import LearnCommand, LearnEnd, LearnFrame, LearnRequest
from inarow.web.streaming import job_of, reason, streamed, while_connected

router = APIRouter()

TRAININGS = 2
"""How many may run at a time."""
COMMANDS_A_SECOND = 50
BEHIND = 5
"""Frames that may wait for a client."""
FIRST_FRAME_SECONDS = 10.0
NO_REQUEST = "that was no request; see LearnRequest and LearnCommand in the API's description"


@router.websocket("/learn/live")
async def live(socket: WebSocket) -> None:
    """The first frame is a `LearnRequest`, all others are `LearnCommand`s; the answers are `LearnFrame`s and at last a
    `LearnEnd`."""
    server = socket.app.state.server
    if server.trainings >= TRAININGS:
        await socket.accept()
        await socket.close(1013, "all places for training are taken; try again later")
        return
    server.trainings += 1
    try:
        await socket.accept()
        async with asyncio.timeout(FIRST_FRAME_SECONDS):
            request = LearnRequest.model_validate_json(await socket.receive_text())
        board = game(request.game)
        await asyncio.to_thread(learning.check, request, board)
        job = job_of(socket, learning.learn, request, seconds=learning.MOST_SECONDS + 10)
        async with streamed(server.learners, job) as (said, task):
            await while_connected(socket, _pass_on(socket, said, task), _listen(socket, board, task))
    except (ValidationError, KeyError, TimeoutError):
        with contextlib.suppress(RuntimeError):
            await socket.close(1003, NO_REQUEST)
    except InarowError as error:
        await _end(socket, str(error))
    except (WebSocketDisconnect, RuntimeError):
        pass
    finally:
        server.trainings -= 1


async def _pass_on(socket: WebSocket, said: asyncio.Queue[LearnFrame | None], task: Task[str]) -> None:
    """Send what the learner says, then why it ended. A slow client misses some frames, but no score or reply."""
    while (frame := await said.get()) is not None:
        if said.qsize() <= BEHIND or frame.score is not None or frame.reply is not None:
            await socket.send_text(frame.model_dump_json())
    try:
        ended = task.result()
    except Exception as error:
        ended = reason(error)
    await _end(socket, ended)


async def _end(socket: WebSocket, why: str) -> None:
    with contextlib.suppress(WebSocketDisconnect, RuntimeError):
        await socket.send_text(LearnEnd(ended=why).model_dump_json())


async def _listen(socket: WebSocket, board: Game, task: Task[str]) -> None:
    """Hand commands on to the learner, if they are sound and not too many."""
    loop = asyncio.get_running_loop()
    second, count = loop.time(), 0
    while True:
        command = LearnCommand.model_validate_json(await socket.receive_text())
        if command.moves is not None:
            Position.start(board, command.moves)  # raises if they are no moves of this game
        if loop.time() - second > 1:
            second, count = loop.time(), 0
        count += 1
        if count > COMMANDS_A_SECOND:
            await socket.close(1008, "too many commands; wait a moment")
            return
        task.tell(command)
