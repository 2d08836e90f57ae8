"""Game trees for exams on the page: typed or drawn, stepped through, as a question and as its solution."""

from __future__ import annotations

import re
from pathlib import Path

from playwright.sync_api import Page, expect

from inarow.teaching.exam_tree import random_tree, solve
from support.screen import Screen, check_in_all_shapes
from support.web_server import RunningServer


def marks(page: Page) -> dict[str, str]:
    """What is written at the nodes."""
    found = page.locator(".exam [data-mark]").evaluate_all(
        "all => all.map((one) => [one.getAttribute('data-mark'), one.textContent])"
    )
    return {name: text for name, text in found if text}


def test_a_typed_tree_is_stepped_through_and_solved(server: RunningServer, screen: Screen, tmp_path: Path) -> None:
    page = screen.page
    page.goto(f"{server.address}/#/trees")
    page.get_by_role("link", name="A tree of your own").click()
    expect(page.locator("#where")).to_have_text(re.compile("step 0 of"))
    page.locator("#tree").fill("((3 12 9) (2 4 6) (14 5 2))")
    page.locator("#solve").click()
    expect(page.locator(".exam")).to_contain_text("9")
    expect(page.locator(".exam")).not_to_contain_text("8")
    assert marks(page) == {}
    page.locator("#step").focus()
    page.keyboard.press("End")
    expect(page.locator("#said")).to_have_text("Value of A: 3.")
    assert marks(page) == {"A": "3", "B": "3", "C": "≤ 2", "D": "2"}
    expect(page.locator(".exam [data-cut]:visible")).to_have_count(2)
    page.locator("#back").click()
    expect(page.locator("#said")).not_to_have_text("Value of A: 3.")
    assert marks(page)["A"] == "≥ 3", "a bound as long as the node is open"
    page.keyboard.press("q")
    assert marks(page) == {}
    expect(page.locator("#tasks")).to_contain_text("How many leaves are evaluated?")
    expect(page.locator("#tasks .answer")).to_have_count(0)
    page.keyboard.press("a")
    expect(page.locator("#tasks .answer").nth(2)).to_have_text("7 of 9.")
    with page.expect_download() as saving:
        page.locator("#save-solution").click()
    saving.value.save_as(tmp_path / "solution.html")
    assert "Cutoff: MIN can hold MAX to 2" in (tmp_path / "solution.html").read_text(encoding="utf-8")


def test_random_trees_follow_seed_and_difficulty_and_have_an_address(server: RunningServer, screen: Screen) -> None:
    page = screen.page
    page.goto(f"{server.address}/#/exam/uct/max/5/easy/3")
    wanted = random_tree(3, "easy", algorithm="uct")
    expect(page.locator("#tree")).to_have_value(wanted.to_text())
    page.locator("#last").click()
    final = solve(wanted, "uct", simulations=5, seed=3).marks["A"]
    assert page.locator('.exam [data-mark="A"]').all_text_contents() == final.split(" · ")
    page.locator("#draw").click()
    expect(page.locator("#tree")).to_have_value(random_tree(4, "easy", algorithm="uct").to_text())
    assert page.url.endswith("#/exam/uct/max/5/easy/4")
    page.locator("#tree").fill("((1 2)")
    page.locator("#solve").click()
    expect(page.locator("#banner")).to_contain_text("a ) is missing")


def test_a_broken_link_is_named_and_an_example_shown(server: RunningServer, screen: Screen) -> None:
    screen.page.goto(f"{server.address}/#/exam/quicksort/max")
    expect(screen.page.locator("#banner")).to_contain_text("This link can't be opened")
    expect(screen.page.locator(".exam")).to_be_visible()


def test_the_exam_page_fits_all_screens(server: RunningServer, screen: Screen) -> None:
    screen.page.goto(f"{server.address}/#/exam/alphabeta/max/8/hard/1")
    expect(screen.page.locator(".exam")).to_be_visible()
    check_in_all_shapes(screen.page)
