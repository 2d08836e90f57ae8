"""inarow annotate: the blunders of recorded games, by the exact solver."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from inarow.cli.common import JsonOption, console, print_json, print_table
from inarow.formatting import share

if TYPE_CHECKING:
    from inarow.truth import Measure, Summary


def register(app: typer.Typer) -> None:
    """Add the command."""
    app.command(epilog="Example: inarow annotate games.jsonl --from-ply 12")(annotate)


def annotate(
    records: Annotated[Path, typer.Argument(help="A file of records, as `inarow match` writes them.")],
    from_ply: Annotated[
        int, typer.Option("--from-ply", min=0, help="Leave out positions with fewer stones, which take longest.")
    ] = 0,
    nodes: Annotated[
        int | None, typer.Option("--nodes", min=1, help="Positions to visit at most for one; else it is left out.")
    ] = None,
    seconds: Annotated[float | None, typer.Option("--seconds", min=0.001, help="The same in seconds.")] = None,
    as_json: JsonOption = False,
) -> None:
    """Measure every move of recorded games against the truth, and mark those that gave away a win or a draw."""
    from inarow.limits import Limit
    from inarow.match.files import read_records
    from inarow.rules import Game
    from inarow.solver import Oracle
    from inarow.truth import measure_record, summarise

    limit = Limit(nodes=nodes, seconds=seconds)
    oracles: dict[Game, Oracle] = {}
    found: list[tuple[int, Measure]] = []
    total = 0
    for number, record in enumerate(read_records(records), start=1):
        oracle = oracles.setdefault(record.game, oracles.get(record.game) or Oracle(record.game))
        total += len(record.moves)
        measures = measure_record(record, oracle, from_ply=from_ply, limit=limit)
        found.extend((number, measure) for measure in measures)
    blunders = [(number, measure) for number, measure in found if measure.blunder]
    agents = summarise(measure for _, measure in found)
    if as_json:
        print_json(
            {
                "moves": total,
                "measured": len(found),
                "blunders": [_blunder_json(number, measure) for number, measure in blunders],
                "agents": {str(agent): _summary_json(summary) for agent, summary in agents.items()},
            }
        )
        return
    for number, measure in blunders:
        console().print(
            f"game {number}, move {measure.ply + 1}: {measure.agent} ({measure.seat.name.lower()}) played "
            f"{measure.move + 1}, score {measure.score:+d} instead of {measure.best:+d}"
        )
    head = ["agent", "moves", "perfect", "keep the verdict", "blunders", "mean regret"]
    rows = [
        (agent, s.moves, share(s.perfect_rate), share(s.kept_rate), s.blunders, f"{s.mean_regret or 0:.2f}")
        for agent, s in agents.items()
    ]
    print_table(f"{len(found)} of {total} moves measured", head, rows)


def _blunder_json(number: int, measure: Measure) -> dict[str, Any]:
    return {
        "game": number,
        "move_number": measure.ply + 1,
        "agent": measure.agent,
        "seat": measure.seat.name.lower(),
        "move": measure.move + 1,
        "score": measure.score,
        "best": measure.best,
    }


def _summary_json(summary: Summary) -> dict[str, Any]:
    return {
        "moves": summary.moves,
        "perfect": summary.perfect,
        "keeps_verdict": summary.kept,
        "blunders": summary.blunders,
        "mean_regret": summary.mean_regret,
        "nontrivial": summary.nontrivial,
        "nontrivial_kept": summary.nontrivial_kept,
    }
