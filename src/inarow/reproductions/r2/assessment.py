"""What R2 published, row by row, and the runs of its printed program that each row is compared with."""

from __future__ import annotations

from collections.abc import Mapping

from inarow.reproductions.assessment import Row
from inarow.reproductions.distributions import published, shipped_runs
from inarow.reproductions.sampling import Batches, Experiment, Pairing, Source

BASELINE, LEARNS = "r2-baseline", "r2-qlearning"
BATCHES = (10, 100, 1000)
DEPTHS = {"tictactoe": {"": ""}, "connect4": {" depth 4": ",depth=4", " depth 5": ",depth=5"}}
FRESH, CARRIED = "fresh for each batch", "carried over"

SOURCES: tuple[Source, ...] = tuple(
    Experiment(f"{game}{depth}", game, (
        Pairing("baseline – minimax", BASELINE, f"r2-minimax:letter=o{given}", 100, lot=True),
    ), runs=40)
    for game, depths in DEPTHS.items() for depth, given in depths.items()
) + tuple(
    Batches(
        f"{game} {name} – learner, {reading}", game, LEARNS, spec, batches, reading == FRESH,
        10 if "depth" in name else 20,
    )
    for game, depths in DEPTHS.items()
    for name, spec in (
        ("baseline", BASELINE),
        *((f"minimax{depth}", f"r2-minimax:letter=x{given}") for depth, given in depths.items()),
    )
    for reading, batches in ((FRESH, BATCHES), (CARRIED, BATCHES * 2))
)  # fmt: skip
"""What ``scripts/report_runs.py r2`` runs. Minimax is X against the learner and O against the baseline."""

TIES = ", ties counted for player 2"


def rows() -> list[Row]:
    """Return every published row of both games."""
    return [_row(game, row) for game in DEPTHS for row in published(f"r2_{game}")]


def _row(game: str, row: Mapping[str, str]) -> Row:
    runs, size = shipped_runs("r2"), int(row["games"])
    place = BATCHES.index(size)
    keys: dict[str, str] = {}
    for depth in DEPTHS[game]:
        if row["p2"] == "minimax":
            keys[depth.strip()] = f"{game}{depth} / baseline – minimax"
            continue
        name = "baseline" if row["p1"] == "baseline" else f"minimax{depth}"
        prefix = "" if name == "baseline" else f"{depth.strip()}, " if depth else ""
        keys[f"{prefix}learner {FRESH}"] = f"{game} {name} – learner, {FRESH} / {place}"
        for number, again in enumerate(("", ", second pass")):
            batch = place + number * len(BATCHES)
            keys[f"{prefix}learner {CARRIED}{again}"] = f"{game} {name} – learner, {CARRIED} / {batch}"
    readings = {name: runs[key] for name, key in keys.items() if key in runs}
    ties: list[str] = []
    if game == "connect4":
        ties = [f"{name}{TIES}".removeprefix(", ") for name in readings]
        readings |= dict(zip(ties, list(readings.values()), strict=True))
    unstated = [
        *(["whether a saved table was used"] if row["p2"] == "qlearning" else []),
        *(["the depth, 4 or 5"] if game == "connect4" and "minimax" in (row["p1"], row["p2"]) else []),
        *(["how a tie was counted"] if game == "connect4" else []),
    ]
    counts = (int(row["p1_score"]), int(row["ties"]), int(row["p2_score"]))
    pruning = {"yes": ", pruning", "no": ", no pruning"}.get(row["alpha_beta"], "")
    return Row(
        f"{game} {row['match']}", (game, row["match"], f"{row['p1']} – {row['p2']}{pruning}", row["games"]),
        " / ".join(map(str, counts)), size, [counts], moves=row["avg_moves"], readings=readings, ties_to_second=ties,
        assumed="pruning does not change a move" if pruning == ", no pruning" else "", open=" and ".join(unstated),
    )  # fmt: skip
