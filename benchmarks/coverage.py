"""Do intervals, verdicts and ratings hold what they promise? Simulated experiments of known players.

    python benchmarks/coverage.py [--runs 10000]

- Intervals of a fixed number of pairs: how often they cover the true score.
- Tournaments of ten equal agents, by Holm's rule: how often any verdict is false.
- Studies of 64 pairings that are played until the sequential rule decides them, or their pairs are used up: how often
  any claim is false, and how soon a true difference is found.
- Ratings of simulated pools: how far expected scores are from the true ones.

The pairs are drawn from known chances of the scores 0, ¼, ½, ¾ and 1.
"""

from __future__ import annotations

import argparse
import itertools
import math
from collections import Counter
from collections.abc import Sequence

import numpy as np
import numpy.typing as npt

from inarow.match import HolmRule, SequentialRule
from inarow.stats import SCORES, HeadToHead, bounded_mean, bradley_terry, deviation, expected_score, log_capital, wilson

EQUAL = {
    "mostly drawn": (0.05, 0.1, 0.7, 0.1, 0.05),
    "varied": (0.2, 0.1, 0.4, 0.1, 0.2),
    "all won or lost": (0.5, 0.0, 0.0, 0.0, 0.5),
    "few clear losses, many narrow wins": (0.1, 0.0, 0.7, 0.2, 0.0),
}
"""The chances of each score for agents that are equally strong."""
STRONGER = {
    "score 56 %": (0.05, 0.1, 0.5, 0.25, 0.1),
    "score 62 %": (0.1, 0.1, 0.3, 0.2, 0.3),
    "score 75 %": (0.0, 0.1, 0.2, 0.3, 0.4),
}
"""The same for a first agent that is better."""


def simulate(
    rule: SequentialRule, chances: Sequence[float], runs: int, pairings: int, most: int, seed: int
) -> tuple[npt.NDArray[np.int_], npt.NDArray[np.int_]]:
    """Who is claimed to be better in each pairing of each run (1, −1; 0 if nobody), and after how many pairs."""
    draw = np.random.default_rng(seed)
    counts = np.zeros((runs, pairings, len(SCORES)), dtype=np.int64)
    better = np.zeros((runs, pairings), dtype=np.int_)
    pairs = np.zeros((runs, pairings), dtype=np.int_)
    needed = math.log(2 * rule.comparisons / (1 - rule.confidence))
    mirrored = [1 - score for score in SCORES]
    played = 0
    while played < most:
        look = min(most, rule.next_look(played))
        is_open = better == 0
        new = draw.multinomial(look - played, chances, size=(runs, pairings))
        counts[is_open] += new[is_open]
        pairs[is_open] = look
        up = log_capital(SCORES, counts[is_open], 0.5) >= needed
        down = log_capital(mirrored, counts[is_open], 0.5) >= needed
        better[is_open] = up.astype(np.int_) - down.astype(np.int_)
        played = look
    return better, pairs


def coverage(chances: Sequence[float], pairs: int, runs: int, seed: int) -> float:
    """How often the 95 % interval of the score covers the true one."""
    truth = sum(chance * score for chance, score in zip(chances, SCORES, strict=True))
    counts = np.random.default_rng(seed).multinomial(pairs, chances, size=runs)
    rows, often = np.unique(counts, axis=0, return_counts=True)
    hits = 0
    for row, number in zip(rows.tolist(), often.tolist(), strict=True):
        interval = bounded_mean(dict(zip(SCORES, row, strict=True)))
        assert interval is not None
        hits += number * interval.covers(truth)
    return hits / runs


def false_tournaments(chances: Sequence[float], agents: int, pairs: int, runs: int, seed: int) -> int:
    """How many tournaments of equal agents have a verdict, by Holm's rule."""
    pairings = agents * (agents - 1) // 2
    counts = np.random.default_rng(seed).multinomial(pairs, chances, size=(runs * pairings))
    rows, which = np.unique(counts, axis=0, return_inverse=True)
    off = np.array([deviation({(1.0, x): n for x, n in zip(SCORES, row, strict=True)}) for row in rows.tolist()])
    largest = np.abs(off)[which.reshape(runs, pairings)].max(axis=1)
    return int((largest > HolmRule(comparisons=pairings).z).sum())


def rating_error(agents: int, pairs: int, draws: float, seed: int) -> float:
    """The largest difference between the expected scores by fitted and by true ratings in a pool."""
    draw = np.random.default_rng(seed)
    truth = np.sort(draw.normal(0, 300, agents))
    meetings = []
    for a, b in itertools.combinations(range(agents), 2):
        score = expected_score(truth[a] - truth[b])
        drawn = 2 * draws * min(score, 1 - score)
        chances = [score - drawn / 2, drawn, 1 - score - drawn / 2]
        rows = draw.choice([1.0, 0.5, 0.0], size=(pairs, 2), p=chances)
        meetings.append(HeadToHead(a, b, Counter(map(tuple, rows.tolist()))))
    elo = bradley_terry(agents, meetings).elo
    both = itertools.combinations(range(agents), 2)
    return max(abs(expected_score(elo[a] - elo[b]) - expected_score(truth[a] - truth[b])) for a, b in both)


def main() -> None:
    """Print the rates."""
    arguments = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    arguments.add_argument("--runs", type=int, default=10_000)
    arguments.add_argument("--pairings", type=int, default=64)
    arguments.add_argument("--most", type=int, default=600, help="pairs of one pairing")
    given = arguments.parse_args()
    print(f"{given.runs:,} series each: how often the 95 % interval covers the true score")
    for name, chances in (EQUAL | STRONGER).items():
        found = [f"{coverage(chances, pairs, given.runs, seed=pairs):.1%} of {pairs}" for pairs in (10, 25, 50, 200)]
        print(f"{name}: {', '.join(found)} pairs")
    print(f"{given.runs:,} tournaments of ten agents, 50 pairs each, by Holm's rule")
    for name, chances in EQUAL.items():
        print(
            f"equal, {name}: {_rate(false_tournaments(chances, 10, 50, given.runs, seed=1), given.runs, 'tournaments')}"
        )
    rule = SequentialRule(comparisons=given.pairings)
    print(f"{given.runs:,} studies of {given.pairings} pairings, at most {given.most} pairs each")
    for name, chances in EQUAL.items():
        wrong = 0
        for start in range(0, given.runs, 500):
            runs = min(500, given.runs - start)
            better, _ = simulate(rule, chances, runs, given.pairings, given.most, seed=start)
            wrong += int((better != 0).any(axis=1).sum())
        print(f"equal, {name}: {_rate(wrong, given.runs, 'studies')}")
    for name, chances in STRONGER.items():
        better, pairs = simulate(rule, chances, 2000, 1, given.most, seed=1)
        found_it = better == 1
        print(f"{name}: found in {found_it.mean():.1%}, half of them within {np.median(pairs[found_it]):.0f} pairs")
    for draws in (0.0, 0.8):
        worst = max(rating_error(8, 4000, draws, seed) for seed in range(10))
        print(
            f"ratings of 8 agents, 4,000 pairs each, {draws:.0%} of draws: expected scores off by {worst:.2%} at most"
        )


def _rate(wrong: int, runs: int, what: str) -> str:
    rate = wilson(wrong, runs)
    assert rate is not None
    return f"a false claim in {rate.estimate:.2%} of {what} (95 %: {rate.low:.2%} to {rate.high:.2%})"


if __name__ == "__main__":
    main()
