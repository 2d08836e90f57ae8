"""The page in a real browser: no wider than a phone, sorted by keyboard, values on figures, light and dark."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from axe_playwright_python.sync_playwright import Axe
from playwright.sync_api import Browser, expect
from playwright.sync_api import Page as Tab

from inarow.report.charts import elo_chart
from inarow.report.page import Page, Section, to_page
from inarow.report.tables import Column, table
from inarow.stats import Interval

ROWS = [("b", 2.0, 5), ("c", 10.0, 1), ("a", 1.0, 3)]
WIDE = table(
    "wide", "Wide", [Column(f"a number in column {i}", "count") for i in range(20)], [[i] * 20 for i in (3, 1, 2)]
)


@pytest.fixture(scope="module")
def address(tmp_path_factory: pytest.TempPathFactory) -> str:
    scores = table("scores", "Scores", ("agent", Column("time", "seconds"), Column("games", "count")), ROWS)
    elos = elo_chart("elo", "Elo", [("a", Interval(100, 50, 150)), ("b", Interval(-100, -150, -50))])
    page = Page(
        "A study", "A lead.", ("It is a.", "At no cost."),
        (Section("Results", (scores, WIDE, elos)), Section("More", ("Some text.",))),
        (Section("Players", ("All of them.",)),), headline="One is better",
    )  # fmt: skip
    path: Path = tmp_path_factory.mktemp("page") / "report.html"
    path.write_text(to_page(page), encoding="utf-8")
    return path.as_uri()


def tab(browser: Browser, address: str, width: int = 1280, **options: Any) -> Tab:
    page = browser.new_context(viewport={"width": width, "height": 800}, reduced_motion="reduce", **options).new_page()
    page.set_default_timeout(60_000)
    page.goto(address)
    return page


def first_column(page: Tab, key: str) -> list[str]:
    return page.locator(f"#{key} tbody td:first-child").all_inner_texts()


def test_tables_are_sorted_by_keyboard_and_put_back(browser: Browser, address: str) -> None:
    page = tab(browser, address)
    head = page.locator("#scores th").nth(1)
    head.get_by_role("button").focus()
    orders = {"descending": ["c", "b", "a"], "ascending": ["a", "b", "c"]}
    for order, names in orders.items():
        page.keyboard.press("Enter")
        expect(head).to_have_attribute("aria-sort", order)
        assert first_column(page, "scores") == names
    page.keyboard.press("Enter")
    assert first_column(page, "scores") == ["b", "c", "a"]
    page.locator("#scores th").first.get_by_role("button").press("Space")
    assert first_column(page, "scores") == ["a", "b", "c"]
    head.click(position={"x": 2, "y": 2})
    assert first_column(page, "scores") == ["c", "b", "a"], "a click beside the letters"


def test_a_figure_says_its_values_where_it_is_pointed_at(browser: Browser, address: str) -> None:
    page = tab(browser, address)
    page.locator("#elo .tip").first.hover()
    expect(page.locator("#tip")).to_have_text("a: Elo +100 (+50 to +150)")
    page.mouse.move(1, 1)
    expect(page.locator("#tip")).to_be_hidden()


def test_on_a_phone_nothing_scrolls_sideways_and_contents_unfold(browser: Browser, address: str) -> None:
    page = tab(browser, address, 390)
    assert page.evaluate("document.documentElement.scrollWidth") == 390
    assert page.locator("#wide").evaluate("table => table.parentElement.scrollWidth") <= 390
    expect(page.locator(".table:has(#wide) + .scrolls")).to_be_hidden()
    contents = page.locator("#contents-list")
    expect(contents).to_be_hidden()
    page.get_by_role("button", name="Contents").click()
    contents.get_by_role("link", name="More").click()
    expect(contents).to_be_hidden()
    assert page.url.endswith("#more")


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_both_colour_schemes_can_be_chosen_and_are_accessible(browser: Browser, address: str, scheme: Any) -> None:
    page = tab(browser, address, color_scheme=scheme)
    other = {"light": "dark", "dark": "light"}[scheme]
    for now in (scheme, other):
        assert page.evaluate("getComputedStyle(document.documentElement).colorScheme") == now
        report = Axe().run(page)
        assert report.violations_count == 0, report.generate_report()
        page.locator("#theme-toggle").click()
        page.locator("#elo").scroll_into_view_if_needed()
    page.emulate_media(media="print")
    assert page.evaluate("getComputedStyle(document.body).backgroundColor") == "rgb(255, 255, 255)"
    expect(page.locator("nav")).to_be_hidden()
    head = page.locator("#scores thead")
    assert head.evaluate("head => getComputedStyle(head).display") == "table-header-group"
    assert head.evaluate("head => getComputedStyle(head.querySelector('button')).display") == "contents"
