"""Searches recorded in a worker, kept for a while and sent in pages; and exam trees."""

from __future__ import annotations

import asyncio
import secrets
from collections import OrderedDict
from typing import Annotated, NamedTuple

from fastapi import APIRouter, Path, Query, Request
from pydantic import Field

from inarow.agents import agent
from inarow.formatting import say
from inarow.kernels.alphabeta import INFINITE
from inarow.kernels.evaluate import POINTS, WIN
from inarow.rules import Position, game
from inarow.stopping import Stop
from inarow.teaching.exam_tree import EXPLORATION, Exam, TreeView, parse_tree, random_tree, shown, solve
from inarow.tracing import EventKind, Trace, trace
from inarow.tracing.recording import check_traceable
from inarow.tracing.trace import EFFECTS, RESULTS, SIGNS, TEMPLATES, said
from inarow.web.messages import Message, Name, PositionInfo, PositionRequest, Spec
from inarow.web.routes import PROBLEMS
from inarow.web.security import Missing, Refused, agent_for, read
from inarow.web.workers import answer_of, needs_mb

KEPT = 8
"""Number of traces that the server keeps; the least recently used goes first."""
TRACE_MB = 64
"""Memory for recording a trace."""
PAGE = 10_000
"""Events in one answer."""


class TraceRequest(PositionRequest):
    """Ask for the steps of a search by minimax, alphabeta or mcts."""

    agent: Spec
    events: Annotated[int, Field(ge=1, le=100_000)] = PAGE
    """Maximum number of events."""
    seed: Annotated[int, Field(ge=0, le=2**53)] = 0


class TracePage(Message):
    """A page of events, and the nodes that first appear in them, as columns.

    Values are points for the side to move at the root, or results in MCTS; null is infinite.
    """

    first: int
    first_node: int
    parents: list[int]
    moves: list[int]
    cells: list[int]
    """The cell filled by each node's move; −1 for the root."""
    kinds: list[int]
    nodes: list[int]
    values: list[int | float]
    lows: list[int | float | None]
    highs: list[int | float | None]
    bests: list[int]
    improved: list[int]
    said: list[int]
    """The index of each event's template."""
    lists: dict[int, list[int]]
    """Lists of moves, by the index of their event."""


class WholeInfo(Message):
    """The agent's own decision, if the trace is truncated."""

    move: int
    nodes: int


class TraceInfo(Message):
    """A recorded search with its first events; get the others by its id."""

    id: str
    position: PositionInfo
    agent: str
    simulated: bool
    """True for MCTS."""
    exploration: float | None
    """The weight of the confidence bound in MCTS."""
    length: int
    node_count: int
    truncated: str
    """The limit that truncated the trace, such as ``10,000 events``; empty if it is complete."""
    move: int | None
    """The decision of the search; null if it is truncated."""
    whole: WholeInfo | None
    kinds: list[str]
    """The names of the kinds of events."""
    templates: list[str]
    signs: list[str]
    """For each template, the sign before a value that is a bound, such as ``≤``."""
    effects: list[str]
    results: dict[int, str]
    unit: int
    """Points in one unit of the evaluator."""
    win: int
    """The minimum points of a win, for either side."""
    win_at_start: int
    """Points of a win on the empty board; each stone takes off one unit."""
    page: TracePage


class ExamRequest(Message):
    """Ask for a tree and its solution; without a tree, for a random one by seed and difficulty."""

    tree: Annotated[str, Field(max_length=3000)] = ""
    algorithm: Name = "alphabeta"
    difficulty: Name = "medium"
    root: Name = "max"
    seed: Annotated[int, Field(ge=0, le=2**53)] = 0
    simulations: Annotated[int, Field(ge=1, le=200)] = 8
    exploration: Annotated[float, Field(ge=0, le=100)] = EXPLORATION


class ExamStep(Message):
    """One step: a sentence and its changes of the picture."""

    text: str
    node: str
    marks: dict[str, str]
    """By node: its value or a bound, or for UCT its visits and mean, separated by ``·``."""
    pruned: list[str]


class ExamTask(Message):
    """A question about the tree, and its answer."""

    question: str
    answer: str


class ExamInfo(Message):
    """A tree with its question and solution."""

    tree: str
    title: str
    given: list[str]
    playouts: dict[str, str]
    """For UCT: the result of a playout from each inner node."""
    tasks: list[ExamTask]
    steps: list[ExamStep]
    picture: str
    """SVG without marks; a node's marks go into the elements with its name as ``data-mark``."""
    question: str
    """An HTML page."""
    solution: str


class Recorded(NamedTuple):
    """A trace, and the agent's own decision if the trace is truncated."""

    trace: Trace
    whole: WholeInfo | None


class Traces:
    """The most recent traces, by id."""

    def __init__(self) -> None:
        self._kept: OrderedDict[str, Trace] = OrderedDict()

    def keep(self, one: Trace) -> str:
        """Keep a trace; return its new id."""
        name = secrets.token_urlsafe(16)
        self._kept[name] = one
        while len(self._kept) > KEPT:
            self._kept.popitem(last=False)
        return name

    def find(self, id: str) -> Trace:
        """Return the trace with an id."""
        if id not in self._kept:
            raise Missing("this trace is no longer kept; record it again")
        self._kept.move_to_end(id)
        return self._kept[id]


router = APIRouter(responses=PROBLEMS)


@router.post("/traces")
async def record(request: TraceRequest, http: Request) -> TraceInfo:
    """Record the steps of a search. The answer has the first 10,000 events; `/traces/{id}` gets the others."""
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
        id=http.app.state.server.traces.keep(traced),
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
    """Get up to 10,000 events, starting with ``first``."""
    return await asyncio.to_thread(page_of, http.app.state.server.traces.find(id), first)


def record_task(stop: Stop, spec: str, board: str, stones: tuple[int, int], events: int, seed: int) -> Recorded:
    """Record a search, in a worker; if the trace is truncated, also ask the agent for its move."""
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
    """Return a page of events, starting with ``first``."""
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
    """Return the cell filled by the move of each of these nodes, −1 for a root; parents precede their children."""
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
    """Return the number of nodes that the events before ``end`` mention; nodes are numbered in order."""
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
