"""The static page: the size of its first view, the time until it can be used, and the time until exact scores.

    python benchmarks/static_site.py

It writes the site, serves it on loopback, and opens it in Chromium, which it needs. Wanted: a first view of at most
200 kB compressed, ready within 1 s over HTTP and from a disk, and the scores of all moves of a middle-game position
within 150 ms.
"""

from __future__ import annotations

import argparse
import gzip
import statistics
import sys
import tempfile
import time
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parents[1] / "tests"))  # the same browser and server as the tests have

from playwright.sync_api import Browser, Page

from inarow.randomness import Stream
from inarow.rules import CONNECT4, Position, format_moves
from inarow.web.site import site_files, write_site
from support.chromium import chromium
from support.static_files import served

PLIES = 16
WANTED = 150
SCORES = """([hash, moves]) => new Promise((done) => {
  const begun = performance.now();
  const labels = () => [...document.querySelectorAll(".board .label")].filter((one) => one.textContent).length;
  const look = () => {
    const solved = location.hash.includes(hash) && !document.querySelector("#truth").textContent.startsWith("Solving");
    if (solved && labels() === moves) done(performance.now() - begun);
    else setTimeout(look, 1);
  };
  location.hash = hash;
  setTimeout(look, 5);
})"""


def middle_games(count: int) -> list[Position]:
    """Return random positions after 16 plies in which nobody can complete a line at once."""
    stream, found = Stream(5), list[Position]()
    while len(found) < count:
        position = Position.start(CONNECT4)
        while position.outcome() is None and position.ply < PLIES:
            position = position.play(stream.choice(position.legal_moves()))
        if position.outcome() is None and not (
            position.winning_moves() or position.winning_moves(position.to_move.other)
        ):
            found.append(position)
    return found


def first_view(browser: Browser, address: str) -> tuple[float, set[str]]:
    """Return the seconds until the first page shows the truth, and the files that were loaded."""
    context = browser.new_context(service_workers="block")
    page = context.new_page()
    asked: list[str] = []
    page.on("request", lambda request: asked.append(request.url))
    begun = time.perf_counter()
    page.goto(address)
    page.get_by_text("with best play").wait_for()
    seconds = time.perf_counter() - begun
    context.close()
    loaded = {one.removeprefix(address).partition("?")[0] for one in asked if one.startswith(address)}
    return seconds, {name or "index.html" for name in loaded}


def score_times(page: Page, address: str, positions: list[Position]) -> list[float]:
    """Return the milliseconds from opening each position to the scores of all its moves on the board."""
    page.goto(f"{address}#/analyse/connect4/{'4' * 6}")
    page.locator(".label.best").first.wait_for()
    page.wait_for_timeout(1000)
    found = []
    for position in positions:
        moves = format_moves(CONNECT4, position.history() or ())
        found.append(page.evaluate(SCORES, [f"#/analyse/connect4/{moves}", len(position.legal_moves())]))
    return found


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--visits", type=int, default=5, choices=range(1, 100), metavar="N")
    parser.add_argument("--positions", type=int, default=20, choices=range(2, 1000), metavar="N")
    given = parser.parse_args()
    with tempfile.TemporaryDirectory() as name, chromium() as browser:
        folder = Path(name)
        write_site(folder, site_files())
        with served(folder) as address:
            sizes = [len(gzip.compress((folder / name).read_bytes())) for name in first_view(browser, address)[1]]
            print(f"first view: {sum(sizes) / 1000:.0f} kB compressed")
            for way, place in (("HTTP", address), ("disk", (folder / "index.html").as_uri())):
                times = [first_view(browser, place)[0] for _ in range(given.visits)]
                print(f"ready from {way}: {statistics.median(times):.2f} s, slowest {max(times):.2f} s")
            times = score_times(browser.new_page(), address, middle_games(given.positions))
        slow = sum(one > WANTED for one in times)
        print(f"exact scores of all moves: {statistics.median(times):.0f} ms, slowest {max(times):.0f} ms")
        print(f"over {WANTED} ms: {slow} of {len(times)} positions")


if __name__ == "__main__":
    main()
