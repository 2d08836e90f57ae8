"""The API for watching: standings, cross tables and matches of stores, live, and a study's report."""

from __future__ import annotations

import asyncio
import contextlib
from collections.abc import Iterator
from typing import Annotated

from fastapi import APIRouter, HTTPException, Path, Query, Request, WebSocket, WebSocketDisconnect
from fastapi.responses import FileResponse

from inarow.web.routes import PROBLEMS
from inarow.web.watch_messages import MatchPage, ReplayInfo, WatchedInfo, WatchInfo
from inarow.web.watching import NotThere, Watched

router = APIRouter(prefix="/watch", responses=PROBLEMS)

WATCHERS = 50
"""Pages that may be open on all that is watched."""
REPORT_POLICY = (
    "sandbox allow-scripts allow-popups; default-src 'none'; script-src 'unsafe-inline'; style-src 'unsafe-inline'; "
    "img-src data:; font-src data:"
)
"""A report is a page of its own with its styles and scripts inside. It gets an origin of its own, and no connection: it
can reach neither the API nor the network."""

WatchId = Annotated[int, Path(ge=0, le=10_000)]
Place = Annotated[int, Query(ge=0, le=10_000_000)]


@router.get("")
async def watched(http: Request) -> list[WatchedInfo]:
    """What can be watched: the files and folders named on the command line."""
    return [WatchedInfo(id=one.id, name=one.name) for one in http.app.state.server.watched]


def _find(http: Request | WebSocket, id: int) -> Watched:
    there: list[Watched] = http.app.state.server.watched
    if id >= len(there):
        raise HTTPException(404, "this server watches no such file; start it with --watch FILE")
    return there[id]


@router.get("/{id}")
async def tables(id: WatchId, http: Request) -> WatchInfo:
    """Standings, cross tables and the latest matches."""
    return await _find(http, id).current()


@router.get("/{id}/matches")
async def matches(
    id: WatchId,
    http: Request,
    table: Annotated[int, Query(ge=0, le=10_000)] = 0,
    begin: Place = 0,
    count: Annotated[int, Query(ge=1, le=500)] = 100,
    one: Annotated[int | None, Query(ge=0, le=10_000)] = None,
    two: Annotated[int | None, Query(ge=0, le=10_000)] = None,
) -> MatchPage:
    """A part of a table's matches, the newest first; with ``one`` and ``two`` those of two agents only."""
    found = _find(http, id)
    await found.current()
    agents = None if one is None or two is None else (one, two)
    with _as_missing():
        return await asyncio.to_thread(found.matches, table, begin, count, agents)


@router.get("/{id}/matches/{match}")
async def replay(
    id: WatchId, match: Annotated[str, Path(pattern=r"^[0-9]{1,8}-[0-9]{1,8}-[01]$")], http: Request
) -> ReplayInfo:
    """A match with every position."""
    found = _find(http, id)
    await found.current()
    with _as_missing():
        return await asyncio.to_thread(found.replay, match)


@router.get("/{id}/report", response_class=FileResponse)
async def report(id: WatchId, http: Request) -> FileResponse:
    """A study's report: one HTML page."""
    path = _find(http, id).report
    if path is None or not path.is_file():
        raise HTTPException(404, "there is no report here")
    return FileResponse(path, media_type="text/html", headers={"content-security-policy": REPORT_POLICY})


@contextlib.contextmanager
def _as_missing() -> Iterator[None]:
    try:
        yield
    except NotThere as error:
        raise HTTPException(404, str(error)) from None


@router.websocket("/{id}/live")
async def live(socket: WebSocket, id: int) -> None:
    """Sends the tables whenever the store changes. A frame from the client ends the connection."""
    server = socket.app.state.server
    await socket.accept()
    if not 0 <= id < len(server.watched):
        await socket.close(4404, "this server watches no such file")
        return
    if server.watchers >= WATCHERS:
        await socket.close(1013, "too many pages are open")
        return
    server.watchers += 1
    found, sent = server.watched[id], -1
    listening = asyncio.ensure_future(socket.receive())
    try:
        while not listening.done():
            info = await found.current()
            if info.version != sent:
                sent = info.version
                await socket.send_text(info.model_dump_json())
            await asyncio.wait([listening], timeout=found.pause)
        if listening.result()["type"] != "websocket.disconnect":
            await socket.close(1003, "this connection only sends")
    except (WebSocketDisconnect, RuntimeError):
        pass
    finally:
        server.watchers -= 1
        listening.cancel()
