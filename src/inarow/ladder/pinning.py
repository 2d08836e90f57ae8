"""Which shipped model a player uses, and whether it is still the one that was rated."""

from __future__ import annotations

from inarow.agents import Agent
from inarow.models.loading import shipped
from inarow.paths import fingerprint
from inarow.rules import Game

_MODELS = {"qlearning": "qlearning", "ntuple": "ntuple", "best": "ntuple"}
"""The kind of model that an agent of this name plays by, if no other is given."""


def model_hash(agent: Agent, game: Game) -> str | None:
    """The SHA-256 of the shipped model that a player uses; None if it uses none."""
    kind = _MODELS.get(agent.name)
    path = None if kind is None else shipped(kind, game)
    return None if path is None else fingerprint(path)
