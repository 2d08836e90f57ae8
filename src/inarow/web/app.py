"""The server as an ASGI application: the page and its files, the API under /api/v1, and the state of the server."""

from __future__ import annotations

import asyncio
import contextlib
import hashlib
import html
import subprocess
import sys
import tempfile
import threading
from collections.abc import AsyncIterator, Callable
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from fastapi import FastAPI, Request, Response, WebSocket, WebSocketDisconnect
from fastapi.exceptions import RequestValidationError
from fastapi.responses import FileResponse, HTMLResponse, JSONResponse, PlainTextResponse
from starlette.middleware.gzip import GZipMiddleware
from starlette.staticfiles import StaticFiles

from inarow import __version__
from inarow.agents.registry import agent_classes
from inarow.arena.processes import Processes
from inarow.drawing.board import theme_css
from inarow.errors import HostFailure, InarowError
from inarow.frontend import STATIC, index_page
from inarow.play import NotNow
from inarow.teaching.exam_tree import parts
from inarow.web import deciding, relay, routes, watching
from inarow.web.data import FILES
from inarow.web.deciding import Deciding
from inarow.web.relay import Relays
from inarow.web.security import Guard, Missing, Pending, TooMany
from inarow.web.serving import WebSettings
from inarow.web.watching import Watched

FOR_EVER = "public, max-age=31536000, immutable"


@dataclass
class Server:
    """The state that the routes share."""

    relays: Relays
    deciding: Deciding
    watched: list[Watched]
    folder: Path
    """The data files of the page."""
    writing: subprocess.Popen[bytes]
    """The process that writes them."""
    watching: Pending = field(default_factory=lambda: Pending(watching.WATCHERS, "too many pages are open"))

    def stop(self) -> None:
        """Stop all workers at the same time; those that are busy answer with their best result."""
        self.writing.kill()
        self.deciding.stop()


def create_app(settings: WebSettings | None = None) -> FastAPI:
    """Return the application; its worker processes end with it."""
    settings = settings or WebSettings()

    @contextlib.asynccontextmanager
    async def lifespan(app: FastAPI) -> AsyncIterator[None]:
        ready = threading.Event()
        with (
            tempfile.TemporaryDirectory(prefix="inarow-") as folder,
            subprocess.Popen([sys.executable, "-m", "inarow.web.data", folder]) as writing,
            contextlib.ExitStack() as open_workers,
        ):
            workers = [open_workers.enter_context(Processes(1, ready=ready)) for _ in range(deciding.WORKERS)]
            threading.Thread(target=_prepare, args=(ready,), name="inarow-compile", daemon=True).start()
            relays = Relays(settings)
            watched = [Watched(number, path) for number, path in enumerate(settings.watch)]
            app.state.server = Server(relays, Deciding(workers), watched, Path(folder), writing)
            tidy = asyncio.create_task(relays.keep_tidy())
            try:
                yield
            finally:
                tidy.cancel()
                app.state.server.stop()

    app = FastAPI(
        title="inarow",
        version=__version__,
        summary="What the page can't do itself: shared matches, agents in Python, live tournaments; and exact scores.",
        lifespan=lifespan,
        docs_url=None,
        redoc_url=None,
        openapi_url="/api/openapi.json",
    )
    app.state.settings = settings
    for router in (routes.router, relay.router, watching.router):
        app.include_router(router, prefix="/api/v1")
    app.include_router(routes.open_router)
    _handle_errors(app)

    _add_page(app, settings)
    app.add_middleware(GZipMiddleware, minimum_size=1000)
    app.add_middleware(Guard, settings=settings)
    return app


def _add_page(app: FastAPI, settings: WebSettings) -> None:
    """Serve the page. Its files have a digest in their URL, so that browsers may cache them permanently."""
    theme = theme_css() + parts()["style"]
    digest = _digest(theme)
    text = index_page().replace('"static/', f'"static/{digest}/')
    text = text.replace('"theme.css"', f'"theme.css?{digest}"').replace("<html", '<html data-engine="served"', 1)
    if settings.public_url:  # a link preview needs an absolute URL
        text = text.replace('content="static/', f'content="{html.escape(settings.public_url.rstrip("/"))}/static/')

    @app.api_route("/", methods=["GET", "HEAD"], include_in_schema=False)
    async def page() -> HTMLResponse:
        return HTMLResponse(text, headers={"cache-control": "no-cache"})

    @app.api_route("/theme.css", methods=["GET", "HEAD"], include_in_schema=False)
    async def colours() -> Response:
        return Response(theme, media_type="text/css", headers={"cache-control": FOR_EVER})

    @app.get("/data/{name:path}", include_in_schema=False)
    async def data(name: str, request: Request) -> Response:
        """Get a data file of the page; the first ones are there a second after the start of the server."""
        server: Server = request.app.state.server
        if name not in FILES:
            return PlainTextResponse("no such file", 404)
        path = server.folder / name
        while not path.is_file():
            if server.writing.poll() is not None and not path.is_file():
                return PlainTextResponse("the file could not be written; restart the server", 503)
            await asyncio.sleep(0.05)
        kind = {"json": "application/json", "wasm": "application/wasm"}.get(name.rpartition(".")[2], "text/plain")
        return FileResponse(path, media_type=kind)

    @app.api_route("/health", methods=["GET", "HEAD"], include_in_schema=False)
    async def health() -> PlainTextResponse:
        return PlainTextResponse("ok")

    app.mount(f"/static/{digest}", _CachedFiles(directory=STATIC), name="static")


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
