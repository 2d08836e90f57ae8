"""The Q-learners of four reports, as their programs have them, by game; errors included. And whom they met."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from inarow.agents.evaluators import Windows
from inarow.agents.presets import Presets
from inarow.agents.schedules import schedule
from inarow.rules import Game
from inarow.rules.game import CONNECT4, TICTACTOE

# A row for each position as it stands, and each seat learns from its own turns.
_PLAIN: Mapping[str, Any] = {"seats": "apart", "symmetries": False, "openings": 0, "guide": "none"}
_R1: Mapping[str, Any] = {**_PLAIN, "sweep": "forward"}
_R2: Mapping[str, Any] = {
    **_PLAIN, "alpha": schedule("0.3"), "gamma": 0.9, "centre": 0.7, "sweep": "forward", "seat": "drawn", "noise": 0.1,
}  # fmt: skip
_R3: Mapping[str, Any] = {**_PLAIN, "alpha": schedule("0.2"), "gamma": 0.9, "faults": ("tenths",)}
_R4: Mapping[str, Any] = {
    **_PLAIN, "alpha": schedule("0.1"), "gamma": 0.9, "draw": 0.5, "seat": "first", "faults": ("terminal",),
}  # fmt: skip
_R2_REWARD = Windows(four=1000, three=20, two=5, other_three=50, other_two=3, centre=10)

PRESETS: Presets = {
    "r1": {
        TICTACTOE: {
            **_R1, "alpha": schedule("0.3"), "gamma": 0.9, "epsilon": schedule("decay(0.3,0.9999,0.01)"),
            "draw": 0.2, "move": -0.05, "symmetries": True, "faults": ("eighth-symmetry", "same-sign"),
        },
        CONNECT4: {
            **_R1, "alpha": schedule("0.2"), "gamma": 0.95, "epsilon": schedule("decay(0.3,0.9995,0.01)"),
            "move": -0.01, "guide": "threats", "share": 0.3,
            "faults": ("column-0", "same-sign", "upper-rows", "threat-left"),
        },
    },
    "r2": {
        TICTACTOE: {**_R2, "epsilon": schedule("decay(0.7,0.999,0.1,moves)"), "win": 10, "loss": -10},
        CONNECT4: {
            **_R2, "epsilon": schedule("decay(0.7,0.9999,0.1,moves)"), "guide": "rules", "reward": _R2_REWARD,
            "scale": 0.02, "faults": ("column-0", "skips", "outright", "no-end"), "win": 20, "loss": -20,
        },
    },
    "r3": {
        TICTACTOE: {**_R3, "epsilon": schedule("0.2")},
        CONNECT4: {**_R3, "epsilon": schedule("linear(0.6,0)")},
    },
    "r4": {
        TICTACTOE: {**_R4, "epsilon": schedule("decay(1,0.995,0.01)"), "noise": 0.01},
        CONNECT4: {**_R4, "epsilon": schedule("decay(1,0.99,0.1)"), "features": "reduced", "noise": 0.1},
    },
}  # fmt: skip
"""Of what R2's Connect 4 program lacks, the end of a game, win and loss are ours: they count without the fault
no-end only."""

PRESET_OPPONENTS: Mapping[str, Mapping[Game, tuple[tuple[str, ...], int]]] = {
    "r1": {TICTACTOE: (("rules:preset=r1",), 10_000), CONNECT4: (("rules:preset=r1",), 15_000)},
    "r2": {TICTACTOE: (("rules:preset=r2",), 1_110), CONNECT4: (("rules:preset=r2",), 1_110)},
    "r3": {
        TICTACTOE: (("rules:preset=r3",), 20_000),
        CONNECT4: (("random", "rules:preset=r3", "self"), 100_000),
    },
    "r4": {TICTACTOE: (("random",), 10_000), CONNECT4: (("random",), 5_000)},
}
"""What each report trained against, one stage after the other, and for how many episodes."""
