"""What a client may ask for: no file is opened, no more memory is taken than allowed, and positions can be."""

from __future__ import annotations

import builtins
import io
import os
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from inarow.adapters.notations import FORMATS, convert
from inarow.errors import InarowError
from inarow.play import Person
from inarow.rules import CONNECT4, Position, format_moves
from inarow.web.messages import PositionInfo, PositionRequest
from inarow.web.security import Refused, allowed_agent, participant, read_position
from inarow.web.serving import WebSettings

SETTINGS = WebSettings(memory_mb=WebSettings().budget_mb - WebSettings().tables_mb + 300)
"""With 100 MB for an agent."""
LINE = (3, 3, 4, 4, 2)
NOTATIONS = sorted(set(FORMATS) - {"moves", "pons"})


@pytest.fixture
def opened(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> list[str]:
    """The files below a folder of its own that are opened in this test."""
    found: list[str] = []

    def spy(real: Callable[..., Any]) -> Callable[..., Any]:
        def opens(path: Any, *args: Any, **kwargs: Any) -> Any:
            if str(path).startswith(str(tmp_path)):
                found.append(str(path))
            return real(path, *args, **kwargs)

        return opens

    for module, name in ((builtins, "open"), (io, "open"), (os, "open"), (os, "stat")):
        monkeypatch.setattr(module, name, spy(getattr(module, name)))
    return found


@pytest.mark.parametrize(
    "spec",
    [
        "file:{}",
        " file:{}",
        "FILE:{}",
        "{}",
        " {} ",
        "qlearning:model={}",
        "ntuple:model={}",
        'ntuple:model="{}"',
    ],
)
def test_no_file_of_a_client_is_opened(spec: str, tmp_path: Path, opened: list[str]) -> None:
    secret = tmp_path / "secret.py"
    secret.write_text("raise SystemExit", encoding="utf-8")
    opened.clear()
    with pytest.raises(InarowError):
        allowed_agent(spec.format(secret), SETTINGS)
    assert opened == []


def test_a_file_that_was_named_at_the_start_is_allowed(agent_file: Path) -> None:
    spec = f"file:{agent_file}"
    assert allowed_agent(spec, WebSettings(agents=(spec,))).spec == spec
    with pytest.raises(Refused, match="only agents in files that the server was started with"):
        allowed_agent(f"{spec} ", WebSettings(agents=()))


@pytest.mark.parametrize("spec", ["mcts:tree_mb=101", "perfect:tt_mb=101", "alphabeta:tt=on,tt_mb=500"])
def test_an_agent_that_wants_too_much_memory_is_refused(spec: str) -> None:
    with pytest.raises(Refused, match="exceeds the 100 MB per agent of this server; give less"):
        allowed_agent(spec, SETTINGS)


def test_a_person_or_an_agent_takes_part() -> None:
    assert isinstance(participant(" Human ", SETTINGS), Person)
    assert participant("rules:style=centre", SETTINGS).spec == "rules:style=centre"


@pytest.mark.parametrize("name", NOTATIONS)
def test_a_pasted_text_is_read_in_the_notation_it_is_written_in(name: str) -> None:
    moves = (0, 0, 3) if name == "zero" else LINE  # a 0 in it can't be one of our moves
    text = convert(CONNECT4, format_moves(CONNECT4, moves), "moves", name)
    found = read_position(PositionRequest(game="connect4", text=text))
    assert found.notation == name
    assert found.position == Position.start(CONNECT4, moves)
    assert found.moves is not None


def test_our_own_notation_comes_first_and_another_can_be_asked_for() -> None:
    assert read_position(PositionRequest(game="connect4", text="44553")).moves == LINE
    assert read_position(PositionRequest(game="connect4", text="33442", notation="zero")).moves == LINE


@pytest.mark.parametrize("text", ["9", "44444445", "x", "[0, 1", "[" * 4000, "4 4 banana", "1e999", "\x00"])
def test_a_text_that_is_no_position_is_refused_with_a_sentence(text: str) -> None:
    with pytest.raises(InarowError):
        read_position(PositionRequest(game="connect4", text=text))


def test_stones_that_were_set_up_get_an_order_of_moves() -> None:
    rows = [".......", ".......", ".......", ".......", "...OO..", "..XXX.."]
    found = read_position(PositionRequest(game="connect4", rows=rows))
    assert found.moves is not None
    assert PositionInfo.of(*found).rows == rows


def test_stones_that_no_order_of_moves_leads_to_are_refused() -> None:
    rows = [*["......."] * 4, "X......", "O......"]  # X would have moved second
    with pytest.raises(InarowError, match="no order of moves"):
        read_position(PositionRequest(game="connect4", rows=rows))


def test_a_search_for_an_order_of_moves_is_given_up(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("inarow.kernels.rules.LOOKS", 3)
    with pytest.raises(InarowError, match="give the moves instead"):
        read_position(PositionRequest(game="connect4", rows=[*["......."] * 4, "...OO..", "..XXX.."]))


def test_a_position_is_given_once() -> None:
    with pytest.raises(Refused, match="got moves and text"):
        read_position(PositionRequest(game="connect4", moves=[], text="4"))
