"""The API's sessions: start one, move, undo, hint, pace, its record, and live updates."""

from __future__ import annotations

import asyncio
import contextlib
from collections.abc import Iterator
from typing import Annotated, Literal

from fastapi import APIRouter, HTTPException, Path, Request, Response, WebSocket, WebSocketDisconnect
from fastapi.responses import PlainTextResponse

from inarow.drawing.svg import draw_svg
from inarow.match.files import record_text
from inarow.play.session import NotNow
from inarow.web.live import Live
from inarow.web.routes import PROBLEMS
from inarow.web.security import client_of
from inarow.web.session_messages import MoveRequest, PaceRequest, SessionInfo, SessionRequest

router = APIRouter(responses=PROBLEMS)

WATCHERS = 20
"""Pages that may be open on one session."""

SessionId = Annotated[str, Path(min_length=10, max_length=40, pattern=r"^[A-Za-z0-9_-]+$")]


@router.post("/sessions", status_code=201, response_model=SessionInfo)
async def start_session(request: SessionRequest, http: Request) -> Response:
    """Start a session; its id is the key to it."""
    live: Live = await http.app.state.server.sessions.start(request, client_of(http.scope))
    return _state(live, 201)


def _live(http: Request | WebSocket, id: str) -> Live:
    try:
        found: Live = http.app.state.server.sessions.get(id)
    except KeyError:
        raise HTTPException(404, "this session does not exist or has expired; start a new one") from None
    return found


@router.get("/sessions/{id}", response_model=SessionInfo)
async def session(id: SessionId, http: Request) -> Response:
    """The state of a session."""
    return _state(_live(http, id))


@router.delete("/sessions/{id}", status_code=204)
async def end_session(id: SessionId, http: Request) -> Response:
    """End a session."""
    _live(http, id)
    http.app.state.server.sessions.close(id)
    return Response(status_code=204)


@router.post("/sessions/{id}/move", response_model=SessionInfo)
async def move(id: SessionId, request: MoveRequest, http: Request) -> Response:
    """Make a person's move."""
    live = _live(http, id)
    if request.ply is not None and request.ply != live.session.position.ply:
        raise HTTPException(409, "the position has changed since; look at it again")
    with _as_conflict():
        live.session.play(request.move)
    return _after(live)


@router.post("/sessions/{id}/{command}", response_model=SessionInfo)
async def command(
    id: SessionId, command: Annotated[str, Path(pattern=r"^(undo|redo|hint|new)$")], http: Request
) -> Response:
    """undo, redo, hint, or new for a new match."""
    live = _live(http, id)
    session = live.session
    actions = {"undo": session.undo, "redo": session.redo, "hint": session.hint, "new": session.new_match}
    with _as_conflict():
        actions[command]()
    return _after(live)


@router.put("/sessions/{id}/pace", response_model=SessionInfo)
async def pace(id: SessionId, request: PaceRequest, http: Request) -> Response:
    """Pause, resume or change the speed."""
    live = _live(http, id)
    with _as_conflict():
        if request.delay is not None:
            live.session.set_delay(request.delay)
        if request.paused is not None:
            live.session.pause(request.paused)
    return _after(live)


@router.get("/sessions/{id}/record", response_class=PlainTextResponse)
async def record(id: SessionId, http: Request) -> PlainTextResponse:
    """The matches of the session as a text that can be loaded again."""
    records = _live(http, id).session.records()
    return PlainTextResponse("\n".join(record_text(one) for one in records))


@router.get("/sessions/{id}/picture", response_class=Response)
async def picture(id: SessionId, http: Request, theme: Literal["auto", "light", "dark"] = "auto") -> Response:
    """The board as it stands, as SVG."""
    session = _live(http, id).session
    last = session.moves[-1] if session.moves else None
    return Response(draw_svg(session.position, last=last, theme=theme, cell=64), media_type="image/svg+xml")


@contextlib.contextmanager
def _as_conflict() -> Iterator[None]:
    """A command that is not possible now is a conflict (409); an illegal move is a wrong request (422)."""
    try:
        yield
    except NotNow as error:
        raise HTTPException(409, str(error)) from None


def _after(live: Live) -> Response:
    live.proceed()
    return _state(live)


def _state(live: Live, status: int = 200) -> Response:
    """The state as JSON. It was checked when it was made, so FastAPI need not check it again."""
    return Response(live.text(), status, media_type="application/json")


@router.websocket("/sessions/{id}/live")
async def live_updates(socket: WebSocket, id: str) -> None:
    """Sends the state of a session whenever it changes. A frame from the client ends the connection."""
    try:
        live: Live = socket.app.state.server.sessions.get(id)
    except KeyError:
        await socket.accept()
        await socket.close(4404, "this session does not exist or has expired")
        return
    await socket.accept()
    if live.watchers >= WATCHERS:
        await socket.close(1013, "too many pages are open on this session")
        return
    with live.watch() as states:
        await socket.send_text(live.text())
        listening = asyncio.ensure_future(socket.receive())
        try:
            while not listening.done():
                sending = asyncio.ensure_future(states.get())
                done, _ = await asyncio.wait([listening, sending], return_when=asyncio.FIRST_COMPLETED)
                if sending not in done:
                    sending.cancel()
                    continue
                state = sending.result()
                if state is None:
                    await socket.close(4404, "this session has ended")
                    return
                live.touch()
                await socket.send_text(state)
            if listening.result()["type"] != "websocket.disconnect":
                await socket.close(1003, "this connection only sends; use the API for commands")
        except (WebSocketDisconnect, RuntimeError):
            pass
        finally:
            listening.cancel()
