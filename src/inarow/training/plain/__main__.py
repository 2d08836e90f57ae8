"""Train a plain learner and print its learning curve: ``python -m inarow.training.plain qlearning tictactoe``."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Callable, Iterator, Mapping
from functools import partial
from typing import NamedTuple

from inarow.errors import InarowError
from inarow.rules import Game, game
from inarow.training.plain.qlearning import PlainQLearner
from inarow.training.plain.reinforce import Reinforce
from inarow.training.plain.sarsa import Sarsa
from inarow.training.training import KEPT, Evaluation, truth_measure

LEARNERS: Mapping[str, Callable[[Game, int], PlainQLearner | Sarsa | Reinforce]] = {
    "qlearning": PlainQLearner,
    "qlearning-symmetries": partial(PlainQLearner, symmetries=True),
    "sarsa": Sarsa,
    "reinforce": Reinforce,
}
MATCHES = 100
"""Matches of an evaluation against each opponent in each seat."""


class Point(NamedTuple):
    """A learner after some episodes: shares of matches not lost, and of positions whose value its move keeps."""

    episodes: int
    not_lost: dict[str, float]
    kept: float


def curve(name: str, board: Game, episodes: int, points: int, seed: int = 0) -> Iterator[Point]:
    """Train a learner and yield the points of its curve, from the untrained one on."""
    learner = LEARNERS[name](board, seed)
    evaluation = Evaluation(("random", "rules"), MATCHES, truth_measure(board))
    done = 0
    for part in range(points + 1):
        learner.run(episodes * part // points - done)
        done = episodes * part // points
        found = evaluation.measure(board, learner.mind, seed)
        losses = {who: sum(seat["losses"] for seat in seats.values()) for who, seats in found["matches"].items()}
        not_lost = {who: 1 - lost / (2 * MATCHES) for who, lost in losses.items()}
        yield Point(done, not_lost, found["truth"][KEPT])


def main() -> None:
    """Read the command line, train and print."""
    parser = argparse.ArgumentParser(prog="python -m inarow.training.plain", description=__doc__)
    parser.add_argument("learner", choices=LEARNERS)
    parser.add_argument("game", nargs="?", default="tictactoe")
    parser.add_argument("--episodes", type=int, default=20_000)
    parser.add_argument("--points", type=int, default=10, help="number of evaluations")
    parser.add_argument("--seed", type=int, default=0)
    given = parser.parse_args()
    if given.episodes < 1 or given.points < 1:
        parser.error("--episodes and --points must be at least 1")
    try:
        board = game(given.game)
    except InarowError as error:
        parser.error(str(error))
    sys.stdout.write("episodes  not lost to random  not lost to rules  keeps the value\n")
    for point in curve(given.learner, board, given.episodes, given.points, given.seed):
        shares = "".join(f"{share:>19.1%}" for share in (*point.not_lost.values(), point.kept))
        sys.stdout.write(f"{point.episodes:>8,}{shares}\n")
        sys.stdout.flush()


if __name__ == "__main__":
    main()
