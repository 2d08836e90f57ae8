"""The server as an ASGI application: the API under /api/v1, the page, and the state of the server."""

from __future__ import annotations

import asyncio
import contextlib
import functools
import hashlib
import html
import tempfile
import threading
from collections.abc import AsyncIterator, Callable
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Literal

from fastapi import FastAPI, Request, Response, WebSocket, WebSocketDisconnect
from fastapi.exceptions import RequestValidationError
from fastapi.responses import HTMLResponse, JSONResponse, PlainTextResponse
from pydantic.json_schema import models_json_schema
from starlette.middleware.gzip import GZipMiddleware
from starlette.staticfiles import StaticFiles

from inarow import __version__
from inarow.agents.registry import agent_classes
from inarow.arena.processes import MemoryBudget, Processes, stand_back
from inarow.drawing.board import theme_css
from inarow.errors import HostFailure, InarowError
from inarow.frontend import STATIC, index_page
from inarow.match import MatchRecord
from inarow.play import NotNow, Setup
from inarow.teaching.exam_tree import parts
from inarow.web import analysis, learning, matches, minds, routes, solving, traces, watching, workers
from inarow.web.data import local_data
from inarow.web.matches import Sessions
from inarow.web.messages import Message
from inarow.web.security import Guard, Missing, Pending, TooMany
from inarow.web.serving import TRAININGS, WebSettings
from inarow.web.watching import Watched

FOR_EVER = "public, max-age=31536000, immutable"
FRAMES = (
    minds.MindsRequest,
    minds.MindsFrame,
    learning.LearnRequest,
    learning.LearnCommand,
    learning.LearnFrame,
    learning.LearnEnd,
)
"""Messages of WebSockets; those of sessions and stores are part of the HTTP API."""


@dataclass
class Server:
    """The state that the routes share."""

    settings: WebSettings
    sessions: Sessions
    ready: threading.Event
    """Set once the kernels are compiled."""
    players: Processes
    analysts: Processes
    thinkers: Processes
    """Workers for agents whose estimates are shown, and for traces."""
    learners: Processes
    """Workers for training, and for the example tournament."""
    watched: list[Watched]
    folder: Path
    """Temporary files of the server."""
    pending: Pending
    thinking: Pending = field(
        default_factory=lambda: Pending(minds.CONNECTIONS, "too many pages with thinking agents are open; close one")
    )
    trainings: Pending = field(
        default_factory=lambda: Pending(TRAININGS, "too many trainings are running; try again later")
    )
    watching: Pending = field(default_factory=lambda: Pending(watching.WATCHERS, "too many pages are open"))
    traces: traces.Traces = field(default_factory=traces.Traces)
    beginning: asyncio.Lock = field(default_factory=asyncio.Lock)
    """Held while the example tournament starts."""

    def stop(self) -> None:
        """Stop all workers at the same time; those that are busy answer with their best result."""
        for pool in (self.players, self.analysts, self.thinkers, self.learners):
            pool.stop()


@dataclass(frozen=True)
class FirstSession:
    """A session to start with the server, under a given id."""

    id: str
    setup: Setup
    record: MatchRecord | None = None


def create_app(settings: WebSettings | None = None, first: FirstSession | None = None) -> FastAPI:
    """Return the application; its worker processes end with it."""
    settings = settings or WebSettings()

    @contextlib.asynccontextmanager
    async def lifespan(app: FastAPI) -> AsyncIterator[None]:
        ready = threading.Event()
        threading.Thread(target=_prepare, args=(ready,), name="inarow-compile", daemon=True).start()
        budget = MemoryBudget(settings.tables_mb, settings.kept_mb)
        pool = functools.partial(Processes, ready=ready, budget=budget)
        with (
            tempfile.TemporaryDirectory(prefix="inarow-") as folder,
            pool(settings.workers, prepare=workers.prepare, release=workers.release) as players,
            pool(settings.workers, prepare=analysis.prepare, release=analysis.release) as analysts,
            pool(settings.workers, prepare=minds.prepare, release=workers.release) as thinkers,
            pool(TRAININGS + 1, prepare=stand_back) as learners,
        ):
            players.start(settings.workers)
            analysts.start(1)
            sessions = Sessions(settings, players)
            pending = Pending(settings.pending_per_client, "too many requests are under way; wait for their answers")
            watched = [Watched(number, path) for number, path in enumerate(settings.watch)]
            pools = players, analysts, thinkers, learners
            app.state.server = Server(settings, sessions, ready, *pools, watched, Path(folder), pending)
            if first is not None:
                sessions.begin(first.setup, first.record, "local", first.id)
            tidy = asyncio.create_task(sessions.keep_tidy())
            try:
                yield
            finally:
                tidy.cancel()
                sessions.close_all()
                app.state.server.stop()

    app = _Api(
        title="inarow",
        version=__version__,
        summary="Games of k in a row: play, decide, solve.",
        lifespan=lifespan,
        docs_url=None,
        redoc_url=None,
        openapi_url="/api/openapi.json",
    )
    for part in (routes, matches, minds, learning, watching, traces):
        app.include_router(part.router, prefix="/api/v1")
    app.include_router(solving.router)
    _handle_errors(app)

    _add_page(app, settings)
    app.add_middleware(GZipMiddleware, minimum_size=1000)
    app.add_middleware(Guard, settings=settings)
    return app


class _Api(FastAPI):
    """An application whose OpenAPI description includes the messages of WebSockets."""

    def openapi(self) -> dict[str, Any]:
        found = super().openapi()
        models: list[tuple[type[Message], Literal["validation"]]] = [(one, "validation") for one in FRAMES]
        frames = models_json_schema(models, ref_template="#/components/schemas/{model}")[1]["$defs"]
        found["components"]["schemas"] = frames | found["components"]["schemas"]
        return found


def _add_page(app: FastAPI, settings: WebSettings) -> None:
    """Serve the page. Its files have a digest in their URL, so that browsers may cache them permanently."""
    theme = theme_css() + parts()["style"]
    digest = _digest(theme)
    text = index_page().replace('"static/', f'"static/{digest}/')
    text = text.replace('"theme.css"', f'"theme.css?{digest}"')
    if settings.public_url:  # a link preview needs an absolute URL
        text = text.replace('content="static/', f'content="{html.escape(settings.public_url.rstrip("/"))}/static/')

    @app.api_route("/", methods=["GET", "HEAD"], include_in_schema=False)
    async def page() -> HTMLResponse:
        return HTMLResponse(text, headers={"cache-control": "no-cache"})

    @app.api_route("/theme.css", methods=["GET", "HEAD"], include_in_schema=False)
    async def colours() -> Response:
        return Response(theme, media_type="text/css", headers={"cache-control": FOR_EVER})

    making = asyncio.Lock()

    @app.get("/data/{name:path}", include_in_schema=False)
    async def data(name: str, request: Request) -> Response:
        """Get a data file of the engine in the browser, once the kernels are compiled."""
        try:
            while not request.app.state.server.ready.is_set():
                await asyncio.sleep(0.1)
            async with making:  # Python's parser, which reads the kernels, fails if two threads use it
                content = (await asyncio.to_thread(_data)).get(name)
        except asyncio.CancelledError:
            return PlainTextResponse("the server is stopping", 503)
        kind = {"json": "application/json", "wasm": "application/wasm"}.get(name.rpartition(".")[2], "text/plain")
        return PlainTextResponse("no such file", 404) if content is None else Response(content, media_type=kind)

    @app.api_route("/health", methods=["GET", "HEAD"], include_in_schema=False)
    async def health() -> PlainTextResponse:
        return PlainTextResponse("ok")

    app.mount(f"/static/{digest}", _CachedFiles(directory=STATIC), name="static")


@functools.cache
def _data() -> dict[str, bytes]:
    return local_data()


def _digest(theme: str) -> str:
    """Return a digest of everything that the page loads."""
    found = hashlib.sha256(theme.encode())
    for path in sorted(path for path in STATIC.rglob("*") if path.is_file()):
        found.update(path.relative_to(STATIC).as_posix().encode() + path.read_bytes())
    return found.hexdigest()[:12]


class _CachedFiles(StaticFiles):
    """Static files that browsers may cache permanently."""

    def file_response(self, *args: Any, **keywords: Any) -> Response:
        answer = super().file_response(*args, **keywords)
        answer.headers["cache-control"] = FOR_EVER
        return answer


def _prepare(ready: threading.Event) -> None:
    """Compile the kernels in a child process if they are not cached; import all agents."""
    from inarow.kernels.warm import warm

    try:
        warm()
    finally:
        ready.set()
    agent_classes()


def _handle_errors(app: FastAPI) -> None:
    """Answer every error with a status and one sentence."""

    def answer(status: int, text: str = "{}") -> Callable[[Request, Exception], JSONResponse]:
        return lambda request, error: JSONResponse({"detail": text.format(error)}, status)

    app.add_exception_handler(InarowError, answer(422))
    app.add_exception_handler(Missing, answer(404))
    app.add_exception_handler(NotNow, answer(409))
    app.add_exception_handler(TooMany, answer(429))
    app.add_exception_handler(HostFailure, answer(503, "that failed ({}); try again"))

    @app.exception_handler(RequestValidationError)
    async def invalid(request: Request, error: RequestValidationError) -> JSONResponse:
        first = error.errors()[0]
        where = ".".join(str(part) for part in first["loc"][1:]) or "the request"
        return JSONResponse({"detail": f"{where}: {first['msg']}"}, 422)

    @app.exception_handler(WebSocketDisconnect)
    async def gone(socket: WebSocket, error: WebSocketDisconnect) -> None:
        """Ignore a client that left before its answer."""
