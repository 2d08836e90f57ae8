"""Run a league: check, play, grade, write. Stored results are reused, so it can be stopped at any time."""

from __future__ import annotations

import contextlib
import secrets
import shutil
import tempfile
import time
import warnings
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from inarow.agents.external.process import SCRATCH_BYTES
from inarow.arena import Executor, Store, open_executor
from inarow.arena.executor import cores, not_stored
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
from inarow.teaching.league.standings import EntrantResult, MeetingResult, not_loaded, ranked
from inarow.teaching.league.writing import add_history, forget_files, write_league

STORE = "league.db"
SEED = {"kind": "league seed"}
"""The key of a drawn seed in the store."""
MATCH_SECONDS = 0.05
"""Seconds of a match besides the entrant's decisions, for an estimate."""
REFRESH_SECONDS = 3.0
"""Minimum interval between two versions of the site while matches are played."""

Watch = Callable[[str, int, int], None]
"""Called with the name of a step, and how many of its items are done and exist."""


@dataclass
class League:
    """A league in progress."""

    entrants: Sequence[Entrant]
    settings: LeagueSettings
    out: Path
    store: Store
    watch: Watch = lambda *_: None
    tell: Callable[[str], None] = lambda text: None
    url: str = ""
    """The address of the served site, if it is served."""
    similarity: Similarity = field(default_factory=Similarity)
    checks: dict[str, dict[str, dict[str, Any]]] = field(default_factory=dict)
    """The check of every file, by entrant and board."""
    efficiencies: Efficiencies = field(default_factory=dict)
    ladder: dict[str, list[Meeting]] = field(default_factory=dict)
    among: Among | None = None
    step: str = ""
    count: int = 0
    total: int = 0
    """Items of the current step: done, and in total."""
    doing: str = ""
    """The current step, for the site; empty at the end."""
    written: float = 0.0
    pause: float = REFRESH_SECONDS

    def standings(self) -> list[EntrantResult]:
        """Return the table of stored results, the best first."""
        table = {
            one.name: EntrantResult(
                one,
                self.settings,
                self.checks.get(one.name, {}),
                self.efficiencies.get(one.name, {}),
                self.ladder.get(one.name, ()),
            )
            for one in self.entrants
        }
        for result in table.values():
            result.follow(self.store)
        if self.among is not None:
            for meeting in self.among.every:
                pairs = meeting.pairs(self.store)
                for second, player in enumerate((meeting.entrant, meeting.other)):
                    table[player.name].among.append(MeetingResult(meeting, pairs, bool(second)))
            for name, place in self.among.places().items():
                table[name].place = place
        return ranked(table.values())

    def write(self) -> list[EntrantResult]:
        """Write the site; return the table."""
        begun = time.monotonic()
        table = self.standings()
        rounds = [] if self.among is None else self.among.to_json()
        write_league(table, self.settings, self.similarity, self.out, self.doing, rounds, self.url)
        self.written = time.monotonic()
        self.pause = max(REFRESH_SECONDS, 10 * (self.written - begun))  # a large site must not delay matches
        return table

    def refresh(self) -> None:
        """Write the site if it is out of date."""
        if time.monotonic() - self.written > self.pause:
            self.write()

    def run(self, executor: Executor) -> None:
        """Run all steps; each skips what is stored already."""
        settings, able = self.settings, [one for one in self.entrants if one.agent is not None]
        meetings = Meetings(settings, _seed(settings, self.store), self.store)
        executor.check([*(rung.agent for rung in settings.ladder), *(one.agent for one in able if one.agent)])
        checks = check_jobs(able, settings.boards, settings.limit)
        if missing := len(not_stored(checks.values(), self.store)):
            longest = _rounded(missing * PATIENCE / executor.size)
            self.tell(f"checking files takes at most {longest}; then the rest is estimated")
        self._run("files checked", checks, executor)
        self.checks = stored_results(checks, self.store)
        loaded = [one for one in able if not not_loaded(self.checks[one.name])]
        counts = count_jobs(loaded, settings.boards, settings.limit.seconds, meetings.seed)
        self._run("files whose nodes were counted", counts, executor)
        self.efficiencies = efficiencies(counts, self.store)
        self.ladder = {
            name: [one for one in met if not not_loaded(self.checks[name], one.game.name)]
            for name, met in meetings.with_ladder(able).items()
        }
        self._estimate(executor.size)
        self._play_ladder(executor)
        self.among = Among.of(meetings, [one.entrant for one in self.standings() if not one.problem])
        self._begin("pairs among entrants")
        for met in self.among.play():
            distinct = {meeting.number: meeting for meeting in met}.values()
            self._play([MeetingQueue([(one, one.tournament.pairs)], self.store) for one in distinct], executor)

    def _play_ladder(self, executor: Executor) -> None:
        """Play and grade the series against reference players until every entrant has enough pairs."""
        self._begin("pairs against reference players")
        while lacking := self._lacking():
            queues = [MeetingQueue(one.to_play, self.store, one.most_faults) for one in lacking if one.to_play]
            self._play(queues, executor)
            for _ in executor.store([job for one in lacking for job in one.to_grade], self.store):
                self._advance()

    def _lacking(self) -> list[EntrantResult]:
        """Return the results that need more matches or grading, one for identical submissions."""
        distinct = {one.entrant.digest: one for one in self.standings()}
        return [one for one in distinct.values() if one.to_play or one.to_grade]

    def _estimate(self, workers: int) -> None:
        """Estimate the time of matches against reference players from the speed of decisions in the checks."""
        marking = self.settings.marking
        pairs, seconds = [0, 0], [0.0, 0.0]  # at least, and at most
        for one in self._lacking():
            for meeting, played in zip(one.meetings, one.pairs, strict=True):
                mean = one.checks[meeting.game.name]["timing"].get("mean") or 0.0
                each = 2 * (MATCH_SECONDS + mean * (1 + meeting.game.cells / 4))
                for at, count in enumerate((marking.pairs, marking.max_pairs)):
                    left = max(0, count - len(played))
                    pairs[at] += left
                    seconds[at] += left * each / workers
        if pairs[1]:
            wanted = " to ".join(dict.fromkeys(map("{:,}".format, pairs)))
            needed = " to ".join(dict.fromkeys(map(_rounded, seconds)))
            self.tell(
                f"{wanted} pairs against reference players are to be played; estimated time with "
                f"{counted(workers, 'worker', 'workers')}: {needed}"
            )

    def _begin(self, step: str) -> None:
        self.step, self.count, self.total = step, 0, 0
        self._advance()

    def _advance(self, done: int = 0, more: int = 0) -> None:
        """Report progress: ``done`` more items are done, ``more`` items were added."""
        self.count += done
        self.total += more
        self.watch(self.step, self.count, self.total)
        self.doing = f"{self.count:,} of {self.total:,} {self.step}"
        self.refresh()

    def _run(self, step: str, jobs: Jobs, executor: Executor) -> None:
        """Run the jobs whose results are not stored yet."""
        self._begin(step)
        missing = not_stored(jobs.values(), self.store)
        self._advance(more=len(missing))
        for _ in executor.store(missing, self.store):
            self._advance(1)

    def _play(self, queues: Sequence[MeetingQueue], executor: Executor) -> None:
        """Play all pairs of these queues into the store."""

        def keep(rows: Sequence[StoredPair]) -> None:
            self.store.add(rows)
            self._advance(len(rows))

        self._advance(more=sum(queue.waiting for queue in queues))
        play_queues(queues, executor, keep)


def run_league(
    entrants: Sequence[Entrant],
    settings: LeagueSettings,
    out: Path,
    *,
    workers: int | None = None,
    cluster: str | None = None,
    watch: Watch | None = None,
    note: Callable[[str], None] = warnings.warn,
    tell: Callable[[str], None] = lambda text: None,
    url: str = "",
) -> list[EntrantResult]:
    """Run a league, or what is missing of it, into a folder; return the table, the best first.

    ``note`` gets warnings about a damaged store, ``tell`` estimates of the time. ``url`` is the address of the site if
    it is served.
    """
    similarity = find_similar(programs_of(entrants), starter=settings.starter, references=settings.references)
    if cluster is None:
        _check_space(cores() if workers is None else workers, 2 if settings.among else 1)
    with (
        open_executor(workers, cluster) as executor,
        _opened(out, note) as store,
    ):  # a wrong cluster address creates no store
        if settings.pseudonyms:
            entrants = _with_pseudonyms(entrants, _seed(settings, store))
        if settings.seed is None and store.measured(SEED) is None and store.runs():
            note(f"the seed that {store.path} kept is lost; all matches are played again with a new one")
        league = League(entrants, settings, out, store, watch or (lambda *_: None), tell, url, similarity)
        try:
            league.run(executor)
        except (KeyboardInterrupt, HostFailure):
            with contextlib.suppress(OSError, LeagueError):
                league.doing = "interrupted; run it again to continue"
                league.write()
            raise
        league.doing = ""
        table = league.write()
        add_history(out, table, datetime.now(UTC))
        return table


def _check_space(workers: int, players: int) -> None:
    """Raise `LeagueError` if so many workers, with external agents in each, could fill the disk."""
    folder = tempfile.gettempdir()
    needed, free = workers * players * SCRATCH_BYTES, shutil.disk_usage(folder).free
    if free < needed:
        raise LeagueError(
            f"{folder} has {free >> 20:,} MB left, and the agents of {counted(workers, 'worker', 'workers')} may write "
            f"{needed >> 20:,} MB there; free some space, set TMPDIR to a folder with more, or give fewer --workers"
        )


def forget(name: str, entrants: Sequence[Entrant], out: Path) -> None:
    """Delete all stored data of a withdrawn entrant: matches, checks, history, pages.

    Results of a file that another entrant has handed in as well stay: they are that entrant's. The next run rewrites
    the other files.
    """
    for one in entrants:
        if one.is_called(name):
            raise LeagueError(f"{one.name} still takes part; delete the submission and the row of the roster first")
    if not (out / STORE).exists():
        raise LeagueError(f"{out} contains no league")
    digests = forget_files(name, out) - {one.digest for one in entrants}
    with _opened(out, warnings.warn) as store:
        for digest in digests:
            store.forget(digest)


def regrade(
    entrant: Entrant, settings: LeagueSettings, out: Path, workers: int | None, watch: Watch | None
) -> EntrantResult:
    """Grade one entrant of a league again: play all its matches anew with the league's seed, and store nothing.

    ``out`` is the league's folder, where a drawn seed is kept.
    """
    if not (out / STORE).exists():
        raise LeagueError(f"{out} contains no league yet; run it first, without --regrade")
    with _opened(out, warnings.warn) as store:
        seed = _seed(settings, store)
    return _alone(entrant, replace(settings, seed=seed), workers, watch)


def preview(entrant: Entrant, settings: LeagueSettings, workers: int | None, watch: Watch | None) -> EntrantResult:
    """Check and grade one submission as the league will, with another seed, and store nothing."""
    return _alone(entrant, replace(settings, seed=secrets.randbits(62), late=None), workers, watch)


def _alone(entrant: Entrant, settings: LeagueSettings, workers: int | None, watch: Watch | None) -> EntrantResult:
    settings = replace(settings, among=0, pseudonyms=False, references=())
    with tempfile.TemporaryDirectory(prefix="inarow-league-") as folder:
        (result,) = run_league([entrant], settings, Path(folder), workers=workers, watch=watch)
    return result


def _with_pseudonyms(entrants: Sequence[Entrant], seed: int) -> list[Entrant]:
    """Give each entrant a pseudonym that depends on its name and the secret seed."""
    found = pseudonyms([one.name for one in entrants], {one.name: derive(seed, "alias", one.name) for one in entrants})
    return [replace(one, alias=found[one.name]) for one in entrants]


def _rounded(seconds: float) -> str:
    return f"{seconds / 60:.0f} min" if seconds >= 90 else f"{max(1, seconds):.0f} s"


def _opened(out: Path, note: Callable[[str], None]) -> Store:
    """Open the league's store; a damaged one is replaced by a copy of its intact part."""
    try:
        out.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise LeagueError(f"the folder {out} can't be made: {error.strerror}") from None
    path = out / STORE
    store = Store.open(path) if path.exists() else Store.create(path)
    for text in store.notes:
        note(text)
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
