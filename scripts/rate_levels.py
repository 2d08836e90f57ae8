"""Rate the levels of `best` on the ladder of a game, for menus and lists to show:

    python scripts/rate_levels.py connect4

Run it again after a new ladder, a new network, or a change to `best`. The highest level is rated with 0.1 seconds, so
that its rating depends on the machine a little; the others don't use their seconds up.
"""

from __future__ import annotations

import argparse
import json
import sys
from pathlib import Path
from typing import Any

from inarow.agents import agent
from inarow.agents.best import STRONGEST
from inarow.arena import Executor, open_executor
from inarow.ladder import Ladder, ladder
from inarow.ladder.rating import Budget, Rating
from inarow.ladder.shipped import model_hash
from inarow.rules import game

FEW = 60
"""Pairs for the highest level, which takes its time."""
DATA = Path(__file__).parents[1] / "src" / "inarow" / "data" / "ladder"


def rated(spec: str, steps: Ladder, budget: Budget, seed: int, executor: Executor) -> dict[str, Any]:
    """The entry of one level."""
    one = agent(spec)
    found = Rating(one, steps, budget, seed).run(executor)
    sys.stderr.write(f"{one.spec}: {found.rating_text()}, {found.pairs} pairs\n")
    elo = {name: round(value, 1) for name, value in zip(("elo", "low", "high"), found.elo, strict=True)}
    met = {
        steps.players[at].agent.spec: {
            " ".join(f"{point:g}" for point in points): n for points, n in sorted(series.pairs.items())
        }
        for at, series in found.series.items()
    }
    return {"agent": one.spec, **elo, "pairs": found.pairs, "model": model_hash(one, steps.game), "met": met}


def main() -> None:
    """Write the file."""
    arguments = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    arguments.add_argument("game")
    arguments.add_argument("--within", type=float, default=25.0, help="Elo to either side of the rating")
    arguments.add_argument("--pairs", type=int, default=1000, help="at most, for each level")
    arguments.add_argument("--seed", type=int, default=0)
    arguments.add_argument("--workers", type=int, default=2)
    given = arguments.parse_args()
    steps = ladder(game(given.game))
    budget = Budget(given.within, given.pairs, positions=0)
    few = Budget(given.within, min(given.pairs, FEW), positions=0)
    with open_executor(given.workers) as executor:
        players = [rated(f"best:level={level}", steps, budget, given.seed, executor) for level in range(1, STRONGEST)]
        players.append(rated("best:seconds=0.1", steps, few, given.seed, executor))
    made = {"ladder": steps.version, "game": steps.game.name, "seed": given.seed, "players": players}
    out = DATA / f"{steps.game.name}-levels.json"
    out.write_text(json.dumps(made, indent=1, ensure_ascii=False) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
