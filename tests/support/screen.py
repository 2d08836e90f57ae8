"""A page in a real browser, and what went wrong on it."""

from __future__ import annotations

import re
import time
from collections.abc import Callable
from typing import Any

from axe_playwright_python.sync_playwright import Axe
from playwright.sync_api import Browser, ConsoleMessage, FrameLocator, Page, expect

from inarow.rules import Position, game
from inarow.solver import Oracle, Verdict

PATIENCE = 90
"""Seconds after which something that is waited for will not come, also on a slow machine."""
REFUSED = re.compile(r"the server responded with a status of (4\d\d|503)")

expect.set_options(timeout=1000 * PATIENCE)


class Screen:
    """A page of its own, and what went wrong on it; Chromium reports answers of 4xx and 503, which a test may want."""

    def __init__(self, browser: Browser, **options: Any) -> None:
        self.context = browser.new_context(viewport={"width": 1280, "height": 800}, **options)
        self.problems: list[str] = []
        self.may_be_refused = False
        self.page = self.open()

    def open(self) -> Page:
        page = self.context.new_page()
        page.set_default_timeout(1000 * PATIENCE)
        page.on("pageerror", lambda error: self.problems.append(str(error)))
        page.on("console", self._note)
        return page

    def _note(self, said: ConsoleMessage) -> None:
        if said.type == "error" and not (self.may_be_refused and REFUSED.search(said.text)):
            self.problems.append(said.text)


def wait_for(page: Page, fact: Callable[[], bool], what: str) -> None:
    """Wait until a fact holds, while the page goes on."""
    until = time.monotonic() + PATIENCE
    while not fact():
        assert time.monotonic() < until, f"{what} did not come in {PATIENCE} seconds"
        page.wait_for_timeout(20)


HOLD = """async ([name, times]) => {
  const script = document.querySelector('script[type="module"]').src;
  const { engine } = await import(new URL("engine.js", script));
  const real = engine[name].bind(engine);
  let left = times;
  const gate = new Promise((open) => (window.held = { count: 0, open }));
  const held = window.held;
  engine[name] = (...given) => {
    const answer = real(...given);
    if (!left) return answer;
    left--;
    const late = () => (held.count++, gate);
    return answer.then((value) => late().then(() => value), (error) => late().then(() => { throw error; }));
  };
}"""


def hold(page: Page, name: str, times: int = 1) -> Callable[[], None]:
    """Keep the next answers of a function of the engine from the page, which is open, until the function is called."""
    page.evaluate(HOLD, [name, times])

    def release() -> None:
        wait_for(page, lambda: bool(page.evaluate("window.held.count") >= 1), "the answer")
        page.evaluate("new Promise((done) => { window.held.open(); setTimeout(() => setTimeout(done)); })")

    return release


def check_page(page: Page) -> None:
    """That nothing is wider than the screen, there is one h1, and axe-core finds no serious violation."""
    page.wait_for_function("document.documentElement.scrollWidth <= window.innerWidth")  # pictures follow in a frame
    expect(page.locator("h1")).to_have_count(1)
    named = {"rules": {"label-content-name-mismatch": {"enabled": True}}}
    found = Axe().run(page, options=named).response["violations"]
    serious = [one for one in found if one["impact"] in ("serious", "critical")]
    assert not serious, [(one["id"], [node["html"] for node in one["nodes"]]) for one in serious]


def check_in_all_shapes(page: Page) -> None:
    """The same on a phone in the dark theme, and on a wide screen in the light one."""
    for width, height, theme in ((390, 844, "dark"), (1920, 1080, "light")):
        page.set_viewport_size({"width": width, "height": height})
        page.emulate_media(color_scheme=theme)  # type: ignore[arg-type]
        check_page(page)


def play_to_the_end(page: Page, act: Callable[[int], None]) -> str:
    """Let a person make the first move that is possible until the match is over; what the page says then."""
    free = page.locator('.board .move[aria-disabled="false"]')
    over = page.locator(".status.over")
    for _ in range(60):
        free.or_(over).first.wait_for()
        if over.count():
            return over.inner_text()
        before = page.locator(".scoresheet .ply").count()
        act(int(free.first.get_attribute("data-move") or 0))
        page.wait_for_function(
            "(n) => document.querySelectorAll('.scoresheet .ply').length > n"
            " && /Your move|win|draw/.test(document.querySelector('.status').textContent)",
            arg=before,
        )
    raise AssertionError("the match did not end")


SIGNS = {Verdict.WIN: "+", Verdict.DRAW: "=", Verdict.LOSS: "−"}


def signs(board: str, moves: tuple[int, ...]) -> dict[int, str]:
    """The verdict of each move by the solver in Python, as the first letter of its label."""
    position = Position.start(game(board), moves)
    scores = Oracle(position.game).scores(position)
    return {move: SIGNS[Verdict.of(score)] for move, score in scores.items()}


def expect_values(place: Page | FrameLocator, board: str, moves: tuple[int, ...]) -> None:
    """Wait until the board shows the exact value of every move of a position."""
    for move, sign in signs(board, moves).items():
        label = place.locator(f'.board .move[data-move="{move}"] .label')
        expect(label).to_have_text(re.compile(rf"^{re.escape(sign)}\d*$"))


def asked_for(page: Page) -> list[str]:
    """Collect the addresses that a page asks for, except from blobs."""
    found: list[str] = []
    page.on("request", lambda request: None if request.url.startswith("blob:") else found.append(request.url))
    return found
