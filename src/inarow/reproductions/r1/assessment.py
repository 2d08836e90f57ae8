"""What R1 published, row by row, and the runs of its printed program that each row is compared with."""

from __future__ import annotations

from collections.abc import Mapping

from inarow.reproductions.assessment import Row
from inarow.reproductions.distributions import Sample, published, shipped_runs
from inarow.reproductions.sampling import LEARNER, Experiment, Pairing, Source

DEFAULT = "r1-default"
PLAIN, PRUNED = "r1-minimax:pruning=off", "r1-minimax:pruning=on"
DEEP = f"{PRUNED},depth=5"
LEARNS = "r1-qlearning"
EPISODES = {"tictactoe": 10_000, "connect4": 15_000}

SOURCES: tuple[Source, ...] = (
    Experiment("tictactoe", "tictactoe", (
        Pairing("Minimax no pruning depth 5, seat 2", DEFAULT, f"{PLAIN},depth=5", 10),
        Pairing("Minimax pruning depth 5, seat 2", DEFAULT, DEEP, 10),
        Pairing("Minimax pruning depth 5, seat 1", DEEP, DEFAULT, 10),
        Pairing("Minimax pruning full, seat 2", DEFAULT, PRUNED, 10),
        Pairing("Minimax no pruning full, seat 2", DEFAULT, PLAIN, 10),
    ), runs=40),
    Experiment("connect4", "connect4", (
        Pairing("Minimax pruning depth 5, seat 1", DEEP, DEFAULT, 10),
        Pairing("Minimax no pruning depth 5, seat 2", DEFAULT, f"{PLAIN},depth=5", 10),
    ), runs=40),
    Experiment("tictactoe untrained", "tictactoe", (
        Pairing("default, seat 1", LEARNER, DEFAULT, 10),
        Pairing("minimax, seat 1", LEARNER, DEEP, 100),
    ), f"{LEARNS}:alpha=0", ((DEFAULT, 1, ""),), 40),
    Experiment("tictactoe second-seat table", "tictactoe", (
        Pairing("default, seat 2", DEFAULT, LEARNER, 100),
        Pairing("minimax, seat 2", DEEP, LEARNER, 100),
        Pairing("minimax, seat 1", LEARNER, DEEP, 100),
    ), f"{LEARNS}:seat=second", ((DEFAULT, 10_000, ""),)),
    Experiment("tictactoe first-seat table", "tictactoe", (
        Pairing("minimax, seat 1", LEARNER, DEEP, 100),
    ), f"{LEARNS}:seat=first", ((DEFAULT, 10_000, ""),)),
    Experiment("connect4 untrained", "connect4", (
        Pairing("default, seat 1", LEARNER, DEFAULT, 100),
        Pairing("minimax, seat 1", LEARNER, DEEP, 100, once=True),
    ), f"{LEARNS}:alpha=0", ((DEFAULT, 1, ""),)),
    Experiment("connect4 first-seat table", "connect4", (
        Pairing("default, seat 1", LEARNER, DEFAULT, 100),
        Pairing("minimax, seat 1", LEARNER, DEEP, 100, once=True),
    ), f"{LEARNS}:seat=first", ((DEFAULT, 15_000, ""),)),
    Experiment("connect4 second-seat table", "connect4", (
        Pairing("minimax, seat 2", DEEP, LEARNER, 100, once=True),
    ), f"{LEARNS}:seat=second", ((DEFAULT, 15_000, ""),)),
)  # fmt: skip
"""What ``scripts/report_runs.py r1`` runs."""

TRAINED = "10,000 episodes in Tic Tac Toe, 15,000 in Connect 4, which the report does not state"


def rows() -> list[Row]:
    """Return every published row: table 1, table 2, and the totals of states of both."""
    runs = shipped_runs("r1")
    made: list[Row] = []
    states: list[Row] = []
    for row in published("r1_vs_default"):
        game, agent, seat, games = row["game"], row["agent"], row["seat"], int(row["games"])
        wins, draws, losses = int(row["wins"]), int(row["draws"]), int(row["losses"])
        counts = (wins, draws, losses)
        readings, assumed, unstated = _against_default(runs, game, agent, seat)
        made.append(
            Row(
                f"{game} {agent}, seat {seat}", ("1", game, agent, f"seat {seat}"), f"{wins} / {draws} / {losses}",
                games, [counts], moves=row["avg_moves"], readings=readings, assumed=assumed, open=unstated,
            )
        )  # fmt: skip
        if row["states"]:
            states.append(
                Row(
                    f"{game} {agent}, seat {seat}, states", ("1", game, agent, f"seat {seat}"), row["states"], games,
                    total=int(row["states"]), readings=readings, assumed=assumed,
                )
            )  # fmt: skip
    for row in published("r1_head_to_head"):
        game, games = row["game"], int(row["games"])
        first, draws, second = (int(row[name]) for name in ("first_wins", "draws", "second_wins"))
        readings, assumed = _head_to_head(runs, game, row["first"])
        moves = f"{float(row['avg_moves_first']) + float(row['avg_moves_second']):.2f}"
        labels = ("2", game, row["first"], row["second"])
        made.append(
            Row(
                f"{game} {row['first']} – {row['second']}", labels, f"{first} / {draws} / {second}", games,
                [(first, draws, second)], moves=moves, readings=readings, assumed=assumed, open="the table used",
            )
        )  # fmt: skip
        said = assumed + (
            "; “355.791” is read as 355,791, because a count is whole" if row["states"] == "355791" else ""
        )
        states.append(
            Row(
                f"{game} {row['first']} – {row['second']}, states", labels, row["states"], games,
                total=int(row["states"]), readings=readings, assumed=said, open="the table used",
            )
        )  # fmt: skip
    return made + states


def _against_default(
    runs: Mapping[str, Sample], game: str, agent: str, seat: str
) -> tuple[dict[str, Sample], str, str]:
    """Return the readings of a row of table 1, what is assumed, and what is not stated."""
    if agent == "Q-learning untrained":
        return {"untrained": runs[f"{game} untrained / default, seat 1"]}, "", ""
    if agent == "Q-learning trained":
        table = "second-seat table" if seat == "2" else "first-seat table"
        sample = runs[f"{game} {table} / default, seat {seat}"]
        return {table: sample if seat == "1" else sample.turned()}, TRAINED, "episodes of training"
    sample = runs[f"{game} / {agent}, seat {seat}"]
    return {"": sample if seat == "1" else sample.turned()}, "full depth" if "full" in agent else "", ""


def _head_to_head(runs: Mapping[str, Sample], game: str, first: str) -> tuple[dict[str, Sample], str]:
    """Return the readings of a row of table 2 by the table that the learner plays with, and what is assumed."""
    seat, names = ("1", ("first-seat table", "second-seat table", "untrained")) if first != "Minimax" else (
        "2", ("second-seat table",)
    )  # fmt: skip
    keys = {name: f"{game} {name} / minimax, seat {seat}" for name in names}
    return {name: runs[key] for name, key in keys.items() if key in runs}, f"depth 5 with pruning; {TRAINED}"
