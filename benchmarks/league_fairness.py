"""How often a league's grade is the true one: simulated classes with known strengths, marked by the league's own code.

python benchmarks/league_fairness.py [--entrants 20000] [--seed 1]

Nothing is played. An entrant's expected score against each reference player follows from its strength; pairs and graded
moves are drawn from it, and `Marking` decides how many, exactly as in a league. The true grade is that of the expected
scores. Pairs and matches are counted to estimate how long a league takes.
"""

from __future__ import annotations

import argparse
import random
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass

from inarow.teaching.league.settings import LeagueSettings, Mark, Marking, PointScale

RATINGS = (0.0, 430.0, 1050.0)
"""Elo of the usual reference players (random, rules, alphabeta:depth=4); rules scored 92 % against random."""
FIRST_MOVE = 80.0
"""By how much moving first is worth more than moving second, in Elo, divided by two."""
DRAWS = 0.08
"""Probability of a draw, as far as the expected score leaves room for it."""
GRADED = 2.0
"""Graded moves per match, on average."""


@dataclass(frozen=True)
class Student:
    """A simulated entrant of known strength."""

    elo: float

    def expected(self, rating: float, seat: int) -> float:
        """Return the expected score of one match; ``seat`` is +1 for the first player, -1 for the second."""
        return float(1 / (1 + 10 ** (-(self.elo + seat * FIRST_MOVE - rating) / 400)))

    def score(self, rating: float) -> float:
        """Return the expected score of a pair."""
        return (self.expected(rating, 1) + self.expected(rating, -1)) / 2

    @property
    def accuracy(self) -> float:
        """The probability that a move keeps the value of the position: 35 % for a random player, 97 % at most."""
        return 0.35 + 0.62 / (1 + 10 ** (-(self.elo - 500) / 400))

    def pair(self, rating: float, numbers: random.Random) -> float:
        """Draw the points per match of one pair."""
        points = 0.0
        for seat in (1, -1):
            expected = self.expected(rating, seat)
            draw = min(DRAWS, 2 * expected, 2 * (1 - expected))
            number = numbers.random()
            points += 1.0 if number < expected - draw / 2 else 0.5 if number < expected + draw / 2 else 0.0
        return points / 2


def scales(settings: LeagueSettings) -> list[PointScale]:
    """Return the points for each of the usual reference players."""
    return [rung.scale(settings.boards[0]) for rung in settings.ladder]


def true_points(student: Student, settings: LeagueSettings) -> float:
    """Return the points for a student's expected scores and accuracy."""
    ladder = sum(scale.of(student.score(rating)) for scale, rating in zip(scales(settings), RATINGS, strict=True))
    return ladder + settings.marking.accuracy.of(student.accuracy)


def marked(student: Student, settings: LeagueSettings, numbers: random.Random) -> tuple[Mark, list[int]]:
    """Return a student's mark, and the number of pairs of each series, as a league would find them."""
    marking = settings.marking
    scores: list[list[float]] = [[] for _ in RATINGS]
    kept = moves = 0
    while True:
        points = [scale.estimate(given) for scale, given in zip(scales(settings), scores, strict=True)]
        mark = marking.mark(points, kept, moves)
        counts = [len(given) for given in scores]
        wanted = marking.wanted(counts, mark)
        if wanted == counts:
            return mark, wanted
        for given, rating, count in zip(scores, RATINGS, wanted, strict=True):
            for _ in range(count - len(given)):
                given.append(student.pair(rating, numbers))
                graded = round(numbers.expovariate(1 / (2 * GRADED)))
                moves += graded
                kept += sum(numbers.random() < student.accuracy for _ in range(graded))


@dataclass
class Outcome:
    """What became of simulated entrants."""

    confusion: Counter[tuple[str, str]]
    """By true grade and given grade."""
    pairs: list[int]
    """Of each entrant, all series together."""
    within: list[float]
    """How many standard errors the points are from the true ones, of each whose error is not 0."""
    grades: Sequence[str]

    def share(self, least: int) -> float:
        """Return the share of entrants that are at least so many grades from their true one."""
        rank = {name: at for at, name in enumerate(self.grades)}
        off = sum(count for (true, given), count in self.confusion.items() if abs(rank[true] - rank[given]) >= least)
        return off / self.confusion.total()


def simulate(entrants: int, seed: int, settings: LeagueSettings | None = None) -> Outcome:
    """Mark entrants whose strengths are spread evenly from a random player to one that beats all."""
    settings = settings or LeagueSettings()
    marking: Marking = settings.marking
    numbers = random.Random(seed)
    outcome = Outcome(Counter(), [], [], [name for name, _ in marking.grades])
    for _ in range(entrants):
        student = Student(numbers.uniform(-100, 1500))
        truth = true_points(student, settings)
        mark, pairs = marked(student, settings, numbers)
        outcome.confusion[marking.grade(truth), marking.grade(mark.points)] += 1
        outcome.pairs.append(sum(pairs))
        if mark.error:
            outcome.within.append(abs(mark.points - truth) / mark.error)
    return outcome


def main() -> None:
    """Print the confusion table and how many pairs were played."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--entrants", type=int, default=20_000)
    parser.add_argument("--seed", type=int, default=1)
    given = parser.parse_args()
    outcome = simulate(given.entrants, given.seed)
    marking = LeagueSettings().marking
    print(f"{given.entrants:,} entrants, {marking.pairs} to {marking.max_pairs} pairs per reference player\n")
    print("true \\ given " + "".join(f"{name:>8}" for name in outcome.grades))
    for true in outcome.grades:
        print(f"{true:>12} " + "".join(f"{outcome.confusion[true, name]:>8,}" for name in outcome.grades))
    print(f"\nanother grade than the true one: {outcome.share(1):.1%}")
    print(f"more than one grade from it: {outcome.share(2):.2%}")
    for count in (1, 2):
        share = sum(one <= count for one in outcome.within) / len(outcome.within)
        print(f"points within {count} standard errors of the true ones: {share:.0%}")
    ordered = sorted(outcome.pairs)
    mean = sum(ordered) / len(ordered)
    print(
        f"pairs per entrant: {mean:.0f} on average, {ordered[len(ordered) // 2]} in the median, at most {ordered[-1]}"
    )


if __name__ == "__main__":
    main()
