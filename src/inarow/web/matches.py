"""Matches on the server: sessions as clients start them, what they tell those who watch, and the API for both."""

from __future__ import annotations

import asyncio
import contextlib
import itertools
import secrets
import time
from collections.abc import Iterator, Sequence
from dataclasses import replace
from typing import Annotated, Literal

from fastapi import APIRouter, HTTPException, Path, Request, Response, WebSocket, WebSocketDisconnect
from fastapi.responses import PlainTextResponse

from inarow.agents import Agent, Decision
from inarow.agents.perfect import ADVISER
from inarow.arena import Executor
from inarow.drawing.svg import draw_svg
from inarow.formatting import say
from inarow.match import MatchRecord
from inarow.match.record import parse_records, record_text
from inarow.play import Person, Session, Setup, Starts
from inarow.play.saved import setup_of
from inarow.play.session import AgentFailed, Ended, Event, Hinted, Moved, NotNow, Started, TakenBack, Thinking
from inarow.play.setup import Participant, label_of
from inarow.rules import Game, Player, Position, game
from inarow.truth.explain import reason_of
from inarow.web.messages import (
    EndingInfo,
    HintInfo,
    MoveRequest,
    PaceRequest,
    PlayedInfo,
    PositionInfo,
    SeatInfo,
    SessionInfo,
    SessionRequest,
)
from inarow.web.routes import PROBLEMS, record_of
from inarow.web.security import Refused, TooMany, client_of, participant
from inarow.web.serving import WebSettings
from inarow.web.workers import Remote


def new_id() -> str:
    """An id that can't be guessed."""
    return secrets.token_urlsafe(16)


class Live:
    """One session and those who watch it. All methods run on the server's loop."""

    def __init__(self, session: Session, client: str, id: str = "", names: Sequence[str] = ()) -> None:
        self.id = id or new_id()
        self.client = client
        self._names = [shown_name(one, session.setup.game) for one in session.setup.participants]
        for index, name in enumerate(names):
            if isinstance(session.setup.participants[index], Person):
                self._names[index] = name.strip()
        self.session = session
        self.version = 0
        self.used = time.monotonic()
        self.hint: Decision | None = None
        self.failure: str | None = None
        self._resting = False
        self._changed = asyncio.Event()
        self._watchers: set[asyncio.Queue[str | None]] = set()
        self._text: str | None = None
        self._loop = asyncio.get_running_loop()
        session.wake = self._wake
        self._task = self._loop.create_task(self._run())

    async def _run(self) -> None:
        """Let the session proceed whenever an answer or a timer is due."""
        while not self.session.closed:
            self._proceed()
            due = self.session.due
            with contextlib.suppress(TimeoutError):
                await asyncio.wait_for(self._changed.wait(), None if due is None else due + 0.001)
            self._changed.clear()

    def _wake(self) -> None:
        """Called on the thread that has an answer."""
        with contextlib.suppress(RuntimeError):  # the server has stopped meanwhile
            self._loop.call_soon_threadsafe(self._changed.set)

    def proceed(self) -> None:
        """Process what is due after a command, which also ends the pause after a failure."""
        if self.failure is not None and self.session.paused and not self.session.setup.watched:
            self.session.pause(False)
        self._proceed(commanded=True)
        self._changed.set()  # the next timer may be another one now

    def _proceed(self, commanded: bool = False) -> None:
        """Process what is due, and tell the watchers of a change; every command is one, also a pause."""
        events = self.session.update()
        for event in events:
            self._note(event)
        if events or commanded:
            self.version += 1
            self._text = None
            if self._watchers:
                self._tell(self.text())

    def _tell(self, state: str | None) -> None:
        for watcher in self._watchers:
            if watcher.full():
                watcher.get_nowait()  # a slow watcher only ever needs the latest state
            watcher.put_nowait(state)

    def _note(self, event: Event) -> None:
        if isinstance(event, Hinted):
            self.hint = event.decision
        elif isinstance(event, AgentFailed):
            self.failure = event.message
        elif isinstance(event, Thinking):
            self.failure = None
        elif isinstance(event, Moved | TakenBack | Started):
            self.hint = None
            if not isinstance(event, Moved) or event.decision is None:
                self.failure = None

    def touch(self) -> None:
        """Note that somebody uses the session."""
        self.used = time.monotonic()
        if self._resting:
            self._resting = False
            self._text = None
            self.session.pause(False)
            self._changed.set()

    def rest(self) -> None:
        """Stop agents that play each other while nobody looks, until somebody does."""
        if self.session.setup.watched and not self.session.paused and not self.session.series_over:
            self._resting = True
            self._text = None
            self.session.pause()

    @contextlib.contextmanager
    def watch(self) -> Iterator[asyncio.Queue[str | None]]:
        """A queue of states, as texts, while the block runs; None when the session ends."""
        watcher: asyncio.Queue[str | None] = asyncio.Queue(4)
        self._watchers.add(watcher)
        self.touch()
        try:
            yield watcher
        finally:
            self._watchers.discard(watcher)

    @property
    def watchers(self) -> int:
        """How many pages are open on it."""
        return len(self._watchers)

    def close(self) -> None:
        """End the session, and tell those who watch it."""
        self._task.cancel()
        self.session.close(0.0)
        self._tell(None)

    def text(self) -> str:
        """The state as JSON, made once after each change."""
        if self._text is None:
            self._text = self.state().model_dump_json()
        return self._text

    def state(self) -> SessionInfo:
        """Everything a page shows."""
        session = self.session
        position = session.position
        thinking = session.thinking
        hint = self.hint
        return SessionInfo(
            id=self.id,
            version=self.version,
            position=PositionInfo.of(position, session.moves),
            opening=list(session.setup.opening),
            played=_played(session),
            seats=[
                SeatInfo(
                    name=self._names[session.index(player)],
                    spec=session.participant(player).spec,
                    person=isinstance(session.participant(player), Person),
                    participant=session.index(player),
                )
                for player in Player
            ],
            mode=session.setup.mode,
            number=session.number,
            matches=session.setup.matches,
            score=list(session.tally),
            thinking=None if thinking is None else int(thinking),
            awaits_person=session.awaits_person,
            hinting=session.hinting,
            hint=None if hint is None else hint_info(position, hint),
            can_undo=session.can_undo,
            can_redo=session.can_redo,
            paused=session.paused,
            delay=session.setup.delay,
            watched=session.setup.watched,
            series_over=session.series_over,
            ending=None if session.ending is None else self._ending(session.ending),
            failure=self.failure,
        )

    def _ending(self, ended: Ended) -> EndingInfo:
        winner = ended.outcome.winner
        if winner is None:
            text = say("ending", "draw")
        else:
            names = {"name": self._called(winner), "letter": "XO"[winner], "other": self._called(winner.other)}
            kind = "fault" if ended.termination.is_fault else "win"
            text = say("ending", kind, **names, fault=ended.termination.value)
        return EndingInfo(
            winner=None if winner is None else int(winner), termination=ended.termination.value, text=text
        )

    def _called(self, player: Player) -> str:
        index = self.session.index(player)
        return self._names[index] or say("ending", ("player_one", "player_two")[index])


def shown_name(one: Participant, board: Game) -> str:
    """Return the name that a page shows: a level's label, or the agent's; empty for a person."""
    if isinstance(one, Person):
        return ""
    return label_of(one.spec, board) or one.label


def _played(session: Session) -> list[PlayedInfo]:
    return [
        PlayedInfo(
            move=one.move,
            cell=before.game.cell_bits.index(after.occupied ^ before.occupied),
            player=int(before.to_move),
            value=one.decision.value if one.decision else None,
            nodes=one.decision.nodes if one.decision else 0,
            depth=one.decision.depth if one.decision else None,
            seconds=one.seconds,
            effort=one.decision.effort if one.decision else "",
            note=one.decision.note if one.decision else "",
        )
        for one, (before, after) in zip(session.played, itertools.pairwise(session.positions), strict=True)
    ]


def hint_info(position: Position, hint: Decision) -> HintInfo:
    """Advice for the page."""
    return HintInfo(move=hint.move, line=list(hint.line), why=reason_of(position, hint))


_IDLE_CHECK = 30.0
_UNWATCHED = 60.0
"""Seconds for which agents play each other without anybody looking."""


class Sessions:
    """All sessions of a server, by their ids."""

    def __init__(self, settings: WebSettings, executor: Executor) -> None:
        self._settings = settings
        self._executor = executor
        self._live: dict[str, Live] = {}

    def __len__(self) -> int:
        return len(self._live)

    async def start(self, request: SessionRequest, client: str) -> Live:
        """A new session, as a client asked for it."""
        self.drop_idle()
        self._check_room(client)
        setup, record = await asyncio.to_thread(self._setup, request)  # an agent's model may be read
        self._check_room(client)
        return self.begin(setup, record, client, names=request.names)

    def _check_room(self, client: str) -> None:
        mine = sum(one.client == client for one in self._live.values())
        if mine >= self._settings.sessions_per_client or len(self._live) >= self._settings.sessions:
            raise TooMany("too many sessions are open; close one, or try again later")

    def begin(
        self, setup: Setup, record: MatchRecord | None, client: str, id: str = "", names: Sequence[str] = ()
    ) -> Live:
        """A new session; its agents think in worker processes."""
        one, two = (one if isinstance(one, Person) else self._remote(one, client) for one in setup.participants)
        adviser = self._remote(ADVISER, client)
        session = Session(replace(setup, participants=(one, two)), adviser=adviser, record=record)
        live = Live(session, client, id, names)
        self._live[live.id] = live
        live.proceed()
        return live

    def _setup(self, request: SessionRequest) -> tuple[Setup, MatchRecord | None]:
        if request.record is not None:
            record = read_record(request.record)
            for spec in (record.first, record.second):  # before anything is made of them
                participant(spec, self._settings)
            return replace(setup_of(record), delay=request.delay), record
        board = game(request.game)
        seed = secrets.randbits(31) if request.seed is None else request.seed
        both = participant(request.one, self._settings), participant(request.two, self._settings)
        watched = not any(isinstance(one, Person) for one in both)
        setup = Setup(
            board,
            both,
            starts=Starts.of(request.starts),
            matches=request.matches,
            delay=request.delay,
            pause=max(0.5, 2 * request.delay) if watched else 2.0,
            opening=tuple(request.opening),
            seed=seed,
            mode=request.mode,
        )
        return setup, self._resumed(setup, request) if request.moves else None

    def _resumed(self, setup: Setup, request: SessionRequest) -> MatchRecord:
        """Return the record of a match of which the client knows the moves, as after a restart of the server."""
        if setup.starts not in (Starts.ONE, Starts.TWO):
            raise Refused("a match can be resumed only if starts is one or two")
        seats = setup.participants if setup.starts is Starts.ONE else setup.participants[::-1]
        moves = tuple(request.moves)
        position = Position.start(setup.game, (*setup.opening, *moves))
        record = record_of(position, moves, seats[0].spec, seats[1].spec)
        return replace(record, opening=setup.opening, seed=setup.seed)

    def _remote(self, one: Agent, client: str) -> Remote:
        return Remote.of(one, self._executor, self._settings.decision_seconds, client)

    def get(self, id: str) -> Live:
        """The session of an id."""
        live = self._live.get(id)
        if live is None:
            raise KeyError(id)
        live.touch()
        return live

    def close(self, id: str) -> None:
        """End a session."""
        live = self._live.pop(id, None)
        if live is not None:
            live.close()

    def drop_idle(self) -> None:
        """End sessions that nobody has used for long, and let agents rest that nobody has looked at for a while."""
        now = time.monotonic()
        for live in [one for one in self._live.values() if not one.watchers]:
            if now - live.used > 60 * self._settings.idle_minutes:
                self.close(live.id)
            elif now - live.used > _UNWATCHED:
                live.rest()

    async def keep_tidy(self) -> None:
        """Drop idle sessions from time to time, for ever."""
        while True:
            await asyncio.sleep(_IDLE_CHECK)
            self.drop_idle()

    def close_all(self) -> None:
        """End everything."""
        for live in list(self._live.values()):
            self.close(live.id)


def read_record(text: str) -> MatchRecord:
    """The last record of a file's text: JSON lines, or the short text."""
    records = list(parse_records(text, "the record"))
    if not records:
        raise Refused("this text holds no record")
    return records[-1]


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
        raise HTTPException(404, say("not_now", "no_session")) from None
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
        raise HTTPException(409, say("not_now", "changed"))
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
