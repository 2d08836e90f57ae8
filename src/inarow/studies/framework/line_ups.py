"""Players of a study, given as label → spec."""

from __future__ import annotations

from collections.abc import Mapping

from inarow.agents import agent
from inarow.arena import Tournament
from inarow.errors import InarowError
from inarow.rules import Game
from inarow.studies.framework.study import Plan


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
