"""Holding a league: check, play, grade, write. What is stored is not done again, so it can be stopped at any time."""

from __future__ import annotations

import contextlib
import secrets
import tempfile
import time
import warnings
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from inarow.arena import Executor, Store, open_executor
from inarow.arena.executor import not_stored
from inarow.arena.running import play_queues
from inarow.arena.store import StoredPair
from inarow.errors import HostFailure
from inarow.formatting import counted
from inarow.randomness import derive
from inarow.teaching.league.entrants import Entrant, LeagueError, pseudonyms
from inarow.teaching.league.judging import (
    PATIENCE,
    Efficiencies,
    Jobs,
    check_jobs,
    count_jobs,
    efficiencies,
    stored_results,
)
from inarow.teaching.league.meetings import Among, Meeting, MeetingQueue, Meetings
from inarow.teaching.league.settings import LeagueSettings
from inarow.teaching.league.similarity import Similarity, find_similar, programs_of
from inarow.teaching.league.standings import Checks, EntrantResult, not_loaded, standings
from inarow.teaching.league.writing import add_history, forget_files, write_league

STORE = "league.db"
SEED = {"kind": "league seed"}
"""The key of a drawn seed in the store."""
MATCH_SECONDS = 0.05
"""Seconds of a match besides the entrant's decisions, for an estimate."""
REFRESH_SECONDS = 3.0
"""Between two versions of the site while matches are played, at least."""

Watch = Callable[[str, int, int], None]
"""Called with what is being done, how much of it is done, and how much there is."""


@dataclass
class League:
    """A league under way."""

    entrants: Sequence[Entrant]
    settings: LeagueSettings
    out: Path
    similarity: Similarity = field(default_factory=Similarity)
    checks: Checks = field(default_factory=dict)
    efficiencies: Efficiencies = field(default_factory=dict)
    ladder: dict[str, list[Meeting]] = field(default_factory=dict)
    among: Among | None = None
    doing: str = ""
    """The current step, for the site; empty at the end."""
    url: str = ""
    """The address of the served site, if it is served."""
    written: float = 0.0
    pause: float = REFRESH_SECONDS

    @property
    def rounds(self) -> list[dict[str, Any]]:
        """The pairings among entrants, if the format has rounds."""
        return [] if self.among is None else self.among.to_json()

    def standings(self, store: Store) -> list[EntrantResult]:
        """Return the table by what is stored."""
        found = self.checks, self.efficiencies, self.ladder, self.among
        return standings(self.entrants, self.settings, *found, store)

    def write(self, store: Store) -> list[EntrantResult]:
        """Write the site; returns the table."""
        begun = time.monotonic()
        table = self.standings(store)
        write_league(table, self.settings, self.similarity, self.out, self.doing, self.rounds, self.url)
        self.written = time.monotonic()
        self.pause = max(REFRESH_SECONDS, 10 * (self.written - begun))  # a large site must not hold up matches
        return table

    def refresh(self, store: Store) -> None:
        """Write the site if it is out of date."""
        if time.monotonic() - self.written > self.pause:
            self.write(store)


def run_league(
    entrants: Sequence[Entrant],
    settings: LeagueSettings,
    out: Path,
    *,
    workers: int | None = None,
    cluster: str | None = None,
    watch: Watch | None = None,
    note: Callable[[str], None] = warnings.warn,
    tell: Callable[[str], None] = lambda said: None,
    url: str = "",
) -> list[EntrantResult]:
    """Hold a league, or what is missing of it, into a folder; returns the table, the best first.

    ``note`` gets sentences about a damaged store, ``tell`` an estimate of how long it takes. ``url`` is where the
    site is served, if it is.
    """
    similarity = find_similar(programs_of(entrants), starter=settings.starter, references=settings.references)
    league = League(entrants, settings, out, similarity, url=url)
    with open_executor(workers, cluster) as executor, _opened(out, note) as store:  # a wrong address leaves no store
        if settings.pseudonyms:
            league.entrants = _with_pseudonyms(entrants, _seed(settings, store))
        if settings.seed is None and store.measured(SEED) is None and store.runs():
            note(f"the seed that {store.path} kept is lost; all matches are played again with a new one")
        try:
            _hold(league, store, executor, watch or (lambda *_: None), tell)
        except (KeyboardInterrupt, HostFailure):
            with contextlib.suppress(OSError, LeagueError):
                league.doing = "interrupted; run it again to continue"
                league.write(store)
            raise
        league.doing = ""
        table = league.write(store)
        add_history(out, table, datetime.now(UTC))
        return table


def forget(name: str, entrants: Sequence[Entrant], out: Path) -> None:
    """Delete all that a league has stored about somebody who has been withdrawn: matches, checks, history, pages.

    Results of a file that another entrant has handed in as well stay: they are that entrant's. What the league writes
    anew at the end of each run is left to the next run.
    """
    for one in entrants:
        if name.casefold() in {one.name.casefold(), *(student.name.casefold() for student in one.students)}:
            raise LeagueError(f"{one.name} still takes part; delete the hand-in and the row of the roster first")
    if not (out / STORE).exists():
        raise LeagueError(f"{out} holds no league")
    digests = forget_files(name, out) - {one.digest for one in entrants}
    with _opened(out, warnings.warn) as store:
        for digest in digests:
            store.forget(digest)


def regrade(
    entrant: Entrant, settings: LeagueSettings, out: Path, workers: int | None, watch: Watch | None
) -> EntrantResult:
    """Grade one entrant of a league again: play all its matches anew, on the league's seed, and keep nothing.

    ``out`` is the league's folder, where a drawn seed is kept.
    """
    if not (out / STORE).exists():
        raise LeagueError(f"{out} holds no league yet; hold it first, without --regrade")
    with _opened(out, warnings.warn) as store:
        seed = _seed(settings, store)
    again = replace(settings, seed=seed, among=0, pseudonyms=False, references=())
    with tempfile.TemporaryDirectory(prefix="inarow-regrade-") as folder:
        (standing,) = run_league([entrant], again, Path(folder), workers=workers, watch=watch)
    return standing


def preview(entrant: Entrant, settings: LeagueSettings, workers: int | None, watch: Watch | None) -> EntrantResult:
    """Check and grade one hand-in as the league will, with another seed, and store nothing."""
    with tempfile.TemporaryDirectory(prefix="inarow-preview-") as folder:
        own = replace(settings, seed=secrets.randbits(62), among=0, pseudonyms=False, references=(), late=None)
        (standing,) = run_league([entrant], own, Path(folder), workers=workers, watch=watch)
    return standing


def _with_pseudonyms(entrants: Sequence[Entrant], seed: int) -> list[Entrant]:
    """Give each entrant a pseudonym that depends on its name and the secret seed."""
    found = pseudonyms([one.name for one in entrants], {one.name: derive(seed, "alias", one.name) for one in entrants})
    return [replace(one, alias=found[one.name]) for one in entrants]


def _hold(league: League, store: Store, executor: Executor, watch: Watch, tell: Callable[[str], None]) -> None:
    """Do all steps, each doing only what is not stored yet."""
    settings, able = league.settings, [one for one in league.entrants if one.agent is not None]
    meetings = Meetings(settings, _seed(settings, store), store)
    entered = [one.agent for one in able if one.agent is not None]
    executor.check([*(rung.agent for rung in settings.ladder), *entered])
    checks = check_jobs(able, settings.boards, settings.limit)
    if missing := len(not_stored(checks.values(), store)):
        tell(f"checking files takes at most {_rounded(missing * PATIENCE / executor.size)}; then the rest is estimated")
    _Step(league, store, watch, "files checked").run(checks, executor)
    league.checks = stored_results(checks, store)
    loaded = [one for one in able if not not_loaded(league.checks[one.name])]
    counts = count_jobs(loaded, settings.boards, settings.limit.seconds, meetings.seed)
    _Step(league, store, watch, "files whose nodes were counted").run(counts, executor)
    league.efficiencies = efficiencies(counts, store)
    every = meetings.with_ladder(able)
    league.ladder = {
        name: [one for one in met if not not_loaded(league.checks[name], one.game.name)] for name, met in every.items()
    }
    if estimate := _estimate(league, store, executor.size):
        tell(estimate)
    _play_ladder(league, store, executor, watch)
    league.among = Among.of(meetings, [one.entrant for one in league.standings(store) if not one.problem])
    step = _Step(league, store, watch, "pairs among entrants")
    for met in league.among.play():
        distinct = {meeting.number: meeting for meeting in met}
        step.play(
            [MeetingQueue([(meeting, meeting.tournament.pairs)], store) for meeting in distinct.values()], executor
        )


def _estimate(league: League, store: Store, workers: int) -> str:
    """Say how long the matches against reference players take, by the seconds per decision that the checks measured."""
    marking = league.settings.marking
    pairs, seconds = [0, 0], [0.0, 0.0]  # at least, and at most
    for one in {one.entrant.digest: one for one in league.standings(store)}.values():
        if not one.progress.to_play and not one.progress.to_grade:
            continue
        for meeting, played in zip(one.progress.meetings, one.progress.pairs, strict=True):
            mean = one.checks[meeting.game.name]["timing"].get("mean") or 0.0
            each = 2 * (MATCH_SECONDS + mean * (1 + meeting.game.cells / 4))
            for at, count in enumerate((marking.pairs, marking.max_pairs)):
                left = max(0, count - len(played))
                pairs[at] += left
                seconds[at] += left * each / workers
    if not pairs[1]:
        return ""
    wanted, needed = (" to ".join(dict.fromkeys(both)) for both in (map("{:,}".format, pairs), map(_rounded, seconds)))
    return (
        f"{wanted} pairs against reference players are to be played; estimated time with "
        f"{counted(workers, 'worker', 'workers')}: {needed}"
    )


def _rounded(seconds: float) -> str:
    return f"{seconds / 60:.0f} min" if seconds >= 90 else f"{max(1, seconds):.0f} s"


def _play_ladder(league: League, store: Store, executor: Executor, watch: Watch) -> None:
    """Play and grade the series against reference players until every entrant has enough pairs."""
    step = _Step(league, store, watch, "pairs against reference players")
    while True:
        distinct = {one.entrant.digest: one.progress for one in league.standings(store)}
        lacking = [one for one in distinct.values() if one.to_play or one.to_grade]
        if not lacking:
            return
        step.play([MeetingQueue(one.to_play, store, one.most_faults) for one in lacking if one.to_play], executor)
        for _ in executor.store([job for one in lacking for job in one.to_grade], store):
            step.done(0)


class _Step:
    """A step in progress, for the terminal and for the site."""

    def __init__(self, league: League, store: Store, watch: Watch, what: str) -> None:
        self.league, self.store, self.watch, self.what = league, store, watch, what
        self.count = self.total = 0
        self.done(0)

    def run(self, jobs: Jobs, executor: Executor) -> None:
        """Do the jobs whose results are not stored yet."""
        missing = not_stored(jobs.values(), self.store)
        self.add(len(missing))
        for _ in executor.store(missing, self.store):
            self.done(1)

    def play(self, queues: Sequence[MeetingQueue], executor: Executor) -> None:
        """Play all pairs of these queues into the store."""

        def keep(rows: Sequence[StoredPair]) -> None:
            self.store.add(rows)
            self.done(len(rows))

        self.add(sum(queue.waiting for queue in queues))
        play_queues(queues, executor, keep)

    def add(self, count: int) -> None:
        """Say that there is this much more to do."""
        self.total += count
        self.done(0)

    def done(self, count: int) -> None:
        """Say that this much more is done."""
        self.count += count
        self.watch(self.what, self.count, self.total)
        self.league.doing = f"{self.count:,} of {self.total:,} {self.what}"
        self.league.refresh(self.store)


def _opened(out: Path, note: Callable[[str], None]) -> Store:
    """Open the league's store; a damaged one is replaced by what is sound in it."""
    try:
        out.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise LeagueError(f"the folder {out} can't be made: {error.strerror}") from None
    path = out / STORE
    store = Store.open(path) if path.exists() else Store.create(path)
    for said in store.notes:
        note(said)
    return store


def _seed(settings: LeagueSettings, store: Store) -> int:
    """Return the league's secret seed: the given one, or one that is drawn once and kept in the store."""
    if settings.seed is not None:
        return settings.seed
    kept = store.measured(SEED)
    if kept is None:
        store.keep_measured(SEED, {"seed": secrets.randbits(62)}, {})
        kept = store.measured(SEED)
    assert kept is not None
    return int(kept["seed"])
