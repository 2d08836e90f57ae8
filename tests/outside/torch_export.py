"""A PyTorch network plays alike as a module and as an exported file; run by `make recipes`, which installs PyTorch."""

from __future__ import annotations

from pathlib import Path

import torch

from inarow.agents import agent
from inarow.agents.torch import ModuleAgent
from inarow.rules import CONNECT4, Position


def test_an_exported_network_decides_as_its_module(tmp_path: Path) -> None:
    torch.manual_seed(0)
    network = torch.nn.Sequential(torch.nn.Flatten(), torch.nn.Linear(84, 16), torch.nn.ReLU(), torch.nn.Linear(16, 7))
    path = tmp_path / "network.pt2"
    torch.export.save(torch.export.export(network.eval(), (torch.zeros(1, 2, 6, 7),)), path)
    for moves in ([], [3], [3, 3, 2], [0, 1, 2, 3, 4, 5]):
        position = Position.start(CONNECT4, moves)
        decided = [
            one.start(CONNECT4, position.to_move, 0).decide(position).move
            for one in (ModuleAgent(network), agent(f"torch:model={path}"))
        ]
        assert decided[0] == decided[1]
