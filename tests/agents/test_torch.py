"""PyTorch networks as agents: with PyTorch if it is installed, else by a stand-in with the same call protocol."""

from __future__ import annotations

import contextlib
import types
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from inarow.agents import AgentError, agent
from inarow.agents import torch as torch_agent
from inarow.agents.torch import ModuleAgent
from inarow.errors import Unsupported
from inarow.match import play_match
from inarow.rules import CONNECT4, FIRST, TICTACTOE, Position


class Module:
    """Prefers high columns, and moves onto the mover's own stones; with a value head if asked for."""

    def __init__(self, value: float | None = None) -> None:
        self.value = value
        self.evaluating = False
        self.seen: Any = None

    def eval(self) -> None:
        self.evaluating = True

    def __call__(self, planes: Any) -> Any:
        assert self.evaluating
        self.seen = planes
        logits = planes[:, 0].sum(1) + np.arange(planes.shape[3]) / 100
        return logits if self.value is None else (logits, np.array([[self.value]]))


@pytest.fixture
def stand_in(monkeypatch: pytest.MonkeyPatch) -> None:
    fake = types.SimpleNamespace(from_numpy=lambda array: array, inference_mode=contextlib.nullcontext)
    monkeypatch.setattr(torch_agent, "import_torch", lambda: fake)


@pytest.mark.usefixtures("stand_in")
def test_a_module_plays_its_best_legal_move() -> None:
    module = Module()
    mind = ModuleAgent(module).start(CONNECT4, FIRST, 0)
    position = Position.start(CONNECT4, [6, 6, 6, 6, 6, 6, 0, 1])
    assert mind.decide(position).move == 0, "its column 7 is full, its stone is in column 1"
    assert module.seen.shape == (1, 2, 6, 7)
    assert module.seen.dtype == np.float32
    assert (module.seen[0] == position.to_array()).all()
    assert play_match(CONNECT4, ModuleAgent(Module()), agent("random"), seed=1).outcome is not None


@pytest.mark.usefixtures("stand_in")
def test_a_value_head_gives_the_value_of_the_decision() -> None:
    mind = ModuleAgent(Module(0.25)).start(CONNECT4, FIRST, 0)
    assert mind.decide(Position.start(CONNECT4)).value == 0.25
    assert ModuleAgent(Module(7.0)).start(CONNECT4, FIRST, 0).decide(Position.start(CONNECT4)).value == 1.0


@pytest.mark.usefixtures("stand_in")
def test_a_network_for_another_board_is_refused() -> None:
    with pytest.raises(AgentError, match="returned 3 logits; tictactoe has 9 moves"):
        ModuleAgent(Module()).start(TICTACTOE, FIRST, 0).decide(Position.start(TICTACTOE))


def test_bad_files_are_refused_in_a_sentence(tmp_path: Path, stand_in: None) -> None:
    (tmp_path / "bad.pt2").write_text("no archive")
    for spec, said in (
        ("torch", "model is missing; write torch:model=network.pt2"),
        (f"torch:model={tmp_path}/none.pt2", "there is no file"),
        (f"torch:model={tmp_path}/bad.pt2", "it is not a .pt2 archive"),
    ):
        with pytest.raises(AgentError, match=said):
            agent(spec).check(CONNECT4)


def test_without_pytorch_the_error_says_what_to_install(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(__import__("sys").modules, "torch", None)
    with pytest.raises(Unsupported, match=r"pip install 'inarow\[torch\]'"):
        torch_agent.import_torch()
