"""Small studies for tests: a plan that plays as little as can be, and a study of two experiments."""

from __future__ import annotations

import os
import signal
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from inarow.arena import Tournament
from inarow.match import SequentialRule
from inarow.report.page import Section
from inarow.rules import TICTACTOE
from inarow.studies import Measured, Measurement, Plan, Study, StudyProgress, StudyResults, measurement, sections
from inarow.studies.base import Content, Experiment, T


class LeastPlan(Plan):
    """Picks one pair and a few hundred episodes, whatever a study asks for."""

    def pick(self, quick: T, full: T) -> T:
        if isinstance(quick, int):
            return min(quick, 1 if quick <= 600 else 300)  # type: ignore[return-value]
        return quick


@measurement("count_to")
def count_to(settings: dict[str, Any]) -> Measured:
    """A measurement without any cost."""
    return Measured({"counted": list(range(settings["end"])), "verdict": "counted"}, {"seconds": 0.5})


@measurement("make_file")
def make_file(settings: dict[str, Any]) -> Measured:
    """A measurement that leaves a file in the study's folder, as a training does."""
    Path(settings["model"]).write_text("learnt")
    return Measured({"verdict": "learnt"}, {})


class Little(Study):
    """A tournament of two, and a measurement before and after it."""

    name = "little"
    title = "A little study"
    summary = "for tests"

    def experiments(self, plan: Plan) -> Sequence[Experiment]:
        return [
            Measurement("before", count_to, {"end": 3}),
            Tournament.of(TICTACTOE, ("random", "rules"), "random", 6, seed=plan.seed, key="meeting"),
            Measurement("after", count_to, {"end": 4}),
        ]

    def content(self, found: StudyResults) -> Content:
        results = found.results("meeting")
        items = () if results is None else (sections.standings(results, "standings"), sections.meetings(results, "all"))
        return Content("For tests.", (), [Section("All", items)])


class Deciding(Little):
    """As little, but its pairings are played until they are decided."""

    name = "deciding"

    def experiments(self, plan: Plan) -> Sequence[Experiment]:
        rule, agents = SequentialRule(comparisons=3), ("random", "rules", "minimax:depth=1")
        pool = Tournament.of(TICTACTOE, agents, "random:1", 60, seed=plan.seed, rule=rule, key="meeting")
        return [Measurement("before", count_to, {"end": 3}), pool, Measurement("after", count_to, {"end": 4})]


class KilledAfter(StudyProgress):
    """Ends this process as a power cut would, when this much of an experiment is done."""

    def __init__(self, key: str, work: int) -> None:
        self.key, self.left = key, work

    def advance(self, key: str, work: int) -> None:
        if key == self.key:
            self.left -= work
            if self.left <= 0:
                os.kill(os.getpid(), signal.SIGKILL)


class InterruptedAt(StudyProgress):
    """Presses Ctrl-C when an experiment starts."""

    def __init__(self, key: str) -> None:
        self.key = key

    def start(self, key: str) -> None:
        if key == self.key:
            raise KeyboardInterrupt
