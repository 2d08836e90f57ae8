"""A trace in words, by templates that Python and the web page fill in alike; and as JSON lines."""

from __future__ import annotations

import json
from collections.abc import Iterator
from enum import IntEnum
from typing import Any

from inarow.formatting import MINUS, capitalised, listed, sentences
from inarow.kernels.alphabeta import INFINITE
from inarow.kernels.common.evaluate import POINTS
from inarow.kernels.common.setup import WIN
from inarow.rules import format_move
from inarow.rules.position import draw_row
from inarow.tracing.trace import Detail, Event, EventKind, Trace


class Said(IntEnum):
    """Which template an event uses."""

    DEPTH = 0
    TREE = 1
    OPEN = 2
    WINDOW = 3
    HORIZON = 4
    LINE = 5
    FULL = 6
    KNOWN = 7
    EXACT = 8
    AT_LEAST = 9
    AT_MOST = 10
    MIN_CUTS = 11
    MAX_CUTS = 12
    MIN_DONE = 13
    MAX_DONE = 14
    DECIDES = 15
    SELECTS = 16
    EXPANDS = 17
    PROVES = 18
    SETTLED = 19
    ROLLS_OUT = 20
    BACKS_UP = 21
    EVALUATES = 22


TEMPLATES = dict(zip(Said, sentences("trace"), strict=True))
SIGNS = {Said.AT_LEAST: "≥ ", Said.AT_MOST: "≤ "}
"""What stands before a value that is only a bound."""
EFFECTS = sentences("effect")
"""What a value does to the parent: nothing; or it is the best so far."""
RESULTS = {1: "MAX wins", 0: "a draw", -1: "MIN wins"}

_BY_DETAIL = {
    Detail.HORIZON: Said.HORIZON,
    Detail.LINE: Said.LINE,
    Detail.FULL: Said.FULL,
    Detail.EXACT: Said.EXACT,
    Detail.AT_LEAST: Said.AT_LEAST,
    Detail.AT_MOST: Said.AT_MOST,
}
_OF_MCTS = {
    EventKind.SELECT: Said.SELECTS,
    EventKind.EXPAND: Said.EXPANDS,
    EventKind.PROVE: Said.PROVES,
    EventKind.KNOWN: Said.SETTLED,
    EventKind.ROLLOUT: Said.ROLLS_OUT,
    EventKind.LEAF: Said.EVALUATES,
    EventKind.BACKUP: Said.BACKS_UP,
    EventKind.BEGIN: Said.TREE,
    EventKind.DECIDE: Said.DECIDES,
}


def said(trace: Trace, event: Event) -> Said:
    """The template of an event."""
    if trace.simulated:
        return _OF_MCTS[event.kind]
    if event.kind in (EventKind.LEAF, EventKind.RETURN):
        return _BY_DETAIL[event.detail]
    if event.kind is EventKind.ENTER:
        return Said.OPEN if event.high - event.low >= 2 * INFINITE else Said.WINDOW
    if event.kind is EventKind.CUT:
        if trace.max_to_move(event.node):
            return Said.MAX_CUTS if event.moves else Said.MAX_DONE
        return Said.MIN_CUTS if event.moves else Said.MIN_DONE
    return {EventKind.BEGIN: Said.DEPTH, EventKind.KNOWN: Said.KNOWN, EventKind.DECIDE: Said.DECIDES}[event.kind]


def result_text(value: float) -> str:
    """Return a result for MAX, or an evaluator's value in between, as text."""
    return RESULTS[int(value)] if value in RESULTS else f"{round(value, 2) or 0:+.2f}".replace("-", MINUS)


def value_text(trace: Trace, points: float) -> str:
    """Points for MAX as text: in the evaluator's unit, or who wins."""
    if abs(points) >= INFINITE:
        return "+∞" if points > 0 else "−∞"
    if abs(points) >= trace.win:
        return f"a win for {'MAX' if points > 0 else 'MIN'} with stone {int(WIN * POINTS - abs(points)) // POINTS}"
    units = abs(points) / POINTS
    return f"{'' if points == 0 else '+' if points > 0 else '−'}{units:.10g}"


def path_text(trace: Trace, node: int) -> str:
    """The way to a node: its moves, counted from 1."""
    return " ".join(format_move(move) for move in trace.path(node)) or "the root"


def words(trace: Trace, index: int) -> str:
    """An event as one or two sentences."""
    event = trace[index]
    sides = ("MAX", "MIN") if trace.max_to_move(event.node) else ("MIN", "MAX")
    counts = {EventKind.ROLLOUT: len(event.moves)}
    fields = {
        "path": path_text(trace, event.node),
        "side": sides[0],
        "parent": sides[1],
        "count": counts.get(event.kind, event.value),
        "moves": listed([format_move(move) for move in event.moves]),
        "result": result_text(event.value),
        **{name: value_text(trace, getattr(event, name)) for name in ("value", "low", "high", "best")},
    }
    fields["effect"] = EFFECTS[event.improved].format(**fields)
    text = TEMPLATES[said(trace, event)].format(**fields)
    return capitalised(text)


_REASONS = {Detail.HORIZON: "horizon", Detail.LINE: "line", Detail.FULL: "full board"}
_BOUNDS = {Detail.EXACT: "exact", Detail.AT_LEAST: "at least", Detail.AT_MOST: "at most"}


def json_lines(trace: Trace) -> Iterator[str]:
    """Return JSON lines, without line ends: one object that describes a trace, then one for each event. Moves count
    from 0."""
    yield json.dumps(heading(trace), ensure_ascii=False)
    for index, event in enumerate(trace):
        yield json.dumps(event_json(trace, index, event), ensure_ascii=False)


def heading(trace: Trace) -> dict[str, Any]:
    """What a trace says of itself before its events."""
    position, decision = trace.position, trace.decision
    return {
        "game": position.game.name,
        "position": "/".join(draw_row(row) for row in position.grid()),
        "agent": trace.agent,
        "seed": trace.seed,
        "max": "XO"[position.to_move],
        "events": len(trace),
        "nodes": trace.nodes,
        "truncated": trace.truncated or None,
        "move": None if decision is None else decision.move,
    }


def event_json(trace: Trace, index: int, event: Event) -> dict[str, Any]:
    """One event: where it is, and the figures that its kind has."""
    parent = trace.record.parents[event.node]
    move = trace.record.moves[event.node]
    return {
        "step": index,
        "event": event.kind.name.lower(),
        "node": event.node,
        "parent": None if parent < 0 else parent,
        "move": None if move < 0 else move,
        **_figures(trace, event),
        "words": words(trace, index),
    }


def _figures(trace: Trace, event: Event) -> dict[str, Any]:
    moves = list(event.moves)
    window = {"low": _end(event.low), "high": _end(event.high)}
    match event.kind:
        case EventKind.BEGIN:
            return {} if trace.simulated else {"depth": event.value}
        case EventKind.ENTER:
            return {"depth": event.value, **window}
        case EventKind.LEAF | EventKind.RETURN if not trace.simulated:
            kind = (
                {"reason": _REASONS[event.detail]} if event.kind is EventKind.LEAF else {"bound": _BOUNDS[event.detail]}
            )
            return {"value": event.value, **kind, "best": event.best, "improved": event.improved, **window}
        case EventKind.KNOWN if not trace.simulated:
            return {
                "value": event.value, "bound": _BOUNDS[event.detail], "best": event.best, "improved": event.improved,
                **window,
            }  # fmt: skip
        case EventKind.CUT:
            return {"value": event.value, "elsewhere": event.best, **window, "moves": moves}
        case EventKind.SELECT:
            return {"simulation": event.value}
        case EventKind.EXPAND:
            return {"children": [int(event.low) + child for child in range(int(event.value))]}
        case EventKind.ROLLOUT:
            return {"value": event.value, "moves": moves}
        case EventKind.BACKUP:
            return {"max_gain": event.low, "min_gain": event.high}
        case EventKind.DECIDE:
            return {"value": None if trace.simulated else event.value, "moves": moves}
        case _:  # PROVE, and KNOWN and LEAF of MCTS
            return {"value": event.value}


def _end(value: float) -> float | None:
    """An end of a window; None if it is infinite."""
    return None if abs(value) >= INFINITE else value
