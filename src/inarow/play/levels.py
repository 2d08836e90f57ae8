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
    about: str
    """How it plays, in a line."""
    strength: str
    """How strong it is, in a few words."""

    def agent(self, game: Game) -> Agent | None:
        """The agent of this level, or None if there is none for this game."""
        return first_of(self.specs, game)


LEVELS = (
    Level("Easy", ("random",), "moves at random", "the weakest"),
    Level("Medium", ("rules",), "wins or blocks at once, else moves at random", "a beginner"),
    Level(
        "Hard – minimax",
        ("alphabeta:depth=10,ordering=threats,table=on",),
        "searches 10 plies ahead with alpha–beta",
        "strong",
    ),
    Level("Hard – MCTS", ("mcts:simulations=100000",), "simulates 100,000 matches per move", "very strong"),
    Level("Hard – Q-learning", ("qlearning",), "a table of values learnt by playing", "beats Medium"),
    Level("Hard – n-tuple", ("ntuple",), "a network learnt in self-play, answers at once", "very strong"),
    Level("Hardest", ("best",), "the solver, else a search with a network; a second per move", "nearly perfect"),
    Level("Perfect", ("perfect",), "the exact solver: never gives away a win or a draw", "perfect"),
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
