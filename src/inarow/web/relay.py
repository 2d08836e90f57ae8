"""Matches between two people at different computers: the server checks and keeps the moves, and tells all open pages.

The pages do everything else: they know who is to move, the score of a series, and how a match ended.
"""

from __future__ import annotations

import asyncio
import contextlib
import secrets
import time
from collections.abc import Iterator
from typing import Annotated, Literal

from fastapi import APIRouter, Path, Request, Response, WebSocket
from pydantic import Field

from inarow.formatting import say
from inarow.play import NotNow
from inarow.rules import Position, game
from inarow.web.messages import PROBLEMS, Message, Move, Moves, Name
from inarow.web.security import Missing, Refused, TooMany, client_of
from inarow.web.serving import WebSettings
from inarow.web.sockets import Closed, connection, send_until_closed

PersonName = Annotated[str, Field(max_length=30, pattern=r"^[^\x00-\x1f]*$")]
SessionId = Annotated[str, Path(min_length=10, max_length=40, pattern=r"^[A-Za-z0-9_-]+$")]
MATCHES = 100
"""Maximum number of matches that two people play by one link."""
WATCHERS = 20
"""Pages that may be open on one match at a time."""
PAUSE = 2.0
"""Seconds between two matches of a series."""
_IDLE_CHECK = 30.0


class RelayRequest(Message):
    """A match to share: its setup, and the moves so far of each match, the current one last."""

    game: Name
    starts: Literal["one", "two", "random", "alternate"] = "one"
    matches: Annotated[int, Field(ge=1, le=1000)] = 1
    opening: Moves = Field(default=[])
    names: Annotated[list[PersonName], Field(max_length=2)] = Field(default=[])
    mode: Annotated[str, Field(max_length=80)] = ""
    seed: Annotated[int, Field(ge=0, le=2**53)] = 0
    played: Annotated[list[Moves], Field(min_length=1, max_length=MATCHES)] = Field(default=[[]])


class RelayInfo(RelayRequest):
    """The state of a shared match; ``version`` increases with every change."""

    id: str
    version: int
    undone: Moves
    """Moves that were taken back, the last one first to be made again."""


class MoveRequest(Message):
    """A move; it is refused if ``ply`` differs from the position's."""

    move: Move
    ply: Annotated[int, Field(ge=0, le=63)] | None = None


class Relayed:
    """A shared match and the pages open on it. All methods run on the server's event loop."""

    def __init__(self, request: RelayRequest, client: str) -> None:
        self.client = client
        self.used = time.monotonic()
        given = request.model_dump()
        self.info = RelayInfo(**given, id=secrets.token_urlsafe(16), version=1, undone=[])
        self._board = game(request.game)
        self.info.game = self._board.name
        if Position.start(self._board, request.opening).outcome() is not None:
            raise Refused(say("local", "opening_over"))
        for moves in request.played:
            self._position(moves)
        self._watchers: set[asyncio.Queue[str | None]] = set()
        self.text = ""
        self._changed()

    def _position(self, moves: list[int]) -> Position:
        return Position.start(self._board, (*self.info.opening, *moves))

    @property
    def moves(self) -> list[int]:
        """The moves of the current match."""
        return self.info.played[-1]

    def move(self, move: int, ply: int | None) -> None:
        """Make a move."""
        position = self._position(self.moves)
        if ply is not None and ply != position.ply:
            raise NotNow(say("not_now", "changed"))
        if position.outcome() is not None:
            raise NotNow(say("not_now", "over"))
        position.play(move)
        self.moves.append(move)
        self.info.undone.clear()
        self._changed()

    def undo(self) -> None:
        """Take the last move back."""
        if not self.moves:
            raise NotNow(say("not_now", "nothing_to_undo"))
        self.info.undone.append(self.moves.pop())
        self._changed()

    def redo(self) -> None:
        """Make the move again that was taken back last."""
        if not self.info.undone:
            raise NotNow(say("not_now", "nothing_to_redo"))
        self.moves.append(self.info.undone.pop())
        self._changed()

    def new(self) -> None:
        """Begin the next match."""
        if len(self.info.played) == MATCHES:
            raise TooMany(f"{MATCHES} matches were played by this link; start another one")
        self.info.played.append([])
        self.info.undone.clear()
        self._changed()

    def _changed(self) -> None:
        self.info.version += 1
        self.text = self.info.model_dump_json()
        self._tell(self.text)
        over = [self._position(moves).outcome() is not None for moves in self.info.played]
        if over[-1] and sum(over) < self.info.matches:  # the next match of a series begins by itself
            asyncio.get_running_loop().call_later(PAUSE, self._follow, self.info.version)

    def _follow(self, version: int) -> None:
        if self.info.version == version and len(self.info.played) < MATCHES:
            self.new()

    def _tell(self, state: str | None) -> None:
        for watcher in self._watchers:
            if watcher.full():
                watcher.get_nowait()  # a slow watcher needs the latest states only
            watcher.put_nowait(state)

    @contextlib.contextmanager
    def watch(self) -> Iterator[asyncio.Queue[str | None]]:
        """Yield a queue of states as JSON; None when the match is closed."""
        watcher: asyncio.Queue[str | None] = asyncio.Queue(4)
        self._watchers.add(watcher)
        try:
            yield watcher
        finally:
            self._watchers.discard(watcher)
            self.used = time.monotonic()

    @property
    def watchers(self) -> int:
        """The number of pages open on it."""
        return len(self._watchers)

    def close(self) -> None:
        """Tell the pages that the match is closed."""
        self._tell(None)


class Relays:
    """All shared matches of a server, by id."""

    def __init__(self, settings: WebSettings) -> None:
        self._settings = settings
        self._open: dict[str, Relayed] = {}

    def __len__(self) -> int:
        return len(self._open)

    def start(self, request: RelayRequest, client: str) -> Relayed:
        """Share a match. Raises TooMany."""
        self.drop_idle()
        own = sum(one.client == client for one in self._open.values())
        if own >= self._settings.matches_per_client or len(self._open) >= self._settings.matches:
            raise TooMany("too many matches are shared; close one, or try again later")
        relayed = Relayed(request, client)
        self._open[relayed.info.id] = relayed
        return relayed

    def get(self, id: str) -> Relayed:
        """Return a shared match. Raises Missing."""
        relayed = self._open.get(id)
        if relayed is None:
            raise Missing(say("not_now", "no_session"))
        relayed.used = time.monotonic()
        return relayed

    def close(self, id: str) -> None:
        """End a shared match."""
        if (relayed := self._open.pop(id, None)) is not None:
            relayed.close()

    def drop_idle(self) -> None:
        """End the matches that have not been used for long."""
        now = time.monotonic()
        for relayed in [one for one in self._open.values() if not one.watchers]:
            if now - relayed.used > 60 * self._settings.idle_minutes:
                self.close(relayed.info.id)

    async def keep_tidy(self) -> None:
        """Drop idle matches periodically."""
        while True:
            await asyncio.sleep(_IDLE_CHECK)
            self.drop_idle()


router = APIRouter(prefix="/matches", responses=PROBLEMS)


def _find(http: Request | WebSocket, id: str) -> Relayed:
    relayed: Relayed = http.app.state.server.relays.get(id)
    return relayed


def _state(relayed: Relayed, status: int = 200) -> Response:
    """Return the state as JSON, already validated."""
    return Response(relayed.text, status, media_type="application/json")


@router.post("", status_code=201, response_model=RelayInfo)
async def share(request: RelayRequest, http: Request) -> Response:
    """Share a match. Anyone who knows its id can move for both."""
    return _state(http.app.state.server.relays.start(request, client_of(http.scope)), 201)


@router.get("/{id}", response_model=RelayInfo)
async def shared(id: SessionId, http: Request) -> Response:
    """Get the state of a shared match."""
    return _state(_find(http, id))


@router.delete("/{id}", status_code=204)
async def end(id: SessionId, http: Request) -> Response:
    """End a shared match."""
    _find(http, id)
    http.app.state.server.relays.close(id)
    return Response(status_code=204)


@router.post("/{id}/move", response_model=RelayInfo)
async def move(id: SessionId, request: MoveRequest, http: Request) -> Response:
    """Make a move."""
    relayed = _find(http, id)
    relayed.move(request.move, request.ply)
    return _state(relayed)


@router.post("/{id}/{command}", response_model=RelayInfo)
async def command(
    id: SessionId, command: Annotated[str, Path(pattern=r"^(undo|redo|new)$")], http: Request
) -> Response:
    """Take a move back, make it again, or begin a new match."""
    relayed = _find(http, id)
    {"undo": relayed.undo, "redo": relayed.redo, "new": relayed.new}[command]()
    return _state(relayed)


@router.websocket("/{id}/live")
async def live(socket: WebSocket, id: str) -> None:
    """Send the state of a shared match whenever it changes. A frame from the client ends the connection."""
    async with connection(socket):
        relayed = _find(socket, id)
        if relayed.watchers >= WATCHERS:
            raise TooMany("too many pages are open on this match")
        with relayed.watch() as states:
            await socket.send_text(relayed.text)
            await send_until_closed(socket, _send_states(socket, states))


async def _send_states(socket: WebSocket, states: asyncio.Queue[str | None]) -> None:
    while (state := await states.get()) is not None:
        await socket.send_text(state)
    raise Closed(4404, "this match has ended")
