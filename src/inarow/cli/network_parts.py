"""What in a network speaks for a move and what against it, in words and for JSON."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from inarow.agents import Agent
    from inarow.models.network import Contribution, Explanation
    from inarow.rules import Game, Position

SHOWN = 4
"""Parts on each side."""
_LEAST = 0.0005
"""A smaller share is shown as 0."""


def explained(agent: Agent, position: Position, move: int) -> Explanation | None:
    """What the value of a move is made of by the network of an agent; None if it has none."""
    network = agent.network_in(position.game)
    if network is None or move not in position.legal_moves():
        return None
    from inarow.models.network import contributions

    return contributions(network, position, move)


def sides(found: Explanation) -> dict[str, list[Contribution]]:
    """The largest parts that speak for the move, and against it."""
    parts = [part for part in found.contributions if abs(part.share) >= _LEAST]
    return {
        "for": [part for part in parts if part.share > 0][:SHOWN],
        "against": [part for part in parts if part.share < 0][:SHOWN],
    }


def network_json(found: Explanation) -> dict[str, Any]:
    """Return the explanation for JSON; moves, columns and cells count from 0."""
    return {
        "value": found.value,
        "settled": found.settled or None,
        "blocks": list(found.blocks),
        **{side: [_part_json(part) for part in parts] for side, parts in sides(found).items()},
    }


def _part_json(part: Contribution) -> dict[str, Any]:
    return {
        "part": part.part.value,
        "cells": list(part.cells),
        "owners": [owner.name.lower() for owner in part.owners],
        "columns": list(part.columns),
        "share": round(part.share, 5),
    }


def network_rows(found: Explanation, game: Game) -> list[list[str]]:
    """Rows of a table: for or against, the share of the value, what the part looks at."""
    from inarow.rules import format_move

    if found.settled:
        blocks = f", after forced blocks {' '.join(map(format_move, found.blocks))}" if found.blocks else ""
        return [["settled", f"{found.value:+.3f}", f"a {found.settled} is seen, not estimated{blocks}"]]
    return [
        [side, f"{part.share:+.3f}", _looked_at(part, game)] for side, parts in sides(found).items() for part in parts
    ]


def _looked_at(part: Contribution, game: Game) -> str:
    """What a part looks at, in words."""
    if part.part == "memory":
        return "this very position"
    if part.part == "threats":
        between = f"columns {part.columns[0] + 1} and {part.columns[1] + 1}"
        found = [f"{'XO'[owner]} at {_place(cell, game)}" for cell, owner in zip(part.cells, part.owners, strict=True)]
        return f"threats in {between}: {', '.join(found) or 'none'}"
    if not game.gravity:
        return f"the cells {' '.join(str(cell + 1) for cell in part.cells)}"
    rows: dict[tuple[int, ...], list[int]] = {}
    for column in sorted({cell % game.columns for cell in part.cells}):
        inside = sorted(game.rows - cell // game.columns for cell in part.cells if cell % game.columns == column)
        rows.setdefault(tuple(inside), []).append(column + 1)
    groups = [f"{_range(columns)} row{'s' * (len(up) > 1)} {_range(list(up))}" for up, columns in rows.items()]
    return f"column{'s' * (len(part.cells) > len(next(iter(rows))))} {', '.join(groups)}"


def _place(cell: int, game: Game) -> str:
    return f"{cell % game.columns + 1} row {game.rows - cell // game.columns}"


def _range(numbers: list[int]) -> str:
    """Ascending numbers, short: 1–4, or 1, 3."""
    if len(numbers) > 1 and numbers[-1] - numbers[0] == len(numbers) - 1:
        return f"{numbers[0]}–{numbers[-1]}"
    return ", ".join(map(str, numbers))
