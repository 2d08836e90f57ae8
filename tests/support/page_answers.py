"""What the engine in the browser must answer, computed by the library."""

from __future__ import annotations

import contextlib
from collections.abc import Sequence
from typing import Any

from inarow.adapters.notations import FORMATS, NotatedPosition, notation
from inarow.agents.ntuple import NTupleAgent
from inarow.errors import InarowError
from inarow.kernels import rules
from inarow.kernels.alphabeta import INFINITE
from inarow.kernels.rules import moves_to_end
from inarow.match import MatchRecord, Termination
from inarow.models.network import contributions
from inarow.play.insight import review_match
from inarow.rules import Game, Position, format_moves, game
from inarow.rules.notation import parse_drawing
from inarow.rules.position import draw_row
from inarow.solver import Oracle
from inarow.solver.analysis import describe
from inarow.teaching.exam_tree import Exam, TreeView, parse_tree, random_tree, shown, solve
from inarow.tracing.trace import Trace, said
from inarow.truth.explain import explain

SHOWN_PARTS = 8


def read_position(question: dict[str, Any]) -> tuple[Position, tuple[int, ...] | None, str]:
    """A position, moves that lead to it, and the notation it was given in."""
    board = game(question["game"])
    if "rows" in question:
        position = parse_drawing(board, "\n".join(question["rows"]))
        return position, position.history(), "drawing"
    if "text" in question:
        name, entry = _entry(board, question["text"])
        return entry.position, entry.position.history() if entry.moves is None else entry.moves, name
    moves = tuple(question["moves"])
    return Position.start(board, moves), moves, "moves"


def _entry(board: Game, text: str) -> tuple[str, NotatedPosition]:
    for name in FORMATS:
        with contextlib.suppress(InarowError):
            return name, notation(name).parse(board, text)
    return "moves", notation("moves").parse(board, text)  # raises the error of our own notation


def position_info(position: Position, moves: Sequence[int] | None, name: str = "moves") -> dict[str, Any]:
    """A position, as a page draws it."""
    board, outcome, legal = position.game, position.outcome(), position.legal_moves()
    sides = (position.first, position.second)
    threats = [rules.threats(board.layout, stones, position.occupied) for stones in sides]
    ended = None
    if outcome is not None:
        ended = "draw" if outcome.winner is None else outcome.winner.name.lower()
    fields = ("name", "title", "columns", "rows", "k", "gravity", "moves")
    return {
        "game": {field: getattr(board, field) for field in fields},
        "rows": [draw_row(row) for row in position.grid()],
        "moves": None if moves is None else list(moves),
        "text": None if moves is None else format_moves(board, moves),
        "to_move": int(position.to_move),
        "legal": list(legal),
        "ply": position.ply,
        "landing": {str(move): board.cell_bits.index(position.stone(move)) for move in legal},
        "outcome": ended,
        "winning": list(position.winning_cells()),
        "notation": name,
        "threats": [[], []]
        if outcome is not None
        else [[cell for cell, bit in enumerate(board.cell_bits) if one & bit] for one in threats],
    }


def _score(position: Position, score: int) -> dict[str, Any]:
    return {
        "low": score,
        "high": score,
        "verdict": "win" if score > 0 else "loss" if score < 0 else "draw",
        "words": describe(position, score),
        "length": moves_to_end(position.game.layout, position.ply, score) if score else None,
    }


def solution(board: str, moves: Sequence[int]) -> dict[str, Any]:
    """The exact score of a position and of its moves, the best line, and the reason; without the cost."""
    position = Position.start(game(board), moves)
    found = Oracle(position.game).analyse(position, line=True)
    assert found.score is not None
    line = found.line or ()
    return {
        **_score(position, found.score),
        "position": position_info(position, moves),
        "solved": True,
        "moves": {str(move): _score(position, one.low) for move, one in found.moves.items()},
        "best": [move for move, one in found.moves.items() if one.low == found.score],
        "line": list(line),
        "line_cells": _cells(position, line),
        "looking_for": "",
        "why": explain(position, line),
    }


def _cells(position: Position, line: Sequence[int]) -> list[int]:
    cells = []
    for move in line:
        cells.append(position.game.cell_bits.index(position.stone(move)))
        position = position.play(move)
    return cells


def review(board: str, moves: tuple[int, ...], first: int) -> dict[str, Any]:
    """The graded moves of a match."""
    return review_match(Oracle(game(board)), moves, 60, first)


def record_of(position: Position, moves: tuple[int, ...], first: str, second: str) -> MatchRecord:
    """The record of a match that led to a position; an unfinished one counts as interrupted."""
    outcome = position.outcome()
    termination = Termination.INTERRUPTED
    if outcome is not None:
        termination = Termination.FULL_BOARD if outcome.winner is None else Termination.LINE
    unknown = len(moves)
    return MatchRecord(
        game=position.game, first=first, second=second, seed=0, opening=(), moves=moves, outcome=outcome,
        termination=termination, nodes=(0,) * unknown, values=(None,) * unknown, seconds=(0.0,) * unknown,
    )  # fmt: skip


def trace_page(found: Trace) -> dict[str, Any]:
    """All events of a trace and the nodes that they mention."""
    record, events = found.record, [found[index] for index in range(len(found))]
    return {
        "first": 0,
        "first_node": 0,
        "parents": record.parents[: found.nodes].tolist(),
        "moves": record.moves[: found.nodes].tolist(),
        "cells": _cells_of_nodes(found),
        "kinds": [int(event.kind) for event in events],
        "nodes": [event.node for event in events],
        "values": [event.value for event in events],
        "lows": [_finite(event.low) for event in events],
        "highs": [_finite(event.high) for event in events],
        "bests": [event.best for event in events],
        "improved": [int(event.improved) for event in events],
        "said": [said(found, event) for event in events],
        "lists": {str(index): list(event.moves) for index, event in enumerate(events) if event.moves},
    }


def _cells_of_nodes(found: Trace) -> list[int]:
    """The cell filled by the move of each node, −1 for a root; parents precede their children."""
    board, start, record = found.position.game, found.position.occupied, found.record
    occupied: list[int] = []
    cells: list[int] = []
    for parent, move in zip(record.parents[: found.nodes], record.moves[: found.nodes], strict=True):
        before = start if parent < 0 else occupied[parent]
        free = 0 if parent < 0 else board.move_masks[move] & ~before
        stone = free & -free
        occupied.append(before | stone)
        cells.append(board.cell_bits.index(stone) if stone else -1)
    return cells


def _finite(value: float) -> float | None:
    return None if abs(value) >= INFINITE else value


def network_parts(position: Position) -> tuple[dict[int, str], dict[int, list[dict[str, Any]]]]:
    """The outcomes that a network's tactics decide, and the largest contributions to the value of each move."""
    network = NTupleAgent().held(position.game)
    found = {move: contributions(network, position, move) for move in position.legal_moves()}
    settled = {move: each.settled for move, each in found.items() if each.settled}
    parts = {
        move: [
            {"part": one.part.value, "cells": list(one.cells), "columns": list(one.columns), "share": one.share}
            for one in each.contributions[:SHOWN_PARTS]
        ]
        for move, each in found.items()
    }
    return settled, parts


def exam(question: dict[str, Any]) -> dict[str, Any]:
    """A tree with its question and solution."""
    algorithm, root, seed = question["algorithm"], question.get("root", "max"), question.get("seed", 0)
    if tree := question.get("tree"):
        wanted = parse_tree(tree, root=root)
    else:
        wanted = random_tree(seed, question["difficulty"], algorithm=algorithm, root=root)
    options = {name: question[name] for name in ("simulations", "exploration") if name in question}
    solution = solve(wanted, algorithm, seed=seed, **{"simulations": 8, **options})
    page = Exam(solution)
    return {
        "tree": wanted.to_text(),
        "title": page.heading,
        "given": page.given(),
        "playouts": {name: shown(value) for name, value in sorted(solution.playouts.items())},
        "tasks": [{"question": one["question"], "answer": one["answer"]} for one in page.tasks()],
        "steps": [
            {field: getattr(step, field) for field in ("text", "node", "marks", "pruned")} for step in solution.steps
        ],
        "picture": page.svg(TreeView.STEPS),
        "question": page.html(TreeView.QUESTION),
        "solution": page.html(TreeView.SOLUTION),
    }
