"""The commands ``decide`` and ``trace``: an agent's move, and the search behind it."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from inarow.agents import Agent, Decision, agent
from inarow.cli.common import (
    ForceOption,
    GameArgument,
    JsonOption,
    SandboxOptions,
    SeedOption,
    console,
    new_file,
    note,
    one_agent,
    print_json,
    print_table,
    say,
    takes,
    waiting,
)
from inarow.cli.pages import command
from inarow.errors import InarowError
from inarow.formatting import MINUS, duration, listed
from inarow.limits import MAX_EVENTS, USUAL_EVENTS, Limit
from inarow.paths import text_writer
from inarow.rules import Game, Position, format_move, format_moves, game, parse_moves
from inarow.rules.notation import parse_position

if TYPE_CHECKING:
    from inarow.models.network import Contribution, Explanation
    from inarow.solver import Bounds


_TRUTH_NODES = 5_000_000
"""Node limit for the exact values: about a second."""


@command('inarow decide connect4 4453 "alphabeta:depth=8,tt=on"')
@takes(SandboxOptions)
def decide(
    game_name: GameArgument,
    moves: Annotated[str, typer.Argument(metavar="MOVES", help='Moves counted from 1: 4453; "" for the empty board.')],
    agent_spec: Annotated[str, typer.Argument(metavar="AGENT", help="The agent; `inarow agents` lists them.")],
    depth: Annotated[int | None, typer.Option(help="Maximum depth in plies.")] = None,
    nodes: Annotated[int | None, typer.Option(help="Maximum nodes.")] = None,
    simulations: Annotated[int | None, typer.Option(help="Maximum simulations.")] = None,
    seconds: Annotated[float | None, typer.Option(help="Time limit in seconds.")] = None,
    truth: Annotated[
        bool | None,
        typer.Option(
            "--truth/--no-truth",
            help="Show the exact value of every move, if it is found quickly. By default on, unless the solver "
            "would have to be compiled first.",
            show_default=False,
        ),
    ] = None,
    seed: SeedOption = 0,
    as_json: JsonOption = False,
    *,
    options: SandboxOptions,
) -> None:
    """Show an agent's move in a position, and the reasons for it.

    The board shows the exact value of every move. Below it are the agent's own figures and, for an agent with a
    network, the features that count for and against the move.
    """
    from inarow import api
    from inarow.kernels.lang.jit import State

    board = game(game_name)
    position = parse_position(board, moves)
    (decider,) = options.agents(agent_spec)
    limit = Limit(depth=depth, nodes=nodes, simulations=simulations, seconds=seconds)
    with waiting(f"{decider.name} is thinking …"):
        decision = api.decide(position, decider, limit=limit, seed=seed)
    if as_json:
        network = explained(decider, position, decision.move)
        seen = {} if network is None else {"network": network_json(network)}
        print_json({**decision_json(position, moves, decider.spec, decision), **seen})
    else:
        last = parse_moves(board, moves)[-1] if moves else None
        postponed = truth is None and not _truth_at_hand(position)
        verdicts = {} if postponed or truth is False else _verdicts(position)
        _print_board(position, decision, verdicts, last)
        say(f"{decider.spec} plays {_said(position, decision, verdicts)}")
        if decision.note:
            say(decision.note)
        _print_figures(position, decision)
        if truth or not State.has_compiled:  # like the verdicts, skipped if it needs another compilation
            network = explained(decider, position, decision.move)
            if network is not None:
                title = f"Features of its network for move {format_move(decision.move)}"
                print_table(title, ["", "share", "feature"], network_rows(network, board), numbers=False)
        elif decider.network_in(board) is not None:
            say("The network's features are not shown because they are not compiled yet; the next run shows them.")
        if postponed:
            say(
                "Exact values are not shown because the solver is not compiled yet. The next run compiles it (about "
                "two seconds) and shows them; --truth does so now."
            )
        elif truth and not verdicts:
            say(f"The exact values were not found within {_TRUTH_NODES:,} nodes; `inarow solve` has no such limit.")


def decision_json(position: Position, moves: str, spec: str, decision: Decision) -> dict[str, Any]:
    """Return the decision for JSON: moves count from 0, values are for the side to move."""
    figures = {name: decision.by_move[name] for name in decision.by_move}
    each = [
        {"move": move, "value": decision.values.get(move), **{n: by.get(move) for n, by in figures.items()}}
        for move in position.legal_moves()
    ]
    return {
        "game": position.game.name,
        "position": moves,
        "agent": spec,
        "move": decision.move,
        "value": decision.value,
        "points": decision.points,
        "moves": each,
        "nodes": decision.nodes,
        "depth": decision.depth,
        "line": list(decision.line),
        "seconds": decision.seconds,
        "note": decision.note or None,
        **decision.details,
    }


def _truth_at_hand(position: Position) -> bool:
    """Return True if the exact verdicts need no compilation, or nothing else was compiled.

    A command compiles the agent or the solver, not both, so that the first answer comes soon.
    """
    from inarow.kernels.lang.jit import State
    from inarow.solver import Oracle
    from inarow.solver.engine import is_compiled

    return not State.has_compiled or Oracle(position.game).knows(position) or is_compiled(position.game)


def _verdicts(position: Position) -> dict[int, Bounds]:
    """Return the exact value of every move, or {} if a few million nodes are not enough."""
    from inarow.solver import Oracle

    found = Oracle(position.game).move_bounds(position, Limit(nodes=_TRUTH_NODES))
    return found if all(bounds.solved for bounds in found.values()) else {}


def _print_board(position: Position, decision: Decision, verdicts: dict[int, Bounds], last: int | None) -> None:
    from inarow.drawing.text import Caption, cell_width, draw
    from inarow.solver.verdicts import best_moves, draw_verdicts

    screen = console()
    marks = dict.fromkeys(best_moves(verdicts), "best") if verdicts else {}
    if decision.move in position.legal_moves():
        marks[decision.move] = f"{marks.get(decision.move, '')} plays".strip()
    if verdicts:
        screen.print(draw_verdicts(position, verdicts, width=screen.width, last=last, marks=marks))
    else:
        captions = {move: Caption((mark,), "bold") for move, mark in marks.items()}
        fits = cell_width(position.game, captions) * position.game.columns <= screen.width
        screen.print(draw(position, last, captions if fits else {}, screen=screen.width))


def _said(position: Position, decision: Decision, verdicts: dict[int, Bounds]) -> str:
    """Describe the move and its exact value."""
    from inarow.solver.verdicts import best_moves, verdict

    seat = f"{format_move(decision.move)} for the {position.to_move.name.lower()} player ({'XO'[position.to_move]})"
    if decision.move not in position.legal_moves():
        return f"{seat}: illegal, which loses the match."
    if not verdicts:
        return f"{seat}."
    truth = verdict(position, verdicts[decision.move])
    best = best_moves(verdicts)
    if decision.move in best:
        return f"{seat}: {truth}{', as with every move' if len(best) == len(verdicts) else ', the best possible'}."
    others = listed([format_move(move) for move in best])
    return f"{seat}: {truth}; best: {others}, {verdict(position, verdicts[best[0]])}."


def _print_figures(position: Position, decision: Decision) -> None:
    names = list(decision.by_move)
    rows = [
        [f"{move + 1}{' *' if move == decision.move else ''}", _number(decision.values.get(move))]
        + [_number(decision.by_move[name].get(move)) for name in names]
        for move in position.legal_moves()
    ]
    depth = _number(decision.depth)
    if decision.depth is not None and "earlier" in names:
        depth = f"{decision.depth} and a part of {decision.depth + 1}"
    if decision.values or names:
        heads = [f"at depth {decision.depth}" if name == "earlier" else name for name in names]
        print_table("The agent's values", ["move", "value", *heads], rows)
    facts = {
        "value": _number(decision.value),
        "points": _number(decision.points),
        "depth": depth,
        "nodes": f"{decision.nodes:,}" if decision.nodes else "–",
        "line": format_moves(position.game, decision.line) or "–",
        "time": duration(decision.seconds),
    }
    facts |= {name.replace("_", " "): _fact(value) for name, value in decision.details.items()}
    print_table(
        "The decision", ["what", "figure"], [(n, text) for n, text in facts.items() if text != "–"], numbers=False
    )


def _number(value: float | None) -> str:
    if value is None:
        return "–"
    return (f"{value:,}" if isinstance(value, int) else f"{value:+.3f}").replace("-", MINUS)


def _fact(value: object) -> str:
    if isinstance(value, bool):
        return "yes" if value else "no"
    if isinstance(value, (int, float)):
        return _number(value)
    return ", ".join(_fact(part) for part in value) if isinstance(value, (list, tuple)) else str(value)


SHOWN = 4
"""Parts on each side."""
_LEAST = 0.0005
"""A smaller share is shown as 0."""


def explained(agent: Agent, position: Position, move: int) -> Explanation | None:
    """Return the contributions to a move's value in the agent's network, or None if it has no network."""
    network = agent.network_in(position.game)
    if network is None or move not in position.legal_moves():
        return None
    from inarow.models.network import contributions

    return contributions(network, position, move)


def sides(found: Explanation) -> dict[str, list[Contribution]]:
    """Return the largest contributions for and against the move."""
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
    """Return table rows: for or against, share of the value, and feature."""
    if found.settled:
        blocks = f", after forced blocks {' '.join(map(format_move, found.blocks))}" if found.blocks else ""
        return [["settled", f"{found.value:+.3f}", f"{found.settled} in sight, not estimated{blocks}"]]
    return [
        [side, f"{part.share:+.3f}", _looked_at(part, game)] for side, parts in sides(found).items() for part in parts
    ]


def _looked_at(part: Contribution, game: Game) -> str:
    """Describe the cells or threats of a feature."""
    if part.part == "memory":
        return "this exact position"
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
    """Format ascending numbers as a range (1–4) or a list (1, 3)."""
    if len(numbers) > 1 and numbers[-1] - numbers[0] == len(numbers) - 1:
        return f"{numbers[0]}–{numbers[-1]}"
    return ", ".join(map(str, numbers))


@command("inarow trace tictactoe 159 alphabeta:depth=3 --out steps.jsonl")
def trace(
    game_name: GameArgument,
    words: Annotated[
        list[str],
        typer.Argument(
            metavar="[MOVES] AGENT",
            help="Moves counted from 1, none for the empty board; then minimax, alphabeta or mcts, with parameters.",
        ),
    ],
    limit: Annotated[
        int, typer.Option("--limit", min=1, max=MAX_EVENTS, help="Maximum number of events.")
    ] = USUAL_EVENTS,
    out: Annotated[Path | None, typer.Option("--out", "-o", help="Write to a file instead of standard output.")] = None,
    seed: SeedOption = 0,
    force: ForceOption = False,
) -> None:
    """Write the steps of a search as JSON lines.

    The first line describes the search. Every other line is an event: a node entered with its window, a leaf, a cutoff
    with its reason, or a value returned; for MCTS a selection, expansion, rollout or backup.
    """
    from inarow.tracing import trace as record
    from inarow.tracing.trace import json_lines

    if len(words) > 2:
        raise InarowError(f"expected [MOVES] AGENT after the game, got {len(words)} arguments: {' '.join(words)}")
    position = parse_position(game(game_name), words[0] if len(words) == 2 else "")
    path = None if out is None else new_file(out, force)
    found = record(position, agent(one_agent(words[-1])), events=limit, seed=seed)
    if path is None:
        for line in json_lines(found):
            sys.stdout.write(f"{line}\n")
    else:
        with text_writer(path) as file:
            file.writelines(f"{line}\n" for line in json_lines(found))
        say(f"{path}: {len(found):,} events of {found.agent}, {found.nodes:,} nodes.")
    if found.truncated:
        note(f"truncated after {found.truncated}; raise --limit to record more events")
