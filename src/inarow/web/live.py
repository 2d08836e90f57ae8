"""A session on the server: a `play.Session` with a task that lets it proceed and tells its watchers."""

from __future__ import annotations

import asyncio
import contextlib
import itertools
import secrets
import time
from collections.abc import Iterator, Sequence

from inarow.agents import Decision
from inarow.play import Person, Session
from inarow.play.advice import reason_of
from inarow.play.lineups import label_of
from inarow.play.session import AgentFailed, Ended, Event, Hinted, Moved, Started, TakenBack, Thinking
from inarow.play.setup import Participant
from inarow.rules import Game, Player, Position
from inarow.web.checks import position_info
from inarow.web.session_messages import EndingInfo, HintInfo, PlayedInfo, SeatInfo, SessionInfo


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
            position=position_info(position, session.moves),
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
            text = "A draw: the board is full."
        else:
            fault = ended.termination.value if ended.termination.is_fault else ""
            by = f" ({fault} by {self._called(winner.other)})" if fault else ""
            text = f"{self._called(winner)} ({'XO'[winner]}) wins{by}."
        return EndingInfo(
            winner=None if winner is None else int(winner), termination=ended.termination.value, text=text
        )

    def _called(self, player: Player) -> str:
        index = self.session.index(player)
        return self._names[index] or f"Player {('one', 'two')[index]}"


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
