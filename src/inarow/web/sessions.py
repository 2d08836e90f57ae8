"""All sessions of a server: started as clients ask, found by their ids, dropped when nobody uses them."""

from __future__ import annotations

import asyncio
import secrets
import time
from collections.abc import Sequence
from dataclasses import replace

from inarow.agents import Agent
from inarow.arena import Executor
from inarow.match import MatchRecord
from inarow.match.files import parse_records
from inarow.play import Person, Session, Setup, Starts
from inarow.play.advice import Adviser
from inarow.play.saved import setup_of
from inarow.rules import Position, game
from inarow.web.checks import Refused, participant
from inarow.web.live import Live
from inarow.web.match_page import record_of
from inarow.web.remote import Remote
from inarow.web.security import TooMany
from inarow.web.session_messages import SessionRequest
from inarow.web.settings import WebSettings

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
        adviser = self._remote(Adviser(), client)
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
