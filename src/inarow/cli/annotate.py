"""inarow annotate: the blunders of recorded matches, by the exact solver."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from inarow.cli.common import JsonOption, print_json, print_table, say, waiting
from inarow.formatting import share, signed

if TYPE_CHECKING:
    from inarow.truth import GradedMove


def register(app: typer.Typer) -> None:
    """Add the command."""
    app.command(epilog="Example: inarow annotate matches.jsonl --from-ply 12")(annotate)


def annotate(
    records: Annotated[Path, typer.Argument(metavar="FILE", help="A file of records, as `inarow match` writes them.")],
    from_ply: Annotated[
        int, typer.Option("--from-ply", min=0, help="Skip positions with fewer stones; early ones take longest.")
    ] = 0,
    nodes: Annotated[
        int | None, typer.Option("--nodes", min=1, help="Most nodes to visit per position; unsolved ones are skipped.")
    ] = None,
    seconds: Annotated[float | None, typer.Option("--seconds", min=0.001, help="Most seconds per position.")] = None,
    as_json: JsonOption = False,
) -> None:
    """List the moves of recorded matches that gave away a win or draw.

    Every move is graded by the exact solver.
    """
    from inarow.limits import Limit
    from inarow.match.files import read_records
    from inarow.rules import Game
    from inarow.truth import SolvedPositions, count_by

    limit = Limit(nodes=nodes, seconds=seconds)
    by_game: dict[Game, SolvedPositions] = {}
    found: list[tuple[int, str, GradedMove]] = []
    total = 0
    with waiting("The solver is looking at every move …"):
        for number, record in enumerate(read_records(records), start=1):
            if record.game not in by_game:
                by_game[record.game] = SolvedPositions(record.game, limit)
            total += len(record.moves)
            for agent, graded in by_game[record.game].grade_record(record, from_ply):
                if graded is not None:
                    found.append((number, agent, graded))
    blunders = [(number, agent, graded) for number, agent, graded in found if graded.blunder]
    agents = count_by((agent, graded) for _, agent, graded in found)
    if as_json:
        print_json(
            {
                "moves": total,
                "measured": len(found),
                "blunders": [_blunder_json(*blunder) for blunder in blunders],
                "agents": {agent: accuracy.to_json() for agent, accuracy in agents.items()},
            }
        )
        return
    for number, agent, graded in blunders:
        say(
            f"match {number}, move {graded.ply + 1}: {agent} ({graded.seat.name.lower()}) played {graded.move + 1}, "
            f"and a {_word(graded.best)} became a {_word(graded.score)} "
            f"(score {signed(graded.score)} instead of {signed(graded.best)})."
        )
    head = ["agent", "moves", "perfect (95 %)", "verdict kept (95 %)", "blunders", "mean regret"]
    rows = [
        (agent, a.moves, share(a.perfect_rate), share(a.kept_rate), a.blunders, f"{a.mean_regret or 0:.2f}")
        for agent, a in agents.items()
    ]
    print_table(f"{len(found)} of {total} moves measured", head, rows)


def _word(score: int) -> str:
    from inarow.solver import Verdict

    return Verdict.of(score).name.lower()


def _blunder_json(number: int, agent: str, graded: GradedMove) -> dict[str, Any]:
    return {
        "match": number,
        "move_number": graded.ply + 1,
        "agent": agent,
        "seat": graded.seat.name.lower(),
        "move": graded.move,
        "score": graded.score,
        "best": graded.best,
    }
