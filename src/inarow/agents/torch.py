"""torch: a PyTorch network as an agent. PyTorch (``inarow[torch]``) is imported on first use."""

from __future__ import annotations

import zipfile
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path
from typing import Any

import numpy as np

from inarow.agents.base import Agent, Decision, Mind
from inarow.agents.parameters import AgentError, file
from inarow.errors import Unsupported, printable
from inarow.limits import Limit
from inarow.rules import Game, Player, Position
from inarow.stopping import Stop


def import_torch() -> Any:
    """Import ``torch``. Raises `Unsupported` with install instructions if it is missing."""
    try:
        import torch
    except ImportError:
        raise Unsupported("PyTorch is not installed: pip install 'inarow[torch]'") from None
    return torch


@lru_cache(maxsize=8)
def _loaded(path: Path, _changed: int) -> Any:
    """Load an exported program, cached until the file changes."""
    torch = import_torch()
    try:
        if not zipfile.is_zipfile(path):
            raise ValueError("it is not a .pt2 archive")
        return torch.export.load(path).module()
    except Exception as error:
        reason = printable(str(error).partition("\n")[0])
        raise AgentError(
            f"agent torch: {path} can't be loaded ({reason}); write it with torch.export.save(program, path)"
        ) from None


@dataclass(frozen=True)
class Torch(Agent):
    """Plays the legal move with the highest logit of a network.

    The network is called with a float32 tensor (1, 2, rows, columns), the planes of `Position.to_array`. It returns the
    logits of all moves, (1, moves), or a pair: the logits and the value to the side to move, a single number in
    [−1, 1]. Loading a file can run code: load only files that you trust.
    """

    name = "torch"
    summary = "a PyTorch network: the legal move with the highest logit"
    model: str = file("", "the network, written by torch.export.save (.pt2)")

    def network(self) -> Any:
        """Return the network."""
        if not self.model:
            raise AgentError("agent torch: model is missing; write torch:model=network.pt2")
        path = Path(self.model)
        if not path.is_file():
            raise AgentError(f"agent torch: there is no file {printable(self.model)}")
        return _loaded(path.absolute(), path.stat().st_mtime_ns)

    def check(self, game: Game) -> None:
        super().check(game)
        self.network()

    def mind(self, game: Game, player: Player, seed: int) -> Mind:
        return TorchMind(self.network())


@dataclass(frozen=True)
class ModuleAgent(Agent):
    """A ``torch.nn.Module`` in memory as an agent, called as `Torch` calls its network."""

    name = "module"
    summary = "a PyTorch module in memory"
    module: Any = None
    label: str = "module"

    @property
    def spec(self) -> str:
        return self.label

    def mind(self, game: Game, player: Player, seed: int) -> Mind:
        self.module.eval()
        return TorchMind(self.module)


class TorchMind(Mind):
    """A network in one seat."""

    def __init__(self, network: Any) -> None:
        self.network = network

    def think(self, position: Position, limit: Limit, stop: Stop | None) -> Decision:
        torch, game = import_torch(), position.game
        planes = torch.from_numpy(position.to_array()[None].astype(np.float32))
        with torch.inference_mode():
            answer = self.network(planes)
        logits, value = answer if isinstance(answer, tuple | list) else (answer, None)
        logits = logits.reshape(-1).tolist()
        if len(logits) != game.moves:
            raise AgentError(f"agent torch: the network returned {len(logits)} logits; {game} has {game.moves} moves")
        move = max(position.legal_moves(), key=logits.__getitem__)
        estimate = None if value is None else max(-1.0, min(1.0, value.reshape(-1).tolist()[0]))
        return Decision(move, value=estimate, nodes=1)
