"""How soon the page shows a tournament: ``python benchmarks/web_watch.py [MATCHES] [--json]``; needs Chromium.

It writes a store of 1,000 matches (Connect 4, five agents), opens the page in a fresh browser several
times, and times from the address to the standings, the list of matches and a board, all of them drawn.
"""

from __future__ import annotations

import argparse
import json
import statistics
import sys
import tempfile
import time
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parents[1] / "tests"))  # the same browser and server as the tests have

from inarow.web.serving import WebSettings
from support.chromium import chromium
from support.watched_files import write_store
from support.web_server import running_server

AGENTS = ("random", "rules", "greedy", "minimax:depth=1", "alphabeta:depth=1")
PAIRINGS = 10
RUNS = 5


def measure(matches: int) -> dict[str, float]:
    """Seconds for reading the store once, and until the page is drawn: median and most of several runs."""
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "league.db"
        write_store(path, "connect4", AGENTS, matches // PAIRINGS // 2)
        with running_server(WebSettings(watch=(path,))) as server, chromium() as browser:
            begun = time.perf_counter()
            stored = server.client.get("watch/0")["tables"][0]["matches"]
            reading = time.perf_counter() - begun
            times = []
            for _ in range(RUNS):
                page = browser.new_context().new_page()
                begun = time.perf_counter()
                page.goto(f"{server.address}/#/watch")
                page.locator("#move").wait_for()
                page.locator(".match").first.wait_for()
                page.locator(".standings tbody tr").first.wait_for()
                times.append(time.perf_counter() - begun)
                page.context.close()
    return {"matches": stored, "reading": reading, "median": statistics.median(times), "most": max(times)}


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("matches", nargs="?", type=int, default=1000)
    parser.add_argument("--json", action="store_true")
    given = parser.parse_args()
    found = measure(given.matches)
    if given.json:
        print(json.dumps(found))
        return
    print(f"{found['matches']:,} matches: read in {found['reading']:.2f} s")
    print(f"page drawn in {found['median']:.2f} s (median of {RUNS}), {found['most']:.2f} s at most")


if __name__ == "__main__":
    main()
