"""Who plays in the comparison: the searchers, with counts that stand for times, the learner, and the scale's ends."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import cache
from importlib.resources import files
from typing import Any, NamedTuple

from inarow.agents import agent
from inarow.agents.registry import absolute_spec
from inarow.arena.tournament import label_agents
from inarow.errors import unknown
from inarow.formatting import duration
from inarow.rules import CONNECT4, TICTACTOE, Game
from inarow.studies.base import StudyError, usable

Counts = Mapping[str, Mapping[str, int]]
"""Nodes or simulations by searcher and budget."""

HEADLINE = 0.003
"""The budget of the headline, in seconds per move."""
BUDGETS = {"quick": (HEADLINE, 0.0003, 0.02), "full": (HEADLINE, 0.0003, 0.02, 0.1)}
"""Seconds per move by scale."""
TABLES = 5
"""Tables that Q-learning trains, each from its own seed."""
EPISODES = {CONNECT4: (1_000, 10_000, 100_000), TICTACTOE: (10_000,)}
"""Training games; the tables of the last number play."""
SMALL_COUNTS = {"minimax": 30_000, "alphabeta": 30_000, "mcts": 3_000}
"""Nodes or simulations in Tic Tac Toe, enough never to err."""


class SearchPlayer(NamedTuple):
    """An algorithm that searches, with a gap in its spec for its count."""

    key: str
    label: str
    template: str

    def spec(self, count: int) -> str:
        """Return its spec for a number of nodes or simulations."""
        return self.template.format(count)


MINIMAX = SearchPlayer("minimax", "minimax", "minimax:nodes={}")
ALPHABETA = SearchPlayer("alphabeta", "alpha–beta", "alphabeta:nodes={}")
MCTS = SearchPlayer("mcts", "MCTS", "mcts:simulations={}")
SEARCHERS = (MINIMAX, ALPHABETA, MCTS)
WITH_TABLE = SearchPlayer("alphabeta-tt", "alpha–beta + table", "alphabeta:nodes={},tt=on,tt_mb=4")
ABLATED = (
    SearchPlayer("mcts-evaluated", "MCTS with the evaluation", "mcts:simulations={},leaf=windows"),
    SearchPlayer("alphabeta-blind", "alpha–beta without an evaluation", "alphabeta:nodes={},eval=zero"),
)
"""The searchers with the knowledge exchanged: a hand-made evaluation at the leaves."""
CONSTANTS = {"0.7": "mcts:simulations={},c=0.7", "2.8": "mcts:simulations={},c=2.8"}
"""MCTS with half and twice its usual exploration constant √2."""
Q_LEARNING = "Q-learning"
SCALE = ("rules", "random")
ALSO = {
    "n-tuple": "ntuple",
    "guided": "qlearning:guide=heuristic",
    "best": "best:seconds=unlimited,nodes=5000",
    "perfect": "perfect",
}
"""Algorithms that join by name, as they ship."""
NAMES = (*(one.key for one in SEARCHERS), "qlearning", *SCALE)


@cache
def shipped_counts() -> dict[str, Any]:
    """Return the shipped calibration: the counts, the command that made them, and its machine."""
    text = files("inarow").joinpath("data/studies/budgets.json").read_text(encoding="utf-8")
    calibration: dict[str, Any] = json.loads(text)
    return calibration


def budget_key(seconds: float) -> str:
    """Return a budget as it is written in files and keys: ``0.3ms``."""
    return f"{1000 * seconds:g}ms"


def table_label(run: int) -> str:
    """Return the name of one of the learner's tables."""
    return f"{Q_LEARNING}, table {run + 1}"


def label_of(name: str) -> str:
    """Return the algorithm's name for one of its tables' names."""
    return Q_LEARNING if name.startswith(f"{Q_LEARNING}, table ") else name


def model_of(game: Game, episodes: int, run: int) -> str:
    """Return the file of a table in the study's folder."""
    return f"models/{game.name}-{episodes}-{run}.npz"


def table_spec(game: Game, run: int, episodes: int = 0) -> str:
    """Return the agent that plays by a table alone, by default the one with the longest training."""
    return f"qlearning:guide=none,model={model_of(game, episodes or EPISODES[game][-1], run)}"


@dataclass(frozen=True)
class LineUp:
    """The players of a comparison."""

    own: Sequence[str] = ()
    """Specs of added agents."""
    only: Sequence[str] = ()
    also: Sequence[str] = ()
    given: Counts = field(default_factory=dict)
    """Counts measured on this machine, instead of the shipped ones."""

    def __post_init__(self) -> None:
        for name in self.only:
            if name not in NAMES:
                raise StudyError(unknown("algorithm", name, NAMES))
        for name in self.also:
            if name not in ALSO:
                raise StudyError(unknown("algorithm", name, ALSO))

    def has(self, name: str) -> bool:
        """Return True if an algorithm of the usual line-up plays."""
        return not self.only or name in self.only

    @property
    def absolute(self) -> list[str]:
        """The specs of added agents, which work in any folder."""
        return [absolute_spec(spec) for spec in self.own]

    @property
    def searchers(self) -> list[SearchPlayer]:
        """The searchers that play."""
        return [one for one in SEARCHERS if self.has(one.key)]

    @property
    def learns(self) -> bool:
        """True if Q-learning plays."""
        return self.has("qlearning")

    def count(self, searcher: SearchPlayer, seconds: float) -> int:
        """Return the nodes or simulations that stand for a time."""
        counts = self.given or shipped_counts()["counts"]
        try:
            return int(counts[searcher.key][budget_key(seconds)])
        except KeyError:
            raise StudyError(
                f"no count is known for {searcher.label} at {duration(seconds)}; run the study with --calibrate"
            ) from None

    def spec(self, searcher: SearchPlayer, seconds: float = HEADLINE) -> str:
        """Return the spec of a searcher at a budget."""
        return searcher.spec(self.count(searcher, seconds))

    def searching(self, game: Game, seconds: float = HEADLINE) -> dict[str, str]:
        """Return the searchers as specs by label."""
        if game == TICTACTOE:
            return {one.label: one.spec(SMALL_COUNTS[one.key]) for one in self.searchers}
        return {one.label: self.spec(one, seconds) for one in self.searchers}

    def tables(self, game: Game) -> dict[str, str]:
        """Return the learner's tables as specs by label."""
        return {table_label(run): table_spec(game, run) for run in range(TABLES)} if self.learns else {}

    def ends(self) -> dict[str, str]:
        """Return the players at the ends of the scale."""
        return {name: name for name in SCALE if self.has(name)}

    def added(self, game: Game) -> dict[str, str]:
        """Return the agents that were added and can play a game, as specs by label."""
        specs = [ALSO[name] for name in self.also]
        own = [agent(spec) for spec in self.absolute]
        labels = label_agents(own)
        taken = {*self.searching(game), *self.ends(), Q_LEARNING, *self.also}
        named = {
            f"{labels[one.spec]} (own)" if labels[one.spec] in taken else labels[one.spec]: one.spec for one in own
        }
        return usable(game, dict(zip(self.also, specs, strict=True)) | named)

    def names(self, game: Game) -> list[str]:
        """Return the names of all players of a game, in the order in which tables list them."""
        learner = [Q_LEARNING] if self.learns else []
        return [*self.searching(game), *learner, *self.added(game), *self.ends()]

    def compared(self, game: Game) -> list[str]:
        """Return the players that sentences are about: all but the ends of the scale, if there are two."""
        names = [name for name in self.names(game) if name not in SCALE]
        return names if len(names) > 1 else self.names(game)

    @property
    def is_scaled(self) -> bool:
        """True if both ends of the scale play, so that Elo has a scale."""
        return all(self.has(name) for name in SCALE)
