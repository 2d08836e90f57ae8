"""A trace as JSON lines: one object that describes it, then one for each event. Moves count from 0."""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Any

from inarow.kernels.alphabeta import INFINITE
from inarow.rules.position import draw_row
from inarow.tracing.trace import Detail, Event, Kind, Trace
from inarow.tracing.words import words

_REASONS = {Detail.HORIZON: "horizon", Detail.LINE: "line", Detail.FULL: "full board", Detail.POINTS: "points"}
_BOUNDS = {Detail.EXACT: "exact", Detail.AT_LEAST: "at least", Detail.AT_MOST: "at most"}


def json_lines(trace: Trace) -> Iterator[str]:
    """The lines, without line ends."""
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
        case Kind.BEGIN:
            return {} if trace.simulated else {"depth": event.value}
        case Kind.ENTER:
            return {"depth": event.value, **window}
        case Kind.LEAF | Kind.RETURN:
            kind = {"reason": _REASONS[event.detail]} if event.kind is Kind.LEAF else {"bound": _BOUNDS[event.detail]}
            return {"value": event.value, **kind, "best": event.best, "improved": event.improved, **window}
        case Kind.KNOWN if not trace.simulated:
            return {
                "value": event.value, "bound": _BOUNDS[event.detail], "best": event.best, "improved": event.improved,
                **window,
            }  # fmt: skip
        case Kind.CUT:
            return {"value": event.value, "elsewhere": event.best, **window, "moves": moves}
        case Kind.SELECT:
            return {"simulation": event.value}
        case Kind.EXPAND:
            return {"children": list(range(event.low, event.low + event.value))}
        case Kind.ROLLOUT:
            return {"value": event.value, "moves": moves}
        case Kind.BACKUP:
            return {"max_gain": event.low, "min_gain": event.high, "last_gain": event.best}
        case Kind.DECIDE:
            return {"value": None if trace.simulated else event.value, "moves": moves}
        case _:  # PROVE, and KNOWN of MCTS
            return {"value": event.value}


def _end(value: int) -> int | None:
    """An end of a window; None if it is infinite."""
    return None if abs(value) >= INFINITE else value
