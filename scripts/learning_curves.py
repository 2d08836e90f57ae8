"""The learning curves of the plain learners for the docs, and their last points: python scripts/learning_curves.py"""

from __future__ import annotations

import sys
from pathlib import Path
from statistics import fmean

from inarow.report.curves import Axis, Curve, curves
from inarow.rules import TICTACTOE
from inarow.stats import Interval
from inarow.training.plain.__main__ import LEARNERS, Point, curve

OUT = Path(__file__).parents[1] / "docs" / "images" / "plain-learners.svg"
EPISODES, POINTS, SEEDS = 40_000, 16, 3
NAMES = {
    "qlearning": "Q-learning",
    "qlearning-symmetries": "Q-learning with symmetries",
    "sarsa": "SARSA",
    "reinforce": "REINFORCE",
}


def main() -> None:
    """Train each learner with every seed, draw the curves, and print how each ends."""
    lines = []
    for name in LEARNERS:
        runs: list[list[Point]] = [list(curve(name, TICTACTOE, EPISODES, POINTS, seed)) for seed in range(SEEDS)]
        points = []
        for together in zip(*runs, strict=True):
            kept = [point.kept for point in together]
            points.append((float(together[0].episodes), Interval(fmean(kept), min(kept), max(kept))))
        lines.append(Curve(NAMES[name], points))
        shares = [fmean(run[-1].not_lost[who] for run in runs) for who in ("random", "rules")]
        sys.stdout.write(f"| {NAMES[name]} | {shares[0]:.1%} | {shares[1]:.1%} | {points[-1][1].estimate:.1%} |\n")
    figure = curves(
        "plain-learners", "Tic Tac Toe: the plain learners in self-play", Axis("episodes", "count"),
        Axis("positions whose value the move keeps", "percent", low=47, high=103), lines,
    )  # fmt: skip
    OUT.write_text(figure.svg, encoding="utf-8")


if __name__ == "__main__":
    main()
