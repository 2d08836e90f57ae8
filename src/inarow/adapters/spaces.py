"""The spaces of observations and actions on one board, as Gymnasium and PettingZoo have them."""

from __future__ import annotations

import numpy as np

from inarow.errors import Unsupported
from inarow.rules import Game

try:
    from gymnasium import spaces
except ImportError:
    raise Unsupported("Gymnasium is not installed: pip install 'inarow[rl]'") from None

RENDER_MODES = ["human", "ansi", "rgb_array"]
"""``human`` prints the board as text; nothing here needs a screen."""


def board_spaces(game: Game) -> tuple[spaces.Dict, spaces.Discrete]:
    """Own and other stones by cell with the mask of legal moves, and the moves from 0."""
    observation = spaces.Dict(
        {
            "observation": spaces.Box(0, 1, (game.rows, game.columns, 2), np.int8),
            "action_mask": spaces.Box(0, 1, (game.moves,), np.int8),
        }
    )
    return observation, spaces.Discrete(game.moves)
