"""The opponents that a menu offers, by name: only those are shown that exist and can play the game."""

from __future__ import annotations

from dataclasses import dataclass

from inarow.agents import Agent, agent, agent_names
from inarow.errors import InarowError
from inarow.rules import Game


@dataclass(frozen=True)
class Level:
    """A name for people, and the specs behind it: the first that exists and can play the game counts."""

    label: str
    specs: tuple[str, ...]

    def agent(self, game: Game) -> Agent | None:
        """The agent of this level, or None if there is none for this game."""
        return first_of(self.specs, game)


LEVELS = (
    Level("Easy", ("random",)),
    Level("Medium", ("rules",)),
    Level("Hard – minimax", ("alphabeta:depth=10,ordering=threats,table=on",)),
    Level("Hard – MCTS", ("mcts:simulations=100000",)),
    Level("Hard – Q-learning", ("qlearning",)),
    Level("Hard – n-tuple", ("ntuple",)),
    Level("Perfect", ("perfect",)),
)

_OPPONENTS = ("alphabeta:depth=10,ordering=threats,table=on", "rules")


def first_of(specs: tuple[str, ...], game: Game) -> Agent | None:
    """The agent of the first of these specs that exists and can play the game."""
    for spec in specs:
        if spec.partition(":")[0] in agent_names():
            try:
                found = agent(spec)
                found.check(game)
            except InarowError:
                continue
            return found
    return None


def opponent(game: Game) -> Agent:
    """Who plays against a person who has named nobody."""
    found = first_of(_OPPONENTS, game)
    assert found is not None, "rules plays every game"
    return found
