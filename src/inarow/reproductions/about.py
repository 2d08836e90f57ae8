"""What the five reports are: their games, algorithms, features with commands, and figures; a value for each."""

from __future__ import annotations

import importlib
from collections.abc import Sequence
from dataclasses import dataclass

NAMES = ("r1", "r2", "r3", "r4", "r5")


@dataclass(frozen=True)
class Feature:
    """Something that a report's program does, and the commands that do it here."""

    what: str
    commands: Sequence[str]
    see: str = ""
    """A page of the docs with more, such as ``play.md``."""


@dataclass(frozen=True)
class PublishedFigure:
    """A figure of a report and its counterpart in the report's study."""

    number: str
    what: str
    keys: Sequence[str]
    """The keys of the study's figures that show it; empty for something else than a figure."""
    published: str
    """Which published values are drawn in."""


@dataclass(frozen=True)
class Report:
    """One report, as `inarow reproduce`, the docs and the tests read it."""

    name: str
    title: str
    games: str
    algorithms: str
    about: str
    features: Sequence[tuple[str, Sequence[Feature]]]
    """Features under headings: play, players, training, experiments."""
    figures: Sequence[PublishedFigure]

    def commands(self) -> list[str]:
        """Every command, in order."""
        return [command for _, features in self.features for one in features for command in one.commands]


def report(name: str) -> Report:
    """Return a report by its name, such as ``r1``."""
    found: Report = importlib.import_module(f"inarow.reproductions.{name}.about").REPORT
    return found


def all_reports() -> list[Report]:
    """Return the five reports in order."""
    return [report(name) for name in NAMES]
