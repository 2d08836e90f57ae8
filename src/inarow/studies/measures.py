"""Measurements of single decisions and of whole runs: settings in, results and timing out, for any process."""

from __future__ import annotations

import time
from collections.abc import Sequence
from typing import Any

from inarow.rules import Game, format_moves
from inarow.studies.base import Measured


def think(settings: dict[str, Any]) -> Measured:
    """One decision of ``agent`` in each of ``positions`` (moves as text): its nodes and depth; its time is the best of
    ``repeat`` decisions, each by a fresh mind."""
    from inarow.agents import agent
    from inarow.rules import Position, game, parse_moves

    board, player = game(settings["game"]), agent(settings["agent"])
    nodes, depths, moves, seconds = [], [], [], []
    _rehearse(board, player)
    for text in settings["positions"]:
        position = Position.start(board, parse_moves(board, text))
        best = float("inf")
        for number in range(settings.get("repeat", 1)):
            decision = player.start(board, position.to_move, settings.get("seed", 0) + number).decide(position)
            best = min(best, decision.seconds)
        nodes.append(decision.nodes)
        depths.append(decision.depth)
        moves.append(format_moves(board, (decision.move,)))
        seconds.append(best)
    said = f"{settings['agent']}: {sum(nodes):,} nodes for {len(nodes)} decisions"
    if player.timed:
        return Measured({"verdict": said}, {"nodes": nodes, "depths": depths, "moves": moves, "seconds": seconds})
    return Measured({"nodes": nodes, "depths": depths, "moves": moves, "verdict": said}, {"seconds": seconds})


def _rehearse(board: Game, player: Any) -> None:
    """One decision that no one counts, so that nothing is loaded or compiled while the clock runs."""
    from inarow.agents import Limit
    from inarow.rules import FIRST, Position

    player.start(board, FIRST, 0).decide(Position.start(board), Limit(depth=1, nodes=10, simulations=10))


def nodes_in_time(settings: dict[str, Any]) -> Measured:
    """How many nodes ``agent`` visits in ``seconds`` of playing against itself, match after match."""
    from inarow.agents import agent
    from inarow.match import play_match
    from inarow.rules import game

    board, player = game(settings["game"]), agent(settings["agent"])
    _rehearse(board, player)
    nodes = moves = matches = 0
    begun = time.perf_counter()
    while time.perf_counter() - begun < settings["seconds"]:
        record = play_match(board, player, player, seed=matches)
        nodes, moves, matches = nodes + sum(record.nodes), moves + len(record.moves), matches + 1
    timing = {"nodes": nodes, "moves": moves, "matches": matches, "seconds": time.perf_counter() - begun}
    return Measured({"verdict": f"{settings['agent']} played for {settings['seconds']} s"}, timing)


def middle_game(game: Game, count: int, plies: Sequence[int], seed: int) -> list[str]:
    """Random positions of these numbers of plies, as texts of moves; no player can win at once in them."""
    from inarow.match.openings import draw_openings
    from inarow.rules import Position

    texts: list[str] = []
    for ply in plies:
        quiet = []
        for line in draw_openings(game, ply, 8 * count, seed):
            position = Position.start(game, line)
            if not position.winning_moves() and not position.winning_moves(position.to_move.other):
                quiet.append(format_moves(game, line))
        texts += quiet[:count]
    return texts
