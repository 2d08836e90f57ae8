"""Pictures of the web page for the docs: ``python benchmarks/web_pictures.py [FOLDER]``; needs Chromium.

With ``--all`` it takes every view at 390, 1280 and 1920 pixels, light and dark, to look at.
"""

from __future__ import annotations

import argparse
import sys
import tempfile
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parents[1] / "tests"))  # the same browser and server as the tests have

from playwright.sync_api import Browser, Page

from inarow.web.client import Client
from inarow.web.serving import WebSettings
from support.chromium import chromium
from support.watched_files import write_store
from support.web_server import running_server

POSITION = "444333252"
MISLEADING = "641423264267667"
"""A position in which several agents go wrong."""
OPEN = ".label:text-matches('^[+−?]$')"
"""A move whose exact score is not known yet."""
SIZES = {390: 844, 1280: 800, 1920: 1080}
IN_THE_DOCS = {
    "play": "light",
    "analyse": "dark",
    "minds": "light",
    "learn": "light",
    "watch": "light",
    "trees": "light",
}
AGENTS = ("random", "rules", "greedy", "alphabeta:depth=2", "ntuple")


def tournament(folder: Path) -> Path:
    """A store to watch."""
    write_store(folder / "league.db", "connect4", AGENTS, pairs=20)
    return folder / "league.db"


def play_session(client: Client) -> str:
    """A match that is under way, with a hint."""
    session = client.start("connect4", one="human", two="alphabeta:depth=8", seed=3, delay=0)
    for move in (3, 3, 2):
        session.move(move)
        if session.wait_for_turn().ending is not None:
            break
    session.hint()
    session.wait(lambda state: state.hint is not None)
    return session.state.id


def views(client: Client) -> dict[str, tuple[str, str]]:
    """The views: an address, and what must be there before the picture is taken."""
    return {
        "setup": ("#/play", "form.setup .primary:enabled"),
        "play": (f"#/play/{play_session(client)}", ".hint"),
        "analyse": (f"#/analyse/connect4/{POSITION}", f".desk:has(.why):not(:has({OPEN}))"),
        "trees": ("#/trees/connect4/4455/alphabeta:depth=4,root=carried/91", ".label.best"),
        "minds": (f"#/minds/connect4/{MISLEADING}", ":nth-match(.badge:is(.right, .wrong), 5)"),
        "learn": ("#/learn", "#pause:has-text('Go on')"),
        "watch": ("#/watch", "#move"),
        "analyse-tictactoe": ("#/analyse/tictactoe/15", ".label.best"),
    }


def train(page: Page) -> None:
    """Let an agent learn for a few seconds, and play a move to see what it makes of it."""
    page.locator("#speed").select_option("1000")
    page.locator("#start").click()
    page.locator(".updates tbody tr").first.wait_for(timeout=60_000)
    page.wait_for_timeout(8000)
    page.keyboard.press("r")
    page.keyboard.press("1")
    page.wait_for_timeout(1000)
    page.locator("#pause").click()


def take(browser: Browser, address: str, name: str, view: tuple[str, str], size: tuple[int, str], folder: Path) -> None:
    """One picture."""
    width, theme = size
    context = browser.new_context(
        viewport={"width": width, "height": SIZES[width]},
        color_scheme="dark" if theme == "dark" else "light",
        reduced_motion="reduce",
    )
    page: Page = context.new_page()
    page.goto(f"{address}/{view[0]}")
    if name.endswith("learn"):
        train(page)
    page.locator(view[1]).first.wait_for(timeout=60_000)
    page.screenshot(path=folder / f"{name}.png", full_page=name == "web-minds")
    context.close()


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("folder", nargs="?", type=Path, default=Path(__file__).parents[1] / "docs" / "images")
    parser.add_argument("--all", action="store_true")
    given = parser.parse_args()
    given.folder.mkdir(parents=True, exist_ok=True)
    with (
        tempfile.TemporaryDirectory() as folder,
        running_server(WebSettings(watch=(tournament(Path(folder)),))) as server,
        chromium() as browser,
    ):
        shown = views(server.client)
        if not given.all:
            for name, theme in IN_THE_DOCS.items():
                take(browser, server.address, f"web-{name}", shown[name], (1280, theme), given.folder)
            return
        for name, view in shown.items():
            for width in SIZES:
                for theme in ("light", "dark"):
                    take(browser, server.address, f"{name}-{width}-{theme}", view, (width, theme), given.folder)


if __name__ == "__main__":
    main()
