"""Matches of the network-guided players: against perfect play of longest resistance, and at equal time per move.

    python benchmarks/learned_matches.py resistance [--spec best:seconds=0.1] [--openings 1000]
    python benchmarks/learned_matches.py elo [--seconds 0.01,0.1] [--pairs 50] [--against alphabeta,mcts]

*resistance*: bitbully, a solver that is not inarow's, defends as long as it can, by any of several best moves.
The player starts from the empty board and from won openings, in the seat that wins. The score is that of wins plus half
the draws; lost points are listed.

*elo*: pairs of matches from balanced openings, seats swapped. The interval is that of the mean score of a pair, as Elo.

Seconds are the processor's, so that other work on the machine does not count.
"""

from __future__ import annotations

import argparse
import math
import random
import statistics

from inarow.agents import Agent, agent
from inarow.agents.base import rehearse
from inarow.match import play_match
from inarow.match.openings import parse_openings
from inarow.rules import CONNECT4, FIRST, SECOND, Player, Position
from inarow.stats import bounded_mean
from learned_search import ProcessorClock
from referee import Referee

GUIDED = ("alphabeta:eval=ntuple,ordering=threats,tt=on", "mcts:prior=ntuple,leaf=ntuple", "best")
USUAL = ("alphabeta", "mcts")


def resist(one: Agent, seat: Player, opening: list[int], referee: Referee, seed: int) -> float:
    """The score of one match against longest resistance."""
    mind = one.start(CONNECT4, seat, seed)
    mind.clock = ProcessorClock()

    def decide(position: Position) -> int:
        return mind.decide(position).move

    try:
        return referee.play(decide, seat, opening, longest=True)
    finally:
        mind.close()


def resistance(spec: str, most: int) -> None:
    """Play each opening once, at most ``most`` of a kind, drawn at random."""
    referee, one = Referee(), agent(spec)
    rehearse(one, CONNECT4)
    print(f"{spec} against longest resistance: openings | score | points lost from")
    for where, (seat, openings) in referee.openings.items():
        drawn = random.Random(where).sample(openings, min(most, len(openings)))
        scores = [resist(one, seat, opening, referee, seed) for seed, opening in enumerate(drawn)]
        lost = ["".join(str(move + 1) for move in line) for line, score in zip(drawn, scores, strict=True) if score < 1]
        print(f"{where} | {len(drawn)} | {100 * statistics.mean(scores):.1f} % | {' '.join(lost) or '–'}", flush=True)


def elo(score: float) -> float:
    """The difference in Elo of an expected score."""
    return math.inf if score >= 1 else -math.inf if score <= 0 else 400 * math.log10(score / (1 - score))


def compare(a: Agent, b: Agent, pairs: int) -> str:
    """The score of the first over pairs of matches, as Elo with a 95 % interval."""
    clock, scores = ProcessorClock(), []
    for number, opening in enumerate(parse_openings(CONNECT4, "balanced").draw(pairs, seed=1)):
        points = 0.0
        for seat in (FIRST, SECOND):
            first, second = (a, b) if seat is FIRST else (b, a)
            outcome = play_match(CONNECT4, first, second, opening=opening, seed=number, clock=clock).outcome
            assert outcome is not None
            points += outcome.score(seat)
        scores.append(points / 2)
    interval = bounded_mean(scores)
    assert interval is not None
    return f"{100 * interval.estimate:.1f} % | {' '.join(f'{elo(x):+.0f}' for x in interval)}"


def equal_time(seconds: list[float], pairs: int, usuals: list[str]) -> None:
    """Each guided player against each usual one, with the same seconds per move."""
    print("seconds | players | score | Elo, low, high")
    for each in seconds:
        for guided in GUIDED:
            for usual in usuals:
                a, b = (agent(f"{spec}{',' if ':' in spec else ':'}seconds={each:g}") for spec in (guided, usual))
                rehearse(a, CONNECT4)
                rehearse(b, CONNECT4)
                print(f"{each:g} | {guided} – {usual} | {compare(a, b, pairs)}", flush=True)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    commands = parser.add_subparsers(dest="command", required=True)
    first = commands.add_parser("resistance")
    first.add_argument("--spec", default="best:seconds=0.1")
    first.add_argument("--openings", type=int, default=1000, help="openings of each kind at most")
    second = commands.add_parser("elo")
    second.add_argument("--seconds", default="0.01,0.1")
    second.add_argument("--pairs", type=int, default=50)
    second.add_argument("--against", default=",".join(USUAL), help="the players without a network")
    given = parser.parse_args()
    if given.command == "resistance":
        resistance(given.spec, given.openings)
    else:
        equal_time([float(each) for each in given.seconds.split(",")], given.pairs, given.against.split(","))


if __name__ == "__main__":
    main()
