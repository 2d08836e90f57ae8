"""A trace played again ends where the search ended, and its pictures show what the steps say."""

from __future__ import annotations

from xml.etree import ElementTree

import pytest

from inarow.agents import agent
from inarow.errors import InarowError
from inarow.rules import CONNECT4, TICTACTOE, Position, game, parse_moves
from inarow.tracing import EventKind, trace
from inarow.tracing.film import Replay, film
from inarow.tracing.trace import Detail, words

MIDDLE = Position.start(CONNECT4, parse_moves(CONNECT4, "4455"))


def shown(svg: str) -> list[str]:
    """The texts of a picture."""
    return [element.text or "" for element in ElementTree.fromstring(svg).iter("{http://www.w3.org/2000/svg}text")]


@pytest.mark.parametrize(
    "spec", ["minimax:depth=3", "alphabeta:depth=4", "mcts:simulations=120", "mcts:simulations=30"]
)
def test_a_replay_ends_with_the_figures_of_the_decision(spec: str) -> None:
    found = trace(MIDDLE, agent(spec))
    assert found.decision is not None
    replay = Replay(found)
    for _ in range(len(found)):
        replay.forward()
    moves = {found.record.moves[node]: node for node in replay.children[0]}
    if found.simulated:
        visits = {move: replay.visits[node] for move, node in moves.items()}
        assert visits == found.decision.by_move["visits"]
        proven = {move for move, node in moves.items() if node in replay.values}
        means = {move: replay.mean(node, 1) for move, node in moves.items() if visits[move] and move not in proven}
        assert means == {move: found.decision.values[move] for move in means}
    else:
        assert replay.values[0] == found.decision.points
        exact = found.decision.by_move["points"]
        assert {move: replay.values[moves[move]] for move in exact} == exact


def test_a_frame_shows_the_step_in_words_the_cut_off_moves_and_the_window() -> None:
    found = trace(MIDDLE, agent("alphabeta:depth=3,root=carried"))
    cut = next(i for i, event in enumerate(found) if event.kind is EventKind.CUT and event.moves)
    texts = shown(film(found, range(cut, cut + 1)).frame(0))
    assert " ".join(texts).count("cut off") == len(found[cut].moves)
    assert words(found, cut) in " ".join(texts)
    assert [text for text in texts if text.startswith("α ")]


def test_a_value_that_is_only_a_bound_is_shown_as_one() -> None:
    found = trace(MIDDLE, agent("alphabeta:depth=3,root=carried"))
    bound = next(i for i, event in enumerate(found) if event.detail is Detail.AT_MOST)
    assert [text for text in shown(film(found, range(bound, bound + 1)).frame(0)) if text.startswith("≤ ")]
    exact = trace(MIDDLE, agent("minimax:depth=2"))
    assert not [text for text in shown(film(exact).frame(-1)) if text.startswith(("≤", "≥"))]


@pytest.mark.parametrize(
    ("name", "spec"),
    [("tictactoe", "mcts:simulations=40"), ("6x6x4-free", "alphabeta:depth=2"), ("4x3x3", "minimax:depth=12")],
)
@pytest.mark.parametrize("theme", ["light", "dark"])
def test_any_search_becomes_an_animation(name: str, spec: str, theme: str) -> None:
    found = trace(Position.start(game(name)), agent(spec), events=400)
    last = film(found, range(len(found) - 3, len(found)), theme, 0.2)
    assert len(last) == 3
    assert ElementTree.fromstring(last.svg()).tag.endswith("svg")
    assert len(film(found)) == 60


def test_steps_that_are_not_there_are_refused() -> None:
    found = trace(Position.start(TICTACTOE), agent("minimax:depth=1"))
    for steps in (range(0), range(5, 500), range(-1, 3)):
        with pytest.raises(InarowError, match="are not steps of this trace"):
            film(found, steps)
