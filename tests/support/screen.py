"""A page in a real browser, and what went wrong on it."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from axe_playwright_python.sync_playwright import Axe
from playwright.sync_api import APIResponse, Browser, Page, Route


class Screen:
    """A page of its own, and what went wrong on it."""

    def __init__(self, browser: Browser, **options: Any) -> None:
        self.context = browser.new_context(viewport={"width": 1280, "height": 800}, **options)
        self.problems: list[str] = []
        self.page = self.open()

    def open(self) -> Page:
        page = self.context.new_page()
        page.set_default_timeout(30_000)
        page.on("pageerror", lambda error: self.problems.append(str(error)))
        page.on("console", lambda said: self.problems.append(said.text) if said.type == "error" else None)
        return page


def wait_for(page: Page, fact: Callable[[], bool], what: str) -> None:
    """Wait until a fact holds, while the page goes on."""
    for _ in range(1500):
        if fact():
            return
        page.wait_for_timeout(20)
    raise AssertionError(f"{what} did not come in 30 seconds")


def hold(page: Page, pattern: str, times: int = 1) -> Callable[[], None]:
    """Hold the answers to the next requests of this pattern back until the function is called."""
    held: list[tuple[Route, APIResponse]] = []
    page.route(pattern, lambda route: held.append((route, route.fetch())), times=times)

    def release() -> None:
        wait_for(page, lambda: len(held) == times, "an answer")
        for route, answer in held:
            route.fulfill(response=answer)

    return release


def check_page(page: Page) -> None:
    """That nothing is wider than the screen, and axe-core finds no serious violation."""
    assert page.evaluate("document.documentElement.scrollWidth <= window.innerWidth"), page.url
    found = Axe().run(page).response["violations"]
    serious = [one for one in found if one["impact"] in ("serious", "critical")]
    assert not serious, [(one["id"], [node["html"] for node in one["nodes"]]) for one in serious]


def check_in_all_shapes(page: Page) -> None:
    """The same on a phone in the dark theme, and on a wide screen in the light one."""
    for width, height, theme in ((390, 844, "dark"), (1920, 1080, "light")):
        page.set_viewport_size({"width": width, "height": height})
        page.emulate_media(color_scheme=theme)  # type: ignore[arg-type]
        check_page(page)
