"""Arguments that several commands share: an optional game, and exactly two agents."""

from __future__ import annotations

from collections.abc import Sequence

from inarow.errors import InarowError


def optional_game(words: Sequence[str], what: str, default: str = "connect4") -> tuple[str, str]:
    """Return the game and the other argument of ``[GAME] WHAT``."""
    if len(words) > 2:
        raise InarowError(f"{len(words)} arguments were given ({' '.join(words)}); give [GAME] {what}")
    return (default, words[0]) if len(words) == 1 else (words[0], words[1])


def two_agents(command: str, given: Sequence[str]) -> tuple[str, str]:
    """Return the specs of the two agents; a folder or a pattern stands for its Python files."""
    from inarow.agents.registry import expand_specs

    specs = expand_specs(given)
    if len(specs) != 2:
        were = "1 was" if len(specs) == 1 else f"{len(specs)} were"
        more = "; `inarow tournament` and `inarow league` play more" if len(specs) > 2 else ""
        raise InarowError(f"{command} takes two agents, and {were} given ({' '.join(given)}){more}")
    return specs[0], specs[1]
