"""The static page: the size of its first view, the time until it can be used, and the speed of its engine.

    python benchmarks/static_site.py

It writes the site, serves it on loopback, and opens it in Chromium, which it needs. Wanted: a first view of at most
200 kB compressed, ready within 1 s over HTTP and from a disk; the scores of all moves of a middle-game position within
150 ms, and of the empty board within 250 ms. Then agents and learners run in the page and natively, in turn: searches
and learners of Connect 4 at half the native speed or more, networks and Tic Tac Toe learning at 0.4 of it, 100,000 MCTS
simulations within 0.2 s, and the first answer of a loaded page within 50 ms of later ones. The best of several rounds
counts. Last, the memory of a page in which five agents think: at most 250 MB.
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

from inarow.agents import agent
from inarow.frontend import STATIC
from inarow.randomness import Stream
from inarow.rules import CONNECT4, Position, format_moves, game
from inarow.stopping import Stop
from inarow.training import trainer
from inarow.training.opponents import Stage
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


ENGINE = """<!doctype html><html data-engine="local"><link rel="icon" href="data:,"><p id="banner"></p>
<script type="module" src="static/js/engine.js"></script></html>"""
"""A page with the engine's modules and nothing else."""
THINK = """async (question) => {
  const { engine } = await import(new URL("static/js/engine.js", location));
  const begun = performance.now();
  let seconds = 0;
  await new Promise((end, fail) => engine.think(question, (frame) => {
    if (frame.problem) fail(new Error(frame.problem));
    if (frame.mind?.done) seconds = (performance.now() - begun) / 1000;
  }, end));
  return seconds;
}"""
LEARN = """async ([request, seconds]) => {
  const { engine } = await import(new URL("static/js/engine.js", location));
  return new Promise((end, fail) => {
    let first = null;
    const training = engine.learn({ alpha: 0.1, epsilon: 0.1, seed: 1, ...request }, (frame) => {
      if (frame.ended) return fail(new Error(frame.ended));
      first ??= frame.episodes ? frame : null;
      const took = first && frame.seconds - first.seconds;
      if (took >= seconds) end((training.close(), (frame.episodes - first.episodes) / took));
    }, () => {});
  });
}"""
SEARCHES = (
    "alphabeta:depth=14,tt=on", "minimax:depth=8", "mcts:simulations=100000", "alphabeta:depth=11,eval=ntuple",
    "mcts:simulations=5000,prior=ntuple,leaf=ntuple",
)  # fmt: skip
LEARNERS = (("qlearning", "tictactoe"), ("qlearning", "connect4"), ("ntuple", "connect4"))


def native_seconds(spec: str, position: Position) -> float:
    """Return the seconds of a decision."""
    mind = agent(spec).start(position.game, position.to_move, 0)
    begun = time.perf_counter()
    mind.decide(position)
    seconds = time.perf_counter() - begun
    mind.close()
    return seconds


def native_rate(kind: str, board: str, seconds: float) -> float:
    """Return the episodes per second of a learner."""
    spec = f"{kind}:alpha=0.1,epsilon=0.1{',opening_plies=0,rows=393216' if kind == 'qlearning' else ''}"
    learner, count, stop = trainer(spec).learner(game(board), 1, 1 << 30), 100, Stop()
    learner.run(Stage(("self",)), 100, stop)
    begun, before = time.perf_counter(), learner.episodes
    while (took := time.perf_counter() - begun) < seconds:
        count = min(4 * count, learner.run(Stage(("self",)), count, stop) * 4)
    return (learner.episodes - before) / took


def compare(page: Page, rounds: int, seconds: float) -> None:
    """Print the speed of agents and learners in the page and natively, in turn."""
    position = Position.start(CONNECT4, [3, 5, 1, 4, 0, 2, 4, 4])
    for spec in ("alphabeta:depth=2", "ntuple", *SEARCHES):  # the first two load kernels and a network
        question = {"game": "connect4", "moves": list(position.history() or ()), "agents": [spec]}
        pairs = [(page.evaluate(THINK, question), native_seconds(spec, position)) for _ in range(rounds)]
        here, native = (min(times[1:]) for times in zip(*pairs, strict=True))
        print(f"{spec}: first {pairs[0][0]:.3f} s, then {here:.3f}, native {native:.3f}, ratio {native / here:.2f}")
    for kind, board in LEARNERS:
        request = {"kind": kind, "game": board}
        pairs = [(page.evaluate(LEARN, [request, seconds]), native_rate(kind, board, seconds)) for _ in range(rounds)]
        here, native = (max(rates) for rates in zip(*pairs, strict=True))
        print(f"{kind} on {board}: {here:,.0f} episodes a second, native {native:,.0f}, ratio {here / native:.2f}")


def private_mb(browser: Browser) -> float:
    """Return the private memory of the browser's largest page, workers included, in MB."""
    session = browser.new_browser_cdp_session()
    processes = session.send("SystemInfo.getProcessInfo")["processInfo"]
    session.detach()
    found = []
    for process in processes:
        if process["type"] == "renderer":
            status = Path(f"/proc/{process['id']}/status").read_text(encoding="ascii")
            found.append(int(status.split("RssAnon:")[1].split()[0]) / 1024)
    return max(found)


def minds_memory(browser: Browser, page: Page, address: str) -> tuple[float, float]:
    """Return the peak of the private memory while the usual five agents think, and what remains afterwards, in MB."""
    page.goto(f"{address}#/minds/connect4/46")
    page.get_by_text("thinking …").wait_for()
    peak = 0.0
    while page.get_by_text("thinking …").count():
        peak = max(peak, private_mb(browser))
        page.wait_for_timeout(50)
    page.wait_for_timeout(1000)
    return peak, private_mb(browser)


def engine_page(browser: Browser, folder: Path, address: str) -> Page:
    """Return a page with nothing but the engine, whose modules are served as they are."""
    (folder / "engine.html").write_text(ENGINE, encoding="utf-8")
    (folder / "static").symlink_to(STATIC)
    page = browser.new_page()
    page.goto(f"{address}engine.html")
    return page


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--visits", type=int, default=5, choices=range(1, 100), metavar="N")
    parser.add_argument("--positions", type=int, default=20, choices=range(2, 1000), metavar="N")
    parser.add_argument("--rounds", type=int, default=5, choices=range(2, 100), metavar="N")
    parser.add_argument("--seconds", type=float, default=3, metavar="S", help="of each learner, in each round")
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
            page = browser.new_page()
            times = score_times(page, address, middle_games(given.positions))
            slow = sum(one > WANTED for one in times)
            print(f"exact scores of all moves: {statistics.median(times):.0f} ms, slowest {max(times):.0f} ms")
            print(f"over {WANTED} ms: {slow} of {len(times)} positions")
            print(f"of the empty board: {page.evaluate(SCORES, ['#/analyse/connect4', 7]):.0f} ms")
            page.close()
            page = engine_page(browser, folder, address)
            compare(page, given.rounds, given.seconds)
            page.close()
            peak, after = minds_memory(browser, browser.new_page(), address)
            print(f"memory of a page with five agents: {peak:.0f} MB while they think, {after:.0f} MB afterwards")


if __name__ == "__main__":
    main()
