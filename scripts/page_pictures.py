"""Take the pictures of the web page that the docs show, and the preview that links to it show.

python scripts/page_pictures.py

Needs the extra 'web', Playwright and Chromium (`/usr/bin/chromium`, or the path in INAROW_CHROMIUM).
"""

from __future__ import annotations

import os
import sys
from pathlib import Path

from playwright.sync_api import Page, sync_playwright

ROOT = Path(__file__).resolve().parents[1]
sys.path[:0] = [str(ROOT / "src"), str(ROOT / "tests")]

from support.web_server import running_server  # noqa: E402

IMAGES = ROOT / "docs" / "images"
PREVIEW = ROOT / "src" / "inarow" / "web" / "static" / "preview.jpg"
SIZE = 1200, 630


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
        match = server.client.start("connect4", one="human", two="human")
        for move in (3, 3, 2, 4, 3, 3):
            match.move(move)
        _show(page, f"{server.address}/#/play/{match.state.id}", "#ply-6")
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
        browser.close()


def _show(page: Page, address: str, ready: str) -> None:
    page.goto(address)
    page.locator(ready).first.wait_for()
    page.wait_for_timeout(1500)  # animations end


if __name__ == "__main__":
    main()
