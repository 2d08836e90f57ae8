"""Which compiled search runs: the usual one, or one with a network."""

from __future__ import annotations

from abc import ABC, abstractmethod
from typing import NamedTuple

from inarow.agents.learned import Learned
from inarow.agents.searching import Searcher
from inarow.kernels.alphabeta import search
from inarow.kernels.alphabeta.search import Ints
from inarow.kernels.alphabeta.state import SearchState
from inarow.kernels.common.setup import SearchSetup
from inarow.rules import Game, Position

Root = tuple[SearchSetup, SearchState, int, int, int, int]
"""The setup, the state, the stones of the side to move and of the opponent, the depth, the ply."""


class Answer(NamedTuple):
    """The cells of the root moves to search; their values and lines, which a kernel fills in."""

    cells: Ints
    values: Ints
    lines: Ints


class SearchKernel(ABC):
    """A compiled search."""

    def begin(self, position: Position) -> None:
        """Get ready to search this position."""

    @abstractmethod
    def search(self, root: Root, answer: Answer) -> int:
        """Search the root moves; how many were finished."""


class _Plain(SearchKernel):
    def __init__(self) -> None:
        search.warm()

    def search(self, root: Root, answer: Answer) -> int:
        return search.search_root(*root, *answer)


class _WithNetwork(SearchKernel):
    """Keeps a board for the network to follow the search with."""

    def __init__(self, evaluator: Learned, game: Game) -> None:
        from inarow.kernels.alphabeta import learned

        learned.warm()
        self.search_root = learned.search_root
        self.network = evaluator.network(game)
        self.net = self.network.prepare()
        self.board = self.network.whole_work()

    def begin(self, position: Position) -> None:
        self.network.set_up(self.board, position)

    def search(self, root: Root, answer: Answer) -> int:
        return self.search_root(*root, *answer, self.net, self.board)


def chosen_kernel(agent: Searcher, game: Game) -> SearchKernel:
    """Return the compiled search of an agent."""
    if isinstance(agent.eval, Learned):
        return _WithNetwork(agent.eval, game)
    return _Plain()
