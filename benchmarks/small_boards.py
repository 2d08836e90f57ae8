"""How long learners take from nothing to perfect play on small boards, verified along all lines of play.

    python benchmarks/small_boards.py [--seeds 3] [--boards tictactoe,5x5x4] [--most 20] [--out FILE]

A learner trains in rounds. After each, every line of play is walked, in both seats: the learner plays each of its best
moves, the opponent everything. Play is perfect if no move of the learner gives the verdict away, by the exact solver.
Mirror images count once. On 5x5x4 the network plays in two ways, alone and as the evaluator of a search; to compare,
the same search is walked with the evaluator windows. Where play is not perfect, the wrong decisions are counted.
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

from inarow.agents.alphabeta import AlphaBeta
from inarow.agents.evaluators import Evaluator, Learned, Windows
from inarow.agents.ntuple import NTupleMind
from inarow.models.network import Network
from inarow.rules import FIRST, SECOND, Game, Player, Position, game
from inarow.solver import Oracle
from inarow.stopping import Stop
from inarow.training import Learner, Stage, trainer

SELF = Stage(("self",))
PLIES = 12
EXPLORING = "ntuple:epsilon=0.2,opening_share=0.9,opening_plies=16"
LEARNERS = {"tictactoe": (("qlearning", 0), ("ntuple", 0)), "5x5x4": ((EXPLORING, PLIES), (EXPLORING, 0))}
"""Specs, and the plies that a search with the learner's network looks ahead; 0: the learner plays alone."""
ROUND = {"tictactoe": 1_000, "5x5x4": 50_000}
"""Episodes between two checks."""

Judge = Callable[[Position], dict[int, float]]


def judge_of(learner: Learner, plies: int) -> Judge:
    """The learner's value of every move; or only the move of a search that looks so many plies ahead."""
    mind = learner.mind(1)
    if not isinstance(mind, NTupleMind):
        return lambda position: dict(mind.decide(position).values)
    network = mind.network
    if not plies:
        return network.judge

    class Current(Learned):
        """The network as it is now."""

        def network(self, game: Game) -> Network:
            return network

    return search_judge(learner.game, plies, Current())


def search_judge(board: Game, plies: int, evaluator: Evaluator) -> Judge:
    """The move of a search; it forgets each decision before the next."""
    searcher = AlphaBeta(depth=plies, eval=evaluator, ordering="threats", tt=True, solver="off")
    mind = searcher.start(board, FIRST, 1)
    return lambda position: {mind.decide(position).move: 1.0}


class Walk:
    """Walks every line of play of one seat, up to the first mistake or ``to_the_end``."""

    def __init__(
        self, board: Game, seat: Player, judge: Judge, verdict: Callable[[Position], int], to_the_end: bool = False
    ) -> None:
        self.seat, self.judge, self.verdict = seat, judge, verdict
        self.most = 1 << 60 if to_the_end else 1
        self.seen: set[int] = set()
        self.decisions = 0
        self.wrong: list[tuple[int, ...]] = []
        """The lines on which the verdict was given away."""
        self._walk(Position.start(board), ())

    def _walk(self, position: Position, line: tuple[int, ...]) -> None:
        if len(self.wrong) >= self.most or position.outcome() is not None:
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
            self.decisions += 1
            lost = [move for move in moves if -self.verdict(position.play(move)) != best]
            if lost:
                self.wrong.append((*line, lost[0]))
        for move in moves:
            self._walk(position.play(move), (*line, move))


def exact(board: Game) -> Callable[[Position], int]:
    """The verdict of a position for the side to move, by the solver, remembered for it and its mirror images."""
    oracle, known = Oracle(board, tt_mb=16), dict[int, int]()

    def verdict(position: Position) -> int:
        outcome = position.outcome()
        if outcome is not None:
            return 0 if outcome.winner is None else -1
        key = min(image.key() for image in position.symmetries())
        if key not in known:
            known[key] = int(oracle.verdict(position))
        return known[key]

    return verdict


def walks(board: Game, judge: Judge, verdict: Callable[[Position], int], to_the_end: bool) -> list[Walk]:
    """The lines of play in both seats."""
    return [Walk(board, seat, judge, verdict, to_the_end) for seat in (FIRST, SECOND)]


def counts(walked: list[Walk]) -> dict[str, int]:
    """How many positions and decisions there are on all lines, and how many decisions are wrong."""
    return {
        "positions": sum(len(one.seen) for one in walked),
        "decisions": sum(one.decisions for one in walked),
        "wrong": sum(len(one.wrong) for one in walked),
    }


def to_perfect_play(
    name: str, spec: str, plies: int, seed: int, most: float, verdict: Callable[[Position], int]
) -> dict[str, Any]:
    """Train until play is perfect, or for that many seconds."""
    board = game(name)
    trainer(spec).learner(board, seed, 10**7).run(SELF, 10, Stop())  # compiles
    learner = trainer(spec).learner(board, seed, 10**7)
    used, checks = 0.0, 0
    while True:
        begun = time.process_time()
        learner.run(SELF, ROUND[name], Stop())
        used += time.process_time() - begun
        checks += 1
        judge = judge_of(learner, plies)
        perfect = not any(one.wrong for one in walks(board, judge, verdict, False))
        print(f"{name} {spec} seed {seed}: {used:.1f} s, {learner.episodes:,} episodes", file=sys.stderr)
        if perfect or used > most:
            return {
                "board": name, "spec": spec, "plies": plies, "seed": seed, "perfect": perfect,
                "seconds": round(used, 2), "episodes": learner.episodes, "checks": checks,
                **counts(walks(board, judge, verdict, True)),
            }  # fmt: skip


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--seeds", type=int, default=3)
    parser.add_argument("--boards", default=",".join(LEARNERS))
    parser.add_argument("--most", type=float, default=20, help="seconds of training after which a learner gives up")
    parser.add_argument("--out", type=Path, help="add the figures to this file of JSON lines")
    given = parser.parse_args()
    for name in given.boards.split(","):
        board, verdict = game(name), exact(game(name))
        for spec, plies in LEARNERS[name]:
            if plies:
                walked = walks(board, search_judge(board, plies, Windows()), verdict, True)
                report({"board": name, "eval": "windows", "plies": plies, **counts(walked)}, given.out)
            for seed in range(given.seeds):
                report(to_perfect_play(name, spec, plies, seed, given.most, verdict), given.out)


def report(figures: dict[str, Any], out: Path | None) -> None:
    """Print figures as a line of JSON, and add it to a file."""
    line = json.dumps(figures)
    print(line, flush=True)
    if out:
        with out.open("a") as file:
            file.write(line + "\n")


if __name__ == "__main__":
    main()
