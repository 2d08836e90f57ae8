"""inarow decide: one decision of any agent, as a table and as JSON."""

from __future__ import annotations

import pytest

from inarow.agents import agent_class, agent_names
from inarow.agents.registry import plugin_names
from inarow.cli import decide
from inarow.kernels.lang import jit
from inarow.solver import engine
from support.commands import inarow, inarow_json

ALWAYS = {"game", "position", "agent", "move", "value", "points", "moves", "nodes", "depth", "line", "seconds", "note"}


def test_a_searching_agent_as_json() -> None:
    decision = inarow_json("decide", "connect4", "444", "minimax:depth=3")
    assert set(decision) == ALWAYS | {"leaves", "cutoffs", "visits_by_ply", "best"}
    assert decision["agent"] == "minimax:depth=3"
    assert [each["move"] for each in decision["moves"]] == [0, 1, 2, 3, 4, 5, 6]
    best = max(decision["moves"], key=lambda each: each["points"])
    assert (decision["move"], decision["value"], decision["points"]) == (best["move"], best["value"], best["points"])
    assert decision["depth"] == len(decision["line"]) == 3
    assert decision["line"][0] == decision["move"]
    assert decision["nodes"] == sum(decision["visits_by_ply"]) == 7 + 49 + 343


def test_values_of_the_depth_before_are_in_a_column_of_their_own() -> None:
    shown = inarow("decide", "connect4", "44", "minimax:nodes=100000", "--no-truth").stdout
    rows = {words[0]: words for line in shown.splitlines() if (words := line.split())}
    assert rows["move"] == ["move", "value", "points", "at", "depth", "5"]
    assert rows["4"] == ["4", "*", "+0.375", "1,200", "–"]
    assert rows["7"] == ["7", "–", "–", "+0.375"]
    assert rows["depth"] == ["depth", "5", "and", "a", "part", "of", "6"]


def test_moves_without_a_value_say_so() -> None:
    decision = inarow_json("decide", "tictactoe", "159", "random", "--seed", "3")
    assert {each["value"] for each in decision["moves"]} == {None}
    assert [each["move"] for each in decision["moves"]] == [1, 2, 3, 5, 6, 7]
    assert decision["move"] in (1, 2, 3, 5, 6, 7)


def test_monte_carlo_as_json() -> None:
    decision = inarow_json("decide", "connect4", "", "mcts:simulations=500")
    assert set(decision) >= ALWAYS | {"simulations", "tree_nodes", "tree_depth", "proven"}
    assert sum(each["visits"] for each in decision["moves"]) == decision["simulations"] == 500


def test_limits_only_tighten() -> None:
    assert inarow_json("decide", "connect4", "", "minimax:depth=3", "--depth", "2")["depth"] == 2
    assert inarow_json("decide", "connect4", "", "minimax:depth=3", "--nodes", "20")["nodes"] == 20
    assert inarow_json("decide", "connect4", "", "mcts", "--simulations", "30")["simulations"] == 30
    assert inarow_json("decide", "connect4", "", "mcts", "--seconds", "30")["simulations"] == 1000


def needs_no_file(name: str) -> bool:
    return all(parameter.default != "" for parameter in agent_class(name).parameters())


@pytest.mark.parametrize("name", [name for name in agent_names() if needs_no_file(name) and name not in plugin_names()])
def test_it_works_for_every_agent_that_needs_no_file(name: str) -> None:
    shown = inarow("decide", "tictactoe", "15", name).stdout
    assert f"{name} plays" in shown


def test_a_truth_that_takes_too_long_is_said_to_be_missing(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(decide, "_TRUTH_NODES", 10)
    shown = inarow("decide", "5x4x4", "", "random", "--truth").stdout
    assert "The exact values were not found within 10 nodes; `inarow solve` has no such limit." in shown


def test_a_board_with_many_columns_fits_the_screen() -> None:
    shown = inarow("decide", "21x2x3", "11", "mcts:simulations=50", "--no-truth", terminal=80).stdout
    assert max(map(len, shown.splitlines())) <= 80
    assert "18 19 20 21" in shown


def test_a_table_for_people() -> None:
    shown = inarow("decide", "connect4", "4433", "alphabeta:depth=4,root=full").stdout
    assert "alphabeta:depth=4,root=full plays" in shown
    assert "for the first player" in shown
    for word in ("value", "points", "depth", "nodes", "line", "time", "leaves", "cutoffs"):
        assert word in shown


def test_the_board_shows_the_truth_of_every_move_and_what_the_agent_plays() -> None:
    shown = inarow("decide", "connect4", "425", "perfect", "--truth").stdout
    lines = [line.split() for line in shown.splitlines()]
    assert ["loss"] * 5 + ["draw", "loss"] in lines
    assert lines.index(["best"]) + 1 == lines.index(["plays"])
    assert "perfect plays 6 for the second player (O): draw, the best possible." in shown
    assert shown.index("plays 6") < shown.index("value"), "words come before figures"
    bad = inarow("decide", "connect4", "425", "random", "--seed", "2", "--truth").stdout
    assert "; best: 6, draw." in bad
    assert "loss" not in inarow("decide", "connect4", "425", "random", "--no-truth").stdout


def test_a_command_that_compiled_the_agent_leaves_the_solver_to_the_next_one(monkeypatch: pytest.MonkeyPatch) -> None:
    asked = ("decide", "connect4", "4444443322716", "random")
    monkeypatch.setattr(jit.State, "has_compiled", True)
    monkeypatch.setattr(engine, "is_compiled", lambda game: False)
    first = inarow(*asked).stdout
    assert "loss" not in first
    assert first.index("plays") < first.index("Exact values are not shown"), "the answer comes first"
    assert "loss" in inarow(*asked, "--truth").stdout
    assert "left out" not in inarow(*asked, "--no-truth").stdout
    assert "loss" in inarow("decide", "connect4", "425", "random").stdout, "the opening book needs no solver"
    data = inarow_json(*asked)
    monkeypatch.setattr(jit.State, "has_compiled", False)
    assert "loss" in inarow(*asked).stdout, "nothing else was compiled: now it is the solver's turn"
    assert {**inarow_json(*asked), "seconds": 0} == {**data, "seconds": 0}, "JSON never depends on what is compiled"


@pytest.mark.parametrize(
    ("arguments", "reason"),
    [
        (["connect4", "", "alphabeta:depth=0"], "depth=0 is not an integer from 1"),
        (["connect4", "", "minimax:depth=-1"], "depth=-1 is not"),
        (["connect4", "", "minimax:eval=windows(share=-1)"], "share=-1 is not a number from 0 to 10"),
        (["connect4", "", "alphabeta:tt=on,tt_mb=1000000"], "too large for this machine"),
        (["connect4", "", "alphabeta:symmetry=on"], "needs tt=on"),
        (["connect4", "1212121", "mcts"], "the game is over"),
        (["connect4", "", "mcts", "--seconds", "0"], "seconds must be a positive number"),
        (["connect4", "", "mtcs"], "did you mean mcts"),
        (["connect4", "49", "mcts"], "is not a column of connect4"),
    ],
)
def test_bad_input_gets_one_clear_message(arguments: list[str], reason: str) -> None:
    done = inarow("decide", *arguments, code=2)
    assert reason in " ".join(done.stderr.split())
    assert done.stdout == ""


@pytest.mark.parametrize(("moves", "plays"), [("111111", "1 for the first"), ("1525446", "0 for the second")])
@pytest.mark.parametrize("truth", ["--truth", "--no-truth"])
def test_a_move_that_is_not_legal_is_shown_as_such(moves: str, plays: str, truth: str) -> None:
    """R5's alpha–beta plays its score as a column: 0 if that is full, too, and −1 if the second player is better."""
    shown = inarow("decide", "connect4", moves, "r5-alphabeta:depth=1", truth).stdout
    assert f"plays {plays} player" in shown
    assert "illegal, which loses the match." in shown
