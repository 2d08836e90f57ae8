"""A learner that trains while a page watches: in a worker at a chosen pace, for as long as its connection lasts."""

from __future__ import annotations

import asyncio
import contextlib
import time

from fastapi import APIRouter, WebSocket, WebSocketDisconnect
from pydantic import ValidationError

from inarow.arena.executor import Channel, Task
from inarow.errors import InarowError
from inarow.formatting import say
from inarow.rules import Game, Position, game
from inarow.training.ntuple import NTuple, NTupleLearner
from inarow.training.opponents import Schedule, Stage
from inarow.training.qlearning import QLearner, QLearning, Update
from inarow.training.training import truth_measure
from inarow.web.messages import LearnCommand, LearnEnd, LearnFrame, LearnRequest, PositionInfo, UpdateInfo, ValuesInfo
from inarow.web.serving import TRAININGS
from inarow.web.workers import first_frame, job_of, reason, streamed, while_connected

MOST_SECONDS = 600.0
MOST_EPISODES = 5_000_000
MOST_ROWS = 400_000
"""Positions of a table."""
MOST_WEIGHTS = 8_000_000
"""Of a network, for one side to move."""
LEARNER_MB = 128
"""Memory that either of them takes at most, with all that is needed to learn."""
SAMPLE = 150
"""Positions on which the learner is measured."""
_TICK = 0.1
_MEASURE = 1.0
"""Seconds between two measurements, at least; they take a tenth of the time at most."""
_SELF_PLAY = Stage(("self",))


class TooLarge(InarowError):
    """A learner that this server has no room for."""


def constant(rate: float) -> Schedule:
    """A rate that does not change by itself."""
    return Schedule("constant", rate)


def check(request: LearnRequest, board: Game) -> QLearning | NTuple:
    """The settings of the learner that is asked for; raises if there is no room for it."""
    alpha, epsilon = constant(request.alpha), constant(request.epsilon)
    if request.kind == "qlearning":
        return QLearning(alpha=alpha, epsilon=epsilon, opening_plies=0, rows=MOST_ROWS)
    network = NTuple(alpha=alpha, epsilon=epsilon)
    if (size := network.layout(board, request.seed).size) > MOST_WEIGHTS:
        raise TooLarge(f"a network for {board.title} has {size:,} weights; this page trains {MOST_WEIGHTS:,} at most")
    return network


def learn(channel: Channel, request: LearnRequest) -> str:
    """Train until the channel says stop or a limit is reached; why it ended."""
    board = game(request.game)
    settings = check(request, board)
    learner: QLearner | NTupleLearner
    gamma = None
    if isinstance(settings, QLearning):
        learner, gamma = settings.learner(board, request.seed, MOST_EPISODES), settings.gamma
    else:
        learner = settings.learner(board, request.seed, MOST_EPISODES)
    return _Training(channel, learner, request, gamma).run()


class _Training:
    def __init__(
        self, channel: Channel, learner: QLearner | NTupleLearner, request: LearnRequest, gamma: float | None
    ) -> None:
        self._channel, self._learner, self._gamma = channel, learner, gamma
        self._alpha, self._epsilon, self._speed = request.alpha, request.epsilon, request.speed
        self._paused = False
        self._position = Position.start(learner.game)
        self._moves: list[int] = []
        self._measure = truth_measure(learner.game, SAMPLE)
        self._begun = self._measured = time.monotonic()
        self._pause_of_measures = 0.0
        self._updates: list[Update] = []
        self._pace = 10
        self._due = 0.0

    def run(self) -> str:
        self._say(score=self._score())
        self._pause_of_measures = 0.0  # the first one had to solve the positions
        while not self._channel.is_set():
            begun = time.monotonic()
            if begun - self._begun > MOST_SECONDS:
                return say("learning", "time", minutes=int(MOST_SECONDS / 60))
            if self._learner.episodes >= MOST_EPISODES:
                return say("learning", "episodes", episodes=MOST_EPISODES)
            self._hear(_TICK if self._paused else 0.0)
            if not self._paused:
                self._tick()
                left = _TICK - (time.monotonic() - begun)
                if left > 0:
                    self._hear(left)
        return say("learning", "stopped")

    def _hear(self, seconds: float) -> None:
        """Obey commands, waiting for the first one this long."""
        command = self._channel.told(seconds)
        while command is not None:
            self._obey(command)
            command = self._channel.told()

    def _obey(self, command: LearnCommand) -> None:
        learner = self._learner
        self._paused = self._paused if command.paused is None else command.paused
        self._speed = self._speed if command.speed is None else command.speed
        if command.alpha is not None or command.epsilon is not None:
            self._alpha = self._alpha if command.alpha is None else command.alpha
            self._epsilon = self._epsilon if command.epsilon is None else command.epsilon
            learner.set_rates(learner.rates._replace(alpha=constant(self._alpha), epsilon=constant(self._epsilon)))
        if command.moves is not None:
            self._position, self._moves = Position.start(learner.game, command.moves), list(command.moves)
        if command.step and self._paused:
            self._episodes(1)
        reply = None
        if command.reply and self._position.outcome() is None:
            reply = learner.mind(learner.episodes).decide(self._position).move
        self._say(reply=reply)

    def _tick(self) -> None:
        """Train for a tenth of a second, or for as many episodes as are due."""
        wanted = self._pace
        if self._speed:
            self._due = min(self._due + self._speed * _TICK, max(1.0, self._speed * 1.0))
            wanted = min(wanted, int(self._due))
            self._due -= wanted
        begun = time.monotonic()
        if wanted:
            done = self._episodes(wanted)
            took = max(time.monotonic() - begun, 1e-6)
            if done >= self._pace:
                self._pace = max(1, min(4 * self._pace, int(self._pace * 0.8 * _TICK / took)))
        now = time.monotonic()
        score = None
        if wanted and now - self._measured > max(_MEASURE, self._pause_of_measures):
            score = self._score()
        if wanted or score is not None:
            self._say(score=score)

    def _episodes(self, count: int) -> int:
        """Learn from episodes; the updates of the last one are kept."""
        learner = self._learner
        if isinstance(learner, NTupleLearner):
            return learner.run(_SELF_PLAY, count, self._channel)
        done = learner.run(_SELF_PLAY, count - 1, self._channel) if count > 1 else 0
        self._updates = learner.observe()
        return done + 1

    def _score(self) -> float:
        begun = time.monotonic()
        found = self._measure(self._learner.mind)
        self._measured = time.monotonic()
        self._pause_of_measures = 10 * (self._measured - begun)
        return next(iter(found.values()))

    def _say(self, score: float | None = None, reply: int | None = None) -> None:
        learner = self._learner
        tally = learner.tally()
        self._channel.say(
            LearnFrame(
                episodes=learner.episodes,
                seconds=round(time.monotonic() - self._begun, 2),
                paused=self._paused,
                alpha=self._alpha,
                epsilon=self._epsilon,
                gamma=self._gamma,
                speed=self._speed,
                entries=learner.size()["entries"],
                error=tally["error"] if tally["plies"] else None,
                shown=self._values(),
                updates=[_update(one) for one in self._updates],
                score=score,
                reply=reply,
            )
        )

    def _values(self) -> ValuesInfo:
        position, known = self._position, True
        values: dict[int, float] = {}
        if position.outcome() is None:
            if isinstance(self._learner, QLearner):
                values, _, known = self._learner.table.judge(position)
            else:
                values = self._learner.played.judge(position)
        return ValuesInfo(moves=self._moves, values=values, known=known)


def _update(one: Update) -> UpdateInfo:
    position = PositionInfo.of(one.position, one.moves)
    return UpdateInfo(position=position, move=one.move, old=one.old, target=one.target, new=one.new)


router = APIRouter()

COMMANDS_A_SECOND = 50
BEHIND = 5
"""Frames that may wait for a client."""
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
        request = await first_frame(socket, LearnRequest)
        board = game(request.game)
        await asyncio.to_thread(check, request, board)
        job = job_of(socket, learn, request, seconds=MOST_SECONDS + 10, memory_mb=LEARNER_MB)
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
