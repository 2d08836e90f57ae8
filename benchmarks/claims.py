"""How often a study makes a false claim, and how soon it finds a true difference: simulated studies of known players.

python benchmarks/claims.py [--runs 10000]

Each run is a study of 64 pairings, as many as `compare` has, that are played until the sequential rule decides them, or
their pairs are used up. The pairs are drawn from known chances of the scores 0, ¼, ½, ¾ and 1.
"""

from __future__ import annotations

import argparse
import math
from collections.abc import Sequence

import numpy as np
import numpy.typing as npt

from inarow.match import SequentialRule
from inarow.stats import wilson
from inarow.stats.betting import log_capital
from inarow.stats.sprt import SCORES

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


def main() -> None:
    """Print the rates."""
    arguments = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    arguments.add_argument("--runs", type=int, default=10_000)
    arguments.add_argument("--pairings", type=int, default=64)
    arguments.add_argument("--most", type=int, default=600, help="pairs of one pairing")
    given = arguments.parse_args()
    rule = SequentialRule(comparisons=given.pairings)
    print(f"{given.runs:,} studies of {given.pairings} pairings, at most {given.most} pairs each")
    for name, chances in EQUAL.items():
        wrong = 0
        for start in range(0, given.runs, 500):
            runs = min(500, given.runs - start)
            better, _ = simulate(rule, chances, runs, given.pairings, given.most, seed=start)
            wrong += int((better != 0).any(axis=1).sum())
        rate = wilson(wrong, given.runs)
        assert rate is not None
        print(
            f"equal, {name}: a false claim in {rate.estimate:.2%} of studies (95 %: {rate.low:.2%} to {rate.high:.2%})"
        )
    for name, chances in STRONGER.items():
        better, pairs = simulate(rule, chances, 2000, 1, given.most, seed=1)
        found = better == 1
        print(f"{name}: found in {found.mean():.1%}, half of them within {np.median(pairs[found]):.0f} pairs")


if __name__ == "__main__":
    main()
