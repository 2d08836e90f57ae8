"""inarow decide: what an agent would play in a position, and why."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated, Any

import typer

from inarow.cli.common import GameArgument, JsonOption, SeedOption, console, print_json, print_table
from inarow.formatting import duration

if TYPE_CHECKING:
    from inarow.agents import Decision
    from inarow.rules import Position


def register(app: typer.Typer) -> None:
    """Add the command."""
    app.command(epilog='Example: inarow decide connect4 4453 "alphabeta:depth=8,table=on"')(decide)


def decide(
    game_name: GameArgument,
    moves: Annotated[str, typer.Argument(metavar="MOVES", help='Moves counted from 1: 4453; "" for the empty board.')],
    agent_spec: Annotated[str, typer.Argument(metavar="AGENT", help="The agent; `inarow agents` lists them.")],
    depth: Annotated[int | None, typer.Option(help="Most plies to look ahead.")] = None,
    nodes: Annotated[int | None, typer.Option(help="Most nodes to visit.")] = None,
    simulations: Annotated[int | None, typer.Option(help="Most simulations to run.")] = None,
    seconds: Annotated[float | None, typer.Option(help="Most seconds to think.")] = None,
    seed: SeedOption = 0,
    as_json: JsonOption = False,
) -> None:
    """Ask an agent for one decision; show its move and the values that it gives to moves."""
    from inarow import api
    from inarow.agents import Limit, agent
    from inarow.rules import game
    from inarow.rules.notation import parse_position

    board = game(game_name)
    position = parse_position(board, moves)
    decider = agent(agent_spec)
    limit = Limit(depth=depth, nodes=nodes, simulations=simulations, seconds=seconds)
    decision = api.decide(position, decider, limit=limit, seed=seed)
    if as_json:
        print_json(decision_json(position, moves, decider.spec, decision))
    else:
        _print(position, decider.spec, decision)


def decision_json(position: Position, moves: str, spec: str, decision: Decision) -> dict[str, Any]:
    """The decision for JSON: moves count from 1, values are for the side to move, what the agent adds comes last."""
    figures = {name: decision.by_move[name] for name in decision.by_move}
    each = [
        {"move": move + 1, "value": decision.values.get(move), **{n: by.get(move) for n, by in figures.items()}}
        for move in position.legal_moves()
    ]
    return {
        "game": position.game.name,
        "position": moves,
        "agent": spec,
        "move": decision.move + 1,
        "value": decision.value,
        "points": decision.points,
        "moves": each,
        "nodes": decision.nodes,
        "depth": decision.depth,
        "line": [move + 1 for move in decision.line],
        "seconds": decision.seconds,
        **decision.details,
    }


def _print(position: Position, spec: str, decision: Decision) -> None:
    from inarow.drawing.text import draw
    from inarow.rules import format_moves

    screen = console()
    screen.print(draw(position))
    names = list(decision.by_move)
    rows = [
        [f"{move + 1}{' *' if move == decision.move else ''}", _number(decision.values.get(move))]
        + [_number(decision.by_move[name].get(move)) for name in names]
        for move in position.legal_moves()
    ]
    screen.print(f"{spec} plays {decision.move + 1} for the {position.to_move.name.lower()} player.", soft_wrap=True)
    print_table("Moves", ["move", "value", *names], rows)
    facts = {
        "value": _number(decision.value),
        "points": _number(decision.points),
        "depth": _number(decision.depth),
        "nodes": f"{decision.nodes:,}" if decision.nodes else "–",
        "line": format_moves(position.game, decision.line) or "–",
        "time": duration(decision.seconds),
    }
    facts |= {name.replace("_", " "): _fact(value) for name, value in decision.details.items()}
    print_table("Decision", ["what", "figure"], [(n, text) for n, text in facts.items() if text != "–"], numbers=False)


def _number(value: float | None) -> str:
    if value is None:
        return "–"
    return f"{value:,}" if isinstance(value, int) else f"{value:+.3f}"


def _fact(value: object) -> str:
    if isinstance(value, bool):
        return "yes" if value else "no"
    if isinstance(value, (int, float)):
        return _number(value)
    return ", ".join(_fact(part) for part in value) if isinstance(value, (list, tuple)) else str(value)
