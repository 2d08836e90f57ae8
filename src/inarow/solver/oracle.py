"""Exact scores of the positions of one game.

`Oracle.analyse` computes everything under one limit; the other methods are shortcuts for a part of it.
"""

from __future__ import annotations

import functools
import math
import threading
from collections.abc import Callable
from pathlib import Path
from typing import Protocol, runtime_checkable

from inarow.errors import as_path, check_callback, check_flags, check_instance, check_integer, check_list
from inarow.formatting import say
from inarow.kernels.solver import analyse
from inarow.kernels.solver.analyse import AnalysisState, Books
from inarow.kernels.solver.prove import ProofState, begin_proof, judge_moves, prove
from inarow.limits import NO_LIMIT, Limit, check_limit
from inarow.rules import Game, Position
from inarow.rules import game as game_of
from inarow.rules.notation import Moves, read_position
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
)
from inarow.solver.book import SCORES, VERDICTS, Book, BookError, open_book, shipped_book
from inarow.solver.engine import TT_MB, Engine, check_engine, read_checkpoint, write_checkpoint
from inarow.solver.solved import OPENING_PLIES, opening_scores
from inarow.stopping import SYSTEM_CLOCK, Clock, Stop

NO_BOOKS = analyse.no_books()
_PARTS = {SCORE: 1 << analyse.SCORE, MOVES: 1 << analyse.EACH_MOVE, LINE: 1 << analyse.LINE}
_LOOKING_FOR = {analyse.SCORE: SCORE, analyse.EACH_MOVE: MOVES, analyse.LINE: LINE, analyse.NOTHING: ""}
_SOURCES = {
    analyse.NOWHERE: "",
    analyse.BOOK: "book",
    analyse.OPENINGS: "openings",
    analyse.VERDICTS: "book",
    analyse.SEARCH: "search",
}


@runtime_checkable
class KnownScores(Protocol):
    """A source of scores that need no search, such as the cache."""

    @property
    def name(self) -> str:
        """Return the source that an analysis reports."""

    def get(self, position: Position) -> int | None:
        """Return the score of a position if it is known, else None."""

    def put(self, position: Position, score: int) -> None:
        """Store a score."""


class _Scratch(threading.local):
    """A reusable record per thread, because making one takes longer than looking up a score."""

    def __init__(self) -> None:
        self.state = AnalysisState()


class Oracle:
    """Exact scores of one game's positions, for the side to move; bounds if a limit is reached.

    A position is a `Position` of this game, or its moves: ``oracle.score("4455")``.

    An oracle is thread-safe, but only one thread searches at a time; give each thread its own to search in parallel.
    ``nodes`` and ``seconds`` are the cost of the last call by any thread.
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
        """Use the shipped opening books and balanced openings if ``book``, then the scores in ``known``."""
        self.game = game = game_of(game)
        check_engine(tt_mb, threads)
        check_instance("clock", clock, Clock, "a Clock")
        check_list("known", known, KnownScores, "sources of scores")
        check_flags(book=book)
        self.clock = clock
        self.nodes = 0
        self.seconds = 0.0
        self.notice = ""
        """Warnings for the user, such as an unusable book."""
        self._uses_books = book and game.gravity
        self._scores = self._book(SCORES)
        self._known = known
        self._settings = tt_mb, threads
        self._made: Engine | None = None
        self._searching = threading.Lock()
        """Held while the engine, its tables or the cache change."""
        self._scratch = _Scratch()

    def __repr__(self) -> str:
        return f"<Oracle {self.game}>"

    def _book(self, holds: str) -> Book | None:
        """Return a shipped book, or None if there is none or it can't be used."""
        path = shipped_book(self.game, holds) if self._uses_books else None
        try:
            return None if path is None else open_book(path, self.game)
        except BookError as error:
            self.notice = f"{error}; continuing without the book"
            return None

    @functools.cached_property
    def _early_books(self) -> Books:
        """The book of scores only."""
        return NO_BOOKS if self._scores is None else NO_BOOKS._replace(scores=self._scores.record)

    @functools.cached_property
    def _books(self) -> Books:
        """All books. The large book of verdicts is read only when a position has no score."""
        books, verdicts = self._early_books, self._book(VERDICTS)
        if self._uses_books:
            books = books._replace(openings=opening_scores(self.game))
        return books if verdicts is None else books._replace(verdicts=verdicts.record)

    def _books_for(self, position: Position, parts: int) -> Books:
        """Return the books that may contain the positions of an analysis."""
        covered = self._scores is not None and position.ply < self._scores.plies and not parts & _PARTS[LINE]
        return self._early_books if covered or position.ply > OPENING_PLIES + 1 else self._books

    @property
    def _engine(self) -> Engine:
        """Created when a search is first needed: the books may answer everything."""
        if self._made is None:
            self._made = Engine(self.game, *self._settings)
        return self._made

    def _read(self, position: Position | Moves, limit: Limit = NO_LIMIT, stop: Stop | None = None) -> Position:
        """Return the position that is given itself or by its moves; check the other arguments."""
        if type(limit) is not Limit:
            check_limit(limit)
        if stop is not None:
            check_instance("stop", stop, Stop, "a Stop or None")
        if not isinstance(position, Position):
            return read_position(self.game, position)
        if position.game is not self.game and position.game != self.game:
            given = position.game
            raise WrongGameError(
                f"this oracle is for {self.game}, but the position is of {given}; make one for {given}"
            )
        return position

    def prepare(self, position: Position | Moves, short: bool = False) -> None:
        """Compile and make the solver now, before a call is timed; do nothing if no search is needed. Before a
        ``short`` one the system allocates its table, too."""
        position = self._read(position)
        with self._searching:
            if self._made is None and not self.knows(position):
                analyse.warm_for(self.game.gravity, self.game.misere)
                self._made = Engine(self.game, *self._settings)
            if self._made is not None and short:
                self._made.reserve()

    def knows(self, position: Position | Moves) -> bool:
        """Return True if the scores of a position and of its moves need no search."""
        return self._begin(self._scratch.state, self._read(position), NO_LIMIT, SCORE, MOVES)[1]

    def forget(self) -> None:
        """Empty the table, so that later node counts don't depend on earlier calls."""
        with self._searching:
            if self._made is not None:
                self._made.forget()

    def _begin(
        self, state: AnalysisState, position: Position, limit: Limit, *parts: str, weak: bool = False
    ) -> tuple[Books, bool]:
        """Begin an analysis: return its books, and True if they answer everything."""
        wanted = sum(map(_PARTS.__getitem__, parts))
        books = self._books_for(position, wanted)
        nodes = limit.nodes or analyse.UNLIMITED
        known = analyse.begin(state, self.game.layout, books, position.own, position.opp, nodes, weak, wanted)
        if known == analyse.OVER:
            raise OverError(say("nothing_to", "solve", result=position.result_text()))
        return books, known == analyse.KNOWN

    def _solve(
        self, position: Position, limit: Limit, stop: Stop | None, *parts: str, weak: bool = False
    ) -> AnalysisState:
        """Analyse a position as far as the limits allow; the state is this thread's, until its next call."""
        state = self._scratch.state
        books, known = self._begin(state, position, limit, *parts, weak=weak)
        self._run(state, books, known, limit, stop)
        return state

    def _run(
        self,
        state: AnalysisState,
        books: Books,
        known: bool,
        limit: Limit,
        stop: Stop | None,
        on_answer: Callable[[], None] | None = None,
    ) -> None:
        """Continue an analysis until it is done, a limit is reached or ``stop`` is set."""
        begun = self.clock.now()
        state.stepwise = on_answer is not None or bool(self._known)
        code = analyse.UNFINISHED
        while code != analyse.DONE:
            with self._searching:
                engine = self._made or (None if known else self._engine)
                code = (
                    analyse.look_up(state, self.game.layout, books) if engine is None else engine.advance(state, books)
                )
                if engine is not None and code == analyse.UNFINISHED:
                    seconds = None if limit.seconds is None else max(1e-6, limit.seconds - self.clock.now() + begun)
                    own_stop = Stop(within=stop)
                    with self.clock.alarm(seconds, own_stop):
                        code = engine.advance(state, books, own_stop)
            if code == analyse.ASKS:
                self._supply_score(state)
            elif code == analyse.ANSWERED and state.costly and state.proven and state.ask_low == state.ask_high:
                for one in self._known:
                    one.put(self._needed_position(state), state.ask_low)
            self.nodes, self.seconds = state.nodes, self.clock.now() - begun
            if on_answer is not None and code == analyse.ANSWERED:
                on_answer()

    def _needed_position(self, state: AnalysisState) -> Position:
        """Return the position whose score the analysis needs next."""
        stones = state.ask_own, state.ask_opp
        second = (stones[0] | stones[1]).bit_count() & 1
        return Position(self.game, stones[second], stones[1 - second])

    def _supply_score(self, state: AnalysisState) -> None:
        """Pass the score that the analysis needs to it, if known."""
        for one in self._known:
            score = one.get(self._needed_position(state))
            if score is not None:
                state.ask_low = state.ask_high = score
                state.asked, state.answered_by = analyse.CLOSED, analyse.CALLER
                return

    def analyse(
        self,
        position: Position | Moves,
        limit: Limit = NO_LIMIT,
        *,
        stop: Stop | None = None,
        moves: bool = True,
        line: bool = False,
        weak: bool = False,
        on_progress: Callable[[Analysis], None] | None = None,
    ) -> Analysis:
        """Analyse a position within ``limit`` (nodes and seconds in total).

        First the position's score, then every move's if ``moves``, then one perfect continuation if ``line``.
        ``weak`` requests only win, draw or loss, which is faster, and no line. ``on_progress`` is called with the
        partial result: after the books, the score, each move and the line. Once ``stop`` is set, the partial result
        is returned.
        """
        position = self._read(position, limit, stop)
        check_callback("on_progress", on_progress)
        check_flags(moves=moves, line=line, weak=weak)
        parts = [SCORE, *([MOVES] if moves else []), *([LINE] if line else [])]
        state = AnalysisState()
        books, known = self._begin(state, position, limit, *parts, weak=weak)
        cached = self._known[0].name if self._known else ""
        self.nodes, self.seconds = 0, 0.0

        def partial_result() -> Analysis:
            found = tuple(state.line[: state.length].tolist()) or None
            source = _SOURCES.get(state.source, cached)
            stage = _LOOKING_FOR[state.looking_for]
            by_move = _by_move(position, state) if moves else {}
            bounds = Bounds(state.low, state.high)
            line = None if stage else found
            return Analysis(position, bounds, by_move, line, self.nodes, self.seconds, source, weak, stage)

        report = None if on_progress is None else lambda: on_progress(partial_result())
        if report is not None:
            report()
        self._run(state, books, known, limit, stop, report)
        if report is not None:
            report()
        return partial_result()

    def prove(
        self, position: Position | Moves, limit: Limit = NO_LIMIT, *, stop: Stop | None = None, favourite: int = -1
    ) -> ProofState:
        """Prove which moves of a position that is not over keep its verdict, then their scores (see
        `kernels.solver.prove`), beginning with the favourite move."""
        position = self._read(position, limit, stop)
        favourite = check_integer("favourite", favourite, -1, self.game.moves - 1)
        layout, books = self.game.layout, self._books_for(position, 0)
        proof, state = ProofState(), AnalysisState()
        nodes, until = limit.nodes or analyse.UNLIMITED, self.clock.now() + (limit.seconds or math.inf)
        begin_proof(proof, state, layout, books, position.own, position.opp, nodes, favourite)
        while prove(proof, state, layout, books, until - self.clock.now()):
            seconds = proof.seconds if limit.seconds else None
            self._run(state, books, False, Limit(seconds=seconds), stop)
        return proof

    def judge(
        self, position: Position | Moves, limit: Limit = NO_LIMIT, *, stop: Stop | None = None, weak: bool = False
    ) -> ProofState:
        """Return the bounds of every move, as `move_bounds` finds them, as the state of a proof."""
        check_flags(weak=weak)
        proof = ProofState()
        judge_moves(proof, self._solve(self._read(position, limit, stop), limit, stop, MOVES, weak=weak))
        return proof

    def save(self, path: str | Path) -> int:
        """Write a checkpoint of the search (boards with gravity only); return the number of positions in it."""
        file = as_path("path", path)
        with self._searching:
            return write_checkpoint(self._engine, file)

    def resume(self, path: str | Path) -> int:
        """Read a checkpoint to resume a search; return the number of positions in it."""
        file = as_path("path", path)
        with self._searching:
            return read_checkpoint(self._engine, file)

    def so_far(self) -> tuple[Bounds, int] | None:
        """Return the bounds and nodes of the running or last search, or None before the first.

        Another thread may call this to show the progress of a long search.
        """
        if self._made is None:
            return None
        low, high, nodes = self._made.so_far()
        return Bounds(low, high), nodes

    def score(self, position: Position | Moves, limit: Limit = NO_LIMIT, *, stop: Stop | None = None) -> int:
        """Return the score; raises `Unsolved` with the bounds if the limit is reached."""
        state = self._solve(self._read(position, limit, stop), limit, stop, SCORE)
        return Bounds(state.low, state.high).score

    def verdict(self, position: Position | Moves, limit: Limit = NO_LIMIT, *, stop: Stop | None = None) -> Verdict:
        """Return win, draw or loss, which is faster than the score. Raises `Unsolved` if the limit is reached."""
        state = self._solve(self._read(position, limit, stop), limit, stop, SCORE, weak=True)
        return Bounds(state.low, state.high).verdict

    def move_bounds(
        self, position: Position | Moves, limit: Limit = NO_LIMIT, *, stop: Stop | None = None, weak: bool = False
    ) -> dict[int, Bounds]:
        """Return the bounds of every legal move, for the side that makes it, under one limit.

        Faster than `analyse`, which solves the position itself first.
        """
        position = self._read(position, limit, stop)
        check_flags(weak=weak)
        return _by_move(position, self._solve(position, limit, stop, MOVES, weak=weak))

    def scores(
        self, position: Position | Moves, limit: Limit = NO_LIMIT, *, stop: Stop | None = None
    ) -> dict[int, int]:
        """Return the score of every legal move, for the side that makes it; raises `Unsolved` at the limit."""
        return exact_scores(self.move_bounds(position, limit, stop=stop))

    def best_moves(
        self, position: Position | Moves, limit: Limit = NO_LIMIT, *, stop: Stop | None = None
    ) -> tuple[int, ...]:
        """Return the moves with the best score: the quickest wins, or the longest resistance."""
        return best_of(self.scores(position, limit, stop=stop))

    def line(self, position: Position | Moves, limit: Limit = NO_LIMIT, *, stop: Stop | None = None) -> tuple[int, ...]:
        """Return one perfect continuation to the end; raises `Unsolved` if the limit is reached."""
        state = self._solve(self._read(position, limit, stop), limit, stop, SCORE, LINE)
        if state.low != state.high:
            raise Unsolved(state.low, state.high)
        if not state.length:
            raise Unsolved(state.line_low, state.line_high)
        return tuple(state.line[: state.length].tolist())


def _by_move(position: Position, state: AnalysisState) -> dict[int, Bounds]:
    """Return the bounds of every legal move."""
    low, high = state.move_low.tolist(), state.move_high.tolist()
    return {move: Bounds(low[move], high[move]) for move in position.legal_moves()}
