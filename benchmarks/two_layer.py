"""Screen small two-layer networks (NNUE style) as evaluators of Connect 4. Needs PyTorch.

    python benchmarks/two_layer.py [--labels 150000] [--passes 25] [--hidden 32-16 128-32 256-32]

Inputs are 211 bits: stones and empty winning cells of both sides, playable cells, whose turn it is. Labels are random
positions where nothing is forced, with their exact value from 16 stones on, and before that the value of the shipped
n-tuple network. Weights are rounded to 8 bits after training. The grades are those of `screening.py`.
"""

from __future__ import annotations

import argparse
import random
import time
from typing import Any

import numpy as np
import torch
from numpy.typing import NDArray

from inarow import bits
from inarow.models.loading import load_model, model_path
from inarow.models.network import Network, forced_blocks
from inarow.rules import CONNECT4, Position
from inarow.solver import Oracle
from inarow.solver.analysis import plies_to_end
from inarow.training.ntuple import NTuple
from screening import graded

GAMMA = 0.99
EXACT_FROM = 16
BATCH = 512
CELLS = np.array(CONNECT4.cell_bits, np.int64)
INPUTS = 5 * CONNECT4.cells + 1
Floats = NDArray[np.float32]


def features(positions: list[Position]) -> Floats:
    """Return the inputs of positions, (n, INPUTS)."""
    game, sets = CONNECT4, []
    for position in positions:
        own, opp, taken = position.own, position.opp, position.occupied
        wins = (bits.winning_cells(stones, game.k, game.stride, game.board) & ~taken for stones in (own, opp))
        sets.append((own, opp, *wins, (taken + game.bottom) & game.board))
    planes = (np.array(sets, np.int64)[:, :, None] & CELLS != 0).reshape(len(positions), -1)
    turn = np.array([[position.ply % 2] for position in positions])
    return np.concatenate([planes, turn], axis=1).astype(np.float32)


def mirrored(inputs: Floats) -> Floats:
    """Return the inputs of the mirror images."""
    planes = inputs[:, :-1].reshape(-1, 5, CONNECT4.rows, CONNECT4.columns)[..., ::-1]
    return np.concatenate([planes.reshape(len(inputs), -1), inputs[:, -1:]], axis=1)


def labels(count: int, seed: int) -> tuple[Floats, Floats]:
    """Return inputs and values to the side to move of random positions where nothing is forced."""
    chance, oracle = random.Random(seed), Oracle(CONNECT4)
    teacher: Network = load_model(model_path("ntuple", "", CONNECT4), "ntuple", CONNECT4)
    found: dict[int, tuple[Position, float]] = {}
    while len(found) < count:
        position, plies = Position.start(CONNECT4), chance.randint(4, 31)
        while position.ply < plies and position.outcome() is None:
            position = position.play(chance.choice(position.legal_moves()))
        if position.outcome() is not None or position.key() in found or forced_blocks(position) != (True, ()):
            continue
        if position.ply < EXACT_FROM:
            value = max(teacher.judge(position).values())
        else:
            score = oracle.score(position)
            value = GAMMA ** plies_to_end(position, score) * ((score > 0) - (score < 0))
        found[position.key()] = position, value
    inputs = features([position for position, _ in found.values()])
    values = np.array([value for _, value in found.values()], np.float32)
    return np.concatenate([inputs, mirrored(inputs)]), np.concatenate([values, values])


def trained(inputs: Floats, values: Floats, hidden: tuple[int, int], passes: int) -> Any:
    """Train a network on the labels, ``passes`` times all of them; its weights are then rounded to 8 bits."""
    torch.manual_seed(0)
    first, second = hidden
    model = torch.nn.Sequential(
        torch.nn.Linear(INPUTS, first), torch.nn.Hardtanh(0, 1), torch.nn.Linear(first, second),
        torch.nn.Hardtanh(0, 1), torch.nn.Linear(second, 1), torch.nn.Tanh(),
    )  # fmt: skip
    steps = passes * len(values) // BATCH
    optimizer = torch.optim.AdamW(model.parameters(), lr=8e-3)
    schedule = torch.optim.lr_scheduler.OneCycleLR(optimizer, 8e-3, total_steps=steps)
    x, y = torch.from_numpy(inputs), torch.from_numpy(values)
    for _ in range(steps):
        batch = torch.randint(0, len(y), (BATCH,))
        loss = ((model(x[batch]).squeeze(1) - y[batch]) ** 2).mean()
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        schedule.step()
    with torch.no_grad():
        for layer in model:
            if isinstance(layer, torch.nn.Linear):
                scale = 127 / layer.weight.abs().max()
                layer.weight.copy_(torch.round(layer.weight * scale) / scale)
    return model


class Player:
    """Values of moves one ply ahead: tactics decide where something is forced, as with an n-tuple network."""

    def __init__(self, model: Any) -> None:
        self.model = model
        self.tactics = Network(NTuple(cells="1", memory=False, threats=False).layout(CONNECT4, 0), gamma=GAMMA)

    def judge(self, position: Position) -> dict[int, float]:
        """Return the value of every legal move."""
        values = self.tactics.judge(position)  # 0 where nothing is decided: its weights are
        open_moves, ends, factors = [], [], []
        for move in values:
            after = position.play(move)
            quiet, blocks = (False, ()) if after.outcome() is not None else forced_blocks(after)
            if quiet:
                for block in blocks:
                    after = after.play(block)
                open_moves.append(move)
                ends.append(after)
                factors.append((-GAMMA) ** (1 + len(blocks)))
        if ends:
            with torch.inference_mode():
                found = self.model(torch.from_numpy(features(ends))).squeeze(1).tolist()
            values |= {move: factor * one for move, factor, one in zip(open_moves, factors, found, strict=True)}
        return values


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--labels", type=int, default=150_000)
    parser.add_argument("--passes", type=int, default=25)
    parser.add_argument("--hidden", nargs="+", default=["32-16", "128-32", "256-32"], help="units of both layers")
    given = parser.parse_args()
    torch.set_num_threads(1)
    begun = time.process_time()
    inputs, values = labels(given.labels, 7)
    print(f"{given.labels:,} labels: {time.process_time() - begun:.0f} s")
    print("hidden | kB | seconds | kept | perfect | begin-hard mistakes | middle-medium mistakes")
    for hidden in given.hidden:
        first, second = map(int, hidden.split("-"))
        begun = time.process_time()
        model = trained(inputs, values, (first, second), given.passes)
        seconds = time.process_time() - begun
        size = sum(one.numel() for one in model.parameters()) / 1000
        print(f"{hidden} | {size:.1f} | {seconds:.0f} | {graded(Player(model).judge)}", flush=True)


if __name__ == "__main__":
    main()
