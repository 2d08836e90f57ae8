"""Arguments in one order: the game first. The former order of some commands is recognised."""

from __future__ import annotations

from collections.abc import Sequence

from inarow.errors import InarowError


def game_first(one: str, other: str) -> tuple[str, str]:
    """The game and the other argument, also if they were given the other way round."""
    from inarow.rules.game import is_game

    return (other, one) if is_game(other) and not is_game(one) else (one, other)


def optional_game(words: Sequence[str], what: str, default: str = "connect4") -> tuple[str, str]:
    """The game and the other argument of ``[GAME] WHAT``; without a game it is the default."""
    if len(words) > 2:
        raise InarowError(f"{len(words)} arguments were given ({' '.join(words)}); give [GAME] {what}")
    return (default, words[0]) if len(words) == 1 else game_first(words[0], words[1])
