"""Tabular self-play learns Tic Tac Toe, provably: by all positions and all lines of play, not by winning some games."""

from __future__ import annotations

import pytest

from inarow.models.qtable import QTable
from inarow.rules import FIRST, SECOND, TICTACTOE, Player, Position
from inarow.stopping import Stop
from inarow.training import Stage, trainer
from inarow.training.qlearning import QLearner
from support.exact_truth import Truth, enumerate_results, expected, random_chances, rules_chances

EPISODES = 50_000


@pytest.fixture(scope="module")
def truth() -> Truth:
    return Truth(TICTACTOE)


def learnt(spec: str, seed: int, episodes: int = EPISODES, opponent: str = "self") -> QTable:
    learner = trainer(spec).learner(TICTACTOE, seed, episodes)
    assert isinstance(learner, QLearner)
    assert learner.run(Stage((opponent,)), episodes, Stop()) == episodes
    return learner.table


def greedy(table: QTable, position: Position) -> list[int]:
    """All moves that the table may choose: those of the highest value."""
    values, _, _ = table.judge(position)
    best = max(values.values())
    return [move for move, value in values.items() if value == best]


@pytest.mark.parametrize("seed", range(10))
def test_self_play_learns_a_best_move_in_every_position_and_never_loses(truth: Truth, seed: int) -> None:
    table = learnt("qlearning", seed)
    live = truth.live()
    assert len(live) == 4520
    assert [p for p in live if not all(truth.keeps(p, move) for move in greedy(table, p))] == []
    for seat in (FIRST, SECOND):
        wins, draws, losses = enumerate_results(TICTACTOE, seat, lambda p: greedy(table, p))
        assert losses == 0
        assert wins > 0
        assert draws > 0


def test_every_class_of_positions_is_in_the_table_once() -> None:
    assert len(learnt("qlearning", 3)) == 627  # the 765 classes of positions without the 138 that are over


@pytest.mark.parametrize(
    ("opponent", "chances", "ceilings"),
    [
        ("random", random_chances, {FIRST: (99.48, 0.52, 0.0), SECOND: (93.44, 5.61, 0.95)}),
        ("rules", rules_chances, {FIRST: (92.71, 7.29, 0.0), SECOND: (46.35, 47.30, 6.35)}),
    ],
)
@pytest.mark.parametrize("seat", [FIRST, SECOND])
def test_trained_against_an_opponent_it_scores_what_can_be_scored(
    opponent: str, chances: object, ceilings: dict[Player, tuple[float, float, float]], seat: Player
) -> None:
    spec = "qlearning:backup=own,gamma=1,alpha=visits(0.0002),epsilon=0.6,opening_plies=0,seat=" + seat.name.lower()
    table = learnt(spec, 1, 600_000, opponent)
    found = expected(TICTACTOE, seat, lambda p: greedy(table, p), chances)  # type: ignore[arg-type]
    score = 100 * (found[0] + found[1] / 2)
    best = ceilings[seat][0] + ceilings[seat][1] / 2
    assert best - 1 <= score <= best + 0.01
