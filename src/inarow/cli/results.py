"""inarow results: the tables of a store, and its records in other forms."""

from __future__ import annotations

import csv
import json
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from inarow.cli.common import ForceOption, JsonOption, new_file, note, print_json, waiting
from inarow.cli.tables import print_results, print_truth, results_shape

if TYPE_CHECKING:
    from inarow.arena import Results, Store


def register(app: typer.Typer) -> None:
    """Add the command."""
    app.command(epilog="Example: inarow results league.db --export league.csv")(results)


def results(
    path: Annotated[Path, typer.Argument(metavar="FILE", help="A file written by `inarow tournament --out`.")],
    export: Annotated[
        Path | None,
        typer.Option(
            help="Write pairings (.csv), tables (.tex, .md), all results (.json) or every record (.jsonl, .txt)."
        ),
    ] = None,
    truth: Annotated[
        bool, typer.Option("--truth", help="Also measure every move against the exact solver; this may take long.")
    ] = False,
    truth_from: Annotated[
        int | None, typer.Option(min=0, help="Measure only moves in positions with at least this many stones.")
    ] = None,
    force: ForceOption = False,
    as_json: JsonOption = False,
) -> None:
    """Print or export the tables and records of a tournament. Nothing is played."""
    from inarow.arena import Store, load

    target = new_file(export, force) if export is not None else None
    with Store.read(path) as store:
        for said in store.notes:
            note(said)
        runs = [load(store, run) for run in store.runs()]
        shape = results_shape(runs)
        accuracies = []
        if truth:
            from inarow.arena.results import grade_run, usual_ply

            for one, data in zip(runs, shape["tournaments"], strict=True):
                least = usual_ply(one.game) if truth_from is None else truth_from
                with waiting("The solver is looking at every move …"):
                    accuracies.append((grade_run(store, one.run, least), least))
                found = {spec: accuracy.to_json() for spec, accuracy in accuracies[-1][0].items()}
                data["truth"] = {"from_ply": least, "agents": found}
        if target is not None:
            _export(store, runs, shape, target)
        elif as_json:
            print_json(shape)
        else:
            for one in runs:
                print_results(one)
            for one, (accuracy, least) in zip(runs, accuracies, strict=False):
                print_truth(one, accuracy, least)


def _export(store: Store, runs: list[Results], shape: dict[str, Any], path: Path) -> None:
    from inarow.atomic import text_writer
    from inarow.errors import InarowError
    from inarow.match.files import record_text, write_json_lines

    records = (record for one in runs for _, _, record in store.records(one.run))
    if path.suffix not in (".csv", ".json", ".jsonl", ".md", ".tex", ".txt", ".pgn"):
        raise InarowError(f"{path}: give a name that ends with .csv, .json, .jsonl, .md, .tex or .txt")
    with text_writer(path) as out:
        if path.suffix == ".jsonl":
            write_json_lines(records, out)
        elif path.suffix == ".json":
            out.write(json.dumps(shape, indent=2, ensure_ascii=False) + "\n")
        elif path.suffix in (".md", ".tex"):
            out.write(_tables(runs, path.suffix))
        elif path.suffix == ".csv":
            rows = [row for one in shape["tournaments"] for row in flat_pairings(one)]
            table = csv.DictWriter(out, list(rows[0]) if rows else [])
            table.writeheader()
            table.writerows(rows)
        else:
            for index, record in enumerate(records):
                out.write(("\n" if index else "") + record_text(record))


def _tables(runs: list[Results], suffix: str) -> str:
    """Standings, pairings, parameters and costs of each tournament, as Markdown or LaTeX."""
    from inarow.report.tables import to_latex, to_markdown
    from inarow.studies.sections import tournament_sections as parts

    write = to_latex if suffix == ".tex" else to_markdown
    made = []
    for number, one in enumerate(runs, start=1):
        key = f"{one.game.name}-{number}"
        made += [parts.standings(one, f"{key}-standings"), parts.meetings(one, f"{key}-pairings")]
        made += [parts.parameters(one, {}, f"{key}-parameters"), parts.cost(one, f"{key}-cost")]
    return "\n".join(map(write, made))


def flat_pairings(tournament: dict[str, Any]) -> list[dict[str, Any]]:
    """A row of plain columns for each pairing."""
    from inarow.stats import Interval

    return [
        {
            "game": tournament["config"]["game"],
            "a": pairing["a"]["spec"],
            "b": pairing["b"]["spec"],
            "matches": pairing["matches"],
            "distinct": pairing["distinct"],
            **{key: pairing["a"][key] for key in ("wins", "draws", "losses")},
            **{f"first_{key}": pairing["a"]["as_first"][key] for key in ("wins", "draws", "losses")},
            **{f"second_{key}": pairing["a"]["as_second"][key] for key in ("wins", "draws", "losses")},
            **{f"{key}_{end}": (pairing[key] or {}).get(end) for key in ("score", "elo") for end in Interval._fields},
            "interval": pairing["interval"],
            **{f"pool_elo_difference_{end}": value for end, value in pairing["pool_elo_difference"].items()},
            "superiority": pairing["superiority"],
            "pentanomial": " ".join(map(str, pairing["pentanomial"])),
            "verdict": pairing["verdict"],
        }
        for pairing in tournament["pairings"]
    ]
