"""Sessions on the server: each is a `play.Session` with a task that lets it proceed and tells its watchers."""

from __future__ import annotations

import asyncio
import contextlib
import itertools
import secrets
import time
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace

from inarow.agents import Agent, Decision
from inarow.match import Record
from inarow.match.files import parse_records
from inarow.play import Person, Session, Setup, Starts
from inarow.play.advice import Adviser, reason_of
from inarow.play.background import Background
from inarow.play.events import AgentFailed, Ended, Event, Hinted, Moved, Started, TakenBack, Thinking
from inarow.play.saved import setup_of
from inarow.rules import Player, Position, game
from inarow.web.checks import Refused, participant, position_info
from inarow.web.messages import EndingInfo, HintInfo, PlayedInfo, SeatInfo, SessionInfo, SessionRequest
from inarow.web.pool import Pool
from inarow.web.remote import Remote
from inarow.web.security import TooMany
from inarow.web.settings import WebSettings

_IDLE_CHECK = 30.0
_UNWATCHED = 60.0
"""Seconds for which agents play each other without anybody looking."""


def new_id() -> str:
    """An id that can't be guessed."""
    return secrets.token_urlsafe(16)


class Live:
    """One session and those who watch it. All methods run on the server's loop."""

    def __init__(self, session: Session, client: str, id: str = "") -> None:
        self.id = id or new_id()
        self.client = client
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
        session.background.wake = self._wake
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
        self._text = None
        self._proceed()
        self._changed.set()  # the next timer may be another one now

    def _proceed(self) -> None:
        """Process what is due, and tell the watchers if anything changed."""
        events = self.session.update()
        for event in events:
            self._note(event)
        if events:
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
        names = session.names
        position = session.position
        thinking = session.thinking
        hint = self.hint
        return SessionInfo(
            id=self.id,
            version=self.version,
            position=position_info(position, session.moves),
            opening=list(session.setup.opening),
            played=_played(session),
            seats=[
                SeatInfo(
                    name=names[player],
                    spec=session.participant(player).spec,
                    person=isinstance(session.participant(player), Person),
                    participant=session.index(player),
                )
                for player in Player
            ],
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
            ending=None if session.ending is None else _ending(session, session.ending),
            failure=self.failure,
        )


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
        )
        for one, (before, after) in zip(session.played, itertools.pairwise(session.positions), strict=True)
    ]


def hint_info(position: Position, hint: Decision) -> HintInfo:
    """Advice for the page."""
    return HintInfo(move=hint.move, line=list(hint.line), why=reason_of(position, hint))


def _ending(session: Session, ended: Ended) -> EndingInfo:
    winner = ended.outcome.winner
    if winner is None:
        text = "A draw: the board is full."
    else:
        by = "" if not ended.termination.is_fault else f" ({ended.termination.value} by {session.names[winner.other]})"
        text = f"{session.names[winner]} ({'XO'[winner]}) wins{by}."
    return EndingInfo(winner=None if winner is None else int(winner), termination=ended.termination.value, text=text)


class Sessions:
    """All sessions of a server, by their ids."""

    def __init__(self, settings: WebSettings, pool: Pool) -> None:
        self._settings = settings
        self._pool = pool
        self._live: dict[str, Live] = {}
        self._threads = ThreadPoolExecutor(max_workers=256, thread_name_prefix="inarow-wait")

    def __len__(self) -> int:
        return len(self._live)

    async def start(self, request: SessionRequest, client: str) -> Live:
        """A new session, as a client asked for it."""
        self.drop_idle()
        self._check_room(client)
        setup, record = await asyncio.to_thread(self._setup, request)  # an agent's model may be read
        self._check_room(client)
        return self.begin(setup, record, client)

    def _check_room(self, client: str) -> None:
        mine = sum(one.client == client for one in self._live.values())
        if mine >= self._settings.sessions_per_client or len(self._live) >= self._settings.sessions:
            raise TooMany("too many sessions are open; close one, or try again later")

    def begin(self, setup: Setup, record: Record | None, client: str, id: str = "") -> Live:
        """A new session; its agents think in the pool."""
        one, two = (self._remote(participant) for participant in setup.participants)
        session = Session(
            replace(setup, participants=(one, two)),
            adviser=self._remote_agent(Adviser()),
            record=record,
            background=Background(run=self._submit),
        )
        live = Live(session, client, id)
        self._live[live.id] = live
        live.proceed()
        return live

    def _setup(self, request: SessionRequest) -> tuple[Setup, Record | None]:
        if request.record is not None:
            record = read_record(request.record)
            for spec in (record.first, record.second):  # before anything is made of them
                participant(spec, self._settings)
            return replace(setup_of(record), delay=request.delay), record
        board = game(request.game)
        seed = secrets.randbits(31) if request.seed is None else request.seed
        both = participant(request.one, self._settings), participant(request.two, self._settings)
        watched = not any(isinstance(one, Person) for one in both)
        return (
            Setup(
                board,
                both,
                starts=Starts.of(request.starts),
                matches=request.matches,
                delay=request.delay,
                pause=max(0.5, 2 * request.delay) if watched else 2.0,
                opening=tuple(request.opening),
                seed=seed,
            ),
            None,
        )

    def _remote(self, one: Person | Agent) -> Person | Agent:
        return one if isinstance(one, Person) else self._remote_agent(one)

    def _remote_agent(self, one: Agent) -> Remote:
        return Remote.of(one, self._pool, self._settings.decision_seconds)

    def _submit(self, task: Callable[[], None]) -> None:
        self._threads.submit(task)

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
        self._threads.shutdown(wait=False, cancel_futures=True)


def read_record(text: str) -> Record:
    """The last record of a file's text: JSON lines, or the short text."""
    records = list(parse_records(text, "the record"))
    if not records:
        raise Refused("this text holds no record")
    return records[-1]
