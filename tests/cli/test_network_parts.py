"""What in a network speaks for a move: shown by decide, in words and as JSON."""

from __future__ import annotations

import pytest

from inarow.agents import agent
from inarow.cli.decide import explained, network_json, network_rows, sides
from inarow.models.network import Contribution, Explanation, Part
from inarow.rules import FIRST, SECOND, Position, game
from support.commands import inarow, inarow_json

C4 = game("connect4")


def explanation(*parts: Contribution, settled: str = "", blocks: tuple[int, ...] = ()) -> Explanation:
    return Explanation(3, 0.5, blocks, settled, 0.99, parts)


def part(kind: Part, cells: tuple[int, ...], share: float, owners: tuple[int, ...] = ()) -> Contribution:
    columns = (1, 3) if kind is Part.THREATS else ()
    return Contribution(kind, cells, tuple((FIRST, SECOND)[one] for one in owners), columns, share, share)


@pytest.mark.parametrize(
    "spec",
    ["ntuple", "greedy:eval=ntuple", "alphabeta:eval=ntuple", "minimax:eval=ntuple", "mcts:prior=ntuple", "best"],
)
def test_every_agent_with_a_network_is_explained_by_it(spec: str) -> None:
    assert agent(spec).network_in(C4) is agent("ntuple").network_in(C4)
    found = explained(agent(spec), Position.start(C4, [3, 3, 2]), 3)
    assert found is not None
    for name, parts in sides(found).items():
        assert parts
        assert all((one.share > 0) == (name == "for") for one in parts)
        assert [abs(one.share) for one in parts] == sorted((abs(one.share) for one in parts), reverse=True)


@pytest.mark.parametrize("spec", ["random", "rules", "alphabeta", "mcts", "qlearning", "greedy"])
def test_an_agent_without_a_network_is_not(spec: str) -> None:
    assert explained(agent(spec), Position.start(C4), 3) is None


def test_best_has_no_network_where_none_ships() -> None:
    assert agent("best").network_in(game("5x4x4")) is None


def test_parts_in_words() -> None:
    block = part(Part.TUPLE, (38, 39, 31, 32), 0.3)
    threats = part(Part.THREATS, (29, 24), -0.2, (0, 1))
    rows = network_rows(explanation(block, threats, part(Part.MEMORY, (), 0.1)), C4)
    assert rows == [
        ["for", "+0.300", "columns 4–5 rows 1–2"],
        ["for", "+0.100", "this exact position"],
        ["against", "-0.200", "threats in columns 2 and 4: X at 2 row 2, O at 4 row 3"],
    ]
    stairs = part(Part.TUPLE, (38, 25, 19), 0.3)
    assert network_rows(explanation(stairs), C4)[0][2] == "columns 4 row 1, 5 row 3, 6 row 4"
    free = part(Part.TUPLE, (0, 4, 8), 0.3)
    assert network_rows(explanation(free), game("tictactoe"))[0][2] == "the cells 1 5 9"


def test_what_tactics_settle_is_said() -> None:
    settled = explanation(settled="loss", blocks=(3, 4))
    assert network_rows(settled, C4) == [["settled", "+0.500", "loss in sight, not estimated, after forced blocks 4 5"]]
    assert network_json(settled) == {"value": 0.5, "settled": "loss", "blocks": [3, 4], "for": [], "against": []}


def test_decide_shows_it() -> None:
    shown = inarow("decide", "connect4", "44544", "mcts:prior=ntuple,leaf=ntuple,simulations=50", "--truth").stdout
    assert "Features of its network for move" in shown
    assert "against" in shown
    found = inarow_json("decide", "connect4", "44544", "ntuple")["network"]
    assert found["value"] == pytest.approx(inarow_json("decide", "connect4", "44544", "ntuple")["value"])
    assert {one["part"] for one in [*found["for"], *found["against"]]} <= {"tuple", "threats", "memory"}
    assert "network" not in inarow_json("decide", "connect4", "44544", "rules")
