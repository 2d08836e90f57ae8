"""Live results: stores and reports named on the command line, reloaded when they change, and their API."""

from __future__ import annotations

import asyncio
import math
import re
import sqlite3
import threading
import time
from collections.abc import Iterable
from dataclasses import dataclass, field
from pathlib import Path
from typing import Annotated

import fastapi
from fastapi import APIRouter, Query, Request, WebSocket
from fastapi.responses import FileResponse
from pydantic import Field

from inarow.arena import Results, Run, Store, load
from inarow.arena.store import match_id, stamp
from inarow.errors import InarowError
from inarow.match import MatchRecord, Termination
from inarow.rules import game
from inarow.stats import Interval, pentanomial
from inarow.web.messages import PROBLEMS, Message
from inarow.web.security import Missing
from inarow.web.sockets import connection, send_until_closed

LATEST = 12
PAUSE = 0.5
"""Minimum seconds between checks for changes; a store that takes long to read is checked less often."""
REPORT = "report.html"


class WatchedInfo(Message):
    """A store, a report, or a folder with both."""

    id: int
    name: str


class RangeInfo(Message):
    """An estimate with its 95 % interval."""

    estimate: float
    low: float
    high: float


class WatchedAgent(Message):
    """An agent and its short, unique name."""

    spec: str
    label: str


class StandingInfo(Message):
    """An agent's place in a table."""

    agent: int
    elo: RangeInfo
    score: RangeInfo | None
    matches: int
    wins: int
    draws: int
    losses: int


class CrossInfo(Message):
    """The score of one agent against another."""

    row: int
    column: int
    score: float
    low: float
    high: float
    matches: int
    wins: int
    draws: int
    losses: int
    pairs: list[int]
    """The numbers of pairs that scored 0, ¼, ½, ¾ and 1 per match."""
    elo: list[float | None]
    """The Elo difference and its 95 % interval; None where infinite."""


class TestInfo(Message):
    """The state of a sequential test of two agents."""

    elo0: float
    elo1: float
    llr: float
    """Log-likelihood ratio: elo0 is accepted at ``lower``, elo1 at ``upper``."""
    lower: float
    upper: float
    accepted: str | None


class MatchLine(Message):
    """One match of a list."""

    id: str
    first: int
    second: int
    result: str
    """``first``, ``second``, ``draw`` or ``none``."""
    plies: int
    fault: str
    """The fault of an agent, or an empty string."""


class TableInfo(Message):
    """All tournaments of a store with the same name and game."""

    title: str
    agents: list[WatchedAgent]
    standings: list[StandingInfo]
    cross: list[CrossInfo]
    latest: list[MatchLine]
    """The last matches, newest first."""
    matches: int
    planned: int
    """The maximum number of matches."""
    test: TestInfo | None
    finished: bool


class WatchInfo(Message):
    """The current contents of a store; ``version`` increases with every change."""

    id: int
    name: str
    version: int = 0
    running: bool = False
    """True while another process writes it."""
    report: bool
    """True if there is a study's report."""
    example: bool = False
    """True for the example that is stored in the page."""
    problem: str = ""
    """Why the store can't be read, in one sentence."""
    tables: list[TableInfo] = Field(default=[])


class MatchPage(Message):
    """Part of a list of matches, newest first."""

    matches: list[MatchLine]
    total: int


class ThoughtInfo(Message):
    """A move and its agent's figures; no figures for the moves of an opening."""

    move: int
    value: float | None
    nodes: int
    seconds: float
    opening: bool


class ReplayInfo(Message):
    """A match with all its moves."""

    id: str
    game: str
    first: str
    second: str
    ending: str
    moves: list[ThoughtInfo]


@dataclass
class _Table:
    """A table of a store: its tournaments, and the ids of its matches in order of arrival."""

    run: Run
    """All its tournaments as one, with their pairings and agents."""
    info: TableInfo
    ids: list[int] = field(default_factory=list)


class Watched:
    """A store, or the folder of a study or league. It is read in threads, one at a time."""

    def __init__(self, id: int, path: Path, name: str = "") -> None:
        self.id = id
        self.name = name or path.name
        self.store = path if path.is_file() else next(iter(sorted(path.glob("*.db"))), None)
        self.report = path / REPORT if path.is_dir() and (path / REPORT).is_file() else None
        self.info = WatchInfo(id=id, name=self.name, report=self.report is not None)
        self._stamp: tuple[object, ...] | None = None
        self._tables: list[_Table] = []
        self._lock = threading.Lock()
        self.pause = PAUSE
        self._due = 0.0

    async def current(self) -> WatchInfo:
        """Return the contents of the store, at most half a second old, however many ask."""
        if time.monotonic() >= self._due:
            await asyncio.to_thread(self.look)
            self._due = time.monotonic() + PAUSE
        return self.info

    def look(self) -> WatchInfo:
        """Return the contents of the store; read it again if it has changed."""
        with self._lock:
            if self.store is None:
                return self.info
            now = stamp(self.store)
            if now != self._stamp:
                begun = time.perf_counter()
                self.info = self._read(self.store)
                self._stamp = now
                self.pause = max(PAUSE, 10 * (time.perf_counter() - begun))
            return self.info

    def _read(self, path: Path) -> WatchInfo:
        info = WatchInfo(id=self.id, name=self.name, version=self.info.version + 1, report=self.report is not None)
        try:
            with Store.read(path) as store:
                before = {table.info.title: table.ids for table in self._tables}
                self._tables = [
                    _table(store, title, runs, before.get(title, [])) for title, runs in _groups(store).items()
                ]
        except (InarowError, sqlite3.Error, ValueError, KeyError, TypeError) as error:
            self._tables = []
            info.problem = str(error) if isinstance(error, InarowError) else f"{path} can't be read ({error})"
        else:
            info.problem = next((note for note in store.notes if "is damaged" in note), "")
            info.running = store.writer is not None
        info.problem = info.problem.replace(str(path), self.name)
        info.tables = [table.info for table in self._tables]
        return info

    def matches(self, table: int, begin: int, count: int, agents: tuple[int, int] | None) -> MatchPage:
        """Return part of a table's matches, newest first; with ``agents``, only those between the two."""
        with self._lock:
            found = self._table(table)
            ids = list(reversed(found.ids))
            if agents is not None:
                specs = {found.info.agents[one].spec for one in agents if one < len(found.info.agents)}
                wanted = {number for number, pair in found.run.pairings.items() if set(pair) == specs}
                ids = [one for one in ids if one >> 32 in wanted]
            with self._open() as store:
                return MatchPage(matches=_lines(store, found.run, ids[begin : begin + count]), total=len(ids))

    def replay(self, text: str) -> ReplayInfo:
        """Return a match with all its moves."""
        with self._lock:
            pairing, pair, swapped = map(int, text.split("-"))
            wanted = match_id(pairing, pair, swapped)
            for table in self._tables:
                if pairing in table.run.pairings:
                    with self._open() as store:
                        found = next(store.records(table.run, wanted), None)
                    if found is not None:
                        return _replay(text, found[2], table.info)
            raise Missing("this match is not in the store")

    def _table(self, number: int) -> _Table:
        if not 0 <= number < len(self._tables):
            raise Missing("this table does not exist; reload the page")
        return self._tables[number]

    def _open(self) -> Store:
        if self.store is None:
            raise Missing("this store does not exist; reload the page")
        return Store.read(self.store, checked=False)


def _groups(store: Store) -> dict[str, list[Run]]:
    """Return the tournaments of a store by the title of their table; those of a league share one."""
    found: dict[str, list[Run]] = {}
    for run in store.runs():
        name = "" if run.name == "tournament" else f", {run.name}"
        found.setdefault(f"{game(run.config['game']).title}{name}", []).append(run)
    return found


def _table(store: Store, title: str, runs: list[Run], before: list[int]) -> _Table:
    parts = [load(store, run) for run in runs]
    specs = list(dict.fromkeys(spec for part in parts for spec in part.agents))
    config = {**runs[0].config, "agents": [{"spec": spec} for spec in specs]}
    whole = Run(runs[0].id, runs[0].name, config, {n: pair for run in runs for n, pair in run.pairings.items()})
    results = Results(whole)
    for part in parts:
        results.series.update(part.series)
    ids = _arrived(store, whole, before)
    planned = sum(2 * part.most(series) for part in parts for series in part.series.values())
    info = TableInfo(
        title=title,
        agents=[WatchedAgent(spec=spec, label=label) for spec, label in zip(specs, labels(specs), strict=True)],
        standings=_standings(results),
        cross=list(_cross(results)),
        latest=_lines(store, whole, ids[: -LATEST - 1 : -1]),
        matches=results.matches,
        planned=planned,
        test=_test(parts[0]) if len(parts) == 1 else None,
        finished=all(part.finished for part in parts),
    )
    return _Table(whole, info, ids)


def labels(specs: Iterable[str]) -> list[str]:
    """Return short names: of the agent, its file or its entrant if that is unique, else the spec."""
    full = list(specs)
    plain = [re.sub("@[0-9a-f]{12}$", "", spec) for spec in full]  # an entrant of a league, with its file's hash
    short = [Path(spec[5:].split(",")[0]).stem if spec.startswith("file:") else spec.split(":")[0] for spec in plain]
    return [name if short.count(name) == 1 else spec for name, spec in zip(short, full, strict=True)]


def _arrived(store: Store, run: Run, before: list[int]) -> list[int]:
    """Return the ids of all matches: first those known before, then the new ones in the order of their pairs."""
    numbers = ",".join(map(str, run.pairings))
    rows = store.database.execute(f"SELECT id FROM match WHERE pairing IN ({numbers}) ORDER BY pair, id")
    now = [number for (number,) in rows]
    there, known = set(now), set(before)
    return [one for one in before if one in there] + [one for one in now if one not in known]


def _standings(results: Results) -> list[StandingInfo]:
    places = {spec: index for index, spec in enumerate(results.agents)}
    return [
        StandingInfo(
            agent=places[one.spec],
            elo=_range(one.rating),
            score=None if (score := one.score) is None else _range(score),
            matches=one.matches,
            wins=one.wins,
            draws=one.draws,
            losses=one.losses,
        )
        for one in results.standings()
    ]


def _range(interval: Interval) -> RangeInfo:
    return RangeInfo(**interval.to_json(4))


def _cross(results: Results) -> Iterable[CrossInfo]:
    """Yield the score of each agent against each opponent."""
    places = {spec: index for index, spec in enumerate(results.agents)}
    for series in results.series.values():
        for mine, theirs in (series.sides, series.sides[::-1]):
            if mine.spec != theirs.spec and (score := mine.score) is not None:
                ends = score.to_json(4)
                yield CrossInfo(
                    row=places[mine.spec],
                    column=places[theirs.spec],
                    score=ends["estimate"],
                    low=ends["low"],
                    high=ends["high"],
                    matches=series.matches,
                    wins=mine.wins,
                    draws=mine.draws,
                    losses=mine.losses,
                    pairs=list(pentanomial(mine.pair_scores)),
                    elo=[None if math.isinf(one) else round(one, 1) for one in mine.elo(score) or ()],
                )


def _test(results: Results) -> TestInfo | None:
    """Return the state of the sequential test, or None."""
    if results.sprt is None:
        return None
    test, state = results.sprt
    return TestInfo(
        elo0=test.elo0, elo1=test.elo1, llr=state.llr, lower=state.lower, upper=state.upper, accepted=state.accepted
    )


def _lines(store: Store, run: Run, ids: list[int]) -> list[MatchLine]:
    places = {agent["spec"]: index for index, agent in enumerate(run.config["agents"])}
    found = {}
    rows = store.database.execute(
        "SELECT id, pairing, pair, swapped, result, termination, plies, fault FROM match "
        f"WHERE id IN ({','.join(map(str, ids))})"
    )
    for number, pairing, pair, swapped, result, cause, plies, fault in rows:
        a, b = (places[spec] for spec in run.pairings[pairing])
        first, second = (b, a) if swapped else (a, b)
        failed = f"{cause}: {fault}"[:200] if Termination(cause).is_fault else ""
        found[number] = MatchLine(
            id=f"{pairing}-{pair}-{swapped}", first=first, second=second, result=result, plies=plies, fault=failed
        )
    return [found[one] for one in ids if one in found]


def _replay(id: str, record: MatchRecord, table: TableInfo) -> ReplayInfo:
    names = {agent.spec: agent.label for agent in table.agents}
    first, second = names[record.first], names[record.second]
    begin = len(record.opening)
    figures = zip(
        record.all_moves, (None,) * begin + record.values, (0,) * begin + record.nodes, (0.0,) * begin + record.seconds,
        strict=True,
    )  # fmt: skip
    moves = [
        ThoughtInfo(move=move, value=value, nodes=nodes, seconds=seconds, opening=index < begin)
        for index, (move, value, nodes, seconds) in enumerate(figures)
    ]
    ended = {"first": f"{first} (X) wins", "second": f"{second} (O) wins", "draw": "A draw"}.get(
        record.result, "No result"
    )
    how = f"{record.termination.value}: {record.fault}" if record.fault else record.termination.value
    return ReplayInfo(id=id, game=record.game.name, first=first, second=second, ending=f"{ended} ({how}).", moves=moves)


router = APIRouter(prefix="/watch", responses=PROBLEMS)

WATCHERS = 500
"""Pages that may watch at a time."""
REPORT_POLICY = (
    "sandbox allow-scripts allow-popups; default-src 'none'; script-src 'unsafe-inline'; style-src 'unsafe-inline'; "
    "img-src data:; font-src data:"
)
"""A report contains its styles and scripts. In the sandbox it has its own origin, and can reach neither the API nor the
network."""

WatchId = Annotated[int, fastapi.Path(ge=0, le=10_000)]
Place = Annotated[int, Query(ge=0, le=10_000_000)]


@router.get("")
async def watched(http: Request) -> list[WatchedInfo]:
    """List what can be watched: the files and folders named with --watch."""
    return [WatchedInfo(id=one.id, name=one.name) for one in http.app.state.server.watched]


def _find(http: Request | WebSocket, id: int) -> Watched:
    there: list[Watched] = http.app.state.server.watched
    if not 0 <= id < len(there):
        raise Missing("this server does not watch that file; start it with --watch FILE")
    return there[id]


@router.get("/{id}")
async def tables(id: WatchId, http: Request) -> WatchInfo:
    """Get standings, cross tables and the latest matches."""
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
    """Get part of a table's matches, newest first; with ``one`` and ``two``, only those between the two agents."""
    found = _find(http, id)
    await found.current()
    agents = None if one is None or two is None else (one, two)
    return await asyncio.to_thread(found.matches, table, begin, count, agents)


@router.get("/{id}/matches/{match}")
async def replay(
    id: WatchId, match: Annotated[str, fastapi.Path(pattern=r"^[0-9]{1,8}-[0-9]{1,8}-[01]$")], http: Request
) -> ReplayInfo:
    """Get a match with all its moves."""
    found = _find(http, id)
    await found.current()
    return await asyncio.to_thread(found.replay, match)


@router.get("/{id}/report", response_class=FileResponse)
async def report(id: WatchId, http: Request) -> FileResponse:
    """Get a study's report, one HTML page."""
    path = _find(http, id).report
    if path is None or not path.is_file():
        raise Missing("there is no report here")
    return FileResponse(path, media_type="text/html", headers={"content-security-policy": REPORT_POLICY})


@router.websocket("/{id}/live")
async def live(socket: WebSocket, id: int) -> None:
    """Send the tables whenever the store changes. A frame from the client ends the connection."""
    async with connection(socket):
        found = _find(socket, id)
        with socket.app.state.server.watching.one_more():
            await send_until_closed(socket, _send_changes(socket, found))


async def _send_changes(socket: WebSocket, found: Watched) -> None:
    sent = -1
    while True:
        info = await found.current()
        if info.version != sent:
            sent = info.version
            await socket.send_text(info.model_dump_json())
        await asyncio.sleep(found.pause)
