"""The learners' figures: episodes a second beside a plain Python learner, and what a network reaches in minutes.

python benchmarks/learning.py                     speeds, on Tic Tac Toe and Connect 4
python benchmarks/learning.py --minutes 2 --seeds 5 --workers 2
                                                  a Connect 4 network from nothing, graded by an independent solver
"""

from __future__ import annotations

import argparse
import json
import random
import statistics
import time
from collections.abc import Callable
from typing import Any

from inarow.agents import agent
from inarow.rules import CONNECT4, TICTACTOE, Game, Player, Position
from inarow.stopping import Stop
from inarow.training import Learner, Stage, new_learner

SELF = Stage(("self",))


class PlainQLearner:
    """The Q-learner of textbooks: a dictionary from (board, move) to a value, both seats together; folded, it does what
    inarow's does: symmetric positions share their values."""

    LINES = ((0, 1, 2), (3, 4, 5), (6, 7, 8), (0, 3, 6), (1, 4, 7), (2, 5, 8), (0, 4, 8), (2, 4, 6))

    def __init__(self, folded: bool = False) -> None:
        self.q: dict[tuple[str, int], float] = {}
        self.random = random.Random(1)
        self.images = TICTACTOE.cell_symmetries if folded else TICTACTOE.cell_symmetries[:1]

    def key(self, board: str, move: int) -> tuple[str, int]:
        if len(self.images) == 1:
            return board, move
        return min(("".join(board[i] for i in image), image.index(move)) for image in self.images)

    def best(self, board: str) -> float:
        return max(self.q.get(self.key(board, move), 0.0) for move in range(9) if board[move] == ".")

    def run(self, count: int) -> None:
        for _ in range(count):
            self.episode()

    def episode(self, alpha: float = 0.5, gamma: float = 0.95, epsilon: float = 0.5) -> None:
        board, side = "." * 9, "X"
        while True:
            moves = [move for move in range(9) if board[move] == "."]
            if self.random.random() < epsilon:
                move = self.random.choice(moves)
            else:
                values = [self.q.get(self.key(board, move), 0.0) for move in moves]
                most = max(values)
                move = self.random.choice([m for m, v in zip(moves, values, strict=True) if v == most])
            after = board[:move] + side + board[move + 1 :]
            won = any(after[a] == after[b] == after[c] == side for a, b, c in self.LINES)
            target = 1.0 if won else 0.0 if "." not in after else -gamma * self.best(after)
            key = self.key(board, move)
            old = self.q.get(key, 0.0)
            self.q[key] = old + alpha * (target - old)
            if won or "." not in after:
                return
            board, side = after, "O" if side == "X" else "X"


def rate(run: Callable[[int], Any], count: int, times: int = 5) -> float:
    """The best of several runs, in episodes a second."""
    rates = []
    for _ in range(times):
        begun = time.perf_counter()
        run(count)
        rates.append(count / (time.perf_counter() - begun))
    return max(rates)


def ready(spec: str, game: Game, workers: int = 1, episodes: int = 1_000_000) -> Learner:
    """A learner whose kernels are compiled."""
    learner = new_learner(agent(spec), game, 1, episodes, workers)
    learner.run(SELF, 100 * workers, Stop())
    return learner


def speeds() -> dict[str, float]:
    """Episodes a second of all learners, and the ratios that matter."""
    plain = PlainQLearner()
    table = ready("qlearning", TICTACTOE)
    one = ready("ntuple", CONNECT4)
    two = ready("ntuple", CONNECT4, workers=2)
    one.run(SELF, 20_000, Stop())
    two.run(SELF, 20_000, Stop())
    found = {
        "plain Python dictionary, Tic Tac Toe": rate(plain.run, 5_000),
        "the same with symmetries folded": rate(PlainQLearner(folded=True).run, 1_000),
        "qlearning, Tic Tac Toe": rate(lambda n: table.run(SELF, n, Stop()), 50_000),
        "qlearning, Connect 4": rate(lambda n: ready("qlearning", CONNECT4).run(SELF, n, Stop()), 5_000, 3),
        "qlearning:guide=heuristic, Connect 4": rate(
            lambda n: ready("qlearning:guide=heuristic", CONNECT4).run(SELF, n, Stop()), 5_000, 3
        ),
        "ntuple, 70 tuples, one thread": rate(lambda n: one.run(SELF, n, Stop()), 10_000),
        "ntuple, 70 tuples, two threads": rate(lambda n: two.run(SELF, n, Stop()), 10_000),
    }
    found["qlearning over plain Python"] = (
        found["qlearning, Tic Tac Toe"] / found["plain Python dictionary, Tic Tac Toe"]
    )
    found["qlearning over the same, folded"] = (
        found["qlearning, Tic Tac Toe"] / found["the same with symmetries folded"]
    )
    found["two threads over one"] = found["ntuple, 70 tuples, two threads"] / found["ntuple, 70 tuples, one thread"]
    return found


class Referee:
    """Grades a Connect 4 learner by bitbully, a solver that is not inarow's."""

    def __init__(self, seed: int = 1) -> None:
        import bitbully

        self.board = bitbully.Board
        self.solver = bitbully.BitBully("12-ply-dist")
        self.known: dict[tuple[int, int], dict[int, int]] = {}
        self.random = random.Random(seed)
        self.positions = self._positions(20)

    def scores(self, position: Position, moves: list[int]) -> dict[int, int]:
        key = (position.first, position.second)
        if key not in self.known:
            self.known[key] = self.solver.score_all_moves(self.board(list(moves)))
        return self.known[key]

    def _positions(self, each: int) -> list[list[int]]:
        """Random positions of every ply from 6 to 33 in which moves differ in verdict and none wins at once."""
        found = []
        for ply in range(6, 34):
            count = tries = 0
            while count < each and tries < 3000:
                tries += 1
                position, moves = Position.start(CONNECT4), []
                while position.ply < ply and position.outcome() is None:
                    moves.append(self.random.choice(position.legal_moves()))
                    position = position.play(moves[-1])
                if position.outcome() is not None or position.winning_moves():
                    continue
                if len({sign(score) for score in self.scores(position, moves).values()}) > 1:
                    found.append(moves)
                    count += 1
        return found

    def play(self, decide: Callable[[Position], int], seat: Player, opening: list[int], longest: bool) -> float:
        position, moves = Position.start(CONNECT4, opening), list(opening)
        while (outcome := position.outcome()) is None:
            if position.to_move is seat:
                move = decide(position)
            else:
                worth = self.scores(position, moves)
                if not longest:
                    worth = {move: sign(score) for move, score in worth.items()}
                best = max(worth.values())
                move = self.random.choice(sorted(move for move in worth if worth[move] == best))
            moves.append(move)
            position = position.play(move)
        return outcome.score(seat)

    def grade(self, decide: Callable[[Position], int], games: int = 200) -> dict[str, float]:
        """Success (wins and half the draws) against perfect play, and the share of moves that keep the verdict."""
        start = Position.start(CONNECT4)
        won = [[a, b] for a in range(7) for b, s in self.scores(start.play(a), [a]).items() if s < 0]
        lost = [[a] for a in range(7) if max(self.scores(start.play(a), [a]).values()) > 0]
        found = {}
        for longest, name in ((False, "random-perfect"), (True, "longest resistance")):
            for seat, where, openings in (
                (0, "first", [[]]),
                (0, "first, won two-ply openings", won),
                (1, "second, openings lost for first", lost),
            ):
                each = max(1, games // len(openings))
                results = [self.play(decide, Player(seat), o, longest) for o in openings for _ in range(each)]
                found[f"{where}: {name}"] = statistics.mean(results)
        kept = []
        for moves in self.positions:
            worth = self.scores(Position.start(CONNECT4, moves), moves)
            kept.append(sign(worth[decide(Position.start(CONNECT4, moves))]) == max(map(sign, worth.values())))
        found["keeps the verdict on random non-trivial positions"] = statistics.mean(kept)
        return found


def sign(score: int) -> int:
    return (score > 0) - (score < 0)


def reach(spec: str, minutes: float, seeds: int, workers: int) -> None:
    """Train networks from nothing for so many minutes each, and grade them."""
    referee = Referee()
    grades = []
    for seed in range(seeds):
        learner = new_learner(agent(spec), CONNECT4, seed, 10**9, workers)
        learner.run(SELF, workers, Stop())
        begun = time.perf_counter()
        while time.perf_counter() - begun < 60 * minutes:
            learner.run(SELF, 2_000, Stop())
        mind = learner.mind(1)
        grade = referee.grade(lambda position, mind=mind: mind.decide(position).move)  # type: ignore[misc]
        grades.append(grade)
        print(json.dumps({"seed": seed, "episodes": learner.episodes, **grade}), flush=True)
    print(f"{spec}, {minutes:g} minutes, {workers} threads, {seeds} seeds")
    for name in grades[0]:
        values = [100 * grade[name] for grade in grades]
        print(f"{name:>55}: mean {statistics.mean(values):5.1f} %, least {min(values):5.1f} %")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--minutes", type=float, default=0)
    parser.add_argument("--seeds", type=int, default=5)
    parser.add_argument("--workers", type=int, default=2)
    parser.add_argument("--spec", default="ntuple:tuples=120")
    given = parser.parse_args()
    if given.minutes:
        reach(given.spec, given.minutes, given.seeds, given.workers)
        return
    for name, value in speeds().items():
        print(f"{name:>45}: {value:12,.1f}")


if __name__ == "__main__":
    main()
