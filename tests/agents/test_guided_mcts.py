"""mcts with a network: the laws of its tree, what it proves, and its limits."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from inarow.agents import AgentError, Limit, agent
from inarow.agents.evaluators import EvaluatorKind, Learned, Zero
from inarow.agents.mcts import Mcts, MctsMind
from inarow.match import play_match
from inarow.paths import fingerprint
from inarow.randomness import Stream
from inarow.rules import FIRST, Game, Position, game
from inarow.stopping import Stop
from support.naive_network import random_network, random_position, write_network
from support.naive_search import NaiveMinimax

C4 = game("connect4")
SPEC = "mcts:prior=ntuple,leaf=ntuple,tree_mb=1"
LEAVES = ["ntuple", "rollout"]


@pytest.fixture(scope="module")
def models(tmp_path_factory: pytest.TempPathFactory) -> dict[str, str]:
    """Files of random networks for small boards."""
    folder = tmp_path_factory.mktemp("networks")
    return {
        name: write_network(random_network(game(name), tactics), folder / f"{name}.npz")
        for name, tactics in (("tictactoe", True), ("4x5x3", True), ("5x4x4", False), ("4x3x3-free", False))
    }


def mind_of(spec: str, a_game: Game, seed: int = 0) -> MctsMind:
    mind = agent(spec).start(a_game, FIRST, seed)
    assert isinstance(mind, MctsMind)
    return mind


def quiet_position(a_game: Game, seed: int, most: int) -> Position:
    """An unfinished position of a seed with at most this number of plies."""
    stream = Stream(seed)
    while True:
        position = random_position(a_game, stream, stream.below(most + 1))
        if position.outcome() is None:
            return position


@settings(max_examples=30)
@given(seed=st.integers(0, 10**6), simulations=st.integers(1, 400), leaf=st.sampled_from(LEAVES))
def test_visits_and_priors_add_up(seed: int, simulations: int, leaf: str) -> None:
    mind = mind_of(f"mcts:prior=ntuple,leaf={leaf},tree_mb=1,prove=off,simulations={simulations}", C4)
    decision = mind.decide(quiet_position(C4, seed, 30))
    tree, nodes = mind.tree, mind.tree.nodes
    assert decision.details["simulations"] == simulations == sum(decision.by_move["visits"].values())
    for node in range(tree.used):
        children = list(tree.children(node))
        visits, total = int(nodes[node].visits), float(nodes[node].total)
        assert -1e-9 <= total <= 2 * visits + 1e-9
        if children:
            assert visits == sum(int(nodes[child].visits) for child in children) + (1 if node else 0)
            assert sum(float(nodes[child].prior) for child in children) == pytest.approx(1)
            means = [float(nodes[child].mean) for child in children]
            assert all(0 <= mean <= 1 for mean in means)


def test_a_move_that_was_not_visited_has_the_value_and_the_prior_of_the_network() -> None:
    position = Position.start(C4, [3, 3, 2])
    mind = mind_of(f"{SPEC},simulations=1,temperature=0.5", C4)
    mind.decide(position)
    learned, tree = Learned(), mind.tree
    values = {move: learned.value(-learned.points(position.play(move), FIRST)) for move in position.legal_moves()}
    shares = {move: np.exp(value / 0.5) for move, value in values.items()}
    for child in tree.children(0):
        move = C4.move_of_bit(tree.cell(child).bit_length() - 1)
        record = tree.nodes[child]
        assert float(record.prior) == pytest.approx(shares[move] / sum(shares.values()), abs=1e-5)
        if not record.visits:
            assert 2 * float(record.mean) - 1 == pytest.approx(values[move], abs=1e-5)
    visited = [child for child in tree.children(0) if tree.nodes[child].visits]
    best = max(values, key=lambda move: values[move])
    assert [C4.move_of_bit(tree.cell(child).bit_length() - 1) for child in visited] == [best]


@settings(max_examples=30)
@given(name=st.sampled_from(["tictactoe", "4x5x3", "5x4x4", "4x3x3-free"]), seed=st.integers(0, 10**6))
def test_what_is_proven_agrees_with_a_full_search(name: str, seed: int, models: dict[str, str]) -> None:
    board = game(name)
    position = quiet_position(board, seed, board.cells)
    left = board.cells - position.ply
    if left > 8:
        return
    naive = NaiveMinimax(Zero(), position.to_move, win=1, faster=False)
    truth = {move: points // 100 for move, points in naive.root(position, left).items()}
    mind = mind_of(f"mcts:prior=ntuple(model={models[name]}),leaf=rollout,temperature=9,simulations=3000", board)
    decision = mind.decide(position)
    if decision.details["proven"]:
        assert decision.value == max(truth.values())
        assert truth[decision.move] == max(truth.values())
    for child in mind.tree.children(0):
        move = board.move_of_bit(mind.tree.cell(child).bit_length() - 1)
        if mind.tree.status(child):
            assert truth[move] == {1: -1, 2: 1, 3: 0}[mind.tree.status(child)]
    assert left > 5 or decision.details["proven"], "so few cells are proven in so many simulations"


@settings(max_examples=30)
@given(seed=st.integers(0, 10**6), leaf=st.sampled_from(LEAVES))
def test_it_takes_every_win_in_one_and_blocks_every_loss_in_one(seed: int, leaf: str) -> None:
    position = quiet_position(C4, seed, 40)
    decision = mind_of(f"mcts:prior=ntuple,leaf={leaf},simulations=30,tree_mb=1", C4).decide(position)
    wins, threats = position.winning_moves(), position.winning_moves(position.to_move.other)
    if wins:
        assert decision.move in wins
        assert decision.details["proven"]
    elif len(threats) == 1:
        assert decision.move in threats


def test_the_board_that_the_network_follows_is_put_back() -> None:
    mind = mind_of(f"{SPEC},reuse_tree=off,simulations=100", C4)
    for moves in ([], [3, 3], [3, 3, 2, 4, 1]):
        position = Position.start(C4, moves)
        mind.decide(position)
        assert mind.network is not None
        assert mind.prior is not None
        fresh = mind.network.whole_work()
        mind.network.set_up(fresh, position)
        features, units = mind.network.layout.features, len(mind.network.layout.units)
        assert (mind.prior.network.board.index[:features] == fresh.index[:features]).all()
        assert (mind.prior.network.board.contents[:units] == fresh.contents[:units]).all()


@pytest.mark.parametrize("nodes", [1, 50, 1000, 12345])
def test_a_node_limit_is_never_passed(nodes: int) -> None:
    position = Position.start(C4)
    decision = mind_of(f"{SPEC},simulations=100000", C4).decide(position, Limit(nodes=nodes))
    assert nodes - 49 <= decision.nodes <= nodes or decision.nodes == 0
    assert decision.move in position.legal_moves()


def test_stopped_before_the_first_simulation_it_plays_the_move_of_the_network() -> None:
    position = Position.start(C4, [3, 3, 2])
    stop = Stop()
    stop.set()
    decision = mind_of(f"{SPEC},seconds=4", C4).decide(position, stop=stop)
    assert decision.details["simulations"] == 0
    values = Learned().network(C4).judge(position)
    assert decision.move == max(values, key=lambda move: values[move])


def test_with_time_only_it_stops_when_all_is_proven() -> None:
    decision = mind_of(f"{SPEC},seconds=60", C4).decide(Position.start(C4, [3, 0, 3, 0, 3, 0]))
    assert (decision.move, decision.value, decision.details["proven"]) == (3, 1.0, True)


def test_a_full_tree_is_pruned_and_all_simulations_are_made() -> None:
    mind = mind_of(f"{SPEC},simulations=30000,prove=off", C4)
    decision = mind.decide(Position.start(C4))
    assert decision.details["tree_prunings"] > 0
    assert sum(decision.by_move["visits"].values()) == 30_000


def test_the_tree_is_kept_between_moves_and_one_seed_has_one_result() -> None:
    one, other = agent(f"{SPEC},simulations=60"), agent("mcts:prior=ntuple,simulations=40,tree_mb=1")
    records = [play_match(C4, one, other, seed=seed) for seed in (5, 5, 6)]
    assert records[0].moves == records[1].moves
    assert records[0].values == records[1].values
    assert records[0].values != records[2].values
    mind = mind_of(f"{SPEC},simulations=200", C4)
    line = mind.decide(Position.start(C4)).line
    assert mind.decide(Position.start(C4, line[:2])).details["simulations_kept"] > 0


def test_the_file_of_a_model_is_a_part_of_the_spec_and_the_identity(models: dict[str, str]) -> None:
    one = agent(f'mcts:leaf=ntuple,prior=ntuple(model="{models["5x4x4"]}")')
    assert agent(one.spec) == one
    assert one.identity == f"{one.spec} sha256={fingerprint(Path(models['5x4x4']))}"
    assert agent("mcts:prior=none").spec == agent("mcts").identity == "mcts"


def test_menus_offer_no_network_or_the_one_that_ships() -> None:
    kinds = {kind.name: kind for kind in Mcts.playing_parameters()}
    prior = kinds["prior"]
    assert isinstance(prior, EvaluatorKind)
    assert prior.learnt
    assert prior.names == ["none", "ntuple"]
    assert all(prior.fits(prior.parse("agent mcts", name)) for name in prior.names)


@pytest.mark.parametrize(
    ("spec", "says"),
    [
        ("mcts:leaf=ntuple", "leaf=ntuple needs a network; give prior=ntuple"),
        ("mcts:prior=windows", "prior=windows is not none, ntuple, or ntuple"),
        ("mcts:prior=best", "unknown evaluator 'best'"),
        ("mcts:prior=ntuple(model=none.npz)", "there is no model file none.npz"),
        ("mcts:prior=ntuple,temperature=0", "temperature=0 is not"),
    ],
)
def test_settings_that_can_not_be_used_are_refused(spec: str, says: str) -> None:
    with pytest.raises(AgentError, match=says):
        agent(spec).start(C4, FIRST, 0)
