"""The plain learners learn by their rules, and the compiled Q-learner fills the same table as the plain one."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path

import numpy as np
import pytest

from inarow.agents import agent
from inarow.kernels import qgraph as graphs
from inarow.kernels.qlearning import Episode
from inarow.randomness import Stream, below, mix
from inarow.rules import FIRST, SECOND, TICTACTOE, Game, Player, Position, game
from inarow.stopping import Stop
from inarow.training import Stage, plain, trainer
from inarow.training.plain.__main__ import LEARNERS, main
from inarow.training.plain.qlearning import PlainQLearner, Turn
from inarow.training.plain.reinforce import Reinforce
from inarow.training.plain.sarsa import Sarsa
from inarow.training.qlearning import QLearner
from inarow.training.training import KEPT, truth_measure


class KernelDraws(Stream):
    """Draws as the compiled learner does: an opponent and an opening per episode, then one number per ply."""

    def __init__(self, state: int, board: Game, epsilon: float) -> None:
        super().__init__(0)
        self.state, self.epsilon = state, epsilon
        self.order = {move: mask & -mask for move, mask in enumerate(board.move_masks)}  # kernels list moves by bits
        self.drawn: int | None = None

    def below(self, n: int) -> int:
        self.number()  # which opponent: itself
        return below(self.number(), n)

    def uniform(self) -> float:
        number = self.number()
        chance = (number >> 10) / (1 << 53)
        self.explores, self.drawn = chance < self.epsilon, mix(number)
        return chance

    def choice(self, items: Sequence[int]) -> int:  # type: ignore[override]
        moves = sorted(items, key=self.order.__getitem__)
        number, self.drawn = self.drawn, None
        if number is None:
            return moves[below(self.number(), len(moves))]
        if self.explores:
            return moves[below(mix(number), len(moves))]
        chosen = moves[0]
        for count, move in enumerate(moves[1:], 2):
            number = mix(number)
            chosen = move if below(number, count) == 0 else chosen
        return chosen


def same_values(compiled: QLearner, plain_one: PlainQLearner, positions: Sequence[Position]) -> None:
    """To the last bit, and in as many rows."""
    assert len(compiled.table) == len(plain_one.table)
    for position in positions:
        assert compiled.table.judge(position)[0] == plain_one.values(position)


@pytest.mark.parametrize(("board", "symmetries"), [("tictactoe", False), ("4x3x3", True), ("connect4", True)])
def test_the_same_seed_and_episodes_give_the_same_table(board: str, symmetries: bool) -> None:
    episodes, rules = (60, game(board))
    spec = "qlearning" if symmetries else "qlearning:symmetry=off"
    compiled = trainer(spec).learner(rules, 5, episodes)
    assert isinstance(compiled, QLearner)
    compiled.__dict__["graph"] = None
    ours = PlainQLearner(rules, symmetries=symmetries)
    ours.random = KernelDraws(compiled.progress.random, rules, ours.epsilon)
    compiled.run(Stage(("self",)), episodes, Stop())
    seen: dict[tuple[int, int], Position] = {}
    for _ in range(episodes):
        turns, won = ours.play(FIRST)
        ours.learn(turns, won, FIRST)
        seen |= {(position.first, position.second): position for position, _ in turns}
    same_values(compiled, ours, list(seen.values()))
    assert compiled.progress.random == ours.random.state


def on_the_graph(compiled: QLearner) -> tuple[list[Turn], bool]:
    """One episode of self-play on the graph of a small game, as positions of its table's orientation."""
    graph, rules = compiled.graph, compiled.game
    assert graph is not None
    path, plies = np.zeros(graphs.STEP * rules.cells, np.int32), compiled.progress.plies
    graphs.episodes(
        graph.arrays, compiled.exploration, compiled.learning, compiled.progress, path, 1, np.zeros(1, np.int64)
    )
    graph.write(compiled.table)
    turns: list[Turn] = []
    for ply in range(int(compiled.progress.plies - plies)):
        node, choice = path[graphs.STEP * ply + graphs.NODE], path[graphs.STEP * ply + graphs.CHOICE]
        own, opp = (int(stones) for stones in graph.nodes[node])
        turns.append((Position(rules, *((opp, own) if ply % 2 else (own, opp))), int(graph.slots[node, choice])))
    return turns, turns[-1][0].play(turns[-1][1]).outcome() != (None,)


def against_rules(compiled: QLearner) -> tuple[list[Turn], bool]:
    """One episode against a compiled opponent."""
    rules = compiled.game
    episode, plies = Episode(*(np.zeros(rules.cells, np.int64) for _ in range(4))), compiled.progress.plies
    codes = Stage(("rules",)).codes
    assert codes is not None
    compiled.table.make_room()
    compiled._episodes(codes, episode, 0, 1, np.zeros(1, np.int64))
    position, turns = Position.start(rules), list[Turn]()
    for stone in episode.stones[: int(compiled.progress.plies - plies)]:
        turns.append((position, rules.move_of_bit(int(stone).bit_length() - 1)))
        position = position.play(turns[-1][1])
    return turns, position.outcome() != (None,)


@pytest.mark.parametrize(
    ("spec", "play", "opponent"),
    [("qlearning", on_the_graph, None), ("qlearning:backup=own,opening_plies=0", against_rules, "rules")],
)
def test_other_compiled_episodes_are_learnt_alike(
    spec: str, play: Callable[[QLearner], tuple[list[Turn], bool]], opponent: str | None
) -> None:
    compiled = trainer(spec).learner(TICTACTOE, 5, 200)
    assert isinstance(compiled, QLearner)
    ours = PlainQLearner(TICTACTOE, symmetries=True, opponent=agent(opponent) if opponent else None)
    seen = []
    for number in range(200):
        turns, won = play(compiled)
        ours.learn(turns, won, Player(number % 2))
        seen += [position for position, _ in turns if opponent is None or position.to_move == number % 2]
    same_values(compiled, ours, seen)


@pytest.mark.parametrize("name", LEARNERS)
def test_a_plain_learner_learns_and_a_seed_repeats_it(name: str) -> None:
    measure = truth_measure(TICTACTOE)
    learner, again = LEARNERS[name](TICTACTOE, 1), LEARNERS[name](TICTACTOE, 1)
    before = measure(LEARNERS[name](TICTACTOE, 1).mind)[KEPT]
    for one in (learner, again):
        one.run(1_500)
    assert vars(learner)["table"] == vars(again)["table"]
    assert measure(learner.mind)[KEPT] > before + 0.05


def test_against_an_opponent_only_its_own_moves_are_learnt() -> None:
    learner = PlainQLearner(TICTACTOE, 1, opening_plies=0, opponent=agent("rules"))
    learner.run(1)
    assert {(first | second).bit_count() % 2 for first, second in learner.table} == {FIRST}
    learner.run(1)
    assert {(first | second).bit_count() % 2 for first, second in learner.table} == {FIRST, SECOND}


def test_sarsa_learns_from_the_reply_that_was_played() -> None:
    """In 2x2x2 the second move fills nothing: the third always wins."""
    learner = Sarsa(game("2x2x2"), 1, alpha=1.0, epsilon=1.0)
    learner.run(1)
    rows = [row for _, row in sorted(learner.table.items(), key=lambda item: (item[0][0] | item[0][1]).bit_count())]
    changed = [value for row in rows for value in row.values() if value]
    assert changed == [1.0]  # the winning move; its reply's value was still 0 when the move before was learnt
    learner.run(20)
    assert min(value for row in learner.table.values() for value in row.values()) == pytest.approx(-0.95)


def test_reinforce_raises_the_probability_of_a_move_that_won() -> None:
    learner = Reinforce(TICTACTOE, alpha=1.0, beta=0.5)
    start = Position.start(TICTACTOE)
    learner.learn(start, 4, 1.0)
    policy = learner.policy(start)
    assert policy[4] > 1 / 9 > policy[0] == policy[8]
    assert sum(policy.values()) == pytest.approx(1)
    assert learner.baseline == {(0, 0): 0.5}
    learner.learn(start, 4, 0.5)  # as usual
    assert learner.policy(start) == policy


def test_each_plain_learner_is_one_short_file() -> None:
    folder = Path(plain.__file__).parent
    assert {path.stem for path in folder.glob("[a-z]*.py")} == {"qlearning", "sarsa", "reinforce"}
    assert all(len(path.read_text(encoding="utf-8").splitlines()) <= 150 for path in folder.glob("*.py"))


def test_the_command_prints_a_learning_curve(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("sys.argv", ["plain", "sarsa", "--episodes", "20", "--points", "2"])
    main()
    assert [line.split()[0] for line in capsys.readouterr().out.splitlines()] == ["episodes", "0", "10", "20"]
    monkeypatch.setattr("sys.argv", ["plain", "sarsa", "9x"])
    with pytest.raises(SystemExit, match="2"):
        main()
    assert "9x" in capsys.readouterr().err
