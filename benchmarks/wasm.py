"""Compare the solver in WebAssembly with native code, in one run: ``python benchmarks/wasm.py [ROUNDS]``.

Node.js, whose engine is Chromium's, runs the module with the page's own loader. Both solve the same middle-game
positions of Connect 4 in turn, each from an empty table. For each position the shortest processor time counts. Prints
nodes and times of both, their ratio, and the sizes of the modules, also compressed.
"""

from __future__ import annotations

import gzip
import json
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from typing import Any

import numpy as np

import inarow.web
from inarow.kernels import wasm
from inarow.kernels.solver import solve
from inarow.randomness import Stream
from inarow.rules import Position, game

PLIES = 12
POSITIONS = 12
TT_MB = 16
WIDEST, UNLIMITED = 63, 1 << 40
LOADER = Path(inarow.web.__file__).parent / "static" / "js" / "wasm.js"
SCRIPT = """
import { readFileSync } from "node:fs";
import { createInterface } from "node:readline";
const [loader, folder, text] = process.argv.slice(-3);
const { Kernels } = await import(loader);
const kernels = new Kernels(JSON.parse(readFileSync(`${folder}/kernels.json`)));
await kernels.load("solver", readFileSync(`${folder}/solver.wasm`));
const { layout, positions, mb } = JSON.parse(text);
const search = kernels.record("Search");
search.tt = kernels.array("int64", Number(kernels.call("solver.solve.table_words", layout, mb)));
search.stop = kernels.array("int64", 1);
for await (const line of createInterface({ input: process.stdin })) {
  const [own, occupied, ply] = positions[Number(line)].map(BigInt);
  search.tt.data.fill(0n);
  search.history.data.fill(0n);
  kernels.call("solver.solve.set_up", search, layout, mb);
  Object.assign(search, { nodes: 0n, look: 0n, limit: 1n << 40n });
  const before = process.cpuUsage();
  kernels.call("solver.solve.solve", search, own, occupied, ply, -63, 63);
  const { user, system } = process.cpuUsage(before);
  console.log(JSON.stringify([[search.nodes, search.low, search.high].map(Number), (user + system) / 1e6]));
}
"""


def middle_game() -> list[Position]:
    """Return random positions that are not decided by the next move."""
    stream, found, board = Stream(5), list[Position](), game("connect4")
    while len(found) < POSITIONS:
        position = Position.start(board)
        while position.outcome() is None and position.ply < PLIES:
            position = position.play(stream.choice(list(position.legal_moves())))
        if position.outcome() is None and not position.winning_moves():
            found.append(position)
    return found


def solve_natively(search: solve.Search, position: Position) -> tuple[tuple[int, int, int], float]:
    """Return the nodes and the bounds, and the seconds that it took."""
    search.tt[:] = 0
    search.history[:] = 0
    solve.set_up(search, position.game.layout, TT_MB)
    before = time.thread_time()
    search.nodes, search.look, search.limit = 0, 0, UNLIMITED
    solve.solve(search, position.own, position.occupied, position.ply, -WIDEST, WIDEST)
    return (search.nodes, search.low, search.high), time.thread_time() - before


def main(rounds: int) -> None:
    """Run and print."""
    files, positions, layout = wasm.modules(), middle_game(), game("connect4").layout
    search = solve.Search()
    search.tt = np.zeros(solve.table_words(layout, TT_MB), np.int64)
    search.stop = np.zeros(1, np.int64)
    stones = [[str(position.own), str(position.occupied), str(position.ply)] for position in positions]
    numbers: dict[str, Any] = {name: str(int(value)) for name, value in layout._asdict().items()}
    given = json.dumps({"layout": numbers | {"gravity": 1, "misere": 0}, "positions": stones, "mb": TT_MB})
    times = np.full((2, len(positions)), np.inf)
    nodes = 0
    with tempfile.TemporaryDirectory() as folder:
        for name, content in files.items():
            Path(folder, name).write_bytes(content)
        command = ["node", "--input-type=module", "-e", SCRIPT, "--", str(LOADER), folder, given]
        with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True) as node:
            assert node.stdin is not None
            assert node.stdout is not None
            for _ in range(rounds):
                for i, position in enumerate(positions):
                    native, seconds = solve_natively(search, position)
                    print(i, file=node.stdin, flush=True)
                    found, elsewhere = json.loads(node.stdout.readline())
                    assert tuple(found) == native, (position, found, native)
                    times[:, i] = np.minimum(times[:, i], (seconds, elsewhere))
                    nodes += native[0]
            node.stdin.close()
    native_time, wasm_time = times.sum(axis=1)
    print(f"{len(positions)} positions after {PLIES} plies, {nodes // rounds:,} nodes; all answers are equal")
    print(f"native {native_time:.3f} s, WebAssembly {wasm_time:.3f} s: {wasm_time / native_time:.2f} times as long")
    print("\nbytes of the modules, and with gzip:")
    for name, content in files.items():
        print(f"{name:16} {len(content):7,} {len(gzip.compress(content, mtime=0)):7,}")


if __name__ == "__main__":
    main(int(sys.argv[1]) if len(sys.argv) > 1 else 5)
