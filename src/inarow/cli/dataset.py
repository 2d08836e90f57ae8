"""inarow dataset: positions with the exact score of every move, as a file."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from inarow.cli.common import ForceOption, GameArgument, JsonOption, SeedOption, new_file, print_json, progress, say
from inarow.cli.running import ClusterOption, WorkersOption
from inarow.limits import MOST_MATCHES


def register(app: typer.Typer) -> None:
    """Add the command."""
    app.command(epilog="Example: inarow dataset connect4 --from-ply 20 --per-ply 50 --out positions.csv")(dataset)


def dataset(
    game_name: GameArgument,
    out: Annotated[Path, typer.Option("--out", help="The file: .csv, or .npz for NumPy.")],
    per_ply: Annotated[
        int, typer.Option("--per-ply", min=1, max=MOST_MATCHES, help="Positions of each ply, at most.")
    ] = 100,
    from_ply: Annotated[
        int | None, typer.Option("--from-ply", min=0, help="The earliest ply; early positions take longest to solve.")
    ] = None,
    to_ply: Annotated[int | None, typer.Option("--to-ply", min=0, help="The latest ply.")] = None,
    seconds: Annotated[
        float | None, typer.Option("--seconds", min=0.001, help="Leave out positions that take longer to solve.")
    ] = None,
    seed: SeedOption = 0,
    workers: WorkersOption = None,
    cluster: ClusterOption = None,
    force: ForceOption = False,
    as_json: JsonOption = False,
) -> None:
    """Write random positions with the exact score of every move.

    No two are the same or mirror images. Half of the moves that lead to them are random, the others win or block
    when they can.
    """
    from inarow.adapters.dataset import check_ending, make_dataset
    from inarow.arena import open_executor
    from inarow.errors import InarowError
    from inarow.limits import Limit
    from inarow.rules import game
    from inarow.truth.positions import quick_ply

    board = game(game_name)
    check_ending(out)
    new_file(out, force)
    first = quick_ply(board) if from_ply is None else from_ply
    last = board.cells - 1 if to_ply is None else to_ply
    if first > last:
        raise InarowError(f"--from-ply {first} is after --to-ply {last}; give them in order")
    if last >= board.cells:
        raise InarowError(f"plies of {board} are from 0 to {board.cells - 1}; {first} to {last} was given")
    plies = range(first, last + 1)
    with open_executor(workers, cluster) as executor, progress() as bar:
        task = bar.add_task("solving", total=len(plies) * per_ply)
        limit = Limit(seconds=seconds)
        advance = lambda: bar.advance(task)  # noqa: E731
        made = make_dataset(board, plies, per_ply, seed=seed, limit=limit, on_position=advance, each=executor.map)
    made.write(out)
    if as_json:
        print_json({"game": board.name, "file": str(out), "positions": len(made.known), "unsolved": made.unsolved})
        return
    left_out = f"; {made.unsolved} left out, not solved within {seconds:g} s" if made.unsolved else ""
    say(f"{len(made.known):,} positions of {board.title}, plies {first} to {last}, in {out}{left_out}.")
