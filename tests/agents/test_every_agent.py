"""What every agent of the registry promises, on every game it plays."""

from __future__ import annotations

import json

import pytest

from inarow.agents import AgentError, Decision, agent, agent_names
from inarow.agents.registry import plugin_names
from inarow.match import Termination, play_match
from inarow.randomness import Stream, derive
from inarow.rules import FIRST, IllegalMove, Position, game
from inarow.rules.notation import parse_position

# Specs that are quick enough to play whole matches with; every agent has at least one.
SPECS = [
    "random",
    "rules",
    "rules:style=centre",
    "rules:style=corners",
    "greedy",
    "minimax:depth=2",
    "minimax:nodes=200,ties=random",
    "alphabeta:depth=4,eval=lines,ties=random",
    "mcts:simulations=100,tree_mb=1",
    "mcts:simulations=50,prove=off,rollouts=rules,tree_mb=1",
    "alphabeta:depth=5,ordering=threats,tt=on,tt_mb=1,symmetry=on,iterative_deepening=on",
    "alphabeta:depth=3,eval=ntuple,ordering=threats,tt=on,tt_mb=1,symmetry=on",
    "greedy:eval=ntuple",
    "alphabeta:nodes=500,solver=on",
    "qlearning",
    "qlearning:guide=rules,noise=0.1",
    "ntuple",
    "ntuple:noise=0.2",
    "best:seconds=unlimited,nodes=1000",
    "best:seconds=unlimited,nodes=1000,level=3",
    "perfect:nodes=2000",
    "perfect:error=0.3,nodes=500,resist=any,ties=centre",
]
GAMES = ["tictactoe", "connect4", "5x4x4", "4x4x3-free"]
# Positions of all kinds, by what makes them special for the side to move.
POSITIONS = {
    "tictactoe": {
        "a win at hand": "5713",
        "must block": "518",
        "must block late": "16479",
        "two threats against it": "62134",
        "one move left": "25874916",
        "a win with the last stone": "51894732",
    },
    "connect4": {
        "a win at hand": "765724166364146",
        "must block": "61376534357",
        "must block late": "61376534357775217111222642551332676",
        "moves that hand over a win": "7662737141365725137531",
        "two threats against it": "1263431512226736234",
        "a block that opens another win": "426411431641316715773",
        "every move opens a win": "11666633711476614771735447323223424522",
        "every move opens a win, again": "7145445545524147511772277621122",
        "one move left": "47734171146547433766732346612523115256255",
        "one column left": "22715617711123667243723251556463336755",
    },
    "5x4x4": {
        "a win at hand": "3242111415555",
        "must block": "31234",
        "moves that hand over a win": "1135544433153",
        "two threats against it": "1114213352",
        "a block that opens another win": "21355323324215",
        "every move opens a win": "542531252352113341",
        "every move opens a win, again": "413413151452323422",
        "one column left": "344351415435131522",
    },
    "4x4x3-free": {
        "a win at hand": "13,14,9,10,3",
        "must block": "14,5,13",
        "two threats against it": "2,15,13,10,14,4",
        "two threats against it, late": "16,11,2,12,5,3,8,14",
        "one move left": "16,11,3,5,14,13,10,15,7,4,12,2,1,6,9",
    },
}


def fitting() -> list[tuple[str, str]]:
    """Every spec with every game that it says it can play."""
    pairs = []
    for spec in SPECS:
        for name in GAMES:
            try:
                agent(spec).check(game(name))
            except AgentError:
                continue
            pairs.append((spec, name))
    return pairs


FITTING = fitting()


def test_every_registered_agent_is_under_contract() -> None:
    assert {spec.partition(":")[0] for spec in SPECS} == set(agent_names()) - set(plugin_names())


def test_every_agent_plays_at_least_one_game() -> None:
    assert {spec for spec, _ in FITTING} == set(SPECS)


@pytest.mark.parametrize("spec", SPECS)
def test_a_spec_is_its_own_canonical_form(spec: str) -> None:
    assert agent(spec).spec == agent(agent(spec).spec).spec
    assert agent(spec) == agent(agent(spec).spec)


@pytest.mark.parametrize(("spec", "name"), FITTING)
def test_a_match_ends_by_the_rules_and_is_a_function_of_its_seed(spec: str, name: str) -> None:
    board = game(name)
    for first, second in ((agent(spec), agent("random")), (agent("random"), agent(spec))):
        record = play_match(board, first, second, seed=11)
        assert record.termination in (Termination.LINE, Termination.FULL_BOARD), record.fault
        again = play_match(board, first, second, seed=11)
        assert (again.moves, again.nodes, again.values) == (record.moves, record.nodes, record.values)


@pytest.mark.parametrize(("spec", "name"), FITTING)
def test_a_decision_is_well_formed(spec: str, name: str) -> None:
    board = game(name)
    moves = "1,6,11,2" if board.moves > 9 else "1234"
    for position in (Position.start(board), parse_position(board, moves)):
        decision = agent(spec).start(board, position.to_move, 5).decide(position)
        check_decision(decision, position)


@pytest.mark.parametrize(("spec", "name"), FITTING)
def test_every_kind_of_position_is_decided(spec: str, name: str) -> None:
    board = game(name)
    for kind, moves in POSITIONS[name].items():
        position = parse_position(board, moves)
        for seed in (1, 2):
            mind = agent(spec).start(board, position.to_move, seed)
            try:
                check_decision(mind.decide(position), position)
            except Exception as error:
                raise AssertionError(f"{spec}, {kind} ({moves}): {error!r}") from error


@pytest.mark.parametrize(("spec", "name"), FITTING)
def test_random_positions_of_all_plies_are_decided_by_one_mind(spec: str, name: str) -> None:
    """The mind is shown positions that don't follow from each other, early and late, on either side."""
    board = game(name)
    stream = Stream(derive(3, name))
    mind = agent(spec).start(board, FIRST, 4)
    for ply in range(0, board.cells, max(1, board.cells // 12)):
        position = Position.start(board)
        while position.ply < ply and position.outcome() is None:
            position = position.play(stream.choice(position.legal_moves()))
        if position.outcome() is None:
            check_decision(mind.decide(position), position)


def check_decision(decision: Decision, position: Position) -> None:
    legal = position.legal_moves()
    assert decision.move in legal
    assert type(decision.move) is int
    assert decision.value is None or -1 <= decision.value <= 1
    assert set(decision.values) <= set(legal)
    assert all(-1 <= value <= 1 for value in decision.values.values())
    assert decision.nodes >= 0
    assert decision.seconds >= 0
    if decision.line:
        assert decision.line[0] == decision.move
        for move in decision.line:
            position = position.play(move)
    json.dumps(dict(decision.details))


@pytest.mark.parametrize(("spec", "name"), FITTING)
def test_there_is_nothing_to_decide_when_the_game_is_over(spec: str, name: str) -> None:
    board = game(name)
    position = Position.start(board)
    while position.outcome() is None:
        position = position.play(position.legal_moves()[0])
    with pytest.raises(IllegalMove, match="the game is over"):
        agent(spec).start(board, FIRST, 1).decide(position)
