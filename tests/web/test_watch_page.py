"""The page that watches, in a real browser: tables, replays by mouse and by keys, all sizes and themes."""

from __future__ import annotations

import re

from playwright.sync_api import expect

from support.screen import Screen, check_in_all_shapes
from support.web_server import RunningServer


def test_standings_cross_table_and_matches_by_mouse(server: RunningServer, screen: Screen) -> None:
    page = screen.page
    page.goto(f"{server.address}/#/watch")
    expect(page.locator("#state")).to_have_text("finished")
    expect(page.locator("#count")).to_have_text("24 matches")
    expect(page.locator(".standings tbody tr")).to_have_count(3)
    expect(page.locator(".match")).to_have_count(24)
    page.locator(".cross-cell").first.click()
    expect(page.locator(".match")).to_have_count(8)
    expect(page.locator("#gauge")).to_contain_text(re.compile(r"Elo .*95 %\)\nMatches 8: \d+ won"))
    page.get_by_role("button", name="Copy").click()
    page.get_by_role("button", name="Show all").click()
    expect(page.locator(".match")).to_have_count(24)
    page.locator(".match").nth(3).click()
    expect(page.locator(".match").nth(3)).to_have_attribute("aria-current", "true")
    page.locator("#first").click()
    expect(page.locator("#move")).to_have_text("The start.")
    page.locator("#pace").fill("6")
    page.locator("#playing").click()
    expect(page.locator("#move")).to_contain_text("(line)")
    check_in_all_shapes(page)
    page.get_by_label("File", exact=True).select_option("study")
    expect(page.locator("#count")).to_have_text("4 matches")
    with page.expect_popup() as opened:
        page.get_by_role("link", name="Report").click()
    expect(opened.value.get_by_role("heading")).to_have_text("What was found")


def test_a_match_is_replayed_by_keys_and_its_address_can_be_shared(server: RunningServer, screen: Screen) -> None:
    page = screen.page
    page.clock.install()
    page.goto(f"{server.address}/#/watch/0")
    expect(page.locator("#move")).to_contain_text("wins")
    page.clock.pause_at(page.evaluate("Date.now()") / 1000 + 3600)
    page.keyboard.press("n")
    expect(page.locator(".match").nth(1)).to_have_attribute("aria-current", "true")
    page.keyboard.press("Home")
    expect(page.locator("#move")).to_have_text("The start.")
    page.keyboard.press("ArrowRight")
    expect(page.locator("#move")).to_contain_text("Move 1: X")
    page.keyboard.press("+")
    page.keyboard.press("p")
    expect(page.locator("#playing")).to_contain_text("Pause")
    page.clock.run_for(250)  # 4 moves a second
    expect(page.locator("#move")).to_contain_text("Move 2: O")
    page.keyboard.press("p")
    expect(page.locator("#playing")).to_contain_text("Play")
    page.keyboard.press("End")
    expect(page.locator("#move")).to_contain_text("(")
    ending = page.locator("#move").inner_text()
    second = screen.open()
    second.goto(page.url)
    expect(second.locator("#move")).to_have_text(ending)
