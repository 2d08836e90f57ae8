"""mcts: the laws of its tree, what it proves, what it keeps, and its limits."""

from __future__ import annotations

import contextlib
import threading
from collections.abc import Iterator, Mapping
from typing import Any, cast

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from inarow.agents import AgentError, Limit, agent
from inarow.agents.evaluators import Zero
from inarow.agents.mcts import Mcts, MctsMind, Tree
from inarow.match import play_match
from inarow.rules import FIRST, Game, IllegalMove, Position, game
from inarow.rules.notation import parse_position
from inarow.stopping import Clock, Stop
from inarow.truth import truth_set
from support.naive_search import NaiveMinimax

GAMES = ["tictactoe", "connect4", "5x4x4", "4x4x3-free", "4x5x3", "6x2x3-free", "3x3x2"]
BOTH = ["tictactoe", "connect4"]
choices = st.lists(st.integers(0, 999), max_size=40)


def playing(a_game: Game, numbers: list[int]) -> Position:
    """Where random choices lead, the last position before an end."""
    position = Position.start(a_game)
    for number in numbers:
        after = position.play(position.legal_moves()[number % len(position.legal_moves())])
        if after.outcome() is not None:
            break
        position = after
    return position


def mind_of(spec: str, a_game: Game, seed: int = 0) -> MctsMind:
    mind = agent(spec).start(a_game, FIRST, seed)
    assert isinstance(mind, MctsMind)
    return mind


def nodes_of(tree: Tree, node: int = 0, path: tuple[int, ...] = ()) -> Iterator[tuple[tuple[int, ...], int]]:
    """Every node below one, itself first, with the cells that lead to it."""
    yield path, node
    for child in tree.children(node):
        yield from nodes_of(tree, child, (*path, tree.cell(child)))


def contents(tree: Tree, node: int = 0) -> dict[tuple[int, ...], tuple[float, ...]]:
    """Visits, total, mean, spread and proven result of every node below one, by path."""
    fields = ("visits", "total", "mean", "spread")
    return {
        path: (*(float(tree.nodes[at][name]) for name in fields if path), tree.status(at))
        for path, at in nodes_of(tree, node)
    }


@settings(max_examples=40)
@given(
    name=st.sampled_from(GAMES),
    numbers=choices,
    simulations=st.integers(1, 3000),
    rollouts=st.sampled_from(["random", "rules"]),
)
def test_visits_add_up_from_children_to_parent(name: str, numbers: list[int], simulations: int, rollouts: str) -> None:
    position = playing(game(name), numbers)
    mind = mind_of(f"mcts:simulations={simulations},prove=off,rollouts={rollouts}", game(name))
    decision = mind.decide(position)
    tree = mind.tree
    assert decision.details["simulations"] == simulations == sum(decision.by_move["visits"].values())
    for path, node in nodes_of(tree):
        visits = int(tree.nodes[node].visits)
        below = [int(tree.nodes[child].visits) for child in tree.children(node)]
        if below:
            assert visits == sum(below) + (1 if path else 0), "a node's own rollout is its first visit"
        assert 0 <= int(tree.nodes[node].total) <= 2 * visits
    assert len(list(nodes_of(tree))) == tree.used == decision.details["tree_nodes"]
    assert max(len(path) for path, node in nodes_of(tree) if tree.nodes[node].visits) == decision.details["tree_depth"]


@settings(max_examples=40)
@given(name=st.sampled_from(GAMES), numbers=choices, simulations=st.integers(1, 500), data=st.data())
def test_the_subtree_that_is_kept_is_unchanged_and_nothing_else_survives(
    name: str, numbers: list[int], simulations: int, data: st.DataObject
) -> None:
    position = playing(game(name), numbers)
    mind = mind_of(f"mcts:simulations={simulations}", game(name))
    mind.decide(position)
    for _ in range(2):
        position = position.play(data.draw(st.sampled_from(position.legal_moves())))
        if position.outcome() is not None:
            return
    node = mind.tree.find(position)
    if node is None:
        mind.tree.move_to(position)
        assert contents(mind.tree) == {(): (0,)}
        return
    before, visits = contents(mind.tree, node), int(mind.tree.nodes[node].visits)
    mind.tree.move_to(position)
    assert contents(mind.tree) == before
    assert mind.tree.used == len(before)
    again = mind.decide(position)
    assert again.details["simulations"] == simulations, "only new ones count"
    assert again.details["simulations_kept"] == visits
    kept_below = sum(figures[0] for path, figures in before.items() if len(path) == 1)
    assert sum(again.by_move["visits"].values()) == simulations + kept_below


def test_a_tree_is_begun_afresh_when_the_position_is_not_in_it() -> None:
    g = game("connect4")
    mind = mind_of("mcts:simulations=300", g)
    mind.decide(Position.start(g, [3, 3]))
    assert mind.decide(Position.start(g, [0, 0, 0, 1])).details["simulations_kept"] == 0
    assert mind.decide(Position.start(g)).details["simulations_kept"] == 0
    assert mind.decide(Position.start(g, [0, 1, 2, 3, 4, 5, 6, 6, 5, 4])).details["simulations_kept"] == 0
    forgetful = mind_of("mcts:simulations=300,reuse_tree=off", g)
    forgetful.decide(Position.start(g))
    assert forgetful.decide(Position.start(g, [3, 3])).details["simulations_kept"] == 0


def test_the_tree_is_kept_within_a_match() -> None:
    kept = []
    play_match(
        game("connect4"),
        agent("mcts:simulations=200"),
        agent("rules"),
        on_decision=lambda position, decision: kept.append(decision.details.get("simulations_kept")),
    )
    assert kept[0] == 0
    assert any(kept[2::2])


@pytest.mark.parametrize("name", BOTH)
@settings(max_examples=250)
@given(numbers=choices, seed=st.integers(0, 99))
def test_it_takes_every_win_in_one_and_blocks_every_loss_in_one(name: str, numbers: list[int], seed: int) -> None:
    position = playing(game(name), numbers)
    decision = mind_of("mcts:simulations=200", game(name), seed).decide(position)
    wins, threats = position.winning_moves(), position.winning_moves(position.to_move.other)
    if wins:
        assert decision.move in wins
        assert decision.value == 1
        assert decision.details["proven"]
    elif len(threats) == 1:
        assert decision.move in threats


@settings(max_examples=80)
@given(
    name=st.sampled_from(["tictactoe", "5x4x4", "4x5x3", "6x2x3-free", "4x4x3-free"]),
    numbers=choices,
)
def test_what_is_proven_agrees_with_a_full_search(name: str, numbers: list[int]) -> None:
    position = playing(game(name), numbers)
    left = game(name).cells - position.ply
    if left > 8:
        return
    naive = NaiveMinimax(Zero(), position.to_move, win=1, faster=False)
    truth = {move: points // 100 for move, points in naive.root(position, left).items()}
    mind = mind_of("mcts:simulations=20000", game(name))
    decision = mind.decide(position)
    if decision.details["proven"]:
        assert decision.value == max(truth.values())
        assert truth[decision.move] == max(truth.values())
    for child in mind.tree.children(0):
        status = mind.tree.status(child)
        move = position.game.move_of_bit(mind.tree.cell(child).bit_length() - 1)
        if status:
            assert truth[move] == {1: -1, 2: 1, 3: 0}[status]
    assert left > 6 or decision.details["proven"], "so few cells are proven in so many simulations"


def test_when_all_is_lost_it_blocks_all_the_same() -> None:
    # X wins in the fourth column, and on top of the stone that blocks it there.
    lost = Position.start(game("connect4"), [4, 4, 4, 4, 0, 4, 5, 4, 2, 0, 5, 5, 5])
    assert lost.winning_moves(lost.to_move.other) == (3,)
    assert lost.play(3).winning_moves() == (3,)
    for seed in range(10):
        assert mind_of("mcts:simulations=200", game("connect4"), seed).decide(lost).move == 3


def test_without_solve_nothing_is_proven() -> None:
    position = Position.start(game("connect4"), [3, 0, 3, 0, 3, 0])
    decision = mind_of("mcts:simulations=500,prove=off", game("connect4")).decide(position)
    assert not decision.details["proven"]
    assert decision.move == 3
    assert decision.value is not None
    assert all(visits > 0 for visits in decision.by_move["visits"].values())


def test_a_draw_is_worth_half_a_win() -> None:
    # One cell is left, and it makes no line: every playing is drawn.
    position = Position.start(game("tictactoe"), [0, 1, 2, 4, 3, 5, 7, 6])
    assert mind_of("mcts:simulations=10,prove=off", game("tictactoe")).decide(position).value == 0


def test_rolled_out_by_rules_a_win_in_one_is_never_missed() -> None:
    # X has an open three on the bottom row, and O can't block both ends: by win-or-block every playing is X's.
    position = Position.start(game("connect4"), [2, 2, 3, 3, 4])
    by_rules = mind_of("mcts:simulations=7,prove=off,rollouts=rules", game("connect4")).decide(position)
    assert set(by_rules.values.values()) == {-1}
    at_random = mind_of("mcts:simulations=7,prove=off", game("connect4")).decide(position)
    assert set(at_random.values.values()) != {-1}


@pytest.mark.parametrize("simulations", [1, 2, 7, 1000, 1001])
@pytest.mark.parametrize("moves", [[], [3, 0, 3, 0, 3, 0]])
def test_the_number_of_simulations_is_exact(simulations: int, moves: list[int]) -> None:
    position = Position.start(game("connect4"), moves)
    decision = mind_of(f"mcts:simulations={simulations}", game("connect4")).decide(position)
    assert decision.details["simulations"] == simulations
    again = mind_of("mcts:simulations=5000", game("connect4")).decide(position, Limit(simulations=simulations))
    assert again.details["simulations"] == simulations


@pytest.mark.parametrize("nodes", [1, 50, 1000, 12345])
def test_a_node_limit_is_never_passed(nodes: int) -> None:
    decision = mind_of("mcts:simulations=100000", game("connect4")).decide(
        Position.start(game("connect4")), Limit(nodes=nodes)
    )
    assert nodes - 42 <= decision.nodes <= nodes or decision.nodes == 0


class ExpiredClock(Clock):
    """A clock whose alarms ring at once."""

    @contextlib.contextmanager
    def alarm(self, seconds: float | None, stop: Stop) -> Iterator[None]:
        if seconds is not None:
            stop.set()
        yield


def test_a_deadline_that_is_over_still_gives_a_move() -> None:
    position = Position.start(game("connect4"))
    mind = mind_of("mcts:seconds=4", game("connect4"))
    mind.clock = ExpiredClock()
    decision = mind.decide(position)
    assert decision.details["simulations"] == 0
    assert decision.value is None
    assert decision.move in position.legal_moves()


def test_another_thread_can_stop_it() -> None:
    mind = mind_of("mcts:simulations=1000000000", game("connect4"))
    stop = Stop()
    timer = threading.Timer(0.05, stop.set)
    timer.start()
    decision = mind.decide(Position.start(game("connect4")), stop=stop)
    timer.join()
    assert decision.details["simulations"] < 10**9


def test_with_time_only_it_stops_when_all_is_proven() -> None:
    position = Position.start(game("connect4"), [3, 0, 3, 0, 3, 0])
    decision = mind_of("mcts:seconds=60", game("connect4")).decide(position)
    assert (decision.move, decision.value, decision.details["proven"]) == (3, 1.0, True)


def test_a_proven_root_without_children_finds_its_move_again() -> None:
    # The opponent lets it win at once: that was proven without looking at the moves.
    g = game("connect4")
    mind = mind_of("mcts:seconds=60", g)
    mind.decide(Position.start(g, [3, 0, 3, 0]), Limit(simulations=300))
    node = mind.tree.find(Position.start(g, [3, 0, 3, 0, 3, 1]))
    assert node is not None
    assert (mind.tree.status(node), list(mind.tree.children(node))) == (1, [])
    decision = mind.decide(Position.start(g, [3, 0, 3, 0, 3, 1]))
    assert (decision.move, decision.value) == (3, 1.0)


def test_a_full_tree_is_pruned_and_all_simulations_are_made() -> None:
    g = game("connect4")
    mind = mind_of("mcts:simulations=100000,tree_mb=1", g)
    decision = mind.decide(Position.start(g))
    assert decision.details["tree_prunings"] > 0
    assert decision.details["simulations"] == 100_000
    assert mind.tree.used <= len(mind.tree.nodes) <= (1 << 20) // 24
    assert sum(decision.by_move["visits"].values()) == 100_000
    assert mind.decide(Position.start(g, [3, 3])).details["simulations"] == 100_000


@settings(max_examples=30)
@given(
    name=st.sampled_from(GAMES),
    numbers=choices,
    simulations=st.integers(1, 3000),
    room=st.integers(1, 4000),
    solve=st.booleans(),
)
def test_pruning_drops_the_children_of_the_least_visited_nodes_and_changes_no_other_node(
    name: str, numbers: list[int], simulations: int, room: int, solve: bool
) -> None:
    position = playing(game(name), numbers)
    mind = mind_of(f"mcts:simulations={simulations},tree_mb=1,prove={'on' if solve else 'off'}", game(name))
    mind.decide(position)
    tree = mind.tree
    before = contents(tree)
    parents = {path[:-1] for path in before if path}
    tree.nodes = cast(Any, tree.nodes)[: max(tree.used, room)]
    assert tree.prune(Stop())
    after = contents(tree)
    assert after.items() <= before.items()
    assert tree.used == len(after)
    kept = {path[:-1] for path in after if path}
    dropped_visits = [before[path][0] for path in parents - kept if path[:-1] in kept]
    assert max(dropped_visits, default=0) < min((before[path][0] for path in kept if path), default=1 << 30)
    stopped = Stop()
    stopped.set()
    assert not tree.prune(stopped)
    assert contents(tree) == after


def test_with_little_memory_accuracy_does_not_fall_as_simulations_increase() -> None:
    g = game("connect4")

    def right_moves(scores: Mapping[int, int]) -> set[int]:
        signs = {move: (score > 0) - (score < 0) for move, score in scores.items()}
        return {move for move, sign in signs.items() if sign == max(signs.values())}

    known = [(one.position, right_moves(one.scores), len(one.scores)) for one in truth_set()]
    positions = [
        (position, right)
        for position, right, moves in known
        if 13 <= position.ply <= 21 and len(right) <= 2 and len(right) < moves
    ]
    assert len(positions) == 200

    def accuracy(simulations: int) -> int:
        count = 0
        for position, right in positions:
            mind = mind_of(f"mcts:simulations={simulations}", g)
            mind.tree = Tree(500, mind.stream.number())
            count += mind.decide(position).move in right
        return count

    accuracies = [accuracy(simulations) for simulations in (200, 1000, 5000, 25000)]
    assert accuracies == sorted(accuracies)
    assert accuracies[-1] >= accuracies[0] + 15


def test_a_tree_that_has_counted_all_it_can_is_begun_afresh() -> None:
    g = game("connect4")
    mind = mind_of("mcts:simulations=50", g)
    mind.decide(Position.start(g))
    mind.tree.nodes[0].visits = (1 << 30) - 20
    assert mind.decide(Position.start(g)).details["simulations_kept"] == 0


@pytest.mark.parametrize("name", BOTH)
def test_one_seed_one_result(name: str) -> None:
    spec = agent("mcts:simulations=300")
    records = [play_match(game(name), spec, agent("mcts:simulations=100,rollouts=rules"), seed=s) for s in (5, 5, 6)]
    assert records[0].moves == records[1].moves
    assert records[0].values == records[1].values
    assert records[0].values != records[2].values


def test_equal_moves_are_chosen_at_random() -> None:
    moves = {
        mind_of("mcts:simulations=7,prove=off", game("connect4"), seed).decide(Position.start(game("connect4"))).move
        for seed in range(80)
    }
    assert moves == set(range(7))


def test_more_exploration_spreads_the_visits() -> None:
    def most(c: float) -> float:
        decision = mind_of(f"mcts:simulations=2000,c={c}", game("connect4")).decide(Position.start(game("connect4")))
        return max(decision.by_move["visits"].values())

    assert most(0.3) > most(1.4142) > most(20)


@pytest.mark.parametrize(
    ("spec", "says"),
    [
        ("mcts:simulations=0", "simulations=0 is not"),
        ("mcts:simulations=-5", "simulations=-5 is not"),
        ("mcts:seconds=0", "seconds=0 is not"),
        ("mcts:c=-1", "c=-1 is not"),
        ("mcts:rollouts=best", "one of random, rules"),
        ("mcts:prove=yes", "on or off"),
        ("mcts:tree_mb=0", "tree_mb=0 is not"),
        ("mcts:depth=4", "unknown parameter"),
    ],
)
def test_bad_parameters_are_refused(spec: str, says: str) -> None:
    with pytest.raises(AgentError, match=says):
        agent(spec)


def test_memory_that_is_not_there_is_refused() -> None:
    with pytest.raises(AgentError, match="too large for this machine"):
        agent("mcts:tree_mb=1000000").start(game("connect4"), FIRST, 0)


def test_a_finished_game_has_nothing_to_simulate() -> None:
    with pytest.raises(IllegalMove, match="game is over"):
        mind_of("mcts", game("tictactoe")).decide(Position.start(game("tictactoe"), [0, 3, 1, 4, 2]))


def test_its_limits_have_sensible_defaults() -> None:
    made = [agent(spec) for spec in ("mcts", "mcts:seconds=2", "mcts:simulations=9,seconds=2")]
    limits = [a.limit for a in made if isinstance(a, Mcts)]
    assert [(m.simulations, m.seconds) for m in limits] == [(1000, None), (None, 2), (9, 2)]
    assert all(agent(a.spec) == a for a in made)


def test_it_moves_even_when_every_move_opens_a_win_and_there_is_nothing_to_block() -> None:
    position = parse_position(game("connect4"), "7145445545524147511772277621122")
    assert not position.winning_moves(position.to_move.other)
    assert all(position.play(move).winning_moves() for move in position.legal_moves())
    for seed in range(5):
        mind = agent("mcts:simulations=500").start(position.game, position.to_move, seed)
        assert mind.decide(position).move in position.legal_moves()
