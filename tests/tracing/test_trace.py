"""A trace says what happened in words and in JSON, is bounded, and refuses what can't be recorded."""

from __future__ import annotations

import json
import re
from dataclasses import dataclass

import pytest

from inarow.agents import Limit, agent, mcts
from inarow.agents.mcts import Tree
from inarow.agents.simple import Random
from inarow.errors import InarowError
from inarow.kernels.alphabeta import INFINITE
from inarow.kernels.evaluate import MAX_MOVES
from inarow.rules import CONNECT4, TICTACTOE, Position, parse_moves
from inarow.stopping import Stop
from inarow.tracing import EventKind, Untraceable, trace
from inarow.tracing.trace import json_lines, words

START = Position.start(CONNECT4)
MIDDLE = Position.start(CONNECT4, parse_moves(CONNECT4, "44455554221"))


@dataclass(frozen=True)
class Foreign(Random):
    """Stands for an agent in a file."""

    name = "file"
    foreign = True


def test_a_cut_off_is_explained_by_what_the_other_side_has_elsewhere() -> None:
    found = trace(MIDDLE, agent("alphabeta:depth=3,root=carried"))
    cuts = [index for index, event in enumerate(found) if event.kind is EventKind.CUT]
    assert cuts
    for index in cuts:
        event = found[index]
        if found.max_to_move(event.node):
            assert event.value >= event.best
            bound, other = "least", "MIN"
        else:
            assert event.value <= event.best
            bound, other = "most", "MAX"
        wanted = rf"(Cutoff: t|T)he value here is at {bound} .*, no better for {other} than elsewhere \(.*\)\."
        assert re.match(wanted, words(found, index))
        path = found.path(event.node)
        child = MIDDLE
        for move in path:
            child = child.play(move)
        tried = {found.record.moves[n] for n, parent in enumerate(found.record.parents) if parent == event.node}
        assert tried | set(event.moves) == set(child.legal_moves())
        assert not tried & set(event.moves)


def test_a_proven_tie_at_the_root_does_not_show_as_a_hundredth_less() -> None:
    found = trace(START, agent("alphabeta:depth=3"))
    said = [words(found, index) for index, event in enumerate(found) if event.kind is EventKind.CUT]
    assert said
    assert not [one for one in said if ".99" in one]


def test_minimax_has_no_window_and_alphabeta_has_one() -> None:
    def narrow(spec: str) -> bool:
        events = trace(MIDDLE, agent(spec))
        return any(event.kind is EventKind.ENTER and event.high - event.low < 2 * INFINITE for event in events)

    assert not narrow("minimax:depth=3")
    assert narrow("alphabeta:depth=3")


def test_visits_in_a_tree_of_mcts_add_up() -> None:
    found = trace(MIDDLE, agent("mcts:simulations=60"))
    assert found.decision is not None
    below_root = {1: 0}
    for event in found:
        if event.kind is EventKind.BACKUP:
            first = found.path(event.node)[0]
            below_root[first] = below_root.get(first, 0) + 1
    visits = found.decision.by_move["visits"]
    assert {move: count for move, count in below_root.items() if count} == {m: v for m, v in visits.items() if v}
    assert sum(event.kind is EventKind.SELECT for event in found) >= 60


@pytest.mark.parametrize("spec", ["alphabeta:depth=6", "mcts:simulations=500"])
def test_a_trace_ends_at_its_limit_and_says_so(spec: str) -> None:
    found = trace(START, agent(spec), events=40)
    assert len(found) == 40
    assert found.truncated == "40 events"
    assert found.decision is None
    assert "truncated after 40 events" in repr(found)


def test_a_wide_tree_ends_at_a_number_of_nodes() -> None:
    found = trace(Position.start(TICTACTOE), agent("mcts:simulations=500"), events=1)
    assert found.truncated == "8 nodes"


def test_a_tree_that_is_pruned_is_traced_until_then(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(mcts, "Tree", lambda room, state, node: Tree(300, state, node))
    found = trace(START, agent("mcts:simulations=2000"))
    assert found.decision is None
    nodes = int(found.truncated.removesuffix(" nodes"))
    assert 300 - MAX_MOVES < nodes <= 300


def test_a_trace_can_be_stopped() -> None:
    stop = Stop()
    stop.set()
    assert trace(START, agent("mcts:simulations=500"), stop=stop).decision is None
    assert trace(START, agent("alphabeta:depth=5"), stop=stop).truncated == "1 events"


@pytest.mark.parametrize(
    ("player", "reason"),
    [
        (Foreign(), "file can't be traced: its code is not inarow's"),
        (agent("rules"), "rules can't be traced: it does not search a tree; minimax, alphabeta and mcts can"),
        (agent("mcts:seconds=1"), "with seconds the clock decides"),
        (agent("alphabeta:seconds=1"), "with seconds the clock decides"),
        (agent("alphabeta:solver=on"), "with solver=on the solver decides"),
        (agent("mcts:solver=on"), "with solver=on the solver decides"),
    ],
)
def test_what_cannot_be_traced_is_refused_with_the_reason(player: Random, reason: str) -> None:
    with pytest.raises(Untraceable, match=reason):
        trace(START, player)


def test_nonsense_is_refused() -> None:
    with pytest.raises(Untraceable, match="clock"):
        trace(START, agent("mcts"), limit=Limit(seconds=1))
    with pytest.raises(InarowError, match="events must be an integer from 1 to 1,000,000, got 0"):
        trace(START, agent("mcts"), events=0)
    with pytest.raises(InarowError, match="events must be an integer from 1 to 1,000,000, got 10000000"):
        trace(START, agent("mcts"), events=10**7)
    with pytest.raises(InarowError, match="the game is over"):
        trace(Position.start(TICTACTOE, (0, 3, 1, 4, 2)), agent("mcts"))


@pytest.mark.parametrize(
    "spec",
    [
        "minimax:depth=2",
        "alphabeta:depth=4,tt=on,tt_mb=1,iterative_deepening=on",
        "mcts:simulations=40",
        "minimax:depth=9",
    ],
)
def test_every_event_is_a_json_object_with_words(spec: str) -> None:
    position = Position.start(TICTACTOE, parse_moves(TICTACTOE, "15936"))
    found = trace(position, agent(spec))
    first, *events = [json.loads(line) for line in json_lines(found)]
    assert first["events"] == len(events) == len(found)
    assert first["nodes"] == found.nodes
    assert first["move"] == events[-1]["moves"][0]
    for event in events:
        assert event["words"].endswith(".")
        assert "{" not in event["words"]
    assert events[-1]["event"] == "decide"


def test_wins_are_told_by_the_stone_that_wins() -> None:
    found = trace(Position.start(TICTACTOE, (0, 3, 1, 4)), agent("minimax:depth=1"))
    leaf = next(index for index, event in enumerate(found) if found.path(event.node) == (2,))
    assert words(found, leaf) == (
        "3: MAX completes a line: a win for MAX with stone 5. MAX now has a win for MAX with stone 5."
    )
