"""inarow grade: measure an agent against the exact truth."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated

import typer

from inarow.cli.common import GameArgument, JsonOption, SeedOption, print_json, print_table
from inarow.formatting import share as percent

if TYPE_CHECKING:
    from inarow.truth.grading import Grade


def register(app: typer.Typer) -> None:
    """Add the command."""
    app.command(epilog="Example: inarow grade qlearning tictactoe")(grade)


def grade(
    spec: Annotated[str, typer.Argument(metavar="AGENT", help="The agent; `inarow agents` lists them.")],
    game_name: GameArgument,
    positions: Annotated[int, typer.Option(min=1, help="Random positions to ask, in games too large for all.")] = 200,
    first_ply: Annotated[
        int | None, typer.Option(min=0, help="The earliest ply of those; early ones take long to solve.")
    ] = None,
    games: Annotated[int, typer.Option(min=0, help="Matches against each perfect player in each seat.")] = 0,
    openings: Annotated[
        int,
        typer.Option(
            min=0,
            help="Also play them from all openings won for the agent: of this many plies or one fewer, by seat.",
        ),
    ] = 0,
    opening_seconds: Annotated[
        float | None, typer.Option(min=0.001, help="Solve each of those for so long at most; the others are left out.")
    ] = None,
    seed: SeedOption = 0,
    as_json: JsonOption = False,
) -> None:
    """Measure an agent against the exact truth: moves that keep the verdict, and matches against perfect play.

    In a small game all positions and all lines of play are asked; else random positions whose moves differ in verdict.
    """
    from inarow.agents import Limit, agent
    from inarow.rules import CONNECT4, game
    from inarow.truth.grading import grade_matches, grade_positions
    from inarow.truth.greedy_measures import EASY_CELLS
    from inarow.truth.openings import warning, won_openings

    board = game(game_name)
    easy = 0 if board == CONNECT4 else max(0, board.cells - EASY_CELLS)  # the truth set is solved already
    start = first_ply if first_ply is not None else easy
    found = grade_positions(agent(spec), board, count=positions, seed=seed, first=start)
    if games or openings:
        perfect = {"longest resistance": agent("perfect"), "random-perfect": agent("perfect:resist=any")}
        slow = warning(board)
        if slow:
            typer.echo(slow, err=True)
        limit = Limit(seconds=opening_seconds)
        kinds = [won_openings(board, plies, limit) for plies in (openings - 1, openings) if plies > 0]
        grade_matches(found, perfect, games, seed, kinds)
    if as_json:
        print_json(found.to_json())
    else:
        _print(found)


def _print(grade: Grade) -> None:
    kind = "all positions" if grade.whole else "random positions in which moves differ in verdict"
    typer.echo(f"{grade.agent.spec} at {grade.game.title}")
    typer.echo(f"keeps the verdict in {percent(grade.accuracy())} of {kind}")
    plies = [(ply, kept, asked, f"{100 * kept / asked:.1f} %") for ply, (kept, asked) in grade.by_ply.items()]
    print_table("By ply", ["ply", "kept", "asked", "share"], plies)
    if grade.lines:
        lines = [(seat, *(f"{counts[name]:,}" for name in counts)) for seat, counts in grade.lines.items()]
        print_table("Every line of play", ["seat", "wins", "draws", "losses"], lines)
    if grade.against:
        matches = [(name, len(scores), percent(grade.success(name))) for name, scores in grade.against.items()]
        print_table("Points against perfect play", ["match", "games", "points (95 %)"], matches)
