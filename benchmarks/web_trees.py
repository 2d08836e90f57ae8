"""How long the page Trees works at one frame while its slider is dragged over a long trace; needs Chromium.

``python benchmarks/web_trees.py [--frames 500]``: first the slider sweeps over all steps, then it jumps to steps
anywhere. What a frame's script takes is read from the browser's own trace: in processor time, because on a busy machine
the clock counts other programs too, and by the clock. The page may take 8 ms; 99 % of the frames must not take longer.
"""

from __future__ import annotations

import argparse
import json
import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parents[1] / "tests"))  # the same browser and server as the tests have

from playwright.sync_api import Browser, Page

from support.chromium import chromium
from support.web_server import running_server

SEARCHES = ("connect4//alphabeta:depth=8,root=carried", "connect4//minimax:depth=6", "connect4//mcts:simulations=5000")
LONGEST = 8.0
DRAG = """
async ([count, jump]) => {
  const slider = document.getElementById("step");
  const most = Number(slider.max);
  for (let i = 0; i < count; i++) {
    slider.value = String(jump ? (i * 7919) % (most + 1) : Math.round((i / (count - 1)) * most));
    slider.dispatchEvent(new Event("input"));
    await new Promise((done) => setTimeout(done, 20));
  }
  return most + 1;
}
"""


def measure(browser: Browser, page: Page, frames: int, jump: bool) -> tuple[int, list[float], list[float]]:
    """The steps of the trace; the milliseconds of the script of every frame: processor time, and by the clock."""
    browser.start_tracing(page=page, categories=["devtools.timeline"])
    steps = int(page.evaluate(DRAG, [frames, jump]))
    events = json.loads(browser.stop_tracing())["traceEvents"]
    drawn = [event for event in events if event["name"] == "FireAnimationFrame"]
    return steps, sorted(e["tdur"] / 1000 for e in drawn), sorted(e["dur"] / 1000 for e in drawn)


def percentile(times: list[float], share: int) -> float:
    """Of sorted times."""
    return times[min(len(times) - 1, share * len(times) // 100)]


def figures(times: list[float]) -> str:
    """Median, 99th percentile and the longest."""
    return f"{percentile(times, 50):.1f} / {percentile(times, 99):.1f} / {times[-1]:.1f} ms"


def run(browser: Browser, address: str, frames: int) -> bool:
    """Whether the frames' scripts were short enough, in processor time."""
    context = browser.new_context(viewport={"width": 1920, "height": 1080})
    page = context.new_page()
    good = True
    print("median / 99 % / longest of a frame's script, in processor time; by the clock")
    for search in SEARCHES:
        page.goto(f"{address}/#/trees/{search}")
        page.reload()
        page.locator("#where", has_text="step").wait_for(timeout=60_000)
        for jump in (False, True):
            steps, processor, clock = measure(browser, page, frames, jump)
            way = "anywhere" if jump else "sweeping"
            name = search.rpartition("/")[2]
            print(f"{name}, {steps:,} steps, {way}, {len(clock)} frames: {figures(processor)}; {figures(clock)}")
            good = good and percentile(processor, 99) <= LONGEST
    context.close()
    return good


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--frames", type=int, default=500)
    given = parser.parse_args()
    with running_server() as server, chromium() as browser:
        if not run(browser, server.address, given.frames):
            raise SystemExit(f"more than {LONGEST:g} ms a frame")


if __name__ == "__main__":
    main()
