"""What R3 published, row by row, and the runs of its printed program that each row is compared with."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from inarow.reproductions.assessment import Counts, Row
from inarow.reproductions.distributions import published, shipped_runs
from inarow.reproductions.sampling import LEARNER, Experiment, Pairing, Source

PLAYERS = {"Easy": "r3-easy", "Medium": "r3-medium", "Minimax": "r3-minimax"}
LEARNS, QLEARNING, GAMES = "r3-qlearning", "Q-learning", 100
_WITH_LEARNER = tuple(
    Pairing(f"{a} – {b}", PLAYERS.get(a, LEARNER), PLAYERS.get(b, LEARNER), GAMES)
    for a, b in (
        (QLEARNING, "Easy"), ("Easy", QLEARNING), (QLEARNING, "Medium"), ("Medium", QLEARNING),
        ("Minimax", QLEARNING), (QLEARNING, "Minimax"), (QLEARNING, QLEARNING),
    )
)  # fmt: skip
TRAININGS: Mapping[str, Mapping[str, Sequence[tuple[str, int, str]]]] = {
    "tictactoe": {
        f"{games:,} games a seat": (("r3-medium", 2 * games, "0.2"),) for games in (3_000, 10_000, 50_000)
    },
    "connect4": {
        "Easy only": (("r3-easy", 20_000, "0.2"),),
        "all stages": (
            ("r3-easy", 20_000, "0.2"), ("r3-medium", 40_000, "0.2"),
            ("r3-medium", 100_000, "linear(0.6,0)"), ("self", 10_000, "0.2"),
        ),
    },
}  # fmt: skip
"""How the learner may have been trained: opponent, games in both seats together, exploration."""

SOURCES: tuple[Source, ...] = tuple(
    Experiment(game, game, tuple(
        Pairing(f"{a} – {b}", PLAYERS[a], PLAYERS[b], GAMES, once=a == b == "Minimax") for a in PLAYERS for b in PLAYERS
    ))
    for game in TRAININGS
) + tuple(
    Experiment(f"{game}, {name}", game, _WITH_LEARNER, LEARNS, stages)
    for game, trainings in TRAININGS.items() for name, stages in trainings.items()
)  # fmt: skip
"""What ``scripts/report_runs.py r3`` runs."""

COLUMNS = ("first_win_pct", "draw_pct", "second_win_pct")


def rows() -> list[Row]:
    """Return every published share, of 100 games each."""
    return [_row(row) for row in published("r3_stated")]


def _row(row: Mapping[str, str]) -> Row:
    runs, game, pair = shipped_runs("r3"), row["game"], f"{row['first']} – {row['second']}"
    learner = QLEARNING in (row["first"], row["second"])
    readings = {f"trained with {name}": runs[f"{game}, {name} / {pair}"] for name in TRAININGS[game]} if learner else {}
    shares = [row[name] for name in COLUMNS]
    about = "; “about” is taken at its word" if "about" in row["note"] else ""
    return Row(
        f"{game} {pair}", (game, row["first"], row["second"], row["note"] or "–"),
        " / ".join(text or "–" for text in (shares[0], shares[2], shares[1])), GAMES, _counts(shares),
        [place for place, text in enumerate(shares) if text], readings=readings or {"": runs[f"{game} / {pair}"]},
        assumed=("results of +1, 0 and −1" if learner and game == "connect4" else "") + about,
        open="how long the learner was trained" if learner else "",
    )  # fmt: skip


def _counts(shares: list[str]) -> list[Counts]:
    """Return the counts that stated shares allow: one, or all of a range such as ``13-19``; gaps are filled up."""
    bounds = [text.partition("-") for text in shares]
    lows = [int(low or 0) for low, _, _ in bounds]
    highs = [int(high or low or 0) for low, _, high in bounds]
    made: list[Counts] = []
    for step in range(max(high - low for low, high in zip(lows, highs, strict=True)) + 1):
        one = [min(low + step, high) for low, high in zip(lows, highs, strict=True)]
        if "" in shares:
            one[shares.index("")] += GAMES - sum(one)
        made.append((one[0], one[1], one[2]))
    return made
