"""Measurements that several studies use: from settings to results and timing, in any process."""

from __future__ import annotations

import time
from collections.abc import Mapping, Sequence
from functools import cache
from typing import TYPE_CHECKING, Any

from inarow.agents import Agent, Decision
from inarow.agents.base import Fault, rehearse
from inarow.formatting import counted
from inarow.rules import Game, Position, format_moves
from inarow.studies.base import Measured, measurement

if TYPE_CHECKING:
    from inarow.truth import SolvedPositions

MANY = 5_000
"""Larger than any truth set."""


@measurement("think")
def think(settings: dict[str, Any]) -> Measured:
    """Measure single decisions of ``agent`` in ``positions`` (strings of moves): nodes, depth and time.

    The time of a decision is the minimum of ``repeat`` decisions, each by a fresh mind. ``wall`` and ``cpu`` are
    totals; they differ if other processes kept the processor busy.
    """
    from inarow.agents import agent
    from inarow.rules import game, parse_moves

    board, player = game(settings["game"]), agent(settings["agent"])
    nodes, depths, moves, seconds = [], [], [], []
    rehearse(player, board)
    begun = time.perf_counter(), time.process_time()
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
    timing = {"seconds": seconds, "wall": time.perf_counter() - begun[0], "cpu": time.process_time() - begun[1]}
    decided = {"nodes": nodes, "depths": depths, "moves": moves}
    said = f"{settings['agent']}: {sum(nodes):,} nodes for {counted(len(nodes), 'decision', 'decisions')}"
    if player.timed:
        return Measured({"verdict": f"{settings['agent']}: {len(nodes)} decisions"}, {**decided, **timing})
    return Measured({**decided, "verdict": said}, timing)


@measurement("nodes_in_time")
def nodes_in_time(settings: dict[str, Any]) -> Measured:
    """Count the nodes that ``agent`` visits in ``seconds`` of matches against itself."""
    from inarow.agents import agent
    from inarow.match import play_match
    from inarow.rules import game

    board, player = game(settings["game"]), agent(settings["agent"])
    rehearse(player, board)
    nodes = moves = matches = 0
    begun = time.perf_counter()
    while time.perf_counter() - begun < settings["seconds"]:
        record = play_match(board, player, player, seed=matches)
        nodes, moves, matches = nodes + sum(record.nodes), moves + len(record.moves), matches + 1
    timing = {"nodes": nodes, "moves": moves, "matches": matches, "seconds": time.perf_counter() - begun}
    return Measured({"verdict": f"{settings['agent']} played for {settings['seconds']} s"}, timing)


@measurement("solve_board")
def solve_board(settings: dict[str, Any]) -> Measured:
    """Solve ``game`` after ``moves`` for win, draw or loss within ``seconds``.

    Uses one thread unless ``threads`` is given (0: all cores), and an opening book only with ``book``.
    """
    from inarow.arena.executor import cores
    from inarow.limits import Limit
    from inarow.rules import game, parse_moves
    from inarow.solver import Oracle

    board, threads = game(settings["game"]), settings.get("threads", 1) or cores()
    position = Position.start(board, parse_moves(board, settings.get("moves", "")))
    oracle = Oracle(board, book=settings.get("book", False), threads=threads)
    found = oracle.analyse(position, Limit(seconds=settings["seconds"]), moves=False, weak=True)
    verdict = found.verdict.name.lower() if found.bounds.decided else None
    said = f"{board.title}: {verdict or 'not solved in the time given'}"
    timing = {"nodes": found.nodes, "seconds": found.seconds, "verdict": verdict, "threads": threads}
    return Measured({"cells": board.cells, "verdict": said}, timing)


@cache
def solved_positions(board: Game) -> SolvedPositions:
    """Return the exact scores of a game's positions; each is solved once per process."""
    from inarow.truth import SolvedPositions

    return SolvedPositions(board)


@cache
def graded_positions(name: str, count: int, seed: int) -> Mapping[int, Sequence[tuple[Position, Mapping[int, int]]]]:
    """Return positions with a choice and their exact scores, at most ``count`` per band of plies.

    In such positions moves differ in exact value. Keys are the middles of the bands. Connect 4 uses the truth set.
    """
    from inarow.randomness import Stream, derive
    from inarow.rules import game
    from inarow.truth.positions import all_positions, by_band, random_positions

    board = game(name)
    solved = solved_positions(board)
    candidates = all_positions(board) or random_positions(solved, MANY, seed)
    chosen = [position for position in candidates if not solved.is_trivial(position)]
    found = {}
    for middle, band in by_band(board, chosen).items():
        Stream(derive(seed, "graded", middle)).shuffle(band)
        found[middle] = [(position, solved.scores(position) or {}) for position in band[:count]]
    return found


@measurement("grade")
def grade(settings: dict[str, Any]) -> Measured:
    """Grade the moves of ``agent`` in ``count`` positions with a choice in each band of plies."""
    from inarow.agents import agent
    from inarow.rules import game

    board, player = game(settings["game"]), agent(settings["agent"])
    rehearse(player, board)
    result = _graded(player, board, settings)
    return Measured({"verdict": result["verdict"]}, result) if player.timed else Measured(result, {})


def _decision(player: Agent, position: Position, seed: int) -> Decision:
    """Return the decision of a fresh mind; the move is −1 if an external agent fails."""
    mind = None
    try:
        mind = player.start(position.game, position.to_move, seed)
        return mind.decide(position)
    except Fault:
        return Decision(-1)
    finally:
        if mind is not None:
            mind.close()


def _graded(player: Agent, board: Game, settings: dict[str, Any]) -> dict[str, Any]:
    """Return an agent's accuracy by ply and as a sentence; a failure counts as the worst move."""
    from inarow.truth import Accuracy, count_by, grade_move

    graded = []
    for middle, positions in graded_positions(settings["game"], settings["count"], settings["seed"]).items():
        for number, (position, scores) in enumerate(positions):
            move = _decision(player, position, settings["seed"] + number).move
            move = move if move in scores else min(scores, key=scores.__getitem__)
            graded.append((middle, grade_move(position, move, scores)))
    by_ply = count_by(graded)
    total = sum(by_ply.values(), Accuracy())
    return {
        "by_ply": {str(ply): accuracy.to_json() for ply, accuracy in sorted(by_ply.items())},
        "verdict": f"{player.spec} keeps the value in {total.kept} of {total.moves} positions",
    }


@measurement("train_and_grade")
def train_and_grade(settings: dict[str, Any]) -> Measured:
    """Train ``trainer`` for ``episodes`` in its default stages, and grade it as `grade` does."""
    from inarow.rules import game
    from inarow.training import Training, TrainingPlan, parse_stages, trainer

    board, made = game(settings["game"]), trainer(settings["trainer"])
    usual, _ = made.defaults(board)
    stages = parse_stages(usual, board)
    training = Training(TrainingPlan(made, board, settings["episodes"], stages, seed=settings["seed"]))
    training.run()
    return Measured(_graded(training.agent, board, settings), {"seconds": training.timing[-1]["seconds"]})


def middle_game(game: Game, count: int, plies: Sequence[int], seed: int) -> list[str]:
    """Return random positions with these numbers of plies, as strings of moves, without immediate wins."""
    from inarow.match.openings import draw_openings

    texts: list[str] = []
    for ply in plies:
        quiet = []
        for line in draw_openings(game, ply, 8 * count, seed):
            position = Position.start(game, line)
            if not position.winning_moves() and not position.winning_moves(position.to_move.other):
                quiet.append(format_moves(game, line))
        texts += quiet[:count]
    return texts
