"""The adapters' figures: PettingZoo's Connect Four beside ours, boards stepped at once, exported agents.

python benchmarks/adapters.py

Ratios are taken within one run, round by round in turn; times are processor time of one thread.
"""

from __future__ import annotations

import random
import statistics
import sys
import tempfile
import time
from collections.abc import Callable
from importlib.metadata import version
from pathlib import Path
from typing import Any

from pettingzoo.classic.connect_four import connect_four

from inarow.adapters.batch import Batch
from inarow.adapters.gymnasium import VectorBoardEnv
from inarow.adapters.kaggle import export_agent
from inarow.adapters.pettingzoo import env
from inarow.agents import agent
from inarow.truth import truth_set
from inarow.truth.grading import decider

sys.path.insert(0, str(Path(__file__).parents[1] / "tests"))
from support.connectx import run_submission

ROUNDS = 7
BOARDS = 4096
STEPS = 2_000_000
POSITIONS = 1000


def steps_per_second(environment: Any, games: int, seed: int) -> float:
    """The loop of PettingZoo's documentation, with random legal moves."""
    chance = random.Random(seed)
    steps = 0
    begun = time.process_time()
    for _ in range(games):
        environment.reset()
        for _ in environment.agent_iter():
            seen, _, terminated, truncated, _ = environment.last()
            if terminated or truncated:
                action = None
            else:
                action = chance.choice([move for move, free in enumerate(seen["action_mask"].tolist()) if free])
            environment.step(action)
            steps += 1
    return steps / (time.process_time() - begun)


def pettingzoo() -> None:
    """Both environments as they are handed to a user, in turn."""
    ours, theirs = env("connect4"), connect_four.env()
    pairs = [(steps_per_second(theirs, 40, seed), steps_per_second(ours, 400, seed)) for seed in range(ROUNDS)]
    ratios = sorted(mine / other for other, mine in pairs)
    print(
        f"PettingZoo {version('pettingzoo')} connect_four_v3: {statistics.median(p[0] for p in pairs):,.0f} steps/s; "
        f"ours {statistics.median(p[1] for p in pairs):,.0f}: "
        f"{statistics.median(ratios):.1f} times ({ratios[0]:.1f}–{ratios[-1]:.1f} in {ROUNDS} rounds)"
    )


def millions_per_second(step: Callable[[], None]) -> str:
    """Board-steps a second, the median of several rounds and their range."""
    rates = []
    for _ in range(ROUNDS):
        begun = time.process_time()
        for _ in range(STEPS // BOARDS):
            step()
        rates.append(STEPS // BOARDS * BOARDS / (time.process_time() - begun) / 1e6)
    return f"{statistics.median(rates):.1f} million board-steps/s ({min(rates):.1f}–{max(rates):.1f})"


def boards() -> None:
    """Thousands of boards with observations, masks, auto-reset and random legal moves."""
    for copy in (True, False):
        envs = VectorBoardEnv("connect4", BOARDS, copy=copy)
        envs.reset(seed=1)
        rate = millions_per_second(lambda envs=envs: envs.step(envs.random_actions()))  # type: ignore[misc]
        print(f"vector environment (Gymnasium {version('gymnasium')}), {BOARDS} boards, copy={copy}: {rate}")
    for opponent in ("none", "random", "rules"):
        batch = Batch("connect4", BOARDS, opponent=opponent)
        rate = millions_per_second(lambda batch=batch: batch.step(batch.random_actions()))  # type: ignore[misc]
        print(f"plain arrays, {BOARDS} boards, opponent {opponent}: {rate}")


def exports() -> None:
    """Submission files beside the agents that they were made of."""
    positions = [known.position for known in truth_set()][::2][:POSITIONS]
    for spec in ("alphabeta", "ntuple"):
        with tempfile.TemporaryDirectory() as folder:
            path = Path(folder) / "submission.py"
            path.write_text(export_agent(agent(spec)), encoding="utf-8")
            answers = run_submission(path, positions, seconds=20)  # so that a busy machine does not cut a search off
            size = path.stat().st_size
        decide = decider(agent(spec), 0)
        same = sum(move == decide(position) for move, position in zip(answers.moves, positions, strict=True))
        print(
            f"export of {spec}, {size / 1000:,.0f} kB: the same move in {same} of {len(positions)} positions; "
            f"{statistics.mean(answers.seconds) * 1000:.1f} ms a move, {max(answers.seconds):.2f} s at most, "
            f"{answers.loaded:.2f} s to load"
        )


if __name__ == "__main__":
    print(f"Python {sys.version.split()[0]}, NumPy {version('numpy')}, llvmlite {version('llvmlite')}")
    pettingzoo()
    boards()
    exports()
