"""What R5 published, match by match, and the runs of its printed program that each is compared with."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from inarow.randomness import derive
from inarow.reproductions.assessment import Row, Verdict
from inarow.reproductions.distributions import Sample, published, shipped_runs
from inarow.reproductions.sampling import Logs, Source

RATES = (1_333, 1_500, 2_000)
"""Roll-outs a second of the report's program: about 20,000 in 10 to 15 s."""
MATCHES = {"1 s": (2, "depth 6"), "3 s": (3, "depth 8")}
"""Matches 2 and 3 by the limit of MCTS: the number, and alpha–beta's limit."""
ASKED, REPLIES = ("5", "546", "54643"), "4, 4, 4"
"""What a person played against alpha–beta in the report's log, and its replies; columns from 1."""
ONE_PLY_LOG = "3 3 2 2 4"
"""The legible moves of one-ply against itself, columns from 0."""


@dataclass(frozen=True)
class Matches:
    """The matches as printed, on R5's own board; a run is one match at each speed."""

    key: str
    number: int
    runs: int = 40

    def how(self, key: str) -> str:
        """Say in words what the runs are."""
        return f"match {self.number} as printed, {key}, MCTS begins"

    def independent(self, key: str) -> bool:
        """Return True: no match knows of another."""
        return True

    def run(self, number: int) -> dict[str, dict[str, Any]]:
        """Return the result of one match at each speed, counted for MCTS."""
        from inarow.reproductions.r5.matches import ALPHABETA, MCTS, SECONDS, play_as_printed

        found = {}
        for rate in RATES:
            seed = derive(number, "match", self.number, rate)
            played = play_as_printed(self.number, seed, rollouts=rate * SECONDS[self.number])
            counts = [int(played.winner == winner) for winner in (MCTS, None, ALPHABETA)]
            found[f"{rate:,} roll-outs a second"] = {"counts": counts, "plies": len(played.columns)}
        return found


SOURCES: tuple[Source, ...] = (
    *(Matches(f"match {number}", number) for number, _ in MATCHES.values()),
    Logs("logs", "connect4", {"one-ply": ("r5-oneply", ()), "replies": ("r5-alphabeta-human", ASKED)}),
)
"""What ``scripts/report_runs.py r5`` runs."""


def rows() -> list[Row]:
    """Return the published matches."""
    return [_row(row, shipped_runs("r5")) for row in published("r5_matches")]


def _row(row: Mapping[str, str], runs: Mapping[str, Sample]) -> Row:
    names = [
        f"{row[name]}, {row[f'{name}_limit']}" if row[f"{name}_limit"] else row[name] for name in ("first", "second")
    ]
    key, labels, winner = " – ".join(names), (names[0], names[1]), row["winner"] or row["note"]
    if row["winner"] == "draw":
        why = "its board is filled with '0' strings, so that no column is legal and the match ends at once, a draw"
        return Row(key, labels, winner, verdict=Verdict.EXACT if _first_match() else Verdict.IMPOSSIBLE, why=why)
    if row["first"] == "human" and row["second"] == "MCTS":
        return Row(key, labels, winner, why="a person played, and the moves are not given")
    if row["first"] == "human":
        return _log(key, labels, f"replies {REPLIES}", runs["logs / replies"].how)
    if row["first"] == "one-ply":
        return _log(key, labels, f"{ONE_PLY_LOG} …", runs["logs / one-ply"].how)
    if not row["winner"]:
        return Row(key, labels, winner, why="the result is not legible")
    number, _ = MATCHES[row["first_limit"]]
    names = [f"{rate:,} roll-outs a second" for rate in RATES]
    readings = {name: runs[f"match {number} / {name}"] for name in names}
    return Row(
        key, labels, "MCTS wins", 1, [(1, 0, 0)], readings=readings, open="how many roll-outs a second were",
        assumed="MCTS begins",
    )  # fmt: skip


def _first_match() -> bool:
    from inarow.reproductions.r5.matches import Printed, play_as_printed

    return play_as_printed(1) == Printed((), None)


def _log(key: str, labels: tuple[str, ...], theirs: str, ours: str) -> Row:
    """Return the row of a log: exact if the program's moves are those that are legible."""
    same = ours.startswith(theirs.removeprefix("replies ").removesuffix(" …"))
    return Row(
        key, labels, theirs, verdict=Verdict.EXACT if same else Verdict.IMPOSSIBLE,
        why=f"the printed program plays {ours}, always",
    )  # fmt: skip
