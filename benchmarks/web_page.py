"""How quick the web page is: until it can be used, until exact scores are shown, and its script's time in a frame.

python benchmarks/web_page.py

It starts a server on loopback and opens the page in Chromium, which it needs. Each figure is the median of several
visits, except script time, which is the worst frame of several moves. Wanted: ready within 1 s, scores within 100 ms of
a move in the middle game, at most 8 ms of script in a frame, at most 300 KB in all.
"""

from __future__ import annotations

import argparse
import json
import statistics
import sys
import tempfile
import time
from collections.abc import Iterable
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).parents[1] / "tests"))  # the same browser and server as the tests have

from playwright.sync_api import Browser, Page

from support.chromium import chromium
from support.web_server import running_server

MIDDLE_GAME = "44433325236"
SCRIPT = ("FunctionCall", "EvaluateScript", "FireAnimationFrame", "TimerFire", "EventDispatch", "RunMicrotasks")


def ready_seconds(browser: Browser, address: str) -> tuple[float, int]:
    """Seconds until a visitor with an empty cache can press Play, and the bytes that were loaded."""
    context = browser.new_context()
    page = context.new_page()
    sizes: list[int] = []
    page.on("response", lambda response: sizes.append(int(response.headers.get("content-length", 0))))
    begun = time.perf_counter()
    page.goto(f"{address}/#/play")
    page.locator("form.setup .primary:enabled").wait_for()
    seconds = time.perf_counter() - begun
    context.close()
    return seconds, sum(sizes)


def score_seconds(page: Page, address: str, visits: int) -> list[float]:
    """Seconds from a move on the analysis board to the exact scores of the position after it."""
    page.goto(f"{address}/#/analyse/connect4/{MIDDLE_GAME}")
    page.locator(".label.best").first.wait_for()
    found = []
    for number in range(visits):
        here = page.evaluate("location.hash")
        begun = time.perf_counter()
        page.keyboard.press("127"[number % 3])
        page.wait_for_function(_SHOWN, arg=here, polling="raf")
        found.append(time.perf_counter() - begun)
        there = page.evaluate("location.hash")
        page.keyboard.press("ArrowLeft")
        page.wait_for_function(_SHOWN, arg=there, polling="raf")
    return found


_SHOWN = """(before) => location.hash !== before
  && !document.querySelector("#truth").textContent.startsWith("Solving")"""


def script_frames(browser: Browser, page: Page, address: str, folder: Path) -> list[float]:
    """Milliseconds of script in each frame while a person moves and an agent replies."""
    page.goto(f"{address}/#/play")
    page.locator("form.setup .primary:enabled").click()
    page.get_by_text("Your move").wait_for()
    trace = folder / "trace.json"
    browser.start_tracing(page=page, path=trace, categories=["devtools.timeline", "v8"])
    for key in "4356":
        if page.locator(".status.over").count():
            break
        page.keyboard.press(key)
        page.wait_for_timeout(1500)
    browser.stop_tracing()
    return _by_frame(json.loads(trace.read_text(encoding="utf-8"))["traceEvents"])


FRAME = 16_667
"""Microseconds: 60 frames a second."""


def _by_frame(events: Iterable[dict[str, Any]]) -> list[float]:
    """The time of outermost script events in each frame, on the thread that runs most of them."""
    script = [event for event in events if event["name"] in SCRIPT and event.get("ph") == "X" and "dur" in event]
    threads = [(event["pid"], event["tid"]) for event in script]
    thread = max(set(threads), key=threads.count)
    frames: dict[int, float] = {}
    covered = 0.0
    for event in sorted(script, key=lambda event: float(event["ts"])):
        if (event["pid"], event["tid"]) == thread and event["ts"] >= covered:
            covered = event["ts"] + event["dur"]
            frame = int(event["ts"] // FRAME)
            frames[frame] = frames.get(frame, 0.0) + event["dur"] / 1000
    return list(frames.values())


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--visits", type=int, default=9, choices=range(1, 100), metavar="N")
    given = parser.parse_args()
    with running_server() as server, chromium() as browser, tempfile.TemporaryDirectory() as folder:
        visits = [ready_seconds(browser, server.address) for _ in range(given.visits)]
        page = browser.new_page()
        scores = score_seconds(page, server.address, given.visits)
        frames = script_frames(browser, page, server.address, Path(folder))
    ready = statistics.median(seconds for seconds, _ in visits)
    print(
        f"ready in {ready:.2f} s, slowest {max(seconds for seconds, _ in visits):.2f} s; {visits[0][1] / 1000:.0f} KB"
    )
    print(f"exact scores after {1000 * statistics.median(scores):.0f} ms, slowest {1000 * max(scores):.0f} ms")
    print(f"script in a frame: {max(frames):.1f} ms at most, in {len(frames)} frames")


if __name__ == "__main__":
    main()
