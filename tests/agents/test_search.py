"""minimax and alphabeta: exact against a textbook minimax, honest in what they count, within their limits."""

from __future__ import annotations

import contextlib
import itertools
import threading
from collections.abc import Iterator

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from inarow.agents import AgentError, Decision, Limit, agent
from inarow.agents.alphabeta import Searcher, SearchMind
from inarow.kernels.alphabeta import new_search
from inarow.match import play_match
from inarow.rules import FIRST, SECOND, Game, IllegalMove, Outcome, Player, Position, game
from inarow.stopping import Clock, Stop
from support.naive_search import NaiveMinimax

GAMES = ["tictactoe", "connect4", "5x4x4", "4x4x3-free", "4x5x3", "6x2x3-free", "9x1x3", "2x30x4", "3x3x2"]
EVALUATORS = ["windows", "windows(share=0.7)", "lines", "zero"]
SWITCHES = [
    f"ordering={ordering},tt={table},symmetry={symmetry},iterative_deepening={deepening},root={root}"
    for ordering in ("none", "centre", "threats", "history")
    for table, symmetry in (("off", "off"), ("on", "off"), ("on", "on"))
    for deepening in ("off", "on")
    for root in ("proven", "full")
]
CARRIED = [
    f"ordering={ordering},tt={table},symmetry=off,iterative_deepening={deepening},root=carried"
    for ordering, table, deepening in (("none", "off", "off"), ("centre", "on", "off"), ("history", "on", "on"))
]


def decide(spec: str, position: Position, seed: int = 0, limit: Limit | None = None) -> Decision:
    mind = agent(spec).start(position.game, position.to_move, seed)
    return mind.decide(position, limit or Limit())


def playing(a_game: Game, choices: list[int]) -> Position:
    """Where random choices lead, the last position before an end."""
    position = Position.start(a_game)
    for number in choices:
        after = position.play(position.legal_moves()[number % len(position.legal_moves())])
        if after.outcome() is not None:
            break
        position = after
    return position


def best_moves(points: dict[int, int]) -> list[int]:
    return [move + 1 for move, value in points.items() if value == max(points.values())]


@settings(max_examples=300)
@given(
    name=st.sampled_from(GAMES),
    choices=st.lists(st.integers(0, 999), max_size=40),
    depth=st.integers(1, 4),
    evaluator=st.sampled_from(EVALUATORS),
    switches=st.sampled_from(SWITCHES + CARRIED),
)
def test_both_agree_with_a_textbook_minimax(
    name: str, choices: list[int], depth: int, evaluator: str, switches: str
) -> None:
    position = playing(game(name), choices)
    if game(name).moves > 9:
        depth = min(depth, 2)
    spec = f"depth={depth},eval={evaluator}"
    searcher = agent(f"minimax:{spec}")
    assert isinstance(searcher, Searcher)
    naive = NaiveMinimax(searcher.eval, position.to_move)
    expected = naive.root(position, depth)
    plain = decide(f"minimax:{spec}", position)
    assert plain.by_move["points"] == expected
    assert plain.points == max(expected.values())
    assert plain.details["best"] == best_moves(expected)
    assert plain.move + 1 == plain.details["best"][0]
    assert (plain.nodes, plain.details["leaves"]) == (naive.nodes, naive.leaves)
    assert plain.details["visits_by_ply"] == list(naive.by_ply.values())
    if "symmetry=on" in switches and evaluator == "runs":
        return
    pruned = decide(f"alphabeta:{spec},{switches}", position)
    assert pruned.points == max(expected.values())
    exact = pruned.by_move["points"]
    assert exact.items() <= expected.items()
    if "root=carried" in switches:
        assert len(pruned.details["best"]) == 1
        assert set(pruned.details["best"]) <= set(best_moves(expected))
    else:
        assert pruned.details["best"] == best_moves(expected)
        assert "root=proven" in switches or exact == expected
    assert sum(pruned.details["visits_by_ply"]) == pruned.nodes
    if "iterative_deepening=off" in switches:
        assert pruned.nodes <= plain.nodes
    check_line(position, plain, depth, naive)


def check_line(position: Position, decision: Decision, depth: int, naive: NaiveMinimax) -> None:
    """The expected play is legal, as long as the search is deep, and ends in the value that was promised."""
    end = position
    for move in decision.line:
        end = end.play(move)
    assert len(decision.line) == depth or end.outcome() is not None
    assert naive.value(end, 0, 0) == decision.points


def test_carried_plays_the_first_of_equal_moves_in_the_order_tried() -> None:
    start = Position.start(game("connect4"), [3, 3, 0])
    moves = {
        order: decide(f"alphabeta:depth=2,eval=zero,ordering={order},root=carried", start).move
        for order in ("none", "centre")
    }
    assert moves == {"none": 0, "centre": 3}


def test_proving_ties_costs_nodes() -> None:
    start = Position.start(game("tictactoe"))
    carried, proven = (
        decide(f"alphabeta:depth=full,ordering=none,root={root}", start).nodes for root in ("carried", "proven")
    )
    assert carried < proven


@pytest.mark.parametrize("switches", SWITCHES)
def test_every_combination_of_switches_gives_the_same_decision(switches: str) -> None:
    for moves, depth in (([3, 3, 2], 6), ([0, 3, 3, 2, 5, 5, 5, 1], 7)):
        position = Position.start(game("connect4"), moves)
        plain = decide(f"minimax:depth={depth}", position)
        pruned = decide(f"alphabeta:depth={depth},{switches}", position)
        assert (pruned.points, pruned.details["best"]) == (plain.points, plain.details["best"])


def test_a_table_that_overflows_changes_nothing() -> None:
    position = Position.start(game("connect4"), [3, 3])
    mind = agent("alphabeta:depth=7,tt=on,symmetry=on,ordering=threats").start(position.game, FIRST, 0)
    assert isinstance(mind, SearchMind)
    mind.state = new_search(4)
    plain = decide("minimax:depth=7", position)
    for _ in range(2):
        pruned = mind.decide(position)
        assert (pruned.points, pruned.details["best"]) == (plain.points, plain.details["best"])


@pytest.mark.parametrize("spec", ["minimax:nodes=10000", "alphabeta:nodes=5000,root=full"])
def test_values_are_of_the_depth_that_chose_and_those_of_the_depth_before_are_apart(spec: str) -> None:
    position = Position.start(game("connect4"), [3, 3])
    decision = decide(spec, position)
    earlier = decision.by_move["earlier"]
    assert decision.depth is not None
    before, after = (decide(f"minimax:depth={decision.depth + more}", position).values for more in (0, 1))
    assert decision.values == {move: after[move] for move in decision.values}
    assert earlier == {move: before[move] for move in earlier}
    assert sorted([*decision.values, *earlier]) == list(position.legal_moves())
    assert decision.value == max(decision.values.values()) == decision.values[decision.move]
    assert "earlier" not in decide(f"{spec},depth=2", position).by_move


def test_a_table_lives_for_one_decision() -> None:
    position = Position.start(game("connect4"), [3, 3])
    mind = agent("alphabeta:depth=6,tt=on").start(position.game, FIRST, 0)
    assert mind.decide(position)._replace(seconds=0) == mind.decide(position)._replace(seconds=0)


def test_the_whole_tree_of_tic_tac_toe() -> None:
    start = Position.start(game("tictactoe"))
    plain = decide("minimax:depth=full", start)
    assert (plain.value, plain.nodes, plain.details["leaves"], plain.depth) == (0, 549_945, 255_168, 9)
    assert set(plain.values.values()) == {0}
    assert decide("alphabeta:depth=full", start).value == 0


def test_positions_visited_at_each_ply_of_connect_4() -> None:
    decision = decide("minimax:depth=5", Position.start(game("connect4")))
    assert decision.details["visits_by_ply"] == [7, 49, 343, 2401, 16807]
    assert decision.details["leaves"] == 7**5
    assert decision.nodes == sum(7**ply for ply in range(1, 6))


@pytest.mark.parametrize("spec", ["minimax:depth=full,ties=random", "alphabeta:depth=full,tt=on,ordering=threats"])
def test_perfect_tic_tac_toe_never_loses_whatever_the_opponent_plays(spec: str) -> None:
    for player in Player:
        mind = agent(spec).start(game("tictactoe"), player, 7)
        seen: set[int] = set()
        outcomes = set(lines_of_play(Position.start(game("tictactoe")), player, mind, seen))
        assert Outcome(player.other) not in outcomes
        assert Outcome(player) in outcomes


def lines_of_play(position: Position, player: Player, mind: object, seen: set[int]) -> Iterator[Outcome]:
    """How the game ends, over all the opponent's moves; a position that was seen before is not played again."""
    if position.key() in seen:
        return
    seen.add(position.key())
    outcome = position.outcome()
    if outcome is not None:
        yield outcome
    elif position.to_move is player:
        assert isinstance(mind, SearchMind)
        yield from lines_of_play(position.play(mind.decide(position).move), player, mind, seen)
    else:
        for move in position.legal_moves():
            yield from lines_of_play(position.play(move), player, mind, seen)


@pytest.mark.parametrize("seed", range(5))
def test_minimax_against_minimax_draws(seed: int) -> None:
    a, b = agent("minimax:depth=full,ties=random"), agent("alphabeta:depth=full,ties=random")
    record = play_match(game("tictactoe"), a, b, seed=seed)
    assert record.outcome is not None
    assert record.outcome.winner is None


def test_the_sooner_win_and_the_later_loss_are_preferred() -> None:
    position = Position.start(game("connect4"), [3, 0, 3, 0, 3])
    lost_in_two = decide("alphabeta:depth=4", position)
    assert lost_in_two.move == 3
    position = Position.start(game("connect4"), [3, 0, 3, 0, 3, 1])
    now = decide("alphabeta:depth=5", position)
    assert (now.move, now.value, now.line) == (3, 1.0, (3,))
    assert now.points == 10**8 - 100 * 7


@pytest.mark.parametrize("spec", ["minimax", "alphabeta", "alphabeta:tt=on,ordering=history"])
@pytest.mark.parametrize("nodes", [1, 3, 7, 8, 50, 999, 1000, 1001, 4321])
def test_a_node_limit_is_exact(spec: str, nodes: int) -> None:
    position = Position.start(game("connect4"), [3, 2, 3])
    decision = decide(f"{spec}{',' if ':' in spec else ':'}nodes={nodes}", position)
    assert decision.nodes == nodes
    assert decision.move in position.legal_moves()
    again = decide(spec, position, limit=Limit(nodes=nodes))
    assert again.nodes <= nodes


def test_a_limit_of_a_match_only_tightens() -> None:
    position = Position.start(game("connect4"))
    assert decide("minimax:depth=3", position, limit=Limit(depth=5)).depth == 3
    assert decide("minimax:depth=3", position, limit=Limit(depth=2)).depth == 2
    assert decide("minimax:nodes=100", position, limit=Limit(nodes=50)).nodes == 50


class SteppingClock(Clock):
    """A clock that only tests move: one second each time it is asked."""

    def __init__(self) -> None:
        self.seconds = 0.0

    def now(self) -> float:
        self.seconds += 1
        return self.seconds

    @contextlib.contextmanager
    def alarm(self, seconds: float | None, stop: Stop) -> Iterator[None]:
        yield


class ExpiredClock(SteppingClock):
    """A clock whose alarms ring at once."""

    @contextlib.contextmanager
    def alarm(self, seconds: float | None, stop: Stop) -> Iterator[None]:
        if seconds is not None:
            stop.set()
        yield


@pytest.mark.parametrize("spec", ["minimax:seconds=4", "alphabeta:seconds=4,tt=on"])
def test_a_search_stops_at_the_deadline_with_the_best_of_the_last_finished_depth(spec: str) -> None:
    position = Position.start(game("connect4"))
    mind = agent(spec).start(position.game, FIRST, 0)
    mind.clock = SteppingClock()
    decision = mind.decide(position)
    assert decision.depth == 4
    assert decision.move == decide("minimax:depth=4", position).move


def test_a_deadline_that_is_over_still_gives_a_move() -> None:
    position = Position.start(game("connect4"))
    mind = agent("alphabeta:seconds=4").start(position.game, FIRST, 0)
    mind.clock = ExpiredClock()
    stop = Stop()
    decision = mind.decide(position, stop=stop)
    assert (decision.move, decision.nodes, decision.depth, decision.value) == (3, 0, 0, None)
    assert not stop.is_set(), "a deadline is not a cancel"


def test_what_a_running_depth_has_improved_counts() -> None:
    # One ply deep the left edge looks as good as anything; two plies deep the loss in one shows. The search
    # is stopped within the second ply, at every node, and never falls back behind what it has seen.
    position = Position.start(game("connect4"), [3, 0, 3, 0, 3])
    moves = [decide(f"alphabeta:eval=zero,nodes={nodes}", position).move for nodes in range(7, 60)]
    assert moves[0] == 0
    switched = moves.index(3)
    assert set(moves[switched:]) == {3}
    assert 7 + switched < 7 + 7 * 7


def test_another_thread_can_stop_a_search() -> None:
    position = Position.start(game("connect4"))
    mind = agent("minimax:depth=full").start(position.game, FIRST, 0)
    stop = Stop()
    timer = threading.Timer(0.05, stop.set)
    timer.start()
    decision = mind.decide(position, stop=stop)  # to the end it would take years
    timer.join()
    assert decision.move in position.legal_moves()


@pytest.mark.parametrize("spec", ["minimax:ties=random", "alphabeta:ties=random,eval=zero,tt=on,ordering=history"])
def test_one_seed_one_result(spec: str) -> None:
    position = Position.start(game("connect4"))
    for seed in range(5):
        assert len({decide(spec, position, seed)._replace(seconds=0).move for _ in range(2)}) == 1
    record = [play_match(game("5x4x4"), agent(spec), agent("random"), seed=3) for _ in range(2)]
    assert record[0].moves == record[1].moves


@pytest.mark.parametrize(("ties", "expected"), [("first", {0}), ("centre", {3}), ("random", set(range(7)))])
def test_ties_are_broken_as_asked(ties: str, expected: set[int]) -> None:
    start = Position.start(game("connect4"))
    moves = {decide(f"alphabeta:depth=2,eval=zero,ties={ties}", start, seed).move for seed in range(60)}
    assert moves == expected


@pytest.mark.parametrize(
    ("spec", "says"),
    [
        ("minimax:depth=0", "depth=0 is not an integer from 1 to 63, full, or auto"),
        ("alphabeta:depth=-3", "depth=-3 is not"),
        ("alphabeta:depth=x", "depth=x is not"),
        ("minimax:nodes=0", "nodes=0 is not"),
        ("minimax:seconds=0", "seconds=0 is not"),
        ("alphabeta:ordering=best", "one of none, centre, threats, history"),
        ("minimax:ordering=centre", "unknown parameter 'ordering'"),
    ],
)
def test_bad_parameters_are_refused(spec: str, says: str) -> None:
    with pytest.raises(AgentError, match=says):
        agent(spec)


@pytest.mark.parametrize(
    ("spec", "name", "says"),
    [
        ("alphabeta:symmetry=on", "connect4", "needs tt=on"),
        ("alphabeta:tt=on,tt_mb=1000000", "connect4", "too large for this machine"),
        ("alphabeta:root=carried,ties=random", "connect4", "use root=proven, or ties=first"),
    ],
)
def test_what_does_not_fit_is_refused(spec: str, name: str, says: str) -> None:
    with pytest.raises(AgentError, match=says):
        agent(spec).start(game(name), FIRST, 0)


def test_a_finished_game_has_nothing_to_search() -> None:
    over = Position.start(game("tictactoe"), [0, 3, 1, 4, 2])
    with pytest.raises(IllegalMove, match="first player has won"):
        decide("alphabeta", over)


@pytest.mark.parametrize("spec", ["minimax:depth=full", "alphabeta:depth=auto", "alphabeta:seconds=0.5,depth=9"])
def test_depths_have_a_canonical_form(spec: str) -> None:
    made = agent(spec)
    assert agent(made.spec) == made
    assert made.spec == {"alphabeta:depth=auto": "alphabeta"}.get(spec, made.spec)
    assert isinstance(made, Searcher)
    assert made.plies == {"minimax:depth=full": 64, "alphabeta:depth=auto": 6}.get(spec, 9)


def test_a_limited_search_looks_as_far_as_it_may() -> None:
    assert decide("alphabeta:nodes=100000", Position.start(game("tictactoe"))).depth == 9
    position = Position.start(game("connect4"), [3])
    depths = [decide(f"alphabeta:nodes={n},tt=on", position).depth for n in (100, 1000, 10000, 100000)]
    assert all(a is not None and b is not None and a < b for a, b in itertools.pairwise(depths))


def test_both_seats_of_one_mind_are_searched_for_who_is_to_move() -> None:
    mind = agent("minimax:depth=2").start(game("connect4"), FIRST, 0)
    lost = Position.start(game("connect4"), [3, 0, 3, 0, 3])
    assert min(mind.decide(lost).by_move["points"].values()) == -(10**8 - 700)
    won = Position.start(game("connect4"), [3, 0, 3, 0, 3, 1])
    assert mind.decide(won).points == 10**8 - 700
    assert won.to_move is FIRST
    assert lost.to_move is SECOND


@pytest.mark.parametrize("name", ["tictactoe", "connect4"])
def test_minimax_and_alphabeta_choose_the_same_moves_by_default(name: str) -> None:
    start = Position.start(game(name))
    assert "depth=6," in agent("minimax").effective(start.game)
    assert "depth=6," in agent("alphabeta").effective(start.game)
    position, visited = start, [0, 0]
    while position.outcome() is None and position.ply < 12:
        full, pruned = decide("minimax", position), decide("alphabeta", position)
        assert (full.move, full.value) == (pruned.move, pruned.value)
        visited = [visited[0] + full.nodes, visited[1] + pruned.nodes]
        position = position.play(full.move)
    assert visited[1] < visited[0] / 2
