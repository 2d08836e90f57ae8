"""Matches on the server: sessions, their live updates, and the API of both."""

from __future__ import annotations

import asyncio
import contextlib
import itertools
import secrets
import time
from collections.abc import Iterator, Sequence
from dataclasses import replace
from typing import Annotated, Literal

from fastapi import APIRouter, Path, Request, Response, WebSocket
from fastapi.responses import PlainTextResponse
from pydantic import Field

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
from inarow.web.messages import Message, Move, Moves, Name, PositionInfo, Spec
from inarow.web.routes import PROBLEMS, record_of
from inarow.web.security import Missing, Refused, TooMany, client_of, participant
from inarow.web.serving import WebSettings
from inarow.web.workers import Closed, Remote, connection, until_closed, while_connected

PersonName = Annotated[str, Field(max_length=30, pattern=r"^[^\x00-\x1f]*$")]


class SessionRequest(Message):
    """Start a session: two participants, each ``human`` or an agent's spec."""

    game: Name
    one: Spec = "human"
    two: Spec = "rules"
    starts: Literal["one", "two", "random", "alternate"] = "one"
    matches: Annotated[int, Field(ge=1, le=1000)] = 1
    delay: Annotated[float, Field(ge=0, le=60)] = 0.4
    opening: Moves = Field(default=[])
    """The opening of every match; it can't be undone."""
    moves: Moves = Field(default=[])
    """Moves of a match to resume, started by participant one or two according to ``starts``; they can be undone."""
    names: Annotated[list[PersonName], Field(max_length=2)] = Field(default=[])
    """The names of participants one and two, if they are people."""
    mode: Annotated[str, Field(max_length=80)] = ""
    """The title of the pairing during play."""
    seed: Annotated[int, Field(ge=0, le=2**53)] | None = None
    record: Annotated[str, Field(max_length=200_000)] | None = None
    """A saved match to resume; it replaces the other fields."""


class MoveRequest(Message):
    """A person's move; it is refused if ``ply`` is given and differs from the position's."""

    move: Move
    ply: Annotated[int, Field(ge=0, le=63)] | None = None


class PaceRequest(Message):
    """Pause, resume, or change the minimum time of agents' moves."""

    paused: bool | None = None
    delay: Annotated[float, Field(ge=0, le=60)] | None = None


class SeatInfo(Message):
    """The participant in a seat."""

    name: str
    """A person's name, or an empty string; an agent's name as in the menus."""
    spec: str
    person: bool
    participant: int


class PlayedInfo(Message):
    """A move of the match, and its agent's figures."""

    move: int
    cell: int
    player: int
    value: float | None = None
    nodes: int = 0
    depth: int | None = None
    seconds: float
    effort: str = ""
    """Its effort, such as 20,000 simulations."""
    note: str = ""
    """The agent's remark on the move, such as that it is not proven."""


class HintInfo(Message):
    """Advice for the side to move."""

    move: int
    line: list[int]
    why: str


class EndingInfo(Message):
    """How a match ended."""

    winner: int | None
    termination: str
    text: str


class SessionInfo(Message):
    """The state of a session; ``version`` increases with every change."""

    id: str
    version: int
    position: PositionInfo
    opening: list[int]
    played: list[PlayedInfo]
    seats: list[SeatInfo]
    mode: str
    number: int
    matches: int
    score: list[int]
    """Matches won by participant one, by participant two, and drawn."""
    thinking: int | None
    awaits_person: bool
    hinting: bool
    hint: HintInfo | None
    can_undo: bool
    can_redo: bool
    paused: bool
    delay: float
    watched: bool
    series_over: bool
    ending: EndingInfo | None
    failure: str | None
    """The error of an agent since the last move."""


def new_id() -> str:
    """Return an id that can't be guessed."""
    return secrets.token_urlsafe(16)


class Live:
    """A session and the pages open on it. All methods run on the server's event loop."""

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
        """Update the session whenever an answer or a timer is due."""
        while not self.session.closed:
            self._proceed()
            due = self.session.due
            with contextlib.suppress(TimeoutError):
                await asyncio.wait_for(self._changed.wait(), None if due is None else due + 0.001)
            self._changed.clear()

    def _wake(self) -> None:
        """Wake the loop; called on the thread that has an answer."""
        with contextlib.suppress(RuntimeError):  # the server has stopped meanwhile
            self._loop.call_soon_threadsafe(self._changed.set)

    def proceed(self) -> None:
        """Update the session after a command, which also ends the pause after a failure."""
        if self.failure is not None and self.session.paused and not self.session.setup.watched:
            self.session.pause(False)
        self._proceed(commanded=True)
        self._changed.set()  # the next timer may have changed

    def _proceed(self, commanded: bool = False) -> None:
        """Process what is due, and send the state if it has changed; every command counts as a change."""
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
                watcher.get_nowait()  # a slow watcher needs the latest states only
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
        """Record that the session is in use."""
        self.used = time.monotonic()
        if self._resting:
            self._resting = False
            self._text = None
            self.session.pause(False)
            self._changed.set()

    def rest(self) -> None:
        """Pause a match between agents until a page is open on it again."""
        if self.session.setup.watched and not self.session.paused and not self.session.series_over:
            self._resting = True
            self._text = None
            self.session.pause()

    @contextlib.contextmanager
    def watch(self) -> Iterator[asyncio.Queue[str | None]]:
        """Yield a queue of states as JSON; None when the session ends."""
        watcher: asyncio.Queue[str | None] = asyncio.Queue(4)
        self._watchers.add(watcher)
        self.touch()
        try:
            yield watcher
        finally:
            self._watchers.discard(watcher)

    @property
    def watchers(self) -> int:
        """The number of pages open on it."""
        return len(self._watchers)

    def close(self) -> None:
        """End the session and its live updates."""
        self._task.cancel()
        self.session.close(0.0)
        self._tell(None)

    def text(self) -> str:
        """Return the state as JSON, cached until the next change."""
        if self._text is None:
            self._text = self.state().model_dump_json()
        return self._text

    def state(self) -> SessionInfo:
        """Return the state that a page shows."""
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
            hint=HintInfo(move=hint.move, line=list(hint.line), why=reason_of(position, hint)) if hint else None,
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
            names = {"name": self._name(winner), "letter": "XO"[winner], "other": self._name(winner.other)}
            kind = "fault" if ended.termination.is_fault else "win"
            text = say("ending", kind, **names, fault=ended.termination.value)
        return EndingInfo(
            winner=None if winner is None else int(winner), termination=ended.termination.value, text=text
        )

    def _name(self, player: Player) -> str:
        index = self.session.index(player)
        return self._names[index] or say("ending", ("player_one", "player_two")[index])


def shown_name(one: Participant, board: Game) -> str:
    """Return the name that a page shows: a level's label or the agent's; an empty string for a person."""
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


_IDLE_CHECK = 30.0
_UNWATCHED = 60.0
"""Seconds for which a match between agents continues without an open page."""


class Sessions:
    """All sessions of a server, by id."""

    def __init__(self, settings: WebSettings, executor: Executor) -> None:
        self._settings = settings
        self._executor = executor
        self._live: dict[str, Live] = {}

    def __len__(self) -> int:
        return len(self._live)

    async def start(self, request: SessionRequest, client: str) -> Live:
        """Start the session that a client asks for. Raises TooMany."""
        self.drop_idle()
        self._check_room(client)
        setup, record = await asyncio.to_thread(self._setup, request)  # an agent's model may be read
        self._check_room(client)
        return self.begin(setup, record, client, names=request.names)

    def _check_room(self, client: str) -> None:
        own = sum(one.client == client for one in self._live.values())
        if own >= self._settings.sessions_per_client or len(self._live) >= self._settings.sessions:
            raise TooMany("too many sessions are open; close one, or try again later")

    def begin(
        self, setup: Setup, record: MatchRecord | None, client: str, id: str = "", names: Sequence[str] = ()
    ) -> Live:
        """Start a session whose agents think in worker processes."""
        one, two = (one if isinstance(one, Person) else self._remote(one, client) for one in setup.participants)
        adviser = self._remote(ADVISER, client)
        session = Session(replace(setup, participants=(one, two)), adviser=adviser, record=record)
        live = Live(session, client, id, names)
        self._live[live.id] = live
        live.proceed()
        return live

    def _setup(self, request: SessionRequest) -> tuple[Setup, MatchRecord | None]:
        if request.record is not None:
            records = list(parse_records(request.record, "the record"))
            if not records:
                raise Refused("the text contains no record")
            record = records[-1]
            for spec in (record.first, record.second):  # before the agents are made
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
        """Return the record of a match whose moves the client knows, as after a restart of the server."""
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
        """Return a session. Raises Missing."""
        live = self._live.get(id)
        if live is None:
            raise Missing(say("not_now", "no_session"))
        live.touch()
        return live

    def close(self, id: str) -> None:
        """End a session."""
        live = self._live.pop(id, None)
        if live is not None:
            live.close()

    def drop_idle(self) -> None:
        """End sessions that have not been used for long, and pause matches between agents without an open page."""
        now = time.monotonic()
        for live in [one for one in self._live.values() if not one.watchers]:
            if now - live.used > 60 * self._settings.idle_minutes:
                self.close(live.id)
            elif now - live.used > _UNWATCHED:
                live.rest()

    async def keep_tidy(self) -> None:
        """Drop idle sessions periodically."""
        while True:
            await asyncio.sleep(_IDLE_CHECK)
            self.drop_idle()

    def close_all(self) -> None:
        """End all sessions."""
        for live in list(self._live.values()):
            self.close(live.id)


router = APIRouter(responses=PROBLEMS)

WATCHERS = 20
"""Pages that may be open on one session at a time."""

SessionId = Annotated[str, Path(min_length=10, max_length=40, pattern=r"^[A-Za-z0-9_-]+$")]


@router.post("/sessions", status_code=201, response_model=SessionInfo)
async def start_session(request: SessionRequest, http: Request) -> Response:
    """Start a session. Anyone who knows its id can use it."""
    live: Live = await http.app.state.server.sessions.start(request, client_of(http.scope))
    return _state(live, 201)


def _live(http: Request | WebSocket, id: str) -> Live:
    found: Live = http.app.state.server.sessions.get(id)
    return found


@router.get("/sessions/{id}", response_model=SessionInfo)
async def session(id: SessionId, http: Request) -> Response:
    """Get the state of a session."""
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
        raise NotNow(say("not_now", "changed"))
    live.session.play(request.move)
    return _after(live)


@router.post("/sessions/{id}/{command}", response_model=SessionInfo)
async def command(
    id: SessionId, command: Annotated[str, Path(pattern=r"^(undo|redo|hint|new)$")], http: Request
) -> Response:
    """Run a command: undo, redo, hint, or new for a new match."""
    live = _live(http, id)
    session = live.session
    actions = {"undo": session.undo, "redo": session.redo, "hint": session.hint, "new": session.new_match}
    actions[command]()
    return _after(live)


@router.put("/sessions/{id}/pace", response_model=SessionInfo)
async def pace(id: SessionId, request: PaceRequest, http: Request) -> Response:
    """Pause, resume or change the speed."""
    live = _live(http, id)
    if request.delay is not None:
        live.session.set_delay(request.delay)
    if request.paused is not None:
        live.session.pause(request.paused)
    return _after(live)


@router.get("/sessions/{id}/record", response_class=PlainTextResponse)
async def record(id: SessionId, http: Request) -> PlainTextResponse:
    """Get the records of the session's matches, to save and load again."""
    records = _live(http, id).session.records()
    return PlainTextResponse("\n".join(record_text(one) for one in records))


@router.get("/sessions/{id}/picture", response_class=Response)
async def picture(id: SessionId, http: Request, theme: Literal["auto", "light", "dark"] = "auto") -> Response:
    """Get the board as SVG."""
    session = _live(http, id).session
    last = session.moves[-1] if session.moves else None
    return Response(draw_svg(session.position, last=last, theme=theme, cell=64), media_type="image/svg+xml")


def _after(live: Live) -> Response:
    live.proceed()
    return _state(live)


def _state(live: Live, status: int = 200) -> Response:
    """Return the state as JSON, already validated."""
    return Response(live.text(), status, media_type="application/json")


@router.websocket("/sessions/{id}/live")
async def live_updates(socket: WebSocket, id: str) -> None:
    """Send the state of a session whenever it changes. A frame from the client ends the connection."""
    async with connection(socket):
        live = _live(socket, id)
        if live.watchers >= WATCHERS:
            raise TooMany("too many pages are open on this session")
        with live.watch() as states:
            await socket.send_text(live.text())
            closed = until_closed(socket, "this connection only sends; use the API for commands")
            await while_connected(socket, _send_states(socket, live, states), closed)


async def _send_states(socket: WebSocket, live: Live, states: asyncio.Queue[str | None]) -> None:
    while (state := await states.get()) is not None:
        live.touch()
        await socket.send_text(state)
    raise Closed(4404, "this session has ended")
