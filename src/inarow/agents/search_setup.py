"""Writing what search kernels read beside the game and its evaluator: the order of moves, and symmetries."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from inarow.bits import MAX_BITS
from inarow.kernels.common import search_layout
from inarow.rules import Game

Ints = NDArray[np.int64]


def write_masks(setup: Ints, masks: Sequence[int]) -> None:
    """Put the masks of moves, in the order in which they are tried, where the kernel looks for them."""
    setup[search_layout.MOVES] = len(masks)
    setup[search_layout.ORDER : search_layout.ORDER + len(masks)] = masks


def write_symmetries(setup: Ints, game: Game) -> None:
    """Put the image of every bit under every symmetry where the kernel looks for it."""
    setup[search_layout.SYMMETRIES] = len(game.cell_symmetries)
    for which, image in enumerate(game.cell_symmetries):
        for cell, bit in enumerate(game.cell_bits):
            at = search_layout.IMAGES + which * MAX_BITS + bit.bit_length() - 1
            setup[at] = game.cell_bits[image[cell]]
