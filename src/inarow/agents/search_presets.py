"""The searching players of the five reports, as their programs have them, by game; errors included."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from inarow.agents.evaluators import Lines, Open, Runs, Threes, Windows, Zero
from inarow.agents.presets import Presets
from inarow.rules.game import CONNECT4, TICTACTOE

FULL = 64
"""A depth that no board has."""

# A textbook's search: moves in ascending order, the best value so far carried to the next root move.
_TEXTBOOK: Mapping[str, Any] = {"ordering": "none", "root": "carried"}
_R1: Mapping[str, Any] = {**_TEXTBOOK, "sooner": False}
_R2: Mapping[str, Any] = {**_TEXTBOOK, "win": None, "counting": "root"}
_R3: Mapping[str, Any] = {"root": "carried", "sooner": False, "ties": "order"}
_R4: Mapping[str, Any] = {"ordering": "none", "root": "full", "sooner_from": "root"}
_R5: Mapping[str, Any] = {**_TEXTBOOK, "counting": "root"}

PRESETS: Presets = {
    "r1": {
        TICTACTOE: {**_R1, "depth": 9, "eval": Lines(), "win": 100},
        CONNECT4: {**_R1, "depth": 4, "eval": Windows(rows="upper", stacked=2, double=50)},
    },
    "r2": {
        TICTACTOE: {**_R2, "depth": FULL, "eval": Zero()},
        CONNECT4: {**_R2, "depth": 4, "eval": Runs(towards="down"), "view": "second"},
    },
    "r3": {
        TICTACTOE: {**_R3, "depth": FULL, "eval": Zero(), "win": 1, "ordering": "columns"},
        CONNECT4: {
            **_R3, "depth": 5, "eval": Open(four=300, other_four=-400), "ordering": "tallest", "ends": "points",
            "over": 100, "counting": "root", "faults": ("full-is-zero",),
        },
    },
    "r4": {
        TICTACTOE: {**_R4, "depth": FULL, "eval": Zero(), "win": 10, "faults": ("wins-for-x",)},
        CONNECT4: {
            **_R4, "depth": 4, "eval": Windows(share=0.7), "view": "own", "win": 1000, "ties": "random",
            "faults": ("wins-for-x", "extra-ply"),
        },
    },
    "r5": {CONNECT4: {**_R5, "depth": 5, "win": 1e14, "loss": 1e13, "sooner": False}},
    "r5-match": {
        CONNECT4: {
            **_R5, "depth": 6, "eval": Threes(lines="flat", ends="right"), "view": "first", "ends": "evaluated",
            "faults": ("score-as-move",),
        },
    },
}  # fmt: skip
"""r5: the player that met a person; r5-match: the one of its second and third match against MCTS."""
