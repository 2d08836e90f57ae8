"""Under a short limit in seconds, tables and trees are ready before the clock runs; limits in counts see none of it."""

from __future__ import annotations

import tracemalloc
from typing import Any

import pytest

from inarow.agents import Limit, agent
from inarow.agents.alphabeta import SearchMind
from inarow.agents.base import SHORT_SECONDS, rehearse
from inarow.agents.mcts import MctsMind, Tree
from inarow.kernels.solver.analyse import GLANCE
from inarow.rules import CONNECT4, FIRST, Position, game
from inarow.solver import Oracle
from inarow.stopping import Clock, Stop

START = Position.start(CONNECT4)
SHORT = Limit(seconds=0.005)


def mind_of(spec: str) -> Any:
    return agent(spec).start(CONNECT4, FIRST, 1)


class CountingClock(Clock):
    """A clock that notes the memory allocated between its first and its last reading."""

    def __init__(self) -> None:
        self.readings: list[int] = []

    def now(self) -> float:
        if not self.readings:
            tracemalloc.reset_peak()
        current, peak = tracemalloc.get_traced_memory()
        self.readings.append(peak if self.readings else current)
        return super().now()


@pytest.mark.parametrize(
    "spec",
    ["alphabeta:tt=on,depth=full", "alphabeta:tt=on,depth=5", "mcts:seconds=1", "best", "perfect:seconds=0.000001"],
)
def test_a_short_decision_allocates_nothing_large_while_its_clock_runs(spec: str) -> None:
    rehearse(agent(spec), CONNECT4)
    mind = mind_of(spec)
    position = Position.start(CONNECT4, [0, 6, 5, 6, 4, 1, 4, 2, 6, 2])
    tracemalloc.start()
    try:
        for _ in range(2):
            mind.clock = clock = CountingClock()
            position = position.play(mind.decide(position, SHORT).move)
            assert clock.readings[-1] - clock.readings[0] < 1 << 20
    finally:
        tracemalloc.stop()
        mind.close()


def test_the_table_is_as_large_as_a_short_limit_can_fill_and_written_to_before_the_clock_runs() -> None:
    mind: SearchMind = mind_of("alphabeta:tt=on,depth=full")
    entries = mind.agent.tt_entries
    sizes = []
    for seconds in (0.001, 0.004, SHORT_SECONDS):
        mind.prepare(START, Limit(seconds=seconds))
        assert mind.ready == len(mind.state.tt)
        sizes.append(len(mind.state.tt))
    assert sizes == sorted(set(sizes))
    assert sizes[-1] <= entries
    mind.prepare(START, Limit(seconds=0.001))  # a larger one serves, too
    assert len(mind.state.tt) == sizes[-1]


def test_limits_in_counts_use_the_whole_table_after_short_limits_too() -> None:
    position, depth = Position.start(CONNECT4, [3, 3]), Limit(depth=7)
    alone, after, both = (mind_of("alphabeta:depth=full,tt=on,ordering=threats") for _ in range(3))
    wanted = alone.decide(position, depth)._replace(seconds=0)
    after.decide(position, SHORT)
    assert after.decide(position, depth)._replace(seconds=0) == wanted
    both.prepare(position, Limit(depth=7, seconds=0.01))
    assert len(both.state.tt) == len(after.state.tt) == both.agent.tt_entries


def test_trees_of_short_limits_take_no_more_memory_and_change_no_decision(monkeypatch: pytest.MonkeyPatch) -> None:
    """Two minds with the same simulations, one of which copies its tree between two small pools."""
    plain: MctsMind = mind_of("mcts:simulations=500,tree_mb=16")
    short: MctsMind = mind_of("mcts:simulations=500,tree_mb=16")
    short.prepare(START, SHORT)  # limited by its simulations as well
    assert short.tree.spare is None
    monkeypatch.setattr(Tree, "use_whole", lambda tree: None)
    short.tree.reserve(100_000)
    position = START
    for _ in range(6):
        pools = {id(short.tree.nodes), id(short.tree.spare)}
        decision = plain.decide(position)
        assert short.decide(position)._replace(seconds=0) == decision._replace(seconds=0)
        assert {id(short.tree.nodes), id(short.tree.spare)} == pools
        position = position.play(decision.move)
    pool: Any = short.tree.nodes
    assert 2 * pool.nbytes <= 16 << 20


def test_a_tree_is_kept_when_its_pool_changes() -> None:
    mind: MctsMind = mind_of("mcts:seconds=1")
    for limit in (Limit(seconds=0.002), Limit(simulations=10), Limit(seconds=0.004)):
        used = mind.tree.used
        mind.prepare(START, limit)
        assert mind.tree.used == used
        decision = mind.decide(START, limit)
        assert decision.details["simulations_kept"] + decision.details["simulations"] == mind.tree.nodes[0].visits
    mind.tree.reserve(mind.tree.room)  # two of them would be larger than the whole one
    assert len(mind.tree.nodes) == mind.tree.room


def test_a_solver_that_is_stopped_answers_no_further_question() -> None:
    stop = Stop()
    stop.set()
    oracle = Oracle(CONNECT4, book=False, tt_mb=1)
    assert any(not bounds.solved for bounds in oracle.move_bounds(START, stop=stop).values())
    assert oracle.nodes <= 2 * GLANCE


def test_the_table_of_a_solver_is_unchanged_by_what_makes_it_ready() -> None:
    for board in ("5x4x4", "4x4x4-free"):
        position, twins = Position.start(game(board)), [Oracle(board, book=False, tt_mb=1) for _ in range(2)]
        for oracle in twins:
            oracle.move_bounds(position, Limit(nodes=3000))
        twins[1].prepare(position, short=True)
        answers = [(oracle.move_bounds(position, Limit(nodes=3000)), oracle.nodes) for oracle in twins]
        assert answers[0] == answers[1]
