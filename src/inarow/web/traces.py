"""Trees: recorded searches, made in a worker, kept for a while and handed out page by page; and exam trees."""

from __future__ import annotations

import asyncio
import secrets
from collections import OrderedDict
from typing import Annotated, NamedTuple

from fastapi import APIRouter, HTTPException, Path, Query, Request

from inarow.agents import agent
from inarow.formatting import say
from inarow.kernels.alphabeta import INFINITE
from inarow.kernels.evaluate import POINTS, WIN
from inarow.rules import Position, game
from inarow.stopping import Stop
from inarow.teaching.exam_tree import Exam, TreeView, parse_tree, random_tree, shown, solve
from inarow.tracing import EventKind, Trace, trace
from inarow.tracing.recording import check_traceable
from inarow.tracing.trace import EFFECTS, RESULTS, SIGNS, TEMPLATES, said
from inarow.web.messages import (
    PAGE,
    ExamInfo,
    ExamRequest,
    ExamStep,
    ExamTask,
    PositionInfo,
    TraceInfo,
    TracePage,
    TraceRequest,
    WholeInfo,
)
from inarow.web.routes import PROBLEMS
from inarow.web.security import Refused, agent_for, read
from inarow.web.workers import answer_of, needs_mb

router = APIRouter(responses=PROBLEMS)

KEPT = 8
"""Traces that the server keeps; the one not used for longest goes first."""


TRACE_MB = 64
"""Memory in which a trace is recorded."""


class Recorded(NamedTuple):
    """A trace, and what the agent itself decides where it is truncated."""

    trace: Trace
    whole: WholeInfo | None


class Traces:
    """The traces that were asked for last, by id."""

    def __init__(self) -> None:
        self._kept: OrderedDict[str, Trace] = OrderedDict()

    def keep(self, one: Trace) -> str:
        """Keep a trace under a new id."""
        name = secrets.token_urlsafe(16)
        self._kept[name] = one
        while len(self._kept) > KEPT:
            self._kept.popitem(last=False)
        return name

    def find(self, id: str) -> Trace:
        """The trace of an id."""
        if id not in self._kept:
            raise HTTPException(404, "this trace is no longer kept; record it again")
        self._kept.move_to_end(id)
        return self._kept[id]


@router.post("/traces")
async def record(request: TraceRequest, http: Request) -> TraceInfo:
    """Record the steps of a search. The answer has the first 10,000 events; see `/traces/{id}` for the others."""
    server = http.app.state.server
    found, moves, _ = await read(request)
    one = await asyncio.to_thread(agent_for, found.game, request.agent, server.settings)
    check_traceable(one)
    if found.outcome() is not None:
        raise Refused(say("nothing_to", "decide", result=found.result_text()))
    stones = (found.first, found.second)
    seconds = server.settings.decision_seconds
    arguments = one.spec, found.game.name, stones, request.events, request.seed
    needs = TRACE_MB + needs_mb(one, found.game)
    traced, whole = await answer_of(http, server.thinkers, record_task, *arguments, seconds=seconds, memory_mb=needs)
    decision = traced.decision
    return TraceInfo(
        id=http.app.state.traces.keep(traced),
        position=PositionInfo.of(found, moves),
        agent=traced.agent,
        simulated=traced.simulated,
        exploration=getattr(one, "c", None) if traced.simulated else None,
        length=len(traced),
        node_count=traced.nodes,
        truncated=traced.truncated,
        move=None if decision is None else decision.move,
        whole=whole,
        kinds=[kind.name.lower() for kind in EventKind],
        templates=list(TEMPLATES.values()),
        signs=[SIGNS.get(one, "") for one in TEMPLATES],
        effects=list(EFFECTS),
        results=RESULTS,
        unit=POINTS,
        win=traced.win,
        win_at_start=WIN * POINTS,
        page=await asyncio.to_thread(page_of, traced, 0),
    )


@router.get("/traces/{id}")
async def more(
    http: Request, id: Annotated[str, Path(max_length=40)], first: Annotated[int, Query(ge=0, le=10**6)]
) -> TracePage:
    """The 10,000 events from this one on."""
    return await asyncio.to_thread(page_of, http.app.state.traces.find(id), first)


def record_task(stop: Stop, spec: str, board: str, stones: tuple[int, int], events: int, seed: int) -> Recorded:
    """Record a search, in a worker; where there is more than is recorded, also ask the agent itself."""
    position, one = Position(game(board), *stones), agent(spec)
    found = trace(position, one, events=events, seed=seed, stop=stop)
    whole = None
    if found.truncated and not stop.is_set():
        mind = one.start(position.game, position.to_move, seed)
        decision = mind.decide(position, stop=stop)
        mind.close()
        whole = None if stop.is_set() else WholeInfo(move=decision.move, nodes=decision.nodes)
    return Recorded(found, whole)


def page_of(found: Trace, first: int) -> TracePage:
    """The events from this one on, as many as one answer has."""
    r, end = found.record, min(len(found), first + PAGE)
    events = [found[index] for index in range(min(first, end), end)]
    before = _nodes_until(found, min(first, end))
    after = _nodes_until(found, end)
    return TracePage(
        first=first,
        first_node=before,
        parents=r.parents[before:after].tolist(),
        moves=r.moves[before:after].tolist(),
        cells=cells_of_nodes(found, before, after),
        kinds=[event.kind for event in events],
        nodes=[event.node for event in events],
        values=[event.value for event in events],
        lows=[_finite(event.low) for event in events],
        highs=[_finite(event.high) for event in events],
        bests=[event.best for event in events],
        improved=[int(event.improved) for event in events],
        said=[said(found, event) for event in events],
        lists={first + index: list(event.moves) for index, event in enumerate(events) if event.moves},
    )


def cells_of_nodes(found: Trace, first: int, end: int) -> list[int]:
    """Return the cell that the move of each of these nodes fills, −1 for a root; parents come before their children."""
    board, start, record = found.position.game, found.position.occupied, found.record
    occupied: list[int] = []
    cells: list[int] = []
    for parent, move in zip(record.parents[:end], record.moves[:end], strict=True):
        before = start if parent < 0 else occupied[parent]
        free = 0 if parent < 0 else board.move_masks[move] & ~before
        stone = free & -free
        occupied.append(before | stone)
        cells.append(board.cell_bits.index(stone) if stone else -1)
    return cells[first:]


def _nodes_until(found: Trace, end: int) -> int:
    """How many nodes the events before this one mention: they are made in the order of their numbers."""
    if end == len(found):
        return found.nodes
    r = found.record
    most = max(r.nodes[:end], default=-1) + 1
    made = (int(r.lows[i] + r.values[i]) for i in range(end) if r.kinds[i] == EventKind.EXPAND)
    return max(most, max(made, default=0))


def _finite(value: float) -> float | None:
    return None if abs(value) >= INFINITE else value


@router.post("/exam-tree")
def exam_tree(request: ExamRequest) -> ExamInfo:
    """Draw a game tree and solve it step by step by minimax, alpha–beta or UCT."""
    if request.tree.strip():
        tree = parse_tree(request.tree, root=request.root)
    else:
        tree = random_tree(request.seed, request.difficulty, algorithm=request.algorithm, root=request.root)
    solution = solve(
        tree,
        request.algorithm,
        simulations=request.simulations,
        exploration=request.exploration,
        seed=request.seed,
    )
    exam = Exam(solution)
    return ExamInfo(
        tree=tree.to_text(),
        title=exam.heading,
        given=exam.given(),
        playouts={name: shown(value) for name, value in sorted(solution.playouts.items())},
        tasks=[ExamTask(question=one["question"], answer=one["answer"]) for one in exam.tasks()],
        steps=[ExamStep.model_validate(step) for step in solution.steps],
        picture=exam.svg(TreeView.STEPS),
        question=exam.html(TreeView.QUESTION),
        solution=exam.html(TreeView.SOLUTION),
    )
