"""Live training: a learner in a worker, at a chosen speed, for as long as the page is connected."""

from __future__ import annotations

import asyncio
import contextlib
import time
from typing import Annotated, Literal

from fastapi import APIRouter, WebSocket, WebSocketDisconnect
from pydantic import Field

from inarow.arena.executor import Channel, Task
from inarow.errors import InarowError
from inarow.formatting import say
from inarow.rules import Game, Position, game
from inarow.training.ntuple import NTuple, NTupleLearner
from inarow.training.opponents import Schedule, Stage
from inarow.training.qlearning import QLearner, QLearning, Update
from inarow.training.training import truth_measure
from inarow.web.messages import Message, Moves, Name, PositionInfo
from inarow.web.workers import Closed, connection, first_frame, job_of, reason, streamed, while_connected

MAX_SECONDS = 600.0
MAX_EPISODES = 5_000_000
MAX_ROWS = 400_000
"""Maximum rows of a Q-table."""
MAX_WEIGHTS = 8_000_000
"""Maximum weights of a network, for one side to move."""
LEARNER_MB = 128
"""Maximum memory of a learner."""
SAMPLE = 150
"""Number of positions that measure the learner."""
_TICK = 0.1
_MEASURE = 1.0
"""Minimum seconds between two measurements, which take at most a tenth of the time."""
_SELF_PLAY = Stage(("self",))


Share = Annotated[float, Field(ge=0, le=1)]
Speed = Annotated[int, Field(ge=0, le=1_000_000)]
"""Episodes per second; 0 for no limit."""


class LearnRequest(Message):
    """The first frame of a connection: the learner and its settings."""

    kind: Literal["qlearning", "ntuple"] = "qlearning"
    game: Name
    alpha: Share
    epsilon: Share
    speed: Speed = 0
    seed: Annotated[int, Field(ge=0, le=2**31)] = 0


class LearnCommand(Message):
    """Any later frame: the settings to change. ``moves`` chooses the position whose values are shown."""

    paused: bool | None = None
    alpha: Share | None = None
    epsilon: Share | None = None
    speed: Speed | None = None
    moves: Moves | None = None
    reply: bool = False
    """True to ask the learner for a move in that position."""
    step: bool = False
    """True to play one more episode while it is paused."""


class UpdateInfo(Message):
    """One step of Q-learning."""

    position: PositionInfo
    move: int
    old: float
    target: float
    new: float


class ValuesInfo(Message):
    """The learner's values of the moves of a position."""

    moves: list[int]
    values: dict[int, float]
    known: bool
    """True if it has seen the position."""


class LearnFrame(Message):
    """The progress of the training."""

    episodes: int
    seconds: float
    paused: bool
    alpha: float
    epsilon: float
    gamma: float | None
    """Discount factor per turn; None for a network."""
    speed: int
    entries: int
    """Positions in the table, or nonzero weights."""
    error: float | None
    """Mean absolute error of the updates since the last frame."""
    shown: ValuesInfo
    updates: list[UpdateInfo]
    """The updates of the last episode, in order; none for a network."""
    score: float | None = None
    """The share of solved positions where its move keeps the verdict, if it was just measured."""
    reply: int | None = None


class LearnEnd(Message):
    """The last frame: why the training ended, in one sentence."""

    ended: str


class TooLarge(InarowError):
    """The learner needs too much memory."""


def constant(rate: float) -> Schedule:
    """Return a constant schedule."""
    return Schedule("constant", rate)


def check(request: LearnRequest, board: Game) -> QLearning | NTuple:
    """Return the settings of the requested learner. Raises TooLarge if it needs too much memory."""
    alpha, epsilon = constant(request.alpha), constant(request.epsilon)
    if request.kind == "qlearning":
        return QLearning(alpha=alpha, epsilon=epsilon, opening_plies=0, rows=MAX_ROWS)
    network = NTuple(alpha=alpha, epsilon=epsilon)
    if (size := network.layout(board, request.seed).size) > MAX_WEIGHTS:
        raise TooLarge(f"a network for {board.title} has {size:,} weights; this page trains {MAX_WEIGHTS:,} at most")
    return network


def learn(channel: Channel, request: LearnRequest) -> str:
    """Train until the channel stops it or a limit is reached; return why it ended."""
    board = game(request.game)
    settings = check(request, board)
    learner = settings.learner(board, request.seed, MAX_EPISODES)
    return _Training(channel, learner, request, settings.gamma if isinstance(settings, QLearning) else None).run()


class _Training:
    """A learner with a speed, commands from the page, and frames for it."""

    def __init__(
        self, channel: Channel, learner: QLearner | NTupleLearner, request: LearnRequest, gamma: float | None
    ) -> None:
        self._channel, self._learner, self._gamma = channel, learner, gamma
        self._settings = request
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
            if begun - self._begun > MAX_SECONDS:
                return say("learning", "time", minutes=int(MAX_SECONDS / 60))
            if self._learner.episodes >= MAX_EPISODES:
                return say("learning", "episodes", episodes=MAX_EPISODES)
            self._receive(_TICK if self._paused else 0.0)
            if not self._paused:
                self._tick()
                left = _TICK - (time.monotonic() - begun)
                if left > 0:
                    self._receive(left)
        return say("learning", "stopped")

    def _receive(self, seconds: float) -> None:
        """Apply commands; wait this long for the first one."""
        command = self._channel.receive(seconds)
        while command is not None:
            self._apply(command)
            command = self._channel.receive()

    def _apply(self, command: LearnCommand) -> None:
        learner = self._learner
        self._paused = self._paused if command.paused is None else command.paused
        changed = command.model_dump(include={"alpha", "epsilon", "speed"}, exclude_none=True)
        self._settings = self._settings.model_copy(update=changed)
        if changed.keys() & {"alpha", "epsilon"}:
            alpha, epsilon = constant(self._settings.alpha), constant(self._settings.epsilon)
            learner.set_rates(learner.rates._replace(alpha=alpha, epsilon=epsilon))
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
        wanted, speed = self._pace, self._settings.speed
        if speed:
            self._due = min(self._due + speed * _TICK, max(1.0, speed))
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
        """Learn from episodes; keep the updates of the last one."""
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
        self._channel.send(
            LearnFrame(
                episodes=learner.episodes,
                seconds=round(time.monotonic() - self._begun, 2),
                paused=self._paused,
                alpha=self._settings.alpha,
                epsilon=self._settings.epsilon,
                gamma=self._gamma,
                speed=self._settings.speed,
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
"""Number of frames that may wait for a client."""


@router.websocket("/learn/live")
async def live(socket: WebSocket) -> None:
    """Train a learner. The client sends a `LearnRequest`, then `LearnCommand`s, and gets `LearnFrame`s and at last a
    `LearnEnd`."""
    server = socket.app.state.server
    async with connection(socket, "a LearnRequest, then LearnCommands"):
        with server.trainings.one_more():
            try:
                request = await first_frame(socket, LearnRequest)
                board = game(request.game)
                await asyncio.to_thread(check, request, board)
                job = job_of(socket, learn, request, seconds=MAX_SECONDS + 10, memory_mb=LEARNER_MB)
                async with streamed(server.learners, job) as (updates, task):
                    await while_connected(socket, _pass_on(socket, updates, task), _listen(socket, board, task))
            except InarowError as error:
                await _end(socket, str(error))


async def _pass_on(socket: WebSocket, updates: asyncio.Queue[LearnFrame | None], task: Task[str]) -> None:
    """Send the learner's frames, then why it ended. A slow client misses some frames, but no score or reply."""
    while (frame := await updates.get()) is not None:
        if updates.qsize() <= BEHIND or frame.score is not None or frame.reply is not None:
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
    """Pass commands on to the learner, if they are valid and not too frequent."""
    loop = asyncio.get_running_loop()
    second, count = loop.time(), 0
    while True:
        command = LearnCommand.model_validate_json(await socket.receive_text())
        if command.moves is not None:
            Position.start(board, command.moves)  # raises if they are not legal
        if loop.time() - second > 1:
            second, count = loop.time(), 0
        count += 1
        if count > COMMANDS_A_SECOND:
            raise Closed(1008, "too many commands; wait a moment")
        task.tell(command)
