"""A training: deterministic, resumed exactly, evaluated, saved, stopped early, and refused when it can't be done."""

from __future__ import annotations

import math
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from inarow import grade
from inarow.agents import AgentError, agent
from inarow.agents.base import Agent, Decision, Mind
from inarow.limits import Limit
from inarow.models.files import ModelError, ModelFile
from inarow.models.network import Layout
from inarow.rules import CONNECT4, TICTACTOE, Game, Player, Position, game
from inarow.stopping import Stop
from inarow.training import Stage, Training, TrainingError, TrainingPlan, parse_stages, trainer
from inarow.training.opponents import stage_ends
from inarow.training.trainer import Learner, read_log
from inarow.training.training import Evaluation, merit

EVALUATION = Evaluation(["random"], matches=3)
SPECS = [
    ("qlearning:epsilon=decay(0.5,0.999,0.1),alpha=visits(0.1)", "tictactoe", ("self",)),
    ("qlearning:backup=own,epsilon=linear(1,0.1)", "5x4x4", ("random", "rules | self")),
    ("r2-qlearning", "connect4", ("rules",)),
    ("qlearning:opening_plies=2,backup=own", "tictactoe", ("greedy | self",)),
    ("ntuple:tuples=6,length=4,epsilon=decay(0.5,0.9,0.01)", "5x4x4", ("self",)),
    ("ntuple:tuples=6,length=3,tactics=off,coherence=0", "4x4x3-free", ("self",)),
]


def plan(spec: str, board: str, opponents: tuple[str, ...], episodes: int = 240, **more: Any) -> TrainingPlan:
    played = game(board)
    stages = parse_stages(opponents, played)
    return TrainingPlan(
        trainer(spec), played, episodes, stages, seed=7, evaluate_every=60, evaluation=EVALUATION, **more
    )


def state(learner: Learner) -> dict[str, Any]:
    return {name: array.tolist() for name, array in learner.arrays().items()}


@pytest.mark.parametrize(("spec", "board", "opponents"), SPECS)
def test_the_same_seed_gives_the_same_model_and_history(spec: str, board: str, opponents: tuple[str, ...]) -> None:
    runs = [Training(plan(spec, board, opponents)) for _ in range(2)]
    for run in runs:
        run.run()
    assert state(runs[0].learner) == state(runs[1].learner)
    assert runs[0].history == runs[1].history
    assert [entry["episodes"] for entry in runs[0].history] == [60, 120, 180, 240]
    other = Training(TrainingPlan(trainer(spec), game(board), 240, parse_stages(opponents, game(board)), seed=8))
    other.run()
    assert state(other.learner) != state(runs[0].learner)


@pytest.mark.parametrize(("spec", "board", "opponents"), SPECS)
def test_a_resumed_training_ends_as_an_uninterrupted_one(
    spec: str, board: str, opponents: tuple[str, ...], tmp_path: Path
) -> None:
    whole = Training(plan(spec, board, opponents))
    whole.run()
    out = tmp_path / "model.npz"
    broken = Training(plan(spec, board, opponents))
    for episodes in broken.steps(stop := Stop(), out):
        if episodes >= 100:
            stop.set()
    assert broken.stopped == "interrupted"
    assert 100 <= broken.learner.episodes < 240
    again = Training.resume(plan(spec, board, opponents), out)
    assert again.learner.episodes == broken.learner.episodes
    again.run(out=out)
    assert state(again.learner) == state(whole.learner)
    assert again.history == whole.history


ENDLESS = [
    ("qlearning:epsilon=decay(0.5,0.999,0.1,moves),alpha=visits(0.1)", "tictactoe", ("self",)),
    ("qlearning:backup=own,epsilon=0.3", "5x4x4", ("rules | self",)),
    ("r1-qlearning", "tictactoe", ("rules",)),
    ("ntuple:tuples=6,length=4,epsilon=decay(0.5,0.9,0.01)", "5x4x4", ("self",)),
]


@pytest.mark.parametrize(("spec", "board", "opponents"), ENDLESS)
def test_training_twice_is_one_long_training_where_the_schedules_do_not_depend_on_its_length(
    spec: str, board: str, opponents: tuple[str, ...], tmp_path: Path
) -> None:
    whole = Training(plan(spec, board, opponents))
    whole.run()
    out = tmp_path / "model.npz"
    Training(plan(spec, board, opponents, 95)).run(out=out)
    again = Training.resume(plan(spec, board, opponents, 145), out)
    assert (again.start, again.end) == (95, 240)
    again.run(out=out)
    assert state(again.learner) == state(whole.learner)
    assert again.earlier == [{"spec": whole.plan.trainer.spec, "opponents": [" | ".join(opponents)], "episodes": 95}]


@pytest.mark.parametrize(
    ("spec", "board", "stages"),
    [
        (
            "qlearning:backup=own",
            "tictactoe",
            ("opponent=random,episodes=100,epsilon=linear(0.6,0),seat=second", "self"),
        ),
        (
            "r3-qlearning",
            "connect4",
            ("opponent=random,episodes=40,epsilon=linear(0.6,0)", "opponent=self,alpha=0.1"),
        ),
        ("ntuple:tuples=6,length=4", "5x4x4", ("episodes=100,alpha=decay(0.1,0.99,0)", "epsilon=0.3")),
    ],
)
def test_a_training_in_stages_is_resumed_exactly_within_a_stage(
    spec: str, board: str, stages: tuple[str, ...], tmp_path: Path
) -> None:
    whole, out = Training(plan(spec, board, stages)), tmp_path / "model.npz"
    whole.run()
    broken = Training(plan(spec, board, stages, save_every=50))
    for episodes in broken.steps(stop := Stop(), out):
        if episodes >= 50:
            stop.set()
    assert broken.learner.episodes == 50
    again = Training.resume(plan(spec, board, stages), out)
    again.run(out=out)
    assert state(again.learner) == state(whole.learner)
    assert again.earlier == []


def rates_of(trainer: Training) -> list[tuple[int, str, str]]:
    """The episodes at which rates began, with the rates."""
    found: list[tuple[int, str, str]] = []
    for _ in trainer.steps():
        now = trainer.learner.rates
        assert now is not None
        if found[-1:] != [(now.episodes, str(now.alpha), str(now.epsilon))]:
            found.append((now.episodes, str(now.alpha), str(now.epsilon)))
    return found


def test_stages_have_their_own_rates_and_the_others_those_of_the_training(tmp_path: Path) -> None:
    stages = ("opponent=random,episodes=30", "opponent=rules,episodes=40,epsilon=0.3", "self")
    made = Training(plan("qlearning:backup=own,epsilon=linear(1,0)", "tictactoe", stages))
    assert rates_of(made) == [(0, "0.5", "linear(1,0)"), (30, "0.5", "0.3"), (0, "0.5", "linear(1,0)")]
    out = tmp_path / "model.npz"
    made.save(out)
    again = Training.resume(plan("qlearning:backup=own,epsilon=linear(0.4,0)", "tictactoe", ("rules",), 100), out)
    assert rates_of(again) == [(240, "0.5", "linear(0.4,0)")]
    assert again.learner.episodes == 340


def test_a_learner_sits_where_the_stage_says() -> None:
    made = Training(plan("qlearning:backup=own", "tictactoe", ("opponent=random,seat=second",), 60))
    made.run()
    keys = made.learner.arrays()["keys"]
    assert (np.bitwise_count(keys).sum(axis=1) % 2 == 1).all(), "rows of positions in which the second player moves"


def test_a_table_for_each_seat_plays_as_one_agent(tmp_path: Path) -> None:
    tables = []
    for seat, player in (("first", Player.FIRST), ("second", Player.SECOND)):
        made = Training(plan(f"qlearning:backup=own,seat={seat}", "tictactoe", ("random",), 400))
        made.run(out=tmp_path / f"{seat}.npz")
        tables.append((player, made.learner))
    both = agent(f"qlearning:model={tmp_path}/first.npz,second={tmp_path}/second.npz")
    both.check(TICTACTOE)
    for player, learner in tables:
        position = Position.start(TICTACTOE, (4,) * player)
        expected = learner.mind(3).decide(position)
        assert both.mind(TICTACTOE, player, 3).decide(position).by_move == expected.by_move
        assert len(set(expected.by_move["q"].values())) > 1


def test_a_learner_is_evaluated_against_its_training_opponents_in_its_own_seat() -> None:
    def seats(spec: str, opponents: tuple[str, ...]) -> dict[str, list[str]]:
        made = Training(
            TrainingPlan(
                trainer(spec), TICTACTOE, 20, parse_stages(opponents, TICTACTOE), evaluation=Evaluation(None, 1)
            )
        )
        made.run()
        return {name: list(by_seat) for name, by_seat in made.history[-1]["matches"].items()}

    assert seats("qlearning:seat=second,backup=own", ("rules",)) == {"rules": ["second"]}
    assert seats("r4-qlearning", ("random | greedy",)) == {"random": ["first"], "greedy": ["first"]}
    assert seats("qlearning", ("self",)) == {"random": ["first", "second"], "rules": ["first", "second"]}


@pytest.mark.parametrize(("spec", "board", "opponents"), [*SPECS[:4], ("ntuple:tuples=6,length=4", "5x4x4", ("self",))])
def test_every_episode_can_be_logged_without_changing_what_is_learnt(
    spec: str, board: str, opponents: tuple[str, ...], tmp_path: Path
) -> None:
    logged, silent = (Training(plan(spec, board, opponents, 60, log_episodes=one)) for one in (True, False))
    out = tmp_path / "model.npz"
    logged.run(out=out)
    silent.run()
    assert state(logged.learner) == state(silent.learner)
    with ModelFile(out) as file:
        log = read_log(file)
    assert log is not None
    assert len(log) == 60
    entry = silent.history[0]
    assert [log.results.count(one) for one in (1, 0, -1)] == [entry[name] for name in ("wins", "draws", "losses")]
    assert sum(log.plies) / 60 == pytest.approx(entry["plies"])
    if not spec.startswith("r"):  # whose tally has the ends only
        assert sum(log.rewards) / 60 == pytest.approx(entry["reward"], abs=1e-6)


def test_a_log_goes_on_when_a_training_does(tmp_path: Path) -> None:
    out = tmp_path / "model.npz"
    Training(plan(*SPECS[0], 30, log_episodes=True)).run(out=out)
    again = Training.resume(plan(*SPECS[0], 20), out)
    again.run()
    assert again.learner.log is not None
    assert (again.learner.log.first, len(again.learner.log)) == (1, 50)
    Training(plan(*SPECS[0], 30)).run(out=out)
    later = Training.resume(plan(*SPECS[0], 20, log_episodes=True), out)
    later.run()
    assert later.learner.log is not None
    assert (later.learner.log.first, len(later.learner.log)) == (31, 20)


def test_what_can_not_be_continued_is_refused_and_the_file_is_left_alone(tmp_path: Path) -> None:
    out = tmp_path / "model.npz"
    made = plan(*SPECS[0])
    Training(made).run(out=out)
    before = out.read_bytes()
    for spec, board, reason in (
        ("ntuple", "tictactoe", "is a model of qlearning; ntuple can't continue it"),
        ("qlearning", "connect4", "was trained on tictactoe and can't be continued on connect4"),
        ("qlearning:symmetry=off", "tictactoe", "its table does not match its settings"),
        ("r1-qlearning", "tictactoe", "is a model of qlearning; r1-qlearning can't continue it"),
    ):
        with pytest.raises((TrainingError, ModelError), match=reason):
            Training.resume(plan(spec, board, ("self",)), out)
    with pytest.raises(TrainingError, match="was trained with seed 7, which can't become 8; omit --seed"):
        Training.resume(TrainingPlan(trainer("qlearning"), TICTACTOE, 5, seed=8), out)
    assert out.read_bytes() == before
    Training.resume(made, out).save(out, slim=True)
    with pytest.raises(ModelError, match="no training state"):
        Training.resume(made, out)


def test_checkpoints_are_written_on_the_way_and_kept_with_their_date(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    out = tmp_path / "model.npz"
    saved: list[int] = []
    original = Training.save

    def note(self: Training, path: Path, *, slim: bool = False) -> None:
        saved.append(self.learner.episodes)
        original(self, path, slim=slim)

    monkeypatch.setattr(Training, "save", note)
    Training(plan(*SPECS[0], save_every=100, backups=True)).run(out=out)
    assert saved == [100, 200, 240]
    backups = sorted(tmp_path.glob("model.2*.npz"))
    assert len(backups) == 2
    for backup, episodes in zip(backups, (100, 200), strict=True):
        with ModelFile(backup) as file:
            assert file.header["episodes"] == episodes


def test_it_stops_early_when_nothing_gets_better(monkeypatch: pytest.MonkeyPatch) -> None:
    merits = {60: 0.1, 120: 0.5, 180: 0.4, 240: 0.5, 300: 0.3, 360: 0.9}
    monkeypatch.setattr("inarow.training.training.merit", lambda entry: merits[entry["episodes"]])
    made = Training(plan(*SPECS[0], episodes=600, patience=3))
    made.run()
    assert made.learner.episodes == 300
    assert made.stopped == "3 evaluations without improvement"


def test_truth_counts_before_matches_when_evaluations_are_compared() -> None:
    seats = {"first": {"wins": 1, "draws": 2, "losses": 1}, "second": {"wins": 4, "draws": 0, "losses": 0}}
    assert merit({"matches": {"random": seats}}) == 0.75
    assert merit({"matches": {"random": seats}, "truth": {"a": 0.5, "b": 1.0}}) == 0.75
    assert merit({"matches": {}}) == 0


def test_several_workers_learn_together() -> None:
    spec, board, opponents = "ntuple:tuples=6,length=4", "5x4x4", ("self",)
    made = Training(plan(spec, board, opponents, workers=2))
    made.run()
    assert made.learner.episodes == 240
    assert sum(made.history[0][name] for name in ("wins", "draws", "losses")) == 60
    assert np.count_nonzero(made.learner.arrays()["weights"]) > 0


def test_stages_share_the_episodes_in_order() -> None:
    stages = parse_stages(["random", "rules:style=random | greedy", "self"], CONNECT4)
    assert [str(stage) for stage in stages] == ["random", "rules | greedy", "self"]
    assert [stage.codes for stage in stages] == [[1], None, [0]]
    assert stage_ends(stages, 100) == (33, 66, 100)
    some = parse_stages(["opponent=random,episodes=10", "self", "episodes=20", "rules"], CONNECT4)
    assert stage_ends(some, 101) == (10, 45, 65, 101)
    assert trainer("r3-qlearning").defaults(CONNECT4) == (("r3-easy", "r3-medium", "self"), 100_000)


def test_a_stage_is_written_as_it_is_read() -> None:
    text = "opponent=rules:style=centre | self,episodes=5000,epsilon=decay(0.3,0.99,0.1),alpha=0.2,seat=second"
    stage = parse_stages([text], CONNECT4)[0]
    assert stage.opponents == ("rules:style=centre", "self")
    assert (stage.episodes, str(stage.epsilon), str(stage.alpha), stage.seat) == (
        5000, "decay(0.3,0.99,0.1)", "0.2", "second",
    )  # fmt: skip
    assert str(stage) == text
    assert parse_stages([str(stage)], CONNECT4) == (stage,)


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        ("opponent=random,episodes=0", "episodes must be an integer from 1 to 10,000,000,000, got 0"),
        ("opponent=random,episodes=many", "episodes must be an integer, got 'many'"),
        ("opponent=random,epsilon=2", "epsilon must be a rate from 0 to 1, got '2'"),
        ("opponent=random,seat=third", "the seat of a stage must be one of both, first, second, got 'third'"),
        ("opponent=random,seat=first,seat=second", "seat is given twice"),
    ],
)
def test_a_stage_that_can_not_be_is_refused(text: str, reason: str) -> None:
    with pytest.raises(TrainingError, match=reason):
        parse_stages([text], TICTACTOE)


def test_stages_that_do_not_fit_the_training_are_refused() -> None:
    for texts in (["episodes=10", "episodes=20"], ["episodes=25", "self"]):
        with pytest.raises(TrainingError, match="but the training has 25"):
            TrainingPlan(trainer("qlearning"), TICTACTOE, 25, parse_stages(texts, TICTACTOE))


@pytest.mark.parametrize(
    ("opponents", "reason"),
    [
        (["nobody"], "unknown agent 'nobody'"),
        (["random |"], "is not an opponent"),
        (["rules:style=corners"], "has gravity"),
        (["qlearning"], "no model of qlearning for 5x4x4 ships"),
    ],
)
def test_an_opponent_that_can_not_play_is_said_before_training_starts(opponents: list[str], reason: str) -> None:
    with pytest.raises(AgentError, match=reason):
        parse_stages(opponents, game("5x4x4"))


@pytest.mark.parametrize(
    ("spec", "reason"),
    [
        ("qlearning:epsilon=1.5", "epsilon=1.5 is not a rate from 0 to 1"),
        ("qlearning:epsilon=-0.1", "is not a rate from 0 to 1"),
        ("qlearning:epsilon=decay(1,2,0)", "is not a rate from 0 to 1"),
        ("qlearning:epsilon=often", "is not a rate from 0 to 1"),
        ("qlearning:epsilon=visits(0.1)", "visits are counted per move"),
        ("qlearning:alpha=linear(1)", "is not a rate from 0 to 1"),
        ("qlearning:gamma=1.1", "gamma=1.1 is not a number from 0 to 1"),
        ("ntuple:alpha=visits(0)", "is for tables"),
        ("ntuple:epsilon=decay(1,0.9,0,moves)", "rates change by episode"),
        ("ntuple:tuples=-1", "is not an integer from 0 to 1,000"),
    ],
)
def test_settings_that_can_not_be_are_refused(spec: str, reason: str) -> None:
    with pytest.raises(AgentError, match=reason):
        trainer(spec)


@pytest.mark.parametrize(
    ("spec", "board", "reason"),
    [
        ("r1-qlearning", "5x4x4", "the report's program plays tictactoe and connect4, not 5x4x4"),
        ("qlearning:draw=0.5", "tictactoe", "use backup=own"),
        ("qlearning:model=x.npz", "tictactoe", "trainer qlearning: unknown parameter 'model'"),
        ("ntuple:cells=1-2-x", "tictactoe", "is not a list such as"),
        ("ntuple:cells=1-2-10", "tictactoe", "distinct cells from 1 to 9"),
        ("ntuple", "3x12x3", "at most 10 rows with gravity"),
        ("random", "tictactoe", "'random' is not a trainer; known: qlearning, ntuple"),
    ],
)
def test_a_training_that_can_not_be_is_refused_before_it_starts(spec: str, board: str, reason: str) -> None:
    with pytest.raises((AgentError, TrainingError, ModelError), match=reason):
        Training(TrainingPlan(trainer(spec), game(board), 10))


@pytest.mark.parametrize(
    ("more", "reason"),
    [
        ({"episodes": 0}, "episodes must be an integer from 1 to 10,000,000,000, got 0"),
        ({"episodes": 5, "workers": 0}, "workers must be an integer from 1 to 1,024, got 0"),
        ({"episodes": 5, "save_every": -1}, "save_every must be an integer from 0 to 10,000,000,000, got -1"),
        ({"episodes": 5, "patience": 2}, "stopping early needs evaluations"),
        ({"episodes": math.nan}, "episodes must be an integer from .*, got nan"),
        ({"episodes": 5, "evaluate_every": math.nan}, "evaluate_every must be an integer from .*, got nan"),
        ({"episodes": 5, "seed": "x"}, "seed must be an integer, got 'x'"),
    ],
)
def test_a_plan_that_can_not_be_is_refused(more: dict[str, Any], reason: str) -> None:
    with pytest.raises(TrainingError, match=reason):
        TrainingPlan(trainer("qlearning"), TICTACTOE, **more)


def test_workers_are_for_networks_in_self_play() -> None:
    with pytest.raises(TrainingError, match="one worker"):
        Training(TrainingPlan(trainer("qlearning"), TICTACTOE, 5, workers=2))
    with pytest.raises(TrainingError, match="ntuple trains against other agents without workers"):
        Training(TrainingPlan(trainer("ntuple"), TICTACTOE, 5, (Stage(("random",)),), workers=2))


def test_a_network_learns_against_other_agents_and_goes_on_where_it_was(tmp_path: Path) -> None:
    stages = (Stage(("random",), seat="second"), Stage(("rules", "self")))
    plan = TrainingPlan(trainer("ntuple:tactics=off"), TICTACTOE, 600, stages, log_episodes=True)
    whole = Training(plan)
    whole.run()
    assert whole.learner.episodes == len(whole.learner.log or ()) == 600
    half, out = Training(plan), tmp_path / "half.npz"
    for episodes in half.steps(stop := Stop(), out):
        if episodes >= 250:
            stop.set()
    resumed = Training.resume(plan, out)
    resumed.run()
    for name, array in whole.learner.arrays().items():
        assert np.array_equal(array, resumed.learner.arrays()[name]), name
    untrained = Training(TrainingPlan(plan.trainer, TICTACTOE, 1))
    assert grade("tictactoe", untrained.agent).accuracy < 0.9
    assert grade("tictactoe", whole.agent).accuracy > 0.95


class Stubborn(Agent):
    """Plays the first cell, taken or not."""

    name = "stubborn"
    summary = "always the first cell"

    def mind(self, game: Game, player: Player, seed: int) -> Mind:
        return StubbornMind()


class StubbornMind(Mind):
    def think(self, position: Position, limit: Limit, stop: Stop | None) -> Decision:
        return Decision(0)


def test_an_opponent_that_fails_in_training_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(Stage, "agent", lambda self, index: Stubborn())
    learner = trainer("qlearning").learner(TICTACTOE, 1, 10)
    with pytest.raises(TrainingError, match="the opponent stubborn can't play on: cell 0 is taken"):
        learner.run(Stage(("stubborn",)), 5, Stop())


def test_a_full_table_takes_no_more_positions_and_goes_on_learning() -> None:
    learner = trainer("qlearning:rows=100").learner(CONNECT4, 1, 500)
    assert learner.run(Stage(("self",)), 500, Stop()) == 500
    assert learner.size()["entries"] == 100


def test_the_compiled_opponents_play_like_the_agents_they_stand_for() -> None:
    """A learner that never changes meets both kinds; its results agree within chance."""
    board = game("connect4")
    for spec in ("random", "rules", "rules:style=centre"):
        rates = []
        for outside in (False, True):
            learner = trainer("qlearning:alpha=0,epsilon=1,opening_plies=0,seat=first").learner(board, 3, 400)
            learner.run(OutsideStage((spec,)) if outside else Stage((spec,)), 400, Stop())
            tally = learner.tally()
            rates.append((tally["wins"] + tally["draws"] / 2) / 400)
        assert abs(rates[0] - rates[1]) < 0.12, spec  # over three standard errors


class OutsideStage(Stage):
    @property
    def codes(self) -> None:
        return None


def test_the_layout_of_a_network_tells_all_contents_apart() -> None:
    layout = Layout(CONNECT4, ((35, 28, 21), (3, 10)))
    # Column 1 has 1 + 2 + 4 + 8 contents by its lowest three cells, all told apart; the top two of column 4 need more.
    assert layout.sizes[0] == 15
    assert layout.features == 4
    position = Position.start(CONNECT4)
    content = layout.contents(position)
    assert (layout.indices(content) == layout.start).all()
