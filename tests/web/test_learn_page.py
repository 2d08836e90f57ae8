"""The page on which an agent learns, in a real browser."""

from __future__ import annotations

import gzip
import re

from playwright.sync_api import expect

from inarow.frontend import STATIC
from support.screen import Screen, check_in_all_shapes
from support.web_server import RunningServer


def test_it_is_watched_stepped_through_and_played_against(server: RunningServer, screen: Screen) -> None:
    page = screen.page
    page.goto(f"{server.address}/#/learn")
    page.locator("#speed").select_option("1000")
    page.locator("#start").click()
    expect(page.locator("#facts")).to_contain_text(re.compile(r"[1-9][\d,]* episodes"))
    expect(page.locator(".label.draw, .label.win, .label.loss")).to_have_count(8)  # X has a corner
    expect(page.locator(".heat")).to_have_count(8)
    page.locator("#epsilon").fill("0.1")
    page.locator('.move[data-move="4"]').click()
    expect(page.locator(".letter")).to_have_count(3)  # it has replied
    page.locator("#pause").click()
    expect(page.locator("#pause")).to_contain_text("Go on")
    page.locator("#step").click()
    expect(page.locator("#says")).to_contain_text("its value went from")
    expect(page.locator(".updates .here")).to_have_count(1)
    page.locator(".updates tbody tr").nth(2).click()
    expect(page.locator(".updates .here td").first).to_have_text("3")
    check_in_all_shapes(page)


def test_it_is_used_by_keys_alone(server: RunningServer, screen: Screen) -> None:
    page = screen.page
    page.goto(f"{server.address}/#/learn")
    expect(page.locator("#facts")).to_have_text("It knows nothing yet.")
    page.keyboard.press("s")
    expect(page.locator(".updates tbody tr").first).to_be_visible()
    page.keyboard.press("p")
    expect(page.locator("#pause")).to_contain_text("Go on")
    page.keyboard.press("u")
    expect(page.locator("#says")).to_contain_text("its value went from")
    page.keyboard.press("Escape")
    page.keyboard.press("n")
    page.keyboard.press("r")
    page.keyboard.press("1")
    expect(page.locator(".letter")).to_have_count(1)
    page.keyboard.press("m")
    expect(page.locator(".letter")).to_have_count(2)
    page.keyboard.press("n")
    expect(page.locator(".letter")).to_have_count(0)
    page.keyboard.press("p")
    expect(page.locator("#pause")).to_contain_text("Pause")


def test_runs_are_compared_and_the_rule_names_its_discount(server: RunningServer, screen: Screen) -> None:
    page = screen.page
    page.goto(f"{server.address}/#/learn")
    for name in ("Answer a corner", "No exploration"):
        page.get_by_role("button", name=name).click()
        expect(page.locator(".graph .curve:not(.earlier)")).to_have_attribute("points", re.compile(" "))  # two points
        expect(page.locator("#facts")).to_contain_text(re.compile(r"[1-9],\d+ episodes"))
    expect(page.locator(".runs li")).to_have_text(["qlearning, α 0.5, ε 0.3", "qlearning, α 0.5, ε 0"])
    expect(page.locator(".graph .curve")).to_have_count(2)
    expect(page.get_by_text("(γ = 0.95)")).to_be_visible()


def test_all_pages_together_are_small() -> None:
    loaded = (path for path in STATIC.rglob("*") if path.suffix in (".js", ".css", ".html"))
    assert sum(len(gzip.compress(path.read_bytes())) for path in loaded) < 200_000
