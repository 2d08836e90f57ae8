"""Run a study in a folder: experiments in order, all in one store, and the report at the end."""

from __future__ import annotations

import contextlib
import shutil
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any, TypedDict, Unpack

from inarow.agents import Agent, agent
from inarow.arena import Executor, Job, Running, Store, Tournament, load, open_executor
from inarow.arena.executor import check_workers, cores
from inarow.arena.store import NotAStore, StoredPair
from inarow.errors import printable
from inarow.kernels.warm import warm
from inarow.match.record import write_records
from inarow.match.series import Series
from inarow.paths import fingerprint, is_file
from inarow.report.page import FILES, FOLDERS, PLAIN, Formats, Note, write_page
from inarow.report.tables import meeting_sentence, ranking_sentence
from inarow.studies.base import (
    MANIFEST,
    Experiment,
    Measured,
    Measurement,
    Plan,
    Study,
    StudyError,
    StudyResults,
    machine,
    manifest_of,
    rename,
)
from inarow.studies.base import study as named_study
from inarow.studies.methods import page_of

STORE = "study.db"
RECORDS = "records"
MODELS = "models"


class StudyProgress:
    """Receives the progress of a study; this base class ignores it."""

    def note(self, text: str) -> None:
        """Report something that the user should know, such as a damaged store."""

    def begin(self, weights: Sequence[tuple[str, int]]) -> None:
        """Receive the experiments that are left, each with its amount of work; called first."""

    def start(self, key: str) -> None:
        """Mark the start of an experiment."""

    def advance(self, key: str, work: int) -> None:
        """Report progress in an experiment."""

    def done(self, key: str, verdict: str) -> None:
        """Mark the end of an experiment; ``verdict`` is its result in one line."""


class StudyOptions(TypedDict, total=False):
    """Options for running a study; all are optional."""

    workers: int | None
    """Processes on this machine; by default one for each core."""
    cluster: str | None
    """The address of a Dask scheduler to use instead of processes here."""
    resume: bool
    """Resume the study in the folder."""
    force: bool
    """Start again in a folder that is in use."""
    watch: StudyProgress
    formats: Formats
    """Formats of the report besides HTML."""


def run_study(study: Study, out: Path, plan: Plan | None = None, **options: Unpack[StudyOptions]) -> Path:
    """Run the unfinished experiments of a study and write its report; return the report's path.

    Finished work is kept if the run is interrupted. The folder is locked meanwhile.
    """
    watch, formats = options.get("watch", StudyProgress()), options.get("formats", PLAIN)
    with _experiments_done(study, out, plan, **options) as store:
        return _report(store, store.version_notes, out, study, formats, watch.note)


def do_experiments(study: Study, out: Path, plan: Plan | None = None, **options: Unpack[StudyOptions]) -> None:
    """Run the experiments without writing the report."""
    with _experiments_done(study, out, plan, **options):
        pass


@contextlib.contextmanager
def _experiments_done(
    study: Study, out: Path, plan: Plan | None = None, **options: Unpack[StudyOptions]
) -> Iterator[Store]:
    """Run the experiments and yield the store, which stays locked until the report is written."""
    plan, watch, out = plan or Plan(), options.get("watch", StudyProgress()), out.absolute()
    workers = options.get("workers")
    workers = cores() if workers is None else workers
    check_workers(workers)
    resume, force = options.get("resume", False), options.get("force", False)
    _check_folder(out, resume, force)
    if workers > 1:
        warm()  # before experiments are declared, which would compile some kernels in this process
    experiments = study.experiments(plan)
    keys = [experiment.key for experiment in experiments]
    if twice := sorted({key for key in keys if keys.count(key) > 1}):
        raise StudyError(f"study {study.name}: two experiments have the key {twice[0]!r}; keys must be unique")
    for experiment in experiments:
        if isinstance(experiment, Tournament):
            for one in experiment.agents:
                if one.foreign:  # other agents may need models that the study makes
                    one.check(experiment.game)
    manifest = manifest_of(study, plan, experiments)
    with contextlib.ExitStack() as stack:
        with open_executor(workers, options.get("cluster")) as executor:  # a wrong address leaves no store
            store = stack.enter_context(_folder(out, manifest, resume, force, watch))
            if store.measured(MANIFEST) is None:
                store.keep_measured(MANIFEST, manifest, machine())
            unfinished = set(StudyResults(store).unfinished())
            left = [e for e in experiments if e.key in unfinished or not _file_is_sound(e, store, out, watch)]
            watch.begin([(experiment.key, experiment.weight) for experiment in left])
            # Models that experiments make have paths relative to the study's folder, which may be anywhere.
            with contextlib.chdir(out):
                for batch in _batches(left):
                    if isinstance(batch, Tournament):
                        _play(batch, store, executor, watch)
                    else:
                        _measure(batch, store, executor, watch)
        yield store


def _batches(experiments: Sequence[Experiment]) -> Iterator[Tournament | list[Measurement]]:
    """Yield tournaments one by one, and consecutive measurements together."""
    together: list[Measurement] = []
    for experiment in experiments:
        if isinstance(experiment, Measurement):
            together.append(experiment)
            continue
        if together:
            yield together
            together = []
        yield experiment
    if together:
        yield together


def _play(tournament: Tournament, store: Store, executor: Executor, watch: StudyProgress) -> None:
    watch.start(tournament.key)
    run = store.begin(tournament)

    def on_pairs(rows: Sequence[StoredPair]) -> None:
        watch.advance(tournament.key, sum(len(row.matches) for row in rows))

    finished = sum(len(pairs) for pairs in store.finished(run).values())
    watch.advance(tournament.key, 2 * finished)
    Running(tournament, store, run, executor, on_pairs=on_pairs).play()
    results = load(store, run)
    rename(results, tournament.labels)
    if len(results.agents) == 1:
        said = _alone(next(iter(results.series.values())))
    elif len(results.series) == 1:
        said = meeting_sentence(next(iter(results.series.values())), rule=results.rule)
    else:
        said = ranking_sentence(results.game.title, results)
    watch.advance(tournament.key, tournament.weight - results.matches)  # pairings that stopped early
    watch.done(tournament.key, said)


def _alone(series: Series) -> str:
    """Describe how an agent's matches against itself ended."""
    tallies = [side.as_first for side in series.sides]
    wins, draws, losses = (sum(t.wins for t in tallies), sum(t.draws for t in tallies), sum(t.losses for t in tallies))
    return f"{series.spec} against itself: the first player won {wins}, drew {draws} and lost {losses}."


def measure(one: Measurement, agents: Sequence[Agent]) -> Measured:
    """Run a measurement in a worker; workers of a cluster have checked that they have the same agents."""
    return one.run(one.settings)


def _measure(batch: Sequence[Measurement], store: Store, executor: Executor, watch: StudyProgress) -> None:
    def jobs() -> Iterator[Job[Measured]]:
        for one in batch:
            watch.start(one.key)
            spec = one.settings.get("agent")
            agents = (agent(spec),) if isinstance(spec, str) else ()
            yield Job(measure, (one, agents), f"does {one.key}", one.declared())

    for job, (result, timing) in executor.run(jobs(), ahead=1):
        one: Measurement = job.arguments[0]
        store.keep_measured(one.declared(), result, timing)
        if (made := one.file) and is_file(Path(made)):
            store.keep_measured(_file_config(made), {"sha256": fingerprint(Path(made))}, {})
        watch.advance(one.key, one.weight)
        watch.done(one.key, str(result.get("verdict", "done")))


def _check_folder(out: Path, resume: bool, force: bool) -> None:
    """Raise `StudyError` if a study can't be created or resumed in this folder."""
    path = out / STORE
    try:
        if out.exists() and not out.is_dir():
            raise StudyError(f"{out} is a file; give a folder")
        if resume and not path.exists():
            raise StudyError(f"{out} holds no study to resume; remove --resume")
        if resume or force:
            return
        if path.exists():
            raise StudyError(
                f"{out} holds {_what(path)}; give --resume to continue it, --force to start again, or another --out"
            )
        if out.exists() and any(out.iterdir()):
            raise StudyError(f"{out} is not empty; give another --out, or --force to write there")
    except OSError as error:
        raise StudyError(f"cannot use {printable(str(out))}: {error.strerror}; give another --out") from None


def _file_config(name: str) -> dict[str, Any]:
    """Return the key under which the checksum of a measurement's file is stored."""
    return {"kind": "file", "name": name}


def _file_is_sound(experiment: Experiment, store: Store, out: Path, watch: StudyProgress) -> bool:
    """Return True if the experiment writes no file, or its file is present and unchanged."""
    name = experiment.file if isinstance(experiment, Measurement) else ""
    if not name:
        return True
    if not is_file(out / name):
        return False
    kept = store.measured(_file_config(name))
    if kept is not None and kept["sha256"] != fingerprint(out / name):
        watch.note(f"{out / name} has changed since it was written; writing it again")
        return False
    return True


@contextlib.contextmanager
def _folder(out: Path, manifest: dict[str, Any], resume: bool, force: bool, watch: StudyProgress) -> Iterator[Store]:
    """Yield the store of a checked folder: a new one, or the one to resume."""
    path = out / STORE
    if resume:
        with Store.open(path) as store:
            for said in store.notes:
                watch.note(said)
            if (
                not store.notes or store.measured(MANIFEST) is not None
            ):  # lost rows of a damaged store are written again
                _check_same(store, manifest, out)
            yield store
        return
    try:
        out.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise StudyError(f"cannot create the folder {out}: {error.strerror}") from None
    with Store.create(path, replace=True) as store:
        for said in store.notes:
            watch.note(said)
        for name in FILES:
            (out / name).unlink(missing_ok=True)
        for name in (*FOLDERS, RECORDS, MODELS):
            shutil.rmtree(out / name, ignore_errors=True)
        yield store


def _what(path: Path) -> str:
    """Describe the content of an existing store."""
    try:
        with Store.read(path) as store:
            found = StudyResults(store, store.notes)
            state = "unfinished" if found.unfinished() else "finished"
            used = "" if store.writer is None else f", in use by {store.writer}"
            return f"the {state} study {found.study} ({found.plan.scale}, seed {found.plan.seed}{used})"
    except (NotAStore, StudyError):
        return f"a file {path.name} that is not a readable study"


def _check_same(store: Store, manifest: dict[str, Any], out: Path) -> None:
    kept = StudyResults(store).manifest
    for name in ("study", "scale", "seed"):
        if kept.get(name) != manifest.get(name):
            raise StudyError(
                f"cannot resume {out}: its {name} is {kept.get(name)}, got {manifest.get(name)}; "
                "give the same value, or another --out"
            )
    before, now = ([(e["key"], e["hash"]) for e in m["experiments"]] for m in (kept, manifest))
    if before != now:
        raise StudyError(
            f"cannot resume {out}: the experiments of study {kept['study']} have changed (another version of inarow "
            "or of a model); give another --out, or --force to start again"
        )


def write_report(out: Path, study: Study | None = None, formats: Formats = PLAIN, note: Note | None = None) -> Path:
    """Write the report of a study's folder, a pure function of its store. Pass ``study`` if it is not registered.

    ``note`` receives messages about files that could not be made.
    """
    path = out / STORE
    if not is_file(path):
        raise StudyError(
            f"{out} has no {STORE}, so it is not a study's folder; `inarow study NAME --out {out}` makes one"
        )
    with Store.read(path) as store:
        return _report(store, store.notes, out, study, formats, note)


def _report(
    store: Store, notes: list[str], out: Path, study: Study | None, formats: Formats, note: Note | None
) -> Path:
    found = StudyResults(store, notes)
    shutil.rmtree(out / RECORDS, ignore_errors=True)
    (out / RECORDS).mkdir()
    for key in found.keys("tournament"):
        write_records(list(found.records(key)), out / RECORDS / f"{key}.jsonl")
    return write_page(page_of(study or named_study(found.study, **found.options), found), out, formats, note)
