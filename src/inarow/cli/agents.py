"""The commands ``agents``, ``games``, ``show`` and ``perft``: what can be played, and the rules."""

from __future__ import annotations

from collections.abc import Sequence
from types import SimpleNamespace
from typing import TYPE_CHECKING, Annotated, Any

import typer

from inarow.agents import agent_class, agent_names
from inarow.agents.file import File
from inarow.agents.registry import agent_classes, is_file, plugin_names
from inarow.cli.common import GameArgument, JsonOption, console, print_json, print_table, say
from inarow.cli.pages import command, two_columns
from inarow.errors import InarowError
from inarow.formatting import capitalised, sentence
from inarow.plugins import PluginError
from inarow.rules import CONNECT4, GAMES, TICTACTOE, format_move, format_moves, game, parse_moves
from inarow.rules.notation import parse_drawing, parse_position
from inarow.rules.position import Position, draw_row

if TYPE_CHECKING:
    from inarow.rules.counting import PlyCount


@command("inarow agents rules")
def agents(
    name: Annotated[
        str | None,
        typer.Argument(metavar="[NAME]", help="The agent or evaluator to describe.", show_default="list all"),
    ] = None,
    as_json: JsonOption = False,
) -> None:
    """List the agents, or describe one and its parameters.

    An agent is written NAME or NAME:KEY=VALUE,KEY=VALUE, an evaluator NAME or NAME(KEY=VALUE,KEY=VALUE).
    """
    from inarow.agents.evaluators import EVALUATORS
    from inarow.training.trainer import trainer, trainer_names

    if name is None:
        if as_json:
            evaluators = [_describe(e) for e in EVALUATORS.values()]
            print_json({"agents": [_describe(kind) for kind in agent_classes()], "evaluators": evaluators})
        else:
            _print_all()
        return
    if is_file(name):
        _print_file(name, as_json)
        return
    evaluates = name in EVALUATORS and name not in agent_names()  # ntuple is both
    if as_json:
        if evaluates:
            print_json({"evaluators": [_describe(EVALUATORS[name])]})
        else:
            training = {"trainers": [_describe(trainer(name))]} if name in trainer_names() else {}
            print_json({"agents": [_describe(agent_class(name))], **training})
    else:
        _print_one(EVALUATORS[name] if evaluates else agent_class(name))


def _print_all() -> None:
    from inarow.agents.evaluators import EVALUATORS

    groups: dict[str, list[tuple[str, str]]] = {"": []}
    broken = []
    for name in agent_names():
        try:
            kind = agent_class(name)
        except PluginError as error:
            broken.append(str(error))
            continue
        note = " (From an installed package.)" if name in plugin_names() and not kind.group else ""
        groups.setdefault(kind.group, []).append((name, sentence(capitalised(kind.summary)) + note))
    groups[""].append(("mine.py", "An agent in a Python file; `inarow check mine.py` tests it."))
    for group, rows in groups.items():
        print_table(group or "Agents", ["name", "what it does"], rows, numbers=False)
    say(f"Evaluators for greedy, minimax and alphabeta: {', '.join(EVALUATORS)}.")
    say("`inarow agents NAME` shows an agent's parameters.")
    for one in broken:
        say(sentence(f"inarow: {one}"), stderr=True)


def _print_one(kind: Any) -> None:
    """Print what an agent does, its parameters and, where known, its rating."""
    from inarow.training.trainer import trainer, trainer_names

    say(f"{kind.name}: {sentence(kind.summary)}")
    parameters = kind.parameters()
    if parameters:
        _print_parameters(kind, parameters)
    else:
        say("It takes no parameters.")
    if kind.what == "agent":
        if kind.name in trainer_names():
            say(f"`inarow train GAME {kind.name}` trains it. Parameters of training:")
            _print_parameters(trainer(kind.name), trainer(kind.name).parameters())
        _print_ratings(kind.name)


def _print_file(path: str, as_json: bool) -> None:
    """Describe an agent in a file from its declarations, without running it."""
    made = File.of(path)
    shown = SimpleNamespace(
        name=made.path, what="file", summary=made.description, parameters=lambda: made.declared.parameters
    )
    if as_json:
        print_json({"agents": [_describe(shown)]})
    else:
        _print_one(shown)
        say(f"`inarow check {made.path}` tests it.")


def _print_ratings(name: str) -> None:
    """Print the shipped ratings of agents with this name."""
    from inarow.ladder import elo_text, known_ratings

    for board in (CONNECT4, TICTACTOE):
        rows = [(spec, elo_text(elo)) for spec, elo in known_ratings(board).items() if spec.partition(":")[0] == name]
        if rows:
            print_table(f"Its rating on the ladder of {board.title}", ["agent", "Elo (95 %)"], rows)


def _print_parameters(kind: Any, parameters: Sequence[Any]) -> None:
    """Print each parameter with its default, its values and its help."""
    written = f"{kind.name}({{}})" if kind.what == "evaluator" else f"{kind.name}:{{}}"
    rows = [
        (f"{p.name}={p.format(p.default)}", f"{sentence(capitalised(p.help))} Value: {sentence(p.wanted)}")
        for p in parameters
    ]
    typer.echo(f"\nParameters with their defaults\n{two_columns(rows)}\n")
    first = parameters[0]
    say(f"For example {written.format(f'{first.name}={first.format(first.default)}')}; separate several by commas.")


def _describe(kind: Any) -> dict[str, Any]:
    parameters = [
        {"name": p.name, "default": p.format(p.default), "values": p.wanted, "help": p.help} for p in kind.parameters()
    ]
    return {"name": kind.name, "summary": kind.summary, "parameters": parameters}


@command("inarow show connect4 4453")
def show(
    game_name: GameArgument,
    moves: Annotated[
        str,
        typer.Argument(metavar="[MOVES]", help="Moves, counted from 1: 4453; on wider boards with commas: 12,3,7."),
    ] = "",
    drawing: Annotated[
        str | None,
        typer.Option(
            "--drawing",
            metavar="DRAWING",
            help="Position as rows of X, O and dots from the top, separated by /.",
        ),
    ] = None,
    as_json: JsonOption = False,
) -> None:
    """Draw a position."""
    from inarow.drawing.text import draw

    board = game(game_name)
    if drawing is not None and moves:
        raise InarowError("give moves or --drawing, not both")
    line = parse_moves(board, moves)
    position = Position.start(board, line) if drawing is None else parse_drawing(board, drawing)
    outcome = position.outcome()
    if as_json:
        print_json(
            {
                "game": board.name,
                "moves": format_moves(board, line) if drawing is None else None,
                "ply": position.ply,
                "to_move": None if outcome else position.to_move.name.lower(),
                "legal": list(position.legal_moves()),
                "result": None
                if outcome is None
                else (outcome.winner.name.lower() if outcome.winner is not None else "draw"),
                "winning_cells": list(position.winning_cells()),
                "rows": [draw_row(row) for row in position.grid()],
                "key": str(position.key()),
                "canonical_key": str(position.canonical_key()),
            }
        )
        return
    screen = console()
    screen.print(draw(position, last=line[-1] if line else None, screen=screen.width))
    if outcome is not None:
        screen.print(f"{position.result_text()} after {position.ply} moves".capitalize() + ".")
        return
    legal = ", ".join(format_move(move) for move in position.legal_moves())
    screen.print(f"{position.to_move.name.capitalize()} player ({'XO'[position.to_move]}) to move. Legal: {legal}.")


@command("inarow games")
def games(as_json: JsonOption = False) -> None:
    """List the named games, and how to write other boards."""
    if as_json:
        keys = ("columns", "rows", "k", "gravity", "moves")
        print_json({"games": [{"name": n, **{key: getattr(g, key) for key in keys}} for n, g in GAMES.items()]})
        return
    rows = [(n, g.title, f"{g.columns} × {g.rows}", g.k, "yes" if g.gravity else "no") for n, g in GAMES.items()]
    print_table("Games", ["name", "game", "columns × rows", "in a row", "stones fall"], rows, numbers=False)
    say("Any other board: COLUMNSxROWSxK, such as 5x4x4, or 4x4x3-free without gravity.")
    say("Variants: 7x6x4-misere (completing a line loses), 7x6x4-cylinder (the last column is adjacent to the first).")
    say("Columns × (rows + 1) may be up to 63.")


@command("inarow perft tictactoe 9")
def perft(
    game_name: GameArgument,
    depth: Annotated[int, typer.Argument(metavar="PLIES", help="Number of plies.", min=0)],
    moves: Annotated[
        str, typer.Option("--moves", metavar="MOVES", help="Start after these moves instead of on the empty board.")
    ] = "",
    divide: Annotated[
        bool, typer.Option("--divide", help="Also count below each first move, to locate an error.")
    ] = False,
    as_json: JsonOption = False,
) -> None:
    """Count positions and move sequences ply by ply. Won and drawn positions are counted but not continued."""
    from inarow.rules.counting import count_plies

    board = game(game_name)
    start = parse_position(board, moves)
    plies: list[PlyCount] = []
    below: dict[int, dict[str, int]] = {}
    ending: BaseException | None = None
    try:
        for ply in count_plies(board, depth, start):
            plies.append(ply)
        for move in start.legal_moves() if divide and depth > 0 else ():
            counts = list(count_plies(board, depth - 1, start.play(move)))
            last = counts[-1] if len(counts) == depth else None
            below[move] = {"positions": last.positions if last else 0, "sequences": last.sequences if last else 0}
    except (InarowError, KeyboardInterrupt) as error:
        ending = error  # what was counted is shown first
    if as_json:
        data = {"game": board.name, "plies": [ply._asdict() for ply in plies]}
        divided = [{"move": move, **counts} for move, counts in below.items()]
        print_json({**data, "divide": divided} if divide else data)
    else:
        head = ["ply", "positions", "sequences", "won by first", "won by second", "drawn"]
        print_table(f"{board.title} from ply {start.ply}", head, [[f"{n:,}" for n in ply] for ply in plies])
    if divide and not as_json:
        rows = [(format_move(move), *(f"{n:,}" for n in counts.values())) for move, counts in below.items()]
        print_table(f"Below each first move, at ply {depth}", ["move", "positions", "sequences"], rows)
    if ending is not None:
        raise ending
