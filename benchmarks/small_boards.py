"""How long learners take from nothing to perfect play on small boards, verified along all lines of play.

    python benchmarks/small_boards.py [--seeds 3] [--boards tictactoe,5x5x4] [--most 600] [--out FILE]

A learner trains in rounds. After each, every line of play is walked, in both seats: the learner plays each of its best
moves, the opponent everything. Play is perfect if no move of the learner gives the verdict away, by the exact solver.
Seconds are the processor's, of training only.
"""

from __future__ import annotations

import argparse
import json
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

from inarow.agents import agent
from inarow.agents.ntuple import NTupleMind
from inarow.rules import FIRST, SECOND, Game, Player, Position, game
from inarow.solver import Oracle
from inarow.stopping import Stop
from inarow.training import Learner, Stage, new_learner

SELF = Stage(("self",))
LEARNERS = {"tictactoe": ("qlearning", "ntuple"), "5x5x4": ("ntuple",)}
ROUND = {"tictactoe": 1_000, "5x5x4": 20_000}
"""Episodes between two checks."""

Judge = Callable[[Position], dict[int, float]]


def judge_of(learner: Learner) -> Judge:
    """The learner's value of every move."""
    mind = learner.mind(1)
    if isinstance(mind, NTupleMind):
        return mind.network.judge
    return lambda position: dict(mind.decide(position).values)


class Walk:
    """Walks every line of play of one seat; ``wrong`` is the first line on which the verdict was given away."""

    def __init__(self, board: Game, seat: Player, judge: Judge, verdict: Callable[[Position], int]) -> None:
        self.seat, self.judge, self.verdict = seat, judge, verdict
        self.seen: set[int] = set()
        self.wrong: tuple[int, ...] | None = None
        self._walk(Position.start(board), ())

    def _walk(self, position: Position, line: tuple[int, ...]) -> None:
        if self.wrong is not None or position.outcome() is not None:
            return
        key = min(image.key() for image in position.symmetries())
        if key in self.seen:
            return
        self.seen.add(key)
        moves = position.legal_moves()
        if position.to_move is self.seat:
            values = self.judge(position)
            moves = tuple(move for move in values if values[move] == max(values.values()))
            best = self.verdict(position)
            for move in moves:
                if -self.verdict(position.play(move)) != best:
                    self.wrong = (*line, move)
                    return
        for move in moves:
            self._walk(position.play(move), (*line, move))


def exact(board: Game) -> Callable[[Position], int]:
    """The verdict of a position for the side to move, by the solver, remembered for it and its mirror images."""
    oracle, known = Oracle(board, table_mb=16), dict[int, int]()

    def verdict(position: Position) -> int:
        outcome = position.outcome()
        if outcome is not None:
            return 0 if outcome.winner is None else -1
        key = min(image.key() for image in position.symmetries())
        if key not in known:
            known[key] = int(oracle.verdict(position))
        return known[key]

    return verdict


def to_perfect_play(name: str, spec: str, seed: int, most: float, verdict: Callable[[Position], int]) -> dict[str, Any]:
    """Train until play is perfect, or for that many seconds."""
    board = game(name)
    new_learner(agent(spec), board, seed, 10**7).run(SELF, 10, Stop())  # compiles
    learner = new_learner(agent(spec), board, seed, 10**7)
    used, checks = 0.0, 0
    while True:
        begun = time.process_time()
        learner.run(SELF, ROUND[name], Stop())
        used += time.process_time() - begun
        checks += 1
        walks = []
        for seat in (FIRST, SECOND):
            walks.append(Walk(board, seat, judge_of(learner), verdict))
            if walks[-1].wrong is not None:
                break
        wrong = walks[-1].wrong
        print(f"{name} {spec} seed {seed}: {used:.1f} s, {learner.episodes:,}: {wrong or 'perfect'}", file=sys.stderr)
        if wrong is None or used > most:
            positions = sum(len(walk.seen) for walk in walks)
            return {
                "board": name, "spec": spec, "seed": seed, "perfect": wrong is None, "seconds": round(used, 2),
                "episodes": learner.episodes, "checks": checks, "positions walked": positions,
            }  # fmt: skip


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--seeds", type=int, default=3)
    parser.add_argument("--boards", default=",".join(LEARNERS))
    parser.add_argument("--most", type=float, default=600, help="seconds of training after which a learner gives up")
    parser.add_argument("--out", type=Path, help="add the figures to this file of JSON lines")
    given = parser.parse_args()
    for name in given.boards.split(","):
        verdict = exact(game(name))
        for spec in LEARNERS[name]:
            for seed in range(given.seeds):
                line = json.dumps(to_perfect_play(name, spec, seed, given.most, verdict))
                print(line, flush=True)
                if given.out:
                    with given.out.open("a") as file:
                        file.write(line + "\n")


if __name__ == "__main__":
    main()
