"""Screen settings of the Connect 4 network by what few training games give, and cuts of the shipped network by size.

    python benchmarks/screening.py train ntuple ntuple:gamma=0.98 [--games 150000] [--seeds 2]
    python benchmarks/screening.py size

Networks play alone, one ply ahead. They are graded on the positions of the six classes with 4 to 30 stones, a choice
(moves differ in value) and no win in one: the share of moves that keep the value, and of moves with the best score.
"""

from __future__ import annotations

import argparse
import statistics
import time
import zlib
from collections.abc import Callable, Mapping
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from inarow.models.loading import load_model, model_path
from inarow.models.network import Network
from inarow.rules import CONNECT4, Position
from inarow.stopping import Stop
from inarow.training import Stage, trainer
from inarow.training.ntuple import NTupleLearner
from inarow.truth.accuracy import Accuracy, grade_move
from inarow.truth.positions import PositionClass, position_classes

PLIES = range(4, 31)
STEPS = (256, 64, 32, 16, 8)
"""Quantised weights are multiples of one over these."""


class Graded(NamedTuple):
    """What a network reaches, in percent."""

    kept: float
    perfect: float
    begin_hard: float
    """Mistakes in all begin-hard positions."""
    middle_medium: float

    def __str__(self) -> str:
        return " | ".join(f"{value:.2f}" for value in self)


def graded(judge: Callable[[Position], Mapping[int, float]]) -> Graded:
    """Grade a player on the classes of positions, given its values of all moves."""
    hard, by_class = Accuracy(), {name: Accuracy() for name in PositionClass}
    for name, positions in position_classes().items():
        for known in positions:
            values = judge(known.position)
            move = grade_move(known.position, max(values, key=values.__getitem__), known.scores)
            by_class[name].add(move)
            if known.position.ply in PLIES and not known.trivial and not known.position.winning_moves():
                hard.add(move)
    mistakes = (by_class[name] for name in (PositionClass.BEGIN_HARD, PositionClass.MIDDLE_MEDIUM))
    return Graded(
        100 * hard.kept / hard.moves,
        100 * hard.perfect / hard.moves,
        *(100 * one.blunders / one.moves for one in mistakes),
    )


def train(specs: list[str], games: int, seeds: int) -> None:
    """Train each spec from nothing and print its grades, and the mean over the seeds."""
    print("spec | seed | seconds | kept | perfect | begin-hard mistakes | middle-medium mistakes")
    for spec in specs:
        found = []
        for seed in range(1, seeds + 1):
            learner = trainer(spec).learner(CONNECT4, seed, games)
            assert isinstance(learner, NTupleLearner)
            begun = time.process_time()
            learner.run(Stage(("self",)), games, Stop())
            seconds = time.process_time() - begun
            found.append(graded(learner.played.judge))
            print(f"{spec} | {seed} | {seconds:.0f} | {found[-1]}", flush=True)
        print(f"{spec} | mean | | {Graded(*map(statistics.mean, zip(*found, strict=True)))}", flush=True)


def sizes() -> None:
    """Print the size and the grades of the shipped network at lower precision, with and without its memory."""
    network: Network = load_model(model_path("ntuple", "", CONNECT4), "ntuple", CONNECT4)
    tables = network.layout.size - network.layout.memory
    print("weights | memory | kB, compressed | kept | perfect | begin-hard mistakes | middle-medium mistakes")
    for memory in (True, False):
        weights = network.weights.copy()
        weights[:, tables:] *= memory
        half = weights.astype(np.float16)
        cuts: dict[str, tuple[NDArray[np.generic], NDArray[np.float32]]] = {"16 bits": (half, half.astype(np.float32))}
        for step in STEPS:
            whole = np.clip(np.rint(weights * step), -127, 127).astype(np.int8)
            cuts[f"8 bits, 1/{step}"] = whole, (whole / step).astype(np.float32)
        for name, (stored, played) in cuts.items():
            kept = stored if memory else stored[:, :tables]
            size = len(zlib.compress(np.ascontiguousarray(kept).tobytes(), 9)) / 1000
            made = Network(network.layout, gamma=network.gamma, tactics=network.tactics, weights=played)
            print(f"{name} | {'yes' if memory else 'no'} | {size:,.0f} | {graded(made.judge)}", flush=True)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    commands = parser.add_subparsers(dest="command", required=True)
    training = commands.add_parser("train")
    training.add_argument("specs", nargs="+")
    training.add_argument("--games", type=int, default=150_000)
    training.add_argument("--seeds", type=int, default=2)
    commands.add_parser("size")
    given = parser.parse_args()
    if given.command == "train":
        train(given.specs, given.games, given.seeds)
    else:
        sizes()


if __name__ == "__main__":
    main()
