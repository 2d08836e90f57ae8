"""Declare studies: experiments, the page made of their results, stored results, and the registry."""

from __future__ import annotations

import importlib
import inspect
import platform
import sys
import time
from abc import ABC, abstractmethod
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, NamedTuple, TypeVar, cast

from inarow import __version__
from inarow.agents import AgentError, agent
from inarow.arena import Results, Run, Store, Tournament, load
from inarow.arena.executor import cores
from inarow.arena.store import match_id
from inarow.arena.tournament import RESULTS_VERSION, config_hash
from inarow.errors import InarowError, check_integer, printable, shown, unknown
from inarow.frontend import replay_of
from inarow.kernels.lang.loader import processor_name
from inarow.match import MatchRecord
from inarow.paths import is_file
from inarow.plugins import STUDIES, load_class, plugins, version_of
from inarow.report.page import Section
from inarow.report.tables import Figure
from inarow.rules import Game
from inarow.training.trainer import trainer, trainer_names

T = TypeVar("T")
SCALES = {"quick": "minutes", "full": "as many matches as the reports played"}


class StudyError(InarowError):
    """A study can't be run, resumed or reported."""


@dataclass(frozen=True)
class Plan:
    """The scale and seed of a study."""

    scale: str = "quick"
    seed: int = 0

    def __post_init__(self) -> None:
        if self.scale not in tuple(SCALES):
            raise StudyError(f"scale must be {' or '.join(SCALES)}, got {shown(self.scale)}")
        object.__setattr__(self, "seed", check_integer("seed", self.seed, error=StudyError))

    def pick(self, quick: T, full: T) -> T:
        """Return the value for the plan's scale."""
        return quick if self.scale == "quick" else full


class Measured(NamedTuple):
    """The result of a measurement, for JSON; everything that depends on the clock is in ``timing``."""

    result: dict[str, Any]
    timing: dict[str, Any]


Measure = Callable[[dict[str, Any]], Measured]
_names: dict[Measure, str] = {}


def measurement(name: str) -> Callable[[Measure], Measure]:
    """Register a function as a measurement under a name.

    Stored results are found by this name, so the function can be renamed or moved. It must be importable, because a
    worker process may run it.
    """

    def register(function: Measure) -> Measure:
        for other, taken in _names.items():
            if taken == name and other.__qualname__ != function.__qualname__:
                raise StudyError(f"measurement name {name!r} is already used by {other.__qualname__}; choose another")
        _names[function] = name
        return function

    return register


@dataclass(frozen=True)
class Measurement:
    """A registered function and its settings, run in any process."""

    key: str
    run: Measure
    settings: dict[str, Any]
    weight: int = 1
    """The amount of work, in matches."""

    def __post_init__(self) -> None:
        if self.run not in _names:
            name = self.run.__qualname__
            raise StudyError(f"{name} is not a registered measurement; decorate it with @measurement({name!r})")

    def declared(self) -> dict[str, Any]:
        """Return the configuration, which determines the result."""
        return {"results_version": RESULTS_VERSION, "what": _names[self.run], "settings": self.settings}

    @property
    def file(self) -> str:
        """The file that it writes in the study's folder, or an empty string."""
        return str(self.settings.get("model") or "")


Experiment = Tournament | Measurement
"""An experiment has a ``key``, a ``weight`` and a configuration (``declared``)."""


def declared_hash(experiment: Experiment) -> str:
    """Return the hash of an experiment's configuration."""
    return config_hash(experiment.declared())


@dataclass(frozen=True)
class Content:
    """The content of a study's page; the methods are added automatically."""

    lead: str
    summary: Sequence[str]
    sections: Sequence[Section]
    headline: str = ""
    warnings: Sequence[str] = ()
    """Warnings shown above the results."""
    figure: Figure | None = None
    """The figure that shows the findings."""
    details: Sequence[Section] = ()
    """Sections that are folded, with the methods."""


class Study(ABC):
    """Base class of studies: declares experiments and the page; `run_study` does the rest."""

    name: str
    title: str
    summary: str
    """One line of help."""
    figure: str = ""
    """The key of its main figure."""

    @property
    def options(self) -> dict[str, Any]:
        """The constructor arguments, for JSON; stored so that `inarow report` can make the study again."""
        return {}

    @abstractmethod
    def experiments(self, plan: Plan) -> Sequence[Experiment]:
        """Return the experiments in order."""

    @abstractmethod
    def content(self, found: StudyResults) -> Content:
        """Return the page's content: a pure function of the stored results."""


_WHERE = {
    "compare": "compare:Compare",
    "scaling": "scaling:Scaling",
    "pruning": "search_cost:Pruning",
    "limits": "scaling:Limits",
    "learning": "learning:LearningCurves",
    "learners": "learners:Learners",
    "seats": "seats:Seats",
    "atlas": "atlas:Atlas",
}
_BY_COMMAND = {"sweep": "sweep:Sweep"}
"""Studies that have their own command."""
BUILT_IN = tuple(_WHERE)
MODULE_SUFFIX = ".py"


def study_names() -> list[str]:
    """Return the names of all studies: built-in ones, then those of plugins, which can't replace them."""
    return [*_WHERE, *(name for name in plugins(STUDIES) if name not in _WHERE)]


def study(name: str, **options: Any) -> Study:
    """Make the study of this name, or the one in a Python file such as ``mystudy.py``, with its options."""
    ours = _WHERE | _BY_COMMAND
    if name in ours:
        module, _, kind = ours[name].partition(":")
        return _make(name, getattr(importlib.import_module(f"inarow.studies.{module}"), kind), options)
    if name in study_names():
        return _make(name, load_class(STUDIES, name, Study), options)
    if name.endswith(MODULE_SUFFIX):
        return _make(name, _from_file(Path(name)), options)
    raise StudyError(unknown("study", name, study_names(), "`inarow study` lists them."))


def _make(name: str, kind: type, options: dict[str, Any]) -> Study:
    unknown_options = sorted(set(options) - set(inspect.signature(kind).parameters))
    if unknown_options:
        raise StudyError(f"study {name} does not take {', '.join(unknown_options)}")
    return cast(Study, kind(**options))


def _from_file(path: Path) -> type[Study]:
    """Import a file and return the last study that it defines.

    It is imported by the name of the file, with its folder on the path, so that worker processes can import it too.
    """
    if not is_file(path):
        raise StudyError(f"study file {printable(str(path))} does not exist")
    folder = str(path.resolve().parent)
    if folder not in sys.path:
        sys.path.insert(0, folder)
    if path.stem in sys.modules and getattr(sys.modules[path.stem], "__file__", None) != str(path.resolve()):
        raise StudyError(f"{path.name} clashes with a module of the same name; rename the file")
    try:
        module = importlib.import_module(path.stem)
    except Exception as error:
        raise StudyError(f"{path} can't be imported: {type(error).__name__}: {error}") from error
    kinds = [
        one for one in vars(module).values()
        if isinstance(one, type) and issubclass(one, Study) and one.__module__ == module.__name__
    ]  # fmt: skip
    if not kinds:
        raise StudyError(f"{path} defines no study; define a subclass of inarow.studies.Study")
    kinds[-1].name = str(path.resolve())
    return kinds[-1]


def tournament(
    key: str, game: Game, players: Mapping[str, str], pairs: int, plan: Plan, *, format: str = "round-robin",
    openings: str = "none", with_self: bool = False,
) -> Tournament:  # fmt: skip
    """Make a tournament between players given as label → spec, by default from the empty board."""
    labels = {agent(spec).spec: label for label, spec in players.items()}
    assert len(labels) == len(players), f"{key}: two labels for one player"
    return Tournament.of(
        game, tuple(players.values()), openings, pairs,
        format=format, with_self=with_self, seed=plan.seed, repeat=True, key=key, labels=labels,
    )  # fmt: skip


def usable(game: Game, players: Mapping[str, str]) -> dict[str, str]:
    """Return the players whose agents can be loaded and can play this game."""
    found = {}
    for label, spec in players.items():
        try:
            agent(spec).check(game)
        except InarowError:
            continue
        found[label] = spec
    return found


MANIFEST = {"kind": "study"}


def manifest_of(study: Study, plan: Plan, experiments: Sequence[Experiment]) -> dict[str, Any]:
    """Return the manifest that is stored with a study."""
    return {
        "study": study.name,
        **({"options": study.options} if study.options else {}),
        "scale": plan.scale,
        "seed": plan.seed,
        "experiments": [
            {
                "key": experiment.key,
                "kind": "tournament" if isinstance(experiment, Tournament) else "measurement",
                "hash": declared_hash(experiment),
                "config": experiment.declared(),
                "labels": dict(experiment.labels) if isinstance(experiment, Tournament) else {},
            }
            for experiment in experiments
        ],
    }


def machine() -> dict[str, Any]:
    """Return the versions, machine and time at which a study is started."""
    packages = {name: version_of(name) for name in ("numpy", "llvmlite", "matplotlib")}
    return {
        "inarow": __version__,
        "python": sys.version.split()[0],
        **{name: version for name, version in packages.items() if version},
        "system": f"{platform.system()} {platform.machine()}",
        "processor": processor_name(),
        "cores": cores(),
        "begun": time.strftime("%Y-%m-%d %H:%M:%S UTC", time.gmtime()),
    }


MAX_REPLAYS = 200
"""Matches of a report that can be replayed."""


class StudyResults:
    """The results of a study, or of any store with a manifest made for it."""

    def __init__(self, store: Store, notes: Sequence[str] = (), manifest: dict[str, Any] | None = None) -> None:
        kept = manifest or store.measured(MANIFEST)
        if kept is None and notes:
            raise StudyError(f"{notes[0].rpartition(';')[0]}; cannot read the name of the study")
        if kept is None:
            raise StudyError(f"{store.path} holds no study; `inarow results` shows what is in it")
        self._store = store
        self.machine: dict[str, Any] = kept.pop("timing")
        self.manifest = kept
        self.plan = Plan(kept.get("scale", "quick"), kept.get("seed", 0))
        self.notes = list(notes)
        self._by_key = {entry["key"]: entry for entry in kept["experiments"]}
        runs = {run.id: run for run in store.runs()}
        self._runs = {run.name: run for run in runs.values()}
        self._runs |= {key: runs[entry["run"]] for key, entry in self._by_key.items() if "run" in entry}

    @property
    def folder(self) -> Path:
        """The folder of the store and of trained models."""
        return self._store.path.parent

    @property
    def study(self) -> str:
        """The study's name, or an empty string for other stores."""
        return str(self.manifest.get("study", ""))

    @property
    def options(self) -> dict[str, Any]:
        """The arguments of the study."""
        options: dict[str, Any] = self.manifest.get("options", {})
        return options

    def keys(self, kind: str = "") -> list[str]:
        """Return the keys of all experiments, or of one kind, ``tournament`` or ``measurement``, in order."""
        return [key for key, entry in self._by_key.items() if not kind or entry["kind"] == kind]

    def config(self, key: str) -> dict[str, Any]:
        """Return the configuration of an experiment."""
        config: dict[str, Any] = self._by_key[key]["config"]
        return config

    def labels(self, key: str) -> dict[str, str]:
        """Return the labels of a tournament's agents by spec."""
        labels: dict[str, str] = self._by_key[key]["labels"] if key in self._by_key else {}
        return labels

    def run(self, key: str) -> Run | None:
        """Return the stored tournament of this key, or None if it was not started."""
        return self._runs.get(key)

    def results(self, key: str) -> Results | None:
        """Return the results of a tournament, with agents named by their labels, or None if it was not started."""
        run = self._runs.get(key)
        if run is None:
            return None
        results = load(self._store, run)
        rename(results, self.labels(key))
        return results

    def replays(self) -> list[dict[str, Any]]:
        """Return the first pair of matches of every pairing, for a page that replays them."""
        found: list[dict[str, Any]] = []
        for key in self.keys("tournament"):
            if (run := self._runs.get(key)) is None:
                continue
            for one in (match_id(pairing, 0, swapped) for pairing in run.pairings for swapped in (0, 1)):
                found += [replay_of(record, self.labels(key)) for *_, record in self._store.records(run, one)]
        return found[:MAX_REPLAYS]

    def measured(self, key: str) -> dict[str, Any] | None:
        """Return the result of a measurement, with its ``timing``, or None if it was not run."""
        if key not in self._by_key:
            return None
        return self._store.measured(self._by_key[key]["config"])

    def records(self, key: str) -> Iterator[MatchRecord]:
        """Yield every match record of a tournament."""
        run = self._runs.get(key)
        if run is not None:
            yield from (record for _, _, record in self._store.records(run))

    def specs(self) -> dict[str, str]:
        """Return the specs of all agents, each with the game that it plays."""
        found: dict[str, str] = {}
        for entry in self._by_key.values():
            config = entry["config"]
            if entry["kind"] == "tournament":
                found |= {one["spec"]: config["game"] for one in config["agents"]}
            elif spec := config["settings"].get("agent") or config["settings"].get("trainer"):
                found.setdefault(spec, config["settings"]["game"])
        return found

    def unloadable(self) -> list[str]:
        """Return a warning for each agent that can't be loaded: its results are shown without its parameters."""
        said = []
        for spec in self.specs():
            try:
                _check_spec(spec)
            except InarowError as error:
                reason = str(error).partition("; ")[0].partition(". ")[0]
                said.append(f"Agent {spec} can’t be loaded, so its parameters are missing: {reason}.")
        return said

    def unfinished(self) -> list[str]:
        """Return the keys of unfinished experiments."""
        left = []
        for key, entry in self._by_key.items():
            if entry["kind"] == "measurement":
                done = self._store.measured(entry["config"]) is not None
            else:
                run = self._runs.get(key)
                done = run is not None and load(self._store, run).finished
            if not done:
                left.append(key)
        return left


def rename(results: Results, labels: Mapping[str, str]) -> None:
    """Replace the specs of agents by their labels."""
    results.agents = [labels.get(spec, spec) for spec in results.agents]
    for series in results.series.values():
        for side in series.sides:
            side.spec = labels.get(side.spec, side.spec)


def _check_spec(spec: str) -> None:
    """Raise `InarowError` if a spec is neither an agent's nor a trainer's."""
    try:
        agent(spec)
    except AgentError:
        if spec.partition(":")[0] not in trainer_names():
            raise
        trainer(spec)
