"""A study: a declared list of experiments, and a page made of what they found."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any, ClassVar, NamedTuple, TypeVar

from inarow import __version__
from inarow.agents import agent
from inarow.arena import Tournament
from inarow.arena.tournament import config_hash
from inarow.errors import InarowError
from inarow.match import parse_openings
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

    def __post_init__(self) -> None:
        if self.scale not in SCALES:
            raise StudyError(f"scale {self.scale!r} is not known; give {' or '.join(SCALES)}")

    def pick(self, quick: T, full: T) -> T:
        """The one that belongs to the scale."""
        return quick if self.scale == "quick" else full


@dataclass(frozen=True)
class Play:
    """A tournament under a name. Agents are specs; a model file in one may be made by an experiment before."""

    key: str
    game: Game
    agents: tuple[str, ...]
    pairs: int
    """Of each pairing."""
    seed: int = 0
    openings: str = "none"
    """As `inarow tournament` takes them."""
    format: str = "round-robin"
    with_self: bool = False
    labels: Mapping[str, str] = field(default_factory=dict)
    """What agents are called in the report, by canonical spec; the spec itself where nothing is given."""

    def tournament(self) -> Tournament:
        """What is to be played; raises if an agent's model is missing."""
        return Tournament(
            self.game,
            tuple(agent(spec) for spec in self.agents),
            parse_openings(self.game, self.openings),
            self.pairs,
            format=self.format,
            with_self=self.with_self,
            seed=self.seed,
        )

    @property
    def config(self) -> dict[str, Any]:
        """All that decides the results, but for the content of models."""
        return {
            "kind": "play",
            "version": __version__,
            "game": self.game.name,
            "agents": [agent(spec).spec for spec in self.agents],
            "pairs": self.pairs,
            "seed": self.seed,
            "openings": self.openings,
            "format": self.format,
            "self": self.with_self,
        }

    @property
    def hash(self) -> str:
        """A name for the configuration."""
        return config_hash(self.config)

    @property
    def weight(self) -> int:
        """How much work it is, in matches."""
        count = len(self.agents)
        met = count - 1 if self.format == "gauntlet" else count * (count - 1) // 2
        return 2 * self.pairs * (met + count * self.with_self)


class Measured(NamedTuple):
    """What a measurement found; ``timing`` holds all that the clock decided. Both are for JSON."""

    result: dict[str, Any]
    timing: dict[str, Any]


@dataclass(frozen=True)
class Measurement:
    """A measurement or a training: a function of its module, applied to a configuration, perhaps in another process."""

    key: str
    run: Callable[[dict[str, Any]], Measured]
    settings: dict[str, Any]
    weight: int = 1
    """How much work it is, against a match."""

    @property
    def config(self) -> dict[str, Any]:
        """All that decides the result."""
        what = f"{self.run.__module__}.{self.run.__qualname__}"
        return {"kind": "measurement", "version": __version__, "what": what, "settings": self.settings}

    def kept_in(self, out: Path) -> bool:
        """Whether the file that it makes, if it makes one, is in the study's folder."""
        return not self.settings.get("model") or (out / self.settings["model"]).is_file()

    @property
    def hash(self) -> str:
        """What the store finds it by."""
        return config_hash(self.config)


Experiment = Play | Measurement


@dataclass(frozen=True)
class Content:
    """What a study says: the report adds the methods."""

    lead: str
    summary: Sequence[str]
    sections: Sequence[Section]


class Study(ABC):
    """A subclass says what to do and how to show it; `running.run_study` does the rest."""

    name: ClassVar[str]
    title: ClassVar[str]
    summary: ClassVar[str]
    """One line of help."""
    figure: ClassVar[str] = ""
    """The key of its main figure."""

    @abstractmethod
    def experiments(self, plan: Plan) -> Sequence[Experiment]:
        """What is to be done, in order."""

    @abstractmethod
    def content(self, found: StudyResults) -> Content:
        """What was found, as sentences, tables and figures: a pure function of what is stored."""
