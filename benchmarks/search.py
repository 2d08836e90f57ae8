"""The searching players' figures, side by side with their rivals: nodes and simulations a second, limits, overhead.

python benchmarks/search.py

Times are processor seconds of this thread where a speed is measured, so that other programs disturb less. OpenSpiel's
C++ search is measured in the same run if it is installed (``pip install open_spiel``).
"""

from __future__ import annotations

import time
from collections.abc import Callable

import plain
from inarow.agents import Mind, agent
from inarow.rules import CONNECT4, FIRST, Position

START = Position.start(CONNECT4)
SIMULATIONS = 10_000


def least(run: Callable[[], object], times: int = 7, clock: Callable[[], float] = time.thread_time) -> float:
    """Least seconds of several runs."""
    taken = []
    for _ in range(times):
        begun = clock()
        run()
        taken.append(clock() - begun)
    return min(taken)


def mind_of(spec: str, seed: int = 1) -> Mind:
    """The agent at work, its kernels compiled."""
    return agent(spec).start(CONNECT4, FIRST, seed)


def nodes_per_second(spec: str) -> tuple[int, float]:
    """Nodes of a decision from the start, and millions of them a second."""
    mind = mind_of(spec)
    nodes = mind.decide(START).nodes
    return nodes, nodes / least(lambda: mind.decide(START)) / 1e6


def show_nodes() -> None:
    """Speed of the fixed-depth searches, and what the switches save."""
    for spec, wanted in (
        ("minimax:depth=7", 12),
        ("alphabeta:depth=10,ordering=none", 10),
        ("alphabeta:depth=11", 10),
    ):
        nodes, speed = nodes_per_second(spec)
        print(f"{spec:<60} {nodes:>10,} nodes {speed:6.1f} million/s  (at least {wanted})")
    plain_nodes, _ = nodes_per_second("alphabeta:depth=8,ordering=none")
    for switches in ("ordering=centre", "ordering=history", "ordering=threats", "ordering=threats,tt=on"):
        nodes, speed = nodes_per_second(f"alphabeta:depth=8,{switches}")
        share = f"1/{plain_nodes / nodes:.1f} of ordering=none" + ("  (at most 1/30)" if "table" in switches else "")
        print(f"{'alphabeta:depth=8,' + switches:<60} {nodes:>10,} nodes {speed:6.1f} million/s  {share}")
    switches = "ordering=threats,tt=on,symmetry=on,iterative_deepening=on"
    nodes, speed = nodes_per_second(f"alphabeta:depth=8,{switches}")
    share = f"1/{plain_nodes / nodes:.1f} of ordering=none"
    print(f"{'alphabeta:depth=8,' + switches:<60} {nodes:>10,} nodes {speed:6.1f} million/s  {share}")


def show_plain() -> None:
    """The same alpha–beta in plain Python, at depth 5."""
    mind = mind_of("alphabeta:depth=5,ordering=none")
    ours = least(lambda: mind.decide(START), times=50)
    theirs = least(lambda: plain.decide([], 5), times=1)
    points = mind.decide(START).points
    assert points is not None
    assert points / 100 == plain.decide([], 5)[1], "the two don't agree"
    print(
        f"plain Python alpha–beta, depth 5: {theirs:.2f} s, ours {1000 * ours:.2f} ms: {theirs / ours:,.0f} times"
        "  (at least 300)"
    )


def show_simulations() -> None:
    """Simulations a second from the empty board, ours and OpenSpiel's."""

    def ours() -> float:
        minds = [mind_of(f"mcts:simulations={SIMULATIONS}", seed) for seed in range(15)]
        return min(least(lambda mind=mind: mind.decide(START), times=1) for mind in minds)  # type: ignore[misc]

    seconds = ours()
    print(f"mcts, {SIMULATIONS:,} simulations: {SIMULATIONS / seconds / 1e6:.2f} million/s")
    try:
        import pyspiel
    except ImportError:
        print("OpenSpiel is not installed: no comparison")
        return
    game = pyspiel.load_game("connect_four")

    def theirs() -> None:
        evaluator = pyspiel.RandomRolloutEvaluator(1, 7)
        bot = pyspiel.MCTSBot(game, evaluator, 2**0.5, SIMULATIONS, 1000, True, 7, False)
        bot.mcts_search(game.new_initial_state())

    rival = least(theirs, times=5)
    seconds = min(seconds, ours())
    print(
        f"OpenSpiel C++ MCTSBot: {SIMULATIONS / rival / 1e6:.3f} million/s; ours {rival / seconds:.1f} times  "
        "(at least 15, aim for 25)"
    )


def show_overhead() -> None:
    """What a decision costs when there is next to nothing to search."""
    for spec in ("greedy", "minimax:depth=1", "alphabeta:depth=1", "alphabeta:depth=1,tt=on", "mcts:simulations=1"):
        mind = mind_of(spec)
        taken = least(lambda mind=mind: [mind.decide(START) for _ in range(50)], times=20) / 50  # type: ignore[misc]
        print(f"{spec:<40} {1e6 * taken:6.1f} µs a decision, its kernel included  (under 100)")


def show_deadlines() -> None:
    """How far a decision overruns its limit in seconds."""
    for spec in ("minimax", "alphabeta", "mcts"):
        for seconds in (0.05, 0.2, 1.0, 3.0):
            mind = mind_of(f"{spec}:seconds={seconds}")
            over = max(abs(mind.decide(START).seconds - seconds) for _ in range(3 if seconds <= 1 else 1))
            print(f"{spec}:seconds={seconds:<6} off by at most {1000 * over:6.2f} ms  (within 30)")


def main() -> None:
    """Print each figure with what is wanted."""
    show_nodes()
    show_plain()
    show_simulations()
    show_overhead()
    show_deadlines()


if __name__ == "__main__":
    main()
