"""inarow: a lab for adversarial game AI on k-in-a-row games.

Functions take objects or the strings of the command line:

>>> import inarow
>>> inarow.solve("tictactoe", "1").verdict.name
'DRAW'

Names are loaded on first use, so that ``import inarow`` is quick. docs/api.md is a tour. Studies and the parts of
their pages are in `inarow.studies` and `inarow.report`.
"""

from __future__ import annotations

TYPE_CHECKING = False  # type checkers treat it as True; importing it from typing would take longer than everything else

__version__ = "0.1.0"

__all__ = [
    "Agent",
    "AgentError",
    "Analysis",
    "Decision",
    "Game",
    "IllegalMove",
    "InarowError",
    "Limit",
    "MatchRecord",
    "Mind",
    "NTuple",
    "NotationError",
    "Oracle",
    "Outcome",
    "Player",
    "Position",
    "QLearning",
    "Series",
    "Tournament",
    "Unsolved",
    "Verdict",
    "__version__",
    "agent",
    "decide",
    "game",
    "grade",
    "load",
    "parameters",
    "play_match",
    "play_series",
    "play_tournament",
    "position",
    "rate",
    "run_study",
    "solve",
    "watch",
]

_NAMES = {
    "inarow.agents": "Agent AgentError Decision Mind agent parameters",
    "inarow.api": "decide grade load play_match play_series play_tournament position rate run_study solve watch",
    "inarow.arena": "Tournament",
    "inarow.errors": "InarowError",
    "inarow.limits": "Limit",
    "inarow.match": "MatchRecord Series",
    "inarow.rules": "Game IllegalMove NotationError Outcome Player Position",
    "inarow.rules.game": "game",
    "inarow.solver": "Analysis Oracle Unsolved Verdict",
    "inarow.training.ntuple": "NTuple",
    "inarow.training.qlearning": "QLearning",
}
"""The public names of each module."""

if TYPE_CHECKING:  # the same names for type checkers and editors
    from inarow.agents import Agent, AgentError, Decision, Mind, agent, parameters
    from inarow.api import (
        decide,
        grade,
        load,
        play_match,
        play_series,
        play_tournament,
        position,
        rate,
        run_study,
        solve,
        watch,
    )
    from inarow.arena import Tournament
    from inarow.errors import InarowError
    from inarow.limits import Limit
    from inarow.match import MatchRecord, Series
    from inarow.rules import Game, IllegalMove, NotationError, Outcome, Player, Position
    from inarow.rules.game import game
    from inarow.solver import Analysis, Oracle, Unsolved, Verdict
    from inarow.training.ntuple import NTuple
    from inarow.training.qlearning import QLearning
else:
    _HOMES = {name: module for module, names in _NAMES.items() for name in names.split()}

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
