"""inarow grade: grade an agent by the exact solver."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from inarow.cli.common import (
    GameArgument,
    JsonOption,
    SeedOption,
    print_json,
    print_table,
    say,
    takes,
    waiting,
)
from inarow.cli.external import SandboxOptions
from inarow.cli.running import ClusterOption
from inarow.formatting import fixed, share
from inarow.limits import MOST_MATCHES, MOST_WORKERS

if TYPE_CHECKING:
    from inarow.truth import Grade


def register(app: typer.Typer) -> None:
    """Add the command."""
    app.command(epilog="Example: inarow grade tictactoe qlearning")(grade)


@takes(SandboxOptions)
def grade(
    game_name: GameArgument,
    spec: Annotated[str, typer.Argument(metavar="AGENT", help="The agent; `inarow agents` lists them.")],
    positions: Annotated[
        int, typer.Option(min=0, max=MOST_MATCHES, help="Random positions, in games too large to use all.")
    ] = 200,
    table: Annotated[
        Path | None,
        typer.Option(help="Draw positions from a file of `inarow table build`; --positions 0 takes all with a choice."),
    ] = None,
    first_ply: Annotated[
        int | None, typer.Option(min=0, help="Earliest ply of the random positions; early ones take long to solve.")
    ] = None,
    matches: Annotated[
        int,
        typer.Option("--matches", min=0, max=MOST_MATCHES, help="Matches against each perfect player in each seat."),
    ] = 0,
    openings: Annotated[
        int,
        typer.Option(min=0, help="Also play from all openings won for the agent, of this many plies and one fewer."),
    ] = 0,
    opening_seconds: Annotated[
        float | None, typer.Option(min=0.001, help="Most seconds to solve each opening; unsolved ones are skipped.")
    ] = None,
    seed: SeedOption = 0,
    workers: Annotated[int, typer.Option(min=1, max=MOST_WORKERS, help="Worker processes.")] = 1,
    cluster: ClusterOption = None,
    as_json: JsonOption = False,
    *,
    options: SandboxOptions,
) -> None:
    """Grade an agent by the exact solver.

    How often does it keep the verdict and find the best move? A small game is graded in all positions
    and all lines of play, others in random positions with a choice, whose moves differ in verdict. Its values are
    graded on a sample with as many won as drawn and lost positions. With --matches or --openings the agent also plays
    against perfect players.
    """
    from inarow.agents import Limit, agent
    from inarow.arena import open_executor
    from inarow.errors import InarowError
    from inarow.rules import game
    from inarow.solver.tables import read_table
    from inarow.truth import grade_matches, grade_positions
    from inarow.truth.grading import opening_warning, won_openings
    from inarow.truth.positions import SolvedPositions

    board = game(game_name)
    if positions == 0 and table is None:
        raise InarowError("--positions 0 needs --table; give a number of positions")
    solved = SolvedPositions(board, table=None if table is None else read_table(table, board))
    (graded,) = options.agents(spec)
    with open_executor(workers, cluster) as executor:
        each = executor.map
        with waiting("Comparing its moves with the exact solution …"):
            found = grade_positions(
                graded, board, count=positions, seed=seed, first_ply=first_ply, solved=solved, strict=False, each=each
            )
        if matches or openings:
            perfect = {"longest resistance": agent("perfect"), "random-perfect": agent("perfect:resist=any")}
            if slow := opening_warning(board):
                say(slow, stderr=True)
            limit = Limit(seconds=opening_seconds)
            with waiting("Playing against perfect players …"):
                kinds = [won_openings(board, plies, limit) for plies in (openings - 1, openings) if plies > 0]
                grade_matches(found, perfect, matches, seed, kinds, strict=False, each=each)
    if as_json:
        print_json(found.to_json())
    else:
        _print(found)


def _print(grade: Grade) -> None:
    """Print the tables, and the summary last, where a screen stops."""
    from inarow.truth.accuracy import NAMES

    plies = [
        (ply, f"{a.moves:,}", f"{a.kept:,}", share(a.kept / a.moves), f"{a.perfect:,}", share(a.perfect / a.moves))
        for ply, a in grade.by_ply.items()
    ]
    print_table(f"By ply, {grade.kind}", ["ply", "positions", "verdict kept", "share", "best score", "share"], plies)
    values = grade.values
    if values.skill is not None:
        counts = [
            (NAMES[outcome], one.positions, share(values.recall(outcome))) for outcome, one in values.by_outcome.items()
        ]
        print_table("Its values", ["position", "positions", "recognised (95 %)"], counts)
    if grade.lines:
        lines = [(seat, *(f"{counts[name]:,}" for name in counts)) for seat, counts in grade.lines.items()]
        print_table("Every line of play", ["seat", "wins", "draws", "losses"], lines)
    if grade.against:
        rows = [(name, len(scores), share(grade.points(name))) for name, scores in grade.against.items()]
        print_table("Points against perfect play", ["kind", "matches", "points (95 %)"], rows)
    total = grade.total
    if grade.shortage:
        say(grade.shortage)
    every = f"all {total.moves:,} positions" if grade.whole else f"{total.moves:,} positions with a choice"
    say(f"{grade.agent.spec} at {grade.game.title} keeps the verdict in {share(total.kept_rate)} of {every},")
    say(f"and plays a move with the best score in {share(total.perfect_rate)}.")
    if grade.whole:
        kept = share(total.nontrivial_kept_rate)
        say(f"Of the {total.nontrivial:,} positions with a choice it keeps the verdict in {kept}.")
    if values.skill is not None:
        skill, low, high = map(fixed, values.skill)
        accuracy = f"{share(values.balanced_accuracy)} of {values.positions:,} won, drawn and lost positions"
        say(f"Its value recognises {accuracy} (any constant: 33 %);")
        say(f"Brier skill score {skill} ({low} to {high}), where 1 is exact and 0 the best constant.")
