"""A plain twin of the kernels of MCTS that records what it does (see `kernels.mcts`): the same random numbers, the same
tree to the bit.

Its functions take the kernels' places in the agent's own mind, and leave the tree where that mind looks for it.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from inarow import bits
from inarow.kernels import mcts as search
from inarow.kernels.common.setup import MAX_MOVES, SearchSetup
from inarow.kernels.mcts import DRAW_BITS, DRAWN, LOST, UNKNOWN, WON, Nodes, Options, TreeState
from inarow.randomness import advance, mix
from inarow.rules import Game
from inarow.stopping import raised
from inarow.tracing.trace import NONE, Detail, Kind, Recorder, TraceFull

Ints = NDArray[np.int64]
RESULTS = {WON: 1, LOST: -1, DRAWN: 0}
"""What a status means to the side to move."""
_DRAW_MASK = (1 << DRAW_BITS) - 1


def _single(value: float) -> float:
    """Rounded as the kernels' nodes hold it."""
    return float(np.float32(value))


class MctsTwin:
    """One decision's tree. A child's number in the trace is its place in the kernel's pool."""

    def __init__(self, game: Game, recorder: Recorder) -> None:
        self.game, self.recorder = game, recorder
        self.cells = [0]
        self.visits, self.totals, self.firsts, self.counts, self.statuses = [0], [0], [0], [0], [UNKNOWN]
        self.means, self.spreads = [0.0], [0.0]

    def simulate(
        self,
        setup: SearchSetup,
        tree: TreeState,
        nodes: Nodes,
        root_own: int,
        root_opp: int,
        simulations: int,
        node_limit: int,
        options: Options,
        prior: None,
        stop: Ints,
    ) -> int:
        """The twin of `kernels.mcts.simulate`."""
        self._begin(setup, tree, nodes)
        self.c, self.solve, self.roots = options.c, options.prove, options.roots
        self._expand(0, root_own, root_opp)
        done = 0
        while done < simulations and self._goes_on(root_own | root_opp, node_limit, stop):
            if options.until_proven and self.statuses[0] != UNKNOWN:
                break
            path, own, opp = [0], root_own, root_opp
            self.simulation, self.reached = done + 1, NONE
            while True:
                node = path[-1]
                if self.firsts[node] == 0:
                    self._grow(node, own, opp)
                if self.firsts[node] == 0 or (self.statuses[node] != UNKNOWN and len(path) > 1):
                    break
                child = self._select(node)
                path.append(child)
                own, opp = opp, own | (1 << self.cells[child])
            self._reach(path[-1])
            status = self.statuses[path[-1]]
            if status == UNKNOWN:
                result, played = self._roll_out(own, opp, options.rules)
            else:
                result, played = RESULTS[status], ()
            self._count(path, len(played), root_own | root_opp)
            self._tell_result(path, result, played, known=status != UNKNOWN)
            if self.solve:
                self._back_up_proof(path)
            self._back_up(path, result)
            done += 1
        self._write_back(nodes)
        return done

    # The tree.

    def _begin(self, setup: SearchSetup, tree: TreeState, nodes: Nodes) -> None:
        self.masks: list[int] = setup.order[: setup.moves].tolist()
        self.tree, self.room = tree, len(nodes)
        self.recorder.add(Kind.BEGIN, self.recorder.node(NONE, NONE), 0)

    def _goes_on(self, occupied: int, node_limit: int, stop: Ints) -> bool:
        if len(self.cells) + MAX_MOVES > self.room:
            raise TraceFull(f"{len(self.cells):,} nodes")
        longest = (self.game.board & ~occupied).bit_count()
        return not raised(stop) and self.tree.visited + longest <= node_limit

    def _number(self) -> int:
        """The next random number."""
        self.tree.random = advance(self.tree.random)
        return mix(self.tree.random)

    def _expand(self, node: int, own: int, opp: int) -> None:
        """Give a node a child for every legal move, their order rotated at random."""
        game = self.game
        legal = bits.playable(own | opp, game.bottom, game.board, game.gravity)
        cells = [legal & mask for mask in self.masks if legal & mask]
        count = len(cells)
        place = ((self._number() & _DRAW_MASK) * count) >> DRAW_BITS
        first = len(self.cells)
        for index in range(count):
            cell = bits.lowest(cells[(index - place) % count])
            self.recorder.node(node, game.move_of_bit(cell))
            self.cells.append(cell)
        zeros = [0] * count
        for column in (self.visits, self.totals, self.firsts, self.counts, self.statuses):
            column.extend(zeros)
        self.means.extend([search.UNVISITED] * count)
        self.spreads.extend([0.0] * count)
        self.firsts[node], self.counts[node] = first, count
        self.recorder.add(Kind.EXPAND, node, count, first)

    def _children(self, node: int) -> range:
        return range(self.firsts[node], self.firsts[node] + self.counts[node])

    def _select(self, node: int) -> int:
        seen = max(1, self.visits[node])
        explore = self.c * float(search.root_of_log(seen, self.roots))
        return max(self._children(node), key=lambda child: self.means[child] + explore * self.spreads[child])

    def _grow(self, node: int, own: int, opp: int) -> None:
        """At its first visit a leaf is looked at for an end of the game; at its second it gets children or a proof."""
        game = self.game
        if self.visits[node] == 0:
            self._reach(node)
            if bits.has_line(opp, game.k, game.stride):
                self._prove(node, LOST)
            elif own | opp == game.board:
                self._prove(node, DRAWN)
        elif self.statuses[node] == UNKNOWN:
            cells = bits.playable(own | opp, game.bottom, game.board, game.gravity)
            self._reach(node)
            if self.solve and bits.winning_cells(own, game.k, game.stride, game.board) & cells:
                self._prove(node, WON)
            else:
                self._expand(node, own, opp)

    def _prove(self, node: int, status: int) -> None:
        self.statuses[node] = status
        if self.solve and status != DRAWN:
            self.means[node] = _single(search.PROVEN if status == LOST else -search.PROVEN)
        self.recorder.add(Kind.PROVE, node, self._for_max(node, RESULTS[status]))

    def _back_up_proof(self, path: Sequence[int]) -> None:
        if self.statuses[path[-1]] == UNKNOWN:
            return
        for node in reversed(path[:-1]):
            if self.statuses[node] != UNKNOWN:
                return
            below_it = {self.statuses[child] for child in self._children(node)}
            if LOST in below_it:
                self._prove(node, WON)
            elif UNKNOWN in below_it:
                return
            else:
                self._prove(node, DRAWN if DRAWN in below_it else LOST)

    # Simulations.

    def _roll_out(self, own: int, opp: int, rules: bool) -> tuple[int, tuple[int, ...]]:
        """Play on: 1 if the side to move wins, −1 if it loses, 0 for a draw; and the moves."""
        game, moves, count = self.game, list[int](), len(self.masks)
        side, numbers, left = 1, 0, 0
        while True:
            choices = bits.playable(own | opp, game.bottom, game.board, game.gravity)
            if choices == 0:
                return 0, tuple(moves)
            if rules:
                wins = bits.winning_cells(own, game.k, game.stride, game.board) & choices
                if wins:
                    return side, (*moves, game.move_of_bit(bits.lowest(wins)))
                choices = bits.winning_cells(opp, game.k, game.stride, game.board) & choices or choices
            cell = 0
            while cell == 0:
                if left == 0:
                    numbers, left = self._number(), 3
                number = numbers & _DRAW_MASK
                numbers >>= DRAW_BITS
                left -= 1
                cell = choices & self.masks[(number * count) >> DRAW_BITS]
            moves.append(game.move_of_bit(bits.lowest(cell)))
            own |= cell
            if not rules and bits.has_line(own, game.k, game.stride):
                return side, tuple(moves)
            own, opp, side = opp, own, -side

    def _count(self, path: Sequence[int], plies: int, root: int) -> None:
        depth = len(path) - 1
        self.tree.visited += depth + plies
        self.tree.deepest = max(self.tree.deepest, root.bit_count() + depth)

    def _back_up(self, path: Sequence[int], result: int) -> None:
        """Count a simulation at every node of its path. ``result`` is for the side to move at the last of them."""
        gains = [0, 0]
        for depth in range(len(path) - 1, -1, -1):
            node = path[depth]
            gain = 1 - result
            gains[depth % 2] = gain
            self.visits[node] += 1
            if depth > 0:
                self.totals[node] += gain
                if abs(self.means[node]) < search.PROVEN:
                    self.means[node] = _single(0.5 * self.totals[node] / self.visits[node])
                self.spreads[node] = _single(1.0 / math.sqrt(self.visits[node]))
            result = -result
        self.recorder.add(Kind.BACKUP, path[-1], 0, gains[1], gains[0])

    def _write_back(self, nodes: Any) -> None:
        """Put the tree where the kernel would have left it."""
        self.tree.used = len(self.cells)
        columns = {
            "mean": self.means, "spread": self.spreads, "visits": self.visits, "total": self.totals,
            "first": self.firsts, "cell": self.cells, "count": self.counts, "status": self.statuses,
        }  # fmt: skip
        for name, values in columns.items():
            nodes[name][: self.tree.used] = values

    # Events.

    def _for_max(self, node: int, result: int) -> int:
        """A result for the side to move at a node, as one for MAX."""
        depth = 0
        while (node := self.recorder.parents[node]) != NONE:
            depth += 1
        return result if depth % 2 == 0 else -result

    def _reach(self, node: int) -> None:
        """Record that the simulation has come to this node."""
        if self.reached != node:
            self.recorder.add(Kind.SELECT, node, self.simulation)
            self.reached = node

    def _tell_result(self, path: Sequence[int], result: int, played: Sequence[int], known: bool) -> None:
        value = result if len(path) % 2 else -result
        kind = Kind.KNOWN if known else Kind.ROLLOUT
        self.recorder.add(kind, path[-1], value, detail=Detail.EXACT if known else Detail.NOTHING, moves=played)
