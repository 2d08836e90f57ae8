"""The parts of r3: how its learner is trained in stages, minimax against itself, its errors and what it leaves open."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from inarow.report.cells import shown
from inarow.report.tables import Table
from inarow.reproductions import reported
from inarow.rules import CONNECT4, TICTACTOE, Game
from inarow.studies.framework.study import Measured, measurement
from inarow.studies.sections.by_seat import SeatResults

Stages = tuple[tuple[str, int, str], ...]
STAGES: Mapping[Game, Stages] = {
    TICTACTOE: (("rules:preset=r3", 20_000, "0.2"),),
    CONNECT4: (
        ("random", 20_000, "0.2"),
        ("rules:preset=r3", 40_000, "0.2"),
        ("rules:preset=r3", 100_000, "linear(0.6,0)"),
        ("self", 10_000, "0.2"),
    ),
}
"""Against whom, how many games in both seats together, and how it explores."""
OTHERS: Mapping[Game, Mapping[str, Stages]] = {
    TICTACTOE: {
        "Q-learning, 3,000 games a seat": (("rules:preset=r3", 6_000, "0.2"),),
        "Q-learning, 50,000 games a seat": (("rules:preset=r3", 100_000, "0.2"),),
    },
    CONNECT4: {"Q-learning, after Easy only": STAGES[CONNECT4][:1]},
}
"""Learners that were trained less or more than by `STAGES`, because the report does not say how long."""


def slug(label: str) -> str:
    """A learner's label as a part of keys and file names."""
    return label.removeprefix("Q-learning, ").replace(" ", "-").replace(",", "").lower()


TRAINED: Mapping[str, tuple[Game, str, Stages]] = {
    # Key of the training: game, what is changed, its stages.
    f"{game.name}-training{name}": (game, faults, STAGES[game])
    for game in STAGES
    for name, faults in (("", ""), ("-mended", ",faults=none"))
} | {
    f"{game.name}-training-{slug(label)}": (game, "", stages)
    for game, others in OTHERS.items()
    for label, stages in others.items()
}
ORDERS: Mapping[str, tuple[str, Game]] = {
    "Tic Tac Toe, as printed": ("alphabeta:preset=r3", TICTACTOE),
    "Tic Tac Toe, from the top left": ("alphabeta:preset=r3,ordering=none", TICTACTOE),
    "Connect 4, as printed": ("alphabeta:preset=r3", CONNECT4),
    "Connect 4, from the left": ("alphabeta:preset=r3,ordering=none", CONNECT4),
    "Connect 4, from the centre": ("alphabeta:preset=r3,ordering=centre", CONNECT4),
    "Connect 4, as printed, depth 4": ("alphabeta:preset=r3,depth=4", CONNECT4),
    "Connect 4, as printed, depth 6": ("alphabeta:preset=r3,depth=6", CONNECT4),
}


@measurement("train_in_stages")
def train_in_stages(settings: dict[str, Any]) -> Measured:
    """Train a report's learner in ``stages`` of opponent, games and exploration, one table throughout; keep it."""
    from inarow.agents import agent
    from inarow.models.files import save
    from inarow.rules import game
    from inarow.stopping import Stop
    from inarow.training import Stage, new_learner
    from inarow.training.report_learner import ReportLearner

    board = game(settings["game"])
    table, tallies = None, []
    for number, (opponent, games, epsilon) in enumerate(settings["stages"]):
        spec = f"{settings['agent']},epsilon={epsilon}"
        learner = new_learner(agent(spec), board, settings["seed"] + number, games)
        assert isinstance(learner, ReportLearner)
        if table is not None:
            learner.table.rows, learner.table.updates = table.rows, table.updates
        learner.run(Stage((opponent,)), games, Stop())
        table = learner.table
        tallies.append({"opponent": opponent, "games": games, **learner.tally()})
    assert table is not None
    path = Path(settings["model"])
    path.parent.mkdir(exist_ok=True)
    played = sum(games for _, games, _ in settings["stages"])
    header = {
        "kind": "qlearning", "game": board.name, "spec": settings["agent"], "seed": settings["seed"],
        "episodes": played, "model": table.header(), "history": [], "timing": [],
    }  # fmt: skip
    save(path, header, table.arrays(slim=True))
    return Measured({"stages": tallies, "verdict": f"learnt from {played:,} games; {len(table):,} entries"}, {})


@measurement("play_alone")
def play_alone(settings: dict[str, Any]) -> Measured:
    """One match of ``agent`` against itself."""
    from inarow.agents import agent
    from inarow.match import play_match
    from inarow.rules import game

    player = agent(settings["agent"])
    record = play_match(game(settings["game"]), player, player, seed=settings["seed"])
    result = "a draw" if record.result == "draw" else f"a win of the {record.result} player"
    moves = " ".join(map(str, record.moves))
    return Measured({"moves": moves, "plies": len(record.moves), "result": result, "verdict": result}, {})


def fault_table(seats: Mapping[tuple[str, str], SeatResults]) -> Table:
    """The errors, with what was measured of them."""
    wins = []
    for name in ("Q-learning", "Easy"):
        rate = seats[name, "Medium"].rate(0) if (name, "Medium") in seats else None
        wins.append("–" if rate is None else shown("percent", rate))
    return reported.faults(
        "r3-errors", "R3",
        [
            ("A full Connect 4 board counts 0, even if its last disc wins.", "faults=full-is-zero."),
            ("Exploration is rounded down to tenths.", "faults=tenths: below 0.1 it explores nothing."),
            ("Even a winning last move tends to 0.9 only: the result is discounted too.", "So in both columns."),
            ("The printed Connect 4 trainer loads and saves the other seat’s file.",
             "One table for both seats here. A table of the other seat has none of the positions that a player meets, "
             f"so that it moves at random: that wins {wins[1]} as first player against Medium (row Easy), the table "
             f"{wins[0]}."),
        ],
    )  # fmt: skip


def unstated_table() -> Table:
    """What the report leaves open."""
    return reported.unstated(
        "r3-unstated", "R3",
        [
            ("How many games Tic Tac Toe was trained for (“a few thousand”).",
             "10,000 for each seat, with 3,000 and 50,000 beside it; a tenth of it at scale quick."),
            ("How many games each stage of Connect 4’s training had.",
             "For each seat 10,000 against Easy, 20,000 and, with ε from 0.6 to 0, 50,000 against Medium, 10,000 each "
             "other; a tenth of it at scale quick."),
            ("Connect 4’s result function, which is not printed.", "+1, 0 and −1, as in Tic Tac Toe."),
            ("How minimax is indented: in one listing the minimiser’s branch and the cut stand one step too far.",
             "As in the other listing."),
        ],
    )  # fmt: skip
