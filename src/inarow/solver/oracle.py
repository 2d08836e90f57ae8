"""The oracle: the exact truth of any position of one game."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Protocol

from inarow.rules import Game, Position
from inarow.solver.book import BookError, open_book, shipped_book
from inarow.solver.engine import TABLE_MB, WIDEST, Engine
from inarow.solver.solution import OverError, Solution, Unsolved, Verdict
from inarow.stopping import SYSTEM_CLOCK, Clock, Stop

GLANCE = 2_000
"""Nodes that a question may take before it is watched for limits and interrupts: a quarter of a millisecond."""


class KnownScores(Protocol):
    """Knows some scores already: the book, or the cache."""

    @property
    def name(self) -> str:
        """What a solution says as its source."""

    def get(self, position: Position) -> int | None:
        """The score of a position, if it is known here."""

    def put(self, position: Position, score: int) -> None:
        """Keep a score that was found."""


class Oracle:
    """Exact scores on one game, for the side to move; under a limit in nodes or seconds perhaps only bounds.

    ``nodes`` and ``seconds`` say what the last question cost. One thread at a time may ask.
    """

    def __init__(
        self,
        game: Game,
        *,
        book: bool = True,
        stores: tuple[KnownScores, ...] = (),
        table_mb: int = TABLE_MB,
        threads: int = 1,
        clock: Clock = SYSTEM_CLOCK,
    ) -> None:
        """With ``book`` the shipped opening book is used, if the game has one; ``stores`` are asked after it."""
        self.game = game
        self.clock = clock
        self.nodes = 0
        self.seconds = 0.0
        self.notice = ""
        """What a user should know: a book that could not be used."""
        self._stores = stores
        if book and game.gravity:
            self._add_book()
        self._engine = Engine(game, table_mb, threads)

    def _add_book(self) -> None:
        path = shipped_book(self.game)
        if path is None:
            return
        try:
            self._stores = (open_book(path, self.game), *self._stores)
        except BookError as error:
            self.notice = f"{error}; going on without the book"

    def forget(self) -> None:
        """Empty the table, so that the nodes of what follows don't depend on what came before."""
        self._engine.forget()

    def solve(
        self,
        position: Position,
        *,
        nodes: int | None = None,
        seconds: float | None = None,
        stop: Stop | None = None,
        weak: bool = False,
    ) -> Solution:
        """What is proven of the score within the limits; ``weak`` asks for its sign only."""
        bounds = (-1, 1) if weak else (-WIDEST, WIDEST)
        solution = self._ask(position, *bounds, nodes, seconds, stop)
        return solution._replace(seconds=self.seconds)

    def _ask(
        self, position: Position, low: int, high: int, nodes: int | None, seconds: float | None, stop: Stop | None
    ) -> Solution:
        """Solve, and note what it cost."""
        begun = self.clock.now()
        solution = self._solve(position, low, high, nodes, seconds, stop)
        self.nodes = solution.nodes
        self.seconds = self.clock.now() - begun
        return solution

    def _solve(
        self, position: Position, low: int, high: int, nodes: int | None, seconds: float | None, stop: Stop | None
    ) -> Solution:
        game = position.game
        if game is not self.game and game != self.game:
            raise OverError(f"this oracle knows {self.game}, and was asked about {game}")
        first, second = position.first, position.second
        occupied = first | second
        ply = occupied.bit_count()
        for store in self._stores:
            score = store.get(position)
            if score is not None:
                return Solution(score, score, source=store.name)
        stones = second if ply & 1 else first
        exact = low == -WIDEST
        spent = 0
        if game.gravity:
            found = self._engine.glance(stones, occupied, low, high, GLANCE if nodes is None else min(GLANCE, nodes))
            if found is None:
                raise OverError(f"the game is over ({position.result_text()}); there is nothing to solve")
            if found[0] == found[1]:
                return Solution(*found)
            low, high, spent = found
        elif position.outcome() is not None:
            raise OverError(f"the game is over ({position.result_text()}); there is nothing to solve")
        more = None if nodes is None else nodes - spent
        own_stop = Stop(within=stop)
        with self.clock.alarm(seconds, own_stop):
            low, high, rest = self._engine.narrow(stones, occupied, ply, low, high, more, own_stop)
        if low == high and exact:
            for store in self._stores:
                store.put(position, low)
        return Solution(low, high, spent + rest)

    def score(
        self,
        position: Position,
        *,
        nodes: int | None = None,
        seconds: float | None = None,
        stop: Stop | None = None,
    ) -> int:
        """The score; raises `Unsolved` with the bounds if a limit is reached."""
        return self._ask(position, -WIDEST, WIDEST, nodes, seconds, stop).score

    def verdict(
        self,
        position: Position,
        *,
        nodes: int | None = None,
        seconds: float | None = None,
        stop: Stop | None = None,
    ) -> Verdict:
        """Win, draw or loss: cheaper than the score; raises `Unsolved` if a limit is reached."""
        return self._ask(position, -1, 1, nodes, seconds, stop).verdict

    def solve_moves(
        self,
        position: Position,
        *,
        nodes: int | None = None,
        seconds: float | None = None,
        stop: Stop | None = None,
        weak: bool = False,
    ) -> dict[int, Solution]:
        """What is proven of the score of every legal move, for the side that makes it; the limits are for all."""
        begun = self.clock.now()
        spent = 0
        found = {}
        if position.outcome() is not None:
            raise OverError(f"the game is over ({position.result_text()}); there is nothing to solve")
        cells, ply = self.game.cells, position.ply
        for move in position.legal_moves():
            child = position.play(move)
            outcome = child.outcome()
            if outcome is not None:
                score = 0 if outcome.winner is None else (cells + 1 - ply) // 2
                found[move] = Solution(score, score)
                continue
            left = None if seconds is None else max(1e-6, seconds - (self.clock.now() - begun))
            more = None if nodes is None else max(0, nodes - spent)
            bounds = (-1, 1) if weak else (-WIDEST, WIDEST)
            solution = self._solve(child, *bounds, more, left, stop)
            spent += solution.nodes
            found[move] = solution._replace(low=-solution.high, high=-solution.low)
        self.nodes = spent
        self.seconds = self.clock.now() - begun
        return found

    def scores(
        self,
        position: Position,
        *,
        nodes: int | None = None,
        seconds: float | None = None,
        stop: Stop | None = None,
    ) -> dict[int, int]:
        """The score of every legal move, for the side that makes it; raises `Unsolved` if a limit is reached."""
        solutions = self.solve_moves(position, nodes=nodes, seconds=seconds, stop=stop)
        if not all(solution.solved for solution in solutions.values()):
            raise Unsolved(max(s.low for s in solutions.values()), max(s.high for s in solutions.values()))
        return {move: solution.low for move, solution in solutions.items()}

    def best_moves(
        self,
        position: Position,
        *,
        nodes: int | None = None,
        seconds: float | None = None,
        stop: Stop | None = None,
    ) -> tuple[int, ...]:
        """The moves with the best score: the quickest wins, or the longest resistance."""
        return best_of(self.scores(position, nodes=nodes, seconds=seconds, stop=stop))

    def line(
        self,
        position: Position,
        *,
        nodes: int | None = None,
        seconds: float | None = None,
        stop: Stop | None = None,
    ) -> tuple[int, ...]:
        """One perfect continuation to the end; the limits are for all of it."""
        begun = self.clock.now()
        score = self.score(position, nodes=nodes, seconds=seconds, stop=stop)
        spent = self.nodes
        moves: list[int] = []
        while position.outcome() is None:
            left = None if seconds is None else max(1e-6, seconds - (self.clock.now() - begun))
            more = None if nodes is None else max(0, nodes - spent)
            move, cost = self._keeping(position, score, more, left, stop)
            spent += cost
            moves.append(move)
            position = position.play(move)
            score = -score
        self.nodes, self.seconds = spent, self.clock.now() - begun
        return tuple(moves)

    def _keeping(
        self, position: Position, score: int, nodes: int | None, seconds: float | None, stop: Stop | None
    ) -> tuple[int, int]:
        """A move that keeps this score, which is the position's, central ones first; and the nodes it took."""
        spent = 0
        middle = self.game.columns - 1
        order = sorted(position.legal_moves(), key=lambda move: abs(2 * (move % self.game.columns) - middle))
        for move in order:
            child = position.play(move)
            outcome = child.outcome()
            if outcome is not None:
                reached = 0 if outcome.winner is None else (self.game.cells + 1 - position.ply) // 2
                if reached == score:
                    return move, spent
                continue
            found = self._solve(child, -score, -score + 1, nodes, seconds, stop)
            spent += found.nodes
            if found.high <= -score:
                return move, spent
            if not found.low > -score:
                raise Unsolved(-found.high, -found.low)
        raise AssertionError("a score is always that of one of the moves")


def best_of(scores: Mapping[int, int]) -> tuple[int, ...]:
    """The moves with the highest score, in ascending order."""
    most = max(scores.values())
    return tuple(sorted(move for move, score in scores.items() if score == most))
