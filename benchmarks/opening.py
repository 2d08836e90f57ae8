"""How long the solver takes for all moves of Connect 4 positions in the opening, with the books that ship.

python benchmarks/opening.py                         # plies 0 to 10, 20 random positions of each
python benchmarks/opening.py --positions 100 --plies 8

For each ply: the time until the verdict, and then the score, of every move is known; median, 95 % and the longest, in
milliseconds by the clock. The table is emptied before each question. Wanted: verdicts, and scores as far as the book
has them (up to ply 7), within 150 ms; other scores within 2 s (median).
"""

from __future__ import annotations

import argparse
import time

from solver import random_moves

from inarow.randomness import Stream
from inarow.rules import CONNECT4, Position
from inarow.solver import Oracle


def sample(ply: int, count: int, stream: Stream) -> list[Position]:
    """Return different random positions of a ply, or fewer if there are not as many."""
    found: dict[int, Position] = {}
    for _ in range(20 * count):
        position = Position.start(CONNECT4, random_moves(ply, stream))
        found.setdefault(position.canonical_key(), position)
        if len(found) == count:
            break
    return list(found.values())


def milliseconds(oracle: Oracle, positions: list[Position], weak: bool) -> str:
    """Return the median, the 95th percentile and the maximum of the times."""
    times = []
    for position in positions:
        oracle.forget()
        begun = time.perf_counter()
        found = oracle.move_bounds(position, weak=weak)
        times.append(1e3 * (time.perf_counter() - begun))
        assert all(bounds.decided if weak else bounds.solved for bounds in found.values())
    times.sort()
    return "".join(f"{times[round(share * (len(times) - 1))]:10.2f}" for share in (0.5, 0.95, 1))


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--positions", type=int, default=20, help="positions of each ply")
    parser.add_argument("--plies", type=int, default=10, help="the last ply")
    options = parser.parse_args()
    oracle, stream = Oracle(CONNECT4), Stream(8)
    oracle.score(Position.start(CONNECT4, random_moves(20, stream)))  # loads the kernels and the books
    print("ply  positions       verdicts:  95 %   longest   scores:     95 %   longest   (ms, median first)")
    for ply in range(options.plies + 1):
        positions = sample(ply, options.positions, stream)
        verdicts, scores = (milliseconds(oracle, positions, weak) for weak in (True, False))
        print(f"{ply:3d} {len(positions):10d}{verdicts}{scores}", flush=True)


if __name__ == "__main__":
    main()
