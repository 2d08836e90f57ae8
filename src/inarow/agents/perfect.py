"""perfect: plays by exact scores, with an adjustable error rate; best: the strongest play in its time, with levels."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

from inarow.agents.alphabeta import FULL, AlphaBeta, SearchMind
from inarow.agents.base import Agent, Decision, Mind, is_short
from inarow.agents.evaluators import Evaluator, Learned, Windows
from inarow.agents.exact_end import SHARE, ExactEnd, Proof
from inarow.agents.parameters import AgentError, choice, integer, number
from inarow.agents.ties import ties_field
from inarow.formatting import say
from inarow.kernels.decisions import drawn_by_value
from inarow.limits import Limit
from inarow.machine import check_memory
from inarow.models.network import Network
from inarow.randomness import Stream, derive
from inarow.rules import Game, Player, Position
from inarow.solver.engine import table_mb
from inarow.stopping import Stop

LARGE, LARGE_NODES = 42, 10_000_000
"""Boards with more cells may be unsolvable: without a limit, a decision gets this many nodes."""


@dataclass(frozen=True)
class Perfect(Agent):
    """Plays by the oracle's score of every move.

    If no move is proven to keep the verdict within 90 % of its nodes or seconds, the search of `best` gets the rest,
    and chooses among the moves that are not proven worse than another.
    """

    name = "perfect"
    variants = True
    summary = "never gives away the value of the game: moves by the exact score of each"
    ties: str = ties_field("random")
    resist: str = choice(
        "longest", ("longest", "any"), "quickest win and longest resistance, or any move that keeps the verdict"
    )
    error: float = number(0.0, "probability of a random other move", low=0, high=1)
    nodes: int | None = integer(
        None,
        "maximum nodes per decision, of which a search gets 10 % if the solver proves nothing; auto: unlimited "
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

    def memory_mb(self, game: Game) -> int:
        return table_mb(game, self.tt_mb)

    def mind(self, game: Game, player: Player, seed: int) -> Mind:
        return PerfectMind(self, game, seed)


ADVISER = Perfect(ties="centre", seconds=2.0)
"""The agent that gives hints."""


class PerfectMind(Mind):
    """An oracle, a search for positions it can't solve, and random streams for ties and errors."""

    def __init__(self, agent: Perfect, game: Game, seed: int) -> None:
        self.agent = agent
        self.game = game
        self.ties = Stream(derive(seed, "ties"))
        self.errors = Stream(derive(seed, "errors"))
        self.exact = ExactEnd(game, agent.tt_mb)
        self.search: SearchMind | None = None
        """Created when first needed."""

    def prepare(self, position: Position, limit: Limit) -> None:
        limit = self._tightened(limit)
        self.exact.oracle.prepare(position, is_short(limit))
        if is_short(limit):
            self._search().prepare(position, limit)

    def think(self, position: Position, limit: Limit, stop: Stop | None) -> Decision:
        agent, oracle = self.agent, self.exact.oracle
        limit = self._tightened(limit)
        begun = self.clock.now()
        oracle.clock = self.clock
        proof = Proof.of(oracle.judge(position, limit.part(SHARE), stop=stop, weak=agent.resist == "any"))
        if proof.keeps_verdict:
            found = proof.decision(self.game, agent.ties, self.ties, proof.nodes)
        else:
            search = self._search()  # the first time, loading the network takes a part of the rest
            rest = limit.without(proof.nodes, self.clock.now() - begun)
            found = proof.added_to(search.search(position, rest, stop, proof.candidates), proof.nodes)
            found = found._replace(note=say("note", "unproven"))
        solved = all(bounds.solved for bounds in (proof.scores or proof.verdicts).values())
        others = [move for move in position.legal_moves() if move != found.move]
        erred = agent.error > 0 and self.errors.uniform() < agent.error and bool(others)
        if erred:
            move = self.errors.choice(others)
            found = found._replace(move=move, value=found.values.get(move), points=None, line=(move,))
        return found._replace(details={**found.details, "solved": solved, "erred": erred})

    def _tightened(self, limit: Limit) -> Limit:
        """Return a limit tightened by those of the agent and, on a large board, of nodes."""
        limit = Limit(nodes=self.agent.nodes, seconds=self.agent.seconds).tightened(limit)
        if self.game.cells > LARGE and limit.nodes is None and limit.seconds is None:
            limit = replace(limit, nodes=LARGE_NODES)
        return limit

    def _search(self) -> SearchMind:
        if self.search is None:
            self.search = SearchMind(strongest_search(self.game, depth=FULL, solver="off"), self.game, self.ties)
            self.search.clock = self.clock
        return self.search

    def close(self) -> None:
        self.exact.close()


STRONGEST = 10
MIN_TEMPERATURE = 0.03
"""The temperature of the level below the strongest."""
PER_LEVEL = 1.7
"""Factor of the temperature per level below it."""
WEAK_DEPTH = 4
"""Search depth of the levels below the strongest."""


@dataclass(frozen=True)
class Best(Agent):
    """Runs the solver, then searches with a network among the moves that it could not separate.

    On boards without a shipped network the search uses the evaluator windows.
    """

    name = "best"
    summary = "as strong as its time allows: solver, else network search"
    seconds: float | None = number(1.0, "maximum seconds per decision", low=0.001, high=86400, none="unlimited")
    nodes: int | None = integer(None, "maximum nodes per decision", low=1, none="unlimited")
    level: int = integer(
        STRONGEST,
        f"playing strength; below {STRONGEST} it searches {WEAK_DEPTH} plies and samples moves by their values, more "
        "randomly at lower levels",
        low=1,
        high=STRONGEST,
    )

    @property
    def temperature(self) -> float:
        """Softmax temperature of the move choice; 0 always plays the best move."""
        below = STRONGEST - self.level
        return MIN_TEMPERATURE * PER_LEVEL ** (below - 1) if below else 0.0

    def search(self, game: Game) -> AlphaBeta:
        """Return the underlying search."""
        if self.level == STRONGEST:
            return strongest_search(game, seconds=self.seconds, nodes=self.nodes, solver="on")
        return AlphaBeta(
            depth=WEAK_DEPTH, seconds=self.seconds, nodes=self.nodes, eval=evaluator_for(game), ordering="threats",
            root="full", solver="off",
        )  # fmt: skip

    def check(self, game: Game) -> None:
        super().check(game)
        if self.seconds is None and self.nodes is None:
            raise AgentError(say("unfit", "no_limit"))
        self.search(game).check(game)

    def network_in(self, game: Game) -> Network | None:
        return self.search(game).network_in(game)

    def memory_mb(self, game: Game) -> int:
        return self.search(game).memory_mb(game)

    def mind(self, game: Game, player: Player, seed: int) -> Mind:
        return BestMind(self.search(game).mind(game, player, derive(seed, "search")), self.temperature, Stream(seed))


def strongest_search(game: Game, **settings: Any) -> AlphaBeta:
    """Return the strongest search for a game, under these limits."""
    return AlphaBeta(eval=evaluator_for(game), ordering="threats", tt=True, ties="centre", **settings)


def evaluator_for(game: Game) -> Evaluator:
    """Return the shipped network of a game, or else the general evaluator."""
    try:
        Learned().check(game)
    except AgentError:
        return Windows()
    return Learned()


class BestMind(Mind):
    """A search, and below the top level a random stream that samples among its moves."""

    def __init__(self, search: Mind, temperature: float, stream: Stream) -> None:
        self.search = search
        self.temperature = temperature
        self.stream = stream

    def prepare(self, position: Position, limit: Limit) -> None:
        self.search.prepare(position, limit)

    def think(self, position: Position, limit: Limit, stop: Stop | None) -> Decision:
        self.search.clock = self.clock
        decision = self.search.decide(position, limit, stop)
        if not self.temperature or len(decision.values) < 2:
            return decision
        moves, values = list(decision.values), list(decision.values.values())
        index = drawn_by_value(values, self.temperature, self.stream.uniform())
        move = moves[index] if index >= 0 else decision.move
        points = int(decision.by_move["points"][move])
        line = decision.line if move == decision.move else (move,)
        return decision._replace(move=move, value=decision.values[move], points=points, line=line)

    def close(self) -> None:
        self.search.close()
