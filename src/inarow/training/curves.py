"""Training curves, as a table or a figure: a pure function of the history in a model file."""

from __future__ import annotations

import csv
import math
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from inarow.atomic import binary_writer, text_writer
from inarow.training.evaluation import SKILL
from inarow.training.learner import TrainingError

FIGURES = (".png", ".svg", ".pdf")


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


def write_curves(header: Mapping[str, Any], path: Path) -> None:
    """Write the curves of a model: a table for .csv, a figure for .png, .svg or .pdf."""
    rows = curve_rows(header)
    if not rows:
        raise TrainingError("this model has no history; train with --eval-every to have curves")
    if path.suffix == ".csv":
        names = list(dict.fromkeys(name for row in rows for name in row))
        with text_writer(path, TrainingError) as out:
            writer = csv.DictWriter(out, names)
            writer.writeheader()
            writer.writerows(rows)
    elif path.suffix in FIGURES:
        _figure(header, rows, path)
    else:
        raise TrainingError(f"{path.name}: curves are written as .csv or as a figure ({', '.join(FIGURES)})")


def _figure(header: Mapping[str, Any], rows: list[dict[str, Any]], path: Path) -> None:
    from matplotlib.backends.backend_agg import FigureCanvasAgg
    from matplotlib.figure import Figure

    figure = Figure(figsize=(11, 7), layout="constrained")
    FigureCanvasAgg(figure)
    axes = figure.subplots(2, 2)
    at = [row["episodes"] for row in rows]
    wins, truth, reward, size = axes.flat
    opponents = {
        f"{opponent} as {seat}": None
        for entry in header["history"]
        for opponent, seats in entry.get("matches", {}).items()
        for seat in seats
    }
    for label in opponents:
        wins.plot(at, _percents(rows, f"{label} wins"), marker=".", label=label)
    wins.set(title="Wins against", ylabel="%", ylim=(-3, 103))
    for name in {name: None for entry in header["history"] for name in entry.get("truth", {})}:
        if name == SKILL:
            reward.plot(at, _measured(rows, name), marker=".", label=name)
        else:
            truth.plot(at, _percents(rows, name), marker=".", label=name)
    truth.set(title="Against the exact truth", ylabel="%")
    reward.plot(at, [row["reward"] for row in rows], marker=".", label="reward per episode")
    reward.plot(at, [row["error"] for row in rows], marker=".", label="mean size of errors")
    reward.set(title="Learning")
    size.plot(at, [row["entries"] for row in rows], marker=".", label="entries")
    size.plot(at, [row["bytes"] for row in rows], marker=".", label="bytes")
    size.set(title="Size of the model", yscale="log")
    for panel in axes.flat:
        panel.set_xlabel("episodes")
        panel.grid(alpha=0.3)
        if panel.get_legend_handles_labels()[0]:
            panel.legend(fontsize=8)
    figure.suptitle(f"{header['spec']} on {header['game']}, seed {header['seed']}")
    with binary_writer(path, TrainingError) as out:
        figure.savefig(out, format=path.suffix[1:], dpi=120)


def _measured(rows: list[dict[str, Any]], name: str) -> list[float]:
    """A measure in each evaluation; not a number, which leaves a gap, where it was not taken."""
    return [row.get(name, math.nan) for row in rows]


def _percents(rows: list[dict[str, Any]], name: str) -> list[float]:
    return [100 * share for share in _measured(rows, name)]
