"""Sessions on the server: each is a `play.Session` with a task that lets it proceed and tells its watchers."""

from __future__ import annotations

import asyncio
import contextlib
import secrets
import time
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace

from inarow.agents import Agent, Decision
from inarow.match import Record
from inarow.match.files import parse_records
from inarow.play import Person, Session, Setup, Starts
from inarow.play.advice import Adviser
from inarow.play.background import Background
from inarow.play.events import AgentFailed, Ended, Event, Hinted, Moved, Started, TakenBack
from inarow.play.saved import setup_of
from inarow.rules import Player, Position, game
from inarow.web.checks import Refused, participant, position_info
from inarow.web.messages import EndingInfo, HintInfo, PlayedInfo, SeatInfo, SessionInfo, SessionRequest
from inarow.web.pool import Pool
from inarow.web.remote import Remote
from inarow.web.settings import WebSettings

_IDLE_CHECK = 30.0


class Live:
    """One session and those who watch it. All methods run on the server's loop."""

    def __init__(self, session: Session, client: str) -> None:
        self.id = secrets.token_urlsafe(16)
        self.client = client
        self.session = session
        self.version = 0
        self.used = time.monotonic()
        self.hint: Decision | None = None
        self.failure: str | None = None
        self._changed = asyncio.Event()
        self._watchers: set[asyncio.Queue[SessionInfo]] = set()
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
        """Process what is due after a command."""
        self._proceed()
        self._changed.set()  # the next timer may be another one now

    def _proceed(self) -> None:
        """Process what is due, and tell the watchers if anything changed."""
        events = self.session.update()
        for event in events:
            self._note(event)
        if events:
            self.version += 1
            if self._watchers:
                state = self.state()
                for watcher in self._watchers:
                    if watcher.full():
                        watcher.get_nowait()  # a slow watcher only ever needs the latest state
                    watcher.put_nowait(state)

    def _note(self, event: Event) -> None:
        if isinstance(event, Hinted):
            self.hint = event.decision
        elif isinstance(event, AgentFailed):
            self.failure = event.message
        elif isinstance(event, Moved | TakenBack | Started):
            self.hint = None
            if not isinstance(event, Moved) or event.decision is None:
                self.failure = None

    def touch(self) -> None:
        """Note that somebody uses the session."""
        self.used = time.monotonic()

    @contextlib.contextmanager
    def watch(self) -> Iterator[asyncio.Queue[SessionInfo]]:
        """A queue of states while the block runs."""
        watcher: asyncio.Queue[SessionInfo] = asyncio.Queue(4)
        self._watchers.add(watcher)
        try:
            yield watcher
        finally:
            self._watchers.discard(watcher)

    @property
    def watched_now(self) -> bool:
        """Whether a page is open on it."""
        return bool(self._watchers)

    def close(self) -> None:
        """End the session."""
        self._task.cancel()
        self.session.close(0.0)

    def state(self) -> SessionInfo:
        """Everything a page shows."""
        session = self.session
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
                    name=session.names[player],
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
            hint=None if hint is None else HintInfo(move=hint.move, line=list(hint.line), why=_why(hint)),
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
    found = []
    position = Position.start(session.setup.game, session.setup.opening)
    for one in session.played:
        after = position.play(one.move)
        decision = one.decision
        found.append(
            PlayedInfo(
                move=one.move,
                cell=position.game.cell_bits.index(after.occupied ^ position.occupied),
                player=int(position.to_move),
                value=decision.value if decision else None,
                nodes=decision.nodes if decision else 0,
                depth=decision.depth if decision else None,
                seconds=one.seconds,
            )
        )
        position = after
    return found


def _why(hint: Decision) -> str:
    return str(hint.details.get("why", ""))


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

    def start(self, request: SessionRequest, client: str) -> Live:
        """A new session."""
        self.drop_idle()
        mine = sum(one.client == client for one in self._live.values())
        if mine >= self._settings.sessions_per_client or len(self._live) >= self._settings.sessions:
            raise Refused("too many sessions are open; close one, or try again later")
        setup, record = self._setup(request)
        setup = replace(setup, participants=tuple(self._remote(one) for one in setup.participants))  # type: ignore[arg-type]
        background = Background(run=self._submit)
        session = Session(setup, adviser=self._remote_agent(Adviser()), record=record, background=background)
        live = Live(session, client)
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
        return Remote(one, self._pool, self._settings.decision_seconds)

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
        """End sessions that nobody has used for long."""
        oldest = time.monotonic() - 60 * self._settings.idle_minutes
        for live in [one for one in self._live.values() if one.used < oldest and not one.watched_now]:
            self.close(live.id)

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
