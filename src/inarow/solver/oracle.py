"""The oracle: exact scores of the positions of one game.

`Oracle.analyse` answers everything at once under one limit; the other methods are shortcuts for one part of it.
"""

from __future__ import annotations

import contextlib
import functools
import threading
from collections.abc import Callable, Iterator
from typing import Protocol

from inarow.limits import NO_LIMIT, Limit
from inarow.rules import Game, Position
from inarow.rules import game as game_of
from inarow.solver.analysis import (
    LINE,
    MOVES,
    SCORE,
    Analysis,
    Bounds,
    OverError,
    Unsolved,
    Verdict,
    WrongGameError,
    best_of,
    exact_scores,
    win_score,
)
from inarow.solver.book import SCORES, VERDICTS, Book, BookError, open_book, shipped_book
from inarow.solver.engine import TT_MB, WIDEST, Engine, check_engine
from inarow.solver.solved import OpeningScores
from inarow.stopping import SYSTEM_CLOCK, Clock, Stop

GLANCE = 2_000
"""Nodes that a question may take before limits and interrupts are watched: a quarter of a millisecond."""
PREPARED_MB = 256
"""Larger tables get their memory when it is used: it would take too long at once."""
SEARCH = "search"
ANY_SCORE = Bounds(-WIDEST, WIDEST)


class KnownScores(Protocol):
    """Some scores that need no search: the book, or the cache."""

    @property
    def name(self) -> str:
        """What an analysis gives as its source."""

    def get(self, position: Position) -> int | None:
        """The score of a position, if it is known here."""

    def put(self, position: Position, score: int) -> None:
        """Keep a score that was found."""


class Oracle:
    """Exact scores on one game, for the side to move; under a limit in nodes or seconds perhaps only bounds.

    Threads may share it, and then search one after the other; with an oracle each they search at the same time.
    ``nodes`` and ``seconds`` are the cost of the last call, by whichever thread.
    """

    def __init__(
        self,
        game: Game | str,
        *,
        book: bool = True,
        known: tuple[KnownScores, ...] = (),
        tt_mb: int = TT_MB,
        threads: int = 1,
        clock: Clock = SYSTEM_CLOCK,
    ) -> None:
        """With ``book`` the shipped opening books and balanced openings are used, if the game has them; ``known`` is
        looked up after the scores of these."""
        self.game = game = game_of(game)
        self.clock = clock
        self.nodes = 0
        self.seconds = 0.0
        self.notice = ""
        """What a user should know: a book that could not be used."""
        self._uses_books = book and game.gravity
        shipped = (self._book(SCORES), OpeningScores()) if self._uses_books else ()
        self._known: tuple[KnownScores, ...] = (*(one for one in shipped if one is not None), *known)
        check_engine(tt_mb, threads)
        self._settings = tt_mb, threads
        self._made: Engine | None = None
        self._searching = threading.Lock()
        """Held while the engine, its tables or the cache change."""

    @functools.cached_property
    def _verdicts(self) -> Book | None:
        """The book of verdicts, which is large: read when a position is not among the known scores."""
        return self._book(VERDICTS)

    def _book(self, holds: str) -> Book | None:
        """A book that ships with inarow; None if there is none, or it can't be used."""
        path = shipped_book(self.game, holds) if self._uses_books else None
        try:
            return None if path is None else open_book(path, self.game)
        except BookError as error:
            self.notice = f"{error}; continuing without the book"
            return None

    @property
    def _engine(self) -> Engine:
        """Made when a question first needs a search: the books may know all that is asked."""
        if self._made is None:
            self._made = Engine(self.game, *self._settings)
        return self._made

    def prepare(self, position: Position) -> None:
        """Compile the solver and have the system provide the memory of its table now, not while a question is timed;
        unless the scores of a position and its moves need no search."""
        with self._searching:
            if self._made is None and not self.knows(position):
                table = self._engine.table
                if table.nbytes <= PREPARED_MB << 20:
                    table.fill(0)

    def knows(self, position: Position) -> bool:
        """Whether the scores of a position and of its moves need no search."""
        children = [position.play(move) for move in position.legal_moves()]
        asked = [position, *(child for child in children if child.outcome() is None)]
        return all(any(known.get(one) is not None for known in self._known) for one in asked)

    def known_verdict(self, position: Position) -> int | None:
        """Win (1), draw (0) or loss (−1) of a position that is not over, if no search is needed to know it."""
        for known in self._known:
            score = known.get(position)
            if score is not None:
                return _sign(score)
        if position.winning_moves():
            return 1
        return None if self._verdicts is None else self._verdicts.get(position)

    def forget(self) -> None:
        """Empty the table, so that the node counts that follow don't depend on earlier calls."""
        with self._searching:
            if self._made is not None:
                self._made.forget()

    def analyse(
        self,
        position: Position,
        limit: Limit = NO_LIMIT,
        *,
        stop: Stop | None = None,
        moves: bool = True,
        line: bool = False,
        weak: bool = False,
        on_progress: Callable[[Analysis], None] | None = None,
    ) -> Analysis:
        """Prove what can be proven of a position within ``limit`` (nodes and seconds), which is for all of it together.

        First the position's score, then every move's if ``moves``, then one perfect continuation if ``line``.
        ``weak`` asks for win, draw or loss only, which is quicker, and finds no line. ``on_progress`` is called with
        what is known so far: what the books say, then the score, after each move, and with the line. Once ``stop`` is
        set, what is proven by then is returned.
        """
        self._check(position)
        budget = Budget(limit, stop, self.clock)
        found: tuple[int, ...] | None = None
        bounds, source = self._known_bounds(position, weak), ""
        by_move = self._known_moves(position, weak) if moves else {}

        def report(looking_for: str) -> Analysis:
            self._note(budget)
            now = Analysis(position, bounds, dict(by_move), found, self.nodes, self.seconds, source, weak, looking_for)
            if on_progress is not None:
                on_progress(now)
            return now

        report(SCORE)
        bounds, source = self._bounds(position, budget, weak, bounds)
        after = LINE if line else ""
        report(MOVES if moves else after)
        if moves:
            for move, one in self._each_move(position, budget, weak, bounds):
                by_move[move] = one
                report(MOVES)
            highest = max(one.high for one in by_move.values())  # what moves prove, the position has
            bounds = Bounds(max(bounds.low, *(one.low for one in by_move.values())), min(bounds.high, highest))
            report(after)
        if line and bounds.solved and not weak:
            with contextlib.suppress(Unsolved):
                found = self._line(position, bounds.score, budget)
        return report("")

    def so_far(self) -> tuple[Bounds, int] | None:
        """Return the bounds and the nodes of the search under way, or of the last one; None before the first.

        Meant for another thread, which shows that a long search gets on.
        """
        if self._made is None:
            return None
        low, high, nodes = self._made.so_far()
        return Bounds(low, high), nodes

    def score(self, position: Position, limit: Limit = NO_LIMIT, *, stop: Stop | None = None) -> int:
        """The score; raises `Unsolved` with the bounds if the limit is reached."""
        low, high = self._ask(position, -WIDEST, WIDEST, limit, stop)
        if low != high:
            raise Unsolved(low, high)
        return low

    def verdict(self, position: Position, limit: Limit = NO_LIMIT, *, stop: Stop | None = None) -> Verdict:
        """Win, draw or loss: cheaper than the score; raises `Unsolved` if the limit is reached."""
        return Bounds(*self._ask(position, -1, 1, limit, stop)).verdict

    def move_bounds(
        self, position: Position, limit: Limit = NO_LIMIT, *, stop: Stop | None = None, weak: bool = False
    ) -> dict[int, Bounds]:
        """What is proven of the score of every legal move, for the side that makes it; one limit for all.

        Cheaper than `analyse`, which looks at the position itself first.
        """
        self._check(position)
        budget = Budget(limit, stop, self.clock)
        found = self._known_moves(position, weak)
        found.update(self._each_move(position, budget, weak, self._known_bounds(position, weak)))
        self._note(budget)
        return found

    def scores(self, position: Position, limit: Limit = NO_LIMIT, *, stop: Stop | None = None) -> dict[int, int]:
        """The score of every legal move, for the side that makes it; raises `Unsolved` if the limit is reached."""
        return exact_scores(self.move_bounds(position, limit, stop=stop))

    def best_moves(self, position: Position, limit: Limit = NO_LIMIT, *, stop: Stop | None = None) -> tuple[int, ...]:
        """The moves with the best score: the quickest wins, or the longest resistance."""
        return best_of(self.scores(position, limit, stop=stop))

    def line(self, position: Position, limit: Limit = NO_LIMIT, *, stop: Stop | None = None) -> tuple[int, ...]:
        """One perfect continuation to the end; raises `Unsolved` if the limit is reached."""
        budget = Budget(limit, stop, self.clock)
        try:
            bounds, _ = self._bounds(position, budget, weak=False)
            return self._line(position, bounds.score, budget)
        finally:
            self._note(budget)

    def _ask(self, position: Position, low: int, high: int, limit: Limit, stop: Stop | None) -> tuple[int, int]:
        """The bounds between ``low`` and ``high``: one question with a limit of its own, as quick as can be."""
        begun = self.clock.now()
        low, high, self.nodes, _ = self._solve(position, low, high, limit.nodes, limit.seconds, stop, low == -WIDEST)
        self.seconds = self.clock.now() - begun
        return low, high

    def _check_game(self, position: Position) -> None:
        game = position.game
        if game is not self.game and game != self.game:
            raise WrongGameError(f"this oracle is for {self.game}, and the position is of {game}; make one for {game}")

    def _check(self, position: Position) -> None:
        """Raise `WrongGameError` or `OverError` if there is nothing to solve."""
        self._check_game(position)
        if position.outcome() is not None:
            raise _over(position)

    def _note(self, budget: Budget) -> None:
        self.nodes, self.seconds = budget.nodes, budget.seconds

    def _known_bounds(self, position: Position, weak: bool) -> Bounds:
        """The bounds of a score, or of its sign, that need no search; the game is not over."""
        left = position.game.cells - position.ply
        low, high = _within(-(left // 2), (left + 1) // 2, self.known_verdict(position))
        for known in self._known:
            score = known.get(position)
            if score is not None:
                low = high = score
        return Bounds(_sign(low), _sign(high)) if weak else Bounds(low, high)

    def _known_moves(self, position: Position, weak: bool) -> dict[int, Bounds]:
        """The bounds of each move that need no search."""
        found = {}
        for move in position.legal_moves():
            child = position.play(move)
            end = _final_score(position, child)
            if end is None:
                low, high = self._known_bounds(child, weak)
                found[move] = Bounds(-high, -low)
            else:
                end = _sign(end) if weak else end
                found[move] = Bounds(end, end)
        return found

    def _bounds(self, position: Position, budget: Budget, weak: bool, proven: Bounds = ANY_SCORE) -> tuple[Bounds, str]:
        """The bounds of a score known to be within ``proven``, or of its sign, and where they come from."""
        low, high = proven
        if not weak:
            return self._narrow(position, low, high, budget, proven=True)
        bounds, source = self._narrow(position, min(max(low, -1), 1), max(min(high, 1), -1), budget)
        return Bounds(_sign(bounds.low), _sign(bounds.high)), source  # a book gives the score

    def _narrow(
        self, position: Position, low: int, high: int, budget: Budget, proven: bool = False
    ) -> tuple[Bounds, str]:
        """The bounds between ``low`` and ``high`` within what is left of a budget."""
        low, high, nodes, source = self._solve(position, low, high, *budget.left(), budget.stop, proven)
        budget.nodes += nodes
        return Bounds(low, high), source

    def _solve(
        self,
        position: Position,
        low: int,
        high: int,
        nodes: int | None,
        seconds: float | None,
        stop: Stop | None,
        proven: bool,
    ) -> tuple[int, int, int, str]:
        """The bounds of a score, as far as they can be narrowed from low … high; the nodes it took; the source.

        ``proven`` says that the score is within low … high, so that it is known once they meet.
        """
        self._check_game(position)
        game = position.game
        first, second = position.first, position.second
        occupied = first | second
        ply = occupied.bit_count()
        for known in self._known:
            score = known.get(position)
            if score is not None:
                return score, score, 0, known.name
        stones = second if ply & 1 else first
        if self._verdicts is not None and ply <= self._verdicts.last_ply:
            low, high = _within(low, high, self._verdicts.get(position))
            if low >= high:
                return low, low, 0, self._verdicts.name
        with self._searching:
            spent = 0
            if game.gravity:
                most = GLANCE if nodes is None else min(GLANCE, nodes)
                found = (self._made or self._engine).glance(stones, occupied, low, high, most)
                if found is None:
                    raise _over(position)
                low, high, spent = found
                if low == high:
                    return low, high, spent, SEARCH
            elif position.outcome() is not None:
                raise _over(position)
            more = None if nodes is None else nodes - spent
            own_stop = Stop(within=stop)
            with self.clock.alarm(seconds, own_stop):
                low, high, rest = self._engine.narrow(stones, occupied, ply, low, high, more, own_stop)
            if low == high and proven:
                for known in self._known:
                    known.put(position, low)
            return low, high, spent + rest, SEARCH

    def _each_move(
        self, position: Position, budget: Budget, weak: bool, proven: Bounds
    ) -> Iterator[tuple[int, Bounds]]:
        """Yield the bounds of each move that doesn't end the game as they are found, central moves first.

        The position's score is within ``proven``. No move is better than it, and if all others are worse than its
        score, the last one has it.
        """
        children = {move: position.play(move) for move in sorted(position.legal_moves(), key=self._off_centre)}
        going_on = [move for move, child in children.items() if child.outcome() is None]
        ends = (_final_score(position, child) for child in children.values())
        others_worse = proven.solved and all(
            (_sign(end) if weak else end) < proven.low for end in ends if end is not None
        )
        for move in going_on:
            if others_worse and move == going_on[-1]:
                yield move, proven
                return
            (low, high), _ = self._bounds(children[move], budget, weak, Bounds(-proven.high, WIDEST))
            others_worse = others_worse and -low < proven.low
            yield move, Bounds(-high, -low)

    def _off_centre(self, move: int) -> int:
        """How far a move is from the middle columns."""
        return abs(2 * (move % self.game.columns) - self.game.columns + 1)

    def _line(self, position: Position, score: int, budget: Budget) -> tuple[int, ...]:
        """Moves that keep this score, which is the position's, to the end."""
        moves: list[int] = []
        while position.outcome() is None:
            moves.append(self._keeping(position, score, budget))
            position = position.play(moves[-1])
            score = -score
        return tuple(moves)

    def _keeping(self, position: Position, score: int, budget: Budget) -> int:
        """A move that keeps this score, which is the position's; central ones are tried first."""
        for move in sorted(position.legal_moves(), key=self._off_centre):
            child = position.play(move)
            end = _final_score(position, child)
            if end is not None:
                if end == score:
                    return move
                continue
            found, _ = self._narrow(child, -score, -score + 1, budget)
            if found.high <= -score:
                return move
            if not found.low > -score:
                raise Unsolved(-found.high, -found.low)
        raise AssertionError("a score is always that of one of the moves")


def _over(position: Position) -> OverError:
    return OverError(f"the game is over ({position.result_text()}); there is nothing to solve")


def _within(low: int, high: int, verdict: int | None) -> tuple[int, int]:
    """The part of low … high in which scores of this verdict are; one end of it if there are none."""
    if verdict is None:
        return low, high
    least, most = (1, WIDEST) if verdict > 0 else (-WIDEST, -1) if verdict < 0 else (0, 0)
    return min(max(low, least), high), max(min(high, most), low)


def _sign(score: int) -> int:
    return (score > 0) - (score < 0)


def _final_score(position: Position, child: Position) -> int | None:
    """The score of a move that ends the game, for the side that made it; None if the game goes on."""
    outcome = child.outcome()
    if outcome is None:
        return None
    return 0 if outcome.winner is None else win_score(position)


class Budget:
    """A limit that several questions share, and what they have used of it."""

    def __init__(self, limit: Limit, stop: Stop | None, clock: Clock) -> None:
        self.limit = limit
        self.stop = stop
        self.nodes = 0
        self._clock = clock
        self._begun = clock.now()

    @property
    def seconds(self) -> float:
        """Seconds used."""
        return self._clock.now() - self._begun

    def left(self) -> tuple[int | None, float | None]:
        """Nodes and seconds that are left; None without a limit."""
        nodes, seconds = self.limit.nodes, self.limit.seconds
        return (
            None if nodes is None else max(0, nodes - self.nodes),
            None if seconds is None else max(1e-6, seconds - self.seconds),
        )
