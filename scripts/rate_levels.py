"""Rate the levels of `best`, the opponents of the menus and `qlearning`, on the ladder of a game, for menus and lists
to show:

    python scripts/rate_levels.py connect4
    python scripts/rate_levels.py connect4 --only mcts:simulations=100000

Run it again after a new ladder, a new network, or a change to `best`. Agents that think for a number of seconds have
ratings that depend on the machine a little; the levels of `best` below the highest don't use their seconds up.
"""

from __future__ import annotations

import argparse
import json
import sys
from pathlib import Path
from typing import Any

from inarow.agents import agent
from inarow.agents.perfect import STRONGEST
from inarow.arena import Executor, open_executor
from inarow.ladder import Budget, Ladder, Rating, ladder, model_hash
from inarow.play.setup import USUAL
from inarow.rules import game

FEW = 60
"""Pairs for agents that take their time."""
DATA = Path(__file__).parents[1] / "src" / "inarow" / "data" / "ladder"


def rated(spec: str, steps: Ladder, budget: Budget, seed: int, executor: Executor) -> dict[str, Any]:
    """Return the entry of one agent."""
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


def _is_slow(spec: str) -> bool:
    return spec in ("best", "best:seconds=0.1") or "simulations=100000" in spec


def main() -> None:
    """Write the file."""
    arguments = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    arguments.add_argument("game")
    arguments.add_argument("--within", type=float, default=25.0, help="Elo to either side of the rating")
    arguments.add_argument("--pairs", type=int, default=1000, help="at most, for each level")
    arguments.add_argument("--only", nargs="+", metavar="AGENT", help="rate only these, and keep all other entries")
    arguments.add_argument("--seed", type=int, default=0)
    arguments.add_argument("--workers", type=int, default=2)
    given = arguments.parse_args()
    steps = ladder(game(given.game))
    budget = Budget(given.within, given.pairs, positions=0)
    few = Budget(given.within, min(given.pairs, FEW), positions=0)
    out = DATA / f"{steps.game.name}-levels.json"
    on_ladder = {one.agent.spec for one in steps.players}
    menu = [one.spec for level in USUAL.levels if (one := level.agent(steps.game))]
    levels = [*(f"best:level={level}" for level in range(1, STRONGEST)), "best:seconds=0.1"]
    specs = given.only or [spec for spec in [*levels, *menu, "qlearning"] if spec not in on_ladder]
    specs = [agent(spec).spec for spec in specs]
    with open_executor(given.workers) as executor:
        players = [rated(one, steps, few if _is_slow(one) else budget, given.seed, executor) for one in specs]
    if given.only:
        old = json.loads(out.read_text(encoding="utf-8"))["players"]
        players = [*(one for one in old if one["agent"] not in specs), *players]
    made = {"ladder": steps.version, "game": steps.game.name, "seed": given.seed, "players": players}
    out.write_text(json.dumps(made, indent=1, ensure_ascii=False) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
