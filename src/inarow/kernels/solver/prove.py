"""Proofs about the moves of a position within a budget: which of them keep the verdict, then their scores.

`prove` begins one analysis after another; the caller runs each with the functions of `analyse`, within the record's
``seconds``, and calls `prove` again. The books come first. Then each question in turn gets half of the remaining
budget, and the unanswered ones share the rest. The questions end once a move is proven to keep the position's verdict,
if that is known.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from inarow.bits import BitLayout, each_index, popcount
from inarow.kernels.decisions import distance_from_centre, proven_choice, solved
from inarow.kernels.lang.jit import kernel
from inarow.kernels.lang.records import record, shape
from inarow.kernels.rules import after
from inarow.kernels.solver.analyse import (
    EACH_MOVE,
    MOVES,
    SCORE,
    UNLIMITED,
    AnalysisState,
    Books,
    begin,
    no_books,
    sign,
)

NOT_KNOWN = 2
"""An unknown verdict of a position."""
EACH = 0.5
"""Share of the remaining budget for the first question about a move."""
# Stages of a proof: each move in turn; the unanswered ones again; the scores; finished.
FIRST, AGAIN, SCORES, DONE = range(4)


@record
class ProofState:
    """The questions about the moves of a position, and what is proven of them."""

    own: int
    opp: int
    legal: int
    """The set of legal moves."""
    verdict: int
    """The verdict of the position: −1, 0 or 1, or NOT_KNOWN."""
    nodes: int
    limit: int
    seconds: float
    """The time limit of the current analysis."""
    stage: int
    asked: int
    """The move under analysis; −1 for none."""
    at: int
    """An index of ``open_moves``."""
    count: int
    scored: bool
    """True if the bounds of the scores are known."""
    order: NDArray[np.int64] = shape(MOVES)
    """The legal moves in the order of questions."""
    open_moves: NDArray[np.int64] = shape(MOVES)
    """The moves that were unanswered when the stage began."""
    low: NDArray[np.int64] = shape(MOVES)
    high: NDArray[np.int64] = shape(MOVES)
    """The bounds of each move's verdict."""
    score_low: NDArray[np.int64] = shape(MOVES)
    score_high: NDArray[np.int64] = shape(MOVES)
    """The bounds of each move's score."""


@kernel
def begin_proof(
    proof: ProofState,
    analysis: AnalysisState,
    layout: BitLayout,
    books: Books,
    own: int,
    opp: int,
    limit: int,
    favourite: int,
) -> None:
    """Begin a proof within ``limit`` nodes, with the favourite move first unless it is −1; the game is not over."""
    begin(analysis, layout, books, own, opp, UNLIMITED, True, 1 << SCORE | 1 << EACH_MOVE)
    proof.own, proof.opp, proof.legal = own, opp, analysis.legal
    proof.verdict = analysis.low if analysis.low == analysis.high else NOT_KNOWN
    proof.nodes, proof.limit, proof.scored = 0, limit, False
    count = 0
    for move in each_index(analysis.legal):
        known = analysis.move_low[move] == analysis.move_high[move]
        proof.low[move] = analysis.move_low[move] if known else -1
        proof.high[move] = analysis.move_high[move] if known else min(proof.verdict, 1)
        at = count
        while at > 0 and _before(layout, favourite, move, proof.order[at - 1]):
            proof.order[at] = proof.order[at - 1]
            at -= 1
        proof.order[at] = move
        count += 1
    _begin_stage(proof, FIRST, count)


def _before(layout: BitLayout, favourite: int, move: int, other: int) -> bool:
    """Return True if a move is analysed before another one with a lower number."""
    if move == favourite:
        return True
    return other != favourite and distance_from_centre(layout, move) < distance_from_centre(layout, other)


def _begin_stage(proof: ProofState, stage: int, moves: int) -> None:
    """Begin a stage with the unanswered ones of the first moves in the order."""
    proof.stage, proof.asked, proof.at, proof.count = stage, -1, 0, 0
    for i in range(moves):
        move = proof.order[i]
        if proof.low[move] < proof.high[move]:
            proof.open_moves[proof.count] = move
            proof.count += 1


def choice_of(proof: ProofState) -> tuple[int, int, bool, bool]:
    """Return what the proof says about the choice of a move (see `decisions.proven_choice`)."""
    low = proof.score_low if proof.scored else proof.low
    high = proof.score_high if proof.scored else proof.high
    return proven_choice(proof.legal, min(proof.verdict, 1), proof.low, proof.high, proof.scored, low, high)


def _keeps_verdict(proof: ProofState) -> bool:
    """Return True if the verdict is known, and a move is proven to keep it."""
    for move in each_index(proof.legal if proof.verdict != NOT_KNOWN else 0):
        if proof.low[move] >= proof.verdict:
            return True
    return False


@kernel
def judge_moves(proof: ProofState, analysis: AnalysisState) -> None:
    """Fill a proof from an analysis of every move: verdicts and, unless it is ``weak``, scores."""
    proof.legal, proof.verdict, proof.nodes = analysis.legal, NOT_KNOWN, analysis.nodes
    proof.stage, proof.scored = DONE, False
    for move in range(MOVES):
        proof.low[move], proof.high[move] = sign(analysis.move_low[move]), sign(analysis.move_high[move])
    if not analysis.weak:
        use_scores(proof, analysis)


def _use_answer(proof: ProofState, analysis: AnalysisState) -> None:
    """Record the result of the analysis."""
    proof.nodes += analysis.nodes
    if proof.stage == SCORES:
        use_scores(proof, analysis)
        proof.stage = DONE
        return
    move = proof.asked
    proof.low[move] = max(proof.low[move], -analysis.high)
    proof.high[move] = min(proof.high[move], -analysis.low)
    proof.asked = -1
    proof.at += 1


def use_scores(proof: ProofState, analysis: AnalysisState) -> None:
    """Copy the bounds of the moves' scores from an analysis."""
    for move in range(MOVES):
        proof.score_low[move] = analysis.move_low[move]
        proof.score_high[move] = analysis.move_high[move]
    proof.scored = True


@kernel
def prove(proof: ProofState, analysis: AnalysisState, layout: BitLayout, books: Books, seconds: float) -> bool:
    """Use the last analysis, if any, and begin the next one; return False if there is none.

    ``seconds`` is the remaining time for everything; infinity without a limit.
    """
    if proof.asked >= 0:
        _use_answer(proof, analysis)
    own, opp = proof.own, proof.opp
    while proof.stage <= AGAIN:
        if proof.at == proof.count:
            if proof.stage == AGAIN:
                proof.stage = SCORES
            else:
                _begin_stage(proof, AGAIN, popcount(proof.legal))
            continue
        part = EACH if proof.stage == FIRST else 1 / (proof.count - proof.at)
        nodes = _nodes_left(proof, part)
        if nodes > 0 and seconds > 0.0 and not _keeps_verdict(proof):
            proof.asked = proof.open_moves[proof.at]
            proof.seconds = part * seconds
            child_own, child_opp = after(layout, own, opp, proof.asked)
            begin(analysis, layout, books, child_own, child_opp, nodes, True, 1 << SCORE)
            return True
        proof.at += 1
    if proof.stage == SCORES:
        candidates, _, _, settled = choice_of(proof)
        nodes = _nodes_left(proof, 1.0)
        if nodes > 0 and seconds > 0.0 and not settled and solved(candidates, proof.low, proof.high):
            proof.asked, proof.seconds = 0, seconds
            begin(analysis, layout, books, own, opp, nodes, False, 1 << EACH_MOVE)
            return True
        proof.stage = DONE
    return False


def _nodes_left(proof: ProofState, part: float) -> int:
    """Return this share of the remaining nodes."""
    return UNLIMITED if proof.limit == UNLIMITED else int(part * (proof.limit - proof.nodes))


def warm() -> None:
    """Compile the kernels of this module, or load them."""
    proof, analysis, layout = ProofState(), AnalysisState(), BitLayout(1, 2, 1, 1, True, 1, 1, 2, 1)
    proof.asked, proof.stage = -1, DONE
    judge_moves(proof, analysis)
    prove(proof, analysis, layout, no_books(), 0.0)
    begin_proof(proof, analysis, layout, no_books(), 0, 0, 0, -1)
