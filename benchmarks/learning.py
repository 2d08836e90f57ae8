"""The learners' figures: episodes a second beside a plain Python learner, and what a network reaches in minutes.

python benchmarks/learning.py                     speeds, on Tic Tac Toe and Connect 4
python benchmarks/learning.py --minutes 2,10 --seeds 5 --workers 2
                                                  a Connect 4 network from nothing, graded by an independent solver
                                                  after these minutes of training each (grading is not counted)

Speeds of one thread are by its processor's time, so that other work on the machine disturbs less. Each seed's grades
are added to a file when they are there; run again with the same options, it continues with the missing seeds.
"""

from __future__ import annotations

import argparse
import json
import os
import statistics
import sys
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

from inarow.rules import CONNECT4, TICTACTOE, Game
from inarow.stopping import Stop
from inarow.training import Learner, Stage, trainer
from inarow.training.plain.qlearning import PlainQLearner
from referee import Referee

SELF = Stage(("self",))
WALKS = "ntuple:tuples=70,threats=off,memory=off"


def rate(run: Callable[[int], Any], count: int, clock: Callable[[], float] = time.process_time) -> float:
    """Episodes a second of one run."""
    begun = clock()
    run(count)
    return count / (clock() - begun)


def ready(spec: str, game: Game, workers: int | None = None, episodes: int = 1_000_000) -> Learner:
    """A learner whose kernels are compiled."""
    learner = trainer(spec).learner(game, 1, episodes, workers)
    learner.run(SELF, 100, Stop())
    return learner


def speeds(times: int = 7) -> dict[str, float]:
    """The best of several runs of all learners, in episodes a second, each in turn; and the ratios that matter."""
    plain, folded = PlainQLearner(TICTACTOE), PlainQLearner(TICTACTOE, symmetries=True)
    for known in (plain, folded):
        known.run(3_000)
    table = ready("qlearning", TICTACTOE)
    shapes, online = ready("ntuple", CONNECT4), ready(WALKS, CONNECT4)
    one, two = (ready(WALKS, CONNECT4, workers) for workers in (1, 2))
    for learner in (shapes, online, one, two):
        learner.run(SELF, 80_000, Stop())
    found: dict[str, float] = {}

    def best(name: str, value: float) -> None:
        found[name] = max(value, found.get(name, 0.0))

    for _ in range(times):
        best("plain Python, Tic Tac Toe", rate(plain.run, 3_000))
        best("the same with symmetries", rate(folded.run, 3_000))
        best("qlearning, Tic Tac Toe", rate(lambda n: table.run(SELF, n, Stop()), 300_000))
        for spec in ("qlearning", "qlearning:guide=heuristic"):
            fresh = ready(spec, CONNECT4)
            best(f"{spec}, Connect 4", rate(lambda n, fresh=fresh: fresh.run(SELF, n, Stop()), 5_000))  # type: ignore[misc]
        best("ntuple, shapes, one thread", rate(lambda n: shapes.run(SELF, n, Stop()), 10_000))
        run_one, run_two = (lambda n, x=x: x.run(SELF, n, Stop()) for x in (one, two))
        best("ntuple, 70 tuples, after every match", rate(lambda n: online.run(SELF, n, Stop()), 10_000))
        best("ntuple, 70 tuples, one worker, by the clock", rate(run_one, 40_000, time.perf_counter))
        best("ntuple, 70 tuples, two workers, by the clock", rate(run_two, 80_000, time.perf_counter))
    table_rate = found["qlearning, Tic Tac Toe"]
    found["qlearning over plain Python"] = table_rate / found["plain Python, Tic Tac Toe"]
    found["qlearning over the same with symmetries"] = table_rate / found["the same with symmetries"]
    found["two workers over one"] = (
        found["ntuple, 70 tuples, two workers, by the clock"] / found["ntuple, 70 tuples, one worker, by the clock"]
    )
    return found


def train(
    spec: str, seed: int, minutes: list[float], workers: int
) -> Iterator[tuple[float, Learner, dict[str, float]]]:
    """A network from nothing, after each of these minutes of training by the clock; and the processor time it got."""
    ready(spec, CONNECT4, workers)
    learner = trainer(spec).learner(CONNECT4, seed, 10**9, workers)
    load = os.getloadavg()[0]
    passed = used = told = 0.0
    for mark in minutes:
        while passed < 60 * mark:
            begun, busy = time.perf_counter(), time.process_time()
            learner.run(SELF, 20_000, Stop())
            passed += time.perf_counter() - begun
            used += time.process_time() - busy
            if passed > told:
                told = passed + 15
                print(f"seed {seed}: {passed:4.0f} s, {learner.episodes:,} games", file=sys.stderr, flush=True)
        yield mark, learner, {"episodes": learner.episodes, "cores": round(used / passed, 2), "load before": load}


def reach(spec: str, minutes: list[float], seeds: int, workers: int, games: int, out: Path) -> None:
    """Train networks from nothing for these minutes each, and grade them."""
    referee = Referee()
    asked = {"spec": spec, "workers": workers, "graded by": games}
    out.parent.mkdir(parents=True, exist_ok=True)
    done = [json.loads(line) for line in out.read_text().splitlines()] if out.exists() else []
    done = [one for one in done if one["asked"] == asked and one["minutes"] in minutes and one["seed"] < seeds]
    for seed in range(seeds):
        if sum(one["seed"] == seed for one in done) == len(minutes):
            continue
        done = [one for one in done if one["seed"] != seed]
        for mark, learner, machine in train(spec, seed, minutes, workers):
            mind = learner.mind(1)
            print(f"seed {seed}: grading", file=sys.stderr, flush=True)
            grade = referee.grade(lambda position, mind=mind: mind.decide(position).move, games)  # type: ignore[misc]
            done.append({"asked": asked, "minutes": mark, "seed": seed, "machine": machine, "grade": grade})
            with out.open("a") as file:
                file.write(json.dumps(done[-1]) + "\n")
            print(json.dumps(done[-1]), flush=True)
    for mark in minutes:
        show(f"{spec}, {mark:g} minutes, {workers} threads", [one for one in done if one["minutes"] == mark])


def show(title: str, done: list[dict[str, Any]]) -> None:
    """The mean and the least of what all seeds have reached."""
    print(f"{title}, {len(done)} seeds")
    print(f"games: {', '.join(format(one['machine']['episodes'], ',') for one in done)}")
    print(f"cores had: {', '.join(str(one['machine']['cores']) for one in done)}")
    for name in done[0]["grade"]:
        values = [100 * one["grade"][name] for one in done]
        print(f"{name:>55}: mean {statistics.mean(values):5.1f} %, least {min(values):5.1f} %")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--minutes", default="", help="grade after so much training, such as 2,10; else measure speeds")
    parser.add_argument("--seeds", type=int, default=5)
    parser.add_argument("--workers", type=int, default=2)
    parser.add_argument("--games", type=int, default=200, help="games a figure when grading")
    parser.add_argument("--spec", default="ntuple")
    parser.add_argument("--out", type=Path, default=Path("results/learning.jsonl"))
    given = parser.parse_args()
    if given.minutes:
        minutes = sorted(float(mark) for mark in given.minutes.split(","))
        reach(given.spec, minutes, given.seeds, given.workers, given.games, given.out)
        return
    print(f"load before: {os.getloadavg()[0]:.1f}")
    for name, value in speeds().items():
        print(f"{name:>50}: {value:12,.1f}")


if __name__ == "__main__":
    main()
