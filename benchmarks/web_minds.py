"""What being watched costs MCTS: ``python benchmarks/web_minds.py [SECONDS] [--json]``.

The same agent thinks about the same position in a worker of the server, once through ``/decide`` (nobody watches) and
once through the live connection of the Minds page, several times in turn. Shown are the simulations per second of both,
and how many updates a second arrive.
"""

from __future__ import annotations

import argparse
import json
import statistics
import sys
import time
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parents[1] / "tests"))  # the same server as the tests have

from websockets.sync.client import connect

from support.web_server import RunningServer, running_server

ROUNDS = 5
POSITION = [3, 3, 3]


def unwatched(server: RunningServer, seconds: float) -> float:
    """Simulations per second of a decision that nobody watches."""
    found = server.client.decide("connect4", f"mcts:seconds={seconds},reuse_tree=off", POSITION)
    return sum(found.by_move["visits"].values()) / found.seconds


def watched(server: RunningServer, seconds: float) -> tuple[float, float]:
    """Simulations per second of one that is watched, and updates per second."""
    address = server.address.replace("http", "ws") + "/api/v1/minds/live"
    with connect(address, proxy=None) as socket:
        socket.send(
            json.dumps({"game": "connect4", "moves": POSITION, "agents": [f"mcts:seconds={seconds},reuse_tree=off"]})
        )
        updates, begun, last = 0, 0.0, None
        while True:
            frame = json.loads(socket.recv(timeout=60))
            if frame["mind"]:
                begun = begun or time.perf_counter()
                updates, last = updates + 1, frame["mind"]
                if last["done"]:
                    break
        took = time.perf_counter() - begun
    return last["simulations"] / last["seconds"], updates / took


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("seconds", nargs="?", type=float, default=3.0)
    parser.add_argument("--json", action="store_true")
    given = parser.parse_args()
    with running_server() as server:
        server.client.solve("connect4", POSITION, seconds=10)  # so that the solver is not at work meanwhile
        unwatched(server, 0.2), watched(server, 0.2)
        rounds = [(unwatched(server, given.seconds), *watched(server, given.seconds)) for _ in range(ROUNDS)]
    alone, seen, updates = (statistics.median(column) for column in zip(*rounds, strict=True))
    ratio = statistics.median(one[1] / one[0] for one in rounds)
    found = {"unwatched": alone, "watched": seen, "ratio": ratio, "updates": updates}
    if given.json:
        print(json.dumps(found))
        return
    print(f"unwatched  {alone:>12,.0f} simulations/s")
    print(f"watched    {seen:>12,.0f} simulations/s, {updates:.1f} updates/s")
    print(f"ratio      {100 * ratio:>11.0f} % (median of {ROUNDS} rounds)")


if __name__ == "__main__":
    main()
