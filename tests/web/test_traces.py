"""Traces over the API: recorded in a worker, handed out in pages, refused in one sentence."""

from __future__ import annotations

import pytest

from inarow.agents import agent
from inarow.rules import CONNECT4, Position
from inarow.tracing import trace
from inarow.web.client import ApiError, Client
from inarow.web.traces import KEPT, Traces, page_of


def test_a_trace_is_the_one_that_python_records(client: Client) -> None:
    found = client.trace("connect4", "alphabeta:depth=4", [3, 3])
    wanted = trace(Position.start(CONNECT4, (3, 3)), agent("alphabeta:depth=4"))
    assert found.length == len(wanted) == len(found.page.kinds)
    assert found.page.parents == wanted.record.parents.tolist()
    assert found.page.values == wanted.record.values.tolist()
    assert wanted.decision is not None
    assert found.move == wanted.decision.move
    assert not found.truncated
    assert max(found.page.said) < len(found.templates)


@pytest.mark.parametrize("spec", ["minimax:depth=5", "mcts:simulations=4000"])
def test_a_long_trace_comes_in_pages_that_fit_together(client: Client, spec: str) -> None:
    found = client.trace("connect4", spec, events=12_000)
    assert found.truncated == "12,000 events"
    assert found.move is None
    assert found.whole is not None, "what the agent decides is said instead"
    assert found.whole.move in range(7)
    parents, kinds = list(found.page.parents), list(found.page.kinds)
    while len(kinds) < found.length:
        page = client.trace_page(found.id, len(kinds))
        assert page.first_node == len(parents)
        kinds += page.kinds
        parents += page.parents
        assert max(page.nodes) < len(parents)
    assert len(kinds) == found.length
    assert len(parents) == found.node_count
    assert not client.trace_page(found.id, found.length).kinds


def test_a_trace_that_is_gone_is_said(client: Client) -> None:
    with pytest.raises(ApiError, match="this trace is no longer kept") as gone:
        client.trace_page("nothing", 0)
    assert gone.value.status == 404
    kept, one = Traces(), trace(Position.start(CONNECT4), agent("minimax:depth=1"))
    ids = [kept.keep(one) for _ in range(KEPT + 1)]
    assert len(page_of(kept.find(ids[-1]), 0).kinds) == len(one)
    with pytest.raises(Exception, match="no longer kept"):
        kept.find(ids[0])


def test_what_cannot_be_traced_is_a_sentence(client: Client, agent_file: object) -> None:
    for spec, reason in (
        (f"file:{agent_file}", "its code is not inarow's"),
        ("perfect", "it does not search a tree"),
        ("mcts:seconds=1", "the clock decides"),
        ("minimax:depth=0", "depth"),
    ):
        with pytest.raises(ApiError, match=reason) as refused:
            client.trace("connect4", spec)
        assert refused.value.status == 422
    with pytest.raises(ApiError, match="the game is over"):
        client.trace("tictactoe", "minimax", [0, 3, 1, 4, 2])
