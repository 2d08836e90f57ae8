"""Analyses of a position: its exact score, the score of every move and one perfect line, with opening books.

An analysis is a sequence of questions to the solver. `begin` looks up what the books know; each call of `advance`
continues until everything is found, a limit is reached, or the caller is needed. What is proven so far is in the
record. Scores are for the side to move, those of moves for the side that makes them; ``weak`` asks for their signs.

Each question is first searched with a few nodes (a *glance*), without checking the time. `advance` returns UNFINISHED
before it searches more than ``most`` further nodes, and continues when called again; the transposition table keeps what
was found.
"""

from __future__ import annotations

import functools
from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from inarow.bits import BitLayout, each_index, line_on, mirror, popcount
from inarow.kernels.lang.jit import compile_now, hot_kernel, runs_at_once
from inarow.kernels.lang.records import record, shape
from inarow.kernels.rules import legal_moves, stone_of, winning_moves
from inarow.kernels.solver import misere, solve, solve_free
from inarow.kernels.solver.solve import Search
from inarow.kernels.solver.solve_free import FreeSearch
from inarow.stopping import raised

AnySearch = Search | FreeSearch
Narrow = Callable[[Any, int, int, int, int, int], None]

WIDEST = 63
"""A bound that no score reaches."""
UNLIMITED = 1 << 60
GLANCE = 2_000
"""Nodes of a glance: a quarter of a millisecond."""
MOVES = LONGEST = 64

# Results of `advance`: everything is found; a question was answered; the caller may know an answer; the node limit of
# this call is reached.
DONE, ANSWERED, ASKS, UNFINISHED = range(4)
# The parts of an analysis.
SCORE, EACH_MOVE, LINE, NOTHING = range(4)
# Sources of an answer.
NOWHERE, BOOK, OPENINGS, VERDICTS, SEARCH, CALLER = range(6)
# What is known at the beginning.
OVER, KNOWN, UNKNOWN = range(3)
# States of a question: none; not looked up; not in the books; not answered by a glance; answered.
NONE, NEW, LOOKED_UP, OPEN, CLOSED = range(5)


@record
class BookTable:
    """The scores of positions of some plies: sorted keys (see `folded_key`), and a byte for each."""

    keys: NDArray[np.int64]
    values: NDArray[np.uint8]
    """The score of each key, or its sign, plus 128."""
    first_ply: int
    last_ply: int


class Books(NamedTuple):
    """The books of a game; one without keys knows nothing."""

    scores: BookTable
    openings: BookTable
    verdicts: BookTable
    """Signs of scores."""


@record
class AnalysisState:
    """The questions about a position, and what is proven of it."""

    own: int
    opp: int
    weak: bool
    wants_moves: bool
    wants_line: bool
    stepwise: bool
    """True to return after every question (ASKS) and answer (ANSWERED)."""

    nodes: int
    limit: int
    """Maximum nodes of the whole analysis."""
    looking_for: int
    """SCORE, EACH_MOVE, LINE or NOTHING."""
    low: int
    high: int
    """The proven bounds of the score."""
    source: int
    """The source of the score; NOWHERE while it is unknown."""
    legal: int
    """The set of legal moves."""
    length: int
    """The number of moves in the line; 0 without a line."""
    line_low: int
    line_high: int
    """The bounds of the move at which the line got stuck; equal if it did not."""

    asked: int
    """The state of the question: NONE to CLOSED."""
    ask_own: int
    ask_opp: int
    ask_low: int
    ask_high: int
    proven: bool
    """True if the score is known to be between these bounds, so that it is known once they meet."""
    costly: bool
    """True if the answer took more than a glance."""
    answered_by: int

    count: int
    at: int
    """The place in the order of moves."""
    last: int
    """The last move in their order that does not end the game."""
    line_own: int
    line_opp: int
    line_score: int
    """The position at the end of the line so far, and its score."""
    order: NDArray[np.int64] = shape(MOVES)
    """The legal moves, central ones first."""
    move_low: NDArray[np.int64] = shape(MOVES)
    move_high: NDArray[np.int64] = shape(MOVES)
    """The bounds of each move's score."""
    line: NDArray[np.int64] = shape(LONGEST)


def folded_key(layout: BitLayout, own: int, opp: int) -> int:
    """Return the smaller of the keys of a position with gravity and of its mirror image."""
    key = own + (own | opp)
    return min(key, mirror(key, layout.columns, layout.stride))


def unpack_keys(steps: NDArray[np.uint8], keys: NDArray[np.int64]) -> None:
    """Write the keys of a book, given as differences: the lowest byte of all of them, then the next byte, and so on."""
    count, key = len(keys), 0
    for i in range(count):
        for byte in range(8):
            key += steps[byte * count + i] << (8 * byte)
        keys[i] = key


@hot_kernel
def find(book: BookTable, layout: BitLayout, own: int, opp: int) -> int:
    """Return the index of a position in a book; −1 if it is not there."""
    ply = popcount(own | opp)
    if ply < book.first_ply or ply > book.last_ply or len(book.keys) == 0:
        return -1
    key = folded_key(layout, own, opp)
    low, high = 0, len(book.keys)
    while low < high:
        middle = (low + high) >> 1
        if book.keys[middle] < key:
            low = middle + 1
        else:
            high = middle
    return low if low < len(book.keys) and book.keys[low] == key else -1


def sign(score: int) -> int:
    """Return 1, 0 or −1."""
    return 1 if score > 0 else -1 if score < 0 else 0


def known_score(layout: BitLayout, books: Books, own: int, opp: int) -> tuple[int, int]:
    """Return the score that a book has, and which book: NOWHERE if none has it."""
    at = find(books.scores, layout, own, opp)
    if at >= 0:
        return int(books.scores.values[at]) - 128, BOOK
    at = find(books.openings, layout, own, opp)
    if at >= 0:
        return int(books.openings.values[at]) - 128, OPENINGS
    return 0, NOWHERE


def within_verdict(low: int, high: int, verdict: int) -> tuple[int, int]:
    """Restrict low … high to scores of this sign; return one end twice if it has none."""
    least = 1 if verdict > 0 else -WIDEST if verdict < 0 else 0
    most = WIDEST if verdict > 0 else -1 if verdict < 0 else 0
    return min(max(low, least), high), max(min(high, most), low)


def known_bounds(layout: BitLayout, books: Books, own: int, opp: int, weak: bool) -> tuple[int, int, int]:
    """Return the bounds of a score, or of its sign, that need no search, and where they come from; the game is not
    over."""
    left = popcount(layout.board & ~(own | opp))
    soon, later = (left + 1) // 2, left // 2
    low, high = (-soon, later) if layout.misere else (-later, soon)
    score, source = known_score(layout, books, own, opp)
    if source != NOWHERE:
        low = high = score
    elif winning_moves(layout, own, own | opp) != 0:
        low, high = within_verdict(low, high, 1)
        source = SEARCH
    else:
        at = find(books.verdicts, layout, own, opp)
        if at >= 0:
            low, high = within_verdict(low, high, int(books.verdicts.values[at]) - 128)
            source = VERDICTS
    return sign(low) if weak else low, sign(high) if weak else high, source


def final_score(layout: BitLayout, own: int, opp: int, stone: int, weak: bool) -> int:
    """Return the score of a move that ends the game, for the side that makes it; −WIDEST if the game goes on."""
    if line_on(layout, own | stone):
        score = 1 if weak else (popcount(layout.board & ~(own | opp)) + 1) // 2
        return -score if layout.misere else score
    return 0 if own | opp | stone == layout.board else -WIDEST


def off_centre(layout: BitLayout, move: int) -> int:
    """Return twice the distance of a move from the middle column."""
    return abs(2 * (move % layout.columns) - layout.columns + 1)


def order_moves(analysis: AnalysisState, layout: BitLayout, own: int, opp: int) -> None:
    """List the legal moves of a position, central ones first."""
    analysis.count = 0
    for move in each_index(legal_moves(layout, own, opp)):
        at = analysis.count
        while at > 0 and off_centre(layout, analysis.order[at - 1]) > off_centre(layout, move):
            analysis.order[at] = analysis.order[at - 1]
            at -= 1
        analysis.order[at] = move
        analysis.count += 1


@hot_kernel
def begin(
    analysis: AnalysisState, layout: BitLayout, books: Books, own: int, opp: int, limit: int, weak: bool, parts: int
) -> int:
    """Begin an analysis within ``limit`` nodes, with what the books know. Returns OVER if the game is over, KNOWN if
    nothing that is wanted needs a search, else UNKNOWN.

    ``parts`` has a bit for each of SCORE, EACH_MOVE and LINE that is wanted; the line needs the score.
    """
    legal = legal_moves(layout, own, opp)
    if legal == 0:
        return OVER
    analysis.own, analysis.opp, analysis.legal = own, opp, legal
    analysis.weak, analysis.limit = weak, limit
    analysis.wants_moves, analysis.wants_line = (parts >> EACH_MOVE) & 1 != 0, (parts >> LINE) & 1 != 0
    analysis.nodes = analysis.length = analysis.at = 0
    analysis.line_low = analysis.line_high = 0
    analysis.source, analysis.asked, analysis.last = NOWHERE, NONE, -1
    analysis.low, analysis.high, source = known_bounds(layout, books, own, opp, weak)
    known = not analysis.wants_line
    if (parts >> SCORE) & 1 != 0:
        analysis.looking_for = SCORE
        if analysis.low == analysis.high:
            analysis.source = source
        else:
            known = False
    else:
        analysis.looking_for = EACH_MOVE
    if analysis.wants_moves:
        order_moves(analysis, layout, own, opp)
        for i in range(analysis.count):
            move = analysis.order[i]
            stone = stone_of(layout, own | opp, move)
            score = final_score(layout, own, opp, stone, weak)
            if score > -WIDEST:
                analysis.move_low[move] = analysis.move_high[move] = score
            else:
                low, high, _ = known_bounds(layout, books, opp, own | stone, weak)
                analysis.move_low[move], analysis.move_high[move] = -high, -low
                analysis.last = move
                known = known and low == high
    return KNOWN if known else UNKNOWN


def ask(analysis: AnalysisState, own: int, opp: int, low: int, high: int, proven: bool) -> None:
    """Ask for the score of a position between these bounds."""
    analysis.asked = NEW
    analysis.ask_own, analysis.ask_opp = own, opp
    analysis.ask_low, analysis.ask_high = low, high
    analysis.proven, analysis.costly = proven, False


def ask_score(analysis: AnalysisState, own: int, opp: int, low: int, high: int) -> None:
    """Ask for the score of a position, which is between these bounds, or for its sign."""
    if analysis.weak:
        ask(analysis, own, opp, min(max(low, -1), 1), max(min(high, 1), -1), False)
    else:
        ask(analysis, own, opp, low, high, True)


def next_question(analysis: AnalysisState, layout: BitLayout) -> None:
    """Ask the next question, or record what follows without one."""
    own, opp = analysis.own, analysis.opp
    if analysis.looking_for == SCORE and analysis.low == analysis.high:
        _end_part(analysis, layout)
    elif analysis.looking_for == SCORE:
        ask_score(analysis, own, opp, analysis.low, analysis.high)
    elif analysis.looking_for == EACH_MOVE:
        _next_move(analysis, layout)
    else:
        _next_of_line(analysis, layout)


def _next_move(analysis: AnalysisState, layout: BitLayout) -> None:
    """Ask for the score of the next move.

    No move is better than the position, and if all others are worse than its score, the last one has it.
    """
    while analysis.at < analysis.count:
        move = analysis.order[analysis.at]
        if analysis.move_low[move] < analysis.move_high[move]:
            if not (move == analysis.last and analysis.low == analysis.high and _others_worse(analysis)):
                stone = stone_of(layout, analysis.own | analysis.opp, move)
                ask_score(analysis, analysis.opp, analysis.own | stone, -analysis.high, WIDEST)
                return
            analysis.move_low[move], analysis.move_high[move] = analysis.low, analysis.high
        analysis.at += 1
    low, high = analysis.low, -WIDEST
    for i in range(analysis.count):  # what the moves prove, the position has
        low = max(low, analysis.move_low[analysis.order[i]])
        high = max(high, analysis.move_high[analysis.order[i]])
    analysis.low, analysis.high = low, min(analysis.high, high)
    _end_part(analysis, layout)


def _others_worse(analysis: AnalysisState) -> bool:
    """Return True if all moves but the last question are proven worse than the position."""
    for i in range(analysis.count):
        move = analysis.order[i]
        if move != analysis.last and analysis.move_high[move] >= analysis.low:
            return False
    return True


def _end_part(analysis: AnalysisState, layout: BitLayout) -> None:
    """Start the next requested part."""
    if analysis.looking_for == SCORE and analysis.wants_moves:
        analysis.looking_for, analysis.at = EACH_MOVE, 0
    elif analysis.wants_line and analysis.low == analysis.high and not analysis.weak:
        analysis.looking_for = LINE
        analysis.line_score = analysis.low
        _continue_line(analysis, layout, analysis.own, analysis.opp)
    else:
        analysis.looking_for = NOTHING


def _continue_line(analysis: AnalysisState, layout: BitLayout, own: int, opp: int) -> None:
    """Continue the line from a position."""
    analysis.line_own, analysis.line_opp = own, opp
    order_moves(analysis, layout, own, opp)
    analysis.at = 0


def _next_of_line(analysis: AnalysisState, layout: BitLayout) -> None:
    """Ask whether the next move in the order keeps the score at the end of the line so far."""
    own, opp, score = analysis.line_own, analysis.line_opp, analysis.line_score
    move = analysis.order[analysis.at]
    stone = stone_of(layout, own | opp, move)
    end = final_score(layout, own, opp, stone, False)
    if end == -WIDEST:
        ask(analysis, opp, own | stone, -score, 1 - score, False)
    elif end == score:
        analysis.line[analysis.length] = move
        analysis.length += 1
        analysis.looking_for = NOTHING
    else:
        analysis.at += 1


def _use_answer(analysis: AnalysisState, layout: BitLayout) -> None:
    """Record what the answer proves, and close the question."""
    low, high = analysis.ask_low, analysis.ask_high
    analysis.asked = NONE
    if analysis.looking_for == LINE:
        if high <= -analysis.line_score:
            analysis.line[analysis.length] = analysis.order[analysis.at]
            analysis.length += 1
            analysis.line_score = -analysis.line_score
            _continue_line(analysis, layout, analysis.ask_own, analysis.ask_opp)
        elif low > -analysis.line_score:
            analysis.at += 1
        else:
            analysis.line_low, analysis.line_high = -high, -low
            analysis.length, analysis.looking_for = 0, NOTHING
        return
    if analysis.weak:
        low, high = sign(low), sign(high)  # a book gives the score
    if analysis.looking_for == SCORE:
        analysis.low, analysis.high, analysis.source = low, high, analysis.answered_by
        _end_part(analysis, layout)
    else:
        move = analysis.order[analysis.at]
        analysis.move_low[move], analysis.move_high[move] = -high, -low
        analysis.at += 1


def _search(analysis: AnalysisState, search: AnySearch, narrow: Narrow, limit: int, look: int) -> int:
    """Narrow the bounds of the question within ``limit`` nodes, checking the stop flag from ``look`` nodes on; return
    the number of nodes."""
    own, occupied = analysis.ask_own, analysis.ask_own | analysis.ask_opp
    solve.begin_search(search, analysis.ask_low, analysis.ask_high, limit, look)
    narrow(search, own, occupied, popcount(occupied), analysis.ask_low, analysis.ask_high)
    analysis.ask_low, analysis.ask_high = search.low, search.high
    analysis.nodes += search.nodes
    return search.nodes


def _answer(
    analysis: AnalysisState,
    layout: BitLayout,
    search: AnySearch,
    narrow: Narrow,
    glance: int,
    books: Books,
    most: int,
) -> tuple[int, int]:
    """Answer the question as far as the limits allow; return the code, and the nodes searched beyond a glance."""
    if analysis.asked == NEW:
        score, source = known_score(layout, books, analysis.ask_own, analysis.ask_opp)
        if source != NOWHERE:
            analysis.ask_low = analysis.ask_high = score
            analysis.answered_by = source
            return ANSWERED, 0
        analysis.asked = LOOKED_UP
        if analysis.stepwise:
            return ASKS, 0
    if analysis.asked == LOOKED_UP:
        at = find(books.verdicts, layout, analysis.ask_own, analysis.ask_opp)
        if at >= 0:
            verdict = int(books.verdicts.values[at]) - 128
            analysis.ask_low, analysis.ask_high = within_verdict(analysis.ask_low, analysis.ask_high, verdict)
            if analysis.ask_low == analysis.ask_high:
                analysis.answered_by = VERDICTS
                return ANSWERED, 0
        analysis.asked, analysis.answered_by = OPEN, SEARCH
        if glance > 0 and raised(search.stop) == 0:
            limit = min(glance, analysis.limit - analysis.nodes)
            _search(analysis, search, narrow, limit, limit)
            if analysis.ask_low == analysis.ask_high:
                return ANSWERED, 0
    spent = 0
    if analysis.asked == OPEN:
        left = max(0, analysis.limit - analysis.nodes)
        if most <= 0:
            return UNFINISHED, 0
        spent = _search(analysis, search, narrow, min(left, most), 0)
        if analysis.ask_low < analysis.ask_high and spent >= most and most < left:
            return UNFINISHED, spent
        analysis.costly = True
    return ANSWERED, spent


def advance(
    analysis: AnalysisState,
    layout: BitLayout,
    search: AnySearch,
    narrow: Narrow,
    glance: int,
    books: Books,
    most: int,
) -> int:
    """Continue an analysis with at most ``most`` nodes beyond glances; return DONE, ANSWERED, ASKS or UNFINISHED.

    After ASKS the caller may write the score to ``ask_low`` and ``ask_high``, CALLER to ``answered_by`` and CLOSED to
    ``asked``. Once the stop flag of the search is raised, further questions are only looked up.
    """
    while analysis.looking_for != NOTHING:
        if analysis.asked == NONE:
            next_question(analysis, layout)
            continue
        code, spent = _answer(analysis, layout, search, narrow, glance, books, most)
        most -= spent
        if code != ANSWERED:
            return code
        _use_answer(analysis, layout)
        if analysis.stepwise:
            return ANSWERED
    return DONE


@hot_kernel
def advance_gravity(analysis: AnalysisState, layout: BitLayout, search: Search, books: Books, most: int) -> int:
    """Continue an analysis on a board with gravity."""
    return advance(analysis, layout, search, solve.solve, GLANCE, books, most)


@hot_kernel
def advance_free(analysis: AnalysisState, layout: BitLayout, search: FreeSearch, books: Books, most: int) -> int:
    """Continue an analysis on a board without gravity."""
    return advance(analysis, layout, search, solve_free.solve_free, 0, books, most)


@hot_kernel
def advance_misere(analysis: AnalysisState, layout: BitLayout, search: FreeSearch, books: Books, most: int) -> int:
    """Continue an analysis of a misère game."""
    return advance(analysis, layout, search, misere.solve_misere, 0, books, most)


def advance_for(gravity: bool, in_misere: bool) -> Callable[..., int]:
    """Return the one of these functions for a kind of game."""
    return advance_misere if in_misere else advance_gravity if gravity else advance_free


def look_up(analysis: AnalysisState, layout: BitLayout, books: Books) -> int:
    """Finish an analysis that needs no search."""
    return advance_gravity(analysis, layout, solve.smallest()[0], books, 0)


def no_books() -> Books:
    """Return books without positions."""
    return Books(*(new_book(np.zeros(0, np.int64), np.zeros(0, np.uint8), 0, -1) for _ in range(3)))


def new_book(keys: NDArray[np.int64], values: NDArray[np.uint8], first_ply: int, last_ply: int) -> BookTable:
    """Return a book of these keys in ascending order."""
    book = BookTable()
    book.keys, book.values, book.first_ply, book.last_ply = keys, values, first_ply, last_ply
    return book


@functools.cache
def _smallest(gravity: bool, in_misere: bool) -> tuple[AnalysisState, BitLayout, AnySearch, Books, int]:
    """Return the arguments of a call that does nothing."""
    analysis, layout = AnalysisState(), BitLayout(1, 2, 1, 1, gravity, 1, 1, 2, 1, 0, in_misere)
    analysis.looking_for = NOTHING
    module = solve if gravity and not in_misere else solve_free
    return analysis, layout, module.smallest()[0], no_books(), 0


@functools.cache
def warm_for(gravity: bool, in_misere: bool = False) -> None:
    """Compile the kernels of this module for boards with or without gravity, or load them."""
    analysis, layout, search, books, most = _smallest(gravity, in_misere)
    compile_now(begin, analysis, layout, books, 1, 0, 0, False, 0)
    compile_now(find, books.scores, layout, 0, 0)
    compile_now(advance_for(gravity, in_misere), analysis, layout, search, books, most)


def warm() -> None:
    """Compile the kernels of this module for the usual games, or load them."""
    warm_for(True)
    warm_for(False)


def is_compiled(gravity: bool, in_misere: bool = False) -> bool:
    """Return True if an analysis needs no compiling."""
    return runs_at_once(advance_for(gravity, in_misere), *_smallest(gravity, in_misere))
