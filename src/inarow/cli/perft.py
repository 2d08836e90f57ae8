"""inarow perft: how many positions and move sequences there are at each ply."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated

import typer

from inarow.cli.common import GameArgument, JsonOption, print_json, print_table

if TYPE_CHECKING:
    from inarow.rules.counting import PlyCount


def register(app: typer.Typer) -> None:
    """Add the command."""
    app.command(epilog="Example: inarow perft tictactoe 9")(perft)


def perft(
    game_name: GameArgument,
    depth: Annotated[int, typer.Argument(metavar="PLIES", help="How many plies.", min=0)],
    moves: Annotated[
        str, typer.Option("--moves", metavar="MOVES", help="Start after these moves instead of on the empty board.")
    ] = "",
    divide: Annotated[
        bool, typer.Option("--divide", help="Also count below each first move, to locate an error.")
    ] = False,
    as_json: JsonOption = False,
) -> None:
    """Count positions and move sequences ply by ply. Won and drawn positions are counted but not continued."""
    from inarow.errors import InarowError
    from inarow.rules import game
    from inarow.rules.counting import count_plies
    from inarow.rules.notation import format_move, parse_position

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
