"""Take the pictures of the web page that the docs show, and the preview that links to it show.

python scripts/page_pictures.py

With a folder it instead takes every page at 390, 820, 1280 and 1920 pixels, light and dark, to look at:

python scripts/page_pictures.py FOLDER

Needs the extra 'web', Playwright and Chromium (`/usr/bin/chromium`, or the path in INAROW_CHROMIUM).
"""

from __future__ import annotations

import itertools
import os
import sys
from pathlib import Path

from playwright.sync_api import Page, sync_playwright

ROOT = Path(__file__).resolve().parents[1]
sys.path[:0] = [str(ROOT / "src"), str(ROOT / "tests")]

from support.web_server import match_address, running_server  # noqa: E402

IMAGES = ROOT / "docs" / "images"
PREVIEW = ROOT / "src" / "inarow" / "web" / "static" / "preview.jpg"
SIZE = 1200, 630
SIZES = (390, 844), (820, 1180), (1280, 800), (1920, 1080)
VIEWS = {
    "": ".label.best",
    "play": ".opponents label",
    "puzzles": "#task",
    "analyse": ".label.best",
    "minds": ".badge.right, .badge.wrong",
    "trees": ".tree-picture [data-node]",
    "exam": ".picture-frame svg",
    "learn": "#says",
    "watch": ".match",
}
"""What must be there before a picture is taken."""


def main() -> None:
    """Take all pictures."""
    chromium = os.environ.get("INAROW_CHROMIUM", "/usr/bin/chromium")
    with running_server() as server, sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=chromium, args=["--no-sandbox"])
        page = browser.new_context(viewport={"width": SIZE[0], "height": SIZE[1]}).new_page()
        _show(page, f"{server.address}/", ".label.best")
        page.screenshot(path=PREVIEW, type="jpeg", quality=75)
        page.set_viewport_size({"width": 1280, "height": 800})
        page.screenshot(path=IMAGES / "web-home.png")
        moves = [3, 3, 2, 4, 3, 3]
        _show(page, match_address(server, "connect4", one="human", two="human", moves=moves), "#ply-6")
        page.locator("#hint").click()
        page.locator(".panel .note").first.wait_for()
        page.wait_for_timeout(1000)
        page.screenshot(path=IMAGES / "web-play.png")
        _show(page, f"{server.address}/#/analyse/connect4/4444432332", ".label.best")
        page.screenshot(path=IMAGES / "web-analyse.png")
        _show(page, f"{server.address}/#/trees", ".tree-picture .t-stoneX")
        page.screenshot(path=IMAGES / "web-trees.png")
        _show(page, f"{server.address}/#/puzzles", "#task")
        page.screenshot(path=IMAGES / "web-puzzles.png")
        _show(page, f"{server.address}/#/minds/connect4/356377524", ".badge.right, .badge.wrong")
        page.locator("#stop:disabled").wait_for()
        page.screenshot(path=IMAGES / "web-minds.png", full_page=True)
        _show(page, f"{server.address}/#/learn", "#start")
        page.locator("#start").click()
        page.wait_for_timeout(8000)
        page.screenshot(path=IMAGES / "web-learn.png")
        _show(page, f"{server.address}/#/watch", "#state:text('finished')")
        page.screenshot(path=IMAGES / "web-watch.png")
        browser.close()


def all_shapes(folder: Path) -> None:
    """Take every page in all sizes and both themes."""
    chromium = os.environ.get("INAROW_CHROMIUM", "/usr/bin/chromium")
    with running_server() as server, sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=chromium, args=["--no-sandbox"])
        for (width, height), theme in itertools.product(SIZES, ("light", "dark")):
            page = browser.new_context(viewport={"width": width, "height": height}).new_page()
            page.emulate_media(color_scheme=theme)  # type: ignore[arg-type]
            for name, ready in VIEWS.items():
                _show(page, f"{server.address}/#/{name}", ready)
                page.screenshot(path=folder / f"{name or 'home'}-{width}-{theme}.png")
        browser.close()


def _show(page: Page, address: str, ready: str) -> None:
    page.goto(address)
    page.locator(ready).first.wait_for()
    page.wait_for_timeout(1500)  # animations end


if __name__ == "__main__":
    if len(sys.argv) > 1:
        all_shapes(Path(sys.argv[1]))
    else:
        main()
