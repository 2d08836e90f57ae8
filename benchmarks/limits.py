"""How far do decisions overrun a limit in seconds, and what does a table cost or save under a short one?

python benchmarks/limits.py                     # 2,000 decisions of every agent at 1, 5 and 20 ms: about 8 minutes
python benchmarks/limits.py --decisions 200     # a minute

Every agent plays itself from random openings of two plies, with new minds in each match, so that their first decisions
are among those measured. The overrun is that of the decision's own clock, which begins after `Mind.prepare`; in
processor time it is that of the deciding thread between the same two moments, which waits for other programs disturb
less. A garbage collection is part of a decision, as in a match.
"""

from __future__ import annotations

import argparse
import os
import time
from collections.abc import Sequence
from typing import NamedTuple

from inarow.agents import agent
from inarow.agents.base import rehearse
from inarow.match import parse_openings
from inarow.randomness import derive
from inarow.rules import FIRST, SECOND, Position, game
from inarow.stopping import Clock

AGENTS = (
    "minimax",
    "alphabeta",
    "alphabeta:ordering=threats",
    "alphabeta:ordering=threats,tt=on",
    "alphabeta:ordering=threats,tt=on,eval=ntuple",
    "mcts",
    "mcts:reuse_tree=off",
    "mcts:prior=ntuple,leaf=ntuple",
    "best",
    "perfect",
)
"""The agents of the registry that take ``seconds``, and what they search with."""
SECONDS = (0.001, 0.005, 0.02)
SHARES = (0.5, 0.99, 0.999)
MOST = (None, 1.0, 3.0)
"""Milliseconds of overrun that are accepted at these shares, on an idle machine."""


class Watch(Clock):
    """A clock that remembers its first and last reading, with the processor time of the thread."""

    def __init__(self) -> None:
        self.readings: list[tuple[float, float]] = []

    def now(self) -> float:
        reading = super().now(), time.thread_time()
        self.readings[1:] = [reading]
        return reading[0]


class Measured(NamedTuple):
    """One decision; times in milliseconds."""

    first: bool
    """True for a mind's first decision."""
    over: float
    processor_over: float
    prepared: float
    """What the decision took before its clock began."""
    nodes: int


def measure(spec: str, seconds: float, decisions: int, board: str) -> list[Measured]:
    """Decide this many times in matches of an agent against itself."""
    played = game(board)
    player = agent(f"{spec}{',' if ':' in spec else ':'}seconds={seconds:g}")
    rehearse(player, played)
    measured: list[Measured] = []
    openings = parse_openings(played, "random:2").draw(decisions, 0)
    while len(measured) < decisions:
        match = sum(one.first for one in measured) // 2
        position = Position.start(played, openings[match])
        minds = [player.start(played, seat, derive(match, seat.name)) for seat in (FIRST, SECOND)]
        fresh = {FIRST, SECOND}
        while position.outcome() is None:
            mind = minds[position.to_move]
            mind.clock = watch = Watch()
            begun = time.perf_counter()
            decision = mind.decide(position)
            (start, processor), (end, processor_end) = watch.readings
            over, processor_over = end - start - seconds, processor_end - processor - seconds
            first = position.to_move in fresh
            fresh.discard(position.to_move)
            measured.append(Measured(first, 1e3 * over, 1e3 * processor_over, 1e3 * (start - begun), decision.nodes))
            position = position.play(decision.move)
        for mind in minds:
            mind.close()
    return measured[:decisions]


def at_shares(values: Sequence[float]) -> list[float]:
    """Values at the shares of `SHARES`."""
    ordered = sorted(values)
    return [ordered[min(len(ordered) - 1, int(share * len(ordered)))] for share in SHARES]


def show(spec: str, seconds: float, measured: list[Measured]) -> bool:
    """Print a line of the table; return True if the overrun is accepted."""
    clock, processor = at_shares([one.over for one in measured]), at_shares([one.processor_over for one in measured])
    first = max((one.over for one in measured if one.first), default=0.0)
    prepared = at_shares([one.prepared for one in measured if one.first])[0]
    accepted = all(most is None or value <= most for value, most in zip(clock, MOST, strict=True))
    nodes = sum(one.nodes for one in measured) / len(measured)
    columns = [f"{value:7.2f}" for value in (*clock, first, *processor, prepared)]
    print(f"{spec:<46}{1e3 * seconds:>4g}{''.join(columns)}{nodes:>10,.0f}{'' if accepted else '  over'}", flush=True)
    return accepted


def main() -> None:
    """Print the table."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--decisions", type=int, default=2000)
    parser.add_argument("--game", default="connect4")
    parser.add_argument("--agents", nargs="+", default=AGENTS, metavar="SPEC")
    options = parser.parse_args()
    begun = time.perf_counter()
    print("Overrun in ms at the 50th, 99th and 99.9th percentile; the most of a first decision; the preparation of a")
    print("first decision in ms, at the median; nodes per decision")
    print(f"{'':46}{'':>4}{'by the clock':>21}{'first':>7}{'processor time':>21}{'prep.':>7}")
    accepted = [
        show(spec, seconds, measure(spec, seconds, options.decisions, options.game))
        for spec in options.agents
        for seconds in SECONDS
    ]
    print(f"{sum(accepted)} of {len(accepted)} within {MOST[1]:g} ms at the 99th and {MOST[2]:g} ms at the 99.9th")
    print(f"({time.perf_counter() - begun:.0f} s by the clock, load {os.getloadavg()[0]:.1f})")


if __name__ == "__main__":
    main()
