"""Training histories as a table: a pure function of the history in model files."""

from __future__ import annotations

import csv
from collections.abc import Mapping, Sequence
from typing import IO, Any


def curve_rows(header: Mapping[str, Any]) -> list[dict[str, Any]]:
    """One row an evaluation: the training's tally, the win rates by opponent and seat, the measures of truth."""
    rows = []
    for entry, timing in zip(header["history"], header.get("timing") or [{}] * len(header["history"]), strict=False):
        row = {name: value for name, value in entry.items() if name not in ("matches", "truth")}
        matches = max(1, entry["wins"] + entry["draws"] + entry["losses"])
        row["win_rate"] = entry["wins"] / matches
        row["seconds"] = timing.get("seconds")
        for opponent, seats in entry.get("matches", {}).items():
            for seat, counts in seats.items():
                total = max(1, sum(counts.values()))
                for name in ("wins", "draws", "losses"):
                    row[f"{opponent} as {seat} {name}"] = counts[name] / total
        row.update(entry.get("truth", {}))
        rows.append(row)
    return rows


def write_table(headers: Sequence[Mapping[str, Any]], out: IO[str]) -> None:
    """Write the histories of models as CSV, one row for each evaluation."""
    rows = [{"spec": one["spec"], "seed": one["seed"], **row} for one in headers for row in curve_rows(one)]
    writer = csv.DictWriter(out, list(dict.fromkeys(name for row in rows for name in row)))
    writer.writeheader()
    writer.writerows(rows)
