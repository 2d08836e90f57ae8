"""Tracing an agent's search: which agents can be traced, and the trace of one decision."""

from __future__ import annotations

from inarow.agents.base import Agent, Mind
from inarow.agents.mcts import Mcts, MctsMind
from inarow.agents.search_mind import SearchMind
from inarow.agents.searching import WIN, Searcher
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
    check_traceable(agent, limit)
    recorder = Recorder(events)
    mind = _traced_mind(agent, position, seed, recorder)
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
    scale = _scale(position.game) if isinstance(agent, Searcher) else Scale()
    return Trace(position, agent.spec, seed, isinstance(agent, Mcts), recorder, decision, truncated, scale)


def check_traceable(agent: Agent, limit: Limit = NO_LIMIT) -> None:
    """Raise `Untraceable` if the search of this agent can't be recorded."""
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
    if why:
        raise Untraceable(f"{agent.spec} can't be traced: {why}")


def _traced_mind(agent: Agent, position: Position, seed: int, recorder: Recorder) -> Mind:
    """The agent's own mind with a twin in its kernel's place."""
    mind = agent.start(position.game, position.to_move, seed)
    if isinstance(mind, SearchMind):
        mind.kernel = SearchTwin(mind.agent, position.game, recorder)
    elif isinstance(mind, MctsMind):
        mind.simulate = MctsTwin(position.game, recorder).simulate
    return mind


def _scale(game: Game) -> Scale:
    return Scale((WIN - game.cells) * POINTS, (WIN * POINTS, WIN * POINTS))
