"""What targets from a network's own search bring, at equal processor time.

Each way of training runs on one thread for the same processor time with several seeds, from nothing, on Connect 4. Then
bitbully, a solver that is not inarow's, judges the network's moves in random positions (those of `learned_search`).
Grades are added to a file when they are there; run again with the same options, it continues with what is missing.

    python benchmarks/learning_from_search.py [--seconds 60] [--seeds 5] [--count 1000] [--specs SPEC …] [--out FILE]
"""

from __future__ import annotations

import argparse
import json
import statistics
import time
from pathlib import Path
from typing import Any

from inarow.agents import agent
from inarow.rules import CONNECT4, Position
from inarow.stopping import Stop
from inarow.training import Stage, new_learner
from learned_search import test_positions
from referee import Referee, sign

SPECS = [
    "ntuple",
    "ntuple:search=2",
    "ntuple:search=2,learn=leaf",
    "ntuple:search=2,learn=tree",
    "ntuple:search=3",
    "ntuple:simulations=30",
    "ntuple:plies=24",
]
POSITIONS = 77
"""The seed of the positions; another one than that of figures which are published."""
SELF = Stage(("self",))


def train_and_grade(
    spec: str, seed: int, seconds: float, positions: list[tuple[list[int], dict[int, int]]]
) -> dict[str, Any]:
    """A network after this processor time: its episodes, and the share of moves that keep the verdict or the score."""
    warm = new_learner(agent(spec), CONNECT4, seed, 10**9)
    warm.run(SELF, 2, Stop())
    learner = new_learner(agent(spec), CONNECT4, seed, 10**9)
    piece, used = 20 if "simulations" in spec else 1000, 0.0
    while used < seconds:
        begun = time.process_time()
        learner.run(SELF, piece, Stop())
        used += time.process_time() - begun
    mind = learner.mind(1)
    kept = perfect = 0
    for moves, scores in positions:
        best, score = max(scores.values()), scores[mind.decide(Position.start(CONNECT4, moves)).move]
        kept += sign(score) == sign(best)
        perfect += score == best
    episodes = learner.episodes
    return {"episodes": episodes, "kept": kept / len(positions), "perfect": perfect / len(positions)}


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--seconds", type=float, default=60)
    parser.add_argument("--seeds", type=int, default=5)
    parser.add_argument("--count", type=int, default=1000)
    parser.add_argument("--specs", nargs="+", default=SPECS)
    parser.add_argument("--out", type=Path, default=Path("build/learning-from-search.jsonl"))
    given = parser.parse_args()
    positions = test_positions(given.count, POSITIONS, Referee(POSITIONS))
    given.out.parent.mkdir(parents=True, exist_ok=True)
    done = [json.loads(line) for line in given.out.read_text().splitlines()] if given.out.exists() else []
    for seed in range(given.seeds):  # all ways in turn, so that other work on the machine disturbs all alike
        for spec in given.specs:
            asked = {"spec": spec, "seed": seed, "seconds": given.seconds, "count": given.count}
            if not any(one["asked"] == asked for one in done):
                done.append({"asked": asked, **train_and_grade(spec, seed, given.seconds, positions)})
                with given.out.open("a") as file:
                    file.write(json.dumps(done[-1]) + "\n")
    print("spec | matches | verdict kept: mean, least, most | perfect moves")
    for spec in given.specs:
        of_spec = [one for one in done if one["asked"]["spec"] == spec and one["asked"]["seconds"] == given.seconds]
        kept, perfect = ([100 * one[name] for one in of_spec] for name in ("kept", "perfect"))
        print(
            f"{spec} | {statistics.mean(one['episodes'] for one in of_spec):,.0f} | {statistics.mean(kept):.1f} "
            f"{min(kept):.1f} {max(kept):.1f} | {statistics.mean(perfect):.1f}"
        )


if __name__ == "__main__":
    main()
