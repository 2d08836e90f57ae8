"""The players of r1: its program's, and what they are without its errors."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from inarow.rules import CONNECT4, TICTACTOE, Game
from inarow.studies.framework.line_ups import tournament
from inarow.studies.framework.study import Experiment, Measurement, Plan
from inarow.studies.sections.trainings import train, training

DEFAULT = "default opponent"
UNTRAINED = "Q-learning untrained"
FIRST_TABLE, SECOND_TABLE = "Q-learning, first-seat table", "Q-learning, second-seat table"
MENDED = {FIRST_TABLE: "Q-learning mended, first-seat table", SECOND_TABLE: "Q-learning mended, second-seat table"}
LOWER, PLAIN_LOWER = (f"Minimax {kind} depth 5, lower rows weigh more" for kind in ("pruning", "no pruning"))
OPPONENT = "Minimax pruning depth 5"
"""Who meets Q-learning."""
PLAIN = "Minimax no pruning depth 5"
ADDS = "connect4-training-adds"
"""The experiment that shows what training adds to the guides: matches are quick, and many are needed."""
LEARNERS: Mapping[str, str] = {
    # With a learning rate of 0 a table stays as it begins.
    UNTRAINED: "alpha=0",
    FIRST_TABLE: "seat=first",
    SECOND_TABLE: "seat=second",
    MENDED[FIRST_TABLE]: "seat=first,faults=none",
    MENDED[SECOND_TABLE]: "seat=second,faults=none",
}
"""What each learner is trained with, beside the preset."""


def model_of(game: Game, label: str) -> str:
    """The file of a learner's table."""
    return (
        f"models/r1-{game.name}-{label.replace('Q-learning', '').strip(' ,').replace(', ', '-').replace(' ', '-')}.npz"
    )


def correct_one(game: Game, label: str) -> str:
    """The player without a player's errors; empty if it has none."""
    lower = {OPPONENT: LOWER, PLAIN: PLAIN_LOWER} if game == CONNECT4 else {}
    return MENDED.get(label) or lower.get(label, "")


def _learners(game: Game) -> dict[str, str]:
    return {label: f"qlearning:preset=r1,model={model_of(game, label)}" for label in LEARNERS}


PLAYERS: Mapping[Game, Mapping[str, str]] = {
    TICTACTOE: {
        DEFAULT: "rules:preset=r1",
        **_learners(TICTACTOE),
        PLAIN: "minimax:preset=r1,depth=5",
        OPPONENT: "alphabeta:preset=r1,depth=5",
        "Minimax no pruning full": "minimax:preset=r1",
        "Minimax pruning full": "alphabeta:preset=r1",
    },
    CONNECT4: {
        DEFAULT: "rules:preset=r1",
        **_learners(CONNECT4),
        PLAIN: "minimax:preset=r1,depth=5",
        OPPONENT: "alphabeta:preset=r1,depth=5",
        LOWER: 'alphabeta:preset=r1,depth=5,eval="windows(rows=lower,stacked=2,double=50)"',
        PLAIN_LOWER: 'minimax:preset=r1,depth=5,eval="windows(rows=lower,stacked=2,double=50)"',
    },
}


def experiments(plan: Plan) -> Sequence[Experiment]:
    """The trainings, each player against the default opponent, and minimax against each table."""
    made: list[Experiment] = []
    for game, players in PLAYERS.items():
        for label in LEARNERS:
            made.append(_training(game, label, plan))
        pairs = plan.pick(40, 200)
        made.append(tournament(f"{game.name}-default", game, players, pairs, plan, format="gauntlet"))
        tables = {label: players[label] for label in (OPPONENT, *LEARNERS)}
        made.append(tournament(f"{game.name}-each-other", game, tables, plan.pick(25, 100), plan, format="gauntlet"))
    few = {label: PLAYERS[CONNECT4][label] for label in (DEFAULT, UNTRAINED, FIRST_TABLE, MENDED[FIRST_TABLE])}
    made.append(tournament(ADDS, CONNECT4, few, plan.pick(500, 1_000), plan, format="gauntlet"))
    return made


def _training(game: Game, label: str, plan: Plan) -> Measurement:
    full = {TICTACTOE: 10_000, CONNECT4: 15_000}[game]
    curve = label == FIRST_TABLE
    settings = training(
        f"qlearning:preset=r1,{LEARNERS[label]}",
        game,
        1 if label == UNTRAINED else plan.pick(1_500, full),
        plan,
        every=plan.pick(500, 1_500) if curve else 0,
        matches=plan.pick(50, 100) if curve else 0,
        against=[PLAYERS[game][DEFAULT]] if curve else [],
        model=model_of(game, label),
    )
    return Measurement(f"{game.name}-training-{label}", train, settings, weight=plan.pick(50, 300))
