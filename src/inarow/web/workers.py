"""Work in other processes: agents' decisions, jobs that send results while they run, and the WebSockets for them."""

from __future__ import annotations

import asyncio
import contextlib
import functools
from collections import OrderedDict
from collections.abc import AsyncIterator, Callable, Coroutine
from dataclasses import dataclass
from typing import Any, TypeVar

from fastapi import HTTPException, Request, WebSocket, WebSocketDisconnect
from pydantic import BaseModel, ValidationError
from starlette.requests import HTTPConnection

from inarow.agents import Agent, Decision, Limit, Mind, agent, exact_end
from inarow.agents.alphabeta import Searcher
from inarow.agents.base import rehearse
from inarow.agents.parameters import Configured
from inarow.agents.perfect import ADVISER
from inarow.arena import Executor, Job
from inarow.arena.executor import Task
from inarow.errors import HostFailure, InarowError
from inarow.rules import CONNECT4, Game, Player, Position, game
from inarow.solver.engine import table_mb as solver_mb
from inarow.stopping import Stop
from inarow.web.security import Missing, TooMany, client_of

KEPT_MINDS = 6
"""Number of minds that a worker keeps between decisions, with their tables and trees. Each match has its own; a new
one is made if another worker answers, or if it was closed to make room."""
_LOOK = 0.1
"""Seconds between checks that a client is still connected."""
FIRST_FRAME_SECONDS = 10.0

_minds: OrderedDict[tuple[str, str, int, int], Mind] = OrderedDict()


@dataclass(frozen=True)
class Remote(Agent):
    """An agent whose decisions are made in worker processes."""

    name = "remote"
    summary = "an agent that thinks in another process"
    behind: Agent = None  # type: ignore[assignment]
    executor: Executor = None  # type: ignore[assignment]
    seconds: float = 10.0
    client: str = ""
    written: str = ""
    """The spec of the agent behind; cached, because every state of a session includes it."""

    @classmethod
    def of(cls, behind: Agent, executor: Executor, seconds: float, client: str) -> Remote:
        """Return a stand-in for an agent."""
        return cls(behind, executor, seconds, client, behind.spec)

    @property
    def spec(self) -> str:
        """The spec of the agent behind."""
        return self.written

    def check(self, game: Game) -> None:
        """Raise AgentError if the agent behind can't play this game."""
        self.behind.check(game)

    def mind(self, game: Game, player: Player, seed: int) -> Mind:
        raise NotImplementedError("the minds are in the workers; call ask")

    def ask(self, position: Position, limit: Limit, seed: int) -> Task[Decision]:
        """Ask for a decision."""
        seconds = self.seconds if limit.seconds is None else min(limit.seconds, self.seconds)
        limit = Limit(limit.depth, limit.nodes, limit.simulations, seconds)
        return self.executor.submit(decision_job(self.spec, position, limit, seed, self.client))


def decision_job(spec: str, position: Position, limit: Limit, seed: int, client: str) -> Job[Decision]:
    """Return the job that decides in a position within ``limit.seconds``."""
    arguments = spec, position.game.name, (position.first, position.second), limit, seed
    needs = needs_mb(_agent(spec), position.game)
    return Job(decide, arguments, interactive=True, seconds=limit.seconds, memory_mb=needs, client=client)


def needs_mb(one: Configured, board: Game) -> int:
    """Return the memory that an agent's table, tree and solver may use."""
    found = 0
    for parameter in one.parameters():
        value = parameter.of(one)
        if isinstance(value, Configured):
            found += needs_mb(value, board)
        elif parameter.name == "tree_mb":
            found += value
        elif parameter.name == "tt_mb" and getattr(one, "tt", True):
            found += value if hasattr(one, "tt") else solver_mb(board, value)
        elif parameter.name == "solver" and value:
            found += solver_mb(board, exact_end.TT_MB)
    return found


def prepare() -> None:
    """Load what most decisions need, in a new worker."""
    rehearse(_agent("alphabeta"), CONNECT4)


def decide(stop: Stop, spec: str, board: str, stones: tuple[int, int], limit: Limit, seed: int) -> Decision:
    """Decide, in a worker. If memory is short, the minds of other matches are closed."""
    played = game(board)
    position = Position(played, *stones)
    for _ in range(2):
        with contextlib.suppress(MemoryError):
            decision = _mind(spec, played, position.to_move, seed).decide(position, limit, stop)
            return decision._replace(details=dict(decision.details))
        while release():
            pass
    raise HostFailure(f"{spec} needs more memory than it may use here")


def release() -> bool:
    """Close the least recently used mind, or the solvers kept for new minds; return False if nothing was open."""
    if _minds:
        _minds.popitem(last=False)[1].close()
        return True
    return exact_end.oracles.clear()


def _mind(spec: str, played: Game, player: Player, seed: int) -> Mind:
    kind = _agent(spec)
    key = (spec, played.name, int(player), 0 if _decides_alike(kind) else seed)
    if key not in _minds:
        _minds[key] = kind.start(played, player, seed)
        while len(_minds) > KEPT_MINDS:
            _minds.popitem(last=False)[1].close()
    _minds.move_to_end(key)
    return _minds[key]


def _decides_alike(kind: Agent) -> bool:
    """Return True if all matches may share a mind: the decisions depend on the position alone."""
    return kind == ADVISER or (isinstance(kind, Searcher) and kind.ties != "random")


@functools.lru_cache(maxsize=64)
def _agent(spec: str) -> Agent:
    return agent(spec)


T = TypeVar("T")
Shape = TypeVar("Shape", bound=BaseModel)


def job_of(http: HTTPConnection, function: Callable[..., T], *arguments: Any, seconds: float, memory_mb: int) -> Job[T]:
    """Return a job for the client of a request. Its function gets a `Channel` as its first argument."""
    client = client_of(http.scope)
    return Job(function, arguments, interactive=True, seconds=seconds, memory_mb=memory_mb, client=client)


@contextlib.asynccontextmanager
async def streamed(executor: Executor, job: Job[T]) -> AsyncIterator[tuple[asyncio.Queue[Any], Task[T]]]:
    """Run a job with a queue of its messages, which ends with None. The job is cancelled when the block ends."""
    loop = asyncio.get_running_loop()
    updates: asyncio.Queue[Any] = asyncio.Queue()

    def put(value: Any) -> None:
        with contextlib.suppress(RuntimeError):  # the server has stopped meanwhile
            loop.call_soon_threadsafe(updates.put_nowait, value)

    task = executor.submit(job, put)
    task.add_done_callback(lambda _: put(None))
    try:
        yield updates, task
    finally:
        task.cancel()


class Closed(Exception):
    """Closes a WebSocket with a code and a reason."""

    def __init__(self, code: int, reason: str) -> None:
        super().__init__(reason)
        self.code = code


@contextlib.asynccontextmanager
async def connection(socket: WebSocket, request: str = "") -> AsyncIterator[None]:
    """Accept a WebSocket, and turn errors of the block into its closing code and reason.

    ``request`` describes the expected first frame. A client that leaves early is not an error.
    """
    await socket.accept()
    try:
        try:
            yield
        except Closed as closed:
            await socket.close(closed.code, str(closed))
        except Missing as error:
            await socket.close(4404, str(error))
        except TooMany as error:
            await socket.close(1013, str(error))
        except (ValidationError, KeyError, TimeoutError):
            await socket.close(1003, f"invalid frame; send {request}")
    except (WebSocketDisconnect, RuntimeError):
        pass


async def first_frame(socket: WebSocket, shape: type[Shape]) -> Shape:
    """Read a client's request, the first frame of its connection."""
    async with asyncio.timeout(FIRST_FRAME_SECONDS):
        return shape.model_validate_json(await socket.receive_text())


async def until_closed(socket: WebSocket, reason: str = "this connection only sends") -> None:
    """Wait until a client leaves; a frame that it sends closes the connection."""
    if (await socket.receive())["type"] != "websocket.disconnect":
        raise Closed(1003, reason)


async def while_connected(
    socket: WebSocket, work: Coroutine[Any, Any, None], listen: Coroutine[Any, Any, None]
) -> None:
    """Run a coroutine while another one listens to the client; whichever ends first ends both."""
    working, listening = asyncio.ensure_future(work), asyncio.ensure_future(listen)
    try:
        await asyncio.wait([working, listening], return_when=asyncio.FIRST_COMPLETED)
        if working.done():
            working.result()
            await socket.close(1000)
        else:
            listening.result()
    finally:
        for one in (working, listening):
            one.cancel()
            with contextlib.suppress(asyncio.CancelledError, WebSocketDisconnect, RuntimeError, InarowError, Closed):
                await one


def reason(error: Exception) -> str:
    """Return the message of an error as a sentence."""
    if isinstance(error, InarowError):
        return str(error)
    return f"That failed ({str(error) or type(error).__name__}); try again."


async def answer_of(
    http: Request, executor: Executor, function: Callable[..., T], *arguments: Any, seconds: float, memory_mb: int
) -> T:
    """Return the result of a worker; cancel the work if the client disconnects."""
    with http.app.state.server.pending.one_more(client_of(http.scope)):
        task = executor.submit(job_of(http, function, *arguments, seconds=seconds, memory_mb=memory_mb))
        future = asyncio.wrap_future(task)
        future.add_done_callback(lambda done: done.cancelled() or done.exception())  # the client may have left
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
