"""mcts: Monte Carlo tree search with upper confidence bounds (UCT)."""

from __future__ import annotations

import functools
import math
from collections.abc import Callable, Sequence
from copy import copy
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from inarow.agents.base import Agent, Decision, Mind, is_short
from inarow.agents.evaluators import Evaluator, Function, Judge, Learned, evaluator_field, judge_field, new_setup
from inarow.agents.exact_end import TT_MB as SOLVER_MB
from inarow.agents.exact_end import ProvingMind
from inarow.agents.parameters import AgentError, choice, integer, number, switch
from inarow.agents.ties import move_list, move_set
from inarow.bits import MAX_BITS
from inarow.formatting import say
from inarow.kernels import mcts as kernels
from inarow.kernels.evaluate import MAX_MOVES
from inarow.kernels.lang.jit import interpreted
from inarow.kernels.lang.records import array_of, size_of
from inarow.kernels.mcts import DRAWN, LOST, WON, GuidedNode, Heuristic, LeafBatch, Node, Options, Prior, ValuedNode
from inarow.kernels.ntuple import NetBoard
from inarow.limits import SHORTEST, Limit
from inarow.machine import check_memory, touched
from inarow.models.network import Network
from inarow.randomness import Stream
from inarow.rules import Game, Player, Position
from inarow.solver.engine import table_mb
from inarow.stopping import Stop

USUAL = 1000
TEMPERATURE = 0.2
UNLIMITED = 1 << 60
FIRST_PART = 256
"""Simulations before the first progress report; later ones follow every PART_SECONDS."""
PART_SECONDS = 0.09
NODES_PER_SECOND = 1 << 24
"""More nodes than fast simulations add to a tree."""
FARTHEST = 8
"""Maximum plies below the root at which the tree is searched for the current position."""


@functools.cache
def _roots() -> NDArray[np.float64]:
    """Return an array of √(ln n), cached for selection."""
    return np.zeros(kernels.ROOTS)


@dataclass(frozen=True)
class Mcts(Agent):
    """Run simulations guided by UCT (PUCT with priors) and play the most visited move."""

    name = "mcts"
    variants = True
    summary = "Monte Carlo tree search: plays the most visited move"
    simulations: int | None = integer(
        None, f"simulations per decision; auto: {USUAL}, or as many as seconds allow", low=1, high=10**9, none="auto"
    )
    seconds: float | None = number(None, "maximum seconds per decision", low=0.001, high=86400, none="unlimited")
    c: float = number(math.sqrt(2), "exploration constant: the weight of the confidence bound", low=0, high=1000)
    rollouts: str = choice("random", ("random", "rules"), "moves of a rollout: random, or win, block, else random")
    prior: Learned | None = evaluator_field(  # noqa: RUF009
        None, "a network whose values of the moves become their priors (PUCT); none: no priors (UCT)", "none", True
    )
    leaf: Evaluator | None = evaluator_field(  # noqa: RUF009
        None, "evaluation of a leaf: by a rollout, or by an evaluator (ntuple: the network of prior)", "rollout"
    )
    temperature: float = number(TEMPERATURE, "softmax temperature of the priors", low=0.001, high=1000)
    prove: bool = switch(True, "back up proven wins, losses and draws")
    solver: bool = switch(False, "ask the solver first, with 90 % of the nodes or seconds; the tree gets the rest")
    reuse_tree: bool = switch(True, "keep the tree between the moves of a match")
    tree_mb: int = integer(
        128, "size of the tree in MB; when it is full, the least visited nodes are dropped", low=1, high=1 << 20
    )
    network: Judge | None = judge_field()  # noqa: RUF009
    batch: int = integer(8, "positions per call of network", low=1, high=4096, hidden=True)

    def check(self, game: Game) -> None:
        super().check(game)
        check_memory("agent mcts", "tree_mb", self.tree_mb, AgentError)
        if self.network is not None and (self.prior is not None or self.leaf is not None):
            raise AgentError("agent mcts: network gives both priors and values; omit prior and leaf")
        if self.prior is not None:
            self.prior.check(game)
        if isinstance(self.leaf, Learned) and (self.prior is None or self.leaf not in (Learned(), self.prior)):
            raise AgentError(say("unfit", "no_prior", leaf=self.leaf.spec))
        if self.prior is not None and not isinstance(self.leaf, Learned | None):
            raise AgentError(say("unfit", "two_judges", leaf=self.leaf.spec))

    def network_in(self, game: Game) -> Network | None:
        return None if self.prior is None else self.prior.network(game)

    def memory_mb(self, game: Game) -> int:
        return self.tree_mb + (table_mb(game, SOLVER_MB) if self.solver else 0)

    def mind(self, game: Game, player: Player, seed: int) -> Mind:
        return MctsMind(self, game, Stream(seed))

    def in_use(self, name: str) -> Any:
        return self.limit.simulations if name == "simulations" else super().in_use(name)

    @property
    def limit(self) -> Limit:
        """Its own limits."""
        auto = USUAL if self.seconds is None else None
        return Limit(simulations=self.simulations or auto, seconds=self.seconds)


class Tree:
    """A pool of nodes; node 0 is the root (see `kernels.mcts`)."""

    def __init__(self, room: int, random: int, node: type[Any] = Node) -> None:
        self.state = kernels.TreeState()
        self.state.random = random
        self.node = node
        self.room = room
        self.nodes = array_of(node, room)
        self.spare: Any = None
        """A second pool of the same size, if both were made for short limits."""
        self.root: Position | None = None
        self.prunings = 0
        """Number of times the tree was pruned in this decision."""

    @property
    def used(self) -> int:
        """Number of nodes."""
        return self.state.used

    def reserve(self, room: int) -> None:
        """Make two pools for this many nodes, and for twice the present ones, unless they need more memory than one of
        full size."""
        room = max(room, 2 * self.used)
        if 2 * room > self.room:
            self.use_whole()
        elif self.spare is None or len(self.nodes) < room:
            self._move_into(touched(array_of(self.node, room)), touched(array_of(self.node, room)))

    def use_whole(self) -> None:
        """Use a single pool of full size."""
        if self.spare is not None:
            self._move_into(array_of(self.node, self.room), None)

    def _move_into(self, nodes: Any, spare: Any) -> None:
        old: Any = self.nodes
        nodes[: self.used] = old[: self.used]
        self.nodes, self.spare = nodes, spare

    def restart(self, position: Position) -> None:
        """Start a new tree with this position as the root."""
        self.root = position
        self.state.used = 1
        self.state.deepest = position.ply
        self.nodes[0] = 0

    def children(self, node: int) -> range:
        """Return the children of a node."""
        first = int(self.nodes[node].first)
        return range(first, first + int(self.nodes[node].count))

    def cell(self, node: int) -> int:
        """Return the stone of the move that leads to a node, as a bit."""
        return 1 << int(self.nodes[node].cell)

    def status(self, node: int) -> int:
        """Return the proven result of a node, for the side to move there."""
        return int(self.nodes[node].status)

    def find(self, position: Position) -> int | None:
        """Return the node of a position that descends from the root, if it is in the tree."""
        if self.root is None or self.root.game != position.game or position.ply - self.root.ply > FARTHEST:
            return None
        root = self.root
        node = kernels.find_node(self.nodes, root.first, root.second, position.first, position.second)
        return node if node >= 0 else None

    def move_to(self, position: Position) -> None:
        """Make the node of this position the root and keep its subtree; start a new tree if it is missing."""
        node = self.find(position)
        if node is None:
            self.restart(position)
        elif node > 0:
            self._keep(node, position, 0, Stop())

    @property
    def is_full(self) -> bool:
        """True if the pool may be too full for the children of one more node."""
        return self.used + MAX_MOVES > len(self.nodes)

    def prune(self, stop: Stop) -> bool:
        """Free half of the pool: nodes with few visits lose their children and become leaves again.

        Returns False, leaving the tree unchanged, if stopped.
        """
        assert self.root is not None
        least = kernels.least_visits(self.state, self.nodes, len(self.nodes) // 2, stop.flag)
        pruned = self._keep(0, self.root, least, stop)
        self.prunings += pruned
        return pruned

    def _keep(self, node: int, position: Position, least: int, stop: Stop) -> bool:
        copy = array_of(self.node, len(self.nodes)) if self.spare is None else self.spare
        if not kernels.keep_below(self.state, self.nodes, copy, node, position.ply, least, stop.flag):
            return False
        if self.spare is not None:
            self.spare = self.nodes
        self.nodes, self.root = copy, position
        return True


class MctsMind(ProvingMind):
    """The tree, kept between moves, and the random numbers."""

    simulate: Callable[..., int] = staticmethod(kernels.simulate)

    def __init__(self, agent: Mcts, game: Game, stream: Stream) -> None:
        super().__init__(game, stream, agent.limit, agent.solver)
        self.network = network = None if agent.prior is None else agent.prior.network(game)
        self.prior: Prior | None = None
        """The network for the kernel."""
        if network is not None:
            board = NetBoard(network.prepare(), network.whole_work())
            self.prior = Prior(board, float(agent.temperature), agent.leaf is None)
        node = GuidedNode if network or agent.network else Node if agent.leaf is None else ValuedNode
        if not isinstance(agent.leaf, Function):
            kernels.warm_for(node)
        elif not agent.leaf.is_kernel:
            self.simulate = interpreted(kernels.simulate)
        if agent.network is not None:
            kernels.warm_batches()
        self.agent = agent
        self.setup = new_setup(game, None if network else agent.leaf)
        self.tree = Tree((agent.tree_mb << 20) // size_of(node), stream.number(), node)

    def prepare(self, position: Position, limit: Limit) -> None:
        super().prepare(position, limit)
        if is_short(self.limit, limit):
            limit = self.limit.tightened(limit)
            if limit.simulations is None and limit.nodes is None:
                self.tree.reserve(int(NODES_PER_SECOND * max(limit.seconds or 0, SHORTEST)))
                return
        self.tree.use_whole()

    def preview(self, position: Position, limit: Limit, stop: Stop | None) -> tuple[list[int], int]:
        """Return the network's favourite move, if there is a network."""
        if self.network is None:
            return [], 0
        values = self.network.judge(position)
        return [max(values, key=lambda move: values[move])], 0

    def search(self, position: Position, limit: Limit, stop: Stop | None, moves: Sequence[int]) -> Decision:
        own_stop = Stop(within=stop)
        with self.clock.alarm(limit.seconds, own_stop):
            return self._search(position, limit, own_stop, moves)

    def _search(self, position: Position, limit: Limit, own_stop: Stop, moves: Sequence[int]) -> Decision:
        agent, tree = self.agent, self.tree
        if agent.reuse_tree:
            tree.move_to(position)
        else:
            tree.restart(position)
        if int(tree.nodes[0].visits) + (limit.simulations or 0) > kernels.MAX_VISITS:
            tree.restart(position)
        kept = int(tree.nodes[0].visits)
        tree.state.visited = tree.prunings = 0
        total = limit.simulations or kernels.MAX_VISITS - kept
        options = Options(agent.c, agent.rollouts == "rules", agent.prove, limit.simulations is None, _roots())
        guide: Prior | Heuristic | None = None
        custom = agent.leaf.custom(self.game, position.to_move) if isinstance(agent.leaf, Function) else None
        if self.network is not None and self.prior is not None:
            self.network.set_up(self.prior.network.board, position)
            guide = self.prior
        elif agent.leaf is not None:
            guide = Heuristic(custom)

        def simulate(count: int) -> int:
            start = self.setup, tree.state, tree.nodes, position.own, position.opp, count, limit.nodes or UNLIMITED
            if agent.network is not None:
                return self._judged(agent.network, agent.batch, start, options, own_stop)
            return self.simulate(*start, options, guide, own_stop.flag)

        def run(count: int) -> int:
            done = simulate(count)
            while done < count and tree.is_full and tree.prune(own_stop):
                done += simulate(count - done)
            return done

        simulations = run(total) if self.watcher is None else self._in_parts(run, total, position, kept, moves)
        if isinstance(agent.leaf, Function) and custom is not None:
            agent.leaf.check_answers(custom)
        return self._decision(position, simulations, kept, self.stream, moves)

    def _judged(self, judge: Judge, size: int, start: tuple[Any, ...], options: Options, stop: Stop) -> int:
        """Run simulations whose leaves are evaluated in batches; return how many were finished."""
        setup, state, nodes, own, opp, count, node_limit = start
        batch = LeafBatch(
            np.zeros((size, MAX_BITS), np.int64), *(np.zeros(size, np.int64) for _ in range(len(LeafBatch._fields) - 1))
        )
        done = 0
        while done < count:
            rest = own, opp, count - done, node_limit, options, batch, stop.flag
            finished, waiting = kernels.select_leaves(setup, state, nodes, *rest)
            done += finished
            if waiting:
                found = judge.judge(self.game, batch.own[:waiting], batch.opp[:waiting])
                kernels.expand_leaves(setup, state, nodes, waiting, *found, options, batch)
                done += waiting if batch.depths[0] else 0
            elif not finished:
                break
        return done

    def _in_parts(
        self, run: Callable[[int], int], total: int, position: Position, kept: int, moves: Sequence[int]
    ) -> int:
        """Run simulations in short parts and report the tree after each."""
        done, size = 0, FIRST_PART
        while done < total:
            begun, wanted = self.clock.now(), min(size, total - done)
            part = run(wanted)
            done += part
            if part < wanted:  # a limit was reached, or everything is proven
                break
            if self.watcher is not None:
                self.watcher(self._decision(position, done, kept, copy(self.stream), moves))
            took = max(self.clock.now() - begun, 1e-6)
            size = max(1, min(4 * size, int(size * PART_SECONDS / took)))
        return done

    def _decision(
        self, position: Position, simulations: int, kept: int, stream: Stream, moves: Sequence[int]
    ) -> Decision:
        tree = self.tree
        children = {self.game.move_of_bit(int(tree.nodes[child].cell)): child for child in tree.children(0)}
        children = dict(sorted(children.items()))
        visits = {move: int(tree.nodes[child].visits) for move, child in children.items()}
        if not children:  # too few nodes for a simulation
            return Decision(stream.choice(moves), nodes=tree.state.visited)
        values = {move: self._value(child) for move, child in children.items() if visits[move]}
        guided = self.network is not None or self.agent.network is not None
        own, opp, among = position.own, position.opp, move_set(moves)
        found = kernels.best_moves(tree.nodes, self.game.layout, own, opp, among, self.agent.prove, guided)
        move = stream.choice(move_list(found))
        proven = {WON: 1.0, LOST: -1.0, DRAWN: 0.0}.get(tree.status(0))
        return Decision(
            move,
            value=values.get(move) if proven is None else proven,
            values=values,
            by_move={"visits": visits},
            nodes=tree.state.visited,
            line=self._line(children[move], move),
            details={
                "simulations": simulations,
                "simulations_kept": kept,
                "tree_nodes": tree.used,
                "tree_depth": tree.state.deepest - position.ply,
                "proven": proven is not None,
                "tree_prunings": tree.prunings,
            },
        )

    def _value(self, child: int) -> float:
        """Return the mean result of a move in [−1, 1], or its proven result."""
        tree = self.tree
        if self.agent.prove and tree.status(child):
            return {WON: -1.0, LOST: 1.0, DRAWN: 0.0}[tree.status(child)]
        return float(tree.nodes[child].total) / float(tree.nodes[child].visits) - 1.0

    def _line(self, child: int, move: int) -> tuple[int, ...]:
        tree = self.tree
        bits = np.zeros(MAX_BITS, dtype=np.int64)
        length = kernels.expected_line(tree.nodes, child, bits)
        return (move, *(self.game.move_of_bit(bit) for bit in bits[:length].tolist()))
