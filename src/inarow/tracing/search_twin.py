"""A plain twin of the kernels of minimax and alpha–beta that records what it does (see `kernels.alphabeta`).

It takes a kernel's place in the agent's own mind, so that depths, ties and the decision are the agent's. Values
inside are points for the side to move, as in the kernels; events have them for the side to move at the root.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

from inarow import bits
from inarow.agents.learned import Learned
from inarow.agents.search_mind import Answer, Root, SearchKernel
from inarow.agents.searching import Searcher
from inarow.kernels import alphabeta as ordering
from inarow.kernels.alphabeta import EXACT, INFINITE, INTERVAL, LOWER, NO_MOVE, UPPER
from inarow.kernels.common.evaluate import points_of
from inarow.kernels.common.setup import FULL, HISTORY, PROVEN, THREATS
from inarow.kernels.common.setup import NONE as UNORDERED
from inarow.rules import Game, Player, Position
from inarow.stopping import raised
from inarow.tracing.table_twin import Key, TableTwin, answers, canonical, tt_move_of
from inarow.tracing.trace import NONE, Detail, Kind, Recorder

Line = tuple[int, ...]
"""The expected play, as bit indices."""
BOUNDS = {EXACT: Detail.EXACT, LOWER: Detail.AT_LEAST, UPPER: Detail.AT_MOST}
OPPOSITE = {Detail.AT_LEAST: Detail.AT_MOST, Detail.AT_MOST: Detail.AT_LEAST}
"""What a bound is for the other side."""


class Place(NamedTuple):
    """A position in the search: its node, the stones of the side to move and of the other, plies left, stones."""

    node: int
    own: int
    opp: int
    depth: int
    ply: int
    wins: int
    """The cells, taken or not, with which the side to move would win."""


class MoveResult(NamedTuple):
    """What is known of a move: its value for the side that makes it, and where that is from."""

    value: int
    line: Line
    kind: Kind
    detail: Detail


class _Stopped(Exception):
    """The limit of nodes is reached, or the stop flag was raised."""


class SearchTwin(SearchKernel):
    """One search, recorded."""

    def __init__(self, agent: Searcher, game: Game, recorder: Recorder) -> None:
        self.agent, self.game, self.recorder = agent, game, recorder
        self.network = agent.eval.network(game) if isinstance(agent.eval, Learned) else None

    def begin(self, position: Position) -> None:
        self.history: dict[tuple[int, int], int] = {}
        self.table = TableTwin(self.agent.table_entries)

    def search(self, root: Root, answer: Answer) -> int:
        self.setup, self.state, own, opp, depth, ply = root
        self.root_ply = ply
        self.masks: list[int] = self.setup.order[: self.setup.moves].tolist()
        self.prune = self.setup.prune
        node = self.recorder.node(NONE, NONE)
        self.recorder.add(Kind.BEGIN, node, depth)
        finished = 0
        try:
            for cell, found in self._root_moves(node, own, opp, depth, [int(cell) for cell in answer.cells]):
                answer.values[finished] = found.value
                line = (bits.lowest(cell), *found.line, -1)
                answer.lines[finished, : len(line)] = line
                finished += 1
        except _Stopped:
            self.state.stopped = True
        return finished

    def _root_moves(
        self, node: int, own: int, opp: int, depth: int, cells: list[int]
    ) -> Iterator[tuple[int, MoveResult]]:
        """Search the root's moves in their order."""
        setup, ply = self.setup, self.root_ply
        narrow = self.prune and setup.root != FULL
        margin = 1 if setup.root == PROVEN else 0
        place = Place(node, own, opp, depth, ply, self._wins(own))
        best, low = -INFINITE, -INFINITE
        self.root_best, self.root_floor = best, low
        for cell in cells:
            high = margin - best if narrow and best > low else INFINITE
            child, found = self._try(place, cell, low, high)
            improved = found.value > best
            best = max(best, found.value)
            self.root_best, self.root_floor = best, best - margin if narrow else -INFINITE
            self._tell(place, child, found, best, self.root_floor, INFINITE, improved)
            yield cell, found

    def _value(self, place: Place, alpha: int, beta: int) -> MoveResult:
        """The value of an unfinished position for the side to move; a bound if it is not between alpha and beta."""
        setup = self.setup
        entry, key = None, Key(place.own, place.opp, 0)
        if setup.use_tt:
            key = canonical(setup, place.own, place.opp)
            entry = self.table.probe(key)
            if entry is not None and answers(entry, place.depth, alpha, beta):
                return MoveResult(entry.value, (), Kind.KNOWN, BOUNDS[entry.bound])
        self._enter(place, alpha, beta)
        best, best_cell, lower = -INFINITE, 0, alpha
        line: Line = ()
        order = self._order(place, key.image, NO_MOVE if entry is None else entry.tt_move)
        for at, cell in enumerate(order):
            low, high = (-beta, -lower) if self.prune else (-INFINITE, INFINITE)
            child, found = self._try(place, cell, low, high)
            improved = found.value > best
            if improved:
                best, best_cell = found.value, cell
                if best > alpha:
                    lower = max(lower, best)
                    line = (bits.lowest(cell), *found.line)
            ends = (lower, beta) if self.prune else (-INFINITE, INFINITE)
            self._tell(place, child, found, best, *ends, improved)
            if improved and best > alpha and best >= beta and self.prune:
                self._cut(place, best, ends, order[at + 1 :])
                if place.depth > 1 and setup.ordering == HISTORY:
                    weight = self.history.get((place.ply & 1, cell), 0) + place.depth * place.depth
                    self.history[place.ply & 1, cell] = weight
                break
        if setup.use_tt:
            known = best_cell if place.depth > 1 or self.network is not None else 0
            self.table.store(key, place.depth, best, (alpha, beta), tt_move_of(setup, key.image, known))
        bound = UPPER if best <= alpha else LOWER if best >= beta else EXACT
        return MoveResult(best, line, Kind.RETURN, BOUNDS[bound])

    def _try(self, place: Place, cell: int, low: int, high: int) -> tuple[int, MoveResult]:
        """Visit a move's position; its number, and its value for the side that moves. The window is the opponent's."""
        self._count_visit(place.ply + 1 - self.root_ply)
        child = self.recorder.node(place.node, self.game.move_of_bit(bits.lowest(cell)))
        leaf = self._leaf(place, cell)
        if leaf is not None:
            self.state.leaves += 1
            return child, leaf
        own, opp = place.opp, place.own | cell
        inner = Place(child, own, opp, place.depth - 1, place.ply + 1, self._wins(own))
        found = self._value(inner, low, high)
        return child, found._replace(value=-found.value, detail=OPPOSITE.get(found.detail, found.detail))

    def _count_visit(self, below: int) -> None:
        state = self.state
        if state.nodes >= state.limit or (state.nodes % INTERVAL == 0 and raised(state.stop)):
            raise _Stopped
        state.nodes += 1
        state.visits[below] += 1

    # Leaves.

    def _leaf(self, place: Place, cell: int) -> MoveResult | None:
        """The value of a move after which the search looks no further; None if it looks on."""
        setup, after = self.setup, place.own | cell
        full = after | place.opp == setup.board
        if cell & place.wins:
            return MoveResult(setup.win - setup.stone_cost * (place.ply + 1), (), Kind.LEAF, Detail.LINE)
        if full:
            return MoveResult(0, (), Kind.LEAF, Detail.FULL)
        if place.depth == 1:
            return MoveResult(-self._points(place.opp, after, place.ply + 1), (), Kind.LEAF, Detail.HORIZON)
        return None

    def _wins(self, own: int) -> int:
        game = self.game
        return bits.winning_cells(own, game.k, game.stride, game.board)

    def _points(self, own: int, opp: int, ply: int) -> int:
        """Return the points of a leaf for the side to move there; it is evaluated for the searcher."""
        seat, searcher = ply & 1, self.setup.searcher
        if self.network is None:
            return points_of(self.setup, own, opp) if seat == searcher else -points_of(self.setup, opp, own)
        first, second = (own, opp) if seat == Player.FIRST else (opp, own)
        points = self.agent.eval.points(Position(self.game, first, second), Player(searcher))
        return points if seat == searcher else -points

    # The order of moves.

    def _order(self, place: Place, image: int, tt_move: int) -> list[int]:
        """The legal cells, the most promising first; one ply above the horizon only wins may come first."""
        setup, game = self.setup, self.game
        legal = bits.playable(place.own | place.opp, game.bottom, game.board, game.gravity)
        cells = [legal & mask for mask in self.masks if legal & mask]
        way = setup.ordering
        if place.depth == 1:
            return sorted(cells, key=lambda cell: cell & place.wins == 0) if way == THREATS else cells
        if way == UNORDERED:
            return cells
        threats = bits.winning_cells(place.opp, game.k, game.stride, game.board)

        def promise(cell: int) -> int:
            score = 0
            if way == THREATS:
                score = self._promise(place, cell, threats)
            elif way == HISTORY:
                score = self.history.get((place.ply & 1, cell), 0)
            return score + (ordering.TT_MOVE if tt_move != NO_MOVE and tt_move_of(setup, image, cell) == tt_move else 0)

        return sorted(cells, key=promise, reverse=True)

    def _promise(self, place: Place, cell: int, threats: int) -> int:
        if cell & place.wins:
            return ordering.WIN
        after, game = place.own | cell, self.game
        free = game.board & ~(after | place.opp)
        score = (self._wins(after) & free).bit_count()
        score += ordering.BLOCK if cell & threats else 0
        return score - (ordering.UNSAFE if game.gravity and (cell << 1) & threats else 0)

    # Events.

    def _sign(self, place: Place) -> int:
        """1 where the side to move at the root is to move."""
        return 1 if (place.ply - self.root_ply) % 2 == 0 else -1

    def _ends(self, place: Place, low: int, high: int) -> tuple[int, int]:
        """A window of the side to move there as MAX sees it."""
        return (low, high) if self._sign(place) > 0 else (-high, -low)

    def _enter(self, place: Place, alpha: int, beta: int) -> None:
        self.recorder.add(Kind.ENTER, place.node, place.depth, *self._ends(place, alpha, beta))

    def _tell(
        self, place: Place, child: int, found: MoveResult, best: int, low: int, high: int, improved: bool
    ) -> None:
        """A move of this place has its value; the place has this best value and window now."""
        sign, detail = self._sign(place), found.detail
        ends = self._ends(place, low, high)
        detail = OPPOSITE.get(detail, detail) if sign < 0 else detail
        self.recorder.add(found.kind, child, sign * found.value, *ends, sign * best, detail, improved)

    def _cut(self, place: Place, best: int, ends: tuple[int, int], left: list[int]) -> None:
        self.state.cutoffs += 1
        moves = [self.game.move_of_bit(bits.lowest(cell)) for cell in left]
        low, high = self._ends(place, *ends)
        elsewhere = high if self._sign(place) > 0 else self.root_best if low == self.root_floor else low
        self.recorder.add(Kind.CUT, place.node, self._sign(place) * best, low, high, elsewhere, moves=moves)
