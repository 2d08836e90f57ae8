"""perfect: plays by the exact score, with errors at a chosen rate."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from inarow.agents.base import Agent, Decision, Mind
from inarow.agents.exact_end import SHARE, Proof, oracles
from inarow.agents.parameters import AgentError, choice, integer, number
from inarow.agents.ties import ties_field
from inarow.formatting import say
from inarow.limits import Limit
from inarow.memory import check_memory
from inarow.randomness import Stream, derive
from inarow.rules import Game, Player, Position
from inarow.solver import Oracle
from inarow.stopping import Stop

if TYPE_CHECKING:
    from inarow.agents.alphabeta import SearchMind

LARGE, LARGE_NODES = 42, 10_000_000
"""Beyond this many cells nobody knows how long a proof takes: without a limit a decision has this many nodes."""


@dataclass(frozen=True)
class Perfect(Agent):
    """Asks the oracle for the score of every move.

    If no move is proven to keep the verdict within 90 % of its nodes or seconds, the search of `best` has the rest,
    and chooses among the moves that are not proven to be worse than another.
    """

    name = "perfect"
    variants = True
    summary = "never gives away the value of the game: moves by the exact score of each"
    ties: str = ties_field("random")
    resist: str = choice(
        "longest", ("longest", "any"), "the quickest win and the longest resistance, or any move that keeps the verdict"
    )
    error: float = number(0.0, "how often it plays another legal move instead, at random", low=0, high=1)
    nodes: int | None = integer(
        None,
        "maximum nodes per decision; the search of best has 10 % of them, if the rest proves nothing; auto: unlimited "
        "up to 42 cells, else 10 million",
        low=1,
        none="auto",
    )
    seconds: float | None = number(
        None, "maximum seconds per decision, used in the same way", low=0.000001, none="unlimited"
    )
    tt_mb: int = integer(64, "size of the solver's table in MB", low=1, high=1 << 20)

    def check(self, game: Game) -> None:
        super().check(game)
        check_memory("agent perfect", "tt_mb", self.tt_mb, AgentError)

    def mind(self, game: Game, player: Player, seed: int) -> Mind:
        return PerfectMind(self, game, seed)


ADVISER = Perfect(ties="centre", seconds=2.0)
"""Gives hints to people."""


class PerfectMind(Mind):
    """An oracle and two random streams: one for ties, one for errors; and a search for what the oracle can't prove."""

    def __init__(self, agent: Perfect, game: Game, seed: int) -> None:
        self.agent = agent
        self.game = game
        self.ties = Stream(derive(seed, "ties"))
        self.errors = Stream(derive(seed, "errors"))
        self.oracle: Oracle | None = oracles.take(game, agent.tt_mb)
        self.search: SearchMind | None = None
        """Made when it is first needed."""

    def prepare(self, position: Position) -> None:
        self._oracle().prepare(position)

    def think(self, position: Position, limit: Limit, stop: Stop | None) -> Decision:
        agent, oracle = self.agent, self._oracle()
        limit = Limit(nodes=agent.nodes, seconds=agent.seconds).tightened(limit)
        if self.game.cells > LARGE and limit.nodes is None and limit.seconds is None:
            limit = replace(limit, nodes=LARGE_NODES)
        begun = self.clock.now()
        oracle.clock = self.clock
        proof = Proof.of(oracle.judge(position, limit.part(SHARE), stop=stop, weak=agent.resist == "any"))
        if proof.keeps_verdict:
            found = proof.decision(self.game, agent.ties, self.ties, proof.nodes)
        else:
            search = self._search()  # the first time, loading the network takes a part of the rest
            rest = limit.without(proof.nodes, self.clock.now() - begun)
            found = proof.added_to(search.deepen(position, rest, stop, proof.candidates), proof.nodes)
            found = found._replace(note=say("note", "unproven"))
        solved = all(bounds.solved for bounds in (proof.scores or proof.verdicts).values())
        others = [move for move in position.legal_moves() if move != found.move]
        erred = agent.error > 0 and self.errors.uniform() < agent.error and bool(others)
        if erred:
            move = self.errors.choice(others)
            found = found._replace(move=move, value=found.values.get(move), points=None, line=(move,))
        return found._replace(details={**found.details, "solved": solved, "erred": erred})

    def _oracle(self) -> Oracle:
        if self.oracle is None:
            self.oracle = oracles.take(self.game, self.agent.tt_mb)
        return self.oracle

    def _search(self) -> SearchMind:
        if self.search is None:
            from inarow.agents.alphabeta import FULL, SearchMind
            from inarow.agents.best import strongest_search

            self.search = SearchMind(strongest_search(self.game, depth=FULL, solver="off"), self.game, self.ties)
            self.search.clock = self.clock
        return self.search

    def close(self) -> None:
        if self.oracle is not None:
            oracles.give_back(self.oracle, self.agent.tt_mb)
            self.oracle = None
