"""Tracing an agent's search: which agents can be traced, and the trace of one decision."""

from __future__ import annotations

from inarow.agents.base import Agent, Mind
from inarow.agents.mcts import Mcts, MctsMind
from inarow.agents.presets import PresetAgent
from inarow.agents.search_mind import SearchMind
from inarow.agents.searching import Searcher
from inarow.errors import InarowError
from inarow.kernels.common.setup import POINTS
from inarow.limits import MOST_EVENTS, NO_LIMIT, USUAL_EVENTS, Limit, check_count
from inarow.rules import Game, IllegalMove, Position
from inarow.stopping import Stop
from inarow.tracing.mcts_twin import MctsTwin
from inarow.tracing.search_twin import SearchTwin
from inarow.tracing.trace import Kind, Recorder, Scale, Trace, TraceFull


class Untraceable(InarowError):
    """An agent whose search can't be recorded; the message says why."""


def trace(
    position: Position,
    agent: Agent,
    *,
    limit: Limit = NO_LIMIT,
    events: int = USUAL_EVENTS,
    seed: int = 0,
    stop: Stop | None = None,
) -> Trace:
    """Record how an agent decides in a position: every node, in order, with the agent's own result.

    ``limit`` bounds the decision, ``events`` the trace; what comes after the last event is not searched. Raises
    `Untraceable` for an agent that does not search a tree, that looks at the clock, or whose code is not inarow's.
    """
    check_count("events", events, MOST_EVENTS)
    if events < 1:
        raise InarowError(f"a trace of {events} events is empty; give 1 or more")
    if position.outcome() is not None:
        raise IllegalMove(f"the game is over ({position.result_text()}); there is nothing to decide")
    agent.check(position.game)
    settled = agent.settled(position.game) if isinstance(agent, PresetAgent) else agent
    check_traceable(settled, limit)
    recorder = Recorder(events)
    mind = _traced_mind(settled, position, seed, recorder)
    decision, truncated = None, ""
    try:
        decision = mind.decide(position, limit, stop)
    except TraceFull as full:
        truncated = str(full)
    finally:
        mind.close()
    if stop is not None and stop.is_set():
        decision, truncated = None, truncated or f"{len(recorder.kinds):,} events"
    if decision is not None:
        recorder.add(Kind.DECIDE, recorder.root, decision.points or 0, moves=(decision.move,))
    scale = _scale(settled, position.game) if isinstance(settled, Searcher) else Scale()
    return Trace(position, agent.spec, seed, isinstance(settled, Mcts), recorder, decision, truncated, scale)


def check_traceable(agent: Agent, limit: Limit = NO_LIMIT) -> None:
    """Raise `Untraceable` if the search of this agent, which has no preset, can't be recorded."""
    can = "minimax, alphabeta and mcts can be traced"
    if agent.foreign:
        raise Untraceable(
            f"{agent.spec} can't be traced: its code is not inarow's, so its steps can't be recorded; {can}"
        )
    if not isinstance(agent, (Searcher, Mcts)):
        raise Untraceable(f"{agent.spec} can't be traced: it does not search a tree; {can}")
    why = ""
    if agent.seconds is not None or limit.seconds is not None:
        why = "with seconds the clock decides where the search ends; give depth, nodes or simulations"
    elif agent.asks_solver if isinstance(agent, Searcher) else agent.solver:
        option = "solve" if isinstance(agent, Searcher) else "solver"
        why = f"with {option}=on the solver decides, and its search is not recorded; use {option}=off"
    elif isinstance(agent, Mcts) and agent.prior is not None:
        why = "the search with a network is not recorded; use prior=none"
    else:
        hidden = {"untold", "score-as-move"}.intersection(agent.faults)
        why = f"with faults={min(hidden)} what it plays is not what it searches" if hidden else ""
    if why:
        raise Untraceable(f"{agent.spec} can't be traced: {why}")


def _traced_mind(agent: Agent, position: Position, seed: int, recorder: Recorder) -> Mind:
    """The agent's own mind with a twin in its kernel's place."""
    mind = agent.start(position.game, position.to_move, seed)
    if isinstance(mind, SearchMind):
        mind.kernel = SearchTwin(mind.agent, position.game, recorder)
    elif isinstance(mind, MctsMind):
        twin = MctsTwin(position.game, recorder)
        mind.simulate, mind.simulate_plainly = twin.simulate, twin.simulate_plainly
    return mind


def _scale(agent: Searcher, game: Game) -> Scale:
    if agent.ends != "scored" or agent.win is None or "wins-for-x" in agent.faults:
        return Scale()
    win, loss = agent.win, agent.loss or agent.win
    least = min(win, loss) - (game.cells if agent.sooner else 0)
    counted = agent.sooner and agent.sooner_from == "board"
    at_start = (round(win * POINTS), round(loss * POINTS)) if counted else None
    return Scale(round(least * POINTS), at_start)
