"""Whether a league's grades are fair: how often a grade is the true one, and whether a busy machine costs a match.

python benchmarks/league_fairness.py [--entrants 20000] [--seed 1]

Simulated classes with known strengths are marked by the league's own code; nothing is played. An entrant's expected
score against each reference player follows from its strength; pairs and graded
moves are drawn from it, and `Marking` decides how many, exactly as in a league. The true grade is that of the expected
scores. Pairs and matches are counted to estimate how long a league takes.

python benchmarks/league_fairness.py --decisions 2000 [--load 8]

Entrants that compute for 99 % of the limit of a decision are asked for that many decisions. So many of them at once
are the load. Their priorities differ, so that some wait for a core for long. None may lose, and one that sleeps must.
"""

from __future__ import annotations

import argparse
import contextlib
import os
import random
import tempfile
import time
from collections import Counter
from collections.abc import Sequence
from concurrent.futures import ProcessPoolExecutor
from dataclasses import dataclass
from pathlib import Path

from inarow.agents import Limit, agent
from inarow.agents.base import Disturbance, Fault
from inarow.agents.file import FileMind
from inarow.rules import CONNECT4, Player, Position
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


SECONDS = 0.5
"""The limit of a decision."""
AGENT = """
import time

def agent(observation, configuration):
    end = time.process_time() + {computes}
    while time.process_time() < end:
        pass
    time.sleep({sleeps})
    return 3
"""


def decide(path: Path, decisions: int, nice: int) -> Counter[str]:
    """Ask the agent in a file for decisions; count how each ended. ``nice`` lowers the priority of its process."""
    endings: Counter[str] = Counter()
    player, position, limit = agent(f"file:{path}"), Position.start(CONNECT4), Limit(seconds=SECONDS)
    while endings.total() < decisions:
        mind = player.mind(CONNECT4, Player.FIRST, 0)
        assert isinstance(mind, FileMind)
        mind.allowance = 0.0
        os.setpriority(os.PRIO_PROCESS, mind.process.pid, nice)
        with contextlib.suppress(OSError):  # the priority among sessions, where the system groups processes by them
            Path(f"/proc/{mind.process.pid}/autogroup").write_text(str(nice), encoding="ascii")
        try:
            while endings.total() < decisions:
                mind.decide(position, limit)
                endings["in time"] += 1
        except Fault as fault:
            endings[f"{fault.cause}: {fault}"] += 1
        except Disturbance as reason:
            endings[f"to be replayed: {reason}"] += 1
        finally:
            mind.close()
    return endings


def busy(decisions: int, load: int) -> None:
    """Print how decisions just under their limit ended while so many agents compete for the cores."""
    with tempfile.TemporaryDirectory() as folder, ProcessPoolExecutor(load + 1) as workers:
        paths = [Path(folder) / name for name in ("computes.py", "sleeps.py")]
        for path, (computes, sleeps) in zip(paths, ((0.99 * SECONDS, 0), (0, 3 * SECONDS)), strict=True):
            path.write_text(AGENT.format(computes=computes, sleeps=sleeps), encoding="utf-8")
        begun = time.monotonic()
        shares = [decisions // load + (number < decisions % load) for number in range(load)]
        computing = [workers.submit(decide, paths[0], share, number % 4) for number, share in enumerate(shares)]
        sleeping = workers.submit(decide, paths[1], 3, 0)
        endings = sum((future.result() for future in computing), Counter[str]())
        print(f"{load} agents, each computing {0.99 * SECONDS:g} s of {SECONDS:g} s; load {os.getloadavg()[0]:.1f}")
        for title, counts in (("computing", endings), ("sleeping", sleeping.result())):
            for ending, count in counts.most_common():
                print(f"{title}: {count:,} decisions {ending}")
        print(f"({time.monotonic() - begun:.0f} s by the clock)")


def main() -> None:
    """Simulate grades, or ask for decisions on a busy machine."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--entrants", type=int, default=20_000)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--decisions", type=int, default=0, help="instead, ask for so many decisions on a busy machine")
    parser.add_argument("--load", type=int, default=8, help="agents that compute at the same time")
    given = parser.parse_args()
    if given.decisions:
        busy(given.decisions, given.load)
    else:
        grades(given.entrants, given.seed)


def grades(entrants: int, seed: int) -> None:
    """Print the confusion table and how many pairs were played."""
    outcome = simulate(entrants, seed)
    marking = LeagueSettings().marking
    print(f"{entrants:,} entrants, {marking.pairs} to {marking.max_pairs} pairs per reference player\n")
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
