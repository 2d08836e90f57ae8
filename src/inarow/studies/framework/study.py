"""A study: a declared list of experiments, and a page made of their results; studies found by name."""

from __future__ import annotations

import importlib
import inspect
import sys
from abc import ABC, abstractmethod
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple, TypeVar, cast

from inarow.agents import agent
from inarow.arena import Tournament
from inarow.arena.tournament import RESULTS_VERSION, config_hash
from inarow.errors import InarowError, printable, unknown
from inarow.paths import is_file
from inarow.plugins import STUDIES, load_class, plugins
from inarow.report.page import Section
from inarow.rules import Game

if TYPE_CHECKING:
    from inarow.studies.framework.study_results import StudyResults


T = TypeVar("T")
SCALES = {"quick": "minutes", "full": "as many matches as the reports played"}


class StudyError(InarowError):
    """A study that can't be run, resumed or reported as asked."""


@dataclass(frozen=True)
class Plan:
    """How much is played, and from which seed."""

    scale: str = "quick"
    seed: int = 0
    fixed: int | None = None
    """Pairs of every pairing that would end as soon as it is decided; None: it does."""

    def __post_init__(self) -> None:
        if self.scale not in SCALES:
            raise StudyError(f"scale {self.scale!r} is not known; give {' or '.join(SCALES)}")

    def pick(self, quick: T, full: T) -> T:
        """The value for the scale."""
        return quick if self.scale == "quick" else full

    def fitted(self, experiments: Sequence[Experiment]) -> list[Experiment]:
        """The experiments of a study, with a fixed number of pairs if that was asked for."""
        if self.fixed is None:
            return list(experiments)
        if not any(isinstance(one, Tournament) and one.rule is not None for one in experiments):
            raise StudyError("no pairing of this study ends early, so --fixed changes nothing; leave it out")
        return [
            replace(one, pairs=self.fixed, rule=None, costs={})
            if isinstance(one, Tournament) and one.rule is not None
            else one
            for one in experiments
        ]


class Measured(NamedTuple):
    """What a measurement found; ``timing`` holds everything that depends on the clock. Both are for JSON."""

    result: dict[str, Any]
    timing: dict[str, Any]


Measure = Callable[[dict[str, Any]], Measured]
_names: dict[Measure, str] = {}


def measurement(name: str) -> Callable[[Measure], Measure]:
    """A decorator that registers a function as a measurement.

    Stored results are found by this name, so the function and its module can be renamed and moved. The function must be
    importable: a worker process may run it.
    """

    def register(function: Measure) -> Measure:
        for other, taken in _names.items():
            if taken == name and other.__qualname__ != function.__qualname__:
                raise StudyError(f"the measurement name {name!r} is taken by {other.__qualname__}; give another")
        _names[function] = name
        return function

    return register


@dataclass(frozen=True)
class Measurement:
    """A measurement or a training: a registered function, applied to settings, perhaps in another process."""

    key: str
    run: Measure
    settings: dict[str, Any]
    weight: int = 1
    """How much work it is, in matches."""

    def __post_init__(self) -> None:
        if self.run not in _names:
            name = self.run.__qualname__
            raise StudyError(f"{name} is not a registered measurement; put @measurement({name!r}) above it")

    def declared(self) -> dict[str, Any]:
        """All that decides the result."""
        return {"results_version": RESULTS_VERSION, "what": _names[self.run], "settings": self.settings}

    @property
    def file(self) -> str:
        """The file that it makes in the study's folder; empty if it makes none."""
        return str(self.settings.get("model") or "")


Experiment = Tournament | Measurement
"""Each has a ``key``, a ``weight``, and says what is ``declared``."""


def declared_hash(experiment: Experiment) -> str:
    """A name for what an experiment declares."""
    return config_hash(experiment.declared())


@dataclass(frozen=True)
class Content:
    """What a study reports; the methods are added to it."""

    lead: str
    summary: Sequence[str]
    sections: Sequence[Section]
    headline: str = ""
    warnings: Sequence[str] = ()
    """What a reader must know before quoting the results."""


class Study(ABC):
    """A subclass says what to do and how to show it; `running.run_study` does the rest."""

    name: str
    title: str
    summary: str
    """One line of help."""
    figure: str = ""
    """The key of its main figure."""

    @property
    def options(self) -> dict[str, Any]:
        """The arguments that make this study again, for JSON. They are stored, so that `inarow report` can."""
        return {}

    @abstractmethod
    def experiments(self, plan: Plan) -> Sequence[Experiment]:
        """What is to be done, in order."""

    @abstractmethod
    def content(self, found: StudyResults) -> Content:
        """The results as sentences, tables and figures: a pure function of what is stored."""


_WHERE = {
    "compare": "compare:Compare",
    "scaling": "scaling:Scaling",
    "pruning": "pruning:Pruning",
    "limits": "limits:Limits",
    "learning": "learning:Learning",
    "learners": "learners:Learners",
    "seats": "seats:Seats",
    "atlas": "atlas:Atlas",
}
_BY_COMMAND = {"sweep": "sweep:Sweep"}
"""Studies with commands of their own."""
BUILT_IN = tuple(_WHERE)
MODULE_SUFFIX = ".py"


def study_names() -> list[str]:
    """The names of all studies: ours, then those of installed packages, which can't replace ours."""
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
        raise StudyError(f"the study {name} does not take {', '.join(unknown_options)}")
    return cast(Study, kind(**options))


def _from_file(path: Path) -> type[Study]:
    """Import a file and return the last study that it defines.

    It is imported by the name of the file, with its folder on the path, so that worker processes can import it too.
    """
    if not is_file(path):
        raise StudyError(f"there is no study file {printable(str(path))}")
    folder = str(path.resolve().parent)
    if folder not in sys.path:
        sys.path.insert(0, folder)
    if path.stem in sys.modules and getattr(sys.modules[path.stem], "__file__", None) != str(path.resolve()):
        raise StudyError(f"{path.name} has the name of another module; rename the file")
    try:
        module = importlib.import_module(path.stem)
    except Exception as error:
        raise StudyError(f"{path} can't be imported: {type(error).__name__}: {error}") from error
    kinds = [
        one for one in vars(module).values()
        if isinstance(one, type) and issubclass(one, Study) and one.__module__ == module.__name__
    ]  # fmt: skip
    if not kinds:
        raise StudyError(f"{path} defines no study; derive a class from inarow.studies.Study")
    kinds[-1].name = str(path.resolve())
    return kinds[-1]


def tournament(
    key: str, game: Game, players: Mapping[str, str], pairs: int, plan: Plan, *, format: str = "round-robin",
    openings: str = "none", with_self: bool = False,
) -> Tournament:  # fmt: skip
    """A tournament between players given as label → spec, by default from the empty board."""
    labels = {agent(spec).spec: label for label, spec in players.items()}
    assert len(labels) == len(players), f"{key}: two labels for one player"
    return Tournament.of(
        game, tuple(players.values()), openings, pairs,
        format=format, with_self=with_self, seed=plan.seed, repeat=True, key=key, labels=labels,
    )  # fmt: skip


def usable(game: Game, players: Mapping[str, str]) -> dict[str, str]:
    """The players whose agents are there and can play this game (a model may be missing)."""
    found = {}
    for label, spec in players.items():
        try:
            agent(spec).check(game)
        except InarowError:
            continue
        found[label] = spec
    return found
