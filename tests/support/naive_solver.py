"""The exact score by full search on positions, with nothing but a dictionary: slow and obvious."""

from __future__ import annotations

from inarow.rules import Position


def naive_score(position: Position, known: dict[tuple[int, int], int]) -> int:
    """The score for the side to move; the game is not over."""
    key = position.first, position.second
    if key not in known:
        known[key] = max(naive_score_of_move(position, move, known) for move in position.legal_moves())
    return known[key]


def naive_score_of_move(position: Position, move: int, known: dict[tuple[int, int], int]) -> int:
    """The score of a move, for the side that makes it."""
    child = position.play(move)
    outcome = child.outcome()
    if outcome is None:
        return -naive_score(child, known)
    if outcome.winner is None:
        return 0
    cells = position.game.cells
    in_hand = (cells + 1) // 2 if position.to_move == 0 else cells // 2
    left = in_hand - position.own.bit_count()
    return left if outcome.winner == position.to_move else -left
