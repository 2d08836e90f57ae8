"""Which key means what on the board: the number of a move, or a step of the cursor."""

from __future__ import annotations

import pygame

from inarow.rules import Game

DIGITS = {getattr(pygame, f"K_{digit}"): digit - 1 for digit in range(1, 10)}
DIGITS |= {getattr(pygame, f"K_KP{digit}"): digit - 1 for digit in range(1, 10)}
"""Keys for moves, which count from 0."""
ARROWS = {pygame.K_LEFT: (-1, 0), pygame.K_RIGHT: (1, 0), pygame.K_UP: (0, -1), pygame.K_DOWN: (0, 1)}
"""Keys for steps: columns to the right, rows down."""
COMMANDS = {
    pygame.K_u: "undo",
    pygame.K_h: "hint",
    pygame.K_e: "truth",
    pygame.K_r: "clear",
    pygame.K_s: "save",
    pygame.K_i: "picture",
    pygame.K_F1: "help",
    pygame.K_m: "menu",
    pygame.K_ESCAPE: "menu",
    pygame.K_q: "quit",
    pygame.K_v: "review",
}
"""Keys for what the buttons do."""
ENTER = (pygame.K_RETURN, pygame.K_KP_ENTER)


def cursor_after(game: Game, at: int | None, key: int) -> int:
    """Where an arrow key takes the cursor; it goes round at the edges, and begins in the middle."""
    across, down = ARROWS[key]
    start = at if at is not None else game.moves // 2 - across
    if game.gravity:
        return (start + across) % game.columns
    row, column = divmod(start, game.columns)
    return (row + down) % game.rows * game.columns + (column + across) % game.columns
