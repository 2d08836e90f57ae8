"""The foundation's figures: start-up, counting, matches a second, the latency of Ctrl-C.

python benchmarks/foundation.py
"""

from __future__ import annotations

import os
import resource
import signal
import subprocess
import sys
import threading
import time

from inarow.agents import agent
from inarow.match import Series, play_series
from inarow.rules import CONNECT4, game
from inarow.rules.counting import count_plies


def best(times: int, command: list[str]) -> float:
    """Least seconds of several runs of a command."""
    taken = []
    for _ in range(times):
        begun = time.perf_counter()
        subprocess.run(command, check=True, capture_output=True)
        taken.append(time.perf_counter() - begun)
    return min(taken)


def matches_per_second() -> float:
    """random against random at Connect 4, through the full match path, records and tallies included."""
    rates = []
    for seed in range(5):
        series = Series(CONNECT4, agent("random"), agent("random"))
        begun = time.perf_counter()
        for pair in play_series(CONNECT4, agent("random"), agent("random"), matches=1000, seed=seed):
            series.add(pair)
        rates.append(series.matches / (time.perf_counter() - begun))
    return max(rates)


def interrupt_latency() -> float:
    """Seconds from SIGINT to KeyboardInterrupt while a kernel runs on the main thread."""
    import numpy as np

    from inarow.kernels.lang.jit import kernel
    from inarow.stopping import SYSTEM_CLOCK, Stop, raised, stop_on_interrupt

    @kernel
    def spin(flag: np.ndarray) -> int:
        turns = 0
        while not raised(flag):
            turns += 1
        return turns

    stop_on_interrupt()
    spin(np.ones(1, dtype=np.int64))
    sent = [0.0]

    def send() -> None:
        sent[0] = time.perf_counter()
        os.kill(os.getpid(), signal.SIGINT)

    threading.Timer(0.3, send).start()
    stop = Stop()
    try:
        with SYSTEM_CLOCK.alarm(None, stop):
            spin(stop.flag)
    except KeyboardInterrupt:
        pass
    return time.perf_counter() - sent[0]


def main() -> None:
    """Print each figure with what is wanted."""
    print(f"inarow --help            {best(5, [sys.executable, '-m', 'inarow', '--help']):8.3f} s   (at most 0.4)")
    begun = time.perf_counter()
    counts = list(count_plies(game("connect4"), 10))
    took = time.perf_counter() - begun
    memory = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
    print(f"perft connect4 10        {took:8.2f} s   (at most 10), {memory:.0f} MB, {counts[-1].positions:,} positions")
    print(f"random–random matches    {matches_per_second():8.0f} /s  (at least 2,000)")
    print(f"Ctrl-C inside a kernel   {1000 * interrupt_latency():8.2f} ms  (at most 200)")


if __name__ == "__main__":
    main()
