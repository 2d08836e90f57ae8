"""Which agents decide by an n-tuple network."""

from __future__ import annotations

from inarow.agents.base import Agent
from inarow.agents.best import Best
from inarow.agents.greedy import Greedy
from inarow.agents.learned import Learned
from inarow.agents.mcts import Mcts
from inarow.agents.ntuple import NTuple
from inarow.agents.searching import Searcher
from inarow.models.network import Network
from inarow.rules import Game


def network_of(agent: Agent, game: Game) -> Network | None:
    """The network that an agent decides by in a game, alone or in its search; None if there is none."""
    if isinstance(agent, NTuple):
        return agent.held(game)
    used: object = None
    if isinstance(agent, Best):
        used = agent.search(game).eval
    elif isinstance(agent, (Searcher, Greedy)):
        used = agent.eval
    elif isinstance(agent, Mcts):
        used = agent.prior
    return used.network(game) if isinstance(used, Learned) else None
