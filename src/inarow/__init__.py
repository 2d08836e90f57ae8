"""inarow: a lab for adversarial game AI on games of k in a row.

Functions take values or the texts people write:

>>> import inarow
>>> inarow.solve("tictactoe", "1").verdict.name
'DRAW'

Names are loaded when they are first used, so that ``import inarow`` is quick. docs/api.md is a tour.
"""

from __future__ import annotations

TYPE_CHECKING = False  # what type checkers take for True; importing it from typing would take longer than all the rest

__version__ = "0.1.0"

__all__ = [
    "CONNECT4",
    "TICTACTOE",
    "Agent",
    "Analysis",
    "Animation",
    "Axis",
    "Column",
    "Content",
    "Curve",
    "Decision",
    "Figure",
    "Game",
    "Grade",
    "InarowError",
    "Label",
    "Limit",
    "MatchRecord",
    "Measured",
    "Measurement",
    "Mind",
    "Oracle",
    "Outcome",
    "Placement",
    "Plan",
    "Player",
    "Position",
    "Progress",
    "Results",
    "Section",
    "Series",
    "Study",
    "StudyResults",
    "Table",
    "Tournament",
    "Training",
    "Verdict",
    "__version__",
    "agent",
    "curves",
    "decide",
    "draw_svg",
    "game",
    "grade",
    "measurement",
    "meeting_sentence",
    "parameters",
    "play_match",
    "play_series",
    "play_tournament",
    "position",
    "rate",
    "run_study",
    "solve",
    "table",
    "tournament_sections",
    "train",
    "watch",
]

_NAMES = {
    "inarow.agents": ("Agent", "Decision", "Mind", "agent", "parameters"),
    "inarow.animations": ("watch",),
    "inarow.api": (
        *("Training", "decide", "grade", "play_match", "play_series", "play_tournament", "position", "rate"),
        *("run_study", "solve", "train"),
    ),
    "inarow.arena": ("Results", "Tournament"),
    "inarow.drawing.animation": ("Animation",),
    "inarow.drawing.svg": ("Label", "draw_svg"),
    "inarow.errors": ("InarowError",),
    "inarow.ladder": ("Placement",),
    "inarow.limits": ("Limit",),
    "inarow.match": ("MatchRecord", "Series"),
    "inarow.report.cells": ("Column",),
    "inarow.report.curves": ("Axis", "Curve", "curves"),
    "inarow.report.page": ("Section",),
    "inarow.report.sentences": ("meeting_sentence",),
    "inarow.report.style": ("Figure",),
    "inarow.report.tables": ("Table", "table"),
    "inarow.rules": ("CONNECT4", "TICTACTOE", "Game", "Outcome", "Player", "Position"),
    "inarow.rules.game": ("game",),
    "inarow.solver": ("Analysis", "Oracle", "Verdict"),
    "inarow.studies": ("Measured", "Measurement", "Plan", "Progress", "Study", "StudyResults", "measurement"),
    "inarow.studies.framework.study": ("Content",),
    "inarow.studies.sections": ("tournament_sections",),
    "inarow.truth": ("Grade",),
}
"""Where each public name is defined."""

if TYPE_CHECKING:  # the same names for type checkers and editors
    from inarow.agents import Agent, Decision, Mind, agent, parameters
    from inarow.animations import watch
    from inarow.api import (
        Training,
        decide,
        grade,
        play_match,
        play_series,
        play_tournament,
        position,
        rate,
        run_study,
        solve,
        train,
    )
    from inarow.arena import Results, Tournament
    from inarow.drawing.animation import Animation
    from inarow.drawing.svg import Label, draw_svg
    from inarow.errors import InarowError
    from inarow.ladder import Placement
    from inarow.limits import Limit
    from inarow.match import MatchRecord, Series
    from inarow.report.cells import Column
    from inarow.report.curves import Axis, Curve, curves
    from inarow.report.page import Section
    from inarow.report.sentences import meeting_sentence
    from inarow.report.style import Figure
    from inarow.report.tables import Table, table
    from inarow.rules import CONNECT4, TICTACTOE, Game, Outcome, Player, Position
    from inarow.rules.game import game
    from inarow.solver import Analysis, Oracle, Verdict
    from inarow.studies import Measured, Measurement, Plan, Progress, Study, StudyResults, measurement
    from inarow.studies.framework.study import Content
    from inarow.studies.sections import tournament_sections
    from inarow.truth import Grade
else:
    _HOMES = {name: module for module, names in _NAMES.items() for name in names}

    def __getattr__(name: str) -> object:
        if name not in _HOMES:
            raise AttributeError(f"module 'inarow' has no attribute {name!r}")
        import importlib

        home = importlib.import_module(_HOMES[name])
        value = getattr(home, name) if hasattr(home, name) else importlib.import_module(f"{home.__name__}.{name}")
        globals()[name] = value
        return value


def __dir__() -> list[str]:
    return sorted({*globals(), *__all__})
