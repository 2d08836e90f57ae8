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


def two_agents(command: str, given: Sequence[str]) -> tuple[str, str]:
    """The two agents of a command that compares two; a folder or a pattern stands for its Python files."""
    from inarow.agents.registry import expand_specs

    specs = expand_specs(given)
    if len(specs) != 2:
        were = "1 was" if len(specs) == 1 else f"{len(specs)} were"
        more = "; `inarow tournament` and `inarow league` play more" if len(specs) > 2 else ""
        raise InarowError(f"{command} takes two agents, and {were} given ({' '.join(given)}){more}")
    return specs[0], specs[1]
